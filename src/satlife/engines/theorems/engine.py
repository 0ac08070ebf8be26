"""Questions that a theorem answers at once.

The speed limit of Life: no finite pattern moves faster than c/2 along an axis, or c/4 diagonally (Conway).

Take a line from the lower left to the upper right beyond which, to the lower right, everything is dead.  One generation
later cells on the next diagonal may be alive; each has only three neighbours behind the line, and is born if all three
are alive.  For a cell on the diagonal after that to be born in the generation that follows, three cells must be alive:
two on the first diagonal beyond the line, and one, c, on the line.  The births of those two need c and four of its
neighbours, and with so many c does not survive.  So in two generations the pattern comes at most one diagonal further,
and a ship that moves by (dx, dy) in p generations has |dx| + |dy| <= p/2.

The argument holds in every rule of two states whose table has these entries, which is what is looked at here.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import chain, combinations, product

from satlife.engines.engine import Answered, Budget, Engine, Fit, Run, Stepwise
from satlife.engines.events import Event
from satlife.life.rule import Rule
from satlife.problem.answers import Best, Count
from satlife.problem.ask import Ask
from satlife.problem.conditions import CONDITIONS
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goals import CountAll, FindOne, ListAll, Optimise
from satlife.problem.outcome import NONE, THEOREM, Outcome
from satlife.problem.question import Need, Place

Offset = tuple[int, int]
BEHIND: tuple[Offset, ...] = ((-1, -1), (-1, 0), (0, -1))  # the neighbours of a cell just beyond the line
CROWD: tuple[Offset, ...] = ((-1, 0), (-1, 1), (0, -1), (1, -1))  # those that c has at least; (-1, -1) may be a fifth
SPEED_LIMIT = "Conway's speed limit: c/2, diagonally c/4"
#: Where a pattern may be empty, infinite, or not follow the rule, or the rule has other states, the theorem is silent.
OTHERS = {
    Need.STATES, Need.BLINKING, Need.WRAP, Need.FREED, Need.NO_PERIOD, Need.OPEN_END, Need.EMPTY,
}  # fmt: skip


class SpeedLimit(Engine):
    """Refutes ships that are too fast; whatever else is required of them makes no difference."""

    name = "theorems"
    words = "the speed limit"
    searches = False
    goals = frozenset({FindOne, ListAll, CountAll, Optimise})
    honours = frozenset({Place.STRIP, Place.ANYWHERE, *Need, *CONDITIONS}) - OTHERS - {Catalyst.name}

    def limit(self, ask: Ask) -> str:
        question = ask.question
        fast = is_too_fast(question.rule, question.displacement, question.generations)
        return "" if fast else f"{self.words} has no word on this speed in {question.rule}"

    def fit(self, ask: Ask, budget: Budget) -> Fit:
        return Fit(refutes=True)

    def start(self, ask: Ask, budget: Budget) -> Run:
        return Stepwise(refuted(ask))


def refuted(ask: Ask) -> Generator[Event, None, Answered]:
    """That there is none, as the goal wants it to be said."""
    yield from ()
    none = Outcome(ask.question, NONE, (), {}, SPEED_LIMIT, THEOREM, exhaustive=True)
    if isinstance(ask.goal, CountAll):
        return Count(ask.question, 0, True, "by the speed limit", by_population=() if ask.goal.by_population else None)
    return Best(none, None) if isinstance(ask.goal, Optimise) else none


def is_too_fast(rule: Rule, displacement: Offset, period: int) -> bool:
    """Whether the speed limit shows that no finite pattern moves like this.

    >>> from satlife.life.rule import LIFE
    >>> [is_too_fast(LIFE, *moving) for moving in (((0, -1), 2), ((1, 1), 4), ((2, 1), 6), ((0, 2), 3), ((1, 1), 3))]
    [False, False, False, True, True]
    """
    dx, dy = displacement
    return 2 * (abs(dx) + abs(dy)) > period and any(_is_limited(rule, *signs) for signs in _fronts(dx, dy))


def _fronts(dx: int, dy: int) -> Iterator[Offset]:
    """The diagonal directions, as signs, in which the displacement is |dx| + |dy|."""
    return product(*((1, -1) if d == 0 else (d // abs(d),) for d in (dx, dy)))  # type: ignore[return-value]


def _is_limited(rule: Rule, sx: int, sy: int) -> bool:
    """Whether the argument holds for fronts that move to the lower right, or where the signs say otherwise."""
    if rule.states > 2:
        return False

    def becomes(alive: bool, *neighbours: Offset) -> int:
        """The next state of a cell with these live neighbours; above 1 where a partial rule leaves it open."""
        block = 16 * alive + sum(256 >> (sx * x + 1) + 3 * (sy * y + 1) for x, y in neighbours)
        return rule.table[block]

    too_few = chain.from_iterable(combinations(BEHIND, number) for number in range(len(BEHIND)))
    unborn = all(becomes(False, *few) == 0 for few in too_few)
    return unborn and becomes(True, *CROWD) == becomes(True, *CROWD, (-1, -1)) == 0
