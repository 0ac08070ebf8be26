"""The claim that a list has every pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from satlife.errors import InputError
from satlife.life.pattern import Cells
from satlife.problem import orbits
from satlife.problem.answers import Answer, Listed
from satlife.problem.ask import Ask
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goals import CountAll, Goal, ListAll
from satlife.problem.outcome import Find, Outcome
from satlife.problem.problem import Problem
from satlife.proof.claims.claim import Claim
from satlife.proof.claims.find import ClaimFound, ClaimNone
from satlife.records import dataclass


@dataclass(frozen=True)
class ClaimAll(Claim):
    """The finds are all solutions; with `distinct`, one of each orbit (see `orbits`)."""

    kind = "all"
    goals: ClassVar[frozenset[type[Goal]]] = frozenset({ListAll, CountAll})
    distinct: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.problem.get(Catalyst):
            raise InputError(
                "a certificate of a list has every solution, and of catalysts one of each perturbation is listed"
            )
        if self.distinct and self.problem.rule.is_partial:
            raise InputError(
                "in a partial rule there are certificates for complete lists, but not for one of each orbit"
            )

    @classmethod
    def wanted(cls, ask: Ask, problem: Problem) -> ClaimAll:
        if isinstance(ask.goal, CountAll) and ask.goal.by_population:
            raise InputError("counts by population have no certificate")
        return cls(problem, distinct=isinstance(ask.goal, ListAll) and ask.goal.distinct)

    @classmethod
    def supported(cls, ask: Ask, answer: Answer, finds: Sequence[Outcome]) -> Claim:
        assert isinstance(answer, Listed)
        wanted, found = cls.wanted(ask, ask.problem), tuple(outcome.find for outcome in finds)
        if answer.complete:
            return cls(ask.problem, found, wanted.distinct) if found else ClaimNone(ask.problem)
        if not found:
            raise InputError("nothing was found")
        return ClaimFound(ask.problem, found)

    def fields(self) -> dict[str, object]:
        return {"distinct": self.distinct}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        return {"distinct": data.get("distinct") is True}

    @property
    def refutations(self) -> list[Problem]:
        return [self.problem]

    def blocked(self) -> Iterator[tuple[Cells, ...]]:
        for find in self.finds:
            if self.distinct:
                yield from orbits.images(self.problem, find.phases)
            else:
                yield orbits.telling(self.problem, find.phases)

    def identity(self, problem: Problem, find: Find) -> object:
        return (orbits.canonical if self.distinct else orbits.identity)(problem, find.phases)

    def opening(self) -> list[str]:
        same, many = orbits.words(self.problem) if self.distinct else "", len(self.finds)
        up_to = f", up to {same}," if same else ""
        counted = "is exactly 1 pattern" if many == 1 else f"are exactly {many} patterns"
        return [f"There {counted}{up_to} with these properties:"]

    def explanation(self) -> list[str]:
        return [orbits.identity_words(self.problem), ""]
