"""Ships of a given width and any length: the row search against brute force up to a length.

Boxes too wide or periods too long for that are compared with SAT solvers, which look for a ship in the same window, up
to a length.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

import satlife
from campaign.attempt import Attempt
from campaign.automaton import Law, Place, evolve
from campaign.brute_force import rule_of
from campaign.random_questions import KNOWN_RULES, plain_rule, random_rule
from campaign.searches import alone, budget, suits
from satlife.engines.rows.cpu.search import FrontierSearch
from satlife.engines.rows.engine import RowEngine
from satlife.engines.rows.partials import PartialShips
from satlife.engines.rows.question.boxes import strip_of
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.run import RowRun
from satlife.engines.rows.ships import RowSearch
from satlife.engines.work import Verdict
from satlife.errors import InputError
from satlife.life.pattern import Pattern
from satlife.life.rule import Rule
from satlife.limits import Limits
from satlife.problem import families
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Find, Outcome
from satlife.problem.problem import Problem

Axis = Literal["x", "y"]

CELLS = 12  # of the patterns in brute force
SECONDS = 20.0
LARGE_SECONDS = 8.0  # for each side of a comparison with SAT
MAX_PERIOD = 9  # of ships that evolve from random patterns
AXES: tuple[Axis, Axis] = ("x", "y")


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One open box, searched to the end; sometimes stopped, saved and continued by another search."""
    if rng.random() < 0.3:
        yield from against_sat(rng)
        return
    box, known = around_a_ship(rng) if rng.random() < 0.7 else (random_box(rng), None)
    text = box.to_json()
    if rng.random() < 0.3:
        yield divided(rng, box, known)
        return
    if known and box.forward and rng.random() < 0.3:
        yield with_heads(rng, box, known)
        return
    stops = rng.choice([0, 0, rng.randint(1, 6)])
    text += f", saved after {stops} rows" if stops else ""
    search, finds = searched(box, stops)
    if not search.search.complete and not finds:
        yield Attempt(f"open box {text}: undecided after {SECONDS:.0f} s")
        return
    for outcome in finds:
        yield Attempt(f"find of the open box {text}", ship_objection(box, outcome))
    if not finds and search.complete:
        ship = known or next(ships(box), None)
        yield Attempt(f"open box {text}", f"it finds none, but there is {sorted(ship)}" if ship else "")
    elif not finds:
        yield Attempt(f"open box {text}: ships of smaller period only")
    if known and box.symmetry is None and 0 in box.displacement:
        yield in_a_box(box, known)


def in_a_box(box: OpenBox, known: set[Place]) -> Attempt:
    """The row search as an engine of the race: a ship in the bounding box of a known one."""
    phases = run(dict.fromkeys(known, 1), law_of(box), box.period - 1)
    sides = [[place[axis] for cells in phases for place in cells] for axis in (0, 1)]
    width, height = (max(side) - min(side) + 1 for side in sides)
    problem = families.spaceship((width, height), box.period, box.displacement, rule=box.rule)
    if not suits(RowEngine(), problem):
        return Attempt(f"row engine, unsuited: {problem.to_json()}")
    outcome, wrong = alone(RowRun(problem, strip_of(problem), budget(SECONDS))), ""
    if outcome is not None and outcome.status != "found":
        wrong = f"it says {outcome.status}, but there is {sorted(known)}"
    elif outcome is not None:
        wrong = ship_objection(replace(box, width=max(width, height)), outcome)
    return Attempt(f"row engine: {problem.to_json()}", wrong)


