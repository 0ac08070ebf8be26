"""Rules, patterns, simulation, identification, file formats."""

from __future__ import annotations

import itertools
import json
import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satlife.errors import InputError, LimitError, SatlifeError
from satlife.life import formats
from satlife.life.formats import apgcode, cells, life106, rle
from satlife.life.identify import identify, wechsler
from satlife.life.pattern import TRANSFORMS, Pattern, transform_cells
from satlife.life.rule import CENTRE, LIFE, Rule, classes, from_counts, parse
from satlife.life.simulate import advance, next_states, step_torus

PATTERNS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "patterns.json").read_text())


def patterns(states: int = 2) -> st.SearchStrategy[Pattern]:
    rows = st.integers(0, 12).flatmap(
        lambda w: st.lists(st.lists(st.integers(0, states - 1), min_size=w, max_size=w), max_size=12)
    )
    rule = LIFE if states == 2 else Rule(LIFE.table, states)
    return rows.map(lambda r: Pattern(np.array(r, np.uint8).reshape(len(r), -1 if r and r[0] else 0), rule=rule))


# Rules.
def test_hensel_classes_are_a_partition() -> None:
    blocks = [block for letters in classes().values() for images in letters.values() for block in images]
    assert len(blocks) == len(set(blocks)) == 256
    assert sum(len(letters) for letters in classes().values()) == 51
    for count, letters in classes().items():
        assert all(block.bit_count() == count and not block & CENTRE for b in letters.values() for block in b)


@given(st.sets(st.integers(0, 8)), st.sets(st.integers(0, 8)))
def test_totalistic_rules_round_trip(births: set[int], survivals: set[int]) -> None:
    rule = from_counts(births, survivals)
    digits = ["".join(map(str, sorted(s))) for s in (births, survivals)]
    assert rule.name == f"B{digits[0]}/S{digits[1]}"
    if not (0 in births and 8 in survivals):
        for text in (rule.name, f"b{digits[0]}s{digits[1]}", f"{digits[1]}/{digits[0]}", f"S{digits[1]}/B{digits[0]}"):
            assert parse(text) == rule


@given(st.binary(min_size=64, max_size=64))
def test_any_table_round_trips(packed: bytes) -> None:
    table = np.unpackbits(np.frombuffer(packed, np.uint8)).copy()
    table[0] = 0
    rule = Rule(table.tobytes())
    assert parse(rule.name) == rule


def test_rule_is_conways() -> None:
    for block in range(512):
        neighbours = (block & ~CENTRE).bit_count()
        assert LIFE.table[block] == (neighbours == 3 or (neighbours == 2 and bool(block & CENTRE)))


# Simulation.
def slow_step(grid: npt.NDArray[np.uint8], rule: Rule) -> npt.NDArray[np.uint8]:
    """The definition, cell by cell, on a torus."""
    height, width = grid.shape
    out = np.zeros_like(grid)
    for y, x in itertools.product(range(height), range(width)):
        block = 0
        for dy, dx in itertools.product((-1, 0, 1), repeat=2):
            block = 2 * block + int(grid[(y + dy) % height, (x + dx) % width] == 1)
        state = int(grid[y, x])
        born = rule.table[block]
        if state == 0:
            out[y, x] = born
        elif state == 1 and born:
            out[y, x] = 1
        else:
            out[y, x] = (state + 1) % rule.states
    return out


@pytest.mark.parametrize(
    "text", ["B3/S23", "B36/S125", "B2-a/S12", "B2/S34H", "B13/S02V", "345/2/4", "/2/3", "B03/S23"]
)
def test_steps_against_the_definition(text: str) -> None:
    rule = parse(text)
    rng = np.random.default_rng(3)
    for _ in range(20):
        grid = rng.integers(0, rule.states, (5, 7)).astype(np.uint8)
        assert np.array_equal(step_torus(grid, rule), slow_step(grid, rule))


