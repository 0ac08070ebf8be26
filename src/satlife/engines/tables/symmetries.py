"""Symmetries of a model: permutations of its variables that map solutions to solutions.

The candidates are geometric: shifts and the mirror image of the columns, the exchange of two phases, a reflection and a
shift of the rows.  Each is verified on the model itself, which knows nothing of geometry: it has to map the set of
checks to itself, and the rule has to allow it.  So known cells, a displacement and rules without the symmetry are
respected.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from satlife.engines.tables.model import TableModel

Permutation = npt.NDArray[np.int64]  # the image of each variable

PLACES = np.arange(9).reshape(3, 3)  # of the block of a check


def row_symmetries(model: TableModel) -> list[Permutation]:
    """The symmetries that map every row to itself; the identity is the first."""
    return list(_distinct(_verified(model, False)))


def row_reflections(model: TableModel) -> list[Permutation]:
    """The symmetries that reverse the order of the rows, those with another effect on columns and phases left out."""
    return list(_distinct(_verified(model, True)))


def _distinct(found: Iterator[Permutation]) -> Iterator[Permutation]:
    seen = set()
    for permutation in found:
        if permutation.tobytes() not in seen:
            seen.add(permutation.tobytes())
            yield permutation


def _verified(model: TableModel, reverse: bool) -> Iterator[Permutation]:
    phases, height, width = model.cells.shape
    t, y, x = np.indices(model.cells.shape)
    if reverse:  # of a box, the last row becomes the first; of a torus, the first two change places
        for first in (height - 1, 1 % height):
            yield from _checked(model, model.cells[t, (first - y) % height, x], PLACES[::-1])
        return
    for swap in range(phases):
        for shift in range(width):
            yield from _checked(model, model.cells[(t + swap) % phases, y, (x + shift) % width], PLACES)
            yield from _checked(model, model.cells[(t + swap) % phases, y, (shift - x) % width], PLACES[:, ::-1])


def _checked(model: TableModel, image: npt.NDArray[np.int32], places: npt.NDArray[np.int64]) -> Iterator[Permutation]:
    """The permutation that replaces the cells by their image, if it is one and a symmetry."""
    permutation = np.arange(model.variables)
    free = model.cells >= 0
    if not np.array_equal(image[~free], model.cells[~free]):
        return
    permutation[model.cells[free]] = image[free]
    if not np.array_equal(permutation[model.cells[free]], image[free]):
        return  # a variable has two images
    if not np.array_equal(np.sort(permutation), np.arange(model.variables)):
        return
    order = [*places.ravel().tolist(), 9]
    bits = np.arange(512)
    moved = sum(((bits >> 8 - place & 1) << 8 - k for k, place in enumerate(order[:9])), start=np.zeros(512, np.int64))
    if not np.array_equal(model.rule[moved], model.rule):
        return
    moved_checks = np.concatenate([permutation, [-2, -1]])[model.checks][:, order]
    if np.array_equal(_sorted_rows(moved_checks), _sorted_rows(model.checks)):
        yield permutation


def _sorted_rows(checks: npt.NDArray[np.int64] | npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """The checks as a set: in lexical order, each once."""
    return np.unique(checks.astype(np.int64), axis=0)
