"""The ladder: searches of growing difficulty, with the default race, with plain CDCL, and with peers on PATH.

Every search gets 20 seconds, or LADDER_SECONDS.  Where either the default race or plain CDCL answers in time, the other
one and the peers get nine times as long; one that is not finished by then counts with its limit.  What neither answers
has no ratio.  The figures are written to ladder.json, too.
The second list are known patterns in the smallest boxes that hold them; the third holds rules and boxes that were not
looked at when the defaults were chosen.
"""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import satlife
from satlife.errors import InputError
from satlife.solve.host import close_idle

LIMIT = 20.0
LONGER = 9  # times the limit
PATTERNS = Path(__file__).parents[1] / "tests" / "data" / "patterns.json"
#: The symmetries of a pattern, as a set of transformations, and the name of that group.
GROUPS = {
    "": (),
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
    "c/3 none 15x5": satlife.spaceship((15, 5), 3, (0, -1)),
    "c/3 17x12 mirror": satlife.spaceship((17, 12), 3, (0, -1), symmetry="D2v"),
    "2c/5 15x12 mirror": satlife.spaceship((15, 12), 5, (0, -2), symmetry="D2v"),
    "c/4 26x8": satlife.spaceship((26, 8), 4, (0, -1)),
    "c/4 21x10 mirror": satlife.spaceship((21, 10), 4, (0, -1), symmetry="D2v"),
    "caterer 9x6": satlife.oscillator((9, 6), 3),
    "jam 7x7": satlife.oscillator((7, 7), 3),
    "mold 6x6": satlife.oscillator((6, 6), 4),
    "octagon 2 8x8": satlife.oscillator((8, 8), 5),
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


def known() -> dict[str, satlife.Problem]:
    """Patterns of the field in the smallest boxes that hold all their phases, with the symmetry they have."""
    found = {}
    for entry in json.loads(PATTERNS.read_text()):
        symmetry = GROUPS[" ".join(sorted(entry["symmetry"]))]
        size, period, displacement = tuple(entry["box"]), entry["period"], tuple(entry["displacement"])
        if displacement == (0, 0):
            problem = satlife.oscillator(size, period, symmetry=symmetry)
        else:
            problem = satlife.spaceship(size, period, displacement, symmetry=symmetry)
        if problem not in LADDER.values():
            found[f"{entry['name']} {size[0]}x{size[1]}"] = problem
    return found


def measure(problem: satlife.Problem, strategy: str | None, limit: float) -> tuple[float, str]:
    """How long a search takes that starts its processes, and how it ends."""
    close_idle()
    started = time.perf_counter()
    outcome = satlife.find(problem, strategy=strategy, time=limit)
    return time.perf_counter() - started, outcome.status


def rlifesrc(problem: satlife.Problem) -> list[str]:
    """The same question for rlifesrc."""
    words = [problem.width, problem.height, problem.generations, *problem.displacement]
    offered = subprocess.run(["rlifesrc", "--help"], capture_output=True, text=True).stdout
    silent = ["--no-tui"] if "-n, --no-tui" in offered else []
    more = ["--symmetry", problem.symmetry[0].replace("D4x", "D4X")] if problem.symmetry else []
    return ["rlifesrc", *silent, "--rule", problem.rule.name, *more, "--", *map(str, words)]


def lls(problem: satlife.Problem) -> list[str]:
    """The same question for Logic Life Search, with Kissat."""
    (dx, dy), box = problem.displacement, [str(problem.width), str(problem.height)]
    more = ["-s", problem.symmetry[0]] if problem.symmetry else []
    return ["lls", "-b", *box, "-s", f"p{problem.generations}", f"x{dx}", f"y{dy}", *more, "-S", "kissat"]


PEERS = {"rlifesrc": rlifesrc, "lls": lls}


def beside(problem: satlife.Problem, limit: float) -> dict[str, float]:
    """How long the peers on PATH take for a question that they understand; the limit if they do not answer."""
    out: dict[str, float] = {}
    if len(problem.symmetry) > 1 or any("@" in name for name in problem.symmetry):
        return out
    for name, command in PEERS.items():
        if shutil.which(name) is None:
            continue
        started = time.perf_counter()
        try:
            ended = subprocess.run(command(problem), capture_output=True, text=True, timeout=limit)
            answered = "x =" in ended.stdout or "Not found" in ended.stdout + ended.stderr
        except subprocess.TimeoutExpired:
            answered = False
        out[name] = time.perf_counter() - started if answered else limit
    return out


def mean(ratios: list[float]) -> float:
    return math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))


def main() -> None:
    limit = float(os.environ.get("LADDER_SECONDS", LIMIT))
    measure(satlife.spaceship((4, 3), 4, (1, 1)), None, limit)  # loads what every search needs
    figures = {}
    lists = {"ladder": LADDER, "known patterns": known(), "other rules and boxes": others()}
    for title, problems in lists.items():
        print(f"-- {title} (seconds, whole search; limits {limit:.0f} and {LONGER * limit:.0f})")
        ratios: list[float] = []
        hard: list[float] = []
        for name, problem in problems.items():
            ours, status = measure(problem, None, limit)
            plain, plain_status = measure(problem, "plain", limit)
            answered = (status, plain_status) != ("unknown", "unknown")
            if answered and status == "unknown":
                ours, status = measure(problem, None, LONGER * limit)
            if answered and plain_status == "unknown":
                plain, plain_status = measure(problem, "plain", LONGER * limit)
            peers = beside(problem, LONGER * limit if answered else limit)
            if answered:
                ratios.append(plain / ours)
                if plain >= 1:
                    hard.append(plain / ours)
            figures[name] = {"default": ours, "status": status, "plain": plain, "plain_status": plain_status, **peers}
            others_say = "".join(f"   {peer} {seconds:7.2f}" for peer, seconds in peers.items())
            line = f"{name:24} {status:8} {ours:7.2f}   plain {plain_status:8} {plain:7.2f}   ratio {plain / ours:6.1f}"
            print(line + others_say, flush=True)
        for words, some in (("one of the two answers", ratios), ("takes plain a second or more", hard)):
            if some:
                print(f"geometric mean of the {len(some)} ratios of what {words}: {mean(some):.1f}")
    Path("ladder.json").write_text(json.dumps(figures, indent=1))
