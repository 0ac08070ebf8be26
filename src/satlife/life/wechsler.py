"""The extended Wechsler format: the part of an apgcode that encodes the cells.

The pattern is cut into strips of five rows.  Each column of a strip is a number from 0 to 31, written 0-9a-v; `w`, `x`
and `y` abbreviate two, three, and four or more empty columns, and `z` separates strips.  (Allan Wechsler's notation of
1992, extended by Adam Goucher for Catagolue.)
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from satlife.life.pattern import TRANSFORMS, Cells, transform_cells

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
LARGEST = 40  # patterns with a longer side have no code


def encode(cells: Cells) -> str:
    """The code of one orientation of one phase, without its prefix.

    >>> encode(np.array([[1, 1], [1, 1]], np.uint8))
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


def canonical(phases: Iterable[Cells]) -> str:
    """The shortest and then alphabetically first code over all phases and orientations."""
    best = ""
    for phase in phases:
        for name in TRANSFORMS:
            code = encode(transform_cells(phase, name))
            if not best or (len(code), code) < (len(best), best):
                best = code
    return best
