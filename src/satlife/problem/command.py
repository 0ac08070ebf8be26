"""The command line that asks a question."""

from __future__ import annotations

import itertools
import shlex
from contextlib import suppress
from dataclasses import replace

from satlife.errors import InputError
from satlife.life.rule import LIFE
from satlife.problem import families
from satlife.problem.problem import Problem

COMMANDS = {
    "still life": "still-life",
    "oscillator": "oscillator",
    "spaceship": "spaceship",
    "torus": "torus",
    "wave": "wave",
}


def arguments(problem: Problem) -> list[str] | None:
    """The words after `satlife`; None when the question needs a file.

    >>> arguments(families.spaceship((16, 5), 3, (0, -1), symmetry="D2v"))
    ['spaceship', '16x5', '-p', '3', '-d', '0,-1', '-s', 'D2|']
    """
    if problem.kind == "eater":
        return _eater(problem)
    if problem.cells or problem.exclude or problem.kind not in COMMANDS:
        return None
    words = [COMMANDS[problem.kind], f"{problem.width}x{problem.height}"]
    if problem.kind != "still life":
        words += ["-p", str(problem.generations)]
    if problem.displacement != (0, 0):
        words += ["-d", "{},{}".format(*problem.displacement)]
    if problem.kind == "wave" and problem.wrap[1]:
        words += ["--along", "y"]
    if problem.rule != LIFE:
        words += ["-r", problem.rule.name]
    for name in problem.symmetry:
        words += ["-s", name]
    for bound in problem.population:
        words += ["--population", str(bound)]
    for pair in problem.differ:
        words += ["--differ", "{},{}".format(*pair)]
    words += [f"--{name}" for name in ("strict", "tight") if getattr(problem, name)]
    return words if _asks(problem) else None


def _asks(problem: Problem) -> bool:
    """Whether the family, with these options, asks exactly this question."""
    size, period, displacement = (problem.width, problem.height), problem.generations, problem.displacement
    common = {name: getattr(problem, name) for name in ("rule", "symmetry", "population", "differ", "strict", "tight")}
    try:
        match problem.kind:
            case "still life":
                made = families.still_life(size, **common)
            case "oscillator":
                made = families.oscillator(size, period, **common)
            case "spaceship":
                made = families.spaceship(size, period, displacement, **common)
            case "torus":
                made = families.torus(size, period, displacement, **common)
            case _:
                made = families.wave(size, period, displacement, "y" if problem.wrap[1] else "x", **common)
    except InputError:
        return False
    return replace(made, kind=problem.kind) == problem


def _eater(problem: Problem) -> list[str] | None:
    """An eater with the lane and phase of its glider, found by trying."""
    width, height = problem.width - 1, problem.height - 1
    meal = problem.generations - families.APPROACH - 1
    for lane, phase in itertools.product(sorted(range(-height, width), key=abs), range(4)):
        with suppress(InputError):
            if families.eater((width, height), meal, lane, phase, rule=problem.rule) == problem:
                chosen = [f"--lane={lane}"] * (lane != 0) + ["--phase", str(phase)] * (phase != 0)
                rule = ["-r", problem.rule.name] * (problem.rule != LIFE)
                return ["eater", f"{width}x{height}", "-g", str(meal), *chosen, *rule]
    return None


def command(problem: Problem, *options: str) -> str:
    """A line for the shell; a question that needs a file brings it along."""
    words = arguments(problem)
    if words is not None:
        return shlex.join(["satlife", *words, *options])
    return f"{shlex.join(['satlife', 'search', '-', *options])} <<'END'\n{problem.to_toml()}END"
