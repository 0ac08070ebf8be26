"""Small questions with known answers, with which newly compiled kernels are tried."""

from __future__ import annotations

from itertools import islice

from satlife.engines.rows.cpu.search import FrontierSearch
from satlife.engines.rows.cpu.tables import NARROW
from satlife.engines.rows.lines.search import LineSearch
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.ships import RowSearch
from satlife.engines.rows.windows.closure import Closure
from satlife.errors import InputError
from satlife.problem.openbox import OpenBox


def is_right(*_: object) -> bool:
    """Whether ships are found where there are some, and only there, in narrow and in wide rows: a set of whole rows has
    one word, four or eight."""
    lightweight, wide = ["xq4_6frc"], NARROW + 1
    return (
        _ships(5, 4, 2, queue=5) == (lightweight, True)  # a queue so short that partial ships must be sieved
        and _ships(5, 3, 1) == _ships(wide, 2, 1, queue=20) == ([], True)
        and _ships(9, 2, 1, queue=20) == ([], True)
        and all(_ships(width, 4, 2, queue=50, most=1) == (lightweight, False) for width in (8, 9, wide))
    )


def lists_rightly(*_: object) -> bool:
    """Whether oscillators are found where there are some, and only there: of period 3 there are none in four columns,
    and in five columns ten lines are the fewest."""
    found = [_oscillates(*strip) for strip in ((3, 2, 0), (4, 3, 0), (5, 3, 9), (5, 3, 10), (7, 3, 6))]
    return found == [True, False, False, True, False]


def explores_rightly(*_: object) -> bool:
    """Whether all windows are explored where there is no ship, which others then know, and a ship is met where there is
    one."""
    asked = [(3, 1), (3, 1), (4, 2)]
    none, other, some = (Closure(Strip.of(OpenBox(5, period, (0, -forward)))) for period, forward in asked)
    none.explore()
    for _again in range(2):  # what is known already is not listed again
        other.know(none.met())
    try:
        some.explore()
    except InputError:
        return len(other) == len(none) > 0
    return False


def _oscillates(width: int, period: int, length: int) -> bool:
    """Whether there is an oscillator of this width, and of this length at most if it is not 0."""
    search = LineSearch(Strip.of(OpenBox(width, period, (0, 0))), longest=length * period)
    return any(True for _ in search.ships())


def _ships(width: int, period: int, forward: int, queue: int = 1000, most: int = 9) -> tuple[list[str | None], bool]:
    """The first ships of this width, and whether there are no others."""
    box = OpenBox(width, period, (0, -forward))
    search = RowSearch(box, FrontierSearch(Strip.of(box), queue=queue), 0.0)
    found = [outcome.apgcode for outcome in islice(search.finds(), most)]
    return found, search.complete
