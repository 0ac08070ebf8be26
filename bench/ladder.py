"""The ladder: patterns in boxes, found by the default race of engines, by plain CaDiCaL, and by other programs.

Three lists: searches of growing difficulty, known patterns in the smallest boxes that hold them, and random questions
of other rules.  `mirrored` is satlife on the question's mirror image (or in the transposed box), `plain` is CaDiCaL on
clauses without symmetry breaking and spatial order.
"""

from __future__ import annotations

from bench.peers import MIRRORED, OURS, PLAIN, installed
from bench.questions import LADDER, known, others
from bench.table import report


def main(
    only: str = "",
    limit: float = 20.0,
    peers: str = "rlifesrc,factoriosrc",
    json: str = "",
    every_image: bool = False,
    runs: int = 1,
) -> None:
    lists = {"ladder": LADDER, "known patterns": known(), "other rules": others()}
    report(lists, [OURS, MIRRORED, PLAIN, *installed(peers, every_image)], only, limit, json, runs)
