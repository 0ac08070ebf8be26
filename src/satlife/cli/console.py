"""The console on which rich draws for us: a closed pipe ends it as it ends every command."""

from __future__ import annotations

from rich import console

from satlife.cli.process import ClosedPipe


class Console(console.Console):
    """A console that leaves a closed pipe to whoever ends the command."""

    def on_broken_pipe(self) -> None:
        raise ClosedPipe
