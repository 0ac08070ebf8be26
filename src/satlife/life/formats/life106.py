"""Life 1.06: a list of coordinates."""

from __future__ import annotations

import re

from satlife.errors import InputError
from satlife.life.formats.format import Format
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, parse_topology
from satlife.life.runs import check_size


def parse(text: str) -> Pattern:
    """A pattern from lines `x y`.

    >>> parse("#Life 1.06\\n0 0\\n1 0\\n-1 0\\n").population
    3
    """
    comments: list[str] = []
    rule, torus = LIFE, None
    points: list[tuple[int, int]] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if line.startswith("#"):
            if line.startswith("#R "):
                rule, torus = parse_topology(line[2:].strip())
            elif not line.startswith("#Life"):
                comments.append(line[1:].rstrip())
            continue
        if not line.strip():
            continue
        found = re.fullmatch(r"\s*([+-]?\d{1,9})\s+([+-]?\d{1,9})\s*", line)
        if not found:
            raise InputError(f"line {number}: expected two coordinates, found {line.strip()[:30]!r}")
        points.append((int(found[1]), int(found[2])))
    if points:
        xs, ys = [x for x, _ in points], [y for _, y in points]
        check_size(max(xs) - min(xs) + 1, max(ys) - min(ys) + 1)
    pattern = Pattern.from_points(points)
    return Pattern(pattern.cells, pattern.x, pattern.y, rule, tuple(comments), torus=torus)


def format(pattern: Pattern) -> str:
    """The coordinates of the live cells of a two-state pattern; a rule other than Life goes into a comment."""
    if pattern.rule.states > 2:
        raise InputError("Life 1.06 has only two states; use RLE")
    comments = [f"#{comment}" for comment in pattern.comments]
    rule = [f"#R {pattern.rulestring}"] if pattern.rulestring != LIFE.name else []
    return "\n".join(["#Life 1.06", *rule, *comments, *(f"{x} {y}" for x, y in pattern.points())]) + "\n"


FORMAT = Format("life", (".lif", ".life"), r"#Life 1\.06", lambda text, unknown: parse(text), format)
