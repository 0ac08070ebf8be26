"""The ladder: the questions inside the one that was asked, tried beside it.

Who asks in a generous box for something that has room in a small one would wait for ever, since cost grows
geometrically with the sides.  So the questions inside it (see `problem.nested`) are tried as well, each for a short
time at first and for longer in later rounds.  That finds; the whole question is refuted by its own search alone.

There are several chains of nested questions.  The one that has had the least time goes on, so that with k chains an
answer takes at most about k times as long as in the best of them.

The ladder is an engine among others, and knows none of them: whoever makes it says which engines take a question.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from satlife import native
from satlife.device import Choice
from satlife.engines.engine import BOXES, Background, Budget, Engine, Fit, Run
from satlife.engines.events import Progress, RuledOut
from satlife.errors import InputError, LimitError
from satlife.problem import relation
from satlife.problem.ask import Ask
from satlife.problem.conditions import CONDITIONS
from satlife.problem.goals import FindOne
from satlife.problem.nested import Chain, Way, chains, embedded, has_parts, is_tight_strip, words
from satlife.problem.outcome import NONE, UNKNOWN, Outcome
from satlife.problem.question import Place, Question
from satlife.search.normal import is_mere_sum
from satlife.search.race import Entrant, Runner

NAME = "smaller questions"
SLICE = 0.05  # seconds for the first try of a question
GROWTH = 4  # the factor by which that grows from round to round
TRIES = 2  # questions of a chain, one after the other, that may run out of time before a round ends
STARTING = 1.0  # seconds for a try by a solver at least, whose process is to be started
REST = 0.5  # seconds between two looks at whether the kernels for a chain are there
HEAVY = 0.5  # seconds for a try from which on strips are for a device
ON_DEVICE = 10.0  # seconds for a try there at least, since it takes a while to begin
FEW = 4  # questions of a chain that show whether there is an engine for it
#: Beside the whole question it waits for a moment, in which most tight questions are answered.
BESIDE, ALONE = Fit(delay=0.25, share=0.5), Fit()
#: Beside a search that will come to its end it waits longer, and then has a twentieth of the time of all cores:
#: whatever it has makes "none" dearer.
BESIDE_TIGHT = Fit(delay=5.0, share=0.05)
Entrants: TypeAlias = Callable[[Ask, Budget], list[Entrant]]  # the engines that suit an ask


class LadderEngine(Engine):
    """Asks the questions inside a question; it never refutes."""

    name = NAME
    words = "the ladder of smaller questions"
    goals = frozenset({FindOne})
    honours = BOXES | {Place.STRIP, Place.ANYWHERE} | frozenset(CONDITIONS)
    whole = False

    def __init__(self, entrants: Entrants, alone: bool = False) -> None:
        self._entrants, self._alone = entrants, alone

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        if budget.resume is not None or not has_parts(ask.question):
            return None
        if self._alone or ask.question.place is Place.ANYWHERE:
            return ALONE
        return BESIDE_TIGHT if is_tight_strip(ask.question) else BESIDE

    def has_work(self, ask: Ask, budget: Budget) -> bool:
        """Whether another engine takes some of the first questions inside a question."""
        first = (Ask(rung) for chain in chains(ask.question) for rung in islice(chain.rungs, FEW))
        return any(self._entrants(part, budget) for part in first)

    def start(self, ask: Ask, budget: Budget) -> Run:
        fit = self.fit(ask, budget)
        assert fit is not None
        return Ladder(self._entrants, ask, budget, fit).begin()


class Ladder(Background):
    """Tries one nested question after the other, until one of them has an answer.

    Beside a whole question it has one thread, alone all of them; the first has the device, if there is one."""

    def __init__(self, entrants: Entrants, ask: Ask, budget: Budget, fit: Fit = BESIDE) -> None:
        super().__init__(NAME, fit, budget.threads if fit is ALONE and native.is_installed() else 1)
        self.entrants, self.question, self.budget = entrants, ask.question, budget
        self.refuted = list(ask.refuted)
        self.tried = 0
        self.taken: dict[Question, float] = {}  # seconds for all tries of a question
        self._found: Outcome | None = None
        self._errors: list[BaseException] = []
        self._lock = threading.Lock()
        self._on_device = False

    @cached_property
    def climbers(self) -> list[Climber]:
        """The chains, made when they are needed: most questions are answered before."""
        return [Climber(chain) for chain in chains(self.question)]

    def search(self) -> Outcome | None:
        choice = self.budget.choice
        self._on_device = self.fit is ALONE and choice is not None and choice.device(worthwhile=True) is not None
        numbers = range(1, self._threads)
        others = [threading.Thread(target=self._work, args=(number,), daemon=True) for number in numbers]
        for thread in others:
            thread.start()
        self._work(0)
        for thread in others:
            thread.join()
        if self._errors and self._found is None:
            raise self._errors[0]
        return self._found

    def _work(self, worker: int) -> None:
        """Try questions until one of them has an answer, or there are no more."""
        from satlife.solve import host  # which loads much of the standard library

        with host.keeping():
            self._try_all(worker)

    def _try_all(self, worker: int) -> None:
        try:
            while not self._is_over() and not self._errors:
                with self._lock:
                    climber = self._next(worker)
                    rung = climber.next(self.refuted) if climber else None
                    if climber is not None:
                        climber.busy = rung is not None
                if climber is not None and rung is not None:
                    self._climb(climber, rung)
                elif all(climber.ended for climber in self.climbers):
                    return
                elif climber is None:
                    self.stopped.wait(SLICE)
        except BaseException as error:
            self._errors.append(error)

    def _next(self, worker: int) -> Climber | None:
        """The chain that goes on: the one with the least time of those that nobody works on.  One with a lead is alone.

        If there is a device, the first worker has it for strips that take long; the others leave them to it."""
        if any(climber.busy and climber.leads for climber in self.climbers):
            return None
        now = time.monotonic()
        waiting = [one for one in self.climbers if not one.ended and not one.busy and one.rests_until <= now]
        if self._on_device:
            heavy = [climber for climber in waiting if climber.is_heavy]
            light = [climber for climber in waiting if not climber.is_heavy]
            waiting = heavy or light if worker == 0 else light
        return min(waiting, key=lambda climber: climber.spent, default=None)

    def _climb(self, climber: Climber, rung: Question) -> None:
        """Try a question of a chain."""
        try:
            outcome, seconds = self._try(rung, climber)
        except Lacking:
            with self._lock:
                climber.rest(rung)
            return
        with self._lock:
            climber.spend(seconds)
            self.taken[rung] = self.taken.get(rung, 0.0) + seconds
            if outcome is None:
                climber.postpone(rung)
                return
            climber.forget()
            if outcome:
                self._found = self._found or self._whole(outcome)
            elif outcome.status == NONE:
                self.refuted.append(rung)
                self.events.append(RuledOut(rung, seconds=self.taken[rung]))

    def _whole(self, found: Outcome) -> Outcome | None:
        """A find as one of the whole question.  Without a box, patterns that stand side by side are no answer."""
        whole = embedded(self.question, found)
        anywhere = self.question.place is Place.ANYWHERE
        return None if whole and anywhere and is_mere_sum(self.question, whole) else whole

    def _try(self, rung: Question, climber: Climber) -> tuple[Outcome | None, float]:
        """The answer to a nested question, if there is one in the time of this round, else None, and the time it took;
        Lacking while its engine lacks kernels.

        It is unknown if no engine takes the question, or the one that does can say nothing about it."""
        ask, seconds, choice = Ask(rung), climber.slice, None
        if self._on_device and climber.is_heavy and self.budget.choice is not None:
            choice = Choice(self.budget.choice.wanted)  # one that another strip has not declined
            seconds = max(seconds, ON_DEVICE)
        self.tried += 1
        began = time.monotonic()
        budget = replace(self.budget, cores=1, threads=1, choice=choice)
        try:
            entrant, budget = chosen(self.entrants, ask, budget, climber.way)
            if entrant and entrant.engine.lacks(ask):
                raise Lacking
            told = f"trying {words(rung)}", relation.refuted_words(self.refuted, self.question.multiples)
            self.events.append(Progress(NAME, "; ".join(filter(None, told))))
            if entrant and (entrant.engine.takes_solver or climber.way is Way.SOUPS):  # they begin anew, so differently
                budget = replace(budget, seed=(self.budget.seed or 0) + self.tried)
            if entrant and entrant.engine.takes_solver:  # a formula that takes longer to write is too large
                seconds = max(seconds, STARTING)
                budget = budget.within(seconds)
            runner = Runner(ask, entrant, budget) if entrant else None
        except (InputError, LimitError):
            runner = None
        if runner is None:
            return Outcome(rung, UNKNOWN), time.monotonic() - began
        try:
            spent = self._let_work(runner, seconds, began)
        finally:
            runner.run.stop()
        answer = runner.answer
        assert answer is None or isinstance(answer, Outcome)
        in_vain = runner.ended and spent < seconds and budget.left() != 0.0
        return Outcome(rung, UNKNOWN) if answer is None and in_vain else answer, spent

    def _let_work(self, runner: Runner, seconds: float, began: float) -> float:
        """Let an engine work for so many seconds since it began, not counting those in which we are paused; how many it
        took."""
        spent, now = 0.0, began
        while not runner.ended and not self._is_over() and spent < seconds:
            if self.is_paused:
                runner.run.pause()
                self.is_stopped()
                now = time.monotonic()
            runner.run.work(1)
            runner.run.events.clear()
            spent, now = spent + time.monotonic() - now, time.monotonic()
        return spent

    def _is_over(self) -> bool:
        return self.stopped.is_set() or self._found is not None


class Lacking(Exception):
    """The engine for a question lacks kernels that are still being compiled."""


class Climber:
    """A chain of questions, and how far it was tried."""

    def __init__(self, chain: Chain) -> None:
        self.slice = SLICE
        self.spent = -chain.lead
        self.rests_until = 0.0
        self.busy = self.ended = False
        self.way, self._weight = chain.way, chain.weight
        self._new: Iterator[Question] = chain.rungs
        self._round: list[Question] = []  # those that are still to be tried in this round
        self._late: list[Question] = []  # those that ran out of time
        self._in_a_row = 0  # questions that ran out of time since the last that was refuted

    def next(self, known: list[Question]) -> Question | None:
        """The next question to try that is not refuted as a part of another; None at the end."""
        while True:
            if self._in_a_row >= TRIES:
                self._begin_round()
            rung = self._round.pop(0) if self._round else next(self._new, None)
            if rung is None and self._late:
                self._begin_round()
            elif rung is None:
                self.ended = True
                return None
            elif not any(relation.is_inside(rung, other) for other in known):
                return rung

    @property
    def leads(self) -> bool:
        """Whether it has had less time than the others have to wait for."""
        return self.spent < 0.0

    @property
    def is_heavy(self) -> bool:
        """Whether its next question is a strip that takes long."""
        return self.way is Way.ROWS and self.slice > HEAVY

    def spend(self, seconds: float) -> None:
        """The chain has had so much time."""
        self.spent += seconds * self._weight
        self.busy = False

    def rest(self, rung: Question) -> None:
        """Leave a question to be tried in a while; the other chains go on."""
        self._round.insert(0, rung)
        self.rests_until = time.monotonic() + REST
        self.busy = False

    def postpone(self, rung: Question) -> None:
        """A question ran out of time; a lead is for what is decided at once."""
        self.spent = max(self.spent, 0.0)
        self._late.append(rung)
        self._in_a_row += 1

    def forget(self) -> None:
        """A question was decided, or is of no use."""
        self._in_a_row = 0

    def _begin_round(self) -> None:
        self._round = self._late + self._round
        self._late, self._in_a_row = [], 0
        self.slice *= GROWTH


def chosen(entrants: Entrants, ask: Ask, budget: Budget, way: Way) -> tuple[Entrant | None, Budget]:
    """The engine for a nested question, with its budget: that of its way, or else the first that refutes; solvers, and
    one that waits, come last.  Before one whose kernels are still being compiled, any other."""
    if way is not Way.ANY:
        own = replace(budget, strategy=way.value)
        ready = (entrant for entrant in entrants(ask, own) if not entrant.engine.lacks(ask))
        if entrant := next(ready, None):
            return entrant, own
    able = [entrant for entrant in entrants(ask, budget) if entrant.fit.refutes]
    able.sort(key=lambda entrant: entrant.engine.takes_solver or entrant.fit.delay > 0)
    ready = (entrant for entrant in able if not entrant.engine.lacks(ask))
    return next(ready, able[0] if able else None), budget
