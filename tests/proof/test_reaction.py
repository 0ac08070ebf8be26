"""The plain clauses of catalysts say what the simulation checks: brute force agrees, and every model is a catalyst."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from campaign import catalysts
from pysat.solvers import Cadical153

import satlife
from commands import run
from satlife.errors import InputError
from satlife.problem.conditions.catalyst import Catalyst, Extent, PlacedCells
from satlife.problem.problem import Problem
from satlife.proof.plain import Plain

#: A glider, and unknown cells.
GLIDER = """x = 9, y = 6, rule = LifeHistory
.A3.4B$2.A2.4B$3A2.4B$5.4B$5.4B$5.4B!"""


def drawn(seed: int) -> Problem:
    """A random question about a short reaction, without what certificates cannot express."""

    def suits(problem: Problem) -> bool:
        return problem.width <= 8 and problem.rule.name in ("B3/S23", "B36/S23", "B38/S23")

    return catalysts.short(seed, ("active", "ever_active", "exempt", "eaten", "forbidden"), suits)


@pytest.mark.parametrize("seed", [0, 31, 50])  # the last two have an answer
def test_the_clauses_have_a_model_if_and_only_if_there_is_a_catalyst(seed: int) -> None:
    problem = drawn(seed)
    answer, plain = catalysts.expected(problem), Plain(problem)
    if answer is None:
        return
    with Cadical153(bootstrap_with=[list(clause) for clause in plain.clauses]) as solver:
        assert solver.solve() == bool(answer.perturbations), problem.to_json()
        if answer.perturbations:
            model = [False, *(literal > 0 for literal in solver.get_model())]
            model += [False] * (len(plain.names) + 1 - len(model))
            asked = problem.get(Catalyst)
            assert asked is not None
            asked.reaction(problem.rule, np.array(plain.decode(model)[0], np.uint8))


def test_a_certificate_that_there_is_none(tmp_path: Path) -> None:
    file, folder = tmp_path / "glider.rle", tmp_path / "certificate"
    file.write_text(GLIDER)
    options = ["--first-active", "0..4", "--active", "0..2", "--stable", "2", "--max-active", "2", "--eaten"]
    outcome = run("catalyst", str(file), *options, "--proof", str(folder))
    assert (outcome.returncode, "proved, checked" in outcome.stderr) == (20, True)
    assert run("verify", str(folder)).returncode == 0
    assert "is a still life S, a catalyst" in (folder / "statement.txt").read_text()


@pytest.mark.parametrize(
    "more",
    [
        {"changes": Extent(3)},
        {"part_active": Extent(3)},
        {"cell_window": 3},
        {"filters": (PlacedCells(("C",), generation=3),)},
    ],
)
def test_what_a_certificate_cannot_express_is_refused(more: dict[str, object]) -> None:
    problem = satlife.catalyst(GLIDER, "0..4", "0..2")
    asked = problem.get(Catalyst)
    assert asked is not None
    changed = replace(problem, conditions=(replace(asked, **more),))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cannot express"):
        Plain(changed)
