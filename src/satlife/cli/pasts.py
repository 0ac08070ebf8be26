"""satlife core, satlife forced: why a pattern has no past, and what all its pasts have in common."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from satlife import files
from satlife.cli import report
from satlife.cli.families import family_command, option, search_options
from satlife.cli.process import STOPS
from satlife.cli.searching import EXTRA
from satlife.engines.events import Event, Note, Progress, Shrunk
from satlife.engines.options import Options
from satlife.engines.past.oracle import SOLVER
from satlife.errors import InputError, Refusal
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE
from satlife.problem.ask import Ask
from satlife.problem.families import Family, orphan
from satlife.problem.families.family import PATTERN
from satlife.problem.families.orphans import GENERATIONS, PADDING
from satlife.problem.goal import FindCore, FindForced, Goal
from satlife.problem.outcome import EXIT_CODES, UNKNOWN
from satlife.problem.pasts import Core, Forced
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.problem.target import dead_rings
from satlife.records import dataclass
from satlife.solve.solvers import find_solver

if TYPE_CHECKING:
    from satlife.proof.witness import Witness

ENOUGH = 4  # dead cells around a pattern: then it is a Garden of Eden if it is an orphan (arXiv 1912.00692)
BETWEEN_NOTES = 10.0  # seconds
SHARED = (
    "solver", "seed", "time", "memory", "proof", "output", "style", "as_json", "print_problem", "quiet", "verbose",
)  # fmt: skip
OPTIONS: list[Callable[[], click.Parameter]] = [make for make in EXTRA if make().name in SHARED]

CORE = Family(
    "core",
    orphan,
    "Find a part of the orphan in FILE (its `?` cells free) that is still an orphan, and of which no cell can be given "
    "up.  Exit code 20: it is an orphan, and the core is shown; 0: it is none, and a predecessor is shown.",
    ("satlife core orphan.rle", "satlife core orphan.rle --tries 100 --time 600", "satlife core orphan.rle --smallest"),
    (PATTERN, GENERATIONS, PADDING),
)
FORCED = Family(
    "forced",
    orphan,
    "Find the cells that are the same in every predecessor of the pattern in FILE (its `?` cells free, and everything "
    "around it).  Exit code 20: there is no predecessor.",
    ("satlife forced pattern.rle", "satlife forced pattern.rle -g 2 --json", "satlife forced agar.rle --self --core"),
    (PATTERN, GENERATIONS, PADDING),
)
CORE_OPTIONS: list[Callable[[], click.Parameter]] = [
    lambda: option(
        "--tries", type=click.IntRange(1), default=10, show_default=True, metavar="N",
        help="Orders in which cells are given up; the smallest core is kept.",
    ),
    lambda: option(
        "--fewest", type=click.Choice(["cells", "live"]), default="cells", show_default=True,
        help="What a small core has few of: cells that are given, or live cells.",
    ),
    lambda: option("--smallest", is_flag=True, help="The smallest of all cores, proved; may take very long."),
    lambda: option(
        "--witnesses", metavar="DIR",
        help="Write, for every cell of the core, a predecessor of all its other cells into this new folder.",
    ),
]  # fmt: skip
FORCED_OPTIONS: list[Callable[[], click.Parameter]] = [
    lambda: option(
        "--self", "itself", is_flag=True,
        help="The largest part of the pattern that forces itself: it was there so many generations ago, and always.",
    ),
    lambda: option(
        "--core", is_flag=True, help="Give up the cells of the pattern that are not needed for what is forced."
    ),
]  # fmt: skip


@dataclass(frozen=True)
class PastRequest:
    """What is asked, and where the result goes."""

    ask: Ask
    options: Options
    out: report.Report
    witness: Witness | None
    witnesses: Path | None = None

    @classmethod
    def of(cls, question: Question, goal: Goal, values: dict[str, Any]) -> PastRequest:
        """From the values of a command; what cannot be done is a usage error."""
        from satlife.search.past import ENGINE

        options = search_options(values, "solver", "seed", "time", "memory")
        ask, out = Ask(question, goal), report.Report.of(values)
        if reason := ENGINE.refusal(ask):
            raise click.UsageError(reason)
        try:
            find_solver(options.solver or SOLVER)
        except InputError as error:
            raise click.UsageError(str(error)) from error
        folder = Path(values["witnesses"]) if values.get("witnesses") is not None else None
        return cls(ask, options, out, _witness(ask, options, out, values["proof"]), folder)


def _witness(ask: Ask, options: Options, out: report.Report, folder: str | None) -> Witness | None:
    """The maker of the certificate, if one is wanted."""
    if folder is None:
        return None
    from satlife.proof.witness import Witness, must_be_provable

    line = out.progress()
    try:
        must_be_provable(ask, options)
    except InputError as error:
        raise click.UsageError(str(error)) from error
    return Witness.into(Path(folder), options, line, line.checking)


def execute_core(asked: Question, values: dict[str, Any]) -> int:
    """Find a core, and show it; returns the exit code."""
    if values["print_problem"]:
        return report.print_question(asked, values)
    goal = FindCore(values["tries"], values["fewest"] == "live", values["smallest"])
    request = _claimed(asked, goal, values)
    core = answered(request)
    assert isinstance(core, Core)
    if request.witness:
        core = request.witness.core(core)
    code = show_core(request, core)
    if core.outcome and _may_be_eden(core.outcome.problem):
        request.out.note(f"with nothing but dead cells around it, it may have none: --padding {ENOUGH} decides that")
    incomplete = goal.smallest and core.cells and not core.smallest
    return EXIT_CODES[UNKNOWN] if incomplete or (core.proof and not core.proof.checked) else code


def _may_be_eden(problem: Problem) -> bool:
    """Whether a pattern of Life that is no orphan may be a Garden of Eden: too few dead cells surround it."""
    rings = dead_rings(problem)
    return problem.rule == LIFE and problem.generations == 1 and rings is not None and rings < ENOUGH


def execute_forced(asked: Question, values: dict[str, Any]) -> int:
    """Find the cells that are forced, and show them; returns the exit code."""
    if values["print_problem"]:
        return report.print_question(asked, values)
    request = _claimed(asked, FindForced(values["itself"], values["core"]), values)
    forced = answered(request)
    assert isinstance(forced, Forced)
    if request.witness:
        forced = request.witness.forced(forced)
    code = show_forced(request, forced)
    return EXIT_CODES[UNKNOWN] if forced.proof and not forced.proof.checked else code


def _claimed(asked: Question, goal: Goal, values: dict[str, Any]) -> PastRequest:
    """The request, with its files and folders claimed before the search."""
    request = PastRequest.of(asked, goal, values)
    if values["output"] not in (None, "-"):
        files.claim(values["output"])
    if request.witnesses:
        from satlife.proof.bundle import claim_folder

        claim_folder(request.witnesses)
    return request


def answered(request: PastRequest) -> Core | Forced:
    """Search at the one door, with progress on stderr; after Ctrl-C the best so far is shown."""
    from satlife.search.answer import answer
    from satlife.search.race import finish

    best: Core | Forced | None = None
    told = time.monotonic()
    with request.out.progress() as line:

        def hear(event: Event) -> None:
            nonlocal best, told
            if isinstance(event, Progress):
                line(event)
            elif isinstance(event, Note):
                request.out.note(event.text)
            elif isinstance(event, Shrunk):
                best = event.part
                if isinstance(best, Core) and best.bound and time.monotonic() - told > BETWEEN_NOTES:
                    request.out.note(f"a core of {best.words}")
                    told = time.monotonic()

        try:
            found = finish(answer(request.ask, request.options), hear)
        except Refusal as error:
            raise click.UsageError(str(error)) from error
        except STOPS:
            if isinstance(best, Core):
                show_core(request, replace(best, reason="interrupted"))
            elif best is not None:
                show_forced(request, replace(best, reason="interrupted"))
            raise
    assert isinstance(found, Core | Forced)
    return found


def show_core(request: PastRequest, core: Core) -> int:
    """A core, or the predecessor that shows that there is none; returns the exit code."""
    out = request.out
    core = replace(core, outcome=replace(core.outcome, origin=out.origin))
    if core.outcome:
        return out.outcome(replace(core.outcome, proof=core.proof), {"core": None} if out.style == "json" else None)
    _emit(out, core.to_json(), core.pattern, core.rle() if core.pattern else "")
    out.note(str(core))
    out.certificate(core.proof)
    if request.witnesses and core.witnesses:
        write_witnesses(request.witnesses, core)
        out.note(f"{len(core.witnesses)} witnesses in {request.witnesses}")
    return EXIT_CODES[core.status]


def show_forced(request: PastRequest, forced: Forced) -> int:
    """The cells that are forced, or with `core` the cells from which they follow; returns the exit code."""
    out, goal = request.out, request.ask.goal
    forced = replace(forced, outcome=replace(forced.outcome, origin=out.origin))
    given = isinstance(goal, FindForced) and goal.core and not goal.itself
    shown, text = (forced.given, forced.given_rle()) if given else (forced.pattern, forced.rle())
    _emit(out, forced.to_json(), shown if forced.cells else None, text)
    out.note(str(forced))
    if forced.itself:
        out.note(_always(forced.problem))
    out.certificate(forced.proof)
    return EXIT_CODES[forced.status]


def _always(problem: Problem) -> str:
    """What follows for a pattern that forces itself."""
    n = problem.generations
    when = "it was always there" if n == 1 else f"it was there {n}, {2 * n}, {3 * n} ... generations ago"
    gliders = ", and gliders cannot make it" if problem.rule == LIFE else ""
    return f"so {when}: nothing without it becomes it{gliders}"


def _emit(out: report.Report, as_json: str, pattern: Pattern | None, rle: str) -> None:
    if out.style == "json":
        report.emit(as_json + "\n", out.target)
    elif pattern is not None:
        report.emit(rle if out.style == "rle" else out.formatted(pattern), out.target)


def write_witnesses(folder: Path, core: Core) -> None:
    """A file for every cell of a core, named by its place: what becomes the core but for this cell."""
    origin = core.outcome.origin or (0, 0)
    folder.mkdir(parents=True, exist_ok=True)
    for (x, y), phases in core.witnesses.items():
        place = f"{x + origin[0]},{y + origin[1]}"
        words = f"C becomes the core, but for the cell {place}, {_generations(core)}; checked by simulation"
        pattern = Pattern(phases[0], *origin, core.outcome.problem.rule, (words,)).crop()
        files.write(folder / f"{place}.rle", [pattern.to_rle().encode()])


def _generations(core: Core) -> str:
    count = core.outcome.problem.generations
    return f"after {count} generation{'s' * (count > 1)}"


core = family_command(CORE, "", [*CORE_OPTIONS, *OPTIONS], execute_core)
forced = family_command(FORCED, "", [*FORCED_OPTIONS, *OPTIONS], execute_forced)
__all__ = ["core", "forced"]
