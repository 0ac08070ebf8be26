"""Oscillators of any length in a strip: the search line by line against a plain one, and against boxes.

The plain search lists all rows of the strip, and follows every pair of lines that it reaches, without a look-ahead,
symmetries, or a way to end half way.  Boxes, also with further symmetries, are compared with the search over cells.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from campaign.attempt import Attempt
from campaign.automaton import Law
from campaign.open_boxes import law_of, run
from campaign.random_questions import random_rule
from campaign.searches import alone, budget
from satlife.engines.cells.engine import CellRun
from satlife.engines.rows.question.boxes import strip_of
from satlife.engines.rows.run import RowRun
from satlife.engines.rows.ships import RowSearch
from satlife.errors import InputError
from satlife.life.rule import Rule
from satlife.limits import Limits
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Outcome

Row = tuple[int, ...]
Line = tuple[Row, ...]
SECONDS = 5.0
MOST_WINDOWS = 1500  # that are followed plainly
PLAIN_CELLS = 8  # of a line in all generations, on one side of a mirror
WIDEST_PLAIN = 4  # columns
LONGEST = 9  # lines of a box


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One strip, searched to the end, perhaps stopped, saved and continued; then a box inside it."""
    box = random_strip(rng)
    stops = rng.choice([0, 0, rng.randint(1, 6)])
    text = box.to_json() + (f", saved after {stops} finds or levels" if stops else "")
    search, finds = searched(box, stops)
    for outcome in finds:
        yield Attempt(f"find of the strip {text}", objection(box, outcome))
    if not finds and not search.complete:
        yield Attempt(f"strip {text}: undecided after {SECONDS:.0f} s")
        return
    expected = exists(box)
    if expected is not None:
        yield Attempt(f"strip {text}", "" if expected == bool(finds) else f"found {bool(finds)}, plainly {expected}")
    yield from in_boxes(rng, box, bool(finds))


