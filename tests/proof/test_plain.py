"""The second generator says what simulation says: its models are the answers, all of them and nothing else."""

from __future__ import annotations

import ast
import itertools
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pysat.solvers import Solver

import satlife
from random_problems import brute_force, random_problem
from satlife.errors import InputError
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, Rule
from satlife.problem import verify
from satlife.problem.conditions import CONDITIONS
from satlife.problem.conditions.population import Bound
from satlife.problem.conditions.touching import OUTWARD
from satlife.problem.problem import Problem
from satlife.proof.plain import Plain, shortest_clauses
from satlife.search.library import enumerate_all

Key = tuple[bytes, ...]


def models(problem: Problem, blocked: list[list[np.ndarray]] | None = None) -> set[Key]:
    """The generations of all models of the plain clauses."""
    plain = Plain(problem)
    formula = plain.formula(blocked or [])
    cells = [v for v, name in enumerate(plain.names, 1) if not name.startswith("_")]
    found: set[Key] = set()
    with Solver("cadical195", bootstrap_with=list(formula.clauses())) as solver:
        while solver.solve():
            true = {v for v in solver.get_model() if v > 0}
            values = [v in true for v in range(formula.variables + 1)]
            phases = np.array(plain.decode(values), np.uint8)
            rule = problem.rule.resolve(plain.chosen(values)) if problem.rule.is_partial else problem.rule
            verify.check(replace(problem, rule=rule), list(phases))
            found.add(tuple(phase.tobytes() for phase in phases))
            solver.add_clause([-v if v in true else v for v in cells])
    return found


def by_force(problem: Problem) -> set[Key]:
    """The generations of all answers, found by running every start."""
    return {tuple(phase.tobytes() for phase in phases) for phases in brute_force(problem)}


def with_conditions(problem: Problem, rng: random.Random) -> Problem:
    """The problem with some of the other things that can be asked for."""
    changes: dict[str, object] = {}
    if rng.random() < 0.4:
        low, time = rng.randint(0, 4), rng.randint(0, problem.last)
        changes["population"] = (Bound(low, None, time), Bound(None, low + rng.randint(0, 3), time))
    if rng.random() < 0.3 and problem.last:
        changes["differ"] = ((0, problem.last),)
    if rng.random() < 0.3:
        changes["exclude"] = ("3o!", "2o$2o!")
    if rng.random() < 0.3:
        words = ["0", "1", "*", "*", "*", "a", "-a", "b"]
        rows = tuple(tuple(rng.choice(words) for _ in range(problem.width)) for _ in range(problem.height))
        changes["cells"] = (rows,)
        if {"a", "b"} <= {word for row in rows for word in row}:
            changes["ties"] = rng.sample(["a = b", "a != b", "a + b >= 1", "a > b", "a + a + b = 2", "1 != a"], 2)
    if rng.random() < 0.2:
        changes["exact"] = False
    if rng.random() < 0.2:
        changes["nonempty"] = False
    if rng.random() < 0.3 and not any(problem.wrap):
        changes["touching"] = rng.sample(list(OUTWARD), rng.randint(1, 4))
    if rng.random() < 0.3:
        sides = (problem.width, problem.height, problem.last + 1, 2)
        changes["cube"] = [[rng.randrange(side) for side in sides] for _ in range(rng.randint(1, 3))]
    try:
        wanted = {name: value for name, value in changes.items() if name in CONDITIONS}
        others = {name: value for name, value in changes.items() if name not in CONDITIONS}
        return replace(problem, **others).having(**wanted)  # type: ignore[arg-type]
    except InputError:
        return problem


@pytest.mark.parametrize("seed", range(50))
def test_models_are_the_answers(seed: int) -> None:
    rng = random.Random(1000 + seed)
    problem = with_conditions(random_problem(rng), rng)
    assert models(problem) == by_force(problem), problem


@pytest.mark.parametrize(
    "problem",
    [
        satlife.predecessor(Pattern.from_rows(["OO", "OO"]), 1, margin=1),
        satlife.predecessor(Pattern.from_rows(["OOO"]), 2, margin=1, rule="B36/S23"),
        satlife.grid("* * * \n * 1 * \n * * * \n\n * * * \n * a * \n * -a * "),
    ],
)
def test_questions_with_known_cells(problem: Problem) -> None:
    assert models(problem) == by_force(problem)


