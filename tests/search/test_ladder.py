"""The ladder of smaller questions: it finds in generous boxes, never refutes, and stops when it is told to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from campaign.nested import compared

import satlife
from events import deadline_after
from satlife import native
from satlife.engines.engine import Budget, Fit
from satlife.engines.events import Event, Note, Progress, RuledOut
from satlife.engines.options import Options
from satlife.engines.rows.engine import OpenBoxEngine
from satlife.errors import InputError
from satlife.life.formats import rle
from satlife.problem import nested
from satlife.problem.anybox import AnyBox
from satlife.problem.ask import Ask
from satlife.problem.nested import Chain
from satlife.problem.outcome import NONE, Outcome
from satlife.problem.question import Question
from satlife.search import ladder, plan
from satlife.search.islands import IslandFinder
from satlife.search.ladder import Climber, Ladder
from satlife.search.one import climb, one
from satlife.search.race import finish, race

needs_numba = pytest.mark.skipif(not native.is_installed(), reason="needs Numba")


def heard(events: Generator[Event, None, Any]) -> tuple[Any, list[Event]]:
    told: list[Event] = []
    return finish(events, told.append), told


@needs_numba
@pytest.mark.parametrize(
    ("question", "apgcode"),
    [
        (satlife.spaceship((20, 20), 4, (1, 1)), "xq4_153"),
        (satlife.spaceship((20, 18), 4, (0, -2), symmetry=()), "xq4_6"),  # a small ship, or two side by side
        (satlife.open_spaceship(12, 4, (0, -2)), "xq4_6"),
        (AnyBox(satlife.spaceship((3, 3), displacement="c/2"), multiples=True), "xq4_6"),
        (AnyBox(satlife.oscillator((3, 3), 2)), "xp2_7"),
    ],
    ids=str,
)
def test_the_smaller_questions_alone_find_what_has_room(question: Question, apgcode: str) -> None:
    outcome, told = heard(climb(Ask(question), Budget.for_search(Options(jobs=2)), 600.0))
    assert outcome.apgcode.startswith(apgcode)
    assert question.case(outcome.problem) == outcome.problem
    satlife.check(outcome.problem, outcome.phases)
    assert any(isinstance(event, Progress) and event.words.startswith("trying") for event in told)


@pytest.mark.parametrize(
    ("box", "fit"),
    [
        (satlife.open_spaceship(14, 7, (0, -2), symmetry="D2v"), ladder.BESIDE_TIGHT),
        (satlife.open_spaceship(20, 6, (0, -1), symmetry="D2v"), ladder.BESIDE),  # 10 columns to choose
        (satlife.open_spaceship(12, 5, (0, -2)), ladder.BESIDE),  # the ship in it is narrower and has a mirror
        (satlife.spaceship((14, 9), 4, (0, -1)), ladder.BESIDE),
    ],
    ids=str,
)
def test_beside_a_search_that_ends_soon_they_take_little(box: Question, fit: Fit) -> None:
    """What says "none" is the search of the whole; what else computes makes it dearer."""
    assert plan.LADDER.fit(Ask(box), Budget.for_search(Options())) is fit


@needs_numba
def test_what_they_refute_is_told_and_true() -> None:
    outcome, told = heard(climb(Ask(satlife.spaceship((6, 6), 3, (1, 1))), Budget.for_search(Options()), 600.0))
    assert outcome is None  # every part was refuted, and that does not refute the whole
    refuted = [event.question for event in told if isinstance(event, RuledOut)]
    assert refuted
    assert all(satlife.find(question).status == NONE for question in refuted)


def test_what_they_refute_is_told_with_the_time_of_all_its_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of which the first are in vain."""
    run = Ladder(plan.entrants, Ask(satlife.oscillator((9, 9), 3)), Budget.for_search(Options()))
    tries: Counter[Question] = Counter()

    def tried(rung: Question, climber: Climber) -> tuple[Outcome | None, float]:
        tries[rung] += 1
        return Outcome(rung, NONE) if tries[rung] == 3 else None, float(tries[rung])

    monkeypatch.setattr(run, "_try", tried)
    for climber in run.climbers[:1]:
        while rung := climber.next(run.refuted):
            run._climb(climber, rung)
    refuted = [event for event in run.events if isinstance(event, RuledOut)]
    assert refuted
    assert {event.seconds for event in refuted} == {1.0 + 2.0 + 3.0}


