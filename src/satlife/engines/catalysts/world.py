"""The arrays of a search for catalysts: what is asked, and how far it has come."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from satlife.engines.catalysts import completion, places
from satlife.engines.catalysts.places import AHEAD
from satlife.engines.catalysts.still import ALIVE, CELL, COUNTS, DEAD, LIVING, OPTIONS, TAIL, TOLD
from satlife.engines.catalysts.still import UNKNOWN as MARK
from satlife.life.pattern import Cells
from satlife.life.rule import Rule
from satlife.life.simulate import next_states
from satlife.problem.conditions.catalyst import ACTIVE, GIVEN, OFF, STATOR, UNKNOWN, Catalyst, Extent, PlacedCells
from satlife.problem.problem import Problem

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Signed = npt.NDArray[np.int8]

ROOM = 1 << 16  # cells around flips, in all generations, at first
KINDS = 18  # of options
ALONE = 1 | 1 << MARK | TOLD  # a cell far from all that may be alive


class Still(NamedTuple):
    """The unknown still life; see `still`."""

    used: Longs
    around: Longs  # the steps from a cell to its neighbours
    block: Longs  # and to itself
    cells: Longs
    queue: Ints
    trail: Longs  # words before they changed
    probed: Longs  # when a cell was last tried


class CompletionSearch(NamedTuple):
    """The search for the rest of the still life; see `completion`."""

    progress: Longs
    field: Ints  # the cells whose state may matter
    stack: Longs
    pieces: Longs  # forbidden ones: where their cells begin and end
    piece_cells: Ints  # cell and state


class World(NamedTuple):
    """The history, and what is asked of it; see `kernel` and `places`."""

    still: Still
    numbers: Longs
    limits: Longs
    table: Ints  # options by expectation, key and outcome
    disturbs: Bytes  # by expectation and outcome: whether the reaction is not as it would be alone
    expected: Bytes  # by generation and cell
    exempt: Bytes
    stator: Bytes
    distance: Bytes  # from all that may be alive, up to AHEAD
    pieces: Longs  # filters, then forbidden pieces: where their cells begin and end, when they are due, and their kind
    piece_cells: Ints  # cell and state
    span: Longs
    flips: Ints
    cells: Ints  # those to decide: cell, key, and where it was in the list before it was decided
    stack: Longs
    saved: Longs
    choices: Ints
    path: Longs  # of the branches where the search was left; see `places`
    options: Ints  # of the cell in question, by outcome
    since: Ints  # the generation in which a cell was first active
    ever: Ints  # the cells that were active, in that order
    ever_box: Longs
    key: Signed  # scratch
    listed: Bytes  # scratch
    scratch: Ints
    around: Ints  # scratch
    box: Longs  # scratch
    open: Longs  # a cell to branch on


class Layout:
    """The plane of a search: the box with a margin that light does not cross before the end."""

    def __init__(self, problem: Problem, asked: Catalyst) -> None:
        self.margin = asked.last + 4
        self.box = problem.size
        self.width, self.height = (side + 2 * self.margin for side in problem.size)

    def spread(self, cells: Cells) -> Bytes:
        """The cells of the box as a flat array of the plane."""
        return np.pad(cells, self.margin).ravel()

    def cell(self, x: int, y: int) -> int:
        """The number of a cell of the box, or beyond it."""
        x, y = x + self.margin, y + self.margin
        return y * self.width + x if 0 <= x < self.width and 0 <= y < self.height else -1

    def grid(self, flat: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
        """The box, from a flat array of the plane."""
        m = self.margin
        return flat.reshape(self.height, self.width)[m : self.height - m, m : self.width - m]


def sums(flat: Bytes, layout: Layout) -> Ints:
    """How many of its neighbours are marked, for every cell that is not on the border of the plane."""
    plane = flat.reshape(layout.height, layout.width).astype(np.int32)
    total = np.zeros_like(plane)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            total += np.roll(plane, (dy, dx), (0, 1)) if dx or dy else 0
    return total.ravel()


def stable_options(rule: Rule) -> int:
    """The options that a cell of a still life has in a rule, as bits."""
    counts = rule.counts
    assert counts is not None
    births, survivals = counts
    dead = sum(1 << k for k in range(9) if k not in births)
    return dead | sum(1 << (9 + k) for k in range(9) if k in survivals)


def outcome_table(rule: Rule) -> tuple[Ints, Bytes]:
    """The options of each outcome, and which outcomes show that the reaction is not alone."""
    assert rule.counts is not None
    births, survivals = map(set, rule.counts)
    table = np.zeros((places.EXPECTATIONS, places.KEYS, places.OUTCOMES), np.int32)
    disturbs = np.zeros((places.EXPECTATIONS, places.OUTCOMES), np.uint8)
    disturbs[places.LEAVES, [places.DIES, places.TOUCHED, places.APART]] = 1
    disturbs[places.FLIPS, [places.DIES, places.AVERTED]] = 1
    disturbs[places.DISTURBS, [places.AS_BEFORE, places.AVERTED, places.TOUCHED, places.APART]] = 1
    for flip in (0, 1):
        for change in range(-places.SHIFT, places.SHIFT + 1):
            key = flip * (places.KEYS // 2) + change + places.SHIFT
            for state in (0, 1):
                for k in range(max(0, -change), min(8, 8 - change) + 1):
                    following = k + change in (survivals if state ^ flip else births)
                    for expected in range(places.EXPECTATIONS):
                        outcome = _outcome(state, k, following, expected)
                        table[expected, key, outcome] |= 1 << (9 * state + k)
    return table, disturbs


def _outcome(state: int, k: int, following: bool, expected: int) -> int:
    if following != bool(state):
        return places.DIES if state else places.TOUCHED if k else places.APART
    averted = expected == places.DISTURBS or (expected == places.FLIPS and not state)
    return places.AVERTED if averted else places.AS_BEFORE


def expectations(problem: Problem, asked: Catalyst, layout: Layout) -> Bytes:
    """What the reaction alone does to every cell, by generation, until the interaction has to begin."""
    shape = (layout.height, layout.width)
    given = layout.spread(asked.layer(GIVEN + OFF + STATOR)).reshape(shape)
    alone = layout.spread(asked.layer(ACTIVE + GIVEN + STATOR)).reshape(shape)
    found = np.zeros((asked.first[1] + 2, given.size), np.uint8)
    for t in range(1, len(found)):
        flips = (alone != given).astype(np.uint8)
        near = flips.ravel() + sums(flips.ravel(), layout) > 0
        following = np.pad(next_states(alone, problem.rule), 1)
        alone = np.where(near.reshape(shape), following, given).astype(np.uint8)
        found[t] = np.where(alone == given, places.LEAVES, np.where(given, places.DISTURBS, places.FLIPS)).ravel()
    return found


def distances(field: Ints, layout: Layout) -> Bytes:
    """How far cells are from the nearest of the field, in steps of a king, up to as far as the search looks ahead."""
    near = np.zeros(layout.width * layout.height, np.uint8)
    near[field] = 1
    far = np.where(near, 0, AHEAD).astype(np.uint8)
    for distance in range(1, AHEAD):
        near = (near + sums(near, layout) > 0).astype(np.uint8)
        far[(near == 1) & (far > distance)] = distance
    return far


def unknown_still_life(problem: Problem, asked: Catalyst, layout: Layout) -> tuple[Still, Ints]:
    """The still life as far as it is given, and the cells whose state may matter."""
    w = layout.width
    around = np.array([-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1], np.int64)
    unknown = layout.spread(asked.layer(UNKNOWN))
    given = layout.spread(asked.layer(GIVEN + OFF + STATOR))
    side = np.where(unknown == 1, OPTIONS, np.where(given == 1, ALIVE, DEAD))
    living, free = sums(given, layout).astype(np.int64), sums(unknown, layout).astype(np.int64)
    possible = (2 << free) - 1
    cells = (stable_options(problem.rule) & side) >> living & (possible | possible << 9)
    cells |= 1 << (free + MARK) | living << LIVING | np.where(unknown, 0, TOLD)
    near = unknown + given + sums(unknown + given, layout) > 0
    cells[~near] = ALONE
    cells |= np.arange(len(cells)) << CELL
    field = np.flatnonzero(near).astype(np.int32)
    count = np.zeros(COUNTS, np.int64)
    changes = (KINDS + 9) * (len(field) + 9)
    queue = np.zeros(changes, np.int32)
    queue[: len(field)] = field
    count[TAIL] = len(field)
    trail = np.zeros(changes, np.int64)
    probed = np.zeros(len(cells), np.int64)
    life = Still(
        used=count,
        around=around,
        block=np.append(around, 0),
        cells=cells,
        queue=queue,
        trail=trail,
        probed=probed,
    )
    return life, field


def pieces(given: tuple[PlacedCells, ...], layout: Layout) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """Where the cells of each piece begin and end in a list, when it is due, and its kind; and the list."""
    table, cells = [], list[tuple[int, int]]()
    for piece in given:
        first = len(cells)
        cells += [(layout.cell(x, y), state) for x, y, state in piece.cells()]
        table.append([first, len(cells), piece.generation, places.SOME_TIME if piece.some else places.EXACT])
    return table, cells


def completion_of(field: Ints, asked: Catalyst, layout: Layout) -> CompletionSearch:
    """The search for the rest of a still life, not begun."""
    table, cells = pieces(asked.forbidden, layout)
    return CompletionSearch(
        progress=np.zeros(completion.PROGRESS, np.int64),
        field=field,
        stack=np.zeros((len(field) + 2, 3), np.int64),
        pieces=np.array(table, np.int64).reshape(-1, 4),
        piece_cells=np.array(cells, np.int32).reshape(-1, 2),
    )


def world(problem: Problem, asked: Catalyst, layout: Layout, life: Still, field: Ints) -> World:
    """The search for catalysts, not begun."""
    size = layout.width * layout.height
    table, cells = pieces(asked.filters + asked.forbidden, layout)
    stator, given = layout.spread(asked.layer(STATOR)), layout.spread(asked.layer(GIVEN + OFF + STATOR))
    exempt = ((given + sums(given, layout) > 0) & (stator == 0) & asked.exempt).astype(np.uint8)
    levels = KINDS * (len(field) + 9)
    outcomes, disturbs = outcome_table(problem.rule)
    span = np.zeros((asked.last + 4, places.SPAN), np.int64)
    flips = np.zeros(ROOM, np.int32)
    start = np.flatnonzero(layout.spread(asked.layer(ACTIVE + OFF)))
    flips[: len(start)] = start
    span[0, places.FLIP_END] = len(start)
    return World(
        still=life,
        numbers=_numbers(asked, layout),
        limits=_limits(asked),
        table=outcomes,
        disturbs=disturbs,
        expected=expectations(problem, asked, layout),
        exempt=exempt,
        stator=stator,
        distance=distances(field, layout),
        pieces=np.array(table, np.int64).reshape(-1, 4),
        piece_cells=np.array(cells, np.int32).reshape(-1, 2),
        span=span,
        flips=flips,
        cells=np.zeros((ROOM, 3), np.int32),
        stack=np.zeros((levels, places.BRANCH), np.int64),
        saved=np.zeros((levels, places.SPAN + 1), np.int64),
        choices=np.zeros((levels, places.OUTCOMES), np.int32),
        path=np.zeros((1, places.PATH_CHOICES + places.OUTCOMES), np.int64),
        options=np.zeros(places.OUTCOMES, np.int32),
        since=np.zeros(size, np.int32),
        ever=np.zeros(len(field) + 9, np.int32),
        ever_box=np.array([1 << 30, -1, 1 << 30, -1], np.int64),
        key=np.zeros(size, np.int8),
        listed=np.zeros(size, np.uint8),
        scratch=np.zeros(size, np.int32),
        around=np.zeros(size, np.int32),
        box=np.zeros(4, np.int64),
        open=np.zeros(1, np.int64),
    )


def _numbers(asked: Catalyst, layout: Layout) -> Longs:
    numbers = np.zeros(places.NUMBERS, np.int64)
    numbers[places.WIDTH] = layout.width
    numbers[[places.EARLIEST, places.LATEST]] = asked.first
    numbers[[places.SHORTEST, places.LONGEST]] = asked.lasts
    numbers[places.STABLE] = asked.stable
    numbers[[places.FILTERS, places.FORBIDDEN]] = len(asked.filters), len(asked.forbidden)
    numbers[places.MOST_ACTIVE : places.MOST_ACTIVE + 3] = _extent(asked.active)
    numbers[places.MOST_EVER : places.MOST_EVER + 3] = _extent(asked.ever_active)
    numbers[places.EATEN] = asked.eaten
    numbers[places.LIMITS] = asked.limits_more_than_activity
    return numbers


def _limits(asked: Catalyst) -> Longs:
    limits = np.full(places.LIMITS_END, -1, np.int64)
    sets = (asked.changes, asked.part_active, asked.part_ever_active, asked.part_changes)
    limits[: 3 * len(sets)] = [number for extent in sets for number in _extent(extent)]
    cells = (asked.cell_window, asked.cell_streak, asked.cell_distance)
    limits[places.CELL_WINDOW :] = [-1 if number is None else number for number in cells]
    return limits


def _extent(extent: Extent) -> tuple[int, int, int]:
    return -1 if extent.cells is None else extent.cells, *(extent.box or (-1, -1))


def path_of(w: World) -> Longs:
    """The branches that are begun, with the choice that each has come to: what is left of the search."""
    levels = int(w.numbers[places.LEVEL])
    stack = w.stack[:levels]
    path = np.concatenate([stack[:, [places.TIME, places.PLACE, places.NEXT, places.END]], w.choices[:levels]], axis=1)
    begun = path[:, places.PATH_NEXT]
    begun[begun > 0] -= 1  # a choice that was not looked at to its end is made again
    return path


def left_at(w: World, path: Longs) -> World:
    """The search, not begun, with a path that it goes on from."""
    w.numbers[places.PATH] = len(path)
    return w._replace(path=path) if len(path) else w


def enlarged(w: World) -> World:
    """The same search with twice the room for flips and the cells around them."""
    cells, flips = (np.concatenate([array, np.zeros_like(array)]) for array in (w.cells, w.flips))
    return w._replace(cells=cells, flips=flips)
