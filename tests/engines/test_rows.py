"""Row by row: ships of a given width and any length."""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import satlife
from commands import observed, run
from events import PATIENCE, deadline_when
from satlife import native
from satlife.engines.engine import Budget
from satlife.engines.events import Progress
from satlife.engines.rows.cpu import bands, kernel, narrow, tables, wide
from satlife.engines.rows.cpu import search as rowsearch
from satlife.engines.rows.cpu.search import FrontierSearch, one_of_twins
from satlife.engines.rows.cpu.tables import SYMMETRIES, Tables
from satlife.engines.rows.engine import RowEngine
from satlife.engines.rows.forest import follows_the_rule
from satlife.engines.rows.question.boxes import strip_of
from satlife.engines.rows.question.lattice import RowLattice
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.run import RowRun
from satlife.engines.rows.ships import RowSearch
from satlife.errors import InputError, LimitError
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, Rule
from satlife.life.simulate import generations
from satlife.limits import Limits
from satlife.problem import families
from satlife.problem.ask import Ask
from satlife.problem.openbox import Mirror, OpenBox

SIDES: tuple[Literal["x", "y"], ...] = ("x", "y")

COPPERHEAD = "b2o2b2o$3b2o$3b2o$obo2bobo$o6bo2$o6bo$b2o2b2o$2b4o2$3b2o$3b2o!"


def first_ship(box: OpenBox, jobs: int = 1) -> tuple[satlife.Outcome | None, RowSearch]:
    search = RowSearch.start(box, jobs, 200)
    return next(search.finds(), None), search


@pytest.mark.parametrize(("p", "k"), [(3, 1), (4, 1), (4, 2), (5, 2), (6, 2), (6, 3), (7, 3), (10, 1), (12, 5)])
def test_the_rows_are_a_sequence(p: int, k: int) -> None:
    lattice = RowLattice(p, k)
    places = [lattice.place(i) for i in range(6 * p)]
    assert [lattice.index(y, t) for y, t in places] == list(range(6 * p))
    assert (lattice.ahead < 0).all()  # what the rule decides is known when it is needed
    assert (lattice.back < 0).all()
    for i in range(2 * p, 6 * p):
        y, t = places[i]
        earlier = (y, t - 1) if t else (y - k, p - 1)
        assert lattice.place(i + int(lattice.back[i % p])) == earlier


