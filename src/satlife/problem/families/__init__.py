"""The families of problems: functions that return a problem, and a record of each for command line, page and docs.

A module is imported when its family is asked for: most programs ask for one."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satlife.problem.families.catalysts import catalyst
    from satlife.problem.families.completions import complete
    from satlife.problem.families.eaters import eater
    from satlife.problem.families.family import Family, Parameter
    from satlife.problem.families.grids import grid
    from satlife.problem.families.makers import becomes
    from satlife.problem.families.orphans import orphan
    from satlife.problem.families.oscillators import oscillator
    from satlife.problem.families.predecessors import predecessor
    from satlife.problem.families.spaceships import open_spaceship, spaceship
    from satlife.problem.families.still_lifes import still_life
    from satlife.problem.families.tori import torus
    from satlife.problem.families.waves import wave

#: The modules, by the names of the commands.  None has the name of its function, in whose place it would be found.
MODULES = {
    "still-life": "still_lifes",
    "oscillator": "oscillators",
    "spaceship": "spaceships",
    "predecessor": "predecessors",
    "orphan": "orphans",
    "eater": "eaters",
    "catalyst": "catalysts",
    "complete": "completions",
    "becomes": "makers",
    "torus": "tori",
    "wave": "waves",
    "grid": "grids",
}


class Families(Mapping[str, "Family"]):
    """The families by the names of their commands."""

    def __getitem__(self, name: str) -> Family:
        module, function = importlib.import_module(f"{__name__}.{MODULES[name]}"), name.replace("-", "_")
        globals()[function] = getattr(module, function)
        found: Family = module.FAMILY
        return found

    def __contains__(self, name: object) -> bool:
        return name in MODULES

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


FAMILIES = Families()


def __getattr__(name: str) -> Any:
    """The function of a family, or the one beside it; or what a record is made of."""
    if name in ("Family", "Parameter"):
        return getattr(importlib.import_module(f"{__name__}.family"), name)
    if name == "open_spaceship":
        return importlib.import_module(f"{__name__}.spaceships").open_spaceship
    if FAMILIES.get(name.replace("_", "-")) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals()[name]


__all__ = [
    "FAMILIES", "Family", "Parameter", "becomes", "catalyst", "complete", "eater", "grid", "open_spaceship", "orphan",
    "oscillator", "predecessor", "spaceship", "still_life", "torus", "wave",
]  # fmt: skip
