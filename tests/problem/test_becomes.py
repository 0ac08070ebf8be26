"""Patterns that make patterns: arrangements against brute force, what they are called, and what cannot be one."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from pysat.solvers import Solver

import satlife
from satlife.engines.options import Options
from satlife.errors import InputError
from satlife.life.pattern import Pattern
from satlife.problem.ask import Ask
from satlife.problem.command import arguments, command, recognise
from satlife.problem.goals import FindOne
from satlife.problem.meaning import brief
from satlife.problem.nested import chains
from satlife.problem.problem import Problem, read_problem
from satlife.proof.plain import Plain
from satlife.proof.prove import proved

Planes = npt.NDArray[np.uint8]  # by pattern, row and column
SIDE = 3
#: The turns, spelled out again.
TURNS = {
    "I": lambda cells: cells,
    "R90": lambda cells: np.rot90(cells, -1, (-2, -1)),
    "R180": lambda cells: np.rot90(cells, 2, (-2, -1)),
    "R270": lambda cells: np.rot90(cells, 1, (-2, -1)),
    "F|": lambda cells: cells[..., ::-1],
    "F-": lambda cells: cells[..., ::-1, :],
    "F\\": lambda cells: np.swapaxes(cells, -2, -1),
    "F/": lambda cells: np.swapaxes(np.rot90(cells, 2, (-2, -1)), -2, -1),
}
#: All patterns of 3x3 cells but the empty one.
PATTERNS = (np.arange(1, 512)[:, None] >> np.arange(9) & 1).reshape(-1, SIDE, SIDE).astype(np.uint8)
MANY = 9  # answers: where most patterns die, there is nothing to tell apart
GLIDER = Pattern.parse("xq4_153")
HIGHLIFE = "2b3o$bo2bo$o3bo$o2bo$3o!"


def after(cells: Planes, born: str, survives: str, generations: int) -> Planes:
    """What becomes of patterns, with as many cells around them as there are generations."""
    planes = np.pad(cells, ((0, 0), (generations, generations), (generations, generations)))
    tables = [np.isin(np.arange(9), [int(digit) for digit in digits]) for digits in (born, survives)]
    for _ in range(generations):
        wide = np.pad(planes, ((0, 0), (1, 1), (1, 1)))
        height, width = planes.shape[1:]
        near = [wide[:, y : y + height, x : x + width] for y in range(3) for x in range(3) if (x, y) != (1, 1)]
        counts = np.sum(near, axis=0)
        planes = np.where(planes == 1, tables[1][counts], tables[0][counts]).astype(np.uint8)
    return planes


def answers(planes: Planes, margin: int, arrangement: dict[str, Any]) -> set[int]:
    """Which patterns have become an arrangement."""
    total, side = np.zeros(planes.shape, np.int64), planes.shape[1]
    given, unknown = np.zeros((2, side, side), bool)
    for x, y, turn in arrangement["copies"]:
        copies, total_of_copy = TURNS[turn](PATTERNS), np.zeros(planes.shape, np.int64)
        for i, j in itertools.product(range(SIDE), repeat=2):
            row, column = y + j + margin, x + i + margin
            if 0 <= row < side and 0 <= column < side:
                total_of_copy[:, row, column] = copies[:, j, i]
                given[row, column] = True
            else:
                total_of_copy[:, 0, 0] += 9 * copies[:, j, i]  # no live cell can be there
        total += total_of_copy
    for pattern in arrangement["others"]:
        for (j, i), state in np.ndenumerate(pattern.cells):
            row, column = pattern.y + j + margin, pattern.x + i + margin
            if pattern.mask[j, i]:
                unknown[row, column] = True
            else:
                given[row, column] = True
                total[:, row, column] += state
    for x, y, wide, high in arrangement["free"]:
        for row, column in itertools.product(range(y, y + high), range(x, x + wide)):
            if -margin <= min(row, column) and max(row, column) < side - margin:
                unknown[row + margin, column + margin] = True
    counts = given | ~unknown
    return set(np.flatnonzero(((total == planes) | ~counts).all(axis=(1, 2))).tolist())


def arrangements(planes: Planes, margin: int, rng: random.Random) -> Iterator[dict[str, Any]]:
    """Arrangements, of which some are what becomes of a pattern."""
    turns = list(TURNS)
    yield {
        "copies": [
            (rng.randint(-margin, margin), rng.randint(-margin, margin), rng.choice(turns))
            for _ in range(rng.randint(1, 3))
        ],
        "others": [],
        "free": [],
    }
    number = rng.randrange(len(PATTERNS))
    left, copies = planes[number].astype(np.int64), []
    places = [(x, y, turn) for x in range(-margin, margin + 1) for y in range(-margin, margin + 1) for turn in turns]
    rng.shuffle(places)
    for x, y, turn in places:
        window = left[y + margin : y + margin + SIDE, x + margin : x + margin + SIDE]
        if (TURNS[turn](PATTERNS[number]) <= window).all():
            window -= TURNS[turn](PATTERNS[number])
            copies.append((x, y, turn))
    unknown = np.array([[rng.random() < 0.1 for _ in row] for row in left])
    rest = Pattern(np.where(unknown, 0, left).astype(np.uint8), -margin, -margin, unknown=unknown)
    region = (rng.randint(-margin, SIDE), rng.randint(-margin, SIDE), rng.randint(1, 3), rng.randint(1, 3))
    yield {"copies": copies, "others": [rest], "free": []}
    if rng.random() < 0.7:
        return
    live = Pattern(np.where(unknown, 0, left).astype(np.uint8), -margin, -margin).crop()
    yield {"copies": copies, "others": [live], "free": [region]}


def numbered(found: npt.NDArray[Any], margin: int) -> int:
    """The number of a pattern in a list of all."""
    cells = found[margin : margin + SIDE, margin : margin + SIDE]
    assert cells.sum() == found.sum()
    return int(cells.ravel() @ (1 << np.arange(9))) - 1


def by_plain_clauses(problem: Problem, margin: int) -> set[int]:
    """The answers according to the clauses of certificates."""
    plain, found = Plain(problem), set()
    cells = [plain.cell(x + margin, y + margin, 0, 1) for y in range(SIDE) for x in range(SIDE)]
    with Solver("cadical195", bootstrap_with=plain.formula().clauses()) as solver:
        while solver.solve():
            true = set(solver.get_model())
            found.add(sum((cell in true) << place for place, cell in enumerate(cells)) - 1)
            solver.add_clause([-cell if cell in true else cell for cell in cells if abs(cell) in {*map(abs, true)}])
    return found


def test_all_patterns_of_3x3_in_many_rules() -> None:
    rng, seen = random.Random(52), 0
    for number in range(60):
        born = "".join(digit for digit in "12345678" if rng.random() < 0.35)
        survives = "".join(digit for digit in "012345678" if rng.random() < 0.35)
        margin = 1 + (number % 2) + (number % 10 == 9)
        planes = after(PATTERNS, born, survives, margin)
        for arrangement in arrangements(planes, margin, rng):
            expected = answers(planes, margin, arrangement)
            if len(expected) > MANY or (number % 8 and not expected):
                continue
            try:
                asked = {**arrangement, "free": ["{},{},{}x{}".format(*region) for region in arrangement["free"]]}
                question = satlife.becomes(SIDE, generations=margin, **asked, rule=f"B{born}/S{survives}")
            except InputError:  # it is known beforehand that there is none
                assert not expected
                continue
            found = satlife.enumerate_all(question)
            assert {numbered(outcome.phases[0], margin) for outcome in found} == expected, question.to_json()
            if number % 30 == 0:
                assert by_plain_clauses(question, margin) == expected
            seen += len(expected)
    assert seen > 30


#: Arguments of questions that cannot be asked, with what is said.
WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "what is it to become?"),
    ({"copies": ["2"]}, "a copy is written as DX,DY or DX,DY,TURN"),
    ({"copies": [(2, 2, "R45")]}, "a copy is turned by I, R90, R180"),
    ({"copies": 7}, "`copies` is a list, not 7"),
    ({"copies": ["1,1", (1, 1)]}, "the copy 1,1 is named twice"),
    ({"copies": [(8, 0)]}, "the pattern would be empty"),
    (
        {"copies": [(0, 0)], "others": [GLIDER, GLIDER], "at": ["2,0", "3,1"]},
        "live cell 4,1 of a known pattern belongs",
    ),
    ({"copies": [(0, 0)], "others": [GLIDER], "at": ["9,0"]}, "out of reach: in 4 generations nothing gets there"),
    ({"copies": [(0, 0)], "others": [GLIDER], "at": ["5,0", "5,5"]}, "1 known pattern (--and) and 2 places (--at)"),
    ({"copies": [(0, 0)], "at": ["5"]}, "a place is X,Y"),
    ({"copies": [(0, 0)], "free": ["5,5"]}, "a free region is X,Y,WxH"),
    ({"copies": [(0, 0)], "ties": ["a = b"]}, "tied already"),
    ({"copies": [(0, 0)], "known": "1"}, "fills in the known cells itself"),
    ({"copies": [(0, 0), (1, 1)], "rule": "23/3/3"}, "no two copies may overlap"),
    ({"copies": [(0, 0)], "rule": "B03/S23", "generations": 3}, "after an odd number of generations"),
    ({"copies": [(0, 0)], "generations": 0}, "number of generations should be at least 1"),
    ({"copies": [(0, 0)], "generations": 10**6}, "more than the limit"),
]


@pytest.mark.parametrize(("given", "words"), WRONG)
def test_what_cannot_be_asked(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as told:
        satlife.becomes(**{"size": 3, "generations": 4, **given})
    assert words in str(told.value)


def test_every_question_is_recognised() -> None:
    """Copies, turned and overlapping; given and free cells: the parameters that are read from a question ask it."""
    rng, turned = random.Random(8), list(TURNS)
    seen = 0
    for _ in range(60):
        size, margin = (rng.randint(1, 4), rng.randint(1, 4)), rng.randint(1, 4)
        copies = [
            (rng.randint(-margin, margin), rng.randint(-margin, margin), rng.choice(turned))
            for _ in range(rng.randint(0, 3))
        ]
        given: dict[str, Any] = {"others": [GLIDER], "at": [(1, 0)]} if margin > 2 and rng.random() < 0.5 else {}
        given |= {"free": ["-2,0,4x9"]} if rng.random() < 0.5 else {}
        try:
            question = satlife.becomes(size, margin, copies, **given, rule="B2/S", population="<=9")
        except InputError:
            continue
        found = recognise(question)
        dead = sum(cell.state == 0 for row in question.cells[0] for cell in row)
        if dead > question.width * question.height - size[0] * size[1]:
            continue  # cells of the pattern itself can only be dead, and nothing tells where their copies are
        assert found, question.to_json()
        seen += 1
        assert read_problem(question.to_json()) == read_problem(question.to_toml()) == question
        if not given:
            words = arguments(question)
            assert words
            assert words[:4] == ["becomes", "{}x{}".format(*size), "-g", str(margin)]
            assert words.count("--copy") == len(copies)
        else:
            assert command(question).startswith("satlife search -")
    assert seen > 20


def test_the_order_of_copies_does_not_matter() -> None:
    asked = ["1,0", "0,1,R90", "0,0,F|"]
    keys = {satlife.becomes(3, generations=2, copies=copies).key for copies in itertools.permutations(asked)}
    assert len(keys) == 1


def test_a_question_in_words() -> None:
    question = satlife.becomes(3, generations=4, copies=["1,1", "0,0"], others=[GLIDER], at=["4,4"], free=["-4,-4,1x2"])
    assert brief(question) == (
        "pattern in 3x3 that after 4 generations is copies of itself at (0,0) and (1,1) and 5 given live cells and "
        "whatever is in 2 free cells"
    )


def test_highlife_has_a_replicator() -> None:
    """The two copies overlap in a corner of their boxes.  It has all symmetries of its diagonals."""
    question = satlife.becomes(5, generations=12, copies=["2,2", "-2,-2"], rule="B36/S23", symmetry="D4x")
    found = satlife.find(question)
    assert found.pattern
    assert found.pattern.crop().cells.tolist() == Pattern.from_rle(HIGHLIFE).cells.tolist()
    assert satlife.advance(found.pattern, 12).population == 2 * found.pattern.population == 24


def test_the_smaller_questions_are_those_for_symmetric_patterns() -> None:
    question = satlife.becomes((5, 5), generations=2, copies=["2,2", "-2,-2"], symmetry="C2")
    [chain] = chains(question)
    rungs = list(chain.rungs)
    assert rungs[0].symmetries == ("C2", "D8")
    assert {rung.symmetries[1] for rung in rungs} == {"D8", "C4", "D4+", "D4x", "D2|", "D2-", "D2\\", "D2/"}
    assert not chains(satlife.predecessor(GLIDER))


def test_which_rule_has_a_replicator() -> None:
    """A cell becomes nine where it survives alone and is born beside one."""
    around = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    question = satlife.becomes(1, generations=1, copies=around, rule="pB/S")
    found = satlife.find(question)
    assert found.rule is not None
    assert satlife.advance(Pattern.from_rows(["O"], rule=found.rule)).population == 9


def test_dying_cells_are_copied() -> None:
    """A photon of Brian's Brain, which is a live cell and a dying one beside it."""
    found = satlife.find(satlife.becomes((2, 2), generations=1, copies=["1,0"], rule="/2/3"))
    assert found.pattern
    assert sorted(found.pattern.cells[found.pattern.cells > 0].tolist()) == [1, 1, 2, 2]


def test_none_has_a_certificate(tmp_path: Path) -> None:
    """A domino is no replicator."""
    question = satlife.becomes((2, 1), generations=1, copies=["1,0", "0,1"])
    answer = proved(Ask(question, FindOne()), Options(), tmp_path / "none")
    assert answer.proof
    assert answer.proof.checked
    assert satlife.check_certificate(tmp_path / "none")[0].startswith("files: a certificate of kind `none`")
    said = (tmp_path / "none" / "statement.txt").read_text()
    assert "There is no pattern with these properties" in said
    assert "p0_0 + p1_0" not in said
