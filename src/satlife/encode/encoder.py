"""The encoder: the clauses of a Problem (transitions, exact period, conditions, population), and decoding a model."""

from __future__ import annotations

import numpy as np

from satlife.cnf.buffer import FALSE, TRUE, Buffer, Lits, distinct_rows, distinct_values
from satlife.cnf.formula import Formula
from satlife.encode.conditions import add_clauses
from satlife.encode.spacetime import Bools, SpaceTime, Transitions
from satlife.encode.states import (
    differences,
    history_of,
    keep_dying_inside,
    make_history_unique,
    make_names_equal,
    refine,
)
from satlife.life.pattern import Cells
from satlife.life.rule import Rule
from satlife.limits import UNLIMITED, Limits
from satlife.problem.problem import Problem
from satlife.records import dataclass


@dataclass(frozen=True)
class Encoded:
    """A formula and what is needed to read its models."""

    problem: Problem
    formula: Formula
    space: SpaceTime
    encoding: str

    def decode(self, true_variables: Bools) -> list[Cells]:
        """The generations that a model describes."""
        return self.space.decode(true_variables)

    def rule(self, true_variables: Bools) -> Rule:
        """The rule of a model: the problem's own, or the completion of a partial rule that the solver chose."""
        rule = self.problem.rule
        return rule.resolve(true_variables[self.space.choices].tolist()) if rule.is_partial else rule

    def deciding_cells(self) -> list[int]:
        """The cell variables whose values distinguish solutions."""
        return [int(v) for v in deciding_variables(self.space)]

    def names(self) -> tuple[str, ...]:
        """A name for every variable: `x,y@t` for a cell, `_n` for an auxiliary variable."""
        names = [f"_{v}" for v in range(1, self.formula.variables + 1)]
        for t in reversed(range(self.problem.last + 1)):
            level = self.space.inside(t)
            for y, x in zip(*np.nonzero((level > 0) & (level < TRUE)), strict=True):
                names[level[y, x] - 1] = f"{x},{y}@{t}"
        for name, v in zip(self.problem.rule.classes, self.space.choices.tolist(), strict=True):
            names[v - 1] = name
        return tuple(names)


def encode(
    problem: Problem,
    encoding: str | None = None,
    sweep: str = "short",
    limits: Limits = UNLIMITED,
    apart: frozenset[str] = frozenset(),
) -> Encoded:
    """Encode a problem, without the conditions `apart`; the cell variables come first, in the order of the sweep."""
    from satlife.encode.transitions import choose

    chosen = choose(problem.rule, encoding)
    buffer = Buffer(limits)
    space = SpaceTime(problem, sweep, buffer.look)
    buffer.new(space.variables + len(space.choices))
    if space.contradiction:
        buffer.add(np.array([[FALSE]]))
    transitions = space.transitions
    if problem.rule.states == 2:
        transitions = without_duplicates(transitions, problem.rule)
    else:
        transitions = refine(buffer, space, transitions)
        keep_dying_inside(buffer, space)
        make_history_unique(buffer, space)
        make_names_equal(buffer, space)
    chosen.encode(buffer, transitions, problem.rule)
    add_conditions(buffer, space, apart)
    return Encoded(problem, buffer.formula(), space, chosen.name)


def add_conditions(buffer: Buffer, space: SpaceTime, apart: frozenset[str] = frozenset()) -> None:
    """What is asked beside the rule: not empty, exact period, and the conditions; those `apart`, by name, are left to
    the caller."""
    problem = space.problem
    if problem.nonempty:
        buffer.add(not_background(space))
    if problem.periodic and problem.exact:
        add_exact(buffer, space)
    for condition in problem.conditions:
        if condition.name not in apart:
            add_clauses(condition, buffer, space)


def deciding_variables(space: SpaceTime) -> Lits:
    """The cell variables whose values distinguish solutions (see `problem.orbits`).

    These are the variables of generation 0, with more than two states also those of its history; and the variables of
    later generations only where these do not follow from generation 0."""
    problem = space.problem
    levels = [level.ravel() for level in history_of(space, 0)]
    for t in range(1, problem.last + 1) if not problem.start_decides else ():
        counts = [not problem.does_not_count(t, x, y) for y, x in np.ndindex(problem.height, problem.width)]
        levels.append(space.inside(t).ravel()[counts])
    found: Lits = distinct_values(abs(np.concatenate(levels)))
    return found[found < TRUE]


