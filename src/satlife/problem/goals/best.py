"""The goals that want the best: a value of a measure, and the smallest box."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from satlife.errors import InputError
from satlife.problem.goals.goal import Goal, GoalOption
from satlife.problem.measures import CELLS, MEASURES, Measure
from satlife.records import dataclass


@dataclass(frozen=True)
class Optimise(Goal):
    """A solution with the smallest, or the `largest`, value of a measure: a Best."""

    name, words = "optimise", "optimise"
    measure: Measure = CELLS
    largest: bool = False
    options = (
        GoalOption(
            ("--minimize", "--minimise", "minimize"),
            "The pattern with the fewest live cells (or see --measure), proved.",
        ),
        GoalOption(
            ("--maximize", "--maximise", "maximize"),
            "The pattern with the most live cells (or see --measure), proved.",
        ),
        GoalOption(("--measure",), f"What to optimise: {', '.join(MEASURES)}.  \\[default: cells]", "TEXT"),
    )

    @classmethod
    def asked_by(cls, values: Mapping[str, Any]) -> Optimise | None:
        minimize, maximize, measure = (values.get(name) for name in ("minimize", "maximize", "measure"))
        if minimize and maximize:
            raise InputError("--minimize and --maximize do not go together")
        if not (minimize or maximize):
            if measure is not None:
                raise InputError("--measure says what to --minimize or --maximize; add one of them")
            return None
        return cls(CELLS if measure is None else Measure.parse(measure), bool(maximize))

    @property
    def flag(self) -> str:
        return "--maximize" if self.largest else "--minimize"

    def arguments(self) -> list[str]:
        return [self.flag, *([] if self.measure == CELLS else ["--measure", str(self.measure)])]


@dataclass(frozen=True)
class SmallestBox(Goal):
    """A solution in the smallest box, by area, up to that of the question: a Smallest."""

    name, words = "smallest", "find the smallest box"
    options = (GoalOption(("--smallest",), "The smallest box up to the one given."),)

    @classmethod
    def asked_by(cls, values: Mapping[str, Any]) -> SmallestBox | None:
        return cls() if values.get("smallest") else None
