"""satlife verify DIR: check a certificate."""

from __future__ import annotations

import os
from pathlib import Path

import click

from satlife.cli import report, screen
from satlife.proof.atlas import verify
from satlife.proof.bundle import claim_folder
from satlife.proof.checking import Checking


def verify_certificate(folder: Path, target: Path | None, jobs: int | None) -> int:
    """Check a certificate, and print a line for each statement that holds."""
    if target:
        claim_folder(target)
        target.mkdir(exist_ok=True)
    with report.ProgressView(quiet=False) as view:
        for text in verify(folder, Checking(folder, jobs or os.cpu_count() or 1, view.checking), target):
            screen.erase()
            click.echo(f"ok  {text}")
    click.echo(f"verified: {folder}")
    return 0
