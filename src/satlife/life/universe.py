"""A pattern on the unbounded plane, followed exactly for a long time.

It is run in rounds of 24 generations.  Three observations save nearly all of the work, and none of them guesses.

- What a cell is after a round depends on the cells up to 24 away before it.  Where these are as they were a round ago,
  the cell will be what it is now.  So only windows around what has changed are computed; still lifes and oscillators
  whose period divides 24 are not.
- A part that is far from everything else runs by itself.  Where it comes back, in its place or moved, it is taken out
  of the plane and becomes a traveller, whose cells at any time are known.  Before another traveller or the rest could
  be near it, it is put back.
- When there are only travellers, and their boxes never come near each other again, everything that will ever happen is
  known.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError
from satlife.life import bits
from satlife.life.pattern import Pattern, common_box
from satlife.life.rule import Rule
from satlife.life.runs import LARGEST_AREA, check_size
from satlife.records import dataclass

ROUND = 24  # generations; also the side of a tile in cells
BYTES = ROUND // 8
APART = 2 * ROUND  # the least gap between parts that are looked at by themselves
NEAR = 2  # cells at this distance have a neighbour in common
MOST_KEPT = 1 << 31  # bits of all phases of a traveller
SMALL = 10  # what a window costs by itself, in tiles
MOST_PARTS = 100  # of a plane; with more of them none is looked at by itself
Lines = npt.NDArray[np.intp]
Bounds = tuple[int, int, int, int]  # the first column and row, and the last


@dataclass(frozen=True)
class Traveller:
    """A pattern that comes back after `period` generations, moved by `displacement`.

    `phases[k]` is generation `since` + k."""

    phases: tuple[Pattern, ...]
    displacement: tuple[int, int]
    since: int

    @property
    def period(self) -> int:
        return len(self.phases)

    @cached_property
    def populations(self) -> list[int]:
        return [phase.population for phase in self.phases]

    @cached_property
    def reach(self) -> Bounds:
        """The box around the phases of one period."""
        return (
            min(phase.x for phase in self.phases),
            min(phase.y for phase in self.phases),
            max(phase.x + phase.width for phase in self.phases) - 1,
            max(phase.y + phase.height for phase in self.phases) - 1,
        )

    @cached_property
    def sizes(self) -> list[int]:
        return [int(np.count_nonzero(phase.cells)) for phase in self.phases]

    @cached_property
    def course(self) -> tuple[object, ...]:
        """What two travellers share if and only if they are the same pattern at the same place at all times."""
        start = self.at(0)
        return self.period, self.displacement, start.x, start.y, start.cells.shape, start.cells.tobytes()

    def at(self, t: int) -> Pattern:
        """The pattern in generation t, be it before or after `since`."""
        periods, phase = divmod(t - self.since, self.period)
        return self.phases[phase].shift(periods * self.displacement[0], periods * self.displacement[1])

    def population(self, t: int) -> int:
        """How many of its cells are alive (state 1)."""
        return self.populations[(t - self.since) % self.period]

    def size(self, t: int) -> int:
        """How many of its cells are not dead."""
        return self.sizes[(t - self.since) % self.period]

    def box(self, first: int, last: int) -> Bounds:
        """A box that holds the pattern in generations `first` to `last`."""
        start, end = ((t - self.since) // self.period for t in (first, last))
        (dx, dy), (left, top, right, bottom) = self.displacement, self.reach
        return (
            left + min(start * dx, end * dx),
            top + min(start * dy, end * dy),
            right + max(start * dx, end * dx),
            bottom + max(start * dy, end * dy),
        )


def gap(a: Bounds, b: Bounds) -> int:
    """How many king's moves lie between two boxes; 1 if they touch, 0 or less if they overlap."""
    return max(a[0] - b[2], b[0] - a[2], a[1] - b[3], b[1] - a[3])


