"""The satlife program inside this process: what it prints, and how it ends."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import click
from click.testing import CliRunner

from satlife.cli.main import satlife
from satlife.errors import SatlifeError


@dataclass(frozen=True)
class Said:
    """Exit code, standard output, the message of an error, and the error if it is none that a user should see."""

    code: int
    output: str
    message: str
    crash: str

    @property
    def lines(self) -> list[Any]:
        """The JSON objects that were printed."""
        return [json.loads(line) for line in self.output.splitlines() if line.startswith("{")]


def satlife_says(arguments: list[str]) -> Said:
    """Run a command line."""
    result = CliRunner().invoke(satlife, arguments, standalone_mode=False)
    error = result.exception
    if error is None:
        code = result.return_value if isinstance(result.return_value, int) else 0
        return Said(code, result.stdout, "", "")
    if isinstance(error, click.exceptions.Exit):
        return Said(error.exit_code, result.stdout, "", "")
    if isinstance(error, click.ClickException):
        return Said(error.exit_code, result.stdout, error.format_message(), "")
    if isinstance(error, SatlifeError):
        return Said(1, result.stdout, str(error), "")
    return Said(1, result.stdout, "", f"{type(error).__name__}: {error}")
