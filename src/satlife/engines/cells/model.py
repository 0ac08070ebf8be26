"""From a Problem to flat arrays: cells as variables, one table constraint a transition, clauses, and bounds.

The folding is that of `SpaceTime`: period, displacement, symmetry, wrap-around, known cells and names have become equal
literals and constants before we begin.  A literal of ours is 2v, or 2v + 1 for "not v"; variable 0 is the constant
true.  Variables are numbered as SpaceTime numbers them, in the order of the sweep; those of clauses come after.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from satlife.cnf.buffer import FALSE, TRUE, Buffer, distinct_values
from satlife.encode.encoder import add_conditions, deciding_variables, without_duplicates
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells.table import PLACES, propagation
from satlife.problem.conditions.population import Population
from satlife.problem.conditions.population import bounds as bounds_of
from satlife.problem.problem import Problem
from satlife.records import dataclass

Ints = npt.NDArray[np.int32]

#: Cells of a box in all its generations up to which the search is offered.
MOST_CELLS = 200_000


@dataclass(frozen=True)
class CellModel:
    """A question as the kernel wants it.  Lists of different lengths lie one after another, with an index of starts."""

    variables: int  # the constant included
    cells: int  # variables 1 to `cells` are cells
    order: Ints  # the variables in the order in which they are decided
    identity: npt.NDArray[np.uint8]  # by variable: whether it tells solutions apart
    auxiliary_guess: npt.NDArray[np.uint8]  # by variable: which state an auxiliary variable is tried with first
    table: Ints
    constraints: Ints  # literals of the ten places, a row each
    members: Ints  # the different variables of a constraint, 0 after the last
    shares: Ints  # what they add to its descriptor, by state
    base: Ints  # the descriptor with nothing but the constants known
    first: Ints  # by literal: where its occurrences begin
    occurrences: Ints  # constraint, and what the literal adds to its descriptor
    clauses: Ints  # literals of all clauses of two or more
    ends: Ints
    units: Ints
    bounds: list[tuple[Ints, Ints, int]]  # literals, weights and the most that those which hold may weigh
    contradiction: bool


def make(problem: Problem, space: SpaceTime, extra: Iterable[Sequence[int]] = (), instead: bool = False) -> CellModel:
    """The arrays of a question.

    `extra` clauses speak of SpaceTime's literals and, above them, of their own.  They may come `instead` of the
    conditions that the question has beside the rule."""
    rule = problem.rule
    buffer, own = _clauses(space, extra)
    if not instead:
        add_conditions(buffer, space, apart=frozenset({Population.name}))  # whose bounds the kernel counts
    formula = buffer.formula()
    variables = buffer.variables + 1
    clauses, ends, units, empty = _normal(codes(formula.literals), formula.clause_of(), len(formula))
    population = () if instead else bounds_of(problem)
    bounds = [bound for item in population for bound in _at_most(space, item.time, item.low, item.high)]

    made = propagation(rule)
    steps = without_duplicates(space.transitions, rule)
    literals = np.concatenate([steps.next[:, None], steps.block], axis=1)
    literals[:, ~np.array(made.matters)] = FALSE  # of a hexagonal rule two corners do not matter
    constraints = codes(literals)
    base, members, shares, first, occurrences = _occurrences(constraints, made.shares, variables)
    order, identity = _order(space, variables)
    guess = np.zeros(variables, np.uint8)
    guess[own:] = 1  # a witness of a difference may always hold when the cells do differ
    return CellModel(
        variables=variables,
        cells=space.variables,
        order=order,
        identity=identity,
        auxiliary_guess=guess,
        table=made.entries,
        constraints=constraints,
        members=members,
        shares=shares,
        base=base,
        first=first,
        occurrences=occurrences,
        clauses=clauses,
        ends=ends,
        units=units,
        bounds=bounds,
        contradiction=empty or bool(space.contradiction) or any(most < 0 for _, _, most in bounds),
    )


def codes(literals: npt.ArrayLike) -> Ints:
    """Literals of SpaceTime as ours.

    >>> codes([3, -3, TRUE, FALSE]).tolist()
    [6, 7, 0, 1]
    """
    given = np.asarray(literals, np.int64)
    size = abs(given)
    result: Ints = (2 * np.where(size == TRUE, 0, size) + (given < 0)).astype(np.int32)
    return result


def _clauses(space: SpaceTime, extra: Iterable[Sequence[int]]) -> tuple[Buffer, int]:
    """These clauses, and the first variable after all that they speak of."""
    given = list(extra)
    largest = max((abs(literal) for clause in given for literal in clause if abs(literal) != TRUE), default=0)
    buffer = Buffer()
    buffer.new(max(space.variables, largest))
    own = buffer.variables + 1
    buffer.add_all(given)
    return buffer, own


def _normal(literals: Ints, owner: npt.NDArray[np.int64], count: int) -> tuple[Ints, Ints, Ints, bool]:
    """Each literal of a clause once, without tautologies: long clauses and their ends, units, whether one is empty."""
    width = int(literals.max(initial=0)) + 2
    keys = distinct_values(owner * width + literals)
    owner, literals = keys // width, (keys % width).astype(np.int32)
    opposite = (owner[1:] == owner[:-1]) & (literals[1:] == literals[:-1] + 1) & (literals[:-1] % 2 == 0)
    tautology = np.zeros(count, bool)
    tautology[owner[1:][opposite]] = True
    lengths = np.bincount(owner, minlength=count)
    empty = bool((lengths == 0).any())
    units = literals[(lengths == 1)[owner]]
    long = (lengths > 1) & ~tautology
    return literals[long[owner]], np.cumsum(lengths[long]).astype(np.int32), units, empty


def _at_most(space: SpaceTime, t: int, low: int | None, high: int | None) -> list[tuple[Ints, Ints, int]]:
    """Bounds on a population as weighted sums; a cell that stands for several weighs as much as they."""
    literals = codes(space.inside(t).ravel())
    variable, sign = literals >> 1, literals & 1
    alive = np.bincount(variable, weights=1 - sign).astype(np.int64)  # cells that live when the variable holds
    dead = np.bincount(variable, weights=sign, minlength=len(alive)).astype(np.int64)
    always = int(alive[0]) + int(np.minimum(alive, dead)[1:].sum())  # of a cell and its opposite one lives
    balance = alive - dead
    balance[0] = 0
    used = np.nonzero(balance)[0]
    lits, weights = (2 * used + (balance[used] < 0)).astype(np.int32), abs(balance[used]).astype(np.int32)
    bounds = []
    if high is not None:
        bounds.append((lits, weights, high - always))
    if low is not None:
        bounds.append((lits ^ np.int32(1), weights, always + int(weights.sum()) - low))
    return bounds


def _occurrences(constraints: Ints, shares: Ints, variables: int) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Base descriptors, members and their shares by constraint, and the occurrences by literal.

    A variable may stand at several places of a constraint, and at some of them negated; it adds all its shares at
    once."""
    count = len(constraints)
    variable, negated = constraints >> 1, constraints & 1
    place = np.arange(PLACES)
    when_false, when_true = shares[place, negated], shares[place, 1 - negated]
    fixed = variable == 0
    base = np.where(fixed, when_true, 0).sum(axis=1).astype(np.int32)
    row = np.broadcast_to(np.arange(count)[:, None], constraints.shape)[~fixed]
    keys, inverse = np.unique(row.astype(np.int64) * variables + variable[~fixed], return_inverse=True)
    inverse = inverse.ravel()
    size = len(keys)
    sums = [np.bincount(inverse, weights=w[~fixed], minlength=size).astype(np.int32) for w in (when_false, when_true)]
    owner, member = keys // variables, (keys % variables).astype(np.int32)
    starts = np.searchsorted(owner, np.arange(count))
    column = np.arange(size) - starts[owner]
    members = np.zeros((count, PLACES), np.int32)
    added = np.zeros((count, PLACES, 2), np.int32)
    members[owner, column] = member
    for state in (0, 1):
        added[owner, column, state] = sums[state]
    literal = np.concatenate([2 * member + 1, 2 * member])
    by_literal = np.argsort(literal, kind="stable")
    pairs = np.stack([np.concatenate([owner, owner]), np.concatenate(sums)], axis=1).astype(np.int32)[by_literal]
    first = np.searchsorted(literal[by_literal], np.arange(2 * variables + 1)).astype(np.int32)
    return base, members, added, first, np.ascontiguousarray(pairs)


def _order(space: SpaceTime, variables: int) -> tuple[Ints, npt.NDArray[np.uint8]]:
    """The order of decisions, that of the sweep, and which variables tell solutions apart.

    Cells that are freed from the rule may not count; then those that do come first."""
    order = np.arange(1, variables, dtype=np.int32)
    identity = np.zeros(variables, np.uint8)
    identity[1 : space.variables + 1] = 1
    if any(cell.freed for rows in space.problem.cells[1:] for row in rows for cell in row):
        identity[:] = 0
        identity[deciding_variables(space)] = 1
        order = order[np.argsort(1 - identity[order], kind="stable")]
    return order, identity
