"""Exact counts of solutions, by running a plan in a suitable arithmetic.

Small tables hold Python's integers.  For large ones the count is computed modulo several primes below 2^31, in one run
each, and reconstructed by the Chinese remainder theorem.  The number of primes is not guessed from residues that stop
changing: a run in floating-point arithmetic with bounded rounding errors gives an upper bound on the count, and primes
are used until their product exceeds it.  Finally the count is compared with the floating-point estimate.

For counts by population, every live cell multiplies its term by 2^shift, where 2^shift exceeds all counts.  The total
is then the generating function (a polynomial in the number of live cells) evaluated at 2^shift, whose digits in that
base are the counts (Kronecker substitution).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import TypeVar

import numpy as np

from satlife.engines.tables.lists.lists import Lists, list_plan
from satlife.engines.tables.model import TableModel, model_of, why_not
from satlife.engines.tables.table.device import DeviceTable, residue_bytes, rounded_table, table_of
from satlife.engines.tables.table.plan import Plan, Step, plan_of
from satlife.engines.tables.table.rings import Exact, LargestSum, Modular, Ring, Rounded, Weighted
from satlife.engines.tables.table.table import Table, ask_for_memory, must_be_shorter_than_a_list
from satlife.engines.tables.threads import ThreadPool
from satlife.engines.tables.torus.choices import Choices, choices_of
from satlife.engines.tables.torus.choices import total as total_of_choices
from satlife.engines.tables.torus.walks import Walks, walk_plan
from satlife.errors import InputError, LimitError
from satlife.problem.conditions.population import bounds
from satlife.problem.problem import Problem
from satlife.records import dataclass

T = TypeVar("T")

INTEGERS, PRIMES = "exact integers", "the product of the primes exceeds a proved upper bound"
ROOM = 100  # floating-point values stay below 2^ROOM
AT_ONCE = 18  # slots: a table of so many states takes no time
A_VISIT = 300  # pairs of a table that may be updated for one state of a list that is visited; it takes as long as 60
SCALE = 80  # and are divided by 2^SCALE before they exceed it


@dataclass(frozen=True)
class TableCount:
    """A number of patterns, and how it was computed."""

    value: int
    states: int  # of the largest table
    primes: int  # the number of runs modulo a prime; 0: integers
    sure: str  # why the value is exact
    seconds: float
    way: str = ""  # what was used instead of a table of all states

    @property
    def words(self) -> str:
        """How it was counted, in words."""
        if self.way:
            return f"by transfer matrix, {self.way}"
        if not self.primes:
            return "by transfer matrix"
        primes = "a prime that exceeds" if self.primes == 1 else f"{self.primes} primes whose product exceeds"
        return f"by transfer matrix, modulo {primes} a proved upper bound"


def count(problem: Problem, pool: ThreadPool | None = None) -> TableCount:
    """Count the solutions of a problem; raises LimitError beforehand if the memory of the pool does not suffice.

    >>> from satlife.problem.families import still_life
    >>> count(still_life((5, 5))).value
    416
    """
    own = pool or ThreadPool()
    return own.choice.attempt(lambda: _count(problem, own))


def _count(problem: Problem, pool: ThreadPool) -> TableCount:
    with pool:
        counter = _Counter(pool)
        if wanted := bounds(problem):
            counts = counter.by_population(problem)
            value = sum(n for cells, n in enumerate(counts) if all(bound.holds(cells) for bound in wanted))
        else:
            value = counter.count(problem)
        sure = PRIMES if counter.primes else INTEGERS
        return TableCount(value, counter.states, counter.primes, sure, time.monotonic() - pool.started, counter.way)


def by_population(problem: Problem, pool: ThreadPool | None = None) -> list[int]:
    """Count the solutions with 0, 1, 2, ... live cells in generation 0, up to the largest population that occurs.

    >>> from satlife.problem.families import still_life
    >>> by_population(still_life((3, 3)))
    [0, 0, 0, 0, 5, 4, 2]
    """
    own = pool or ThreadPool()

    def work() -> list[int]:
        with own:
            return _Counter(own).by_population(problem)

    counts = own.choice.attempt(work)
    for cells in range(len(counts)):
        if not all(bound.holds(cells) for bound in bounds(problem)):
            counts[cells] = 0
    while counts and not counts[-1]:
        counts.pop()
    return counts


class _Counter:
    """Counts by inclusion and exclusion: all patterns, minus still ones (for an exact period of 2), minus the empty."""

    def __init__(self, pool: ThreadPool) -> None:
        self.pool, self.memory = pool, pool.limits.bytes
        self.states = self.primes = 0
        self.way = ""

    def count(self, problem: Problem) -> int:
        model = _model(problem)
        value = self._number(model)
        if excludes_still(problem):
            return value - self._number(model_of(problem, still=True))
        return value - (problem.nonempty and model.allows_empty)

    def by_population(self, problem: Problem) -> list[int]:
        model = _model(problem)
        out = self._polynomial(model)
        if excludes_still(problem):
            for cells, number in enumerate(self._polynomial(model_of(problem, still=True))):
                if number:
                    out[cells] -= number
        elif problem.nonempty and model.allows_empty:
            out[0] -= 1
        return out

    def _polynomial(self, model: TableModel) -> list[int]:
        """The counts of a model's solutions by live cells."""
        if not model.possible:
            return []
        plan = _or_none(lambda: plan_of(model, self.pool.look))
        is_quick = plan is not None and plan.slots <= AT_ONCE
        if not is_quick and not (model.regular and len(model.cells) == 1):
            with suppress(LimitError):
                return self._polynomial_by_lists(model, plan)
        plan = plan or plan_of(model, self.pool.look)
        shift, most = model.variables + 1, sum(model.weights)
        if not _prefers_integers(plan, shift * (most + 1)):
            bound, _ = upper_bound(plan, self.pool, self._residues(model, plan))
            shift, most = bound.bit_length(), largest_sum(plan, self.pool)
        total = self._total(model, shift, shift * (most + 1), plan)
        digit = (1 << shift) - 1
        return [0] * model.known + [total >> shift * cells & digit for cells in range(most + 1)]

    def _polynomial_by_lists(self, model: TableModel, plan: Plan | None) -> list[int]:
        """The same by lists of the states that occur, modulo primes: no count exceeds that of all solutions.  Raises
        LimitError if a table takes fewer steps."""
        lists = Lists(list_plan(model).by_population(), self.pool)
        if plan is not None and self._fits(model, plan):
            lists.worth = plan.work / A_VISIT
        shift, most = self._number(model).bit_length(), sum(model.weights)
        value, product = 0, 1
        for number, prime in enumerate(primes(), 1):
            value = joined(value, product, lists.total(prime, shift), prime)
            product *= prime
            if product >> shift * (most + 1):
                self.primes = max(self.primes, number)
                break
        digit = (1 << shift) - 1
        return [0] * model.known + [value >> shift * cells & digit for cells in range(most + 1)]

    def _number(self, model: TableModel) -> int:
        """The number of solutions, by whatever takes the fewest steps.

        Lists are tried where a table of all states is large, and given up when they turn out to be no shorter."""
        plan = _or_none(lambda: plan_of(model, self.pool.look))
        quick = plan is not None and plan.slots <= AT_ONCE
        if quick or not model.possible or (model.regular and len(model.cells) == 1):
            return self._total(model, 0, None, plan)
        choices, lists = _or_none(lambda: choices_of(model)), self._lists(model)
        by_table = plan.work * (model.variables // 31 + 2) if plan and self._fits(model, plan) else math.inf
        by_choice = choices.work if choices else math.inf
        if lists is not None:
            try:
                lists.worth = min(by_table, by_choice) / A_VISIT
                return self._by_lists(lists, model)
            except LimitError:
                if lists.worth == math.inf:
                    raise
        return self._by_choices(choices) if choices and by_choice < by_table else self._total(model, 0, None, plan)

    def _fits(self, model: TableModel, plan: Plan) -> bool:
        """Whether a table of all states fits into memory."""
        return _or_none(lambda: self._residues(model, plan)) is not None

    def _by_choices(self, choices: Choices) -> int:
        self.states = 1 << choices.example.slots
        self.way = f"for each of {len(choices.contents):,} choices of the first two rows"
        self.pool.expected = self.pool.done
        return total_of_choices(choices, self.pool)

    def _lists(self, model: TableModel) -> Lists | Walks | None:
        """Lists of states, where their keys are not too long."""
        if len(model.cells) == 2 and (walks := _or_none(lambda: walk_plan(model))):
            return Walks(walks, self.pool)
        plan = _or_none(lambda: list_plan(model))
        return Lists(plan, self.pool) if plan else None

    def _by_lists(self, lists: Lists | Walks, model: TableModel) -> int:
        """By lists of the states that occur, in integers of 64 bits; if they do not suffice, by primes."""
        value = lists.total()
        if lists.overflown:
            value, self.primes = self._by_lists_of_residues(lists, model)
        self.states = max(self.states, lists.longest)
        self.way = f"in lists of up to {self.states:,} states"
        return value

    def _by_lists_of_residues(self, lists: Lists | Walks, model: TableModel) -> tuple[int, int]:
        """The number of solutions, which is at most 2^variables, and of the primes that it took."""
        value, product = 0, 1
        for number, prime in enumerate(primes(), 1):
            value = joined(value, product, lists.total(prime), prime)
            product *= prime
            if product > 1 << model.variables:
                return value, number
        raise AssertionError("there are more primes")

    def _total(self, model: TableModel, shift: int, bits: int | None = None, plan: Plan | None = None) -> int:
        """The sum of 2^(shift * live cells) over all solutions, which is below 2^bits."""
        if not model.possible:
            return 0
        plan = plan or plan_of(model, self.pool.look)
        self.states = max(self.states, 1 << plan.slots)
        if _prefers_integers(plan, bits or model.variables):
            ask_for_memory(model, plan.slots, _size(bits or model.variables), self.memory)
            return self._by_integers(plan, shift)
        size = self._residues(model, plan)
        if bits is not None:
            return self._by_primes(plan, shift, 1 << bits, size)
        self.pool.expected += 2 * plan.work
        bound, estimate = upper_bound(plan, self.pool, size)
        value = self._by_primes(plan, shift, bound, size)
        if estimate is not None and abs(value - estimate) > estimate / 1000 + 1:
            raise AssertionError(f"the count {value} and its estimate {estimate} disagree")
        return value

    def _by_integers(self, plan: Plan, shift: int) -> int:
        self.pool.expected += plan.work
        table = Table(plan, object, self.pool)
        for step in plan.steps:
            table.apply(step, Exact(shift * _weight(plan, step)))
        return int(table.states.sum())

    def _residues(self, model: TableModel, plan: Plan) -> int:
        """The bytes of a residue: 4, or 2 where a device has no room for more; asks for the memory."""
        if found := residue_bytes(plan, self.pool):
            must_be_shorter_than_a_list(model, plan.slots)
            return found
        ask_for_memory(model, plan.slots, 4, self.memory)
        return 4

    def _by_primes(self, plan: Plan, shift: int, bound: int, size: int) -> int:
        """The total, by as many primes as it takes to tell it from every other number up to the bound."""
        runs = bound.bit_length() // (8 * size - 1) + 1
        table = table_of(plan, f"u{size}", self.pool, runs)
        value, product = 0, 1
        self.pool.expected = self.pool.done + runs * plan.work
        for number, prime in enumerate(primes(size), 1):
            value = joined(value, product, residue(plan, table, prime, shift), prime)
            product *= prime
            if product > bound:
                self.primes = max(self.primes, number)
                return value
        raise AssertionError("there are more primes")


def residue(plan: Plan, table: Table | DeviceTable, prime: int, shift: int = 0) -> int:
    """The total modulo a prime: one run of the plan."""
    rings = _rings(plan, prime, shift)
    table.start()
    for step in plan.steps:
        table.apply(step, rings[_weight(plan, step)])
    return int(sum(table.reduce(lambda part: int(part.sum(dtype=np.uint64))))) % prime


def joined(value: int, product: int, rest: int, prime: int) -> int:
    """The Chinese remainder theorem: the number below product * prime that is `value` modulo the product of some primes
    and `rest` modulo another one.

    >>> joined(2, 3, 3, 5)
    8
    """
    return value + product * ((rest - value) * pow(product, -1, prime) % prime)


def _or_none(of: Callable[[], T]) -> T | None:
    """What a function returns, or None if there is a limit to it."""
    try:
        return of()
    except LimitError:
        return None


def _model(problem: Problem) -> TableModel:
    if reason := why_not(problem):
        raise InputError(f"this cannot be counted by a table of states: {reason}")
    return model_of(problem)


def excludes_still(problem: Problem) -> bool:
    """Whether still patterns, the empty one among them, are not counted: the period is exactly 2."""
    return problem.generations == 2 and problem.exact and not problem.rule.births_from_nothing


def _weight(plan: Plan, step: Step) -> int:
    return plan.model.weights[step.variable] if step.variable is not None else 0


def _rings(plan: Plan, prime: int, shift: int) -> dict[int, Ring]:
    """The arithmetic of a step, by the weight of its variable (the number of cells that it determines)."""
    if not shift:
        return dict.fromkeys({*plan.model.weights, 0}, Modular(np.uint32(prime)))
    return {
        weight: Weighted.of(prime, pow(2, shift * weight, prime)) if weight else Modular(np.uint32(prime))
        for weight in {*plan.model.weights, 0}
    }


def _prefers_integers(plan: Plan, bits: int) -> bool:
    """Whether Python's integers of so many bits are likely to be faster than primes, by measured times."""
    states = plan.work * 2
    by_integers = states * (1.5e-7 + bits * 2e-12)
    by_primes = (bits / 31 + 1) * (len(plan.steps) * 3e-5 + states * 4e-10)
    return by_integers < max(by_primes, 0.5) and _size(bits) << plan.slots < 1 << 30


def _size(bits: int) -> int:
    """The approximate size in bytes of a Python integer in an array."""
    return 40 + bits // 8


def upper_bound(plan: Plan, pool: ThreadPool, size: int = 4) -> tuple[int, float | None]:
    """An upper bound on the count and, if no scaling was needed, the estimate itself.

    Only sums of non-negative numbers occur, one per step, each with a relative rounding error of at most 2^-24; in 16
    bits, on a device, of at most 2^-9."""
    table = rounded_table(plan, pool, size)
    error = 2.0**-23 if size == 4 else 2.0**-8
    room, scaled = ROOM, 0
    for step in plan.steps:
        table.apply(step, Rounded())
        room -= 1
        if room == 0:  # a step at most doubles a value
            top = math.log2(max(table.reduce(lambda part: float(table.numbers(part).max()))) or 1.0)
            if top > ROOM / 2:
                table.scale(SCALE)
                top, scaled = top - SCALE, scaled + SCALE
            room = ROOM - max(math.ceil(top), 0)
    total = sum(table.reduce(lambda part: float(table.numbers(part).sum(dtype=np.float64))))
    margin = (1 + error) ** len(plan.steps) * (1 + 2.0**-20)
    bound = int(Fraction(total * margin) * 2**scaled) + 1
    return bound, None if scaled or len(plan.steps) > 1000 or size < 4 else total


def largest_sum(plan: Plan, pool: ThreadPool) -> int:
    """The largest number of live cells of a solution, known cells not counted; 0 if there is no solution."""
    table = table_of(plan, smallest_type(sum(plan.model.weights)), pool)
    for step in plan.steps:
        table.apply(step, LargestSum(0, _weight(plan, step)))
    return max(int(max(table.reduce(lambda part: part.max()))) - 1, 0)


def smallest_type(top: int) -> type[np.uint8] | type[np.uint16] | type[np.uint32]:
    """The smallest type for sums up to `top`, and one more value for "impossible"."""
    return np.uint8 if top < 255 else np.uint16 if top < 65535 else np.uint32


def primes(size: int = 4) -> Iterator[int]:
    """Primes below 2^31, or those that fit into 16 bits, the largest first.

    >>> next(primes()) == 2**31 - 1, next(primes(2))
    (True, 65521)
    """
    for number in range(2**31 - 1 if size == 4 else 2**16 - 1, 61, -2):
        if all(_passes(number, base) for base in (2, 7, 61)):  # enough below 4,759,123,141 (Jaeschke 1993)
            yield number


def _passes(number: int, base: int) -> bool:
    """The strong probable-prime test (Miller-Rabin) of an odd number."""
    if number == base:
        return True
    odd = number - 1
    while odd % 2 == 0:
        odd //= 2
    power = pow(base, odd, number)
    while odd != number - 1 and power not in (1, number - 1):
        power = power * power % number
        odd *= 2
    return power == number - 1 or odd % 2 == 1


__all__ = ["TableCount", "by_population", "count"]