def test_plane_grows() -> None:
    r_pentomino = Pattern.from_rows([".OO", "OO.", ".O."])
    assert advance(r_pentomino, 100).population == 121


def test_b0_rules_blink() -> None:
    rule = parse("B03/S23")
    assert advance(Pattern.from_rows(["O"], rule), 0).population == 1
    assert rule.background(0) == 0
    assert rule.background(1) == 1
    inverted = parse("B0123478/S01234678")
    assert not inverted.births_from_nothing


def test_next_states_needs_no_loop() -> None:
    soup = np.random.default_rng(1).integers(0, 2, (512, 512)).astype(np.uint8)
    assert next_states(np.pad(soup, 1), LIFE).shape == soup.shape


# Identification.
@pytest.mark.parametrize("entry", PATTERNS, ids=lambda e: str(e["name"]))
def test_well_known_patterns(entry: dict[str, Any]) -> None:
    found = identify(rle.parse(entry["rle"]))
    assert found.period == entry["period"]
    assert list(found.displacement) == entry["displacement"]
    assert min(found.populations) == entry["population"]
    assert list(found.box) == entry["box"]
    assert sorted(found.symmetry) == sorted(entry["symmetry"])
    assert sorted(found.time_symmetry) == sorted(entry["time_symmetry"])
    assert found.apgcode is not None
    again = identify(apgcode.parse(found.apgcode))
    assert again.apgcode == found.apgcode


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        (["OO", "OO"], "xs4_33"),
        (["OOO"], "xp2_7"),
        ([".O.", "..O", "OOO"], "xq4_153"),
        ([".OO.", "O..O", ".OO."], "xs6_696"),
        (["OO..", "O.O.", "..O.", "..OO"], "xs7_178c"),
    ],
)
def test_apgcodes(rows: list[str], code: str) -> None:
    pattern = Pattern.from_rows(rows)
    for name in TRANSFORMS:
        for t in range(4):
            assert identify(advance(pattern.transform(name), t)).apgcode == code


def test_apgcode_with_long_gaps() -> None:
    blocks = np.zeros((2, 40), np.uint8)
    for x in (0, 1, 38, 39):
        blocks[:, x] = 1
    code = wechsler(blocks)
    assert code == "33yw33"
    assert np.array_equal(apgcode.parse(f"xs8_{code}").cells, blocks)


@pytest.mark.parametrize(
    ("rows", "reason"), [(["OO"], "it dies after 1 generation"), ([".OO", "OO.", ".O."], "does not come back")]
)
def test_patterns_without_period(rows: list[str], reason: str) -> None:
    found = identify(Pattern.from_rows(rows), longest=50)
    assert found.period == 0
    assert reason in found.reason
    assert found.apgcode is None


# Patterns.
@given(patterns())
def test_transforms_form_a_group(pattern: Pattern) -> None:
    grid = pattern.cells
    quarter = transform_cells(grid, "R90")
    assert np.array_equal(transform_cells(transform_cells(quarter, "R90"), "R180"), grid)
    for name in ("F|", "F-", "F\\", "F/", "R180"):
        assert np.array_equal(transform_cells(transform_cells(grid, name), name), grid)
    assert np.array_equal(transform_cells(quarter, "F|"), transform_cells(grid, "F\\"))
    assert np.array_equal(transform_cells(quarter, "F-"), transform_cells(grid, "F/"))


@given(patterns(), st.integers(-5, 5), st.integers(-5, 5))
def test_patterns_compare_by_cells_and_place(pattern: Pattern, dx: int, dy: int) -> None:
    moved = pattern.shift(dx, dy)
    assert moved.shift(-dx, -dy) == pattern.crop()
    assert hash(pattern) == hash(pattern.crop())
    if not pattern.is_empty():
        assert (moved == pattern) == ((dx, dy) == (0, 0))


@pytest.mark.parametrize("n", [-1, 1.5])
def test_patterns_advance_by_generations(n: Any) -> None:
    with pytest.raises(InputError, match="0 or more"):
        advance(Pattern.from_rows(["OOO"]), n)


