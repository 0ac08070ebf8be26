"""Donald Knuth's sat-life programs (TAOCP, Volume 4, Section 7.2.2.2), reproduced byte for byte.

>>> b"".join(text("sat-life-grid", 3, 3, 2)).splitlines()[:3]
[b'~ sat-life-grid 3 3 2', b' ~1a1 1a0D1', b' 1a1 ~1a0D1']
>>> formula("sat-life-torus", 5, 7, 1).variables
590
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from satlife.cnf import knuthfile
from satlife.cnf.formula import Formula
from satlife.errors import InputError
from satlife.knuth.program import PROGRAMS, KnuthProgram, SingleStep, WrongArgument

__all__ = ["PROGRAMS", "KnuthProgram", "WrongArgument", "formula", "program", "text"]


def program(name: str, *arguments: int, rows: Sequence[str] = ()) -> KnuthProgram:
    """The program called `name` with its arguments; `rows` is the pattern that sat-life reads."""
    kind = PROGRAMS.get(name)
    if kind is None:
        raise InputError(f"there is no program {name!r}; there are: {', '.join(PROGRAMS)}")
    if len(arguments) != len(kind.usage.split()):
        raise InputError(f"Usage: {name} {kind.usage}")
    if kind is SingleStep:
        return SingleStep(arguments[0], rows)
    return kind(*arguments)


def text(name: str, *arguments: int, rows: Sequence[str] = ()) -> Iterator[bytes]:
    """The output of the program, in pieces."""
    return program(name, *arguments, rows=rows).text()


def formula(name: str, *arguments: int, rows: Sequence[str] = ()) -> Formula:
    """The clauses of a program as a Formula, with the names of the variables."""
    return knuthfile.read(io.BytesIO(b"".join(text(name, *arguments, rows=rows))), name)
