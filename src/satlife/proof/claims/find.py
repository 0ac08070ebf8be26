"""The claims about one pattern: that there is one, and that there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from satlife.errors import InputError
from satlife.problem import verify
from satlife.problem.completion import must_be_completable, opened
from satlife.problem.goals import FindOne, Goal
from satlife.problem.problem import Problem
from satlife.proof.claims.claim import Claim
from satlife.records import dataclass

WINDOW = [
    "(A larger box of a symmetric pattern has the same centre.)  What was refuted is the question about a window: the",
    "cells of this box with all that is said of them above, but for its border, on which unknown cells outside act, so",
    "that it need not follow the rule.  Every pattern in a larger box fills the window, too, with no more live cells.",
    "",
]


@dataclass(frozen=True)
class ClaimFound(Claim):
    """The finds are solutions."""

    kind = "found"

    @property
    def refutations(self) -> list[Problem]:
        return []

    def check_finds(self) -> None:
        if not self.finds:
            raise verify.Refuted("there is no find")
        super().check_finds()

    def opening(self) -> list[str]:
        return [f"There is a pattern with these properties ({len(self.finds)} given):"]


@dataclass(frozen=True)
class BeyondClaim(Claim):
    """A claim that may hold `beyond` its box: for patterns in it or in any larger box around it."""

    beyond: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beyond:
            must_be_completable(self.problem)

    def fields(self) -> dict[str, object]:
        return {"beyond": True} if self.beyond else {}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        return {"beyond": data.get("beyond") is True}

    @property
    def refuted(self) -> Problem:
        """The problem that has no solution: a window of a larger box, if it is about these, too."""
        return opened(self.problem) if self.beyond else self.problem

    def window(self) -> list[str]:
        return WINDOW if self.beyond else []


@dataclass(frozen=True)
class ClaimNone(BeyondClaim):
    """There is no solution."""

    kind = "none"
    any_centre = True
    goals: ClassVar[frozenset[type[Goal]]] = frozenset({FindOne})

    @property
    def refutations(self) -> list[Problem]:
        return [self.refuted]

    def check_finds(self) -> None:
        if self.finds:
            raise verify.Refuted("there should be no find")

    def opening(self) -> list[str]:
        where = ", but for the size of the box, in this box or any larger one around it" if self.beyond else ""
        return [f"There is no pattern with these properties{where}:"]


def is_none(claim: Claim) -> bool:
    """Whether it says of this box alone that there is no pattern."""
    return isinstance(claim, ClaimNone) and not claim.beyond


def must_be_none(claim: Claim) -> Problem:
    """The problem of which it is claimed that it has no solution."""
    if not is_none(claim):
        raise InputError(f"the rule is about claims that there is no pattern, not about those of kind `{claim.kind}`")
    return claim.problem
