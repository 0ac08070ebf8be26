"""Small questions with known answers, with which the newly compiled checker is tried."""

from __future__ import annotations


def is_right(*_: object) -> bool:
    """Whether walks end where there is no ship, come back to emptiness where there is one, and are found to be too
    long."""
    return [_ending(5, 3, 1, 20), _ending(5, 4, 2, 40), _ending(5, 3, 1, 4)] == ["", "a walk comes", "a walk neither"]


def _ending(width: int, period: int, forward: int, span: int) -> str:
    """How the check of an empty list ends."""
    import numpy as np

    from satlife.errors import InputError
    from satlife.problem.openbox import OpenBox
    from satlife.proof.rows.check import check

    words = -(-(2 * period * width + 4) // 64)
    try:
        check(OpenBox(width, period, (0, -forward)), np.zeros((0, words), np.uint64), span)
    except InputError as error:
        return " ".join(str(error).split()[:3])
    return ""
