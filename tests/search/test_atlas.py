"""The atlas of a family: minimal boxes and refuted ones, against brute force and against a search in every box."""

from __future__ import annotations

import itertools
from collections.abc import Generator
from dataclasses import replace

import numpy as np
import pytest

from events import PATIENCE
from satlife.engines.engine import Budget
from satlife.engines.events import Charted, Event, Found, Progress, RuledOut
from satlife.engines.options import Options
from satlife.errors import InputError, LimitError, SolverError
from satlife.life.pattern import Pattern
from satlife.problem import verify
from satlife.problem.ask import Ask
from satlife.problem.boxes import Boxes, Size
from satlife.problem.chart import BoxState, Chart
from satlife.problem.families import oscillator, predecessor, spaceship, still_life, torus
from satlife.problem.goals import Atlas
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.search.answer import answer
from satlife.search.goals import atlas as search
from satlife.search.goals.atlas import KnownBoxes, Survey
from satlife.search.library import atlas, find
from satlife.search.one import one
from satlife.search.race import finish

FAMILIES = {
    "period 2, mirrored": oscillator((6, 5), 2, symmetry="D2v"),
    "period 2, diagonal mirror": oscillator((6, 6), 2, symmetry="D2d"),
    "period 2, quarter turns": oscillator((6, 6), 2, symmetry="C4"),
    "quarter turn in a generation": oscillator((5, 5), 2, symmetry="R90@1"),
    "period 2 of eight cells or more": oscillator((6, 5), 2, population=">=8"),
    "strict still lifes of eight cells": still_life((6, 5), cells="8", strict=True),
    "mirrored still lifes": still_life((6, 5), cells=">=6", symmetry="D2h"),
    "glider, gliding": spaceship((6, 6), 4, (1, 1), symmetry="F\\@2"),
    "c/2, gliding": spaceship((7, 6), 4, (0, -2), symmetry="F|@2"),
    "photons": spaceship((6, 5), 1, (0, -1), rule="B2/S"),
    "B0": oscillator((4, 4), 2, rule="B01/S"),
    "two in six": spaceship((4, 4), 6, (1, 1)),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_every_box_is_as_a_search_says(name: str) -> None:
    problem = FAMILIES[name]
    chart = atlas(problem, time=PATIENCE)
    assert chart.complete
    boxes = Boxes(problem.in_the_middle)
    expected = {size: find(within, time=PATIENCE).status for size, within in boxes.within.items()}
    assert UNKNOWN not in expected.values()
    for size, status in expected.items():
        assert (chart.states[size] is BoxState.REFUTED) == (status == NONE), size
    for size in boxes.within:
        inside = [other for other in boxes.within if other != size and boxes.lies_in(other, size)]
        minimal = expected[size] == FOUND and all(expected[other] == NONE for other in inside)
        assert (chart.states[size] is BoxState.MINIMAL) == minimal, size
    assert {found.problem.size for found in chart.finds} == set(chart.having(BoxState.MINIMAL))
    for found in chart.finds:
        verify.check(boxes.within[found.problem.size], found.phases)
    assert chart.status == (FOUND if FOUND in expected.values() else NONE)


def naive(problem: Problem) -> set[Size]:
    """The boxes with a still life, by trying all patterns."""
    out = set()
    for (width, height), within in Boxes(problem).within.items():
        for bits in itertools.product((0, 1), repeat=width * height):
            cells = np.array(bits, np.uint8).reshape(height, width)
            try:
                verify.check(within, [cells])
            except verify.Refuted:
                continue
            out.add((width, height))
            break
    return out


@pytest.mark.parametrize(
    ("rule", "symmetry"),
    [
        ("B3/S23", "C1"),
        ("B3/S23", "D2v"),
        ("B35/S236", "C2"),
        ("B2/S1", "D4+"),
    ],
)
def test_brute_force(rule: str, symmetry: str) -> None:
    problem = still_life((4, 2) if symmetry == "C1" else (3, 3), rule=rule, symmetry=symmetry)
    chart = atlas(problem, time=PATIENCE)
    answered = {*chart.having(BoxState.MINIMAL), *chart.having(BoxState.ANSWER)}
    assert answered == naive(problem)
    assert chart.complete


def test_parity_is_told() -> None:
    assert atlas(oscillator((4, 3), 2, symmetry="D2v")).parities() == (
        "only boxes whose widths differ by an even number are compared"
    )
    assert "widths and heights" in Chart(oscillator((4, 3), 2, symmetry="C2"), {}).parities()
    assert "sides" in Chart(oscillator((4, 4), 2, symmetry="D8"), {}).parities()
    assert Chart(oscillator((4, 4), 2, symmetry="D2d"), {}).parities() == ""
    assert Chart(oscillator((4, 4), 2), {}).parities() == ""


def test_a_wider_box_of_the_other_parity_may_have_none() -> None:
    # The blinker, as a column, has its mirror axis on a column: it lies in 3x3, and in no box of width 4.
    chart = atlas(oscillator((4, 3), 2, symmetry="D2v"))
    assert (chart.states[3, 3], chart.states[4, 3]) == (BoxState.MINIMAL, BoxState.REFUTED)
    assert chart.largest_refuted == [(1, 3), (3, 2), (4, 3)]


def test_lies_in_is_a_partial_order() -> None:
    for symmetry in ("C1", "D2v", "D2d", "D2a", "C4", "D4x", "D8", "F\\@2"):
        boxes = Boxes(oscillator((5, 5), 2, symmetry=symmetry) if "@" not in symmetry else FAMILIES["glider, gliding"])
        for a, b, c in itertools.product(boxes.within, repeat=3):
            assert boxes.lies_in(a, a)
            assert not (boxes.lies_in(a, b) and boxes.lies_in(b, a) and a != b)
            assert boxes.lies_in(a, c) or not (boxes.lies_in(a, b) and boxes.lies_in(b, c))


def heard(problem: Problem, known: tuple[Outcome, ...] = ()) -> tuple[Chart, list[Event]]:
    events: list[Event] = []
    found = finish(answer(Ask(problem, Atlas(known)), Options(time=PATIENCE)), events.append)
    assert isinstance(found, Chart)
    return found, events


def test_events_tell_finds_refutations_and_the_chart() -> None:
    chart, events = heard(oscillator((5, 4), 2))
    found = [event.outcome.problem.size for event in events if isinstance(event, Found)]
    assert {outcome.problem.size for outcome in chart.finds} <= set(found)
    refuted = {event.question.size for event in events if isinstance(event, RuledOut)}
    assert set(chart.largest_refuted) - {(2, 4)} <= refuted  # one of a box and the turned one is asked
    charts = [event.chart for event in events if isinstance(event, Charted)]
    undecided = [len(chart.having(BoxState.UNDECIDED)) for chart in charts]
    assert undecided == sorted(undecided, reverse=True)
    assert undecided[0] == 20
    assert undecided[-1] == 0


def test_what_is_known_is_not_searched_again() -> None:
    problem = oscillator((5, 4), 2)
    chart, _ = heard(problem)
    refuted = [Outcome(chart.boxes.within[size], NONE) for size in chart.largest_refuted]
    again, events = heard(problem, (*chart.finds, *refuted))
    assert again.states == chart.states
    assert [type(event) for event in events] == [Charted]


def test_few_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Size] = []

    def counted(ask: Ask, budget: Budget, nested: bool) -> Generator[Event, None, Outcome]:
        asked.append(ask.problem.size)
        return one(ask, budget, nested=nested)

    monkeypatch.setattr(search, "one", counted)
    chart = atlas(oscillator((20, 20), 2), time=PATIENCE)
    assert chart.complete
    assert len(asked) <= 20  # of 400 boxes
    assert all(width >= height for width, height in asked)  # a high box is the wide one, turned


