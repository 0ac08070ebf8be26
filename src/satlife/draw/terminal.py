"""Pictures as text, with Unicode half blocks: two cells to a character, in colour if there are more than two states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from satlife.life.pattern import Pattern

if TYPE_CHECKING:
    from rich.text import Text

    from satlife.draw.picture import Picture

_BLOCKS = np.array([[" ", "▄"], ["▀", "█"]])
PLAIN = ".O*a?"  # dead, alive, free, named, freed from the rule


def half_blocks(pattern: Pattern) -> str:
    """A pattern in black and white, two rows of cells to a line of text.

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
    """A picture in colour, two cells to a character; a terminal with few colours shows the nearest ones."""
    from rich.style import Style
    from rich.text import Text

    text = Text()
    below = np.zeros_like(picture.cells[:1])
    for y in range(0, picture.height, 2):
        bottom = picture.cells[y + 1] if y + 1 < picture.height else below[0]
        for upper, lower in zip(picture.cells[y].tolist(), bottom.tolist(), strict=True):
            text.append("▀", Style(color=picture.colours[upper], bgcolor=picture.colours[lower]))
        text.append("\n")
    return text


def digits(picture: Picture) -> str:
    """A heat map without colours: a dot for a dead cell, 0 for a stator cell, higher digits for rotor cells by heat."""
    return "\n".join("".join(str(heat - 1) if heat else "." for heat in row) for row in picture.cells.tolist())


def letters(picture: Picture) -> str:
    """A question without colours, one letter for each cell."""
    return "\n".join("".join(PLAIN[kind] for kind in row) for row in picture.cells.tolist())
