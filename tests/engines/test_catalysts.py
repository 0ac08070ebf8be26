"""The search for catalysts, compared with brute force; and what was known before is found again."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from campaign import catalysts

import satlife
from satlife.engines.catalysts import kernel, search, still, world
from satlife.engines.catalysts.search import CatalystSearch
from satlife.errors import InputError
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.simulation import Refuted
from uncompiled import uncompile

#: A glider flies towards unknown cells.
GLIDER = """x = 17, y = 12, rule = LifeHistory
5.12B$5.12B$.A3.12B$2.A2.12B$3A2.12B$5.12B$5.12B$5.12B$5.12B$5.12B$5.12B$5.12B!"""


@pytest.mark.parametrize("seed", range(4))
def test_brute_force_agrees(seed: int) -> None:
    """The campaign draws more of them."""
    problem = catalysts.drawn(random.Random(seed))
    assert catalysts.compared(problem) == "", problem.to_json()


def test_an_eater_of_a_glider() -> None:
    problem = satlife.catalyst(GLIDER, first_active="0..12", active="0..20", ever_bounds=(4, 4), eaten=True)
    best = satlife.optimise(problem)
    assert best.proved
    assert best.value == 5 + 7  # a glider and eater 1
    asked = problem.get(Catalyst)
    assert asked is not None
    still = satlife.Pattern(asked.still_life(best.outcome.phases[0])).crop()
    assert satlife.identify(still).apgcode == "xs7_178c"


def test_a_list_has_one_of_each_perturbation_and_is_complete() -> None:
    problem = satlife.catalyst(GLIDER, first_active="0..6", active="0..6", max_active=6)
    listing = satlife.enumerate_all(problem)
    found = list(listing)
    assert listing.complete
    assert len(found) == 2
    assert listing.summary() == "2 perturbations, one pattern of each; complete by exhaustive search"
    assert listing.to_dict()["one_of_each"] == "perturbation"
    assert all("#C the catalyst has recovered in generation" in one.rle() for one in found)


def test_a_count_says_what_it_counts() -> None:
    """Still lifes that perturb alike are not told apart; of other questions solutions are counted."""
    counted = satlife.count(satlife.catalyst(GLIDER, first_active="0..6", active="0..6", max_active=6))
    assert (int(counted), counted.to_dict()["one_of_each"]) == (2, "perturbation")
    assert repr(counted) == "<Count: 2 perturbations, counted by listing>"
    assert satlife.count(satlife.still_life((2, 2))).to_dict()["one_of_each"] is None


def test_a_lightweight_spaceship_is_eaten_by_blocks() -> None:
    lwss = satlife.Pattern.from_rows([".O..O", "O....", "O...O", "OOOO."])
    found = satlife.find(satlife.eater((9, 9), generations=12, of=lwss))
    assert "nothing is left of the active pattern" in found.rle()
    with pytest.raises(InputError, match="lane and phase"):
        satlife.eater(of=lwss, lane=1)


def test_there_is_none() -> None:
    outcome = satlife.find(satlife.catalyst(GLIDER, first_active="0..6", active="0..6", max_active=0, eaten=True))
    assert (outcome.status, outcome.exhaustive) == ("none", True)


def test_a_search_goes_on_with_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = satlife.catalyst(GLIDER, first_active="0..6", active="0..6", max_active=6)
    plain = [found.start for found in CatalystSearch(problem).catalysts() if found]
    monkeypatch.setattr(world, "ROOM", 64)
    monkeypatch.setattr(search, "STEPS", 2000)
    cut = [found.start for found in CatalystSearch(problem).catalysts() if found]
    assert np.array_equal(plain, cut)


def test_the_kernel_returns_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A branch of a reaction that goes on for long is not a moment's work, so that it is no measure of time."""
    whole = CatalystSearch(satlife.catalyst(satlife.Pattern.from_rows([".OO", "OO.", ".O."])))
    monkeypatch.setattr(search, "STEPS", 1000)
    looks, branches = whole.still.used, []
    for _ in itertools.islice(whole.catalysts(), 30):
        branches.append((int(looks[still.LOOKS]), whole.branches))
    assert max(after[0] - before[0] for before, after in itertools.pairwise(branches)) < 20_000
    assert branches[-1][1] < 3000


