"""Strategies: solver configurations as data.  None is best everywhere, so that the default is a small portfolio."""

from __future__ import annotations

from dataclasses import field, replace

from satlife.engines.options import WITHOUT_SOLVER
from satlife.errors import InputError, suggestion
from satlife.problem.problem import Problem
from satlife.records import dataclass
from satlife.solve.solvers import SolverChoice, find_solver, kissat


@dataclass(frozen=True)
class Strategy:
    """A solver with its options, an encoding, and an order of the cells; `breaking`: add symmetry-breaking clauses."""

    name: str
    solver: str = "cadical153"
    options: dict[str, int] = field(default_factory=dict)
    encoding: str | None = None
    sweep: str = "short"
    breaking: bool = False

    def choice(self) -> SolverChoice:
        return find_solver(self.solver)


#: CaDiCaL as a depth-first search with clause learning: a static variable order, that of the sweep, in place of a
#: dynamic one (VSIDS, VMTF), a constant phase, no restarts.  For ships in a box this is 10 to 200 times faster than the
#: usual heuristics.
_ORDERED = {
    "bump": 0, "score": 0, "reverse": 1, "forcephase": 1, "lucky": 0, "walk": 0, "inprocessing": 0, "restart": 0,
    "chrono": 0,
}  # fmt: skip

STRATEGIES = {
    strategy.name: strategy
    for strategy in (
        Strategy("plain", encoding="direct"),
        Strategy("plain-tree", solver="cadical195"),
        Strategy("spatial", "cadical195", {**_ORDERED, "phase": 1}, breaking=True),
        Strategy("spatial-dead", "cadical195", {**_ORDERED, "phase": 0}, "direct", breaking=True),
        Strategy("spatial-long", "cadical195", {**_ORDERED, "phase": 1}, "direct", "long", breaking=True),
        Strategy("spatial-back", "cadical195", {**_ORDERED, "phase": 0}, "direct", "short-back", breaking=True),
        Strategy("diagonal", "cadical195", {**_ORDERED, "phase": 0}, "direct", "diagonals", breaking=True),
        Strategy("inward", "cadical195", {**_ORDERED, "phase": 0}, "direct", "inward/time"),
        Strategy("timewise", "cadical195", {**_ORDERED, "phase": 0}, "direct", "long/time"),
        Strategy("kissat", "kissat"),
    )
}


def portfolio(problem: Problem, jobs: int) -> list[Strategy]:
    """The strategies of the portfolio, the likely winner first."""
    names = list(ORDER[kind(problem)])
    if jobs > len(names) and kissat():
        names.append("kissat")
    return [STRATEGIES[name] for name in names]


def kind(problem: Problem) -> str:
    """The class of a problem, by features that cost nothing to compute."""
    if not problem.periodic or (problem.generations == 1 and problem.displacement == (0, 0)):
        return "no period"
    if problem.displacement != (0, 0):
        return "ship" if 0 in problem.displacement else "diagonal ship"
    return "symmetric oscillator" if problem.symmetry else "oscillator"


#: The portfolio of each class, the best strategy first: measured on random problems by `scripts/bench strategies`.
ORDER = {
    "no period": ("plain", "plain-tree"),
    "ship": ("spatial", "spatial-back", "plain"),
    "diagonal ship": ("diagonal", "plain"),
    "oscillator": ("spatial", "plain"),
    "symmetric oscillator": ("timewise", "spatial-long", "plain"),
}


def choose(problem: Problem, strategy: str | None, solver: str | None, seed: int | None, jobs: int) -> list[Strategy]:
    """The strategy or solver that the user chose, or the portfolio; solvers that accept a seed are given it."""
    if strategy is not None:
        if strategy in WITHOUT_SOLVER:
            raise InputError(f"the strategy {strategy!r} is a search without a SAT solver, and this needs one")
        if strategy not in STRATEGIES:
            known = (*STRATEGIES, *WITHOUT_SOLVER)
            meant = suggestion(strategy, known)
            raise InputError(f"there is no strategy {strategy!r}; there are {', '.join(known)}" + meant)
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
        chosen = [replace(s, options={**s.options, "seed": seed}) if s.choice().facts.seeds else s for s in chosen]
    for member in chosen:
        member.choice()  # raises for an unknown solver, before anything is started
    return chosen
