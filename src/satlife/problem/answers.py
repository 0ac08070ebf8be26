"""Answers to goals other than finding one: a list, a number, the best, the smallest box.

One find is an Outcome, an atlas a Chart, and answers about the past are in `pasts`."""

from __future__ import annotations

import os
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from satlife.errors import counted
from satlife.life.pattern import Pattern
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Certificate, Outcome, Status, TableRow
from satlife.problem.question import Question
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.problem.chart import Chart
    from satlife.problem.pasts import Core, Forced


class End(Enum):
    """How a listing ended."""

    RUNNING = "it has not ended"
    COMPLETE = "every answer was listed"
    ENOUGH = "as many as wanted were listed"
    UNDECIDED = "it is not known whether there are more"


ORBIT, PERTURBATION = "orbit", "perturbation"  # what a list may have one of each of


@dataclass(frozen=True)
class Listed:
    """How many solutions were listed, and whether these are all."""

    question: Question
    raw: int = 0  # solutions, each position in the box counted
    distinct: int = 0  # solutions up to rotation, reflection, translation and phase
    end: End = End.RUNNING
    exhaustive: bool = False  # complete by exhaustive search, not by the word of a solver
    reason: str = ""
    seconds: float = 0.0
    solver: str = ""  # of the last find
    strategy: str = ""
    each: str = ""  # what one solution was listed of each of, such as an orbit; "": every solution was
    before: int = 0  # how many were listed by the search from which this one goes on
    proof: Certificate | None = None

    @property
    def complete(self) -> bool:
        """Whether every solution was listed, or one of each."""
        return self.end is End.COMPLETE

    @property
    def status(self) -> Status:
        if self.raw or self.before:
            return FOUND
        return NONE if self.complete else UNKNOWN

    @property
    def words(self) -> str:
        """Whether the list is complete, and by which authority."""
        if not self.complete:
            return f"not complete ({self.reason})"
        words = "complete by exhaustive search" if self.exhaustive else "complete"
        return words + (f", with {counted(self.before, self.each or 'pattern')} listed before" if self.before else "")

    def summary(self) -> str:
        """How many were listed, in a sentence."""
        if self.status == NONE:
            return f"there is none: the list is {self.words}"
        how = "so far" if self.end is End.RUNNING else self.words
        if self.question.strip:
            return f"{counted(self.raw, self.question.noun)}; {how}"
        if self.each == PERTURBATION:
            return f"{counted(self.raw, self.each)}, one pattern of each; {how}"
        return f"{counted(self.raw, 'solution')}, {self.distinct:,} of them distinct; {how}"

    def counted(self) -> Count:
        """The number of solutions, from their list."""
        how = ("by listing", self.reason, self.seconds, self.distinct)
        return Count(self.question, self.raw + self.before, self.complete, *how, each=self.each)

    def to_dict(self) -> dict[str, object]:
        """The closing line of a listing: the fields of an outcome, without a pattern, and how many were listed."""
        out: dict[str, object] = {
            "status": self.status,
            "problem": self.question.to_dict(),
            "pattern": None,
            "count": self.raw,
            "distinct": self.distinct,
            "one_of_each": self.each or None,
            "complete": self.complete,
            "seconds": {"total": round(self.seconds, 3)},
            "solver": self.solver,
            "strategy": self.strategy,
            "reason": self.reason,
            "proof": self.proof.to_dict() if self.proof else None,
        }
        if self.before:
            out["before"] = self.before
        return {**out, "exhaustive": True} if self.exhaustive else out


