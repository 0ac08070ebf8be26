"""Running satlife commands inside this process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import click
from click.testing import CliRunner

from satlife.cli import process
from satlife.cli.main import satlife
from satlife.errors import SatlifeError


@dataclass(frozen=True)
class CommandResult:
    """Exit code, standard output, the message of an expected error, an unexpected exception, and what was said."""

    code: int
    output: str
    message: str
    crash: str
    said: str = ""  # on standard error

    @property
    def lines(self) -> list[Any]:
        """The JSON objects on standard output."""
        return [json.loads(line) for line in self.output.splitlines() if line.startswith("{")]


def run_satlife(arguments: list[str]) -> CommandResult:
    """Run a command line."""
    process.begin()
    result = CliRunner().invoke(satlife, arguments, standalone_mode=False)
    error = result.exception
    if error is None:
        code = result.return_value if isinstance(result.return_value, int) else 0
        return CommandResult(code, result.stdout, "", "", result.stderr)
    if isinstance(error, click.exceptions.Exit):
        return CommandResult(error.exit_code, result.stdout, "", "", result.stderr)
    if isinstance(error, click.ClickException):
        return CommandResult(error.exit_code, result.stdout, error.format_message(), "")
    if isinstance(error, SatlifeError):
        return CommandResult(1, result.stdout, str(error), "")
    return CommandResult(1, result.stdout, "", f"{type(error).__name__}: {error}")