def test_growth_is_not_followed_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """All phases are kept, so that their cells are limited together, too."""
    grows = Pattern.from_rows(["O"], parse("B1/S012345678"))
    monkeypatch.setattr("satlife.life.identify.MOST_CELLS", 10_000)
    assert re.fullmatch("after [12]\\d generations it is too large to follow", identify(grows).reason)


# Formats.
@given(patterns(), st.lists(st.text("abc xyz", max_size=10).map(lambda s: f"C {s}".rstrip()), max_size=3))
def test_formats_round_trip(pattern: Pattern, comments: list[str]) -> None:
    noted = Pattern(pattern.cells, comments=tuple(comments))
    for module in (rle, cells, life106):
        text = module.format(noted)
        again = module.parse(text)
        assert again.crop().cells.tolist() == pattern.crop().cells.tolist()
    assert rle.parse(rle.format(noted)).comments == noted.comments
    assert max(map(len, rle.format(pattern).splitlines())) <= 70


def test_the_rule_and_the_torus_are_not_lost() -> None:
    given = rle.parse("x = 3, y = 1, rule = B36/S23:T10,20\n3o!")
    for module in (rle, cells, life106):
        again = module.parse(module.format(given))
        assert (again.rule.name, again.torus) == ("B36/S23", (10, 20))
    assert cells.parse(cells.format(Pattern(np.zeros((0, 0), np.uint8)))).is_empty()


@pytest.mark.parametrize("body", ["", "bo$2b", "bo$2bo$"])
def test_a_pattern_that_is_cut_off_is_refused(body: str) -> None:
    with pytest.raises(InputError, match=r"ends without `!`, after \d of 3 rows"):
        rle.parse(f"x = 3, y = 3, rule = B3/S23\n{body}\n")


@pytest.mark.parametrize("line", ["#R -5 7", "#P -5 7", "#CXRLE Pos=-5,7"])
def test_the_corner_of_a_pattern(line: str) -> None:
    pattern = rle.parse(f"{line}\n#r B36/S23\n3o!\n")
    assert (pattern.x, pattern.y, pattern.rule.name) == (-5, 7, "B36/S23")


@given(patterns(states=30))
def test_rle_of_many_states(pattern: Pattern) -> None:
    assert rle.parse(rle.format(pattern)).crop().cells.tolist() == pattern.crop().cells.tolist()


