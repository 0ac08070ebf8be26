"""Oscillators from random symmetric soups, as apgsearch finds them, beside the solvers.

Oscillators that are common in symmetric soups, such as Kok's galaxy or octagon 2, appear there within a moment, while a
solver has to search space-time for them.  This engine can only find; it never claims "none".
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from satlife.engines.engine import Background, Budget, Engine, Fit, Run
from satlife.engines.soups.arena import Field, Words
from satlife.life.parts import islands, near
from satlife.life.pattern import TRANSFORMS, Cells, live_box, transform_cells
from satlife.problem import verify
from satlife.problem.ask import Ask
from satlife.problem.goals import FindOne
from satlife.problem.outcome import FOUND, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Need
from satlife.problem.symmetry import GROUPS

FIT = Fit(delay=0.1, share=0.5)  # most small problems are solved by then
CELLS = 8000  # words that are simulated at a time, with 64 soups in each
LARGEST = 24  # cells along a side of a soup
ROOM = 2  # cells around a soup into which it may grow
AGE = 20  # generations before it is examined: small soups have stabilised by then
LONGEST_PERIOD = 100  # the longest period to look for; small soups do not produce longer ones
MOST_EXAMINED = 16  # soups of a batch that are examined closely


class SoupEngine(Engine):
    """Finds oscillators; it never refutes."""

    name = "soups"
    words = "random soups"
    strategy = "soups"
    goals = frozenset({FindOne})
    honours = frozenset({Need.SYMMETRY, Need.ANY_PERIOD, Need.EMPTY, Need.FORBIDDEN, "differ", "exclude", "population"})

    def limit(self, ask: Ask) -> str:
        """It is for oscillators about the centre of the box in outer-totalistic rules."""
        problem = ask.problem
        if not problem.rule.is_plain or problem.rule.counts is None:
            return f"soups are for outer-totalistic rules, not {problem.rule}"
        if any(":" in name for name in problem.symmetry):
            return "soups are symmetric about the centre of the box"
        return (
            ""
            if 2 < problem.generations <= LONGEST_PERIOD
            else f"soups have oscillators of periods 3 to {LONGEST_PERIOD}"
        )

    def fit(self, ask: Ask, budget: Budget) -> Fit:
        return Fit() if budget.engine == self.strategy else FIT

    def start(self, ask: Ask, budget: Budget) -> Run:
        return Soups(ask.problem, budget.seed or 0, self.fit(ask, budget)).begin()


class Soups(Background):
    """Runs soups until one of them contains the oscillator, or until it is stopped."""

    def __init__(self, problem: Problem, seed: int = 0, fit: Fit = FIT) -> None:
        super().__init__("soups", fit)
        self.problem = problem
        self.rng = np.random.default_rng(seed)

    def search(self) -> Outcome | None:
        for arena, soup in self._soups():
            for phases in self._oscillators(arena, soup):
                if found := self._fit(phases):
                    return Outcome(self.problem, FOUND, tuple(found), {}, "simulation", "soups")
            if self.is_stopped():
                return None
        raise AssertionError("there are always more soups")

    def _soups(self) -> Iterator[tuple[Field, Words]]:
        """Random soups of all symmetry groups that contain the symmetries of the problem."""
        problem = self.problem
        wanted = {part for name in problem.symmetry for part in GROUPS.get(name, (name,)) if "@" not in part}
        fitting = [parts for parts in map(closure, GROUPS.values()) if wanted <= parts]
        if wanted:
            fitting += fitting[:1] * len(fitting)  # half of the soups have just the required symmetry
        sides = [min(side, LARGEST + side % 2) for side in (problem.width, problem.height)]
        for number in itertools.count():
            group = fitting[number % len(fitting)]
            width, height = self._sides(sides, bool(wanted))
            if any(TRANSFORMS[name][0] == 0 for name in group):
                width = height = max(width, height)
            arena = Field(height + 2 * ROOM, width + 2 * ROOM, group, problem.rule)
            shape = (height, width, max(1, CELLS // arena.size))
            cells = self.rng.integers(0, (1 << 64) - 1, shape, np.uint64, endpoint=True)
            if self.rng.random() < 0.2:  # sparse ones as well
                cells &= self.rng.integers(0, (1 << 64) - 1, shape, np.uint64, endpoint=True)
            yield arena, np.pad(symmetric(cells, group), ((ROOM, ROOM), (ROOM, ROOM), (0, 0)))

    def _sides(self, sides: Sequence[int], parity: bool) -> tuple[int, int]:
        """The sides of a soup: about those of the box, or smaller ones, in which other objects are common.

        With a symmetry the parity of the sides matters: the centre lies on a cell, or between cells."""
        if self.rng.random() < 0.5:
            more = 2 * int(self.rng.integers(-1, 3))
            width, height = (max(side + more, 4 + side % 2) for side in sides)
            return width, height
        small = int(self.rng.integers(4, max(*sides, 3) + 2))
        width, height = (max(min(side, small + int(self.rng.integers(-2, 3))), 3) for side in sides)
        if parity:
            width, height = width + (width - sides[0]) % 2, height + (height - sides[1]) % 2
        return width, height

    def _oscillators(self, arena: Field, soup: Words) -> Iterator[list[Cells]]:
        """The phases of objects with a cell of the right period, from a few soups: most soups have the same objects."""
        period = self.problem.generations
        state = arena.fold(soup)
        for _ in range(AGE):
            state = arena.step(state)
        states = [state]
        for _ in range(period):
            states.append(arena.step(states[-1]))
        divisors = [factor for factor in range(2, period + 1) if period % factor == 0]
        parts = [period // prime for prime in divisors if all(prime % other for other in range(2, prime))]
        back = ~near(arena.unfold(states[0] ^ states[period]), 3)  # the whole neighbourhood has returned
        for part in parts:
            back &= arena.unfold(states[0] ^ states[part])
        lanes = np.bitwise_or.reduce(back, axis=(0, 1))
        bits = np.arange(64, dtype=np.uint64)
        for word, bit in np.argwhere(lanes[:, None] >> bits & np.uint64(1))[:MOST_EXAMINED]:
            phases = [arena.unfold(state[:, word] >> bits[bit] & np.uint64(1)) for state in states]
            yield from cut([cells.astype(np.uint8) for cells in phases])
            if self.stopped.is_set():
                return

    def _fit(self, phases: list[Cells]) -> list[Cells] | None:
        """The oscillator in some orientation, centred in the box, if it is a solution of the problem."""
        problem = self.problem
        for name in TRANSFORMS:
            turned = [transform_cells(cells, name) for cells in phases]
            height, width = turned[0].shape
            down, across = problem.height - height, problem.width - width
            if down < 0 or across < 0:
                continue
            top, left = down // 2, across // 2
            placed = [np.pad(cells, ((top, down - top), (left, across - left))) for cells in turned]
            with contextlib.suppress(verify.Refuted):
                verify.check(problem, placed)
                return placed
        return None


def closure(parts: tuple[str, ...]) -> set[str]:
    """The group that some symmetries of the square generate."""
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
    """Symmetrise: repeat the cells of a fundamental domain by a group of symmetries."""
    numbers = np.arange(cells.shape[0] * cells.shape[1]).reshape(cells.shape[:2])
    images = [transform_cells(numbers, name) for name in group]
    result: Words = cells.reshape(numbers.size, -1)[np.min(images, axis=0)]
    return result


def cut(phases: list[Cells]) -> Iterator[list[Cells]]:
    """The oscillating objects of a soup: parts that touch no other in any generation, each cropped to its own box."""
    label = islands(near(np.max(phases, axis=0), 1))
    for number in range(1, int(label.max(initial=0)) + 1):
        mine = [np.where(label == number, cells, 0).astype(np.uint8) for cells in phases]
        if np.array_equal(mine[0], mine[-1]) and not np.array_equal(mine[0], mine[1]):
            box = live_box(np.max(mine, axis=0))
            yield [cells[box] for cells in mine[:-1]]
