"""A question of the campaign with all its answers, and what several ways to ask it have in common."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from campaign.brute_force import Answer, BruteForce, phases_of
from satlife.problem.problem import Problem

SECONDS = 120.0  # time limit of each way
MAX_LISTED = 300  # answers in slow ways to list them


@dataclass(frozen=True)
class Case:
    """A question and all its answers."""

    problem: Problem
    brute: BruteForce
    answers: set[Answer]
    rng: random.Random
    folder: Path

    @property
    def status(self) -> str:
        return "found" if self.answers else "none"

    def objection(self, status: str, phases: Sequence[Any] = (), reason: str = "") -> str:
        """What is wrong with the outcome of a search for one answer."""
        if status != self.status:
            return f"{status} {reason} instead of {self.status} ({len(self.answers)} answers)"
        if status == "found" and self.brute.key(phases_of(phases)) not in self.answers:
            return f"what was found is no answer: {phases_of(phases)}"
        return ""


def differ(what: str, is_now: object, should_be: object) -> str:
    return "" if is_now == should_be else f"{what}: {is_now} instead of {should_be}"


def problem_file(q: Case) -> Path:
    style = q.rng.choice(["toml", "json"])
    path = q.folder / f"question.{style}"
    path.write_text(q.problem.to_toml() if style == "toml" else q.problem.to_json())
    return path
