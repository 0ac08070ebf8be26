"""What a pattern is: period, displacement, symmetries, populations, heat, apgcode, name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from satlife import data
from satlife.errors import LimitError, counted
from satlife.life.pattern import TRANSFORMS, Cells, Pattern, common_box, transform_cells
from satlife.life.rule import LIFE
from satlife.life.simulate import advance, generations
from satlife.records import dataclass

LONGEST = 5000
LARGEST_AREA = 1 << 22  # of a phase
MOST_CELLS = 1 << 29  # in all phases, which are kept


@cache
def names() -> dict[str, str]:
    """The names of patterns that everybody knows, by apgcode.

    >>> names()["xq4_153"]
    'glider'
    """
    return dict(line.split(" ", 1) for line in data.lines("names.txt"))


@dataclass(frozen=True)
class Identity:
    """The phases of one period, each cropped to its live cells; `period` is 0 when none was found."""

    pattern: Pattern
    period: int
    displacement: tuple[int, int]
    phases: tuple[Pattern, ...]
    reason: str = ""

    @property
    def kind(self) -> str:
        if not self.period:
            return "unknown"
        if self.pattern.is_empty():
            return "empty"
        if self.displacement != (0, 0):
            return "spaceship"
        return "still life" if self.period == 1 else "oscillator"

    @cached_property
    def populations(self) -> list[int]:
        return [phase.population for phase in self.phases]

    @cached_property
    def box(self) -> tuple[int, int]:
        """Width and height of the smallest box that contains all phases of one period.

        For a ship this depends on which phase comes first; the phase with the smallest box is taken."""
        if not self.period or self.pattern.is_empty():
            return 0, 0
        moved = [phase.shift(*self.displacement) for phase in self.phases]
        boxes = [common_box([*self.phases[start:], *moved[:start]])[2:] for start in range(self.period)]
        return min(boxes, key=lambda box: (box[0] * box[1], box[1]))

    @cached_property
    def heat(self) -> float:
        """The mean number of cells that change in a generation."""
        if not self.period:
            return 0.0
        following = [*self.phases[1:], self.phases[0].shift(*self.displacement)]
        changed = [len(set(a.points()) ^ set(b.points())) for a, b in zip(self.phases, following, strict=True)]
        return sum(changed) / self.period

    @cached_property
    def rotor(self) -> int:
        """The size of an oscillator's rotor: its cells that are alive in some phases and dead in others."""
        points = [set(phase.points()) for phase in self.phases]
        ever: set[tuple[int, int]] = set().union(*points)
        return sum(1 for cell in ever if not all(cell in phase for phase in points))

    @cached_property
    def symmetry(self) -> list[str]:
        """The symmetries of the square, other than the identity, that map phase 0 to a translate of itself."""
        return [name for name in TRANSFORMS if name != "I" and self.phases and self._equal(name, 0)]

    @cached_property
    def time_symmetry(self) -> list[str]:
        """Symmetries `F-@k`: phase 0 becomes its mirror image after k generations, k a proper divisor of the period;
        those that hold in every generation are left out."""
        return [
            f"{name}@{k}"
            for k in range(1, self.period)
            if self.period % k == 0
            for name in TRANSFORMS
            if name != "I" and self._equal(name, k)
        ]

    def _equal(self, name: str, k: int) -> bool:
        return np.array_equal(transform_cells(self.phases[0].cells, name), self.phases[k].cells)

    @cached_property
    def apgcode(self) -> str | None:
        if self.why_no_apgcode:
            return None
        prefix = {"still life": f"xs{self.populations[0]}", "oscillator": f"xp{self.period}"}
        return f"{prefix.get(self.kind, f'xq{self.period}')}_{shortest_code(p.cells for p in self.phases)}"

    @cached_property
    def name(self) -> str:
        """What it is called in Life, such as "glider"; "" if it has no name here, or if it is another pattern there."""
        found = names().get(self.apgcode or "", "")
        return found if found and all(map(self._is_followed_in_life, range(self.period))) else ""

    def _is_followed_in_life(self, k: int) -> bool:
        """Whether phase k becomes the next one in Life, too."""
        following = self.phases[k + 1] if k + 1 < self.period else self.phases[0].shift(*self.displacement)
        return advance(self.phases[k].under(LIFE)) == following.under(LIFE)

    @cached_property
    def why_no_apgcode(self) -> str:
        if not self.period:
            return self.reason
        if self.pattern.torus:
            return "apgcodes are for patterns of the plane"
        if self.pattern.is_empty():
            return "it is empty"
        rule = self.pattern.rule
        if rule.states > 2 or rule.births_from_nothing or not rule.is_isotropic:
            return "apgcodes are for isotropic two-state rules without B0"
        if max(max(phase.width, phase.height) for phase in self.phases) > LONGEST_SIDE:
            return f"it is larger than {LONGEST_SIDE} cells"
        return ""


