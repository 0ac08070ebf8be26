"""The families of questions: plain functions that return a Problem."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from satlife.errors import InputError, LimitError
from satlife.life.formats import rle
from satlife.life.pattern import Cells, Mask, Pattern
from satlife.life.rule import LIFE, Rule, parse_topology
from satlife.life.simulate import advance
from satlife.life.simulate import generations as simulate
from satlife.problem.problem import LARGEST_CELLS, Bound, Problem, Row

Size = tuple[int, int]


def _common(
    rule: Rule | str = LIFE,
    symmetry: str | Sequence[str] = (),
    population: str | Sequence[str | Bound] = (),
    known: Sequence[Sequence[Row]] = (),
    differ: Sequence[tuple[int, int]] = (),
    exclude: Sequence[str | Pattern] = (),
    strict: bool = False,
    tight: bool = False,
) -> dict[str, Any]:
    """The fields that every family takes, from their convenient spellings."""
    bounds = [population] if isinstance(population, str) else population
    return {
        "rule": Rule.parse(rule) if isinstance(rule, str) else rule,
        "symmetry": (symmetry,) if isinstance(symmetry, str) else tuple(symmetry),
        "population": tuple(Bound.parse(b) if isinstance(b, str) else b for b in bounds),
        "cells": tuple(tuple(tuple(row) for row in rows) for rows in known),
        "differ": tuple((min(pair), max(pair)) for pair in differ),
        "exclude": tuple(rle.body(p.crop()) + "!" if isinstance(p, Pattern) else p for p in exclude),
        "strict": strict,
        "tight": tight,
    }


def still_life(size: Size, **common: Any) -> Problem:
    """A pattern that does not change.

    >>> still_life((4, 4)).period
    1
    """
    fields = _common(**common)
    fields["cells"] = _still(fields["cells"], 1)
    return Problem(*size, kind="still life", **fields)


def oscillator(size: Size, period: int, **common: Any) -> Problem:
    """A pattern that comes back after exactly `period` generations.

    A known cell `=` belongs to the stator: it is the same in every generation.
    """
    fields = _common(**common)
    fields["cells"] = _still(fields["cells"], period)
    return Problem(*size, kind="oscillator", generations=period, **fields)


def _still(cells: tuple[tuple[Row, ...], ...], generations: int) -> tuple[tuple[Row, ...], ...]:
    """Give the cells marked `=` one name each in all generations."""
    marked = {(x, y) for rows in cells for y, row in enumerate(rows) for x, word in enumerate(row) if word == "="}
    if not marked:
        return cells
    height, width = next((len(rows), len(rows[0])) for rows in cells if rows)
    out = []
    for t in range(max(generations, len(cells))):
        rows = cells[t] if t < len(cells) and cells[t] else (("*",) * width,) * height
        out.append(
            tuple(
                tuple(f"still_{x}_{y}" if (x, y) in marked else word for x, word in enumerate(row))
                for y, row in enumerate(rows)
            )
        )
    return tuple(out)


def spaceship(
    size: Size,
    period: int,
    displacement: Size,
    moving: bool = False,
    diagonal_width: int | None = None,
    **common: Any,
) -> Problem:
    """A pattern that comes back after exactly `period` generations, moved by `displacement` = (dx, dy); up is -y.

    With `moving` the box travels along: phase t lies in it after its share of the displacement.  `diagonal_width`
    keeps a diagonal ship within so many diagonals around the one through the centre of the box.
    """
    if displacement == (0, 0):
        raise InputError("a spaceship moves; for a displacement of 0,0 ask for an oscillator")
    fields = _common(**common)
    if (moving or diagonal_width is not None) and fields["cells"]:
        raise InputError("known cells do not go together with a moving box or a diagonal width")
    if period >= 1 and moving:
        size, fields["cells"] = _travelling(size, period, displacement)
    if period >= 1 and diagonal_width is not None:
        fields["cells"] = _diagonal_band(size, period, displacement, diagonal_width, fields["cells"])
    return Problem(*size, kind="spaceship", generations=period, displacement=displacement, **fields)


def _travelling(size: Size, period: int, displacement: Size) -> tuple[Size, tuple[tuple[Row, ...], ...]]:
    """A larger box, dead outside a window that moves with the ship."""
    (width, height), (dx, dy) = size, displacement
    places = [(int(dx * t / period), int(dy * t / period)) for t in range(period)]
    left, top = min(x for x, _ in places), min(y for _, y in places)
    whole = (width + max(x for x, _ in places) - left, height + max(y for _, y in places) - top)
    if whole[0] * whole[1] * period > LARGEST_CELLS:
        raise LimitError(f"a moving box of {width}x{height} in {period} generations is larger than the limit")
    cells = []
    for x0, y0 in ((x - left, y - top) for x, y in places):
        across = ["*" if x0 <= x < x0 + width else "0" for x in range(whole[0])]
        cells.append(tuple(tuple(across) if y0 <= y < y0 + height else ("0",) * whole[0] for y in range(whole[1])))
    return whole, tuple(cells)


def _diagonal_band(
    size: Size, period: int, displacement: Size, width: int, cells: tuple[tuple[Row, ...], ...]
) -> tuple[tuple[Row, ...], ...]:
    """Dead cells outside the diagonals next to the one through the centre, along the motion."""
    dx, dy = displacement
    if abs(dx) != abs(dy):
        raise InputError(f"a diagonal width is for ships that move diagonally, not by ({dx},{dy})")
    if width < 1:
        raise InputError(f"the diagonal width should be at least 1, not {width}")
    sign = 1 if dx == dy else -1
    middle = (size[0] - 1) - sign * (size[1] - 1)  # twice the diagonal through the centre
    band = [[abs(2 * (x - sign * y) - middle) < width for x in range(size[0])] for y in range(size[1])]
    before = cells or (((("*",) * size[0],) * size[1]),) * period
    return tuple(
        tuple(tuple(word if band[y][x] else "0" for x, word in enumerate(row)) for y, row in enumerate(rows))
        for rows in before
    )


def torus(size: Size, period: int, displacement: Size = (0, 0), **common: Any) -> Problem:
    """A pattern on a torus that comes back after exactly `period` generations, moved by `displacement`."""
    if isinstance(common.get("rule"), str):
        common["rule"], rolled = parse_topology(common["rule"])
        if rolled not in (None, size):
            raise InputError(f"the rule asks for a torus of {rolled[0]}x{rolled[1]}, the box is {size[0]}x{size[1]}")
    return Problem(
        *size, kind="torus", generations=period, displacement=displacement, wrap=(True, True), **_common(**common)
    )


def wave(size: Size, period: int, displacement: Size = (0, 0), along: str = "x", **common: Any) -> Problem:
    """A wave or wick: infinitely long, repeating itself every width (along x) or height (along y) of the box."""
    if along not in ("x", "y"):
        raise InputError(f"a wave repeats along x or y, not {along!r}")
    wrap = (along == "x", along == "y")
    return Problem(*size, kind="wave", generations=period, displacement=displacement, wrap=wrap, **_common(**common))


def predecessor(
    pattern: Pattern, generations: int = 1, margin: int = 0, rule: Rule | str | None = None, **common: Any
) -> Problem:
    """A pattern that becomes `pattern` after so many generations; `?` cells of the pattern may become anything.

    The predecessors live in the box of the pattern with `margin` cells added on every side.
    """
    if margin < 0:
        raise InputError(f"the margin should not be negative (it is {margin})")
    _no_known_cells(common)
    width, height = max(pattern.width, 1) + 2 * margin, max(pattern.height, 1) + 2 * margin
    if width * height * (generations + 1) > LARGEST_CELLS:
        raise LimitError(f"a predecessor in {width}x{height} cells is larger than the limit")
    fields = _common(rule=pattern.rule if rule is None else rule, **common)
    if fields["rule"].births_from_nothing and generations % 2:
        raise InputError(f"{fields['rule']} has B0: after an odd number of generations everything outside is alive")
    target = np.zeros((height, width), np.uint8)
    unknown = np.zeros((height, width), np.bool_)
    inside = slice(margin, margin + pattern.height), slice(margin, margin + pattern.width)
    target[inside], unknown[inside] = pattern.cells, pattern.mask
    return Problem(
        width,
        height,
        kind="predecessor",
        periodic=False,
        generations=generations,
        nonempty=False,
        **{**fields, "cells": (*((),) * generations, _words(target, unknown))},
    )


def orphan(pattern: Pattern, rule: Rule | str | None = None, **common: Any) -> Problem:
    """A predecessor of the pattern as seen through its box: what lies outside the box, and `?` cells, may be anything.

    If there is none, the pattern is an orphan: it can occur in no pattern that has a past.
    """
    _no_known_cells(common)
    width, height = max(pattern.width, 1) + 2, max(pattern.height, 1) + 2
    target, unknown = np.zeros((height, width), np.uint8), np.ones((height, width), np.bool_)
    if pattern.cells.size:
        target[1:-1, 1:-1] = pattern.cells
    unknown[1:-1, 1:-1] = pattern.mask if pattern.cells.size else False
    return Problem(
        width,
        height,
        kind="orphan",
        periodic=False,
        generations=1,
        nonempty=False,
        open_end=True,
        **{**_common(rule=pattern.rule if rule is None else rule, **common), "cells": ((), _words(target, unknown))},
    )


def _no_known_cells(common: dict[str, Any]) -> None:
    if common.get("known"):
        raise InputError("this question fills in the known cells itself; for others write a grid file")


def _words(cells: Cells, unknown: Mask) -> tuple[Row, ...]:
    """Known cells as words; an unknown one is free and need not follow from its past."""
    return tuple(map(tuple, np.where(unknown, "*'", cells.astype("U3")).tolist()))


GLIDER = Pattern.from_rows(["OOO", "..O", ".O."])  # moves up and to the right
APPROACH = 4  # generations in which it moves by one cell


def eater(
    size: Size = (8, 8), generations: int = 5, lane: int = 0, phase: int = 0, rule: Rule | str = LIFE, **common: Any
) -> Problem:
    """Knuth's question: a still life that eats a glider which comes from the lower left, and recovers.

    The still life lies in a box of the given size, apart from the corner where the glider enters it.  The glider flies
    up and to the right; `lane` moves it to the right (or, negative, upward) and `phase` (0 to 3) lets it enter later in
    its cycle.  It reaches the corner unharmed, and `generations` generations later only the still life is left.
    """
    _no_known_cells(common)
    width, height = size
    if not 0 <= phase <= 3:
        raise InputError(f"a glider has phases 0 to 3, not {phase}")
    if min(width, height) < 6:
        raise InputError(f"an eater needs a box of at least 6x6, not {width}x{height}")
    if generations < 1:
        raise InputError(f"a meal takes at least 1 generation, not {generations}")
    if (width + 1) * (height + 1) * (generations + APPROACH + 2) > LARGEST_CELLS:
        raise LimitError(f"an eater in {width}x{height} cells is larger than the limit")
    glider = advance(GLIDER, phase).crop().cells
    left, bottom = max(lane, 0), height - max(-lane, 0)
    right, top = left + glider.shape[1], bottom - glider.shape[0]
    if right + 1 > width or top < 1:
        raise InputError(f"lane {lane} does not fit into a box of {width}x{height}")
    # We begin four generations earlier, one cell further down and left, in a box with one more column and row there.
    # Two cells lie between the glider and the still life then, so that it may come from anywhere; otherwise it could be
    # that only a glider put into the corner by hand is eaten.
    empty = [["0", *(f"s{x}_{y}" for x in range(width))] for y in range(height)] + [["0"] * (width + 1)]
    for y in range(max(top - 1, 0), height):
        for x in range(min(right + 1, width)):
            empty[y][x + 1] = "0"
    arrival = []
    for there in itertools.islice(simulate(Pattern(glider, left, top + 1)), APPROACH + 1):
        rows = [row.copy() for row in empty]
        for x, y in there.points():
            rows[y][x] = "1"
        arrival.append(tuple(map(tuple, rows)))
    # After the meal one generation repeats the last, so that what is left is a still life.
    final = tuple(map(tuple, empty))
    cells = (*arrival, *((),) * (generations - 1), final, final)
    return Problem(
        width + 1,
        height + 1,
        kind="eater",
        periodic=False,
        generations=generations + APPROACH + 1,
        nonempty=False,
        **{**_common(rule=rule, **common), "cells": cells},
    )


def grid(
    text: str, period: int | None = None, displacement: Size = (0, 0), rule: Rule | str = LIFE, **common: Any
) -> Problem:
    """The general case: blocks of rows, one a generation (see `parse_grid`); with a period, of a periodic pattern."""
    _no_known_cells(common)
    cells = parse_grid(text)
    if period is None and len(cells) == 1:
        period = 1
    steps = len(cells) - 1 if period is None else period
    cells = _still(cells, len(cells) if period is None else period)
    return Problem(
        len(cells[0][0]),
        len(cells[0]),
        kind="grid",
        periodic=period is not None,
        generations=steps,
        displacement=displacement,
        nonempty=period is not None,
        **{**_common(rule=rule, **common), "cells": cells},
    )


def parse_grid(text: str) -> tuple[tuple[Row, ...], ...]:
    """Cells `0 1 * .` and names, generations separated by blank lines; `-name` negates, `'` frees from the rule.

    >>> parse_grid("01\\n1*\\n\\na -a'\\n. *\\n")
    ((('0', '1'), ('1', '*')), (('a', "-a'"), ('0', '*')))
    """
    blocks: list[list[Row]] = [[]]
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        bare = line.split("#")[0].strip()
        if not bare:
            if blocks[-1] and not line.strip():
                blocks.append([])
            continue
        words = [word for word in re.split(r"[\s,]+", bare) if word]
        if len(words) == 1 and re.fullmatch(r"[01*.?=]+", bare):
            words = list(bare)
        row = []
        for given in words:
            word = _plain(given)
            plain = word.removesuffix("'")
            if not re.fullmatch(r"[01*.?=]|-?[A-Za-z_][A-Za-z0-9_]*", plain):
                where = f"line {number}, column {line.find(given) + 1}"
                raise InputError(f"{where}: {given!r} is not 0, 1, *, . or a name")
            tick = "'" if word.endswith("'") else ""
            row.append({".": "0", "?": "*'"}.get(plain, plain + tick) + (tick if plain == "." else ""))
        expected = next((len(block[0]) for block in blocks if block), len(row))
        if len(row) != expected:
            raise InputError(f"line {number}: this row has {len(row)} cells, the first has {expected}")
        blocks[-1].append(tuple(row))
    if not blocks[-1]:
        blocks.pop()
    if not blocks:
        raise InputError("the grid has no cells")
    for t, block in enumerate(blocks):
        if len(block) != len(blocks[0]):
            raise InputError(f"generation {t} has {len(block)} rows, generation 0 has {len(blocks[0])}")
    return tuple(tuple(block) for block in blocks)


_OPPOSITES = {"-0": "1", "-1": "0", "-*": "*"}


def _plain(word: str) -> str:
    """A word of a grid as we write it; Logic Life Search has a few more spellings.

    >>> [_plain(word) for word in ("-0", "--a", "-1'", "*’", "2x")]
    ['1', 'a', "0'", "*'", '_2x']
    """
    word = word.replace("’", "'").replace("--", "")
    word, tick = word.removesuffix("'"), "'" * word.endswith("'")
    if re.fullmatch(r"-?[0-9]+[A-Za-z_][A-Za-z0-9_]*", word):  # a name that begins with a digit
        word = f"-_{word[1:]}" if word[0] == "-" else f"_{word}"
    return _OPPOSITES.get(word, word) + tick


__all__ = [
    "eater",
    "grid",
    "orphan",
    "oscillator",
    "parse_grid",
    "predecessor",
    "spaceship",
    "still_life",
    "torus",
    "wave",
]  # fmt: skip
