"""Completions: the smallest of any size, compared with everything that there is in a box around the given cells."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest
from campaign.automaton import counted
from campaign.completions import MOST, fewest, fewest_of_period_2, piece

import satlife
from satlife import Best, Completion, Outcome, Pattern, Status
from satlife.engines.engine import Budget
from satlife.engines.events import Event, Improved, Note
from satlife.engines.options import Options
from satlife.errors import Refusal
from satlife.life.formats import parse
from satlife.life.identify import identify
from satlife.problem.ask import Ask
from satlife.problem.goals import CountAll, Goal, ListAll, Optimise, SmallestBox
from satlife.problem.measures import Measure
from satlife.problem.question import Place
from satlife.search import complete as search
from satlife.search import plan
from satlife.search.answer import answer
from satlife.search.race import finish

RULES = {"B3/S23": ({3}, {2, 3}), "B36/S23": ({3, 6}, {2, 3}), "B3/S12": ({3}, {1, 2}), "B2/S0": ({2}, {0})}
#: A stator that is larger than it has to be.
CLUMSY = "2o2b2ob2o$obo2bobo2bo$2bobo3b3o$o2bob3o$2obobo2b3o$bobo3bo2bo$o2bo4b2o$2o2b4o$8b2o$7o3bo$o2bo2b2ob2o!"


def rows_of(*rows: str) -> str:
    return "!\n" + "\n".join(rows) + "\n"


def fits(outcome: Outcome, question: Completion) -> bool:
    """Whether a find has the given cells, in its place, and the period."""
    pattern = outcome.pattern
    assert pattern is not None
    left, top = outcome.origin or (0, 0)
    for t, rows in enumerate(question.given.cells):
        live = set(satlife.advance(pattern.shift(left, top), t).points())
        x0, y0 = question.corner
        for y, row in enumerate(rows):
            for x, cell in enumerate(row):
                if cell.state is not None and cell.state != ((x + x0, y + y0) in live):
                    return False
    return identify(pattern).period == question.generations


@pytest.fixture
def few_margins(monkeypatch: pytest.MonkeyPatch) -> None:
    """In some rules a search for what there is not goes on for ever; here it is given up."""
    whole = search.margins
    monkeypatch.setattr(search, "margins", lambda question: itertools.islice(whole(question), 5))


@pytest.mark.usefixtures("few_margins")
@pytest.mark.parametrize("rule", RULES)
def test_pieces_against_every_still_life(rule: str) -> None:
    """Within a margin of 2 cells nothing is smaller than what is proved to be the smallest of all."""
    rng, law, decided = random.Random(rule), counted(*RULES[rule]), 0
    while decided < 2:
        rows = piece(rng, rng.randint(1, 3), rng.randint(1, 2))
        question = satlife.complete(rows_of(*rows), rule=rule)
        assert isinstance(question, Completion)
        best = satlife.optimise(question)
        brute = fewest(rows, 2, law)
        if not best.proved:
            continue
        decided += 1
        if best.value is None:
            assert best.outcome.status == Status.NONE
            assert brute is None, rows
            continue
        assert fits(best.outcome, question)
        assert best.outcome.pattern is not None
        assert best.outcome.pattern.population == best.value
        if brute is not None:
            assert best.value <= brute, rows
        if best.value <= MOST and min(best.outcome.origin or (0, 0)) >= -2:
            assert fewest(rows, 3, law) == best.value, rows


@pytest.mark.usefixtures("few_margins")
@pytest.mark.parametrize("seed", range(4))
def test_pieces_of_oscillators(seed: int) -> None:
    rng, law = random.Random(seed), counted({3}, {2, 3})
    rows = piece(rng, 2, 2)
    brute = fewest_of_period_2(rows, 1, law)
    inside = satlife.complete(rows_of(*rows), period=2, margin=1)
    assert satlife.optimise(inside).value == brute, rows
    question = satlife.complete(rows_of(*rows), period=2)
    assert isinstance(question, Completion)
    best = satlife.optimise(question)
    if best.value is not None:
        assert fits(best.outcome, question)
    if best.outcome.status == Status.NONE:
        assert brute is None
    if brute is not None:
        assert (best.bound or 0) <= brute
        assert not best.proved or (best.value or 0) <= brute


@pytest.mark.parametrize(
    ("rows", "cells", "area"),
    [(("O",), 4, 4), (("O.O", ".O."), 4, 9), (("OO..O",), 8, 12)],
)
def test_the_smallest(rows: tuple[str, ...], cells: int, area: int) -> None:
    question = satlife.complete(rows_of(*rows))
    assert isinstance(question, Completion)
    best = satlife.optimise(question)
    assert (best.value, best.bound, best.proved) == (cells, cells, True)
    smallest = satlife.optimise(question, "box")
    assert (smallest.value, smallest.proved) == (area, True)
    for outcome in (best.outcome, smallest.outcome, satlife.find(question)):
        assert fits(outcome, question)
    assert smallest.outcome.pattern is not None
    live = smallest.outcome.pattern.crop()
    assert live.width * live.height == area


def test_what_cannot_be_completed() -> None:
    """Seven cells around a dead one: it would have to be born, or others to die."""
    question = satlife.complete(rows_of("OOO", "O.O"))
    for outcome in (
        satlife.find(question),
        satlife.optimise(question).outcome,
        satlife.optimise(question, "box").outcome,
    ):
        assert outcome.status == Status.NONE
    listing = satlife.enumerate_all(question)
    assert list(listing) == []
    assert listing.complete


def test_a_largest_population() -> None:
    """The smallest completion of three cells in a row has seven."""
    assert satlife.optimise(satlife.complete("3o!", population="<=6")).outcome.status == Status.NONE
    assert satlife.optimise(satlife.complete("3o!", population="<=7")).value == 7


def test_all_of_the_smallest() -> None:
    question = satlife.complete("3o!")
    listing = satlife.enumerate_all(question)
    found = {
        frozenset(outcome.pattern.shift(*(outcome.origin or (0, 0))).points()) for outcome in listing if outcome.pattern
    }
    assert (len(found), listing.complete) == (4, True)
    assert len(list(satlife.enumerate_all(question, most=2))) == 2
    inside = satlife.complete("3o!", margin=4, population="==7")
    assert len(list(satlife.enumerate_all(inside))) == 4


@pytest.mark.parametrize(
    ("name", "population"),
    [("3o!", 3), ("2o$o$3bo$2b2o!", 6), ("3b2o$2bo2bo$o2bobo$o3bo$o$3bo$b2o!", 13), (CLUMSY, 28)],
)
def test_stators_are_reduced(name: str, population: int) -> None:
    """With the rotor as it is; the third one, the jam, has the smallest stator there is, and the last not at all."""
    whole = parse(name)
    question = satlife.complete(whole, rotor=True)
    assert isinstance(question, Completion)
    best = satlife.optimise(question)
    assert (best.value, best.proved) == (population, True)
    assert population <= whole.population
    assert fits(best.outcome, question)
    again = satlife.complete(best.outcome.pattern or whole, rotor=True)
    assert isinstance(again, Completion)
    assert [again.given.cells[t] for t in range(again.generations)] == list(question.given.cells)


def test_a_symmetry_is_kept() -> None:
    best = satlife.optimise(satlife.complete("3o!", symmetry="D2v"))
    assert (best.value, best.proved) == (14, True)


def test_a_smaller_period_leaves_larger_margins_open() -> None:
    """A tub has four cells, so that nothing is proved about oscillators with five beyond the margin."""
    question = satlife.complete("o?o$?o?!", period=2)
    best = satlife.optimise(question)
    assert (best.value, best.bound, best.proved) == (6, 4, False)
    assert "smallest within margin" in best.outcome.reason
    inside = satlife.complete("o?o$?o?!", period=2, margin=2)
    assert satlife.optimise(inside).value == 6
    listing = satlife.enumerate_all(question)
    assert (list(listing), listing.complete) == ([], False)


def test_cells_of_another_generation() -> None:
    """The beacon has six cells in one generation and eight in the other."""
    question = satlife.complete("2o$o$3bo$2b2o!", rotor=True)
    assert satlife.optimise(question, "cells@1").value == 8


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        (Optimise(largest=True), "cannot maximise"),
        (Optimise(Measure.parse("rotor")), "cannot optimise rotor"),
        (CountAll(), "cannot count"),
        (SmallestBox(), "cannot find the smallest box"),
    ],
)
def test_what_is_asked_within_a_margin_only(goal: Goal, message: str) -> None:
    with pytest.raises(Refusal, match=message):
        finish(answer(Ask(satlife.complete("3o!"), goal), Options()))


def test_no_engine_takes_a_question_without_a_margin() -> None:
    ask = Ask(satlife.complete("3o!"))
    assert all("without a margin" in engine.refusal(ask) for engine in plan.ENGINES if type(ask.goal) in engine.goals)
    assert ask.question.place is Place.AROUND


def test_what_is_told() -> None:
    """Bounds and finds as they come, and nothing of the windows and margins in between."""
    heard: list[Event] = []
    finish(answer(Ask(satlife.complete("3o!"), Optimise()), Options()), heard.append)
    better = [event.best for event in heard if isinstance(event, Improved)]
    assert all((one.bound or 0) <= 7 for one in better)
    assert {one.value for one in better} - {None} >= {7}
    assert all(one.outcome.question.kind == "complete" for one in better)
    listed: list[Event] = []
    finish(answer(Ask(satlife.complete("3o!"), ListAll()), Options()), listed.append)
    assert any(isinstance(event, Note) and "7 cells" in event.text for event in listed)


@pytest.mark.parametrize("measure", ["cells", "box"])
def test_out_of_time(measure: str) -> None:
    best = satlife.optimise(satlife.complete("3o!", rule="B2/S"), measure, time=0)
    assert isinstance(best, Best)
    assert best.outcome.status == Status.UNKNOWN
    assert "time limit" in best.outcome.reason
    assert satlife.find(satlife.complete("3o!"), time=0).status == Status.UNKNOWN


def test_attempts_that_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A completion that is not found in its margin in time is found in a larger one."""
    whole = search.Clock.slice
    calls = iter(range(100))

    def none_at_first(clock: search.Clock) -> Budget:
        return replace(whole(clock), deadline=1.0) if next(calls) < 4 else whole(clock)

    monkeypatch.setattr(search.Clock, "slice", none_at_first)
    best = satlife.optimise(satlife.complete("o!"))
    assert (best.value, best.proved) == (4, True)
    assert satlife.find(satlife.complete("o!")).pattern is not None


def test_a_chosen_solver() -> None:
    assert satlife.optimise(satlife.complete("o!"), solver="glucose4").value == 4
    with pytest.raises(satlife.SatlifeError, match="no solver"):
        satlife.optimise(satlife.complete("o!"), solver="nobody")


def test_a_pattern_object_lies_where_it_lies() -> None:
    question = satlife.complete(Pattern.from_rows(["OO", "O."]).shift(10, -4), margin=None)
    assert isinstance(question, Completion)
    assert question.corner == (10, -4)
