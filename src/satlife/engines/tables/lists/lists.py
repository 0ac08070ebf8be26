"""Counting by sorted lists: of the states of the profile, only those that occur.

Where the conditions are as many as the cells, as for still lifes on a torus or oscillators of period 2, few of the
states that a table has room for are ever reached.  A list has a key for each state that is, the contents of its cells
as bits, and the number of ways to reach it.  The oldest cell is the lowest bit.  A new cell becomes the highest bit, so
the states with the new cell dead, and after them those with it alive, come in ascending order if the old ones did; and
a cell that is forgotten is among the lowest, so states that become equal are neighbours.  Nothing is hashed or
searched; a step reads one list from beginning to end and writes another.

Two things make the lists shorter.  At the end of a row, states that a symmetry of the question maps to each other have
the same continuations, and are replaced by one of them.  And if the question is symmetric from top to bottom, only the
upper half is built: the lower one is its mirror image, and the two are joined where they meet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from satlife import native
from satlife.engines.tables.lists import merging
from satlife.engines.tables.model import FALSE, TRUE, TableModel, transposed
from satlife.engines.tables.symmetries import Permutation, row_reflections, row_symmetries
from satlife.engines.tables.table.plan import Ordering, grouped
from satlife.engines.tables.threads import ThreadPool
from satlife.errors import LimitError
from satlife.memory import require
from satlife.records import dataclass

Keys = npt.NDArray[np.int64]
Values = npt.NDArray[np.uint64]
States = tuple[Keys, Values]

KEY_BITS = 62  # bits of a key
PART = 1 << 17  # states in a chunk for a thread: a few milliseconds
STATE = 16  # bytes


@dataclass(frozen=True)
class Move:
    """One pass over the list: place a cell, check, or forget a cell; see `merging.advance`."""

    gather: Keys
    table: npt.NDArray[np.uint8]
    drop: int = -1
    top: int = -1
    weight: int = 0  # the live cells of generation 0, if the cell that is placed is alive


@dataclass
class RowMoves:
    """The moves of a row, and the variables whose contents are the key at its end, the lowest bit first."""

    placed: int  # variables placed at the end of the row
    moves: list[Move] = field(default_factory=list)
    profile: tuple[int, ...] = ()


@dataclass(frozen=True)
class ListPlan:
    """The rows of a model; where to join them with their mirror image, and how."""

    model: TableModel
    rows: list[RowMoves]
    group: list[Permutation]  # the symmetries of each row
    join: tuple[int, int, Permutation] | None  # a row, the same or the next one, and the reflection between them

    def by_population(self) -> ListPlan:
        """The plan for counts by population: all rows are built, with the symmetries that keep the number of live cells
        in generation 0."""
        weights = np.array(self.model.weights)
        group = [permutation for permutation in self.group if (weights[permutation] == weights).all()]
        return replace(self, group=group, join=None)

    @property
    def used(self) -> list[RowMoves]:
        """The rows that are built."""
        return self.rows if self.join is None else self.rows[: self.join[1] + 1]


def list_plan(model: TableModel) -> ListPlan:
    """The plan with the shorter keys, by rows or by columns; a LimitError if they are too long."""
    _, height, width = model.cells.shape
    plans = []
    if min(width, height) > KEY_BITS:
        raise LimitError(f"a row of a box of {width}x{height} is too long for a list")
    for turned in (width > height,) if model.regular else (False, True):
        way = transposed(model) if turned else model
        with suppress(LimitError):
            plans.append((way, rows_of(way)))
    if not plans:
        raise LimitError(
            f"the states of a box of {width}x{height} have more than {KEY_BITS} cells, too many for a list"
        )
    model, rows = min(plans, key=lambda plan: max((len(row.profile) for row in plan[1]), default=0))
    group = row_symmetries(model)
    return ListPlan(model, rows, group, _join(Ordering(model), rows, group, row_reflections(model)))


def rows_of(model: TableModel) -> list[RowMoves]:
    """The rows of a model; a LimitError if a state has too many cells."""
    ordering, profile, rows = Ordering(model), list[int](), list[RowMoves]()
    ends = [*ordering.starts[1:], len(ordering.order)]
    for start, end in zip(ordering.starts, ends, strict=True):
        row = RowMoves(end)
        for number in range(start, end):
            row.moves.extend(_moves(model, ordering, number, profile))
            if len(profile) >= KEY_BITS:
                raise LimitError(f"a state has more than {KEY_BITS} cells")
        row.profile = tuple(profile)
        rows.append(row)
    return rows


def _moves(model: TableModel, ordering: Ordering, number: int, profile: list[int]) -> Iterator[Move]:
    """Place a variable, with the checks that it completes, and forget those that are not needed any more."""
    variable, dying = int(ordering.order[number]), ordering.dying(number)
    first, *others = grouped(ordering.completed[number])
    scope = sorted({item for check in first for item in check if item >= 0} - {variable}, key=profile.index)
    fine = _allowed(model, first, [variable, *scope]).reshape(-1, 2)
    table, gather = (fine @ np.array([1, 2])).astype(np.uint8), _gather(profile, scope)
    drop = profile.index(dying[0]) if dying and not others else -1
    if drop >= 0:
        profile.remove(dying.pop(0))
    profile.append(variable)
    yield Move(gather, table, drop, len(profile) - 1, model.weights[variable])
    for group in others:
        scope = sorted({item for check in group for item in check if item >= 0}, key=profile.index)
        yield Move(_gather(profile, scope), _allowed(model, group, scope).astype(np.uint8))
    if ordering.last_use[variable] == number:
        dying.append(variable)
    for item in dying:
        yield Move(np.zeros((3, 0), np.int64), np.ones(1, np.uint8), profile.index(item))
        profile.remove(item)


def _allowed(model: TableModel, checks: list[list[int]], scope: list[int]) -> npt.NDArray[np.bool_]:
    """For all contents of the variables in scope, whether the checks hold."""
    bits = np.arange(1 << len(scope))
    value = {FALSE: np.zeros_like(bits), TRUE: np.ones_like(bits)}
    value |= {item: bits >> k & 1 for k, item in enumerate(scope)}
    fine = np.ones(len(bits), np.bool_)
    for check in checks:
        block = sum((value[item] << 8 - k for k, item in enumerate(check[:9])), start=np.zeros_like(bits))
        fine &= model.rule[block] == value[check[9]]
    return fine


def _gather(profile: list[int], scope: list[int]) -> Keys:
    """Runs of neighbouring bits of the key, each with its place in the index of a table."""
    places = [profile.index(item) for item in scope]
    cuts = [0, *(k for k in range(1, len(places)) if places[k] != places[k - 1] + 1), len(places)]
    runs = [(places[a], (1 << b - a) - 1, a) for a, b in pairwise(cuts) if a < b]
    return np.ascontiguousarray(np.array(runs, np.int64).reshape(-1, 3).T)


def _join(
    ordering: Ordering, rows: list[RowMoves], group: list[Permutation], reflections: list[Permutation]
) -> tuple[int, int, Permutation] | None:
    """The first rows at which two halves, one of them reflected, meet: they share the cells of the profile and no
    others, have all cells together, and every check once."""
    known = {permutation.tobytes() for permutation in group}
    variables = set(ordering.order.tolist())
    for lower in range(len(rows)):
        for upper in {lower - 1, lower} - {-1}:
            for turn in reflections:
                if (
                    any(turn[p[turn]].tobytes() not in known for p in group)
                    or (turn[turn] != np.arange(len(turn))).any()
                ):
                    continue
                if _meet(ordering, rows[upper], rows[lower], turn, variables):
                    return upper, lower, turn
    return None


def _meet(ordering: Ordering, upper: RowMoves, lower: RowMoves, turn: Permutation, variables: set[int]) -> bool:
    above = set(ordering.order[: upper.placed].tolist())
    below = set(turn[ordering.order[: lower.placed]].tolist())
    shared = set(upper.profile)
    if above & below != shared or shared != set(turn[list(lower.profile)].tolist()) or above | below != variables:
        return False
    checks = [{item for item in check if item >= 0} for lot in ordering.completed for check in lot]
    return all((check <= above) != (check <= below) for check in checks)


class SortedList:
    """The states that occur, in ascending order of their keys, and the number of ways to reach each of them."""

    def __init__(self, pool: ThreadPool, prime: int = 0, worth: float = math.inf, shift: int = 0) -> None:
        self.pool, self.prime, self.worth = pool, prime, worth
        self.shift = shift  # a live cell of generation 0 counts 2^shift times, modulo the prime
        self.keys, self.values = np.zeros(1, np.int64), np.ones(1, np.uint64)
        self.visited = self.longest = 0
        self.overflown = False  # whether a sum exceeded 64 bits
        self.compiled = native.is_compiled()
        self._modulus = np.array([prime], np.uint64)

    def apply(self, move: Move) -> None:
        """Apply a move to all states; a LimitError if the list becomes too long."""
        cuts = self._cuts(move.drop)
        found: dict[int, tuple[States, States]] = {}

        def work(start: int, stop: int) -> None:
            for part in range(start, stop):
                here = slice(cuts[part], cuts[part + 1])
                dead, alive = self.advanced(self.keys[here], self.values[here], move)
                found[part] = dead, (alive[0], self._weighted(alive[1], move.weight))

        with native.until(self.pool.is_late):
            self.advanced(self.keys[:0], self.values[:0], move)
        self.pool.each(len(cuts) - 1, 1, work)
        self.visited += len(self.keys)
        parts = [found[part][new] for new in (0, 1) for part in range(len(cuts) - 1)]
        found.clear()
        self.keys, self.values = _concatenated(parts)
        self._must_be_short()

    def _weighted(self, values: Values, weight: int) -> Values:
        """The values of states in which a cell of this weight is alive."""
        if not self.shift or not weight:
            return values
        return values * np.uint64(pow(2, self.shift * weight, self.prime)) % np.uint64(self.prime)

    def _must_be_short(self) -> None:
        size = len(self.keys)
        self.longest = max(self.longest, size)
        self.pool.did(size)
        if self.visited > self.worth:
            raise LimitError(f"lists of {size:,} states are not shorter than a table")
        if size > PART:
            limit = self.pool.limits.bytes
            left = limit and limit - STATE * size  # the list itself has been allocated
            require(2 * STATE * size, f"a list of {size:,} states", left)

    def _cuts(self, drop: int) -> list[int]:
        """Where the list is divided into chunks: never between states that may become equal."""
        size = len(self.keys)
        wanted = np.arange(PART, size, PART)
        if drop >= 0:
            first = self.keys[wanted] >> drop + 1 << drop + 1
            wanted = np.unique(np.searchsorted(self.keys, first))
        return [0, *wanted[wanted > 0].tolist(), size]

    def advanced(self, keys: Keys, values: Values, move: Move) -> tuple[States, States]:
        """Some of the states after a move: those with the new cell dead, and those with it alive."""
        if not self.compiled:
            return self.plainly(keys, values, move)
        size, counts = len(keys), np.zeros(3, np.int64)
        dead, alive = np.empty(size, np.int64), np.empty(size, np.int64)
        dead_values, alive_values = np.empty(size, np.uint64), np.empty(size, np.uint64)
        room = (dead, dead_values, alive, alive_values, counts)
        merging.advance(keys, values, move.gather, move.table, move.drop, move.top, self._modulus, *room)
        self.overflown |= bool(counts[2])
        few, more = int(counts[0]), int(counts[1])
        return (dead[:few].copy(), dead_values[:few].copy()), (alive[:more].copy(), alive_values[:more].copy())

    def plainly(self, keys: Keys, values: Values, move: Move) -> tuple[States, States]:
        """`advanced` in numpy: the reference implementation of the kernel."""
        index = np.zeros(len(keys), np.int64)
        for shift, mask, place in move.gather.T.tolist():
            index |= (keys >> shift & mask) << place
        ways = move.table[index]
        if move.drop >= 0:
            keys = keys >> move.drop + 1 << move.drop | keys & (1 << move.drop) - 1
        dead, alive = ((ways >> new & 1).astype(bool) for new in (0, 1))
        top = 1 << move.top if move.top >= 0 else 0
        return self.merged(keys[dead], values[dead]), self.merged(keys[alive] | top, values[alive])

    def merged(self, keys: Keys, values: Values) -> States:
        """Each key once, in ascending order, with the sum of its values."""
        if not len(keys):
            return keys, values
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], values[order]
        starts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
        sums = np.add.reduceat(values, starts)
        if self.prime:
            return keys[starts], sums % np.uint64(self.prime)
        most = int(np.diff(starts, append=len(keys)).max())
        self.overflown |= int(values.max()) * most >= 1 << 64
        return keys[starts], sums

    def fold(self, images: Keys) -> None:
        """Replace states by the least of those that the symmetries map to each other."""
        if len(images) > 1:
            self.keys, self.values = self.merged(self.least(self.keys, images)[0], self.values)

    def least(self, keys: Keys, images: Keys) -> tuple[Keys, Keys]:
        """The least images of some keys, and how many images each has."""
        if not self.compiled:
            every = np.stack([image_of(keys, image) for image in images])
            return every.min(axis=0), len(images) // (every == keys).sum(axis=0)
        out, sizes = np.empty_like(keys), np.empty_like(keys)
        with native.until(self.pool.is_late):
            merging.least(keys[:0], images, out[:0], sizes[:0])
        self.pool.each(len(keys), PART, lambda a, b: merging.least(keys[a:b], images, out[a:b], sizes[a:b]))
        return out, sizes


class Lists:
    """The run of a plan."""

    def __init__(self, plan: ListPlan, pool: ThreadPool) -> None:
        self.plan, self.pool = plan, pool
        self.worth = math.inf  # states that may be visited before something else would be quicker
        self.longest = self.visited = 0
        self.overflown = False

    def total(self, prime: int = 0, shift: int = 0) -> int:
        """The number of solutions, modulo a prime if one is given; otherwise it is right unless `overflown`.  With a
        shift, the sum of 2^(shift * live cells)."""
        states, join = SortedList(self.pool, prime, self.worth, shift), self.plan.join
        kept = states.keys, states.values
        moves = [sum(len(row.moves) for row in self.plan.used[k:]) for k in range(len(self.plan.used) + 1)]
        for number, row in enumerate(self.plan.used):
            for k, move in enumerate(row.moves):
                self.pool.expected = self.pool.done + len(states.keys) * (moves[number] - k)
                states.apply(move)
            states.fold(images_of(row.profile, row.profile, self.plan.group))
            if join and number == join[0]:
                kept = states.keys, states.values
        total = _sum(states.values) if join is None else self._joined(states, *kept)
        self.longest, self.visited, self.overflown = states.longest, states.visited, states.overflown
        return total % prime if prime else total

    def _joined(self, states: SortedList, keys: Keys, values: Values) -> int:
        """The sum, over all states in which the halves meet, of the ways above times the ways below.

        States stand for all their images, above as below, so the product is divided by the number of images."""
        assert self.plan.join is not None
        upper, lower, turn = self.plan.join
        profile, total = self.plan.rows[upper].profile, 0
        turning = images_of(self.plan.rows[lower].profile, profile, [turn])[0]
        group = images_of(profile, profile, self.plan.group)
        for start in range(0, len(states.keys), PART):
            part = slice(start, start + PART)
            wanted, sizes = states.least(image_of(states.keys[part], turning), group)
            place, there = found_in(keys, wanted)
            for size in np.unique(sizes[there]).tolist():
                chosen = there & (sizes == size)
                product = dot(states.values[part][chosen], values[place[chosen]])
                total += product * pow(size, -1, states.prime) if states.prime else product // size
            self.pool.look()
        return total


def found_in(keys: Keys, wanted: Keys) -> tuple[Keys, npt.NDArray[np.bool_]]:
    """Where some keys are in an ascending list, and whether they are there."""
    if not len(keys):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return place, keys[place] == wanted


def _sum(values: Values) -> int:
    """The exact sum."""
    return int((values >> np.uint64(32)).sum()) * (1 << 32) + int((values & np.uint64(0xFFFFFFFF)).sum())


def dot(first: Values, second: Values) -> int:
    """The exact sum of products."""
    if int(first.max(initial=0)) * int(second.max(initial=0)) * len(first) < 1 << 64:
        return int(np.dot(first, second))
    return sum(a * b for a, b in zip(first.tolist(), second.tolist(), strict=True))


def _concatenated(parts: list[tuple[Keys, Values]]) -> tuple[Keys, Values]:
    """The parts one after another; each is given back to the system as soon as it was copied."""
    if len(parts) == 1:
        return parts[0]
    size = sum(len(keys) for keys, _ in parts)
    keys, values, at = np.empty(size, np.int64), np.empty(size, np.uint64), 0
    while parts:
        few, their = parts.pop(0)
        keys[at : at + len(few)], values[at : at + len(few)] = few, their
        at += len(few)
    return keys, values


def images_of(here: tuple[int, ...], there: tuple[int, ...], group: list[Permutation]) -> Keys:
    """For each permutation that maps one profile to another, the images of keys: see `merging.least`.

    Permutations that do not map the variables here to those there are left out."""
    place = {item: k for k, item in enumerate(there)}
    lots = max((len(here) + 7) // 8, 1)
    out = []
    content = np.arange(256)
    for permutation in group:
        if {int(permutation[item]) for item in here} != set(there):
            continue
        image = np.zeros((lots, 256), np.int64)
        for k, item in enumerate(here):
            image[k // 8] |= (content >> k % 8 & 1) << place[int(permutation[item])]
        out.append(image)
    return np.array(out)


def image_of(keys: Keys, image: Keys) -> Keys:
    """The images of keys under one permutation."""
    out = np.zeros_like(keys)
    for lot in range(len(image)):
        out |= image[lot][keys >> 8 * lot & 255]
    return out
