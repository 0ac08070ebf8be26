"""The types of option values; each has its own error message."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

import click

from satlife.engines.options import MOST_CORES
from satlife.errors import InputError
from satlife.problem.velocity import Velocity

T = TypeVar("T")


def cnf_format(option: Callable[..., T]) -> T:
    """The option for the format of a CNF file, made by an `option` of click or of ours."""
    kinds, about = click.Choice(["dimacs", "sat"]), "DIMACS, or Knuth's format."
    return option("--format", "style", type=kinds, default="dimacs", show_default=True, help=about)


def box(value: str | tuple[int, int]) -> tuple[int, int]:
    """WIDTHxHEIGHT."""
    return _two(value, r"(\d{1,6})[xX](\d{1,6})", "is not a box such as 16x5 (width x height)")


def open_box(value: str | tuple[int, int]) -> tuple[int, int]:
    """WIDTHxHEIGHT, one of which may be `*` for any length, which becomes 0."""
    found = None if isinstance(value, tuple) else re.fullmatch(r"(\*|\d{1,6})[xX](\*|\d{1,6})", value)
    if found and found[1] == found[2] == "*":
        raise click.BadParameter(f"{value!r} is not a box with one open side, such as 10x*")
    if not found or "*" not in found.groups():
        closed = box(value)
        if isinstance(value, str) and 0 in closed:  # which would be an open side
            raise click.BadParameter(f"a box of {value} has no cells; both sides should be at least 1")
        return closed
    return tuple(0 if side == "*" else positive(side) for side in found.groups())  # type: ignore[return-value]


def displacement(value: str | tuple[int, int] | Velocity) -> tuple[int, int] | Velocity:
    """DX,DY, or a velocity such as c/3."""
    if isinstance(value, Velocity):
        return value
    if isinstance(value, str) and "c" in value.lower():
        try:
            return Velocity.parse(value)
        except InputError as error:
            raise click.BadParameter(str(error)) from error
    wrong = "is neither a displacement such as 0,-1 (dx,dy; up is negative y) nor a velocity such as c/3"
    return _two(value, r"\(?\s*([+-]?\d{1,6})\s*,\s*([+-]?\d{1,6})\s*\)?", wrong)


def place(value: str | tuple[int, int]) -> tuple[int, int]:
    """X,Y: a cell of the box."""
    return _two(value, _PAIR, "is not a place in the box such as 2,0 (x,y from its upper left corner)")


_PAIR = r"(\d{1,6})\s*,\s*(\d{1,6})"


def _two(value: str | tuple[int, int], form: str, wrong: str) -> tuple[int, int]:
    """The two numbers of a text of this form; click hands a default on as the tuple that it is."""
    if isinstance(value, tuple):
        return value
    found = re.fullmatch(form, value)
    if not found:
        raise click.BadParameter(f"{value!r} {wrong}")
    return int(found[1]), int(found[2])


def amount(value: str | int) -> int:
    """How many to list: a number, or 0 for all of them."""
    return 0 if value in ("all", 0) else positive(value, "; or say all")


def cores(value: str | int) -> int:
    """How many cores to use, or how many things to do at a time."""
    text = str(value)
    if re.fullmatch(r"\d+", text) and (len(text) > 9 or int(text) > MOST_CORES):
        raise click.BadParameter(f"{value} is more than {MOST_CORES}, the most that can work at a time")
    return positive(value)


def positive(value: str | int, hint: str = "") -> int:
    """A whole number from 1."""
    if not re.fullmatch(r"\d{1,9}", str(value)) or int(value) == 0:
        raise click.BadParameter(f"{value!r} is not a whole number above 0{hint}")
    return int(value)


def seconds(value: str | float) -> float:
    """A number of seconds above 0."""
    if not re.fullmatch(r"\d{1,9}(\.\d*)?|\.\d+", str(value)) or float(value) == 0:
        raise click.BadParameter(f"{value!r} is not a number of seconds above 0")
    return float(value)
