"""Strategies: how to drive a solver, as data.  No strategy wins everywhere, so the default races a few of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from satlife.encode.spacetime import Side, first_line
from satlife.errors import InputError
from satlife.problem.problem import Problem
from satlife.solve.solvers import SolverChoice, find_solver, kissat


@dataclass(frozen=True)
class Strategy:
    """An encoding, an order of the cells, a solver and its options; `front` adds the clause of `front_is_sound`."""

    name: str
    solver: str = "cadical153"
    options: dict[str, int] = field(default_factory=dict)
    encoding: str | None = None
    sweep: str = "short"
    front: bool = False

    def choice(self) -> SolverChoice:
        return find_solver(self.solver)


#: CaDiCaL as a depth-first search with learning: cells are decided in the order of the sweep, with a constant first
#: guess and without restarts.  For ships in a box this is 10 to 200 times faster than the usual heuristics.
_ORDERED = {
    "bump": 0, "score": 0, "reverse": 1, "forcephase": 1, "lucky": 0, "walk": 0, "inprocessing": 0, "restart": 0,
    "chrono": 0,
}  # fmt: skip

STRATEGIES = {
    strategy.name: strategy
    for strategy in (
        Strategy("plain", encoding="direct"),
        Strategy("plain-tree", solver="cadical195"),
        Strategy("spatial", "cadical195", {**_ORDERED, "phase": 1}, "direct", front=True),
        Strategy("spatial-dead", "cadical195", {**_ORDERED, "phase": 0}, "direct", front=True),
        Strategy("spatial-long", "cadical195", {**_ORDERED, "phase": 1}, "direct", "long", front=True),
        Strategy("spatial-back", "cadical195", {**_ORDERED, "phase": 0}, "direct", "short-back", front=True),
        Strategy("inward", "cadical195", {**_ORDERED, "phase": 0}, "direct", "inward/time"),
        Strategy("timewise", "cadical195", {**_ORDERED, "phase": 0}, "direct", "long/time"),
        Strategy("kissat", "kissat"),
    )
}


def portfolio(problem: Problem, jobs: int) -> list[Strategy]:
    """The strategies to race, the likely winner first."""
    names = list(ORDER[kind(problem)])
    if jobs > len(names) and kissat():
        names.append("kissat")
    return [STRATEGIES[name] for name in names]


def kind(problem: Problem) -> str:
    """The class of a problem, by what is cheap to know about it."""
    if not problem.periodic or (problem.generations == 1 and problem.displacement == (0, 0)):
        return "no period"
    if problem.displacement != (0, 0):
        return "ship"
    return "symmetric oscillator" if problem.symmetry else "oscillator"


#: Which strategies are worth their share, the best first: measured on random questions by `scripts/bench strategies`.
ORDER = {
    "no period": ("plain", "plain-tree"),
    "ship": ("spatial", "spatial-back", "plain"),
    "oscillator": ("spatial", "plain"),
    "symmetric oscillator": ("timewise", "spatial-long", "plain"),
}


def choose(problem: Problem, strategy: str | None, solver: str | None, seed: int | None, jobs: int) -> list[Strategy]:
    """What a user asked for, or the portfolio; a seed goes to the solvers that take one."""
    if strategy is not None:
        if strategy not in STRATEGIES:
            raise InputError(f"there is no strategy {strategy!r}; there are {', '.join(STRATEGIES)}")
        chosen = [STRATEGIES[strategy]]
        if solver is not None:
            chosen = [
                replace(chosen[0], solver=solver, options={} if solver != chosen[0].solver else chosen[0].options)
            ]
    elif solver is not None:
        chosen = [replace(STRATEGIES["plain"], name=solver, solver=solver)]
    else:
        chosen = portfolio(problem, jobs)
    if seed is not None:
        chosen = [replace(s, options={**s.options, "seed": seed}) if "cadical" in s.solver else s for s in chosen]
    for member in chosen:
        member.choice()  # an unknown solver is refused before anything is started
    return chosen


def front_is_sound(problem: Problem, sweep: str) -> Side | None:
    """The side at which the sweep begins, if the pattern is free to move there, else None."""
    side = first_line(problem, sweep)
    return side if side and moves_freely(problem, side[0]) else None


def shifts_in_time(problem: Problem) -> bool:
    """Whether an answer that is begun at another of its generations is always an answer.

    Then a front may be asked for in generation 0.  A ship leaves its box; a condition may name a generation."""
    return problem.periodic and problem.displacement == (0, 0) and not problem.has_conditions


def moves_freely(problem: Problem, direction: tuple[int, int]) -> bool:
    """Whether an answer moved in a direction, inside the box, is always an answer.

    Then "the first line is alive in some phase" loses nothing: any pattern can be moved until it touches that side.
    It needs a plane without known cells, and symmetries that do not notice such a move.
    """
    if not problem.periodic or any(problem.cells) or any(problem.wrap):
        return False
    if problem.tight:
        return False  # what is left of a stator need not touch the side
    if problem.rule.births_from_nothing or problem.rule.states > 2 or not problem.nonempty:
        return False  # dying cells reach further than live ones
    x, y = direction
    return all((a * x + b * y, c * x + d * y) == direction for a, b, c, d in (m.matrix for m in problem.motions))
