"""The plan: which engines work on an ask, and how it is divided into units for a long search.

All engines are here, once, and none knows another.  A new engine is one line.  Nothing depends on their order: for one
find all that suit race, or only those that prefer the ask most, and where one engine is enough, the first of these is
taken.  Those that prove what they refute are for one question and one folder each, and are made with the certificate,
in `proof`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from satlife.engines.catalysts.engine import CatalystEngine
from satlife.engines.cells.engine import CellEngine
from satlife.engines.engine import Budget, Engine
from satlife.engines.exhaustive.engine import ExhaustiveEngine
from satlife.engines.options import WITHOUT_SOLVER, Options
from satlife.engines.past.engine import PastEngine
from satlife.engines.rows.engine import OpenBoxEngine, RowEngine
from satlife.engines.sat.engine import RefiningEngine, SatEngine
from satlife.engines.soups.engine import SoupEngine
from satlife.engines.tables.engine import StripEngine, TableEngine
from satlife.engines.theorems.engine import SpeedLimit
from satlife.errors import Refusal
from satlife.problem.ask import Ask
from satlife.problem.conditions import CONDITIONS
from satlife.problem.goals import FindOne
from satlife.problem.question import Place
from satlife.search.ladder import LadderEngine
from satlife.search.race import Entrant

if TYPE_CHECKING:
    from satlife.engines.work import Work


def entrants(ask: Ask, budget: Budget, nested: bool = False) -> list[Entrant]:
    """The engines that suit an ask, or those of them that answer at once.  If one find is wanted, those that prefer it
    most race; otherwise the first, which prefers it most, works on it alone.

    With `nested`, parts of the question are searched, too: alone if no engine searches the whole."""
    taking_part = [engine for engine in ENGINES if engine.takes_part(budget) and (nested or engine.whole)]
    suiting = [Entrant(engine, fit) for engine in taking_part if (fit := engine.suits(ask, budget))]
    suiting = [entrant for entrant in suiting if not entrant.engine.searches] or suiting
    suiting.sort(key=lambda entrant: -entrant.fit.preference)
    if not isinstance(ask.goal, FindOne):
        return suiting
    suiting = [entrant for entrant in suiting if entrant.fit.preference == suiting[0].fit.preference]
    if budget.engine or any(entrant.fit.refutes for entrant in suiting):
        return suiting
    return [one for one in suiting if not one.engine.whole and one.engine.has_work(ask, budget)]


LADDER = LadderEngine(entrants)
ENGINES: tuple[Engine, ...] = (
    SatEngine(),
    RefiningEngine(),
    CellEngine(),
    RowEngine(),
    OpenBoxEngine(),
    SoupEngine(),
    TableEngine(),
    StripEngine(),
    CatalystEngine(),
    PastEngine(),
    ExhaustiveEngine(),
    SpeedLimit(),
    LADDER,
)


def refusal(ask: Ask, budget: Budget) -> Refusal:
    """Why no engine takes an ask: what the one that comes nearest lacks."""
    if budget.engine:
        return _refusal_of(budget.engine, ask)
    if budget.chosen and ask.question.strip:
        return Refusal("patterns of any length are searched row by row, without a solver or a strategy")
    needs, reasons = ask.question.needs, []
    for engine in ENGINES:
        able = engine.searches and engine.whole and engine.takes_part(budget) and type(ask.goal) in engine.goals
        if able and (reason := engine.refusal(ask)):
            missing = needs - engine.honours
            own = any(CONDITIONS[name].option is None for name in missing & set(CONDITIONS))
            strange = own or Place.STRIP in missing
            reasons.append((strange, len(missing), reason))
    return Refusal(min(reasons)[2] if reasons else "no engine takes this question")


def _refusal_of(name: str, ask: Ask) -> Refusal:
    """Why an engine that the user chose does not take an ask."""
    reasons = {engine.words: engine.refusal(ask) for engine in ENGINES if engine.strategy == name}
    told = [reason or f"{words} needs Numba, the extra `fast`" for words, reason in reasons.items()]
    return Refusal(told[-1 if ask.question.strip else 0])


def members(ask: Ask, options: Options) -> list[str]:
    """The names under which the engines for an ask report their progress."""
    budget = Budget.for_search(options)
    working = entrants(ask, budget)[: None if isinstance(ask.goal, FindOne) else 1]
    return [name for entrant in working for name in entrant.engine.members(ask, budget)]


def settled(ask: Ask, options: Options) -> Options:
    """The options of a long search: if nobody chose a strategy, that on which its units depend is named."""
    engine, _ = _divided(ask, options)
    if options.chosen or not engine.takes_solver:
        return options
    return replace(options, strategy=engine.members(ask, Budget.for_search(options))[0])


def work(ask: Ask, options: Options) -> Work:
    """An ask as units of work for a long search."""
    return _divided(ask, options)[1]


def _divided(ask: Ask, options: Options) -> tuple[Engine, Work]:
    """The engine that divides an ask, and the units."""
    if options.strategy in WITHOUT_SOLVER:
        raise Refusal(f"the units of a long search take a strategy of SAT solvers, not {options.strategy!r}")
    for engine in ENGINES:
        if not engine.refusal(ask) and (units := engine.divide(ask, options)) is not None:
            return engine, units
    raise Refusal(f"{refusal(ask, Budget.for_search(options))}; this is no long search, ask without `jobs start`")