def test_it_may_find_and_not_refute() -> None:
    ask, budget = Ask(satlife.oscillator((9, 9), 3)), Budget.for_search(Options())
    fit = plan.LADDER.suits(ask, budget)
    assert fit is not None
    assert not fit.refutes
    assert plan.LADDER.suits(Ask(satlife.torus((9, 9), 3)), budget) is None


def test_it_does_not_take_part_where_the_user_chose_how_to_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder.Ladder, "begin", lambda self: pytest.fail("the ladder was started"))
    assert satlife.find(satlife.still_life((6, 6)), strategy="plain").status == "found"


@needs_numba
def test_a_strip_too_wide_for_a_whole_search_is_searched_in_part() -> None:
    outcome, told = heard(one(Ask(satlife.open_spaceship(40, 4, (0, -2))), Budget.for_search(Options())))
    assert outcome.apgcode.startswith("xq4_")
    assert any(isinstance(event, Note) and "only smaller questions" in event.text for event in told)


@needs_numba
def test_what_is_known_to_be_refuted_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested, "SMALL", ())
    question = AnyBox(satlife.spaceship((3, 3), 4, (0, -2)))
    known = (satlife.open_spaceship(4, 4, (0, -2)),)
    _, told = heard(climb(Ask(question, refuted=known), Budget.for_search(Options(jobs=1)), 600.0))
    tried = {event.words.split(";")[0] for event in told if isinstance(event, Progress)}
    assert "trying 5x*" in tried
    assert not tried & {"trying 1x*", "trying 2x*", "trying 3x*", "trying 4x*", "trying 4x* D2|"}


def test_a_question_that_runs_out_of_time_comes_again_with_more() -> None:
    rungs: list[Question] = [satlife.still_life((side, side)) for side in (3, 4, 5, 6)]
    climber = Climber(Chain(iter(rungs)))
    first = climber.slice
    seen = []
    for _ in range(2):
        rung = climber.next([])
        assert rung is not None
        seen.append(rung.size[0])
        climber.postpone(rung)
    again = climber.next([])
    assert again is not None
    assert (seen, again.size[0]) == ([3, 4], 3)
    assert climber.slice == first * ladder.GROWTH
    climber.forget()
    following = [climber.next([rungs[3]]) for _ in range(2)]  # 6x6 is refuted, and everything in it
    assert following == [None, None]
    assert climber.ended


def test_the_chain_with_the_least_time_goes_on() -> None:
    run = Ladder(plan.entrants, Ask(satlife.oscillator((9, 9), 3)), Budget.for_search(Options()))
    first = run._next(0)
    assert first is not None
    first.spend(1.0)
    second = run._next(0)
    assert second is not first


def test_what_is_decided_at_once_comes_first_and_alone() -> None:
    """For a ship without a box: small boxes, with all multiples of the period, until one takes longer."""
    run = Ladder(
        plan.entrants,
        Ask(AnyBox(satlife.spaceship((3, 3), displacement="c/2"), multiples=True)),
        Budget.for_search(Options()),
    )
    first = run._next(0)
    assert first is not None
    seen = [rung for _ in range(5) if (rung := first.next([]))]
    assert [(rung.size[0], rung.generations) for rung in seen] == [(4, 2), (4, 4), (4, 6), (4, 8), (6, 2)]
    first.busy = True
    assert run._next(1) is None
    first.postpone(seen[4])
    assert run._next(1) not in (None, first)


def test_a_chain_that_lacks_kernels_rests_while_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Ladder(plan.entrants, Ask(satlife.open_spaceship(8, 3, (0, -1))), Budget.for_search(Options()))
    monkeypatch.setattr(OpenBoxEngine, "lacks", lambda engine, ask: True)
    resting = run._next(0)
    assert resting is not None
    rung = resting.next([])
    assert rung is not None
    with deadline_after(100):  # the clock stands still
        run._climb(resting, rung)
        assert run._next(0) not in (None, resting)
    assert resting.next([]) is rung


def test_an_error_in_a_thread_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("broken")

    monkeypatch.setattr(ladder, "chosen", broken)
    run = Ladder(plan.entrants, Ask(AnyBox(satlife.oscillator((3, 3), 3))), Budget.for_search(Options(jobs=2)), Fit())
    with pytest.raises(ZeroDivisionError, match="broken"):
        run.search()


def test_a_question_that_no_engine_takes_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise InputError("not for me")

    monkeypatch.setattr(ladder, "chosen", refused)
    run = Ladder(plan.entrants, Ask(satlife.oscillator((7, 7), 3)), Budget.for_search(Options()))
    assert run.search() is None
    assert run.tried > 8
    assert run.refuted == []


