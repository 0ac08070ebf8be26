"""Picture files: the formats into which pictures are drawn, one record each, by the ending of the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from satlife.draw import bitmap, svg
from satlife.draw.film import Film, film, require_full_rule
from satlife.draw.picture import THEMES, Picture, Theme, of_states, of_target, side_by_side
from satlife.draw.player import player
from satlife.errors import InputError
from satlife.life.pattern import Pattern
from satlife.life.simulate import advance
from satlife.problem.outcome import Outcome
from satlife.records import dataclass

SECONDS = 0.25  # of a generation in a film
StillDrawing = Callable[[Sequence[Picture], Sequence[str], int], bytes]  # pictures, their labels, pixels of a cell
MovingDrawing = Callable[[Film, Theme, int, float], bytes]  # colours, pixels of a cell, seconds of a generation


@dataclass(frozen=True)
class PictureFile:
    """How pictures side by side, and a film, are drawn into a file; None: they are not."""

    ending: str
    still: StillDrawing | None = None
    moving: MovingDrawing | None = None


def _svg(pictures: Sequence[Picture], labels: Sequence[str], cell: int) -> bytes:
    return (svg.strip(pictures, labels, cell) if labels else svg.still(pictures[0], cell)).encode()


def _moving_svg(film: Film, look: Theme, cell: int, seconds: float) -> bytes:
    return svg.moving(film.pictures(look), cell, seconds).encode()


def _html(film: Film, look: Theme, cell: int, seconds: float) -> bytes:
    style = f"body {{ background: {look.paper}; color: {look.ink} }}"
    head = f'<!doctype html><meta charset="utf-8"><title>satlife</title><style>{style}</style>'
    return (head + player(film, cell=cell, seconds=seconds)).encode()


def still(pattern: Pattern, generation: int, look: Theme) -> Picture:
    """A generation of a pattern, with a dead margin; a pattern with `?` cells has no other one than this."""
    if pattern.unknown is not None:
        if generation:
            raise InputError("some cells are unknown (?), so their future is unknown too")
        return of_target(pattern, look)
    if generation:
        require_full_rule(pattern)
        pattern = advance(pattern, generation)
    return of_states(pattern.cells if pattern.torus else np.pad(pattern.crop().cells, 1), pattern.rule, look)


def drawn(
    pattern: Pattern,
    ending: str,
    generations: int | None = None,
    *,
    moves: bool = False,
    look: Theme = THEMES["light"],
    cell: int = svg.CELL,
    seconds: float = SECONDS,
) -> bytes:
    """The picture file of a pattern that an ending names.

    A still picture shows generation 0, or the one that is given.  A film, which some formats always are and others with
    `moves`, shows as many generations, or one period."""
    file = PICTURE_FILES[ending]
    if file.still is not None and not moves:
        return file.still([still(pattern, generations or 0, look)], [], cell)
    if file.moving is None:
        raise InputError(f"a {ending} does not move")
    if pattern.unknown is not None:
        raise InputError("some cells are unknown (?), so their future is unknown too")
    return file.moving(film(pattern, generations), look, cell, seconds)


def picture_of(outcome: Outcome, ending: str, phases: bool = False) -> bytes:
    """The picture file of a find: generation 0, or with `phases` all generations side by side, or a film where the
    ending names one.  All generations are one period, or as many as the question has."""
    assert outcome.pattern is not None
    last = None if outcome.problem.periodic else outcome.problem.generations
    if not phases:
        return drawn(outcome.pattern, ending, None if PICTURE_FILES[ending].still else last)
    pictures = film(outcome.pattern, last).pictures(THEMES["light"])
    made = PICTURE_FILES[ending].still
    assert made is not None
    return made(pictures, [str(t) for t in range(len(pictures))], svg.CELL)


#: By ending.  A new format is a line here, and the functions that draw.
PICTURE_FILES = {
    file.ending: file
    for file in (
        PictureFile(".svg", _svg, _moving_svg),
        PictureFile(".png", lambda pictures, labels, cell: bitmap.png(side_by_side(pictures), cell)),
        PictureFile(".apng", None, lambda film, look, cell, s: bitmap.apng(film.pictures(look), cell, s)),
        PictureFile(".gif", None, lambda film, look, cell, s: bitmap.gif(film.pictures(look), cell, s)),
        PictureFile(".html", None, _html),
    )
}
STILL = [ending for ending, file in PICTURE_FILES.items() if file.still]
MOVING = [ending for ending, file in PICTURE_FILES.items() if file.moving]
