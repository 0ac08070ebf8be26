"""Small questions with known answers, with which the newly compiled checker is tried."""

from __future__ import annotations


def is_right(*_: object) -> bool:
    """Whether walks end where there is no ship, come back to emptiness where there is one, and are found to be too
    long; with a table of the rows that may follow, and without one."""
    return all(
        [_ending(*walk, tabulates) for walk in ((3, 1, 20), (4, 2, 40), (3, 1, 4))]
        == ["", "a walk comes", "a walk neither"]
        for tabulates in (False, True)
    )


def _ending(period: int, forward: int, span: int, tabulates: bool) -> str:
    """How the check of an empty list ends, for ships five cells wide."""
    import numpy as np

    from satlife.errors import InputError
    from satlife.problem.openbox import OpenBox
    from satlife.proof.rows.check import check

    width = 5
    words = -(-(2 * period * width + 4) // 64)
    try:
        box, none = OpenBox(width, period, (0, -forward)), np.zeros((0, words), np.uint64)
        check(box, none, span, many={width: -1} if tabulates else {})
    except InputError as error:
        return " ".join(str(error).split()[:3])
    return ""
