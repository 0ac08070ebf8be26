"""Film: the generations of a pattern through one window, which follows a ship so that it stays in the middle."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from satlife.draw.picture import Picture, Theme, aligned, of_states
from satlife.errors import InputError, LimitError
from satlife.life.identify import identify
from satlife.life.pattern import Cells, Pattern
from satlife.life.rule import Rule
from satlife.life.simulate import generations

LONGEST = 2_000
LARGEST = 20_000_000  # cells in all frames
PATIENCE = 500  # generations in which a period is looked for
UNSETTLED = 100  # generations that are shown of a pattern without one


@dataclass(frozen=True, eq=False)
class Film:
    """Frames of one size.  When `loops`, the first follows the last."""

    frames: tuple[Cells, ...]
    rule: Rule
    loops: bool = False

    def pictures(self, look: Theme) -> list[Picture]:
        return [of_states(cells, self.rule, look) for cells in self.frames]


def film(pattern: Pattern, count: int | None = None, margin: int = 1) -> Film:
    """Generations 0 to `count`, or one period; a whole number of periods ends before its beginning comes again.

    >>> from satlife.life.pattern import Pattern
    >>> glider = film(Pattern.from_rows([".O.", "..O", "OOO"]))
    >>> len(glider.frames), glider.frames[0].shape
    (4, (6, 5))
    """
    certain(pattern)
    if count is not None and count < 0:
        raise InputError(f"there is no generation {count}")
    if count is not None and count > LONGEST:
        raise LimitError(f"{count} generations are more than a picture can show; the limit is {LONGEST}")
    found = identify(pattern, PATIENCE if count is None else max(count, UNSETTLED))
    loops = bool(found.period) and (count is None or (count > 0 and count % found.period == 0))
    if count is None:
        count = found.period or UNSETTLED
    length = count if loops else count + 1
    placed = []
    area = 0
    for t, phase in enumerate(itertools.islice(generations(pattern), length)):
        live = phase if pattern.torus else phase.crop()
        if found.period:
            dx, dy = (_rounded(d * t, found.period) for d in found.displacement)
            live = replace(live, x=live.x - dx, y=live.y - dy)
        area = max(area, live.cells.size)
        if area * length > LARGEST:
            raise LimitError(f"a film of {length} frames, one of {area} cells, is larger than the limit")
        placed.append((live.cells, live.x, live.y))
    frames = aligned(placed, 0 if pattern.torus else margin)
    return Film(tuple(frames), pattern.rule, loops)


def certain(pattern: Pattern) -> None:
    """Refuse a pattern whose future is not known."""
    if pattern.rule.is_partial:
        raise InputError(f"nobody knows what becomes of a pattern in {pattern.rule}, which is left open")


def _rounded(distance: int, period: int) -> int:
    """distance / period, to the nearest whole number, halves toward zero, the same for both directions."""
    sign = -1 if distance < 0 else 1
    return sign * ((2 * abs(distance) + period - 1) // (2 * period))
