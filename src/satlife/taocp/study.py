"""A study: a question of the book, the command lines that answer it, and the figures expected from them.

The figures obtained are read from the output of exactly the commands that are shown, run as a user would run them.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict

from satlife import data, files
from satlife.cnf import dimacs
from satlife.cnf.read import read
from satlife.cnf.text import solutions
from satlife.errors import SolverError
from satlife.knuth.solution import CODES, Generations, decode, written_by
from satlife.life.formats import rle
from satlife.life.pattern import Cells, Pattern
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, CertificateJson, PatternJson
from satlife.proof import drat
from satlife.proof.bundle import claim_folder, staged
from satlife.proof.checker import check
from satlife.records import dataclass


class Agreement(StrEnum):
    """Whether figures are those of the book."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNDECIDED = "undecided"

    __repr__ = str.__repr__


AGREES, DIFFERS, UNDECIDED = Agreement
EXIT_CODES = {AGREES: 0, DIFFERS: 1, UNDECIDED: 3}
PROGRAM = (sys.executable, "-P", "-m", "satlife")
_ANSWERS = {"SATISFIABLE": FOUND, "UNSATISFIABLE": NONE}


class OutputLine(TypedDict, total=False):
    """A line that a command printed as JSON; the last one has the status and the figures."""

    status: str
    pattern: PatternJson | None
    proof: CertificateJson | None
    value: int
    count: int
    variables: int
    clauses: int
    problem: dict[str, Any]


@dataclass(frozen=True)
class Shown:
    """A find, and its generations: all of them, or how many there are, or None for one period."""

    pattern: Pattern
    last: int | None = None
    frames: tuple[Cells, ...] = ()
    loops: bool = False


@dataclass(frozen=True)
class CommandOutput:
    """What a command line printed, and its exit code."""

    text: str
    code: int
    plain: bool  # `c`, `s` and `v` lines of `satlife solve` instead of JSON
    program: str = ""  # of Knuth, with its arguments, that wrote the clauses

    @property
    def decided(self) -> bool:
        return self.code in ((10, 20) if self.plain else (0, 20))

    @cached_property
    def lines(self) -> list[OutputLine]:
        """The objects that a searching command printed."""
        return [] if self.plain else [json.loads(line) for line in self.text.splitlines()]

    @cached_property
    def closing(self) -> OutputLine:
        """The closing line: status and figures."""
        if not self.plain:
            return self.lines[-1] if self.lines else {}
        size = re.search(r"(?m)^c .*: (\d+) variables, (\d+) clauses$", self.text)
        status = re.search(r"(?m)^s (\w+)$", self.text)
        return {
            "status": _ANSWERS.get(status[1] if status else "", UNKNOWN),
            "variables": int(size[1]) if size else 0,
            "clauses": int(size[2]) if size else 0,
        }

    @cached_property
    def run(self) -> Generations:
        """The generations in a solution of Knuth's clauses, unfolded and checked by simulation."""
        words = (word for solution in solutions(self.text.splitlines()) for word in solution)
        values = {word.removeprefix("~"): not word.startswith("~") for word in words}
        run = decode(values, written_by([self.program]))
        assert run is not None
        return run

    def generation(self, t: int) -> Pattern:
        """The cells of generation t in a solution of Knuth's clauses, in their place on the grid."""
        return self.run.pattern(self.run.codes.index(CODES[t]))

    @cached_property
    def patterns(self) -> list[Pattern]:
        """The patterns in the output."""
        if self.plain:
            return [self.generation(0)] if self.closing["status"] == FOUND else []
        return [rle.parse(pattern["rle"]) for line in self.lines if (pattern := line.get("pattern"))]

    @property
    def shown(self) -> list[Shown]:
        """What is to be drawn of them."""
        if self.plain:
            return [Shown(pattern, frames=self.run.frames, loops=self.run.loops) for pattern in self.patterns]
        asked = [line.get("problem") or {} for line in self.lines if line.get("pattern")]
        return [Shown(find, question.get("generations")) for find, question in zip(self.patterns, asked, strict=True)]


