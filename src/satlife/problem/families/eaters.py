"""Eaters: still lifes that eat a glider and recover."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError, counted
from satlife.life import history
from satlife.life.identify import identify
from satlife.life.pattern import Pattern
from satlife.life.simulate import advance
from satlife.life.simulate import generations as simulate
from satlife.problem.cell import ALIVE, DEAD, Cell, turned_grid
from satlife.problem.families.catalysts import catalyst
from satlife.problem.families.family import Box, Common, Family, Parameter, Size, asking, box, fields_of, whole
from satlife.problem.problem import LARGEST_CELLS, Problem

GLIDER = Pattern.from_rows(["OOO", "..O", ".O."])  # moves up and to the right
APPROACH = 4  # generations in which it moves by one cell


#: Where the glider flies, and how the box is turned for that.
HEADINGS = {"NE": "I", "NW": "F|", "SE": "F-", "SW": "R180"}
#: The directions of patterns that are to be eaten.
DIRECTIONS = {
    "NE": (1, -1), "NW": (-1, -1), "SE": (1, 1), "SW": (-1, 1), "N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0),
}  # fmt: skip
ARRIVAL = 40  # generations within which a pattern reaches what eats it


@asking
def eater(
    size: Box = (8, 8),
    generations: int = 5,
    lane: int = 0,
    phase: int = 0,
    heading: str = "NE",
    of: npt.ArrayLike | None = None,
    **common: Unpack[Common],
) -> Problem:
    """Knuth's question: a still life that eats a glider which comes from the lower left, and recovers.

    The still life lies in a box of the given size, apart from the corner where the glider enters it.  The glider flies
    up and to the right; `lane` moves it to the right (or, negative, upward) and `phase` (0 to 3) lets it enter later in
    its cycle.  It reaches the corner unharmed, and `generations` generations later only the still life is left.
    Another `heading` (NW, SE, SW) mirrors all of this.

    With `of` it is that pattern which is to be eaten, by a still life in a box ahead of it: where it flies, or where
    `heading` says (N, E, S and W, too) if it does not move.  The still life recovers within `generations`.
    """
    size, generations = box(size), whole("number of generations", generations)
    if of is not None:
        if lane or phase:
            raise InputError("lane and phase are for a glider; draw another pattern as it is to arrive")
        return _of(Pattern.of(of), size, generations, heading, common)
    fields = fields_of(common, None)
    width, height = size
    if heading not in HEADINGS:
        raise InputError(f"a glider heads for {', '.join(HEADINGS)}, not {heading!r}")
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
    # Generation 0 is four generations earlier, with the glider one cell further down and to the left, in a box with one
    # more column and row there.  Two dead cells then separate glider and still life, so that the glider can arrive from
    # afar; otherwise there might be eaters only for a glider that starts in the corner.
    empty = [[DEAD, *(Cell(name=f"s{x}_{y}") for x in range(width))] for y in range(height)] + [[DEAD] * (width + 1)]
    for y in range(max(top - 1, 0), height):
        for x in range(min(right + 1, width)):
            empty[y][x + 1] = DEAD
    arrival = []
    for there in itertools.islice(simulate(Pattern(glider, left, top + 1)), APPROACH + 1):
        rows = [row.copy() for row in empty]
        for x, y in there.points():
            rows[y][x] = ALIVE
        arrival.append(tuple(map(tuple, rows)))
    # One more generation after the meal equals the last, so that what is left is a still life.
    final = tuple(map(tuple, empty))
    fields["cells"] = turned_grid((*arrival, *((),) * (generations - 1), final, final), HEADINGS[heading])
    return Problem(
        width + 1,
        height + 1,
        kind="eater",
        periodic=False,
        generations=generations + APPROACH + 1,
        nonempty=False,
        **fields,
    )


def _of(pattern: Pattern, size: Size, generations: int, heading: str, common: Common) -> Problem:
    """The catalyst that eats a pattern: a box of unknown cells ahead of it, two dead cells away."""
    pattern = replace(pattern.crop(), x=0, y=0)
    if pattern.is_empty():
        raise InputError("there is nothing to be eaten: the pattern is empty")
    if heading not in DIRECTIONS:
        raise InputError(f"a pattern heads for {', '.join(DIRECTIONS)}, not {heading!r}")
    moved = identify(pattern).displacement
    dx, dy = moved if any(moved) else DIRECTIONS[heading]
    left, width = _ahead(pattern.width, size[0], dx)
    top, height = _ahead(pattern.height, size[1], dy)
    right, bottom = max(pattern.width, left + width), max(pattern.height, top + height)
    x, y = max(-left, 0), max(-top, 0)  # where the pattern lies
    states = np.zeros((y + bottom, x + right), np.uint8)
    states[y + top : y + top + height, x + left : x + left + width] = history.UNKNOWN
    states[y : y + pattern.height, x : x + pattern.width] |= pattern.cells
    common = {**common, "rule": common.get("rule") or pattern.rule}
    return catalyst(history.rle(states), (0, ARRIVAL), (0, generations), eaten=True, **common)


def _ahead(length: int, side: int, direction: int) -> tuple[int, int]:
    """Where a side of the box begins, seen from a pattern of this length, and how long it is."""
    if direction == 0:
        return (length - side) // 2, side
    return (length + 2 if direction > 0 else -side - 2), side


def recognise(question: Problem) -> Mapping[str, object] | None:
    """The parameters that ask this question: lane and phase of the glider are found by trying all."""
    if question.kind != "eater":
        return None
    width, height = question.width - 1, question.height - 1
    meal = question.generations - APPROACH - 1
    for lane, phase, heading in itertools.product(sorted(range(-height, width), key=abs), range(4), HEADINGS):
        with suppress(InputError):
            if eater((width, height), meal, lane, phase, heading, rule=question.rule) == question:
                own = {"size": (width, height), "generations": meal, "lane": lane, "phase": phase}
                return {**own, "heading": heading}
    return None


def title(own: Mapping[str, Any]) -> tuple[str, str]:
    """What a find is called, and where its first generation comes from; `own` are the parameters of the question.

    >>> title({"size": (8, 8), "generations": 1})[0]
    'eater in 8x8, a meal of 1 generation'
    """
    (width, height), meal = own["size"], own["generations"]
    return (
        f"eater in {width}x{height}, a meal of {counted(meal, 'generation')}",
        f"generation 0 has the glider {APPROACH} generations before it reaches the box, hence {width + 1}x{height + 1};"
        f" in generation {APPROACH + meal} only the eater is left",
    )


FAMILY = Family(
    "eater",
    eater,
    "Find a still life (in 8x8 by default) that eats a glider and recovers; the glider comes from the lower left, or "
    "as --heading says.  The answer begins four generations before the glider reaches the box, with one more column "
    "and row for it.  With --of FILE the still life eats any pattern.",
    (
        "satlife eater 8x8 -g 5",
        "satlife eater 8x8 -g 5 --heading SW",
        "satlife eater 9x9 -g 12 --of lwss.rle",
    ),
    (
        Parameter("size", "box", metavar="[WxH]", default=(8, 8)),
        Parameter(
            "generations",
            "integer",
            "Generations from the glider's reaching the corner until only the eater is left.",
            ("-g", "--generations"),
            default=5,
        ),
        Parameter(
            "lane",
            "integer",
            "Shift the glider's path: so many cells to the right, or upward if negative.",
            ("--lane",),
            default=0,
        ),
        Parameter("phase", "integer", "Phase of the glider, 0 to 3.", ("--phase",), default=0),
        Parameter(
            "heading",
            "choice",
            "Where the glider flies: NE comes from the lower left.",
            ("--heading",),
            default="NE",
            choices=tuple(DIRECTIONS),
        ),
        Parameter("of", "pattern", "Eat this pattern instead of a glider.", ("--of",), metavar="FILE"),
    ),
    recognise,
    title=title,
    marks=True,
)
