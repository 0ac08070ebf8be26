"""A second encoder, slow and as simple as possible, for certificates.

Certificates are proofs about these clauses, not about those of the encoder, with which this module shares no code.  It
states what `problem.verify` checks, condition by condition, in loops over cells:

* every cell of the box has, in every generation, a variable for each state except 0;
* outside the box is background; on a torus, after a period, and under the symmetries cells are identified;
* the next state follows the table of the rule: all its prime implicates, for every cell;
* no neighbourhood is one of those that the rule forbids;
* conditions on all cells together: not empty, no smaller period, generations that differ, excluded patterns,
  populations, ties, sides that are touched, cubes; of a catalyst the whole reaction, in `reaction`.

There are no certificates for questions with other conditions.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, singledispatchmethod

from satlife.cnf.formula import Formula
from satlife.life.pattern import UNKNOWN, Cells
from satlife.limits import UNLIMITED, Limits
from satlife.problem.conditions import CONDITIONS, Condition
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.conditions.cube import Cube
from satlife.problem.conditions.differ import Differ
from satlife.problem.conditions.exclude import Exclude, shapes
from satlife.problem.conditions.population import Population
from satlife.problem.conditions.ties import Ties
from satlife.problem.conditions.touching import Touching
from satlife.problem.problem import Problem
from satlife.proof.reaction import PlainReaction

TRUE = 1 << 40  # the constant true as a literal; -TRUE is false
Item = tuple[int, int, int, int] | str | None  # "cell (x, y) in generation t has state s", a name, or the constant true
CONSTANTS = {TRUE: "true", -TRUE: "false"}
AROUND = [(i, j) for j in (-1, 0, 1) for i in (-1, 0, 1)]  # NW N NE W C E SW S SE


class Plain:
    """The plain clauses of a problem; `cell` is the literal of a cell being in a state."""

    def __init__(self, problem: Problem, limits: Limits = UNLIMITED) -> None:
        self.problem = problem
        self.limits = limits
        self.states = range(1, problem.rule.states)
        self.clauses: list[tuple[int, ...]] = []
        self.names: list[str] = []
        self._known: set[tuple[int, ...]] = set()
        self._same: dict[Item, tuple[Item, bool]] = {}  # a union-find with signs: equal to, or the negation of
        self._number: dict[Item, int] = {None: TRUE}
        self._symmetries()
        self._given()
        self._number_cells()
        self._choices = [self.new(name) for name in problem.rule.classes]
        self._steps()
        self._about_the_rule = len(self.clauses)
        self._not_empty()
        self._exact()
        for condition in sorted(problem.conditions, key=lambda condition: isinstance(condition, Cube)):
            self.say(condition)  # a cube comes last: see `within`

    @singledispatchmethod
    def say(self, condition: Condition) -> None:
        """Add the clauses of a condition; `EXPRESSIBLE` has the names of conditions that have some."""
        raise NotImplementedError(f"there are no clauses for {condition.words}")

    @say.register
    def _(self, condition: Differ) -> None:
        for a, b in condition.pairs:
            self._differ([(self.cell(x, y, a, s), self.cell(x, y, b, s)) for x, y in self._box() for s in self.states])

    @say.register
    def _(self, condition: Exclude) -> None:
        for cells in shapes(self.problem).values():
            self._exclude(cells)

    @say.register
    def _(self, condition: Population) -> None:
        for bound in condition.bounds:
            alive = [self.cell(x, y, bound.time, 1) for x, y in self._box()]
            if bound.high is not None:
                self.at_most(alive, bound.high)
            if bound.low is not None:
                self.at_most([-a for a in alive], len(alive) - bound.low)

    @say.register
    def _(self, condition: Ties) -> None:
        for tie in condition.ties:
            if tie.relation == "!=":
                (a,), (b,) = ([self._term(term) for term in side] for side in (tie.left, tie.right))
                self.add([a, b])
                self.add([-a, -b])
            if tie.relation in ("=", "<=", "<"):
                self._no_more(tie.left, tie.right, int(tie.relation == "<"))
            if tie.relation in ("=", ">=", ">"):
                self._no_more(tie.right, tie.left, int(tie.relation == ">"))

    def _no_more(self, first: Sequence[str | int], second: Sequence[str | int], gap: int) -> None:
        """The first sum, plus the gap, is at most the second: -b is 1 - b, so that b goes over as its negation."""
        smaller = [self._term(name) for name in first if isinstance(name, str)]
        larger = [self._term(name) for name in second if isinstance(name, str)]
        numbers = [sum(number for number in side if isinstance(number, int)) for side in (first, second)]
        self.at_most([*smaller, *(-literal for literal in larger)], numbers[1] - numbers[0] - gap + len(larger))

    def _term(self, term: str | int) -> int:
        """The literal of a name, or of 0 or 1."""
        if isinstance(term, int):
            return TRUE if term else -TRUE
        root, same = self._root(term)
        return self._number[root] if same else -self._number[root]

    @say.register
    def _(self, condition: Touching) -> None:
        right, bottom = self.problem.width - 1, self.problem.height - 1
        for side in condition.sides:
            line = {"left": (0, None), "right": (right, None), "upper": (None, 0), "lower": (None, bottom)}[side]
            cells = [(x, y) for x, y in self._box() if line in ((x, None), (None, y))]
            times = range(self.problem.last + 1)
            self.add(literal for t in times for literal in self._not_background(cells, t))

    @say.register
    def _(self, condition: Cube) -> None:
        for x, y, t, alive in condition.assumed:
            self.add([self.cell(x, y, t, 1) if alive else -self.cell(x, y, t, 1)])

    @say.register
    def _(self, condition: Catalyst) -> None:
        PlainReaction(self, condition, TRUE).write()

    def within(self, problem: Problem) -> Plain:
        """The plain clauses of this problem with a cube, which only adds clauses at the end."""
        cube, narrower = problem.get(Cube), copy.copy(self)
        narrower.problem, narrower.clauses, narrower._known = problem, self.clauses.copy(), self._known.copy()
        if cube is not None:
            narrower.say(cube)
        return narrower

    def implicates(self) -> list[tuple[bool, list[tuple[int, int]]]]:
        """The prime implicates of the rule; see `shortest_clauses`."""
        return shortest_clauses(self.problem.rule.table)

    def formula(self, blocked: Iterable[Sequence[Cells]] = ()) -> Formula:
        """The formula, with blocking clauses for known solutions, or for cells that are to differ."""
        return Formula.from_clauses([*self.clauses[: self._about_the_rule], *self.conditions(blocked)], self.names)

    def conditions(self, blocked: Iterable[Sequence[Cells]] = ()) -> list[Sequence[int]]:
        """The clauses of the formula that are asked beside the rule."""
        unlike = [clause for phases in blocked if (clause := self._unlike(phases)) is not None]
        return [*self.clauses[self._about_the_rule :], *unlike]

    # Coordinates.
    def _box(self) -> Iterator[tuple[int, int]]:
        """The cells of the box, line by line along its short side."""
        width, height = self.problem.width, self.problem.height
        if width > height:
            return ((x, y) for x in range(width) for y in range(height))
        return ((x, y) for y in range(height) for x in range(width))

    def _place(self, x: int, y: int, t: int) -> tuple[int, int, int] | None:
        """Reduce coordinates modulo period, displacement and wrap to a cell of the box; None for the background."""
        problem = self.problem
        while problem.periodic and t >= problem.generations:
            t, x, y = t - problem.generations, x - problem.displacement[0], y - problem.displacement[1]
        if problem.wrap[0]:
            x %= problem.width
        if problem.wrap[1]:
            y %= problem.height
        return (x, y, t) if 0 <= x < problem.width and 0 <= y < problem.height else None

    def _background(self, t: int, state: int) -> bool:
        return state == 1 and self.problem.rule.background(t) == 1

    def cell(self, x: int, y: int, t: int, state: int) -> int:
        """The literal "this cell is in this state"."""
        place = self._place(x, y, t)
        if place is None:
            return TRUE if self._background(t, state) else -TRUE
        root, same = self._root((*place, state))
        return self._number[root] if same else -self._number[root]

    # Identified cells.
    def _root(self, item: Item) -> tuple[Item, bool]:
        same = True
        while item in self._same:
            item, sign = self._same[item]
            same = same == sign
        return item, same

    def _equal(self, a: Item, b: Item, same: bool = True) -> None:
        """Make two items equal, or each the negation of the other."""
        (first, sign_a), (second, sign_b) = self._root(a), self._root(b)
        if first == second:
            if (sign_a == sign_b) != same:
                self.add([])
        else:
            old, new = (second, first) if first is None else (first, second)
            self._same[old] = (new, (sign_a == sign_b) == same)

    def _symmetries(self) -> None:
        for motion in self.problem.motions:
            (a, b, c, d), (right, down) = motion.matrix, motion.shift
            for x, y in self._box():
                for t in range(self.problem.last + 1):
                    image = self._place(a * x + b * y + right, c * x + d * y + down, t + motion.time)
                    for s in self.states:
                        if image is None:
                            self._equal((x, y, t, s), None, self._background(t, s))
                        else:
                            self._equal((x, y, t, s), (*image, s))

    def _given(self) -> None:
        """Known cells, and cells with a name."""
        for t, rows in enumerate(self.problem.cells):
            for y, row in enumerate(rows):
                for x, given in enumerate(row):
                    if given.state is not None:
                        for s in self.states:
                            self._equal((x, y, t, s), None, given.state == s)
                    elif given.name:
                        self._equal((x, y, t, 1), given.name, not given.negated)
                        for s in self.states[1:]:
                            self._equal((x, y, t, s), f"{given.negated}{given.name}={s}")

    def _number_cells(self) -> None:
        for x, y in self._box():
            for t in range(self.problem.last + 1):
                for s in self.states:
                    root, _ = self._root((x, y, t, s))
                    if root not in self._number:
                        self._number[root] = self.new(self._name(x, y, t, s))

    def _name(self, x: int, y: int, t: int, s: int) -> str:
        return f"{x},{y}@{t}" + (f"={s}" if len(self.states) > 1 else "")

    # Clauses.
    def new(self, name: str = "") -> int:
        self.names.append(name or f"_{len(self.names) + 1}")
        return len(self.names)

    def add(self, clause: Iterable[int]) -> None:
        """Add a clause, unless it is a duplicate or a tautology."""
        short = simplified(clause)
        if short is not None and short not in self._known:
            self._known.add(short)
            self.clauses.append(short)

    def _steps(self) -> None:
        """Every cell follows from the generation before, in the box and around it as far as live cells can reach."""
        problem = self.problem
        across, down = self._around(1)
        for t, y in itertools.product(range(problem.generations), down):
            self.limits.check("while the clauses were written")
            for x in across:
                if not self._is_free(x, y, t + 1):
                    self._step(x, y, t)
        if problem.rule.states > 2:
            for (x, y), t in itertools.product(self._box(), range(problem.last + 1)):
                for s, r in itertools.combinations(self.states, 2):
                    self.add([-self.cell(x, y, t, s), -self.cell(x, y, t, r)])

    def _around(self, margin: int) -> tuple[range, range]:
        """The columns and rows of the box with a border as wide as the displacement plus `margin`."""
        problem = self.problem
        right, down = (margin + abs(d) for d in problem.displacement)
        return (
            range(problem.width) if problem.wrap[0] else range(-right, problem.width + right),
            range(problem.height) if problem.wrap[1] else range(-down, problem.height + down),
        )

    def _is_free(self, x: int, y: int, t: int) -> bool:
        """Whether a cell need not follow from the generation before."""
        problem = self.problem
        inside = 0 <= x < problem.width and 0 <= y < problem.height
        if not inside:
            return problem.open_end and not problem.periodic and t == problem.last
        return t < len(problem.cells) and bool(problem.cells[t]) and problem.cells[t][y][x].freed

    def _is_ignored(self, x: int, y: int, t: int) -> bool:
        """Whether a cell is a don't-care, which does not distinguish solutions."""
        problem = self.problem
        last = not problem.periodic and t == problem.generations
        if not last or t >= len(problem.cells) or not problem.cells[t]:
            return False
        given = problem.cells[t][y][x]
        return given.freed and given.state is None and not given.name

    def _step(self, x: int, y: int, t: int) -> None:
        if all(self._place(x + i, y + j, t) is None for i, j in AROUND) and self._place(x, y, t + 1) is None:
            return
        rule = self.problem.rule
        block = [self.cell(x + i, y + j, t, 1) for i, j in AROUND]
        sides = (block, [-literal for literal in block])
        then = self.cell(x, y, t + 1, 1)
        dying = [self.cell(x, y, t, s) for s in self.states[1:]]
        for value, known in shortest_clauses(rule.table):
            unlike = [sides[bit][i] for i, bit in known]
            self.add([*unlike, then, *dying] if value else [*unlike, -then])
        for number, entry in enumerate(rule.table):
            if entry > 1:
                choice = self._choices[entry - 2]
                unlike = [-block[i] if number >> (8 - i) & 1 else block[i] for i in range(9)]
                self.add([*unlike, -choice, then, *dying])
                self.add([*unlike, choice, -then])
        for number in sorted(rule.forbidden):
            self.add(-block[i] if number >> (8 - i) & 1 else block[i] for i in range(9))
        # Generations rules: a live cell that does not survive ages, and a dying cell cannot be born.
        if rule.states > 2:
            self.add([-block[4], then, self.cell(x, y, t + 1, 2)])
            for s in self.states[1:]:
                now, old = self.cell(x, y, t, s), self.cell(x, y, t + 1, s)
                self.add([-now, -then])
                self.add([-old, self.cell(x, y, t, s - 1)])
                if s + 1 < rule.states:
                    self.add([-now, self.cell(x, y, t + 1, s + 1)])

    # Conditions on all cells together.
    def _not_empty(self) -> None:
        if self.problem.nonempty:
            self.add(self._not_background(self._box(), 0))

    def _not_background(self, cells: Iterable[tuple[int, int]], t: int) -> Iterator[int]:
        """The literals of the clause "one of these cells differs from the background of generation t"."""
        for x, y in cells:
            for s in self.states:
                literal = self.cell(x, y, t, s)
                yield -literal if self._background(t, s) else literal

    def _exact(self) -> None:
        """No smaller period: for a proper divisor q, generation q is not generation 0 moved accordingly."""
        problem = self.problem
        if not (problem.periodic and problem.exact):
            return
        across, down = self._around(0)
        for q in range(1, problem.generations):
            if problem.generations % q or (problem.rule.births_from_nothing and q % 2):
                continue
            for dx, dy in problem.fractional_displacements(problem.generations // q):
                places = itertools.product(across, down, self.states)
                self._differ([(self.cell(x - dx, y - dy, 0, s), self.cell(x, y, q, s)) for x, y, s in places])

    def _differ(self, pairs: Iterable[tuple[int, int]]) -> None:
        """At least one of the pairs differs."""
        witnesses: list[int] = []
        for pair in dict.fromkeys(pairs):
            a, b = sorted(pair, key=abs, reverse=True)
            if abs(a) == TRUE:
                witnesses.append(-b if a == TRUE else b)
            elif a != b:
                witness = self.new()
                self.add([a, b, -witness])
                self.add([-a, -b, -witness])
                witnesses.append(witness)
        self.add(witnesses)

    def _exclude(self, cells: Cells) -> None:
        """Generation 0 is not this pattern, at any position in the box."""
        height, width = cells.shape
        for top, left in itertools.product(
            range(self.problem.height - height + 1), range(self.problem.width - width + 1)
        ):
            pattern = [[0] * self.problem.width for _ in range(self.problem.height)]
            for y, x in itertools.product(range(height), range(width)):
                pattern[top + y][left + x] = int(cells[y, x])
            self.add(self._other_than(pattern, 0))

    def _other_than(self, pattern: Sequence[Sequence[int]], t: int) -> Iterator[int]:
        """The literals of the clause "some cell of generation t differs from the pattern", where that is known."""
        for x, y in self._box():
            if self._is_ignored(x, y, t) or pattern[y][x] == UNKNOWN:
                continue
            if pattern[y][x]:
                yield -self.cell(x, y, t, pattern[y][x])
            else:
                yield from (self.cell(x, y, t, s) for s in self.states)

    def _unlike(self, phases: Sequence[Cells]) -> tuple[int, ...] | None:
        """The blocking clause of a solution, given by its first generations; don't-care cells are left out."""
        return simplified(literal for t in range(len(phases)) for literal in self._other_than(phases[t].tolist(), t))

    def at_most(self, literals: Sequence[int], bound: int) -> None:
        """At most `bound` literals are true (sequential counter): count[j] says that more than j are true so far."""
        if bound < 0:
            self.add([])
        count = [-TRUE] * (bound + 1)
        for literal in literals if 0 <= bound < len(literals) else ():
            before = count.copy()
            for j in range(bound + 1):
                less = before[j - 1] if j else TRUE
                if -TRUE in (literal, less):
                    continue
                count[j] = self.new()
                self.add([-before[j], count[j]])
                self.add([-literal, -less, count[j]])
            self.add([-count[bound]])

    def cells(self) -> Iterator[str]:
        """The map of the variables: every cell and its literal."""
        for t in range(self.problem.last + 1):
            for y, x in itertools.product(range(self.problem.height), range(self.problem.width)):
                for s in self.states:
                    literal = self.cell(x, y, t, s)
                    yield f"{self._name(x, y, t, s)} {CONSTANTS.get(literal, literal)}"

    # Decoding.
    def decode(self, true_variables: Sequence[bool]) -> list[list[list[int]]]:
        """The generations of a model."""

        def holds(literal: int) -> bool:
            return literal == TRUE or (literal != -TRUE and bool(true_variables[abs(literal)]) == (literal > 0))

        return [
            [
                [next((s for s in self.states if holds(self.cell(x, y, t, s))), 0) for x in range(self.problem.width)]
                for y in range(self.problem.height)
            ]
            for t in range(self.problem.last + 1)
        ]

    def chosen(self, true_variables: Sequence[bool]) -> list[bool]:
        """The open transition classes of a partial rule, as a model chooses them."""
        return [bool(true_variables[v]) for v in self._choices]


def plain(problem: Problem) -> Plain:
    """The plain clauses of a problem.  The cubes of a search come one after another, and what they have in common is
    written once."""
    if problem.get(Cube) is None:
        return Plain(problem)
    return _whole(problem.having(cube=False)).within(problem)


@lru_cache(maxsize=1)
def _whole(problem: Problem) -> Plain:
    return Plain(problem)


EXPRESSIBLE = frozenset(name for name, kind in CONDITIONS.items() if kind in vars(Plain)["say"].dispatcher.registry)


def simplified(clause: Iterable[int]) -> tuple[int, ...] | None:
    """A clause without constants and duplicates; None if it is a tautology."""
    literals = set(clause)
    if TRUE in literals:
        return None
    literals.discard(-TRUE)
    if not literals.isdisjoint([-literal for literal in literals]):
        return None
    return tuple(sorted(literals, key=abs))


@lru_cache(maxsize=16)
def shortest_clauses(table: bytes) -> list[tuple[bool, list[tuple[int, int]]]]:
    """The prime implicates of a rule: minimal partial blocks that determine the next state.

    The result has pairs (next state, [(position in the block, its bit), ...]).  A partial block is a word over 0, 1 and
    2 for "unknown"; it determines the next state if both ways to fill in its first unknown cell do, in the same way.
    """
    outcome: dict[tuple[int, ...], int] = {}
    for known in sorted(itertools.product((0, 1, 2), repeat=9), key=lambda digits: digits.count(2)):
        if 2 not in known:
            outcome[known] = table[int("".join(map(str, known)), 2)]
            continue
        i = known.index(2)
        both = {outcome[(*known[:i], bit, *known[i + 1 :])] for bit in (0, 1)}
        outcome[known] = both.pop() if len(both) == 1 else 2
    return [
        (value == 1, [(i, bit) for i, bit in enumerate(known) if bit < 2])
        for known, value in outcome.items()
        if value < 2 and all(outcome[(*known[:i], 2, *known[i + 1 :])] != value for i in range(9) if known[i] < 2)
    ]
