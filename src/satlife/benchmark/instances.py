"""The instances, as data: the question, the command that writes the clauses, the status and its source."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from enum import StrEnum

import numpy as np

from satlife import data, knuth
from satlife.benchmark.certified import REFUTED
from satlife.cnf.formula import Formula
from satlife.encode.encoder import encode
from satlife.errors import InputError, counted
from satlife.knuth import KnuthProgram
from satlife.life import formats
from satlife.life.pattern import Pattern
from satlife.life.simulate import advance
from satlife.problem import families
from satlife.problem.problem import Problem
from satlife.records import dataclass

BOOK, OURS = "TAOCP 7.2.2.2", "solved by satlife"
CERTIFIED = "certified by satlife"
COMPLETE = "complete search by satlife, no certificate"
BUILT = "so by construction"
FOUND = "found by satlife"


class Expected(StrEnum):
    """The status of an instance, as far as it is known."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


SAT, UNSAT, UNKNOWN = Expected
STATUSES = {SAT: "SATISFIABLE", UNSAT: "UNSATISFIABLE", UNKNOWN: "UNKNOWN"}


@dataclass(frozen=True)
class Instance:
    """A named formula with its question and its expected status."""

    name: str
    family: str
    parameters: Mapping[str, object]
    asks: Problem | KnuthProgram
    words: str
    arguments: str  # of `satlife encode`, or the call of Knuth's program
    status: Expected
    source: str
    files: Mapping[str, str] = field(default_factory=dict)  # the patterns that the command reads

    def command(self, style: str = "dimacs") -> str:
        """The command line that writes the same clauses, run in the folder of the instance."""
        if isinstance(self.asks, KnuthProgram):
            return f"satlife knuth {self.arguments}" + (" --format dimacs" if style == "dimacs" else "")
        return f"satlife encode {self.arguments}" + (" --format sat" if style == "sat" else "")

    @property
    def certificate(self) -> str:
        """The sha256 of the formula that its certificate refutes; empty if there is no certificate."""
        return REFUTED.get(self.name, "")

    @property
    def proving(self) -> str:
        """The command line that makes its certificate, run in the folder of the instance."""
        return f"satlife {self.arguments} --proof DIR"

    def formula(self) -> Formula:
        """The clauses, with names for the variables."""
        if isinstance(self.asks, KnuthProgram):
            return knuth.formula(self.asks.name, *self.asks.arguments)
        encoded = encode(self.asks)
        plain = encoded.formula
        return Formula(plain.literals, plain.ends, plain.variables, encoded.names())

    def comments(self, style: str = "dimacs") -> list[str]:
        """The comments at the head of its file."""
        given = ", ".join(f"{name} {value}" for name, value in self.parameters.items())
        lines = [
            f"{self.name}: family {self.family}; {given}",
            f"question: {self.words}",
            f"command: {self.command(style)}",
            f"expected: {STATUSES[self.status]} ({self.source})",
        ]
        if self.certificate:
            lines.append(f"certificate: {self.proving}")
            lines.append(f"its proof refutes the formula with sha256 {self.certificate}")
        if isinstance(self.asks, Problem):
            lines.append(f"satlife problem {self.asks.to_json()}")  # what `satlife decode` needs
        return lines


def life(seed: int) -> Iterator[Instance]:
    """predecessors of the word LIFE in Knuth's frame, with an upper bound on their cells"""
    text = data.path("life.cells").read_text(encoding="utf-8")
    word = formats.parse(text)
    for steps, most, status, source in (
        (2, None, SAT, f"follows from {BOOK}"),
        (3, 37, UNSAT, f"follows from {BOOK}"),
        (3, 38, UNSAT, BOOK),
        (3, 39, SAT, BOOK),
        (3, 40, SAT, f"follows from {BOOK}"),
        (3, None, SAT, BOOK),
        (4, None, UNSAT, BOOK),
    ):
        bound = f" --population '<={most}'" if most else ""
        what = f"a pattern of at most {most} cells" if most else "a pattern"
        yield Instance(
            f"life-{steps}" + (f"-{most}" if most else ""),
            "life",
            {"steps": steps, "cells": f"<={most}" if most else "any"},
            families.predecessor(word, steps, 1, population=[f"<={most}"] if most else []),
            f"is there {what} in 15x7 that becomes LIFE in {steps} steps?",
            f"predecessor life.cells -g {steps}{bound}",
            status,
            source,
            {"life.cells": text},
        )


def upper(seed: int) -> Iterator[Instance]:
    """Knuth's sat-life-upper: how fast life spreads from a quadrant"""
    for x, y in ((1, 1), (2, 2), (3, 3), (-3, 8), (4, 4), (5, 5), (6, 6), (7, 7)):
        yield Instance(
            f"upper-{x}-{y}".replace("--", "-m"),
            "upper",
            {"x0": x, "y0": y},
            knuth.program("sat-life-upper", x, y),
            f"can a quadrant of life reach the cell ({x},{y}) as early as light speed allows?",
            f"sat-life-upper {x} {y}",
            SAT,
            BOOK if x == 7 else OURS,
        )


