"""Film: the generations of a pattern through one window, which follows a ship so that it stays in the middle.

How large a film becomes shows only while its pattern is simulated.  So the cells are counted on the way, and a film is
refused with the first generation that makes it too large; frames are made when their number and size are known.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from satlife.draw.picture import Picture, Placed, Theme, aligned, of_states, window
from satlife.errors import InputError, LimitError
from satlife.life.pattern import Cells, Pattern
from satlife.life.rule import Rule
from satlife.life.simulate import generations

LONGEST = 2_000
LARGEST = 20_000_000  # cells in all frames
EFFORT = 50_000_000  # cells of all generations that are simulated; half a second
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
    phases, period, (dx, dy) = _followed(pattern, count)
    loops = bool(period) and (count is None or (count > 0 and count % period == 0))
    if count is None:
        count = period or UNSETTLED
    length = count if loops else count + 1
    placed = phases[:length]
    if period:  # a later period looks like the first: the window has moved on by as much as the ship
        placed = [
            (cells, x - _rounded(dx * t, period), y - _rounded(dy * t, period))
            for t, (cells, x, y) in enumerate(phases[: min(period, length)])
        ]
    margin = 0 if pattern.torus else margin
    _, _, width, height = window(placed, margin)
    if width * height * length > LARGEST:
        raise LimitError(f"a film of {length} frames, each of {width}x{height} cells, is larger than the limit")
    frames = aligned(placed, margin)
    return Film(tuple(frames[t % len(frames)] for t in range(length)), pattern.rule, loops)


def _followed(pattern: Pattern, count: int | None) -> tuple[list[Placed], int, tuple[int, int]]:
    """The generations of one period, the period and the displacement; without a period those to be shown, and 0.

    Every generation up to the last one to be shown (a period is, whole) takes part in the size of the film.
    """
    last = UNSETTLED if count is None else count
    patience = PATIENCE if count is None else max(count, UNSETTLED)
    rule, plane = pattern.rule, not (pattern.torus and all(pattern.torus))
    step = 2 if rule.births_from_nothing and plane else 1  # the background blinks
    phases: list[Placed] = []
    area = effort = 0
    for t, phase in enumerate(itertools.islice(generations(pattern), patience + 1)):
        live = phase if pattern.torus else phase.crop()
        if t and t % step == 0 and np.array_equal(live.cells, phases[0][0]):
            return phases, t, (live.x - phases[0][1], live.y - phases[0][2])
        area = max(area, live.cells.size)
        effort += (live.height + 4) * (live.width + 4)
        frames = t + 1 if count is None else max(count, 1)
        if area * frames > LARGEST or effort > EFFORT:
            if t <= last:
                length = f"{frames} frames" + (" or more" if count is None else "")
                raise LimitError(f"a film of {length}, one of {area} cells, is larger than the limit")
            break  # what is shown is known; only a period would have been nice
        phases.append((live.cells, live.x, live.y))
        if t == 0 and live.is_empty() and (plane or not rule.births_from_nothing):
            return phases, 1, (0, 0)
    return phases[: last + 1], 0, (0, 0)


def certain(pattern: Pattern) -> None:
    """Refuse a pattern whose future is not known."""
    if pattern.rule.is_partial:
        raise InputError(f"nobody knows what becomes of a pattern in {pattern.rule}, which is left open")


def _rounded(distance: int, period: int) -> int:
    """distance / period, to the nearest whole number, halves toward zero, the same for both directions."""
    sign = -1 if distance < 0 else 1
    return sign * ((2 * abs(distance) + period - 1) // (2 * period))
