"""Certificates for the complete searches of docs/results.md, with the times of search, list and check:
scripts/certify strips [--time SECONDS] [SPEED or PERIOD ...]"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import satlife
from satlife.errors import SatlifeError
from satlife.limits import Limits
from satlife.problem.openbox import OpenBox
from satlife.proof.parallel import Checking
from satlife.proof.rows import certificate
from satlife.proof.rows.certify import begun, explored
from satlife.proof.verify import verify

RESULTS = Path(__file__).parents[1] / "docs" / "results.md"
ROW = re.compile(r"^\| (\d*c/\d+) \| (\d+) \| (even|odd|gutter|asymmetric) \| none \|", re.MULTILINE)
#: Periods of oscillators, in how many columns there are none, and with which mirror.
LINES = re.compile(r"^\| (\d+(?:, \d+)*) \| (\d+ columns[^|]*) \|", re.MULTILINE)
COLUMNS = re.compile(r"(\d+) (?:columns)? ?(?:with an (even|odd))?")
SECONDS = 120.0  # for a search, and for its list


def questions() -> Iterator[tuple[str, int, str, OpenBox]]:
    """Speed, logical width, mirror and question of the searches that found nothing, narrow ones first."""
    rows = [(speed, int(width), mirror) for speed, width, mirror in ROW.findall(RESULTS.read_text())]
    for speed, width, mirror in sorted(rows, key=lambda row: (row[1], row[0])):
        forward, period = (int(part or 1) for part in speed.split("c/"))
        whole = {"even": 2 * width, "odd": 2 * width - 1, "gutter": 2 * width + 1, "asymmetric": width}[mirror]
        symmetry = None if mirror == "asymmetric" else "D2|"
        yield speed, width, mirror, OpenBox(whole, period, (0, -forward), symmetry=symmetry, gutter=mirror == "gutter")


def oscillators() -> Iterator[tuple[str, int, str, OpenBox]]:
    """Period, columns, mirror and question of the strips without oscillators."""
    for periods, where in LINES.findall(RESULTS.read_text()):
        for period in periods.split(", "):
            for width, mirror in COLUMNS.findall(where):
                box = OpenBox(int(width), int(period), (0, 0), symmetry="D2|" if mirror else None)
                yield f"p{period}", box.width, mirror or "asymmetric", box


def measured(box: OpenBox, seconds: float, folder: Path) -> str:
    """The windows, the seconds of search, list and check, and the size; or why there is no certificate."""
    started = time.monotonic()
    outcome = satlife.find(box, time=seconds, device="cpu")
    searched = time.monotonic() - started
    if outcome.status != "none":
        return f"| | > {seconds:.0f} s | | | |"
    try:
        closure = begun(box, Limits.of(seconds))
        keys = explored(closure)
        certificate.write(folder, box, keys, closure.span, {})
    except SatlifeError as error:
        return f"| | {searched:.1f} s | {error} | | |"
    written = time.monotonic() - started - searched
    list(verify(folder, Checking(folder, os.cpu_count() or 1)))
    checked = time.monotonic() - started - searched - written
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    return f"| {len(keys):,} | {searched:.1f} s | {written:.1f} s | {checked:.1f} s | {size:.1f} MB |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("speeds", nargs="*", metavar="SPEED", help="such as 2c/7, or of oscillators p7; all by default")
    parser.add_argument("--time", type=float, default=SECONDS, help="for each search, and for its list")
    given = parser.parse_args()
    print("| speed | w | mirror | windows | search | list | check | size |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for speed, width, mirror, box in (*questions(), *oscillators()):
        if not given.speeds or speed in given.speeds:
            with tempfile.TemporaryDirectory() as folder:
                print(f"| {speed} | {width} | {mirror} {measured(box, given.time, Path(folder))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
