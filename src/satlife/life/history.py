"""Patterns with marks: LifeHistory, in which hunters say what is active, what is known, and what is sought."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from satlife.life import formats
from satlife.life.pattern import Cells
from satlife.life.rule import LIFE, Rule
from satlife.life.runs import PLACE, RunReader, folded, items

UNKNOWN = 2
STATES = 7


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


def place(text: str) -> tuple[int, int]:
    """Where the upper left corner of a pattern lies, as Golly writes it."""
    found = re.search(f"(?m)^{PLACE}", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def rle(states: Cells, rule: Rule = LIFE, place: tuple[int, int] = (0, 0), comments: Sequence[str] = ()) -> str:
    """The states of cells as LifeHistory, or as that of another rule.

    >>> import numpy as np
    >>> rle(np.array([[0, 1, 2, 4]], np.uint8))
    'x = 4, y = 1, rule = LifeHistory\\n.ABD!\\n'
    """
    height, width = states.shape
    lines = ["#CXRLE Pos={},{}".format(*place)] if place != (0, 0) else []
    lines += [f"#{comment}" for comment in comments]
    lines.append(f"x = {width}, y = {height}, rule = {'Life' if rule == LIFE else rule.name}History")
    return "\n".join([*lines, *folded([*items(states, np.zeros(states.shape, np.bool_), STATES), "!"])]) + "\n"
