"""The search row by row as two engines: for ships and oscillators in a box that is narrow, and of any length.

The searches themselves are imported when they are needed: most questions are answered without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satlife import native
from satlife.engines.engine import Budget, Engine, Fit, Run
from satlife.engines.options import Options
from satlife.engines.rows import STRATEGY
from satlife.engines.rows.question.boxes import strip_of
from satlife.errors import InputError
from satlife.problem.ask import Ask
from satlife.problem.goals import FindOne, ListAll
from satlife.problem.openbox import OpenBox
from satlife.problem.question import Need, Place

if TYPE_CHECKING:
    from satlife.engines.work import Work

WIDEST = 12  # free columns
TOO_WIDE = f"the search row by row is worth it up to {WIDEST} columns in a box"
WIDEST_LINES = 7  # likewise, of oscillators
MOST_CELLS = 49  # of a line of an oscillator, in all generations
#: Most questions are answered by the search over cells before it starts.  Of random questions in narrow boxes that took
#: that more than 3 s, it answered 14 of 45 about ships sooner, the search over cells 6; of 13 about oscillators it
#: answered 7, the search over cells 1, later.
FIT = Fit(refutes=True, head_start=2.0, share=2.0)


class RowEngine(Engine):
    """Searches the open box that the box of a problem is a part of, up to the length of the box."""

    name = STRATEGY
    words = "the search row by row in a box"
    strategy = "rows"
    goals = frozenset({FindOne})
    honours = frozenset({Need.MOTION, Need.SYMMETRY, Need.ANISOTROPIC, Need.FORBIDDEN})

    def limit(self, ask: Ask) -> str:
        try:
            boxed = strip_of(ask.problem)
            strip = boxed.strip
            if boxed.free > WIDEST + 1 and not strip.stays:  # even if the column in the middle is not free
                return TOO_WIDE
            from satlife.engines.rows.question.strip import Strip

            free = Strip.of(strip).free
        except InputError as error:
            return str(error)
        if strip.stays and (free > WIDEST_LINES or free * strip.period > MOST_CELLS):
            return f"the search line by line is worth it up to {WIDEST_LINES} columns and {MOST_CELLS} cells a line"
        return "" if free <= WIDEST else TOO_WIDE

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        return FIT if native.is_installed() else None

    def lacks(self, ask: Ask) -> bool:
        return lacking(strip_of(ask.problem).strip)

    def start(self, ask: Ask, budget: Budget) -> Run:
        from satlife.engines.rows.run import RowRun

        return RowRun(ask.problem, strip_of(ask.problem), budget).begin()


class OpenBoxEngine(Engine):
    """Searches a box of any length, on the CPU or a GPU: one find after the other, until there are no more."""

    name = f"{STRATEGY}, any length"
    words = "the search row by row"
    strategy = "rows"
    goals = frozenset({FindOne, ListAll})
    honours = RowEngine.honours | {Place.STRIP, Need.WRAP, Need.HEADS}

    def limit(self, ask: Ask) -> str:
        if not ask.question.strip:
            return f"{self.words} is for boxes of any length"
        from satlife.engines.rows.question.strip import Strip

        try:
            Strip.of(asked(ask))
        except InputError as error:
            return str(error)
        return ""

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        return Fit(refutes=True)

    def lacks(self, ask: Ask) -> bool:
        return lacking(asked(ask))

    def start(self, ask: Ask, budget: Budget) -> Run:
        from satlife.engines.rows.run import OpenBoxRun

        return OpenBoxRun(asked(ask), ask.goal, budget).begin()

    def divide(self, ask: Ask, options: Options) -> Work | None:
        from satlife.engines.rows.lines.exploration import Exploration
        from satlife.engines.rows.partials import PartialShips

        if not isinstance(ask.goal, FindOne):
            return None
        if asked(ask).stays:
            return Exploration(asked(ask), options.memory, options.jobs or 1)
        return PartialShips(asked(ask), options.memory, options.device)

    def members(self, ask: Ask, budget: Budget) -> list[str]:
        return [STRATEGY]


def asked(ask: Ask) -> OpenBox:
    """The box of any length."""
    assert ask.question.strip
    return ask.question.strip


def lacking(strip: OpenBox) -> bool:
    """Whether kernels for a search in this strip are still being compiled."""
    from satlife.engines.rows.cpu import kernel
    from satlife.engines.rows.lines import kernel as lines

    listing = lines.list_lines, lines.merge, lines.reindex, lines.mark_needed
    return native.lacks(kernel.build, *(listing if strip.stays else (kernel.expand, kernel.sieve)))
