"""Ships of a given width, row by row: how long until one is found, or until the time is up, and qfind beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

LIMIT = float(os.environ.get("SATLIFE_BENCH_SECONDS", "120"))

#: Width, period, displacement, mirror; and the same for qfind: velocity, half-width, symmetry.
SHIPS = {
    "c/3, 12 wide even": (["12x*", "-p", "3", "-d", "0,-1", "-s", "D2v"], ["c/3", "6", "even"]),
    "c/3, 15 wide odd": (["15x*", "-p", "3", "-d", "0,-1", "-s", "D2v"], ["c/3", "8", "odd"]),
    "2c/5, 15 wide odd": (["15x*", "-p", "5", "-d", "0,-2", "-s", "D2v"], ["2c/5", "8", "odd"]),
    "c/10, 10 wide even": (["10x*", "-p", "10", "-d", "0,-1", "-s", "D2v"], ["c/10", "5", "even"]),
    "2c/4, 5 wide": (["5x*", "-p", "4", "-d", "0,-2"], None),
    "c/4 diagonal, 8 wide": (["8x*", "-p", "4", "-d", "1,-1"], None),
    "c/3, 8 wide, none": (["8x*", "-p", "3", "-d", "0,-1"], ["c/3", "8", "asymmetric"]),
    "c/4, 20 wide even": (["20x*", "-p", "4", "-d", "0,-1", "-s", "D2v"], ["c/4", "10", "even"]),
    "2c/7, 18 wide even": (["18x*", "-p", "7", "-d", "0,-2", "-s", "D2v"], ["2c/7", "9", "even"]),
    "c/7, 10 wide": (["10x*", "-p", "7", "-d", "0,-1"], ["c/7", "10", "asymmetric"]),
}


def timed(command: list[str]) -> tuple[float, int | None]:
    """Seconds and exit code; None when the time was up."""
    started = time.perf_counter()
    try:
        code = subprocess.run(command, capture_output=True, timeout=LIMIT + 30).returncode
    except subprocess.TimeoutExpired:
        code = None
    return time.perf_counter() - started, code


def main() -> None:
    qfind = shutil.which("qfind")
    satlife = [sys.executable, "-m", "satlife", "spaceship"]
    timed([*satlife, "4x*", "-p", "3", "-d", "0,-1"])  # compiles what is not compiled yet
    for name, (question, peer) in SHIPS.items():
        seconds, code = timed([*satlife, *question, "--time", str(LIMIT), "-q"])
        status = {0: "found", 20: "none", 3: "undecided"}.get(code or 0, "failed") if code is not None else "undecided"
        print(f"{name:24} {status:10} {seconds:7.2f} s", end="")
        if qfind and peer:
            velocity, width, symmetry = peer
            theirs, _ = timed([qfind, "-r", "B3/S23", "-v", velocity, "-w", width, "-s", symmetry])
            print(f"   qfind {theirs:7.2f} s, ratio {theirs / seconds:.2f}", end="")
        print(flush=True)
