"""A walk over all engines, goals and conditions: what an engine declares is compared with brute force on random small
questions, and what it does not declare it refuses."""

from __future__ import annotations

import itertools
import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

import satlife
from random_problems import brute_force, random_problem
from satlife.engines.cells import listing
from satlife.engines.engine import Budget, Engine
from satlife.engines.events import Found
from satlife.engines.sat import REFINED
from satlife.engines.sat.engine import RefiningEngine
from satlife.errors import InputError
from satlife.life.pattern import Cells
from satlife.problem import orbits
from satlife.problem.answers import Best, Count
from satlife.problem.ask import Ask
from satlife.problem.cell import Grid, grid_of
from satlife.problem.conditions import CONDITIONS
from satlife.problem.goals import (
    GOALS,
    Atlas,
    CountAll,
    FindCore,
    FindForced,
    FindOne,
    Goal,
    ListAll,
    Optimise,
    SmallestBox,
)
from satlife.problem.measures import CELLS
from satlife.problem.outcome import Outcome
from satlife.problem.problem import Problem
from satlife.search import plan
from satlife.search.goals.lists import every
from satlife.search.race import Entrant, finish, race

TRIED = 400  # random questions of which one is compared for each engine, goal and condition; the campaign asks more
BUDGET = Budget(cores=2, threads=1)

#: A value of each condition for a question; a new condition needs one here.
VALUES: dict[str, Callable[[Problem, random.Random], object]] = {
    "catalyst": lambda problem, rng: {"rows": ["A" * problem.width] * problem.height},
    "cube": lambda problem, rng: [
        [rng.randrange(side) for side in (problem.width, problem.height, problem.last + 1, 2)] for _ in range(2)
    ],
    "differ": lambda problem, rng: [[0, rng.randint(1, max(problem.last, 1))]],
    "exclude": lambda problem, rng: rng.sample(["o!", "2o$2o!", "3o!", "o$o$o!", "2o!", "bo$2o!"], 2),
    "population": lambda problem, rng: [f"{rng.choice(['<=', '>=', '=='])}{rng.randint(1, 5)}"],
    "strict": lambda problem, rng: True,
    "ties": lambda problem, rng: rng.sample(["a + b + c <= 1", "a != b", "b + c = a", "c >= b", "a + b + c > 1"], 2),
    "tight": lambda problem, rng: True,
    "touching": lambda problem, rng: rng.sample(["left", "right", "upper", "lower"], 2),
}
#: A goal of each kind that several engines have; the smallest box is sought by a sequence of searches, and cores and
#: forced cells by an engine of their own, which `engines/test_past.py` compares.
ASKED: dict[type[Goal], Sequence[Goal]] = {
    FindOne: [FindOne()],
    ListAll: [ListAll()],
    CountAll: [CountAll()],
    Optimise: [Optimise(CELLS), Optimise(CELLS, largest=True)],
}
#: What is not compared, since brute force cannot try all patterns of its questions: the race simulates finds, and
#: the search row by row, strips, catalysts and smaller questions are compared with others in tests of their own.
#: Tables optimise without bounds.
BEYOND: set[str | tuple[str, type[Goal], str]] = {
    "soups",
    "row by row, any length",
    "strips",
    "catalysts",
    "smaller questions",
    ("table", Optimise, "population"),
    *(("sat", goal, "catalyst") for goal in (FindOne, ListAll, Optimise)),
}
WALK = [
    pytest.param(engine, goal, name, id=f"{engine.name}-{goal.__name__}-{name or 'none'}")
    for engine in plan.ENGINES
    for goal in ASKED
    for name in ("", *CONDITIONS)
    if goal in engine.goals and name in {"", *engine.honours} and not BEYOND & {engine.name, (engine.name, goal, name)}
]


def test_the_walk_is_complete() -> None:
    assert set(VALUES) == set(CONDITIONS)
    assert set(ASKED) == set(GOALS.values()) - {SmallestBox, Atlas, FindCore, FindForced}
    for engine in plan.ENGINES:
        assert engine.goals <= {*ASKED, FindCore, FindForced}


