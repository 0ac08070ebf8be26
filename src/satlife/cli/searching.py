"""satlife still-life, oscillator, spaceship, ...: ask, search, show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rich_click as click

from satlife.cli import report, types
from satlife.cli.families import FAMILIES, make_command, option
from satlife.problem.problem import Problem
from satlife.search.find import Options, run

EXTRA: list[Callable[[], click.Parameter]] = [
    lambda: option("--solver", help="An embedded solver, kissat, or a program on PATH."),
    lambda: option("--strategy", help="plain, spatial, spatial-dead, ...  [default: a race]"),
    lambda: option("--jobs", type=types.positive, metavar="N", help="Cores to use.  [default: 2 if there are]"),
    lambda: option("--seed", type=int, help="Seed for solvers that take one."),
    lambda: option("--time", type=types.seconds, metavar="SECONDS", help="Give up after so many seconds."),
    lambda: option("--memory", type=types.positive, metavar="MB", help="Memory limit of each solver."),
    lambda: option("-o", "--output", metavar="FILE", help="Append the result to FILE."),
    lambda: option("--format", "style", type=click.Choice(["rle", "cells", "json"]), default="rle", show_default=True),
    lambda: option("--json", "as_json", is_flag=True, help="The same as --format json."),
    lambda: option("--print-problem", is_flag=True, help="Print the Problem as TOML and stop."),
    lambda: option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors."),
    lambda: option("-v", "--verbose", is_flag=True, help="Say who won, and how long it took."),
]


def act(problem: Problem, values: dict[str, Any]) -> int:
    """Search and report."""
    style = "json" if values["as_json"] else values["style"]
    if values["print_problem"]:
        report.emit(problem.to_json() + "\n" if style == "json" else problem.to_toml(), values["output"])
        return 0
    names = ("solver", "strategy", "jobs", "seed", "time", "memory")
    line = report.ProgressLine(values["quiet"])
    try:
        outcome = run(problem, Options(**{name: values[name] for name in names}), line)
    finally:
        line.clear()
    return report.show(outcome, style, values["output"], values["quiet"], values["verbose"])


def __getattr__(name: str) -> click.Command:
    command = name.replace("_", "-")
    if command not in FAMILIES:
        raise AttributeError(name)
    return make_command(command, "", EXTRA, act)
