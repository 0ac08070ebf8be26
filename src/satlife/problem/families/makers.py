"""Patterns that make patterns: after some generations the whole plane is an arrangement of copies and known patterns.

The cells of the pattern have names in generation 0.  In the last generation a cell under one copy has the name of its
original.  Where copies overlap, a cell has a name of its own, and a tie says that it is the sum of its originals: it is
alive if one of them is, and no two of them are.  Nothing spreads faster than a cell in a generation, so that a box with
as many cells around the pattern as there are generations holds everything.  Places are seen from the upper left corner
of the pattern's own box.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, counted, suggestion
from satlife.life.pattern import TRANSFORMS, Pattern, transform_cells
from satlife.problem.cell import DEAD, DONT_CARE, Cell, Rows
from satlife.problem.conditions.ties import Tie, Ties
from satlife.problem.families.family import SIZE, Box, Common, Family, Parameter, Size, asking, box, fields_of, whole
from satlife.problem.families.predecessors import rule_of_target
from satlife.problem.problem import Problem, check_room
from satlife.problem.question import must_be_named
from satlife.problem.target import Coordinates
from satlife.records import dataclass

_NUMBER = r"\s*([+-]?\d{1,6})\s*"
PLACE = rf"{_NUMBER},{_NUMBER}"


@dataclass(frozen=True)
class Copy:
    """A copy of the pattern: its box, turned, with the upper left corner there."""

    x: int
    y: int
    turn: str = "I"

    @classmethod
    def of(cls, given: object) -> Copy:
        """A copy as a user may write it.

        >>> str(Copy.of("2,-2")), str(Copy.of((0, 3, "r90"))), Copy.of((1, 1)).turn
        ('2,-2', '0,3,R90', 'I')
        """
        parts = given.split(",") if isinstance(given, str) else list(given) if isinstance(given, Sequence) else []
        if len(parts) not in (2, 3) or not re.fullmatch(PLACE, ",".join(map(str, parts[:2]))):
            raise InputError(f"a copy is written as DX,DY or DX,DY,TURN, such as 2,2 or 0,-3,R90, not {given!r}")
        turn = str(parts[2]).strip().upper() if len(parts) == 3 else "I"
        if turn not in TRANSFORMS:
            raise InputError(f"a copy is turned by {', '.join(TRANSFORMS)}, not {turn!r}{suggestion(turn, TRANSFORMS)}")
        return cls(int(parts[0]), int(parts[1]), turn)

    def __str__(self) -> str:
        return f"{self.x},{self.y}" + f",{self.turn}" * (self.turn != "I")

    @property
    def words(self) -> str:
        """For sentences."""
        return f"({self.x},{self.y})" + f" {self.turn}" * (self.turn != "I")

    def originals(self, size: Size) -> Iterator[tuple[Coordinates, Coordinates]]:
        """Every cell of the copy, with its original."""
        width, height = size
        numbers = transform_cells(np.arange(width * height).reshape(height, width), self.turn)
        for (y, x), number in np.ndenumerate(numbers):
            yield (self.x + x, self.y + y), (int(number) % width, int(number) // width)


@asking
def becomes(
    size: Box,
    generations: int,
    copies: Sequence[str | tuple[int, int] | tuple[int, int, str]] = (),
    others: Sequence[npt.ArrayLike] = (),
    at: Sequence[str | tuple[int, int]] = (),
    free: Sequence[str] = (),
    **common: Unpack[Common],
) -> Problem:
    """A pattern that after some `generations` is exactly an arrangement: copies of itself and `others`, known patterns.

    A copy is (dx, dy), or (dx, dy, turn) with a name such as "R90" or "F|": the box of the pattern is turned, and lies
    with its upper left corner there, seen from that of the pattern.  The others lie where `at` says, one place for
    each, or else at their own x and y; their `?` cells may become anything.  So may the cells of regions that are
    `free`, such as "-3,0,4x9", unless they lie in the box of a copy or of a known pattern.  Everything else is dead.
    """
    size, generations = box(size), whole("number of generations", generations)
    must_be_named(*size, generations)
    margin = max(generations, 0)
    width, height = (side + 2 * margin for side in size)
    check_room(width, height, margin)
    known = _placed(others, at)
    if common.get("ties"):
        raise InputError("the cells of this question are tied already; for other ties write a grid file")
    fields = fields_of({**common, "rule": common.get("rule") or (rule_of_target(known[0]) if known else None)}, None)
    if fields["rule"].births_from_nothing and generations % 2:
        raise InputError(f"{fields['rule']} has B0: after an odd number of generations everything outside is alive")
    arranged = _Arrangement(size, margin, [Copy.of(copy) for copy in _several("copies", copies)], known)
    arranged.leave_free([_region(text) for text in _several("free", free)])
    first, last = arranged.rows()
    if arranged.ties and fields["rule"].states > 2:
        raise InputError(f"{fields['rule']} has more than two states, in which no two copies may overlap")
    ties = (Ties(tuple(map(Tie.parse, arranged.ties))),) if arranged.ties else ()
    fields["cells"] = (first, *((),) * (generations - 1), last)
    fields["conditions"] = tuple(sorted((*fields["conditions"], *ties), key=lambda condition: condition.name))
    return Problem(width, height, kind="becomes", periodic=False, generations=generations, **fields)


class _Arrangement:
    """What is to become of a pattern; places are seen from its own box, around which there is a margin."""

    def __init__(self, size: Size, margin: int, copies: Sequence[Copy], known: Sequence[Pattern]) -> None:
        self.size, self.margin = size, margin
        self.live: dict[Coordinates, int] = {}  # the states of live cells of known patterns
        self.dead: set[Coordinates] = set()  # cells of the pattern itself that can only be dead
        self.free: set[Coordinates] = set()
        self.ties: list[str] = []
        self._boxes: set[Coordinates] = set()  # places that are given
        self._originals: dict[Coordinates, list[Coordinates]] = defaultdict(list)
        if not copies and not known:
            raise InputError("what is it to become? name copies of it (--copy DX,DY), known patterns (--and), or both")
        for pattern in known:
            self._add(pattern)
        for number, copy in enumerate(copies):
            if copy in copies[:number]:
                raise InputError(f"the copy {copy} is named twice, and no live cell can belong to two copies")
            for place, original in copy.originals(size):
                self._boxes.add(place)
                if place in self.live or original in self._originals[place] or not self._in_reach(place):
                    self.dead.add(original)
                self._originals[place].append(original)
        if len(self.dead) == size[0] * size[1]:
            raise InputError("the pattern would be empty: its copies lie out of reach, or on live cells that are known")

    def _in_reach(self, place: Coordinates) -> bool:
        return all(-self.margin <= v < side + self.margin for v, side in zip(place, self.size, strict=True))

    def _add(self, pattern: Pattern) -> None:
        """Add a known pattern."""
        for (y, x), state in np.ndenumerate(pattern.cells):
            place = pattern.x + x, pattern.y + y
            if pattern.mask[y, x]:
                self.free.add(place)
                continue
            self._boxes.add(place)
            where = f"the live cell {place[0]},{place[1]} of a known pattern"
            if state and place in self.live:
                raise InputError(f"{where} belongs to two of them")
            if state and not self._in_reach(place):
                raise InputError(f"{where} is out of reach: in {self.margin} generations nothing gets there")
            if state:
                self.live[place] = int(state)

    def leave_free(self, regions: Sequence[tuple[int, int, int, int]]) -> None:
        """Leave regions free, but for what is given there."""
        (width, height), margin = self.size, self.margin
        for left, top, wide, high in regions:
            columns = range(max(left, -margin), min(left + wide, width + margin))
            self.free |= {(x, y) for y in range(max(top, -margin), min(top + high, height + margin)) for x in columns}
        self.free -= self._boxes

    def rows(self) -> tuple[Rows, Rows]:
        """The first generation and the last one."""
        (width, height), margin = self.size, self.margin
        places = [[(x, y) for x in range(-margin, width + margin)] for y in range(-margin, height + margin)]
        first = tuple(tuple(self._first(place) for place in row) for row in places)
        return first, tuple(tuple(self._last(place) for place in row) for row in places)

    def _first(self, place: Coordinates) -> Cell:
        inside = all(0 <= v < side for v, side in zip(place, self.size, strict=True))
        return Cell(name=_name(place)) if inside and place not in self.dead else DEAD

    def _last(self, place: Coordinates) -> Cell:
        if place in self.live:
            return Cell(self.live[place])
        names = [_name(original) for original in sorted(self._originals.get(place, ())) if original not in self.dead]
        if len(names) > 1:
            total = f"s{place[0] + self.margin}_{place[1] + self.margin}"
            self.ties.append(f"{' + '.join(names)} = {total}")
            return Cell(name=total)
        return Cell(name=names[0]) if names else DONT_CARE if place in self.free else DEAD


def _name(original: Coordinates) -> str:
    return "p{}_{}".format(*original)


def _several(name: str, given: object) -> Sequence[object]:
    """The values of an argument that is a list; a text stands for a list of one."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Sequence):
        raise InputError(f"`{name}` is a list, not {given!r}")
    return given


