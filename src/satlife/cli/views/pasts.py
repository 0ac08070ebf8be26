"""How answers about the past of a pattern are shown: a core, and what all pasts have in common."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from satlife import files
from satlife.cli import report
from satlife.cli.views import View
from satlife.engines.engine import Budget
from satlife.engines.events import Event, Shrunk
from satlife.errors import counted
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE
from satlife.problem.answers import Answer
from satlife.problem.goals import FindCore, FindForced
from satlife.problem.outcome import EXIT_CODES, UNKNOWN
from satlife.problem.pasts import Core, Forced
from satlife.problem.problem import Problem
from satlife.problem.target import dead_rings
from satlife.search import plan

ENOUGH = 4  # dead cells around a pattern: then it is a Garden of Eden if it is an orphan (arXiv 1912.00692)
BETWEEN_NOTES = 10.0  # seconds


class PastView(View):
    """The best part of the target so far is also shown after Ctrl-C."""

    best: Core | Forced | None = None

    def check(self) -> None:
        if not plan.entrants(self.request.ask, Budget()):
            raise plan.refusal(self.request.ask, Budget())
        if self.out.pictures is not None:
            self.out.pictures.must_be_still()

    def hear(self, event: Event) -> None:
        super().hear(event)
        if isinstance(event, Shrunk):
            self.best = event.part

    def stopped(self) -> None:
        if self.best is not None:
            self.show(replace(self.best, reason="interrupted"))

    def emit(self, fields: Mapping[str, object], pattern: Pattern | None, rle: str) -> None:
        out = self.out
        if out.style == "json":
            out.write_json(fields)
        elif pattern is not None:
            report.emit(rle if out.style == "rle" else out.formatted(pattern), out.target)
        if out.pictures is not None and pattern is not None:
            out.pictures.draw_part(pattern)


class CoreView(PastView):
    """A core, or the predecessor that shows that there is none."""

    goals = frozenset({FindCore})
    told = 0.0  # when a smaller core was told

    @property
    def witnesses(self) -> Path | None:
        """The folder for a predecessor of all cells but one, for each cell."""
        folder = self.request.values.get("witnesses")
        return None if folder is None else Path(folder)

    def files(self) -> list[str | None]:
        if self.witnesses:
            from satlife.proof.bundle import claim_folder

            claim_folder(self.witnesses)
        return super().files()

    def hear(self, event: Event) -> None:
        super().hear(event)
        best, now = self.best, time.monotonic()
        is_time = now - max(self.told, self.begun) > BETWEEN_NOTES
        if isinstance(event, Shrunk) and isinstance(best, Core) and best.bound and is_time:
            self.out.note(f"a core of {best.words}")
            self.told = now

    def show(self, answer: Answer) -> int:
        assert isinstance(answer, Core)
        assert isinstance(self.request.ask.goal, FindCore)
        code = self._show(answer)
        if answer.outcome and _may_be_eden(answer.outcome.problem):
            self.out.note(f"with nothing but dead cells around it, it may have none: --padding {ENOUGH} decides that")
        incomplete = self.request.ask.goal.smallest and answer.cells and not answer.smallest
        unproved = answer.proof and not answer.proof.checked
        return EXIT_CODES[UNKNOWN] if incomplete or unproved else code

    def _show(self, core: Core) -> int:
        out = self.out
        core = replace(core, outcome=replace(core.outcome, origin=out.origin))
        if core.outcome:
            return out.outcome(replace(core.outcome, proof=core.proof), {"core": None} if out.style == "json" else None)
        self.emit(core.to_dict(), core.pattern, core.rle() if core.pattern else "")
        out.note(str(core))
        out.certificate(core.proof)
        if self.witnesses and core.witnesses:
            write_witnesses(self.witnesses, core)
            out.note(f"{len(core.witnesses)} witnesses in {self.witnesses}")
        return EXIT_CODES[core.status]


def _may_be_eden(problem: Problem) -> bool:
    """Whether a pattern of Life that is no orphan may be a Garden of Eden: too few dead cells surround it."""
    rings = dead_rings(problem)
    return problem.rule == LIFE and problem.generations == 1 and rings is not None and rings < ENOUGH


def write_witnesses(folder: Path, core: Core) -> None:
    """A file for every cell of a core, named by its place: what becomes the core but for this cell."""
    origin, last = core.outcome.origin or (0, 0), core.outcome.problem.generations
    after = f"after {counted(last, 'generation')}"
    folder.mkdir(parents=True, exist_ok=True)
    for (x, y), phases in core.witnesses.items():
        place = f"{x + origin[0]},{y + origin[1]}"
        words = f"C becomes the core, but for the cell {place}, {after}; checked by simulation"
        pattern = Pattern(phases[0], *origin, core.outcome.problem.rule, (words,)).crop()
        files.write(folder / f"{place}.rle", [pattern.to_rle().encode()])


class ForcedView(PastView):
    """The cells that are forced, or with `core` the cells from which they follow."""

    goals = frozenset({FindForced})

    def show(self, answer: Answer) -> int:
        assert isinstance(answer, Forced)
        out, goal = self.out, self.request.ask.goal
        forced = replace(answer, outcome=replace(answer.outcome, origin=out.origin))
        given = isinstance(goal, FindForced) and goal.core and not goal.itself
        shown, text = (forced.given, forced.given_rle()) if given else (forced.pattern, forced.rle())
        self.emit(forced.to_dict(), shown if forced.cells else None, text)
        out.note(str(forced))
        if forced.itself:
            out.note(_always(forced.problem))
        out.certificate(forced.proof)
        return self.code(forced.status, forced.status != UNKNOWN, forced.proof)


def _always(problem: Problem) -> str:
    """What follows for a pattern that forces itself."""
    n = problem.generations
    when = "it was always there" if n == 1 else f"it was there {n}, {2 * n}, {3 * n} ... generations ago"
    gliders = ", and gliders cannot make it" if problem.rule == LIFE else ""
    return f"so {when}: nothing without it becomes it{gliders}"