@dataclass(frozen=True)
class Figure:
    """A value that a command should yield, the source of that value, and how to read it from the output."""

    what: str
    expected: object
    source: str
    read: Callable[[CommandOutput], object]
    of_find: bool = False  # a property of a find: nothing is expected without one

    def obtained(self, output: CommandOutput) -> object:
        """The value in the output; None if the command came to no answer, or to no find where one is needed."""
        if not output.decided or (self.of_find and output.closing.get("status") != FOUND):
            return None
        return self.read(output)


@dataclass(frozen=True)
class StudyStep:
    """A command line and its figures.  It may be a pipeline; `{name}` stands for a file of `satlife.data`."""

    command: str
    figures: tuple[Figure, ...]
    picture: bool = True  # whether its patterns are worth showing

    @property
    def shown(self) -> str:
        """The command line, ready to be pasted."""
        return re.sub(r"\{([^}]+)\}", lambda name: shlex.quote(_shortest(data.path(name[1]))), self.command)

    @property
    def stages(self) -> list[list[str]]:
        """The programs of the pipeline, with their arguments."""
        return [shlex.split(stage) for stage in self.shown.split(" | ")]

    @property
    def plain(self) -> bool:
        return self.stages[-1][:2] == ["satlife", "solve"]

    @property
    def program(self) -> str:
        """Knuth's program that writes the clauses, with its arguments."""
        first = self.stages[0]
        return shlex.join(first[2:]) if first[:2] == ["satlife", "knuth"] else ""


