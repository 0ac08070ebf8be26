"""The search row by row as two engines: for ships in a box that is narrow along their way, and of any length.

The searches themselves are imported when they are needed: most questions are answered without."""

from __future__ import annotations

from satlife import native
from satlife.engines.engine import Budget, Engine, Fit, Run
from satlife.engines.options import Options
from satlife.engines.rows import STRATEGY
from satlife.engines.work import Work
from satlife.errors import InputError
from satlife.problem.ask import Ask
from satlife.problem.goal import FindOne, ListAll
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Problem
from satlife.problem.question import Need

WIDEST = 12  # free columns
#: Most questions are answered by the search over cells before it starts.  Of what takes longer it often answers first,
#: where it suits; so it has a core to itself, for a minute.
FIT = Fit(refutes=True, delay=2.0, own_core=60.0, one_core=False)


class RowEngine(Engine):
    """Searches the open box that the box of a problem is a part of, up to the length of the box."""

    name = STRATEGY
    words = "the search row by row in a box"
    goals = frozenset({FindOne})
    honours = frozenset({Need.MOTION, Need.SYMMETRY, Need.ANISOTROPIC, Need.FORBIDDEN})

    def __init__(self, fit: Fit = FIT) -> None:
        self._fit = fit

    def limit(self, ask: Ask) -> str:
        try:
            box = open_box(ask.problem)
            from satlife.engines.rows.strip import Strip

            free = Strip.of(box).free
        except InputError as error:
            return str(error)
        return "" if free <= WIDEST else f"the search row by row is worth it up to {WIDEST} columns in a box"

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        return self._fit if native.is_installed() else None

    def start(self, ask: Ask, budget: Budget) -> Run:
        from satlife.engines.rows.run import RowRun

        return RowRun(ask.problem, open_box(ask.problem), budget, self._fit).begin()


class OpenBoxEngine(Engine):
    """Searches a box of any length, on the CPU or a GPU: one ship after the other, until there are no more."""

    name = f"{STRATEGY}, any length"
    words = "the search row by row"
    goals = frozenset({FindOne, ListAll})
    honours = RowEngine.honours | {Need.OPEN, Need.WRAP, Need.HEADS}

    def limit(self, ask: Ask) -> str:
        if Need.OPEN not in ask.question.needs:
            return f"{self.words} is for boxes of any length"
        from satlife.engines.rows.strip import Strip

        try:
            Strip.of(asked(ask))
        except InputError as error:
            return str(error)
        return ""

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        return Fit(refutes=True)

    def start(self, ask: Ask, budget: Budget) -> Run:
        from satlife.engines.rows.run import OpenBoxRun

        return OpenBoxRun(asked(ask), ask.goal, budget).begin()

    def divide(self, ask: Ask, options: Options) -> Work | None:
        from satlife.engines.rows.partials import PartialShips

        one = isinstance(ask.goal, FindOne)
        return PartialShips(asked(ask), options.memory, options.device) if one else None

    def members(self, ask: Ask, budget: Budget) -> list[str]:
        return [STRATEGY]


def asked(ask: Ask) -> OpenBox:
    """The box of any length."""
    assert isinstance(ask.question, OpenBox)
    return ask.question


def open_box(problem: Problem) -> OpenBox:
    """The open box along a ship's way; an InputError if it does not move along an axis."""
    dx, dy = problem.displacement
    if not problem.periodic or (dx == 0) == (dy == 0) or len(problem.symmetry) > 1:
        raise InputError("the search row by row is for ships that move along an axis, with one symmetry at most")
    mirror = next(iter(problem.symmetry), None)
    if dx == 0:
        return OpenBox(problem.width, problem.generations, problem.displacement, problem.rule, mirror)
    return OpenBox(problem.height, problem.generations, problem.displacement, problem.rule, mirror, along="x")
