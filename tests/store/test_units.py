"""What units mean: what is refuted by one satlife must add up with what is refuted by another."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from pysat.solvers import Solver

import satlife
from satlife.engines.options import Options
from satlife.engines.sat.cubes import Cubes
from satlife.limits import Limits
from satlife.store.records import UNITS


def solutions(cubes: Cubes) -> set[bytes]:
    """The solutions that are left of a question when its symmetries are broken."""
    encoded = cubes._clauses(Limits())
    variables, found = encoded.formula.variables, set()
    with Solver("cadical153", bootstrap_with=list(encoded.formula.clauses())) as solver:
        while solver.solve():
            model = np.zeros(variables + 1, bool)
            model[[literal for literal in solver.get_model() if 0 < literal <= variables]] = True
            found.add(b"".join(phase.tobytes() for phase in encoded.decode(model)))
            solver.add_clause([-v if model[v] else v for v in encoded.deciding_cells()])
    return found


@pytest.mark.parametrize(
    ("problem", "every", "strategy", "count", "digest"),
    [
        (satlife.oscillator((4, 4), 2), False, "spatial", 6, "796ae393a559f3b5"),
        (satlife.oscillator((4, 4), 2), False, "plain", 24, "ab0db7c280b496e2"),
        (satlife.spaceship((5, 5), 4, (1, 1)), False, "spatial", 3, "9bd1f7f372cec9b7"),
        (satlife.still_life((4, 4)), True, None, 39, "6209c21bb5aeeccb"),
    ],
)
def test_which_solutions_units_keep(
    problem: satlife.Problem, every: bool, strategy: str | None, count: int, digest: str
) -> None:
    """If this fails because symmetries are broken differently, raise UNITS of store/records.py: searches that were
    begun before must not go on, since of two solutions that are alike each version may have refuted the other one."""
    found = solutions(Cubes(problem, every, Options(strategy=strategy)))
    assert UNITS == 1
    assert (len(found), hashlib.sha256(b"".join(sorted(found))).hexdigest()[:16]) == (count, digest)