def _shortest(path: Path) -> str:
    """A path relative to the current folder if it is inside, else absolute."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


@dataclass(frozen=True)
class Study:
    """A question of the book."""

    name: str
    title: str
    question: str
    steps: tuple[StudyStep, ...]
    seconds: float  # about how long it takes
    remark: str = ""
    place: str = ""  # the figure or exercise of the book, where it is known: "Fig. 35", "exercise 81"

    @property
    def quick(self) -> bool:
        return self.seconds <= 20


@dataclass(frozen=True)
class StepResult:
    """The output of a step, its figures, and its certificate if one was asked for."""

    step: StudyStep
    output: CommandOutput
    figures: tuple[object, ...]
    seconds: float
    proof: CertificateJson | None = None

    @property
    def verdict(self) -> Agreement:
        if not self.output.decided or (self.proof and not self.proof["checked"]):
            return UNDECIDED
        return AGREES if all(figure.expected == got for figure, got in self.compared) else DIFFERS

    @property
    def compared(self) -> list[tuple[Figure, object]]:
        """Every figure, and the value obtained for it."""
        return list(zip(self.step.figures, self.figures, strict=True))

    @property
    def patterns(self) -> list[Pattern]:
        return self.output.patterns if self.step.picture else []

    @property
    def shown(self) -> list[Shown]:
        """What is to be drawn of the patterns."""
        return self.output.shown if self.step.picture else []

    def to_dict(self) -> dict[str, object]:
        figures = [
            {"what": figure.what, "expected": figure.expected, "source": figure.source, "obtained": got}
            for figure, got in self.compared
        ]
        return {
            "command": self.step.shown,
            "figures": figures,
            "verdict": self.verdict,
            "patterns": [pattern.crop().to_rle() for pattern in self.patterns],
            "proof": self.proof,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True)
class StudyResult:
    """A study with the results of its steps; in a notebook it draws itself."""

    study: Study
    steps: tuple[StepResult, ...]

    @property
    def verdict(self) -> Agreement:
        """Whether the figures are those of the book: "agrees", "differs" or "undecided"."""
        return summary([step.verdict for step in self.steps])

    def heading(self) -> tuple[str, str]:
        """The title; the question with the verdict."""
        return self.study.title, f"{self.study.question} ({self.verdict})"

    def tables(self) -> Iterator[tuple[str, list[tuple[str, object, object]], list[Pattern]]]:
        """For each command: its figures as expected and as obtained, and its patterns."""
        for result in self.steps:
            rows = [(figure.what, figure.expected, got) for figure, got in result.compared]
            yield result.step.shown, rows, result.patterns


def summary(verdicts: Sequence[Agreement]) -> Agreement:
    """The worst of several verdicts: "differs", else "undecided", else "agrees"."""
    return next((verdict for verdict in (DIFFERS, UNDECIDED) if verdict in verdicts), AGREES)


def run(step: StudyStep, seconds: float | None = None, proof: Path | None = None, quiet: bool = False) -> StepResult:
    """Run a step's command line and read its figures; with `proof`, a certificate goes into that new folder.

    >>> from satlife.taocp.studies import STUDIES
    >>> run(STUDIES["still-lifes"].steps[0], quiet=True).verdict
    'agrees'
    """
    started = time.monotonic()
    more = ["--time", str(seconds)] if seconds is not None else []
    certificate = None
    if step.plain and proof is not None:
        output, certificate = refute(step, proof, more)
    elif step.plain:
        output = execute(step, more)
    else:
        more += ["--json", *(["-q"] if quiet else []), *(["--proof", str(proof)] if proof is not None else [])]
        output = execute(step, more)
        certificate = output.closing.get("proof")
    figures = tuple(figure.obtained(output) for figure in step.figures)
    return StepResult(step, output, figures, time.monotonic() - started, certificate)


def execute(step: StudyStep, more: Sequence[str] = ()) -> CommandOutput:
    """Run the command line of a step, with more options at its end."""
    *before, last = step.stages
    return _checked(step, *pipe([*before, [*last, *more]], step))


def _checked(step: StudyStep, text: bytes, code: int) -> CommandOutput:
    if code not in ((0, 10, 20) if step.plain else (0, 3, 20)):
        raise SolverError(f"`{step.shown}` failed with exit code {code}")
    return CommandOutput(text.decode(errors="replace"), code, step.plain, step.program)


def refute(step: StudyStep, folder: Path, more: Sequence[str]) -> tuple[CommandOutput, CertificateJson | None]:
    """Run `satlife solve`; if there is no solution, check the proof, and write it and the clauses to a folder."""
    claim_folder(folder)
    with tempfile.TemporaryDirectory() as scratch:
        clauses, trace = Path(scratch, "clauses"), Path(scratch, "proof")
        clauses.write_bytes(pipe(step.stages[:-1], step)[0])
        output = _checked(step, *pipe([["satlife", "solve", str(clauses), str(trace), *more]], step))
        if output.closing["status"] != NONE:
            return output, None
        formula, _, _ = read(str(clauses))
        verdict = check(formula, drat.read(trace.read_bytes()))
    if verdict.core is None:
        return output, {"checked": False, "reason": verdict.reason}
    with staged(folder) as place:
        files.write(place / "clauses.cnf", dimacs.write(formula, [step.shown]))
        files.write(place / "proof.drat", [drat.write(verdict.core)])
    return output, {"checked": True, "bundle": str(folder), "lemmas": verdict.lemmas}


UNREAD = (141, -13)  # exit codes of a program whose output nobody wanted to read to its end


def pipe(stages: Sequence[Sequence[str]], step: StudyStep) -> tuple[bytes, int]:
    """Run a pipeline; returns what its last program printed, and the exit code of that."""
    running: list[subprocess.Popen[bytes]] = []

    def start(stage: Sequence[str]) -> None:
        command = [*PROGRAM, *stage[1:]] if stage[0] == "satlife" else stage
        before = running[-1].stdout if running else subprocess.DEVNULL
        running.append(subprocess.Popen(command, stdin=before, stdout=subprocess.PIPE))

    try:
        for stage in stages:
            with ThreadPoolExecutor(1) as starter:  # a thread, in which no signal leaves a process off the list
                starter.submit(start, stage).result()
            if running[1:]:
                _close(running[-2])  # our copy; the earlier program then ends when the later one does
        text, _ = running[-1].communicate()
        *codes, code = [process.wait() for process in running]
    except OSError as error:
        raise SolverError(f"cannot run `{step.shown}`: {error.strerror or error}") from error
    finally:
        for process in running:
            if process.poll() is None:
                process.terminate()
                process.wait()
            _close(process)
    failed = [code for code in codes if code and code not in UNREAD]
    if failed:
        raise SolverError(f"`{step.shown}` failed with exit code {failed[0]}")
    return text, code


def _close(process: subprocess.Popen[bytes]) -> None:
    if process.stdout:
        process.stdout.close()
