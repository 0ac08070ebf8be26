"""Certificates that no pattern has a symmetry, wherever its centre lies: one for each box in whose middle it may lie,
and the one that rests on them."""

from __future__ import annotations

from pathlib import Path

from satlife.engines.events import Hearing
from satlife.engines.options import Options
from satlife.problem.boxes import words
from satlife.problem.outcome import Certificate
from satlife.problem.problem import Problem
from satlife.proof import certify as certificates
from satlife.proof.claims.find import ClaimNone
from satlife.proof.inference import InferenceRule


def certify(problem: Problem, target: Path, options: Options, hear: Hearing) -> Certificate:
    """Certify that a question has no solution about any centre, before the deadline of the options."""
    claims = {words(part.size): ClaimNone(part) for part in problem.by_centre}
    return certificates.rested(target, claims, ClaimNone(problem), InferenceRule.CENTRES, options, hear)