@pytest.mark.parametrize(
    "problem",
    [
        satlife.grid("a a\n* b\n\n* *\nb *", rule="/2/3"),
        satlife.grid("a *\nb a\n\n* a\n* *\n\n* *\n* b", rule="345/2/4", ties=["a != b"]),
        satlife.grid("-a *\n* -a\n\n* *\n* a", rule="/2/4"),
        satlife.torus((4, 2), 4, rule="/2/3", known="a * * *\n* * a *"),
        satlife.torus((4, 2), 2, (1, 1), rule="/2/3", known="a * * *\n* * a *"),
    ],
    ids=str,
)
def test_in_a_rule_of_more_than_two_states_equal_names_are_equal_states(problem: Problem) -> None:
    """Dying, too: for the answers, by every start, for the certificate and for the search."""
    nameless = replace(problem, cells=(), conditions=())
    words = [(np.array([[str(cell) for cell in row] for row in rows]), t) for t, rows in enumerate(problem.cells)]

    def agrees(phases: list[np.ndarray]) -> bool:
        a, b, not_a = (
            {state for word, t in words for state in phases[t][word == name].tolist()} for name in ("a", "b", "-a")
        )
        tied = not problem.conditions or (a == {1}) != (b == {1})
        opposite = not not_a or (a == {1}) != (not_a == {1})
        return max(map(len, (a, b, not_a))) == 1 and tied and opposite

    expected = {tuple(phase.tobytes() for phase in phases) for phases in brute_force(nameless) if agrees(phases)}
    assert expected == by_force(problem) == models(problem)
    assert {tuple(p.tobytes() for p in found.phases) for found in enumerate_all(problem)} == expected
    assert expected


def test_freed_cells() -> None:
    """Where cells need not follow, simulation alone does not list the answers; the encoder does."""
    problem = satlife.grid("* * *\n* * *\n* * *\n\n0 1 0\n0 *' 0\n0 1 0\n\n0 0 0\n1 1 1\n0 0 0")
    listed = {tuple(p.tobytes() for p in outcome.phases) for outcome in enumerate_all(problem)}
    assert listed
    assert models(problem) == listed


@pytest.mark.parametrize("rows", [["O"], ["OO", "OO"], ["OOO", ".O."], ["O.O", "OOO", "O.O"]])
def test_open_ends(rows: list[str]) -> None:
    """What lies around the box does not matter: the clauses have a model if any start makes the pattern."""
    pattern = Pattern.from_rows(rows)
    problem = satlife.orphan(pattern)
    with Solver("cadical195", bootstrap_with=list(Plain(problem).formula().clauses())) as solver:
        assert solver.solve()
        true = {v for v in solver.get_model() if v > 0}
    plain = Plain(problem)
    phases = np.array(plain.decode([v in true for v in range(len(plain.names) + 1)]), np.uint8)
    verify.check(problem, list(phases))
    assert np.array_equal(phases[1, 1:-1, 1:-1], pattern.cells)


def test_partial_rules() -> None:
    problem = satlife.oscillator((3, 3), 2, rule="B3/S2ae?3")
    expected: set[Key] = set()
    for choice in itertools.product((False, True), repeat=len(problem.rule.classes)):
        expected |= by_force(replace(problem, rule=problem.rule.resolve(choice)))
    assert models(problem) == expected


def test_blocked_finds_are_no_answers_any_more() -> None:
    problem = satlife.still_life((4, 4))
    finds = [list(outcome.phases) for outcome in enumerate_all(problem)]
    assert len(models(problem, finds[1:])) == 1
    assert models(problem, finds) == set()


def test_shortest_clauses_say_the_table() -> None:
    """All of them are true, and together they decide every block; Life has 330."""
    blocks = np.arange(512)
    for name in ("B3/S23", "B2-a/S12", "B36/S125", "B2/S34H"):
        table = np.array([*Rule.parse(name).table])
        decided = np.zeros((2, 512), bool)
        for value, known in shortest_clauses(bytes(table.tolist())):
            decided[int(value), np.logical_and.reduce([blocks >> (8 - i) & 1 == bit for i, bit in known])] = True
        assert (decided[table, blocks] & ~decided[1 - table, blocks]).all()
    assert len(shortest_clauses(LIFE.table)) == 330


def test_the_second_generator_shares_nothing_with_the_first() -> None:
    """Nor does anything else that checks a certificate."""
    source = Path(satlife.__file__).parent / "proof"
    for name in ("plain.py", "drat.py", "kernel.py", "checker.py"):
        for node in ast.walk(ast.parse((source / name).read_text())):
            imported = (
                [f"{node.module}.{alias.name}" for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            )
            for module in imported:
                parts = module.split(".")
                allowed = {
                    "errors",
                    "native",
                    "memory",
                    "files",
                    "life",
                    "problem",
                    "cnf",
                    "proof",
                    "records",
                    "limits",
                }
                assert parts[0] != "satlife" or parts[1] in allowed, (name, module)
