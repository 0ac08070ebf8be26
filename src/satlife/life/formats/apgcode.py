"""Apgcodes: the extended Wechsler form that names a still life (xs), an oscillator (xp) or a spaceship (xq).

Strips of five rows; each column of a strip is a number from 0 to 31, written 0-9a-v.  `w`, `x`, `y` abbreviate two,
three, and four or more empty columns, `z` ends a strip.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from satlife.errors import InputError
from satlife.life.formats.limits import check_size
from satlife.life.pattern import TRANSFORMS, Cells, Pattern, transform_cells

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
LARGEST = 40  # the side up to which patterns have a code


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


def parse(code: str) -> Pattern:
    """The pattern that an apgcode names.

    >>> print(parse("xq4_153"))
    OOO
    ..O
    .O.
    """
    found = re.fullmatch(r"x[spq]\d+_([0-9a-z]+)", code.strip())
    if not found:
        raise InputError(f"{code[:40]!r} is not an apgcode such as xs4_33, xp2_7 or xq4_153")
    points: list[tuple[int, int]] = []
    x = top = 0
    letters = iter(found[1])
    for letter in letters:
        if letter == "w":
            x += 2
        elif letter == "x":
            x += 3
        elif letter == "y":
            length = next(letters, "")
            if not length:
                raise InputError(f"apgcode {code[:40]!r}: `y` at the end should be followed by a length")
            x += 4 + DIGITS.index(length)
        elif letter == "z":
            x, top = 0, top + 5
        else:
            value = DIGITS.index(letter)
            points += [(x, top + bit) for bit in range(5) if value >> bit & 1]
            x += 1
    check_size(x, top + 5)
    pattern = Pattern.from_points(points)
    if not points:
        raise InputError(f"apgcode {code[:40]!r} has no live cells")
    claimed = code.strip()[2:].partition("_")[0]
    if code.strip().startswith("xs") and claimed != str(pattern.population):
        raise InputError(f"apgcode {code[:40]!r} should have {claimed[:10]} cells, but has {pattern.population}")
    return Pattern(pattern.cells)


def format(pattern: Pattern) -> str:
    """The apgcode of a still life, oscillator or spaceship."""
    from satlife.life.identify import identify

    found = identify(pattern)
    if not found.apgcode:
        raise InputError(f"the pattern has no apgcode: {found.why_no_apgcode}")
    return found.apgcode + "\n"
