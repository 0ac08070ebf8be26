"""Picture files: the formats into which pictures are drawn, one record each, by the ending of the file."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from satlife.draw import svg
from satlife.draw.film import Film, film, require_full_rule
from satlife.draw.picture import PAGE, THEMES, Picture, Theme, of_states, of_target, rgb, side_by_side
from satlife.draw.svg import CELL, background, check_size, document, squares, used_colours
from satlife.errors import InputError, LimitError, installing
from satlife.life.pattern import Pattern
from satlife.life.simulate import advance
from satlife.problem.outcome import Outcome
from satlife.records import dataclass

if TYPE_CHECKING:
    from PIL import Image

# Pictures as PNG, and animations as GIF and APNG; needs Pillow.

MAX_PIXELS = 100_000_000  # pixels in all frames


def png(picture: Picture, cell: int) -> bytes:
    """One picture as PNG."""
    return _encode([picture], cell, "PNG")


def apng(pictures: Sequence[Picture], cell: int, seconds: float) -> bytes:
    """An animation as APNG."""
    return _encode(pictures, cell, "PNG", save_all=True, duration=round(seconds * 1000), loop=0)


def gif(pictures: Sequence[Picture], cell: int, seconds: float) -> bytes:
    """An animation as GIF, whose frames last whole hundredths of a second."""
    return _encode(pictures, cell, "GIF", save_all=True, duration=max(round(seconds * 100), 2) * 10, loop=0)


def _encode(pictures: Sequence[Picture], cell: int, kind: str, **options: int) -> bytes:
    pixels = sum((picture.width * cell + 1) * (picture.height * cell + 1) for picture in pictures)
    if pixels > MAX_PIXELS:
        count = f"{len(pictures)} pictures" if len(pictures) > 1 else "a picture"
        raise LimitError(f"{count} of {pixels} pixels would be too large; use smaller cells")
    first, *rest = (_image(picture, cell) for picture in pictures)
    out = io.BytesIO()
    if options:
        first.save(out, kind, append_images=rest, **options)
    else:
        first.save(out, kind)
    return out.getvalue()


def _image(picture: Picture, cell: int) -> Image.Image:
    """Draw cells as squares of pixels, with grid lines unless the squares are small."""
    try:
        from PIL import Image
    except ImportError as error:
        raise InputError(f"bitmaps need Pillow: {installing('draw')}; or write an .svg") from error

    grid = len(picture.colours)
    big = np.full((picture.height * cell + 1, picture.width * cell + 1), grid, np.uint8)
    line = 1 if cell > 3 else 0
    for dy in range(line, cell):
        for dx in range(line, cell):
            big[dy:-1:cell, dx:-1:cell] = picture.cells
    if not line:
        big = big[:-1, :-1]
    image = Image.fromarray(big, "P")
    colours = [rgb(colour) for colour in (*picture.colours, picture.grid)]
    image.putpalette(np.array(colours, np.uint8).tobytes())
    return image


# A film as HTML with buttons, for notebooks; it needs no other scripts or styles.

_SCRIPT = """
(me => {
  const [svg, bar] = me.children, paths = svg.querySelectorAll('path[fill]:not([stroke])');
  const frames = JSON.parse(me.dataset.frames), loops = me.dataset.loops === 'true';
  const [back, play, on, where] = bar.children;
  let now = 0, timer = null;
  const show = t => {
    now = loops ? (t + frames.length) % frames.length : Math.max(0, Math.min(t, frames.length - 1));
    frames[now].forEach((d, k) => paths[k].setAttribute('d', d || 'M0 0'));
    where.textContent = 'generation ' + now;
  };
  const stop = () => { clearInterval(timer); timer = null; play.textContent = '\\u25b6'; };
  const start = () => {
    if (!loops && now === frames.length - 1) now = -1;
    timer = setInterval(() => {
      show(now + 1);
      if (!loops && now === frames.length - 1) stop();
    }, Number(me.dataset.delay));
    play.textContent = '\\u23f8';
  };
  back.onclick = () => { stop(); show(now - 1); };
  on.onclick = () => { stop(); show(now + 1); };
  play.onclick = () => timer ? stop() : start();
  show(0);
})(document.currentScript.parentElement);
"""


_BUTTONS = (("back", "◀"), ("play", "▶"), ("forward", "▷"))


def player(film: Film, caption: str = "", cell: int = CELL, seconds: float = 0.25) -> str:
    """A small player with the buttons back, play and forward."""
    pictures = film.pictures(PAGE)
    check_size(pictures)
    first, colours = pictures[0], used_colours(pictures)
    frames = [[squares(picture, k, cell) for k in colours] for picture in pictures]
    # Without the script the first generation is shown.
    paths = "".join(f'<path fill="{first.colours[k]}" d="{d}"/>' for k, d in zip(colours, frames[0], strict=True))
    picture = document(first.width * cell + 1, first.height * cell + 1, background(first, cell) + paths)
    buttons = "".join(f'<button type="button" title="{name}">{sign}</button>' for name, sign in _BUTTONS)
    return (
        f'<div data-frames="{escape(json.dumps(frames))}" data-loops="{str(film.loops).lower()}" '
        f'data-delay="{seconds * 1000:g}">{picture}'
        f'<div>{buttons}<span style="margin-left: 1em">generation 0</span> {escape(caption)}</div>'
        f"<script>{_SCRIPT}</script></div>"
    )


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
        PictureFile(".png", lambda pictures, labels, cell: png(side_by_side(pictures), cell)),
        PictureFile(".apng", None, lambda film, look, cell, s: apng(film.pictures(look), cell, s)),
        PictureFile(".gif", None, lambda film, look, cell, s: gif(film.pictures(look), cell, s)),
        PictureFile(".html", None, _html),
    )
}
STILL = [ending for ending, file in PICTURE_FILES.items() if file.still]
MOVING = [ending for ending, file in PICTURE_FILES.items() if file.moving]
