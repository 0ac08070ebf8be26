"""Whether the claim of a certificate is true, by brute force."""

from __future__ import annotations

from dataclasses import replace

from campaign.brute_force import (
    BruteForce,
    best,
    fewest_generations,
    measured,
    phases_of,
    smallest_area,
    with_generations,
)
from satlife.proof.claims.best import ClaimBest, ClaimSmallest
from satlife.proof.claims.claim import Claim
from satlife.proof.claims.find import ClaimFound, ClaimNone
from satlife.proof.claims.lists import ClaimAll


def is_true(claim: Claim) -> bool:
    """Decide a claim about a small question, for measures that count cells or generations."""
    problem = claim.problem
    if isinstance(claim, ClaimSmallest):
        return _is_smallest(claim)
    if isinstance(claim, ClaimBest) and claim.measure == "generations":
        return _is_shortest_or_longest(claim)
    brute = BruteForce(problem)
    answers = brute.answers()
    keys = [brute.key(phases_of(find.phases)) for find in claim.finds]
    if not set(keys) <= answers:
        return False
    if isinstance(claim, ClaimFound):
        return bool(keys) and len(set(keys)) == len(keys)
    if isinstance(claim, ClaimNone):
        return not answers and not keys
    if isinstance(claim, ClaimAll) and claim.distinct:
        orbits = [brute.orbit(key) for key in keys]
        return len(set(orbits)) == len(orbits) and set(orbits) == {brute.orbit(answer) for answer in answers}
    if isinstance(claim, ClaimAll):
        return len(set(keys)) == len(keys) and set(keys) == answers
    assert isinstance(claim, ClaimBest)
    values = {measured(phases_of(find.phases), claim.measure, problem) for find in claim.finds}
    return values == {claim.value} == {best(brute.whole, claim.measure, claim.largest, problem)} and len(keys) == 1


def _is_smallest(claim: ClaimSmallest) -> bool:
    problem, (width, height) = claim.problem, claim.box
    area = smallest_area(problem)
    if area is None or claim.box == (0, 0):
        return area is None and claim.box == (0, 0) and not claim.finds
    if width * height != area or len(claim.finds) != 1 or width > problem.width or height > problem.height:
        return False
    inner = BruteForce(replace(problem, width=width, height=height))
    return inner.key(phases_of(claim.finds[0].phases)) in inner.answers()


def _is_shortest_or_longest(claim: ClaimBest) -> bool:
    """Of a longest past, the last generations are one, too: so none is longer if none is longer by one."""
    problem, value = claim.problem, claim.value
    if not claim.largest and (fewest_generations(problem) or 0) != value:
        return False
    if claim.largest:
        longer = with_generations(problem, value + 1 if value else problem.generations)
        if 0 < value < problem.generations or longer is None or BruteForce(longer).answers():
            return False
    if value == 0:
        return not claim.finds
    inner = with_generations(problem, value)
    if inner is None or len(claim.finds) != 1:
        return False
    brute = BruteForce(inner)
    return brute.key(phases_of(claim.finds[0].phases)) in brute.answers()
