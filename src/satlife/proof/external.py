"""External proof checkers, if they are on PATH: drat-trim, rate, and for their LRAT output lrat-trim and cake_lpr."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from satlife.errors import SatlifeError

VERIFIED = ("s VERIFIED", "s VERIFIED UNSAT")
BLINK = 0.1  # seconds between two calls of `tick`


class Rejected(SatlifeError):
    """An external checker rejected a proof."""


def names() -> list[str]:
    """The checkers that are installed."""
    return [name for name in ("drat-trim", "rate", "lrat-trim", "cake_lpr") if shutil.which(name)]


def check(cnf: Path, proof: Path, tick: Callable[[], None] = lambda: None) -> Iterator[str]:
    """Run every installed checker; yields the names of those that accept, raises Rejected if one does not.

    `tick` is called now and then; if it raises an error, the checker is ended."""
    lrat = proof.with_suffix(".lrat")
    if found := shutil.which("drat-trim"):
        _ask("drat-trim", [found, str(cnf), str(proof), "-L", str(lrat)], tick)
        yield "drat-trim"
    if found := shutil.which("rate"):
        _ask(
            "rate",
            [found, "--skip-unit-deletions", *(() if lrat.exists() else ("-L", str(lrat))), str(cnf), str(proof)],
            tick,
        )
        yield "rate"
    for name in ("lrat-trim", "cake_lpr"):
        if lrat.exists() and (found := shutil.which(name)):
            _ask(name, [found, str(cnf), str(lrat)], tick)
            yield name


def _ask(name: str, command: list[str], tick: Callable[[], None]) -> None:
    """Run a checker; only an explicit `s VERIFIED` counts as acceptance."""
    code, output = _run(command, tick)
    said = [line.strip() for line in output.decode("utf-8", "replace").splitlines() if line.startswith("s ")]
    if not any(line in VERIFIED for line in said):
        raise Rejected(f"{name} says {said[-1][2:]!r}" if said else f"{name} gives no verdict (exit {code})")


def _run(command: list[str], tick: Callable[[], None]) -> tuple[int, bytes]:
    """The exit code and the output of a program."""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    output, _ = process.communicate(timeout=BLINK)
                    return process.returncode, output
                tick()
        except BaseException:
            process.kill()
            raise
