"""Patterns as SVG: a crisp grid that follows the light or dark theme of where it is shown."""

from __future__ import annotations

from satlife.life.pattern import Pattern


def svg(pattern: Pattern, cell: int = 12, margin: int = 1) -> str:
    """A picture of the pattern with `margin` empty cells around it."""
    width, height = pattern.width + 2 * margin, pattern.height + 2 * margin
    live = pattern.cells.nonzero()
    squares = "".join(
        f"M{(x + margin) * cell + 1} {(y + margin) * cell + 1}h{cell - 1}v{cell - 1}h{1 - cell}z"
        for y, x in zip(*(axis.tolist() for axis in live), strict=True)
    )
    lines = "".join(f"M{i * cell + 0.5} 0v{height * cell}" for i in range(width + 1))
    lines += "".join(f"M0 {i * cell + 0.5}h{width * cell}" for i in range(height + 1))
    size = f'width="{width * cell + 1}" height="{height * cell + 1}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width * cell + 1} {height * cell + 1}">'
        f'<path d="{lines}" stroke="#8884" fill="none"/><path d="{squares}" fill="currentColor"/></svg>'
    )
