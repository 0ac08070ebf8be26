"""sat-life-filter, sat-to-dimacs and dimacs-to-sat write the bytes of the originals, and read them back."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from commands import run
from satlife import knuth
from satlife.cnf.formula import Formula
from satlife.knuth import filters

#: What the originals wrote for some inputs; an input that begins with `!` is a call of a program.
FILTERS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "knuth-filters.json").read_text())
DATE = "c file created by SAT-TO-DIMACS"  # a line that the original ends with the date
SOLUTION = " ~1a1 1a2 2a2 ~1b1 1a1A2\n"


def generated(call: str) -> str:
    name, *arguments = call.removeprefix("!").split()
    return b"".join(knuth.text(name, *map(int, arguments))).decode()


@pytest.mark.parametrize("recorded", FILTERS, ids=lambda recorded: f"{recorded['tool']}-{recorded['bytes']}")
def test_bytes_of_the_originals(recorded: dict[str, Any]) -> None:
    given = recorded["stdin"]
    result = run("knuth", recorded["tool"], stdin=generated(given) if given.startswith("!") else given)
    assert (result.returncode, result.stderr) == (0, "")
    lines = [line for line in result.stdout.splitlines(keepends=True) if line != f"{DATE}\n"]
    written = "".join(lines)
    assert written == recorded.get("stdout", written)
    assert (len(written), hashlib.sha256(written.encode()).hexdigest()) == (recorded["bytes"], recorded["sha256"])


def test_every_tool_is_recorded() -> None:
    assert {recorded["tool"] for recorded in FILTERS} == {"sat-life-filter", "sat-to-dimacs", "dimacs-to-sat"}


def test_names_and_comments_come_back() -> None:
    """A formula that went through both converters has its names and the line of its program, and its clauses the other
    way round."""
    text = generated("sat-life-grid-cycle 5 4 3")
    dimacs = run("knuth", "sat-to-dimacs", "h15", stdin=text).stdout
    back = run("knuth", "dimacs-to-sat", stdin=dimacs).stdout
    comments = [line for line in back.splitlines() if line.startswith("~ ")]
    assert comments == ["~  sat-life-grid-cycle 5 4 3", f"~  {DATE[2:]}"]
    clauses = [line.split() for line in back.splitlines() if line not in comments]
    assert [clause[::-1] for clause in clauses[::-1]] == [line.split() for line in text.splitlines()[1:]]


def test_names_of_either_direction_are_read() -> None:
    for names in ("c 1 -> 1a1\nc 2 -> 7\n", "c 7 -> 2\nc 1a1 -> 1\n"):
        result = run("knuth", "dimacs-to-sat", stdin=f"c about\n{names}p cnf 3 2\n1 -2 0\n3 0\n")
        assert result.stdout == "~  about\n 1a1 ~7\n 3\n"


@pytest.mark.parametrize("text", ["", "~ a comment\n a ~a\n"])
def test_no_clauses(text: str) -> None:
    result = run("knuth", "sat-to-dimacs", stdin=text)
    assert (result.returncode, result.stdout, result.stderr) == (179, "", "No clauses were input!\n")


CLAUSES = st.lists(st.lists(st.integers(-6, 6).filter(bool), min_size=1, max_size=6), min_size=1, max_size=12)


@given(CLAUSES)
def test_sat_to_dimacs_keeps_what_the_formula_says(clauses: list[list[int]]) -> None:
    """Clauses without repetitions, the always satisfied ones left out, against a plain loop that reads like the
    original: word by word, numbering what it sees first."""
    numbers: dict[int, int] = {}
    expected = []
    for clause in clauses:
        kept: list[int] = []
        for literal in clause:
            number = numbers.setdefault(abs(literal), len(numbers) + 1) * (1 if literal > 0 else -1)
            if -number in kept:
                kept = []
                break
            if number not in kept:
                kept.append(number)
        if kept:
            expected.append(kept)
    variables = list(dict.fromkeys(abs(literal) for clause in clauses for literal in clause))
    assume(expected)
    rank = {v: k for k, v in enumerate(variables, 1)}
    formula = Formula.from_clauses(
        [[rank[abs(x)] * (1 if x > 0 else -1) for x in clause] for clause in clauses], [f"v{v}" for v in variables]
    )
    lines = b"".join(filters.to_dimacs(formula, ["first"])).decode().splitlines()
    assert lines[:2] == ["c first", DATE]
    assert lines[2 : 2 + len(numbers)] == [f"c v{v} -> {k}" for v, k in reversed(numbers.items())]
    assert lines[2 + len(numbers)] == f"p cnf {len(numbers)} {len(expected)}"
    written = [[int(word) for word in line.split()] for line in lines[3 + len(numbers) :]]
    assert written == [[*clause[::-1], 0] for clause in expected[::-1]]


def test_filter_draws_other_times_too() -> None:
    assert run("knuth", "sat-life-filter", "b", stdin=SOLUTION).stdout == "...\n...\n...\n\n"
    assert run("knuth", "sat-life-filter", "--all", stdin=SOLUTION).stdout.splitlines()[1] == "..*.  ...."


def test_filter_reads_v_lines_and_the_last_line_without_its_end() -> None:
    drawn = run("knuth", "sat-life-filter", stdin=SOLUTION).stdout
    assert drawn == "....\n..*.\n..*.\n....\n\n"
    assert run("knuth", "sat-life-filter", stdin=SOLUTION.rstrip("\n")).stdout == drawn
    lines = "c satlife\ns SATISFIABLE\nv ~1a1 1a2\nv 2a2 ~1b1 1a1A2\n"
    assert run("knuth", "sat-life-filter", stdin=lines).stdout == drawn


@pytest.mark.parametrize("unsatisfiable", ["~\n", "UNSAT\n", "s UNSATISFIABLE\n"])
def test_filter_of_no_solution(unsatisfiable: str) -> None:
    result = run("knuth", "sat-life-filter", stdin=unsatisfiable)
    assert (result.returncode, result.stdout) == (20, "")
    assert result.stderr == "sat-life-filter: the solver says that there is none\n"