def _placed(others: Sequence[npt.ArrayLike], at: Sequence[str | tuple[int, int]]) -> list[Pattern]:
    """The known patterns in their places."""
    given = [others] if isinstance(others, Pattern) else _several("others", others)
    known = [Pattern.of(other) for other in given]  # type: ignore[arg-type]
    places = [_place(place) for place in _several("at", at)]
    if places and len(places) != len(known):
        patterns, given = counted(len(known), "known pattern"), counted(len(places), "place")
        raise InputError(f"{patterns} (--and) and {given} (--at): each pattern has one place")
    moved = zip(known, places, strict=True)
    return [pattern.shift(x - pattern.x, y - pattern.y) for pattern, (x, y) in moved] if places else known


def _place(given: object) -> Coordinates:
    text = given if isinstance(given, str) else ",".join(map(str, given)) if isinstance(given, Sequence) else ""
    if not (found := re.fullmatch(PLACE, text)):
        raise InputError(f"a place is X,Y, seen from the upper left corner of the box, such as 9,-2, not {given!r}")
    return int(found[1]), int(found[2])


def _region(given: object) -> tuple[int, int, int, int]:
    found = re.fullmatch(rf"{PLACE},\s*(\d{{1,6}})\s*[xX]\s*(\d{{1,6}})\s*", str(given))
    if not found:
        raise InputError(f"a free region is X,Y,WxH, such as -3,0,4x9, not {given!r}")
    left, top, wide, high = map(int, found.groups())
    return left, top, wide, high


