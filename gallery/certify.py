"""Make and check the certificates of the gallery, and print their times: scripts/certify [--keep DIR] [NAME ...]

Those of the instances of `satlife family`, and whether they refute the recorded formulas: scripts/certify family [...]
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from satlife.benchmark.instances import instances


class GalleryEntry(TypedDict):
    """A result of the gallery: its command and exit code, the words expected in the statement, and a title; of an
    instance of `satlife family`, the sha256 of the formula that is refuted, and the patterns that the command reads."""

    command: str
    exit: int
    words: str
    says: str
    formula: NotRequired[str]
    files: NotRequired[Mapping[str, str]]


HERE = Path(__file__).parent
GALLERY: dict[str, GalleryEntry] = tomllib.loads((HERE / "gallery.toml").read_text())
SATLIFE = [sys.executable, "-m", "satlife"]


def make(entry: GalleryEntry, folder: Path, home: Path) -> tuple[float, float]:
    """Make and check a certificate, by a command that runs in `home`; returns the seconds of both, or raises a
    RuntimeError."""
    started = time.monotonic()
    made = run([*shlex.split(entry["command"]), "--proof", str(folder), "-q"], home)
    if made.returncode != entry["exit"]:
        raise RuntimeError(f"exit code {made.returncode} instead of {entry['exit']}: {made.stderr.strip()}")
    if entry["words"] not in (folder / "statement.txt").read_text():
        raise RuntimeError(f"the statement does not say {entry['words']!r}")
    middle = time.monotonic()
    checked = run(["verify", str(folder)], home)
    if checked.returncode:
        raise RuntimeError(checked.stderr.strip())
    refuted = [part["formula"]["sha256"] for part in parts(folder)]
    if entry.get("formula") not in (None, *refuted):
        raise RuntimeError(f"it refutes the formula {', '.join(refuted)} instead of {entry['formula']}")
    return middle - started, time.monotonic() - middle


def run(command: list[str], home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*SATLIFE, *command], cwd=home, capture_output=True, text=True)


def parts(folder: Path) -> list[dict[str, Any]]:
    """The refutations of a certificate, and of those on which it rests."""
    certificates = [json.loads(path.read_text()) for path in folder.rglob("certificate.json")]
    return [part for certificate in certificates for part in certificate["parts"]]


def row(entry: GalleryEntry, folder: Path, made: float, checked: float) -> str:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    lemmas = sum(part["lemmas"] for part in parts(folder))
    says, command = entry["says"], entry["command"]
    return f"| {says} | `{command}` | {lemmas:,} | {made:.1f} s | {checked:.1f} s | {size / 1e6:.2f} MB |"


def family() -> dict[str, GalleryEntry]:
    """The instances of `satlife family` that have a certificate."""
    return {
        instance.name: {
            "command": instance.arguments,
            "exit": 20,
            "words": "There is no pattern with these properties",
            "says": f"`{instance.name}`",
            "formula": instance.certificate,
            "files": instance.files,
        }
        for instance in instances()
        if instance.certificate
    }


def main() -> int:
    of_family = sys.argv[1:2] == ["family"]
    gallery = family() if of_family else GALLERY
    parser = argparse.ArgumentParser("scripts/certify" + " family" * of_family, description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(gallery)}; all by default")
    parser.add_argument("--keep", metavar="DIR", help="keep the certificates there")
    given = parser.parse_args(sys.argv[1 + of_family :])
    if unknown := [name for name in given.names if name not in gallery]:
        parser.error(f"there is no certificate {unknown[0]!r}")
    failed = 0
    print("| result | command | lemmas | made in | checked in | size |\n| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as files:
        place = Path(given.keep or scratch).absolute()
        for name in given.names or gallery:
            entry, folder = gallery[name], place / name
            for file, text in entry.get("files", {}).items():
                Path(files, file).write_text(text)
            try:
                print(row(entry, folder, *make(entry, folder, Path(files) if of_family else HERE.parent)), flush=True)
            except RuntimeError as error:
                failed += 1
                print(f"{name}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
