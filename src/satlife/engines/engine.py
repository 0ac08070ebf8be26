"""Engine: anything that can answer an Ask, for some goals and some questions.

An engine declares its `goals` and what it `honours`: places, members of `Need`, and names of conditions.  An ask with
anything else is refused here, once for all engines, so that none ignores a condition that it does not know.

    suits(ask, budget)    whether it takes the ask, and what it may claim about it
    start(ask, budget)    start a run; a run tells events, can be stopped, and ends with or without an answer
    divide(ask, options)  the ask as units of work for a long search, if the engine can divide it

Finds are simulated by whoever runs an engine (`search.race`).  "None", a count and a bound are accepted only from an
engine whose search is complete for the question, which its `Fit` states.
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from satlife.device import Choice
from satlife.engines.events import Event, Progress
from satlife.engines.options import WITHOUT_SOLVER, Options
from satlife.errors import OutOfTime, SatlifeError, SolverError
from satlife.limits import Limits
from satlife.native import UnjoinedThread as UnjoinedThread
from satlife.problem.answers import Best, Count
from satlife.problem.ask import Ask
from satlife.problem.conditions import CONDITIONS
from satlife.problem.goals import Goal
from satlife.problem.outcome import Outcome
from satlife.problem.question import Need, Question
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.engines.work import Work
    from satlife.problem.pasts import Core, Forced

MOMENT = 0.01  # seconds for which whoever calls `work` waits
LOOK = 0.2  # seconds between two looks at whether kernels are there
#: What a run ends with; at the end of a list, an Outcome that there is no other.
Answered: TypeAlias = "Outcome | Best | Count | Core | Forced"


@dataclass(frozen=True)
class Budget(Limits):
    """The resources of a search, and how the user wants it done."""

    cores: int = 1  # that engines share
    threads: int = 1  # of an engine that works alone, on one large job
    seed: int | None = None
    strategy: str | None = None
    solver: str | None = None
    choice: Choice | None = None  # of a device
    resume: str | None = None  # the text of a search that was saved

    @classmethod
    def for_search(cls, options: Options, choice: Choice | None = None) -> Budget:
        """The resources that the options allow."""
        limits = options.limits
        return cls(
            limits.deadline,
            limits.memory,
            limits.stopped,
            options.cores(),
            options.threads(),
            options.seed,
            options.strategy,
            options.solver,
            choice,
            options.resume,
        )

    @property
    def chosen(self) -> bool:
        """Whether the user chose a strategy or a solver, so that no other engine takes part."""
        return self.strategy is not None or self.solver is not None

    @property
    def engine(self) -> str | None:
        """The engine without a solver that the user chose."""
        return self.strategy if self.strategy in WITHOUT_SOLVER else None


@dataclass(frozen=True)
class Fit:
    """How an engine suits an ask."""

    refutes: bool = False  # its search is complete, so that it may also claim that there is no (other) solution
    delay: float = 0.0  # seconds to wait before it starts; most small problems are solved by others by then
    head_start: float = 0.0  # seconds on all cores that it has before engines without a head start
    share: float = 1.0  # its weight when the engines of a race share the cores; see `search.shares`
    preference: int = 0  # only engines with the largest race, and where one is enough, it is one of these


def refusal(question: Question, honours: frozenset[str]) -> str:
    """What a question needs that is not among what somebody honours, as words; "" if there is nothing."""
    missing = sorted(question.needs - honours)
    return ", ".join(CONDITIONS[name].words if name in CONDITIONS else name for name in missing)


class Engine(ABC):
    """The interface of an engine; see the module docstring."""

    name: ClassVar[str]
    words: ClassVar[str]  # what it is called in a refusal
    goals: ClassVar[frozenset[type[Goal]]]
    honours: ClassVar[frozenset[str]]
    takes_solver: ClassVar[bool] = False  # whether it does what the options --solver and --strategy say
    strategy: ClassVar[str] = ""  # the name by which --strategy chooses it; one of WITHOUT_SOLVER
    searches: ClassVar[bool] = True  # one that does not answers at once, so that nobody else starts
    whole: ClassVar[bool] = True  # one for which it is false searches parts of a question, beside those that search it

    def takes_part(self, budget: Budget) -> bool:
        """Whether it is one of the engines that the user chose, if any."""
        return self.strategy == budget.engine if budget.engine else self.takes_solver or not budget.chosen

    def refusal(self, ask: Ask) -> str:
        """Why it does not take an ask; "" if it does."""
        if type(ask.goal) not in self.goals:
            return f"{self.words} cannot {ask.goal.words}"
        if missing := refusal(ask.question, self.honours):
            return f"{self.words} cannot handle {missing}"
        return self.limit(ask)

    def limit(self, ask: Ask) -> str:
        """Why an ask of which it knows everything is beyond it, for instance too large; "" if it is not."""
        return ""

    def suits(self, ask: Ask, budget: Budget) -> Fit | None:
        """How it suits an ask, if it takes it and is worth its share of the cores."""
        return None if self.refusal(ask) else self.fit(ask, budget)

    @abstractmethod
    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        """How it suits an ask that it takes; None if others are better."""

    def has_work(self, ask: Ask, budget: Budget) -> bool:
        """Whether it can do something where it is alone."""
        return True

    def lacks(self, ask: Ask) -> bool:
        """Whether kernels that it needs for an ask are still being compiled in the background (`native.lacks`)."""
        return False

    @abstractmethod
    def start(self, ask: Ask, budget: Budget) -> Run:
        """Start to work on an ask."""

    def divide(self, ask: Ask, options: Options) -> Work | None:
        """The ask as units of work; None if the engine does not divide it."""
        return None

    def members(self, ask: Ask, budget: Budget) -> list[str]:
        """The names under which a run reports its progress."""
        return [self.name]


class Run(ABC):
    """One engine working on one ask.  A run that has `ended` has an answer, or the reason why there is none."""

    def __init__(self) -> None:
        self.answer: Answered | None = None
        self.reason = ""
        self.ended = False
        self.events: deque[Event] = deque()  # not heard yet; a run may add some from any thread
        #: Whether it lacks kernels for which a run in a thread of its own waits, because others work meanwhile.
        self.lacks: Callable[[], bool] = bool

    #: Whether it works in the thread of its caller.
    in_our_thread: ClassVar[bool] = False
    #: Whether it ends by itself soon after the deadline, with what it knows by then.
    keeps_time: ClassVar[bool] = False

    #: Whether it can leave the cores to others.
    can_pause: ClassVar[bool] = True

    @property
    def threads(self) -> int | None:
        """The number of threads in which it computes at the moment; None if that is as many as it is given cores."""
        return None

    @abstractmethod
    def work(self, cores: int) -> None:
        """Go on for a moment on `cores` cores, in the caller's thread or, while the caller waits, in its own."""

    def go_on(self) -> None:  # noqa: B027 - a run without a thread goes on in `work`
        """Go on in the thread that it has, if it has one."""

    def pause(self) -> None:  # noqa: B027 - likewise
        """Leave the cores to others, until it is told to go on."""

    @abstractmethod
    def stop(self) -> None:
        """Stop at once; no effect on a run that has ended."""


