"""Every rule: tables against Golly, wrong rulestrings, and searches that come out right in all kinds of rules."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import satlife
from events import PATIENCE
from satlife.encode.encoder import encode
from satlife.errors import InputError
from satlife.life.formats import rle
from satlife.life.identify import identify
from satlife.life.rule import CENTRE, LIFE, Rule, classes, parse, parse_topology
from satlife.life.simulate import advance
from satlife.limits import Limits
from satlife.problem import families, verify
from satlife.problem.grid import parse_grid
from satlife.solve.runner import Child, models
from satlife.solve.solvers import find_solver

TABLES: dict[str, str] = json.loads((Path(__file__).parents[1] / "data" / "rule-tables.json").read_text())
SPACING = 6


def random_rulestrings(count: int, seed: int) -> list[str]:
    """Totalistic, Hensel, hexagonal, von Neumann and MAP rules, none with B0."""
    rng = random.Random(seed)
    found = []
    for i in range(count):
        kind = i % 5
        if kind == 0:
            births = "".join(d for d in "12345678" if rng.random() < 0.4)
            survivals = "".join(d for d in "012345678" if rng.random() < 0.4)
            found.append(f"B{births}/S{survivals}")
        elif kind == 1:
            halves = []
            for first in (1, 0):
                text = ""
                for n in range(first, 9):
                    letters = [letter for letter in classes()[n] if letter]
                    if rng.random() < 0.5:
                        text += str(n)
                        if letters and rng.random() < 0.8:
                            some = rng.sample(letters, rng.randint(1, len(letters) - 1))
                            text += rng.choice(["", "-"]) + "".join(some)
                halves.append(text)
            found.append(f"B{halves[0]}/S{halves[1]}")
        elif kind in (2, 3):
            size, suffix = ((6, "H"), (4, "V"))[kind - 2]
            births = "".join(str(d) for d in range(1, size + 1) if rng.random() < 0.5)
            survivals = "".join(str(d) for d in range(size + 1) if rng.random() < 0.5)
            found.append(f"B{births}/S{survivals}{suffix}")
        else:
            table = bytearray(rng.getrandbits(1) for _ in range(512))
            table[0] = 0
            name = Rule(bytes(table)).name
            assert name.startswith("MAP")
            found.append(name)
    return found


@cache
def every_block() -> satlife.Pattern:
    """All 512 blocks of nine cells, side by side."""
    board = np.zeros((16 * SPACING, 32 * SPACING), np.uint8)
    for block in range(512):
        top, left = block // 32 * SPACING, block % 32 * SPACING
        bits = [block >> (8 - i) & 1 for i in range(9)]
        board[top : top + 3, left : left + 3] = np.array(bits).reshape(3, 3)
    return satlife.Pattern(board)


def digest(pattern: satlife.Pattern) -> str:
    """A fingerprint of the live cells, wherever they lie."""
    cells = pattern.crop().cells
    return hashlib.sha256(repr(cells.shape).encode() + cells.tobytes()).hexdigest()[:16]


def golly_next(text: str, folder: Path) -> satlife.Pattern:
    """What Golly makes of the 512 blocks in one generation."""
    source, target = folder / "in.rle", folder / "out.rle"
    source.write_text(every_block().to_rle().replace("rule = B3/S23", f"rule = {text}"))
    command = ["bgolly", "-q", "-q", "-a", "QuickLife", "-m", "1", "-o", str(target), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    lines = [line for line in target.read_text().splitlines() if not line.startswith(("#", "x"))]
    return rle.parse("\n".join(lines))


def our_next(text: str) -> satlife.Pattern:
    return advance(satlife.Pattern(every_block().cells, rule=parse(text)), 1)


NO_GOLLY = shutil.which("bgolly") is None
GENERATIONS = ["B2/S/C3", "B34/S3/C4", "B2-a3/S12k/C5", "B2/S34/C4H", "B2/S12/C3V", "B2/S345/C256"]


@pytest.mark.skipif(NO_GOLLY, reason="bgolly (Debian's golly) is not installed; the stored digests are tested instead")
def test_rules_against_golly(tmp_path: Path) -> None:
    for text in random_rulestrings(12, seed=7):
        assert digest(golly_next(text, tmp_path)) == digest(our_next(text)), text


@pytest.mark.skipif(NO_GOLLY, reason="bgolly is not installed; what our headers look like is tested with the formats")
def test_golly_reads_our_files_of_many_states(tmp_path: Path) -> None:
    """Our RLE goes to Golly, and what it has become comes back in Golly's own."""
    source, target = tmp_path / "in.rle", tmp_path / "out.rle"
    for rule in map(parse, GENERATIONS):
        cells = np.random.default_rng(1).integers(0, rule.states, (12, 12)).astype(np.uint8)
        soup = satlife.Pattern(cells, rule=rule)
        source.write_text(soup.to_rle())
        command = ["bgolly", "-q", "-q", "-a", "Generations", "-m", "5", "-o", str(target), str(source)]
        subprocess.run(command, check=True, capture_output=True)
        after = rle.parse(target.read_text())
        assert (after.rule, digest(after)) == (rule, digest(advance(soup, 5))), rule.name


