"""Partial ships as a forest: each has its last row and a parent, so that what many begin with is kept once.

That is how a search on a device keeps them, and how many of them are written to a file: some 3 bytes for each, where
all rows of each would take hundreds.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from itertools import count
from typing import NotRequired, TypedDict

import numpy as np
import numpy.typing as npt

from satlife.engines.rows.question.strip import Strip, Windows
from satlife.errors import InputError
from satlife.records import dataclass

Numbers = npt.NDArray[np.uint32]

MOST_KEPT = 1 << 27  # partial ships and their parents that a file holds; as text they take 400 MB or less
AT_A_TIME = 1 << 16  # that are compared with the rule
AGAINST_THE_RULE = "a partial ship does not follow the rule"
EACH = 6  # bytes of one, unpacked
MOST_TIMES = 1100  # as long as a text can be what is packed in it; zlib reaches 1,032


class LevelData(TypedDict):
    """A level as plain data; see `Level`."""

    count: int
    waiting: int
    packed: str


class PartialsAt(TypedDict):
    """Rows of partial ships that end at the same place.  If there are levels, that is what grew from them, and so many
    of the first ones wait; without levels all do."""

    place: int
    partials: list[list[int]]
    waiting: NotRequired[int]
    levels: NotRequired[list[LevelData]]


@dataclass(frozen=True)
class Level:
    """Partial ships that are a row longer than those of the level below: that row, and the number of each one's parent.
    The first ones wait to be extended; the others are only the parents of longer ones."""

    rows: Windows
    parents: Numbers
    waiting: int

    def to_dict(self) -> LevelData:
        return {"count": len(self.rows), "waiting": self.waiting, "packed": _packed(self.rows, self.parents)}


@dataclass(frozen=True)
class Forest:
    """Roots, whole partial ships whose next row is at `place`; and level by level what grew from them."""

    place: int
    roots: Windows  # a line for each
    waiting: int  # of the roots, the first ones
    levels: tuple[Level, ...] = ()

    @classmethod
    def of(cls, place: int, roots: Windows) -> Forest:
        """Partial ships of which none has grown."""
        return cls(place, roots, len(roots))

    @property
    def end(self) -> int:
        """Where the next row of the longest ones is."""
        return self.place + len(self.levels)

    @property
    def partials(self) -> int:
        """How many wait."""
        return self.waiting + sum(level.waiting for level in self.levels)

    def pruned(self) -> Forest:
        """Without parents of which nothing that waits has come."""
        levels: list[Level] = []
        above = np.zeros(0, np.uint32)  # the parents that are needed
        for level in reversed(self.levels):
            wanted = np.zeros(len(level.rows), bool)
            wanted[: level.waiting] = wanted[above] = True
            which = np.flatnonzero(wanted)
            if levels:
                levels[-1] = Level(levels[-1].rows, _u4(np.searchsorted(which, above)), levels[-1].waiting)
            above = level.parents[which]
            levels.append(Level(level.rows[which], above, level.waiting))
        return Forest(self.place, self.roots, self.waiting, tuple(reversed(levels)))

    def cut(self, most: int) -> Forest:
        """At most so many partial ships and parents: without the last levels, if need be, which will grow again."""
        levels = self.levels
        while levels and sum(len(level.rows) for level in levels) > most:
            levels = levels[:-1]
        if len(levels) == len(self.levels):
            return self
        if not levels:
            return Forest.of(self.place, self.roots)
        last = Level(levels[-1].rows, levels[-1].parents, len(levels[-1].rows))
        return Forest(self.place, self.roots, self.waiting, (*levels[:-1], last))

    def to_dict(self) -> PartialsAt:
        data: PartialsAt = {"place": self.place, "partials": self.roots.tolist()}
        if self.levels:
            data |= {"waiting": self.waiting, "levels": [level.to_dict() for level in self.levels]}
        return data

    @classmethod
    def from_dict(cls, data: PartialsAt, strip: Strip) -> Forest:
        """Read and check, but for the rule in levels; an error is an InputError, KeyError, TypeError or ValueError."""
        place = data["place"]
        if type(place) is not int:
            raise ValueError("a place is a whole number")
        roots = [follows_the_rule(strip, rows, place - strip.first) for rows in data["partials"]]
        lines = np.array(roots, np.uint16).reshape(len(roots), place - strip.first)
        if "levels" not in data:
            return cls.of(place, lines)
        waiting, before, levels = _whole(data["waiting"], len(roots)), len(roots), []
        for grown in data["levels"]:
            levels.append(_level(grown, before, strip.free))
            before = len(levels[-1].rows)
        return cls(place, lines, waiting, tuple(levels))

    def check(self, strip: Strip) -> None:
        """Raise an InputError if a row does not follow the rule."""
        for windows, level, at in zip(self.windows(strip.period), self.levels, count(self.place), strict=False):
            for start in range(0, len(level.rows), AT_A_TIME):
                part = slice(start, start + AT_A_TIME)
                if not _follow(strip, windows[level.parents[part]], level.rows[part], at):
                    raise InputError(AGAINST_THE_RULE)

    def windows(self, period: int) -> Iterator[Windows]:
        """The last 2p rows of each partial ship and parent, level by level."""
        many = 2 * period
        windows = np.zeros((len(self.roots), many), np.uint16)
        if known := min(many, self.roots.shape[1]):
            windows[:, many - known :] = self.roots[:, -known:]
        yield windows
        for level in self.levels:
            grown = np.empty((len(level.rows), many), np.uint16)
            grown[:, :-1] = windows[:, 1:][level.parents]
            grown[:, -1] = level.rows
            windows = grown
            yield windows


def follows_the_rule(strip: Strip, rows: list[int], length: int) -> list[int]:
    """Rows of a partial ship that are what they should be: as many, within the width, and each allowed by the rule
    after those before it."""
    period, lattice = strip.period, strip.lattice
    if len(rows) != length or any(type(row) is not int or not 0 <= row < 1 << strip.free for row in rows):
        raise InputError("a partial ship is not a list of so many rows of the width")
    padded = np.array([0] * strip.first + rows, np.int64)
    places = np.arange(strip.first, strip.first + length)
    if length:
        above, middle = padded[places - 2 * period], padded[places - period]
        becomes = padded[places + lattice.ahead[places % period]]
        if (strip.becomes(above, middle, padded[places], lattice.shift[places % period]) != becomes).any():
            raise InputError(AGAINST_THE_RULE)
    return rows


def _follow(strip: Strip, before: Windows, rows: Windows, place: int) -> bool:
    """Whether the rule allows rows at a place, each below a window."""
    period, lattice = strip.period, strip.lattice
    lines = np.concatenate([before, rows[:, None]], axis=1).astype(np.int64)
    shift = np.full(len(rows), int(lattice.shift[place % period]), np.int64)
    made = strip.becomes(lines[:, 0], lines[:, period], lines[:, -1], shift)
    return bool((made == lines[:, 2 * period + int(lattice.ahead[place % period])]).all())


def _level(data: LevelData, before: int, free: int) -> Level:
    """A level above one with so many partial ships."""
    text, size = data["packed"], data["count"]
    if type(text) is not str or type(size) is not int or not 0 < size <= MOST_TIMES * len(text):
        raise ValueError("the text of its levels has another length")
    rows, parents = _unpacked(text, size)
    if (rows >= 1 << free).any() or (parents >= before).any():
        raise InputError("a partial ship is not a list of rows of the width")
    return Level(rows, parents, _whole(data["waiting"], size))


def _whole(number: int, most: int) -> int:
    if type(number) is not int or not 0 <= number <= most:
        raise ValueError("the numbers of its partial ships contradict each other")
    return number


def _packed(rows: Windows, parents: Numbers) -> str:
    """Rows and parents as text.  Parents are nearly in order, so their differences are small; bytes of equal weight are
    put together, since most of the higher ones are zero."""
    steps = np.diff(parents.astype(np.int64), prepend=0).astype("<i8").astype("<u4")
    by_weight = [np.ascontiguousarray(array.view(np.uint8).reshape(len(rows), -1).T) for array in (_u2(rows), steps)]
    return base64.b64encode(zlib.compress(b"".join(array.tobytes() for array in by_weight), 1)).decode()


def _u4(numbers: npt.NDArray[np.int64]) -> Numbers:
    return numbers.astype(np.uint32)


def _u2(rows: Windows) -> npt.NDArray[np.uint16]:
    return np.ascontiguousarray(rows, "<u2")


def _unpacked(text: str, size: int) -> tuple[Windows, Numbers]:
    """So many rows and parents; a ValueError if the text is damaged."""
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(base64.b64decode(text, validate=True), EACH * size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if len(data) != EACH * size or not unpacking.eof:
        raise ValueError("the text of its levels has another length")
    by_weight = np.frombuffer(data, np.uint8).reshape(EACH, size)
    rows, steps = (np.ascontiguousarray(lines.T) for lines in (by_weight[:2], by_weight[2:]))
    parents = np.cumsum(steps.view("<u4").ravel(), dtype=np.uint32)
    return rows.view("<u2").ravel().astype(np.uint16), parents