def oscillators(seed: int) -> Iterator[Instance]:
    """oscillators in boxes around the smallest that hold one"""
    for width, height, period, symmetry, status, source in (
        (2, 3, 2, "", UNSAT, CERTIFIED),
        (3, 3, 2, "", SAT, "the blinker"),
        (6, 6, 3, "", UNSAT, CERTIFIED),
        (7, 6, 3, "", UNSAT, CERTIFIED),
        (8, 6, 3, "", UNSAT, OURS),
        (7, 7, 3, "", SAT, "the jam"),
        (9, 6, 3, "", SAT, "the caterer"),
        (6, 5, 4, "", UNSAT, CERTIFIED),
        (6, 6, 4, "", SAT, "the mold"),
        (7, 7, 5, "D8", UNSAT, CERTIFIED),
        (8, 8, 5, "D8", SAT, "octagon 2"),
        (8, 6, 5, "D2v", UNSAT, CERTIFIED),
        (8, 7, 5, "D2v", SAT, "the fumarole"),
    ):
        yield _oscillator("oscillators", width, height, period, symmetry, status, source)


def ships(seed: int) -> Iterator[Instance]:
    """spaceships in boxes around the smallest that hold one"""
    for speed, width, height, period, (dx, dy), status, source in (
        ("c4d", 3, 3, 4, (1, 1), UNSAT, CERTIFIED),
        ("c4d", 4, 3, 4, (1, 1), SAT, "the glider"),
        ("c2", 5, 5, 4, (2, 0), UNSAT, CERTIFIED),
        ("c2", 6, 4, 4, (2, 0), UNSAT, CERTIFIED),
        ("c2", 6, 5, 4, (2, 0), SAT, "the lightweight spaceship"),
        ("c3", 20, 4, 3, (0, -1), UNSAT, CERTIFIED),
        ("c3", 15, 5, 3, (0, -1), UNSAT, CERTIFIED),
        ("c3", 16, 5, 3, (0, -1), SAT, "25p3h1v0.1"),
        ("c3", 16, 6, 3, (0, -1), SAT, "25p3h1v0.1"),
    ):
        yield _ship("ships", speed, width, height, period, (dx, dy), "", status, source)


def thresholds(seed: int) -> Iterator[Instance]:
    """boxes on both sides of thresholds that complete searches have settled"""
    for width, height, period, symmetry, status, source in (
        (5, 9, 3, "", UNSAT, CERTIFIED),
        (5, 10, 3, "", SAT, FOUND),
        (7, 7, 5, "", UNSAT, COMPLETE),
        (7, 8, 5, "", SAT, "the fumarole"),
        (5, 11, 6, "", UNSAT, COMPLETE),
        (5, 12, 6, "", SAT, FOUND),
        (7, 7, 7, "", UNSAT, COMPLETE),
        (10, 11, 7, "", SAT, "the burloaferimeter"),
        (7, 7, 8, "D2v", UNSAT, COMPLETE),
        (7, 8, 8, "D2v", SAT, FOUND),
    ):
        yield _oscillator("thresholds", width, height, period, symmetry, status, source)
    for speed, width, height, period, symmetry, status, source in (
        ("c4", 19, 10, 4, "D2v", UNSAT, COMPLETE),
        ("c4", 21, 10, 4, "D2v", SAT, FOUND),
        ("c5", 8, 8, 5, "", UNSAT, COMPLETE),
        ("c5", 9, 9, 5, "", UNSAT, COMPLETE),
        ("c5", 10, 10, 5, "", UNSAT, COMPLETE),
        ("c5", 31, 8, 5, "", SAT, "the spider"),
        ("c5", 18, 9, 5, "D2v", UNSAT, COMPLETE),
        ("c5", 31, 8, 5, "D2v", SAT, "the spider"),
    ):
        yield _ship("thresholds", speed, width, height, period, (0, -1), symmetry, status, source)


def _oscillator(
    family: str, width: int, height: int, period: int, symmetry: str, status: Expected, source: str
) -> Instance:
    return Instance(
        f"oscillator-{width}x{height}-p{period}" + f"-{symmetry}" * bool(symmetry),
        family,
        {"box": f"{width}x{height}", "period": period, "symmetry": symmetry or "none"},
        families.oscillator((width, height), period, symmetry=symmetry or ()),
        f"is there an oscillator of period {period} in {width}x{height}"
        + f", symmetry {symmetry}" * bool(symmetry)
        + "?",
        f"oscillator {width}x{height} -p {period}" + f" -s {symmetry}" * bool(symmetry),
        status,
        source,
    )


