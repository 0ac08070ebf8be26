"""Lists that are made by exhaustive search over cells, against those of a solver."""

from __future__ import annotations

import pytest

import satlife
from satlife.engines.cells import listing as cells
from satlife.engines.cells.engine import CellEngine
from satlife.engines.engine import Budget
from satlife.engines.options import Options
from satlife.life.pattern import TRANSFORMS
from satlife.problem import orbits, orientation
from satlife.problem.ask import Ask
from satlife.problem.families import oscillator, spaceship
from satlife.problem.goals import ListAll
from satlife.problem.problem import Problem
from satlife.search.library import Listing


def told_apart(listing: Listing) -> set[bytes]:
    found = [orbits.identity(outcome.problem, outcome.phases) for outcome in listing]
    assert listing.complete, listing.reason
    assert len(found) == len(set(found)) == listing.raw
    return set(found)


def by_cells(problem: Problem) -> bool:
    return CellEngine().suits(Ask(problem, ListAll()), Budget()) is not None


def compare(problem: Problem) -> int:
    """A list by cells and one by a solver; how many patterns there are."""
    ours, theirs = Listing(problem), Listing(problem, Options(solver="cadical195"))
    assert told_apart(ours) == told_apart(theirs), problem
    assert (ours.raw, ours.distinct) == (theirs.raw, theirs.distinct)
    assert (ours.exhaustive, theirs.exhaustive) == (by_cells(problem), False)
    return ours.raw


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small questions, too, are listed by cells."""
    monkeypatch.setattr(cells, "LARGE", 0)


@pytest.mark.usefixtures("eager")
def test_lists_of_all_images() -> None:
    """Eight images have as many answers, each listed where the question has it."""
    counts = {compare(orientation.turned(spaceship((5, 4), 4, (1, 1)), name)) for name in TRANSFORMS}
    assert len(counts) == 1
    assert min(counts) > 1


def test_what_is_large_is_listed_by_cells() -> None:
    """There is no oscillator of period 3 in 7x6, and the list says by which authority it is complete."""
    large = oscillator((7, 6), 3)
    assert by_cells(large)
    assert not by_cells(oscillator((4, 4), 2))
    assert not by_cells(satlife.still_life((12, 12)))
    listing = Listing(large)
    assert list(listing) == []
    assert listing.words == "complete by exhaustive search"
    assert listing.to_dict()["exhaustive"] is True


def test_a_list_that_runs_out_of_time_is_not_complete() -> None:
    listing = Listing(oscillator((9, 9), 5), Options(time=0.0))
    list(listing)
    assert not listing.complete
    assert not listing.exhaustive
    assert "complete" in listing.words
    assert listing.words.startswith("not complete (")


def test_a_few_are_left_to_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who wants a few answers need not search the whole box for them."""
    monkeypatch.setattr(cells, "lister", lambda *_: pytest.fail("the whole box was searched"))
    assert len(list(Listing(oscillator((8, 8), 2), goal=ListAll(3)))) == 3
