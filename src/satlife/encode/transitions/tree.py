"""Knuth's counting tree for Life (`cnf.tree`), on literals instead of names.

A node that several cells share is encoded once.  Where an input is constant no node is needed, and the literals of the
other input take its place.  Nodes are identified by the literals that they count, so that symmetric cells share nodes,
too.
"""

from __future__ import annotations

import numpy as np

from satlife.cnf.buffer import FALSE, TRUE, Buffer, Index, Lits, distinct_rows
from satlife.cnf.tree import TREE, sites, split
from satlife.encode.spacetime import Transitions
from satlife.life.rule import Rule

_BLOCKS = {block.node: [[split(word) for word in clause.split()] for clause in block.clauses] for block in TREE}
_PAIRS = "DEFG"


def encode(buffer: Buffer, transitions: Transitions, rule: Rule) -> None:
    """Add the clauses of Life."""
    x, y = transitions.y, transitions.x  # Knuth counts rows with x
    where = sites(x, y)

    def neighbour(name: str) -> Lits:
        row, column = where[name]
        index = 3 * (row - x + 1) + (column - y + 1)
        return np.take_along_axis(transitions.block, index[:, None], axis=1)[:, 0]

    nodes = {"z": transitions.block[:, 4:5], "z'": transitions.next[:, None]}
    for node in _PAIRS:
        nodes[node] = _pair(buffer, neighbour(f"{node}u"), neighbour(f"{node}v"), node)
    nodes["B"] = _merge(buffer, nodes["D"], nodes["E"], "B", ("D", "E"))
    nodes["C"] = _merge(buffer, nodes["F"], nodes["G"], "C", ("F", "G"))
    _total(buffer, nodes)


def _shared(inputs: Lits) -> tuple[Lits, Index]:
    first, index = distinct_rows(inputs)
    return inputs[first], index


def _pair(buffer: Buffer, u: Lits, v: Lits, node: str) -> Lits:
    """p1 = u or v, p2 = u and v; where one input is constant, no new variables are needed."""
    inputs, index = _shared(np.sort(np.stack([u, v], axis=1), axis=1))
    u, v = inputs[:, 0], inputs[:, 1]
    out = np.zeros((len(inputs), 2), np.int32)
    low, high = u == FALSE, v == TRUE  # sorted, so FALSE comes first and TRUE last
    same = u == v
    out[low] = np.stack([v[low], np.full(int(low.sum()), FALSE, np.int32)], axis=1)
    high &= ~low
    out[high] = np.stack([np.full(int(high.sum()), TRUE, np.int32), u[high]], axis=1)
    same &= ~low & ~high
    out[same] = np.stack([u[same], u[same]], axis=1)
    fresh = ~(low | high | same)
    out[fresh] = buffer.new(2 * int(fresh.sum())).reshape(-1, 2)
    _write(buffer, node, {f"{node}u": u[fresh], f"{node}v": v[fresh], **_named(node, out[fresh])})
    return out[index]


def _merge(buffer: Buffer, p: Lits, q: Lits, node: str, names: tuple[str, str]) -> Lits:
    """Four literals "at least 1 .. 4" over two pairs."""
    inputs, index = _shared(np.concatenate([p, q], axis=1))
    out = np.zeros((len(inputs), 4), np.int32)
    left, right = inputs[:, :2], inputs[:, 2:]
    nothing = np.full(len(inputs), FALSE, np.int32)
    done = np.zeros(len(inputs), bool)
    for one, other in ((left, right), (right, left)):
        empty = (one == FALSE).all(axis=1) & ~done
        out[empty] = np.stack([other[:, 0], other[:, 1], nothing, nothing], axis=1)[empty]
        done |= empty
    fresh = ~done
    out[fresh] = buffer.new(4 * int(fresh.sum())).reshape(-1, 4)
    literals = {**_named(names[0], left[fresh]), **_named(names[1], right[fresh]), **_named(node, out[fresh])}
    _write(buffer, node, literals)
    return out[index]


def _total(buffer: Buffer, nodes: dict[str, Lits]) -> None:
    """The counter A and the next state; these are not shared."""
    count = len(nodes["z"])
    a = np.concatenate([np.zeros((count, 1), np.int32), buffer.new(3 * count).reshape(-1, 3)], axis=1)
    literals = {
        **_named("B", nodes["B"]),
        **_named("C", nodes["C"]),
        **_named("A", a),
        "z": nodes["z"][:, 0],
        "z'": nodes["z'"][:, 0],
    }
    _write(buffer, "A", literals)
    z, following = literals["z"], literals["z'"]
    for clause in _BLOCKS["Z"][:4]:
        _write_clause(buffer, clause, literals)
    # Knuth splits the last clause in two with a variable `x`; a solver is better off with four literals.
    buffer.add(np.stack([-literals["A2"], literals["A4"], -z, following], axis=1))


def _named(node: str, columns: Lits) -> dict[str, Lits]:
    return {f"{node}{k + 1}": columns[:, k] for k in range(columns.shape[1])}


def _write(buffer: Buffer, node: str, literals: dict[str, Lits]) -> None:
    for clause in _BLOCKS[node]:
        _write_clause(buffer, clause, literals)


def _write_clause(buffer: Buffer, clause: list[tuple[str, str, bool]], literals: dict[str, Lits]) -> None:
    columns = [-literals[site + suffix] if negated else literals[site + suffix] for site, suffix, negated in clause]
    buffer.add(np.stack(columns, axis=1))
