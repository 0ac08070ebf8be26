"""Make and check the certificates of the gallery, and print their times: scripts/certify [--keep DIR] [NAME ...]"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import TypedDict


class GalleryEntry(TypedDict):
    """A result of the gallery: its command and exit code, the words expected in the statement, and a title."""

    command: str
    exit: int
    words: str
    says: str


HERE = Path(__file__).parent
GALLERY: dict[str, GalleryEntry] = tomllib.loads((HERE / "gallery.toml").read_text())
SATLIFE = [sys.executable, "-m", "satlife"]


def make(name: str, folder: Path) -> tuple[float, float]:
    """Make and check a certificate; returns the seconds of both, or raises a RuntimeError."""
    entry = GALLERY[name]
    started = time.monotonic()
    made = run([*shlex.split(entry["command"]), "--proof", str(folder), "-q"])
    if made.returncode != entry["exit"]:
        raise RuntimeError(f"{name}: exit code {made.returncode} instead of {entry['exit']}: {made.stderr.strip()}")
    if entry["words"] not in (folder / "statement.txt").read_text():
        raise RuntimeError(f"{name}: the statement does not say {entry['words']!r}")
    middle = time.monotonic()
    checked = run(["verify", str(folder)])
    if checked.returncode:
        raise RuntimeError(f"{name}: {checked.stderr.strip()}")
    return middle - started, time.monotonic() - middle


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*SATLIFE, *command], cwd=HERE.parent, capture_output=True, text=True)


def row(name: str, folder: Path, made: float, checked: float) -> str:
    certificates = [json.loads(path.read_text()) for path in folder.rglob("certificate.json")]
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    lemmas = sum(part["lemmas"] for certificate in certificates for part in certificate["parts"])
    says = GALLERY[name]["says"]
    return (
        f"| {says} | `{GALLERY[name]['command']}` | {lemmas:,} | {made:.1f} s | {checked:.1f} s | {size / 1e6:.2f} MB |"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(GALLERY)}; all by default")
    parser.add_argument("--keep", metavar="DIR", help="keep the certificates there")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in GALLERY]:
        parser.error(f"there is no {unknown[0]!r} in the gallery")
    failed = 0
    print("| result | command | lemmas | made in | checked in | size |\n| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(given.keep or scratch)
        for name in given.names or GALLERY:
            try:
                print(row(name, place / name, *make(name, place / name)), flush=True)
            except RuntimeError as error:
                failed += 1
                print(error, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
