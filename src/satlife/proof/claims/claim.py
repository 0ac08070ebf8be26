"""Claim: what a certificate asserts, in words, as data, and as the problems that must have no solution if it is true.

Nothing here depends on how a pattern was found or a problem refuted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

from satlife.errors import InputError
from satlife.life.pattern import Cells, Pattern
from satlife.problem import orbits, verify
from satlife.problem.answers import Answer
from satlife.problem.ask import Ask
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goals import Goal
from satlife.problem.meaning import properties
from satlife.problem.outcome import Find, Outcome
from satlife.problem.problem import Problem
from satlife.proof.plain import EXPRESSIBLE
from satlife.proof.reaction import must_be_expressible
from satlife.records import dataclass

HOW = [
    "Every refuted question was written as clauses that say exactly the sentences above, with the bound or",
    "the smaller box where one is mentioned, and nothing more: no symmetry was broken, no direction of the",
    "search was favoured.  The proofs show that these clauses contradict each other.",
]


@dataclass(frozen=True)
class Claim(ABC):
    """A claim about a problem, with the finds that it needs."""

    kind: ClassVar[str]
    goals: ClassVar[frozenset[type[Goal]]] = frozenset()  # whose answers it certifies
    any_centre: ClassVar[bool] = False  # whether it may be about symmetries wherever their centre lies

    problem: Problem
    finds: tuple[Find, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what no certificate can express."""
        for condition in self.problem.conditions:
            if condition.name not in EXPRESSIBLE:
                raise InputError(f"a certificate cannot express {condition.shown}: there are no clauses for that")
        if self.problem.multiples:
            raise InputError("a certificate is about one period, not about its multiples")
        if not self.problem.centred and not self.any_centre:
            raise InputError("such a certificate is about patterns in the middle of the box; add --centred")
        if asked := self.problem.get(Catalyst):
            must_be_expressible(asked)

    # From an ask and its answer.
    @classmethod
    def wanted(cls, ask: Ask, problem: Problem) -> Self:
        """The claim that an ask leads to, as far as it is known before the search; it refuses what it cannot say."""
        return cls(problem)

    @classmethod
    def supported(cls, ask: Ask, answer: Answer, finds: Sequence[Outcome]) -> Claim | None:
        """What an answer supports, of a list with its `finds`; None if that is no more than the find that it has, or
        that there is none.  An InputError says why it supports nothing."""
        return None

    # As data.
    def fields(self) -> dict[str, object]:
        """The fields of the JSON form that belong to claims of this kind."""
        return {}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """These fields from the JSON form; an InputError says what is wrong with it."""
        return {}

    def to_dict(self) -> dict[str, object]:
        """The JSON form, without the finds, which may be many."""
        return {"kind": self.kind, "problem": self.problem.to_dict(), "finds": len(self.finds), **self.fields()}

    # As problems.
    def answered(self) -> Problem:
        """The problem that the finds are solutions of."""
        return self.problem

    @property
    @abstractmethod
    def refutations(self) -> list[Problem]:
        """The problems that must have no solution, but for what is `blocked`."""

    def blocked(self) -> Iterator[tuple[Cells, ...]]:
        """What the formula excludes, such as known solutions."""
        yield from ()

    def check_finds(self) -> None:
        """Simulate every find; raises `verify.Refuted` or InputError unless they are as claimed."""
        problem, seen = self.answered(), set()
        for find in self.finds:
            find.check(problem)
            seen.add(self.identity(problem, find))
        if len(seen) < len(self.finds):
            raise verify.Refuted("a find is listed twice")

    def identity(self, problem: Problem, find: Find) -> object:
        """What tells a find from the others."""
        return orbits.identity(problem, find.phases)

    # In words.
    def statement(self, follows: Sequence[str] = ()) -> str:
        """The claim in words, and in the end what it is shown by: proofs, or that it `follows` from other claims.

        Certificates contain this text, so that it must not change within a version."""
        lines = [*self.opening(), "", *properties(self.problem), "", *self.explanation(), *self.shown_finds()]
        if follows:
            return "\n".join([*lines, *follows]) + "\n"
        if self.refutations:
            lines += [*self.window(), *HOW]
        else:
            lines += ["Nothing is claimed about other patterns."]
        return "\n".join(lines) + "\n"

    @abstractmethod
    def opening(self) -> list[str]:
        """The claim; the properties that it speaks of come after it."""

    def explanation(self) -> list[str]:
        """What else is claimed, below the properties."""
        return []

    def shown_finds(self) -> list[str]:
        """The first find."""
        if not self.finds:
            return []
        first = self.finds[0]
        pattern = Pattern(first.phases[0], rule=first.rule or self.problem.rule)
        which = "The pattern" if len(self.finds) == 1 else "The first of them"
        return [f"{which}, generation 0:", "", pattern.to_rle().rstrip(), ""]

    def window(self) -> list[str]:
        """What was refuted, if that is not the problem itself."""
        return []

    @property
    def headline(self) -> str:
        """The claim in a sentence; the properties that it speaks of are in the statement."""
        return " ".join(self.opening()).partition(". ")[0].rstrip(".:")