def not_background(space: SpaceTime) -> Lits:
    """The clause that some cell of generation 0 differs from the background."""
    level = distinct_values(np.stack(history_of(space, 0)))
    return -level if space.problem.rule.background(0) else level


def without_duplicates(transitions: Transitions, rule: Rule) -> Transitions:
    """Drop duplicate transitions: under a symmetry, copies have the same literals up to the order of the neighbours."""
    neighbours = np.delete(transitions.block, 4, axis=1)
    if rule.counts is not None:
        neighbours = np.sort(neighbours, axis=1)
    elif rule.is_isotropic:
        neighbours = _least_image(neighbours)
    rows = np.concatenate([transitions.next[:, None], transitions.block[:, 4:5], neighbours], axis=1)
    first, _ = distinct_rows(rows)
    return transitions.select(np.sort(first))


#: How a quarter turn and a reflection permute the eight neighbours NW N NE W E SW S SE.
_TURN = [5, 3, 0, 6, 1, 7, 4, 2]
_FLIP = [2, 1, 0, 4, 3, 7, 6, 5]


def _least_image(neighbours: Lits) -> Lits:
    """The lexicographically least of the eight images of every neighbourhood."""
    order = list(range(8))
    best = neighbours
    for _ in range(2):
        for _ in range(4):
            image = neighbours[:, order]
            differ = image != best
            first = np.argmax(differ, axis=1)[:, None]
            smaller = np.take_along_axis(image < best, first, axis=1)[:, 0]
            best = np.where(smaller[:, None], image, best)
            order = [order[i] for i in _TURN]
        order = [order[i] for i in _FLIP]
    return best


def add_exact(buffer: Buffer, space: SpaceTime) -> None:
    """Exclude smaller periods: for every prime factor l of the period p, phase p/l is not phase 0 moved accordingly.

    A pattern of period q recurs after every multiple of q, so the maximal proper divisors p/l suffice.  Where cells are
    freed from the rule, one generation need not determine the next, and all divisors are excluded."""
    problem = space.problem
    p = problem.generations
    for factor in prime_factors(p) if problem.start_decides else [p // q for q in range(1, p) if p % q == 0]:
        q = p // factor
        if problem.rule.births_from_nothing and q % 2:
            continue  # the backgrounds differ anyway
        for move in problem.fractional_displacements(factor):
            # With more than two states the dying cells, given by the live cells of the past, are compared as well.
            depth = range(problem.rule.states - 1)
            pairs = [moved_levels(space, q - k, -k, move) for k in depth]
            buffer.add(differences(buffer, *(np.stack(side) for side in zip(*pairs, strict=True))))


def moved_levels(space: SpaceTime, q: int, start: int, move: tuple[int, int]) -> tuple[Lits, Lits]:
    """The literals of generation q, and of generation `start` translated, for the same cells."""
    problem, reach = space.problem, space.reach
    later, first = space.level(q), space.level(start)
    ys, xs = np.arange(len(later)), np.arange(later.shape[1])
    source_y, source_x = ys - move[1], xs - move[0]
    if problem.wrap[1]:
        source_y = reach + (source_y - reach) % problem.height
    if problem.wrap[0]:
        source_x = reach + (source_x - reach) % problem.width
    in_y, in_x = (source_y >= 0) & (source_y < len(ys)), (source_x >= 0) & (source_x < len(xs))
    moved = np.full_like(first, TRUE if problem.rule.background(start) else FALSE)
    moved[np.ix_(in_y, in_x)] = first[np.ix_(source_y[in_y], source_x[in_x])]
    return later, moved


def rotor(buffer: Buffer, levels: Lits) -> Lits:
    """For every cell a literal "belongs to the rotor": it is not the same in all of the given phases of a period."""
    stack = levels.reshape(len(levels), -1).T
    changes = buffer.new(len(stack))
    following = np.roll(stack, -1, axis=1)
    for t in range(len(levels)):
        buffer.add(np.stack([-stack[:, t], following[:, t], changes], axis=1))
        buffer.add(np.stack([stack[:, t], -following[:, t], changes], axis=1))
    # A rotor cell is alive in some phase and dead in another.
    buffer.add(np.concatenate([stack, -changes[:, None]], axis=1))
    buffer.add(np.concatenate([-stack, -changes[:, None]], axis=1))
    return changes


def prime_factors(n: int) -> list[int]:
    """The distinct prime factors of n.

    >>> prime_factors(12), prime_factors(1)
    ([2, 3], [])
    """
    return [f for f in range(2, n + 1) if n % f == 0 and all(f % d for d in range(2, f))]
