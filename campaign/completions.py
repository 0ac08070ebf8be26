"""Completions of random pieces, against every still life and every oscillator of period 2 in a box around them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from campaign.attempt import Attempt
from campaign.automaton import BLOCK, Law, Place, counted
from campaign.batch import every_filling, next_generation
from campaign.case import differ
from campaign.drawings import Rows, draw
from campaign.shell import CommandResult, run_satlife

#: Life, and rules in which small things live or sparse ones do.
DIGITS = [("3", "23"), ("3", "23"), ("36", "23"), ("3", "12"), ("34", "34"), ("2", "0"), ("35", "1358"), ("36", "125")]
MOST = 8  # cells of the completions that brute force looks for
SECONDS = "3"


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One piece, completed within a margin and within any."""
    births, survivals = rng.choice(DIGITS)
    law, rule = counted(set(map(int, births)), set(map(int, survivals))), f"B{births}/S{survivals}"
    period = rng.choice([1, 1, 2])
    sides, margin = ((rng.randint(1, 3), rng.randint(1, 3)), 2) if period == 1 else ((2, rng.randint(1, 2)), 1)
    rows = piece(rng, *sides)
    drawing = draw(rng, rows, rule, ("rle", "cells"))
    file = folder / "piece"
    file.write_text(drawing.text)
    line = ["complete", str(file), "-r", rule, "-p", str(period), "--json", "-q", "--time", SECONDS]
    what = f"{' '.join(line)} of {' / '.join(rows)}"
    expected = fewest(rows, margin, law) if period == 1 else fewest_of_period_2(rows, margin, law)
    inside = run_satlife([*line, "--margin", str(margin)])
    yield Attempt(f"{what}, margin {margin}", _inside_objection(inside, expected, period))
    yield Attempt(what, _anywhere_objection(run_satlife(line), expected, rows, law, period))
    area = None if expected is None or period > 1 else min(map(_area, _still(rows, margin, law, expected)))
    yield Attempt(f"{what}, area", _area_objection(run_satlife([*line, "--measure", "box"]), area, rows, law, period))


def piece(rng: random.Random, width: int, height: int) -> Rows:
    """Random cells, one of them alive at least."""
    cells = [[rng.choice("..OOO??") for _ in range(width)] for _ in range(height)]
    cells[rng.randrange(height)][rng.randrange(width)] = "O"
    return tuple("".join(row) for row in cells)


def _inside_objection(result: CommandResult, expected: int | None, period: int) -> str:
    """What is wrong with an answer within the margin; brute force knows of still lifes with at most MOST cells."""
    if result.crash or result.message:
        return result.crash or result.message
    shown = result.lines[-1]
    if expected is None and period == 1:
        return "" if result.code == 20 or shown["value"] > MOST else f"{shown['value']}, where brute force finds none"
    return differ("exit code", result.code, 20 if expected is None else 0) or differ("value", shown["value"], expected)


def _anywhere_objection(result: CommandResult, expected: int | None, rows: Rows, law: Law, period: int) -> str:
    """What is wrong with an answer for any margin."""
    if result.crash or result.message:
        return result.crash or result.message
    shown = result.lines[-1]
    if result.code == 20:
        return "" if expected is None else f"none, but there is one with {expected} cells"
    if expected is not None and (shown["bound"] or 0) > expected:
        return f"at least {shown['bound']} is proved, but there is one with {expected} cells"
    if shown["value"] is None:
        return ""
    if expected is not None and shown["optimal"] and shown["value"] > expected:
        return f"{shown['value']} are the fewest, but there is one with {expected} cells"
    return _pattern_objection(shown, rows, law, period)


def _area_objection(result: CommandResult, known: int | None, rows: Rows, law: Law, period: int) -> str:
    """What is wrong with the least area; that of the completions with the fewest cells may be known."""
    if result.crash or result.message:
        return result.crash or result.message
    shown = result.lines[-1]
    if known is not None and (result.code == 20 or (shown["bound"] or 0) > known):
        return f"at least {shown['bound']} is proved, but there is one with area {known}"
    if result.code != 0:
        return ""
    if period == 1:
        wrong = differ("area", shown["value"], _area(frozenset(_live(shown["pattern"]["rle"])[0])))
        return wrong or _pattern_objection(shown, rows, law, period)
    return _pattern_objection(shown, rows, law, period)


def _area(cells: frozenset[Place]) -> int:
    xs, ys = {x for x, _ in cells}, {y for _, y in cells}
    return (max(xs) - min(xs) + 1) * (max(ys) - min(ys) + 1)


