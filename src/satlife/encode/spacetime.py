"""SpaceTime: a total function from (x, y, t) to a literal or a constant.

A search is a three-dimensional grid of literals (the idea of Logic Life Search).  Inside the box every cell of every
generation is a variable; outside it is a constant.  Period, displacement, symmetry and wrap-around identify
coordinates, known cells become constants, and cells with equal names the same literal.  So no family of problems needs
clauses of its own, and nothing outside this module knows the geometry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from satlife.cnf.buffer import TRUE, Lits, distinct_values
from satlife.life.pattern import Cells
from satlife.life.rule import Rule
from satlife.life.simulate import next_states
from satlife.problem.problem import Problem
from satlife.records import dataclass

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

Side = tuple[tuple[int, int], int]  # the direction across the side, and the index of its row or column: 0 or -1

_PATHS = ("short", "long", "short-back", "long-back", "rows", "columns", "diagonals", "corner", "outward", "inward")
SWEEPS = (*_PATHS, *(f"{path}/time" for path in _PATHS))


def first_sides(problem: Problem, sweep: str) -> list[Side]:
    """The sides at which a sweep begins: those toward which a ship moves, or with "-back" the opposite ones.

    A sweep by rows or columns has one, by diagonals two.  By rings (inward, outward) it has none; nor from a corner,
    which is one of four that are alike."""
    path = sweep.removesuffix("/time")
    wide = problem.is_wide
    axes = {"rows": [1], "columns": [0], "short": [1 - wide], "long": [int(wide)], "diagonals": [0, 1]}
    ahead = [-1 if (step > 0) != path.endswith("-back") else 0 for step in problem.displacement]
    return [(((1, 0), (0, 1))[axis], ahead[axis]) for axis in axes.get(path.removesuffix("-back"), [])]


@dataclass(frozen=True)
class Transitions:
    """All transitions that must follow the rule: literals of the next state, of the cell and of its neighbours."""

    next: Lits
    block: Lits  # one row per transition: NW N NE W C E SW S SE
    t: Ints
    x: Ints
    y: Ints
    choices: Lits = field(default_factory=lambda: np.zeros(0, np.int32))  # variables of a partial rule's open classes

    def select(self, index: Ints) -> Transitions:
        """A subset of the transitions, by index."""
        at = (self.next[index], self.block[index], self.t[index], self.x[index], self.y[index])
        return Transitions(*at, self.choices)


class SpaceTime:
    """The literals of a Problem; `sweep` is the order in which the cells are numbered.

    A large one takes seconds; meanwhile `look` is called every now and then, which may raise OutOfTime."""

    def __init__(self, problem: Problem, sweep: str = "short", look: Callable[[], None] = lambda: None) -> None:
        self.problem = problem
        self.sweep = sweep
        self.look = look
        self.history = problem.rule.states - 2 if not problem.periodic else 0
        self.contradiction = ""
        self.levels = problem.last + 1 + self.history
        self._cells = self._number(self._classes())

    # Identified coordinates.
    def _classes(self) -> npt.NDArray[np.int64]:
        """The signed equivalence class +-k of every cell in every generation; class 1 is the constant TRUE."""
        problem = self.problem
        shape = (self.levels, problem.height, problem.width)
        count = int(np.prod(shape))
        t, y, x = (axis.ravel() for axis in np.indices(shape))
        t = t - self.history
        label = np.arange(1, count + 1)  # 0 is the class of the background
        targets = [self._images(motion_index, x, y, t) for motion_index in range(len(problem.motions))]
        while targets:
            before = label
            for target in targets:
                self.look()
                known = target >= 0
                here, there = np.nonzero(known)[0], target[known]
                extended = np.concatenate(([0], label))
                low = np.minimum(extended[here + 1], extended[there])
                np.minimum.at(extended, here + 1, low)
                np.minimum.at(extended, there, low)
                extended[0] = 0
                label = extended[1:]
            label = np.concatenate(([0], label))[label]
            if np.array_equal(before, label):
                break
        background = np.array([problem.rule.background(max(s, 0)) for s in range(-self.history, problem.last + 1)])
        signed = np.where(label == 0, np.where(background[t + self.history] == 1, 1, -1), label + 1)
        if (alive := can_live(problem)) is not None:
            dead = signed[~np.array(alive).ravel()]
            signed[np.isin(signed, dead)] = -1
        if any(problem.cells):
            signed = self._unify(signed.reshape(shape)).ravel()
        return signed.reshape(shape)

    def fold(self, x: Ints, y: Ints, t: Ints) -> tuple[Ints, Ints, Ints, Bools]:
        """Reduce coordinates modulo period, displacement and wrap; the last result says which lie in the box."""
        problem = self.problem
        if problem.periodic:
            turns, t = np.divmod(t, problem.generations)
            x, y = x - turns * problem.displacement[0], y - turns * problem.displacement[1]
        if problem.wrap[0]:
            x = x % problem.width
        if problem.wrap[1]:
            y = y % problem.height
        inside: Bools = (x >= 0) & (x < problem.width) & (y >= 0) & (y < problem.height)
        return x, y, t, inside

    def _images(self, index: int, x: Ints, y: Ints, t: Ints) -> Ints:
        """The image of every cell under a motion: 1 + its index, 0 outside the box, -1 after the last generation."""
        problem, motion = self.problem, self.problem.motions[index]
        there_x, there_y, later, inside = self.fold(*motion.place(x, y), t + motion.time)
        number = 1 + ((later + self.history) * problem.height + there_y) * problem.width + there_x
        result: Ints = np.where(later > problem.last, -1, np.where(inside, number, 0))
        return result

    def _unify(self, signed: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Merge classes by known cells and by names: a union-find with signs."""
        parent: dict[int, int] = {}
        names: dict[str, int] = {}
        top = int(abs(signed).max()) + 1

        def find(item: int) -> int:
            sign = 1
            while (root := parent.get(abs(item))) is not None:
                item, sign = root, sign * (1 if item > 0 else -1)
            return item * sign

        def join(first: int, second: int, word: str, place: tuple[int, int, int]) -> None:
            a, b = find(first), find(second)
            if a == -b:
                self.contradiction = f"cell ({place[2]},{place[1]}) of generation {place[0]} cannot be {word}"
            elif a != b:
                if abs(a) < abs(b):
                    a, b = b, a
                parent[abs(a)] = b if a > 0 else -b

        for t, rows in enumerate(self.problem.cells):
            for y, row in enumerate(rows):
                self.look()
                for x, cell in enumerate(row):
                    if cell.state is not None:
                        for back, value in self.meaning(cell.state):
                            join(self._class_at(signed, t - back, y, x), value, str(cell), (t, y, x))
                    elif cell.name:
                        if cell.name not in names:
                            names[cell.name] = top
                            top += 1
                        value = names[cell.name] * (-1 if cell.negated else 1)
                        join(int(signed[t + self.history, y, x]), value, str(cell), (t, y, x))
        used = distinct_values(abs(signed))
        roots = np.zeros(int(used[-1]) + 1, np.int64)
        roots[used] = [find(int(item)) for item in used]
        result: npt.NDArray[np.int64] = roots[abs(signed)] * np.sign(signed)
        return result

    def meaning(self, state: int) -> list[tuple[int, int]]:
        """A state as a history of live (1) and dead (-1): pairs (generations back, 1 or -1)."""
        if state == 1:
            return [(0, 1)]
        if state == 0:
            return [(back, -1) for back in range(self.problem.rule.states - 1)]
        return [*((back, -1) for back in range(state - 1)), (state - 1, 1)]

    def _class_at(self, signed: npt.NDArray[np.int64], t: int, y: int, x: int) -> int:
        """The class of a cell at a generation that may lie before 0."""
        at_x, at_y, phase, inside = self.fold(np.int64(x), np.int64(y), np.int64(t))  # type: ignore[arg-type]
        return int(signed[phase + self.history, at_y, at_x]) if inside else -1

    # Numbering.
    def _number(self, signed: npt.NDArray[np.int64]) -> Lits:
        """Number the classes in the order of the sweep, keeping their signs."""
        by_generation = abs(signed.reshape(len(signed), -1)[:, self._order()])
        # All generations of a cell together, cell after cell; or all cells of a generation together.
        flat = by_generation.ravel() if self.sweep.endswith("/time") else by_generation.T.ravel()
        values, first = np.unique(flat, return_index=True)
        free = values != 1
        ranked = values[free][np.argsort(first[free], kind="stable")]
        number = np.zeros(int(flat.max(initial=1)) + 1, np.int64)
        number[ranked] = np.arange(1, len(ranked) + 1)
        number[1] = TRUE
        self.variables = len(ranked)
        return (number[abs(signed)] * np.sign(signed)).astype(np.int32)

    def _order(self) -> Ints:
        """The cells of the box, as y * width + x, in the order of the sweep."""
        width, height = self.problem.width, self.problem.height
        y, x = (axis.ravel() for axis in np.indices((height, width)))
        start = first_sides(self.problem, self.sweep)
        if self.sweep.startswith("corner"):
            return np.lexsort((y if height >= width else x, x + y))
        if not start:
            ring = np.maximum(abs(2 * x - width + 1), abs(2 * y - height + 1))
            return np.lexsort((x, y, ring if self.sweep.startswith("outward") else -ring))
        if len(start) == 2:
            across, along = (-axis if at else axis for axis, (_, at) in zip((x, y), start, strict=True))
            return np.lexsort((across, across + along))
        [((by_columns, _), at)] = start
        inner, outer, lines = (y, x, width) if by_columns else (x, y, height)
        if at == -1:
            mirrored = any(m.matrix == ((-1, 0, 0, 1) if by_columns else (1, 0, 0, -1)) for m in self.problem.motions)
            outer = abs(2 * outer - lines + 1) if mirrored else -outer
        return np.lexsort((inner, outer))

    # The total function.
    @cached_property
    def reach(self) -> int:
        """How far beyond the box transitions can involve cells of it."""
        return 2 + max(0 if w else abs(d) for d, w in zip(self.problem.displacement, self.problem.wrap, strict=True))

    def level(self, t: int) -> Lits:
        """The literals of generation t on the box and `reach` cells around it."""
        problem, reach = self.problem, self.reach
        y, x = np.ogrid[-reach : problem.height + reach, -reach : problem.width + reach]
        x, y, phase, inside = self.fold(x, y, np.full((1, 1), t))
        out = np.full(inside.shape, TRUE if problem.rule.background(max(t, 0)) else -TRUE, np.int32)
        rows, columns = (np.broadcast_to(axis, inside.shape)[inside] for axis in (y, x))
        out[inside] = self._cells[int(phase[0, 0]) + self.history][rows, columns]
        return out

    def inside(self, t: int) -> Lits:
        """The literals of generation t in the box."""
        r = self.reach
        return self.level(t)[r : r + self.problem.height, r : r + self.problem.width]

    @cached_property
    def transitions(self) -> Transitions:
        """Every transition that must follow the rule, each once."""
        parts = [self._step(t) for t in range(self.problem.generations)]
        following, block, t, x, y = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return Transitions(following, block, t, x, y, self.choices)

    @cached_property
    def choices(self) -> Lits:
        """The variables of the transition classes that a partial rule leaves open; they follow those of the cells."""
        first = self.variables + 1
        return np.arange(first, first + len(self.problem.rule.classes), dtype=np.int32)

    def _step(self, t: int) -> tuple[Lits, Lits, Ints, Ints, Ints]:
        self.look()
        problem, reach = self.problem, self.reach
        now, following = self.level(t), self.level(t + 1)
        rows, columns = now.shape
        block = np.stack(
            [now[1 + i : rows - 1 + i, 1 + j : columns - 1 + j].ravel() for i in (-1, 0, 1) for j in (-1, 0, 1)], axis=1
        )
        target = following[1:-1, 1:-1].ravel()
        y, x = (axis.ravel() for axis in np.indices((rows - 2, columns - 2)))
        y, x = y - reach + 1, x - reach + 1
        wanted = self._wanted(t, x, y)
        before = TRUE if problem.rule.background(t) else -TRUE
        after = TRUE if problem.rule.background(t + 1) else -TRUE
        wanted &= (block != before).any(axis=1) | (target != after)
        return target[wanted], block[wanted], np.full(int(wanted.sum()), t), x[wanted], y[wanted]

    def _wanted(self, t: int, x: Ints, y: Ints) -> Bools:
        """The cells for which the rule applies between t and t + 1."""
        problem = self.problem
        in_x, in_y = (x >= 0) & (x < problem.width), (y >= 0) & (y < problem.height)
        wanted = np.ones(len(x), bool)
        if problem.wrap[0]:
            wanted &= in_x
        if problem.wrap[1]:
            wanted &= in_y
        if not problem.periodic and problem.open_end and t + 1 == problem.last:
            wanted &= in_x & in_y
        if t + 1 < len(problem.cells) and problem.cells[t + 1]:
            ticks = np.array([[cell.freed for cell in row] for row in problem.cells[t + 1]])
            freed = np.zeros(len(x), bool)
            box = in_x & in_y
            freed[box] = ticks[y[box], x[box]]
            wanted &= ~freed
        return wanted

    # Decoding.
    def decode(self, true_variables: Bools) -> list[Cells]:
        """The generations of a model: an array of states each, rows by columns."""
        lits = self._cells
        constant = abs(lits) == TRUE
        value = true_variables[np.where(constant, 0, abs(lits))] == (lits > 0)
        alive = np.where(constant, lits > 0, value)
        states = self.problem.rule.states
        if states == 2:
            return list(alive[self.history :].astype(np.uint8))
        return [self._aged(alive, t, states) for t in range(self.problem.last + 1)]

    def _aged(self, alive: Bools, t: int, states: int) -> Cells:
        """The states of a Generations rule: a cell that was last alive k generations ago is in state 1 + k, if any."""
        out: Cells = alive[t + self.history].astype(np.uint8)
        for k in range(states - 2, 0, -1):
            out[self._alive_at(alive, t - k) & (out != 1)] = 1 + k
        return out

    def _alive_at(self, alive: Bools, t: int) -> Bools:
        """The live cells of a generation, which may lie before 0: in the history, or in the previous period."""
        y, x = np.indices(alive[0].shape)
        x, y, phase, inside = self.fold(x, y, np.full_like(x, t))
        out: Bools = np.zeros_like(alive[0])
        out[inside] = alive[phase[inside] + self.history, y[inside], x[inside]]
        return out


