"""Pictures as text: two cells a character with Unicode half blocks, in colour where there are more than two."""

from __future__ import annotations

import numpy as np
from rich.style import Style
from rich.text import Text

from satlife.draw.picture import Picture
from satlife.life.pattern import Pattern

_BLOCKS = np.array([[" ", "▄"], ["▀", "█"]])
PLAIN = ".O*a?"  # a question without colours: dead, alive, free, a name, anything


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


def coloured(picture: Picture) -> Text:
    """Every cell in its colour, two to a character; a terminal that has fewer colours gets the nearest."""
    text = Text()
    below = np.zeros_like(picture.cells[:1])
    for y in range(0, picture.height, 2):
        bottom = picture.cells[y + 1] if y + 1 < picture.height else below[0]
        for upper, lower in zip(picture.cells[y].tolist(), bottom.tolist(), strict=True):
            text.append("▀", Style(color=picture.colours[upper], bgcolor=picture.colours[lower]))
        text.append("\n")
    return text


def digits(picture: Picture) -> str:
    """Heat without colours: a dot for a cell that never lives, 0 for one that never dies, then from cold to hot."""
    return "\n".join("".join(str(heat - 1) if heat else "." for heat in row) for row in picture.cells.tolist())


def letters(picture: Picture) -> str:
    """A question without colours, a letter a cell."""
    return "\n".join("".join(PLAIN[kind] for kind in row) for row in picture.cells.tolist())
