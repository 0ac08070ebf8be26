"""The best of them.  One incremental solver is asked for better and better answers until it proves that there is none;
a second one, on a second core, halves the gap to the best value that is not yet refuted."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass, replace

from satlife.cnf.buffer import FALSE, TRUE, Buffer, Lits
from satlife.encode.encoder import encode
from satlife.engines.tables import best as tables
from satlife.errors import LimitError, OutOfTime, SolverError
from satlife.life.pattern import Cells, Pattern
from satlife.problem import vary, verify
from satlife.problem.problem import Problem
from satlife.search import densest, grow, measures, refine
from satlife.search.find import Options, conclude, run
from satlife.search.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.solve.runner import TIME_LIMIT, Child, Limits, first_answer
from satlife.solve.solvers import find_solver

FIRST_STRIPS = 20  # so many strips are filled before the bound is looked for, which takes a few seconds
NARROW = 10  # up to this width there is nothing to improve before the table is filled
AT_ONCE = 3.0  # seconds: a table that is likely to be done by then is filled at once


@dataclass(frozen=True)
class Best:
    """The best outcome so far, its value, and the bound: no value beyond it is possible."""

    outcome: Outcome
    value: int | None
    bound: int | None = None
    endless: str = ""  # why there is no largest value at all

    @property
    def proved(self) -> bool:
        """Whether it is known that nothing is better, or that there is nothing at all."""
        return self.outcome.status == NONE or (self.value is not None and self.value == self.bound)


Improved = Callable[[Best], None]


def optimise(
    problem: Problem,
    measure: str = "cells",
    largest: bool = False,
    options: Options | None = None,
    improved: Improved | None = None,
    progress: tables.Progress | None = None,
) -> Best:
    """The smallest (or largest) value of a measure; each improvement, and each better bound, is reported at once.

    >>> from satlife.problem.families import still_life
    >>> best = optimise(still_life((5, 5)), "box", options=Options(jobs=1))
    >>> best.value, best.proved
    (4, True)
    """
    options = options or Options()
    tell = improved or (lambda best: None)
    if measure == "generations":
        return _by_generations(problem, largest, options, tell)
    if measure in ("cells", "cells@0") and not options.solver and not tables.why_not(problem):
        seconds = tables.seconds(problem, _bytes(options))
        in_time = seconds is not None and (options.time is None or seconds <= options.time)
        narrow = min(problem.width, problem.height) <= NARROW
        if (seconds is not None and seconds <= AT_ONCE) or (largest and narrow and in_time):
            return _by_table(problem, largest, options, progress)
        if largest and densest.applies(problem):
            return _densest(problem, options, tell, progress, seconds)
        if largest and in_time:
            return _by_table(problem, largest, options, progress)
    return _by_solver(problem, measure, largest, options, tell)


def _by_solver(problem: Problem, measure: str, largest: bool, options: Options, tell: Improved) -> Best:
    started = clock.monotonic()
    limits = Limits.of(options.time, options.memory)
    solver = find_solver(options.solver or "cadical195")
    best = Best(Outcome(problem, UNKNOWN, solver=solver.name, strategy="optimise"), None)
    try:
        plain = encode(problem, deadline=limits.deadline)
        buffer = Buffer.starting_with(plain.formula)
        scale = measures.build(buffer, plain.space, measure)
    except OutOfTime as error:
        return replace(best, outcome=replace(best.outcome, reason=str(error)))
    refiner = refine.Refiner(replace(plain, formula=buffer.formula()))
    # What is to be made as large as possible is the gain, from 0 to `top`: the value, or how far it is below the top.
    top = len(scale.at_least)
    gains = scale.at_least if largest else -scale.at_least[::-1]  # gains[g - 1]: the gain is at least g
    given, bound, won = int((gains == TRUE).sum()), top - int((gains == FALSE).sum()), -1
    asked: dict[Child, int] = {}
    seconds = {"total": 0.0}
    single = options.cores() == 1 or refine.wanted(problem)
    children = [Child(refiner.encoded.formula, solver, memory=limits.memory) for _ in range(1 if single else 2)]
    try:
        while won < bound:
            for child, gain in zip(children, (won + 1, (won + bound + 1) // 2), strict=False):
                if child not in asked and gain not in asked.values():
                    asked[child] = gain
                    child.ask(goal(gains, gain, given))
            child, answer = first_answer(list(asked), limits)
            if single and answer.status == "sat":
                answer = refiner.refine(child, limits, answer, goal(gains, asked[child], given))
            gain = asked.pop(child)
            seconds = {"total": clock.monotonic() - started}
            outcome = conclude(problem, answer, refiner.encoded, seconds, solver.name, "optimise")
            if outcome.status == UNKNOWN:
                reason = replace(best.outcome, reason=outcome.reason, seconds=seconds)
                return replace(best, outcome=reason)
            if outcome.status == NONE and gain <= given:
                return Best(outcome, None)
            if outcome.status == NONE:
                bound = min(bound, gain - 1)
            else:
                value = scale.value(outcome.phases)
                if (value if largest else top - value) < gain:
                    raise SolverError(f"the find's {measure} is {value}, which is not what its clauses say")
                if (value if largest else top - value) > won:
                    won = value if largest else top - value
                    best = Best(outcome, value)
            best = replace(best, bound=bound if largest else top - bound)
            tell(best)
        return replace(best, outcome=replace(best.outcome, seconds=seconds))
    finally:
        for child in children:
            child.close()


def goal(gains: Lits, gain: int, given: int) -> list[int]:
    """What to assume for a gain of at least so much; some is given."""
    return [int(gains[gain - 1])] if gain > given else []


def _bytes(options: Options) -> int | None:
    return options.memory << 20 if options.memory else None


def _by_table(problem: Problem, largest: bool, options: Options, progress: tables.Progress | None) -> Best:
    """The best by a table of all states, which takes a time that is known beforehand."""
    started = clock.monotonic()
    deadline = Limits.of(options.time).deadline
    name = "densest" if largest else "sparsest"
    outcome = Outcome(problem, UNKNOWN, solver="table", strategy=name)
    try:
        cells = tables.best(
            problem, largest, deadline=deadline, memory=_bytes(options), threads=options.jobs, progress=progress
        )
    except (OutOfTime, LimitError) as error:
        reason = TIME_LIMIT if isinstance(error, OutOfTime) else str(error)
        return Best(replace(outcome, reason=reason, seconds={"total": clock.monotonic() - started}), None)
    outcome = replace(outcome, seconds={"total": clock.monotonic() - started})
    if cells is None:
        return Best(replace(outcome, status=NONE), None)
    value = int(cells.sum())
    return Best(replace(outcome, status=FOUND, phases=_checked(problem, cells)), value, value)


def _checked(problem: Problem, cells: Cells) -> tuple[Cells, ...]:
    """The generations of an answer, simulated; cells that need not follow are what they are said to be."""
    phases = verify.phases_of(problem, Pattern(cells, rule=problem.rule))
    for phase, rows in zip(phases[1:], problem.cells[1:], strict=False):
        for y, row in enumerate(rows):
            for x, word in enumerate(row):
                if word in ("0'", "1'"):
                    phase[y, x] = int(word[0])
    verify.check(problem, phases)
    return tuple(phases)


def _densest(
    problem: Problem, options: Options, tell: Improved, progress: tables.Progress | None, seconds: float | None
) -> Best:
    """The densest still life of a large box: denser and denser ones, then the table if it fits (and the time is
    enough), else a bound and more strips until the time is up."""
    started = clock.monotonic()
    limits = Limits.of(options.time)
    rule, width, height = problem.rule, problem.width, problem.height
    best = Best(Outcome(problem, UNKNOWN), None)
    for k, cells in enumerate(densest.denser_and_denser(rule, width, height, options.seed or 0)):
        value = int(cells.sum())
        if value > (best.value or 0):
            total = {"total": clock.monotonic() - started}
            best = Best(Outcome(problem, FOUND, _checked(problem, cells), total, "table", "densest"), value, best.bound)
            tell(best)
        left = limits.left()
        if k == FIRST_STRIPS and seconds is not None and (left is None or seconds < left):
            exact = _by_table(problem, True, replace(options, time=left), progress)
            if exact.outcome.status != UNKNOWN:
                return exact
        if k == FIRST_STRIPS:
            best = replace(best, bound=densest.upper_bound(rule, width, height))
            tell(best)
        if left == 0.0 or best.proved:
            break
    return replace(best, outcome=replace(best.outcome, reason="" if best.proved else TIME_LIMIT))


def _by_generations(problem: Problem, largest: bool, options: Options, tell: Improved) -> Best:
    """The shortest, or longest, time in which it can be done."""
    started = clock.monotonic()
    limits = Limits.of(options.time)
    best = Best(Outcome(problem, UNKNOWN), None)
    for candidate in vary.longer(problem) if largest else vary.shorter(problem):
        outcome = run(candidate, replace(options, time=limits.left()))
        outcome = replace(outcome, seconds={"total": clock.monotonic() - started})
        if outcome.status == UNKNOWN:
            return replace(
                best, outcome=replace(outcome if best.value is None else best.outcome, reason=outcome.reason)
            )
        if outcome:
            best = Best(outcome, candidate.generations, None if largest else candidate.generations)
            if not largest:
                return best
            if repeats := grow.repeated(outcome.phases):
                return replace(best, endless=f"generations {repeats[0]} and {repeats[1]} are the same")
        elif largest:
            return replace(best, bound=best.value) if best.value is not None else Best(outcome, None)
        else:
            best = Best(outcome, None)
        tell(best if best.value is not None else Best(outcome, None, candidate.generations + 1))
    return best