def meeting(a: Traveller, b: Traveller, now: int) -> int | None:
    """A generation, `now` or later, before which two travellers are not near each other; None if they never are.

    Each is held by a box that moves evenly, larger than its own by one displacement."""
    first, last = now, None
    for axis in (0, 1):
        sides = []
        for one, other in ((a, b), (b, a)):  # the gap from `one` up to `other`, as numerator and slope
            low, high = other.box(now, now)[axis], one.box(now, now)[axis + 2]
            slack = abs(one.displacement[axis]) + abs(other.displacement[axis]) + NEAR
            speed = other.displacement[axis] * one.period - one.displacement[axis] * other.period
            sides.append((low - high - slack, speed))
        for distance, speed in sides:  # they are near on this axis while distance + speed * time / periods <= 0
            scaled = distance * a.period * b.period
            if speed == 0 and distance > 0:
                return None
            if speed < 0 and distance > 0:
                first = max(first, now + -(-scaled // -speed))
            elif speed > 0:
                end = now + -scaled // speed if distance <= 0 else now - 1
                last = end if last is None else min(last, end)
    return None if last is not None and last < first else first


class Universe:
    """The plane: `now`, planes of bits with their upper left corner at (x, y), and travellers, at generation t."""

    def __init__(self, pattern: Pattern) -> None:
        if pattern.unknown is not None:
            raise InputError("a pattern with unknown cells (?) cannot be simulated")
        if pattern.rule.is_partial:
            raise InputError(f"the rule {pattern.rule} is left open in part, so that nothing is determined in it")
        if pattern.torus:
            raise InputError("this is for patterns of the plane; on a torus `advance` runs them")
        self.rule = pattern.rule
        self.automaton = bits.automaton(pattern.rule)
        self.t = 0
        self.travellers: tuple[Traveller, ...] = ()
        self.work = 0  # operations on cells
        self._seen: dict[tuple[tuple[int, ...], int], int] = {}  # when a part was last as it is now
        self._refused: dict[tuple[tuple[int, ...], int], int] = {}  # for how long parts do not come back by themselves
        self._courses: tuple[tuple[Traveller, ...], npt.NDArray[np.int64]] = (), np.zeros((0, 8), np.int64)
        self._alone_until = 0  # before this no two travellers can be near each other
        self._clear()
        self._put(pattern)

    def copy(self) -> Universe:
        """The same universe, to be run by itself.  Its plane is shared, since arrays are replaced and never changed."""
        other = Universe(Pattern(np.zeros((0, 0), np.uint8), rule=self.rule))
        other.t, other.x, other.y, other.now, other.travellers = self.t, self.x, self.y, self.now, self.travellers
        return other

    def _clear(self) -> None:
        self.x = self.y = 0
        self.now: bits.Packed = np.zeros((self.rule.states - 1, ROUND, BYTES), np.uint8)
        self._lines: tuple[bits.Packed, Lines, Lines] | None = None  # of the plane that comes first
        self.before: bits.Packed | None = None  # a round ago, if nothing else has happened to the plane since

    # What is there

    @property
    def stride(self) -> int:
        """The width of the plane in cells."""
        return 8 * int(self.now.shape[2])

    @property
    def height(self) -> int:
        return int(self.now.shape[1])

    def lines(self) -> tuple[Lines, Lines]:
        """The rows and the columns of the plane that have live cells."""
        if self._lines is None or self._lines[0] is not self.now:
            plane = np.bitwise_or.reduce(self.now, axis=0) if len(self.now) > 1 else self.now[0]
            columns = np.unpackbits(np.bitwise_or.reduce(plane, axis=0), bitorder="little")
            self._lines = self.now, np.flatnonzero(plane.any(axis=1)), np.flatnonzero(columns)
        return self._lines[1:]

    def box(self) -> Bounds | None:
        """The box around the cells of the plane, without travellers."""
        rows, columns = self.lines()
        if not len(rows):
            return None
        return self.x + int(columns[0]), self.y + int(rows[0]), self.x + int(columns[-1]), self.y + int(rows[-1])

    def plane(self) -> Pattern:
        """The cells of the plane, without travellers."""
        return self._drawn(self.now)

    def _drawn(self, packed: bits.Packed) -> Pattern:
        return Pattern(bits.unpack(packed), self.x, self.y, self.rule).crop()

    def pattern(self) -> Pattern:
        """Everything that is there."""
        parts = [self.plane(), *(traveller.at(self.t) for traveller in self.travellers)]
        return together([part for part in parts if part.cells.size], self.rule)

    def population(self) -> int:
        """How many cells are alive (state 1), travellers included."""
        alive = int.from_bytes(self.now[0].tobytes(), "little").bit_count()
        return alive + sum(traveller.population(self.t) for traveller in self.travellers)

    def whole_box(self) -> Bounds:
        """The box around everything that is there, wide enough for every phase of the travellers."""
        boxes = self._ahead(0)
        if (inner := self.box()) is not None:
            boxes = np.concatenate([boxes, [inner]])
        if not len(boxes):
            return 0, 0, -1, -1
        (left, top), (right, bottom) = boxes[:, :2].min(axis=0).tolist(), boxes[:, 2:].max(axis=0).tolist()
        return left, top, right, bottom

    # Time

    def advance(self, generations: int) -> None:
        """Run for so many generations."""
        for _ in range(generations // ROUND):
            self.round()
        if left := generations % ROUND:
            self.make_room()
            self.now = self._computed(slice(0, self.now.shape[1]), slice(0, self.now.shape[2]), left)
            self.t, self.before = self.t + left, None

    def each(self, generations: int = ROUND) -> Iterator[int]:
        """The cells of the plane, all states in one integer, in this generation and those after it.

        The universe stays as it is."""
        planes = bits.integers(self.now)
        for t in range(self.t, self.t + generations):
            yield self.joined(planes)
            planes = self.automaton.run(planes, self.stride, 1, t)

    def alive(self, state: int) -> int:
        """How many cells of such a state are alive (state 1)."""
        return (state & ((1 << self.stride * self.height) - 1)).bit_count()

    def shown(self, state: int) -> Pattern:
        """The cells of such a state."""
        size = self.stride * self.height
        planes = [state >> k * size for k in range(self.rule.states - 1)]
        return self._drawn(bits.array(planes, self.height, self.stride // 8))

    def joined(self, planes: bits.Planes) -> int:
        """All planes in one integer, one after another."""
        size = self.stride * self.height
        return sum(plane << k * size for k, plane in enumerate(planes))

    def round(self) -> None:
        """The next 24 generations."""
        self.make_room()
        following = self.now.copy()
        for rows, columns in self._windows():
            high, wide = self.now.shape[1:]
            around = slice(max(rows.start - ROUND, 0), min(rows.stop + ROUND, high))
            beside = slice(max(columns.start - BYTES, 0), min(columns.stop + BYTES, wide))
            done = self._computed(around, beside, ROUND)
            inner = done[:, rows.start - around.start :, columns.start - beside.start :]
            following[:, rows, columns] = inner[:, : rows.stop - rows.start, : columns.stop - columns.start]
        self.before, self.now, self.t = self.now, following, self.t + ROUND
        self._put_back()
        self._take_out()

    def _computed(self, rows: slice, columns: slice, generations: int) -> bits.Packed:
        """A window some generations later, as if everything around it were dead."""
        window = self.now[:, rows, columns]
        height, width = window.shape[1:]
        planes = self.automaton.run(bits.integers(window), 8 * width, generations, self.t)
        self.work += 8 * height * width * generations * self.automaton.cost
        return bits.array(planes, height, width)

    def _windows(self) -> list[tuple[slice, slice]]:
        """The parts of the plane, as rows and bytes, that may change in the next round: tiles that have changed and
        those beside them, connected ones in one box."""
        height, width = self.now.shape[1:]
        everything = [(slice(0, height), slice(0, width))]
        if self.before is None:
            return everything
        changed = np.bitwise_or.reduce(self.now ^ self.before, axis=0)
        tiles = np.bitwise_or.reduce(changed.reshape(height // ROUND, ROUND, width), axis=1)
        tiles = np.bitwise_or.reduce(tiles.reshape(-1, width // BYTES, BYTES), axis=2)
        windows = []
        for left, top, right, bottom in _covering(np.argwhere(tiles)):
            rows = slice(max(top - 1, 0) * ROUND, min((bottom + 2) * ROUND, height))
            columns = slice(max(left - 1, 0) * BYTES, min((right + 2) * BYTES, width))
            windows.append((rows, columns))
        return windows

    def make_room(self) -> None:
        """Make the plane larger where live cells are near its edge, or smaller where most of it is empty."""
        height, width = self.now.shape[1:]
        box = self.box()
        if box is None:
            self._clear()
            return
        left, top = box[0] - self.x, box[1] - self.y
        right, bottom = 8 * width - 1 - (box[2] - self.x), height - 1 - (box[3] - self.y)
        if min(left, top, right, bottom) < APART or max(left, top, right, bottom) > 16 * ROUND:
            self._resize(box)

    def _resize(self, box: Bounds) -> None:
        """A plane in which all live cells lie in this box, with room around it."""
        room = 4 * ROUND
        x, y = self.x + (box[0] - room - self.x) // 8 * 8, box[1] - room
        width, height = (-(-(end + 1 + room - start) // ROUND) for start, end in ((x, box[2]), (y, box[3])))
        if ROUND * width * ROUND * height > LARGEST_AREA:
            raise LimitError(f"after {self.t} generations the pattern covers more than {LARGEST_AREA} cells")
        move = (x - self.x) // 8, y - self.y
        shape = (len(self.now), height * ROUND, width * BYTES)
        self.now = _moved(self.now, shape, *move)
        self.before = None if self.before is None else _moved(self.before, shape, *move)
        self.x, self.y = x, y

    def _put(self, pattern: Pattern) -> None:
        """Add cells to the plane, where it is dead."""
        live = pattern.crop()
        if not live.cells.size:
            return
        box = (live.x, live.y, live.x + live.width - 1, live.y + live.height - 1)
        if (inner := self.box()) is not None:
            sides = list(zip(box, inner, strict=True))
            box = min(sides[0]), min(sides[1]), max(sides[2]), max(sides[3])
        else:
            self.x, self.y = live.x, live.y
        self._resize(box)
        cells = bits.unpack(self.now)
        cells[live.y - self.y :, live.x - self.x :][: live.height, : live.width] |= live.cells
        self.now, self.before = bits.pack(cells, self.rule.states), None

    # Travellers

    def _ahead(self, generations: int) -> npt.NDArray[np.int64]:
        """The boxes that hold the travellers now and in the generations to come."""
        if self._courses[0] is not self.travellers:
            rows = [(*one.reach, *one.displacement, one.since, one.period) for one in self.travellers]
            self._courses = self.travellers, np.array(rows, np.int64).reshape(-1, 8)
        courses = self._courses[1]
        moves, since, period = courses[:, 4:6], courses[:, 6:7], courses[:, 7:]
        start, end = ((t - since) // period * moves for t in (self.t, self.t + generations))
        moved = np.concatenate([np.minimum(start, end), np.maximum(start, end)], axis=1)
        boxes: npt.NDArray[np.int64] = courses[:, :4] + moved
        return boxes

    def _put_back(self) -> None:
        """Put those travellers back into the plane which something else may be near before the next round is over."""
        inner = self.box()
        if not self.travellers or (inner is None and self.t + ROUND < self._alone_until):
            return
        ahead = self._ahead(ROUND)
        near = np.zeros(len(ahead), np.bool_)
        if inner is not None:
            near |= _gaps(ahead, np.array(inner)) <= ROUND + NEAR
        if self.t + ROUND >= self._alone_until:
            between = _gaps(ahead[:, None], ahead[None])
            np.fill_diagonal(between, 1 << 30)
            near |= (between <= NEAR).any(axis=1)
            least = int(between.min(initial=1 << 30))
            self._alone_until = self.t + max((least - NEAR) // 2, 0)  # each moves at most one cell a generation
        for k in np.flatnonzero(near):
            self._put(self.travellers[k].at(self.t))
        if near.any():
            self.travellers = tuple(t for t, is_near in zip(self.travellers, near, strict=True) if not is_near)

    def _take_out(self) -> None:
        """Make travellers of the parts that are far from everything else and come back by themselves."""
        parts, seen = list(self._parts()), {}
        for part in parts:
            key = (part.cells.shape, hash(part.cells.tobytes()))
            last = self._seen.get(key)
            seen[key] = self.t  # only later: another part may be the same
            if last is None or self._refused.get(key, -1) >= self.t - last:
                continue
            found = self.comes_back(part, self.t - last)
            if found is None:
                self._refused[key] = self.t - last  # what was seen may have been another part that is the same
            elif len(parts) == 1 or self._is_far(found, parts, part):
                self._remove(part)
                self.travellers += (found,)
                self._alone_until = 0
        self._seen |= seen

    def _is_far(self, found: Traveller, parts: list[Pattern], own: Pattern) -> bool:
        """Whether a part can be taken out and need not come back at once."""
        ahead = found.box(self.t, self.t + ROUND)
        boxes = [(p.x, p.y, p.x + p.width - 1, p.y + p.height - 1) for p in parts if p is not own]
        return all(gap(ahead, box) > APART for box in boxes)

    def _parts(self) -> Iterator[Pattern]:
        """The parts of the plane that are separated by wide empty rows and columns; the whole, if there are none."""
        rows, columns = map(_runs, self.lines())
        if len(rows) * len(columns) > MOST_PARTS:
            return
        for top, bottom in rows:
            for left, right in columns:
                start = left // 8
                cells = bits.unpack(self.now[:, top : bottom + 1, start : right // 8 + 1])
                part = Pattern(
                    cells[:, left - 8 * start : right + 1 - 8 * start], self.x + left, self.y + top, self.rule
                )
                if not part.is_empty():
                    yield part.crop()

    def _remove(self, part: Pattern) -> None:
        cells = bits.unpack(self.now)
        cells[part.y - self.y :, part.x - self.x :][: part.height, : part.width][part.cells != 0] = 0
        self.now, self.before = bits.pack(cells, self.rule.states), None

    def comes_back(self, pattern: Pattern, longest: int) -> Traveller | None:
        """The traveller that a pattern is by itself, if it is back after at most so many generations."""
        frames: list[_Frame] = []
        frame = _Frame.around(pattern)
        first = frame.normal()
        for age in range(longest + 1):
            if age and age % ROUND == 0:
                live = frame.pattern(self.rule)
                if live.cells.size * longest > MOST_KEPT:
                    return None
                frame = _Frame.around(live, frame.stride)
                first = _Frame.around(pattern, frame.stride).normal()
            if not any(frame.planes):
                return None
            if age and age % self.automaton.cycle == 0 and frame.normal() == first:
                again = frame.pattern(self.rule)
                phases = tuple(frame.pattern(self.rule) for frame in frames)
                return Traveller(phases, (again.x - pattern.x, again.y - pattern.y), self.t)
            frames.append(frame)
            planes = self.automaton.run(frame.planes, frame.stride, 1, self.t + age)
            frame = _Frame(planes, frame.x, frame.y, frame.stride, frame.height)
        return None

    # The end

    def rest(self) -> int | None:
        """A generation before which there is nothing but travellers on their way; None if that is for ever.

        It is the present one where the plane is not empty."""
        if self.box() is not None:
            return self.t
        times = [
            when
            for k, one in enumerate(self.travellers)
            for other in self.travellers[:k]
            if (when := meeting(one, other, self.t)) is not None
        ]
        return min(times, default=None)

    def skip(self, until: int) -> None:
        """Go on to a generation shortly before `until`, when the plane is empty and no travellers meet before that."""
        self.t += max(until - self.t - 2 * ROUND, 0) // ROUND * ROUND


def together(parts: list[Pattern], rule: Rule) -> Pattern:
    """Patterns that do not overlap, as one."""
    if not parts:
        return Pattern(np.zeros((0, 0), np.uint8), rule=rule)
    x, y, width, height = common_box(parts)
    check_size(width, height)
    cells = np.zeros((height, width), np.uint8)
    for part in parts:
        cells[part.y - y :, part.x - x :][: part.height, : part.width] |= part.cells
    return Pattern(cells, x, y, rule)


def _gaps(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """`gap` of arrays of boxes."""
    sides = [a[..., :2] - b[..., 2:], b[..., :2] - a[..., 2:]]
    found: npt.NDArray[np.int64] = np.concatenate(np.broadcast_arrays(*sides), axis=-1).max(axis=-1)
    return found


def _covering(tiles: npt.NDArray[np.intp]) -> list[Bounds]:
    """Boxes (left, top, right, bottom) that hold all of these tiles, given as rows and columns.

    It is one box, halved where the windows of the halves are smaller."""
    if not len(tiles):
        return []
    (top, left), (bottom, right) = tiles.min(axis=0).tolist(), tiles.max(axis=0).tolist()
    whole = [(left, top, right, bottom)]
    axis = int(right - left > bottom - top)
    middle = (top + bottom + 1) // 2 if axis == 0 else (left + right + 1) // 2
    if max(right - left, bottom - top) < 3:
        return whole
    is_before = tiles[:, axis] < middle
    halves = _covering(tiles[is_before]) + _covering(tiles[~is_before])
    return halves if _cost(halves) < _cost(whole) else whole


def _cost(boxes: list[Bounds]) -> int:
    """About how long the windows of these boxes take, in tiles."""
    return sum((right - left + 5) * (bottom - top + 5) + SMALL for left, top, right, bottom in boxes)


def _runs(where: Lines) -> list[tuple[int, int]]:
    """The first and last of the lines in each run; between runs are wide gaps."""
    if not len(where):
        return []
    breaks = np.flatnonzero(np.diff(where) > APART)
    starts, ends = [0, *(breaks + 1)], [*breaks, len(where) - 1]
    return [(int(where[start]), int(where[end])) for start, end in zip(starts, ends, strict=True)]


def _moved(packed: bits.Packed, shape: tuple[int, int, int], dx: int, dy: int) -> bits.Packed:
    """A plane of another size whose corner is the cell `dx` bytes to the right and `dy` rows below the old one."""
    new = np.zeros(shape, np.uint8)
    rows = slice(max(dy, 0), max(min(packed.shape[1], dy + shape[1]), 0))
    columns = slice(max(dx, 0), max(min(packed.shape[2], dx + shape[2]), 0))
    part = packed[:, rows, columns]
    if part.size:
        top, left = rows.start - dy, columns.start - dx
        new[:, top : top + part.shape[1], left : left + part.shape[2]] = part
    return new


@dataclass(frozen=True)
class _Frame:
    """A box of the plane as integers, with room around its cells for a round."""

    planes: bits.Planes
    x: int
    y: int
    stride: int
    height: int

    @classmethod
    def around(cls, pattern: Pattern, least: int = 0) -> _Frame:
        """A frame for the next round, at least so wide; its first and last columns stay empty."""
        stride, height = max(least, -(-(pattern.width + APART + 8) // 8) * 8), pattern.height + APART
        x, y = pattern.x - ROUND - 4, pattern.y - ROUND
        packed = bits.pack(pattern.within(x, y, stride, height), pattern.rule.states)
        return cls(bits.integers(packed), x, y, stride, height)

    def pattern(self, rule: Rule) -> Pattern:
        packed = bits.array(self.planes, self.height, self.stride // 8)
        return Pattern(bits.unpack(packed), self.x, self.y, rule).crop()

    def normal(self) -> bits.Planes:
        """The planes moved so that the first live cell comes first: the same for all translates."""
        live = 0
        for plane in self.planes:
            live |= plane
        low = (live & -live).bit_length() - 1
        return [plane >> low for plane in self.planes] if live else self.planes
