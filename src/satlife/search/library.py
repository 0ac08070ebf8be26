"""The searches for users of the library: each asks at the one door, `search.answer`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Unpack

from satlife.engines.events import Charted, Event, Found, Improved, Progress
from satlife.engines.options import Options, SearchOptions
from satlife.problem.answers import Best, Count, End, Listed
from satlife.problem.ask import Ask
from satlife.problem.chart import Chart
from satlife.problem.goal import Atlas, CountAll, FindCore, FindForced, FindOne, ListAll, Optimise
from satlife.problem.measures import Measure
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Outcome, Status
from satlife.problem.pasts import Core, Forced
from satlife.problem.question import Question
from satlife.search.answer import answer
from satlife.search.race import finish

GALLERY = 24  # outcomes that a list keeps, for a notebook to draw
OnProgress = Callable[[Progress], None]


def find(question: Question, *, progress: OnProgress | None = None, **options: Unpack[SearchOptions]) -> Outcome:
    """Search for a pattern that satisfies the question, in a box or in an open box.

    >>> from satlife.problem.families import spaceship
    >>> find(spaceship((4, 3), period=4, displacement=(1, 1))).apgcode
    'xq4_153'
    >>> find(spaceship((3, 3), period=4, displacement=(1, 1))).status
    'none'
    """
    found = finish(answer(Ask(question, FindOne()), Options(**options)), hearing(progress))
    assert isinstance(found, Outcome)
    return found


def count(
    question: Question,
    *,
    by_population: bool = False,
    progress: OnProgress | None = None,
    **options: Unpack[SearchOptions],
) -> Count:
    """Count the patterns that satisfy a question, without enumerating them where that is possible.

    >>> from satlife.problem.families import still_life
    >>> count(still_life((5, 5))).value
    416
    >>> count(still_life((3, 3)), by_population=True).by_population
    (0, 0, 0, 0, 5, 4, 2)
    """
    found = finish(answer(Ask(question, CountAll(by_population)), Options(**options)), hearing(progress))
    assert isinstance(found, Count)
    return found


def optimise(
    question: Question,
    measure: str = "cells",
    largest: bool = False,
    improved: Callable[[Best], None] | None = None,
    *,
    progress: OnProgress | None = None,
    **options: Unpack[SearchOptions],
) -> Best:
    """Find the smallest (or largest) value of a measure; `improved` receives each better value and each better bound.

    >>> from satlife.problem.families import still_life
    >>> best = optimise(still_life((5, 5)), "box", jobs=1)
    >>> best.value, best.proved
    (4, True)
    """
    goal = Optimise(Measure.parse(measure), largest)
    found = finish(answer(Ask(question, goal), Options(**options)), hearing(progress, improved))
    assert isinstance(found, Best)
    return found


def core(
    question: Question,
    tries: int = 10,
    *,
    live: bool = False,
    smallest: bool = False,
    progress: OnProgress | None = None,
    **options: Unpack[SearchOptions],
) -> Core:
    """A part of an orphan that is still an orphan, and of which no cell can be given up; see `FindCore`.

    >>> from satlife.life.pattern import Pattern
    >>> from satlife.problem.families import orphan
    >>> found = core(orphan(Pattern.from_rows(["O.O", "OO."]), rule="B8/S"), smallest=True)
    >>> len(found.cells), found.smallest, len(found.witnesses)
    (2, True, 2)
    """
    goal = FindCore(tries, live, smallest)
    found = finish(answer(Ask(question, goal), Options(**options)), hearing(progress))
    assert isinstance(found, Core)
    return found


def forced(
    question: Question,
    *,
    itself: bool = False,
    core: bool = False,
    progress: OnProgress | None = None,
    **options: Unpack[SearchOptions],
) -> Forced:
    """The cells of generation 0 that are the same in every solution; see `FindForced`.

    >>> from satlife.life.pattern import Pattern
    >>> from satlife.problem.families import orphan
    >>> forced(orphan(Pattern.from_rows(["O"]), rule="B8/S")).pattern.population
    8
    """
    found = finish(answer(Ask(question, FindForced(itself, core)), Options(**options)), hearing(progress))
    assert isinstance(found, Forced)
    return found


def atlas(
    question: Question,
    known: Iterable[Outcome] = (),
    *,
    progress: OnProgress | None = None,
    charted: Callable[[Chart], None] | None = None,
    **options: Unpack[SearchOptions],
) -> Chart:
    """The minimal boxes of a question, up to its own box, each with a find; `charted` receives what is known so far.

    The finds of a chart that is not complete, and boxes that were refuted elsewhere, may be `known` to the next.

    >>> from satlife.problem.families import oscillator
    >>> chart = atlas(oscillator((6, 6), period=2))
    >>> chart.complete, [(found.problem.size, found.apgcode) for found in chart.minimal]
    (True, [((3, 3), 'xp2_7')])
    """

    def hear(event: Event) -> None:
        if charted and isinstance(event, Charted):
            charted(event.chart)
        hearing(progress)(event)

    found = finish(answer(Ask(question, Atlas(tuple(known))), Options(**options)), hear)
    assert isinstance(found, Chart)
    return found


def enumerate_all(
    question: Question,
    most: int | None = None,
    distinct: bool = False,
    *,
    progress: OnProgress | None = None,
    **options: Unpack[SearchOptions],
) -> Listing:
    """List every solution, or with `distinct` one of each orbit; at its end the listing tells whether it is complete.

    >>> from satlife.problem.families import still_life
    >>> listing = enumerate_all(still_life((4, 4)))
    >>> len(list(listing)), listing.distinct, listing.complete
    (82, 13, True)
    """
    return Listing(question, Options(**options), ListAll(most, distinct), progress)


def open_ships(box: OpenBox, *, progress: OnProgress | None = None, **options: Unpack[SearchOptions]) -> Listing:
    """Search for ships of any length, one after the other, in the box of `open_spaceship`; this needs Numba.

    >>> from satlife.problem.families import open_spaceship
    >>> next(open_ships(open_spaceship(5, 4, (0, -2)))).apgcode
    'xq4_6frc'
    >>> none = open_ships(open_spaceship(4, 4, (0, -2)))
    >>> list(none), none.status
    ([], 'none')
    """
    return Listing(box, Options(**options), ListAll(), progress)


class Listing(Iterator[Outcome]):
    """An iterator over the solutions of a question; when it ends, `end` tells whether these were all."""

    def __init__(
        self,
        question: Question,
        options: Options | None = None,
        goal: ListAll | None = None,
        progress: OnProgress | None = None,
    ) -> None:
        self.question = question
        self.first: list[Outcome] = []  # those that a notebook draws
        self.listed = Listed(question)
        self._hear = hearing(progress)
        self._events = answer(Ask(question, goal or ListAll()), options or Options())

    def __next__(self) -> Outcome:
        while True:
            try:
                event = next(self._events)
            except StopIteration as end:
                if isinstance(end.value, Listed):  # not a second time
                    self.listed = end.value
                raise StopIteration from None
            if isinstance(event, Found):
                self.listed = event.listed or self.listed
                if len(self.first) < GALLERY:
                    self.first.append(event.outcome)
                return event.outcome
            self._hear(event)

    @property
    def raw(self) -> int:
        """Solutions, each position in the box counted."""
        return self.listed.raw

    @property
    def distinct(self) -> int:
        """Solutions up to rotation, reflection, translation and phase."""
        return self.listed.distinct

    @property
    def end(self) -> End:
        return self.listed.end

    @property
    def complete(self) -> bool:
        """Whether every solution was listed."""
        return self.listed.complete

    @property
    def exhaustive(self) -> bool:
        """Whether it is complete by exhaustive search, not by the word of a solver."""
        return self.listed.exhaustive

    @property
    def status(self) -> Status:
        return self.listed.status

    @property
    def reason(self) -> str:
        return self.listed.reason

    @property
    def seconds(self) -> float:
        return self.listed.seconds

    @property
    def words(self) -> str:
        """Whether the list is complete, and by which authority."""
        return self.listed.words

    def __repr__(self) -> str:
        return f"<Listing: {self.summary()}>"

    def summary(self) -> str:
        """How many were listed, in a sentence."""
        return self.listed.summary()

    def to_dict(self) -> dict[str, object]:
        """The closing line of a listing."""
        return self.listed.to_dict()


def hearing(progress: OnProgress | None, improved: Callable[[Best], None] | None = None) -> Callable[[Event], None]:
    """A function that passes events on to those who want to hear them."""

    def hear(event: Event) -> None:
        if progress and isinstance(event, Progress):
            progress(event)
        elif improved and isinstance(event, Improved):
            improved(event.best)

    return hear