def _ship(
    family: str,
    speed: str,
    width: int,
    height: int,
    period: int,
    displacement: tuple[int, int],
    symmetry: str,
    status: Expected,
    source: str,
) -> Instance:
    dx, dy = displacement
    return Instance(
        f"ship-{speed}-{width}x{height}" + f"-{symmetry}" * bool(symmetry),
        family,
        {"box": f"{width}x{height}", "period": period, "displacement": f"({dx},{dy})"}
        | ({"symmetry": symmetry} if symmetry else {}),
        families.spaceship((width, height), period, displacement, symmetry=symmetry or ()),
        f"is there a ship in {width}x{height} that moves by ({dx},{dy}) in {period} steps"
        + f", symmetry {symmetry}" * bool(symmetry)
        + "?",
        f"spaceship {width}x{height} -p {period} -d {dx},{dy}" + f" -s {symmetry}" * bool(symmetry),
        status,
        source,
    )


#: The largest number of cells of a still life in n x n, OEIS A055397.
DENSEST = {5: 16, 6: 18, 7: 28, 8: 36, 9: 43, 10: 54, 11: 64, 12: 76, 13: 90, 14: 104}


def densest(seed: int) -> Iterator[Instance]:
    """still lifes of maximum density, and with one cell more"""
    for size, optimum in DENSEST.items():
        for least in (optimum, optimum + 1):
            yield Instance(
                f"densest-{size}-{least}",
                "densest",
                {"box": f"{size}x{size}", "cells": f">={least}"},
                families.still_life((size, size), population=[f">={least}"]),
                f"is there a still life with at least {least} cells in {size}x{size}?",
                f"still-life {size}x{size} --cells '>={least}'",
                SAT if least == optimum else UNSAT,
                "OEIS A055397",
            )


def orphans(seed: int) -> Iterator[Instance]:
    """orphans, and the same without their last row or column, which have predecessors"""
    for name in ("10x10", "11x9"):
        whole = formats.read(str(data.path(f"orphan-{name}.rle")))
        for rows, columns in ((0, 0), (1, 0), (0, 1)):
            part = Pattern(whole.cells[: whole.height - rows, : whole.width - columns])
            full = not rows + columns
            label = f"orphan-{name}" + ("" if full else f"-as-{part.width}x{part.height}")
            yield Instance(
                label,
                "orphans",
                {"orphan": name, "box": f"{part.width}x{part.height}"},
                families.orphan(part),
                "can this pattern follow from any other, whatever surrounds it?",
                f"orphan {label}.rle",
                UNSAT if full else SAT,
                CERTIFIED if full else OURS,
                {f"{label}.rle": part.to_rle()},
            )


def past(seed: int) -> Iterator[Instance]:
    """predecessors of random patterns that were evolved for some steps, satisfiable by construction"""
    for size, steps in ((10, 1), (20, 1), (10, 2), (15, 2), (10, 3)):
        soup = _soup(size, seed)
        side = size + 2 * steps
        later = advance(soup, steps)
        cells = np.zeros((side, side), np.uint8)
        for x, y in later.points():
            cells[y + steps, x + steps] = 1
        yield _random("past", size, steps, seed, Pattern(cells), 0, SAT, BUILT)


def random_targets(seed: int) -> Iterator[Instance]:
    """predecessors of random patterns; the larger the pattern, the less likely there is one"""
    for size in (6, 8, 10, 15, 20):
        yield _random("random", size, 1, seed, _soup(size, seed), 1, UNKNOWN, "depends on the seed")


def _soup(size: int, seed: int) -> Pattern:
    """A random pattern of density 1/2; Python guarantees that a seed gives the same bits in all versions."""
    bits = random.Random(f"satlife {size} {seed}").getrandbits(size * size)
    return Pattern(np.array([bits >> k & 1 for k in range(size * size)], np.uint8).reshape(size, size))


def _random(
    family: str, size: int, steps: int, seed: int, target: Pattern, margin: int, status: Expected, source: str
) -> Instance:
    name = f"{family}-{size}-g{steps}-s{seed}"
    side = target.width + 2 * margin
    return Instance(
        name,
        family,
        {"soup": f"{size}x{size}", "steps": steps, "seed": seed},
        families.predecessor(target, steps, margin),
        f"is there a pattern in {side}x{side} that becomes {name}.rle in {counted(steps, 'step')}?",
        f"predecessor {name}.rle -g {steps} --margin {margin}",
        status,
        source,
        {f"{name}.rle": target.to_rle()},
    )


FAMILIES: dict[str, Callable[[int], Iterator[Instance]]] = {
    "life": life,
    "upper": upper,
    "oscillators": oscillators,
    "ships": ships,
    "thresholds": thresholds,
    "densest": densest,
    "orphans": orphans,
    "past": past,
    "random": random_targets,
}


def instances(names: tuple[str, ...] = (), seed: int = 1) -> list[Instance]:
    """The instances with these names, and those of families with these names; without names, all instances.

    >>> [instance.name for instance in instances(("life-4", "life-3-38"))]
    ['life-3-38', 'life-4']
    """
    available = [instance for family in FAMILIES.values() for instance in family(seed)]
    known = {instance.name for instance in available} | set(FAMILIES)
    if unknown := [name for name in names if name not in known]:
        raise InputError(
            f"there is no family or instance {unknown[0]!r}; the families are {', '.join(FAMILIES)}, "
            "and `satlife family list` shows their instances"
        )
    return [instance for instance in available if not names or instance.name in names or instance.family in names]
