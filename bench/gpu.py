"""A GPU beside the CPU: ships row by row and counting, each beside the CPU's engine and, for ships, beside qfind.

Every row is measured in one run on one machine.  Seconds of satlife are those of the search itself; what the start of a
device costs (CuPy, the context, kernels that are not in the cache yet) is measured once and told.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from satlife import native
from satlife.device import Choice, Device, cuda
from satlife.engines.rows.gpu.search import DeviceSearch
from satlife.engines.rows.ships import RowSearch
from satlife.engines.tables.count import TableCount, count
from satlife.engines.tables.threads import ThreadPool
from satlife.life.pattern import Pattern
from satlife.limits import Limits
from satlife.problem.families import predecessor, still_life
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Problem

LIMIT = float(os.environ.get("SATLIFE_BENCH_SECONDS", "120"))
SIDE = int(os.environ.get("SATLIFE_BENCH_SIDE", "16"))  # of the largest box that is counted
ON_CPU = int(os.environ.get("SATLIFE_BENCH_CPU_SIDE", "13"))
ONLY = os.environ.get("SATLIFE_BENCH_ONLY", "").split(",")  # parts of names
PEER = os.environ.get("SATLIFE_BENCH_PEER", "1") == "1"
COUNTS = json.loads((Path(__file__).parents[1] / "tests" / "data" / "counts.json").read_text())


@dataclass(frozen=True)
class Row:
    """A question, and how qfind asks it: velocity, logical width, symmetry."""

    box: OpenBox
    peer: tuple[str, str, str]


def ship(width: int, period: int, step: int, mirror: str, velocity: str) -> Row:
    full = {"even": 2 * width, "odd": 2 * width - 1, "gutter": 2 * width + 1, "asymmetric": width}[mirror]
    symmetry = None if mirror == "asymmetric" else "D2|"
    box = OpenBox(full, period, (0, -step), symmetry=symmetry, gutter=mirror == "gutter")
    return Row(box, (velocity, str(width), mirror))


SHIPS = {
    "c/3 w8 odd": ship(8, 3, 1, "odd", "c/3"),
    "2c/5 w8 odd": ship(8, 5, 2, "odd", "2c/5"),
    "copperhead, c/10 w5 even": ship(5, 10, 1, "even", "c/10"),
    "c/4 w10 even": ship(10, 4, 1, "even", "c/4"),
    "2c/7 w8 even, none": ship(8, 7, 2, "even", "2c/7"),
    "c/6 w8 even, none": ship(8, 6, 1, "even", "c/6"),
    "c/7 w7 even, none": ship(7, 7, 1, "even", "c/7"),
    "c/8 w6 even, none": ship(6, 8, 1, "even", "c/8"),
    "c/5 w9 gutter": ship(9, 5, 1, "gutter", "c/5"),
    "2c/7 w9 even": ship(9, 7, 2, "even", "2c/7"),
}


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def searched(box: OpenBox, choice: Choice) -> tuple[str, float, RowSearch]:
    """Until the first ship, or the end."""
    search = RowSearch.start(box, os.cpu_count() or 1, None, choice)
    began = time.perf_counter()
    search.search.limits = Limits.of(LIMIT)
    found = next(search.finds(), None)
    took = time.perf_counter() - began
    return (f"found {found.apgcode}" if found else "none" if search.complete else "undecided"), took, search


def rows(device: Device) -> None:
    qfind, threads = shutil.which("qfind"), str(os.cpu_count() or 1)
    for name, row in SHIPS.items():
        if not any(part in name for part in ONLY):
            continue
        answer, took, search = searched(row.box, Choice.of(device, print))
        inner = search.search
        more = ""
        if isinstance(inner, DeviceSearch):
            more = f"  {inner.visited / 1e6:10,.1f} M windows, {inner.candidates / 1e6:10,.1f} M candidates"
        print(f"{name:26} gpu {took:8.2f} s  {answer[:40]:40}{more}", end="", flush=True)
        del search, inner
        device.release()  # what this search has had is not for the next one to give back
        if native.is_installed() and PEER:
            cpu, mine, _ = searched(row.box, Choice("cpu"))
            print(f"  cpu {mine:8.2f} s ({cpu[:9]}), ratio {mine / took:6.1f}", end="", flush=True)
        if qfind and PEER:
            velocity, width, symmetry = row.peer
            command = [qfind, "-v", velocity, "-w", width, "-s", symmetry, "-t", threads, "-f", "1"]
            try:
                theirs = seconds(lambda command=command: subprocess.run(command, capture_output=True, timeout=LIMIT))  # type: ignore[misc]
                print(f"  qfind -t {threads} {theirs:8.2f} s, ratio {theirs / took:6.1f}", end="")
            except subprocess.TimeoutExpired:
                print(f"  qfind -t {threads}: nothing in {LIMIT:.0f} s, ratio > {LIMIT / took:.1f}", end="")
        print(flush=True)


def counted(problem: Problem, choice: Choice) -> tuple[TableCount, float]:
    began = time.perf_counter()
    found = count(problem, ThreadPool(choice=choice))
    return found, time.perf_counter() - began


def counts(device: Device) -> None:
    for n in range(13, SIDE + 1):
        for name, sequence, problem in (
            ("still lifes", "still_lifes_in_box", replace(still_life((n, n)), nonempty=False)),
            ("vanish", "vanish_in_one_step", predecessor(Pattern(np.zeros((n, n), np.uint8)))),
        ):
            if not any(part in f"count {name}" for part in ONLY):
                continue
            found, took = counted(problem, Choice.of(device, print))
            terms = COUNTS[sequence]["terms"]
            verdict = "not published" if n > len(terms) else "as published" if found.value == terms[n - 1] else "WRONG"
            print(
                f"{n}x{n} {name:12} {found.value} ({verdict}, {found.primes} primes) gpu {took:7.2f} s",
                end="",
                flush=True,
            )
            if n <= ON_CPU:
                there, mine = counted(problem, Choice("cpu"))
                assert there.value == found.value
                print(f"  cpu {mine:8.2f} s, ratio {mine / took:6.1f}", end="")
            print(flush=True)


def main() -> None:
    if reason := cuda.why_none():
        print(f"no GPU: {reason}")
        return
    choice = Choice("gpu", print)
    start = seconds(lambda: choice.device(True))
    device = choice.device(True)
    assert device is not None
    print(f"{device.name}, {os.cpu_count()} cores, {cuda.version()}; the start of the device took {start:.2f} s")
    small = OpenBox(8, 3, (0, -1))
    compiled = seconds(lambda: searched(small, Choice.of(device)))
    print(f"a first small search, kernels compiled: {compiled:.2f} s", flush=True)
    if native.is_installed() and PEER:
        searched(small, Choice("cpu"))  # compiles what is not compiled yet
    rows(device)
    counts(device)
