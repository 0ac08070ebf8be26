"""Pictures, read back."""

from __future__ import annotations

import re

from satlife.draw.svg import CELL
from satlife.life.pattern import Pattern


def boards(drawn: str) -> list[Pattern]:
    """The boards in an SVG picture, read from its squares."""
    parts = re.findall(r"<g transform.*?</g>", drawn) or [drawn]
    squares = [re.findall(rf"M(\d+) (\d+)h{CELL - 1}v", part) for part in parts]
    return [Pattern.from_points((int(x) // CELL, int(y) // CELL) for x, y in found) for found in squares]
