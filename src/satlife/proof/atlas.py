"""Certificates of an atlas: one for each minimal box and each largest refuted box, and the atlas, which rests on them.

That they decide every box, and which boxes are minimal, follows from which box lies in which (`problem.boxes`), and is
derived again by the check; see `inference`.
"""

from __future__ import annotations

from pathlib import Path

from satlife.engines.events import Hearing, silent
from satlife.engines.options import Options
from satlife.errors import SatlifeError
from satlife.problem.boxes import Size, words
from satlife.problem.chart import Chart
from satlife.problem.outcome import Certificate
from satlife.proof import certify as certificates
from satlife.proof.claims.atlas import ClaimAtlas
from satlife.proof.claims.claim import Claim
from satlife.proof.claims.find import ClaimFound, ClaimNone
from satlife.proof.inference import InferenceRule


def certify(
    chart: Chart,
    target: Path,
    options: Options,
    hear: Hearing = silent,
) -> Certificate:
    """Certify a chart before the deadline of the options; every box must be decided."""
    options = options.begun()
    if not chart.complete:
        return Certificate(False, reason="some boxes are undecided")
    claims: dict[str, Claim] = {words(size): ClaimNone(chart.boxes.within[size]) for size in refuted(chart)}
    minimal = [found for found, _ in chart.pairs()]
    claims |= {words(found.problem.size): ClaimFound(found.problem, (found.find,)) for found in minimal}
    atlas = ClaimAtlas(chart.question, minimal=tuple(found.problem.size for found in minimal))
    try:
        return certificates.rested(target, claims, atlas, InferenceRule.BOXES, options, hear)
    except SatlifeError as error:
        return Certificate(False, reason=str(error))


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
