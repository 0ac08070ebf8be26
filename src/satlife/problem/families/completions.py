"""Completions: still lifes and oscillators that contain given cells."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError
from satlife.life import formats
from satlife.life.identify import identify
from satlife.life.pattern import Pattern
from satlife.life.rule import Rule
from satlife.problem.cell import DONT_CARE, FREE, STILL, Cell, Grid
from satlife.problem.completion import Completion, must_allow_completions, must_be_completable
from satlife.problem.families.family import Common, Family, Parameter, asking, fields_of, with_stator
from satlife.problem.grid import around_pattern, parse_grid
from satlife.problem.problem import Problem


@asking
def complete(
    pattern: npt.ArrayLike,
    period: int | None = None,
    margin: int | None = None,
    rotor: bool = False,
    **common: Unpack[Common],
) -> Completion | Problem:
    """A still life, or an oscillator of a `period`, that contains the live cells of a pattern and not the dead ones.

    Cells outside the pattern, and its `?` cells, are unknown.  The text of a grid file may give several generations of
    an oscillator; if it has stator cells (`=`), the cells around it do not change either.  With `rotor` the pattern is
    a whole oscillator, of which the rotor and its neighbours are kept; all other cells are unknown, but do not change.
    A `margin` limits how far the completion reaches beyond the pattern.

    >>> complete(Pattern.from_rows(["OO"]), margin=1).size
    (4, 3)
    """
    if not isinstance(pattern, str):
        pattern = Pattern.of(pattern)
    cells, corner, rule = _given(pattern)
    if common.get("rule") is None:
        common["rule"] = rule
    fields = fields_of(common, None)
    must_allow_completions(fields["rule"])
    if rotor:
        cells, corner = _rotor_of(pattern, fields["rule"], period)
    still = any(cell == STILL for rows in cells for row in rows for cell in row)
    generations = period if period is not None else len(cells)
    fields["cells"] = with_stator(cells, generations)
    given = Problem(len(cells[0][0]), len(cells[0]), kind="complete", generations=generations, **fields)
    if margin is None:
        return Completion(given, still, corner)
    if margin < 0:
        raise InputError(f"the margin should not be negative (it is {margin})")
    must_be_completable(given)
    return (
        Completion(replace(given, conditions=()), still)
        .in_margin(margin)
        .having(**{condition.name: condition.to_json() for condition in given.conditions})
    )


def _given(pattern: Pattern | str) -> tuple[Grid, tuple[int, int], Rule | None]:
    """The cells of a pattern or a grid file, by generation; where they lie; and the rule that comes with them."""
    if isinstance(pattern, str):
        if not formats.is_pattern(pattern):
            return _without_dont_cares(parse_grid(pattern)), (0, 0), None
        pattern = formats.parse(pattern, unknown=True)
    if pattern.torus is not None:
        raise InputError(
            f"the pattern lives on a torus, and is completed in the plane; name a rule, not {pattern.rule}"
        )
    if not pattern.cells.size:
        raise InputError("no cell is alive, so that there is nothing to complete")
    cells = around_pattern(replace(pattern, x=0, y=0), pattern.width, pattern.height)
    return cells, (pattern.x, pattern.y), pattern.rule


def _without_dont_cares(cells: Grid) -> Grid:
    """In a grid file, too, a `?` is an unknown cell."""
    return tuple(tuple(tuple(FREE if cell == DONT_CARE else cell for cell in row) for row in rows) for rows in cells)


def _rotor_of(pattern: Pattern | str, rule: Rule, period: int | None) -> tuple[Grid, tuple[int, int]]:
    """The rotor of an oscillator and its neighbours in all phases, all other cells being still; and where they lie."""
    if isinstance(pattern, str):
        if not formats.is_pattern(pattern):
            raise InputError("a rotor is taken from a whole oscillator, not from a grid file")
        pattern = formats.parse(pattern, unknown=True)
    if pattern.unknown is not None:
        raise InputError("a rotor is taken from a whole oscillator, without `?` cells")
    if rule.is_partial:
        raise InputError(f"a rotor is taken from an oscillator, whose rule leaves nothing open, unlike {rule}")
    try:
        found = identify(replace(pattern, rule=rule.unrestricted))
    except LimitError as error:
        raise InputError(f"the pattern is no oscillator: {error}") from error
    if found.kind != "oscillator":
        raise InputError(f"a rotor is taken from an oscillator, and this is {_called(found.kind)}")
    if period not in (None, found.period):
        raise InputError(f"the oscillator has the period {found.period}, not {period}")
    left, top = (min(place) - 1 for place in zip(*((phase.x, phase.y) for phase in found.phases), strict=True))
    ends = zip(*((phase.x + phase.width, phase.y + phase.height) for phase in found.phases), strict=True)
    right, bottom = (max(place) + 1 for place in ends)
    phases = np.zeros((found.period, bottom - top, right - left), np.uint8)
    for t, phase in enumerate(found.phases):
        phases[t, phase.y - top :, phase.x - left :][: phase.height, : phase.width] = phase.cells
    changing = np.pad(phases.any(axis=0) & ~phases.all(axis=0), 1)
    height, width = phases.shape[1:]
    kept = np.any([changing[y : y + height, x : x + width] for y in range(3) for x in range(3)], axis=0)
    ys, xs = np.nonzero(kept)
    rows, columns = slice(ys.min(), ys.max() + 1), slice(xs.min(), xs.max() + 1)
    cells = tuple(
        tuple(
            tuple(Cell(int(state)) if known else STILL for state, known in zip(*pair, strict=True))
            for pair in zip(phase[rows, columns], kept[rows, columns], strict=True)
        )
        for phase in phases
    )
    return cells, (left + int(xs.min()), top + int(ys.min()))


def _called(kind: str) -> str:
    return {"unknown": "a pattern without a period", "empty": "empty"}.get(kind, f"a {kind}")


FAMILY = Family(
    "complete",
    complete,
    "Find the smallest still life, or oscillator of period P, that contains the cells of FILE: live cells are alive, "
    "dead ones dead, `?` cells and all cells around the file unknown.  FILE may also be a grid file with several "
    "generations.  The margin grows until a completion is proved to be the smallest of all.",
    (
        "satlife complete piece.rle",
        "satlife complete oscillator.rle --rotor",
        "satlife complete piece.rle -p 3 --margin 2 --measure box",
    ),
    (
        Parameter("pattern", "grid", metavar="FILE"),
        Parameter(
            "period",
            "integer",
            "Exact period: 1, or as many generations as FILE has, if it is left out.",
            ("-p", "--period"),
        ),
        Parameter(
            "margin",
            "integer",
            "Cells around FILE that it may reach: any number, if left out.",
            ("--margin",),
        ),
        Parameter(
            "rotor",
            "flag",
            "FILE is a whole oscillator: keep its rotor and what touches it, and find the smallest stator.",
            ("--rotor",),
        ),
    ),
    smallest=True,
)