def identify(pattern: npt.ArrayLike, longest: int = LONGEST) -> Identity:
    """Run a pattern (or what `Pattern.of` makes one of) until its first phase recurs, in the same place or moved.

    >>> found = identify(Pattern.from_rows([".O.", "..O", "OOO"]))
    >>> found.period, found.displacement, found.apgcode
    (4, (1, 1), 'xq4_153')
    """
    pattern = Pattern.of(pattern)
    phases: list[Pattern] = []
    kept = 0
    first: Cells | None = None
    background = not (pattern.torus and all(pattern.torus))  # nothing lies outside a torus
    step = 2 if pattern.rule.births_from_nothing and background else 1
    try:
        for t, phase in enumerate(generations(pattern)):
            here = phase if pattern.torus else phase.crop()
            if first is None:
                first = here.cells
            elif t % step == 0 and here.cells.shape == first.shape and np.array_equal(here.cells, first):
                displacement = (here.x - phases[0].x, here.y - phases[0].y)
                return Identity(replace(pattern), t, displacement, tuple(phases))
            if t >= longest:
                return Identity(pattern, 0, (0, 0), (), f"it does not come back within {longest} generations")
            ends = background or not pattern.rule.births_from_nothing
            if here.is_empty() and ends and not phases[:1]:
                return Identity(pattern, 1, (0, 0), (here,))
            if here.is_empty() and ends:
                return Identity(pattern, 0, (0, 0), (), f"it dies after {counted(t, 'generation')}")
            kept += here.cells.size
            if here.cells.size > LARGEST_AREA or kept > MOST_CELLS:
                return Identity(pattern, 0, (0, 0), (), f"after {t} generations it is too large to follow")
            phases.append(here)
    except LimitError as error:
        return Identity(pattern, 0, (0, 0), (), str(error))
    raise AssertionError("generations never end")


# The extended Wechsler format: the part of an apgcode that encodes the cells.
#
# The pattern is cut into strips of five rows.  Each column of a strip is a number from 0 to 31, written 0-9a-v; `w`,
# `x` and `y` abbreviate two, three, and four or more empty columns, and `z` separates strips.  (Allan Wechsler's
# notation of 1992, extended by Adam Goucher for Catagolue.)

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
LONGEST_SIDE = 40  # patterns with a longer side have no code


def wechsler(cells: Cells) -> str:
    """The code of one orientation of one phase, without its prefix.

    >>> wechsler(np.array([[1, 1], [1, 1]], np.uint8))
    '33'
    """
    strips = []
    for top in range(0, len(cells), 5):
        strip = cells[top : top + 5]
        weights = (1 << np.arange(len(strip), dtype=np.int64))[:, None]
        columns = (np.asarray(strip, np.int64) * weights).sum(axis=0).tolist()
        strips.append(_compress(columns))
    return "z".join(strips)


def _compress(columns: list[int]) -> str:
    out = []
    zeros = 0
    for value in columns:
        if value == 0:
            zeros += 1
            continue
        while zeros > 0:
            if zeros == 1:
                out.append("0")
                zeros = 0
            elif zeros <= 3:
                out.append("?xwx"[zeros] if zeros == 3 else "w")
                zeros = 0
            else:
                run = min(zeros, 39)
                out.append("y" + DIGITS[run - 4])
                zeros -= run
        out.append(DIGITS[value])
    return "".join(out)


def shortest_code(phases: Iterable[Cells]) -> str:
    """The shortest and then alphabetically first code over all phases and orientations."""
    best = ""
    for phase in phases:
        for name in TRANSFORMS:
            code = wechsler(transform_cells(phase, name))
            if not best or (len(code), code) < (len(best), best):
                best = code
    return best
