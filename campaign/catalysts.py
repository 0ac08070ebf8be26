"""Catalysts against brute force: all still lifes of a small region react with a random active pattern at once.

The reactions of all still lifes are computed side by side in one array, by definitions written down a second time:
which of them recover, when, what they leave of the active pattern, and how small the smallest is.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

import satlife
from campaign.attempt import Attempt
from satlife.engines.catalysts.search import CatalystSearch
from satlife.life.pattern import Pattern
from satlife.problem.conditions.catalyst import Catalyst, Extent, PlacedCells, known
from satlife.problem.problem import Problem

Cells = npt.NDArray[np.uint8]
Marks = npt.NDArray[np.bool_]
RULES = ("B3/S23", "B3/S23", "B36/S23", "B3/S123", "B34/S23", "B2/S23", "B3/S234", "B38/S23", "B3/S012", "B35/S236")
REGIONS = ((4, 4), (4, 4), (5, 3), (4, 4), (5, 3), (4, 3), (5, 4), (6, 5), (7, 5), (6, 6))
MOST = 4_000  # still lifes to try


@dataclass(frozen=True)
class Answer:
    """What there is: the remains of the active pattern in a late generation, the populations of the smallest and the
    largest, and how many still lifes do this."""

    perturbations: frozenset[bytes]
    smallest: int | None
    largest: int | None
    number: int


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """A random active pattern beside a region of unknown cells, with random limits."""
    problem = drawn(rng)
    yield Attempt(problem.to_json(), compared(problem))


def drawn(rng: random.Random) -> Problem:
    """A random question; now and then a cell of the still life is given."""
    width, height = rng.choice(REGIONS)
    gap, size = rng.randint(0, 2), rng.randint(2, 4)
    rows = ["." * (size + gap) + "B" * width] * height
    often = rng.choice([0.3, 0.5, 0.7])
    active = [[rng.random() < often for _ in range(size)] for _ in range(size)]
    top = rng.randint(0, height - 1)
    letters = [list(row) for row in [*rows, *["." * len(rows[0])] * size]]
    for y, line in enumerate(active):
        for x, alive in enumerate(line):
            letters[top + y][x] = "A" if alive else "."
    if not any(map(any, active)):
        letters[top][0] = "A"
    if rng.random() < 0.2:
        letters[rng.randrange(height)][size + gap + rng.randrange(width)] = rng.choice("CDE")
    low = rng.choice([0, 0, 0, 1, 2])
    asked: dict[str, object] = {
        "rows": ["".join(line) for line in letters],
        "first": [low, low + rng.randint(2, 6)],
        "lasts": [rng.choice([0, 0, 0, 0, 1, 2]), rng.randint(3, 9)],
        "stable": rng.randint(1, 4),
    }
    if rng.random() < 0.3:
        asked["active"] = Extent(rng.randint(1, 8), rng.choice([None, (3, 3), (2, 4)])).to_json()
    if rng.random() < 0.3:
        asked["ever_active"] = Extent(rng.choice([None, 4, 7]), rng.choice([None, (3, 4), (2, 2)])).to_json()
    for name in ("changes", "part_active", "part_ever_active", "part_changes"):
        if rng.random() < 0.06:
            asked[name] = Extent(rng.randint(2, 6), rng.choice([None, (3, 3)])).to_json()
    for name in ("cell_window", "cell_streak", "cell_distance"):
        if rng.random() < 0.06:
            asked[name] = rng.randint(1, 4)
    if rng.random() < 0.1:
        asked["eaten"] = True
    if rng.random() < 0.2:
        asked["exempt"] = False
    for name, often in (("filters", 0.1), ("forbidden", 0.15)):
        if rng.random() < often:
            asked[name] = [piece(rng, len(letters[0]), len(letters), name)]
    condition = Catalyst.read(asked)
    assert condition is not None
    return Problem(
        len(letters[0]),
        len(letters),
        satlife.Rule.parse(rng.choice(RULES)),
        "catalyst",
        periodic=False,
        nonempty=False,
        open_end=True,
        cells=(known(condition.rows),),
        conditions=(condition,),
    )


def short(seed: int, kept: Sequence[str], suits: Callable[[Problem], bool]) -> Problem:
    """A random question about a short reaction, with only these of its limits."""
    rng = random.Random(seed)
    while True:
        problem = drawn(rng)
        asked = problem.get(Catalyst)
        assert asked is not None
        plain = Catalyst(asked.rows, (0, rng.randint(2, 4)), (rng.randint(0, 1), rng.randint(1, 3)), rng.randint(1, 2))
        if suits(problem):
            return replace(problem, conditions=(replace(plain, **{name: getattr(asked, name) for name in kept}),))


def piece(rng: random.Random, width: int, height: int, name: str) -> dict[str, object]:
    """A filter or a forbidden piece of a few cells."""
    rows = ["".join(rng.choice("CDD..") for _ in range(rng.randint(1, 3))) for _ in range(rng.randint(1, 2))]
    found: dict[str, object] = {"rows": rows, "x": rng.randint(0, width - 1), "y": rng.randint(0, height - 1)}
    return found | ({"generation": rng.randint(3, 9), "some": rng.random() < 0.5} if name == "filters" else {})


def compared(problem: Problem) -> str:
    """What is wrong with the answers of the search; "" if nothing is."""
    wanted = expected(problem)
    if wanted is None:
        return ""
    asked = problem.get(Catalyst)
    assert asked is not None
    search, keys = CatalystSearch(problem), set[bytes]()
    for found in search.catalysts():
        if found is not None:
            reaction = asked.reaction(problem.rule, found.start)
            key = late(reaction.remains, asked.last - reaction.generation)
            if key in keys:
                return "a perturbation is listed twice"
            keys.add(key)
    if not search.complete or keys != wanted.perturbations:
        return f"{len(keys)} perturbations were found, and there are {len(wanted.perturbations)}"
    smaller = CatalystSearch(problem, least=True)
    sizes = [found.population for found in smaller.catalysts() if found is not None]
    if min(sizes, default=None) != wanted.smallest:
        return f"the smallest has {min(sizes, default=None)} cells, not {wanted.smallest}"
    return ""


def late(remains: Pattern, generations: int) -> bytes:
    """A pattern some generations later, with its place."""
    then = satlife.advance(remains, generations).crop()
    return repr(sorted(then.points())).encode()


def counts(cells: Cells) -> Cells:
    """The live neighbours of every cell in a stack of planes."""
    padded = np.pad(cells, ((0, 0), (1, 1), (1, 1)))
    lines = padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]
    total: Cells = lines[:, :, :-2] + lines[:, :, 1:-1] + lines[:, :, 2:] - cells
    return total


def step(cells: Cells, rule: satlife.Rule) -> Cells:
    assert rule.counts is not None
    births, survivals = rule.counts
    following = np.array([k in births for k in range(9)] + [k in survivals for k in range(9)], np.uint8)
    stepped: Cells = following[counts(cells) + 9 * cells]
    return stepped


def grown(marks: Marks) -> Marks:
    return marks | (counts(marks.astype(np.uint8)) > 0)


@cache
def still_lifes(rule: satlife.Rule, width: int, height: int) -> list[int]:
    """All still lifes of a region, the empty one included, as numbers: bit y * width + x; of a large one at most MOST
    and the empty one."""
    if width * height <= 16:
        numbers = np.arange(1 << width * height, dtype=np.int64)
        found = []
        for part in np.array_split(numbers, max(1, len(numbers) >> 13)):
            cells = planes(part.tolist(), width, height, 2)
            same = (step(cells, rule) == cells).all(axis=(1, 2))
            found += part[same].tolist()
        return found
    listed = itertools.islice(satlife.enumerate_all(satlife.still_life((width, height), rule=rule)), MOST)
    weights = 1 << np.arange(width * height, dtype=np.int64)
    return [0, *(int((outcome.phases[0].ravel() * weights).sum()) for outcome in listed)]


def planes(numbers: list[int], width: int, height: int, margin: int) -> Cells:
    bits = np.array(numbers, np.int64)[:, None] >> np.arange(width * height) & 1
    return np.pad(bits.astype(np.uint8).reshape(-1, height, width), ((0, 0), (margin, margin), (margin, margin)))


def expected(problem: Problem) -> Answer | None:
    """The answer by brute force; None where there are too many still lifes."""
    asked, rule = problem.get(Catalyst), problem.rule
    assert asked is not None
    letters = np.array([list(row) for row in asked.rows])
    ys, xs = np.nonzero(np.isin(letters, list("BCDE")))
    left, top = int(xs.min()), int(ys.min())
    width, height = int(xs.max()) - left + 1, int(ys.max()) - top + 1
    numbers = still_lifes(rule, width, height)
    if len(numbers) > MOST:  # these are not all
        return None
    room = asked.last + 3
    box = np.pad(letters, room, constant_values=".")
    cells = planes(numbers, width, height, 0)
    lives = np.zeros((len(numbers), *box.shape), np.uint8)
    lives[:, room + top : room + top + height, room + left : room + left + width] = cells
    allowed = (lives <= np.isin(box, list("BCDE"))) & (lives >= np.isin(box, list("CDE")))
    lives = lives[allowed.all(axis=(1, 2))]
    return Reactions(asked, rule, box, lives, room).answer()


class Reactions:
    """The reactions of all still lifes, side by side; `good` are those that have broken no condition so far."""

    def __init__(self, asked: Catalyst, rule: satlife.Rule, box: npt.NDArray[np.str_], lives: Cells, room: int) -> None:
        self.asked, self.rule, self.lives, self.room = asked, rule, lives, room
        given = np.isin(box, list("CDE"))
        self.world = np.where(box == "A", 1, np.where(box == "D", 0, lives)).astype(np.uint8)
        self.given = given.astype(np.uint8)[None]
        self.alone = (self.given | (box == "A")) * (box != "D").astype(np.uint8)
        self.stator = box == "E"
        self.reach = grown(lives == 1)
        if asked.exempt:
            self.reach &= ~grown(given[None])[0] | self.stator
        self.good = np.ones(len(lives), bool)

    def answer(self) -> Answer:
        asked, many = self.asked, len(self.lives)
        first, rest, back, end = (np.zeros(many, int) for _ in range(4))
        ever, since, streak = (
            np.zeros_like(self.reach),
            np.zeros(self.reach.shape, int),
            np.zeros(self.reach.shape, int),
        )
        unmet = np.ones((many, len(asked.filters)), bool)
        remains = np.zeros_like(self.lives)
        done = np.zeros(many, bool)
        for t in range(1, asked.last + 2):
            before, self.world = self.world, step(self.world, self.rule)
            flips = grown(self.alone != self.given)
            self.alone = np.where(flips, step(self.alone, self.rule), self.given).astype(np.uint8)
            plain = np.where((self.lives == 1) & (self.given == 0), 1, self.alone)
            first[(first == 0) & (self.world != plain).any(axis=(1, 2)) & ~done] = t
            active, changed = (self.world != self.lives) & self.reach, (self.world != before) & self.reach
            ever, since = ever | active, np.where(active & (since == 0), t, since)
            streak = np.where(active, streak + 1, 0)
            ok = ~((self.world != self.lives) & self.stator).any(axis=(1, 2))
            ok &= self.small(active, ever, changed, t, since, streak)
            any_active, running = active.any(axis=(1, 2)), back == 0
            ok &= ~(running & any_active & ((t < asked.first[0]) | ((first > 0) & (t >= first + asked.lasts[1]))))
            rest = np.where((first > 0) & ~any_active, rest + 1, 0)
            now = running & (rest == asked.stable)
            back[now], end[now] = t - asked.stable + 1, t
            remains[now] = self.world[now] & ~self.lives[now]
            if asked.eaten:
                ok &= ~(now & (self.world != self.lives).any(axis=(1, 2)))  # what is given has recovered, too
            ok &= ~((first == 0) & (t >= asked.first[1])) & ~((first > 0) & (first < asked.first[0]))
            ok &= ~((first > 0) & (back == 0) & (t - rest + 1 > first + asked.lasts[1]))
            for number, filter_ in enumerate(asked.filters):
                due = (first > 0) & (t <= filter_.generation if filter_.some else t == filter_.generation)
                unmet[:, number] &= ~(due & self.has(self.world, filter_))
                if t == filter_.generation:
                    ok &= ~unmet[:, number]
            self.good &= ok | done
            done |= self.good & (back > 0) & ~unmet.any(axis=1)
        good = self.good & done & (back - first >= asked.lasts[0])
        for forbidden in asked.forbidden:
            good &= ~self.has(self.lives, forbidden)
        keys = set[bytes]()
        for i in np.flatnonzero(good):
            pattern = Pattern(remains[i], -self.room, -self.room, self.rule)
            keys.add(late(pattern, asked.last - int(end[i])))
        sizes = self.lives[good].sum(axis=(1, 2))
        extremes = (int(sizes.min()), int(sizes.max())) if len(sizes) else (None, None)
        return Answer(frozenset(keys), extremes[0], extremes[1], len(sizes))

    def has(self, world: Cells, piece: PlacedCells) -> Marks:
        found = np.ones(len(world), bool)
        for x, y, state in piece.cells():
            row, column = self.room + y, self.room + x
            inside = 0 <= row < world.shape[1] and 0 <= column < world.shape[2]
            found &= world[:, row, column] == state if inside else state == 0
        return found

    def small(
        self,
        active: Marks,
        ever: Marks,
        changed: Marks,
        t: int,
        since: npt.NDArray[np.int_],
        streak: npt.NDArray[np.int_],
    ) -> Marks:
        """Whether the limits hold."""
        asked, ok = self.asked, np.ones(len(active), bool)
        sets = {"active": active, "ever_active": ever, "changes": changed}
        for name, marks in sets.items():
            if (whole := getattr(asked, name)) != Extent():
                ok &= np.array([fits(one, whole) for one in marks], bool)
            if (part := getattr(asked, f"part_{name}")) != Extent():
                ok &= np.array([all(fits(piece, part) for piece in connected(one)) for one in marks], bool)
        if asked.cell_window is not None:
            ok &= ~(active & (t - since >= asked.cell_window)).any(axis=(1, 2))
        if asked.cell_streak is not None:
            ok &= ~(streak > asked.cell_streak).any(axis=(1, 2))
        if asked.cell_distance is not None:
            near = changed
            for _ in range(asked.cell_distance):
                near = grown(near)
            ok &= ~(active & ~near).any(axis=(1, 2))
        return ok


def fits(marks: Marks, limit: Extent) -> bool:
    ys, xs = np.nonzero(marks)
    if not len(ys):
        return True
    wide = limit.box is not None and int(xs.max() - xs.min()) + 1 > limit.box[0]
    high = limit.box is not None and int(ys.max() - ys.min()) + 1 > limit.box[1]
    return not (wide or high) and (limit.cells is None or len(ys) <= limit.cells)


def is_close(one: tuple[int, int], other: tuple[int, int]) -> bool:
    dy, dx = abs(one[0] - other[0]), abs(one[1] - other[1])
    return max(dx, dy) <= 2 and dx + dy < 4


def connected(marks: Marks) -> Iterator[Marks]:
    """Parts: cells whose distance is at most 2 in each direction, and less than 4 in all."""
    points = [(y, x) for y, x in np.argwhere(marks).tolist()]
    while points:
        part = {points.pop()}
        while more := {p for p in points if any(is_close(p, q) for q in part)}:
            part |= more
            points = [p for p in points if p not in more]
        found = np.zeros_like(marks)
        for y, x in part:
            found[y, x] = True
        yield found
