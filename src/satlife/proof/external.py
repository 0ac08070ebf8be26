"""External proof checkers, if they are on PATH: drat-trim, rate, and for their LRAT output lrat-trim and cake_lpr."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from satlife.errors import SatlifeError

VERIFIED = ("s VERIFIED", "s VERIFIED UNSAT")


class Rejected(SatlifeError):
    """An external checker rejected a proof."""


def names() -> list[str]:
    """The checkers that are installed."""
    return [name for name in ("drat-trim", "rate", "lrat-trim", "cake_lpr") if shutil.which(name)]


def check(cnf: Path, proof: Path) -> Iterator[str]:
    """Run every installed checker; yields the names of those that accept, raises Rejected if one does not."""
    lrat = proof.with_suffix(".lrat")
    if found := shutil.which("drat-trim"):
        _ask("drat-trim", [found, str(cnf), str(proof), "-L", str(lrat)])
        yield "drat-trim"
    if found := shutil.which("rate"):
        _ask(
            "rate",
            [found, "--skip-unit-deletions", *(() if lrat.exists() else ("-L", str(lrat))), str(cnf), str(proof)],
        )
        yield "rate"
    for name in ("lrat-trim", "cake_lpr"):
        if lrat.exists() and (found := shutil.which(name)):
            _ask(name, [found, str(cnf), str(lrat)])
            yield name


def _ask(name: str, command: list[str]) -> None:
    """Run a checker; only an explicit `s VERIFIED` counts as acceptance."""
    run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    said = [line.strip() for line in run.stdout.decode("utf-8", "replace").splitlines() if line.startswith("s ")]
    if not any(line in VERIFIED for line in said):
        raise Rejected(f"{name} says {said[-1][2:]!r}" if said else f"{name} gives no verdict (exit {run.returncode})")
