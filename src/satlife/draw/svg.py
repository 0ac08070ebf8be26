"""Pictures as SVG: one picture, a strip of several, or an animation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from satlife.draw.picture import PAGE, Picture, of_states
from satlife.errors import LimitError
from satlife.life.pattern import Pattern

CELL = 12
GAP = 2  # cells between the pictures of a strip
LABEL = 16  # height of a label
MAX_SQUARES = 2_000_000  # in a drawing, about 20 bytes each


def svg(pattern: Pattern, cell: int = CELL, margin: int = 1) -> str:
    """A picture of the pattern that takes its colours from the page around it."""
    return still(of_states(np.pad(pattern.cells, margin), pattern.rule, PAGE), cell)


def still(picture: Picture, cell: int = CELL) -> str:
    """One picture as SVG."""
    check_size([picture])
    return document(picture.width * cell + 1, picture.height * cell + 1, _body(picture, cell))


def strip(pictures: Sequence[Picture], labels: Sequence[str] = (), cell: int = CELL, across: int = 8) -> str:
    """Pictures of one size side by side, `across` of them to a row, each above its label."""
    check_size(pictures)
    first = pictures[0]
    width, height = (first.width + GAP) * cell, (first.height + GAP) * cell + (LABEL if labels else 0)
    columns = min(across, len(pictures))
    body = []
    for k, picture in enumerate(pictures):
        x, y = k % columns * width, k // columns * height
        label = ""
        if labels:
            style = f'font-family="serif" font-size="{LABEL - 2}" text-anchor="middle" fill="#888"'
            down = picture.height * cell + LABEL
            label = f'<text x="{picture.width * cell / 2:g}" y="{down}" {style}>{labels[k]}</text>'
        body.append(f'<g transform="translate({x} {y})">{_body(picture, cell)}{label}</g>')
    rows = -(-len(pictures) // columns)
    return document(columns * width - GAP * cell + 1, rows * height - GAP * cell + 1, "".join(body))


def moving(pictures: Sequence[Picture], cell: int = CELL, seconds: float = 0.25) -> str:
    """An animation that loops without a script."""
    check_size(pictures)
    first = pictures[0]
    body = [background(first, cell)]
    for colour in used_colours(pictures):
        # Some viewers refuse an empty path; "M0 0" draws nothing either.
        paths = [squares(picture, colour, cell) or "M0 0" for picture in pictures]
        timing = f'dur="{seconds * len(pictures):g}s" calcMode="discrete" repeatCount="indefinite"'
        play = f'<animate attributeName="d" values="{";".join(paths)}" {timing}/>' if len(pictures) > 1 else ""
        body.append(f'<path fill="{first.colours[colour]}" d="{paths[0]}">{play}</path>')
    return document(first.width * cell + 1, first.height * cell + 1, "".join(body))


def check_size(pictures: Sequence[Picture]) -> None:
    """Refuse a drawing that is too large for viewers, before it is made."""
    squares = sum(int(np.count_nonzero(picture.cells)) for picture in pictures)
    if squares > MAX_SQUARES:
        raise LimitError(f"a drawing of {squares} squares would be too large; the limit is {MAX_SQUARES}")


def used_colours(pictures: Sequence[Picture]) -> list[int]:
    """The colours that occur, without that of the paper."""
    return sorted({colour for picture in pictures for colour in np.unique(picture.cells).tolist()} - {0})


def _body(picture: Picture, cell: int) -> str:
    paths = (f'<path fill="{picture.colours[k]}" d="{squares(picture, k, cell)}"/>' for k in used_colours([picture]))
    return background(picture, cell) + "".join(paths)


def squares(picture: Picture, colour: int, cell: int) -> str:
    """The path data of all cells of a colour."""
    return "".join(
        f"M{x * cell + 1} {y * cell + 1}h{cell - 1}v{cell - 1}h{1 - cell}z"
        for y, x in np.argwhere(picture.cells == colour).tolist()
    )


def background(picture: Picture, cell: int) -> str:
    """The paper and the grid lines."""
    width, height = picture.width * cell + 1, picture.height * cell + 1
    paper = f'<rect width="{width}" height="{height}" fill="{picture.colours[0]}"/>'
    lines = "".join(f"M{i * cell + 0.5} 0v{height}" for i in range(picture.width + 1))
    lines += "".join(f"M0 {i * cell + 0.5}h{width}" for i in range(picture.height + 1))
    return f'{paper}<path d="{lines}" stroke="{picture.grid}" fill="none"/>'


def document(width: int, height: int, body: str) -> str:
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{body}</svg>'
