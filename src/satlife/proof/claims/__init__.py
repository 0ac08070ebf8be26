"""The claims of certificates, by their kinds: every class in a module of this folder, found as conditions are.

A goal whose answers can be certified is named by one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from satlife.errors import InputError
from satlife.problem.goals import Goal
from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.proof.claims.claim import Claim
from satlife.records import found_in

CLAIMS: dict[str, type[Claim]] = found_in(__name__, Claim, "kind")  # type: ignore[type-abstract]
BY_GOAL: dict[type[Goal], type[Claim]] = {goal: claim for claim in CLAIMS.values() for goal in claim.goals}


def claim_from(data: object, finds: Sequence[object]) -> Claim:
    """A claim from its JSON form; an InputError says what is wrong with it."""
    if not isinstance(data, Mapping) or data.get("kind") not in [*CLAIMS]:
        raise InputError(f"the kind of the claim should be one of {', '.join(CLAIMS)}")
    kind = CLAIMS[data["kind"]]
    own: dict[str, Any] = kind.read(data)
    claim = kind(Problem.from_dict(data.get("problem", {})), **own)
    return replace(claim, finds=tuple(Find.from_dict(find, claim.answered()) for find in finds))


__all__ = ["BY_GOAL", "CLAIMS", "Claim", "claim_from"]
