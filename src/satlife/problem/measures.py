"""Measures: what can be optimised, each a record with its words and its value for a find.

How a room computes with a measure, such as its unary literals in the SAT engine, is a handler there under its name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from satlife.errors import InputError, suggestion
from satlife.life.pattern import Cells, live_box
from satlife.problem.problem import Problem
from satlife.problem.question import Need
from satlife.records import dataclass


@dataclass(frozen=True)
class MeasureKind:
    """A kind of measure; one that `is_timed` counts in the generation that is named after an @."""

    name: str
    words: str
    value: Callable[[Problem, Sequence[Cells], int], int]  # of a find; the number is the generation
    looks_at: Callable[[Problem, int], Collection[int]]  # the generations that it measures
    fails: Callable[[Problem], str] = lambda problem: ""  # why a problem does not have it
    is_timed: bool = False


@dataclass(frozen=True)
class Measure:
    """A kind of measure, and the generation in which it counts."""

    kind: MeasureKind
    time: int = 0

    @classmethod
    def parse(cls, text: str) -> Measure:
        """A measure such as "cells", "cells@2" or "rotor".

        >>> str(Measure.parse("cells@2")), Measure.parse("box").kind.words
        ('cells@2', 'area of the smallest box around all generations')
        """
        if not isinstance(text, str):
            raise InputError(f"what is optimised has a name, such as 'cells', not {text!r}")
        name, at, time = text.partition("@")
        kind = KINDS.get(name)
        if kind is None or (at and not kind.is_timed):
            raise InputError(f"{text!r} cannot be optimised; there are {', '.join(MEASURES)}" + suggestion(text, KINDS))
        if at and (not time.isdecimal() or len(time) > 6):
            raise InputError(f"there is no generation {time!r}")
        return cls(kind, int(time or 0))

    def __str__(self) -> str:
        return self.kind.name + (f"@{self.time}" if self.time else "")

    def suited(self, problem: Problem) -> Problem:
        """The problem in which everything that it measures follows the rule; an InputError says why a problem does not
        have this measure."""
        if self.time > problem.last:
            raise InputError(f"there is no generation '{self.time}'; the generations are 0 to {problem.last}")
        if reason := self.kind.fails(problem):
            raise InputError(reason)
        return problem.seen(self.kind.looks_at(problem, self.time), f"the measure {self}")

    def value(self, problem: Problem, phases: Sequence[Cells]) -> int:
        """Its value for the generations of a find."""
        return self.kind.value(problem, phases, self.time)


def _cells(problem: Problem, phases: Sequence[Cells], time: int) -> int:
    return int((phases[time] == 1).sum())


def _phase(problem: Problem, phases: Sequence[Cells], time: int) -> int:
    return min(int((phase == 1).sum()) for phase in phases)


def _rotor(problem: Problem, phases: Sequence[Cells], time: int) -> int:
    return int((np.stack(phases) != phases[0]).any(axis=0).sum())


def _box(problem: Problem, phases: Sequence[Cells], time: int) -> int:
    """Of all cells that are not dead: a dying one takes its place, too."""
    rows, columns = live_box(np.max(phases, axis=0))
    return int((rows.stop - rows.start) * (columns.stop - columns.start))


def _generations(problem: Problem, phases: Sequence[Cells], time: int) -> int:
    return problem.generations


def _no_rotor(problem: Problem) -> str:
    moves = not problem.periodic or problem.displacement != (0, 0)
    return "only oscillators have a rotor" if moves else ""


def _no_box(problem: Problem) -> str:
    unlike = {Need.BLINKING, Need.WRAP} & problem.needs
    return "only patterns of the plane on a dead background have a smallest box" if unlike else ""


def _one(problem: Problem, time: int) -> Collection[int]:
    return {time}


def _every(problem: Problem, time: int) -> Collection[int]:
    return range(problem.last + 1)


def _none(problem: Problem, time: int) -> Collection[int]:
    return ()


GENERATIONS = MeasureKind(
    "generations",
    "period, or number of generations (of an eater: four before the meal, the meal, one after)",
    _generations,
    _none,
)
KINDS = {
    kind.name: kind
    for kind in (
        MeasureKind("cells", "live cells in generation 0", _cells, _one, is_timed=True),
        MeasureKind("phase", "live cells in the generation that has the fewest", _phase, _every),
        MeasureKind("rotor", "cells of an oscillator that change", _rotor, _every, _no_rotor),
        MeasureKind("box", "area of the smallest box around all generations", _box, _every, _no_box),
        GENERATIONS,
    )
}
CELLS = Measure(KINDS["cells"])

#: What a user can say, with its meaning.
MEASURES: dict[str, str] = {}
for _kind in KINDS.values():
    MEASURES[_kind.name] = _kind.words
    if _kind.is_timed:
        MEASURES[f"{_kind.name}@T"] = _kind.words.replace("generation 0", "generation T")
