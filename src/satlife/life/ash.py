"""What becomes of a pattern: how long it lives, what is left of it, and which ships leave.

The pattern is followed until only travellers are left that never meet (see `universe`).  Those that stay are the ash,
those that move have escaped.  The lifespan is the first generation from which on the pattern is these and nothing else,
each of them followed backwards in time, too; this is what LifeWiki's tables give.

A pattern may also grow without end.  Where its population grows by the same number every so many generations, again and
again, that is said, with the generations in which it was seen; it proves nothing about later ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import lcm

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError, counted
from satlife.life import bits
from satlife.life.identify import Identity, identify
from satlife.life.parts import independent_parts, islands
from satlife.life.pattern import Cells, Pattern, common_box
from satlife.life.rule import Rule
from satlife.life.simulate import advance
from satlife.life.universe import NEAR, ROUND, Traveller, Universe, together
from satlife.records import dataclass

SETTLES, GROWS, UNDECIDED = "settles", "grows", "undecided"
LONGEST = 200_000  # generations
MOST_WORK = 1 << 38  # operations on cells: some five seconds
QUICK = 96  # generations in which most patterns that come back do so
KEPT = 256  # states of the past, closer together toward the present
REPEATS = 8  # how often growth must have been the same
SEEN = 64  # rounds, the least in which growth is recognised
MOST_ISLANDS = 12  # of an object that is divided into strict ones
COMPASS = {(0, -1): "N", (1, -1): "NE", (1, 0): "E", (1, 1): "SE", (0, 1): "S", (-1, 1): "SW", (-1, 0): "W",
           (-1, -1): "NW"}  # fmt: skip


@dataclass(frozen=True)
class Growth:
    """From generation `first` to `last` the population grew by `cells` every `period` generations, and the sides of
    the box around everything moved out evenly, too."""

    period: int
    cells: int
    first: int
    last: int


@dataclass(frozen=True)
class Ash:
    """What becomes of a pattern.  `fate` is "settles", "grows" or "undecided".

    If it settles, `generation` is its lifespan, and `objects` and `ships` are what is there from then on: still lifes
    and oscillators, and spaceships that have escaped.  Otherwise `generation` says how far it was followed."""

    pattern: Pattern
    fate: str
    generation: int
    population: int  # in that generation
    objects: tuple[Identity, ...] = ()
    ships: tuple[Identity, ...] = ()
    growth: Growth | None = None
    reason: str = ""  # why it is undecided

    def __str__(self) -> str:
        """In a sentence, without its subject."""
        after = f"after {counted(self.generation, 'generation')}"
        if self.growth:
            grown = self.growth
            every = "generation" if grown.period == 1 else counted(grown.period, "generation")
            seen = f"seen in generations {grown.first} to {grown.last}"
            return f"grows by {counted(grown.cells, 'cell')} every {every}, {seen}"
        if self.fate == UNDECIDED:
            return f"undecided {after}" + (f": {self.reason}" if self.reason else "")
        return f"settles {after}" if self.census else f"dies {after}"

    @property
    def lifespan(self) -> int | None:
        """The generation from which on everything is periodic, but for the flight of the ships."""
        return self.generation if self.fate == SETTLES else None

    @cached_property
    def period(self) -> int | None:
        """The period of what stays."""
        return lcm(*(found.period for found in self.objects)) if self.fate == SETTLES else None

    @cached_property
    def census(self) -> dict[str, int]:
        """How many there are of each still life, oscillator and ship, by apgcode (or in words, where there is none)."""
        return _counted(_code(found) for found in (*self.objects, *self.ships))

    @cached_property
    def names(self) -> dict[str, str]:
        """What those of the census are called that have a name."""
        return {_code(found): found.name for found in (*self.objects, *self.ships) if found.name}

    @property
    def words(self) -> str:
        """The sentence with the still lifes and oscillators that are left."""
        kinds = _counted(_code(found) for found in self.objects)
        left = ", ".join(f"{number} {self._named(kind)}" for kind, number in kinds.items())
        return f"{self}: {left}" if left else str(self)

    @property
    def flights(self) -> list[str]:
        """The ships that escape, each kind in each direction and on each lane once."""
        ways = (f"{direction(ship.displacement)}, lane {lane(ship)}" for ship in self.ships)
        flights = _counted(f"{self._named(_code(ship))} {way}" for ship, way in zip(self.ships, ways, strict=True))
        return [f"{number} {flight}" for flight, number in flights.items()]

    def _named(self, kind: str) -> str:
        return f"{kind} ({self.names[kind]})" if kind in self.names else kind

    @cached_property
    def escaping(self) -> dict[str, dict[str, int]]:
        """How many ships escape in which direction, by apgcode; NE is up and to the right."""
        kinds = _counted(_code(ship) for ship in self.ships)
        return {
            kind: _counted(direction(ship.displacement) for ship in self.ships if _code(ship) == kind) for kind in kinds
        }


def direction(displacement: tuple[int, int]) -> str:
    """A point of the compass, or the displacement of a ship that moves in no such direction.

    >>> direction((0, -2)), direction((1, 1)), direction((2, 1))
    ('N', 'SE', '(2,1)')
    """
    dx, dy = displacement
    if 0 in (dx, dy) or abs(dx) == abs(dy):
        return COMPASS[int(np.sign(dx)), int(np.sign(dy))]
    return f"({dx},{dy})"


def lane(ship: Identity) -> int | None:
    """The number of the lane on which a ship flies; None for a direction that has no lanes here.

    It is the same in all generations: of the middle cell of the box around a phase, the least x + y of a ship that
    flies NE or SW, x - y if it flies SE or NW, x if N or S, y if E or W.

    >>> lane(identify(Pattern.from_rows([".O.", "..O", "OOO"]))), lane(identify(Pattern.from_rows(["O..O.", "....O"])))
    (-1, None)
    """
    dx, dy = (int(np.sign(step)) for step in ship.displacement)
    if not ship.period or len(direction(ship.displacement)) > 2 or (dx, dy) == (0, 0):
        return None
    across = (1, 0) if dx == 0 else (0, 1) if dy == 0 else (1, -dx * dy)
    middles = [(phase.x + phase.width // 2, phase.y + phase.height // 2) for phase in ship.phases]
    return min(across[0] * x + across[1] * y for x, y in middles)


def ash(pattern: npt.ArrayLike, generations: int = LONGEST) -> Ash:
    """Follow a pattern (or what `Pattern.of` makes one of) for at most so many generations.

    >>> found = ash("x = 3, y = 3\\nb2o$2o$bo!")
    >>> found.fate, found.lifespan, found.population, found.census["xs4_33"], found.escaping
    ('settles', 1103, 116, 8, {'xq4_153': {'SE': 3, 'NW': 2, 'NE': 1}})
    """
    pattern = Pattern.of(pattern)
    if not isinstance(generations, int) or generations < 0:
        raise InputError(f"a pattern is followed for a number of generations, 0 or more, not for {generations}")
    return _Follower(pattern).follow(generations)


def run(pattern: npt.ArrayLike, generations: int) -> Pattern:
    """The pattern (or what `Pattern.of` makes one of) after so many generations.

    >>> run("x = 3, y = 3\\nb2o$2o$bo!", 1103).population
    116
    """
    pattern = Pattern.of(pattern)
    if pattern.torus or generations < 2 * ROUND:
        return advance(pattern, generations)
    universe = Universe(pattern)
    universe.advance(generations)
    return replace(universe.pattern(), comments=pattern.comments)


def what_it_is(pattern: Pattern) -> tuple[Identity, Ash | None]:
    """What a pattern is, and what becomes of it if it does not come back."""
    if pattern.torus or pattern.is_empty():
        return identify(pattern), None
    if (found := Universe(pattern).comes_back(pattern.crop(), QUICK)) is not None:
        return Identity(pattern, found.period, found.displacement, found.phases), None
    became = ash(pattern)
    if became.lifespan == 0:
        found_later = identify(pattern, lcm(*(found.period for found in (*became.objects, *became.ships))))
        if found_later.period:
            return found_later, None
    return Identity(pattern, 0, (0, 0), (), f"it {became}"), became


class _Follower:
    """Follows a pattern, and remembers states and populations of the past."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern, self.universe = pattern, Universe(pattern)
        self.pasts: list[Universe] = []
        self.sizes: list[tuple[int, ...]] = []  # of each round: the population and the sides of the box

    def follow(self, generations: int) -> Ash:
        universe, reason = self.universe, ""
        try:
            while (when := universe.rest()) is not None:
                self._remember()
                if universe.t >= generations or universe.work > MOST_WORK:
                    break
                if when > universe.t + 2 * ROUND:
                    universe.skip(min(when, generations))
                    self.sizes.clear()
                if len(self.sizes) >= SEEN and len(self.sizes).bit_count() == 1 and (growth := self._growth()):
                    return Ash(self.pattern, GROWS, universe.t, universe.population(), growth=growth)
                universe.round()
        except LimitError as error:
            reason = str(error)
        if when is not None or reason:
            return Ash(self.pattern, UNDECIDED, universe.t, universe.population(), reason=reason)
        lifespan, population = self._lifespan()
        found = list(_objects(universe.travellers, universe.rule))
        moving = tuple(one for one in found if one.displacement != (0, 0))
        staying = tuple(one for one in found if one.displacement == (0, 0))
        return Ash(self.pattern, SETTLES, lifespan, population, staying, moving)

    def _remember(self) -> None:
        universe = self.universe
        self.pasts.append(universe.copy())
        if len(self.pasts) > KEPT:
            del self.pasts[1 : KEPT // 2 : 2]
        self.sizes.append((universe.population(), *universe.whole_box()))

    def _growth(self) -> Growth | None:
        """Growth that was the same again and again in the later half of what was seen."""
        sizes = np.array(self.sizes[len(self.sizes) // 2 :], np.int64)
        for lag in range(1, len(sizes) // (REPEATS + 1) + 1):
            steps = sizes[lag:] - sizes[:-lag]
            if steps[0, 0] > 0 and (steps == steps[0]).all():
                last = self.universe.t
                return self._finer(Growth(ROUND * lag, int(steps[0, 0]), last - ROUND * (len(sizes) - 1), last))
        return None

    def _finer(self, growth: Growth) -> Growth:
        """The same growth in its own period, which need not be a multiple of a round."""
        universe = self.universe.copy()
        populations: list[int] = []
        for _ in range(2 * growth.period // ROUND):
            universe.make_room()
            moving = [sum(one.population(universe.t + k) for one in universe.travellers) for k in range(ROUND)]
            states = universe.each()
            populations += [universe.alive(state) + more for state, more in zip(states, moving, strict=True)]
            universe.round()
        for period in range(1, growth.period):
            cells = growth.cells * period // growth.period
            if growth.period % period == 0 and cells * growth.period == growth.cells * period:
                later = zip(populations, populations[period:], strict=False)
                if all(after - before == cells for before, after in later):
                    return Growth(period, cells, growth.first, growth.last)
        return growth

    def _lifespan(self) -> tuple[int, int]:
        """The generation after the last one in which the pattern is not its travellers, and the population then."""
        final = self.universe.travellers
        for past in reversed(self.pasts):
            past.make_room()
            if not _Comparison(past, final).is_equal(past.t, next(past.each())):
                break
        else:
            return 0, sum(one.population(0) for one in final)
        last = past.t
        while past.t < self.universe.t:
            past.make_room()
            comparison = _Comparison(past, final)
            for t, state in enumerate(past.each(), past.t):
                if not comparison.is_equal(t, state):
                    last = t
            past.round()
        return last + 1, sum(one.population(last + 1) for one in final)


class _Comparison:
    """Whether a universe has, in the generations of a round, the cells of its last travellers, and no others.

    Those that are travellers of the universe already are the same on both sides, and left out."""

    def __init__(self, universe: Universe, final: Sequence[Traveller]) -> None:
        here, there = {one.course for one in universe.travellers}, {one.course for one in final}
        self.universe = universe
        self.extra = [one for one in universe.travellers if one.course not in there]
        self.expected = [one for one in final if one.course not in here]
        self.drawn: dict[tuple[int, int], int] = {}  # the phases of those expected, as integers

    def is_equal(self, t: int, state: int) -> bool:
        """Whether it is so in generation t, in which the plane has this state."""
        live = state.bit_count() + sum(one.size(t) for one in self.extra)
        if live != sum(one.size(t) for one in self.expected):
            return False
        if self.extra:
            found = [self.universe.shown(state), *(one.at(t) for one in self.extra)]
            return together(found, self.universe.rule) == together(
                [one.at(t) for one in self.expected], self.universe.rule
            )
        total = 0
        for k, one in enumerate(self.expected):
            place = self._place(k, one, t)
            if place is None:
                return False
            total |= place
        return total == state

    def _place(self, k: int, one: Traveller, t: int) -> int | None:
        """The cells of a traveller as an integer of the plane; None if they lie outside of it."""
        pattern, universe = one.at(t), self.universe
        x, y = pattern.x - universe.x, pattern.y - universe.y
        if min(x, y) < 0 or x + pattern.width > universe.stride or y + pattern.height > universe.height:
            return None
        key = k, (t - one.since) % one.period
        if key not in self.drawn:
            cells = pattern.within(pattern.x, pattern.y, universe.stride, universe.height)
            self.drawn[key] = universe.joined(bits.integers(bits.pack(cells, universe.rule.states)))
        return self.drawn[key] << y * universe.stride + x


def _objects(travellers: Sequence[Traveller], rule: Rule) -> Iterator[Identity]:
    """The objects that travellers consist of: parts that never influence each other."""
    known: dict[tuple[object, ...], tuple[Pattern, list[Identity]]] = {}
    for traveller in travellers:
        for part in _clusters(traveller):
            key = (part.cells.shape, part.cells.tobytes())
            if key not in known:
                known[key] = part, list(_strict(identify(part, traveller.period), rule))
            first, objects = known[key]
            for found in objects:  # of those that stay it is only counted how many there are
                moves = found.displacement != (0, 0)
                yield _placed(found, part.x - first.x, part.y - first.y) if moves and part is not first else found


def _placed(found: Identity, dx: int, dy: int) -> Identity:
    """An object that was moved."""
    return replace(found, pattern=found.pattern.shift(dx, dy), phases=tuple(one.shift(dx, dy) for one in found.phases))


def _clusters(traveller: Traveller) -> Iterator[Pattern]:
    """The parts of generation `since` that are too far apart in all phases to influence each other."""
    first = traveller.phases[0]
    phases = [*traveller.phases, first.shift(*traveller.displacement)]
    x, y, width, height = common_box(phases)
    drawn = [phase.within(x, y, width, height) for phase in phases]
    label = islands(np.bitwise_or.reduce(drawn), NEAR)
    for number in np.unique(label[drawn[0] != 0]):
        yield Pattern(np.where(label == number, drawn[0], 0), x, y, first.rule).crop()


def _strict(found: Identity, rule: Rule) -> Iterator[Identity]:
    """The parts of an object that do not need each other, as independent objects (apgsearch counts these)."""
    if rule.is_plain and int(islands(found.phases[0].cells).max()) <= MOST_ISLANDS:
        x, y, width, height = common_box([*found.phases, found.phases[0].shift(*found.displacement)])
        phases: list[Cells] = [phase.within(x, y, width, height) for phase in found.phases]
        if parts := independent_parts(phases, rule, found.displacement):
            for part in parts:
                alone = Pattern(part[0], x, y, rule)
                yield from _strict(identify(alone, found.period), rule)
            return
    yield found


def _code(found: Identity) -> str:
    """The apgcode, or a description where there is none."""
    return found.apgcode or f"{found.kind} of period {found.period} with {found.pattern.population} cells"


def _counted(names: Iterable[str]) -> dict[str, int]:
    """How often each name occurs, the most frequent first."""
    counts = Counter(names)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