def test_the_kernel_does_what_it_says_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled kernel and the same text as plain Python search the same tree."""
    problem = catalysts.drawn(random.Random(89))
    compiled, plain = CatalystSearch(problem), CatalystSearch(problem)
    found = [one.start for one in compiled.catalysts() if one]
    assert found
    uncompile(monkeypatch, kernel, still)
    assert np.array_equal(found, [one.start for one in plain.catalysts() if one])
    assert plain.branches == compiled.branches


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"first_active": "7..3"}, "should ascend"),
        ({"first_active": "x"}, "such as 3..7"),
        ({"stable": 0}, "at least one generation"),
        ({"active": "0..5000"}, "longer than the limit"),
        ({"rule": "B0/S23"}, "without B0"),
        ({"around": 0}, "within 1 to 100"),
    ],
)
def test_wrong_questions(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        satlife.catalyst(GLIDER, **arguments)  # type: ignore[arg-type]


def test_a_rule_that_is_not_outer_totalistic_is_left_to_the_solvers() -> None:
    short = {"first_active": "0..4", "active": "0..2", "stable": 2, "max_active": 3, "rule": "B3/S2-i3"}
    found = satlife.find(satlife.catalyst(GLIDER, **short))  # type: ignore[arg-type]
    assert (found.status, found.strategy != "catalysts") == ("found", True)
    with pytest.raises(InputError, match="perturb alike"):
        list(satlife.enumerate_all(satlife.catalyst(GLIDER, **short)))  # type: ignore[arg-type]


def test_a_find_is_simulated() -> None:
    problem = satlife.catalyst(GLIDER, first_active="0..12", active="0..20", ever_bounds=(4, 4), eaten=True)
    asked = problem.get(Catalyst)
    assert asked is not None
    found = satlife.find(problem)
    assert found
    asked.reaction(problem.rule, found.phases[0])
    with pytest.raises(Refuted, match="no interaction"):
        asked.reaction(problem.rule, asked.layer("A"))
    broken = found.phases[0].copy()
    broken[tuple(np.argwhere(asked.still_life(broken))[0])] = 0
    with pytest.raises(Refuted, match="no still life"):
        asked.reaction(problem.rule, broken)


def test_a_question_survives_json_and_every_image_of_it_has_the_same_answers() -> None:
    from satlife.life.pattern import TRANSFORMS
    from satlife.problem import orientation

    for seed in (3, 7, 11, 20):
        problem = catalysts.drawn(random.Random(seed))
        assert satlife.Problem.from_json(problem.to_json()) == problem
        counts = set()
        for name in TRANSFORMS:
            image = orientation.turned(problem, name)
            assert orientation.turned(image, orientation.INVERSES.get(name, name)) == problem
            counts.add(sum(1 for found in CatalystSearch(image).catalysts() if found))
        assert len(counts) == 1


def test_whoever_eats_is_whole_at_the_end() -> None:
    """The check, the search and the clauses agree: given cells that may be active without limit must be back, too."""
    reaction = "x = 8, y = 6, rule = LifeHistory\n4.4B$4.4B$4.4B$2.A.BC2B$.A$3.A!"
    problem = satlife.catalyst(reaction, first_active="0..5", active="0..7", stable=1, eaten=True, rule="B36/S23")
    drawn = ["....OO..", ".....O..", "....O...", "..O.OO..", ".O......", "...O...."]
    start = satlife.Pattern.from_rows(drawn, problem.rule).cells
    with pytest.raises(Refuted, match="more, or less, than the still life"):
        problem.conditions[0].check(problem, [start])
    assert satlife.find(problem).status == "none"
