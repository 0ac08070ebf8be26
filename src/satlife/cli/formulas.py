"""satlife encode, solve: formulas in CNF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from satlife import files
from satlife.cli import report, screen, types
from satlife.cli.families import FamilyCommands, Makers, option
from satlife.cli.groups import command
from satlife.cli.process import deadline_of, time_limit
from satlife.cnf import dimacs, knuthfile
from satlife.cnf.formula import Formula
from satlife.cnf.read import read
from satlife.encode.conditions import WITH_CLAUSES
from satlife.encode.encoder import encode as encode_problem
from satlife.encode.spacetime import SWEEPS
from satlife.encode.transitions import ENCODINGS
from satlife.errors import InputError, OutOfTime
from satlife.limits import Limits
from satlife.problem.goals import FindOne
from satlife.problem.question import Question
from satlife.solve import SolverStatus
from satlife.solve.runner import solve as run_solver
from satlife.solve.solvers import find_solver

MARK = "satlife problem "

ENCODE: Makers = [
    lambda: types.cnf_format(option),
    lambda: option("--encoding", type=click.Choice(list(ENCODINGS)), help="Encoding of a generation step."),
    lambda: option(
        "--sweep", type=click.Choice(SWEEPS), default="short", show_default=True, help="Order of the cells."
    ),
    lambda: option("--no-map", is_flag=True, help="Omit the names of the variables."),
    lambda: option("-o", "--output", default="-", metavar="FILE", help="Write to FILE."),
]


def write_clauses(asked: Question, values: dict[str, Any]) -> int:
    """Write the CNF of a question."""
    try:
        if values.get("goal") not in (None, FindOne()):
            raise InputError("the clauses are those of the question alone; leave out the field `goal`")
        problem = asked.in_a_box("a formula").in_the_middle
    except InputError as error:
        raise click.UsageError(str(error)) from error
    for condition in problem.conditions:
        if condition.name not in WITH_CLAUSES:
            raise click.UsageError(f"no clauses express {condition.shown}; that is checked during the search")
    encoded = encode_problem(problem, values["encoding"], values["sweep"])
    names = None if values["no_map"] else encoded.names()
    plain = encoded.formula
    formula = Formula(plain.literals, plain.ends, plain.variables, names)
    write = dimacs.write if values["style"] == "dimacs" else knuthfile.write
    files.write(values["output"], write(formula, [f"{MARK}{problem.to_json()}"]))
    return 0


class Encode(FamilyCommands):
    """The families as subcommands of `encode`."""

    prefix, extra = "encode ", ENCODE

    def run(self, asked: Question, values: dict[str, Any]) -> int:
        return write_clauses(asked, values)


@click.group(cls=Encode)
def encode() -> None:
    """Write the clauses of a question instead of solving it, with the map of its variables.

    Cells are named x,y@t in comments `c NUMBER -> NAME`; `satlife decode` reads any solver's solution back.

    Example: [bold]satlife encode spaceship 16x5 -p 3 -d 0,-1 -o ship.cnf[/]
    """


@command()
@click.argument("file", metavar="FILE")
@click.argument("proof", metavar="[PROOF]", required=False)
@click.option("--solver", default="cadical195", show_default=True, help="Embedded, kissat, or a program on PATH.")
@click.option("--time", type=types.seconds, metavar="SECONDS", help="Give up after so many seconds.")
@click.option("--memory", type=types.positive, metavar="MB", help="Memory limit of the solver.")
def solve(file: str, proof: str | None, solver: str, time: float | None, memory: int | None) -> int:
    """A SAT solver: reads DIMACS or Knuth's format, prints `c`, `s` and `v` lines, exits with 10, 20 or 0.

    With PROOF, a refutation is written there in DRAT format.

    Example: [bold]satlife solve ship.cnf[/]
    """
    choice, deadline = find_solver(solver), deadline_of(time)
    if proof == "-" or (proof and Path(proof).exists() and Path(file).exists() and Path(proof).samefile(file)):
        raise click.UsageError("the proof goes to a file of its own")
    try:
        with time_limit(deadline):
            formula, kind, _ = read(file)
    except OutOfTime as error:
        screen.show(f"c {error}", "s UNKNOWN")
        return 0
    if proof:
        choice.must_prove()
        files.claim(proof)
    answer = run_solver(formula, choice, Limits(deadline, memory or 0), proof=proof)
    written = proof and Path(proof).exists() and Path(proof).stat().st_size
    if proof and answer.status == SolverStatus.UNSAT and not written:
        raise InputError(f"{choice.name} says UNSATISFIABLE, but the proof in {proof} is empty")
    screen.show(f"c satlife, {choice.name}: {formula.variables} variables, {len(formula)} clauses")
    if answer.status == SolverStatus.UNSAT:
        screen.show("s UNSATISFIABLE")
        return 20
    if answer.status == SolverStatus.UNKNOWN:
        screen.show(f"c {answer.reason}", "s UNKNOWN")
        return 0
    screen.show("s SATISFIABLE")
    assert answer.model is not None
    names, sign = (formula.names, "~") if kind == "sat" else (None, "-")
    words = []
    for v in range(1, formula.variables + 1):
        words.append(("" if answer.model[v] else sign) + (names[v - 1] if names else str(v)))
    if kind == "dimacs":
        words.append("0")
    line = "v"
    out = []
    for word in words:
        if len(line) + 1 + len(word) > 78:
            out.append(line)
            line = "v"
        line += " " + word
    out.append(line)
    report.emit("".join(f"{line}\n" for line in out), None)
    return 10
