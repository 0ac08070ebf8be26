"""Minimal cores: give up one cell of the target after the other, as long as what is left has no predecessor.

This is the deletion-based search for a minimal unsatisfiable subset, with the two refinements that pay (Marques-Silva
and Lynce, "On improving MUS extraction algorithms", 2011; Belov and Marques-Silva on model rotation, 2011):

* clause-set refinement: the assumptions that the solver did not need for its contradiction are given up at once;
* model rotation: a predecessor that gets a single cell wrong shows that this cell is needed; change one cell of it, and
  often a single other cell is wrong, which is needed as well.

Where the cells are given up first decides which core is found.  Outer cells first makes it compact; the next tries go
from other sides, or by chance.  An orphan of 10x10 cells takes about 90 solves of some hundredths of a second.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import replace

from satlife.engines.events import Event, Progress, Shrunk
from satlife.engines.past.oracle import Oracle, OracleAnswer
from satlife.errors import OutOfTime
from satlife.life.pattern import Cells
from satlife.problem.goals import FindCore
from satlife.problem.outcome import FOUND, NONE, Outcome
from satlife.problem.pasts import Core
from satlife.problem.target import Coordinates, Phases

STRATEGY = "core"


def search(oracle: Oracle, goal: FindCore) -> Generator[Event, None, Core]:
    """The best of several minimal cores, or a predecessor."""
    solver = oracle.solver.name
    found = oracle.ask(oracle.given)
    if isinstance(found, OracleAnswer):
        return Core(Outcome(oracle.problem, FOUND, found.phases, solver=solver, strategy=STRATEGY))
    best = Core(Outcome(oracle.problem, NONE, solver=solver, strategy=STRATEGY), found, live=goal.live)
    yield Shrunk(best)
    chance = random.Random(oracle.budget.seed)
    for number in range(goal.tries):
        order = orders(oracle, goal.live, number, chance)
        core = yield from shrink(oracle, oracle.given if number else found, order, best)
        if core.reason:
            return replace(best, reason=core.reason) if best.minimal else core
        best = replace(core if _rank(core) < _rank(best) or not best.minimal else best, tries=number + 1)
        yield Shrunk(best)
    return best


def _rank(core: Core) -> tuple[int, int]:
    return core.size, len(core.cells)


def shrink(
    oracle: Oracle, cells: Collection[Coordinates], order: Sequence[Coordinates], known: Core, also: Sequence[int] = ()
) -> Generator[Event, None, Core]:
    """A minimal core among these cells, which are given up in this order; at the time limit one that is not minimal.

    With other literals to assume (`also`) a solution shows less, so that none is recalled or rotated."""
    kept, witnesses = frozenset(cells), dict[Coordinates, Phases]()
    for cell in order:
        if cell not in kept or cell in witnesses:
            continue
        answer: OracleAnswer | frozenset[Coordinates] | None = None if also else _recalled(oracle, kept, cell)
        if answer is None:
            yield Progress(STRATEGY, f"{len(kept)} cells, {len(witnesses)} of them needed; {oracle.calls} solves")
            try:
                answer = oracle.ask(kept - {cell}, also)
            except OutOfTime as error:
                return replace(known, cells=kept, witnesses=witnesses, reason=str(error))
        if not isinstance(answer, OracleAnswer):
            kept = answer
            continue
        witnesses[cell] = answer.phases
        if not also:
            rotate(oracle, kept, cell, witnesses)
    return replace(known, cells=kept, witnesses=witnesses)


def _recalled(oracle: Oracle, kept: frozenset[Coordinates], cell: Coordinates) -> OracleAnswer | None:
    """A solution of an earlier part that gets only this cell wrong."""
    return next((found for found in oracle.solutions if found.wrong & kept == {cell}), None)


def rotate(
    oracle: Oracle, kept: frozenset[Coordinates], cell: Coordinates, witnesses: dict[Coordinates, Phases]
) -> None:
    """Model rotation: from the witness of a cell, those of others; each is simulated."""
    waiting = [cell]
    while waiting:
        cell = waiting.pop()
        for changed in _neighbours(oracle, witnesses[cell][0], cell):
            if (found := oracle.simulated(changed)) is None:
                continue
            wrong = found.wrong & kept
            if len(wrong) == 1 and not wrong <= witnesses.keys():
                [other] = wrong
                witnesses[other] = found.phases
                waiting.append(other)
            else:
                oracle.solutions.pop()


def _neighbours(oracle: Oracle, start: Cells, cell: Coordinates) -> Iterator[Cells]:
    """The arrays that differ from generation 0 in one cell, on which the cell of the target depends."""
    problem, reach = oracle.problem, oracle.problem.generations
    columns, rows = (
        range(max(at - reach, 0), min(at + reach + 1, side)) for at, side in zip(cell, problem.size, strict=True)
    )
    for y, x in itertools.product(rows, columns):
        for state in range(problem.rule.states):
            if state != start[y, x]:
                cells = start.copy()
                cells[y, x] = state
                yield cells


def orders(oracle: Oracle, live: bool, number: int, chance: random.Random) -> list[Coordinates]:
    """The order in which a try gives up cells: outer cells first; from a side; or outer cells first, about."""
    problem, angle = oracle.problem, chance.uniform(0, 2 * math.pi)
    noise = {place: chance.random() for place in oracle.given}

    def ring(place: Coordinates) -> float:
        x, y = place
        return min(x, y, problem.width - 1 - x, problem.height - 1 - y)

    def side(place: Coordinates) -> float:
        return place[0] * math.cos(angle) + place[1] * math.sin(angle)

    def about(place: Coordinates) -> float:
        return ring(place) + 4 * noise[place]

    key = ring if number == 0 else (side, about)[number % 2]
    return sorted(oracle.given, key=lambda place: (live and oracle.given[place] != 1, key(place), noise[place]))
