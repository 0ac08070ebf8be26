"""Oscillators out of random soups, beside the solvers: many soups at a time, one in each bit of some words.

What is common in symmetric soups, such as Kok's galaxy or octagon 2, comes out of them in seconds, while a solver looks
for it in space and time at once.  A soup can only find; that there is nothing is for the solvers to say.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from satlife.life.parts import islands, near, rim
from satlife.life.pattern import TRANSFORMS, Cells, live_box, transform_cells
from satlife.life.rule import Rule
from satlife.problem import verify
from satlife.problem.problem import Problem
from satlife.problem.symmetry import GROUPS
from satlife.search.outcome import FOUND, Outcome

Words = npt.NDArray[np.uint64]
PATIENCE = 0.3  # seconds before the first soup; many questions are answered by then
WORDS = 4  # of 64 soups each
ROOM = 14  # cells around a soup into which it may grow
LOOKS = (50, 120, 220)  # generations after which to look at what has become of it


class Soups(threading.Thread):
    """Runs soups until one of them has the oscillator, or until it is told to stop."""

    def __init__(self, problem: Problem, seed: int = 0) -> None:
        super().__init__(name="soups", daemon=True)
        self.problem = problem
        self.outcome: Outcome | None = None
        self.rng = np.random.default_rng(seed)
        self._stop_asked = threading.Event()

    @staticmethod
    def suits(problem: Problem) -> bool:
        """Whether the problem asks for an oscillator of the plane, in a rule that counts neighbours."""
        rule = problem.rule
        simple = rule.is_plain and rule.counts is not None
        plane = problem.periodic and problem.displacement == (0, 0) and not any(problem.wrap)
        refined = problem.strict or problem.tight
        return simple and plane and problem.generations > 2 and not any(problem.cells) and not refined

    def stop(self) -> None:
        self._stop_asked.set()

    def run(self) -> None:
        if self._stop_asked.wait(PATIENCE):
            return
        for soup in self._soups():
            for phases in self._oscillators(soup):
                for placed in self._places(phases):
                    try:
                        verify.check(self.problem, placed)
                    except verify.Refuted:
                        continue
                    self.outcome = Outcome(self.problem, FOUND, tuple(placed), {}, "simulation", "soups")
                    return
            if self._stop_asked.is_set():
                return

    def _soups(self) -> Iterator[Words]:
        """Random soups, 64 a word, of all symmetries that include those of the problem."""
        problem = self.problem
        wanted = {part for name in problem.symmetry for part in GROUPS.get(name, (name,)) if "@" not in part}
        fitting = [parts for parts in map(closure, GROUPS.values()) if wanted <= parts]
        if wanted:
            fitting += fitting[:1] * len(fitting)  # mostly the least that is asked for
        sides = problem.width % 2, problem.height % 2
        for number in itertools.count():
            group = fitting[number % len(fitting)]
            size = int(self.rng.integers(8, 17))
            width, height = size + (size + sides[0]) % 2, size + (size + sides[1]) % 2
            if any(TRANSFORMS[name][0] == 0 for name in group):
                height = width
            shape = (height, width, WORDS)
            cells = self.rng.integers(0, (1 << 64) - 1, shape, np.uint64, endpoint=True)
            if number % 5 == 4:  # sparse ones as well
                cells &= self.rng.integers(0, (1 << 64) - 1, shape, np.uint64, endpoint=True)
            yield np.pad(symmetric(cells, group), ((ROOM, ROOM), (ROOM, ROOM), (0, 0)))

    def _oscillators(self, soup: Words) -> Iterator[list[Cells]]:
        """The phases of everything in the soups that has the right period."""
        period, rule = self.problem.generations, self.problem.rule
        generation = 0
        for look in LOOKS:
            while generation < look:
                soup = step(soup, rule)
                generation += 1
                if self._stop_asked.is_set():
                    return
            phases = [soup]
            for _ in range(period):
                phases.append(step(phases[-1], rule))
            parts = [period // factor for factor in range(2, period + 1) if period % factor == 0]
            back = ~near(phases[0] ^ phases[period], 3)  # all around is as it was a period ago
            for part in parts:
                back &= phases[0] ^ phases[part]
            lanes = np.bitwise_or.reduce(back, axis=(0, 1))
            for word, bit in itertools.product(range(WORDS), np.arange(64, dtype=np.uint64)):
                if lanes[word] >> bit & np.uint64(1):
                    yield from cut([(phase[..., word] >> bit & np.uint64(1)).astype(np.uint8) for phase in phases])

    def _places(self, phases: list[Cells]) -> Iterator[list[Cells]]:
        """The oscillator in the box of the problem: in the middle, or anywhere if there is no symmetry; turned, too."""
        problem = self.problem
        for name in TRANSFORMS:
            turned = [transform_cells(cells, name) for cells in phases]
            height, width = turned[0].shape
            down, across = problem.height - height, problem.width - width
            if down < 0 or across < 0:
                continue
            top, left = down // 2, across // 2
            around = ((top, down - top), (left, across - left))
            yield [np.pad(cells, around) for cells in turned]


def closure(parts: tuple[str, ...]) -> set[str]:
    """All symmetries of the square that some of them generate."""
    found = {"I", *parts}
    matrices = {TRANSFORMS[name]: name for name in TRANSFORMS}
    while True:
        more = {
            matrices[a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h]
            for (a, b, c, d), (e, f, g, h) in itertools.product((TRANSFORMS[n] for n in found), repeat=2)
        }
        if more <= found:
            return found
        found |= more


def symmetric(cells: Words, group: set[str]) -> Words:
    """The cells of one fundamental piece, repeated by a group of symmetries."""
    numbers = np.arange(cells.shape[0] * cells.shape[1]).reshape(cells.shape[:2])
    images = [transform_cells(numbers, name) for name in group]
    result: Words = cells.reshape(numbers.size, -1)[np.min(images, axis=0)]
    return result


def step(cells: Words, rule: Rule) -> Words:
    """The next generation of soups; what leaves the array is dead."""
    assert rule.counts is not None
    births, survivals = rule.counts
    wide = rim(cells)
    left, right, middle = wide[:, :-2], wide[:, 2:], wide[:, 1:-1]
    pair0, pair1 = left ^ right, left & right
    row0, row1 = pair0 ^ middle, pair1 | (pair0 & middle)
    a0, a1, c0, c1 = row0[:-2], row1[:-2], row0[2:], row1[2:]
    b0, b1 = pair0[1:-1], pair1[1:-1]
    ones = a0 ^ b0 ^ c0
    carry = (a0 & b0) | (c0 & (a0 ^ b0))
    x, y = a1 ^ b1, c1 ^ carry
    twos = x ^ y
    p, q, r = a1 & b1, c1 & carry, x & y
    fours, eights = p ^ q ^ r, (p & q) | (r & (p ^ q))
    bits = (ones, twos, fours, eights)
    out = np.zeros_like(cells)
    inverted = [~plane for plane in bits]
    for count in {*births, *survivals}:
        first, second, third, fourth = (bits[i] if count >> i & 1 else inverted[i] for i in range(4))
        here = first & second & third & fourth
        if count not in survivals:
            here &= ~cells
        elif count not in births:
            here &= cells
        out |= here
    return out


def cut(phases: list[Cells]) -> Iterator[list[Cells]]:
    """The parts of a soup that do not touch in any of its generations, each in a box of its own; the last generation
    repeats the first where a part oscillates."""
    label = islands(near(np.max(phases, axis=0), 1))
    for number in range(1, int(label.max(initial=0)) + 1):
        mine = [np.where(label == number, cells, 0).astype(np.uint8) for cells in phases]
        if np.array_equal(mine[0], mine[-1]) and not np.array_equal(mine[0], mine[1]):
            box = live_box(np.max(mine, axis=0))
            yield [cells[box] for cells in mine[:-1]]
