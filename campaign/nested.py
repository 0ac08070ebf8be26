"""Questions with and without the smaller ones inside them: both must come to the same answer.

The whole question is searched by itself; then the smaller ones alone, which may find and never refute; then both.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from bench.loose import drawn

from campaign.attempt import Attempt
from campaign.random_questions import random_question
from campaign.searches import budget
from satlife.errors import InputError, Refusal
from satlife.problem import verify
from satlife.problem.ask import Ask
from satlife.problem.outcome import FOUND, NONE, Outcome
from satlife.problem.problem import Problem
from satlife.search.one import climb, one
from satlife.search.race import finish

SECONDS = 3.0  # for the whole question
PARTS = 0.5  # for the smaller ones


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """A small question of any kind, and now and then a larger one of those that people ask."""
    try:
        problem = drawn(rng) if rng.random() < 0.2 else random_question(rng)[0]
    except InputError:
        return
    try:
        yield Attempt(problem.to_json(), compared(problem))
    except Refusal:
        return


def compared(problem: Problem) -> str:
    """What is wrong with the answers; "" if nothing is."""
    whole = finish(one(Ask(problem), budget(SECONDS), nested=False))
    part = finish(climb(Ask(problem), budget(), PARTS))
    both = finish(one(Ask(problem), budget(SECONDS)))
    for found in (whole, part, both):
        if found is not None and (wrong := objection(problem, found)):
            return wrong
    if part is not None and whole.status == NONE:
        return "a smaller question has an answer, and the whole has none"
    if {whole.status, both.status} == {FOUND, NONE}:
        return f"{whole.status} alone, and {both.status} beside smaller questions"
    return ""


def objection(problem: Problem, outcome: Outcome) -> str:
    """What is wrong with a find; "" if nothing is."""
    try:
        if outcome:
            outcome.find.check(problem)
    except verify.Refuted as error:
        return f"a find that is none: {error}"
    return ""
