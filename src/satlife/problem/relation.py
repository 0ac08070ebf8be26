"""How questions are related: in smaller boxes, with other numbers of generations, moved or turned, and which of them
lies in which."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from satlife.errors import InputError, Refusal
from satlife.life.pattern import TRANSFORMS
from satlife.problem.conditions.touching import OUTWARD, Touching
from satlife.problem.problem import Problem
from satlife.problem.question import Need, Question


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


# Translation: which questions have solutions that can be moved, and what follows without loss of generality.
#
# Where the box only bounds the pattern, a solution can be moved within it, all generations alike, and remains one: to
# the left until it touches the left side, then up until it touches the upper side.  So if there is a solution, there is
# one that touches both, and to refute a question it is enough to refute these.  With a symmetry about the centre of the
# box a pattern may move only along directions that the symmetry does not change.

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


# The smaller questions that a search has refuted on its way, and the largest of them in a sentence.
#
# A box without an answer contains no box with one.  So of many refuted questions only the maximal ones say something.

SHOWN = 5  # of the maximal ones
ALONG: dict[tuple[str, ...], str] = {("D2|",): "y", ("D2-",): "x"}  # the axis of a single mirror


def is_inside(small: Question, large: Question) -> bool:
    """Whether every answer of `small` is one of `large`; both ask the same but for box, symmetry, and multiple of the
    period.

    A symmetry may be about any centre, or that of the box.  Then a box lies in a larger one with the same symmetry only
    if their sides differ by even numbers; along the axis of a single mirror by any.  The window of a strip moves aside
    with its ships, and a box does not: so a box lies in a window that is wider by their displacement.

    >>> from satlife.problem.families import open_spaceship, spaceship
    >>> ship = lambda *size, **more: spaceship(size, 3, (0, -1), **more)
    >>> is_inside(ship(8, 5), ship(9, 5)), is_inside(ship(8, 5), ship(9, 4))
    (True, False)
    >>> is_inside(ship(8, 5), open_spaceship(8, 3, (0, -1))), is_inside(ship(8, 5, symmetry="D2|"), ship(8, 5))
    (True, True)
    >>> mirrored = lambda *size: ship(*size, symmetry="D2|", centred=True)
    >>> [is_inside(mirrored(8, 5), mirrored(*size)) for size in ((9, 5), (10, 5), (8, 6))]
    [False, True, True]
    >>> is_inside(mirrored(8, 5), ship(9, 5, symmetry="D2|"))
    True
    >>> strip = open_spaceship(8, 3, (0, -1), symmetry="D2|")
    >>> is_inside(mirrored(8, 5), strip), is_inside(ship(8, 5, symmetry="D2|"), strip)
    (True, False)
    """
    if small.generations != large.generations:
        return False
    if small.wrap != large.wrap or any(small.wrap) or Need.HEADS in small.needs | large.needs:
        return small.key == large.key
    (width, height), (dx, dy) = small.size, small.displacement
    if small.box and large.strip:
        width, height = width + abs(dx), height + abs(dy)
    if not large.symmetries:
        turns = small.box is not None and same_when_turned(small.box)
        return _fits((width, height), large.size) or (turns and _fits((height, width), large.size))
    parts, wholes = (question.box.by_centre if question.box else (question,) for question in (small, large))
    if len(parts) + len(wholes) > 2:
        return all(any(is_inside(part, whole) for whole in wholes) for part in parts)
    sides = zip("xy", small.size, large.size, strict=True)
    along = ALONG.get(large.symmetries)
    centred = all((a - b) % 2 == 0 for side, a, b in sides if a and b and side != along)
    same = small.symmetries == large.symmetries and small.has_gutter == large.has_gutter
    return same and centred and _fits((width, height), large.size)


def _fits(small: tuple[int, int], large: tuple[int, int]) -> bool:
    """Whether a box lies in another; a side of 0 is open."""
    return all(b == 0 or 0 < a <= b for a, b in zip(small, large, strict=True))


def maximal(refuted: Iterable[Question]) -> list[Question]:
    """The questions that lie in no other one, large ones first."""
    found: list[Question] = []
    for question in refuted:
        if not any(is_inside(question, other) for other in found):
            found = [other for other in found if not is_inside(other, question)] + [question]
    return sorted(found, key=_extent, reverse=True)


def _extent(question: Question) -> tuple[bool, int]:
    width, height = question.size
    return not width * height, max(width, 1) * max(height, 1)


def refuted_words(refuted: Sequence[Question], every_period: bool = False) -> str:
    """The maximal ones in a sentence; "" if there are none.  Periods are told where they differ from the least one, or
    `every_period`: that of ships at a speed was not given.

    >>> from satlife.problem.families import open_spaceship, spaceship
    >>> ships = [spaceship(size, 3, (0, -1)) for size in ((9, 5), (12, 9), (9, 14))]
    >>> refuted_words([*ships, spaceship((13, 9), 3, (0, -1), symmetry="D2|"), open_spaceship(8, 3, (0, -1))])
    'none 8 wide of any length, none in 9x14, 12x9, none in 13x9 with D2|'
    """
    kinds: dict[str, list[str]] = {}
    chosen = maximal(refuted)
    least = min((question.generations for question in chosen), default=0)
    for question in chosen[:SHOWN]:
        kinds.setdefault(_manner(question, 0 if every_period else least), []).append(_place(question))
    parts = []
    for symmetry, places in kinds.items():
        parts += [f"none {place}{symmetry}" for place in places if "x" not in place]
        boxes = [place for place in places if "x" in place]
        parts += [f"none in {', '.join(boxes)}{symmetry}"] if boxes else []
    more = len(chosen) - SHOWN
    return ", ".join(parts) + (f", and {more} more" if more > 0 else "")


def _manner(question: Question, least: int) -> str:
    """Its symmetries, and its period if that is not the least one."""
    mirror = "".join(f" with {name}" for name in question.symmetries) + " and a gutter" * question.has_gutter
    mirror += " about the middle" if question.box and question.box.centred and question.box.has_other_centres else ""
    return mirror + (f" of period {question.generations}" if question.generations > least else "")


def _place(question: Question) -> str:
    width, height = question.size
    if width and height:
        return f"{width}x{height}"
    return f"{width} wide of any length" if width else f"{height} high of any length"
