"""Picture files: the formats into which pictures are drawn, one record each, by the ending of the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from satlife.draw import bitmap, svg
from satlife.draw.film import Film
from satlife.draw.picture import Picture, Theme, side_by_side
from satlife.draw.player import player

Still = Callable[[Sequence[Picture], Sequence[str], int], bytes]  # pictures, their labels, pixels of a cell
Moving = Callable[[Film, Theme, int, float], bytes]  # colours, pixels of a cell, seconds of a generation


@dataclass(frozen=True)
class PictureFile:
    """How pictures side by side, and a film, are drawn into a file; None: they are not."""

    ending: str
    still: Still | None = None
    moving: Moving | None = None


def _svg(pictures: Sequence[Picture], labels: Sequence[str], cell: int) -> bytes:
    return (svg.strip(pictures, labels, cell) if labels else svg.still(pictures[0], cell)).encode()


def _moving_svg(film: Film, look: Theme, cell: int, seconds: float) -> bytes:
    return svg.moving(film.pictures(look), cell, seconds).encode()


def _html(film: Film, look: Theme, cell: int, seconds: float) -> bytes:
    style = f"body {{ background: {look.paper}; color: {look.ink} }}"
    head = f'<!doctype html><meta charset="utf-8"><title>satlife</title><style>{style}</style>'
    return (head + player(film, cell=cell, seconds=seconds)).encode()


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
