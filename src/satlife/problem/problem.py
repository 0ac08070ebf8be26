"""Problem: everything that is required of a pattern, and nothing about how it is searched.

A Problem is the record that the command line, the library, the store and remote workers share.  It is frozen, has a
JSON and a TOML form, and a key: a digest that depends only on what is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, replace
from functools import cached_property

import numpy as np

from satlife.errors import InputError, LimitError
from satlife.life.rule import LIFE, Rule
from satlife.problem import conditions, symmetry
from satlife.problem.cell import DONT_CARE, FREE, STILL, Grid, grid_of
from satlife.problem.conditions import Condition
from satlife.problem.question import (
    CENTRED,
    MULTIPLES,
    VERSION,
    JsonFields,
    Need,
    Place,
    Question,
    from_json,
    must_be_named,
    must_know,
    needs_of_rule,
    pair,
    read,
    strings,
)
from satlife.problem.symmetry import Lattice, Motion
from satlife.problem.velocity import Velocity
from satlife.records import dataclass

LARGEST_CELLS = 2_000_000
LARGEST_TURN = 1000
WINDOW = "window"  # the kind of a question that only relaxes another; see `problem.completion`


def check_room(width: int, height: int, generations: int) -> None:
    """Raise LimitError if a problem would have too many cells."""
    if width * height * (generations + 1) > LARGEST_CELLS:
        raise LimitError(
            f"{width}x{height} cells in {generations} generations are more than the limit of {LARGEST_CELLS}"
        )


@dataclass(frozen=True)
class Problem(Question):
    """What is sought in a box of `width` x `height` cells.

    Periodic: phases 0 .. generations-1 lie in the box and phase `generations` is phase 0 moved by `displacement`.
    Not periodic: generations 0 .. generations lie in the box, the last one only if not `open_end`.
    Outside the box everything is dead (the background of a B0 rule) unless an axis wraps.
    """

    width: int
    height: int
    rule: Rule = LIFE
    kind: str = "search"
    periodic: bool = True
    generations: int = 1
    displacement: tuple[int, int] = (0, 0)
    wrap: tuple[bool, bool] = (False, False)
    symmetry: tuple[str, ...] = ()
    cells: Grid = ()  # known cells, by generation
    open_end: bool = False  # outside the box the last generation may be anything
    exact: bool = True  # no smaller period
    nonempty: bool = True  # generation 0 differs from the background
    conditions: tuple[Condition, ...] = ()  # see `having`
    multiples: bool = False  # the period may be a multiple, at the same velocity
    centred: bool = True  # symmetries are about the middle of the box; otherwise see `by_centre`
    noun = "pattern"
    place = Place.BOX

    def __repr__(self) -> str:
        """The fields that do not have their default values; known cells, which are many, only as dots."""
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        given = [
            f"{part.name}={'...' if part.name == 'cells' else repr(values[part.name])}"
            for part in fields(self)
            if values[part.name] != part.default
        ]
        return f"Problem({', '.join(given)})"

    def __post_init__(self) -> None:
        if isinstance(self.rule, str):
            object.__setattr__(self, "rule", Rule.parse(self.rule))
        if isinstance(self.symmetry, str):
            object.__setattr__(self, "symmetry", (self.symmetry,))
        width, height, p = self.width, self.height, self.generations
        if not all(isinstance(number, int | np.integer) for number in (width, height, p, *self.displacement)):
            raise InputError("sizes, periods and displacements are whole numbers")
        must_be_named(width, height, p, *self.displacement)
        if width < 1 or height < 1:
            raise InputError(f"a box of {width}x{height} has no cells; both sides should be at least 1")
        if p < 1:
            what = "period" if self.periodic else "number of generations"
            raise InputError(f"the {what} should be at least 1, not {p}")
        check_room(width, height, p)
        self._check_motion()
        object.__setattr__(self, "symmetry", tuple(symmetry.canonical(name) for name in self.symmetry))
        odd = any(motion.time % 2 for motion in self.motions)
        if self.rule.births_from_nothing and odd:
            raise InputError(f"the background of {self.rule} blinks, so no symmetry joins odd and even generations")
        cells = grid_of(self.cells)
        object.__setattr__(self, "cells", cells if any(cells) else ())
        self._check_cells()
        if self.open_end and self.periodic:
            raise InputError("only the last of several generations, not a period, can have an open end")
        object.__setattr__(self, "conditions", tuple(condition.posed(self) for condition in self.conditions))
        if self.multiples:
            self._check_multiples()
        if not self.centred and len(self._by_centre()) == 1:
            object.__setattr__(self, "centred", True)
        # What a condition or a symmetry looks at follows the rule, and is not a don't-care.
        if self.symmetry or any(self.last in condition.looks_at(self) for condition in self.conditions):
            object.__setattr__(self, "cells", self._without_dont_cares())

    def _check_motion(self) -> None:
        (dx, dy), p = self.displacement, self.generations
        if not self.periodic and (dx, dy) != (0, 0):
            raise InputError("only a periodic pattern has a displacement")
        for letter, d, size, wrapped in zip("xy", self.displacement, (self.width, self.height), self.wrap, strict=True):
            if wrapped and abs(d) > LARGEST_TURN:
                raise LimitError(f"a displacement of {d} around a torus is beyond the limit of {LARGEST_TURN}")
            if wrapped:
                continue
            if abs(d) > p:
                raise InputError(f"a displacement of {d} in {p} generations is faster than light")
            if abs(d) > size:
                raise InputError(f"the box is too small for a displacement of {d} along {letter}: it has {size} cells")
        if self.rule.births_from_nothing and self.periodic and p % 2:
            raise InputError(f"the background of {self.rule} blinks, so a period must be even (not {p})")
        if self.rule.births_from_nothing and any(self.wrap):
            raise InputError(f"{self.rule} has B0, and where space wraps around there is no background")

    @property
    def in_the_middle(self) -> Problem:
        """The question with its symmetries about the middle of the box."""
        return self if self.centred else replace(self, centred=True)

    @property
    def by_centre(self) -> tuple[Problem, ...]:
        """The questions, each about the middle of its box, that together have all solutions of this one, moved.

        A pattern with a mirror has its axis on a column or between two.  Where the box only bounds it, it can be moved
        until the axis is in the middle of the box, or of the box with one column less.

        >>> from satlife.problem.families import still_life
        >>> [part.size for part in still_life((6, 5), symmetry="D2|").by_centre]
        [(6, 5), (5, 5)]
        """
        return (self,) if self.centred else self._by_centre()

    def _by_centre(self) -> tuple[Problem, ...]:
        if not self.is_movable or any(":" in name for name in self.symmetry):
            return (self.in_the_middle,)
        reductions = symmetry.reductions(motion.matrix for motion in self.motions)
        sizes = [(self.width - fewer, self.height - lower) for fewer, lower in reductions]
        return tuple(replace(self, width=w, height=h, centred=True) for w, h in sizes if w and h)

    @property
    def has_other_centres(self) -> bool:
        """Whether patterns with the symmetries may have their centre elsewhere than in the middle of the box."""
        return len(replace(self, centred=False).by_centre) > 1

    @property
    def is_movable(self) -> bool:
        """Whether the pattern may be moved in the box, which only bounds it, and nothing looks at its sides."""
        free = self.periodic and self.nonempty and not any(self.wrap) and not any(self.cells)
        return free and all(condition.any_box and condition.translates for condition in self.conditions)

    def _check_multiples(self) -> None:
        ship = self.periodic and self.exact and self.displacement != (0, 0)
        ship = ship and not any(self.wrap) and not any(self.cells)
        timeless = all(condition.is_timeless for condition in self.conditions)
        if not (ship and timeless) or any("@" in name for name in self.symmetry):
            raise InputError("the period of a ship may be a multiple if nothing else depends on its generations")

    def every(self, times: int) -> Problem:
        if times == 1 and not self.multiples:
            return self
        displacement, period = Velocity(self.displacement, self.generations).every(self.generations * times)
        return replace(self, generations=period, displacement=displacement, multiples=False)

    def _check_cells(self) -> None:
        if len(self.cells) > self.last + 1:
            raise InputError(f"cells are given for {len(self.cells)} generations, but there are {self.last + 1}")
        for t, rows in enumerate(self.cells):
            if rows and (len(rows) != self.height or any(len(row) != self.width for row in rows)):
                raise InputError(f"the cells of generation {t} should be {self.height} rows of {self.width}")
            for y, row in enumerate(rows):
                for x, cell in enumerate(row):
                    if cell.is_open:
                        continue
                    if cell == STILL or (cell.state is not None and cell.state >= self.rule.states):
                        wrong = f"there is no state {cell.state}; {self.rule} has {self.rule.states}"
                        wrong = "= is for oscillators and still lifes" if cell == STILL else wrong
                        raise InputError(f"generation {t}, row {y + 1}, cell {x + 1}: {wrong}")
        if self.rule.states > 2:
            for t, x, y in self._freed_cells():
                if not self.does_not_count(t, x, y):
                    what = "of a rule with more than two states only `?` cells of the last generation can be freed"
                    raise InputError(f"generation {t}, row {y + 1}, cell {x + 1}: {what} (')")

    @property
    def box(self) -> Problem:
        return self

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    @property
    def symmetries(self) -> tuple[str, ...]:
        return self.symmetry

    @property
    def last(self) -> int:
        """The last generation with its own cells."""
        return self.generations - 1 if self.periodic else self.generations

    @property
    def period(self) -> int | None:
        return self.generations if self.periodic else None

    @property
    def is_simple(self) -> bool:
        """Whether it asks for a periodic pattern in a two-state rule without B0."""
        return self.periodic and self.rule.states == 2 and not self.rule.births_from_nothing

    def having(self, **wanted: object) -> Problem:
        """The problem with these conditions by name; a value that asks nothing, such as False, removes one.

        >>> Problem(4, 4).having(population="<=6", strict=True)
        Problem(width=4, height=4, conditions=(Population(bounds=(Bound(low=None, high=6, time=0),)), Strict()))
        """
        return replace(self, conditions=conditions.read(wanted, self.conditions))

    @cached_property
    def needs(self) -> frozenset[str]:
        box = {
            Need.WRAP: any(self.wrap),
            Need.MOTION: self.moves,
            Need.SYMMETRY: bool(self.symmetry),
            Need.KNOWN: any(self.cells),
            Need.FREED: self.has_freed_cells,
            Need.NO_PERIOD: not self.periodic,
            Need.OPEN_END: self.open_end,
            Need.ANY_PERIOD: self.periodic and not self.exact,
            Need.EMPTY: not self.nonempty,
            Need.MULTIPLES: self.multiples,
            Need.CENTRES: not self.centred,
        }
        names = {condition.name for condition in self.conditions}
        return frozenset(needs_of_rule(self.rule) | {need for need, given in box.items() if given} | names)

    def does_not_count(self, t: int, x: int, y: int) -> bool:
        """Whether a cell is a don't-care: `*'` in the last of several generations, on which nothing depends."""
        given = t < len(self.cells) and self.cells[t]
        return bool(given) and not self.periodic and t == self.last and self.cells[t][y][x] == DONT_CARE

    def _without_dont_cares(self) -> Grid:
        """The known cells, in which don't-cares follow the rule."""
        if self.periodic or len(self.cells) <= self.last:
            return self.cells
        last = tuple(tuple(FREE if cell == DONT_CARE else cell for cell in row) for row in self.cells[self.last])
        return (*self.cells[: self.last], last)

    def seen(self, times: Collection[int], what: str) -> Problem:
        """The problem in which these generations are what generation 0 becomes, so that they can be measured; an
        InputError says why `what` is measured is not known."""
        for t in times:
            self.must_become(t, what)
            self.must_be_countable(t, what)
        return replace(self, cells=self._without_dont_cares()) if self.last in times else self

    def must_become(self, t: int, what: str) -> None:
        """Refuse a generation that is more or less than what generation 0 becomes.  A window, which relaxes another
        question, invents cells on purpose."""
        if self.kind == WINDOW:
            return
        if self.open_end and t == self.last:
            raise InputError(f"outside the box generation {t} may be anything, so that {what} is not known")
        freed = next((s for s, x, y in self._freed_cells() if s <= t and not self.does_not_count(s, x, y)), None)
        if freed is not None:
            raise InputError(
                f"cells of generation {freed} are freed from the rule, so that {what} in generation {t} is not that of "
                "what generation 0 becomes"
            )

    def must_be_countable(self, t: int, what: str) -> None:
        """Refuse a generation of which everything outside the box is alive."""
        if self.rule.background(t) and not any(self.wrap):
            raise InputError(
                f"{self.rule} has B0: in generation {t} everything outside is alive, and {what} has no end"
            )

    @cached_property
    def start_decides(self) -> bool:
        """Whether generation 0 determines all others, don't-care cells aside: no partial rule, no freed cells."""
        return not self.rule.is_partial and all(self.does_not_count(*place) for place in self._freed_cells())

    @property
    def has_freed_cells(self) -> bool:
        """Whether cells are freed from the rule."""
        return next(self._freed_cells(), None) is not None

    def _freed_cells(self) -> Iterator[tuple[int, int, int]]:
        """Generation, x and y of the cells that are freed from the rule."""
        for t, rows in enumerate(self.cells[1:], 1):
            for y, row in enumerate(rows):
                yield from ((t, x, y) for x, cell in enumerate(row) if cell.freed)

    def case(self, found: Problem | None) -> Problem:
        """The problem itself, or of those by their centres the one with the box of a find."""
        return next((part for part in self.by_centre if found and part.size == found.size), self)

    def in_a_box(self, what: str) -> Problem:
        return self.every(1)

    @cached_property
    def lattice(self) -> Lattice:
        return Lattice((self.width, self.height), self.wrap, self.generations, self.displacement)

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """The symmetries as maps of space-time."""
        return symmetry.motions(self.symmetry, self.lattice, self.periodic)

    @property
    def moves(self) -> bool:
        """Whether a period moves the pattern; once around the torus is no movement."""
        sides = zip(self.displacement, (self.width, self.height), self.wrap, strict=True)
        return any(d % n if wrapped else d for d, n, wrapped in sides)

    @cached_property
    def independent(self) -> tuple[int, int]:
        """How many columns and rows can be chosen; a mirror symmetry leaves only half of them."""
        matrices = {motion.matrix for motion in self.motions if motion.time == 0}
        columns = (self.width + 1) // 2 if (-1, 0, 0, 1) in matrices else self.width
        rows = (self.height + 1) // 2 if (1, 0, 0, -1) in matrices else self.height
        return columns, rows

    @property
    def is_wide(self) -> bool:
        """Whether it has more independent columns than rows."""
        columns, rows = self.independent
        return columns > rows

    def fractional_displacements(self, parts: int) -> list[tuple[int, int]]:
        """The translations to exclude after 1/parts of the period, so that the period is exact.

        On the plane this is that fraction of the displacement, if it is integral.  A pattern that moves around a torus
        may recur earlier at any position, so that all translations are excluded.
        """
        axes = [
            range(n) if self.moves and w else [d // parts] if d % parts == 0 else []
            for d, n, w in zip(self.displacement, (self.width, self.height), self.wrap, strict=True)
        ]
        return [(dx, dy) for dx in axes[0] for dy in axes[1]] if self.moves else [(0, 0)]

    # Text.
    def to_dict(self) -> JsonFields:
        """The JSON form: only what differs from the defaults, and the box."""
        out: JsonFields = {"satlife": VERSION, "kind": self.kind, "rule": self.rule.name}
        out["box"] = [self.width, self.height]
        out["period" if self.periodic else "generations"] = self.generations
        plain = {f.name: f.default for f in fields(self)}
        if self.displacement != (0, 0):
            out["displacement"] = list(self.displacement)
        if any(self.wrap):
            out["wrap"] = "xy" if all(self.wrap) else "xy"[self.wrap.index(True)]
        if self.symmetry:
            out["symmetry"] = list(self.symmetry)
        for name in ("open_end", "exact", "nonempty", MULTIPLES, CENTRED):
            if getattr(self, name) != plain[name]:
                out[name] = getattr(self, name)
        out |= {condition.name: condition.to_json() for condition in self.conditions}
        if self.cells:
            out["cells"] = [[" ".join(map(str, row)) for row in rows] for rows in self.cells]
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Problem:
        """A Problem from its JSON form; an InputError names the field that is wrong."""
        return _from_dict(data)

    @classmethod
    def from_json(cls, text: str) -> Problem:
        return _from_dict(_from_json(text))

    @classmethod
    def from_toml(cls, text: str) -> Problem:
        return _from_dict(_from_toml(text))


def _parsed(loads: Callable[[str], object], text: str, kind: str) -> object:
    try:
        return loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid {kind}: {error}") from error


def _from_json(text: str) -> object:
    return _parsed(from_json, text, "JSON")


def _from_toml(text: str) -> object:
    import tomllib  # which most questions do not need

    return _parsed(tomllib.loads, text, "TOML")


def read_fields(text: str) -> object:
    """The data of JSON or TOML text."""
    if text.lstrip().startswith("{"):
        return _from_json(text)
    return _from_toml(text)


def read_problem(text: str) -> Problem:
    """A Problem from JSON or TOML."""
    return _from_dict(read_fields(text))


_FIELDS = {
    "satlife", "kind", "rule", "box", "period", "generations", "displacement", "wrap", "symmetry", "cells",
    "open_end", "exact", "nonempty", MULTIPLES, CENTRED, *conditions.CONDITIONS,
}  # fmt: skip


def _from_dict(data: object) -> Problem:
    if not isinstance(data, Mapping):
        raise InputError("a problem is a table of fields such as box = [16, 5]")
    must_know(data, _FIELDS, "there is no field", f"; there are {', '.join(sorted(_FIELDS))}")
    if data.get("satlife", VERSION) != VERSION:
        raise InputError(f"this problem is of version {data['satlife']!r}; this program reads version {VERSION}")
    if "box" not in data:
        raise InputError("the field `box` is missing, such as box = [16, 5]")
    if "period" in data and "generations" in data:
        raise InputError("a problem has either a period or a number of generations")
    periodic = "generations" not in data
    wrap = read(data, "wrap", str, "")
    if wrap not in ("", "x", "y", "xy"):
        raise InputError(f"the field `wrap` should be x, y or xy, not {wrap!r}")
    width, height = pair(data, "box", (1, 1))
    return Problem(
        width,
        height,
        rule=Rule.parse(read(data, "rule", str, LIFE.name)),
        kind=_kind(read(data, "kind", str, "search")),
        periodic=periodic,
        generations=read(data, "period" if periodic else "generations", int, 1),
        displacement=pair(data, "displacement", (0, 0)),
        wrap=("x" in wrap, "y" in wrap),
        symmetry=tuple(strings(data, "symmetry")),
        cells=cells_from_json(data.get("cells", [])),
        open_end=read(data, "open_end", bool, False),
        exact=read(data, "exact", bool, True),
        nonempty=read(data, "nonempty", bool, True),
        conditions=conditions.read({name: data[name] for name in conditions.CONDITIONS if name in data}),
        multiples=read(data, MULTIPLES, bool, False),
        centred=read(data, CENTRED, bool, True),
    )


def _kind(text: str) -> str:
    if len(text) > 40 or not text.isprintable() or text == WINDOW:
        raise InputError("the field `kind` should be a short name")
    return text


def cells_from_json(value: object) -> Grid:
    """The known cells from the field `cells` in JSON."""
    if not isinstance(value, list) or not all(
        isinstance(rows, list) and all(isinstance(row, str) for row in rows) for rows in value
    ):
        raise InputError("the field `cells` should be a list of generations, each a list of rows such as '0 1 * a'")
    return grid_of([[row.split() for row in rows] for rows in value])
