"""Throughput of the sat-life programs, as whole processes, against a loop that formats the same clauses with `%`."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
from pathlib import Path

from satlife import knuth

BIN = Path(sys.executable).parent
RUNS = [("sat-life-grid", 50, 50, 40), ("sat-life-grid90-cycle", 50, 50, 40)]
LITERAL = re.compile(r"(~?)(\d+)([a-zA-Z])(\d+)(\S*)")


def process_seconds(name: str, *arguments: int) -> float:
    """Seconds of the best of three runs into /dev/null."""
    command = [str(BIN / name), *map(str, arguments)]
    times = []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - started)
    return min(times)


def formatting_loop(text: str) -> float:
    """Seconds to format `text` again, literal by literal, from clauses that are parsed already."""
    clauses = [
        [(sign, int(x), code, int(y), tail) for sign, x, code, y, tail in LITERAL.findall(line)]
        for line in text.splitlines()[1:]
    ]
    out = io.StringIO()
    started = time.perf_counter()
    for clause in clauses:
        out.write("".join([" %s%d%s%d%s" % literal for literal in clause]) + "\n")  # noqa: UP031
    return time.perf_counter() - started


def main() -> None:
    for name, *arguments in RUNS:
        m, n, _ = arguments
        small = b"".join(knuth.text(name, m, n, 2)).decode()
        loop = len(small) / formatting_loop(small) / 1e6
        size = sum(map(len, knuth.text(name, *arguments)))
        seconds = process_seconds(name, *arguments)
        speed = size / seconds / 1e6
        command = " ".join([name, *map(str, arguments)])
        print(f"{command}: {size:,} bytes in {seconds:.2f} s, {speed:.0f} MB/s", end="")
        print(f"; loop {loop:.0f} MB/s; ratio {speed / loop:.1f}")
    tiny = process_seconds("sat-life-grid", 3, 3, 2)
    print(f"start-up: sat-life-grid 3 3 2 takes {tiny:.2f} s")
