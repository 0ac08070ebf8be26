"""Problem: everything that is required of a pattern, and nothing about how it is searched.

A Problem is the record that the command line, the library, the store and remote workers share.  It is frozen, has a
JSON and a TOML form, and a key: a digest that depends only on what is asked.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from satlife.errors import InputError, LimitError
from satlife.life.formats import rle
from satlife.life.pattern import TRANSFORMS, Cells, Pattern, fingerprint, live_box, transform_cells
from satlife.life.rule import LIFE, Rule
from satlife.life.simulate import generations
from satlife.problem import symmetry
from satlife.problem.cell import DONT_CARE, STILL, Grid, grid_of
from satlife.problem.symmetry import Lattice, Motion

VERSION = 1
LARGEST_CELLS = 2_000_000
LARGEST_TURN = 1000
_BOUND = re.compile(r"\s*(<=|>=|==|=|<|>)?\s*(\d{1,9})\s*(?:@\s*(\d{1,6}))?\s*")
T = TypeVar("T")


@dataclass(frozen=True)
class Bound:
    """At least `low` and at most `high` live cells in generation `time`."""

    low: int | None
    high: int | None
    time: int = 0

    @classmethod
    def parse(cls, text: str) -> Bound:
        """A bound such as "<=20", ">=5@2", "7".

        >>> Bound.parse("<20@1")
        Bound(low=None, high=19, time=1)
        """
        found = _BOUND.fullmatch(text)
        if not found:
            raise InputError(f"{text!r} is not a bound on the population such as '<=20', '>=5@2' or 12")
        sign, number, time = found[1] or "==", int(found[2]), int(found[3] or 0)
        if sign == "<" and number == 0:
            raise InputError("no population is smaller than 0")
        low = {">=": number, ">": number + 1, "==": number, "=": number}.get(sign)
        high = {"<=": number, "<": number - 1, "==": number, "=": number}.get(sign)
        return cls(low, high, time)

    def __post_init__(self) -> None:
        if None not in (self.low, self.high) and self.low != self.high:
            raise InputError("a bound has one side; give two of them")

    def __str__(self) -> str:
        if self.low == self.high:
            text = f"=={self.low}"
        elif self.high is None:
            text = f">={self.low}"
        else:
            text = f"<={self.high}"
        return text + (f"@{self.time}" if self.time else "")

    def holds(self, population: int) -> bool:
        return (self.low is None or population >= self.low) and (self.high is None or population <= self.high)


@dataclass(frozen=True)
class Problem:
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
    population: tuple[Bound, ...] = ()
    differ: tuple[tuple[int, int], ...] = ()  # pairs of generations that must not be the same
    exclude: tuple[str, ...] = ()  # RLE of excluded patterns, in any phase, orientation and position
    strict: bool = False  # not the sum of independent parts
    tight: bool = False  # no other solution has the same rotor and only a part of the stator

    def __repr__(self) -> str:
        """The fields that do not have their default values."""
        given = [
            f"{part.name}={value!r}" for part in fields(self) if (value := getattr(self, part.name)) != part.default
        ]
        return f"Problem({', '.join(given)})"

    def __post_init__(self) -> None:
        width, height, p = self.width, self.height, self.generations
        if not all(isinstance(number, int | np.integer) for number in (width, height, p, *self.displacement)):
            raise InputError("sizes, periods and displacements are whole numbers")
        if width < 1 or height < 1:
            raise InputError(f"a box of {width}x{height} has no cells; both sides should be at least 1")
        if p < 1:
            what = "period" if self.periodic else "number of generations"
            raise InputError(f"the {what} should be at least 1, not {p}")
        if width * height * (p + 1) > LARGEST_CELLS:
            raise LimitError(f"{width}x{height} cells in {p} generations are more than the limit of {LARGEST_CELLS}")
        self._check_motion()
        object.__setattr__(self, "symmetry", tuple(symmetry.canonical(name) for name in self.symmetry))
        odd = any(motion.time % 2 for motion in self.motions)
        if self.rule.births_from_nothing and odd:
            raise InputError(f"the background of {self.rule} blinks, so no symmetry joins odd and even generations")
        object.__setattr__(self, "cells", grid_of(self.cells))
        self._check_cells()
        for bound in self.population:
            if bound.time > self.last:
                raise InputError(f"the population is bounded in generation {bound.time}, but the last is {self.last}")
        if self.open_end and self.periodic:
            raise InputError("only the last of several generations, not a period, can have an open end")
        object.__setattr__(self, "exclude", tuple(self._excluded_text(text) for text in self.exclude))
        self._check_shape()
        for pair in self.differ:
            if not 0 <= min(pair) < max(pair) <= self.last:
                raise InputError(f"generations {pair[0]} and {pair[1]} cannot differ: there are 0 to {self.last}")

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

    def _excluded_text(self, text: str) -> str:
        """The canonical RLE of a pattern to exclude."""
        pattern = self._unwanted(text)
        if pattern.cells.max(initial=0) >= self.rule.states:
            raise InputError(f"a pattern to exclude has a state that {self.rule} does not have")
        if self.rule.is_partial and self.periodic and self.generations > 1:
            raise InputError("in a partial rule the phases of a pattern to exclude are not known")
        return rle.body(replace(pattern, rule=self.rule).crop()) + "!"

    def _check_shape(self) -> None:
        simple = self.periodic and self.rule.states == 2 and not self.rule.births_from_nothing
        if self.strict and (not simple or any(self.wrap)):
            raise InputError("strict patterns are periodic ones of the plane, in a two-state rule without B0")
        if self.tight and (not simple or self.generations == 1):
            raise InputError("tight patterns are oscillators or ships, in a two-state rule without B0")

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
    def last(self) -> int:
        """The last generation with its own cells."""
        return self.generations - 1 if self.periodic else self.generations

    @property
    def period(self) -> int | None:
        return self.generations if self.periodic else None

    @property
    def has_conditions(self) -> bool:
        """Whether there are conditions other than rule, box, period, symmetry and known cells."""
        return bool(self.population or self.differ or self.exclude or self.strict or self.tight)

    def does_not_count(self, t: int, x: int, y: int) -> bool:
        """Whether a cell is a don't-care: `*'` in the last of several generations, on which nothing depends."""
        given = t < len(self.cells) and self.cells[t]
        return bool(given) and not self.periodic and t == self.last and self.cells[t][y][x] == DONT_CARE

    @cached_property
    def start_decides(self) -> bool:
        """Whether generation 0 determines all others, don't-care cells aside: no partial rule, no freed cells."""
        return not self.rule.is_partial and all(self.does_not_count(*place) for place in self._freed_cells())

    @property
    def frees(self) -> bool:
        """Whether cells are freed from the rule."""
        return next(self._freed_cells(), None) is not None

    def _freed_cells(self) -> Iterator[tuple[int, int, int]]:
        """Generation, x and y of the cells that are freed from the rule."""
        for t, rows in enumerate(self.cells[1:], 1):
            for y, row in enumerate(rows):
                yield from ((t, x, y) for x, cell in enumerate(row) if cell.freed)

    def case(self, found: Problem | None) -> Problem:
        """The problem that a find of this question solves: this one (an open box has special cases)."""
        return self

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

    def shares(self, parts: int) -> list[tuple[int, int]]:
        """The translations to exclude after 1/parts of the period, so that the period is exact.

        On the plane this is that fraction of the displacement, if it is integral.  A pattern that moves around a torus
        may recur earlier at any position, so that all translations are excluded.
        """
        axes = [
            range(n) if self.moves and w else [d // parts] if d % parts == 0 else []
            for d, n, w in zip(self.displacement, (self.width, self.height), self.wrap, strict=True)
        ]
        return [(dx, dy) for dx in axes[0] for dy in axes[1]] if self.moves else [(0, 0)]

    @cached_property
    def excluded(self) -> dict[bytes, Cells]:
        """The excluded patterns in every phase and orientation, by fingerprint."""
        found: dict[bytes, Cells] = {}
        for text in self.exclude:
            drawn = self._unwanted(text).crop().cells
            for name in TRANSFORMS if self.rule.is_isotropic else ("I",):
                for phase in self._phases(transform_cells(drawn, name)):
                    for cells in self._placed(phase):
                        found[fingerprint(cells)] = cells[live_box(cells)]
        return found

    def _unwanted(self, text: str) -> Pattern:
        """Parse a pattern to exclude; without a header it has the rule of the problem."""
        headed = re.search(r"^\s*x\s*=", text, re.MULTILINE)
        return rle.parse(text if headed else f"x = 0, y = 0, rule = {self.rule.name}\n{text}")

    def _phases(self, drawn: Cells) -> Iterator[Cells]:
        """The phases of a pattern that may be generation 0, on the plane, cylinder or torus of the problem; one that is
        not periodic has no other, since what it becomes is another pattern."""
        around = (self.width * self.wrap[0], self.height * self.wrap[1])
        if any(0 < side < size for side, size in zip(around, reversed(drawn.shape), strict=True)):
            return  # it does not fit
        placed = Pattern(drawn, rule=self.rule, torus=around if any(around) else None)
        count = self.generations if self.periodic else 1
        if count > 1:
            first, *_, last = itertools.islice(generations(placed), count + 1)
            if fingerprint(last.cells) not in map(fingerprint, self._placed(first.cells)):
                count = 1
        step = 2 if self.rule.births_from_nothing else 1  # the background alternates
        yield from (phase.cells for phase in itertools.islice(generations(placed), 0, count, step))

    def _placed(self, cells: Cells) -> Iterator[Cells]:
        """A pattern at every position that makes a difference: where space wraps, it may lie across the seam."""
        for dy in range(self.height if self.wrap[1] else 1):
            for dx in range(self.width if self.wrap[0] else 1):
                yield np.roll(cells, (dy, dx), (0, 1))

    # Text.
    def to_dict(self) -> dict[str, Any]:
        """The JSON form: only what differs from the defaults, and the box."""
        out: dict[str, Any] = {"satlife": VERSION, "kind": self.kind, "rule": self.rule.name}
        out["box"] = [self.width, self.height]
        out["period" if self.periodic else "generations"] = self.generations
        plain = {f.name: f.default for f in fields(self)}
        if self.displacement != (0, 0):
            out["displacement"] = list(self.displacement)
        if any(self.wrap):
            out["wrap"] = "xy" if all(self.wrap) else "xy"[self.wrap.index(True)]
        if self.symmetry:
            out["symmetry"] = list(self.symmetry)
        for name in ("open_end", "exact", "nonempty", "strict", "tight"):
            if getattr(self, name) != plain[name]:
                out[name] = getattr(self, name)
        if self.population:
            out["population"] = [str(bound) for bound in self.population]
        if self.differ:
            out["differ"] = [list(pair) for pair in self.differ]
        if self.exclude:
            out["exclude"] = list(self.exclude)
        if self.cells:
            out["cells"] = [[" ".join(map(str, row)) for row in rows] for rows in self.cells]
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Problem:
        """A Problem from its JSON form; an InputError names the field that is wrong."""
        return _from_dict(data)

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Problem:
        return cls.from_dict(_parsed(json.loads, text, "JSON"))

    def to_toml(self) -> str:
        lines = []
        for name, value in self.to_dict().items():
            if name == "cells":
                blocks = ",\n".join(
                    "  [\n" + "".join(f"    {json.dumps(r)},\n" for r in rows) + "  ]" for rows in value
                )
                lines.append(f"cells = [\n{blocks}\n]")
            else:
                lines.append(f"{name} = {json.dumps(value, ensure_ascii=False)}")
        return "\n".join(lines) + "\n"

    @classmethod
    def from_toml(cls, text: str) -> Problem:
        return cls.from_dict(_from_toml(text))

    @cached_property
    def key(self) -> str:
        """A sha256 digest of the problem, without the name of its family."""
        data = {name: value for name, value in self.to_dict().items() if name != "kind"}
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _parsed(loads: Callable[[str], Any], text: str, kind: str) -> Any:
    try:
        return loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid {kind}: {error}") from error


def _from_toml(text: str) -> Any:
    import tomllib  # which most questions do not need

    return _parsed(tomllib.loads, text, "TOML")


def read_fields(text: str) -> Any:
    """The data of JSON or TOML text."""
    if text.lstrip().startswith("{"):
        return _parsed(json.loads, text, "JSON")
    return _from_toml(text)


def read_problem(text: str) -> Problem:
    """A Problem from JSON or TOML."""
    return Problem.from_dict(read_fields(text))


_FIELDS = {
    "satlife", "kind", "rule", "box", "period", "generations", "displacement", "wrap", "symmetry", "cells",
    "open_end", "exact", "nonempty", "population", "differ", "exclude", "strict", "tight",
}  # fmt: skip


def _from_dict(data: Mapping[str, Any]) -> Problem:
    if not isinstance(data, Mapping):
        raise InputError("a problem is a table of fields such as box = [16, 5]")
    if unknown := sorted(set(data) - _FIELDS):
        raise InputError(f"there is no field {unknown[0]!r}; there are {', '.join(sorted(_FIELDS))}")
    if data.get("satlife", VERSION) != VERSION:
        raise InputError(f"this problem is of version {data['satlife']!r}; this program reads version {VERSION}")
    if "box" not in data:
        raise InputError("the field `box` is missing, such as box = [16, 5]")
    if "period" in data and "generations" in data:
        raise InputError("a problem has either a period or a number of generations")
    periodic = "generations" not in data
    wrap = _get(data, "wrap", str, "")
    if wrap not in ("", "x", "y", "xy"):
        raise InputError(f"the field `wrap` should be x, y or xy, not {wrap!r}")
    width, height = _pair(data, "box", (1, 1))
    return Problem(
        width,
        height,
        rule=Rule.parse(_get(data, "rule", str, LIFE.name)),
        kind=_kind(_get(data, "kind", str, "search")),
        periodic=periodic,
        generations=_get(data, "period" if periodic else "generations", int, 1),
        displacement=_pair(data, "displacement", (0, 0)),
        wrap=("x" in wrap, "y" in wrap),
        symmetry=tuple(_strings(data, "symmetry")),
        cells=_cells(data.get("cells", [])),
        open_end=_get(data, "open_end", bool, False),
        exact=_get(data, "exact", bool, True),
        nonempty=_get(data, "nonempty", bool, True),
        population=tuple(Bound.parse(bound) for bound in _strings(data, "population")),
        differ=_pairs(data.get("differ", [])),
        exclude=tuple(_strings(data, "exclude")),
        strict=_get(data, "strict", bool, False),
        tight=_get(data, "tight", bool, False),
    )


def _get(data: Mapping[str, object], name: str, kind: type[T], default: T) -> T:
    value = data.get(name, default)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        words = {str: "a string", int: "a whole number", bool: "true or false"}
        raise InputError(f"the field `{name}` should be {words[kind]}, not {value!r}")
    return value


def _kind(text: str) -> str:
    if len(text) > 40 or not text.isprintable():
        raise InputError("the field `kind` should be a short name")
    return text


def _pair(data: Mapping[str, Any], name: str, default: tuple[int, int]) -> tuple[int, int]:
    value = data.get(name, default)
    whole = isinstance(value, Sequence) and len(value) == 2 and all(type(v) is int for v in value)
    if not whole or max(map(abs, value)) > 10**9:
        raise InputError(f"the field `{name}` should be two whole numbers, not {str(value)[:40]}")
    return value[0], value[1]


def _pairs(value: object) -> tuple[tuple[int, int], ...]:
    if not isinstance(value, list):
        raise InputError("the field `differ` should be a list of pairs such as [[0, 1]]")
    return tuple(_pair({"differ": item}, "differ", (0, 0)) for item in value)


def _strings(data: Mapping[str, object], name: str) -> list[str]:
    value = data.get(name, [])
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Sequence) or not all(isinstance(item, str) for item in value):
        raise InputError(f"the field `{name}` should be a list of strings")
    return list(value)


def _cells(value: object) -> Grid:
    if not isinstance(value, list) or not all(
        isinstance(rows, list) and all(isinstance(row, str) for row in rows) for rows in value
    ):
        raise InputError("the field `cells` should be a list of generations, each a list of rows such as '0 1 * a'")
    return grid_of([[row.split() for row in rows] for rows in value])