def test_time_is_up() -> None:
    chart = atlas(oscillator((8, 8), 3), time=0)
    assert chart.status == UNKNOWN
    assert not chart.complete
    assert len(chart.having(BoxState.UNDECIDED)) == 64
    assert chart.smallest_undecided == [(1, 1)]
    assert "64 of 64 boxes undecided (the time limit was reached)" in repr(chart)


class Unable(KnownBoxes):
    """Cannot decide boxes of more than eight cells, however much time there is."""

    def ask(self, ask: Ask, budget: Budget) -> Generator[Event, None, Outcome]:
        if ask.problem.width * ask.problem.height <= 8:
            return (yield from super().ask(ask, budget))
        return Outcome(ask.problem, UNKNOWN, reason="out of memory")


def test_what_more_time_does_not_help_ends() -> None:
    chart = finish(search.atlas(oscillator((4, 4), 2), Budget(), Unable()))
    assert chart.reason == "out of memory"
    assert not chart.complete
    assert chart.smallest_undecided == [(3, 3)]


class Slow(KnownBoxes):
    """Knows all boxes, but tells those of more than eight cells only to who gives it four seconds, of a clock that it
    moves itself."""

    def __init__(self, chart: Chart, now: list[float]) -> None:
        super().__init__()
        self.chart, self.now = chart, now
        self.slices: list[float] = []

    def ask(self, ask: Ask, budget: Budget) -> Generator[Event, None, Outcome]:
        yield Progress("slow", "")
        problem, seconds = ask.problem, budget.deadline - self.now[0]
        if problem.width * problem.height > 8 and seconds < 4:
            self.slices.append(seconds)
            self.now[0] += seconds
            return Outcome(problem, UNKNOWN, reason="no time")
        moved = (self.chart.boxes.moved_into(found, problem.size) for found in self.chart.finds)
        return next((found for found in moved if found), Outcome(problem, NONE))


