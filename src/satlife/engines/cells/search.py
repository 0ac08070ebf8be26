"""A question in a box, searched cell by cell: it finds, lists and refutes.  Finds are simulated by its users."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from satlife import native
from satlife.cnf.buffer import TRUE
from satlife.encode.conditions import WITH_CLAUSES
from satlife.encode.spacetime import SWEEPS, SpaceTime
from satlife.engines.cells import model
from satlife.engines.cells.explored import FIRST, Branch
from satlife.engines.engine import BOXES, refusal
from satlife.errors import InputError, LimitError, OutOfTime, installing
from satlife.life.pattern import UNKNOWN, Cells
from satlife.limits import UNLIMITED, Limits
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.outcome import Status
from satlife.problem.problem import Problem
from satlife.problem.question import Need
from satlife.records import dataclass

OPEN = UNKNOWN  # in place of a state: not decided yet
GUESSES = ("dead", "alive", "random")
STRAY = 0.05  # the share of the cells for which a seed chooses the other state
SLICE = 0.03  # seconds of compiled code before we look at the clock and at whoever wants to stop us
FIRST_STEPS = 10_000  # of compiled code in the first call; then as many as fill such a slice
BRIEF = 2000  # steps of compiled code while another thread waits for a part of the work
WATCHED = 0.1  # seconds between two reports


@dataclass(frozen=True)
class Stats:
    """How far a search has come."""

    nodes: int = 0  # decisions
    conflicts: int = 0
    clauses: int = 0  # that are remembered
    length: float = 0.0  # of a learned clause, on average
    depth: int = 0  # decisions that stand
    assigned: int = 0  # variables that are known now
    deepest: int = 0  # the most that were
    variables: int = 0  # cells, and a few that conditions need
    solutions: int = 0
    seconds: float = 0.0  # of CPU time


Stop = Callable[[], bool]
StatsWatch = Callable[[Stats], None]
Lemmas = tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.bool_]]  # see `CellSearch.lemmas`
Log = Callable[[Lemmas], object]


#: What the search can handle: rules that are complete and have two states, and every condition that has clauses.
HONOURS = BOXES - {Need.STATES, Need.PARTIAL} | WITH_CLAUSES - {Catalyst.name}


def is_offered(problem: Problem) -> bool:
    """Whether a question that takes several generations, or moves, can be searched here and now."""
    several = problem.periodic and (problem.generations > 1 or problem.moves)
    return several and native.is_installed() and not why_not(problem)


def why_not(problem: Problem) -> str:
    """Why a question cannot be searched cell by cell, as a sentence; "" if it can.

    >>> from satlife.problem.families import still_life
    >>> why_not(still_life((4, 4))), why_not(still_life((4, 4), rule="/2/3"))
    ('', 'the search over cells is for rules with two states, and B2/S/C3 has 3')
    """
    rule = problem.rule
    if rule.states > 2:
        return f"the search over cells is for rules with two states, and {rule} has {rule.states}"
    if rule.is_partial:
        return f"the search over cells needs a whole rule, and {rule} leaves transitions open"
    if missing := refusal(problem, HONOURS):
        return f"the search over cells cannot handle {missing}"
    cells = problem.width * problem.height * (problem.last + 1)
    if cells > model.MOST_CELLS:
        return f"the search over cells goes up to {model.MOST_CELLS} cells in all generations, and these are {cells}"
    return ""


class CellSearch:
    """A search that can be watched, stopped and continued.

    `sweep` is the order of the cells (one of SpaceTime's); `guess` is the state that is tried first.  A `seed` other
    than 0 chooses some cells for which it is the other one, or all if the guess is "random".  `learning` keeps a clause
    from every conflict; without it the search backtracks plainly.
    `clauses` and `assumptions` speak of SpaceTime's literals; clauses may bring auxiliary variables above these, and
    may come `instead` of the conditions that the problem has beside the rule.  `log` is told what was learned, as from
    `lemmas`, after every step.  `memory` limits what is kept, in megabytes.

    >>> from satlife.problem.families import still_life
    >>> search = CellSearch(still_life((3, 3)))
    >>> len(list(search.solutions())), search.complete
    (11, True)
    """

    def __init__(
        self,
        problem: Problem,
        *,
        sweep: str = "short",
        guess: str = "dead",
        learning: bool = True,
        seed: int = 0,
        clauses: Iterable[Sequence[int]] = (),
        instead: bool = False,
        log: Log | None = None,
        assumptions: Sequence[int] = (),
        memory: int | None = None,
        space: SpaceTime | None = None,
    ) -> None:
        if reason := why_not(problem):
            raise InputError(reason)
        if guess not in GUESSES:
            raise InputError(f"a first guess is one of {', '.join(GUESSES)}, not {guess!r}")
        if sweep not in SWEEPS:
            raise InputError(f"there is no sweep {sweep!r}; there are {', '.join(SWEEPS)}")
        self.problem = problem
        self.space = space or SpaceTime(problem, sweep)
        self.model = model.make(problem, self.space, clauses, instead)
        self.learning, self.log = learning, log
        self.memory = memory
        self._set_up(guess, seed)
        self.assume(assumptions)

    def _set_up(self, guess: str, seed: int) -> None:
        if not native.is_installed():
            raise InputError(f"the search over cells needs Numba: {installing('fast')}")
        from satlife.engines.cells import kernel, state

        self._kernel, self._states, self._seed = kernel, state, seed
        self._cell_problem = state.cell_problem(self.model, self._first(guess))
        self._state = state.state(self.model, self.learning, self.log is not None)
        self.phases: list[Cells] = []  # the last solution
        self.complete = False
        self.reason = ""  # why the last run ended without an answer
        self._solutions = 0
        self._seconds = 0.0
        self._steps = FIRST_STEPS
        self._path: Branch | None = None
        if self.memory is not None and self._bytes() > self.memory << 20:
            raise LimitError(f"the search over cells needs {(self._bytes() >> 20) + 1} MB, more than {self.memory}")

    def _first(self, guess: str) -> npt.NDArray[np.uint8]:
        """The value that is tried first, for every variable."""
        first = self.model.auxiliary_guess.copy()
        if guess == "random":
            first[1 : self.model.cells + 1] = np.random.default_rng(self._seed).integers(0, 2, self.model.cells)
        else:
            first[1 : self.model.cells + 1] = guess == "alive"
            if self._seed:
                first[1 : self.model.cells + 1] ^= np.random.default_rng(self._seed).random(self.model.cells) < STRAY
        return first

    def sibling(self, guess: str | None = None) -> CellSearch:
        """Another search of the same question that has everything still before it, perhaps with another first guess."""
        other: CellSearch = object.__new__(CellSearch)
        other.__dict__.update(self.__dict__)
        if guess is not None:
            other._cell_problem = self._cell_problem._replace(guess=self._first(guess))
        other._state = self._states.state(self.model, self.learning, self.log is not None)
        other.phases, other.complete, other.reason = [], False, ""
        other._solutions, other._seconds = 0, 0.0
        other._path = None
        return other

    def probe(self) -> CellSearch:
        """Another search of the same question that only propagates; see `propagated`."""
        other = self.sibling()
        other.log = None
        other._state = self._states.state(self.model, learning=False)
        return other

    def assume(self, literals: Sequence[int]) -> None:
        """Begin anew with these literals assumed (a cube); clauses learned before stay."""
        self.assume_codes(model.codes(np.array(literals, np.int64)))

    def assume_codes(self, literals: npt.NDArray[np.int32]) -> None:
        numbers = self._state.numbers
        self._state.cube[: len(literals)] = literals
        numbers[self._kernel.CUBE] = len(literals)
        numbers[self._kernel.MODE] = self._kernel.FRESH
        self.complete = False
        self._path = None

    def propagated(self, cube: npt.NDArray[np.int32]) -> npt.NDArray[np.uint8] | None:
        """Begin anew with a cube assumed: the values of all literals after unit propagation; None if it is refuted."""
        self.assume_codes(cube)
        kernel = self._kernel
        if self.model.contradiction or kernel.run(self._cell_problem, self._state, 0) == kernel.EXHAUSTED:
            return None
        return self._state.value

    # Running.
    def run(self, limits: Limits = UNLIMITED, progress: StatsWatch | None = None) -> Status:
        """Search for the next solution, which is then in `phases`; NONE if there is no other.

        UNKNOWN, with a `reason`, when the limits say so or memory runs out; the next call goes on."""
        self.reason = ""
        reported = time.monotonic()

        def late() -> bool:
            self.reason = limits.over()
            return bool(self.reason)

        while True:
            try:
                with native.until(late):
                    ended = self.step()
            except OutOfTime:
                return Status.UNKNOWN
            if ended:
                return self.conclude()
            if self.reason or late():
                return Status.UNKNOWN
            now = time.monotonic()
            if progress is not None and now - reported >= WATCHED:
                reported = now
                progress(self.stats)

    def solutions(self, limits: Limits = UNLIMITED, progress: StatsWatch | None = None) -> Iterator[list[Cells]]:
        """All solutions, as they come; `complete` says in the end whether these are all."""
        while self.run(limits, progress) is Status.FOUND:
            yield self.phases

    def step(self, brief: bool = False) -> bool:
        """Search for a short time, or a very short one; whether there is a solution, or no more of them."""
        kernel = self._kernel
        if self.model.contradiction:
            self._state.numbers[kernel.MODE] = kernel.EXHAUSTED
            return True
        started, computed = time.perf_counter(), time.thread_time()
        steps = min(self._steps, BRIEF) if brief else self._steps
        ended = kernel.run(self._cell_problem, self._state, steps)
        spent = time.perf_counter() - started
        self._seconds += time.thread_time() - computed
        if self.log:
            self.log(self.lemmas())
        if ended == kernel.RUNNING and not brief:
            if spent < SLICE / 2:
                self._steps = min(2 * self._steps, 1 << 30)
            elif spent > 2 * SLICE:
                self._steps = max(self._steps // 2, 1000)
        if not brief:
            self._path = self._where()
        if ended == kernel.CROWDED:
            self._make_room()
        return bool(ended in (kernel.SOLVED, kernel.EXHAUSTED))

    def conclude(self) -> Status:
        """What a `step` that returned true came to."""
        kernel, state = self._kernel, self._state
        if state.numbers[kernel.MODE] == kernel.EXHAUSTED:
            self.complete = True
            return Status.NONE
        self._solutions += 1
        self.phases = self.space.decode(state.value[::2] == kernel.TRUE)
        return Status.FOUND

    def _make_room(self) -> None:
        """Room for more clauses; within the memory limit they have to be forgotten sooner instead."""
        kernel, numbers = self._kernel, self._state.numbers
        clauses = sum(getattr(self._state, name).nbytes for name in self._states.GROWING)
        if self.memory is None or self._bytes() + 2 * clauses <= self.memory << 20:
            self._state = self._states.enlarged(self._state)
        elif numbers[kernel.TIGHT]:
            self.reason = f"the memory limit of {self.memory} MB was reached"
        else:
            numbers[kernel.TIGHT] = 1

    def _bytes(self) -> int:
        return sum(array.nbytes for part in (self._cell_problem, self._state) for array in part)

    # Looking.
    @property
    def stats(self) -> Stats:
        kernel, numbers = self._kernel, self._state.numbers.tolist()
        return Stats(
            nodes=numbers[kernel.NODES],
            conflicts=numbers[kernel.CONFLICTS],
            clauses=numbers[kernel.CLAUSES] - numbers[kernel.GIVEN],
            length=numbers[kernel.LITERALS] / max(numbers[kernel.LEARNED], 1),
            depth=numbers[kernel.LEVEL],
            assigned=numbers[kernel.TRAIL],
            deepest=max(numbers[kernel.BEST], numbers[kernel.TRAIL]),
            variables=self.model.variables - 1,
            solutions=self._solutions,
            seconds=self._seconds,
        )

    @property
    def members(self) -> list[CellSearch]:
        """The searches that work on the question: this one, alone."""
        return [self]

    def places(self) -> tuple[list[Branch], list[npt.NDArray[np.int32]]]:
        """Where the search stood after its last step; before the first one, the cube that it has before it."""
        path = self._path
        cube = self._state.cube[: self._state.numbers[self._kernel.CUBE]]
        return ([path], []) if path else ([], [cube.copy()])

    def _where(self) -> Branch:
        order, state = self.model.order[:FIRST], self._state
        mine = state.level[order] > state.numbers[self._kernel.ROOT]
        return Branch(state.value[2 * order], mine, self._cell_problem.guess[order])

    def deepest(self) -> list[Cells]:
        """The largest assignment so far, as generations; cells that it leaves open are `OPEN`."""
        kernel, state = self._kernel, self._state
        known_best = state.numbers[kernel.BEST] >= state.numbers[kernel.TRAIL]
        return self._drawn(state.best if known_best else state.value[::2])

    def _drawn(self, value: npt.NDArray[np.uint8]) -> list[Cells]:
        states = np.array([OPEN, 1, 0], np.uint8)  # by value of a literal: unknown, true, false
        out = []
        for t in range(self.problem.last + 1):
            literals = self.space.inside(t)
            constant = abs(literals) == TRUE
            known = states[value[np.where(constant, 0, abs(literals))]]
            flipped = np.where((literals < 0) & (known != OPEN), 1 - known, known)
            out.append(np.where(constant, literals > 0, flipped).astype(np.uint8))
        return out

    def lemmas(self) -> Lemmas:
        """What was learned and forgotten since the last call, clause by clause: the literals of all (of SpaceTime, and
        above), where each clause ends, and whether it was forgotten."""
        kernel, state = self._kernel, self._state
        log = state.log[: state.numbers[kernel.LOGGED]]
        state.numbers[kernel.LOGGED] = 0
        after = np.flatnonzero(log == kernel.END)
        deletes = log[np.append(0, after + 1)[:-1]] == kernel.DELETED
        codes = log[(log != kernel.END) & (log != kernel.DELETED)]
        ends = after - np.arange(len(after)) - np.cumsum(deletes)
        return (codes >> 1) * (1 - 2 * (codes & 1)), ends, deletes

    # Dividing the work.
    @property
    def is_refuted(self) -> bool:
        """Whether the question has no (other) solution whatever is assumed."""
        return bool(self._state.numbers[self._kernel.REFUTED]) or self.model.contradiction

    def share(self) -> npt.NDArray[np.int32] | None:
        """Give away a part of what is left, as assumptions for another search; None if there is none to give.

        It is the other branch of the topmost decision (a guiding path: Zhang, Bonacina and Hsiang, PSATO, 1996).  What
        was found out above it by backtracking and learning goes along, so that nothing is searched or found twice."""
        kernel, numbers, state = self._kernel, self._state.numbers, self._state
        root = int(numbers[kernel.ROOT])
        if numbers[kernel.MODE] != kernel.RUNNING or numbers[kernel.LEVEL] <= root:
            return None
        above, decision = state.trail[: state.starts[root + 1]], state.trail[state.starts[root + 1]]
        if not self.model.identity[decision >> 1]:
            return None
        reasons = state.reason[above >> 1]
        learned = (reasons & 3 == kernel.CLAUSE) & (reasons >> 2 >= numbers[kernel.GIVEN])
        numbers[kernel.ROOT] = root + 1
        numbers[kernel.FLOOR] = max(int(numbers[kernel.FLOOR]), root + 1)
        return np.append(above[(reasons < 0) | learned], decision ^ 1)

    def branch(self, cube: npt.NDArray[np.int32]) -> list[npt.NDArray[np.int32]] | None:
        """The two parts into which the next decision divides a cube, none if it is refuted, None if it has no parts."""
        value, order = self.propagated(cube), self.model.order
        if value is None:
            return []
        free = order[value[2 * order] == self._kernel.UNKNOWN]
        if not len(free) or not self.model.identity[free[0]]:
            return None
        first = 2 * free[0] + 1 - self._cell_problem.guess[free[0]]
        return [np.append(cube, np.int32(literal)) for literal in (first, first ^ 1)]


def cubes(search: CellSearch, count: int) -> list[list[int]]:
    """At least so many cubes, if there are, that together cover a question: the first levels of its search tree.

    They are literals of SpaceTime, fit to be assumed.  Branches that propagation refutes are left out; the search's
    own assumptions are lost."""
    waiting = [np.zeros(0, np.int32)]
    whole: list[npt.NDArray[np.int32]] = []
    while waiting and len(waiting) + len(whole) < count:
        cube = waiting.pop(0)
        parts = search.branch(cube)
        if parts is None:
            whole.append(cube)
        else:
            waiting += parts
    search.assume([])
    return [[int(v >> 1) * (1 - 2 * int(v & 1)) for v in cube] for cube in whole + waiting]
