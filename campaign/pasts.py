"""Pasts of patterns in files: how few and how many generations back one can be traced, by sets of patterns.

The patterns of the box that become the target in exactly n generations, without leaving the box, are the parents of
those that do in n - 1.  If these sets begin to repeat themselves, the target can be traced back for ever.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from campaign.attempt import Attempt
from campaign.automaton import Box, law
from campaign.case import differ
from campaign.certificates import certificate_objection
from campaign.drawings import Rows, draw
from campaign.random_questions import plain_rule
from campaign.shell import run_satlife
from satlife.life.rule import Rule

Phase = tuple[int, ...]
SIZES = [(w, h, m) for w in range(1, 5) for h in range(1, 5) for m in (0, 1) if 2 <= (w + 2 * m) * (h + 2 * m) <= 12]
ENDLESS = -1
CERTIFIED = 0.5


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """A pattern, often one that has a past, and its longest or shortest past."""
    rule = plain_rule(rng) if rng.random() < 0.8 else Rule.parse("B3/S23")
    width, height, margin = rng.choice(SIZES)
    followers = successors(rule, width + 2 * margin, height + 2 * margin)
    cells = rng.choice(sorted(set(followers.values()))) if rng.random() < 0.8 else rng.choice(sorted(followers))
    inner = [cells[y * (width + 2 * margin) :][: width + 2 * margin] for y in range(height + 2 * margin)]
    unknown = rng.choice([0.0, 0.0, 0.2])
    rows = tuple(
        "".join("?" if rng.random() < unknown else ".O"[inner[y + margin][x + margin]] for x in range(width))
        for y in range(height)
    )
    drawing = draw(rng, rows, rule.name, ("rle", "cells"))
    file = folder / "pattern"
    file.write_text(drawing.text)
    largest, count = rng.random() < 0.6, rng.choice([1, 1, 2, 3])
    line = ["predecessor", str(file), "-r", rule.name, "-g", str(count), "--margin", str(margin)]
    line += ["--maximize" if largest else "--minimize", "--measure", "generations", "--json", "-q"]
    proof = folder / "proof" if rng.random() < CERTIFIED else None
    result = run_satlife(line + (["--proof", str(proof)] if proof else []))
    what = f"past: {' '.join(line)} of {' / '.join(rows)}"
    if result.crash or result.message:
        yield Attempt(what, result.crash or result.message)
        return
    expected = longest(followers, rows, margin, count)
    if not largest:  # a past of several generations contains one of a single generation
        expected = 1 if longest(followers, rows, margin, 1) else None
    shown = result.lines[-1]
    wrong = differ("exit code", result.code, 20 if expected is None else 0)
    if not wrong and expected == ENDLESS:
        wrong = "" if shown["optimal"] is False else f"{shown['value']} is called the largest, but there is none"
    elif not wrong:
        wrong = differ("value", shown["value"], expected) or certificate_objection(proof)
    yield Attempt(what, wrong)


def successors(rule: Rule, width: int, height: int) -> dict[Phase, Phase]:
    """Every pattern of a box whose next generation lies in it, too, and that generation."""
    box = Box(width, height, (False, False), law(rule.name, rule.table, rule.states))
    found = {}
    for number in range(2 ** (width * height)):
        cells = tuple(number >> bit & 1 for bit in range(width * height))
        [(frame, _)] = box.step(cells, 0, {})
        if not any(state for place, state in frame.items() if place not in box.inside):
            found[cells] = tuple(state for place, state in frame.items() if place in box.inside)
    return found


def _ancestors(followers: dict[Phase, Phase], rows: Rows, margin: int) -> Iterator[frozenset[Phase]]:
    """The patterns that become the target in 1, 2, 3, ... generations."""
    width = len(rows[0]) + 2 * margin
    known = {
        (y + margin) * width + x + margin: cell == "O"
        for y, row in enumerate(rows)
        for x, cell in enumerate(row)
        if cell != "?"
    }
    unknown = {(y + margin) * width + x + margin for y, row in enumerate(rows) for x in range(len(row))} - known.keys()

    def is_target(cells: Phase) -> bool:
        return all(bool(state) == known.get(n, False) or n in unknown for n, state in enumerate(cells))

    past = frozenset(cells for cells, after in followers.items() if is_target(after))
    while True:
        yield past
        past = frozenset(cells for cells, after in followers.items() if after in past)


def longest(followers: dict[Phase, Phase], rows: Rows, margin: int, at_least: int) -> int | None:
    """The largest number of generations, ENDLESS if there is none, None if the target has no past that long."""
    seen = set()
    for count, past in enumerate(_ancestors(followers, rows, margin), 1):
        if not past:
            return count - 1 if count > at_least else None
        if past in seen:
            return ENDLESS
        seen.add(past)
    raise AssertionError("pasts never end")
