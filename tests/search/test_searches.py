"""The searches that must come out right, and the pairs of found and none around the thresholds."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import satlife
from commands import run
from events import PATIENCE
from satlife import knuth
from satlife.engines.engine import Budget
from satlife.engines.options import WITHOUT_SOLVER
from satlife.engines.sat.strategies import STRATEGIES
from satlife.life.formats import rle
from satlife.life.identify import identify
from satlife.life.pattern import Pattern
from satlife.life.simulate import advance, generations
from satlife.problem import verify
from satlife.problem.ask import Ask
from satlife.problem.cell import grid_of
from satlife.problem.conditions.exclude import patterns
from satlife.problem.families import MODULES
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.search import plan
from satlife.solve.runner import solve
from satlife.solve.solvers import find_solver

ORPHAN_10x10 = "bob3obo$2bobobo2bo$ob3o2b2o$bob5obo$o2bo2b4o$4o2bo2bo$ob5obo$b2o2b3obo$o2bobobo$2bob3obo!"


def ask(*command: str) -> tuple[int, dict[str, Any]]:
    """A question from the shell, with --json: exit code and the object printed."""
    result = run(*command, "--json")
    assert result.stderr == ""
    return result.returncode, json.loads(result.stdout)


@pytest.mark.parametrize(
    ("command", "apgcode"),
    [
        ("spaceship 4x3 -p 4 -d 1,1", "xq4_153"),
        ("spaceship 5x6 -p 4 -d 0,-2", "xq4_6frc"),
        ("spaceship 16x5 -p 3 -d 0,-1", "xq3_16614e8o4aa82cc2"),
        ("oscillator 9x6 -p 3 --population 12", "xp3_4hh186z07"),
        ("oscillator 6x6 -p 4", "xp4_37bkic"),
        ("oscillator 8x8 -p 5 -s D8", "xp5_idiidiz01w1"),
        ("spaceship 4x4 -p 4 -d 1,1 -s F\\@2", "xq4_153"),
        ("spaceship 6x5 -p 4 -d -2,0 -s F-@2", "xq4_6frc"),
    ],
)
def test_found(command: str, apgcode: str) -> None:
    code, outcome = ask(*command.split())
    assert (code, outcome["status"]) == (0, "found")
    found = outcome["pattern"]
    identity = identify(rle.parse(found["rle"]))
    assert identity.period == found["period"] == outcome["problem"]["period"]
    assert list(identity.displacement) == found["displacement"] == outcome["problem"].get("displacement", [0, 0])
    assert (identity.apgcode, identity.name) == (found["apgcode"], found.get("name", ""))
    assert rle.parse(found["rle"]).population == found["population"]
    assert found["apgcode"] == apgcode


@pytest.mark.parametrize(
    "command",
    [
        "spaceship 15x5 -p 3 -d 0,-1",
        "oscillator 7x6 -p 3",
        "oscillator 5x5 -p 4",
        "spaceship 3x3 -p 4 -d 1,1",
        "still-life 5x5 --cells 3",
    ],
)
def test_none(command: str) -> None:
    code, outcome = ask(*command.split())
    assert (code, outcome["status"], outcome["pattern"]) == (20, "none", None)


LETTERS = {
    "L": ["O..", "O..", "O..", "O..", "OOO"],
    "I": ["O", "O", "O", "O", "O"],
    "F": ["OOO", "O..", "OO.", "O..", "O.."],
    "E": ["OOO", "O..", "OO.", "O..", "OOO"],
}


def word_of_life() -> Pattern:
    return Pattern.from_rows([".".join(LETTERS[letter][row] for letter in "LIFE") for row in range(5)])


@pytest.mark.parametrize("generations", [1, 2])
def test_life_so_many_steps_back(generations: int) -> None:
    life = word_of_life()
    found = satlife.find(satlife.predecessor(life, generations, margin=1))
    assert found.status == "found"
    assert found.pattern is not None
    after = advance(found.pattern, generations).crop()
    assert np.array_equal(after.cells, life.cells)
    assert (after.x, after.y) == (1, 1)


def test_orphan_is_refuted_and_a_block_is_not() -> None:
    assert satlife.find(satlife.orphan(Pattern.from_rle(ORPHAN_10x10))).status == "none"
    assert satlife.find(satlife.orphan(Pattern.from_rows(["OO", "OO"]))).status == "found"


def test_cells_that_do_not_matter() -> None:
    """The orphan with enough of its cells freed has a past."""
    cells = Pattern.from_rle(ORPHAN_10x10).cells
    unknown = np.zeros(cells.shape, np.bool_)
    unknown[:, 5:] = True
    assert satlife.find(satlife.orphan(Pattern(cells, unknown=unknown))).status == "found"


def test_eaters() -> None:
    found = satlife.find(satlife.eater((8, 8), generations=5))
    assert found.status == "found"
    still = Pattern(found.phases[-1])
    assert identify(still).period == 1
    assert np.array_equal(found.phases[4 + 5], found.phases[-1])
    # A glider from far away is eaten just the same, and nothing else changes.
    glider = Pattern(found.phases[0] - found.phases[-1])
    assert glider.population == 5
    afar = [(x - 10, y + 10) for x, y in glider.points()]
    both = Pattern.from_points([*still.points(), *afar])
    assert sorted(advance(both, 40 + len(found.phases)).points()) == sorted(still.points())


def test_eaters_as_knuth_finds_them() -> None:
    theirs = solve(knuth.formula("sat-life-grid-eater", 7, 9, 5), find_solver("cadical195"))
    ours = satlife.find(satlife.eater((9, 7), generations=4))
    assert (ours.status == "found") == (theirs.status == "sat")
    assert "unknown" not in (ours.status, theirs.status)


def test_what_moves_around_a_torus_is_not_back_sooner() -> None:
    """Stripes along the way are the same wherever they are moved, and so no ship of period 3."""
    moving = satlife.torus((4, 4), 3, (1, 0))
    stripes = np.zeros((4, 4), np.uint8)
    stripes[::2] = 1
    assert Pattern(stripes, torus=(4, 4)) == advance(Pattern(stripes, torus=(4, 4)), 1)
    with pytest.raises(verify.Refuted, match="smaller period 1"):
        verify.check(moving, [stripes] * 3)
    for outcome in satlife.enumerate_all(satlife.torus((4, 4), 2, (2, 0)), 20, time=PATIENCE):
        first, second = outcome.phases
        assert not any(np.array_equal(np.roll(first, (y, x), (0, 1)), second) for x in range(4) for y in range(4))


@pytest.mark.parametrize(
    "problem", [satlife.torus((4, 3), 2), satlife.wave((4, 4), 2, population="<=6")], ids=["torus", "wave"]
)
def test_excluding_goes_across_the_seam(problem: satlife.Problem) -> None:
    """One after the other, each excluded: as many as a list has orbits."""
    listing = satlife.enumerate_all(problem, distinct=True)
    assert list(listing)
    seen = 0
    while outcome := satlife.find(problem):
        seen += 1
        problem = problem.having(exclude=(*patterns(problem), outcome.rle()))
        assert satlife.Problem.from_dict(problem.to_dict()) == problem
    assert seen == listing.distinct


def test_excluding_with_dying_cells() -> None:
    problem = satlife.oscillator((8, 8), 3, rule="B2/S/C3")
    first = satlife.find(problem)
    problem = problem.having(exclude=(first.rle(),))
    assert satlife.Problem.from_toml(problem.to_toml()) == problem
    second = satlife.find(problem)
    assert second.status == "found"
    assert second.apgcode == first.apgcode is None
    assert not np.array_equal(first.phases[0], second.phases[0])


def counted(problem: satlife.Problem) -> int:
    listing = satlife.enumerate_all(problem)
    found = [tuple(cells.tobytes() for cells in o.phases) for o in listing]
    assert listing.complete
    assert len(found) == len(set(found)) == listing.raw
    return listing.raw


@pytest.mark.parametrize(("rule", "states"), [("B2/S/3", 3), ("B2/S/4", 4)])
def test_first_generations_with_dying_cells_are_told_apart_once(rule: str, states: int) -> None:
    """All patterns of 2x2 whose next two generations stay in the box, by trying them."""
    expected = 0
    for values in itertools.product(range(states), repeat=4):
        start = Pattern(np.array(values).reshape(2, 2), rule=satlife.Rule.parse(rule))
        later = [p for t in (1, 2) for p in advance(start, t).points()]
        expected += all(0 <= x < 2 and 0 <= y < 2 for x, y in later)
    asked = satlife.Problem(2, 2, rule=satlife.Rule.parse(rule), periodic=False, generations=2, nonempty=False)
    assert counted(asked) == expected
    assert counted(replace(asked, nonempty=True)) == expected - 1


def test_what_an_excluded_pattern_becomes_is_not_excluded() -> None:
    """This one becomes a glider; and a glider itself is excluded in all its phases."""
    before, ask = "o$3bo$bo$b3o!", partial(satlife.spaceship, (4, 3), 4, (1, 1))
    assert satlife.find(ask(exclude=[before])).status == "found"
    assert satlife.find(satlife.torus((6, 6), 4, (1, 1), population="==5", exclude=[before])).status == "found"
    for phase in itertools.islice(generations(Pattern.from_rle("bo$2bo$3o!")), 4):
        assert satlife.find(ask(exclude=[phase])).status == "none"


def test_excluding_one_pattern_leaves_others_that_only_die_differently() -> None:
    asked = satlife.torus((3, 2), 4, rule="B2/S/4")
    finds = list(satlife.enumerate_all(asked))
    for outcome in finds[:3]:
        left = asked.having(exclude=(outcome.rle(),))
        expected = 0
        for other in finds:
            try:
                verify.check(left, other.phases)
                expected += 1
            except verify.Refuted:
                continue
        assert 0 < counted(left) == expected < len(finds)


def test_excluding_where_the_background_blinks() -> None:
    """Odd phases lie on a live background and are no generation 0."""
    rows = (("0", "0", "1"), ("0", "1", "0"), ("1", "0", "1"))
    problem = satlife.Problem(3, 3, rule=satlife.Rule.parse("B01267/S34"), generations=2, cells=grid_of([rows]))
    assert satlife.find(problem).status == "found"
    assert satlife.find(problem.having(exclude=("2bo$3b$obo!",))).status == "found"


def test_excluding_a_pattern_that_fits_only_when_turned() -> None:
    torus = satlife.torus((5, 2), 1)
    assert counted(torus.having(exclude=("bo$o$o$bo$bo!",))) < counted(torus)
    hive = Pattern.from_rows([".OO.", "O..O", ".OO."])
    upright = np.zeros((6, 5), np.uint8)
    upright[:4, :3] = hive.cells.T
    around = satlife.torus((5, 6), 1).having(exclude=("b2o$o2bo$b2o!",))
    with pytest.raises(verify.Refuted, match="excluded"):
        verify.check(around, [upright])


def test_waves_are_written_as_golly_reads_them() -> None:
    for along, suffix in (("x", ":T4,0"), ("y", ":T0,4")):
        found = satlife.find(satlife.wave((4, 7) if along == "x" else (7, 4), 2, along=along))
        assert suffix in found.rle()
        assert identify(Pattern.from_rle(found.rle())).period == 2


def test_grid_with_names(tmp_path: Path) -> None:
    """A blinker asked for as three generations, the third equal to the first by name."""
    rows = ["0 0 0 0 0", "0 a b c 0", "0 d e f 0", "0 g h i 0", "0 0 0 0 0"]
    middle = ["0 0 0 0 0", "0 * * * 0", "0 * 1 * 0", "0 * * * 0", "0 0 0 0 0"]
    path = tmp_path / "blinker.txt"
    path.write_text("# three generations\n" + "\n\n".join("\n".join(block) for block in (rows, middle, rows)))
    code, outcome = ask("grid", str(path))
    assert code == 0
    assert outcome["pattern"]["period"] is None
    path.write_text("0,0,0\n0,1,0\n0,0,0\n\n0,0,0\n0,1,0\n0,0,0\n")
    assert ask("grid", str(path))[0] == 20
    path.write_text("0,0,0\n0,1,0\n0,0,0\n\n0,0,0\n0,1',0\n0,0,0\n")
    assert ask("grid", str(path))[0] == 0


def test_known_cells_and_population() -> None:
    found = satlife.find(satlife.still_life((6, 6), population="==7", known=[[["1"] + ["*"] * 5] + [["*"] * 6] * 5]))
    assert found.status == "found"
    assert found.pattern is not None
    assert found.pattern.population == 7
    assert found.pattern.cells[0, 0] == 1


def test_notebook_picture() -> None:
    found = satlife.find(satlife.still_life((2, 2)))
    assert found.pattern is not None
    assert found.pattern._repr_svg_().startswith("<svg")  # type: ignore[attr-defined]


def test_a_velocity_gives_the_period() -> None:
    assert satlife.spaceship((16, 5), displacement="c/3").every(1) == satlife.spaceship((16, 5), 3, (0, -1))
    assert satlife.spaceship((16, 5), 6, "c/3") == satlife.spaceship((16, 5), 6, (0, -2))
    assert satlife.open_spaceship(9, displacement="2c/5").every(1) == satlife.open_spaceship(9, 5, (0, -2))
    for wrong in (
        {"period": 4, "displacement": "c/3"},
        {"displacement": (0, -1)},
        {"period": 3},
        {"displacement": "fast"},
    ):
        with pytest.raises(satlife.InputError):
            satlife.spaceship((16, 5), **wrong)
    assert satlife.spaceship("16x5", 3, (0, -1)) == satlife.spaceship((16, 5), speed="c/3").every(1)


def test_answers_say_what_they_are() -> None:
    """In a line, where Python shows a value."""
    block = satlife.still_life((2, 2))
    assert repr(block) == "Problem(width=2, height=2, kind='still life')"
    found, none = satlife.find(block), satlife.find(satlife.oscillator((3, 3), 3))
    assert repr(found).startswith(
        "<Outcome of still life in 2x2: found xs4_33 (block), 4 cells, checked by simulation ("
    )
    assert repr(none).startswith("<Outcome: there is none: oscillator in 3x3, period 3 (exhaustive search; ")
    assert repr(satlife.count(block)) == "<Count: 1, counted by transfer matrix>"
    assert repr(satlife.optimise(block, largest=True)).startswith("<Best: 4, proved; found xs4_33")
    listing = satlife.enumerate_all(block)
    list(listing)
    assert repr(listing) == "<Listing: 1 solution, 1 of them distinct; complete by exhaustive search>"
    with pytest.raises(satlife.InputError, match=r"Rule\.parse"):
        satlife.Rule("B3/S23")  # type: ignore[arg-type]


def test_public_names() -> None:
    for name in satlife._homes():  # type: ignore[attr-defined]
        assert getattr(satlife, name).__doc__
    assert not MODULES.keys() & set(MODULES.values())  # once imported, the module would be found for the function
    assert len(satlife.__all__) <= 50
    assert set(satlife.__all__) <= set(dir(satlife))
    with pytest.raises(AttributeError):
        _ = satlife.nonsense  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        (satlife.spaceship((9, 12), 5, (0, -2)), {"sat", "cells", "row by row"}),
        (satlife.oscillator((6, 14), 5), {"sat", "cells", "row by row", "soups"}),
        (satlife.still_life((9, 9)), {"sat"}),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_one_core_is_shared_by_the_same_engines_as_two(question: Problem, names: set[str]) -> None:
    for cores in (1, 2):
        assert {entrant.engine.name for entrant in plan.entrants(Ask(question), Budget(cores=cores))} == names


def test_metamorphic() -> None:
    """A larger box never loses a pattern, and the eight symmetries of the plane never change an answer."""
    for width, height, period in ((4, 3, 2), (4, 4, 2), (5, 4, 3)):
        small = satlife.find(satlife.oscillator((width, height), period), time=PATIENCE).status
        turned = satlife.find(satlife.oscillator((height, width), period), time=PATIENCE).status
        assert small == turned
        if small == "found":
            assert satlife.find(satlife.oscillator((width + 1, height + 1), period), time=PATIENCE).status == "found"
    ways = [((4, 3), (1, 1)), ((4, 3), (-1, 1)), ((4, 3), (1, -1)), ((3, 4), (1, 1)), ((3, 4), (-1, -1))]
    assert {satlife.find(satlife.spaceship(size, 4, move), time=PATIENCE).status for size, move in ways} == {"found"}


# One engine alone.
def test_every_engine_without_a_solver_is_a_strategy() -> None:
    assert {engine.strategy for engine in plan.ENGINES} - {""} == set(WITHOUT_SOLVER)
    assert not set(WITHOUT_SOLVER) & set(STRATEGIES)


@pytest.mark.parametrize(
    ("question", "strategy", "status", "told"),
    [
        (satlife.spaceship((7, 5), 4, (2, 0)), "cells", "found", "cells"),
        (satlife.spaceship((7, 5), 4, (2, 0)), "rows", "found", "row by row"),
        (satlife.oscillator((5, 5), 3), "rows", "none", "row by row"),
        (satlife.oscillator((13, 13), 3, symmetry="D8"), "soups", "found", "soups"),
        (satlife.still_life((4, 4), population=16), "cells", "none", "cells"),
        (satlife.torus((4, 4), dies=2, differ=[(1, 2)]), "cells", "found", "cells"),
        (satlife.open_spaceship(5, 4, (0, -2)), "rows", "found", "row by row"),
    ],
)
def test_an_engine_can_be_chosen_alone(question: Question, strategy: str, status: str, told: str) -> None:
    outcome = satlife.find(question, strategy=strategy)
    assert (outcome.status, outcome.strategy) == (status, told)


def test_ships_that_do_not_fit_may_hide_others() -> None:
    """Of ships that end alike one is followed: that it does not fit the box says nothing about the others."""
    outcome = satlife.find(satlife.spaceship((5, 5), 4, (2, 0)), strategy="rows")
    assert (outcome.status, "do not fit the box" in outcome.reason) == ("unknown", True)


def test_lists_counts_and_the_fewest_cells_over_cells_alone() -> None:
    problem = satlife.still_life((4, 4))
    assert len(list(satlife.enumerate_all(problem, strategy="cells"))) == satlife.count(problem).value
    assert satlife.count(problem, strategy="cells").how == "by listing"
    assert satlife.minimise(problem, strategy="cells").value == 4


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("torus 5x5 -p 2 --strategy rows", "the search row by row in a box cannot handle boxes that wrap around"),
        ("still-life 5x5 --strategy soups", "soups have oscillators of periods 3 to 100"),
        ("still-life 5x5 -n all --strategy rows", "the search row by row in a box cannot list all"),
        ("still-life 5x5 --maximize --strategy cells", "the search over cells cannot optimise"),
        ("still-life 5x5 --strategy cell", "there is no strategy 'cell'; there are plain"),
        ("still-life 5x5 --strategy cells --solver cadical153", "is a search without a solver"),
        ("still-life 5x5 --strategy cells --proof certificate", "is a search without a SAT solver"),
        ("jobs start still-life 5x5 --strategy cells --store jobs.db", "take a strategy of SAT solvers, not 'cells'"),
    ],
)
def test_what_an_engine_alone_cannot_do_is_said(
    command: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = run(*command.split())
    assert (told.returncode, words in told.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
