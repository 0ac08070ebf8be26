"""Certificates of an atlas: one for each minimal box and each largest refuted box, and the atlas, which rests on them.

That they decide every box, and which boxes are minimal, follows from which box lies in which (`problem.boxes`), and is
derived again by the check; see `inference`.
"""

from __future__ import annotations

from pathlib import Path

from satlife.engines.options import Options
from satlife.errors import SatlifeError
from satlife.problem.boxes import Size, words
from satlife.problem.chart import Chart
from satlife.problem.outcome import Certificate
from satlife.problem.problem import Problem
from satlife.proof import bundle, publish
from satlife.proof import certify as certificates
from satlife.proof.checker import CheckProgress
from satlife.proof.claim import ATLAS, FOUND, NONE, Claim
from satlife.proof.inference import Rests, Rule
from satlife.search.progress import OnProgress


def must_be_provable(problem: Problem, options: Options) -> None:
    """Raise InputError for what no certificate can express, and for solvers without proofs."""
    Claim(NONE, problem)
    certificates.members(problem, options)


def certify(
    chart: Chart,
    target: Path,
    options: Options,
    progress: OnProgress | None = None,
    checking: CheckProgress | None = None,
) -> Certificate:
    """Certify a chart on which every box is decided, before the deadline of the options."""
    options = options.begun()
    claims = {words(size): Claim(NONE, chart.boxes.within[size]) for size in refuted(chart)}
    minimal = [found for found, _ in chart.pairs()]
    claims |= {words(found.problem.size): Claim(FOUND, found.problem, finds=(found.find,)) for found in minimal}
    atlas = Claim(ATLAS, chart.question, minimal=tuple(found.problem.size for found in minimal))
    lemmas = 0
    try:
        with bundle.staged(target) as folder:
            for name, claim in claims.items():
                made = certificates.certify(claim, folder / name, options, progress, checking)
                if not made.checked:
                    return Certificate(False, reason=f"{name}: {made.reason}")
                lemmas += made.lemmas
            publish.rest(target, folder, atlas, Rests(Rule.BOXES, tuple(claims)))
    except SatlifeError as error:
        return Certificate(False, reason=str(error))
    return Certificate(True, str(target), lemmas)


def refuted(chart: Chart) -> list[Size]:
    """The refuted boxes that need a certificate; of a box and the turned one, the first, unless it lies in another when
    turned."""
    chosen: list[Size] = []
    for size in chart.largest_refuted:
        turned = chart.boxes.turned(size)
        around = [other for other in chart.largest_refuted if turned is not None and chart.boxes.lies_in(turned, other)]
        if all(other == turned and other not in chosen for other in around):
            chosen.append(size)
    return chosen
