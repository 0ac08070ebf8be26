"""How much of its tree a search over cells has explored: never more than is true, and more and more."""

from __future__ import annotations

import numpy as np
import pytest

import satlife
from satlife.engines.cells.explored import FIRST, Branch, SearchTree, explored
from satlife.engines.cells.search import CellSearch
from satlife.engines.cells.sharing import WorkSharingSearch
from satlife.problem.outcome import Status

pytest.importorskip("numba")


@pytest.mark.parametrize(("learning", "guess"), [(True, "dead"), (False, "alive")])
def test_it_grows_from_nothing(learning: bool, guess: str) -> None:
    """With learning, a search that has just jumped back has a shorter path, from which less can be seen."""
    search, steps = (
        CellSearch(satlife.oscillator((5, 5), 3), learning=learning, guess=guess),
        20_000 if learning else 10_000,
    )
    search._steps = steps
    tree, shares = SearchTree(search), [explored(SearchTree(search), *search.places())]
    while not search.step():
        search._steps = steps
        shares.append(explored(tree, *search.places()))
    assert search.conclude() is Status.NONE
    assert shares[0] == 0
    assert max(shares) < 1
    assert len(set(shares)) > 15
    if not learning:
        assert shares == sorted(shares)


@pytest.mark.parametrize("learning", [True, False])
def test_what_is_not_found_yet_lies_ahead(learning: bool) -> None:
    """The solutions of a question, each with its share of the tree: those that come later are never counted."""
    problem = satlife.still_life((4, 3))
    search = CellSearch(problem, learning=learning)
    tree, order = SearchTree(search), search.model.order[:FIRST]
    unbound = np.zeros(len(order), np.bool_)
    weights, shares = [], []
    while search.run() is Status.FOUND:
        weights.append(tree.left(Branch(search._state.value[2 * order], unbound, order.astype(np.uint8))))
        shares.append(explored(tree, *search.places()))
    ahead = np.cumsum(weights[::-1])[::-1]  # the solution itself and all later ones
    assert len(weights) > 20
    assert 0 < ahead[0] <= 1
    assert all(share <= 1 - more for share, more in zip(shares, ahead, strict=True))


def test_searches_that_divide_a_question_are_added_up() -> None:
    """One gives a part away, which counts as unexplored in nobody's hands and in those of another."""
    first = CellSearch(satlife.oscillator((6, 5), 3))
    team = WorkSharingSearch([first, first.sibling("alive")])
    tree = SearchTree(first)
    first._steps = 1000
    assert not first.step()
    before = explored(tree, *team.places())
    part = first.share()
    assert part is not None
    first._path = first._where()
    assert explored(tree, *team.places()) == before + tree.left_of(part)  # nobody has the part
    team._give(part)
    assert explored(tree, *team.places()) == pytest.approx(before)
    team._waiting = 0
    assert team._take(1)
    assert explored(tree, *team.places()) == pytest.approx(before)
    while not team.members[1].step():
        assert explored(tree, *team.places()) >= before - 1e-12
    team._end(1, team.members[1].conclude())
    assert explored(tree, *team.places()) == pytest.approx(before + tree.left_of(part))
    assert team.run() is Status.NONE
    assert explored(tree, *team.places()) == 1
