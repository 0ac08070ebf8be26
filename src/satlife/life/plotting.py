"""Plots of patterns with matplotlib, where that is installed."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import numpy as np

from satlife.errors import InputError
from satlife.life.pattern import Pattern


def plot(pattern: Pattern, ax: Any = None) -> Any:
    """Draw a pattern into axes, or into those of a new figure: a cell at (x, y) is the square around that point."""
    if ax is None:
        if importlib.util.find_spec("matplotlib") is None:
            raise InputError("plot needs matplotlib, which is not installed; save('pattern.svg') draws without it")
        ax = importlib.import_module("matplotlib.pyplot").subplots()[1]
    shown = np.where(pattern.mask, 0.5, pattern.cells / (pattern.rule.states - 1))
    left, top = pattern.x - 0.5, pattern.y - 0.5
    sides = (left, left + pattern.width, top + pattern.height, top)
    ax.imshow(shown, cmap="Greys", vmin=0, vmax=1, interpolation="nearest", extent=sides)
    return ax
