"""The writer of all sat-life programs: the clauses of the counting tree as text, for a band of cells at a time.

Steps of the same shape differ only in the two time codes.  Their text is made once, with placeholder bytes for the
codes, and `bytes.translate` puts the codes in.  The program decides which cells are visited, which may be alive, how
symmetry folds their names, and when unit clauses cage the pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from satlife.cnf import text
from satlife.cnf.tree import TREE, Block, Ints, Site, sites, split
from satlife.records import dataclass

NOW, NEXT = b"\x01", b"\x02"  # placeholders for the codes of t and t + 1
TIME_CODES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

Bools = npt.NDArray[np.bool_]
BAND = 2048  # cells that are written at a time: about 10 MB of arrays
CACHE_BYTES = 48 << 20  # text of one step kept for the next


class Geometry(Protocol):
    """What the writer needs from a program."""

    low: tuple[int, int]  # the range of cells that the names of pairs are checked against
    high: tuple[int, int]
    wraps: bool
    spaced_cage: bool

    def visits(self, t: int) -> Iterator[tuple[int, range]]: ...
    def alive(self, t: int, x: Ints, y: Ints) -> Bools: ...
    def fold(self, x: Ints, y: Ints) -> Site: ...
    def caged(self, t: int) -> bool: ...
    def next_time(self, t: int) -> int: ...
    def shape(self, t: int) -> object: ...


@dataclass(frozen=True)
class Literal:
    """A literal of the template: how its name is formed and when it is left out."""

    site: str
    ending: bytes  # what follows the column number: "A2", "x", and the line end after a clause's last literal
    sign: int  # 0 positive, 1 negative, 2 the caging unit
    clause: int
    constant_if_dead: bool  # a cell at time t
    at_next: bool  # a cell at time t + 1
    folds: bool  # named after a cell, so folded by symmetry


class _Template:
    """TREE and the caging unit clause as flat arrays, with an entry for each literal in the order of writing."""

    def __init__(self) -> None:
        self.sites = list(sites(np.zeros(1, np.int64), np.zeros(1, np.int64)))
        literals: list[Literal] = []
        needs: list[list[str]] = []  # for each clause, the conditions under which it is written
        for block in (*TREE, Block("cage", ("~z'",))):
            for number, clause in enumerate(block.clauses):
                need = ["always" if block.node in "GAZ" else block.node]
                if block.node in "DEF" and number == 5:
                    need.append(f"{block.node} in range")
                for site, suffix, negated in map(split, clause.split()):
                    is_cell = site == "z" or len(site) == 2
                    now = is_cell and suffix == ""
                    if now and negated:
                        need.append(f"alive {site}")
                    ending = (suffix.removesuffix("'") if is_cell else site + suffix).encode()
                    sign = (2 if block.node == "cage" else 1) if negated else 0
                    literals.append(Literal(site, ending, sign, len(needs), now, suffix == "'", is_cell))
                literals[-1] = replace(literals[-1], ending=literals[-1].ending + b"\n")
                needs.append(need)
        self.conditions = sorted({name for need in needs for name in need})
        deepest = max(map(len, needs))
        self.needs = np.array(
            [[self.conditions.index(name) for name in need + ["always"] * (deepest - len(need))] for need in needs]
        )
        self.endings = sorted({literal.ending for literal in literals})
        self.site = np.array([self.sites.index(literal.site) for literal in literals])
        self.ending = np.array([self.endings.index(literal.ending) for literal in literals])
        self.sign = np.array([literal.sign for literal in literals])
        self.clause = np.array([literal.clause for literal in literals])
        self.constant_if_dead = np.array([literal.constant_if_dead for literal in literals])
        self.at_next = np.array([literal.at_next for literal in literals])
        #: Column in the table of positions, which has all sites unfolded and then all sites folded.
        self.position = self.site + len(self.sites) * np.array([literal.folds for literal in literals])


@cache
def _template() -> _Template:
    return _Template()


class StepWriter:
    """Writes the clauses of successive steps; the text of a step is cached for the next one of the same shape."""

    def __init__(self, program: Geometry) -> None:
        self.program = program
        (x0, y0), (x1, y1) = program.low, program.high
        rows, columns = range(x0 - 3, x1 + 6), range(y0 - 3, y1 + 6)
        self.x0, self.y0 = rows.start, columns.start
        self.columns = len(columns)
        self.area = len(rows) * len(columns)
        cage = b" ~" if program.spaced_cage else b"~"
        self.x_tokens = text.table([lead + b"%d" % x for lead in (b" ", b" ~", cage) for x in rows])
        self.y_tokens = text.table([code + b"%d" % y for code in (NOW, NEXT) for y in columns])
        self.rows = len(rows)
        self.ending_tokens = text.table(_template().endings)
        self.cached: tuple[object, list[bytes]] | None = None

    def step(self, t: int) -> Iterator[bytes]:
        """The text of the clauses between t and t + 1, in pieces."""
        program = self.program
        table = bytes.maketrans(NOW + NEXT, bytes([TIME_CODES[t], TIME_CODES[program.next_time(t)]]))
        shape = (program.shape(t), program.caged(t))
        if self.cached and self.cached[0] == shape:
            for piece in self.cached[1]:
                yield piece.translate(table)
            return
        self.cached = None
        kept: list[bytes] | None = []
        size = 0
        seen = {node: np.zeros(self.area, bool) for node in "BDEF"}
        for x, y in self._bands(t):
            piece = self._band(t, x, y, seen)
            size += len(piece)
            if kept is not None and size <= CACHE_BYTES:
                kept.append(piece)
            else:
                kept = None
            yield piece.translate(table)
        if kept is not None:
            self.cached = (shape, kept)

    def _bands(self, t: int) -> Iterator[Site]:
        """The visited cells in bands, without those that cannot come alive (see `_viable`)."""
        xs: list[Ints] = []
        ys: list[Ints] = []
        count = 0
        for x, span in self.program.visits(t):
            for start in range(span.start, span.stop, BAND):
                y = np.arange(start, min(start + BAND, span.stop), dtype=np.int64)
                xs.append(np.full(len(y), x, np.int64))
                ys.append(y)
                count += len(y)
                if count >= BAND:
                    yield from self._viable(t, xs, ys)
                    xs, ys, count = [], [], 0
        if count:
            yield from self._viable(t, xs, ys)

    def _viable(self, t: int, xs: list[Ints], ys: list[Ints]) -> Iterator[Site]:
        """A band without the cells that have fewer than three possibly live cells in their neighbourhood."""
        x, y = np.concatenate(xs), np.concatenate(ys)
        if not self.program.wraps:
            around = [self.program.alive(t, x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
            viable = np.sum(around, axis=0) >= 3
            x, y = x[viable], y[viable]
        if len(x):
            yield x, y

    def _band(self, t: int, x: Ints, y: Ints, seen: dict[str, Bools]) -> bytes:
        program, template = self.program, _template()
        where = {name: self._reduce(*site) for name, site in sites(x, y).items()}
        alive = {name: program.alive(t, *where[name]) for name in where if name == "z" or len(name) == 2}
        conditions = self._conditions(t, where, alive, seen)
        holds = np.stack([conditions[name] for name in template.conditions], axis=1)
        written = np.logical_and.reduce([holds[:, column] for column in template.needs.T])
        always = np.ones(len(x), bool)
        not_dead = np.stack([alive.get(name, always) for name in template.sites], axis=1)
        keep = written[:, template.clause] & (not_dead[:, template.site] | ~template.constant_if_dead)

        positions = [where[name] for name in template.sites]
        positions += [program.fold(*position) for position in positions]
        xs = np.stack([position[0] for position in positions], axis=1)
        ys = np.stack([position[1] for position in positions], axis=1)
        cell, entry = np.nonzero(keep)
        position = template.position[entry]
        x_index = xs[cell, position] - self.x0 + self.rows * template.sign[entry]
        y_index = ys[cell, position] - self.y0 + self.columns * template.at_next[entry]
        return text.gather(
            (self.x_tokens, x_index), (self.y_tokens, y_index), (self.ending_tokens, template.ending[entry])
        )

    def _reduce(self, x: Ints, y: Ints) -> Site:
        if not self.program.wraps:
            return x, y
        (x0, y0), (x1, y1) = self.program.low, self.program.high
        return x0 + (x - x0) % (x1 + 1 - x0), y0 + (y - y0) % (y1 + 1 - y0)

    def _conditions(
        self, t: int, where: dict[str, Site], alive: dict[str, Bools], seen: dict[str, Bools]
    ) -> dict[str, Bools]:
        """For every cell of the band, which conditions of the template hold."""
        program = self.program
        (x0, y0), (x1, y1) = program.low, program.high
        fx, fy = where["F"]
        always = np.ones(len(fx), bool)
        if program.wraps:
            has_f = d_range = e_range = f_range = always
        else:
            has_f = (fx > x0) & (fx <= x1 + 1) & (fy + 1 >= y0) & (fy <= y1)
            d_range = (where["Dv"][1] >= y0) & (where["Dv"][1] <= y1)
            e_range = (where["Ev"][1] >= y0) & (where["Ev"][1] <= y1)
            f_range = (fx > x0) & (fx <= x1 + 1)
        conditions = {
            "always": always,
            "C": has_f,
            "C=G": ~has_f,
            "D in range": d_range,
            "E in range": e_range,
            "F in range": f_range,
            "cage": ~alive["z"] & program.caged(t),
        }
        for node in "BDEF":
            needed = has_f if node == "F" else always
            conditions[node] = self._first(*where[node], needed, seen[node])
        for name, cells in alive.items():
            conditions[f"alive {name}"] = cells
        return conditions

    def _first(self, x: Ints, y: Ints, needed: Bools, seen: Bools) -> Bools:
        """Where a node occurs for the first time in this step; its clauses are written only there."""
        key = (x - self.x0) * self.columns + (y - self.y0)
        first = np.zeros(len(key), bool)
        index = np.nonzero(needed)[0]
        _, firsts = np.unique(key[index], return_index=True)
        index = index[firsts]
        fresh = index[~seen[key[index]]]
        first[fresh] = True
        seen[key[fresh]] = True
        return first
