"""Programs that answer questions, run as whole processes; `bench.peers` lists them.

Who finds a pattern first is partly luck: it depends on the first guess and on the corner where the search begins.
A program may therefore be asked in several ways, one after the other, and its fastest answer counts.
"""

from __future__ import annotations

import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import satlife

Question = satlife.Problem | satlife.OpenBox
SATLIFE = (sys.executable, "-m", "satlife")
ENDING = 5.0  # seconds that a process has for ending when its time is up


def itself(question: Question) -> Sequence[Question]:
    return [question]


@dataclass(frozen=True)
class Program:
    """How a program is asked, how it says that there is no such pattern, and which version it is."""

    name: str
    commands: Callable[[Question], Iterator[list[str]]]  # to be tried; none if the question cannot be put
    none: str  # what it prints then, as a regular expression
    version: tuple[str, ...]  # the command that prints it
    images: Callable[[Question], Sequence[Question]] = itself  # the equivalent questions that are put

    @property
    def is_peer(self) -> bool:
        return self.version[0] != SATLIFE[0]

    @property
    def is_installed(self) -> bool:
        return shutil.which(self.version[0]) is not None

    def printed_version(self) -> str:
        printed = subprocess.run(self.version, capture_output=True, text=True, env=environment()).stdout
        number = re.search(r"\d+(\.\d+)*\w*", printed)
        return number[0] if number else "not told"


@dataclass(frozen=True)
class Run:
    """Seconds and CPU seconds of a whole process with its children, how it ended, and the command."""

    seconds: float
    cpu: float
    status: str  # found, none, late, another (pattern than the one asked for), or failed
    words: list[str]

    @property
    def command(self) -> str:
        """The command, as one types it."""
        return shlex.join(self.words).replace(shlex.join(SATLIFE), "satlife", 1)

    @property
    def answered(self) -> bool:
        return self.status in ("found", "none")

    @property
    def counts(self) -> bool:
        """Whether its time means something: that of an answer, or the limit."""
        return self.answered or self.status == "late"

    @property
    def rank(self) -> tuple[bool, bool, float]:
        """Answers before silences before failures, answers by time."""
        return not self.counts, not self.answered, self.seconds if self.answered else 0


def ask(program: Program, question: Question, limit: float, runs: int = 1) -> Run | None:
    """The fastest answer of a program that is asked `runs` times in each way; without any, its first silence; None if
    the question cannot be put."""
    best: Run | None = None
    for command in (command for image in program.images(question) for command in program.commands(image)):
        for _ in range(runs):
            run = perform(program, question, command, best.seconds if best and best.answered else limit)
            if best is None or run.rank < best.rank:
                best = run
            if not run.answered:
                break
    return best


def perform(program: Program, question: Question, command: list[str], limit: float) -> Run:
    """Run one command in an empty folder, and say what it answered."""
    with tempfile.TemporaryDirectory() as folder:
        ended = execute(command, limit, folder)
    status = "late" if ended.late else _status(program, question, ended.output)
    return Run(ended.seconds, ended.cpu, status, command)


@dataclass(frozen=True)
class Ended:
    """What a process printed, its seconds and CPU seconds with those of its children, whether its time was up, and its
    exit code."""

    output: str
    seconds: float
    cpu: float
    late: bool
    code: int


def execute(command: list[str], limit: float, folder: str | Path, variables: Mapping[str, str] | None = None) -> Ended:
    """Run a command in a folder, and end it with all that it has started when its time is up."""
    before, began = _cpu(), time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env=variables or environment(),
        start_new_session=True,
    )
    try:
        output, late = process.communicate(timeout=limit)[0], False
    except subprocess.TimeoutExpired:
        output, late = "", True
    seconds = time.perf_counter() - began
    if late:
        output = _end(process)
    return Ended(output, seconds, _cpu() - before, late, process.returncode)


def environment() -> dict[str, str]:
    """One in which this satlife is imported from any folder, and what else was to be imported from elsewhere; byte code
    is kept, as that of a package that was installed is."""
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    given = [str(Path(place).absolute()) for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
    return {**usual, "PYTHONPATH": os.pathsep.join([str(Path(satlife.__file__).parents[1]), *given])}


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _end(process: subprocess.Popen[str]) -> str:
    """End a process and what it has started; what it had printed."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        return process.communicate(timeout=ENDING)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0]


def _status(program: Program, question: Question, output: str) -> str:
    """What the output says.  A find is simulated, whoever found it: with another period or speed it is no answer."""
    if re.search(program.none, output, re.MULTILINE):
        return "none"
    pattern = _pattern(output, question.rule)
    if pattern is None:
        return "failed"
    identity = satlife.identify(pattern)
    period = question.period if isinstance(question, satlife.OpenBox) else question.generations
    moved = sorted(map(abs, identity.displacement)) == sorted(map(abs, question.displacement))
    return "found" if identity.period == period and moved else "another"


def _pattern(output: str, rule: satlife.Rule) -> satlife.Pattern | None:
    """The first pattern in an output: RLE, or half blocks, two rows a line, as Logic Life Search draws them."""
    found = re.search(r"^x = .*\n([^!]*!|(?:[ ▀▄█]+\n)+)", output, re.MULTILINE)
    if not found:
        return None
    if found[1].endswith("!"):
        return satlife.Pattern.from_rle(found[0])
    lines = found[1].splitlines()
    rows = ["".join("O" if cell in half else "." for cell in line) for line in lines for half in ("▀█", "▄█")]
    return satlife.Pattern.from_rows(rows, rule)
