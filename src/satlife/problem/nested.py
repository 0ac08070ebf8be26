"""Nested questions: the smaller boxes, narrower strips and further symmetries inside a question.

Where the box only bounds the pattern, an answer in a smaller box, in a narrower strip, or with more symmetry is an
answer.  So a question contains others, and some of them are far cheaper than the whole.  They may find; "none" in a
part says nothing about the whole.

A chain is a sequence of nested questions whose costs grow about geometrically, so that all of them together cost only a
few times as much as the last.  What makes a search dear depends on the pattern.  For a ship in a strip it is the width
of the strip, however long it is: hence strips along its way, and strips across it.  For everything else it is the
number of cells that can be chosen.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from itertools import islice
from typing import Literal

from satlife.errors import InputError, LimitError
from satlife.life.pattern import Pattern, common_box
from satlife.life.simulate import generations
from satlife.problem import relation
from satlife.problem.anybox import AnyBox
from satlife.problem.boxes import moved, used
from satlife.problem.conditions import population
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import FOUND, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Need, Question
from satlife.problem.symmetry import ORDERS
from satlife.records import dataclass

LONGEST = 40  # cells along a strip in a box: a ship that is narrow for its length is rarely longer
WIDEST = 32  # cells along a side, where there is no other limit
MULTIPLES = 4  # the largest multiple of a period that is tried
RARER = 4.0  # the weight of a multiple, divided by that of the one before
#: The weights of strips along the way with a mirror, in which most ships of higher periods are found, and of strips
#: across it, where a ship is mostly found soon or not at all.
MIRRORED, ACROSS = 0.5, 2.0
RARE = 8.0  # the weight of boxes where there are strips of any length, which are mostly better
SMALL, LEAD = (4, 6, 8), 1.0  # sides of boxes that are tried before everything else, and seconds for that
SLENDER = 2.0  # the longer side of a box for an oscillator, divided by the shorter one
GENEROUS = 600  # cells in all generations; tight questions mostly have fewer
TIGHT_COLUMNS, TIGHT = 8, 56  # columns to choose in a strip, and their cells in a period: about a minute, or less
SHARE = 0.75  # of the cells of a box are the most that a part of it has; larger ones are not much cheaper
#: The symmetries that a pattern may have beyond those of its question.
STILL = ("C2", "D2|", "D2-", "D2\\", "C4", "D4+", "D4x", "D8")
FIXED = frozenset({Need.KNOWN, Need.FREED, Need.WRAP, Need.NO_PERIOD, Need.OPEN_END, Need.EMPTY, Need.HEADS})
Size = tuple[int, int]


class Way(Enum):
    """How a nested question is best searched: by the engine that suits it, or by one with this strategy."""

    ANY = "any"
    ROWS = "rows"
    SOUPS = "soups"
    EVERY = "exhaustive"


@dataclass(frozen=True)
class Chain:
    """Nested questions in the order of their costs, the best way to search them, the weight of the time that they take
    among other chains, and the lead of what is decided at once."""

    rungs: Iterator[Question]
    way: Way = Way.ANY
    weight: float = 1.0
    lead: float = 0.0  # seconds that it has before the others


def bounds_only(question: Question) -> bool:
    """Whether the box only bounds the pattern: nothing is tied to a place in it, and nothing wraps around."""
    return not question.needs & FIXED and all(condition.any_box for condition in question.conditions)


def is_generous(question: Question) -> bool:
    """Whether the box of a question is so large that one does not wait for the whole before trying its parts."""
    box = question.box
    return box is None or box.width * box.height * (box.last + 1) > GENEROUS


def is_tight_strip(question: Question) -> bool:
    """Whether a strip of any length is so narrow that the search of the whole mostly comes to its end soon."""
    strip = question.strip
    if strip is None:
        return False
    columns = (strip.width + 1) // 2 if strip.symmetry else strip.width
    return columns <= TIGHT_COLUMNS and columns * strip.period <= TIGHT


def comes_back(question: Question) -> bool:
    """Whether the pattern is a part of what it becomes: names of its first generation stand in the last one, too."""
    if question.box is None or question.box.periodic or len(question.box.cells) <= question.box.last:
        return False
    first, last = (
        {cell.name for row in question.box.cells[t] for cell in row if cell.name} for t in (0, question.box.last)
    )
    return not first.isdisjoint(last)


def has_parts(question: Question) -> bool:
    """Whether there are chains of questions inside a question."""
    return bounds_only(question) or comes_back(question)


def chains(question: Question) -> list[Chain]:
    """The chains of questions inside a question.  If its box does more than bound the pattern there are none, except
    that a pattern that makes copies of itself may be symmetric."""
    if not bounds_only(question):
        return [Chain(_symmetric(question.box), Way.EVERY)] if question.box and comes_back(question) else []
    if isinstance(question, AnyBox):
        most = MULTIPLES if question.multiples else 1
        first = [Chain(_small(question, most), lead=LEAD)] if question.example.moves else []
        return first + [chain for times in range(1, most + 1) for chain in _anywhere(question, times)]
    if question.strip:
        return _in_a_strip(question.strip)
    assert question.box
    return _in_a_box(question.box)


# In a box.
def _in_a_box(question: Problem) -> list[Chain]:
    dx, dy = question.displacement
    if (dx, dy) == (0, 0):
        return _by_area(question)
    return _squares(question) if dx and dy else _along_and_across(question)


def _along_and_across(question: Problem) -> list[Chain]:
    """For ships that move along an axis: strips along their way, and strips across it, without and with a mirror."""
    width, height = question.size
    upright = [(side, min(height, LONGEST)) for side in range(1, width)]
    lying = [(min(width, LONGEST), side) for side in range(1, height)]
    along, across = (upright, lying) if question.displacement[0] == 0 else (lying, upright)
    return [
        chain
        for mirror in _mirrors(question)
        for chain in (
            Chain(_parts(question, along, mirror), Way.ROWS, MIRRORED if mirror else 1.0),
            Chain(_parts(question, across, mirror), weight=ACROSS),
        )
    ]


def _squares(question: Problem) -> list[Chain]:
    """For ships that move along no axis: squares, which become strips where the box is narrow."""
    width, height = question.size
    sizes = [(min(side, width), min(side, height)) for side in range(2, max(width, height))]
    return [Chain(_parts(question, sizes, more, 1 + len(more))) for more in _mirrors(question)]


def _mirrors(question: Question) -> list[tuple[str, ...]]:
    """No further symmetry, and the mirror symmetry along the way of a ship, if it can have it."""
    dx, dy = question.displacement
    if dx and dy and abs(dx) != abs(dy):
        return [()]
    if question.strip and question.strip.stays:
        dx, dy = (0, 1) if question.strip.along == "y" else (1, 0)
    mirror = "D2|" if dx == 0 else "D2-" if dy == 0 else "D2\\" if dx == dy else "D2/"
    return [()] if mirror in question.symmetries else [(), (mirror,)]


def _by_area(question: Problem) -> list[Chain]:
    """For patterns that stay: boxes by their number of cells, and those with more symmetry by the number of cells that
    it leaves free."""
    across, down = (range(2, min(side, WIDEST) + 1) for side in question.size)
    sizes = [(w, h) for w, h in itertools.product(across, down) if max(w, h) <= SLENDER * min(w, h)]
    sizes.sort(key=_cells)
    turns = relation.same_when_turned(question)
    plain = [size for size in sizes if not turns or size[0] >= size[1] or size[::-1] not in sizes]
    folded = [(size, name) for name in STILL for size in sizes if name not in question.symmetry]
    if turns:
        folded = [(size, name) for size, name in folded if name != "D2-"]  # D2| in the box on its side
    folded.sort(key=lambda rung: _cells(rung[0])[0] / ORDERS[rung[1]])
    symmetric = (part for size, name in folded for part in _parts(question, [size], (name,), ORDERS[name]))
    return [Chain(_parts(question, plain, ())), Chain(symmetric)]


def _symmetric(question: Problem) -> Iterator[Problem]:
    """The question with each of the further symmetries that its box may have, the largest first."""
    for name in sorted((*STILL, "D2/"), key=lambda name: -ORDERS[name]):
        if name in question.symmetry:
            continue
        with suppress(InputError):
            yield replace(question, symmetry=(*question.symmetry, name))


def _cells(size: Size) -> tuple[int, int]:
    """The order of boxes: by the number of cells, then the squarest first."""
    return size[0] * size[1], abs(size[0] - size[1])


def _parts(question: Problem, sizes: Iterable[Size], more: tuple[str, ...], together: int = 1) -> Iterator[Problem]:
    """The question in boxes of these sizes, with more symmetry, which makes one of `together` cells; ill-posed ones are
    left out, and those that are about as large as the question."""
    for width, height in sizes:
        if width * height > SHARE * together * question.width * question.height:
            continue
        if part := _part(question, width, height, more):
            yield part


def _part(question: Problem, width: int, height: int, more: tuple[str, ...]) -> Problem | None:
    """The question in a smaller box, with more symmetry; None if there is no such question.

    With a symmetry, the centre of the smaller box must be one of the larger box, too, if that is given."""
    odd = (question.width - width) % 2 or (question.height - height) % 2
    if question.symmetry and question.centred and odd:
        return None
    if any((bound.low or 0) > width * height for bound in population.bounds(question)):
        return None
    try:
        symmetry = (*question.symmetry, *more)
        return replace(question, width=width, height=height, symmetry=symmetry, centred=True)
    except (InputError, LimitError):
        return None


# In a strip, and anywhere.
def _in_a_strip(box: OpenBox) -> list[Chain]:
    """Narrower strips, without and with the mirror; with the mirror also the whole strip."""
    step = 2 if box.symmetry else 1
    widths = range(box.width % step or step, box.width + 1, step)
    return [Chain(_narrower(box, widths if mirror else widths[:-1], mirror), Way.ROWS) for mirror in _mirrors(box)]


def _narrower(box: OpenBox, widths: range, mirror: tuple[str, ...]) -> Iterator[OpenBox]:
    """The question in strips of these widths; nothing if it cannot have the mirror.

    Even one column less makes it several times cheaper, and many ships are a little narrower than what was asked."""
    for width in widths:
        try:
            yield replace(box, width=width, symmetry=next(iter(mirror), box.symmetry))
        except InputError:
            return


def _small(question: AnyBox, most: int) -> Iterator[Problem]:
    """Boxes that are decided at once, by whatever engine, with all multiples of the period."""
    for side, times in itertools.product(SMALL, range(1, most + 1)):
        try:
            yield question.in_box((side, side), times)
        except (InputError, LimitError):
            continue


def _anywhere(question: AnyBox, times: int) -> list[Chain]:
    """For questions without a box, with a multiple of the period: boxes, strips of any length, and soups."""
    whole = question.in_box((WIDEST, WIDEST), times)
    large = replace(whole, centred=False)
    if not question.example.moves:
        return [*_in_a_box(large), Chain(iter([whole]), Way.SOUPS)]
    strips = [_of_strips(strip) for strip in _open_strips(large)]
    rare = RARE if strips and 0 in question.displacement else 1.0
    boxes = [replace(chain, weight=rare) for chain in _in_a_box(large)]
    return [replace(chain, weight=chain.weight * RARER ** (times - 1)) for chain in (*strips, *boxes)]


def _of_strips(strips: list[OpenBox]) -> Chain:
    """Strips of any length as a chain."""
    if not strips[0].forward:
        return Chain(iter(strips), weight=ACROSS)
    return Chain(iter(strips), Way.ROWS, MIRRORED if strips[0].mirror in ("odd", "even") else 1.0)


def _open_strips(problem: Problem) -> Iterator[list[OpenBox]]:
    """Strips of any length, along the way of ships and across it, without and with a mirror, as far as there are such
    questions."""
    if problem.conditions or len(problem.symmetry) > 1:
        return
    ways: list[Literal["x", "y"]] = ["y", "x"] if problem.displacement[1] else ["x", "y"]
    for along, mirror in itertools.product(ways, _mirrors(problem)):
        name = next(iter((*problem.symmetry, *mirror)), None)
        moving = problem.generations, problem.displacement, problem.rule, name
        try:
            yield [OpenBox(width, *moving, along=along) for width in range(1, WIDEST + 1)]
            if mirror:
                yield [OpenBox(width, *moving, gutter=True, along=along) for width in range(3, WIDEST + 1, 2)]
        except InputError:
            continue


# Finds.
def embedded(question: Question, outcome: Outcome) -> Outcome | None:
    """The find of a nested question as one of the question; None if it is none after all."""
    found = outcome.problem
    if isinstance(question, AnyBox):
        rows, columns = _own_box(outcome)
        size = columns.stop - columns.start, rows.stop - rows.start
        whole = question.in_box(size, found.generations // question.generations)
        return moved(outcome, whole, (columns.start, rows.start))
    if strip := question.strip:
        closed = strip.closed(*((strip.width, found.height) if strip.along == "y" else (found.width, strip.width)))
        return _in_the_middle(outcome, closed)
    wholes = (_in_the_middle(outcome, whole) for whole in question.in_a_box("a find").by_centre)
    return next((whole for whole in wholes if whole), None)


def _in_the_middle(outcome: Outcome, whole: Problem) -> Outcome | None:
    """A find in the middle of a larger box; None if it is no answer there."""
    wider, higher = whole.width - outcome.problem.width, whole.height - outcome.problem.height
    if wider < 0 or higher < 0:
        return None
    return moved(outcome, whole, (-(wider // 2), -(higher // 2)))


def recurring(
    question: Question, start: Pattern, like: Question, in_box: Callable[[int, int], Problem]
) -> Outcome | None:
    """A pattern as an answer to a question, if it recurs like those of another question; `in_box` asks that one in the
    box that the pattern needs."""
    *phases, last = islice(generations(start), like.generations + 1)
    if last.crop() != start.crop().shift(*like.displacement):
        return None
    box = common_box(phases)
    try:
        part = in_box(*box[2:])
    except InputError:  # it cannot be asked in this box
        return None
    return embedded(question, Outcome(part, FOUND, tuple(phase.within(*box) for phase in phases)))


def _own_box(outcome: Outcome) -> tuple[slice, slice]:
    """The rows and columns that a find uses; one with a symmetry keeps the box that it has, for the sake of its
    centre."""
    width, height = outcome.problem.size
    return (slice(0, height), slice(0, width)) if outcome.problem.symmetry else used(outcome)


def words(question: Question) -> str:
    """A nested question in a few words: its box and its symmetries."""
    width, height = (side or "*" for side in question.size)
    return " ".join((f"{width}x{height}", *question.symmetries))
