"""Pictures as PNG, and animations as GIF and APNG; needs Pillow."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from satlife.draw.picture import Picture, rgb
from satlife.errors import InputError, LimitError, installing

if TYPE_CHECKING:
    from PIL import Image

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
