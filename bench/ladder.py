"""The ladder: searches of growing difficulty, with the default race and with plain CDCL, and their ratios.

scripts/bench ladder writes the figures to ladder.json too.  The second list holds rules and boxes that were not looked
at when the defaults were chosen.
"""

from __future__ import annotations

import json
import math
import random
import time
from pathlib import Path

import satlife
from satlife.errors import InputError

LIMIT = 60.0

LADDER = {
    "glider 4x3": satlife.spaceship((4, 3), 4, (1, 1)),
    "lwss 5x6": satlife.spaceship((5, 6), 4, (0, -2)),
    "c/3 16x5": satlife.spaceship((16, 5), 3, (0, -1)),
    "c/3 16x6": satlife.spaceship((16, 6), 3, (0, -1)),
    "c/3 none 15x5": satlife.spaceship((15, 5), 3, (0, -1)),
    "c/3 17x12 mirror": satlife.spaceship((17, 12), 3, (0, -1), symmetry="D2v"),
    "turtle 12x13 mirror": satlife.spaceship((12, 13), 3, (0, -1), symmetry="D2v"),
    "2c/5 15x12 mirror": satlife.spaceship((15, 12), 5, (0, -2), symmetry="D2v"),
    "c/4 26x8": satlife.spaceship((26, 8), 4, (0, -1)),
    "caterer 9x6": satlife.oscillator((9, 6), 3),
    "jam 7x7": satlife.oscillator((7, 7), 3),
    "mold 6x6": satlife.oscillator((6, 6), 4),
    "octagon 2 D8": satlife.oscillator((8, 8), 5, symmetry="D8"),
    "pulsar D8": satlife.oscillator((15, 15), 3, symmetry="D8"),
    "galaxy C4": satlife.oscillator((13, 13), 8, symmetry="C4"),
    "pinwheel R90@1": satlife.oscillator((12, 12), 4, symmetry="R90@1"),
    "tumbler": satlife.oscillator((9, 7), 14, symmetry=["D2|", "F-@7"]),
}


def others(count: int = 8, seed: int = 2024) -> dict[str, satlife.Problem]:
    """Ships in random rules and boxes."""
    rng = random.Random(seed)
    found: dict[str, satlife.Problem] = {}
    while len(found) < count:
        rule = "B3" + rng.choice(["", "6", "7", "8", "68"]) + "/S23" + rng.choice(["", "5", "8"])
        size, period = (rng.randint(6, 14), rng.randint(4, 8)), rng.randint(2, 4)
        try:
            name = f"{rule} {size[0]}x{size[1]} p{period}"
            found[name] = satlife.spaceship(size, period, (0, -1), rule=rule)
        except InputError:
            continue
    return found


def measure(problem: satlife.Problem, strategy: str | None) -> tuple[float, str]:
    started = time.perf_counter()
    outcome = satlife.find(problem, strategy=strategy, time=LIMIT)
    return time.perf_counter() - started, outcome.status


def main() -> None:
    figures = {}
    for title, problems in (("ladder", LADDER), ("other rules and boxes", others())):
        print(f"-- {title} (seconds, whole search; limit {LIMIT:.0f})")
        ratios = []
        for name, problem in problems.items():
            ours, status = measure(problem, None)
            plain, plain_status = measure(problem, "plain")
            ratios.append(plain / ours)
            figures[name] = {"default": ours, "status": status, "plain": plain, "plain_status": plain_status}
            print(f"{name:24} {status:8} {ours:7.2f}   plain {plain_status:8} {plain:7.2f}   ratio {plain / ours:6.1f}")
        mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
        print(f"geometric mean of the ratios: {mean:.1f}")
    Path("ladder.json").write_text(json.dumps(figures, indent=1))
