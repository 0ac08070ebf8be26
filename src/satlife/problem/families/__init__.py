"""The families of problems: functions that return a problem, and a record of each for command line, page and docs."""

from satlife.problem.families.catalysts import FAMILY as CATALYST
from satlife.problem.families.catalysts import catalyst
from satlife.problem.families.completions import FAMILY as COMPLETE
from satlife.problem.families.completions import complete
from satlife.problem.families.eaters import FAMILY as EATER
from satlife.problem.families.eaters import eater
from satlife.problem.families.family import Family, Parameter
from satlife.problem.families.grids import FAMILY as GRID
from satlife.problem.families.grids import grid
from satlife.problem.families.orphans import FAMILY as ORPHAN
from satlife.problem.families.orphans import orphan
from satlife.problem.families.oscillators import FAMILY as OSCILLATOR
from satlife.problem.families.oscillators import oscillator
from satlife.problem.families.predecessors import FAMILY as PREDECESSOR
from satlife.problem.families.predecessors import predecessor
from satlife.problem.families.spaceships import FAMILY as SPACESHIP
from satlife.problem.families.spaceships import open_spaceship, spaceship
from satlife.problem.families.still_lifes import FAMILY as STILL_LIFE
from satlife.problem.families.still_lifes import still_life
from satlife.problem.families.tori import FAMILY as TORUS
from satlife.problem.families.tori import torus
from satlife.problem.families.waves import FAMILY as WAVE
from satlife.problem.families.waves import wave

#: By the names of their commands.
FAMILIES: dict[str, Family] = {family.name: family for family in (
    STILL_LIFE, OSCILLATOR, SPACESHIP, PREDECESSOR, ORPHAN, EATER, CATALYST, COMPLETE, TORUS, WAVE, GRID)
}  # fmt: skip

__all__ = [
    "FAMILIES", "Family", "Parameter", "catalyst", "complete", "eater", "grid", "open_spaceship", "orphan",
    "oscillator", "predecessor", "spaceship", "still_life", "torus", "wave",
]  # fmt: skip
