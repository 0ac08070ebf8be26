"""Translation: which questions have solutions that can be moved, and what follows without loss of generality.

Where the box only bounds the pattern, a solution can be moved within it, all generations alike, and remains one: to the
left until it touches the left side, then up until it touches the upper side.  So if there is a solution, there is one
that touches both, and to refute a question it is enough to refute these.  With a symmetry about the centre of the box a
pattern may move only along directions that the symmetry does not change.
"""

from __future__ import annotations

from satlife.problem.conditions.touching import OUTWARD, Touching
from satlife.problem.problem import Problem

ACROSS, DOWN = ("left", "right"), ("upper", "lower")


def moves_freely(problem: Problem, side: str) -> bool:
    """Whether every solution can be moved until it touches this side, and remains a solution.

    >>> from satlife.problem.families import oscillator
    >>> [side for side in OUTWARD if moves_freely(oscillator((5, 4), 2, symmetry="D2|"), side)]
    ['upper', 'lower']
    """
    if not problem.periodic or not problem.nonempty or any(problem.cells) or any(problem.wrap):
        return False
    if not all(condition.translates for condition in problem.conditions):
        return False
    x, y = OUTWARD[side]
    return all((a * x + b * y, c * x + d * y) == (x, y) for a, b, c, d in (m.matrix for m in problem.motions))


def normal(problem: Problem) -> Problem:
    """The question for solutions that touch the left and the upper side, as far as they can be moved there; if there is
    a solution, then there is one of these, and the other way round."""
    sides = [side for side in (ACROSS[0], DOWN[0]) if moves_freely(problem, side)]
    return problem.having(touching=sides) if sides else problem


def loses_nothing(problem: Problem, narrower: Problem) -> bool:
    """Whether the second question is the first, for solutions that touch sides to which every solution can be moved."""
    condition = narrower.get(Touching)
    if condition is None or narrower.having(touching=False).key != problem.key:
        return False
    sides = set(condition.sides)
    one_each = len(sides & set(ACROSS)) <= 1 and len(sides & set(DOWN)) <= 1
    return one_each and all(moves_freely(problem, side) for side in sides)
