"""Patterns with marks: LifeHistory, in which hunters say what is active, what is known, and what is sought."""

from __future__ import annotations

from satlife.life import formats
from satlife.life.pattern import Cells
from satlife.life.rule import Rule
from satlife.life.runs import RunReader

UNKNOWN = 2
LETTERS = ".ABCDEF"


def parse(text: str) -> tuple[Cells, Rule]:
    """The states 0 to 6 of LifeHistory; in any other pattern live cells are 1, and `?` cells are 2, unknown.

    >>> parse("x = 4, y = 1, rule = LifeHistory\\n.ABD!")[0].tolist()
    [[0, 1, 2, 4]]
    >>> parse("bo?!")[0].tolist()
    [[0, 1, 2]]
    """
    if formats.is_pattern(text) and "history" in text.lower():
        reader = RunReader(unknown=True, marks=True)
        reader.read(text)
        if reader.history:
            return reader.cells()[0], reader.rule
    pattern = formats.parse(text, unknown=True)
    cells = pattern.cells.copy()
    cells[pattern.mask] = UNKNOWN
    return cells, pattern.rule


def rle(states: Cells) -> str:
    """The states of cells as LifeHistory.

    >>> import numpy as np
    >>> rle(np.array([[0, 1, 2, 4]], np.uint8))
    'x = 4, y = 1, rule = LifeHistory\\n.ABD!\\n'
    """
    height, width = states.shape
    rows = "$\n".join("".join(LETTERS[state] for state in row) for row in states.tolist())
    return f"x = {width}, y = {height}, rule = LifeHistory\n{rows}!\n"
