"""Random questions of every family, kind of rule and condition, small enough for brute force."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import satlife
from campaign.automaton import Box, Law
from campaign.brute_force import Answer, BruteForce
from satlife.errors import InputError
from satlife.life.pattern import Pattern
from satlife.life.rule import Rule
from satlife.problem.conditions.population import Bound
from satlife.problem.problem import Problem

Words = tuple[tuple[tuple[str, ...], ...], ...]  # by generation, row and column, as in a grid file

MAX_STARTS = 4096  # first generations in brute force
KNOWN_RULES = ["B3/S23", "B2/S", "B36/S125", "B2-a/S12", "B3ai4r/S23", "B1/S1", "B3/S2-i34q", "B2/S0", "B34/S34"]
STATIC = ["C2", "C4", "D2|", "D2-", "D2/", "D2\\", "D4+", "D4x", "D8"]
MOVING = ["F-@1", "F|@1", "F/@1", "F\\@1", "R180@1", "R90@1", "R270@1", "F-@2", "F|@2", "F/@2", "R90@2", "R180@2"]
EXCLUDED = ["3o!", "2o$2o!", "o!", "2o!", "bo$obo$bo!", "bo$2bo$3o!", "2o$obo$bo!"]
LETTERS = {
    "1": "ce",
    "2": "ceaikn",
    "3": "ceaiknjqry",
    "4": "ceaiknjqrytwz",
    "5": "ceaiknjqry",
    "6": "ceaikn",
    "7": "ce",
}


# Rules.
def random_rule(rng: random.Random) -> Rule:
    kinds: list[tuple[float, Callable[[random.Random], str]]] = [
        (3, lambda r: r.choice(KNOWN_RULES)), (2, _counted), (1.5, _lettered), (1.5, _map), (1, _hexagonal),
        (1, _von_neumann), (2, _generations), (1.5, _blinking), (1.5, _partial), (0.7, _forbidding),
    ]  # fmt: skip
    while True:
        make = rng.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])[0]
        try:
            return Rule.parse(make(rng))
        except InputError:
            continue


def plain_rule(rng: random.Random) -> Rule:
    """A rule of two states whose background stays dead."""
    while True:
        try:
            rule = Rule.parse(rng.choice([_counted, _lettered, _lettered, _map, _hexagonal, _von_neumann])(rng))
        except InputError:
            continue
        if rule.is_plain:
            return rule


def _digits(rng: random.Random, low: int, high: int, most: int = 4) -> str:
    return "".join(map(str, sorted(rng.sample(range(low, high + 1), rng.randint(0, min(most, high - low + 1))))))


def _counted(rng: random.Random) -> str:
    return f"B{_digits(rng, 1, 8)}/S{_digits(rng, 0, 8)}"


def _hexagonal(rng: random.Random) -> str:
    return f"B{_digits(rng, 1, 6)}/S{_digits(rng, 0, 6)}H"


def _von_neumann(rng: random.Random) -> str:
    return f"B{_digits(rng, 1, 4)}/S{_digits(rng, 0, 4)}V"


def _generations(rng: random.Random) -> str:
    if rng.random() < 0.2:
        return "B2/S/C3"  # Brian's Brain, in which much moves
    tail = rng.choice(["", "", "", "H", "V"])
    most = {"": 8, "H": 6, "V": 4}[tail]
    return f"B{_digits(rng, 1, most)}/S{_digits(rng, 0, most)}/C{rng.choice([3, 3, 4])}{tail}"


def _blinking(rng: random.Random) -> str:
    tail, most = rng.choice([("", 8), ("", 8), ("H", 6), ("V", 4)])
    return f"B0{_digits(rng, 1, most)}/S{_digits(rng, 0, most - 1)}{tail}"


def _random_letters(rng: random.Random, digit: str) -> str:
    letters = "".join(rng.sample(LETTERS[digit], rng.randint(1, 2)))
    return digit + rng.choice(["", "-"]) + letters


def _lettered(rng: random.Random) -> str:
    def half(first: int) -> str:
        digits = _digits(rng, first, 7, 3)
        return "".join(_random_letters(rng, d) if d in LETTERS and rng.random() < 0.6 else d for d in digits)

    return f"B{half(1)}/S{half(0)}"


def _partial(rng: random.Random) -> str:
    """A partial rule with a few open transitions: those of a Hensel letter, or of a whole number."""
    births, survivals = rng.choice([("3", "23"), ("2", ""), ("36", "125"), ("3", "2")])
    free = rng.choice("2345")
    unsure = f"{free}{rng.choice(LETTERS[free])}?" if rng.random() < 0.6 else rng.choice(["2", "6", "7", "1"]) + "?"
    return f"B{births}{unsure}/S{survivals}" if rng.random() < 0.5 else f"B{births}/S{survivals}{unsure}"


def _forbidding(rng: random.Random) -> str:
    """A rule, and a few neighbourhoods that must not occur."""
    births, survivals = rng.choice([("3", "23"), ("2", "0"), ("36", "125"), ("1", "1"), ("34", "34")])
    never = [rng.choice([digit, digit + rng.choice(LETTERS[digit])]) for digit in rng.sample("1234567", 2)]
    return (
        f"B{births}~{never[0]}/S{survivals}~{never[1]}" if rng.random() < 0.5 else f"B{births}~{never[0]}/S{survivals}"
    )


def _map(rng: random.Random) -> str:
    """A MAP rule, mostly not isotropic: random, or an outer-totalistic rule or a shift with a few entries changed."""
    kind = rng.random()
    if kind < 0.2:
        bits = [int(rng.random() < 0.3) for _ in range(512)]
    elif kind < 0.6:
        source = rng.randrange(9)
        changed = rng.choice([0.0, 0.02, 0.1])
        bits = [(block >> source & 1) ^ (rng.random() < changed) for block in range(512)]
    else:
        base = Rule.parse(_counted(rng))
        bits = [int(bit) for bit in base.table]
        for _ in range(rng.randint(1, 40)):
            bits[rng.randrange(512)] ^= 1
    bits[0] = int(rng.random() < 0.1)
    packed = bytes(int("".join(map(str, bits[i : i + 8])), 2) for i in range(0, 512, 8))
    tail = "/C3" if rng.random() < 0.1 and not bits[0] else ""
    return "MAP" + base64.b64encode(packed).decode().rstrip("=") + tail


# Questions.
def random_question(
    rng: random.Random,
    rolled_up: bool = False,
    often: float = 1.0,
    suits: Callable[[Problem], bool] = lambda problem: True,
) -> tuple[Problem, BruteForce, set[Answer]]:
    """A question with all its answers, perhaps on a torus or cylinder; most without answers are skipped."""
    while True:
        problem = random_problem(rng, rolled_up, often)
        if not suits(problem):
            continue
        brute = BruteForce(problem)
        answers = brute.answers()
        if answers or rng.random() < 0.3:
            return problem, brute, answers


def random_problem(rng: random.Random, rolled_up: bool = False, often: float = 1.0) -> Problem:
    """A valid question that is small enough for brute force; it has conditions so many times as `often` as usual."""
    families = [_torus, _torus, _wave] if rolled_up else [
        _plane, _plane, _plane, _still, _oscillator, _ship, _ship, _torus, _wave, _past, _past, _orphan, _grid, _grid,
        *([_eater] if rng.random() < 0.5 else []),
    ]  # fmt: skip
    most = rng.choice([MAX_STARTS // 8, MAX_STARTS // 4, MAX_STARTS])
    while True:
        rule = random_rule(rng)
        try:
            problem = rng.choice(families)(rng, rule)
            problem = with_conditions(rng, problem, often)
        except InputError:
            continue
        if 1 <= size(problem) <= most:
            return problem


def size(problem: Problem) -> int:
    """Roughly the number of ways to fill the unknown cells and open transitions."""
    states = problem.rule.states
    free = problem.width * problem.height
    first = problem.cells[0] if problem.cells else ()
    if first:
        cells = [cell for row in first for cell in row]
        free = sum(cell.is_open for cell in cells) + len({cell.name for cell in cells if cell.name})
    later = [cell for rows in problem.cells[1:] for row in rows for cell in row]
    freed = sum(cell.freed and cell.state is None for cell in later)
    open_classes = min(len(problem.rule.classes), 4)
    return int(states ** (free + freed) * 2**open_classes)


def _box(rng: random.Random, most: int = 12) -> tuple[int, int]:
    return rng.choice([(w, h) for w in range(1, 6) for h in range(1, 6) if w * h <= most])


def _common(rng: random.Random, rule: Rule) -> dict[str, Any]:
    symmetry: tuple[str, ...] = ()
    if rng.random() < 0.35:
        symmetry = (rng.choice(STATIC if rng.random() < 0.5 else MOVING),)
    return {"rule": rule, "symmetry": symmetry}


def _plane(rng: random.Random, rule: Rule) -> Problem:
    """A periodic question that no family restricts."""
    moves = [(0, 0), (0, 0), (1, 0), (0, -1), (-1, 0), (0, 1), (1, 1), (-1, 1), (2, 0), (0, -2)]
    wraps = [(False, False)] * 7 + [(True, True), (True, False), (False, True)]
    return Problem(
        *_box(rng),
        generations=rng.choice([1, 1, 2, 2, 3, 4, 6]),
        displacement=rng.choice(moves),
        wrap=rng.choice(wraps),
        exact=rng.random() < 0.8,
        nonempty=rng.random() < 0.8,
        **_common(rng, rule),
    )


def _still(rng: random.Random, rule: Rule) -> Problem:
    return satlife.still_life(_box(rng), **_common(rng, rule))


def _oscillator(rng: random.Random, rule: Rule) -> Problem:
    return satlife.oscillator(_box(rng), rng.choice([2, 2, 3, 4]), **_common(rng, rule))


def _ship(rng: random.Random, rule: Rule) -> Problem:
    move = rng.choice([(0, -1), (1, 0), (1, 1), (-1, 1), (0, 1), (2, 0), (2, 1), (-1, -1), (0, -2)])
    period = rng.choice([1, 2, 2, 3, 4])
    kind = rng.random()
    if kind < 0.3:
        return satlife.spaceship(_box(rng, 9), period, move, moving=True, **_common(rng, rule))
    if kind < 0.5:
        return satlife.spaceship(_box(rng), period, move, diagonal_width=rng.randint(1, 4), **_common(rng, rule))
    return satlife.spaceship(_box(rng), period, move, **_common(rng, rule))


def _torus(rng: random.Random, rule: Rule) -> Problem:
    if rng.random() < 0.1:
        return satlife.torus(_box(rng), dies=rng.choice([1, 2]), **_common(rng, rule))
    move = (rng.randint(-3, 3), rng.randint(-3, 3)) if rng.random() < 0.5 else (0, 0)
    return satlife.torus(_box(rng), rng.choice([1, 2, 3, 4]), move, **_common(rng, rule))


def _wave(rng: random.Random, rule: Rule) -> Problem:
    move = rng.choice([(0, 0), (1, 0), (0, 1), (0, -1), (-1, 1), (2, -1)])
    return satlife.wave(_box(rng), rng.choice([1, 2, 3]), move, rng.choice("xy"), **_common(rng, rule))


def _drawn(rng: random.Random, rule: Rule, most: int) -> Pattern:
    """A random pattern, some of its cells unknown."""
    width, height = _box(rng, most)
    unsure = rng.choice([0.0, 0.0, 0.1, 0.3])
    cells = [[rng.randrange(rule.states) for _ in range(width)] for _ in range(height)]
    unknown = [[rng.random() < unsure for _ in range(width)] for _ in range(height)]
    return Pattern(np.array(cells, np.uint8), rule=rule, unknown=np.array(unknown))


def _run(rng: random.Random, rule: Rule, width: int, height: int, count: int, free: float) -> list[list[int]]:
    """Generations of a random start in a box, some cells freed from the rule; cells outside the box are cut off."""
    law = Law(rule.resolve([rng.random() < 0.5 for _ in rule.classes]).table, rule.states)
    box = Box(width, height, (False, False), law)
    density = rng.choice([0.2, 0.5])
    cells = [rng.randrange(rule.states) if rng.random() < 2 * density else 0 for _ in range(width * height)]
    run = [cells]
    for t in range(count):
        [(frame, _)] = box.step(tuple(run[-1]), t, {})
        stepped = [state for place, state in frame.items() if box.contains(place)]
        run.append([rng.randrange(rule.states) if rng.random() < free else state for state in stepped])
    return run


def _past(rng: random.Random, rule: Rule) -> Problem:
    margin = rng.choice([0, 0, 1])
    pattern = _drawn(rng, rule, 2 if margin else 12)
    if margin == 0 and rng.random() < 0.7:  # a target with a predecessor
        steps = rng.choice([1, 1, 2, 3])
        last = _run(rng, rule, pattern.width, pattern.height, steps, 0.0)[-1]
        cells = np.array(last, np.uint8).reshape(pattern.cells.shape)
        return satlife.predecessor(Pattern(cells, rule=rule, unknown=pattern.unknown), steps)
    common = _common(rng, rule)
    symmetry = [name for name in common["symmetry"] if "@" not in name]
    return satlife.predecessor(pattern, rng.choice([1, 1, 2, 3]), margin, symmetry=symmetry)


def _orphan(rng: random.Random, rule: Rule) -> Problem:
    return satlife.orphan(_drawn(rng, rule, 2))


def _eater(rng: random.Random, rule: Rule) -> Problem:
    """The lane of the glider leaves a dozen cells for the still life."""
    return satlife.eater(
        (6, 6), rng.randint(1, 5), rng.choice([2, -2]), rng.randrange(4), rule=rule if rng.random() < 0.3 else "B3/S23"
    )


def random_cells(rng: random.Random, width: int, height: int, count: int, rule: Rule) -> Words:
    """Known cells of `count` generations, mostly taken from a run of the rule, so that there are answers."""
    free = rng.choice([0.0, 0.0, 0.1, 0.2])
    run = _run(rng, rule, width, height, count - 1, free)
    names: dict[str, int] = {}
    share = rng.choice([0.2, 0.5, 0.8])
    generations = []
    for states in run if rng.random() < 0.8 else [[rng.randrange(rule.states) for _ in run[0]] for _ in run]:
        words = [_word(rng, state, share, names) + "'" * (rng.random() < free) for state in states]
        rows = tuple(tuple(words[y * width : (y + 1) * width]) for y in range(height))
        generations.append(rows if rng.random() < 0.8 else ())
    return tuple(generations)


def may_be_freed(word: str, periodic: bool, t: int, last: int) -> bool:
    """Whether a word is valid in a rule with more than two states: a freed cell only in generation 0, or as `*'` in the
    last generation of a question without a period, where it does not count."""
    freed = word.endswith("'") or word.startswith("?")
    return not freed or t == 0 or (not periodic and t == last and word[0] in "*?")


def without_freed_cells(words: Words, periodic: bool) -> Words:
    """Words without the ticks that are invalid in rules with more than two states."""
    last = len(words) - 1
    return tuple(
        tuple(
            tuple(w if may_be_freed(w, periodic, t, last) else w.removesuffix("'").replace("?", "*") for w in row)
            for row in rows
        )
        for t, rows in enumerate(words)
    )


def _word(rng: random.Random, state: int, share: float, names: dict[str, int]) -> str:
    """A word for a state in a grid file: its number, a name with this value, or a free cell."""
    if rng.random() > share:
        return "?" if rng.random() < 0.005 else "*"
    if rng.random() < 0.5:
        return "." if state == 0 and rng.random() < 0.3 else str(state)
    name = rng.choice("abcd")
    name = name if (names.setdefault(name, state) == 1) == (state == 1) else f"-{name}"
    return name if names.setdefault(name, state) == state else "*"


def _grid(rng: random.Random, rule: Rule) -> Problem:
    """Known cells, names and freed cells, with a period or without."""
    fields = grid_fields(rng, rule)
    if rule.states > 2:
        fields["cells"] = without_freed_cells(fields["cells"], fields["periodic"])
    return Problem(**fields)


def grid_fields(rng: random.Random, rule: Rule) -> dict[str, Any]:
    width, height = _box(rng)
    periodic = rng.random() < 0.5
    period = rng.choice([1, 2, 2, 3])
    return {
        "width": width,
        "height": height,
        "kind": "grid",
        "periodic": periodic,
        "generations": period,
        "displacement": rng.choice([(0, 0), (0, 0), (1, 0), (0, -1)]) if periodic else (0, 0),
        "wrap": (False, False) if rng.random() < 0.8 else (True, True),
        "cells": random_cells(rng, width, height, period + (not periodic), rule),
        "open_end": not periodic and rng.random() < 0.2,
        "nonempty": periodic and rng.random() < 0.7,
        **_common(rng, rule),
    }


def freed_in_generations(rng: random.Random) -> tuple[dict[str, Any], bool]:
    """A question with freed cells in a rule with more than two states, and whether it must be refused."""
    while True:
        rule = Rule.parse(_generations(rng))
        fields = grid_fields(rng, rule)
        cells, periodic = fields["cells"], fields["periodic"]
        fields["cells"] = without_freed_cells(cells, periodic)
        try:
            Problem(**fields)
        except InputError:
            continue  # invalid for another reason
        return {**fields, "cells": cells}, fields["cells"] != cells


def with_conditions(rng: random.Random, problem: Problem, often: float = 1.0) -> Problem:
    """The question with some further conditions."""
    changes: dict[str, object] = {}
    if rng.random() < 0.25 * often:
        changes["population"] = _bounds(rng, problem)
    if rng.random() < 0.15 * often and problem.last:
        changes["differ"] = (tuple(sorted(rng.sample(range(problem.last + 1), 2))),)
    if rng.random() < 0.15 * often:
        changes["exclude"] = tuple(rng.sample(EXCLUDED, rng.randint(1, 3)))
    if rng.random() < 0.15 * often:
        changes["strict"] = True
    if rng.random() < 0.1 * often:
        changes["tight"] = True
    if rng.random() < 0.1 * often:
        changes["touching"] = rng.sample(["left", "right", "upper", "lower"], rng.randint(1, 3))
    if rng.random() < 0.1 * often:
        changes["cube"] = [_assumed(rng, problem) for _ in range(rng.randint(1, 3))]
    names = sorted({cell.name for rows in problem.cells for row in rows for cell in row if cell.name})
    if rng.random() < 0.6 and names:
        changes["ties"] = [random_tie(rng, names) for _ in range(rng.randint(1, 3))]
    for name, value in changes.items():
        try:
            problem = problem.having(**{name: value})
        except InputError:
            continue
    return problem


def random_tie(rng: random.Random, names: Sequence[str]) -> str:
    """A tie between some of these names, one of them perhaps twice."""
    if rng.random() < 0.3:
        return f"{rng.choice(names)} {rng.choice(['=', '!='])} {rng.choice([*names, '0', '1'])}"
    some = [rng.choice(names) for _ in range(rng.randint(1, 4))]
    others = [rng.choice([*names, "0", "1", "2"]) for _ in range(rng.randint(1, 2))]
    return f"{' + '.join(some)} {rng.choice(['=', '<=', '>=', '<', '>'])} {' + '.join(others)}"


def _assumed(rng: random.Random, problem: Problem) -> list[int]:
    """A cell of a cube: mostly near the corner, where it lies in small boxes, too."""
    x, y = (min(rng.choice([0, 0, 1, rng.randrange(side)]), side - 1) for side in (problem.width, problem.height))
    return [x, y, rng.randint(0, problem.last), rng.randrange(2)]


def _bounds(rng: random.Random, problem: Problem) -> Sequence[Bound]:
    low, time = rng.randint(0, 4), rng.randint(0, problem.last)
    both = [Bound(low, None, time), Bound(None, low + rng.randint(0, 3), time)]
    return tuple(rng.sample(both, rng.randint(1, 2)))