def _pattern_objection(shown: dict[str, Any], rows: Rows, law: Law, period: int) -> str:
    """What is wrong with a completion: where it lies, what it becomes, how many cells it has."""
    live, (left, top) = _live(shown["pattern"]["rle"])
    here = {(x + left, y + top) for x, y in live}
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            if cell != "?" and (cell == "O") != ((x, y) in here):
                return f"the cell {x},{y} is not as given"
    generations = [here]
    for _ in range(period):
        generations.append(_next(generations[-1], law))
    if generations[-1] != here or (period > 1 and generations[1] == here):
        return f"it does not have the period {period}"
    return differ("value", shown["value"], len(here)) if shown["measure"] == "cells" else ""


def _live(rle: str) -> tuple[set[Place], Place]:
    """The live cells of an RLE, and its place."""
    left, top, cells, x, y, count = 0, 0, set[Place](), 0, 0, ""
    for line in rle.splitlines():
        if line.startswith("#CXRLE Pos="):
            left, top = map(int, line.removeprefix("#CXRLE Pos=").split(","))
        if line.startswith(("#", "x")):
            continue
        for sign in line:
            if sign.isdigit():
                count += sign
                continue
            number, count = int(count or 1), ""
            if sign == "$":
                x, y = 0, y + number
            elif sign == "o":
                cells |= {(x + i, y) for i in range(number)}
            x += number * (sign in "bo")
    return cells, (left, top)


def _next(cells: set[Place], law: Law) -> set[Place]:
    near = {(x + dx, y + dy) for x, y in cells for dx, dy in BLOCK}
    return {place for place in near if law.table[_block(cells, place)]}


def _block(cells: set[Place], place: Place) -> int:
    number = 0
    for dx, dy in BLOCK:
        number += number + ((place[0] + dx, place[1] + dy) in cells)
    return number


# Brute force.
def fewest(rows: Rows, margin: int, law: Law) -> int | None:
    """The fewest cells, up to MOST, of a still life that contains a piece, within a margin."""
    return next((most for most in range(1, MOST + 1) if next(_still(rows, margin, law, most), None)), None)


def _still(rows: Rows, margin: int, law: Law, most: int) -> Iterator[frozenset[Place]]:
    """The still lifes within a margin around a piece with so many cells: depth-first, row by row."""
    known = {(x, y): cell == "O" for y, row in enumerate(rows) for x, cell in enumerate(row) if cell != "?"}
    right, bottom = len(rows[0]) + margin, len(rows) + margin
    places = [(x, y) for y in range(-margin, bottom + 2) for x in range(-margin - 1, right + 2)]
    later = [sum(known.get(place, False) for place in places[number:]) for number in range(len(places) + 1)]
    live: set[Place] = set()

    def extend(number: int) -> Iterator[frozenset[Place]]:
        if len(live) + later[number] > most:
            return
        if number == len(places):
            yield frozenset(live)
            return
        x, y = places[number]
        inside = -margin <= x < right and -margin <= y < bottom
        for alive in (False, True) if (x, y) not in known and inside else (known.get((x, y), False),):
            if alive:
                live.add((x, y))
            if bool(law.table[_block(live, (x - 1, y - 1))]) == ((x - 1, y - 1) in live):
                yield from extend(number + 1)
            live.discard((x, y))

    yield from extend(0)


def fewest_of_period_2(rows: Rows, margin: int, law: Law) -> int | None:
    """The fewest cells of generation 0 of an oscillator of period 2 that contains a piece, within a margin."""
    width, height = len(rows[0]) + 2 * margin, len(rows) + 2 * margin
    known = {(x + margin, y + margin): cell for y, row in enumerate(rows) for x, cell in enumerate(row) if cell != "?"}
    places = [(x, y) for y in range(height) for x in range(width) if (x, y) not in known]
    first = every_filling(width, height, places)
    for (x, y), cell in known.items():
        first[:, y, x] = cell == "O"
    first = np.pad(first, ((0, 0), (1, 1), (1, 1)))
    second = next_generation(first, law)
    third = next_generation(second, law)
    outside = np.ones(first.shape[1:], bool)
    outside[1:-1, 1:-1] = False
    fine = (third == first).all((1, 2)) & (second != first).any((1, 2)) & ~(second[:, outside].any(1))
    return int(first[fine].sum((1, 2)).min()) if fine.any() else None