def with_heads(rng: random.Random, box: OpenBox, known: set[Place]) -> Attempt:
    """Ships with one of several heads: that of a known ship, in a generation in which it fits, perhaps with dead rows
    behind it; and those of partial ships that may come to nothing."""
    law = law_of(box)
    phases = run(dict.fromkeys(known, 1), law, box.period - 1)
    start = rng.choice([t for t in range(box.period) if fits(box, phases, t, law)])
    cells = box.upward(Pattern.from_points(phases[start], box.rule).crop()).cells
    rows = rng.randint((len(cells) + 1) // 2, len(cells) + box.period)
    head = box.turn(Pattern(np.pad(cells, ((0, box.period), (0, 0)))[:rows], rule=box.rule))
    heads = [head, *(decoy for decoy in decoys(rng, box) if is_head(box, decoy))]
    rng.shuffle(heads)
    asked = box.with_heads(*heads)
    what = f"heads {asked.to_json()}"
    if not is_head(box, head):
        return Attempt(f"{what}: refused")
    search = RowSearch.start(asked, 1)
    found = next(search.finds(time.monotonic() + SECONDS), None)
    if found is not None:
        return Attempt(what, ship_objection(box, found))
    wrong = f"it finds none, but there is {sorted(phases[start])}" if search.complete else ""
    return Attempt(what, wrong)


def decoys(rng: random.Random, box: OpenBox) -> list[Pattern]:
    """Two partial ships or fewer."""
    search = FrontierSearch(Strip.of(box))
    for _ in range(rng.randint(2, 3 * box.period)):
        if search.fronts:
            search.step()
    partials = [rows for front in search.state()["fronts"] for rows in front["partials"] if any(rows)]
    some = rng.sample(partials, min(len(partials), 2))
    return [box.turn(Pattern(search.strip.phase(rows), rule=box.rule)) for rows in some]


def is_head(box: OpenBox, head: Pattern) -> bool:
    """Whether a pattern is taken for a head."""
    try:
        RowSearch.start(box.with_heads(head), 1)
    except InputError:
        return False
    return True


def around_a_ship(rng: random.Random) -> tuple[OpenBox, set[Place]]:
    """A box as wide as a ship that evolved from a random pattern in a random rule, or a little wider."""
    while True:
        rule = plain_rule(rng) if rng.random() < 0.9 else Rule.parse(rng.choice(KNOWN_RULES))
        law = rule_of(Problem(1, 1, rule))
        for _ in range(30):
            places = itertools.product(range(rng.randint(1, 4)), range(rng.randint(1, 4)))
            cells = {place: 1 for place in places if rng.random() < 0.5}
            if (found := _as_ship(rng, cells, law, rule)) is not None:
                return found, set(cells)


def _as_ship(rng: random.Random, cells: dict[Place, int], law: Law, rule: Rule) -> OpenBox | None:
    """An open box whose question the pattern answers, if it is a ship."""
    if not cells:
        return None
    phases = [cells]
    for t in range(MAX_PERIOD):
        phases.append(evolve(phases[-1], law, t))
        if not 0 < len(phases[-1]) <= 20:
            return None
        dx = min(x for x, _ in phases[-1]) - min(x for x, _ in cells)
        dy = min(y for _, y in phases[-1]) - min(y for _, y in cells)
        if phases[-1] == moved(cells, dx, dy):
            break
    else:
        return None
    if (dx, dy) == (0, 0):  # oscillators have a part of their own (`lines`)
        return None
    mirrors = [(None, False), (None, False), ("D2|", False), ("D2|", True), ("D2-", False), ("D2-", True)]
    wider = rng.choice([0, 0, 0, 1])
    for along, (mirror, gutter) in itertools.product(rng.sample(AXES, 2), rng.sample(mirrors, len(mirrors))):
        for width in range(1, 9):
            try:
                box = OpenBox(width, len(phases) - 1, (dx, dy), rule, mirror, gutter, along)
                Strip.of(box)
                if any(fits(box, phases, start, law) for start in range(box.period)):
                    larger = replace(box, width=width + wider * (1 if mirror is None else 2))
                    Strip.of(larger)
                    return larger
            except InputError:
                continue
    return None


def random_box(rng: random.Random) -> OpenBox:
    while True:
        rule = random_rule(rng)
        period = rng.choice([2, 2, 3, 3, 4])
        forward, aside = rng.choice([1, 1, 2]) * rng.choice([-1, 1]), rng.choice([0, 0, 1, -1, 2])
        along = rng.choice((*AXES, "y"))
        move = (aside, forward) if along == "y" else (forward, aside)
        mirror = ({"y": "D2|", "x": "D2-"}[along]) if rng.random() < 0.4 else None
        width = rng.randint(1, 6 if mirror else 4)
        gutter = mirror is not None and rng.random() < 0.3
        try:
            box = OpenBox(width, period, move, rule, mirror, gutter, along)
            Strip.of(box)
        except InputError:
            continue
        return box


# Wide windows and long periods.
def against_sat(rng: random.Random) -> Iterator[Attempt]:
    """A search for ships in a wide window, or of a long period, and what a SAT solver finds in the same window."""
    box = rng.choice([wide_box, slow_box, wide_around_a_ship])(rng)
    what = f"open box against SAT, {box.to_json()}"
    search, finds = searched(box, 0, LARGE_SECONDS)
    for outcome in finds:
        yield Attempt(f"find of the {what}", ship_objection(box, outcome))
    length = rng.randint(2, 9)
    if finds:
        # The box of a find lies along the whole way of its phases.
        sides = finds[0].problem.width, finds[0].problem.height
        length = sides[1 if box.along == "y" else 0]
    elif not search.complete:
        yield Attempt(f"{what}: undecided after {LARGE_SECONDS:.0f} s, or ships of smaller period only")
        return
    try:
        asked = in_window(box, length)
    except InputError:  # the box is shorter than the way of the ship
        return
    found = satlife.find(asked, strategy="plain", time=LARGE_SECONDS)
    if found.status == "unknown":
        yield Attempt(f"{what}, length {length}: the solver is undecided")
        return
    wrong = ""
    if (found.status == "found") != bool(finds):
        wrong = f"row by row {len(finds)} ships, but {found.status} in the window {asked.to_json()}"
    yield Attempt(f"{what}, length {length}", wrong)


def wide_box(rng: random.Random) -> OpenBox:
    """A window of more than nine columns, with a short period; with a mirror it has half as many free ones."""

    def draw(mirrored: bool) -> Drawn:
        width, period = rng.randint(10, 18 if mirrored else 12), rng.choice([1, 2, 2, 3] if mirrored else [1, 2])
        return Drawn(width, period, rng.choice([-1, 1]), rng.choice([0, 0, 1, -1]))

    return drawn_box(rng, 0.6, draw)


def slow_box(rng: random.Random) -> OpenBox:
    """A narrow window and a period above four, with a mirror or a movement aside or neither."""

    def draw(mirrored: bool) -> Drawn:
        width, forward = rng.randint(1, 8 if mirrored else 4), rng.choice([1, 1, 2, 3]) * rng.choice([-1, 1])
        return Drawn(width, rng.randint(5, 9), forward, rng.choice([0, 0, 0, 1, -1, 2]))

    return drawn_box(rng, 0.4, draw)


class Drawn(NamedTuple):
    """The numbers of an open box; a ship with a mirror does not move aside."""

    width: int
    period: int
    forward: int
    aside: int


def drawn_box(rng: random.Random, mirrors: float, draw: Callable[[bool], Drawn]) -> OpenBox:
    """A box that can be searched, with a mirror in this share of cases, and with numbers that depend on that."""
    while True:
        along: Axis = rng.choice(AXES)
        mirror = {"y": "D2|", "x": "D2-"}[along] if rng.random() < mirrors else None
        width, period, forward, aside = draw(mirror is not None)
        aside = 0 if mirror else aside
        move = (aside, forward) if along == "y" else (forward, aside)
        gutter = mirror is not None and rng.random() < 0.3
        try:
            box = OpenBox(width, period, move, plain_rule(rng), mirror, gutter, along)
            Strip.of(box)
        except InputError:
            continue
        return box


def wide_around_a_ship(rng: random.Random) -> OpenBox:
    """A window of ten or eleven columns (with a mirror, more), or of a period above four, that has a ship."""
    while True:
        box, _ = around_a_ship(rng)
        if box.period > 4:
            return box
        wider = replace(box, width=rng.randint(10, 16 if box.symmetry else 11))
        try:
            Strip.of(wider)
        except InputError:
            continue
        if box.period < 4 and box.forward:
            return wider


def in_window(box: OpenBox, length: int) -> Problem:
    """The question for ships up to a length: in generation t the window has moved aside by the rounded part t/p."""
    across = 0 if box.along == "y" else 1
    aside, p = box.displacement[across], box.period
    offsets = [(2 * aside * t + p) // (2 * p) for t in range(p)]
    width = box.width + max(offsets) - min(offsets)
    generations = []
    for offset in offsets:
        window = range(offset - min(offsets), offset - min(offsets) + box.width)
        line = ["*" if x in window else "0" for x in range(width)]
        if box.gutter and width % 2:
            line[width // 2] = "0"
        rows = [line] * length if across == 0 else [[word] * length for word in line]
        generations.append(rows)
    size = (width, length) if across == 0 else (length, width)
    symmetry = () if box.symmetry is None else (box.symmetry,)
    return Problem(
        *size,
        box.rule,
        generations=p,
        displacement=box.displacement,
        symmetry=symmetry,
        cells=generations,  # type: ignore[arg-type]
    )


def searched(box: OpenBox, stops: int, seconds: float = SECONDS) -> tuple[RowSearch, list[Outcome]]:
    """Run a search to its end, or until the time is up; after some rows it is saved and another one goes on."""
    steps = FrontierSearch(Strip.of(box))
    search, deadline = RowSearch(box, steps, time.monotonic()), time.monotonic() + seconds
    if stops:
        for _ in range(stops):
            if steps.fronts and not steps.ready:
                steps.step()
        if not steps.fronts and not steps.ready:
            return _finished(search, deadline)
        other = RowSearch.start(box, 1)
        try:
            other.load(search.save().text)
        except InputError:  # nothing is left
            return _finished(search, deadline)
        search = other
    return _finished(search, deadline)


def _finished(search: RowSearch, deadline: float) -> tuple[RowSearch, list[Outcome]]:
    return search, list(itertools.islice(search.finds(deadline), 3))


def divided(rng: random.Random, box: OpenBox, known: set[Place] | None) -> Attempt:
    """The search as units, some of which are split again: if all are refuted there must be no ship."""
    work, deadline = PartialShips(box), time.monotonic() + SECONDS
    what = f"open box {box.to_json()} in units"
    finds: list[Find] = []
    verdicts = set()
    waiting = [piece.unit for piece in work.split(None, rng.randint(1, 5), Limits()) if not piece.refuted]
    while waiting:
        unit = waiting.pop()
        if rng.random() < 0.3:
            waiting += [piece.unit for piece in work.split(unit, rng.randint(2, 3), Limits()) if not piece.refuted]
            continue
        result = work.solve(unit, lambda problem, find, how: finds.append(find), lambda: time.monotonic() > deadline)
        verdicts.add(result.status)
    for find in finds:
        if wrong := ship_objection(box, find):
            return Attempt(what, wrong)
    if verdicts - {Verdict.REFUTED}:
        return Attempt(f"{what}: {', '.join(sorted(verdicts))}")
    ship = known or next(ships(box), None)
    return Attempt(what, f"all units are refuted, but there is {sorted(ship)}" if ship else "")


def ship_objection(box: OpenBox, find: Outcome | Find) -> str:
    """What is wrong with a ship, by simulation."""
    cells = {(int(x), int(y)): 1 for y, row in enumerate(find.phases[0]) for x, state in enumerate(row) if state}
    law = law_of(box)
    phases = run(cells, law, box.period)
    if not cells or phases[-1] != moved(cells, *box.displacement):
        return f"it is no ship: {sorted(cells)}"
    for q in range(1, box.period):
        for dx, dy in itertools.product(range(-q, q + 1), repeat=2):
            if box.period % q == 0 and phases[q] == moved(cells, dx, dy):
                return f"it has period {q}: {sorted(cells)}"
    if not any(fits(box, phases, start, law) for start in range(box.period)):
        return f"it is too wide: {sorted(cells)}"
    return ""


def law_of(box: OpenBox) -> Law:
    return rule_of(Problem(1, 1, box.rule))


def run(cells: dict[Place, int], law: Law, count: int) -> list[dict[Place, int]]:
    phases = [cells]
    for t in range(count):
        phases.append(evolve(phases[-1], law, t))
    return phases


def moved(cells: dict[Place, int], dx: int, dy: int) -> dict[Place, int]:
    return {(x + dx, y + dy): state for (x, y), state in cells.items()}


def fits(box: OpenBox, phases: list[dict[Place, int]], start: int, law: Law) -> bool:
    """Whether a ship, from some generation on, stays within the window, which moves by rounded fractions of dx.

    The window may lie anywhere; with mirror symmetry its middle is the axis.
    """
    across = 0 if box.along == "y" else 1
    aside = box.displacement[across]
    later = run(phases[start], law, box.period - 1)
    shifted = []
    for t, cells in enumerate(later):
        offset = (2 * aside * t + box.period) // (2 * box.period)
        shifted.append([place[across] - offset for place in cells])
    low, high = min(map(min, shifted)), max(map(max, shifted))
    if box.symmetry is None:
        return high - low + 1 <= box.width
    if high - low + 1 > box.width or (box.width - (high - low + 1)) % 2:
        return False
    middle = low + high
    for cells in later:
        mirrored = {(middle - x, y) if across == 0 else (x, middle - y) for x, y in cells}
        if mirrored != cells.keys() or (box.gutter and any(2 * place[across] == middle for place in cells)):
            return False
    return True


def ships(box: OpenBox) -> Iterator[set[Place]]:
    """All ships of the question whose generation 0 is short enough for brute force."""
    law = law_of(box)
    length = max(CELLS // box.width, 1)
    size = (box.width, length) if box.along == "y" else (length, box.width)
    places = list(itertools.product(range(size[0]), range(size[1])))
    for states in itertools.product((0, 1), repeat=len(places)):
        cells = {place: 1 for place, state in zip(places, states, strict=True) if state}
        if not cells or _is_translate(box, cells):
            continue
        phases = _ship_phases(cells, law, box)
        if phases and any(fits(box, phases, start, law) for start in range(box.period)):
            yield set(cells)


def _is_translate(box: OpenBox, cells: dict[Place, int]) -> bool:
    """Whether a pattern does not touch the first line, and so is the translate of another one."""
    return min(place[1 if box.along == "y" else 0] for place in cells) > 0


def _ship_phases(cells: dict[Place, int], law: Law, box: OpenBox) -> list[dict[Place, int]] | None:
    """The generations of a ship of exactly this period."""
    phases = [cells]
    across = 0 if box.along == "y" else 1
    for t in range(box.period):
        following = evolve(phases[-1], law, t)
        if not following or max(p[across] for p in following) - min(p[across] for p in following) >= box.width + 2:
            return None
        phases.append(following)
    if phases[-1] != moved(cells, *box.displacement):
        return None
    for q in range(1, box.period):
        shares = [d * q for d in box.displacement]
        if box.period % q == 0 and all(share % box.period == 0 for share in shares):
            dx, dy = (share // box.period for share in shares)
            if phases[q] == moved(cells, dx, dy):
                return None
    return phases