@pytest.mark.parametrize(
    "problem",
    [
        satlife.oscillator((3, 3), 3),
        satlife.spaceship((5, 5), 4, (1, 1), rule="B36/S23"),
        satlife.oscillator((4, 3), 2, rule="345/2/4"),
        satlife.oscillator((5, 5), 2, strict=True),
        satlife.oscillator((5, 5), 2, population=">=5", symmetry="C2"),
    ],
    ids=str,
)
def test_the_status_is_the_same_with_and_without_them(problem: satlife.Problem) -> None:
    assert compared(problem) == ""


def test_a_question_without_a_box_is_for_one_find() -> None:
    with pytest.raises(InputError):
        satlife.optimise(AnyBox(satlife.oscillator((3, 3), 2)))
    with pytest.raises(InputError):
        list(satlife.enumerate_all(AnyBox(satlife.oscillator((3, 3), 2)), most=2))
    with pytest.raises(InputError, match="give one"):
        satlife.find(AnyBox(satlife.oscillator((3, 3), 2)), solver="cadical153")


def test_a_list_of_one_is_a_search_for_one() -> None:
    listing = satlife.enumerate_all(satlife.spaceship((14, 14), 4, (1, 1)), most=1)
    assert [bool(outcome) for outcome in listing] == [True]
    assert (listing.raw, listing.complete) == (1, False)
    none = satlife.enumerate_all(satlife.oscillator((3, 3), 3), most=1)
    assert (list(none), none.status, none.complete) == ([], "none", True)


# Islands.
GLIDER = "bo$2bo$3o!"


def partial(text: str, size: int, x: int, y: int) -> Any:
    pattern = rle.parse(f"x = 0, y = 0, rule = B3/S23\n{text}")
    cells = np.full((size, size), 255, np.uint8)
    cells[: size // 2] = 0
    cells[y : y + pattern.height, x : x + pattern.width] = pattern.cells
    return cells


def test_a_finished_island_is_an_answer() -> None:
    ask = Ask(satlife.spaceship((14, 14), 4, (1, 1)))
    cells = partial(GLIDER, 14, 1, 1)
    cells[12, 12:14] = 1  # something unfinished elsewhere
    found = IslandFinder(ask).look((cells,))
    assert found is not None
    assert found.apgcode == "xq4_153"
    satlife.check(ask.problem, found.phases)


@pytest.mark.parametrize(
    "ask",
    [
        Ask(satlife.spaceship((14, 14), 4, (1, -1))),  # it moves elsewhere
        Ask(satlife.spaceship((14, 14), 4, (1, 1), population="<=4")),
        Ask(satlife.oscillator((14, 14), 4)),
        Ask(satlife.spaceship((14, 14), 4, (1, 1)), satlife.ListAll()),
        Ask(satlife.torus((14, 14), 4, (1, 1))),
    ],
    ids=str,
)
def test_an_island_that_does_not_answer_is_none(ask: Ask) -> None:
    assert IslandFinder(ask).look((partial(GLIDER, 14, 1, 1),)) is None


@pytest.mark.parametrize("resume", [None, "saved"])
def test_an_island_ends_the_race(monkeypatch: pytest.MonkeyPatch, resume: str | None) -> None:
    """The engines of a question whose partial solution contains an answer are stopped.  In a search that is resumed it
    may be one that was found before, or without the given head."""
    ask, budget = Ask(satlife.spaceship((9, 9), 4, (1, 1))), replace(Budget.for_search(Options()), resume=resume)
    entrants = [entrant for entrant in plan.entrants(ask, budget) if entrant.engine.name == "sat"]
    start, stopped = entrants[0].engine.start, []

    class Engine(type(entrants[0].engine)):  # type: ignore[misc]
        def start(self, ask: Ask, budget: Budget) -> Any:
            run = start(ask, budget)
            run.events.append(Progress("sat", "", (partial(GLIDER, 9, 1, 1),)))
            monkeypatch.setattr(run, "stop", lambda stop=run.stop: stopped.append(stop()))
            return run

    outcome = finish(race(ask, [type(entrants[0])(Engine(), entrants[0].fit)], budget))
    assert isinstance(outcome, Outcome)
    assert (outcome.status, outcome.strategy == "an island", len(stopped)) == ("found", resume is None, 1)
    assert resume or outcome.apgcode == "xq4_153"