def questions(names: Sequence[str], rng: random.Random) -> Iterator[Problem]:
    """Random questions with these conditions."""
    for _ in range(TRIED):
        problem = random_problem(rng)
        if "catalyst" in names:
            cells = grid_of([["1" * problem.width] * problem.height])
            problem = Problem(problem.width, problem.height, problem.rule, periodic=False, nonempty=False, cells=cells)
        if "ties" in names:
            problem = replace(problem, cells=named_cells(problem, rng))
        try:
            yield problem.having(**{name: VALUES[name](problem, rng) for name in names if name})
        except InputError:
            continue


def named_cells(problem: Problem, rng: random.Random) -> Grid:
    """Known cells of generation 0 and the last one, some of which have names."""
    words = ["a", "b", "c", "-a", "-b", "*", "*", "*", "*"]
    rows = [[rng.choices(words, k=problem.width) for _ in range(problem.height)] for _ in range(2)]
    return grid_of([rows[0], *[()] * (problem.last - 1), *rows[1 : problem.last + 1]])


def populations(answers: list[list[Cells]]) -> list[int]:
    return [int((phases[0] == 1).sum()) for phases in answers]


def compare(engine: Engine, ask: Ask, answers: list[list[Cells]]) -> bool:
    """Whether an engine by itself was compared with all answers; what it says wrong fails."""
    fit = engine.suits(ask, BUDGET)
    if fit is None or (not fit.refutes and not answers):
        return False
    problem, entrants = ask.problem, [Entrant(engine, fit)]
    if isinstance(ask.goal, ListAll):
        found = [event.outcome.phases for event in listed(ask, engine) if isinstance(event, Found)]
        names = sorted(orbits.identity(problem, phases) for phases in found)
        assert names == sorted(orbits.identity(problem, phases) for phases in answers), problem
        return True
    answer = finish(race(ask, entrants, BUDGET))
    if isinstance(answer, Outcome):
        assert bool(answer) == bool(answers), problem
    elif isinstance(answer, Count):
        assert (answer.value, answer.complete) == (len(answers), True), problem
    else:
        assert isinstance(answer, Best)
        assert isinstance(ask.goal, Optimise)
        extreme = max if ask.goal.largest else min
        assert answer.value == (extreme(populations(answers)) if answers else None), problem
        assert answer.proved
    return True


def listed(ask: Ask, engine: Engine) -> Iterator[object]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "ENGINES", (engine,))
        assert isinstance(ask.goal, ListAll)
        yield from every(ask, ask.goal, BUDGET)


@pytest.mark.parametrize(("engine", "goal", "name"), WALK)
def test_an_engine_does_what_it_declares(
    engine: Engine, goal: type[Goal], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "LARGE", 0)  # small lists, too
    rng = random.Random(zlib.crc32(f"{engine.name} {goal.__name__} {name}".encode()))
    refining = isinstance(engine, RefiningEngine)  # it is for strict and tight patterns
    for problem in questions([name, "strict"] if refining and name not in REFINED else [name], rng):
        if any(engine.suits(Ask(problem, wanted), BUDGET) for wanted in ASKED[goal]):
            answers = list(brute_force(problem))
            if sum(compare(engine, Ask(problem, wanted), answers) for wanted in ASKED[goal]):
                return
    pytest.fail("no random question suits")


def test_every_need_is_declared_or_refused() -> None:
    """An engine takes a question only if it has the goal and honours everything that the question needs."""
    rng = random.Random(1)
    problems = [problem for name in ("", *CONDITIONS) for problem in itertools.islice(questions([name], rng), 5)]
    asks = [Ask(problem, goal()) for problem in problems for goal in ASKED]
    for ask, engine in itertools.product(asks, plan.ENGINES):
        if engine.refusal(ask):
            assert engine.suits(ask, BUDGET) is None
        else:
            assert ask.question.needs <= engine.honours
            assert type(ask.goal) in engine.goals


def test_a_question_that_nobody_takes_is_refused() -> None:
    with pytest.raises(InputError, match="without a solver or a strategy"):
        satlife.find(satlife.open_spaceship(5, 4, (0, -2)), solver="cadical195")
    with pytest.raises(InputError, match="a box with two sides"):
        satlife.optimise(satlife.open_spaceship(5, 4, (0, -2)))
