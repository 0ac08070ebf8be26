"""Knuth's counting tree: how many of a cell's eight neighbours are alive, in clauses of three literals.

The idea is Bailleux and Boufkhad's unary counter, arranged by Knuth (TAOCP 7.2.2.2, sat-life.w) so that
neighbouring cells share most of it.  The eight neighbours fall into four pairs D, E, F, G; B counts D and E,
C counts F and G, and A counts B and C.  "A3" reads "at least three neighbours are alive".

Without sharing, a cell would need 19 auxiliary variables and 77 + 6 clauses.  D and E are shared by four cells each,
B and F by two, so an interior cell costs 13 auxiliary variables (and the `x` that keeps every clause at three literals)
and 57 + 6 clauses.

This module defines which nodes belong to a cell (`sites`) and which clauses relate them (`TREE`), and nothing about
names, numbers or boundaries: Knuth's programs and the general encoder both use it.  As in Knuth's programs, x counts
rows and y counts columns here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from satlife.records import dataclass

Ints = npt.NDArray[np.int64]
Site = tuple[Ints, Ints]


def pair(u: str, v: str, p: str) -> list[str]:
    """The six clauses that make p1 = "u or v" and p2 = "u and v"."""
    return [f"~{u} {p}1", f"~{v} {p}1", f"~{u} ~{v} {p}2", f"{u} {v} ~{p}1", f"{u} ~{p}2", f"{v} ~{p}2"]


def merge(p: str, q: str, s: str) -> list[str]:
    """The sixteen clauses that add two pairs: s1..s4 in terms of p1, p2 and q1, q2."""
    clauses = []
    for j in range(3):
        for k in range(3):
            if j + k:
                clauses.append(_clause(("~", p, j), ("~", q, k), ("", s, j + k)))
                clauses.append(_clause(("", p, j and 3 - j), ("", q, k and 3 - k), ("~", s, 5 - j - k)))
    return clauses


def total(b: str, c: str, a: str) -> list[str]:
    """The twenty-one clauses that add b1..b4 and c1..c4 as far as Life needs: a2, a3, a4."""
    both = [(j, k) for j in range(5) for k in range(5)]
    upward = [_clause(("~", b, j), ("~", c, k), ("", a, j + k)) for j, k in both if 2 <= j + k <= 4]
    downward = [
        _clause(("", b, j), ("", c, k), ("~", a, j + k - 1)) for j, k in both if j and k and j + k <= 5 and j + k >= 3
    ]
    return upward + downward


def _clause(*literals: tuple[str, str, int]) -> str:
    """Join literals such as ("~", "D", 2); the index 0 stands for a literal that is absent."""
    return " ".join(f"{sign}{node}{index}" for sign, node, index in literals if index)


@dataclass(frozen=True)
class Block:
    """The clauses of one node of the tree."""

    node: str
    clauses: tuple[str, ...]


#: In the order in which Knuth's programs write them.  "C" is C = F + G; "C=G" replaces it where F counts no cells.
TREE = (
    Block("D", tuple(pair("Du", "Dv", "D"))),
    Block("E", tuple(pair("Eu", "Ev", "E"))),
    Block("B", tuple(merge("D", "E", "B"))),
    Block("G", tuple(pair("Gu", "Gv", "G"))),
    Block("F", tuple(pair("Fu", "Fv", "F"))),
    Block("C", tuple(merge("F", "G", "C"))),
    Block("C=G", ("~G1 C1", "G1 ~C1", "~G2 C2", "G2 ~C2", "~C3", "~C4")),
    Block("A", tuple(total("B", "C", "A"))),
    Block("Z", ("~A4 ~z'", "A2 ~z'", "A3 z ~z'", "~A3 A4 z'", "zx ~A2 A4", "~zx ~z z'")),
)


def sites(x: Ints, y: Ints) -> dict[str, Site]:
    """Where the nodes of the cells (x, y) sit, and which cells the pairs count ("Du", "Dv", ...)."""
    odd_x = (x & 1).astype(bool)
    odd_y = y & 1
    row = x | 1
    d = y - (y & 2)
    e = y + (y & 2)
    fx = np.where(odd_x, x + 2, x)
    fy = np.where(odd_x, (y - 1) | 1, y & -2)
    here = (x, y)
    return {
        "z": here,
        "A": here,
        "C": here,
        "G": here,
        "B": (row, y),
        "D": (row, d),
        "Du": (row - 1, d + 1),
        "Dv": (row, d + 1),
        "E": (row, e),
        "Eu": (row - 1, e - 1),
        "Ev": (row, e - 1),
        "F": (fx, fy),
        "Fu": (fx - 1, fy),
        "Fv": (fx - 1, fy + 1),
        "Gu": (np.where(odd_x, x - 1, x + 1), y),
        "Gv": (np.where(odd_x, x + 1, x - 1), np.where(odd_x, y ^ 1, y - 1 + 2 * odd_y)),
    }


def split(literal: str) -> tuple[str, str, bool]:
    """A literal of TREE as (site, suffix, negated): "~D2" -> ("D", "2", True), "z'" -> ("z", "'", False).

    >>> split("~D2"), split("z'"), split("Du")
    (('D', '2', True), ('z', "'", False), ('Du', '', False))
    """
    name = literal.removeprefix("~")
    negated = name != literal
    if name[-1] in "1234'x":
        return name[:-1], name[-1], negated
    return name, "", negated
