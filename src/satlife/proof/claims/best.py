"""The claims that a pattern has the smallest or the largest value of a measure, and that a box is the smallest with a
pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from satlife.errors import InputError, LimitError
from satlife.life.pattern import Cells
from satlife.problem import measures, relation, verify
from satlife.problem.answers import Answer, Best, Smallest
from satlife.problem.ask import Ask
from satlife.problem.boxes import Size, words
from satlife.problem.conditions.population import Bound, bounded
from satlife.problem.goals import Goal, Optimise, SmallestBox
from satlife.problem.outcome import NONE, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Place
from satlife.proof.claims.claim import Claim
from satlife.proof.claims.find import BeyondClaim, ClaimNone
from satlife.records import dataclass

GENERATIONS = measures.GENERATIONS.name  # the measure that is no number of cells
LARGEST_AREA = 4096  # of the box up to which the smallest is certified


@dataclass(frozen=True)
class ClaimBest(BeyondClaim):
    """The find has the smallest, or the `largest`, `value` of a measure; without a find, which is allowed for the
    number of generations only: no number of generations has a solution."""

    kind = "best"
    goals: ClassVar[frozenset[type[Goal]]] = frozenset({Optimise})
    measure: str = ""
    largest: bool = False
    value: int = 0

    def __post_init__(self) -> None:
        if self.measure not in ("", GENERATIONS):
            # What is measured is what generation 0 becomes, also where the target says that it may become anything.
            seen = self.problem.seen(times(self.problem, self.measure), f"the measure {self.measure}")
            object.__setattr__(self, "problem", seen)
        super().__post_init__()
        if self.beyond and (self.largest or not self.measure.startswith("cells")):
            raise InputError("beyond its box a certificate is about the fewest live cells, or that there is no pattern")

    @classmethod
    def wanted(cls, ask: Ask, problem: Problem) -> ClaimBest:
        goal, beyond = ask.goal, ask.question.place is Place.AROUND
        assert isinstance(goal, Optimise)
        if str(goal.measure) != GENERATIONS:
            times(problem, str(goal.measure))
        return cls(problem, beyond=beyond, measure=str(goal.measure), largest=goal.largest)

    @classmethod
    def supported(cls, ask: Ask, answer: Answer, finds: Sequence[Outcome]) -> Claim | None:
        assert isinstance(answer, Best)
        assert isinstance(ask.goal, Optimise)
        beyond, measure, outcome = ask.question.place is Place.AROUND, str(ask.goal.measure), answer.outcome
        problem = outcome.problem if beyond else ask.problem
        if beyond and outcome.status == NONE:
            return ClaimNone(problem, beyond=True)
        nothing = outcome.status == NONE and measure == GENERATIONS
        if nothing or (answer.proved and answer.value is not None):
            found = (outcome.find,) if outcome else ()
            return cls(problem, found, beyond, measure, ask.goal.largest, answer.value or 0)
        return None

    def fields(self) -> dict[str, object]:
        return {"measure": self.measure, "largest": self.largest, "value": self.value, **super().fields()}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        value = data.get("value", 0)
        if type(value) is not int:
            raise InputError("the certificate's value is damaged")
        own = {"measure": str(data.get("measure", "")), "largest": data.get("largest") is True, "value": value}
        return {**super().read(data), **own}

    @property
    def is_empty(self) -> bool:
        """Whether the claim is that no number of generations has a solution."""
        return self.measure == GENERATIONS and self.value == 0

    def answered(self) -> Problem:
        if self.measure == GENERATIONS and not self.is_empty:
            return relation.stretched(self.problem, self.value)
        return self.problem

    def check_finds(self) -> None:
        if len(self.finds) != (not self.is_empty):
            raise verify.Refuted(f"{len(self.finds)} finds are not what the claim needs")
        super().check_finds()
        if self.finds and (value := measured(self.answered(), self.measure, self.finds[0].phases)) != self.value:
            raise verify.Refuted(f"the value of the find is {value}, not {self.value}")

    @cached_property
    def refutations(self) -> list[Problem]:
        if self.measure == GENERATIONS:
            return self._of_other_generations()
        problem, value = self.refuted, self.value
        if self.largest:
            return [bounded(problem, *(Bound(value + 1, None, t) for t in times(problem, self.measure)))]
        below = (Bound(None, value - 1, t) for t in times(problem, self.measure)) if value > 0 else ()
        return [bounded(problem, bound) for bound in below]

    def _of_other_generations(self) -> list[Problem]:
        """The problem with each number of generations that would be better."""
        problem, value = self.problem, self.value
        if self.largest:
            first = next(relation.longer(problem))  # refuses what has no largest number
            if 0 < value < problem.generations:
                raise InputError(f"{value} generations are fewer than the {problem.generations} that were asked for")
            return [relation.stretched(problem, value + 1) if value else first]
        if value > problem.generations:
            raise InputError(f"{value} generations are more than the {problem.generations} that were asked for")
        return [p for p in relation.shorter(problem) if not value or p.generations < value]

    def opening(self) -> list[str]:
        oscillates = self.problem.periodic and self.problem.displacement == (0, 0) and self.problem.generations > 1
        at_least = ", which is 2 at least" if oscillates and not self.largest else ""
        if self.is_empty:
            count = f"{self.problem.generations} or {'more' if self.largest else 'fewer'}"
            return [f"There is no pattern with these properties, but for {count} generations{at_least}:"]
        what = f"The {'largest' if self.largest else 'smallest'} number of {meaning(self.measure)} is {self.value}"
        what += ", among all patterns with these properties"
        if self.measure == GENERATIONS:
            return [what, f"(but for the number of generations itself{at_least}):"]
        if self.beyond:
            return [what, "(but for the size of the box, in this box or any larger one around it):"]
        return [f"{what}:"]


@dataclass(frozen=True)
class ClaimSmallest(Claim):
    """The find lies in the smallest box, by area, that has a solution, among the boxes up to the problem's own; without
    a find: none of these boxes has a solution."""

    kind = "smallest"
    goals: ClassVar[frozenset[type[Goal]]] = frozenset({SmallestBox})
    box: Size = (0, 0)

    def __post_init__(self) -> None:
        super().__post_init__()
        relation.must_shrink(self.problem)
        if self.problem.width * self.problem.height > LARGEST_AREA:
            raise LimitError(f"a certificate for the smallest box covers boxes of up to {LARGEST_AREA} cells")

    @classmethod
    def supported(cls, ask: Ask, answer: Answer, finds: Sequence[Outcome]) -> Claim | None:
        assert isinstance(answer, Smallest)
        outcome = answer.outcome
        if not answer.certain:
            return None
        return cls(ask.problem, (outcome.find,), outcome.problem.size) if outcome else cls(ask.problem)

    def fields(self) -> dict[str, object]:
        return {"box": list(self.box)}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        box = data.get("box", [0, 0])
        if not isinstance(box, list) or [type(side) for side in box] != [int, int]:
            raise InputError("the certificate's box is damaged")
        return {"box": (box[0], box[1])}

    @property
    def is_empty(self) -> bool:
        """Whether the claim is that no box has a solution."""
        return self.box == (0, 0)

    def answered(self) -> Problem:
        return self.problem if self.is_empty else replace(self.problem, width=self.box[0], height=self.box[1])

    def check_finds(self) -> None:
        if len(self.finds) != (not self.is_empty):
            raise verify.Refuted(f"{len(self.finds)} finds are not what the claim needs")
        super().check_finds()

    @cached_property
    def refutations(self) -> list[Problem]:
        boxes = list(relation.boxes(self.problem))
        if self.is_empty:
            return boxes
        sizes = [problem.size for problem in boxes]
        if self.box not in sizes:
            raise InputError(f"{words(self.box)} is not one of the boxes that were searched")
        return boxes[: sizes.index(self.box)]

    def opening(self) -> list[str]:
        largest = words(self.problem.size)
        if self.is_empty:
            return [f"No box up to {largest} has a pattern with these properties (said for the largest):"]
        return [
            f"The smallest box with such a pattern is {words(self.box)}: of all boxes up to {largest} none of",
            "smaller area has one, nor any of the same area that comes before it in the list of the parts.",
            "(Where rotation changes nothing in the question, a box and the turned box count as one.)",
            "The properties, in the largest box:",
        ]


def times(problem: Problem, measure: str) -> list[int]:
    """The generations whose populations a measure takes into account."""
    if measure == "phase":
        return list(range(problem.last + 1))
    kind, _, time = measure.partition("@")
    if kind != "cells" or len(time) > 6 or not (time or "0").isdecimal() or int(time or 0) > problem.last:
        raise InputError(
            f"there are certificates for the measures cells, cells@T, phase and generations, not {measure!r}"
        )
    return [int(time or 0)]


def measured(problem: Problem, measure: str, phases: Sequence[Cells]) -> int:
    if measure == GENERATIONS:
        return problem.generations
    return min(int((phases[t] == 1).sum()) for t in times(problem, measure))


def meaning(measure: str) -> str:
    if measure == GENERATIONS:
        return "generations"
    if measure == "phase":
        return "live cells in the generation with the fewest"
    return f"live cells in generation {measure.partition('@')[2] or 0}"