def test_slices_grow_until_every_box_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, now = atlas(still_life((4, 4), cells="8")), [1000.0]
    slow = Slow(expected, now)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    chart = finish(search.atlas(expected.question, Budget(), slow))
    assert chart.complete
    assert chart.states == expected.states
    assert sorted(set(slow.slices)) == [1.0, 2.0]


def test_a_find_in_a_refuted_box_is_an_error() -> None:
    problem = oscillator((4, 4), 2)
    survey = Survey(problem)
    survey.enter(Outcome(replace(problem, width=3, height=3), NONE))
    with pytest.raises(SolverError, match="3x3 was refuted, but has a solution"):
        survey.enter(find(replace(problem, width=3, height=3)))


def test_a_find_that_was_not_known_to_be_minimal_is_replaced() -> None:
    problem = spaceship((8, 8), 4, (1, 1))
    survey = Survey(problem)
    glider = find(spaceship((4, 3), 4, (1, 1)))
    wide = np.zeros((8, 8), np.uint8)
    phases = []
    for phase in glider.phases:
        cells = wide.copy()
        cells[2:5, 3:7] = phase
        phases.append(cells)
    new = survey.enter(Outcome(problem, FOUND, tuple(phases)))
    assert [found.problem.size for found in new] == [(4, 3), (3, 4)]
    assert set(survey.finds) == {(4, 3), (3, 4)}
    assert survey.chart().states[4, 3] is BoxState.ANSWER  # what is below is not known
    assert survey.enter(glider) == []


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (torus((4, 4), 2), "nothing that wraps around"),
        (oscillator((3, 3), 2, known=[[["1", "*", "*"]] * 3]), "no known cells"),
        (replace(predecessor(Pattern.from_rows(["O"])), cells=()), "periodic patterns"),
    ],
)
def test_what_has_no_atlas_is_refused(problem: Problem, message: str) -> None:
    with pytest.raises(InputError, match=message):
        atlas(problem)


def test_too_many_boxes_are_refused() -> None:
    with pytest.raises(LimitError, match="beyond the limit"):
        atlas(still_life((200, 200)))
