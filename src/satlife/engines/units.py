"""Which engine divides a question into units of work."""

from __future__ import annotations

from satlife.engines.options import Options
from satlife.engines.rows.partials import PartialShips
from satlife.engines.sat.cubes import Cubes
from satlife.engines.work import Count, Work
from satlife.problem.openbox import OpenBox
from satlife.problem.question import Question


def work_on(question: Question, every: bool, options: Options, counting: bool = False) -> Work:
    """The work of a question: one of its solutions is wanted, or every one, or how many there are."""
    if counting:
        return counting_of(question, options)
    if isinstance(question, OpenBox):
        return PartialShips(question, options.memory, options.device)
    return Cubes(question.in_a_box("a cube"), every, options)


def counting_of(question: Question, options: Options) -> Count:
    """The work of counting solutions."""
    from satlife.engines.tables.residues import Residues

    return Residues(question.in_a_box("a count"), options)