def test_stored_answers_of_golly() -> None:
    assert len(TABLES) >= 100
    for text, expected in TABLES.items():
        assert digest(our_next(text)) == expected, text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the rule is empty"),
        ("   ", "the rule is empty"),
        ("X", "is not a rulestring"),
        ("Conway", "is not a rulestring"),
        ("3", "is not a rulestring"),
        ("B3", "is not a rulestring"),
        ("S23", "is not a rulestring"),
        ("B3/", "position 4: `S` is missing"),
        ("B3/23", "position 4: `S` is missing"),
        ("3/S23", "position 1: `B` is missing"),
        ("S23/3", "position 5: `S` and `B` do not fit"),
        ("B9/S23", "position 2: '9' should be a number of neighbours, 0 to 8"),
        ("B3/S29", "position 6: '9' should be"),
        ("B3/Sx", "position 5: 'x' should be"),
        ("B3 /S23", "position 3: ' ' should be"),
        ("B3/S23/", "position 8: '' is not a number of states"),
        ("B3/S23/1", "there can be 2 to 256 states, not 1"),
        ("B3/S23/C", "position 8: 'C' is not a number of states"),
        ("B3/S23/999", "there can be 2 to 256 states, not 999"),
        ("B3/S2/3/4", "one `/` too many"),
        ("B3x/S23", "position 3: 'x' is not one of them: the letters after 3 are aceijknqry"),
        ("B2j/S", "position 3: 'j' is not one of them: the letters after 2 are aceikn"),
        ("B1a/S", "position 3: 'a' is not one of them: the letters after 1 are ce"),
        ("B4p/S", "position 3: 'p' is not one of them: the letters after 4 are aceijknqrtwyz"),
        ("B8c/S", "position 3: 'c' is not one of them: 8 takes no letters"),
        ("B3/S0e", "position 6: 'e' is not one of them: 0 takes no letters"),
        ("B2-/S", "position 3: `-` after 2 should be followed by letters"),
        ("B2-x/S", "position 4: 'x' is not one of them"),
        ("B2a-i/S", "position 4: '-' is not one of them"),
        ("Ba2/S", "position 2: 'a' should be a number"),
        ("B7/S23H", "position 2: '7' should be a number of neighbours, 0 to 6"),
        ("B2/S5V", "position 5: '5' should be a number of neighbours, 0 to 4"),
        ("B2a/S1V", "position 3: 'a' should be a number"),
        ("MAP", "86, 22 or 6 base64 characters after MAP, not 0"),
        ("MAPAAAA", "not 4"),
        ("MAP" + "A" * 85 + "$", "position 89: '$' is not a base64 character"),
        ("B0/S/C3", "Generations rule with B0"),
        ("pB0/S", "cannot have B0"),
        ("B3?/S2H", "only rules with eight neighbours can be partial"),
        ("B?/S", "position 2: '?' should be a number"),
        ("B3/S23:T", "position 8: 'T' is not a torus"),
        ("B3/S23:T0,0", "is not a torus"),
        ("B3/S23:K5,5", "is not a torus such as T10,12"),
    ],
)
def test_wrong_rulestrings(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_topology(text)
    assert message in str(error.value)


def test_rulestrings_round_trip() -> None:
    for text in (*random_rulestrings(60, seed=3), "345/2/4", "B2/S/C3", "12/34/C256", "B3?/S2?3"):
        rule = parse(text)
        assert parse(rule.name) == rule, text
        assert parse(rule.name).name == rule.name, text


def test_b0_with_s8_is_seen_in_the_negative() -> None:
    """Full space is stable there; the complement has the same life with the states exchanged."""
    rule = parse("B0123478/S01234678")
    assert rule == LIFE
    assert not parse("B018/S0128").births_from_nothing


def test_names_and_spellings() -> None:
    for text in ("life", "Conway's Life", "B3S23", "s23b3", "23/3", "S23/B3", "b3/s23"):
        assert parse(text) == LIFE
    assert parse("Day & Night").name == "B3678/S34678"
    assert parse("Brian's Brain").name == "B2/S/C3"
    assert parse_topology("B3/S23:T10,12") == (LIFE, (10, 12))


# Searches: (rule, what is asked, expected).
SEARCHES = [
    ("HighLife", lambda r: families.spaceship((4, 3), 4, (1, 1), rule=r), "found"),
    ("Seeds", lambda r: families.oscillator((5, 5), 4, rule=r), "found"),
    ("Day & Night", lambda r: families.oscillator((6, 6), 2, rule=r), "found"),
    ("B2-a/S12", lambda r: families.oscillator((5, 5), 3, rule=r), "found"),
    ("B2-a/S12", lambda r: families.spaceship((7, 7), 3, (0, -1), rule=r), "none"),
    ("B3-n4k/S23-c", lambda r: families.oscillator((3, 3), 2, rule=r), "found"),
    ("B3-n4k/S23-c", lambda r: families.oscillator((5, 5), 3, rule=r), "none"),
    ("B2/S34H", lambda r: families.oscillator((4, 4), 4, rule=r), "found"),
    ("B2/S34H", lambda r: families.spaceship((4, 4), 1, (1, 0), rule=r), "none"),
    ("B2/S12V", lambda r: families.oscillator((5, 5), 2, rule=r), "found"),
    ("B4/SV", lambda r: families.still_life((4, 4), rule=r), "none"),
    ("B03/S23", lambda r: families.oscillator((5, 5), 2, rule=r), "found"),
    ("B03/S23", lambda r: families.oscillator((4, 4), 4, rule=r), "none"),
    ("345/2/4", lambda r: families.spaceship((4, 6), 1, (0, -1), rule=r), "found"),
    ("345/2/4", lambda r: families.spaceship((4, 6), 3, (0, -1), rule=r), "none"),
    ("Brian's Brain", lambda r: families.spaceship((4, 4), 1, (0, -1), rule=r), "found"),
    ("pB3/S23", lambda r: families.spaceship((5, 5), 3, (0, -1), rule=r), "found"),
    ("B3/S2?3?4?", lambda r: families.oscillator((4, 4), 3, rule=r), "found"),
    ("B3/S2?3?", lambda r: families.oscillator((2, 2), 3, rule=r), "none"),
]


@pytest.mark.parametrize(("text", "question", "expected"), SEARCHES)
def test_searches_in_many_rules(text: str, question: object, expected: str) -> None:
    assert callable(question)
    problem = question(text)
    found = satlife.find(problem, time=PATIENCE)
    assert found.status == expected, found.reason
    if found:
        assert found.pattern is not None
        identity = identify(found.pattern)
        assert (identity.period, identity.displacement) == (problem.generations, problem.displacement)


def test_a_map_rule_is_searched() -> None:
    """A rule without any symmetry: cells copy their left neighbour, so everything moves to the right at light speed."""
    rule = Rule(bytes(block >> 5 & 1 for block in range(512)))
    assert rule.name.startswith("MAP")
    assert satlife.find(families.spaceship((3, 3), 1, (1, 0), rule=rule)).status == "found"
    assert satlife.find(families.spaceship((3, 3), 1, (-1, 0), rule=rule)).status == "none"
    assert satlife.find(families.still_life((3, 3), rule=rule)).status == "none"


def test_the_find_tells_the_rule_and_its_range() -> None:
    found = satlife.find(families.spaceship((5, 5), 3, (0, -1), rule="pB3/S23"))
    assert found.pattern is not None
    assert found.rule_range is not None
    low, high = found.rule_range
    partial = parse("pB3/S23")
    for rule in (low, high, found.pattern.rule):
        assert partial.allows(rule)
        moved = satlife.Pattern(found.phases[0], rule=rule)
        assert advance(moved, 3).crop() == moved.shift(0, -1).crop()
    assert all(a <= b for a, b in zip(low.table, high.table, strict=True))
    data = found.to_dict()["pattern"]
    assert data["rules"] == [low.name, high.name]


def test_rule_range_of_a_wave() -> None:
    found = satlife.find(families.wave((3, 4), 1, rule="pB3/S23"))
    assert found.rule_range is not None
    for rule in found.rule_range:
        verify.check(families.wave((3, 4), 1, rule=rule), found.phases)


def test_dying_cells_of_a_target() -> None:
    """In a Generations rule a predecessor must have the right dying cells, not only the right live ones."""
    rule = parse("345/2/4")
    last = satlife.Pattern(np.array([[3]], np.uint8), rule=rule)
    found = satlife.find(families.predecessor(last))
    assert found.pattern is not None
    assert found.pattern.cells.tolist() == [[2]]
    first = satlife.Pattern(np.array([[2]], np.uint8), rule=rule)
    assert satlife.find(families.predecessor(first, margin=1)).status == "found"
    rng = np.random.default_rng(5)
    for _ in range(5):
        past = satlife.Pattern(rng.integers(0, 4, (4, 4)).astype(np.uint8), rule=rule)
        target = advance(past, 1).crop()
        outcome = satlife.find(families.predecessor(target, margin=2), time=PATIENCE)
        assert outcome.pattern is not None
        assert advance(outcome.pattern, 1).crop().cells.tolist() == target.cells.tolist()


def test_b0_background_is_encoded_truly() -> None:
    """All period-2 patterns of a B0 rule in 3x3, against running every start."""
    rule = parse("B03/S23")
    expected = 0
    for bits in range(1, 512):
        cells = np.array([bits >> i & 1 for i in range(9)], np.uint8).reshape(3, 3)
        start = satlife.Pattern(cells, rule=rule)
        first, second = advance(start, 1).crop(), advance(start, 2).crop()
        inside = first.is_empty() or (
            first.x >= 0 and first.y >= 0 and first.x + first.width <= 3 and first.y + first.height <= 3
        )
        expected += int(inside and second == start.crop())
    encoded = encode(families.oscillator((3, 3), 2, rule=rule))
    deciding = [int(v) for v in np.unique(encoded.space.inside(0))]
    with Child(encoded.formula, find_solver("cadical195")) as child:
        assert len(list(models(child, deciding, Limits()))) == expected


# Symmetries.
def test_moving_box_and_diagonal_width() -> None:
    """The glider needs 4x3 when the box stands, and no more when it travels."""
    assert satlife.find(families.spaceship((4, 3), 4, (1, 1), moving=True)).status == "found"
    assert satlife.find(families.spaceship((3, 3), 4, (1, 1), moving=True)).status == "none"
    assert satlife.find(families.spaceship((6, 6), 4, (1, 1), diagonal_width=5)).status == "found"
    assert satlife.find(families.spaceship((6, 6), 4, (1, 1), diagonal_width=3)).status == "none"
    assert satlife.find(families.spaceship((6, 6), 4, (1, -1), diagonal_width=5)).status == "found"
    with pytest.raises(InputError, match="move diagonally"):
        families.spaceship((6, 6), 4, (0, -1), diagonal_width=5)


def test_stator_cells_do_not_change() -> None:
    """A period-2 pattern whose outer ring does not change, and one that has no rotor left."""
    ring = parse_grid("======\n=****=\n=****=\n=****=\n=****=\n======\n")
    found = satlife.find(families.oscillator((6, 6), 2, known=ring))
    assert found.status == "found"
    changed = found.phases[0] != found.phases[1]
    assert not changed[0].any()
    assert not changed[:, 0].any()
    still = parse_grid("===\n===\n===\n")
    assert satlife.find(families.oscillator((3, 3), 2, known=still)).status == "none"


def test_required_change() -> None:
    problem = families.grid("0 0 0\n* * *\n0 0 0\n\n* * *\n* * *\n* * *\n", differ=[(0, 1)])
    found = satlife.find(problem)
    assert found.status == "found"
    assert not np.array_equal(found.phases[0], found.phases[1])
    with pytest.raises(verify.Refuted, match="generations 0 and 1 are the same"):
        verify.check(problem, [np.zeros((3, 3), np.uint8)] * 2)


def test_table_order_is_that_of_a_book() -> None:
    assert LIFE.table[0b111000000] == 1
    assert LIFE.table[CENTRE] == 0
