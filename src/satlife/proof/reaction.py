"""The plain clauses of a catalyst: the still life, the history of the reaction, and what is asked of both.

As in `plain`, everything is said in loops over cells, and nothing is shared with the search.  The literals of the
history are those of the still life wherever nothing near them has differed from it before.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from satlife.errors import InputError, LimitError
from satlife.problem.conditions.catalyst import ACTIVE, GIVEN, OFF, STATOR, Catalyst, Extent

if TYPE_CHECKING:
    from satlife.proof.plain import Plain

Coordinates = tuple[int, int]
CellLiterals = dict[Coordinates, int]
AROUND = [(i, j) for j in (-1, 0, 1) for i in (-1, 0, 1)]
LARGEST = 3_000_000  # variables


def must_be_expressible(asked: Catalyst) -> None:
    """Raise an InputError if there are no clauses for what is asked."""
    if asked.limits_more_than_activity or asked.filters:
        words = "limits on changes, parts and single cells, or filters"
        raise InputError(f"a certificate cannot express {words} of a catalyst")


class PlainReaction:
    """Writes the clauses of a catalyst into those of its problem."""

    def __init__(self, plain: Plain, asked: Catalyst, true: int) -> None:
        self.plain, self.asked, self.true = plain, asked, true
        must_be_expressible(asked)
        self.letters = {(x, y): c for y, row in enumerate(asked.rows) for x, c in enumerate(row)}
        self._reach: CellLiterals = {}

    # Gates.
    def either(self, literals: Iterable[int]) -> int:
        """A literal that is true if and only if one of these is."""
        given = set(literals) - {-self.true}
        if self.true in given or any(-literal in given for literal in given):
            return self.true
        if len(given) < 2:
            return given.pop() if given else -self.true
        gate = self.plain.new()
        for literal in given:
            self.plain.add([-literal, gate])
        self.plain.add([-gate, *given])
        return gate

    def both(self, literals: Iterable[int]) -> int:
        return -self.either([-literal for literal in literals])

    def unlike(self, a: int, b: int) -> int:
        """A literal that is true if and only if two differ."""
        for one, other in ((a, b), (b, a)):
            if abs(one) == self.true:
                return -other if one > 0 else other
        if abs(a) == abs(b):
            return -self.true if a == b else self.true
        gate = self.plain.new()
        for signs in itertools.product((1, -1), repeat=2):
            self.plain.add([signs[0] * a, signs[1] * b, -gate if signs[0] == signs[1] else gate])
        return gate

    # The still life.
    def still(self, place: Coordinates) -> int:
        """The literal "this cell is alive in the still life"."""
        letter = self.letters.get(place, ".")
        if letter == ACTIVE:
            return -self.true
        return self.true if letter == OFF else self.plain.cell(*place, 0, 1)

    def reach(self, place: Coordinates) -> int:
        """The literal "this cell is alive in the still life, or a neighbour is"."""
        if place not in self._reach:
            self._reach[place] = self.either(self.still(cell) for cell in near(place))
        return self._reach[place]

    def step(self, block: list[int]) -> int:
        """The literal of the next state of a cell."""
        table = self.plain.problem.rule.table
        if all(abs(literal) == self.true for literal in block):
            index = sum((literal > 0) << (8 - i) for i, literal in enumerate(block))
            return self.true if table[index] else -self.true
        then = self.plain.new()
        self.follow(block, then)
        return then

    def follow(self, block: list[int], then: int) -> None:
        """A cell follows from the block around it."""
        for value, known in self.plain.implicates():
            unlike = [-block[i] if bit else block[i] for i, bit in known]
            self.plain.add([*unlike, then if value else -then])

    # The history.
    def histories(self) -> Iterator[CellLiterals]:
        """For each generation the cells that may differ from the still life, with their literals."""
        starts = {ACTIVE: self.true, OFF: -self.true}
        now = {place: starts[letter] for place, letter in self.letters.items() if letter in starts}
        yield now
        while True:
            following = {}
            for place in sorted({cell for other in now for cell in near(other)}):
                still = [self.still(cell) for cell in near(place)]
                block = [now.get(cell, literal) for cell, literal in zip(near(place), still, strict=True)]
                then = self.still(place) if block == still else self.step(block)
                if then != self.still(place):
                    following[place] = then
            now = following
            yield now

    def alone(self) -> Iterator[dict[Coordinates, bool]]:
        """What the reaction is without the cells that are sought: those that differ from what is given."""
        given = {place for place, letter in self.letters.items() if letter in GIVEN + OFF + STATOR}
        flips = {place for place, letter in self.letters.items() if letter in ACTIVE + OFF}
        table = self.plain.problem.rule.table
        while True:
            yield {place: place not in given for place in flips}
            alive = given ^ flips
            around = {cell for place in flips for cell in near(place)}
            index = {place: sum((cell in alive) << (8 - i) for i, cell in enumerate(near(place))) for place in around}
            flips = {place for place in around if bool(table[index[place]]) != (place in given)}

    def write(self) -> None:
        """Add all clauses."""
        asked, last = self.asked, self.asked.last
        for x, y in itertools.product(
            range(-1, self.plain.problem.width + 1), range(-1, self.plain.problem.height + 1)
        ):
            self.follow([self.still(cell) for cell in near((x, y))], self.still((x, y)))
        given = {place for place, letter in self.letters.items() if letter in GIVEN + OFF + STATOR}
        close = {cell for place in given for cell in near(place) if self.letters.get(cell) != STATOR}
        exempt = close if asked.exempt else set()
        differ, active, disturbed = list[CellLiterals]([{}]), list[CellLiterals]([{}]), [-self.true]  # by generation
        for t, (now, alone) in enumerate(itertools.islice(zip(self.histories(), self.alone(), strict=False), last + 1)):
            if not t:
                continue
            self._look()
            differ.append({place: self.unlike(literal, self.still(place)) for place, literal in now.items()})
            counted = ((place, literal) for place, literal in differ[t].items() if place not in exempt)
            active.append({place: self.both([literal, self.reach(place)]) for place, literal in counted})
            cells = sorted({*now, *alone})
            plain = {place: self.true if alive else -self.true for place, alive in alone.items()}
            disturbed.append(
                self.either(
                    self.unlike(now.get(place, self.still(place)), plain.get(place, self.still(place)))
                    for place in cells
                )
            )
        self._ask(differ, active, disturbed)

    def _look(self) -> None:
        """Stop where the time or the memory is over."""
        self.plain.limits.check("while the clauses were written")
        if len(self.plain.names) > LARGEST:
            raise LimitError(f"a certificate of this reaction would have more than {LARGEST:,} variables")

    def _ask(self, differ: list[CellLiterals], active: list[CellLiterals], disturbed: list[int]) -> None:
        asked, add = self.asked, self.plain.add
        low, high = asked.first
        for t in range(1, min(low, len(active))):
            add([-disturbed[t]])
            for literal in active[t].values():
                add([-literal])
        rest = [-self.either(cells.values()) for cells in active]
        runs = {
            t: self.both(rest[t : t + asked.stable]) for t in range(1, len(active)) if t + asked.stable <= len(active)
        }
        ends: dict[int, list[int]] = {}
        for first in range(max(low, 1), high + 1):
            begins = self.both([disturbed[first], *(-literal for literal in disturbed[1:first])])
            for back in range(first + asked.lasts[0], first + asked.lasts[1] + 1):
                earlier = (-runs[t] for t in range(first, back))
                ends.setdefault(back + asked.stable - 1, []).append(self.both([begins, runs[back], *earlier]))
        add([literal for literals in ends.values() for literal in literals])
        until = [self.either(literal for end in ends if end >= t for literal in ends[end]) for t in range(len(active))]
        counted = [
            {place: self.both([literal, until[t]]) for place, literal in cells.items()}
            for t, cells in enumerate(active)
        ]
        for cells in counted:
            self._limit(cells, asked.active)
        places = sorted({place for cells in counted for place in cells})
        ever = {place: self.either(cells.get(place, -self.true) for cells in counted) for place in places}
        self._limit(ever, asked.ever_active)
        for t, cells in enumerate(differ):
            for place, literal in cells.items():
                if self.letters.get(place) == STATOR:
                    add([-until[t], -literal])
                if asked.eaten:
                    add([-literal, -self.either(ends.get(t, []))])
        for piece in asked.forbidden:
            add([-self.still((x, y)) if state else self.still((x, y)) for x, y, state in piece.cells()])

    def _limit(self, cells: CellLiterals, extent: Extent) -> None:
        """At most so many of these cells, in a box of at most this size."""
        if extent.cells is not None:
            self.plain.at_most(list(cells.values()), extent.cells)
        for axis, most in enumerate(extent.box or ()):
            lines: dict[int, list[int]] = {}
            for place, literal in cells.items():
                lines.setdefault(place[axis], []).append(literal)
            used = {line: self.either(literals) for line, literals in lines.items()}
            for a, b in itertools.combinations(used, 2):
                if abs(a - b) >= most:
                    self.plain.add([-used[a], -used[b]])


def near(place: Coordinates) -> list[Coordinates]:
    """The block around a cell, NW N NE W C E SW S SE."""
    return [(place[0] + i, place[1] + j) for i, j in AROUND]
