"""What to ask next when a search ends undecided: commands that are ready to be run, chosen for the question.

The cost of a search grows geometrically with the sides of the box, so a question with less of a box or more structure
is often answered sooner.  What is suggested: a smaller box, or in so many words none at all; a symmetry that the
question allows; a narrower box or strip; and, as the last, the same question as a long search.  Every suggestion is a
question that was built, that an engine takes, that has room for a pattern of its kind, and that is not refuted already.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from math import gcd, sqrt
from typing import Any, TypeVar

from satlife.engines.engine import Budget
from satlife.engines.options import Options
from satlife.errors import InputError, LimitError
from satlife.problem import orientation
from satlife.problem.anybox import AnyBox
from satlife.problem.ask import Ask
from satlife.problem.cell import DEAD
from satlife.problem.command import arguments, command
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.nested import bounds_only, chains
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Need, Place, Question
from satlife.problem.relation import is_inside
from satlife.problem.symmetry import GROUPS, ORDERS
from satlife.problem.velocity import Velocity
from satlife.records import dataclass
from satlife.search import plan
from satlife.search.one import by_centre

MOST = 3  # suggestions
#: What is mostly answered in seconds, by the measure of `_effort`: 11x11 cells of period 3, 7x7 of period 5.
SOON = 1200
SMALLEST = 7  # cells along a side of a box that is worth a search of its own
GROWTH = 1.25  # from a refuted box to the next
STRIP = 13  # less the period: the columns of a strip that is mostly searched in seconds; twice as many with a mirror
NARROWEST = 3
#: By how likely they have answers, small groups first.
SYMMETRIES = ("C2", "D2|", "D2-", "D2\\", "D2/", "C4", "D4+", "D4x", "D8")
#: Of a catalyst that is mostly found in seconds: the sides of the box that is disturbed, the generations until it has
#: recovered, and those until it is met.
DISTURBED, RECOVERS, MEETS = 4, 20, 20
Asked = TypeVar("Asked", Problem, OpenBox)


@dataclass(frozen=True)
class Suggestion:
    """A command, why it may help, and the question that it asks; a long search asks the same question again."""

    command: str
    why: str
    question: Question
    is_long: bool = False
    options: tuple[str, ...] = ()  # of a question that needs a file: what is to be added to the command that asked it

    def to_dict(self) -> dict[str, str]:
        """The JSON form."""
        return {"command": self.command, "why": self.why}


def advise(question: Question, refuted: Sequence[Question] = ()) -> list[Suggestion]:
    """At most MOST commands for somebody whose search was undecided, with what it has refuted on its way.

    >>> from satlife.problem.families import spaceship
    >>> for found in advise(spaceship((20, 20), 3, (0, -1))):
    ...     print(found.command)
    satlife spaceship -p 3 -d 0,-1
    satlife spaceship 20x20 -p 3 -d 0,-1 -s 'D2|'
    satlife jobs start spaceship 20x20 -p 3 -d 0,-1
    """
    if question.place is Place.ANYWHERE:
        return list(_next_parts(question, refuted))
    last = list(_long(question))
    chosen: list[Suggestion] = []
    for sort in _instead_of(question):
        roomy = (found for found in sort if _has_room(found.question))
        unknown = (found for found in roomy if not any(is_inside(found.question, other) for other in refuted))
        chosen += islice((found for found in unknown if _is_taken(found.question)), 1)
    return chosen[: MOST - len(last)] + last


def _instead_of(question: Question) -> list[Iterator[Suggestion]]:
    """What to ask instead, sort by sort; of each the first that helps is taken."""
    if Need.HEADS in question.needs:
        return []  # they are those of this strip
    if question.strip:
        return _of_a_strip(question.strip)
    if question.box and (asked := question.box.get(Catalyst)):
        return _of_a_catalyst(question.box, asked)
    return _of_a_box(question.box) if question.box else []


def _next_parts(question: Question, refuted: Sequence[Question]) -> Iterator[Suggestion]:
    """Of a question without a box: the first strips or boxes that were not refuted, as long searches."""
    known = list(refuted)
    for found in [one for one in chains(question) if not one.lead][: MOST - 1]:
        unknown = (part for part in found.rungs if not any(is_inside(part, other) for other in known))
        part = next(filter(_takes_long, unknown), None)
        if part is not None and arguments(part) is not None:
            known.append(part)  # what lies inside it is no other suggestion
            again = command(part, program=("satlife", "jobs", "start"))
            yield Suggestion(again, "the next that is not refuted, for as long as it takes", part, is_long=True)


def _has_room(question: Question) -> bool:
    """Whether a pattern may have room: in Life and similar rules none is narrower than three cells, and a ship stays in
    its box until a generation before it has moved."""
    moved = (0, 0) if question.strip else (abs(step) - 1 for step in question.displacement)
    return all(side >= NARROWEST + max(step, 0) for side, step in zip(question.size, moved, strict=True) if side)


def _takes_long(part: Question) -> bool:
    """Whether a strip or a box is not searched in seconds, so that it is worth a long search."""
    if not _has_room(part):
        return False
    if part.strip:
        return part.width >= _narrow(part.generations)
    return part.box is not None and _effort(part.box) >= SOON


def _of_a_strip(box: OpenBox) -> list[Iterator[Suggestion]]:
    """What to ask instead of a question about ships of any length."""
    sorts = [] if box.wave else [_suggested(_built(box, width=_narrower(box)), "a narrower strip")]
    if box.symmetry is None:
        axis = {"y": "D2|", "x": "D2-"}[box.along]
        sorts.append(_suggested(_built(box, symmetry=axis), f"only {box.noun}s with symmetry {axis}"))
    return sorts


def _narrower(box: OpenBox) -> int:
    """The columns of a strip inside this one that is searched soon."""
    if box.symmetry is None:
        return min(_narrow(box.period), box.width - 1)
    return min(2 * _narrow(box.period) + box.width % 2, box.width - 2)  # the mirror stays where it is


def _narrow(period: int) -> int:
    return max(STRIP - period, NARROWEST)


def _of_a_box(problem: Problem) -> list[Iterator[Suggestion]]:
    """What to ask instead of a question about a box: less of a box, or more structure."""
    less = chain(boxless(problem), _smaller_boxes(problem))
    return [less, _symmetric(problem), _narrow_boxes(problem)]


def _of_a_catalyst(problem: Problem, asked: Catalyst) -> list[Iterator[Suggestion]]:
    """What to ask instead of a question about a catalyst, which is in a file: narrower limits, by further options."""

    def narrower(why: str, option: str, value: str, **changes: Any) -> Iterator[Suggestion]:
        """The question with the catalyst changed so; nothing if that changes nothing."""
        made = replace(asked, **changes)
        others = tuple(one for one in problem.conditions if one is not asked)
        if made != asked:
            command = f"satlife catalyst FILE {option} {value}"
            yield Suggestion(command, why, replace(problem, conditions=(*others, made)), options=(option, value))

    box, most = asked.ever_active.box or problem.size, asked.lasts[1]
    width, height = (min(side, DISTURBED) for side in box)
    soon = max(min(most, RECOVERS), asked.lasts[0])
    early = max(min(asked.first[1], MEETS), asked.first[0])
    ever = replace(asked.ever_active, box=(width, height) if box != (width, height) else asked.ever_active.box)
    where = f"only those of which no more than {width}x{height} cells are ever disturbed"
    begins = f"{asked.first[0]}..{early}"
    return [
        narrower(where, "--ever-bounds", f"{width}x{height}", ever_active=ever),
        narrower(f"only those that recover within {soon} generations", "--active", f"{asked.lasts[0]}..{soon}",
                 lasts=(asked.lasts[0], soon)),
        narrower(f"only those met within {early} generations", "--first-active", begins, first=(asked.first[0], early)),
    ]  # fmt: skip


def _is_taken(question: Question) -> bool:
    """Whether an engine takes a question; without a box, that is the ladder of smaller questions."""
    ask, budget = Ask(question.every(1)), Budget.for_search(Options())
    if question.place is Place.ANYWHERE:
        return plan.LADDER.suits(ask, budget) is not None
    return all(plan.entrants(part, budget) for part in by_centre(ask))


def _built(question: Asked, **changes: Any) -> Asked | None:
    """A question with some changes, if it is well-posed."""
    try:
        return replace(question, **changes)
    except InputError:
        return None


def _suggested(question: Question | None, why: str) -> Iterator[Suggestion]:
    """A question with its command, if it can be asked without a file."""
    if question is not None and arguments(question) is not None:
        yield Suggestion(command(question), why, question)


# A smaller box, or none.
def boxless(problem: Problem) -> Iterator[Suggestion]:
    """The question without a box, if its family does without and the box is a large one."""
    if bounds_only(problem) and _effort(problem) > SOON:
        yield from _suggested(AnyBox(problem), "no box: boxes and strips grow until something is found")


def _smaller_boxes(problem: Problem) -> Iterator[Suggestion]:
    for smaller in _shrunk(problem):
        yield from _suggested(smaller, "a smaller box")


def _shrunk(problem: Problem) -> Iterator[Problem]:
    """The question in boxes of the same proportions: first one that is answered soon, then larger ones."""
    scale = sqrt(SOON / _effort(problem))
    while scale < 0.9 and bounds_only(problem):
        width, height = (min(max(int(scale * side), SMALLEST), side) for side in problem.size)
        if (width, height) != problem.size and (smaller := _built(problem, width=width, height=height)):
            yield smaller
        scale *= GROWTH


def _effort(problem: Problem) -> float:
    """A rough measure of what a search costs: the cells of a generation, those that a symmetry makes equal counted
    once, times the square of the period."""
    order = max((ORDERS.get(name, 2) for name in problem.symmetry), default=1)
    return problem.width * problem.height * problem.generations**2 / order


# A symmetry, or fewer columns.
def _symmetric(problem: Problem) -> Iterator[Suggestion]:
    """With a symmetry with which it is answered soon, or sooner; in a smaller box if need be."""
    if problem.symmetry or any(problem.cells):
        return
    has = set(orientation.transforms(problem))
    names = [name for name in SYMMETRIES if has.issuperset(GROUPS[name])]
    posed = [made for name in names if (made := _built(problem, symmetry=(name,), centred=False))]
    for made in sorted(posed, key=lambda made: max(_effort(made), 2 * SOON)):
        why = f"only those with symmetry {made.symmetry[0]}"
        if _effort(made) > 2 * SOON:
            for smaller in _shrunk(made):
                yield from _suggested(smaller, f"{why}, in a smaller box")
        yield from _suggested(made, why)


def _narrow_boxes(problem: Problem) -> Iterator[Suggestion]:
    """Of the same length along the way of a ship: narrow boxes first, which are searched row by row."""
    dx, dy = problem.displacement
    other = problem.needs - {Need.MOTION, Need.SYMMETRY, Need.CENTRES}
    if problem.kind != "spaceship" or (dx == 0) == (dy == 0) or other or len(problem.symmetry) > 1:
        return
    across, side = ("width", problem.width) if dx == 0 else ("height", problem.height)
    mirror, narrow = bool(problem.symmetry), _narrow(problem.generations)
    first = min(2 * narrow + side % 2 if mirror else narrow, side)
    for cells in range(first, side, 2 if mirror else 1):
        wide = "wide" if across == "width" else "high"
        yield from _suggested(_built(problem, **{across: cells}), f"only {cells} cells {wide}")


# The same question.
def _long(question: Question) -> Iterator[Suggestion]:
    """The question as a long search, if it can be one."""
    try:
        plan.settled(by_centre(Ask(question.every(1)))[0], Options())
    except InputError:
        return
    asked = question.box.in_the_middle if question.box else question
    where = "" if asked == question else "about the middle of the box alone: "
    again = command(asked, program=("satlife", "jobs", "start"))
    yield Suggestion(again, f"{where}goes on as long as it takes, and keeps what it has done", asked, is_long=True)


def beyond(refuted: Outcome) -> list[Suggestion]:
    """What to ask after "there is none": a longer period at the same speed, a larger box, none at all.

    >>> from satlife.problem.families import oscillator
    >>> from satlife.problem.outcome import NONE
    >>> for found in beyond(Outcome(oscillator((4, 4), 3), NONE)):
    ...     print(found.command)
    satlife oscillator 6x6 -p 3
    satlife oscillator -p 3
    """
    question, found = refuted.question, longer_period(refuted)
    chosen = [found] if found else []
    if Need.HEADS in question.needs:
        return chosen
    if question.strip and not question.strip.wave:
        chosen += _suggested(_built(question.strip, width=question.strip.width + 2), "A wider strip")
    elif question.box and bounds_only(question):
        width, height = (side + 2 for side in question.box.size)  # so that the middle stays where it is
        chosen += _suggested(_built(question.box, width=width, height=height), f"A larger box, {width}x{height}")
        chosen += _any_size(question.box)
    elif question.box:
        chosen += _earlier(question.box)
    return [one for one in chosen if _is_taken(one.question)]


def _any_size(problem: Problem) -> Iterator[Suggestion]:
    """The question without a box, if its family can do without."""
    with contextlib.suppress(InputError, LimitError):
        yield from _suggested(AnyBox(problem), "Of any size: boxes grow until something is found")


def _earlier(problem: Problem) -> Iterator[Suggestion]:
    """What came before a pattern, with more room around it."""
    if problem.kind != "predecessor" or not all(one.any_box for one in problem.conditions):
        return
    *before, last = problem.cells
    if any(before):
        return
    width, height = (side + 4 for side in problem.size)
    beside, row = (DEAD, DEAD), (DEAD,) * width
    cells = (*before, (row, row, *((*beside, *cells, *beside) for cells in last), row, row))
    made = _built(problem, width=width, height=height, cells=cells)
    if made is not None:
        yield Suggestion(command(made), f"A larger box, {width}x{height}", made)


def longer_period(refuted: Outcome) -> Suggestion | None:
    """The next period at the same speed, after a search for ships that found none: `c/2` as `2c/4`.

    >>> from satlife.problem.families import spaceship
    >>> from satlife.problem.outcome import NONE
    >>> print(longer_period(Outcome(spaceship((8, 8), 2, (0, -1)), NONE)).command)
    satlife spaceship 8x8 -p 4 -d 0,-2
    """
    question = refuted.question
    (dx, dy), period = question.displacement, question.generations
    if question.kind != "spaceship" or gcd(dx, dy, period) > 1 or Need.HEADS in question.needs:
        return None
    try:
        made = question.every(max(refuted.periods, default=period) // period + 1)
    except (InputError, LimitError):
        return None
    if not _is_taken(made):
        return None
    speed, longer = (Velocity(one.displacement, one.generations).speed for one in (question, made))
    why = f"{speed} as {longer}: ships of period {made.generations} at the same speed"
    return next(_suggested(made, why), None)