# Which cells can be alive: a cell that no pattern of a question can reach is dead, and needs no variable.
#
# Where cells of generation 0 are given, as those around a pattern that spreads, what can be alive follows step by step:
# a cell can, if the rule lets it live with some of the live cells that can be around it and the others dead.  This is
# unit propagation, done before anything is numbered.  Of 5x5 cells followed for 12 generations in HighLife an eighth of
# the cells of space-time are left.


def can_live(problem: Problem) -> list[npt.NDArray[np.bool_]] | None:
    """The cells of the box that can be alive, by generation; None if that is not known."""
    rule = problem.rule
    if problem.periodic or not any(problem.cells[:1]) or any(problem.wrap):
        return None
    if rule.states > 2 or rule.births_from_nothing:
        return None
    lets_live = rule.array != 0  # an open transition may
    for bit in range(9):
        lets_live |= lets_live[np.arange(512) & ~(1 << bit)]
    most = Rule(lets_live.astype(np.uint8).tobytes())
    alive = np.ones((problem.height, problem.width), np.uint8)
    found = []
    for t in range(problem.last + 1):
        rows = problem.cells[t] if t < len(problem.cells) else ()
        if t:
            alive = next_states(np.pad(alive, 1), most)
        if rows:
            alive |= np.array([[cell.freed for cell in row] for row in rows], np.uint8)
            alive &= np.array([[cell.state != 0 for cell in row] for row in rows], np.uint8)
        found.append(alive == 1)
    return found
