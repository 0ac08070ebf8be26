"""The arrays of a search: what is asked, and how far it has come.

Everything that the kernel knows lies here, so that a search can be watched, stopped and continued at any step.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from satlife.engines.cells import kernel
from satlife.engines.cells.model import CellModel
from satlife.engines.cells.table import PLACES

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

Kind = TypeVar("Kind", bound=np.generic)
GROWING = ("watch", "start", "activity", "ranking", "arena", "log")  # the arrays of clauses


class CellProblem(NamedTuple):
    """What stays the same: see `CellModel`."""

    order: Ints
    identity: Bytes
    guess: Bytes
    table: Ints
    constraints: Ints
    members: Ints
    shares: Ints
    base: Ints
    first: Ints
    occurrences: Ints
    units: Ints
    weighed_first: Ints  # by literal: where the bounds that it is in begin
    weighed: Ints  # bound and weight
    bound_first: Ints  # by bound: where its literals begin
    bound: Ints  # literal and weight
    most: Ints


class WorkingState(NamedTuple):
    """What changes."""

    numbers: Longs
    reals: npt.NDArray[np.float64]  # what a clause's activity is increased by
    value: Bytes  # by literal
    level: Ints  # by variable
    place: Ints  # on the trail
    reason: Ints
    seen: Bytes
    trail: Ints  # literals in the order in which they became true
    starts: Ints  # by level: where it begins on the trail
    pointers: Ints  # by level: how far the order of decisions has been gone through
    descriptor: Ints  # by constraint
    flagged: Ints  # constraints that force something, a queue
    weight: Ints  # by bound: of the literals that hold
    dirty: Bytes
    head: Ints  # by literal: the first watch
    watch: (
        Ints  # watches 2c and 2c + 1 are those of clause c; for each, another literal of the clause and the next watch
    )
    start: Ints  # by clause: where its literals begin
    activity: npt.NDArray[np.float64]
    arena: Ints  # the literals of all clauses
    learned: Ints  # scratch
    antecedents: Ints  # scratch
    portions: Ints  # scratch
    ranking: npt.NDArray[np.float64]  # scratch, by clause
    facts: Ints  # literals that hold without any decision
    is_fact: Bytes  # by variable
    cube: Ints  # literals that are assumed
    best: Bytes  # values of the largest assignment so far
    log: Ints  # clauses that were learned or forgotten since it was last emptied; of length 0 if nobody wants to know


def cell_problem(model: CellModel, guess: Bytes) -> CellProblem:
    """The constant arrays; `guess` is the state with which a variable is tried first."""
    sizes = [len(literals) for literals, _, _ in model.bounds]
    literals = np.concatenate([np.zeros(0, np.int32), *(lits for lits, _, _ in model.bounds)])
    weights = np.concatenate([np.zeros(0, np.int32), *(w for _, w, _ in model.bounds)])
    owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    by_literal = np.argsort(literals, kind="stable")
    return CellProblem(
        order=model.order,
        identity=model.identity,
        guess=guess,
        table=model.table,
        constraints=model.constraints,
        members=model.members,
        shares=model.shares,
        base=model.base,
        first=model.first,
        occurrences=model.occurrences,
        units=model.units,
        weighed_first=np.searchsorted(literals[by_literal], np.arange(2 * model.variables + 1)).astype(np.int32),
        weighed=np.stack([owner, weights], axis=1)[by_literal].astype(np.int32),
        bound_first=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        bound=np.stack([literals, weights], axis=1).astype(np.int32),
        most=np.array([most for _, _, most in model.bounds], np.int32),
    )


def state(model: CellModel, learning: bool, logging: bool = False) -> WorkingState:
    """Nothing known yet."""
    variables, given = model.variables, len(model.ends)
    room = given + (2 * kernel.FRESH_CLAUSES + 1 if learning else 0)
    numbers = np.zeros(kernel.NUMBERS, np.int64)
    numbers[[kernel.CONFLICTING, kernel.CLAUSES, kernel.GIVEN, kernel.USED]] = (
        kernel.NO_CONFLICT,
        given,
        given,
        len(model.clauses),
    )
    numbers[[kernel.LEARNING, kernel.LIMIT, kernel.FACTS]] = learning, 2 * kernel.FRESH_CLAUSES, len(model.units)
    start = np.zeros(room + 1, np.int32)
    start[1 : given + 1] = model.ends
    arena = np.zeros(len(model.clauses) + (40 * room + variables if learning else 0), np.int32)
    arena[: len(model.clauses)] = model.clauses
    facts = np.zeros(variables + len(model.units), np.int32)
    facts[: len(model.units)] = model.units
    value = np.zeros(2 * variables, np.uint8)
    value[:2] = kernel.TRUE, kernel.FALSE
    return WorkingState(
        numbers=numbers,
        reals=np.ones(1),
        value=value,
        level=np.zeros(variables, np.int32),
        place=np.full(variables, -1, np.int32),
        reason=np.full(variables, kernel.FACT, np.int32),
        seen=np.zeros(variables, np.uint8),
        trail=np.zeros(variables, np.int32),
        starts=np.zeros(variables + 2, np.int32),
        pointers=np.zeros(variables + 2, np.int32),
        descriptor=model.base.copy(),
        flagged=np.zeros(len(model.occurrences) // 2 + len(model.base) + 1, np.int32),
        weight=np.zeros(len(model.bounds), np.int32),
        dirty=np.zeros(len(model.bounds), np.uint8),
        head=np.full(2 * variables, -1, np.int32),
        watch=np.zeros(4 * room, np.int32),
        start=start,
        activity=np.zeros(room),
        arena=arena,
        learned=np.zeros(variables + 1, np.int32),
        antecedents=np.zeros(variables + PLACES, np.int32),
        portions=np.zeros(PLACES, np.int32),
        ranking=np.zeros(room),
        facts=facts,
        is_fact=np.zeros(variables, np.uint8),
        cube=np.zeros(variables, np.int32),
        best=np.zeros(variables, np.uint8),
        log=np.zeros(4 * len(arena) if logging else 0, np.int32),
    )


def enlarged(s: WorkingState) -> WorkingState:
    """The same state with room for twice as many clauses, and for one of any length."""

    def twice(array: npt.NDArray[Kind], more: int = 0) -> npt.NDArray[Kind]:
        out = np.zeros((2 * len(array) + more, *array.shape[1:]), array.dtype)
        out[: len(array)] = array
        return out

    larger = s._replace(**{name: twice(getattr(s, name)) for name in GROWING})
    return larger._replace(arena=twice(s.arena, len(s.trail)))
