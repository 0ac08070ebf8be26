"""Kernels for a GPU, compiled as C++ where there is no GPU, against brute force and the engines of the CPU.

These tests run on a GPU, too, where there is one; they carry the marker `gpu`.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from commands import run
from plain_device import PlainDevice, PlainProgram, needs_compiler
from reference_tables import Bytes
from satlife.device import Choice, Device, cuda
from satlife.engines.options import Options
from satlife.engines.rows import partials
from satlife.engines.rows.cpu.search import Frontier, FrontierSearch
from satlife.engines.rows.forest import Forest, follows_the_rule
from satlife.engines.rows.gpu import buffers, columns, garbage
from satlife.engines.rows.gpu import search as device
from satlife.engines.rows.gpu.buffers import At, Buffers, Halt, Levels
from satlife.engines.rows.gpu.search import DeviceSearch
from satlife.engines.rows.partials import PartialShips
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.searcher import SavedSearch, Stage, waiting
from satlife.engines.rows.ships import RowSearch
from satlife.engines.tables import count as counting
from satlife.engines.tables.count import by_population, count, upper_bound
from satlife.engines.tables.model import model_of
from satlife.engines.tables.table import device as tables
from satlife.engines.tables.table.best import best
from satlife.engines.tables.table.device import DeviceTable
from satlife.engines.tables.table.plan import plan_of
from satlife.engines.tables.table.rings import LargestSum, Modular, Ring, Rounded, Weighted
from satlife.engines.tables.table.table import Table
from satlife.engines.tables.threads import ThreadPool
from satlife.engines.work import Verdict
from satlife.errors import DeviceError, InputError
from satlife.life.pattern import Pattern
from satlife.life.rule import Rule
from satlife.limits import Limits
from satlife.problem import families
from satlife.problem.openbox import Mirror, OpenBox
from satlife.problem.problem import Problem

ON_GPU = pytest.mark.skipif(bool(cuda.why_none()), reason=f"needs a GPU: {cuda.why_none()}")


@pytest.fixture(
    params=[
        pytest.param("plain", marks=needs_compiler),
        pytest.param("gpu", marks=[pytest.mark.gpu, ON_GPU]),
    ]
)
def here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    """A device, of which searches may take little memory: that of a plain one is filled before it is used."""
    found: Device = PlainDevice() if request.param == "plain" else cuda.open_device()
    monkeypatch.setattr(buffers, "LEAST", 0)
    yield found
    found.release()


# Tables.


def questions() -> list[Problem]:
    """One of each shape: boxes, cylinders, tori, two phases, known cells, symmetries, other rules."""
    target = Pattern(np.array([[0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0]], np.uint8))
    return [
        families.still_life((5, 6)),
        families.still_life((7, 3), rule=Rule.parse("B36/S125")),
        families.still_life((5, 5), symmetry="C2", centred=True),
        families.predecessor(target, margin=1),
        families.wave((3, 4), 1),
        families.torus((4, 4), 1),
        families.oscillator((3, 4), 2),
    ]


@pytest.mark.parametrize(("dtype", "ring"), [
    ("u4", Modular(np.uint32(2**31 - 1))),
    ("u4", Weighted.of(2**31 - 1, 123456789)),
    ("f4", Rounded()),
    ("u1", LargestSum(0, 1)),
    ("u2", LargestSum(1, 2)),
    ("u4", LargestSum(0, 3)),
])  # fmt: skip
def test_steps_are_those_of_the_cpu(here: Device, dtype: str, ring: Ring) -> None:
    """Every state after every step, to the last bit."""
    for problem in questions():
        plan = plan_of(model_of(problem))
        plain, other = Table(plan, dtype, ThreadPool(), compiled=False), DeviceTable(plan, dtype, ThreadPool(), here)
        for step in plan.steps:
            plain.apply(step, ring)
            other.apply(step, ring)
            assert np.array_equal(plain.states, other.states), (problem, step)


def test_residues_of_16_bits(here: Device) -> None:
    """The residues are equal to those in 32 bits."""
    prime = next(counting.primes(2))
    rings: list[Ring] = [Modular(np.uint32(prime)), Weighted.of(prime, 54321)]
    for problem, ring in itertools.product(questions(), rings):
        plan = plan_of(model_of(problem))
        wide, narrow = Table(plan, "u4", ThreadPool(), compiled=False), DeviceTable(plan, "u2", ThreadPool(), here)
        for step in plan.steps:
            wide.apply(step, ring)
            narrow.apply(step, ring)
        assert np.array_equal(wide.states, narrow.states), problem


def only_by_primes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_prefers_integers", lambda plan, bits: False)


def test_counts_are_those_of_the_cpu(here: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [(count(problem).value, by_population(problem)) for problem in questions()]
    only_by_primes(monkeypatch)
    for problem, (number, numbers) in zip(questions(), expected, strict=True):
        found = count(problem, ThreadPool(choice=Choice.of(here)))
        assert (found.value, found.primes > 0) == (number, True), problem
        assert by_population(problem, ThreadPool(choice=Choice.of(here))) == numbers, problem


def test_where_only_16_bits_fit(here: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Primes and a bound of 16 bits, and the same number."""
    only_by_primes(monkeypatch)
    problem = families.predecessor(Pattern(np.zeros((7, 7), np.uint8)))
    plan = plan_of(model_of(problem))
    wide = count(problem, ThreadPool(choice=Choice.of(here)))
    limit = 2 << plan.slots
    narrow = count(problem, ThreadPool(limits=Bytes(memory=limit), choice=Choice.of(here)))
    assert narrow.value == wide.value
    assert narrow.primes > wide.primes
    pool = ThreadPool(limits=Bytes(memory=limit), choice=Choice.of(here))
    bound, _ = upper_bound(plan, pool, 2)
    assert wide.value <= bound < 4 * wide.value


