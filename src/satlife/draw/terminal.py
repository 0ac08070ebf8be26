"""Patterns as text: two cells a character with Unicode half blocks."""

from __future__ import annotations

import numpy as np

from satlife.life.pattern import Pattern

_BLOCKS = np.array([[" ", "▄"], ["▀", "█"]])


def half_blocks(pattern: Pattern) -> str:
    """The cells that are not dead, two rows of cells to a line of text.

    >>> print(half_blocks(Pattern.from_rows([".O.", "..O", "OOO"])))
     ▀▄
    ▀▀▀
    """
    alive = (pattern.cells != 0).astype(np.int64)
    if len(alive) % 2:
        alive = np.pad(alive, ((0, 1), (0, 0)))
    return "\n".join(
        "".join(_BLOCKS[top, bottom]).rstrip() for top, bottom in zip(alive[::2], alive[1::2], strict=True)
    )
