"""The searches for users of the library: each asks at the one door, `search.answer`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, TypeVar, Unpack, overload

from satlife.engines.events import Charted, Event, Found, Progress
from satlife.engines.options import Options, SearchOptions
from satlife.errors import ArgumentError, InputError, LimitError, Refusal
from satlife.keywords import naming
from satlife.problem.answers import Answer, Best, Count, End, Listed
from satlife.problem.ask import Ask
from satlife.problem.chart import Chart
from satlife.problem.goals import Atlas, CountAll, FindCore, FindForced, FindOne, Goal, ListAll, Optimise
from satlife.problem.measures import Measure
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import UNKNOWN, Outcome, Status, TableRow
from satlife.problem.pasts import Core, Forced
from satlife.problem.question import Question
from satlife.search.answer import answer
from satlife.search.progress import OnProgress, hearing, telling
from satlife.search.race import finish

GALLERY = 24  # outcomes of a list that a notebook draws
#: Of words that a search does not take: where they belong.
ELSEWHERE = {
    word: f"it belongs to the question, as in {example}"
    for word, example in {
        "rule": "still_life((8, 8), rule='B36/S23')", "symmetry": "still_life((8, 8), symmetry='D8')",
        "period": "oscillator((8, 8), period=3)", "speed": "spaceship((16, 5), speed='c/3')",
        "population": "still_life((8, 8), population='<=12')", "known": "still_life((8, 8), known=pattern)",
        "exclude": "still_life((8, 8), exclude='xs4_33')", "size": "still_life((8, 8))",
    }.items()
}  # fmt: skip
searching = naming(SearchOptions.__annotations__, ELSEWHERE)
A = TypeVar("A", bound=Answer)


def asked(
    question: Question,
    goal: Goal,
    kind: type[A],
    options: SearchOptions,
    progress: OnProgress | bool | None,
    hear: Callable[[Event], None] = lambda event: None,
) -> A:
    """The answer, of a kind that the goal says, to a question."""
    with telling(progress) as told:
        tell = hearing(told)

        def heard(event: Event) -> None:
            tell(event)
            hear(event)

        found = finish(answer(Ask(question, goal), Options(**options)), heard)
    assert isinstance(found, kind)
    return found


@overload
def find(
    question: Question, *, progress: OnProgress | bool | None = None, **options: Unpack[SearchOptions]
) -> Outcome: ...
@overload
def find(
    question: Sequence[Question] | Iterator[Question],
    *,
    progress: OnProgress | bool | None = None,
    **options: Unpack[SearchOptions],
) -> list[Outcome]: ...
@searching
def find(
    question: Question | Sequence[Question] | Iterator[Question],
    *,
    progress: OnProgress | bool | None = None,
    **options: Unpack[SearchOptions],
) -> Outcome | list[Outcome]:
    """Search for a pattern that satisfies the question, in a box or in an open box.

    Of many questions it answers one after the other, each with all the time that the options give; one that cannot be
    searched is undecided, with the reason, and the others are answered all the same.

    The options, such as `time=60`, are those of all searches; see `Options`.  `progress=True` shows how the search gets
    on; a function receives each `Progress`.

    >>> from satlife.problem.families import spaceship
    >>> find(spaceship((4, 3), period=4, displacement=(1, 1))).apgcode
    'xq4_153'
    >>> find(spaceship((3, 3), period=4, displacement=(1, 1))).status
    'none'
    >>> [found.status for found in find([spaceship((side, side), period=4, displacement=(1, 1)) for side in (3, 4)])]
    ['none', 'found']
    """
    if isinstance(question, str) or not isinstance(question, Sequence | Iterator):
        return asked(question, FindOne(), Outcome, options, progress)
    asks = [Ask(each) for each in question]  # an InputError names what is no question
    found: list[Outcome] = []
    with telling(progress) as told:
        for ask in asks:
            if told:
                told(Progress("questions", f"{len(found)} of {len(asks)} are answered"))
            try:
                found.append(asked(ask.question, FindOne(), Outcome, options, told))
            except (Refusal, LimitError) as error:
                found.append(Outcome(ask.question, UNKNOWN, reason=str(error)))
    return found


@searching
def count(
    question: Question,
    *,
    by_population: bool = False,
    progress: OnProgress | bool | None = None,
    **options: Unpack[SearchOptions],
) -> Count:
    """Count the patterns that satisfy a question, without enumerating them where that is possible.

    >>> from satlife.problem.families import still_life
    >>> count(still_life((5, 5))).value
    416
    >>> count(still_life((3, 3)), by_population=True).by_population
    (0, 0, 0, 0, 5, 4, 2)
    """
    return asked(question, CountAll(by_population), Count, options, progress)


@searching
def optimise(
    question: Question,
    measure: str = "cells",
    largest: bool = False,
    improved: Callable[[Best], None] | None = None,
    *,
    progress: OnProgress | bool | None = None,
    **options: Unpack[SearchOptions],
) -> Best:
    """Find the smallest (or largest) value of a measure; `improved` receives each better value and each better bound.

    Also spelled `optimize`; `minimise` and `maximise` say which of the two is meant.

    >>> from satlife.problem.families import still_life
    >>> best = optimise(still_life((5, 5)), "box", jobs=1)
    >>> best.value, best.proved
    (4, True)
    """
    goal = Optimise(Measure.parse(measure), largest)
    return asked(question, goal, Best, options, progress, hearing(None, improved))


@searching
def minimise(
    question: Question,
    measure: str = "cells",
    improved: Callable[[Best], None] | None = None,
    *,
    progress: OnProgress | bool | None = None,
    **options: Unpack[SearchOptions],
) -> Best:
    """Find the smallest value of a measure, as `optimise` does; also spelled `minimize`.

    >>> from satlife.problem.families import still_life
    >>> minimise(still_life((3, 3)), jobs=1).value
    4
    """
    return optimise(question, measure, False, improved, progress=progress, **options)


@searching
def maximise(
    question: Question,
    measure: str = "cells",
    improved: Callable[[Best], None] | None = None,
    *,
    progress: OnProgress | bool | None = None,
    **options: Unpack[SearchOptions],
) -> Best:
    """Find the largest value of a measure, as `optimise` does; also spelled `maximize`.

    >>> from satlife.problem.families import still_life
    >>> maximise(still_life((3, 3))).value
    6
    """
    return optimise(question, measure, True, improved, progress=progress, **options)


optimize, minimize, maximize = optimise, minimise, maximise  # as one half of the world spells them


@searching
def core(
    question: Question,
    tries: int = 10,
    *,
    live: bool = False,
    smallest: bool = False,
    progress: OnProgress | bool | None = None,
    **options: Unpack[SearchOptions],
) -> Core:
    """A part of an orphan that is still an orphan, and of which no cell can be given up; see `FindCore`.

    >>> from satlife.life.pattern import Pattern
    >>> from satlife.problem.families import orphan
    >>> found = core(orphan(Pattern.from_rows(["O.O", "OO."]), rule="B8/S"), smallest=True)
    >>> len(found.cells), found.smallest, len(found.witnesses)
    (2, True, 2)
    """
    return asked(question, FindCore(tries, live, smallest), Core, options, progress)


@searching
def forced(
    question: Question,
    *,
    itself: bool = False,
    core: bool = False,
    progress: OnProgress | bool | None = None,
    **options: Unpack[SearchOptions],
) -> Forced:
    """The cells of generation 0 that are the same in every solution; see `FindForced`.

    >>> from satlife.life.pattern import Pattern
    >>> from satlife.problem.families import orphan
    >>> forced(orphan(Pattern.from_rows(["O"]), rule="B8/S")).pattern.population
    8
    """
    return asked(question, FindForced(itself, core), Forced, options, progress)


@searching
def atlas(
    question: Question,
    known: Iterable[Outcome] = (),
    *,
    progress: OnProgress | bool | None = None,
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

    return asked(question, Atlas(tuple(known)), Chart, options, progress, hear)


@searching
def enumerate_all(
    question: Question,
    most: int | None = None,
    distinct: bool = False,
    *,
    keep: bool = True,
    progress: OnProgress | bool | None = None,
    **options: Unpack[SearchOptions],
) -> Listing:
    """List every solution, or with `distinct` one of each orbit; at its end the listing tells whether it is complete.

    What was found is kept, unless `keep` is False; see `Listing`.

    >>> from satlife.problem.families import still_life
    >>> listing = enumerate_all(still_life((4, 4)))
    >>> len(listing), listing.distinct, listing.complete
    (82, 13, True)
    """
    return Listing(question, Options(**options), ListAll(most, distinct), progress, keep)


@searching
def open_ships(
    box: OpenBox,
    *,
    keep: bool = True,
    progress: OnProgress | bool | None = None,
    **options: Unpack[SearchOptions],
) -> Listing:
    """Search for ships of any length, one after the other, in the box of `open_spaceship`; this needs Numba.

    >>> from satlife.problem.families import open_spaceship
    >>> next(open_ships(open_spaceship(5, 4, (0, -2)))).apgcode
    'xq4_6frc'
    >>> none = open_ships(open_spaceship(4, 4, (0, -2)))
    >>> list(none), none.status
    ([], 'none')
    """
    return Listing(box, Options(**options), ListAll(), progress, keep)


class Listing(Sequence[Outcome]):
    """The solutions of a question, which are searched for when they are asked for; at the end `end` tells whether these
    were all.

    A loop always begins with the first solution; `listing[3]` and `len(listing)` search as far as they have to, and
    `next(listing)` goes on where the last `next` stopped.  For that, everything found is kept: about a kilobyte for
    each solution in a small box.  With `keep` False nothing is kept, but for the few that a notebook draws: lists of
    millions are gone through once, by all loops together, and have no length."""

    def __init__(
        self,
        question: Question,
        options: Options | None = None,
        goal: ListAll | None = None,
        progress: OnProgress | bool | None = None,
        keep: bool = True,
    ) -> None:
        self.question = question
        self.first: list[Outcome] = []  # those that a notebook draws
        self.listed = Listed(question)
        self._kept: list[Outcome] | None = [] if keep else None
        self._taken = 0  # by `next`, of those that are kept
        self._progress = telling(progress)
        self._events: Generator[Event, None, Answer] | None = answer(
            Ask(question, goal or ListAll()), options or Options()
        )

    def __getstate__(self) -> dict[str, object]:
        """For pickle and copies: what was found, when the search has ended."""
        if self._events is not None:
            raise ArgumentError("a list can be pickled when its search has ended; len(listing) searches to the end")
        return {**self.__dict__, "_progress": telling(None)}

    def __next__(self) -> Outcome:
        kept = self._kept or ()
        found = kept[self._taken] if self._taken < len(kept) else self._search()
        if found is None:
            raise StopIteration
        self._taken += self._kept is not None
        return found

    def __iter__(self) -> Iterator[Outcome]:
        if self._kept is None:
            if self.end is not End.RUNNING:
                raise ArgumentError("this list was gone through, and keeps nothing (keep=False)")
            while (found := self._search()) is not None:
                yield found
            return
        k = 0
        while k < len(self._kept) or self._search() is not None:
            yield self._kept[k]
            k += 1

    def __len__(self) -> int:
        """How many were listed, when the search has ended."""
        return len(self._reach())

    def __bool__(self) -> bool:
        """Whether there is a solution; this searches for the first."""
        if self.first or self.end is not End.RUNNING:
            return bool(self.first)
        if self._kept is None:
            raise ArgumentError("this list keeps nothing (keep=False), not even the first solution; loop over it")
        return self._search() is not None

    @overload
    def __getitem__(self, place: int) -> Outcome: ...
    @overload
    def __getitem__(self, place: slice) -> list[Outcome]: ...
    def __getitem__(self, place: int | slice) -> Outcome | list[Outcome]:
        """One solution or several; the search goes on only as far as that takes."""
        found = self._reach(_needed(place))
        try:
            return found[place]
        except IndexError:
            raise IndexError(f"there is no solution {place}: {self.summary()}") from None

    def _reach(self, number: int | None = None) -> list[Outcome]:
        """What is kept, when at least so many solutions are, or when the search has ended."""
        if self._kept is None:
            raise ArgumentError("this list keeps nothing (keep=False), so that it has no length and no places")
        while (number is None or len(self._kept) < number) and self._search() is not None:
            pass
        return self._kept

    def _search(self) -> Outcome | None:
        """The next solution that was not yet found; None if the search has ended."""
        if self._events is None:
            return None
        with self._progress as told:
            hear = hearing(told)
            while True:
                try:
                    event = next(self._events)
                except StopIteration as end:
                    if isinstance(end.value, Listed):  # not after an error
                        self.listed, self._events = end.value, None
                    return None
                hear(event)
                if isinstance(event, Found):
                    self._keep(event)
                    return event.outcome

    def _keep(self, event: Found) -> None:
        self.listed = event.listed or self.listed
        if len(self.first) < GALLERY:
            self.first.append(event.outcome)
        if self._kept is not None:
            self._kept.append(event.outcome)

    def rows(self) -> list[TableRow]:
        """A flat record of every solution; see `Outcome.row`."""
        return [found.row() for found in self]

    def to_frame(self) -> Any:
        """The rows as a DataFrame of pandas or polars: the one that the program uses, or else the one that is there."""
        return frame(self.rows(), list(Outcome(self.question, UNKNOWN).row()))

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


def _needed(place: int | slice) -> int | None:
    """How many solutions must be known to look at places of a list; None: all."""
    if not isinstance(place, slice):
        return place + 1 if place >= 0 else None
    forward = (place.step or 1) > 0 and place.stop is not None and min(place.start or 0, place.stop) >= 0
    return place.stop if forward else None


LIBRARIES = ("pandas", "polars")


def frame(rows: Sequence[TableRow], columns: Sequence[str]) -> Any:  # of one of two classes that may not be installed
    """A DataFrame with these columns, of the library that the program already uses, or else of one that is there."""
    name = next((name for name in LIBRARIES if name in sys.modules), None)
    name = name or next((name for name in LIBRARIES if importlib.util.find_spec(name)), None)
    if name is None:
        raise InputError(
            "a data frame needs pandas or polars, and neither is installed; rows() gives the same as a list of dicts"
        )
    library = importlib.import_module(name)
    values = {column: [row[column] for row in rows] for column in columns}
    return library.DataFrame(values)
