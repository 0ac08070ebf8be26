"""Which engine divides a question into units of work."""

from __future__ import annotations

from satlife.engines.options import Options
from satlife.engines.rows.partials import PartialShips
from satlife.engines.sat.cubes import Cubes
from satlife.engines.work import Work
from satlife.problem.openbox import OpenBox
from satlife.problem.question import Question


def work_on(question: Question, every: bool, options: Options) -> Work:
    """The work of a question; with `every` all its solutions are wanted, otherwise one."""
    if isinstance(question, OpenBox):
        return PartialShips(question, options.memory)
    return Cubes(question, every, options)
