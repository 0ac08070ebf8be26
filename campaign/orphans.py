"""Orphans: patterns in files, with unknown cells, against all ways to fill the box around them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from campaign.attempt import Attempt
from campaign.automaton import law
from campaign.batch import Patterns, every_filling, next_generation
from campaign.drawings import Rows, draw
from campaign.random_questions import plain_rule
from campaign.shell import run_satlife
from satlife.life.rule import Rule
from satlife.problem.problem import Problem
from satlife.search.library import enumerate_all

SIZES = [(1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (2, 2), (2, 2), (4, 1), (3, 2), (2, 3)]
MAX_LISTED = 1500
CERTIFIED = 0.3


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One pattern: is it an orphan, how many parents has it, and which."""
    rule = plain_rule(rng) if rng.random() < 0.9 else Rule.parse("B3/S23")
    width, height = rng.choice(SIZES)
    rows = tuple("".join(rng.choices(".O?", (3, 4, 1))[0] for _ in range(width)) for _ in range(height))
    drawing = draw(rng, rows, rule.name, ("rle", "cells"))
    file = folder / "pattern"
    file.write_text(drawing.text)
    line = ["orphan", str(file), *(["-r", rule.name] if rng.random() < 0.5 else [])]
    expected = parents(rows, rule)
    what = f"orphan: {' / '.join(rows)} in {rule} as {drawing.style}"
    yield Attempt(f"{what}, one", answer_objection(rng, line, expected, folder))
    yield Attempt(f"{what}, counted", count_objection(line, expected))
    if 0 < len(expected) <= MAX_LISTED:
        yield Attempt(f"{what}, listed", listing_objection(line, expected))


def parents(rows: Rows, rule: Rule) -> Patterns:
    """The fillings of the box, one cell larger on each side, whose next generation has the pattern in its middle."""
    width, height = len(rows[0]) + 2, len(rows) + 2
    fillings = every_filling(width, height, [(x, y) for y in range(height) for x in range(width)])
    later = next_generation(fillings, law(rule.name, rule.table, rule.states))
    fit = np.ones(len(fillings), bool)
    for y, row in enumerate(rows, 1):
        for x, cell in enumerate(row, 1):
            if cell != "?":
                fit &= later[:, y, x] == (cell == "O")
    return fillings[fit]


def answer_objection(rng: random.Random, line: list[str], expected: Patterns, folder: Path) -> str:
    """The status and exit code of the command; now and then with a certificate, which is checked."""
    proof = ["--proof", str(folder / "proof")] if rng.random() < CERTIFIED else []
    result = run_satlife([*line, "--json", "-q", *proof])
    if result.crash or result.message:
        return result.crash or result.message
    if result.lines[-1]["status"] != ("found" if len(expected) else "none") or result.code != (
        0 if len(expected) else 20
    ):
        return f"{result.lines[-1]['status']}, exit code {result.code}; there are {len(expected)}"
    checked = run_satlife(["verify", proof[1]]) if proof else None
    return f"its certificate: {checked.crash or checked.message}" if checked and checked.code else ""


def count_objection(line: list[str], expected: Patterns) -> str:
    result = run_satlife([*line, "--count-only", "--json", "-q"])
    if result.crash or result.message:
        return result.crash or result.message
    count = result.lines[-1]["count"]
    return "" if count == len(expected) else f"{count} instead of {len(expected)}"


def listing_objection(line: list[str], expected: Patterns) -> str:
    """The question that the command asks has exactly these answers."""
    asked = run_satlife([*line, "--print-problem", "--json"])
    if asked.crash or asked.message:
        return asked.crash or asked.message
    listing = enumerate_all(Problem.from_dict(asked.lines[0]))
    found = [tuple(map(int, outcome.phases[0].ravel())) for outcome in listing]
    if len(found) != len(set(found)) or not listing.complete:
        return "it lists some twice, or not all"
    wrong = set(found) ^ {tuple(map(int, filling.ravel())) for filling in expected}
    return f"{len(found)} listed, {len(expected)} by brute force; one of the difference: {min(wrong)}" if wrong else ""
