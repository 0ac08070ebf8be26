"""Catalysts: still lifes that an active pattern does not destroy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from satlife.errors import InputError, suggestion
from satlife.life import history
from satlife.life.parts import near
from satlife.life.pattern import Cells, Pattern, live_box
from satlife.life.rule import Rule
from satlife.problem.conditions.catalyst import (
    LETTERS,
    NO_ACTIVE_CELL,
    UNKNOWN,
    Catalyst,
    Extent,
    PlacedCells,
    known,
)
from satlife.problem.families.family import Common, Family, Parameter, Size, asking, fields_of
from satlife.problem.problem import Problem, read_fields
from satlife.problem.question import pair, read

AROUND = 8  # cells around a pattern in which a catalyst may lie if nothing is said of that
#: Fields of Barrister's files by field of Catalyst and, for a limit on a set of cells, by what is limited.
BARRISTER: dict[str, tuple[str, str]] = {
    "min-stable-interval": ("stable", ""),
    "max-active-cells": ("active", "cells"),
    "active-bounds": ("active", "box"),
    "max-ever-active-cells": ("ever_active", "cells"),
    "ever-active-bounds": ("ever_active", "box"),
    "max-changes": ("changes", "cells"),
    "changes-bounds": ("changes", "box"),
    "max-component-active-cells": ("part_active", "cells"),
    "component-active-bounds": ("part_active", "box"),
    "max-component-ever-active": ("part_ever_active", "cells"),
    "component-ever-active-bounds": ("part_ever_active", "box"),
    "max-component-changes": ("part_changes", "cells"),
    "component-changes-bounds": ("part_changes", "box"),
    "max-cell-active-window": ("cell_window", ""),
    "max-cell-active-streak": ("cell_streak", ""),
    "max-cell-stationary-distance": ("cell_distance", ""),
    "exempt-existing": ("exempt", ""),
}
#: Sets of cells that the options limit, and the parameters for how many there are and for the box around them.
LIMITS = (
    ("active", "max_active", "bounds"),
    ("ever_active", "max_ever_active", "ever_bounds"),
    ("changes", "max_changes", "changes_bounds"),
)
READ = {"pattern", "pattern-center", "first-active-range", "active-window-range", "filter", "forbidden"}
NO_LIMIT, NO_BOX = -1, (-1, -1)
LARGEST = 10**6  # number in a file
FILTER = {"filter", "filter-pos", "filter-gen", "filter-type"}
FORBIDDEN = {"forbidden", "forbidden-pos"}
#: What its files say about output, and not about catalysts.
ELSEWHERE = {
    "print-summary", "stabilise-results", "minimise-results", "stabilise-results-timeout", "trim-results",
    "min-trim-hashes", "output-file", "pipe-results", "debug", "oracle", "oracle-center", "knownrotors-file",
    "report-oscillators-min-period", "metasearch-rounds", "meta-first-active-range",
}  # fmt: skip
#: What it has and we have not, and why.
NOT_HERE = {
    "metasearch": "one search answers one question",
    "report-oscillators": "a catalyst is at rest in the end",
    "continue-after-success": "a catalyst that has recovered is not disturbed once more",
    "changes-grace": "limits hold from the first generation on",
}
TABLE = r"(?m)^\s*(\{|\[\[|[\w-]{2,}\s*=)"  # a pattern has no such line


@asking
def catalyst(
    text: str | Pattern,
    first_active: str | tuple[int, int] | None = None,
    active: str | tuple[int, int] | None = None,
    stable: int | None = None,
    max_active: int | None = None,
    bounds: Size | None = None,
    max_ever_active: int | None = None,
    ever_bounds: Size | None = None,
    max_changes: int | None = None,
    changes_bounds: Size | None = None,
    by_component: bool = False,
    max_cell_active: int | None = None,
    around: int | None = None,
    eaten: bool = False,
    **common: Unpack[Common],
) -> Problem:
    """A still life that recovers from an active pattern, as a LifeHistory pattern or a TOML file of Barrister's asks.

    In LifeHistory 1 is active, 2 is where the still life may lie, 3 belongs to it and is at first alive, 4 belongs to
    it and is at first dead, 5 belongs to it and is never disturbed.  A pattern without unknown cells (2, or `?`) has
    them `around` it.  `eaten`: nothing is left of the active pattern.
    """
    if not isinstance(text, str | Pattern):
        raise InputError("a catalyst is asked for by a Pattern, or the text of one or of a file of Barrister's")
    cells, rule, asked, _ = _read(text if isinstance(text, str) else text.to_rle(), around)
    given: dict[str, Any] = {}
    if first_active is not None:
        given["first"] = _range("first-active", first_active)
    if active is not None:
        given["lasts"] = _range("active", active)
    limits = (("active", max_active, bounds), ("ever_active", max_ever_active, ever_bounds))
    for name, most, box in (*limits, ("changes", max_changes, changes_bounds)):
        if most is not None or box is not None:
            given["part_" * by_component + name] = Extent(most, box)
    numbers = {"stable": stable, "cell_window": max_cell_active}
    given |= {name: value for name, value in numbers.items() if value is not None}
    rows = tuple("".join(LETTERS[state] for state in row) for row in cells.tolist())
    asked = replace(asked, rows=rows, eaten=asked.eaten or eaten, **given)
    fields = fields_of({**common, "rule": common.get("rule") or rule}, None)
    fields["cells"] = (known(rows),)
    fields["conditions"] = (*fields["conditions"], asked)
    height, width = cells.shape
    return Problem(
        width, height, kind="catalyst", periodic=False, generations=1, nonempty=False, open_end=True, **fields
    )


def _read(text: str, around: int | None) -> tuple[Cells, Rule, Catalyst, tuple[int, int]]:
    """The states of the cells, the rule, what is asked beyond them, and where in the plane of the pattern the corner of
    the box lies."""
    is_table = re.search(TABLE, text) is not None
    data = read_fields(text) if is_table else {"pattern": text}
    if not isinstance(data, Mapping) or not isinstance(data.get("pattern"), str):
        raise InputError("a file about a catalyst is a table with a text `pattern`")
    cells, rule = history.parse(data["pattern"])
    if cells.size and cells.max() >= len(LETTERS):
        raise InputError("state 6 of LifeHistory says nothing about a catalyst; there are 1 to 5")
    x, y = pair(data, "pattern-center", cells.shape[::-1], LARGEST)
    left, top = history.place(data["pattern"])
    if around is not None or not (cells == LETTERS.index(UNKNOWN)).any():
        cells, (dx, dy) = _surrounded(cells, AROUND if around is None else around)
        x, y, left, top = x + dx, y + dy, left - dx, top - dy
    return cells, rule, _barrister(data, (x, y)) if is_table else Catalyst(()), (left, top)


def _origin(own: Mapping[str, Any], size: Size) -> tuple[int, int]:
    """Where the corner of the box lies in the plane of the pattern."""
    return _read(own["text"], own["around"])[3]


def _surrounded(cells: Cells, around: int) -> tuple[Cells, tuple[int, int]]:
    """The pattern with unknown cells around it, at a distance of two from what is active, and how far it was moved."""
    if not 1 <= around <= 100:
        raise InputError(f"a catalyst lies within 1 to 100 cells of the pattern, not {around}")
    if not cells.any():
        raise InputError(NO_ACTIVE_CELL)
    rows, columns = live_box(cells)
    cells = np.pad(cells[rows, columns], around + 2)
    unknown = ~near(cells == 1, 2) & (cells == 0)
    marked = np.where(unknown, LETTERS.index(UNKNOWN), cells).astype(np.uint8)
    return marked, (around + 2 - columns.start, around + 2 - rows.start)


def _barrister(data: Mapping[str, object], centre: tuple[int, int]) -> Catalyst:
    """What a file of Barrister's asks.

    Its window ends when the catalyst has been at rest for long enough, and it does not use the lower end; -1 stands
    for no limit."""
    _must_be_known(data, {*BARRISTER, *READ, *ELSEWHERE, *NOT_HERE})
    for name, reason in NOT_HERE.items():
        if data.get(name):
            raise InputError(f"`{name}` is not supported: {reason}")
    given: dict[str, Any] = {"stable": read(data, "min-stable-interval", int, 4, LARGEST)}
    given["first"] = pair(data, "first-active-range", (0, 100), LARGEST)
    given["lasts"] = 0, max(pair(data, "active-window-range", (0, 100), LARGEST)[1] - given["stable"] + 1, 0)
    for name, (field, part) in BARRISTER.items():
        if name not in data or field == "stable":
            continue
        if field == "exempt":
            given[field] = read(data, name, bool, False)
        elif part == "box":
            box = pair(data, name, NO_BOX, LARGEST)
            if box != NO_BOX:
                given[field] = replace(given.get(field, Extent()), box=box)
        elif (number := read(data, name, int, NO_LIMIT, LARGEST)) != NO_LIMIT:
            given[field] = replace(given.get(field, Extent()), cells=number) if part else number
    filters = tuple(_piece(item, "filter", centre) for item in _tables(data, "filter"))
    forbidden = tuple(_piece(item, "forbidden", centre) for item in _tables(data, "forbidden"))
    return Catalyst((), **given, filters=filters, forbidden=forbidden)


def _must_be_known(data: Mapping[str, object], known: set[str]) -> None:
    """Raise an InputError if a field has another name than these."""
    for name in data:
        if name not in known:
            raise InputError(f"there is no field {name!r} of a catalyst" + suggestion(name, sorted(known)))


def _piece(data: Mapping[str, object], name: str, centre: tuple[int, int]) -> PlacedCells:
    """A filter or a forbidden piece: 3 is alive, 4 dead, and nothing is said of others."""
    _must_be_known(data, FILTER if name == "filter" else FORBIDDEN)
    pattern = data.get(name)
    if not isinstance(pattern, str):
        raise InputError(f"each [[{name}]] needs a text `{name}`, the pattern")
    cells, _ = history.parse(pattern)
    kind = data.get("filter-type", "EVER")
    if kind not in ("EXACT", "EVER"):
        raise InputError(f"a filter is EXACT or EVER, not {kind!r}")
    x, y = pair(data, f"{name}-pos", (0, 0), LARGEST)
    generation = read(data, "filter-gen", int, -1, LARGEST)
    if name == "filter" and generation < 0:
        raise InputError("a filter needs the generation `filter-gen` in which, or by which, it is met")
    rows = tuple("".join(LETTERS[min(state, 5)] for state in row) for row in cells.tolist())
    return PlacedCells(rows, centre[0] + x, centre[1] + y, max(generation, 0), name == "filter" and kind == "EVER")


def _tables(data: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    items = data.get(name, [])
    if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
        raise InputError(f"each {name} is a table of its own, [[{name}]]")
    return items


def _range(name: str, value: str | tuple[int, int]) -> tuple[int, int]:
    """A range such as "3..7", or "5" for one number."""
    if not isinstance(value, str):
        return value
    low, dots, high = value.partition("..")
    if not low.isdecimal() or not (high if dots else low).isdecimal() or len(value) > 20:
        raise InputError(f"--{name} is a range of generations such as 3..7, not {value!r}")
    return int(low), int(high if dots else low)


def _limit(name: str, words: str, box: bool = False) -> Parameter:
    option = f"--{name.replace('_', '-')}"
    return Parameter(name, "box" if box else "integer", words, (option,), metavar="WxH" if box else "N")


def _recognise(problem: Problem) -> Mapping[str, object] | None:
    """The parameters of a question about a catalyst; those that the options do not have are left out."""
    asked = problem.get(Catalyst)
    if asked is None:
        return None
    states = np.array([[LETTERS.index(letter) for letter in row] for row in asked.rows], np.uint8)
    found: dict[str, Any] = {"text": history.rle(states)}
    for name, (low, high) in (("first_active", asked.first), ("active", asked.lasts)):
        found[name] = f"{low}..{high}"
    part = "part_" * any(extent != Extent() for name, extent in asked.extents() if name.startswith("part_"))
    for name, most, box in LIMITS:
        extent: Extent = getattr(asked, part + name)
        found |= {most: extent.cells, box: extent.box}
    found |= {"by_component": bool(part), "stable": asked.stable, "max_cell_active": asked.cell_window}
    found["eaten"] = asked.eaten
    return {name: value for name, value in found.items() if value is not None}


FAMILY = Family(
    "catalyst",
    catalyst,
    "Find a still life that the active pattern of FILE does not destroy: a LifeHistory pattern (1 active, 2 where the "
    "still life may lie, 3, 4 and 5 cells of it), or a TOML file of Barrister's.",
    (
        "satlife catalyst reaction.rle --first-active 3..7 --active 3..40 --ever-bounds 5x5",
        "satlife catalyst reaction.rle --max-active 6 -n all",
        "satlife catalyst glider.toml --minimize",
    ),
    (
        Parameter("text", "grid", metavar="FILE"),
        Parameter(
            "first_active",
            "bound",
            "Generations in which the interaction may begin.  \\[default: 0..100]",
            ("--first-active",),
            metavar="A..B",
        ),
        Parameter(
            "active",
            "bound",
            "How many generations later the catalyst has recovered.  \\[default: 0..100]",
            ("--active",),
            metavar="A..B",
        ),
        _limit("stable", "Generations for which it must then be at rest.  \\[default: 4]"),
        _limit("max_active", "Most cells of its reach that differ from it in a generation."),
        _limit("bounds", "Largest box around these cells.", box=True),
        _limit("max_ever_active", "Most cells of its reach that ever differ from it."),
        _limit("ever_bounds", "Largest box around these.", box=True),
        _limit("max_changes", "Most cells of its reach that change in a generation."),
        _limit("changes_bounds", "Largest box around these.", box=True),
        Parameter("by_component", "flag", "These limits hold for each connected part.", ("--by-component",)),
        _limit("max_cell_active", "Generations from a cell's first activity to its last."),
        _limit("around", "Let it lie within N cells around the pattern.  \\[default: 8, if no cell is unknown]"),
        Parameter("eaten", "flag", "Nothing may be left of the active pattern.", ("--eaten",)),
    ),
    _recognise,
    origin=_origin,
    itself=frozenset({Catalyst.name}),
    marks=True,
    without=(
        "symmetry",
        "known",
        "at",
        "differ",
        "strict",
        "ties",
        "tight",
        "by_population",
        "measure",
        "smallest",
        "device",
    ),
)
