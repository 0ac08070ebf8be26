"""The questions of the ladder: searches of growing difficulty, known patterns, and random questions of other rules."""

from __future__ import annotations

import json
import random
from pathlib import Path

import satlife
from satlife.errors import InputError

PATTERNS = Path(__file__).parents[1] / "tests" / "data" / "patterns.json"
#: The symmetries of a pattern, as a set of transformations, and the name of that group.
GROUPS = {
    "": "",
    "F|": "D2|",
    "F-": "D2-",
    "F/": "D2/",
    "F\\": "D2\\",
    "R180": "C2",
    "R180 R270 R90": "C4",
    "F- F| R180": "D4+",
    "F/ F\\ R180": "D4x",
    "F- F/ F\\ F| R180 R270 R90": "D8",
}

LADDER = {
    "c/3 16x6": satlife.spaceship((16, 6), 3, (0, -1)),
    "c/3 15x5, none": satlife.spaceship((15, 5), 3, (0, -1)),
    "c/3 17x12 mirror": satlife.spaceship((17, 12), 3, (0, -1), symmetry="D2v"),
    "2c/5 15x12 mirror": satlife.spaceship((15, 12), 5, (0, -2), symmetry="D2v"),
    "c/4 26x8": satlife.spaceship((26, 8), 4, (0, -1)),
    "c/4 14x18 mirror, none": satlife.spaceship((14, 18), 4, (0, -1), symmetry="D2v"),
    "B36/S245 2c/6 10x11 mirror, none": satlife.spaceship((10, 11), 6, (0, -2), rule="B36/S245", symmetry="D2v"),
    "c/4 21x10 mirror": satlife.spaceship((21, 10), 4, (0, -1), symmetry="D2v"),
    "c/5 diagonal 9x9": satlife.spaceship((9, 9), 5, (1, -1)),
    "p3 7x6, none": satlife.oscillator((7, 6), 3),
    "B37/S23 p5 5x8, none": satlife.oscillator((5, 8), 5, rule="B37/S23"),
    "caterer 9x6": satlife.oscillator((9, 6), 3),
    "jam 7x7": satlife.oscillator((7, 7), 3),
    "mold 6x6": satlife.oscillator((6, 6), 4),
    "p4 10x10 mirror": satlife.oscillator((10, 10), 4, symmetry="D2v"),
    "octagon 2 8x8": satlife.oscillator((8, 8), 5),
    "octagon 2 D8": satlife.oscillator((8, 8), 5, symmetry="D8"),
    "p5 11x11 C2": satlife.oscillator((11, 11), 5, symmetry="C2"),
    "pulsar D8": satlife.oscillator((15, 15), 3, symmetry="D8"),
    "galaxy C4": satlife.oscillator((13, 13), 8, symmetry="C4"),
    "pinwheel R90@1": satlife.oscillator((12, 12), 4, symmetry="R90@1"),
    "tumbler": satlife.oscillator((9, 7), 14, symmetry=["D2|", "F-@7"]),
}


def known() -> dict[str, satlife.Problem]:
    """Patterns of the field in the smallest boxes that hold all their phases, with the symmetry they have."""
    found = {}
    for entry in json.loads(PATTERNS.read_text()):
        (width, height), displacement = entry["box"], tuple(entry["displacement"])
        symmetry = GROUPS[" ".join(sorted(entry["symmetry"]))]
        found[f"{entry['name']} {width}x{height}"] = _question((width, height), entry["period"], displacement, symmetry)
    return found


def others(count: int = 40, seed: int = 2026) -> dict[str, satlife.Problem]:
    """Ships and oscillators in random boxes and random rules: B3 and more, but not B0, B1, B2, and not Life.

    Nothing is chosen among them: many are easy, and some nobody answers.
    """
    rng = random.Random(seed)
    found: dict[str, satlife.Problem] = {}
    while len(found) < count:
        rule = f"B3{_some(rng, '45678', 0.25)}/S{_some(rng, '12345678', 0.35)}"
        if rule == "B3/S23":
            continue
        size, period = (rng.randint(5, 14), rng.randint(5, 14)), rng.randint(2, 6)
        step = rng.randint(1, period // 2)
        displacement = rng.choice([(0, 0), (0, -step), (step, -step)])
        symmetry = rng.choice(["", rng.choice(list(GROUPS.values()))])
        try:
            problem = _question(size, period, displacement, symmetry, rule)
        except InputError:  # the symmetry does not go with the box or with the motion
            continue
        dx, dy = displacement
        found[f"{rule} {size[0]}x{size[1]} p{period} ({dx},{dy}) {symmetry}".rstrip()] = problem
    return found


def _question(
    size: tuple[int, int], period: int, displacement: tuple[int, int], symmetry: str, rule: str = "B3/S23"
) -> satlife.Problem:
    symmetries = (symmetry,) if symmetry else ()
    if displacement == (0, 0):
        return satlife.oscillator(size, period, rule=rule, symmetry=symmetries)
    return satlife.spaceship(size, period, displacement, rule=rule, symmetry=symmetries)


def _some(rng: random.Random, digits: str, chance: float) -> str:
    return "".join(digit for digit in digits if rng.random() < chance)