@pytest.mark.parametrize(
    "text",
    [
        "x = 3, y = 3, rule = B3/S23\r\nbo$2bo$3o!\r\n",
        "bo$2bo$3o",
        "#C hello\nx=3,y=3\nbo$\n2bo$\n3o! and this is ignored",
        ".O$..O$OOO!",
        ".*$2.*$3*!",
        "\ufeffx = 3, y = 3\n b o $ 2b o $ 3 o !",
        "bo$2bo$3o!" + "\n" * 5,
        ".O.\n..O\nOOO\n",
        "!Name: Glider\n!\n.O\n..O\nOOO\n",
        "#Life 1.06\n1 0\n2 1\n0 2\n1 2\n2 2\n",
        "#Life 1.05\n#D A glider\n#N\n#P 0 0\n.*\n..*\n***\n",
        "\ufeff\n#Life 1.05\r\n#R 23/3\r\n#P 1 0\r\n*.\r\n.*\r\n\r\n#P 0 2\r\n***\r\n",
    ],
)
def test_glider_in_many_spellings(text: str) -> None:
    assert formats.parse(text).points() == [(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bo$2bz$3o!", "line 1, column 6: 'z' is not allowed in RLE"),
        ("x = 3, y = 3, rule = B3/S29\nbo!", "line 1: rule 'B3/S29', position 6"),
        ("x = 3, y = 3\nbo$?o!", "line 2, column 4: `?` cells make no sense here"),
        (".A.B!", "line 1, column 4: a cell has state 2, but the rule B3/S23 has 2 states"),
        ("x = 3, y = 1, rule = /2/256\n.yX!", "line 2, column 2: a cell has state 264, but the rule B2/S/C256 has 256"),
        ("x = 3, y = 1, rule = /2/256\n.2yP!", "line 2, column 2: a cell has state 256"),
        ("#Life 1.05\n#P 0 0\n.*\n.O\n", "line 4, column 2: 'O' is not one of `.` and `*`"),
        ("#Life 1.05\n#P 0\n.*\n", "line 2: `#P` should be followed by two coordinates, not by '0'"),
        ("#Life 1.05\n#R 23\n.*\n", "line 2: rule '23' is not a rulestring"),
        ("!x\n.O\n.X\n", "line 3, column 2: 'X' is not one of"),
        ("#Life 1.06\n1 2\n1 x\n", "line 3: expected two coordinates"),
    ],
)
def test_mistakes_are_located(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        formats.parse(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "999999999o!",
        "x = 1000000000, y = 3\no!",
        "9" * 1_000_000 + "o!",
        "x = 999999999999999999999, y = 1\no!",
        "1000000b1000000$o!",
        "#Life 1.06\n0 0\n100000000 100000000\n",
        "#Life 1.05\n*\n#P 100000000 100000000\n*\n",
    ],
)
def test_absurd_sizes_are_refused_before_they_are_filled(text: str) -> None:
    tracemalloc.start()
    with pytest.raises(LimitError):
        formats.parse(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50 << 20


def test_life_105() -> None:
    text = "#Life 1.05\n#D two blocks\n#D\n#R 125/36\n#P -3 5\n**\n.\n.*\n#P 0 -1\n*..*\n"
    pattern = formats.parse(text)
    assert pattern.points() == [(0, -1), (3, -1), (-3, 5), (-2, 5), (-2, 7)]
    assert (pattern.rule.name, pattern.comments) == ("B36/S125", ("C two blocks", "C"))
    assert formats.parse("#Life 1.05\n#R 345/2/4\n*\n").rule.states == 4
    assert formats.parse("#Life 1.05\n#D nothing\n#P 0 0\n...\n").is_empty()


@given(patterns(), st.integers(-50, 50), st.integers(-50, 50))
def test_rows_of_life_105(pattern: Pattern, x: int, y: int) -> None:
    rows = "\n".join("".join(".*"[state] for state in row) or "." for row in pattern.cells.tolist())
    assert formats.parse(f"#Life 1.05\n#P {x} {y}\n{rows}\n") == pattern.shift(x, y)


def test_the_last_state_is_not_an_unknown_cell() -> None:
    text = "x = 5, y = 1, rule = /2/256\n?AyO?yO!"
    pattern = formats.parse(text, unknown=True)
    assert pattern.mask.tolist() == [[True, False, False, True, False]]
    assert pattern.cells[~pattern.mask].tolist() == [1, 255, 255]
    assert rle.format(pattern) == "x = 5, y = 1, rule = /2/256\n?AyO?yO!\n"
    assert str(pattern).startswith("?O")
    assert pattern != Pattern(pattern.cells, rule=pattern.rule)
    for name, row in (("F|", [True, False, False, True, False][::-1]), ("I", [True, False, False, True, False])):
        assert pattern.transform(name).mask.tolist() == [row]
    known = formats.parse("x = 3, y = 1, rule = /2/256\n.AyO!")
    assert (known.unknown, known.cells.tolist()) == (None, [[0, 1, 255]])
    assert formats.parse("??..\n.?O.\n", unknown=True).crop().mask.tolist() == [
        [True, True, False],
        [False, True, False],
    ]
    assert cells.format(formats.parse("?.\n.O\n", unknown=True)) == "?.\n.O\n"
    with pytest.raises(InputError, match="unknown"):
        identify(pattern)


@pytest.mark.parametrize(
    "name", ["B2/S/C3", "B2-a3/S12k/C5", "B2/S34/C4H", "B2/S12/C256V", "B3/S23", "B2-a/S12", "B2/S1V"]
)
def test_rle_names_rules_as_golly_does(name: str) -> None:
    """In more than two states: survivals / births / number of states, and then the neighbourhood."""
    rule = Rule.parse(name)
    header = rle.format(Pattern.from_rows(["O"], rule)).splitlines()[0].partition("rule = ")[2]
    assert (Rule.parse(header), rule.name) == (rule, name)
    if rule.states > 2:
        assert re.fullmatch(r"[0-8a-z-]*/[0-8a-z-]+/\d+[HV]?", header)
    else:
        assert header == name


def test_a_map_with_states_as_golly_writes_it() -> None:
    table = bytearray(Rule.parse("B3/S23").table)
    table[1] = 1
    rule = Rule(bytes(table), 3)
    assert rule.name.endswith("/C3")
    assert rule.golly == f"{rule.name[:-2]}3"
    assert Rule.parse(rule.golly) == Rule.parse(rule.name) == rule


def any_text(raw: bytes) -> str:
    """Of any characters; `st.text()` would begin with a table of all that there are, which takes a second."""
    return raw.decode("utf-16", "ignore")


@given(st.text("xy=0123456789,rulebBoO$!.*#ACZ? \n/S", max_size=60) | st.binary(max_size=80).map(any_text))
def test_parsers_raise_only_our_errors(text: str) -> None:
    for unknown in (False, True):
        try:
            pattern = formats.parse(text, unknown)
        except SatlifeError:
            continue
        if not unknown:
            assert rle.format(rle.parse(rle.format(pattern))) == rle.format(pattern)


def test_rules_with_b0_on_tori_and_cylinders() -> None:
    """A torus has no background: what is empty may be full in the next generation."""
    full = Pattern.from_rle("x = 3, y = 3, rule = B0/S:T3,3\n3o$3o$3o!")
    assert identify(full).period == 2
    with pytest.raises(InputError, match="cylinder"):
        advance(Pattern.from_rle("x = 3, y = 1, rule = B0/S:T3,0\n3o!"), 1)
    assert identify(Pattern.from_rows([".OO", "OO.", ".O."]), longest=20).symmetry == []


def test_a_second_state_and_history_mean_what_hunters_mean() -> None:
    """A second live state is a don't-care; LifeHistory marks cells, and says nothing about the blue and grey ones."""
    plain = formats.parse("x = 4, y = 2, rule = B3/S23\nob?o$2?2o!", unknown=True)
    assert formats.parse("x = 4, y = 2, rule = B3/S23\nA.BA$2B2A!", unknown=True) == plain
    assert formats.parse("x = 4, y = 2, rule = LifeHistory\nCDBE$BFAC!", unknown=True) == plain
    life = formats.parse("x = 4, y = 2, rule = B36/S23History:T4,2\nCDBE$BFAC!")
    assert (str(life), life.rule.name, life.torus) == ("O..O\n..OO", "B36/S23", (4, 2))
    with pytest.raises(InputError, match="a cell has state 2"):
        formats.parse("x = 4, y = 2, rule = B3/S23\nA.BA!")
    with pytest.raises(InputError, match="a cell has state 7"):
        formats.parse("x = 1, y = 1, rule = LifeHistory\nG!", unknown=True)
    with pytest.raises(InputError, match="not a rulestring"):
        formats.parse("x = 1, y = 1, rule = NaturalHistory\no!")


def test_a_drawing_may_have_unknown_cells_and_no_others() -> None:
    drawn = Pattern.from_rows(["O?", "?."])
    assert drawn.mask.tolist() == [[False, True], [True, False]]
    assert drawn == formats.parse("O?\n?.", unknown=True)
    with pytest.raises(InputError, match="row 2, cell 1: 'x' is not"):
        Pattern.from_rows(["O.", "xO"])
