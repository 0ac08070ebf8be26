"""The smaller questions that a search has refuted on its way, and the largest of them in a sentence.

A box without an answer contains no box with one.  So of many refuted questions only the maximal ones say something.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from satlife.problem import vary
from satlife.problem.question import Need, Question

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
        turns = small.box is not None and vary.same_when_turned(small.box)
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


def words(refuted: Sequence[Question], every_period: bool = False) -> str:
    """The maximal ones in a sentence; "" if there are none.  Periods are told where they differ from the least one, or
    `every_period`: that of ships at a speed was not given.

    >>> from satlife.problem.families import open_spaceship, spaceship
    >>> ships = [spaceship(size, 3, (0, -1)) for size in ((9, 5), (12, 9), (9, 14))]
    >>> words([*ships, spaceship((13, 9), 3, (0, -1), symmetry="D2|"), open_spaceship(8, 3, (0, -1))])
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
