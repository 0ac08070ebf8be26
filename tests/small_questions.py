"""Small random questions of every kind that a table answers, all patterns of a box, and published counts."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from satlife.life.rule import Rule, normalised, parse
from satlife.problem.cell import grid_of
from satlife.problem.problem import Problem

COUNTS: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "counts.json").read_text())
NORTH_WEST = Rule(bytes(int(block == 256) for block in range(512)))  # born of a live north-western neighbour alone

Bits = npt.NDArray[np.uint8]


def random_rule(kind: str, rng: np.random.Generator) -> Rule:
    """A rule without B0 of some kind."""

    def digits(low: int, high: int) -> str:
        return "".join(str(n) for n in range(low, high) if rng.random() < 0.4)

    if kind == "map":
        return normalised(Rule(bytes([0, *rng.integers(0, 2, 511).tolist()])))
    suffix, most = {"moore": ("", 9), "hexagonal": ("H", 7), "von Neumann": ("V", 5)}.get(kind, ("", 9))
    if kind == "isotropic":
        pair, three, four = rng.choice(list("ceaikn")), rng.choice(list("ceaikn")), rng.choice(list("tw"))
        return parse(f"B2{pair}3{three}/S{digits(0, 4)}4{four}{digits(5, 9)}")
    return parse(f"B{digits(1, most)}/S{digits(0, most)}{suffix}")


KINDS = ("moore", "isotropic", "map", "hexagonal", "von Neumann")


def all_patterns(width: int, height: int) -> Bits:
    """Every pattern of a box, one after another."""
    numbers = np.arange(1 << (width * height), dtype=np.uint32)
    bits = [(numbers >> i & 1).astype(np.uint8) for i in range(width * height)]
    return np.stack(bits, axis=1).reshape(-1, height, width)


def stepped(patterns: Bits, rule: Rule, wrap: tuple[bool, bool] = (False, False)) -> Bits:
    """The next generation of each, with a ring around it along the axes that do not wrap."""
    for axis, wrapped in ((2, wrap[0]), (1, wrap[1])):
        pad = [(0, 0)] * 3
        pad[axis] = (1, 1) if wrapped else (2, 2)
        patterns = np.pad(patterns, pad, mode="wrap") if wrapped else np.pad(patterns, pad)
    rows, columns = patterns.shape[1:]
    block = np.zeros((len(patterns), rows - 2, columns - 2), np.uint16)
    for i, j in itertools.product((0, 1, 2), repeat=2):
        block = 2 * block + patterns[:, i : rows - 2 + i, j : columns - 2 + j]
    return rule.array[block]


def random_problem(rng: np.random.Generator) -> Problem:
    """A small question of any kind that a table answers."""
    rule = random_rule(str(rng.choice(KINDS)), rng)
    width, height = (int(n) for n in rng.integers(1, 4, 2))

    def words(choices: list[str]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(str(w) for w in rng.choice(choices, width)) for _ in range(height))

    start = words(["*", "*", "*", "0", "1"]) if rng.random() < 0.3 else ()
    shape = rng.integers(0, 5)
    wrap = [(False, False), (False, False), (True, False), (False, True), (True, True)][shape]
    fields: dict[str, Any] = {"rule": rule, "wrap": wrap, "nonempty": bool(rng.random() < 0.7)}
    match rng.integers(0, 4):
        case 0:
            end = words(["*'", "*", "0", "0", "1", "0'", "1'"])
            return Problem(
                width, height, periodic=False, cells=grid_of((start, end)), open_end=bool(rng.random() < 0.5), **fields
            )
        case 1:
            moves = [
                0 if not w and n < 2 else int(rng.integers(-1, 2)) for n, w in zip((width, height), wrap, strict=True)
            ]
            return Problem(
                width, height, displacement=(moves[0], moves[1]), cells=grid_of((start,) if start else ()), **fields
            )
        case 2:
            names = ["C2", "D2h", "D2v", *(["C4", "D2d", "D4+"] if width == height else [])]
            if not rule.is_isotropic or wrap[0] != wrap[1]:
                names = ["C2"]
            return Problem(
                width, height, symmetry=(str(rng.choice(names)),), cells=grid_of((start,) if start else ()), **fields
            )
        case _:
            return Problem(width, height, generations=2, exact=bool(rng.random() < 0.7), **fields)