@dataclass(frozen=True)
class Count:
    """A number of solutions: exact if `complete`, otherwise a lower bound, with the `reason`; and how it was found.

    Of catalysts it is the number of perturbations (`each`), since still lifes that perturb alike are not told apart."""

    question: Question
    value: int
    complete: bool
    how: str
    reason: str = ""
    seconds: float = 0.0
    distinct: int | None = None  # up to rotation, reflection, translation and phase, if they were enumerated
    by_population: tuple[int, ...] | None = None  # how many have 0, 1, 2, ... live cells, if requested
    each: str = ""  # what was counted instead of solutions
    proof: Certificate | None = None

    def __int__(self) -> int:
        """The number; a lower bound unless the count is complete."""
        return self.value

    def __repr__(self) -> str:
        number = counted(self.value, self.each) if self.each else self.value
        return f"<Count: {'' if self.complete else 'at least '}{number}, counted {self.how}>"

    @property
    def status(self) -> Status:
        if self.value:
            return FOUND
        return NONE if self.complete else UNKNOWN

    def to_dict(self) -> dict[str, object]:
        """The JSON form: that of the closing line of a listing."""
        out: dict[str, object] = {
            "status": self.status,
            "problem": self.question.to_dict(),
            "pattern": None,
            "count": self.value,
            "distinct": self.distinct or None,
            "one_of_each": self.each or None,
            "complete": self.complete,
            "seconds": {"total": round(self.seconds, 3)},
            "solver": "",
            "strategy": self.how,
            "reason": self.reason,
            "proof": self.proof.to_dict() if self.proof else None,
        }
        return out if self.by_population is None else {**out, "by_population": list(self.by_population)}


@dataclass(frozen=True)
class Best:
    """The best outcome so far, its value, and the bound, beyond which no value is possible."""

    outcome: Outcome
    value: int | None
    bound: int | None = None
    endless: str = ""  # why there is no largest value at all

    def __repr__(self) -> str:
        return f"<Best: {self.value}, {'proved' if self.proved else f'the bound is {self.bound}'}; {self.outcome}>"

    @property
    def pattern(self) -> Pattern | None:
        """Generation 0 of the best find."""
        return self.outcome.pattern

    @property
    def apgcode(self) -> str | None:
        return self.outcome.apgcode

    @property
    def status(self) -> Status:
        return self.outcome.status

    @property
    def proof(self) -> Certificate | None:
        return self.outcome.proof

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[np.generic]:
        """Generation 0 of the best find, as numpy asks for it."""
        return self.outcome.__array__(dtype, copy)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the best find into a file; see `Outcome.save`."""
        self.outcome.save(path)

    def row(self) -> TableRow:
        """The row of the outcome, with value and bound."""
        return {**self.outcome.row(), "value": self.value, "bound": self.bound, "proved": self.proved}

    @property
    def proved(self) -> bool:
        """Whether the value is proved to be optimal, or that there is no solution."""
        return self.outcome.status == NONE or (self.value is not None and self.value == self.bound)


@dataclass(frozen=True)
class Smallest:
    """The outcome in the first box, by area, that has a solution; `certain`: all smaller boxes were refuted."""

    outcome: Outcome
    certain: bool

    @property
    def proof(self) -> Certificate | None:
        return self.outcome.proof


Answer: TypeAlias = "Outcome | Listed | Count | Best | Smallest | Chart | Core | Forced"
A = TypeVar("A", bound=Answer)


def timed(answer: A, seconds: float) -> A:
    """An answer with the time that all of it took; what is known of single steps stays.

    >>> from satlife.problem.families import still_life
    >>> timed(Best(Outcome(still_life((3, 3)), UNKNOWN), None), 2.5).outcome.seconds
    {'total': 2.5}
    """
    changes: dict[str, Any] = {"seconds": seconds}
    if isinstance(answer, Outcome):
        changes = {"seconds": {**answer.seconds, "total": seconds}}
    elif isinstance(inner := getattr(answer, "outcome", None), Outcome):
        changes = {"outcome": timed(inner, seconds)}
    return replace(answer, **changes)


def with_proof(answer: A, proof: Certificate) -> A:
    """An answer with its certificate, or with the reason why there is none."""
    if isinstance(answer, Best | Smallest):
        return replace(answer, outcome=with_proof(answer.outcome, proof))
    return replace(answer, proof=proof)
