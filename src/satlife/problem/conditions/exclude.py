"""Excluded patterns: what generation 0 must not be, in any phase, orientation and position."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Self

import numpy as np

from satlife.errors import InputError
from satlife.life.formats import apgcode, rle
from satlife.life.pattern import TRANSFORMS, Cells, Pattern, fingerprint, live_box, transform_cells
from satlife.life.rule import Rule
from satlife.life.simulate import generations
from satlife.problem.conditions.condition import Condition, Option, values
from satlife.problem.simulation import Refuted
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.problem.problem import Problem


@dataclass(frozen=True)
class Exclude(Condition):
    """The patterns, as RLE."""

    patterns: tuple[str, ...]
    name = "exclude"
    words = "excluded patterns"
    option = Option("A pattern not to be found (any phase and place).", "FILE", file=True)
    translates = any_box = is_timeless = True

    @classmethod
    def read(cls, value: object) -> Self | None:
        given = [value] if isinstance(value, Pattern) else values(cls.name, value)
        return cls(tuple(map(_text, given))) if given else None

    def to_json(self) -> list[str]:
        return list(self.patterns)

    def arguments(self) -> None:
        return None

    def posed(self, problem: Problem) -> Self:
        return replace(self, patterns=tuple(_normal(text, problem) for text in self.patterns))

    def turned(self, problem: Problem, transform: str) -> Self:
        """What is excluded is so in every orientation if the rule is isotropic, else as it is drawn."""
        if problem.rule.is_isotropic:
            return self
        turned = (_parsed(text, problem.rule).transform(transform) for text in self.patterns)
        return replace(self, patterns=tuple(rle.body(pattern) + "!" for pattern in turned))

    def looks_at(self, problem: Problem) -> Collection[int]:
        return {0}

    def check(self, problem: Problem, phases: Sequence[Cells]) -> None:
        if fingerprint(phases[0]) in shapes(problem):
            raise Refuted("the pattern is one of those that are excluded")

    def sentences(self, problem: Problem) -> Iterator[str]:
        ways = "phase, orientation and place" if problem.rule.is_isotropic else "phase and place"
        for text in self.patterns:
            yield f"Generation 0 is not {text} in any {ways}."


def patterns(problem: Problem) -> tuple[str, ...]:
    """The excluded patterns of a problem, as RLE."""
    found = problem.get(Exclude)
    return found.patterns if found else ()


def shapes(problem: Problem) -> dict[bytes, Cells]:
    """The excluded patterns of a problem in every phase and orientation, by fingerprint."""
    around = (problem.width * problem.wrap[0], problem.height * problem.wrap[1])  # 0 is infinite
    return _shapes(patterns(problem), problem.rule, around, problem.period)


def _text(given: object) -> str:
    if isinstance(given, Pattern):
        return rle.body(given.crop()) + "!"
    if not isinstance(given, str):
        raise InputError("the field `exclude` should be a list of strings")
    return given


def _normal(text: str, problem: Problem) -> str:
    """The canonical RLE of a pattern to exclude."""
    pattern, rule = _parsed(text, problem.rule), problem.rule
    if pattern.cells.max(initial=0) >= rule.states:
        raise InputError(f"a pattern to exclude has a state that {rule} does not have")
    if rule.is_partial and problem.periodic and problem.generations > 1:
        raise InputError("in a partial rule the phases of a pattern to exclude are not known")
    return rle.body(replace(pattern, rule=rule).crop()) + "!"


def _parsed(text: str, rule: Rule) -> Pattern:
    """A pattern, from RLE or an apgcode; without a header it has the rule of the problem."""
    if re.fullmatch(apgcode.CODE, text.strip()):
        return replace(apgcode.parse(text.strip()), rule=rule.unrestricted)
    headed = re.search(r"^\s*x\s*=", text, re.MULTILINE)
    return rle.parse(text if headed else f"x = 0, y = 0, rule = {rule.name}\n{text}")


@lru_cache(maxsize=16)
def _shapes(patterns: tuple[str, ...], rule: Rule, around: tuple[int, int], period: int | None) -> dict[bytes, Cells]:
    found: dict[bytes, Cells] = {}
    for text in patterns:
        drawn = _parsed(text, rule).crop().cells
        for name in TRANSFORMS if rule.is_isotropic else ("I",):
            for phase in _phases(transform_cells(drawn, name), rule, around, period or 1):
                for cells in _placed(phase, around):
                    found[fingerprint(cells)] = cells[live_box(cells)]
    return found


def _phases(drawn: Cells, rule: Rule, around: tuple[int, int], period: int) -> Iterator[Cells]:
    """The phases of a pattern that may be generation 0, on the plane, cylinder or torus of the problem; one that is
    not periodic has no other, since what it becomes is another pattern."""
    if any(0 < side < size for side, size in zip(around, reversed(drawn.shape), strict=True)):
        return  # it does not fit
    placed = Pattern(drawn, rule=rule, torus=around if any(around) else None)
    if period > 1:
        first, *_, last = itertools.islice(generations(placed), period + 1)
        if fingerprint(last.cells) not in map(fingerprint, _placed(first.cells, around)):
            period = 1
    step = 2 if rule.births_from_nothing else 1  # the background alternates
    yield from (phase.cells for phase in itertools.islice(generations(placed), 0, period, step))


def _placed(cells: Cells, around: tuple[int, int]) -> Iterator[Cells]:
    """A pattern at every position that makes a difference: where space wraps, it may lie across the seam."""
    for dy, dx in itertools.product(range(around[1] or 1), range(around[0] or 1)):
        yield np.roll(cells, (dy, dx), (0, 1))
