"""Programs that answer the same questions, each asked in its own words and run as a whole process.

Who finds a pattern first is partly luck: it depends on the first guess and on the corner where the search begins.
A peer is therefore asked every image of a question (mirrored, transposed) with both first guesses, one after the other,
and its fastest answer counts.  Peers that are not on PATH are left out.
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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import satlife
from satlife.problem.command import arguments

Question = satlife.Problem | satlife.OpenBox
SATLIFE = (sys.executable, "-m", "satlife")
CORES = str(len(os.sched_getaffinity(0)))
ENDING = 5.0  # seconds that a process has for ending when its time is up


@dataclass(frozen=True)
class Program:
    """A program: the commands that ask it a question, what it prints when there is no such pattern, its version."""

    name: str
    commands: Callable[[Question], Iterator[list[str]]]  # nothing if the question cannot be put
    none: str  # a regular expression
    version: tuple[str, ...]  # the command that prints it, the executable first

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
    command: str

    @property
    def answered(self) -> bool:
        return self.status in ("found", "none")


def ask(program: Program, question: Question, limit: float) -> Run | None:
    """The fastest answer of a program; without any, how its first command ended; None if the question cannot be put."""
    best: Run | None = None
    for command in program.commands(question):
        run = perform(program, question, command, best.seconds if best and best.answered else limit)
        if best is None or (run.answered and (not best.answered or run.seconds < best.seconds)):
            best = run
    return best


def perform(program: Program, question: Question, command: list[str], limit: float) -> Run:
    """Run one command in an empty folder, and end it with all that it has started when its time is up."""
    before, began = _cpu(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
            env=environment(),
            start_new_session=True,
        )
        try:
            output, late = process.communicate(timeout=limit)[0], False
        except subprocess.TimeoutExpired:
            output, late = "", True
        seconds = time.perf_counter() - began
        if late:
            _end(process)
    status = "late" if late else _status(program, question, output)
    shown = shlex.join(command).replace(shlex.join(SATLIFE), "satlife", 1)
    return Run(seconds, _cpu() - before, status, shown)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(satlife.__file__).parents[1])}


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _end(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.communicate(timeout=ENDING)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


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


# Our own commands.


def _satlife(question: Question, *options: str) -> Iterator[list[str]]:
    words = arguments(question)
    assert words is not None
    yield [*SATLIFE, *words, *options]


def _mirrored(question: Question) -> Iterator[list[str]]:
    """The same ship in the opposite direction; an oscillator in the transposed box."""
    if isinstance(question, satlife.Problem):
        dx, dy = question.displacement
        others = [image for image in images(question) if image != question]
        for image in [image for image in others if image.displacement == (-dx, -dy)][:1]:
            yield from _satlife(image)


# The peers' commands.


def images(problem: satlife.Problem) -> list[satlife.Problem]:
    """The question mirrored and transposed, as far as the images differ; those that move right or down come first."""
    upright = (problem.width, problem.height, problem.displacement, problem.symmetry)
    turned = (problem.height, problem.width, problem.displacement[::-1], _swapped(problem.symmetry, "|-"))
    found = [
        replace(problem, width=width, height=height, displacement=(sx * dx, sy * dy), symmetry=names)
        for width, height, (dx, dy), symmetry in (upright, turned)
        for sx, sy, names in (
            (1, 1, symmetry),
            (-1, -1, symmetry),
            (1, -1, _swapped(symmetry, "/\\")),
            (-1, 1, _swapped(symmetry, "/\\")),
        )
    ]
    return sorted(dict.fromkeys(found), key=lambda image: image.displacement, reverse=True)


def _swapped(symmetry: tuple[str, ...], axes: str) -> tuple[str, ...]:
    return tuple(name.translate(str.maketrans(axes, axes[::-1])) for name in symmetry)


def _in_their_words(question: Question) -> Iterator[tuple[satlife.Problem, int, str, str]]:
    """The images of a question, each with the period, the image after it, and the static symmetry.

    Peers know one static symmetry and one transformation after the period: `F-@7` of period 14 is for them period 7,
    after which the pattern returns as `F-` of itself."""
    for image in images(question) if isinstance(question, satlife.Problem) else []:
        static = [name for name in image.symmetry if "@" not in name]
        moving = [name.split("@") for name in image.symmetry if "@" in name]
        if len(static) > 1 or len(moving) > 1 or (moving and image.displacement != (0, 0)):
            return
        turn, period = (moving[0][0], int(moving[0][1])) if moving else ("", image.generations)
        yield image, period, turn, static[0].replace("x", "X") if static else ""


def _rlifesrc(question: Question) -> Iterator[list[str]]:
    for image, period, turn, symmetry in _in_their_words(question):
        options = _given("-r", image.rule.name) + _given("-s", symmetry) + _given("-t", turn)
        size = [str(number) for number in (image.width, image.height, period, *image.displacement)]
        for guess in ("alive", "dead"):
            yield ["rlifesrc", "--no-tui", *options, "-c", guess, "--", *size]


def _factoriosrc(question: Question) -> Iterator[list[str]]:
    turns = {"": "", "R90": "R1", "R180": "R2", "R270": "R3", "F-": "S0", "F\\": "S1", "F|": "S2", "F/": "S3"}
    for image, period, turn, symmetry in _in_their_words(question):
        dx, dy = map(str, image.displacement)
        options = _given("-r", image.rule.name) + _given("-s", symmetry) + _given("-t", turns[turn])
        size = [str(image.width), str(image.height), str(period), "-x", dx, "-y", dy]
        for guess in ("dead", "alive"):
            yield ["factoriosrc-tui", "--no-tui", "new", *options, "-n", guess, *size]


def _lls(question: Question) -> Iterator[list[str]]:
    """Logic Life Search moves right and down only, and smaller periods have to be excluded one by one."""
    for image, period, turn, symmetry in _in_their_words(question):
        (dx, dy), full = image.displacement, image.generations
        if min(dx, dy) >= 0:
            words = ["lls", "-r", image.rule.name, "-b", str(image.width), str(image.height), "-p", ">=1"]
            words += ["-s", f"p{period}", f"x{dx}", f"y{dy}", *_lls_image(turn)] + _given("-s", symmetry)
            for d in range(2, full + 1):
                if full % d == dx % d == dy % d == 0:
                    words += ["-a", f"p{full // d}", f"x{dx // d}", f"y{dy // d}"]
            yield words


def _lls_image(turn: str) -> list[str]:
    return [f"RO{int(turn[1:]) // 90}" if turn[0] == "R" else f"RE{turn[1]}"] if turn else []


def _qfind(question: Question) -> Iterator[list[str]]:
    """The first ship, on all cores; its width counts the columns that are chosen freely."""
    if isinstance(question, satlife.OpenBox) and question.aside == 0:
        steps = abs(question.forward)
        speed = f"{steps if steps > 1 else ''}c/{question.period}"
        half = {"none": question.width, "gutter": question.width // 2}.get(question.mirror, (question.width + 1) // 2)
        mirror = question.mirror.replace("none", "asymmetric")
        words = ["qfind", "-v", speed, "-w", str(half), "-s", mirror, "-r", question.rule.name]
        yield [*words, "-t", CORES, "-f", "1"]


def _given(option: str, value: str) -> list[str]:
    return [option, value] if value else []


_NONE = "^satlife: (there is none|no ship)"
_VERSION = (*SATLIFE, "--version")
OURS = Program("satlife", _satlife, _NONE, _VERSION)
MIRRORED = Program("mirrored", _mirrored, _NONE, _VERSION)
PLAIN = Program("plain", lambda question: _satlife(question, "--strategy", "plain"), _NONE, _VERSION)
PEERS = (
    Program("rlifesrc", _rlifesrc, "^Not found", ("rlifesrc", "--version")),
    Program("factoriosrc", _factoriosrc, r"\?", ("factoriosrc-tui", "--version")),
    Program("lls", _lls, "^Unsatisfiab", ("lls", "-V")),
    Program("qfind", _qfind, "^0 spaceships found", ("qfind", "--help")),
)


def installed(names: str) -> list[Program]:
    """The peers of a list, separated by commas, that are on PATH."""
    return [peer for peer in PEERS if peer.name in names.split(",") and peer.is_installed]
