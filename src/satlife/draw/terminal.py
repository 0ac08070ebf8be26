"""Pictures as text, with Unicode half blocks: two cells to a character, in colour if there are more than two states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from satlife.life.pattern import UNKNOWN, Cells, Pattern

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


def side_by_side(boards: Sequence[Sequence[str]], gap: str = "  ", width: int | None = 100) -> str:
    """Boards of lines beside one another, as many to a row as fit into the width.

    >>> print(side_by_side([["ab", "c"], ["d", "ef"], ["g", ""]], gap="|", width=6))
    ab|d
    c |ef
    <BLANKLINE>
    g
    <BLANKLINE>
    """
    wide = max((len(line) for board in boards for line in board), default=0)
    across = len(boards) if width is None else max((width + len(gap)) // (wide + len(gap)), 1)
    rows = []
    for k in range(0, len(boards), max(across, 1)):
        lines = zip_longest(*boards[k : k + across], fillvalue="")
        rows.append("\n".join(gap.join(f"{line:{wide}}" for line in row).rstrip() for row in lines))
    return "\n\n".join(rows)


def partial_blocks(cells: Cells, colour: bool = True) -> list[str]:
    """The lines of a partial answer, two rows of cells to a line: cells that are not known are grey.

    Without colour a character of which a cell is unknown is shaded, unless the other cell is alive.

    >>> partial_blocks(np.array([[1, 0, 255, 255], [1, 255, 255, 1]], np.uint8), colour=False)
    ['█░░▄']
    """
    if len(cells) % 2:
        cells = np.pad(cells, ((0, 1), (0, 0)))
    pairs = [zip(*rows, strict=True) for rows in zip(cells[::2].tolist(), cells[1::2].tolist(), strict=True)]
    if not colour:
        return ["".join(_shaded(*pair) for pair in row).rstrip() for row in pairs]
    return [_joined(_grey(*pair) for pair in row).rstrip() for row in pairs]


def _shaded(top: int, bottom: int) -> str:
    alive = [state not in (0, UNKNOWN) for state in (top, bottom)]
    return "░" if UNKNOWN in (top, bottom) and not any(alive) else _block(alive)


def _grey(top: int, bottom: int) -> tuple[str, str]:
    """Two cells as a colour and a character: grey where they are unknown, or on grey if the other one is alive."""
    pair = (top, bottom)
    alive = [state not in (0, UNKNOWN) for state in pair]
    if UNKNOWN not in pair:
        return "", _block(alive)
    if any(alive):
        return "100", _block(alive)
    return "90", _block([state == UNKNOWN for state in pair])


def _joined(row: Iterable[tuple[str, str]]) -> str:
    """Characters with their colours, of which neighbours with the same colour share one escape sequence."""
    runs = ((colour, "".join(letter for _, letter in run)) for colour, run in groupby(row, key=itemgetter(0)))
    return "".join(f"\x1b[{colour}m{letters}\x1b[0m" if colour else letters for colour, letters in runs)


def _block(marked: list[bool]) -> str:
    return str(_BLOCKS[int(marked[0]), int(marked[1])])


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
