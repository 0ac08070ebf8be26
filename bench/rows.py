"""Ships of a given width and any length, row by row: until the first one, or until it is proved that there is none.

In the second list there is no ship, so that nobody finds one by luck.  qfind gets as many threads as there are cores,
and stops at the first ship.
"""

from __future__ import annotations

from bench.peers import OURS, installed
from bench.table import report
from satlife import OpenBox, open_spaceship


def _mirror(width: int, period: int, forward: int) -> OpenBox:
    return open_spaceship(width, period, (0, -forward), symmetry="D2v")


SHIPS = {
    "c/3, 15 wide odd": _mirror(15, 3, 1),
    "2c/5, 15 wide odd": _mirror(15, 5, 2),
    "c/10, 10 wide even (copperhead)": _mirror(10, 10, 1),
    "c/4, 18 wide even": _mirror(18, 4, 1),
    "c/4, 20 wide even": _mirror(20, 4, 1),
}
NONE = {
    "2c/7, 14 wide even": _mirror(14, 7, 2),
    "2c/7, 16 wide even": _mirror(16, 7, 2),
    "c/6, 14 wide even": _mirror(14, 6, 1),
    "c/6, 16 wide even": _mirror(16, 6, 1),
    "c/7, 12 wide even": _mirror(12, 7, 1),
    "c/7, 14 wide even": _mirror(14, 7, 1),
    "c/8, 12 wide even": _mirror(12, 8, 1),
}


def main(only: str = "", limit: float = 300.0, peers: str = "qfind", json: str = "", runs: int = 1) -> None:
    report({"ships": SHIPS, "no ships": NONE}, [OURS, *installed(peers)], only, limit, json, runs)