def recognise(question: Problem) -> Mapping[str, object] | None:
    """The parameters of a question; all known patterns together, and the cells that are free, are one pattern."""
    margin = question.generations
    size = question.width - 2 * margin, question.height - 2 * margin
    if question.periodic or len(question.cells) != margin + 1 or min(size) < 1:
        return None
    first, last = (
        {(x - margin, y - margin): cell for y, row in enumerate(rows) for x, cell in enumerate(row)}
        for rows in (question.cells[0], question.cells[-1])
    )
    tied = question.get(Ties)
    sums = {tie.right: set(tie.left) for tie in tied.ties} if tied else {}
    left = {place: sums.get((cell.name,), {cell.name}) for place, cell in last.items() if cell.name}
    given = {place: cell for place, cell in last.items() if cell.state or cell == DONT_CARE}
    own = {"size": size, "generations": margin, "copies": list(map(str, _copies(size, first, left)))}
    return {**own, "others": [_known(given)]} if given else own


def _copies(size: Size, first: Mapping[Coordinates, Cell], left: dict[Coordinates, set[Any]]) -> Iterator[Copy]:
    """The copies of which the last generation is the sum."""
    named = [place for place, cell in first.items() if cell.name]
    for turn, place in itertools.product(TRANSFORMS if named else (), list(left)):
        corner = next(there for there, original in Copy(0, 0, turn).originals(size) if original == named[0])
        copy = Copy(place[0] - corner[0], place[1] - corner[1], turn)
        names = [(there, _name(original)) for there, original in copy.originals(size) if original in named]
        if all(name in left.get(there, ()) for there, name in names):
            for there, name in names:
                left[there].remove(name)
            yield copy


