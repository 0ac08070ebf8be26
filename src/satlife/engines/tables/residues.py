"""A count as units of work, one for each prime, so that machines with a GPU and machines without share it.

A count is computed modulo several primes (see `count`), in one run each, and the runs know nothing of each other.  The
first unit is one more run, which bounds the count from above; the bound says how many primes it takes, and the unit is
split into as many, and one more.  That one is for safety: if a worker was wrong, the residues do not belong to any
number below the bound, but for one chance in 2^31, and the search does not end with a wrong number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from satlife.device import Choice
from satlife.engines.options import Options
from satlife.engines.tables import count
from satlife.engines.tables.model import TableModel, model_of, why_not
from satlife.engines.tables.table.device import SPARE, WORTHWHILE, device_for, table_of
from satlife.engines.tables.table.plan import Plan, plan_of
from satlife.engines.tables.table.table import ask_for_memory, must_be_shorter_than_a_list
from satlife.engines.tables.threads import ThreadPool
from satlife.engines.work import Keep, Piece, Resources, Result, Verdict
from satlife.errors import DamagedError, InputError, OutOfTime
from satlife.limits import Limits
from satlife.problem.conditions.population import Population
from satlife.problem.problem import Problem
from satlife.records import dataclass

ITEM = 4  # bytes of a residue
BOUND = json.dumps({"bound": None})  # the unit that finds an upper bound
STRATEGY = "by transfer matrix"


@dataclass(frozen=True)
class Residue:
    """A unit: the count modulo a prime, one of so many that tell it from every other number up to the bound."""

    prime: int
    of: int
    bound: int

    @classmethod
    def parse(cls, text: str) -> Residue:
        try:
            data = json.loads(text)
            found = cls(data["prime"], data["of"], int(data["bound"]))
            if type(found.prime) is not int or type(found.of) is not int or found.bound < 0 or found.of < 1:
                raise ValueError("a residue has a prime and a bound")
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise DamagedError(f"the text of a unit is damaged ({error})") from error
        return found

    def __str__(self) -> str:
        return json.dumps({"prime": self.prime, "of": self.of, "bound": str(self.bound)})


def residues(bound: int) -> list[Residue]:
    """The units for counts up to a bound.

    >>> [unit.prime for unit in residues(2**31)]
    [2147483647, 2147483629, 2147483587]
    """
    needed, product = 0, 1
    for prime in count.primes(ITEM):
        needed, product = needed + 1, product * prime
        if product > bound:
            break
    return [Residue(prime, needed + 1, bound) for prime in islice(count.primes(ITEM), needed + 1)]


@dataclass(frozen=True)
class Residues:
    """The work of counting the solutions of a problem."""

    problem: Problem
    options: Options

    @cached_property
    def _terms(self) -> list[tuple[int, TableModel, Plan]]:
        """What is added and subtracted: all patterns, and for an exact period of 2 the still ones."""
        if reason := why_not(self.problem):
            raise InputError(f"this cannot be counted by a table of states: {reason}")
        if self.problem.get(Population):
            raise InputError("a long count has no conditions on the number of live cells; use the command itself")
        models = [(1, model_of(self.problem))]
        if count.excludes_still(self.problem):
            models.append((-1, model_of(self.problem, still=True)))
        planned = [(sign, model, plan_of(model, lambda: None)) for sign, model in models if model.possible]
        for _, model, plan in planned:
            must_be_shorter_than_a_list(model, plan.slots)
        return planned

    @cached_property
    def needs(self) -> Resources:
        """A table of all states, in memory or on a GPU."""
        memory = max(((ITEM << plan.slots) + (1 << 20) - 1 >> 20 for _, _, plan in self._terms), default=0)
        worthwhile = sum(plan.work for _, _, plan in self._terms) > WORTHWHILE
        return Resources(memory, memory + (SPARE >> 20) if worthwhile else None, parallel=True)

    def split(self, unit: str | None, count: int, limits: Limits) -> list[Piece]:
        """The whole question is one unit, whose result is more of them; a residue cannot be split."""
        return [Piece(BOUND if unit is None else unit)]

    def covers(self, unit: str | None, parts: Sequence[str]) -> bool:
        """Whether the primes suffice for the bound that they come with."""
        if unit is None:
            return list(parts) == [BOUND]
        if unit != BOUND or not parts:
            return False
        found = [Residue.parse(part) for part in parts]
        return sorted(map(str, found)) == sorted(map(str, residues(found[0].bound)))

    def share(self, part: str, unit: str | None) -> float:
        """Each prime takes as long as the others."""
        return 1.0 if part == BOUND else 1 / Residue.parse(part).of

    def solve(self, unit: str, keep: Keep, stop: Callable[[], bool]) -> Result:
        choice = Choice(self.options.device or "cpu")
        limits = replace(self.options.limits, stopped=stop)

        def work() -> Result:
            with ThreadPool(self.options.jobs or 1, limits, choice=choice) as pool:
                if unit == BOUND:
                    pieces = tuple(Piece(str(residue)) for residue in residues(self._bound(pool)))
                    return Result(Verdict.SPLIT, _where(choice), STRATEGY, pieces=pieces)
                value = self._residue(Residue.parse(unit).prime, pool)
                return Result(Verdict.DONE, _where(choice), STRATEGY, value=str(value))

        try:
            return choice.attempt(work)
        except OutOfTime as error:
            return Result(Verdict.UNKNOWN, reason=str(error))

    def _bound(self, pool: ThreadPool) -> int:
        for sign, model, plan in self._terms:
            if sign > 0:
                _ask(model, plan, pool)
                return count.upper_bound(plan, pool)[0]
        return 0

    def _residue(self, prime: int, pool: ThreadPool) -> int:
        value = 0
        for sign, model, plan in self._terms:
            _ask(model, plan, pool)
            value += sign * count.residue(plan, table_of(plan, f"u{ITEM}", pool), prime)
            if sign > 0 and not count.excludes_still(self.problem):
                value -= self.problem.nonempty and model.allows_empty
        return value % prime

    def accepts(self, unit: str, value: str) -> bool:
        """Whether a value may be the result of a unit."""
        return unit != BOUND and value.isdecimal() and len(value) < 12 and int(value) < Residue.parse(unit).prime

    def total(self, values: Mapping[str, str]) -> int:
        """The count, from the values of all units; a DamagedError if they contradict each other."""
        if not self.covers(BOUND, list(values)):
            raise DamagedError("the residues are not those that the bound asks for")
        value, product, bound = 0, 1, 0
        for unit, text in values.items():
            known = Residue.parse(unit)
            if not self.accepts(unit, text):
                raise DamagedError("the value of a unit is damaged")
            value, bound = count.joined(value, product, int(text), known.prime), known.bound
            product *= known.prime
        if value > bound:
            raise DamagedError("the residues contradict each other, so a worker was wrong; `resume` counts once more")
        return value


def _where(choice: Choice) -> str:
    device = choice.device(False)
    return device.name if device is not None else "CPU"


def _ask(model: TableModel, plan: Plan, pool: ThreadPool) -> None:
    """Ask for the memory of a table that does not go to a device."""
    if device_for(plan, ITEM, pool) is None:
        ask_for_memory(model, plan.slots, ITEM, pool.limits.bytes)
