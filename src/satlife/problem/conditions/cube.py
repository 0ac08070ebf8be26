"""Cubes: what is assumed of single cells, in cube and conquer (Heule, Kullmann, Wieringa and Biere).

The splits of a search assume that a cell is alive, or that it is not.  Certificates speak of such a part of a question.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

from satlife.errors import InputError
from satlife.life.pattern import Cells, transform_cells
from satlife.problem.conditions.condition import Condition, values
from satlife.problem.simulation import Refuted
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.problem.problem import Problem

Assumption = tuple[int, int, int, int]  # x, y and generation of a cell, and 1 if it is alive, 0 if it is not


@dataclass(frozen=True)
class Cube(Condition):
    """Some cells are alive, others are not; in the order of the splits."""

    assumed: tuple[Assumption, ...]
    name = "cube"
    words = "cubes"
    option = None

    @classmethod
    def read(cls, value: object) -> Self | None:
        given = values(cls.name, value) if value is not False else []
        return cls(tuple(map(_assumption, given))) if given else None

    def to_json(self) -> list[list[int]]:
        return [list(cell) for cell in self.assumed]

    def arguments(self) -> None:
        return None

    def posed(self, problem: Problem) -> Self:
        for x, y, t, _ in self.assumed:
            if x >= problem.width or y >= problem.height or t > problem.last:
                raise InputError(f"a cube has the cell ({x},{y}) in generation {t}, which the question has not")
        return self

    def turned(self, problem: Problem, transform: str) -> Self:
        places = np.arange(problem.width * problem.height).reshape(problem.height, problem.width)
        image = {int(place): (x, y) for (y, x), place in np.ndenumerate(transform_cells(places, transform))}
        return type(self)(tuple((*image[y * problem.width + x], t, alive) for x, y, t, alive in self.assumed))

    def looks_at(self, problem: Problem) -> Collection[int]:
        return {t for _, _, t, _ in self.assumed}

    def check(self, problem: Problem, phases: Sequence[Cells]) -> None:
        for x, y, t, alive in self.assumed:
            if (phases[t][y, x] == 1) != alive:
                raise Refuted(f"cell ({x},{y}) of generation {t} is not as the cube assumes")

    def sentences(self, problem: Problem) -> Iterator[str]:
        for x, y, t, alive in self.assumed:
            yield f"Cell ({x},{y}) of generation {t} is {'alive' if alive else 'not alive'}."

    @property
    def is_timeless(self) -> bool:
        return not any(t for _, _, t, _ in self.assumed)


def assumed(problem: Problem) -> tuple[Assumption, ...]:
    """What the cube of a problem assumes."""
    found = problem.get(Cube)
    return found.assumed if found else ()


def _assumption(value: object) -> Assumption:
    given = tuple(value) if isinstance(value, Sequence) else ()
    if len(given) != 4 or any(type(v) is not int or not 0 <= v < 10**9 for v in given) or given[3] > 1:
        raise InputError(f"the field `cube` should be a list of [x, y, generation, 0 or 1], not {str(value)[:40]}")
    x, y, t, alive = given
    return x, y, t, alive
