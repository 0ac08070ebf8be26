"""Film: the generations of a pattern as frames of one size.  The camera follows a ship, which stays in the middle.

The size of a film is known only after its pattern was simulated.  So cells are counted during the simulation, which
stops at the first generation that makes the film too large; the frames are made afterwards.
"""

from __future__ import annotations

import itertools

import numpy as np

from satlife.draw.picture import Picture, Placed, Theme, aligned, of_states, window
from satlife.errors import InputError, LimitError
from satlife.life.pattern import Cells, Pattern
from satlife.life.rule import Rule
from satlife.life.simulate import generations
from satlife.records import dataclass

MAX_GENERATIONS = 2_000
MAX_CELLS = 20_000_000  # in all frames
MAX_SIMULATED_CELLS = 50_000_000  # in all generations that are simulated; about half a second
PERIOD_GENERATIONS = 500  # in which a period is looked for
APERIODIC_GENERATIONS = 100  # that are shown of a pattern without a period


@dataclass(frozen=True, eq=False)
class Film:
    """Frames of one size.  If it `loops`, the first frame follows the last.

    `camera` is how far the window has moved in the plane at each frame, and for a film that loops once more when its
    first frame comes again; without it the window stays.
    """

    frames: tuple[Cells, ...]
    rule: Rule
    loops: bool = False
    camera: tuple[tuple[int, int], ...] = ()

    def pictures(self, look: Theme) -> list[Picture]:
        return [of_states(cells, self.rule, look) for cells in self.frames]


def film(pattern: Pattern, count: int | None = None) -> Film:
    """Generations 0 to `count`, or one period.  After whole periods the film loops, and omits the last generation.

    >>> from satlife.life.pattern import Pattern
    >>> glider = film(Pattern.from_rows([".O.", "..O", "OOO"]))
    >>> len(glider.frames), glider.frames[0].shape
    (4, (6, 5))
    """
    require_full_rule(pattern)
    if count is not None and count < 0:
        raise InputError(f"there is no generation {count}")
    if count is not None and count > MAX_GENERATIONS:
        raise LimitError(f"{count} generations are more than a picture can show; the limit is {MAX_GENERATIONS}")
    phases, period, (dx, dy) = _simulate(pattern, count)
    loops = bool(period) and (count is None or (count > 0 and count % period == 0))
    if count is None:
        count = period or APERIODIC_GENERATIONS
    length = count if loops else count + 1
    placed = phases[:length]
    camera = [(0, 0)] * length
    if period:  # the camera moves with the ship, so that all periods look like the first
        camera = [(_rounded(dx * t, period), _rounded(dy * t, period)) for t in range(length + loops)]
        placed = [
            (cells, x - cx, y - cy)
            for (cells, x, y), (cx, cy) in zip(phases[: min(period, length)], camera, strict=False)
        ]
    margin = 0 if pattern.torus else 1
    _, _, width, height = window(placed, margin)
    if width * height * length > MAX_CELLS:
        raise LimitError(f"a film of {length} frames, each of {width}x{height} cells, is larger than the limit")
    frames = aligned(placed, margin)
    return Film(tuple(frames[t % len(frames)] for t in range(length)), pattern.rule, loops, tuple(camera))


def _simulate(pattern: Pattern, count: int | None) -> tuple[list[Placed], int, tuple[int, int]]:
    """The generations of one period, the period and the displacement; without a period, those to be shown and 0.

    A LimitError is raised as soon as the generations to be shown exceed a limit.
    """
    last = APERIODIC_GENERATIONS if count is None else count
    limit = PERIOD_GENERATIONS if count is None else max(count, APERIODIC_GENERATIONS)
    rule, plane = pattern.rule, not (pattern.torus and all(pattern.torus))
    step = 2 if rule.births_from_nothing and plane else 1  # the background alternates
    phases: list[Placed] = []
    area = simulated = 0
    for t, phase in enumerate(itertools.islice(generations(pattern), limit + 1)):
        live = phase if pattern.torus else phase.crop()
        if t and t % step == 0 and np.array_equal(live.cells, phases[0][0]):
            return phases, t, (live.x - phases[0][1], live.y - phases[0][2])
        area = max(area, live.cells.size)
        simulated += (live.height + 4) * (live.width + 4)
        frames = t + 1 if count is None else max(count, 1)
        if area * frames > MAX_CELLS or simulated > MAX_SIMULATED_CELLS:
            if t <= last:
                length = f"{frames} frames" + (" or more" if count is None else "")
                raise LimitError(f"a film of {length}, one of {area} cells, is larger than the limit")
            break  # all generations to be shown are there; only the search for a period is given up
        phases.append((live.cells, live.x, live.y))
        if t == 0 and live.is_empty() and (plane or not rule.births_from_nothing):
            return phases, 1, (0, 0)
    return phases[: last + 1], 0, (0, 0)


def require_full_rule(pattern: Pattern) -> None:
    """Refuse a pattern in a partial rule, which does not determine its future."""
    if pattern.rule.is_partial:
        raise InputError(
            f"the rule {pattern.rule} is left open in part, so the future of the pattern is not determined"
        )


def _rounded(distance: int, period: int) -> int:
    """distance / period to the nearest integer, halves toward zero, so that both directions look alike."""
    sign = -1 if distance < 0 else 1
    return sign * ((2 * abs(distance) + period - 1) // (2 * period))
