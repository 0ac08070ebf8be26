"""Speeds and periods, asked for with nothing else: `satlife spaceship -d c/3`, `satlife oscillator -p 4`.

For each velocity and period of which a small pattern of Life is known: the seconds until something is found, or that
nothing was in time.
"""

from __future__ import annotations

import os
import time

import satlife
from satlife.device import cuda
from satlife.problem.anybox import AnyBox

VELOCITIES = (
    "c/2", "c/3", "c/4", "2c/5", "c/4d", "c/10", "c/5", "c/6", "c/7", "2c/7", "3c/7", "c/5d", "c/6d", "c/7d",
    "(2,1)c/6",
)  # fmt: skip
PERIODS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 18, 22, 26, 29, 30)


def main(only: str = "", limit: float = 60.0) -> None:
    satlife.find(satlife.spaceship((4, 4), 4, (1, 1)))  # loads the kernels
    satlife.find(satlife.open_spaceship(5, 4, (0, -2)))
    gpu = not cuda.why_none()
    print(f"-- seconds until something is found, at most {limit:g}, on {os.cpu_count()} cores{' and a GPU' * gpu}")
    asked = {name: ship(name) for name in VELOCITIES}
    asked |= {f"period {period}": AnyBox(satlife.oscillator((3, 3), period)) for period in PERIODS}
    for name, question in asked.items():
        if only in name:
            began = time.monotonic()
            outcome = satlife.find(question, time=limit)
            seconds = time.monotonic() - began
            width, height = outcome.problem.size if outcome else (0, 0)
            found = (
                f"{seconds:6.1f} s  {width}x{height}  {outcome.strategy}, {outcome.apgcode}" if outcome else "  not yet"
            )
            print(f"{name:10} {found}", flush=True)


def ship(velocity: str) -> AnyBox:
    """Ships of a velocity, of any size and with any multiple of its least period."""
    return AnyBox(satlife.spaceship((9, 9), displacement=velocity), multiples=True)
