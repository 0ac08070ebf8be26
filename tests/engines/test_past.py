"""Cores and forced cells, compared with all predecessors of small targets, in many rules."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

import satlife
from random_problems import every_pattern
from satlife.engines.engine import Budget
from satlife.engines.past import core as cores
from satlife.engines.past.forced import LargestPart
from satlife.engines.past.oracle import Oracle, OracleAnswer
from satlife.engines.past.smallest import HittingSets, grown
from satlife.errors import InputError, OutOfTime, Refusal, SolverError
from satlife.life.pattern import Pattern
from satlife.life.simulate import next_states
from satlife.problem.ask import Ask
from satlife.problem.goals import FindCore, FindForced
from satlife.problem.outcome import FOUND, NONE, UNKNOWN
from satlife.problem.problem import Problem
from satlife.problem.simulation import Refuted
from satlife.problem.target import Coordinates, free_cells, given_cells, with_only
from satlife.search.race import finish
from satlife.solve import SolverStatus
from satlife.solve.runner import Child, SolverAnswer
from satlife.solve.solvers import kissat

RULES = ["B3/S23", "B8/S8", "B78/S", "B1c8/S", "B6/SH", "B03/S23", "B4/SV"]
SIZES = [(2, 2), (3, 2)]
#: Rules of which larger targets are tried, too, with a million starts each: few and some of them are orphans.
LARGER = ["B1c8/S", "B4/SV"]
Bits = npt.NDArray[np.int64]


class Images(NamedTuple):
    """What can become of the cells of a target, and the cells that are alive in all starts, or in any, that become it.

    Numbers stand for arrays of bits, cell after cell in reading order, the first in the lowest bit."""

    cells: Bits
    always: Bits
    ever: Bits


@cache
def images(rule: str, width: int, height: int) -> Images:
    """Every start on the target and one cell around it is tried."""
    table = satlife.Rule.parse(rule).array.astype(np.int64)
    w, h = width + 2, height + 2
    starts = np.arange(1 << (w * h))
    found = np.zeros(len(starts), np.int64)
    for y, x in np.ndindex(height, width):
        block = np.zeros(len(starts), np.int64)
        for j, i in np.ndindex(3, 3):
            block = block << 1 | (starts >> ((y + j) * w + x + i) & 1)
        found |= table[block] << (y * width + x)
    order = np.argsort(found, kind="stable")
    cells, first = np.unique(found[order], return_index=True)
    return Images(cells, np.bitwise_and.reduceat(order, first), np.bitwise_or.reduceat(order, first))


class Brute:
    """All predecessors of a target with `?` cells."""

    def __init__(self, rule: str, rows: list[str]) -> None:
        self.width, self.height = len(rows[0]), len(rows)
        text = "".join(rows)
        self.known = sum(1 << k for k, cell in enumerate(text) if cell != "?")
        self.states = sum(1 << k for k, cell in enumerate(text) if cell == "O")
        self.images = images(rule, self.width, self.height)
        self.wrong = self.images.cells ^ self.states
        self.ways = np.unique(self.wrong & self.known)  # to get given cells wrong
        mask = np.array([[cell == "?" for cell in row] for row in rows])
        cells = np.array([[cell == "O" for cell in row] for row in rows], np.uint8)
        self.problem = satlife.orphan(Pattern(cells, rule=satlife.Rule.parse(rule), unknown=mask))

    def is_orphan(self, part: int) -> bool:
        return not (self.ways & part == 0).any()

    def parts(self) -> list[int]:
        return [part for part in range(1 << (self.width * self.height)) if part & ~self.known == 0]

    def is_minimal(self, part: int) -> bool:
        return self.is_orphan(part) and not any(self.is_orphan(part & ~(1 << k)) for k in range(9) if part >> k & 1)

    def least(self, counted: int = -1) -> int:
        return min((part & counted).bit_count() for part in self.parts() if self.is_orphan(part))

    def forced(self, part: int) -> dict[Coordinates, int]:
        """The cells of generation 0 that are the same in all predecessors of a part."""
        right = self.wrong & part == 0
        always = int(np.bitwise_and.reduce(self.images.always[right]))
        ever = int(np.bitwise_or.reduce(self.images.ever[right]))
        places = {k: (k % (self.width + 2), k // (self.width + 2)) for k in range((self.width + 2) * (self.height + 2))}
        return {place: always >> k & 1 for k, place in places.items() if always >> k & 1 == ever >> k & 1}

    def part(self, cells: frozenset[Coordinates] | set[Coordinates]) -> int:
        return sum(1 << ((y - 1) * self.width + x - 1) for x, y in cells)

    def places(self, part: int) -> set[Coordinates]:
        return {(k % self.width + 1, k // self.width + 1) for k in range(self.width * self.height) if part >> k & 1}

    def largest(self) -> set[Coordinates]:
        """The union of all parts that force themselves."""
        states, union = given_cells(self.problem), set[Coordinates]()
        for part in self.parts():
            places = self.places(part)
            if part and {place: states[place] for place in places}.items() <= self.forced(part).items():
                union |= places
        return union


def targets(rule: str) -> Iterator[list[str]]:
    """Targets of a rule, some of which are orphans."""
    rng = random.Random(f"targets of {rule}")
    for width, height in SIZES if rule in LARGER else SIZES[:1]:
        for marks in ("OO.", "O?."):
            rows = ["".join(rng.choice(marks) for _ in range(width)) for _ in range(height)]
            if set("".join(rows)) != {"?"}:
                yield rows
        yield ["O" * width] * height


@pytest.mark.parametrize("rule", RULES)
def test_cores_are_minimal_and_the_smallest_is_the_smallest(rule: str) -> None:
    for rows in targets(rule):
        brute = Brute(rule, rows)
        found = satlife.core(brute.problem, 2, smallest=True, seed=5)
        assert found.outcome.status == (NONE if brute.is_orphan(brute.known) else FOUND)
        if not found.cells:
            assert found.outcome.pattern is not None
            assert found.pattern is None
            continue
        assert brute.is_minimal(brute.part(found.cells)), rows
        assert (found.minimal, found.smallest, found.status) == (True, True, NONE)
        assert len(found.cells) == found.bound == brute.least(), rows
        live = satlife.core(brute.problem, 1, live=True, smallest=True)
        assert brute.is_minimal(brute.part(live.cells))
        assert live.size == live.bound == brute.least(brute.states), rows


def test_the_rules_have_orphans_and_others() -> None:
    """So that the comparison above means something."""
    kinds = [(rule, (brute := Brute(rule, rows)).is_orphan(brute.known)) for rule in RULES for rows in targets(rule)]
    assert sum(orphan for _, orphan in kinds) >= 8
    assert sum(not orphan for _, orphan in kinds) > 8
    assert len({rule for rule, orphan in kinds if orphan}) > 3


@pytest.mark.parametrize("rule", RULES)
def test_forced_cells_are_those_of_all_predecessors(rule: str) -> None:
    for rows in targets(rule):
        brute = Brute(rule, rows)
        found = satlife.forced(brute.problem, core=True)
        if brute.is_orphan(brute.known):
            assert (found.status, dict(found.cells)) == (NONE, {})
            continue
        assert dict(found.cells) == brute.forced(brute.known), rows
        assert (found.status, found.open, found.reason) == (FOUND, frozenset(), "")
        if found.cells:
            assert found.minimal
            assert brute.forced(brute.part(found.target)) == found.cells
            for place in found.target:
                fewer = brute.forced(brute.part(found.target - {place}))
                assert not found.cells.items() <= fewer.items(), (rows, place)
        itself = satlife.forced(brute.problem, itself=True)
        assert set(itself.target) == brute.largest(), rows
        assert itself.status == (FOUND if itself.target else NONE)


def test_a_part_that_forces_itself() -> None:
    """In B/S012345678 nothing is born and nothing dies, so that every live cell was there before."""
    frozen = satlife.orphan(Pattern.from_rows(["OO.", ".O?"]), rule="B/S012345678")
    found = satlife.forced(frozen, itself=True)
    assert found.itself
    assert found.target == given_cells(frozen).keys()
    least = satlife.forced(frozen, itself=True, core=True)
    assert least.minimal
    assert len(least.target) == 1
    back = satlife.orphan(Pattern.from_rows(["OO"]), 3, rule="B/S012345678")
    assert satlife.forced(back, itself=True).itself


def test_more_tries_are_never_worse() -> None:
    problem = satlife.orphan(Pattern.from_rows(["OO.O"] * 5), rule="B78/S")
    sizes = [len(satlife.core(problem, tries, seed=3).cells) for tries in (1, 4)]
    assert sizes[1] <= sizes[0]


def test_generations_and_padding() -> None:
    """In B8/S a live cell needs eight live neighbours, which cannot have been born side by side."""
    alive = Pattern.from_rows(["O"])
    assert satlife.find(satlife.orphan(alive, rule="B8/S"))
    assert satlife.core(satlife.orphan(alive, 2, rule="B8/S")).minimal
    found = satlife.find(satlife.orphan(Pattern.from_rows(["OOO"]), 3))
    assert found.phases[-1][5:-5, 5:-5].tolist() == [[1, 1, 1]]
    padded = satlife.orphan(alive, padding=1, rule="B1/S")
    assert len(given_cells(padded)) == 9
    with pytest.raises(InputError, match="padding should not be negative"):
        satlife.orphan(alive, padding=-1)
    with pytest.raises(InputError, match="number of generations should be at least 1"):
        satlife.orphan(alive, 0)


def test_several_generations_back_are_the_simulation() -> None:
    """Every solution of a question about the past becomes its target, whatever lies around its cone."""
    problem = satlife.orphan(Pattern.from_rows(["OO", ".O"]), 2)
    [found] = itertools.islice(satlife.enumerate_all(problem), 1)
    cells = found.phases[0]
    for _ in range(2):
        cells = next_states(np.pad(cells, 1), problem.rule)
    assert cells[3:-3, 3:-3].tolist() == [[1, 1], [0, 1]]


def test_rules_with_more_states() -> None:
    """A dying cell was alive before; the others were not alive then, or had neighbours."""
    rule = satlife.Rule.parse("/2/3")
    dying = satlife.forced(satlife.orphan(Pattern(np.array([[2]], np.uint8), rule=rule)))
    assert dying.cells == {(1, 1): 1}
    two = satlife.core(satlife.orphan(Pattern(np.array([[1, 1, 1, 1, 1]] * 3, np.uint8), rule=rule)), smallest=True)
    assert two.smallest
    assert set(next_states(every_pattern(3, 3, 3), rule).ravel().tolist()) == {0, 1, 2}


def test_what_cannot_be_asked_is_refused() -> None:
    pattern = Pattern.from_rows(["OO"])
    for question, reason in (
        (satlife.orphan(pattern, symmetry="D2|"), "symmetries"),
        (satlife.orphan(pattern, rule="B3~6/S23"), "forbid neighbourhoods"),
        (satlife.still_life((3, 3)), "questions about the past"),
        (satlife.orphan(Pattern.parse("x = 1, y = 1\n?!", unknown=True)), "no cell of the last generation is given"),
    ):
        with pytest.raises(Refusal, match=reason):
            satlife.core(question)
    with pytest.raises(Refusal, match="but no strategy"):
        satlife.core(orphan_problem(), strategy="plain")
    with pytest.raises(InputError, match="one try or more"):
        FindCore(0)


@pytest.mark.parametrize("solver", ["glucose4", "minisat22", "cadical153", "cadical300"])
def test_other_solvers(solver: str) -> None:
    found = satlife.core(orphan_problem(), solver=solver, seed=1, smallest=True)
    assert (found.smallest, len(found.cells), found.outcome.solver) == (True, 2, solver)


@pytest.mark.skipif(kissat() is None, reason="Kissat is not installed")
def test_a_program_names_no_assumptions() -> None:
    found = satlife.core(orphan_problem(), 1, solver="kissat")
    assert (found.minimal, len(found.cells)) == (True, 2)


def test_conditions_count() -> None:
    """A blinker has no parent of two cells, and its core is what two cells cannot make."""
    problem = satlife.orphan(Pattern.from_rows(["OOO"]), population="<=2")
    found = satlife.core(problem, smallest=True)
    assert found.smallest
    assert found.problem.conditions == problem.conditions
    assert len(found.cells) == 1


def test_conditions_alone_may_be_to_blame() -> None:
    problem = satlife.orphan(Pattern.from_rows(["OOO"]), population=["<=2", ">=5"])
    found = satlife.core(problem, smallest=True)
    assert (found.status, found.cells, found.smallest, found.pattern) == (NONE, frozenset(), True, None)
    assert str(found).startswith("there is none: predecessor in 5x3, 1 generation, population <=2 population >=5")


# What a solver says is not believed.
def orphan_problem() -> Problem:
    return satlife.orphan(Pattern.from_rows(["OOO", "OOO"]), rule="B8/S")


def test_a_core_is_solved_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that names too few assumptions is found out."""
    judge = Child.judge

    def lie(self: Child, message: object) -> SolverAnswer:
        answer = judge(self, message)  # type: ignore[arg-type]
        if answer.status == SolverStatus.UNSAT and len(answer.core) > 1:
            return SolverAnswer(SolverStatus.UNSAT, core=frozenset([min(answer.core)]))
        return answer

    monkeypatch.setattr(Child, "judge", lie)
    found = satlife.core(orphan_problem())
    assert found.status == UNKNOWN
    assert "has a predecessor" in found.reason


