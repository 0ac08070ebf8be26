"""Small questions with known answers, with which the newly compiled checker is tried."""

from __future__ import annotations

import numpy as np

from satlife.errors import InputError
from satlife.problem.openbox import OpenBox
from satlife.proof.rows.check import check

#: The windows of two columns in period 2, where nothing changes: dead, still and full lines that follow each other.
BLOCKS = (0x10F, 0x15A, 0x15F, 0x1F0, 0x1F5, 0x1FF)


def is_right(*_: object) -> bool:
    """Whether walks end where there is no ship or oscillator, come back to emptiness where there is one, and are found
    to be too long; with a table of the rows that may follow, and without one."""
    return all(
        [_ending(tabulates, *walk) for walk in ((5, 3, 1, 20), (5, 4, 2, 40), (5, 3, 1, 4))]
        == [_ending(tabulates, 2, 2, 0, 6, BLOCKS), _ending(tabulates, 3, 2, 0, 12), _ending(tabulates, 2, 2, 0, 12)]
        == ["", "a walk comes", "a walk neither"]
        for tabulates in (False, True)
    )


def _ending(tabulates: bool, width: int, period: int, forward: int, span: int, listed: tuple[int, ...] = ()) -> str:
    """How the check of a list ends."""
    keys = np.array(listed, np.uint64).reshape(len(listed), -(-(2 * period * width + 4) // 64))
    try:
        check(OpenBox(width, period, (0, -forward)), keys, span, many={width: -1} if tabulates else {})
    except InputError as error:
        return " ".join(str(error).split()[:3])
    return ""
