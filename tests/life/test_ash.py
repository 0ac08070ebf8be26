"""What becomes of a pattern, against published figures and against plain simulation."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satlife.errors import InputError
from satlife.life.ash import GROWS, SETTLES, UNDECIDED, ash, direction, lane, run, what_it_is
from satlife.life.bits import Diagram, automaton
from satlife.life.identify import identify
from satlife.life.pattern import Pattern
from satlife.life.rule import Rule
from satlife.life.simulate import generations
from satlife.life.universe import ROUND, Traveller, Universe, meeting

#: Published lifespans and final populations (LifeWiki), and what is left.
KNOWN = {
    "R-pentomino": (
        "b2o$2o$bo!", 1103, 116,
        "8 xs4_33, 6 xq4_153, 4 xp2_7, 4 xs6_696, 1 xs5_253, 1 xs6_356, 1 xs7_2596",
    ),
    "B-heptomino": ("ob2o$3o$bo!", 148, 28, "3 xs4_33, 2 xq4_153, 1 xs6_356"),
    "pi-heptomino": ("3o$obo$obo!", 173, 55, "6 xs4_33, 5 xp2_7, 2 xs8_6996"),
    "Herschel": ("o$3o$obo$2bo!", 128, 24, "2 xq4_153, 2 xs4_33, 1 xs6_356"),
    "thunderbird": ("3o2$bo$bo$bo!", 243, 46, "4 xp2_7, 4 xs6_696, 2 xs5_253"),
    "century": ("2b2o$3o$bo!", 103, 15, "3 xs4_33, 1 xp2_7"),
    "diehard": ("6bo$2o$bo3b3o!", 130, 0, ""),
    "acorn": (
        "bo$3bo$2o2b3o!", 5206, 633,
        "41 xp2_7, 34 xs4_33, 30 xs6_696, 13 xq4_153, 8 xs5_253, "
        "5 xs7_2596, 3 xs6_356, 2 xs6_25a4, 2 xs8_6996, 1 xs8_69ic",
    ),
}  # fmt: skip
GUN = "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!"
SWITCH_ENGINE = "6bo$4bob2o$4bobo$4bo$2bo$obo!"
RULES = [
    "B3/S23",
    "B36/S23",
    "B2-a/S12",
    "B3/S2-i34q",
    "345/2/4",
    "B2/S/C3",
    "B03/S23",
    "B017/S1",
    "B3/S23V",
    "B2/S34H",
]


@pytest.mark.parametrize("name", KNOWN)
def test_published_lifespans_and_censuses(name: str) -> None:
    rle, lifespan, population, census = KNOWN[name]
    found = ash(rle)
    assert (found.lifespan, found.population) == (lifespan, population)
    assert ", ".join(f"{number} {kind}" for kind, number in found.census.items()) == census


def test_directions() -> None:
    assert ash(KNOWN["B-heptomino"][0]).escaping == {"xq4_153": {"NE": 1, "NW": 1}}
    assert [direction(moved) for moved in ((0, 2), (-1, 0), (-3, 3), (-1, -2))] == ["S", "W", "SW", "(-1,-2)"]


@pytest.mark.parametrize(
    ("rle", "lifespan", "census"),
    [
        ("2o$2o!", 0, {"xs4_33": 1}),
        ("!", 0, {}),
        ("2ob2o$2ob2o!", 0, {"xs4_33": 2}),  # a bi-block is two blocks
        ("3o$2bo$bo98$100b2o$100b2o!", 0, {"xq4_153": 1, "xs4_33": 1}),  # the glider flies away
        ("7o!", 14, {"xs6_696": 4}),
        ("3o$bo!", 9, {"xp2_7": 4}),
    ],
)
def test_small_ones(rle: str, lifespan: int, census: dict[str, int]) -> None:
    found = ash(rle)
    assert (found.fate, found.lifespan, found.census) == (SETTLES, lifespan, census)


def test_ships_that_meet_far_away_are_followed() -> None:
    """Two gliders toward each other: 780 cells more between them are 4 * 780 / 2 generations more, and nothing else."""

    def facing(distance: int) -> Pattern:
        one = Pattern.parse("bo$2bo$3o!")
        return Pattern.from_points(one.points() + one.transform("R180").shift(distance, distance).points())

    near, far = ash(facing(20)), ash(facing(800))
    assert near.lifespan
    assert (far.lifespan, far.census) == (near.lifespan + 4 * 780 // 2, near.census)


@pytest.mark.parametrize(("rle", "period", "cells"), [(GUN, 30, 5), (SWITCH_ENGINE, 144, 16)])
def test_growth_is_told_as_far_as_it_was_seen(rle: str, period: int, cells: int) -> None:
    found = ash(rle)
    assert found.fate == GROWS
    assert found.growth
    assert found.lifespan is None
    assert (found.growth.period, found.growth.cells) == (period, cells)
    grown = found.growth
    assert run(rle, grown.last).population == found.population
    between, rest = divmod(grown.last - grown.first, period)
    if not rest:
        assert found.population - run(rle, grown.first).population == between * cells
    assert f"seen in generations {grown.first} to {grown.last}" in str(found)


def test_what_is_not_decided() -> None:
    found = ash(KNOWN["R-pentomino"][0], 600)
    assert (found.fate, found.generation, found.census) == (UNDECIDED, 600, {})
    assert str(found) == "undecided after 600 generations"


@st.composite
def scattered(draw: st.DrawFn) -> Pattern:
    """A few small soups that lie apart, in one of several rules."""
    rule = Rule.parse(draw(st.sampled_from(RULES)))
    cells = np.zeros((150, 150), np.uint8)
    for _ in range(draw(st.integers(1, 3))):
        height, width = draw(st.integers(1, 6)), draw(st.integers(1, 6))
        x, y = draw(st.integers(0, 144)), draw(st.integers(0, 144))
        soup = draw(st.lists(st.integers(0, rule.states - 1), min_size=height * width, max_size=height * width))
        cells[y : y + height, x : x + width] = np.reshape(soup, (height, width))
    return Pattern(cells, draw(st.integers(-50, 50)), draw(st.integers(-50, 50)), rule)


@settings(max_examples=10)
@given(scattered(), st.integers(0, ROUND - 1))
def test_the_universe_is_what_plain_simulation_makes_of_it(pattern: Pattern, more: int) -> None:
    universe = Universe(pattern)
    for t, plain in enumerate(islice(generations(pattern), 8 * ROUND + 1)):
        if t == universe.t:
            assert (universe.pattern(), universe.population()) == (plain, plain.population)
            universe.round()
    assert run(pattern, 2 * ROUND + more) == next(islice(generations(pattern), 2 * ROUND + more, None))


@settings(max_examples=10)
@given(scattered())
def test_from_its_lifespan_on_a_pattern_is_its_ash_and_its_ships(pattern: Pattern) -> None:
    """The parts of the census have the population of the whole, and one generation earlier the pattern is another."""
    found = ash(pattern, 480)
    if found.fate != SETTLES:
        return
    parts = (*found.objects, *found.ships)
    assert run(pattern, found.generation).population == found.population
    least, most = (sum(extreme(part.populations) for part in parts) for extreme in (min, max))
    assert least <= found.population <= most
    if found.generation and not found.ships and found.period:
        for t, recurs in ((found.generation, True), (found.generation - 1, False)):
            assert (run(pattern, t + found.period) == run(pattern, t)) is recurs


def test_what_comes_back_is_identified_as_before() -> None:
    for code in ("xq4_153", "xp2_7", "xs4_33", "xp15_4r4z4r4"):
        found, became = what_it_is(Pattern.parse(code))
        assert (found.apgcode, became) == (code, None)
    found, became = what_it_is(Pattern.parse("7o!"))
    assert found.reason == "it settles after 14 generations"
    assert became is not None
    high = Pattern.parse("2o$2o!").under(Rule.parse("B36/S23"))
    assert what_it_is(high)[0].pattern.rule.name == "B36/S23"
    around = Pattern(np.ones((1, 1), np.uint8), torus=(3, 3))
    assert what_it_is(around) == (identify(around), None)


def test_a_traveller_is_known_at_all_times() -> None:
    glider = Pattern.parse("bo$2bo$3o!")
    found = Universe(glider).comes_back(glider, 10)
    assert isinstance(found, Traveller)
    assert (found.period, found.displacement) == (4, (1, 1))
    assert [found.at(t) for t in range(11)] == list(islice(generations(glider), 11))
    assert found.at(-4) == glider.shift(-1, -1)
    later = Traveller(tuple(phase.shift(2, 2) for phase in found.phases), (1, 1), 8)
    assert later.course == found.course
    assert Universe(glider).comes_back(glider, 3) is None


@given(st.integers(-40, 40), st.integers(-40, 40), st.sampled_from(["I", "R90", "R180", "F\\"]))
def test_travellers_do_not_meet_before_it_is_said(dx: int, dy: int, turn: str) -> None:
    first = Pattern.parse("bo$2bo$3o!")
    second = first.transform(turn).shift(dx, dy)
    one, other = (Universe(ship).comes_back(ship, 4) for ship in (first, second))
    assert one
    assert other
    when = meeting(one, other, 0)
    for t in range(200 if when is None else min(when, 200)):
        a, b = one.at(t), other.at(t)
        gap = max(
            a.x - (b.x + b.width - 1), b.x - (a.x + a.width - 1), a.y - (b.y + b.height - 1), b.y - (a.y + a.height - 1)
        )
        assert gap > 2


@pytest.mark.parametrize("rule", ["pB3/S23", "B3/S23?"])
def test_an_open_rule_decides_nothing(rule: str) -> None:
    with pytest.raises(InputError, match="left open in part"):
        ash(Pattern(np.ones((1, 1), np.uint8), rule=Rule.parse(rule)))


@pytest.mark.parametrize("number", [-1, 1.5])
def test_a_wrong_number_of_generations(number: int) -> None:
    with pytest.raises(InputError, match="generations"):
        ash("2o$2o!", number)
    with pytest.raises(InputError, match="generations"):
        run("2o$2o!", number)


@given(st.lists(st.sampled_from([0, 1, None]), min_size=16, max_size=16))
def test_diagrams_have_the_entries_of_their_tables(entries: list[int | None]) -> None:
    diagram = Diagram(tuple(entries))
    for index, entry in enumerate(entries):
        value = diagram.value([index >> bit & 1 for bit in (3, 2, 1, 0)]) & 1
        assert entry is None or value == entry


def test_one_step_of_every_block_in_many_rules() -> None:
    """All 512 blocks side by side, in totalistic, isotropic and other rules, against the table."""
    rng = np.random.default_rng(5)
    for name in [*RULES[:4], "B2/S34H", "B1357/S1357", "B3678/S34678"]:
        rule = Rule.parse(name)
        assert_table(rule)
    for _ in range(3):
        table = rng.integers(0, 2, 512, dtype=np.uint8)
        table[0] = 0
        assert_table(Rule(bytes(table)))


def assert_table(rule: Rule) -> None:
    stride = 8 * 512
    rows = [
        sum((block >> 8 - 3 * y - x & 1) << 8 * block + 3 + x for block in range(512) for x in range(3))
        for y in range(3)
    ]
    (after,) = automaton(rule).run([sum(row << y * stride for y, row in enumerate(rows))], stride, 1)
    assert [after >> stride + 8 * block + 4 & 1 for block in range(512)] == list(rule.table)


@pytest.mark.parametrize("name", ["I", "R90", "F/", "F-"])
def test_the_lane_of_a_ship_is_the_same_at_all_times(name: str) -> None:
    """And moves with it, across its way only."""
    for ship, way in (("bo$2bo$3o!", (1, 1)), ("bo2bo$o$o3bo$4o!", (-1, 0))):
        pattern = Pattern.from_rle(ship).transform(name)
        [found] = ash(pattern).ships
        dx, dy = (int(step) for step in np.sign(found.displacement))
        assert sorted(map(abs, (dx, dy))) == sorted(map(abs, way))
        number = lane(found)
        assert number is not None
        moved = ash(pattern.shift(40 + 3 * dx, 7 + 3 * dy)).ships[0]
        across = {(0, 0): 0, (1, 0): 7, (0, 1): 40}.get((abs(dx), abs(dy)), 40 - dx * dy * 7)
        assert lane(moved) == number + across
        for t in range(1, 9):
            assert lane(ash(pattern.run(t)).ships[0]) == number
        both = Pattern.from_points([*pattern.points(), *pattern.shift(400, 0).points()])
        assert {lane(one) for one in ash(both).ships} == {number, number + 400 * (dy != 0)}


def test_parts_that_are_alike_are_told_apart() -> None:
    """Each was seen as the other one is now: the second shuttle is 24 generations ahead."""
    shuttle = Pattern.from_rle("9b2o$9bobo$4b2o6bo7b2o$2obo2bo2bo2bo7b2o$2o2b2o6bo$9bobo$9b2o!")
    ahead = shuttle.run(24).shift(0, 80)
    universe = Universe(Pattern.from_points([*shuttle.points(), *ahead.points()]))
    for _ in range(60):
        universe.round()
    assert universe.box() is None
    assert [traveller.period for traveller in universe.travellers] == [30, 30]
    assert universe.pattern() == Pattern.from_points([*shuttle.points(), *ahead.points()]).run(60 * ROUND)