def test_models_are_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model with another generation 0 is refused."""
    problem = satlife.orphan(Pattern.from_rows(["OO", "OO"]))
    monkeypatch.setattr("satlife.encode.encoder.Encoded.decode", lambda self, model: [np.zeros((4, 4), np.uint8)] * 2)
    with Oracle(problem, Budget()) as oracle, pytest.raises(SolverError, match="fails the simulation"):
        oracle.ask(oracle.given)


def test_answers_are_checked_by_simulation() -> None:
    found = satlife.core(orphan_problem())
    place = min(found.cells)
    blank = tuple(np.zeros_like(cells) for cells in found.witnesses[place])
    with pytest.raises(Refuted):
        satlife.Core(found.outcome, found.cells, {place: blank}).check()
    with pytest.raises(Refuted, match="is not in the core"):
        satlife.Core(found.outcome, found.cells - {place}, {place: found.witnesses[place]}).check()
    forced = satlife.forced(satlife.orphan(Pattern.from_rows(["O"]), rule="B8/S"))
    forced.check()
    other = {**forced.cells, (0, 0): 0}
    with pytest.raises(Refuted, match="is not forced"):
        satlife.Forced(forced.outcome, other, target=forced.target, solutions=forced.solutions).check()
    with pytest.raises(Refuted, match="same in all solutions"):
        satlife.Forced(forced.outcome, {}, target=forced.target, solutions=forced.solutions).check()
    with pytest.raises(Refuted, match="not the target"):
        satlife.Forced(forced.outcome, forced.cells, target=forced.target, itself=True).check()


def test_no_time() -> None:
    """Whatever happened by then, nothing is said that is not known."""
    pattern = Pattern.read("src/satlife/data/orphan-11x9.rle")
    for ask in (FindCore(), FindCore(smallest=True), FindForced()):
        found = finish(satlife.answer(Ask(satlife.orphan(pattern), ask), satlife.Options(time=0.001)))
        assert isinstance(found, satlife.Core | satlife.Forced)
        assert found.status in (UNKNOWN, NONE)
        assert found.status == NONE or found.reason


def test_out_of_time_between_solves() -> None:
    """The best so far is kept: what was refuted, what is needed, and the bound."""
    problem = orphan_problem()
    with Oracle(problem, Budget()) as oracle:
        whole = oracle.ask(oracle.given)
        assert not isinstance(whole, OracleAnswer)
        events = cores.search(oracle, FindCore(3))
        next(events)
        oracle.budget = Budget(deadline=1e-9)  # long ago
        core = finish(events)
    assert core.reason == "the time limit was reached"
    assert (core.status, core.minimal, core.cells) == (UNKNOWN, False, whole)


def test_out_of_time_while_a_part_may_force_itself() -> None:
    """Nothing is claimed about the part, and what was found before is kept."""
    problem = satlife.orphan(Pattern.from_rows(["OO"]), rule="B/S012345678")
    found = satlife.forced(problem, itself=True)
    solutions = [OracleAnswer(found.outcome.phases, frozenset())]
    for budget, reason in ((Budget(deadline=1e-9), "the time limit was reached"), (Budget(), "")):
        part = finish(LargestPart(problem, budget, found.outcome, solutions).within(found.target))
        part.check()
        assert (part.reason[: len(reason)], part.itself) == (reason, not reason)
        assert part.status == (UNKNOWN if reason else FOUND)
        assert ("undecided" in str(part)) == bool(reason)


def test_hitting_sets() -> None:
    cells = [(x, 0) for x in range(6)]
    hitting = HittingSets(cells, Budget())
    try:
        assert hitting.least() == frozenset()
        sets = [{(0, 0), (1, 0)}, {(1, 0), (2, 0)}, {(3, 0), (4, 0)}, {(4, 0), (5, 0)}]
        for wanted in sets:
            hitting.add(wanted)
        assert hitting.least() == frozenset({(1, 0), (4, 0)})
        assert hitting.bound == 2
        hitting.budget = Budget(deadline=1e-9)
        with pytest.raises(OutOfTime):
            hitting.least()
    finally:
        hitting.close()


def test_correction_sets_are_minimal() -> None:
    brute = Brute("B8/S", ["OOO", "OOO"])
    with Oracle(brute.problem, Budget()) as oracle:
        found = oracle.ask([])
        assert isinstance(found, OracleAnswer)
        wrong = brute.part(grown(oracle, found))
    assert not brute.is_orphan(brute.known & ~wrong)
    assert all(brute.is_orphan(brute.known & ~wrong | 1 << k) for k in range(6) if wrong >> k & 1)


def test_given_up_cells_may_become_anything() -> None:
    problem = orphan_problem()
    part = with_only(problem, [(1, 1)])
    assert given_cells(part) == {(1, 1): 1}
    assert satlife.find(part)
    assert len(free_cells(problem)) == problem.width * problem.height
