"""Generous questions: what is found in a tight box is asked for again in larger ones.

Random questions about ships, oscillators and still lifes, of several rules, are drawn with a seed; those that are
answered within a moment are made tight: the box becomes that of the find, with its symmetry.  Each is then asked in
boxes 1.5, 2 and 3 times as large, twice as large without its symmetry, and, for ships along an axis, in a strip of
any length.  A generous question holds if it takes at most three times as long as the tight one, and two seconds more.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import satlife
from bench.strategies import RULES, random_question
from bench.table import geometric_mean
from satlife.errors import InputError
from satlife.life.pattern import Cells, live_box
from satlife.problem.problem import Problem
from satlife.problem.question import Question

QUICK = 3.0  # seconds in which a question that is drawn must be answered
SIZES = (1.5, 2.0, 3.0)
#: Questions that people asked, each with room for a small pattern.
ASKED: dict[str, Question] = {
    "2c/4 20x20": satlife.spaceship((20, 20), 4, (0, -2)),
    "2c/4 40x33, to the right": satlife.spaceship((40, 33), 4, (2, 0)),
    "2c/4 12x*": satlife.open_spaceship(12, 4, (0, -2)),
    "c/3 30x20": satlife.spaceship((30, 20), 3, (0, -1)),
    "c/3 25x31": satlife.spaceship((25, 31), 3, (0, -1)),
    "c/3 16x*": satlife.open_spaceship(16, 3, (0, -1)),
    "c/3 24x* mirror": satlife.open_spaceship(24, 3, (0, -1), symmetry="D2v"),
    "2c/5 30x30": satlife.spaceship((30, 30), 5, (0, -2)),
    "2c/5 24x20": satlife.spaceship((24, 20), 5, (0, -2)),
    "c/4 40x30": satlife.spaceship((40, 30), 4, (0, -1)),
    "c/4 diagonal 20x20": satlife.spaceship((20, 20), 4, (1, 1)),
    "B36/S23 2c/4 26x26": satlife.spaceship((26, 26), 4, (0, -2), rule="B36/S23"),
    "B34/S34 c/3 21x25": satlife.spaceship((21, 25), 3, (0, -1), rule="B34/S34"),
    "p4 6x9": satlife.oscillator((6, 9), 4),
    "p4 8x7": satlife.oscillator((8, 7), 4),
    "p4 6x20": satlife.oscillator((6, 20), 4),
    "p3 20x14": satlife.oscillator((20, 14), 3),
    "p5 19x9": satlife.oscillator((19, 9), 5),
    "p5 25x25": satlife.oscillator((25, 25), 5),
    "B36/S125 p2 30x30": satlife.oscillator((30, 30), 2, rule="B36/S125"),
    "still life of 40 cells 25x25": satlife.still_life((25, 25), cells="40"),
}


def main(only: str = "", limit: float = 60.0, count: int = 40, seed: int = 2027) -> None:
    satlife.find(satlife.spaceship((4, 4), 4, (1, 1)))  # loads the kernels
    print(f"-- questions as people ask them: seconds, at most {limit:g}")
    for name, question in ASKED.items():
        if only in name:
            seconds, status = timed(question, limit)
            print(f"{name:32} {status:8} {seconds:7.2f}", flush=True)
    print("-- random tight questions, and how much longer the generous ones take")
    ratios: dict[str, list[float]] = {}
    held = asked = undecided = 0
    for name, problem in tight_questions(count, seed):
        if only not in name:
            continue
        base, _ = timed(problem, limit)
        shown = [f"{name:44} {base:6.2f}"]
        for form, question in generous(problem).items():
            seconds, status = timed(question, limit)
            asked += 1
            undecided += status == "unknown"
            held += status == "found" and seconds <= 3 * base + 2
            ratios.setdefault(form, []).append(seconds / base)
            shown.append(f"{form} {seconds:.2f}{'' if status == 'found' else '?'}")
        print("  ".join(shown), flush=True)
    for form, values in ratios.items():
        print(f"{form}: geometric mean {geometric_mean(values):.1f} times the tight question, worst {max(values):.0f}")
    if asked:
        print(f"within 3 times and 2 s: {held} of {asked} ({held / asked:.0%}); undecided: {undecided}")


def timed(question: Question, limit: float) -> tuple[float, str]:
    """The seconds that an answer takes in this process, and what it is."""
    began = time.monotonic()
    outcome = satlife.find(question, time=limit)
    return time.monotonic() - began, outcome.status


def tight_questions(count: int, seed: int) -> Iterator[tuple[str, Problem]]:
    """Random questions with an answer, in the smallest boxes that hold the first answer."""
    rng = random.Random(seed)
    found = 0
    while found < count:
        try:
            problem = drawn(rng)
        except InputError:  # the symmetry does not go with the period
            continue
        outcome = satlife.find(problem, time=QUICK)
        if outcome and (tight := cropped(problem, outcome.phases)):
            found += 1
            dx, dy = tight.displacement
            where = f"{tight.width}x{tight.height} p{tight.generations} ({dx},{dy})"
            yield " ".join((tight.rule.name, where, *tight.symmetry)), tight


def drawn(rng: random.Random) -> Problem:
    """A random question; one in eight is about a still life."""
    if rng.random() < 1 / 8:
        size = (rng.randint(4, 12), rng.randint(4, 12))
        return satlife.still_life(size, cells=str(rng.randint(6, size[0] * size[1] // 3)), rule=rng.choice(RULES))
    return random_question(rng)


def cropped(problem: Problem, phases: tuple[Cells, ...]) -> Problem | None:
    """The question in the box of a find; with a symmetry the same margin is cut on opposite sides."""
    rows, columns = live_box(np.max(phases, axis=0))
    top, left = rows.start, columns.start
    bottom, right = problem.height - rows.stop, problem.width - columns.stop
    if problem.symmetry:
        top = bottom = min(top, bottom)
        left = right = min(left, right)
        if problem.width == problem.height:
            top = bottom = left = right = min(top, left)
    try:
        return replace(problem, width=problem.width - left - right, height=problem.height - top - bottom)
    except InputError:
        return None


def generous(problem: Problem) -> dict[str, Question]:
    """The question in larger boxes, without its symmetry, and in a strip."""
    found: dict[str, Question] = {}
    for factor in SIZES:
        sides = [larger(side, factor, bool(problem.symmetry)) for side in problem.size]
        found[f"x{factor:g}"] = replace(problem, width=sides[0], height=sides[1])
    if problem.symmetry:
        sides = [larger(side, 2.0, True) for side in problem.size]
        found["no symmetry"] = replace(problem, width=sides[0], height=sides[1], symmetry=())
    dx, dy = problem.displacement
    if (dx == 0) != (dy == 0) and dx == 0 and not problem.conditions and len(problem.symmetry) < 2:
        width = larger(problem.width, 1.5, bool(problem.symmetry))
        try:
            mirror = next(iter(problem.symmetry), None)
            found["strip"] = satlife.open_spaceship(
                width, problem.generations, (dx, dy), rule=problem.rule, symmetry=mirror
            )
        except InputError:
            pass  # not a mirror along the way
    return found


def larger(side: int, factor: float, same_parity: bool) -> int:
    grown = round(side * factor)
    return grown + (grown - side) % 2 if same_parity else grown