def random_strip(rng: random.Random) -> OpenBox:
    while True:
        rule = random_rule(rng) if rng.random() < 0.7 else Rule.parse("B3/S23")
        period, width = rng.choice([1, 2, 2, 3, 3, 4, 4, 6]), rng.randint(1, 5)
        mirror, along = rng.random() < 0.4, rng.choice(["x", "y"])
        width = 2 * width - rng.randint(0, 1) if mirror else width
        if not rule.unrestricted.is_plain or (width if not mirror else (width + 1) // 2) * period > 18:
            continue
        name = {"y": "D2|", "x": "D2-"}[along] if mirror else None
        gutter = mirror and width % 2 == 1 and width > 1 and rng.random() < 0.3
        try:
            return OpenBox(width, period, (0, 0), rule, name, gutter, "x" if along == "x" else "y")
        except InputError:
            continue


def searched(box: OpenBox, stops: int) -> tuple[RowSearch, list[Outcome]]:
    """A search to the first find; if it is to stop, it is saved at some level, and another search goes on."""
    search = RowSearch.start(box, 1)
    search.search.limits = Limits.of(SECONDS)
    if stops:
        levels = itertools.count(1)

        def stop(_: object) -> None:
            if next(levels) >= stops:
                search.search.stop()

        finds = list(itertools.islice(search.finds(watch=stop), 1))
        if finds or search.complete:
            return search, finds
        saved, search = search.save().text, RowSearch.start(box, 1)
        search.load(saved)
        search.search.limits = Limits.of(SECONDS)
    return search, list(itertools.islice(search.finds(), 1))


def in_boxes(rng: random.Random, box: OpenBox, found: bool) -> Iterator[Attempt]:
    """The question in a box of the strip, perhaps with more symmetry: line by line, and over cells."""
    length = rng.randint(1, LONGEST)
    problem = box.closed(*((box.width, length) if box.along == "y" else (length, box.width)))
    if box.gutter:
        return
    more = ["D4+"] if box.symmetry else ["D2|", "D2-", "C2", "D4+"]
    if rng.random() < 0.5:
        problem = replace(problem, symmetry=(rng.choice(more),))
    mine, theirs = (
        "unknown" if (outcome := alone(engine)) is None else outcome.status
        for engine in (
            RowRun(problem, strip_of(problem), budget(SECONDS)),
            CellRun(problem, budget(SECONDS, rng.randrange(1000))),
        )
    )
    wrong = f"{mine} line by line, {theirs} over cells" if {mine, theirs} == {"found", "none"} else ""
    if not found and "found" in (mine, theirs):
        wrong = "found in a box of the strip, in which there is none"
    yield Attempt(f"box {problem.to_json()}", wrong)


def objection(box: OpenBox, outcome: Outcome) -> str:
    """What is wrong with an oscillator, by simulation."""
    cells = {(int(x), int(y)): 1 for y, row in enumerate(outcome.phases[0]) for x, state in enumerate(row) if state}
    phases = run(cells, law_of(box), box.period)
    if not cells or phases[-1] != cells:
        return f"it does not recur: {sorted(cells)}"
    if earlier := [q for q in range(1, box.period) if phases[q] == cells]:
        return f"it has period {earlier[0]}: {sorted(cells)}"
    across = [place[0 if box.along == "y" else 1] for phase in phases for place in phase]
    if max(across) - min(across) >= box.width:
        return f"it is too wide: {sorted(cells)}"
    if box.symmetry and any(mirrored(box, phase) != set(phase) for phase in phases):
        return f"it is not symmetric: {sorted(cells)}"
    if box.gutter and box.width // 2 in across:
        return f"the gutter is alive: {sorted(cells)}"
    return ""


def mirrored(box: OpenBox, cells: dict[tuple[int, int], int]) -> set[tuple[int, int]]:
    last = box.width - 1
    return {(last - x, y) if box.along == "y" else (x, last - y) for x, y in cells}


# The plain search.
def exists(box: OpenBox, most: int = MOST_WINDOWS) -> bool | None:
    """Whether there is an oscillator, by following all windows; None if they are too many."""
    free = (box.width + 1) // 2 if box.symmetry else box.width
    if free * box.period > PLAIN_CELLS or free > WIDEST_PLAIN:
        return None
    law = Law(bytes(box.rule.constraint), 2)  # in which 2 is forbidden
    rows = list(rows_of(box))
    allowed: dict[tuple[Row, Row, Row], list[Row]] = {}
    for a, b, d in itertools.product(rows, repeat=3):
        if (c := becomes(law, a, b, d)) is not None:
            allowed.setdefault((a, b, c), []).append(d)
    dead: Line = ((0,) * box.width,) * box.period
    met, waiting = {(dead, dead, 1)}, deque([(dead, dead, 1)])
    while waiting:
        above, line, period = waiting.popleft()
        after = (*line[1:], line[0])
        choices = [allowed.get(key, []) for key in zip(above, line, after, strict=True)]
        for below in itertools.product(*choices):
            new = line, below, math.lcm(period, period_of(below))
            if new == (dead, dead, box.period) and (above, line) != (dead, dead):
                return True
            if new not in met:
                met.add(new)
                waiting.append(new)
        if len(met) > most:
            return None
    return False


def rows_of(box: OpenBox) -> Iterator[Row]:
    """All rows of a strip, those that have its mirror."""
    for row in itertools.product((0, 1), repeat=box.width):
        if box.symmetry is None or (row == row[::-1] and not (box.gutter and row[box.width // 2])):
            yield row


def becomes(law: Law, above: Row, row: Row, below: Row) -> Row | None:
    """What a row becomes between two others; None if a cell outside is born, or something is forbidden."""
    wide = [(0, 0, *cells, 0, 0) for cells in (above, row, below)]
    after = []
    for x in range(1, len(row) + 3):
        block = 0
        for cells in wide:
            for cell in cells[x - 1 : x + 2]:
                block += block + cell
        after.append(law.table[block])
    return tuple(after[1:-1]) if not after[0] and not after[-1] and max(after) < 2 else None


def period_of(line: Line) -> int:
    return next(q for q in range(1, len(line) + 1) if len(line) % q == 0 and line == line[q:] + line[:q])