class Stepwise(Run):
    """A run in the caller's thread, step by step: a generator that returns the answer, and until then yields events, or
    None, so that others are heard."""

    in_our_thread = keeps_time = True
    can_pause = False

    def __init__(self, steps: Generator[Event | None, None, Answered | None]) -> None:
        super().__init__()
        self._steps = steps

    def work(self, cores: int) -> None:
        try:
            if (event := next(self._steps)) is not None:
                self.events.append(event)
        except StopIteration as end:
            self.answer, self.ended = end.value, True
        except (SolverError, OutOfTime) as error:
            self.reason, self.ended = str(error), True

    def stop(self) -> None:
        self._steps.close()


class Deferred(Run):
    """A run in the caller's thread that is made when it first has a core: other engines may answer before."""

    in_our_thread = True

    def __init__(self, begin: Callable[[], Run]) -> None:
        super().__init__()
        self._begin = begin
        self._begun: Run | None = None

    def work(self, cores: int) -> None:
        if self._begun is None:
            self._begun = self._begin()
            self._begun.events = self.events
        self._begun.work(cores)
        self.answer, self.reason, self.ended = self._begun.answer, self._begun.reason, self._begun.ended

    def pause(self) -> None:
        if self._begun is not None:
            self._begun.pause()

    def stop(self) -> None:
        if self._begun is not None:
            self._begun.stop()


class Background(Run):
    """A run in its own thread, which after the delay of the fit calls `search`.  A `search` that asks now and then
    whether it `is_stopped` is paused there as well; others look at `stopped`, soon after which they return."""

    def __init__(self, name: str, fit: Fit, threads: int = 1) -> None:
        super().__init__()
        self.fit = fit
        self.stopped = threading.Event()
        self._waits = False  # for kernels
        self._threads = threads
        self._going = threading.Event()
        self._going.set()
        self._began = math.inf  # when it begins to compute
        self._thread = UnjoinedThread(target=self._run, name=name, daemon=True)

    def begin(self) -> Background:
        """Start the thread, which waits until it is told to go on."""
        self._began = time.monotonic() + self.fit.delay
        self._going.clear()
        self._thread.start()
        return self

    @abstractmethod
    def search(self) -> Answered | None:
        """The search itself."""

    @property
    def threads(self) -> int:
        return self._threads if not self.ended and not self._waits and time.monotonic() >= self._began else 0

    @property
    def is_paused(self) -> bool:
        return not self._going.is_set()

    def is_stopped(self) -> bool:
        """Wait while the run is paused, in any thread that computes; then whether it was stopped."""
        self._going.wait()
        return self.stopped.is_set()

    def _has_kernels(self) -> bool:
        """Wait for the kernels that it lacks, if any; false if it was stopped meanwhile."""
        while self.lacks() and not self.stopped.is_set():
            if not self._waits:
                self.events.append(Progress(self._thread.name, "waits for kernels that are being compiled"))
            self._waits = True
            self.stopped.wait(LOOK)
        self._waits = False
        return not self.stopped.is_set()

    def _run(self) -> None:
        try:
            if not self.stopped.wait(self.fit.delay) and not self.is_stopped() and self._has_kernels():
                self.answer = self.search()
        except (SatlifeError, MemoryError) as error:
            self.reason = str(error) or "out of memory"
        except Exception:
            self.reason = f"{self._thread.name} failed"
            raise  # to be told by the hook for errors in threads; the others go on
        finally:
            self.ended = True

    def work(self, cores: int) -> None:
        self.go_on()
        self._thread.join(MOMENT)

    def go_on(self) -> None:
        self._going.set()

    def pause(self) -> None:
        if not self.stopped.is_set():
            self._going.clear()

    def stop(self) -> None:
        self.stopped.set()
        self._going.set()

    def join(self, timeout: float | None = None) -> None:
        """Let it go on to the end of its thread."""
        self.go_on()
        self._thread.join(timeout)


#: Everything that a question about one box may need, apart from conditions.  Those about several are divided before.
BOXES = frozenset(Need) - {Need.MULTIPLES, Need.CENTRES}
