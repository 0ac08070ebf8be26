"""satlife golly: the script with which Golly asks satlife about a selection."""

from __future__ import annotations

from satlife import data, files
from satlife.cli.groups import command


@command()
def golly() -> int:
    """Print a script for Golly that asks satlife about the selection and pastes the find.

    It asks for predecessors, orphans, oscillators and ships around live cells, and eaters.  Run it from Golly's menu
    (File > Run Script), or give it a key.

    Example: [bold]satlife golly > satlife.lua[/]
    """
    files.write("-", [data.path("golly.lua").read_bytes()])
    return 0
