"""satlife verify DIR: check a certificate."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from satlife.cli import report


def verify_certificate(folder: Path, target: Path | None) -> int:
    """Check a certificate, and print a line for each statement that holds."""
    from satlife.proof.bundle import claim_folder
    from satlife.proof.verify import verify

    if target:
        claim_folder(target)
        target.mkdir(exist_ok=True)
    line = report.ProgressLine(quiet=False)
    try:
        for text in verify(folder, line.checking, target):
            line.clear()
            click.echo(f"ok  {text}")
    finally:
        line.clear()
    click.echo(f"verified: {folder}")
    return 0