def _known(given: Mapping[Coordinates, Cell]) -> Pattern:
    """These cells as a pattern in its place; those without a state are unknown."""
    xs, ys = ([place[axis] for place in given] for axis in (0, 1))
    states, unknown = np.zeros((2, max(ys) - min(ys) + 1, max(xs) - min(xs) + 1), np.uint8)
    for (x, y), cell in given.items():
        states[y - min(ys), x - min(xs)], unknown[y - min(ys), x - min(xs)] = cell.state or 0, cell.state is None
    return Pattern(states, min(xs), min(ys), unknown=unknown.astype(np.bool_))


def title(own: Mapping[str, Any]) -> tuple[str, str]:
    """What a find is called; `own` are the parameters of the question.

    >>> title({"size": (5, 5), "generations": 12, "copies": ["2,2", "-2,-2,R90"]})[0]
    'pattern in 5x5 that after 12 generations is copies of itself at (2,2) and (-2,-2) R90'
    """
    (width, height), count = own["size"], own["generations"]
    *others, last = [Copy.of(copy).words for copy in own["copies"]] or [""]
    parts = [f"copies of itself at {', '.join(others)} and {last}" if others else f"a copy of itself at {last}"]
    parts = parts if last else []
    for pattern in own.get("others", ()):
        live, free = int((pattern.cells[~pattern.mask] > 0).sum()), int(pattern.mask.sum())
        parts += [counted(live, "given live cell")] if live else []
        parts += [f"whatever is in {counted(free, 'free cell')}"] if free else []
    after = f"after {counted(count, 'generation')}"
    return f"pattern in {width}x{height} that {after} is {' and '.join(parts)}", ""


def origin(own: Mapping[str, Any], size: Size) -> Coordinates:
    """Where the box lies that has the pattern's own in its middle."""
    width, height = own["size"]
    return (width - size[0]) // 2, (height - size[1]) // 2


FAMILY = Family(
    "becomes",
    becomes,
    "Find a pattern that after some generations is copies of itself and known patterns, and nothing else: a "
    "replicator, a gun, a puffer.  Places are seen from the upper left corner of its box.  No live cell belongs to "
    "two of them.",
    (
        "satlife becomes 5x5 -g 12 -r B36/S23 --copy 2,2 --copy -2,-2",
        "satlife becomes 9x9 -g 30 --copy 0,0 --and glider.rle --at 9,9",
        "satlife becomes 3x3 -g 4 -r pB1/S --copy 4,0 --copy -4,0 --free -1,-4,5x11",
    ),
    (
        SIZE,
        Parameter("generations", "integer", "After how many generations.", ("-g", "--generations"), required=True),
        Parameter(
            "copies",
            "words",
            "A copy of the pattern: its box, moved; with a TURN (R90, R180, R270, F|, F-, F/, F\\) turned first.",
            ("--copy",),
            metavar="DX,DY[,TURN]",
        ),
        Parameter(
            "others", "patterns", "A known pattern; its `?` cells may become anything.", ("--and",), metavar="FILE"
        ),
        Parameter(
            "at",
            "words",
            "Where the known pattern lies, one place for each --and.  \\[default: its #CXRLE Pos, or 0,0]",
            ("--at",),
            metavar="X,Y",
        ),
        Parameter(
            "free",
            "words",
            "A region in which cells may become anything, but for the boxes of copies and known patterns.",
            ("--free",),
            metavar="X,Y,WxH",
        ),
    ),
    recognise,
    title=title,
    origin=origin,
    itself=frozenset({Ties.name}),
)
