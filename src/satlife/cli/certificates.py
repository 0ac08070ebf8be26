"""satlife verify DIR: check a certificate."""

from __future__ import annotations

import os
from pathlib import Path

from satlife.cli import report, screen
from satlife.proof.bundle import claim_folder
from satlife.proof.parallel import Checking
from satlife.proof.verify import Summary, verify


def verify_certificate(folder: Path, target: Path | None, jobs: int | None) -> int:
    """Check a certificate; print a line for each step that holds, and what was proved in a paragraph."""
    if target:
        claim_folder(target)
        target.mkdir(exist_ok=True)
    with report.ProgressView(quiet=False) as view:
        steps = verify(folder, Checking(folder, jobs or os.cpu_count() or 1, view.checking), target)
        try:
            while True:
                screen.show(f"ok  {next(steps)}")
        except StopIteration as end:
            summary: Summary = end.value
    screen.show(*str(summary).split("\n"), f"verified: {folder}")
    return 0
