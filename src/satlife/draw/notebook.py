"""Notebook display: patterns and outcomes draw themselves."""

from __future__ import annotations

from satlife.draw.svg import svg
from satlife.life.pattern import Pattern


def attach() -> None:
    """Give Pattern the method that notebooks look for."""
    Pattern._repr_svg_ = lambda self: svg(self)  # type: ignore[attr-defined]