def test_bounds_of_16_bits_when_scaled(here: Device) -> None:
    """A count of more than 2^127, beyond the range of the numbers."""
    problem = families.predecessor(Pattern(np.zeros((2, 150), np.uint8)))
    plan = plan_of(model_of(problem))
    value = count(problem).value
    assert value > 2**127
    bound, estimate = upper_bound(plan, ThreadPool(limits=Bytes(memory=2 << plan.slots), choice=Choice.of(here)), 2)
    assert estimate is None
    assert value <= bound < 16 * value


@pytest.mark.parametrize("room", [1 << 30, 3 << 8])
def test_the_best_is_that_of_the_cpu(here: Device, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """Also where not all rows can be kept."""
    monkeypatch.setattr("satlife.engines.tables.table.best.SPARE", 0)
    monkeypatch.setattr("satlife.engines.tables.table.best.available", lambda: room)
    for size, largest in itertools.product(((5, 6), (6, 7), (3, 8)), (True, False)):
        problem = families.still_life(size)
        there, other = best(problem, largest, ThreadPool(choice=Choice.of(here))), best(problem, largest)
        assert there is not None
        assert other is not None
        assert there.sum() == other.sum()


def test_a_table_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    only_by_primes(monkeypatch)
    said: list[str] = []
    problem = families.still_life((6, 6))
    assert (
        count(problem, ThreadPool(choice=Choice.of(PlainDevice(tables.SPARE), said.append))).value
        == count(problem).value
    )
    assert len(said) == 1
    assert "does not fit" in said[0]


# Rows.

MIRRORS: tuple[Mirror, ...] = ("none", "odd", "even", "gutter")
RULES = ("B3/S23", "B2-a3/S1c23-a", "B36/S125", "B2n3-k5/S23-q4i", "B3~45a/S23~17")


def width_of(free: int, mirror: Mirror) -> int:
    return {"none": free, "odd": 2 * free - 1, "even": 2 * free, "gutter": 2 * free + 1}[mirror]


class Brute:
    """The rows that may follow, and the look-ahead, by trying all rows."""

    def __init__(self, strip: Strip) -> None:
        self.strip, self.period = strip, strip.period
        size = 1 << strip.free
        a, b, d = (axis.ravel() for axis in np.indices((size, size, size)))
        self.becomes = {
            shift: strip.becomes(a, b, d, np.full_like(a, shift)).reshape(size, size, size)
            for shift in {0, *strip.lattice.shift.tolist()}
        }

    def following(self, a: int, b: int, c: int, shift: int) -> list[int]:
        found: list[int] = np.nonzero(self.becomes[shift][a, b] == c)[0].tolist()
        return found

    def candidates(self, rows: tuple[int, ...], place: int) -> list[int]:
        """What may come below; `rows` are the last 2p."""
        lattice, r, p = self.strip.lattice, place % self.period, self.period
        becomes = rows[2 * p + int(lattice.ahead[r])]
        return self.following(rows[0], rows[p], becomes, int(lattice.shift[r]))

    def is_reachable(self, rows: tuple[int, ...], place: int) -> bool:
        """Whether something can become the last of 2p + 1 rows."""
        return bool(self._rows_11(rows, place))

    def _rows_11(self, rows: tuple[int, ...], place: int) -> list[int]:
        lattice, p = self.strip.lattice, self.period
        s1 = 2 * p + int(lattice.back[place % p])
        shift = int(lattice.shift[(place - 2 * p + s1) % p])
        return self.following(rows[s1 - p], rows[s1], rows[2 * p], shift)

    def completes(self, rows: tuple[int, ...], place: int) -> bool:
        """Whether rows 11, 12 and 22 exist."""
        lattice, p = self.strip.lattice, self.period
        s1 = 2 * p + int(lattice.back[place % p])
        s2 = s1 + int(lattice.back[(place - 2 * p + s1) % p])
        shift = int(lattice.shift[(place - 2 * p + s2) % p])
        if s2 + p <= 2 * p:
            rows_12 = [rows[s2 + p]]
        else:
            rows_12 = self.following(rows[s2 - p], rows[s2], rows[s1], shift)
        wanted = self._rows_11(rows, place)
        return any(np.isin(self.becomes[shift][rows[s2], row_12], wanted).any() for row_12 in rows_12) and bool(wanted)

    def children(self, rows: tuple[int, ...], place: int) -> list[tuple[int, ...]]:
        tried = [(*rows, row) for row in self.candidates(rows, place)]
        return [longer[1:] for longer in tried if self.is_reachable(longer, place) and self.completes(longer, place)]

    def image(self, row: int) -> int:
        return int(f"{row:0{self.strip.free}b}"[::-1], 2)

    def windows(self, deepest: int) -> dict[int, int]:
        """How many windows there are at each place, breadth first, those met before left out: at every place if all
        places are alike, else once a period; and of mirror images one, if they are as good."""
        found: Counter[int] = Counter()
        met: dict[tuple[int, ...], int] = {}
        for start in self.strip.lattice.starts:
            place = self.strip.first + start
            level = [(0,) * 2 * self.period]
            while level and place < deepest:
                grown = [child for rows in level for child in self.children(rows, place) if any(child)]
                place += 1
                if self.strip.lattice.is_uniform or place % self.period == 0:
                    level = []
                    for rows in grown:
                        one = min(rows, tuple(map(self.image, rows))) if self.strip.twins else rows
                        if met.get(one, place + 1) > place:
                            met[one] = place
                            level.append(rows)
                else:
                    level = grown
                found[place] += len(level)
        return {place: number for place, number in found.items() if number}


def strips(rng: random.Random, most: int) -> Iterator[Strip]:
    """Questions of every kind, with at most `most` columns."""
    while True:
        mirror = rng.choice(MIRRORS)
        period = rng.choice([2, 3, 4, 5, 6, 7])
        dx = rng.choice([-1, 0, 1, 2]) if mirror == "none" else 0
        displacement = (max(-period, min(dx, period)), -rng.randrange(1, period))
        rule = Rule.parse(rng.choice(RULES))
        yield Strip(rule, width_of(rng.randint(1, most), mirror), period, displacement, mirror)


def random_windows(strip: Strip, brute: Brute, place: int, rng: random.Random) -> list[tuple[int, ...]]:
    """Windows that something may follow at this place, most of them."""
    lattice, p, r = strip.lattice, strip.period, place % strip.period
    windows: list[tuple[int, ...]] = []
    while len(windows) < 40:
        rows = [rng.getrandbits(strip.free) & rng.getrandbits(strip.free) for _ in range(2 * p)]
        below = rng.getrandbits(strip.free)
        row = int(brute.becomes[int(lattice.shift[r])][rows[0], rows[p], below])
        ahead = 2 * p + int(lattice.ahead[r])
        if row >= 0 and ahead not in (0, p):
            rows[ahead] = row
        windows.append(tuple(rows))
    return windows


def test_one_row_more_is_what_brute_force_says(here: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates, how many there are, what can be reached, and the look-ahead, for random windows."""
    monkeypatch.setattr(buffers, "SPARSE", 1 << 16)
    rng, met = random.Random(5), Counter[str]()
    for strip in itertools.islice(strips(rng, 5), 4):
        brute, p = Brute(strip), strip.period
        memory = Buffers(strip, here, 16)
        place = strip.first + rng.choice([k for k in range(2 * p) if (k + 1) % p])
        windows = random_windows(strip, brute, place, rng)
        candidates, grown = one_step(memory, windows, place)
        assert candidates == sum(len(brute.candidates(rows, place)) for rows in windows)
        expected = Counter(
            (number, child[-1])
            for number, rows in enumerate(windows)
            for child in brute.children(rows, place)
            if any(child)
        )
        first = len(windows)
        which = np.arange(first, first + grown, dtype=np.uint32)
        found, parents = memory.trace(which, 1)
        assert Counter(zip(parents.tolist(), found[:, 0].tolist(), strict=True)) == expected, strip
        whole = here.download(memory.windows)[first * memory.words : (first + grown) * memory.words]
        known = {packed(windows[n][1:] + (row,), strip.free) for n, row in expected}
        assert {as_number(words) for words in whole.reshape(-1, memory.words).tolist()} == known
        met["candidates"] += candidates
        met["reached"] += sum(
            brute.is_reachable((*rows, row), place) for rows in windows for row in brute.candidates(rows, place)
        )
        met["windows"] += len(expected)
    assert met["candidates"] > met["reached"] > met["windows"] > 50


def one_step(memory: Buffers, windows: list[tuple[int, ...]], place: int) -> tuple[int, int]:
    """How many candidates are tried, and how many windows come of them."""
    memory.now[At.LIMIT] = place + 100
    memory.put(Forest.of(place, np.array(windows, np.uint16)))
    memory.launch(1)
    assert Halt.NO_ROOM not in memory.settle()
    return int(memory.now[At.CANDIDATES]), int(memory.now[At.VISITED])


def test_a_step_that_does_not_fit(here: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stack is as it was, no window counts as met, and fewer are tried."""
    monkeypatch.setattr(buffers, "SPARSE", 1)
    monkeypatch.setattr(buffers, "TURNS", 1)
    strip = Strip(Rule.parse("B3/S23"), 10, 3, (0, -1), "even")
    memory = Buffers(strip, here, 16)
    brute = Brute(strip)
    children = {rows: len(brute.children(rows, 7)) for rows in random_windows(strip, brute, 7, random.Random(3))}
    windows = sorted(children, key=lambda rows: children[rows])
    most = children[windows[-1]]
    assert most + children[windows[-2]] > most > 1
    _, ample = one_step(memory, windows, 7)
    memory.forget()
    memory.tallied()
    memory.now[[At.ROOM, At.SLACK, At.LIMIT]] = len(windows) + most, 0, 8  # what comes is only counted
    memory.put(Forest.of(7, np.array(windows, np.uint16)))
    halts = []
    while int(memory.now[At.DEPTH]):
        memory.launch(1)
        halts.append(memory.settle())
    assert Halt.NO_ROOM in halts[0]
    assert memory.tallied() == {8: ample}


def packed(rows: tuple[int, ...], width: int) -> int:
    return sum(row << width * k for k, row in enumerate(rows))


def as_number(words: list[int]) -> int:
    return sum(word << 64 * k for k, word in enumerate(words))


def test_windows_at_each_depth_are_those_of_brute_force(here: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffers, "SPARSE", 1)
    rng, total = random.Random(14), 0
    for strip in itertools.islice(strips(rng, 4), 3):
        search = DeviceSearch(strip, here, 16)
        search.longest = 3 * strip.period
        list(search.ships())
        place = search._limited(search.longest).place
        found = {at: number for at, number in search.windows.items() if number}
        assert search.complete
        assert found == Brute(strip).windows(place), strip
        total += sum(found.values())
    assert total > 500


def test_the_automata_against_the_rule() -> None:
    """Masks and steps of a column, from the rule itself."""
    rule = np.asarray(Rule.parse("B2n3-k5/S23-q4i").array, np.uint8)
    allowed = columns.masks(rule)
    step = columns.steps(allowed).reshape(128, 16)
    for a, b, c in itertools.product(range(8), range(8), range(2)):
        key = a << 4 | b << 1 | c
        cells = [[row & 1, row >> 1 & 1, row >> 2] for row in (a, b)]
        fitting = []
        for d in range(8):
            block = 0
            for cell in [*cells[0], *cells[1], d & 1, d >> 1 & 1, d >> 2]:
                block = 2 * block + cell
            if rule[block] == c:
                fitting.append(d)
        assert allowed[key] == sum(1 << d for d in fitting)
        for states in range(16):
            after = {d >> 1 for d in fitting if states >> (d & 3) & 1}
            assert step[key, states] == sum(1 << state for state in after)


def on(here: Device, box: OpenBox, megabytes: int = 16) -> RowSearch:
    return RowSearch.start(box, 1, megabytes, Choice.of(here))


BOXES = [
    OpenBox(12, 3, (0, -1), symmetry="D2|"),
    OpenBox(7, 3, (0, -1)),
    OpenBox(9, 3, (0, -1), symmetry="D2|", gutter=True),
    OpenBox(4, 4, (1, -1)),
    OpenBox(5, 4, (0, -2)),
    OpenBox(6, 4, (2, 0), along="x"),
    OpenBox(5, 3, (1, -1), Rule.parse("B256/S26H")),
    OpenBox(6, 4, (0, -3), Rule.parse("B2ac3c4-inqt5-ejkq/S02ai3-ace4eknqwz5eijnq")),
]


@pytest.mark.parametrize("box", BOXES, ids=str)
def test_ships_are_those_of_the_cpu(here: Device, box: OpenBox) -> None:
    """Whether there is one, and the smallest; of ships that end alike each search may follow another one."""
    there, other = on(here, box), RowSearch.start(box, 1, 200)
    found = [outcome.apgcode for outcome in itertools.islice(there.finds(), 12)]
    known = [outcome.apgcode for outcome in itertools.islice(other.finds(), 12)]
    assert bool(found) == bool(known)
    assert there.complete == other.complete
    if found:
        smallest = min(known, key=lambda name: (len(name or ""), name))
        assert smallest in found


def test_random_rules_against_the_cpu(here: Device) -> None:
    rng, met = random.Random(11), Counter[bool]()
    while sum(met.values()) < 6 or len(met) < 2:
        extra = ["".join(sorted(rng.sample("5678", rng.randint(0, 2)))) for _ in range(2)]
        rule = Rule.parse(f"B3{extra[0]}/S{rng.choice(['23', '23', '2', '3', '13'])}{extra[1]}")
        box = replace(rng.choice(BOXES[1:]), rule=rule)  # kernels are compiled for each shape of a box
        there, other = on(here, box), RowSearch.start(box, 1, 100)
        first, second = next(there.finds(), None), next(other.finds(), None)
        if (first or there.search.complete) and (second or other.search.complete):
            assert (first is None, there.complete) == (second is None, other.complete), box
            met[first is None] += 1


@pytest.mark.parametrize("setting", [
    {"UNLIMITED": 500, "FIRST_LIMIT": 2, "MOST_ASIDE": 0},
    {"UNLIMITED": 0, "FIRST_LIMIT": 2, "MOST_ASIDE": 1500, "MOST_TRACED": 7},
    {"BATCH": 3},
    {"BATCH": 64, "TURNS": 1},
    {"EXACT": 0, "SPARSE": 1, "UNLIMITED": 0, "FIRST_LIMIT": 2},
    {"SPARSE": 1 << 10},
    {"MOST_STEPS": 1},
    {"WORK": 50},
], ids=str)  # fmt: skip
def test_the_same_answer_in_other_orders(
    here: Device, monkeypatch: pytest.MonkeyPatch, setting: dict[str, int]
) -> None:
    """Limits that grow, with and without what was set aside; depth first; fingerprints instead of windows."""
    box = OpenBox(7, 3, (0, -1), Rule.parse("B3/S23"))
    ship = OpenBox(5, 4, (0, -2))
    expected = {outcome.apgcode for outcome in itertools.islice(on(here, ship).finds(), 3)}
    for name, value in setting.items():
        monkeypatch.setattr(device if hasattr(device, name) else buffers, name, value)
    search = on(here, box)
    assert list(search.finds()) == []
    assert search.complete
    assert cast(DeviceSearch, search.search).searched >= 9
    outcome = next(on(here, ship).finds())
    assert outcome.apgcode in expected


@pytest.mark.parametrize("slots", [64, 1 << 14])
def test_too_little_room_for_all_at_once(here: Device, monkeypatch: pytest.MonkeyPatch, slots: int) -> None:
    """Levels are extended in parts, and windows that were met are forgotten: there is no ship either."""
    box = OpenBox(8, 3, (0, -1), Rule.parse("B3/S23"))

    def cramped(self: Buffers, memory: int) -> None:
        divide(self, memory)
        self.room, self.slots, self.spare = 2000, slots, 0

    def forgetting(self: Buffers) -> None:
        forgotten.append(True)
        forget(self)

    forgotten: list[bool] = []
    divide, forget = Buffers._divide, Buffers.forget
    ample = on(here, box)
    assert list(ample.finds()) == []
    monkeypatch.setattr(Buffers, "_divide", cramped)
    monkeypatch.setattr(Buffers, "forget", forgetting)
    scarce = on(here, box)
    assert list(scarce.finds()) == []
    assert (len(forgotten) > 1) or slots > 64
    assert ample.complete
    assert scarce.complete
    assert isinstance(scarce.search, DeviceSearch)  # it has not given up
    assert scarce.search.visited >= cast(DeviceSearch, ample.search).visited


def test_windows_that_were_met_move_to_a_larger_table(here: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is forgotten, also where their places count: as many windows as with a large table from the start."""
    monkeypatch.setattr(buffers, "SPARSE", 1)
    sizes: list[int] = []
    remember_more = Buffers._remember_more

    def watched(self: Buffers) -> None:
        before = int(self.now[At.REMEMBERED])
        remember_more(self)
        assert int(self.now[At.REMEMBERED]) == before
        sizes.append(self.slots)

    monkeypatch.setattr(Buffers, "_remember_more", watched)
    for longest in (0, 40):
        visited = []
        for slots in (1 << 20, 1 << 8):
            monkeypatch.setattr(buffers, "FIRST_SLOTS", slots)
            search = DeviceSearch(Strip(Rule.parse("B3/S23"), 8, 3, (0, -1), "none"), here, 16)
            search.longest = longest
            assert list(search.ships()) == []
            visited.append(search.visited)
        assert visited[0] == visited[1]
    assert sizes[:2] == [1 << 10, 1 << 12]


def test_windows_that_were_met_move_to_a_smaller_table(here: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no room for more, fewer and fewer are looked up, and the search comes to its end all the same."""
    strip = Strip(Rule.parse("B3/S23"), 8, 3, (0, -1), "none")
    monkeypatch.setattr(buffers, "SPARSE", 1)
    monkeypatch.setattr(buffers, "FIRST_SLOTS", 256)
    ample = DeviceSearch(strip, here, 16)
    assert list(ample.ships()) == []
    divide, remember_more = Buffers._divide, Buffers._remember_more
    known: list[tuple[int, int]] = []

    def cramped(self: Buffers, memory: int) -> None:
        divide(self, memory)
        self.spare = 30 * self.slots

    def watched(self: Buffers) -> None:
        before = int(self.now[At.REMEMBERED])
        remember_more(self)
        known.append((before, int(self.now[At.REMEMBERED])))

    monkeypatch.setattr(Buffers, "_divide", cramped)
    monkeypatch.setattr(Buffers, "_remember_more", watched)
    scarce = DeviceSearch(strip, here, 16)
    assert list(scarce.ships()) == []
    assert ample.complete
    assert scarce.complete
    assert scarce.visited >= ample.visited
    assert any(0 < after < before for before, after in known)


@pytest.mark.parametrize("strip", [
    Strip(Rule.parse("B3/S23"), 12, 3, (0, -1), "even"),
    Strip(Rule.parse("B3/S23"), 5, 4, (0, -2), "none"),
], ids=str)  # fmt: skip
def test_garbage_collection(here: Device, monkeypatch: pytest.MonkeyPatch, strip: Strip) -> None:
    """Collected at every look: the same windows and ships, from the start and from partial ships of another search."""

    def searched(state: SavedSearch | None = None) -> tuple[int, list[list[int]]]:
        search = DeviceSearch(strip, here, 16)
        search.longest = 40
        if state:
            search.restore(state)
        ships = sorted(min(rows, mirrored(rows)) for rows in search.ships())
        return search.visited, ships

    def mirrored(rows: list[int]) -> list[int]:
        """Of mirror images either may be found; where there is a mirror already, nothing changes."""
        return [int(f"{row:0{strip.free}b}"[::-1], 2) if strip.twins else row for row in rows]

    monkeypatch.setattr(device, "MOST_STEPS", 1)
    begun = DeviceSearch(strip, here, 16)
    with pytest.raises(Enough):
        list(begun.ships(stopping(12)))
    partials = begun.state()
    expected, others = searched(), searched(partials)
    assert expected[1]
    collect, sizes = garbage.collect, []

    def watched(of: Buffers, levels: Levels) -> garbage.Kept | None:
        kept = collect(of, levels)
        assert kept is not None
        sizes.append((int(levels["count"].sum()), len(kept.parents)))
        return kept

    monkeypatch.setattr(garbage, "collect", watched)
    for name in ("FULL", "PAUSE"):
        monkeypatch.setattr(garbage, name, 1 << 40)
    assert searched() == expected
    assert searched(partials) == others
    assert sum(before > after for before, after in sizes) > 5


@pytest.mark.parametrize(
    ("name", "moment"), [("settle", 2), ("settle", 4), ("stack", 3), ("found", 1), ("_replace", 3), ("_replace", 6)]
)
def test_interrupted_before_it_looked(here: Device, monkeypatch: pytest.MonkeyPatch, name: str, moment: int) -> None:
    """The device has gone on meanwhile, or garbage was found; what is saved then lacks nothing."""
    box = OpenBox(12, 3, (0, -1), symmetry="D2|")
    calls, usual = itertools.count(), getattr(Buffers, name)
    if name == "_replace":
        for divisor in ("FULL", "PAUSE"):
            monkeypatch.setattr(garbage, divisor, 1 << 40)

    def interrupted(self: Buffers) -> Any:
        if next(calls) == moment:
            raise KeyboardInterrupt
        return usual(self)

    monkeypatch.setattr(Buffers, name, interrupted)
    search = on(here, box)
    with pytest.raises(KeyboardInterrupt):
        list(search.finds())
    other = RowSearch.start(box, 1, 200)
    other.load(search.save().text)
    assert next(other.finds()).apgcode == next(RowSearch.start(box, 1, 200).finds()).apgcode


class Enough(Exception):
    pass


def stopping(moment: int) -> Callable[[Stage], None]:
    """A watcher that has seen enough after `moment` steps."""
    steps = itertools.count()

    def watch(stage: Stage) -> None:
        if next(steps) == moment:
            raise Enough

    return watch


@pytest.mark.parametrize("box", [OpenBox(12, 3, (0, -1), symmetry="D2|"), OpenBox(7, 3, (0, -1))], ids=str)
def test_partial_ships_are_exchanged_with_the_cpu(here: Device, monkeypatch: pytest.MonkeyPatch, box: OpenBox) -> None:
    """Saved on one and read on the other, at several moments: a ship is found, or none, as before."""
    monkeypatch.setattr(device, "MOST_STEPS", 1)
    expected = next(RowSearch.start(box, 1, 200).finds(), None)
    for moment in (1, 5, 14):
        there, other = on(here, box), RowSearch.start(box, 1, 200)
        for first, second in ((there, RowSearch.start(box, 1, 200)), (other, on(here, box))):
            with pytest.raises(Enough):
                list(first.finds(watch=stopping(moment)))
            second.load(first.save().text)
            found = next(second.finds(), None)
            assert (found is None) == (expected is None), moment


@pytest.mark.parametrize("setting", [
    {"UNLIMITED": 0, "FIRST_LIMIT": 2, "MOST_ASIDE": 1500, "MOST_TRACED": 7},
    {"UNLIMITED": 500, "FIRST_LIMIT": 2, "MOST_ASIDE": 0, "BATCH": 8, "MOST_KEPT": 100},
], ids=str)  # fmt: skip
def test_stopped_six_times(here: Device, monkeypatch: pytest.MonkeyPatch, setting: dict[str, int]) -> None:
    """What is saved has everything that waits, and a search that goes on from it comes to the same end as one that was
    not stopped: also where what is too long is not kept, and where not all can be saved."""
    monkeypatch.setattr(device, "MOST_STEPS", 1)
    for name, value in setting.items():
        monkeypatch.setattr(device if hasattr(device, name) else buffers, name, value)
    box, ship = OpenBox(7, 3, (0, -1)), OpenBox(5, 4, (0, -2))
    usual = on(here, box)
    assert list(usual.finds()) == []
    search, stops, visited = on(here, box), 0, 0
    while stops < 6:
        try:
            assert list(search.finds(watch=stopping(1 + stops))) == []
            break
        except Enough:
            saved = search.save()
        there = cast(DeviceSearch, search.search)
        waits = int((there._levels["count"] - there._levels["taken"]).sum())
        assert there.cut_off or saved.partials >= waits > 0
        visited += there.visited
        search, stops = on(here, box), stops + 1
        search.load(saved.text)
    assert list(search.finds()) == []
    assert stops >= 4
    assert search.complete
    assert search.searched >= usual.searched
    if "MOST_KEPT" not in setting:  # windows that were met are not saved
        before = cast(DeviceSearch, usual.search)
        assert visited + cast(DeviceSearch, search.search).visited < 2 * (before.visited)
    begun = on(here, ship)
    with pytest.raises(Enough):
        list(begun.finds(watch=stopping(3)))
    later = on(here, ship)
    later.load(begun.save().text)
    assert next(later.finds()).apgcode == next(on(here, ship).finds()).apgcode


def test_a_forest_is_read_on_the_cpu(here: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """And written there, if there are many, with the same partial ships.  What is damaged is refused."""
    monkeypatch.setattr(device, "MOST_STEPS", 1)
    monkeypatch.setattr(buffers, "BATCH", 5)
    monkeypatch.setattr("satlife.engines.rows.cpu.search.LISTED", 0)
    begun = on(here, OpenBox(8, 3, (0, -1)))
    there = cast(DeviceSearch, begun.search)

    def watch(stage: Stage) -> None:
        if len(there._levels) > 15:
            raise Enough

    with pytest.raises(Enough):
        list(begun.finds(watch=watch))
    state = there.state()
    saved = state["fronts"][0]["levels"]
    assert len(saved) > 10

    def partials(state: SavedSearch) -> list[list[int]]:
        strip = begun.search.strip
        return sorted(rows for front in state["fronts"] for rows in rows_of(Forest.from_dict(front, strip), strip))

    assert len(partials(state)) == waiting(state)
    other = RowSearch.start(OpenBox(8, 3, (0, -1)), 1, 200)
    other.search.restore(state)
    again = other.search.state()
    assert all("levels" in front for front in again["fronts"] if len(front["partials"]) == 1)
    assert partials(again) == partials(state)
    for change in ({"count": 10**15}, {"count": 1}, {"waiting": -1}, {"packed": "eJw="}, {"packed": 3}, {"count": 2.0}):
        damaged = {**state["fronts"][0], "levels": [*saved[:-1], {**saved[-1], **change}]}
        with pytest.raises(InputError):
            other.search.restore(cast(SavedSearch, {**state, "fronts": [damaged]}))
    for name, value in (("rows", 1), ("rows", -1), ("searched", "3"), ("visited", None)):
        limit = {"rows": 10**6, "searched": 0, "visited": 0, name: value}
        with pytest.raises(InputError):
            begun.search.restore(cast(SavedSearch, {**state, "limit": limit}))
    strip, met = begun.search.strip, Counter[bool]()
    memory = Buffers(strip, here, 16)
    grown = Forest.from_dict(state["fronts"][0], strip)
    for number, flipped in itertools.product(range(len(grown.levels)), range(1)):
        levels = [replace(level, rows=level.rows.copy(), waiting=len(level.rows)) for level in grown.levels]
        levels[number].rows[0] ^= 1 << flipped
        changed = replace(grown, levels=tuple(levels))
        wrong = any(breaks_the_rule(strip, rows) for rows in rows_of(changed, strip))
        met[wrong] += 1
        read = Forest.from_dict(changed.to_dict(), strip)
        with pytest.raises(InputError, match="rule") if wrong else nullcontext():
            read.check(strip)
        with pytest.raises(InputError, match="rule") if wrong else nullcontext():
            memory.put(read)
    assert met[True] > 10


def rows_of(forest: Forest, strip: Strip) -> list[list[int]]:
    """All rows of each partial ship that waits."""
    return sorted(front.rows(n) for front in Frontier.of(forest, strip) for n in range(len(front.windows)))


def breaks_the_rule(strip: Strip, rows: list[int]) -> bool:
    try:
        follows_the_rule(strip, rows, len(rows))
    except InputError:
        return True
    return False


def test_a_unit_is_handed_over(here: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long unit of a search for days becomes the next one, and that goes on where it ended."""
    monkeypatch.setattr(device, "MOST_STEPS", 1)
    monkeypatch.setattr(Choice, "device", lambda self, worthwhile: here)
    if isinstance(here, PlainDevice):
        here.memory = 16 << 20
    work = PartialShips(OpenBox(7, 3, (0, -1)), device="gpu", least=0.0)
    monkeypatch.setattr(partials, "SHARE", 0.0)
    units = [piece.unit for piece in work.split(None, 1, Limits())]
    assert len(units) == 1
    for moment in (*range(2), math.inf):
        looks = itertools.count(-2 - moment)
        monkeypatch.setattr(partials, "time", SimpleNamespace(monotonic=lambda looks=looks: float(max(next(looks), 0))))
        result = work.solve(units[-1], lambda problem, find, how: None, lambda: False)
        if result.status != Verdict.SPLIT:
            break
        assert work.covers(units[-1], [result.pieces[0].unit])
        assert not work.covers(units[-1], [piece.unit for piece in (result.pieces[0], result.pieces[0])])
        units.append(result.pieces[0].unit)
    assert result.status == Verdict.REFUTED
    assert len(units) == 3
    assert len(set(units)) == len(units)


def test_partial_ships_that_make_no_sense(here: Device) -> None:
    search = on(here, BOXES[0])
    damaged: list[Any] = [
        {"depth": 4, "ready": [[1, 2, 3, 4, 5]], "fronts": []},
        {"depth": 4, "ready": [], "fronts": []},
        {"depth": 4, "ready": [], "fronts": [{"place": 8, "partials": [[1, 70]]}]},
        {"depth": 4, "ready": [], "fronts": 3},
    ]
    for wrong in damaged:
        with pytest.raises(InputError):
            search.search.restore(wrong)


def test_time_and_limits(here: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that is stopped says up to which length there is no ship; one with a limit is complete up to it."""
    monkeypatch.setattr(device, "FIRST_LIMIT", 3)
    monkeypatch.setattr(device, "UNLIMITED", 0)
    monkeypatch.setattr(device, "MOST_STEPS", 1)
    search = on(here, OpenBox(6, 5, (0, -1)))
    inner = cast(DeviceSearch, search.search)

    def watch(stage: Stage) -> None:
        if inner.searched:
            inner.stop()

    assert list(search.finds(watch=watch)) == []
    assert not search.complete
    assert inner.searched == 15
    assert search.searched == (15 - 1 - 4) // 5 + 1
    limited = RowSearch.start(BOXES[0], 1, 16, Choice.of(here), longest=12)
    assert list(limited.finds()) == []
    assert limited.search.complete


# A device that is missing or fails.


class Failing(PlainDevice):
    """Fails after some launches."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    def program(self, source: Path, constants: Any) -> PlainProgram:
        fails = self

        class Program(PlainProgram):
            def launch(self, kernel: str, threads: int, *arguments: Any) -> None:
                if len(fails.launches) >= fails.after:
                    raise DeviceError("the GPU failed: an illegal memory access was encountered")
                super().launch(kernel, threads, *arguments)

        made = super().program(source, constants)
        return Program(self, made.library)


@needs_compiler
@pytest.mark.parametrize("after", [0, 30])
def test_when_a_device_fails_the_cpu_goes_on(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    box = OpenBox(12, 3, (0, -1), symmetry="D2|")
    search = RowSearch.start(box, 1, 200, Choice.of(Failing(after), said.append))
    assert isinstance(search.search, DeviceSearch)
    assert next(search.finds()).apgcode == next(RowSearch.start(box, 1, 200).finds()).apgcode
    assert isinstance(search.search, FrontierSearch)
    assert said == ["the GPU failed: an illegal memory access was encountered; the CPU goes on"]
    only_by_primes(monkeypatch)
    problem = families.still_life((6, 6))
    assert count(problem, ThreadPool(choice=Choice.of(Failing(after), said.append))).value == count(problem).value
    there, other = best(problem, True, ThreadPool(choice=Choice.of(Failing(after), said.append))), best(problem, True)
    assert there is not None
    assert other is not None
    assert there.sum() == other.sum()
    assert len(said) == 3


def test_no_device_costs_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "why_none", lambda: "no NVIDIA GPU was found")
    said: list[str] = []
    assert Choice("gpu", said.append).device(False) is None
    assert said == ["no NVIDIA GPU was found; the CPU is used instead"]
    for quiet in (Choice("auto", said.append), Choice("cpu", said.append), Choice(None, said.append)):
        assert quiet.device(True) is None
    assert len(said) == 1
    with pytest.raises(InputError, match="auto, cpu, gpu"):
        Options(device="tpu").choice()


def test_small_questions_do_not_look_for_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[bool] = []
    monkeypatch.setattr(cuda, "open_device", lambda: looked.append(True))
    count(families.still_life((6, 6)), ThreadPool(choice=Choice("auto")))
    RowSearch.start(OpenBox(6, 3, (0, -1)), 1, 100, Choice("auto"))
    assert not looked
    RowSearch.start(OpenBox(10, 10, (0, -1), symmetry="D2|"), 1, 100, Choice("auto"))
    assert looked == [True]


def test_from_the_shell() -> None:
    shown = run("devices")
    assert shown.returncode == 0
    assert shown.stdout.startswith("cpu: ")
    assert "\ngpu: " in shown.stdout
    counted = run("still-life", "4x4", "--count-only", "--device", "gpu")
    assert (counted.returncode, counted.stdout) == (0, "82\n")
    if cuda.why_none():
        assert "the CPU is used instead" in counted.stderr
    assert run("still-life", "6x6", "--device", "tpu").returncode == 2