@pytest.mark.parametrize(("p", "k"), [(3, 1), (5, 2), (4, 2), (6, 2), (6, 3), (6, 4), (9, 6), (12, 8)])
def test_a_window_is_the_same_in_any_generation(p: int, k: int) -> None:
    """A pattern of random rows and the same one some generations later have the same windows, at places that are
    multiples of the common factor; and another pattern has others."""
    lattice, factor = RowLattice(p, k), math.gcd(p, k)

    def key(place: int, later: int, seed: int) -> bytes:
        """The window before a place of what began `later` generations ago."""
        rows = []
        for y, t in map(lattice.place, range(place - 2 * p, place)):
            since = t - later
            y, t = y + k * (since // p), since % p
            rows.append(random.Random(f"{seed} {y} {t}").randrange(1 << 16))
        window = np.array([rows], np.uint16)
        return one_of_twins(window, [], lattice.delays(place)).tobytes()

    met = 0
    for place, later in itertools.product(range(8 * p, 9 * p, factor), range(1, p)):
        y, t = lattice.place(place)  # the first of the rows after the window
        moved = lattice.index(y + k * ((t + later) // p), (t + later) % p) // factor * factor
        assert key(place, 0, 1) == key(moved, later, 1) != key(moved, later, 2)
        met += 1
    assert met == p // factor * (p - 1)
    assert not any(lattice.delays(place) for place in range(8 * p, 9 * p) if place % factor)


@pytest.mark.parametrize("dx", [-3, 0, 1, 2])
def test_the_window_follows_the_ship(dx: int) -> None:
    lattice = RowLattice(4, 1, dx)
    assert (lattice.offset(0), lattice.offset(4)) == (0, dx)
    assert lattice.shift.sum() == dx
    assert abs(lattice.shift).max() <= 1


def test_a_known_ship_is_a_path_that_no_look_ahead_forbids() -> None:
    ship = Pattern.from_rle(f"x = 8, y = 12, rule = B3/S23\n{COPPERHEAD}\n")
    phases = list(itertools.islice(generations(ship), 10))
    lattice = RowLattice(10, 1)
    left, right = min(p.x for p in phases), max(p.x + p.width for p in phases)
    middle, width = (left + right) // 2, (right - left) // 2
    rows: dict[int, int] = {}
    for t, phase in enumerate(phases):
        for x, y in phase.points():
            if x >= middle:
                i = lattice.index(y, t)
                rows[i] = rows.get(i, 0) | 1 << (x - middle)
    start = (min(rows) // 10 - 4) * 10
    sequence = np.zeros(max(rows) - start + 60, np.int64)
    for i, row in rows.items():
        sequence[i - start] = row
    with_sets = tables.make_tables(LIFE.array, width, tables.EVEN, lattice)
    in_bands = as_if_wide(LIFE.array, width, tables.EVEN, lattice)
    for i in range(40, len(sequence), 27):  # all phases in turn
        above, this, becomes = sequence[i - 20], sequence[i - 10], sequence[i + lattice.ahead[i % 10]]
        for ways in (with_sets, in_bands):
            assert sequence[i] in following(ways, above, this, becomes)
            assert sequence[i] in passing(ways, sequence, i)


def as_if_wide(rule: np.ndarray[tuple[int], np.dtype[np.uint8]], width: int, code: int, lattice: RowLattice) -> Tables:
    """The tables of rows that are too wide for sets."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "NARROW", 0)
        return tables.make_tables(np.asarray(rule, np.uint8), width, code, lattice)


# Kernels of our own, which call those under test and are compiled again when these change.
ROWS = Path(kernel.__file__).parent
MODULES = "bands", "chains", "narrow", "sets", "tables", "vectors", "wide"
calling = native.kernel(*(str(ROWS / name) for name in MODULES))


@calling
def listed(ways: Any, a: Any, b: Any, c: Any, shift: Any) -> Any:
    words, end = ways.numbers[tables.WORDS], np.int64(0)
    for word in range(words):
        end = narrow.put_rows(ways, narrow.successors(ways, a, b, c, shift, word), word, end)
    number, rank = np.int64(ways.order[tables.RANKS + b]), np.int64(ways.order[tables.RANKS + c])
    images = ways.sets[(narrow.images(ways, a, shift) + number) * words + (rank >> 6)]
    return end, (images >> np.uint64(rank & 63)) & np.uint64(1) != np.uint64(0)


@calling
def walked(ways: Any, a: Any, b: Any, c: Any, shift: Any) -> Any:
    return wide.walk(ways, a, b, c, shift, np.int64(0))


@calling
def filtered(ways: Any, a: Any, b: Any, c: Any, above: Any, below: Any) -> Any:
    top = np.int64(1)
    wide.put_images(ways, above, below, np.int64(0), np.int64(0), np.int64(0))
    return top, wide.put_successors(ways, a, b, c, np.int64(0), np.int64(0), top)


def passing(ways: Tables, rows: np.ndarray[tuple[int], np.dtype[np.int64]], place: int) -> list[int]:
    """The rows that pass the look-ahead at a place, below the rows before it."""
    before = rows[None, place - 2 * int(ways.numbers[tables.PERIOD]) : place].astype(np.uint16)
    out, scratch = np.zeros((2, 1 << ways.numbers[tables.WIDTH]), np.int64), np.zeros(before.size + 1, np.int64)
    stack = np.zeros((2, tables.LEVEL), np.int64)
    count, done, _ = kernel.expand(ways, before, np.full((1, 2), -1), place, *out, 0, 0, scratch, stack)
    assert done == 1
    return out[0, :count].tolist()  # type: ignore[no-any-return]


def following(ways: Tables, a: int, b: int, c: int, shift: int = 0) -> list[int]:
    if not ways.numbers[tables.IS_NARROW]:
        return ways.pool[: walked(ways, a, b, c, shift)].tolist()  # type: ignore[no-any-return]
    end, any_row = listed(ways, a, b, c, shift)
    rows: list[int] = ways.pool[:end].tolist()
    assert bool(rows) == any_row
    return rows


def wide_row(question: Strip, row: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    half = [row >> i & 1 for i in range(question.free)]
    left = {"odd": half[:0:-1], "even": half[::-1], "gutter": [*half[::-1], 0], "none": []}[question.symmetry]
    return np.array([*left, *half], np.uint8)


@pytest.mark.parametrize(
    ("width", "period", "displacement"), [(4, 4, (1, -1)), (4, 4, (-1, 1)), (5, 4, (0, -2)), (6, 4, (0, 2))]
)
def test_diagonal_ships_and_common_factors(width: int, period: int, displacement: tuple[int, int]) -> None:
    outcome, _ = first_ship(OpenBox(width, period, displacement))
    assert outcome is not None
    assert outcome.pattern is not None
    found = satlife.identify(outcome.pattern)
    assert (found.period, found.displacement) == (period, displacement)


def test_a_complete_search_finds_all_ships_of_a_box() -> None:
    """Every c/2-type ship that fits into 5x7, listed by a solver, is among those found row by row."""
    rule = Rule.parse("B3/S23")
    search = RowSearch.start(OpenBox(5, 4, (0, -2), rule), 1, 100)
    found = {outcome.apgcode for outcome in itertools.islice(search.finds(), 20)}
    listed = {o.apgcode for o in satlife.enumerate_all(families.spaceship((5, 6), 4, (0, -2)), distinct=True)}
    assert listed
    assert listed <= found


def test_saved_partials_lead_to_the_same_ship(tmp_path: Path) -> None:
    box = OpenBox(12, 3, (0, -1), symmetry="D2|")
    search = RowSearch.start(box, 1, 300)
    whole = next(search.finds())
    early = RowSearch.start(box, 1, 300)
    steps = itertools.count()

    class Enough(Exception):
        pass

    def stop(progress: object) -> None:
        if next(steps) == 30:
            raise Enough

    with pytest.raises(Enough):
        next(early.finds(watch=stop))
    text = early.save().text
    later = RowSearch.start(box, 1, 300)
    later.load(text)
    assert next(later.finds()).apgcode == whole.apgcode
    other = RowSearch.start(OpenBox(13, 5, (0, -2), symmetry="D2|"), 1, 100)
    with pytest.raises(InputError, match="another question"):
        other.load(text)
    for wrong in (
        "{",
        "[]",
        '{"partials of": 3}',
        text.replace('"depth": ', '"depth": "x", "y": '),
        text.replace("fronts", "f"),
        text.replace('"depth": ', '"depth": Infinity, "y": '),
        json.dumps({**json.loads(text), "ready": [[1, 2, 3, 4, 5]]}),
        json.dumps({**json.loads(text), "ready": [[0, 0, 0, 1]]}),  # a partial ship, but no whole one
        json.dumps({**json.loads(text), "found": 3}),
    ):
        with pytest.raises(InputError):
            RowSearch.start(box, 1, 100).load(wrong)
    finished = RowSearch.start(box, 1, 100)
    finished.load(json.dumps({**json.loads(text), "fronts": [], "ready": []}))
    assert not list(finished.finds())


@pytest.mark.parametrize(
    "box",
    [
        OpenBox(5, 4, (1, -1)),
        OpenBox(5, 4, (0, -2)),
        OpenBox(5, 4, (0, -2), along="x"),
        OpenBox(9, 5, (0, 0), symmetry="D2|"),
        OpenBox(4, 2, (0, -1), Rule.parse("B2456/S02346H")),
        OpenBox(5, 2, (0, 0)),
    ],
    ids=str,
)
def test_ships_that_nobody_has_asked_for_are_saved(box: OpenBox) -> None:
    """A find that was interrupted before it was shown is shown later; every whole ship passes the check."""
    early = RowSearch.start(box, 1, 100)
    rows = next(early.search.ships())
    later = RowSearch.start(box, 1, 100)
    later.load(early.save().text)
    assert rows in later.search.ready


def test_rules_that_tell_left_from_right() -> None:
    """A hexagonal rule is not its own mirror image: the rows must be read in the right order."""
    rule = Rule.parse("B256/S26H")
    closed = satlife.find(families.spaceship((5, 5), 3, (1, -1), rule=rule))
    outcome, _ = first_ship(OpenBox(8, 3, (1, -1), rule))
    assert closed.status == "found"
    assert outcome is not None
    other = Rule.parse("B2456/S02346H")  # all its ships of this width have period 2
    upward, search = first_ship(OpenBox(4, 4, (0, -2), other))
    assert (upward, search.complete, search.left_out > 0) == (None, False, True)
    assert satlife.find(families.spaceship((4, 7), 4, (0, -2), rule=other)).status == "none"
    assert first_ship(OpenBox(4, 2, (0, -1), other))[0] is not None
    with pytest.raises(InputError, match="upward"):
        OpenBox(5, 3, (1, 1), rule)


def widths(*rules: str) -> list[tuple[int, str]]:
    """Rows of up to three free cells, each in one of these rules."""
    return list(zip((1, 2, 3), itertools.cycle(rules)))


@pytest.mark.parametrize("wave", [False, True])
@pytest.mark.parametrize(("free", "rule"), widths("B3/S23", "B3~2ei4/S23~16", "B2-a3~4/S1c23-a~08"))
def test_what_three_rows_become_is_what_sets_and_automaton_say(free: int, rule: str, wave: bool) -> None:
    """Against the rule itself, in every symmetry; a wave lies on a cylinder."""
    size, life = 1 << free, Rule.parse(rule)
    table = np.asarray(life.constraint, np.uint8)
    for code, name in enumerate(SYMMETRIES):
        width = {"odd": 2 * free - 1, "even": 2 * free, "gutter": 2 * free + 1, "none": free}[name]
        for move in [(0, -1), (1, -1), (-1, -1)] if name == "none" else [(0, -1)]:
            question = Strip(life, width, 3, move, name, wave=wave)
            plain, lattice = Reference(question), question.lattice
            ways = [tables.make_tables(table, free, code, lattice, wave=wave)]
            if free == 3 and not wave:
                ways.append(as_if_wide(life.constraint, free, code, lattice))
            a, b, d = (axis.ravel() for axis in np.indices((size, size, size)))
            for shift in set(lattice.shift.tolist()):
                becomes = question.becomes(a, b, d, np.full_like(a, shift)).reshape(size, size, size)
                triples = list(itertools.product(range(size), repeat=3))
                for x, y, c in random.Random(code).sample(triples, min(len(triples), 40)):
                    expected = plain.below(x, y, c, shift)
                    assert np.nonzero(becomes[x, y] == c)[0].tolist() == expected
                    assert all(sorted(following(way, x, y, c, shift)) == expected for way in ways)


@pytest.mark.parametrize(("displacement", "along"), [((0, 1), "y"), ((-1, 0), "x")])
def test_waves_in_other_directions(displacement: tuple[int, int], along: Literal["x", "y"]) -> None:
    box = OpenBox(8, 2, displacement, along=along, wave=True)
    outcome, _ = first_ship(box)
    assert outcome is not None
    assert (outcome.problem.kind, outcome.problem.wrap) == ("wave", (along == "y", along == "x"))
    assert box.case(outcome.problem) == outcome.problem
    assert OpenBox.from_dict(box.to_dict()) == box
    for wrong in ("xy", "x" if along == "x" else "y", "", 3):
        with pytest.raises(InputError):
            OpenBox.from_dict({**box.to_dict(), "wrap": wrong})
    with pytest.raises(InputError):
        OpenBox(8, 2, displacement, along=along).case(outcome.problem)
    with pytest.raises(InputError):
        OpenBox(7, 2, displacement, along=along, wave=True).case(outcome.problem)


def test_waves_from_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATLIFE_STORE", str(tmp_path / "store.db"))
    found = run("wave", "8x*", "-d", "c/2", "--json")
    data = json.loads(found.stdout)
    assert (found.returncode, data["problem"]["kind"], data["problem"]["wrap"]) == (0, "wave", "x")
    file = tmp_path / "wave.rle"
    file.write_text(data["pattern"]["rle"])
    assert run("verify", str(file)).returncode == 0
    none = run("wave", "4x*", "-p", "5", "-d", "0,-1")
    assert none.returncode == 20
    words = "no wave: every wave of period 5 that moves by (0,-1) and repeats itself every 4 columns was considered"
    assert words in none.stderr
    assert "already searched: B3/S23 wave 4x* -p 5 -d 0,-1: none" in run("wave", "4x*", "-p", "5", "-d", "0,-1").stderr
    assert "already searched" not in run("spaceship", "4x*", "-p", "5", "-d", "0,-1").stderr
    written = tmp_path / "question.toml"
    written.write_text(run("wave", "*x4", "-p", "5", "-d", "1,0", "--print-problem").stdout)
    assert "already searched" in run("search", str(written)).stderr  # the same question, turned
    head = tmp_path / "head.rle"
    head.write_text("3o!")
    for arguments, words in [
        (["6x*", "-p", "3"], "moves along its open side"),
        (["6x*", "-p", "3", "-d", "1,0"], "moves along its open side"),
        (["12x*", "-p", "3", "-d", "0,-1"], "waves are searched row by row up to 10 columns"),
        (
            ["6x*", "-p", "3", "-d", "0,-1", "--from", str(head)],
            "a head is that of a ship in a box that is open along its way",
        ),
        (["6x6", "-p", "3", "-d", "0,-1", "--gutter"], "--gutter is for an open box"),
        (["6x*", "-p", "3", "-d", "0,-1", "--population", "<=5"], "--population does not go together"),
    ]:
        wrong = run("wave", *arguments)
        assert wrong.returncode in (1, 2), arguments
        assert words in wrong.stderr.replace("\n", " "), (arguments, wrong.stderr)


@pytest.mark.parametrize("free", [10, 16])
def test_rows_that_a_band_forbids_are_left_out(free: int) -> None:
    """Of the rows that may follow those are left that, in each band, something can become; and those that something can
    become as a whole are among them.  Those with few live cells come first."""
    rng = random.Random(free)
    question = Strip(LIFE, free, 4, (0, -1))
    ways = tables.make_tables(LIFE.array, free, tables.PLAIN, question.lattice)
    parts = [PlainBand(question, number) for number in range(bands.count(free))]
    left_out = 0
    for _ in range(10):
        a, b, d, above, below = (rng.getrandbits(free) & rng.getrandbits(free) for _ in range(5))
        c = int(question.becomes(*(np.array([row]) for row in (a, b, d, 0)))[0])
        if c < 0:
            continue
        top, end = filtered(ways, a, b, c, above, below)
        kept, every = ways.pool[top:end].tolist(), following(ways, a, b, c)
        images = [(part, part.images(part.cells(above), part.cells(below), 0)) for part in parts]
        expected = [row for row in every if all(here >> part.cells(row) & 1 for part, here in images)]
        assert kept == sorted(expected, key=lambda row: (row.bit_count(), row))
        assert {row for row in every if following(ways, above, below, row)} <= set(kept)
        left_out += len(every) - len(kept)
    assert left_out > 20


@pytest.mark.parametrize("name", SYMMETRIES)
def test_what_rows_become_where_a_ship_ends(name: Mirror) -> None:
    """In every band and with every ending, against trial of all rows below; a forbidden neighbourhood is among them."""
    rng, free = random.Random(name), 13
    rule = Rule.parse("B3~8/S23~0")
    width = {"odd": 2 * free - 1, "even": 2 * free, "gutter": 2 * free + 1, "none": free}[name]
    strip, becomes = (
        Strip(rule, width, 4, (0, -1), name),
        tables.columns(np.asarray(rule.constraint), SYMMETRIES.index(name)),
    )
    for number, kind in enumerate((bands.FIRST, bands.MIDDLE, bands.LAST_BAND)):
        plain = PlainBand(strip, number)
        for ending in bands.ENDINGS:
            images = bands.images(becomes, kind, 0, ending).reshape(1 << bands.BAND, 1 << bands.BAND, -1)
            pairs = [(rng.getrandbits(8), rng.choice([0, rng.getrandbits(8) & rng.getrandbits(8)])) for _ in range(12)]
            found = [sum(int(word) << 64 * n for n, word in enumerate(images[pair])) for pair in pairs]
            assert found == [plain.images(*pair, 0, ending) for pair in pairs], (number, ending)
            assert any(found), (number, ending)


def has_ship_so_long(strip: Strip, longest: int, most: int) -> bool | None:
    """Whether there is a ship of so many rows at most: all rows by trial, without looking ahead; None if `most` windows
    are too few."""
    reference, p = Reference(strip), strip.period
    front = {(0,) * 2 * p + (0,)}  # the last number says whether something was alive
    for place in range(strip.first, strip.first + longest + 2 * p):
        following = set()
        for *rows, lived in front:
            for row in reference.below(rows[0], rows[p], rows[2 * p + strip.lattice.ahead[place % p]], 0):
                if row == 0 or place < strip.first + longest:
                    following.add((*rows[1:], row, int(lived or row > 0)))
        front = following
        if len(front) > most:
            return None
    return any(lived for *_, lived in front)


def test_ships_of_limited_length_against_a_plain_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """With sets of whole rows and with bands, which know how a ship ends; breadth first, and in depth."""
    ways = ((0, 3), (tables.NARROW, 500)), ((0, 500), (tables.NARROW, 3))
    rng, met = random.Random(6), {True: 0, False: 0}
    while min(met.values()) < 1:
        strip = random_strip(rng)
        if strip.wave or strip.displacement[0]:
            continue
        factor = math.gcd(strip.period, strip.displacement[1])  # so many rows follow each other in any order
        for number, longest in enumerate(sorted(rng.sample(range(factor, 5 * strip.period, factor), 2 + CASES // 12))):
            expected = has_ship_so_long(strip, longest, 500)
            if expected is None:
                break
            if met[expected] > 2 * CASES:  # few have a ship: a hundred others on the way to them would show no more
                continue
            for narrowest, queue in ways[number % 2]:
                monkeypatch.setattr(tables, "NARROW_IN_A_BOX", narrowest)
                search = FrontierSearch(strip, queue=queue, longest=longest)
                ships = list(search.ships())
                assert search.complete
                assert bool(ships) == expected, (strip, longest, narrowest, queue)
            met[expected] += 1


@pytest.mark.parametrize("free", [5, 8, 10])
def test_what_follows_rows_of_every_width(free: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against trial of all rows; those with few live cells come first."""
    monkeypatch.setattr(tables, "WHOLE", tables.NARROW)
    rng, life = random.Random(free), Rule.parse("B2-a3/S1c23-a")
    every = np.arange(1 << free)
    for code, name in enumerate(SYMMETRIES):
        width = {"odd": 2 * free - 1, "even": 2 * free, "gutter": 2 * free + 1, "none": free}[name]
        question = Strip(life, width, 4, (1 if name == "none" else 0, -1), name)
        ways = tables.make_tables(np.asarray(life.array, np.uint8), free, code, question.lattice)
        for shift in sorted(set(question.lattice.shift.tolist())):
            a, b = rng.randrange(1 << free), rng.randrange(1 << free)
            after = question.becomes(every * 0 + a, every * 0 + b, every, every * 0 + shift)
            for c in [*rng.sample(range(1 << free), 5), *rng.sample(after[after >= 0].tolist() or [0], 1)]:
                expected = sorted(every[after == c].tolist(), key=lambda row: (row.bit_count(), row))
                assert following(ways, a, b, c, shift) == expected, (name, shift, a, b, c)


def test_of_ten_columns_only_waves_and_what_moves_along_the_rows_have_sets() -> None:
    along, across = RowLattice(3, 1), RowLattice(3, 0, 1)
    assert tables.is_narrow(9, along, wave=False)
    assert not tables.is_narrow(10, along, wave=False)
    assert tables.is_narrow(10, along, wave=True)
    assert tables.is_narrow(10, across, wave=False)


@pytest.mark.parametrize("box", [OpenBox(6, 3, (0, -1)), OpenBox(9, 3, (0, -1), symmetry="D2|")])
def test_the_same_ships_without_sets(box: OpenBox, monkeypatch: pytest.MonkeyPatch) -> None:
    def finds() -> tuple[list[str | None], bool]:
        search = RowSearch.start(box, 2)
        return [outcome.apgcode for outcome in search.finds()], search.complete

    with_sets = finds()
    monkeypatch.setattr(tables, "NARROW", 0)
    assert finds() == with_sets
    assert with_sets[1]


@pytest.mark.parametrize(
    ("rule", "period", "step", "apgcode"),
    [
        ("B2ace3ekn4-akqry/S01e2cen3ajknr4aceq", 4, 3, "xq4_2baooi"),
        ("B2ac3c4-inqt5-ejkq/S02ai3-ace4eknqwz5eijnq", 4, 3, "xq4_15ana2"),
        ("B2-ik3eq4aceiqy5cjk/S1e2cin3ijkny4ijqryz5-ajy", 5, 4, "xq5_26rd29"),
    ],
)
def test_ships_faster_than_the_look_ahead_can_see(rule: str, period: int, step: int, apgcode: str) -> None:
    """Their windows do not reach back three generations."""
    search = RowSearch.start(OpenBox(6, period, (0, -step), Rule.parse(rule)), 1)
    assert apgcode in {outcome.apgcode for outcome in itertools.islice(search.finds(), 20)}


def test_a_search_goes_on_after_a_find() -> None:
    box = OpenBox(8, 4, (1, -1))
    straight = RowSearch.start(box, 1, 100)
    finds = straight.finds()
    first, second = next(finds).apgcode, next(finds).apgcode
    one = RowSearch.start(box, 1, 100)
    assert next(one.finds()).apgcode == first
    two = RowSearch.start(box, 1, 100)
    two.load(one.save().text)
    assert next(two.finds()).apgcode == second


def test_several_ships_of_one_family() -> None:
    """The lightweight spaceship and a larger one end alike, in different generations."""
    box = OpenBox(8, 4, (0, -2))
    some = {outcome.apgcode for outcome in RowSearch.start(box, 1, 100, several=True).finds()}
    assert {"xq4_6frc", "xq4_fh1izwosmczx11"} <= some
    assert {outcome.apgcode for outcome in RowSearch.start(box, 1, 100).finds()} < some


@pytest.mark.parametrize(("owner", "name", "moment"), [(RowSearch, "_outcome", 1), (FrontierSearch, "_grow", 4)])
def test_an_interrupt_loses_no_ship(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, moment: int) -> None:
    """Neither one that is being looked at nor partial ships, in the same search or in one from a file."""
    box, unharmed = OpenBox(5, 4, (0, -2)), getattr(owner, name)
    calls = itertools.count(1)

    def interrupted(self: object, *given: object) -> object:
        result = unharmed(self, *given)
        if next(calls) == moment:
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(owner, name, interrupted)
    search, later = RowSearch.start(box, 1), RowSearch.start(box, 1)
    with pytest.raises(KeyboardInterrupt):
        list(search.finds())
    later.load(search.save().text)
    search.search.limits = Limits()
    for again in (search, later):
        assert [outcome.apgcode for outcome in again.finds()] == ["xq4_6frc"]
        assert again.complete


def test_a_signal_ends_all_threads(tmp_path: Path) -> None:
    saved, place = tmp_path / "partials.json", "satlife.engines.rows.cpu.search:FrontierSearch._sieve"
    command = ("spaceship", "15x*", "-p", "5", "-d", "0,-1", "--jobs", "2", "--save", str(saved))
    with observed(place, tmp_path, *command) as process:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, f"go on with --from {saved}" in errors) == (130, True)
    assert json.loads(saved.read_text())["fronts"]


def test_little_memory() -> None:
    ample, scarce = RowSearch.start(OpenBox(8, 3, (0, -1)), 1), RowSearch.start(OpenBox(8, 3, (0, -1)), 1)
    assert isinstance(scarce.search, FrontierSearch)
    scarce.search._most_seen = 0
    assert {find.apgcode for find in ample.finds()} == {find.apgcode for find in scarce.finds()}


@pytest.mark.parametrize("width", [11, 16])
def test_little_time(width: int) -> None:
    search, looks, last = RowSearch.start(OpenBox(width, 5, (0, -1)), 1), itertools.count(1), 3
    with deadline_when(lambda: next(looks) >= last) as deadline:
        search.search.limits = Limits(deadline)
        assert next(search.finds(), None) is None
    assert next(looks) < last + 50  # it ended soon after it had seen that the time was up
    assert not search.complete


@pytest.mark.parametrize(("width", "period", "displacement"), [(6, 3, (0, -1)), (5, 4, (1, -1))])
def test_threads_have_their_images_in_common(width: int, period: int, displacement: tuple[int, int]) -> None:
    """After every row the partial ships are those of one thread, whose images are built when they are needed."""
    strip = Strip(LIFE, width, period, displacement, "none")
    alone, together = (FrontierSearch(strip, jobs, 100, queue=4) for jobs in (1, 2))
    assert sorted(map(tuple, alone.ships())) == sorted(map(tuple, together.ships()))
    assert alone.counts == together.counts
    first, second = together.tables
    assert first.sets is second.sets
    assert first.scratch is not second.scratch
    assert first.flags[tables.IMAGED :].all()
    images = alone.tables[0].numbers[tables.PAIRS] * alone.tables[0].numbers[tables.WORDS]
    built = np.repeat(alone.tables[0].flags[tables.IMAGED :] > 0, images // len(first.flags[tables.IMAGED :]))
    assert built.any()
    assert (first.sets[:images][built] == alone.tables[0].sets[:images][built]).all()


@pytest.mark.parametrize(("width", "longest"), [(7, 0), (10, 26)])
def test_a_ship_does_not_wait_for_the_end_of_a_search_in_depth(
    width: int, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told as soon as it is met; the same ships are found, and as many partial ships after every row."""
    found = []
    for waiting in (0.0, math.inf):
        monkeypatch.setattr(rowsearch, "WAITING", waiting)
        search = FrontierSearch(Strip(LIFE, width, 4, (0, -2)), queue=3, longest=longest)
        told = [(tuple(rows), search._under_way is None) for rows in search.ships()]
        assert search.complete
        assert all(is_over for _, is_over in told) == (waiting > 0)
        found.append((sorted(rows for rows, _ in told), search.counts))
    assert found[0] == found[1]


@pytest.mark.parametrize("longest", [16, 26])
def test_threads_in_a_box_come_to_the_same_as_one(longest: int) -> None:
    """In bands, whose look-ahead knows the end: the ships, and how many partial ships there are after every row."""
    alone, together = (FrontierSearch(Strip(LIFE, 10, 4, (0, -2)), jobs, queue=60, longest=longest) for jobs in (1, 2))
    assert sorted(map(tuple, alone.ships())) == sorted(map(tuple, together.ships()))
    assert alone.counts == together.counts
    assert alone.complete
    assert together.complete


def row_run(problem: satlife.Problem) -> RowRun:
    return RowRun(problem, strip_of(problem), Budget())


def test_the_rows_of_a_box_are_those_of_all_its_generations() -> None:
    """Where period and displacement have a common factor, several rows come at the same time."""
    for period, forward, height in itertools.product(range(2, 10), range(1, 9), (9, 12)):
        if forward >= period:
            continue
        lattice = RowLattice(period, forward)
        places = [lattice.index(y, t) for y in range(height) for t in range(period)]
        boxed = strip_of(families.spaceship((9, height), period, (0, -forward)))
        assert boxed.longest == max(places) - min(places) + 1, (period, forward, height)


def test_beside_the_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    problem = families.spaceship((12, 13), 3, (0, -1), symmetry="D2v", centred=True)
    assert RowEngine().suits(Ask(problem), Budget())
    assert not RowEngine().suits(Ask(families.spaceship((12, 13), 3, (0, -1), population="<=20")), Budget())
    assert not RowEngine().suits(Ask(families.oscillator((12, 13), 3)), Budget())
    beside = row_run(problem)
    look = beside.search

    def watched() -> satlife.Outcome | None:
        seen.append(beside.threads)
        return look()

    monkeypatch.setattr(beside, "search", watched)
    beside.begin().join()
    assert (seen, beside.threads, beside.ended) == ([1], 0, True)
    assert isinstance(beside.answer, satlife.Outcome)
    assert (beside.answer.status, beside.answer.problem) == ("found", problem)
    empty = row_run(families.spaceship((6, 9), 3, (0, -1)))
    empty._run()
    told = empty.events[0]
    assert isinstance(told, Progress)
    assert told.who == "row by row"
    assert re.fullmatch(r"row \d+, [\d,]+ partial ships", told.words)
    assert isinstance(empty.answer, satlife.Outcome)
    assert empty.answer.status == "none"
    small = row_run(families.spaceship((12, 8), 3, (0, -1), symmetry="D2v"))
    small._run()
    assert isinstance(small.answer, satlife.Outcome)  # longer ships, of which there are some, are not looked for
    assert small.answer.status == "none"


def test_from_the_shell(tmp_path: Path) -> None:
    saved = tmp_path / "partials.json"
    result = run("spaceship", "12x*", "-p", "3", "-d", "0,-1", "-s", "D2v", "--json")
    data = json.loads(result.stdout)
    assert (result.returncode, data["status"], data["strategy"]) == (0, "found", "row by row")
    none = run("spaceship", "6x*", "-p", "3", "-d", "0,-1")
    assert none.returncode == 20
    assert "of any length" in none.stderr
    every = run("spaceship", "6x*", "-p", "3", "-d", "0,-1", "-n", "all")
    assert (every.returncode, "of any length" in every.stderr) == (20, True)
    late = run("spaceship", "10x*", "-p", "4", "-d", "0,-1", "-n", "all", "--time", "0.1")
    assert (late.returncode, "undecided" in late.stderr) == (3, True)
    stopped = run(
        "spaceship", "10x*", "-p", "10", "-d", "0,-1", "-s", "D2v", "--time", "0.3", "--save", str(saved), "--json"
    )
    assert (stopped.returncode, json.loads(stopped.stdout)["status"]) == (3, "unknown")
    assert json.loads(saved.read_text())["partials of"]["box"] == [10, "*"]
    for arguments, words in [
        (["8x*", "-p", "4", "-d", "0,0"], "a spaceship moves"),
        (["33x*", "-p", "5", "-d", "0,-1", "-s", "D2v", "-n", "all"], "up to 16 columns"),
        (["8x*", "-p", "4", "-d", "0,-1", "-s", "C2"], "mirror symmetry"),
        (["8x*", "-p", "4", "-d", "0,-1", "--minimize"], "--minimize does not go together"),
        (["8x8", "-p", "4", "-d", "0,-1", "--gutter"], "--gutter is for an open box"),
        (["8x*", "-p", "4", "-d", "0,-5"], "cannot move by"),
        (["8x*", "-p", "4", "-d", "0,-1", "--seed", "0"], "--seed does not go together"),
        (["8x*", "-p", "4", "-d", "0,-1", "--from", str(tmp_path / "nothing")], "nothing"),
        (["*x*", "-p", "4", "-d", "0,-1"], "not a box"),
    ]:
        wrong = run("spaceship", *arguments)
        assert wrong.returncode in (1, 2), arguments
        assert words in wrong.stderr.replace("\n", " "), (arguments, wrong.stderr)
        assert "Traceback" not in wrong.stderr
    assert "can only be searched" in run("encode", "spaceship", "8x*", "-p", "4", "-d", "0,-1").stderr


def test_questions_that_cannot_be_asked() -> None:
    with pytest.raises(InputError, match="two-state"):
        Strip(Rule.parse("B2/S/C3"), 8, 3, (0, -1))
    with pytest.raises(InputError, match="even symmetry"):
        Strip(LIFE, 9, 3, (0, -1), "even")
    with pytest.raises(LimitError, match="period"):
        Strip(LIFE, 9, 30, (0, -1))
    with pytest.raises(InputError, match="gutter"):
        OpenBox(9, 3, (0, -1), gutter=True)
    assert FrontierSearch(Strip(LIFE, 9, 3, (0, -1), "gutter"), 1, 50).strip.free == 4


def test_none_says_which_mirrors_were_considered() -> None:
    """A ship three cells wide has its mirror on a column, so that none is found between columns of four."""
    rule = "B1e2-a3-i45-i6-i7c8/S012-e3-r4-i5-i67c8"
    question = ["-p", "2", "-d", "0,-1", "-s", "D2v", "-r", rule]
    assert run("spaceship", "3x*", *question).returncode == 0
    none = run("spaceship", "4x*", *question)
    assert none.returncode == 20
    assert "is at most 4 columns wide and has its mirror between two of them was considered" in none.stderr


@pytest.mark.parametrize("displacement", [(1, 1), (-1, 1), (1, -1), (-1, -1)])
def test_a_slanted_way_has_no_favourite_side(displacement: tuple[int, int]) -> None:
    """The window of a ship that also moves sideways steps at other generations for its mirror image."""
    for along in SIDES:
        box = OpenBox(3, 4, displacement, along=along)
        outcome, _ = first_ship(box)
        assert outcome is not None
        assert outcome.apgcode == "xq4_153"
        assert box.case(outcome.problem) == outcome.problem


class Reference:
    """A search row by row without any cleverness: sets of windows, rows by trial, the look-aheads by their definitions,
    with sets of whole rows, or with sets in bands as for wide ones."""

    def __init__(self, strip: Strip, is_narrow: bool = True) -> None:
        self.strip, self.lattice, self.p, self.k = strip, strip.lattice, strip.period, -strip.displacement[1]
        self.is_narrow = is_narrow
        self.memo: dict[tuple[int, int, int], dict[int, list[int]]] = {}
        self.bands = [PlainBand(strip, number) for number in range(bands.count(strip.free))]

    def row_after(self, a: int, b: int, d: int, shift: int) -> int | None:
        """What b becomes between a and d; None if a cell outside of the columns is born, or something is forbidden."""
        full = [list(wide_row(self.strip, row)) for row in (a, b, d)]
        if self.strip.wave:
            return self.row_around(full, shift)
        padded = [[0, 0, 0, *map(int, row), 0, 0, 0] for row in full]
        born = {}
        for x in range(1, len(padded[0]) - 1):
            block = [cell for row in padded for cell in row[x - 1 : x + 2]]
            number = int("".join(map(str, block)), 2)
            if number in self.strip.rule.forbidden:
                return None
            born[x - 3] = int(self.strip.rule.array[number])
        begin = len(full[0]) - self.strip.free + shift
        row = sum(born[begin + i] << i for i in range(self.strip.free))
        inside = {begin + i for i in range(self.strip.free)}
        middle = {"odd": 2 * (begin - shift), "even": 2 * (begin - shift) - 1, "gutter": 2 * (begin - shift) - 2}
        if self.strip.symmetry != "none":
            inside |= {middle[self.strip.symmetry] - x for x in inside}
        return None if any(cell and x not in inside for x, cell in born.items()) else row

    def row_around(self, full: list[list[np.uint8]], shift: int) -> int | None:
        """What the middle one of three rows of a cylinder becomes."""
        width, free, born = self.strip.width, self.strip.free, []
        for x in range(width):
            block = [int(row[column % width]) for row in full for column in (x - 1, x, x + 1)]
            number = int("".join(map(str, block)), 2)
            if number in self.strip.rule.forbidden:
                return None
            born.append(int(self.strip.rule.array[number]))
        if self.strip.symmetry == "gutter" and born[width // 2]:
            return None
        return sum(born[(width - free + i + shift) % width] << i for i in range(free))

    def below(self, a: int, b: int, c: int, shift: int) -> list[int]:
        if (a, b, shift) not in self.memo:
            lists: dict[int, list[int]] = {}
            for d in range(1 << self.strip.free):
                after = self.row_after(a, b, d, shift)
                if after is not None:
                    lists.setdefault(after, []).append(d)
            self.memo[a, b, shift] = lists
        return self.memo[a, b, shift].get(c, [])

    def at(self, y: int, t: int) -> int:
        """The place of row y of generation t, which may lie outside of the period."""
        y, t = y + self.k * (t // self.p), t % self.p
        return self.lattice.index(y, t)

    def grown(self, window: tuple[int, ...], place: int) -> list[int]:
        """The rows that may come at a place after the last 2p rows, and pass the look-ahead."""
        rows = dict(zip(range(place - 2 * self.p, place), window, strict=True))
        return (Chains if self.is_narrow else BandChains)(self, rows, place).passing()

    def shift(self, t: int) -> int:
        return self.lattice.offset(t % self.p + 1) - self.lattice.offset(t % self.p)

    def in_any_generation(self, window: tuple[int, ...], place: int) -> tuple[int, ...] | None:
        """The least of the windows before a place that p divides that this one is in another generation; None if there
        is none.  Where columns move sideways the generation matters."""
        p, found = self.p, []
        for delay in range(1 if self.strip.displacement[0] else p):
            moved = {}
            for index, row in zip(range(place - 2 * p, place), window, strict=True):
                y, t = self.lattice.place(index)
                moved[self.at(y, t + delay)] = row
            if min(moved) % p == 0 and max(moved) - min(moved) == 2 * p - 1:
                found.append(self.twin(tuple(moved[index] for index in sorted(moved))))
        return min(found, default=None)

    def twin(self, window: tuple[int, ...]) -> tuple[int, ...]:
        """The least of the images in the same columns."""
        strip = self.strip
        texts = [f"{row:0{strip.free}b}" for row in window]
        turned = [[text[n:] + text[:n] for text in texts] for n in range(strip.free)]
        images = turned if strip.wave and strip.symmetry == "none" else [texts]
        mirrors = strip.symmetry == "none" and strip.displacement[0] == 0 and strip.rule.is_isotropic
        if mirrors or (strip.wave and strip.symmetry == "even"):
            images = [*images, *([text[::-1] for text in image] for image in images)]
        return min(tuple(int(text, 2) for text in image) for image in images)

    def counts(self, rows: int, most: int) -> tuple[list[int], int]:
        """How many partial ships there are after each row, front by front, and how often one is a ship."""
        counts, ships = [], 0
        for start in self.lattice.starts:
            place = 2 * self.p + start
            seen: set[tuple[int, ...] | None] = set()
            front = {(0,) * 2 * self.p}
            while front and place - 2 * self.p - start < rows and len(front) <= most:
                following = {
                    self.twin((*window[1:], row))
                    for window in front
                    for row in self.grown(window, place)
                    if row or any(window)
                }
                place += 1
                elsewhere = {self.in_any_generation(window, place): window for window in following}
                if None not in elsewhere:
                    following = {window for key, window in elsewhere.items() if key not in seen}
                    seen |= elsewhere.keys() - {(0,) * 2 * self.p}
                ships += (0,) * 2 * self.p in following
                front = {window for window in following if any(window)}
                counts.append(len(front))
        return counts, ships


class Chains:
    """The look-ahead of narrow rows, from scratch for every partial ship: for each place whose row is not known, but
    the row above and what that becomes, the rows that may be there, each with the rows that may lie below it."""

    def __init__(self, reference: Reference, rows: dict[int, int], place: int) -> None:
        self.reference, self.rows, self.place = reference, rows, place
        p = reference.p
        self.domains: dict[int, dict[int, set[int]]] = {}
        for known in range(place - p, place):
            self.domains[known] = {rows[known]: self.below_known(known)}
        self.known = {here: dict(domain) for here, domain in self.domains.items()}
        for here in range(place, place + p):
            if self.later(here - p) in rows:
                self.domains[here] = self.revised(here, self.fresh(here))

    def later(self, place: int) -> int:
        y, t = self.reference.lattice.place(place)
        return self.reference.at(y, t + 1)

    def earlier(self, place: int) -> int:
        y, t = self.reference.lattice.place(place)
        return self.reference.at(y, t - 1)

    def shift(self, place: int) -> int:
        return self.reference.shift(self.reference.lattice.place(place)[1])

    def images(self, above: int, row: int, place: int) -> set[int]:
        """What the row at a place can become."""
        self.reference.below(above, row, 0, self.shift(place))
        return set(self.reference.memo[above, row, self.shift(place)])

    def lists(self, place: int, above: int, row: int, becomes: int) -> list[int]:
        return self.reference.below(above, row, becomes, self.shift(place))

    def below_known(self, place: int) -> set[int]:
        """What may lie below a row that is known: what the rows below the one before it can become."""
        rows, p, before = self.rows, self.reference.p, self.earlier(place)
        if before + p in rows:
            return self.images(rows[before], rows[before + p], before)
        below = self.lists(before, rows[before - p], rows[before], rows[place])
        fitting = [row for row in below if row in self.domains[before][rows[before]]]
        return set().union(*(self.images(rows[before], row, before) for row in fitting))

    def fresh(self, place: int) -> list[int]:
        rows, p = self.rows, self.reference.p
        listed = self.lists(place, rows[place - 2 * p], rows[place - p], rows[self.later(place - p)])
        return [row for row in listed if row in self.known[place - p][rows[place - p]]]

    def revised(self, place: int, candidates: Iterable[int]) -> dict[int, set[int]]:
        before, p = self.earlier(place), self.reference.p
        above, found = self.rows[before - p], {}
        for row in candidates:
            found[row] = set[int]().union(
                *(
                    self.images(y, v, before)
                    for y, below in self.domains[before].items()
                    for v in self.lists(before, above, y, row)
                    if v in below
                )
            )
        return {row: below for row, below in found.items() if below}

    def passing(self) -> list[int]:
        p, place = self.reference.p, self.place
        start = dict(self.domains)
        if not all(start.values()):
            return []
        new, out = self.earlier(place) + p, []
        for row, below in start[place].items():
            self.rows[place] = row
            self.domains = {**start, place: {row: below}}
            here = self.later(place)
            while here != new and here in start:
                self.domains[here] = self.revised(here, start[here])
                here = self.later(here)
            self.domains[new] = self.revised(new, self.fresh(new))
            if all(self.domains.values()):
                out.append(row)
            del self.rows[place]
        return out


class PlainBand:
    """One of the bands of a strip, by trial: cells outside of it are unknown, unless they are outside of the strip.  A
    set of rows is a number, with a bit for each row."""

    def __init__(self, strip: Strip, number: int) -> None:
        self.strip, count = strip, bands.count(strip.free)
        self.first = number * max(strip.free - bands.BAND, 0) // (count - 1)
        self.is_first, self.is_last = number == 0, number == count - 1
        self.every = np.arange(1 << bands.BAND)
        self.images, self.fits, self.union = cache(self._images), cache(self._fits), cache(self._union)
        self.can_lie_below = cache(self._can_lie_below)

    def cells(self, row: int) -> int:
        return row >> self.first & len(self.every) - 1

    def after(self, *rows: Any) -> dict[int, Any]:
        """What the columns become that three rows of the band decide, -1 and `BAND` beside them included if these are
        beside the strip; 2 if that is forbidden."""
        last, symmetry = bands.BAND, self.strip.symmetry
        lines = [[row * 0, *(row >> x & 1 for x in range(last)), row * 0, row * 0] for row in rows]  # from column -1 on
        for line in lines:
            if self.is_first and symmetry in ("odd", "even"):
                line[0] = line[2] if symmetry == "odd" else line[1]

        def becomes(triples: list[list[Any]]) -> Any:
            block = sum(cell << (8 - n) for n, cell in enumerate(itertools.chain(*triples)))
            return self.strip.rule.constraint[block]

        found = {x: becomes([line[x : x + 3] for line in lines]) for x in range(0 if self.is_first else 1, last + 1)}
        if self.is_first and symmetry in ("gutter", "none"):
            beyond = [line[1] if symmetry == "gutter" else line[0] for line in lines]
            found[-1] = becomes([[cell, line[0], line[1]] for cell, line in zip(beyond, lines, strict=True)])
        return {x: cell for x, cell in found.items() if self.is_last or x < last - 1}

    def _fits(self, above: int, y: int, z: int, shift: int) -> int:
        """The rows below y that make it z, as far as the band can tell; `above` and y are cells of the band."""
        found = self.every >= 0
        for x, cell in self.after(above, y, self.every).items():
            column = self.first + x - shift
            found &= cell == (z >> column & 1 if column >= 0 else 0)
        return sum(1 << row for row in np.nonzero(found)[0].tolist())

    def _images(self, a: int, b: int, shift: int, ending: int = bands.FREE) -> int:
        """What b can become below a, in the band, if this is known of what lies below."""
        nothing = self.every * 0
        found, possible, free = nothing, self.can_lie_below(b, ending), set(range(bands.BAND))
        for x, cell in self.after(a, b, self.every).items():
            inside = 0 <= x - shift < bands.BAND
            possible = possible & (cell < (2 if inside else 1))
            found = found | cell.astype(int) << (x - shift if inside else 0)
            free -= {x - shift}
        rows = set(found[possible].tolist())
        for x in free:
            rows |= {row ^ 1 << x for row in rows}
        return sum(1 << row for row in rows if row == 0 or ending != bands.ENDED)

    def _can_lie_below(self, b: int, ending: int) -> Any:
        """Which rows can lie below b if a ship ends there: nothing is born below its last row."""
        nothing = self.every * 0
        last = {bands.FREE: nothing, bands.LAST_BUT_ONE: self.every}.get(ending, nothing + b)
        ends = [cell == 0 for cell in self.after(last, nothing, nothing).values()]
        dead = (self.every == 0) | (ending in (bands.FREE, bands.LAST_BUT_ONE))
        return np.logical_and.reduce([*ends, dead, nothing + (b == 0 or ending != bands.ENDED) > 0])

    def _union(self, above: int, y: int, below: int, z: int, shift: int) -> int:
        """What the rows below y can become if y becomes z."""
        found, fitting = 0, self.fits(above, y, z, shift) & below
        for v in range(len(self.every)):
            if fitting >> v & 1:
                found |= self.images(y, v, shift)
        return found


class BandChains(Chains):
    """The same in bands: a set of rows is what it is in each of them."""

    def allows(self, below: Any, row: int) -> bool:
        return all(here >> band.cells(row) & 1 for band, here in zip(self.reference.bands, below, strict=True))

    def pair(self, above: int, y: int, below: Any, z: int, place: int) -> list[int]:
        """What the rows below y can become in each band if y, at a place, becomes z; nothing if none fits in one."""
        shift, found = self.shift(place), []
        for band, here in zip(self.reference.bands, below, strict=True):
            cells = band.cells(above), band.cells(y)
            if not band.fits(*cells, z, shift) & here:
                return [0] * len(self.reference.bands)
            found.append(band.union(*cells, here, z, shift))
        return found

    def below_known(self, place: int) -> Any:
        rows, p, before = self.rows, self.reference.p, self.earlier(place)
        if before + p in rows:
            a, b = rows[before], rows[before + p]
            return [band.images(band.cells(a), band.cells(b), self.shift(before)) for band in self.reference.bands]
        known = self.domains[before][rows[before]]
        return self.pair(rows[before - p], rows[before], known, rows[place], before)

    def fresh(self, place: int) -> list[int]:
        rows, p = self.rows, self.reference.p
        listed = self.lists(place, rows[place - 2 * p], rows[place - p], rows[self.later(place - p)])
        return [row for row in listed if self.allows(self.known[place - p][rows[place - p]], row)]

    def revised(self, place: int, candidates: Iterable[int]) -> Any:
        before, p = self.earlier(place), self.reference.p
        found = {}
        for row in candidates:
            below = [0] * len(self.reference.bands)
            for y, its in self.domains[before].items():
                part = self.pair(self.rows[before - p], y, its, row, before)
                below = [a | b for a, b in zip(below, part, strict=True)]
            found[row] = below
        return {row: below for row, below in found.items() if any(below)}


def random_strip(rng: random.Random) -> Strip:
    """A rule without B0, a period, a displacement, columns and a mirror, small enough for trial; sometimes one that has
    a glider or another small ship."""
    if rng.random() < 0.3:
        extra = ["".join(sorted(rng.sample("678", rng.randint(0, 2)))) for _ in range(2)]
        like_life = Rule.parse(f"B3{extra[0]}/S23{extra[1]}")
        odd_one = Rule.parse("B1e2-a3-i45-i6-i7c8/S012-e3-r4-i5-i67c8")
        return rng.choice(
            [
                Strip(like_life, rng.randint(3, 4), 4, (rng.choice([1, -1]), -1)),
                Strip(odd_one, 3, 2, (0, -1), "odd"),
                Strip(Rule.parse("B2456/S02346H"), 4, 2, (0, -1)),
            ]
        )
    births = "".join(sorted(rng.sample("12345678", rng.randint(1, 3))))
    survivals = "".join(sorted(rng.sample("012345678", rng.randint(0, 4))))
    rule = Rule.parse(rng.choice([f"B{births}/S{survivals}", f"B{births}/S{survivals}", "B3/S23", "B2-a3/S1c23-a"]))
    if rng.random() < 0.3:
        never = ["".join(sorted(rng.sample(digits, 2))) for digits in ("45678", "05678")]
        rule = Rule.parse("{}~{}/{}~{}".format(*itertools.chain(*zip(rule.name.split("/"), never, strict=True))))
    period = rng.randint(2, 6)
    name = rng.choice(SYMMETRIES)
    free = rng.randint(1, 4 if period < 5 else 3)
    width = {"odd": 2 * free - 1, "even": 2 * free, "gutter": 2 * free + 1, "none": free}[name]
    dx = rng.choice([0, 0, 1, -1]) if name == "none" else 0
    return Strip(rule, width, period, (dx, -rng.randint(1, period - 1)), name, wave=rng.random() < 0.3)


#: More with SATLIFE_ROW_CASES=200.
CASES = int(os.environ.get("SATLIFE_ROW_CASES", "4"))


def test_as_many_partial_ships_as_a_plain_search_finds() -> None:
    """The counts per row, in random rules, periods, speeds, widths and symmetries, with and without sets; and the
    answers when there is room for a few partial ships only.  If period and speed have a common factor, the counts
    depend on which of the windows that are merged is kept."""
    rng = random.Random(2022)
    with_ships = without = 0
    for number in range(CASES):
        strip = random_strip(rng)
        rows, most = 8 * strip.period, 60
        for narrowest in (0, tables.NARROW) if not strip.wave else (tables.NARROW,):
            expected, ships = Reference(strip, is_narrow=narrowest > 0).counts(rows, most)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(tables, "NARROW", narrowest)
                counts, found = counted(strip, rows, most)
            if math.gcd(strip.period, strip.displacement[1]) == 1:
                assert counts == expected, (number, strip)
            assert found == ships, (number, strip)
        if len(expected) < rows and expected[-1] == 0:  # the plain search is complete
            few = FrontierSearch(strip, 1, 100, queue=3)
            assert bool(list(few.ships())) == bool(ships), (number, strip)
            assert few.complete
        with_ships, without = with_ships + (ships > 0), without + (ships == 0)
    assert min(with_ships, without) > CASES // 10


def has_ship_across(strip: Strip, most: int) -> bool | None:
    """The search across the way, plainly: all generations of a line at once, without looking ahead."""
    reference, p = Reference(strip, is_narrow=True), strip.period
    nothing = ((0,) * p,) * 2
    front, seen = {nothing}, set[tuple[tuple[int, ...], ...]]()
    while front:
        following = set()
        for before, last in front:
            ways = [reference.below(before[t], last[t], last[(t + 1) % p], reference.shift(t)) for t in range(p)]
            if math.prod(map(len, ways)) > most:
                return None
            following |= {(last, line) for line in itertools.product(*ways)}
        if nothing in following and front != {nothing}:
            return True
        front = following - seen - {nothing}
        seen |= front
        if len(seen) > most:
            return None
    return False


def test_ships_across_their_way_against_a_plain_search() -> None:
    rng, met = random.Random(5), {True: 0, False: 0}
    while min(met.values()) < 5:
        births = "".join(sorted({"2", *rng.sample("345678", rng.randint(0, 3))}))
        survivals = "".join(sorted(rng.sample("012345678", rng.randint(0, 4))))
        rule, period = Rule.parse(f"B{births}/S{survivals}{rng.choice(['', '~0', '~6'])}"), rng.randint(1, 3)
        strip = Strip(rule, rng.randint(2, 4), period, (rng.choice([-1, 1, period]), 0))
        expected = has_ship_across(strip, 3000)
        if expected is None:
            continue
        search = FrontierSearch(strip, 1, 100)
        assert (next(search.ships(), None) is not None) == expected, strip
        few = FrontierSearch(strip, 1, 100, queue=3)
        assert (next(few.ships(), None) is not None) == expected, strip
        met[expected] += 1


@pytest.mark.parametrize(("displacement", "along"), [((0, -1), "x"), ((0, 1), "x"), ((1, 0), "y"), ((-1, 0), "y")])
def test_across_in_all_four_directions(displacement: tuple[int, int], along: Literal["x", "y"]) -> None:
    """Ships of speed c/3, at most five cells long, of any width; there are none of four."""
    box = OpenBox(5, 3, displacement, along=along)
    assert OpenBox.from_dict(box.to_dict()) == box
    search = RowSearch.start(box, 1)
    finds = list(search.finds())
    assert search.complete
    assert "xq3_16614e8o4aa82cc2" in {outcome.apgcode for outcome in finds}
    for outcome in finds:
        assert outcome.problem.displacement == displacement
        assert box.case(outcome.problem) == outcome.problem
    none, other = first_ship(replace(box, width=4))
    assert (none, other.complete) == (None, True)


def test_a_mirror_only_makes_it_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    box = OpenBox(5, 3, (0, -1), along="x")
    with_mirrors = {outcome.apgcode for outcome in RowSearch.start(box, 1).finds()}
    monkeypatch.setattr(FrontierSearch, "_mirrored", lambda self, front: [])
    without = {outcome.apgcode for outcome in RowSearch.start(box, 1).finds()}
    assert "xq3_16614e8o4aa82cc2" in without
    assert without < with_mirrors


def test_across_from_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATLIFE_STORE", str(tmp_path / "store.db"))
    none = run("spaceship", "*x4", "-d", "c/3")
    assert none.returncode == 20
    words = "and whose phases all lie in a window of 4 rows that moves along with it was considered"
    assert words in none.stderr
    assert "already searched" in run("spaceship", "4x*", "-p", "3", "-d", "1,0").stderr  # turned
    assert "already searched" not in run("spaceship", "4x*", "-p", "3", "-d", "0,1").stderr
    saved = tmp_path / "partials.json"
    question = ["spaceship", "*x7", "-d", "c/4"]
    stopped = run(*question, "--time", "0.1", "--save", str(saved))
    assert stopped.returncode == 3
    assert run(*question, "--from", str(saved), "--time", "0.1").returncode == 3
    head = tmp_path / "head.rle"
    head.write_text("3o!")
    for arguments, words in [
        (["*x11", "-d", "c/4", "-n", "all"], "up to 10 cells, not 11"),
        (["*x5", "-d", "c/3", "-s", "D2h"], "open across the motion"),
        (["*x5", "-d", "c/3", "-r", "B2/S34H"], "open across the motion"),
        (["*x5", "-d", "c/3", "--from", str(head)], "open along its way"),
        (["*x5", "-p", "3", "-d", "0,-4"], "cannot move by"),
    ]:
        wrong = run("spaceship", *arguments)
        assert wrong.returncode in (1, 2), arguments
        assert words in wrong.stderr.replace("\n", " "), (arguments, wrong.stderr)


def counted(strip: Strip, rows: int, most: int) -> tuple[list[int], int]:
    """What `Reference.counts` counts, by the search itself."""
    counts, ships = [], 0
    search = FrontierSearch(strip, 1, 100, queue=10**9)
    fronts = search.fronts
    for front in fronts:
        search.fronts, search.ready = [front], []
        search._seen.clear()
        first = front.place
        while search.fronts and len(search.fronts[0].windows) and len(search.fronts[0].windows) <= most:
            if search.fronts[0].place - first == rows:
                break
            search.step()
            counts.append(len(search.fronts[0].windows))
        ships += len(search.ready)
    return counts, ships


def test_a_way_on_ends_where_the_ship_ends() -> None:
    """Nothing is left of a longer way that was tried before."""
    box = OpenBox(12, 3, (0, -1), symmetry="D2|")
    rows = next(iter(RowSearch.start(box, 1, 100).search.ships()))
    search, depth = FrontierSearch(Strip.of(box), 1, 100), 60
    start = len(rows) - 18
    window = np.array([rows[start - 6 : start]], np.uint16)
    path = np.ones((1, depth + 2), np.int64)
    path[0, :2], path[0, -1] = rows[start : start + 2], -1
    verdict, scratch = np.full(1, 3), np.zeros(depth + 10, np.int64)
    stack = np.zeros((depth + 2, tables.LEVEL), np.int64)
    place = search.strip.first + start
    ways = tables.for_depth(search.tables[0], depth)
    assert kernel.sieve(ways, window, path, place, depth, verdict, scratch, stack) == 0
    length = int((path[0] < 0).argmax())
    assert (path[0, length:] == -1).all()
    assert follows_the_rule(search.strip, [*rows[:start], *path[0, :length].tolist()], start + length)[-6:] == [0] * 6


@pytest.mark.parametrize(("displacement", "along"), [((0, 1), "y"), ((1, 0), "x"), ((-1, 0), "x")])
def test_a_ship_with_this_head(displacement: tuple[int, int], along: Literal["x", "y"]) -> None:
    box = OpenBox(12, 3, displacement, symmetry={"y": "D2|", "x": "D2-"}[along], along=along)
    whole, _ = first_ship(box)
    assert whole is not None
    assert whole.pattern is not None
    assert satlife.identify(whole.pattern).displacement == displacement
    upward = box.upward(Pattern(whole.phases[0]))
    head = box.turn(Pattern(upward.cells[: upward.height // 2]))
    search = RowSearch.start(box, 1)
    search.begin_with(head)
    again = next(search.finds())
    assert trimmed(box.upward(Pattern(again.phases[0])))[:4] == trimmed(upward)[:4]
    later = RowSearch.start(box, 1)
    later.load(search.save().text)
    assert later.head
    assert "with this head" in later.coverage().words
    changed = upward.cells[: upward.height // 2].copy()
    changed[3:, 5:7] ^= 1
    changed = box.turn(Pattern(changed)).cells
    for wrong in (changed, np.ones((13, 13), np.uint8), np.zeros((12, 12), np.uint8), np.eye(12, dtype=np.uint8)):
        with pytest.raises(InputError):
            RowSearch.start(box, 1).begin_with(Pattern(wrong))


def trimmed(pattern: Pattern) -> list[list[int]]:
    """The rows from the first live one on."""
    rows: list[list[int]] = pattern.cells.tolist()
    return list(itertools.dropwhile(lambda row: not any(row), rows))


def test_a_head_without_a_mirror_may_lie_anywhere() -> None:
    """A light-weight spaceship with one column more than it needs, from its first two rows on."""
    box = OpenBox(6, 4, (0, -2))
    whole, _ = first_ship(OpenBox(5, 4, (0, -2)))
    assert whole is not None
    assert whole.pattern is not None
    search = RowSearch.start(box, 1)
    search.begin_with(Pattern(whole.pattern.cells[:4]))
    assert len(search.search.state()["fronts"]) == 1 + box.width - whole.pattern.width
    assert next(search.finds()).apgcode == whole.apgcode


def test_a_head_need_not_fit_in_every_place() -> None:
    """A light-weight spaceship is four columns wide in each phase and five in all: in one of two places it fits."""
    box = OpenBox(5, 4, (0, -2))
    whole, _ = first_ship(box)
    assert whole is not None
    assert whole.pattern is not None
    search = RowSearch.start(box, 1)
    search.begin_with(whole.pattern.crop())
    assert len(search.search.state()["fronts"]) == 1
    assert next(search.finds()).apgcode == whole.apgcode
    with pytest.raises(InputError, match="leaves the 4 columns"):
        RowSearch.start(replace(box, width=4), 1).begin_with(whole.pattern.crop())


def test_a_head_that_decides_nothing_is_too_short() -> None:
    """`3o$o` moves, and reaches the row above within two generations; its first row alone would not."""
    box = OpenBox(3, 6, (-1, -1), Rule.parse("B2-a/S12"))
    assert first_ship(box)[0] is not None
    with pytest.raises(InputError, match="too short"):
        RowSearch.start(box, 1).begin_with(Pattern.from_rows(["OOO"]))


def test_cached_kernels_of_both_kinds_load_in_one_process() -> None:
    """Those that count no references load first, without Numba's run-time system; then those of tables, with it."""
    code = (
        "import satlife\n"
        "ships = satlife.open_ships(satlife.open_spaceship(6, 3, (0, -1)))\n"
        "print(next(ships, None), ships.complete, satlife.count(satlife.still_life((10, 10))).complete)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "None True True\n"), result.stderr


def test_a_search_that_is_saved_forgets_no_ship(tmp_path: Path) -> None:
    """It does not run ahead of who lists its ships."""
    asked = ("spaceship", "8x*", "-p", "3", "-d", "0,-1", "-r", "B34/S34")
    first = run(*asked, "-n", "2", "--save", "some", cwd=tmp_path)
    shown = re.findall(r"#C (xq3_\S+)", first.stdout)
    assert json.loads((tmp_path / "some").read_text())["found"] == shown
    again = run(*asked, "-n", "1", "--from", "some", cwd=tmp_path)
    [found] = re.findall(r"#C (xq3_\S+)", again.stdout)
    assert found not in shown


def test_a_head_without_a_ship_does_not_mean_that_there_is_none() -> None:
    box, head = satlife.open_spaceship(5, 4, (0, -2)), "x = 5, y = 2\n4bo!"
    found = satlife.find(box, resume=head)
    assert (found.status, found.reason) == ("unknown", "only ships with the given head were looked for")
    assert not satlife.count(box, resume=head).complete
    assert satlife.find(box).status == "found"
