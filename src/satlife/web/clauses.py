"""The clauses of Knuth's programs, for display, and for each cell the tree of adders that counts its neighbours."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import TypedDict

import numpy as np

from satlife import knuth
from satlife.cnf.tree import sites
from satlife.errors import InputError
from satlife.knuth.program import KnuthProgram

MAX_LINES = 4000
MAX_SIDE = 30  # rows or columns; larger listings are hard to read
#: The counting tree (see `cnf.tree`) from its root: the two nodes or cells that each node adds.
PARTS = {"A": "BC", "B": "DE", "C": "FG", "D": ("Du", "Dv"), "E": ("Eu", "Ev"), "F": ("Fu", "Fv"), "G": ("Gu", "Gv")}


class CountNode(TypedDict):
    """A node of a counting tree: the cell in its name, and the cells that it counts."""

    at: tuple[int, int]
    counts: list[list[int]]


def listing(data: Mapping[str, object]) -> dict[str, object]:
    """The first clauses of {"program": NAME, "arguments": [...], "rows": [...]} and the counting trees of its cells."""
    arguments, rows = data.get("arguments", []), data.get("rows", [])
    if not isinstance(arguments, list) or not all(type(value) is int for value in arguments):
        raise InputError("`arguments` should be a list of whole numbers")
    if not isinstance(rows, list) or not all(isinstance(row, str) and re.fullmatch("[.*]*", row) for row in rows):
        raise InputError("`rows` should be a list of rows of `*` and `.`")
    if len(rows) > MAX_SIDE or any(len(row) > MAX_SIDE for row in rows):
        raise InputError(f"more than {MAX_SIDE} rows or columns are too many to look at")
    program = knuth.program(str(data.get("program")), *arguments, rows=rows)
    if max(program.m, program.n) > MAX_SIDE:
        raise InputError(f"more than {MAX_SIDE} rows or columns are too many to look at; use a shell")
    lines: list[str] = []
    total = 0
    for piece in program.text():
        total += piece.count(b"\n")
        if len(lines) < MAX_LINES:
            lines += piece.decode().splitlines()
    return {
        "program": program.name,
        "lines": lines[:MAX_LINES],
        "total": total,
        "size": [program.m, program.n],
        "trees": dict(_trees(program)) if not program.wraps else {},
        "folded": dict(_folded(program)),
    }


def _places(program: KnuthProgram) -> Iterator[tuple[int, int]]:
    """The cells of the grid, as row and column."""
    return itertools.product(range(1, program.m + 1), range(1, program.n + 1))


def _folded(program: KnuthProgram) -> Iterator[tuple[str, str]]:
    """The cells that are named after another one by symmetry, by "row,column", and that other one."""
    for x, y in _places(program):
        a, b = (int(value) for value in program.fold(np.array(x), np.array(y)))
        if (a, b) != (x, y):
            yield f"{x},{y}", f"{a},{b}"


def _trees(program: KnuthProgram) -> Iterator[tuple[str, dict[str, CountNode]]]:
    """The counting tree of each cell that has clauses of its own, by "row,column"."""
    elsewhere = dict(_folded(program))
    for x, y in _places(program):
        if f"{x},{y}" not in elsewhere:
            at = {name: (int(a), int(b)) for name, (a, b) in sites(np.array(x), np.array(y)).items()}
            yield f"{x},{y}", {name: {"at": at[name], "counts": _counted(program, at, name)} for name in PARTS}


def _counted(program: KnuthProgram, at: dict[str, tuple[int, int]], name: str) -> list[list[int]]:
    """The cells under a node that can be alive, as row and column in the names of the program."""
    if name not in PARTS:
        x, y = np.array(at[name][0]), np.array(at[name][1])
        if not program.alive(0, x, y):
            return []
        return [[int(value) for value in program.fold(x, y)]]
    return [cell for part in PARTS[name] for cell in _counted(program, at, part)]
