"""Variations of a problem: smaller boxes, other numbers of generations."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from satlife.errors import InputError, Refusal
from satlife.life.pattern import TRANSFORMS
from satlife.problem.problem import Problem


def boxes(problem: Problem) -> Iterator[Problem]:
    """The problem in every box up to its own, smallest area first; boxes in which it is ill-posed are left out."""
    must_shrink(problem)
    sizes = [(w, h) for w in range(1, problem.width + 1) for h in range(1, problem.height + 1)]
    symmetric = same_when_turned(problem)
    for width, height in sorted(sizes, key=lambda size: (size[0] * size[1], abs(size[0] - size[1]), size)):
        if symmetric and height > width and height <= problem.width and width <= problem.height:
            continue  # the same problem as height x width, rotated
        try:
            yield replace(problem, width=width, height=height)
        except InputError:
            continue


def must_shrink(problem: Problem) -> None:
    """Refuse a problem that is not the same in a smaller box, since it names places in its own."""
    what = "--smallest needs a box that is free to shrink"
    if any(problem.cells):
        raise Refusal(f"{what}: no known cells")
    for condition in problem.conditions:
        if not condition.any_box:
            raise Refusal(f"{what}, which does not go with {condition.words}")


def same_when_turned(problem: Problem) -> bool:
    """Whether the problem is invariant under exchanging width and height of the box."""
    still = problem.displacement == (0, 0) and not problem.symmetry and not any(problem.cells)
    turned = ((condition, condition.turned(problem, name)) for condition in problem.conditions for name in TRANSFORMS)
    same = still and problem.rule.is_isotropic and problem.wrap[0] == problem.wrap[1]
    return same and all(condition == image for condition, image in turned)


def shorter(problem: Problem) -> Iterator[Problem]:
    """The problem with fewer generations, fewest first, up to its own number; an oscillator has at least two.

    Impossible numbers are left out: faster than light, an odd period with B0, fewer generations than are given.  A
    problem whose conditions depend on the number of generations is refused.
    """
    timeless = all(condition.is_timeless for condition in problem.conditions)
    if not timeless or any("@" in name for name in problem.symmetry):
        raise InputError("bounds on later generations and space-time symmetries need a fixed number of generations")
    oscillates = problem.periodic and problem.displacement == (0, 0) and problem.generations > 1
    for count in range(2 if oscillates else 1, problem.generations + 1):
        try:
            yield stretched(problem, count)
        except InputError:
            if count == problem.generations:
                raise


def longer(problem: Problem) -> Iterator[Problem]:
    """The problem with its own number of generations, and with more and more.

    The last generations of a solution must themselves be a solution, so that if one number has no solution, no larger
    one has.  Conditions for which this is not so are refused.
    """
    if problem.periodic or any(problem.cells[:1]):
        raise InputError("only predecessors have a largest number of generations: how far back a pattern can be traced")
    if problem.conditions or problem.nonempty or problem.rule.births_from_nothing:
        raise InputError("with bounds, exclusions or a blinking background there may be answers beyond a gap")
    for count in itertools.count(problem.generations):
        yield stretched(problem, count)


def stretched(problem: Problem, count: int) -> Problem:
    """The problem with another number of generations; given generations stay at the beginning and the end."""
    if problem.periodic:
        if any(problem.cells):
            raise InputError("with known cells the period is fixed")
        return replace(problem, generations=count)
    given = [*problem.cells, *((),) * (problem.last + 1 - len(problem.cells))]
    open_ones = [t for t, rows in enumerate(given) if not rows]
    if not open_ones:
        raise InputError("every generation is given, so that their number is fixed")
    head, tail = given[: open_ones[0]], given[open_ones[-1] + 1 :]
    if len(head) + len(open_ones) + len(tail) != len(given):
        raise InputError("a generation between free ones is given, so that their number is fixed")
    if count + 1 < len(head) + len(tail) or (not head and count + 1 == len(tail)):
        raise InputError(f"{count} generations are fewer than those that are given")
    return replace(problem, generations=count, cells=(*head, *((),) * (count + 1 - len(head) - len(tail)), *tail))
