"""Ties between named cells: how they are read, and what they mean for both generators of clauses."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from pysat.solvers import Solver

import satlife
from satlife.encode.encoder import encode
from satlife.errors import InputError
from satlife.problem.cell import grid_of
from satlife.problem.command import arguments, command
from satlife.problem.conditions.ties import Tie
from satlife.problem.grid import Known
from satlife.problem.problem import Problem, read_problem
from satlife.proof.plain import Plain

NAMES = "abcd"
#: Any first generation is allowed, and its cells have names, one of them negated.
ANYTHING = Problem(4, 1, periodic=False, nonempty=False, open_end=True, cells=grid_of([[["a", "b", "c", "-d"]]]))
TIES = [
    "a = b", "a != b", "a == d", "d != c", "a != 0", "1 != d", "a = 1", "a + b + c = 2", "a + b + c + d <= 2",
    "a + d < 1", "a + b + c + d >= 3", "a > b", "a + b > c + d", "a + 1 <= b + c", "a + a + b >= 2", "a + b = c + d",
    "a < a", "a <= a", "2 >= a + b + d", "a + b > 5", "a + b < 5", "a != a",
]  # fmt: skip


def table(tie: str) -> set[tuple[bool, ...]]:
    """The values of all names for which a tie holds, read by Python."""
    text = tie if any(sign in tie for sign in ("==", "!=", "<=", ">=")) else tie.replace("=", "==")
    every = itertools.product((False, True), repeat=len(NAMES))
    return {values for values in every if eval(text, dict(zip(NAMES, values, strict=True)))}


def models(clauses: list[list[int]], literals: list[int]) -> set[tuple[bool, ...]]:
    """The values of the literals in all models."""
    found = set()
    with Solver("cadical195", bootstrap_with=clauses) as solver:
        while solver.solve():
            true = set(solver.get_model())
            values = [literal if literal in true else -literal for literal in literals]
            found.add(tuple(value > 0 for value in np.sign(values) * np.sign(literals)))
            solver.add_clause([-value for value in values])
    return found


@pytest.mark.parametrize("tie", TIES)
def test_the_clauses_of_a_tie_are_its_truth_table(tie: str) -> None:
    problem = ANYTHING.having(ties=[tie])
    encoded, plain = encode(problem), Plain(problem)
    literals = encoded.space.inside(0)[0].tolist()
    literals[3] *= -1
    assert models(list(encoded.formula.clauses()), literals) == table(tie)
    literals = [plain.cell(x, 0, 0, 1) * (-1 if x == 3 else 1) for x in range(4)]
    assert models(list(plain.formula().clauses()), literals) == table(tie)


@pytest.mark.parametrize("tie", TIES)
def test_a_tie_is_checked_as_python_reads_it(tie: str) -> None:
    every = itertools.product((False, True), repeat=len(NAMES))
    held = {values for values in every if Tie.parse(tie).holds(dict(zip(NAMES, map(int, values), strict=True)))}
    assert held == table(tie)


@pytest.mark.parametrize(
    ("tie", "words"),
    [
        ("a", "is not a tie such as"),
        ("a = b = c", "is not a tie such as"),
        ("a - b = 1", "for a minus, write the name on the other side"),
        ("a + = 1", "'' is neither a name nor a whole number"),
        ("a * b = 1", "'a \\* b' is neither"),
        ("1 < 2", "names no cell"),
        ("a + b != 1", "!= stands between two names"),
        ("a != 2", "!= stands between two names"),
        ("a = z", "no cell is named 'z'; there are a, b, c, d"),
        (3, "should be a list of strings"),
    ],
)
def test_wrong_ties_are_refused_in_a_sentence(tie: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        ANYTHING.having(ties=[tie])


def test_ties_need_names() -> None:
    with pytest.raises(InputError, match="no cell is named 'a'; no known cell has a name"):
        satlife.still_life((4, 4), ties=["a = b"])


def test_ties_of_cells_in_different_generations() -> None:
    """Of the blinkers in a box of 3x3, one begins upright."""
    known = [[["*", "a", "*"], ["*"] * 3, ["*"] * 3], [["*", "b", "*"], ["*"] * 3, ["*"] * 3]]
    problem = satlife.oscillator((3, 3), 2, known=known, ties=["a > b"])
    assert [found.phases[0].tolist() for found in satlife.enumerate_all(problem)] == [[[0, 1, 0]] * 3]


def test_ties_go_round() -> None:
    problem = ANYTHING.having(ties=["a+b  ==1", "c!=d"])
    assert problem.to_dict()["ties"] == ["a + b = 1", "c != d"]
    assert read_problem(problem.to_toml()) == read_problem(problem.to_json()) == problem
    assert problem.key != ANYTHING.key
    assert problem.having(ties=[]) == ANYTHING
    assert arguments(problem) is None  # known cells need a file
    assert 'ties = ["a + b = 1", "c != d"]' in command(problem)


def test_a_file_of_known_cells_with_ties() -> None:
    text = 'cells = """\na b\n* *\n"""\nties = ["a != b"]\n'
    assert Known.parse(text) == Known(grid_of([["ab", "**"]]), ("a != b",))
    assert Known.parse('cells = [["a b", "* *"]]') == Known.parse("a b\n* *\n")
    problem = satlife.grid(text, ties=["a = 1"])
    assert problem.to_dict()["ties"] == ["a = 1", "a != b"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ties = ['a = b']", "`cells` is missing"),
        ("cells = 'a'\nbox = [1, 1]", "no field 'box'"),
        ("cells = 'a'\nties = 3", "`ties` should be a list"),
        ("cells = [3]", "`cells` should be a list of generations"),
        ("cells = 'a", "not valid TOML"),
    ],
)
def test_wrong_files_of_known_cells_are_refused_in_a_sentence(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Known.parse(text)
