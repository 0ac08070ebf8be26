"""Apgcodes: the names of still lifes (xs), oscillators (xp) and spaceships (xq), in extended Wechsler format."""

from __future__ import annotations

import re

from satlife.errors import InputError
from satlife.life.formats.format import Format
from satlife.life.identify import DIGITS, identify
from satlife.life.pattern import Pattern
from satlife.life.runs import check_size

CODE = r"x[spq]\d+_([0-9a-z]+)"


def parse(code: str) -> Pattern:
    """The pattern that an apgcode names.

    >>> print(parse("xq4_153"))
    OOO
    ..O
    .O.
    """
    found = re.fullmatch(CODE, code.strip())
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
    found = identify(pattern)
    if not found.apgcode:
        raise InputError(f"the pattern has no apgcode: {found.why_no_apgcode}")
    return found.apgcode + "\n"


FORMAT = Format("apgcode", (), r"x[spq]\d+_[0-9a-z]+\s*$", lambda text, unknown: parse(text.strip()), format)
