"""Catalysts: generation 0 without its active cells is a still life that survives the reaction with them.

The words are those of catalyst hunters.  The *still life* S is generation 0 without the active pattern; its *reach* is
every cell that is alive in S or next to one that is.  A cell of the reach is *active* in a generation if it differs
from S there, and *changed* if it differs from the generation before.  The *interaction* begins with the first
generation that differs from S and the active pattern as it evolves without S; it ends, and the catalyst has
*recovered*, with the first generation from which on no cell is active for `stable` generations.  Limits hold from
generation 1 until the catalyst has been at rest so long, and until all filters are met.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError
from satlife.life.parts import near
from satlife.life.pattern import TRANSFORMS, Cells, Pattern, transform_cells
from satlife.life.simulate import next_states
from satlife.problem.cell import ALIVE, DEAD, FREE, Rows
from satlife.problem.conditions.condition import Condition
from satlife.problem.simulation import Refuted
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.life.rule import Rule
    from satlife.problem.problem import Problem

Mask = npt.NDArray[np.bool_]
Range = tuple[int, int]
#: What the letters of LifeHistory say, as Barrister reads them: active; where S may lie; in S and at first alive; in S
#: and at first dead; in S and never disturbed.
EMPTY, ACTIVE, UNKNOWN, GIVEN, OFF, STATOR = LETTERS = ".ABCDE"
CELLS = dict(zip(LETTERS, (DEAD, ALIVE, FREE, ALIVE, DEAD, ALIVE), strict=True))
#: The sets of cells that can be limited, and whether each of their parts is.
NAMES = {
    "active": "Its cells that are active in a generation",
    "ever_active": "Its cells that are ever active",
    "changes": "Its cells that change in a generation",
}
SETS = ("active", "ever_active", "changes", "part_active", "part_ever_active", "part_changes")
LONGEST = 1000  # generations in all
FOLLOWED = 10_000  # generations, to see what becomes of a reaction in the end
NO_ACTIVE_CELL = "a catalyst needs an active pattern: cells of state 1 (A) in LifeHistory"


@dataclass(frozen=True)
class Extent:
    """A limit on a set of cells: how many there are, and the box around them."""

    cells: int | None = None
    box: tuple[int, int] | None = None

    def allows(self, marks: Mask) -> bool:
        rows, columns = np.flatnonzero(marks.any(axis=1)), np.flatnonzero(marks.any(axis=0))
        if not len(rows):
            return True
        if self.box and (np.ptp(columns) >= self.box[0] or np.ptp(rows) >= self.box[1]):
            return False
        return self.cells is None or int(marks.sum()) <= self.cells

    def __str__(self) -> str:
        count = [] if self.cells is None else [f"at most {self.cells}"]
        return " and ".join([*count, *(["within {}x{} cells".format(*self.box)] if self.box else [])])

    def to_json(self) -> dict[str, object]:
        given = {"cells": self.cells, "box": list(self.box) if self.box else None}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True)
class PlacedCells:
    """Cells in known states, with the place of the upper left corner in the box: C alive, D dead, others anything.

    As a filter it has to be there in a generation, or in `some` generation from the interaction up to that one."""

    rows: tuple[str, ...]
    x: int = 0
    y: int = 0
    generation: int = 0
    some: bool = False

    def __post_init__(self) -> None:
        width = max(map(len, self.rows), default=0)
        object.__setattr__(self, "rows", tuple(row.ljust(width, EMPTY) for row in self.rows))

    def cells(self) -> Iterator[tuple[int, int, int]]:
        """x, y and state."""
        for y, row in enumerate(self.rows):
            known = ((x, letter) for x, letter in enumerate(row) if letter in GIVEN + OFF)
            yield from ((self.x + x, self.y + y, int(letter == GIVEN)) for x, letter in known)

    def is_in(self, world: Cells, corner: tuple[int, int]) -> bool:
        """Whether an array has it; `corner` is where the corner of the box lies there."""
        return all(_at(world, corner[0] + x, corner[1] + y) == state for x, y, state in self.cells())

    def turned(self, width: int, height: int, transform: str) -> PlacedCells:
        """Its image in a box of this size that is turned."""
        places = np.full((len(self.rows), max(map(len, self.rows), default=0)), ord("."), np.uint32)
        for y, row in enumerate(self.rows):
            places[y, : len(row)] = [ord(letter) for letter in row]
        # The corners of the piece, as cells of the box, tell where its image lies.
        a, b, c, d = TRANSFORMS[transform]

        def corner(xs: tuple[int, int], ys: tuple[int, int]) -> tuple[int, int]:
            """The upper left corner of the image of a box."""
            images = [(a * x + b * y, c * x + d * y) for x in xs for y in ys]
            return min(x for x, _ in images), min(y for _, y in images)

        origin = corner((0, width - 1), (0, height - 1))
        x, y = corner((self.x, self.x + places.shape[1] - 1), (self.y, self.y + len(places) - 1))
        x, y = x - origin[0], y - origin[1]
        return replace(self, rows=_rows(transform_cells(places, transform)), x=x, y=y)


def known(rows: tuple[str, ...]) -> Rows:
    """What the letters say of generation 0."""
    return tuple(tuple(CELLS[letter] for letter in row) for row in rows)


def _at(world: Cells, x: int, y: int) -> int:
    inside = 0 <= y < world.shape[0] and 0 <= x < world.shape[1]
    return int(world[y, x]) if inside else 0


def _rows(letters: npt.NDArray[np.uint32]) -> tuple[str, ...]:
    return tuple("".join(map(chr, row)) for row in letters.tolist())


@dataclass(frozen=True)
class Reaction:
    """What happens: when the interaction begins, when the catalyst has recovered, and what is then left over."""

    first: int
    recovered: int
    generation: int  # the last of those in which it had to be at rest
    remains: Pattern  # the active pattern in that generation, as it evolves alone from then on


@dataclass(frozen=True)
class Catalyst(Condition):
    """What is given and what is allowed; `rows` has a letter for each cell of the box."""

    rows: tuple[str, ...]
    first: Range = (0, 100)  # the generation in which the interaction begins
    lasts: Range = (0, 100)  # how many generations later the catalyst has recovered
    stable: int = 4
    active: Extent = Extent()
    ever_active: Extent = Extent()
    changes: Extent = Extent()
    part_active: Extent = Extent()
    part_ever_active: Extent = Extent()
    part_changes: Extent = Extent()
    cell_window: int | None = None  # generations from a cell's first activity to its last
    cell_streak: int | None = None  # successive generations in which a cell is active
    cell_distance: int | None = None  # from an active cell to the next one that changed
    exempt: bool = True  # what is given, and its reach, may be active without limit
    eaten: bool = False  # when the catalyst has been at rest, there is nothing but the still life, and that is whole
    filters: tuple[PlacedCells, ...] = ()
    forbidden: tuple[PlacedCells, ...] = ()
    name: ClassVar[str] = "catalyst"
    words: ClassVar[str] = "catalysts"
    listed: ClassVar[str] = "perturbation"
    option = None

    # Text.
    @classmethod
    def read(cls, value: object) -> Self | None:
        if value is None or isinstance(value, cls):
            return value
        if not isinstance(value, Mapping) or not isinstance(value.get("rows"), list):
            raise InputError("the field `catalyst` should be a table with `rows`, letters such as AB for each cell")
        known = {part.name for part in fields(cls)}
        if wrong := sorted(set(value) - known):
            raise InputError(f"the field `catalyst` has no {wrong[0]!r}; there are {', '.join(sorted(known))}")
        read: dict[str, Any] = {name: _read(name, given) for name, given in value.items()}
        return cls(**read)

    def to_json(self) -> dict[str, object]:
        plain = {part.name: part.default for part in fields(self)}
        given = {name: getattr(self, name) for name in plain}
        return {name: _json(value) for name, value in given.items() if value != plain[name]}

    def arguments(self) -> None:
        return None

    def turned(self, problem: Problem, transform: str) -> Self:
        across = TRANSFORMS[transform][0] == 0
        letters = np.array([[ord(letter) for letter in row] for row in self.rows], np.uint32)
        changed: dict[str, Any] = {"rows": _rows(transform_cells(letters, transform))}
        if across:
            changed |= {name: replace(extent, box=extent.box and extent.box[::-1]) for name, extent in self.extents()}
        for name in ("filters", "forbidden"):
            changed[name] = tuple(piece.turned(*problem.size, transform) for piece in getattr(self, name))
        return replace(self, **changed)

    # Meaning.
    def extents(self) -> Iterator[tuple[str, Extent]]:
        """The limits on sets of cells, by name."""
        yield from ((name, getattr(self, name)) for name in SETS)

    @property
    def limits_more_than_activity(self) -> bool:
        """Whether anything but the active cells of all generations is limited: changes, parts, or single cells."""
        sets = (self.changes, self.part_active, self.part_ever_active, self.part_changes)
        single = (self.cell_window, self.cell_streak, self.cell_distance)
        return any(limit != Extent() for limit in sets) or any(limit is not None for limit in single)

    def layer(self, letters: str) -> Cells:
        """Where the box has one of these letters, as an array."""
        return np.array([[letter in letters for letter in row] for row in self.rows], np.uint8)

    @property
    def last(self) -> int:
        """The last generation that anything is asked of."""
        rest = self.first[1] + self.lasts[1] + self.stable
        return max([rest, *(piece.generation for piece in self.filters)])

    def posed(self, problem: Problem) -> Self:
        if problem.periodic or problem.rule.states > 2 or problem.rule.births_from_nothing or problem.rule.is_partial:
            raise InputError("a catalyst needs a rule of two states without B0")
        if [len(row) for row in self.rows] != [problem.width] * problem.height:
            raise InputError(f"the rows of a catalyst should be {problem.height} of {problem.width} letters")
        if wrong := set("".join(self.rows)) - set(LETTERS):
            raise InputError(f"a catalyst's cell {min(wrong)!r} is not one of . A B C D E (LifeHistory)")
        if problem.cells != (known(self.rows),):
            raise InputError("the known cells of generation 0 should be those that the rows of the catalyst say")
        for what, (low, high) in (("first", self.first), ("lasts", self.lasts)):
            if not 0 <= low <= high:
                raise InputError(f"the range `{what}` of a catalyst should ascend from 0, not {low}..{high}")
        if any(piece.generation < 1 for piece in self.filters):
            raise InputError("a filter of a catalyst is met in generation 1 or later")
        for extent in (extent for _, extent in self.extents()):
            if (extent.cells or 0) < 0 or min(extent.box or (1, 1)) < 1:
                raise InputError("a limit on a catalyst is a number of cells from 0, or a box of at least 1x1")
        if min(number or 0 for number in (self.cell_window, self.cell_streak, self.cell_distance)) < 0:
            raise InputError("a limit on the single cells of a catalyst is a number from 0")
        if self.stable < 1:
            raise InputError(f"a catalyst is at rest for at least one generation, not {self.stable}")
        if self.last > LONGEST:
            raise InputError(f"a reaction of {self.last} generations is longer than the limit of {LONGEST}")
        if not self.layer(ACTIVE + OFF).any():
            raise InputError(NO_ACTIVE_CELL)
        return self

    def looks_at(self, problem: Problem) -> Collection[int]:
        return {0}

    def check(self, problem: Problem, phases: Sequence[Cells]) -> None:
        self.reaction(problem.rule, phases[0])

    def sentences(self, problem: Problem) -> Iterator[str]:
        """Cells that are sought or given as part of the still life are free or given in generation 0; the active ones
        are those that the letters say."""
        letters = "\n".join(["  the letters of the cells", *("    " + row for row in self.rows)])
        yield f"Generation 0, without the cells A and with the cells D, is a still life S, a catalyst:\n{letters}"
        yield "A cell of the reach of S (alive in S or next to such a cell) is active where it differs from S."
        if self.exempt:
            yield "The cells C and D and all next to C, D or E, but not E itself, do not count."
        low, high = self.first
        yield (
            "The first generation that is not that of A beside C, D and E (taken to be still), with S, is one of"
            f" {low} to {high}; before the first of these no cell is active."
        )
        low, high = self.lasts
        yield (
            f"No cell is active for {self.stable} generations, the first time {low} to {high} generations after that."
            " What follows holds until then, and nothing is said of later generations."
        )
        for words, extent in (("in a generation", self.active), ("in any generation", self.ever_active)):
            if extent.cells is not None:
                yield f"At most {extent.cells} cells are active {words}."
            if extent.box:
                yield f"The cells that are active {words} lie in a box of {extent.box[0]}x{extent.box[1]}."
        if STATOR in "".join(self.rows):
            yield "The cells E do not change."
        if self.eaten:
            yield "In the last of these generations there is nothing but S."
        for piece in self.forbidden:
            rows = "\n".join("    " + row for row in piece.rows)
            yield f"S does not have this piece (C alive, D dead) at ({piece.x},{piece.y}):\n{rows}"

    def remarks(self, problem: Problem, phases: Sequence[Cells], corner: tuple[int, int] = (0, 0)) -> Iterator[str]:
        found = self.reaction(problem.rule, phases[0])
        size = int(self.still_life(phases[0]).sum())
        yield f"a still life of {size} cells; the interaction begins in generation {found.first}"
        left = (
            f"{found.remains.population} live cells are left of the active pattern"
            if found.remains.population
            else ("nothing is left of the active pattern")
        )
        yield f"the catalyst has recovered in generation {found.recovered}; in generation {found.generation} {left}"
        yield from self._in_the_end(Pattern(phases[0], *corner, problem.rule), phases[0])

    def _in_the_end(self, whole: Pattern, start: Cells) -> Iterator[str]:
        """What finally becomes of the reaction, which may be long after what was asked."""
        from satlife.life.ash import ash, run

        became = ash(whole, FOLLOWED)
        yield f"the reaction {became.words}"
        yield from (f"escaping: {flight}" for flight in became.flights)
        if became.lifespan is not None:
            still = Pattern(self.still_life(start), whole.x, whole.y, whole.rule)
            last, reach = run(whole, became.lifespan), near(np.pad(still.cells, 1) == 1, 1)
            x, y = still.x - 1, still.y - 1
            there = {(i, j) for i, j in last.points() if 0 <= j - y < len(reach) and 0 <= i - x < reach.shape[1]}
            if {(i, j) for i, j in there if reach[j - y, i - x]} != set(still.points()):
                yield "in the end the catalyst is not what it was"

    def marked(self, phases: Sequence[Cells]) -> Cells:
        """In the states in which a reaction is drawn, without unknown cells."""
        still = np.where(self.still_life(phases[0]) == 1, LETTERS.index(GIVEN), 0)
        letters = np.array([[LETTERS.index(letter) for letter in row] for row in self.rows], np.uint8)
        given = np.isin(letters, [LETTERS.index(letter) for letter in (ACTIVE, OFF, STATOR)])
        return np.where(given, letters, still).astype(np.uint8)

    def demands(self) -> Iterator[str]:
        """What is asked of the still life, a sentence each."""
        yield "Without its active cells, generation 0 is a still life."
        yield "The live cells of the still life are given, or lie where it is unknown."
        yield "The interaction begins in one of the generations {} to {}.".format(*self.first)
        low, high = self.lasts
        yield f"{low} to {high} generations later it has recovered, and is at rest for {self.stable} generations."
        for name, extent in self.extents():
            if extent != Extent():
                each = ", in each connected part" if name.startswith("part_") else ""
                yield f"{NAMES[name.removeprefix('part_')]}{each}: {extent}."
        if self.cell_window is not None:
            yield f"From a cell's first activity to its last there are at most {self.cell_window} generations."
        if self.cell_streak is not None:
            yield f"A cell is active for at most {self.cell_streak} generations without a break."
        if self.cell_distance is not None:
            yield f"An active cell is within {self.cell_distance} cells of one that changes."
        if self.eaten:
            yield "Nothing is left of the active pattern, and the still life is whole."
        if self.filters or self.forbidden:
            yield f"It meets {len(self.filters)} filters, and has none of {len(self.forbidden)} forbidden pieces."

    def still_life(self, start: Cells) -> Cells:
        """Generation 0 without the active pattern."""
        return np.where(self.layer(ACTIVE) == 1, 0, start | self.layer(OFF)).astype(np.uint8)

    def reaction(self, rule: Rule, start: Cells) -> Reaction:
        """Simulate generation 0 of the box; raises Refuted, with the reason, unless the still life is a catalyst."""
        return _Simulation(self, rule, start).reaction()


class _Simulation:
    """The plane in which a reaction takes place; it is large enough for light to travel to the end."""

    def __init__(self, asked: Catalyst, rule: Rule, start: Cells) -> None:
        self.asked, self.rule, self.margin = asked, rule, asked.last + 2
        self.still = self._padded(asked.still_life(start))
        self.world = self._padded(start)
        given = self._padded(asked.layer(GIVEN + OFF + STATOR)) == 1
        self.stator = self._padded(asked.layer(STATOR)) == 1
        self.reach = near(self.still == 1, 1)
        self.counted = self.reach & ~(near(given, 1) & ~self.stator) if asked.exempt else self.reach
        # The reaction without the part of S that was sought: what is given is taken to be still.
        self.given = given.astype(np.uint8)
        self.alone = (self.given | self._padded(asked.layer(ACTIVE))) & ~self._padded(asked.layer(OFF))

    def _padded(self, cells: Cells) -> Cells:
        return np.pad(cells, self.margin)

    def _step(self, cells: Cells) -> Cells:
        return np.pad(next_states(cells, self.rule), 1)

    def reaction(self) -> Reaction:
        if not np.array_equal(self._step(self.still), self.still):
            raise Refuted("without the active cells generation 0 is no still life")
        asked, t, first, rest, back = self.asked, 0, 0, 0, 0
        remains = self.world
        self.ever = np.zeros_like(self.reach)
        self.since = np.zeros(self.reach.shape, np.int64)
        self.streak = np.zeros(self.reach.shape, np.int64)
        unmet = set(range(len(asked.filters)))
        while not back or unmet:
            t += 1
            before, self.world = self.world, self._step(self.world)
            if not first:
                self._step_alone()
                first = t if (self.world != (self.alone | (self.still & ~self.given))).any() else 0
            active = (self.world != self.still) & self.counted
            self._limit(t, active, (self.world != before) & self.counted)
            if not back:
                if active.any() and (t < asked.first[0] or (first and t >= first + asked.lasts[1])):
                    raise Refuted(f"a cell is active in generation {t}")
                rest = rest + 1 if first and not active.any() else 0
                if rest == asked.stable:
                    back, remains, end = t - rest + 1, self.world & ~self.still, t
                    if asked.eaten and (self.world != self.still).any():
                        raise Refuted(f"in generation {t} there is more, or less, than the still life")
            if not first and t >= asked.first[1]:
                raise Refuted(f"there is no interaction until generation {t}")
            if first and first < asked.first[0]:
                raise Refuted(f"the interaction begins in generation {first}")
            if first and not back and t - rest + 1 > first + asked.lasts[1]:
                raise Refuted(f"the catalyst has not recovered in generation {t}")
            self._filter(t, first, unmet)
        if back - first < asked.lasts[0]:
            raise Refuted(f"the catalyst recovers after {back - first} generations already")
        corner = self.margin, self.margin
        if any(piece.is_in(self.still, corner) for piece in asked.forbidden):
            raise Refuted("the still life has a forbidden piece")
        return Reaction(first, back, end, Pattern(remains, -self.margin, -self.margin, self.rule).crop())

    def _step_alone(self) -> None:
        """The next generation of the reaction with what is given, which does not change by itself."""
        flips = self.alone != self.given
        self.alone = np.where(near(flips, 1), self._step(self.alone), self.given).astype(np.uint8)

    def _limit(self, t: int, active: Mask, changed: Mask) -> None:
        """Raise Refuted if a limit is exceeded."""
        asked = self.asked
        self.ever |= active
        self.since[active & (self.since == 0)] = t
        self.streak = np.where(active, self.streak + 1, 0)
        if ((self.world != self.still) & self.stator).any():
            raise Refuted(f"a cell that must not be disturbed changes in generation {t}")
        for (name, extent), marks in zip(asked.extents(), (active, self.ever, changed) * 2, strict=True):
            if extent == Extent():
                continue
            for part in _parts(marks) if name.startswith("part") else [marks]:
                if not extent.allows(part):
                    raise Refuted(f"generation {t} exceeds the limit `{name}`")
        if asked.cell_window is not None and (active & (t - self.since >= asked.cell_window)).any():
            raise Refuted(f"a cell is active for too long in generation {t}")
        if asked.cell_streak is not None and (self.streak > asked.cell_streak).any():
            raise Refuted(f"a cell is active for too long without a break in generation {t}")
        if asked.cell_distance is not None and (active & ~near(changed, asked.cell_distance)).any():
            raise Refuted(f"an active cell is far from those that change in generation {t}")

    def _filter(self, t: int, first: int, unmet: set[int]) -> None:
        for number in sorted(unmet):
            piece = self.asked.filters[number]
            due = first and (t <= piece.generation if piece.some else t == piece.generation)
            if due and piece.is_in(self.world, (self.margin, self.margin)):
                unmet.remove(number)
            elif t == piece.generation:
                raise Refuted(f"filter {number + 1} is not met by generation {t}")


def _parts(marks: Mask) -> Iterator[Mask]:
    """The parts of a set: cells within two cells of each other, without the corners of that square, belong together."""
    left = set(zip(*(axis.tolist() for axis in np.nonzero(marks)), strict=True))
    while left:
        part = [left.pop()]
        for y, x in part:
            more = {(v, u) for v, u in left if abs(v - y) <= 2 and abs(u - x) <= 2 and abs(v - y) + abs(u - x) < 4}
            left -= more
            part += sorted(more)
        found = np.zeros_like(marks)
        found[tuple(zip(*part, strict=True))] = True
        yield found


def _json(value: object) -> object:
    if isinstance(value, Extent):
        return value.to_json()
    if isinstance(value, PlacedCells):
        plain = {part.name: part.default for part in fields(value)}
        return {name: _json(given) for name in plain if (given := getattr(value, name)) != plain[name]}
    return [_json(item) for item in value] if isinstance(value, tuple) else value


def _read(name: str, value: object) -> object:
    """A field from its JSON form; an InputError says what is wrong."""
    wrong = InputError(f"the field `{name}` of a catalyst makes no sense: {str(value)[:40]}")
    if name in ("filters", "forbidden"):
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            raise wrong
        return tuple(_piece(item, wrong) for item in value)
    if name in SETS:
        if not isinstance(value, Mapping) or set(value) - {"cells", "box"}:
            raise wrong
        box = _pair(value["box"], wrong) if value.get("box") is not None else None
        return Extent(_integer(value["cells"], wrong) if value.get("cells") is not None else None, box)
    if name in ("first", "lasts"):
        return _pair(value, wrong)
    if name == "rows":
        return _strings(value, wrong)
    if name in ("exempt", "eaten"):
        if not isinstance(value, bool):
            raise wrong
        return value
    return _integer(value, wrong)


def _piece(value: Mapping[str, object], wrong: InputError) -> PlacedCells:
    if set(value) - {part.name for part in fields(PlacedCells)} or not isinstance(value.get("some", False), bool):
        raise wrong
    numbers = {name: _integer(value[name], wrong) for name in ("x", "y", "generation") if name in value}
    return PlacedCells(_strings(value.get("rows"), wrong), **numbers, some=bool(value.get("some", False)))


def _strings(value: object, wrong: InputError) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(row, str) for row in value):
        raise wrong
    return tuple(value)


def _pair(value: object, wrong: InputError) -> tuple[int, int]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise wrong
    return _integer(value[0], wrong), _integer(value[1], wrong)


def _integer(value: object, wrong: InputError) -> int:
    if type(value) is not int or abs(value) > 10**6:
        raise wrong
    return value
