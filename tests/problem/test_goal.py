"""Goals as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import satlife
from satlife.errors import InputError
from satlife.problem.ask import Ask, ask_from
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
    goal_from,
)
from satlife.problem.measures import KINDS, Measure

MEASURES = st.builds(
    lambda kind, time: Measure(kind, time * kind.is_timed), st.sampled_from([*KINDS.values()]), st.integers(0, 9)
)
GOAL: st.SearchStrategy[Goal] = st.one_of(
    st.just(FindOne()),
    st.builds(ListAll, st.none() | st.integers(1, 1000), st.booleans()),
    st.builds(CountAll, st.booleans()),
    st.builds(Optimise, MEASURES, st.booleans()),
    st.just(SmallestBox()),
    st.just(Atlas()),
    st.builds(FindCore, st.integers(1, 50), st.booleans(), st.booleans()),
    st.builds(FindForced, st.booleans(), st.booleans()),
)


@given(GOAL)
def test_a_goal_is_read_as_it_was_written(goal: Goal) -> None:
    assert goal_from(json.loads(json.dumps(goal.to_json_form()))) == goal


@given(GOAL)
def test_so_is_an_ask(goal: Goal) -> None:
    for question in (satlife.still_life((3, 4)), satlife.open_spaceship(3, 4, (0, -1))):
        ask = Ask(question, goal)
        assert ask_from(json.loads(ask.to_json())) == ask


def test_names_differ() -> None:
    assert {name: goal.name for name, goal in GOALS.items()} == {name: name for name in GOALS}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("cuont", "there is no goal 'cuont'; there are all, atlas, .*did you mean 'count'"),
        (3, "there is no goal 3"),
        ({}, "a goal has a `name`, one of all, "),
        ({"name": ["all"]}, "there is no goal"),
        ({"name": "all", "mst": 3}, "no field 'mst'; did you mean 'most'"),
        ({"name": "all", "most": "3"}, "'most' of the goal 'all' should be a whole number, not '3'"),
        ({"name": "all", "most": True}, "should be a whole number, not True"),
        ({"name": "all", "most": 0}, "at least one pattern"),
        ({"name": "all", "distinct": 1}, "should be true or false, not 1"),
        ({"name": "optimise", "measure": "size"}, "'size' cannot be optimised"),
        ({"name": "optimise", "measure": 3}, "what is optimised has a name"),
        ({"name": "core", "tries": 0}, "one try or more"),
        ({"name": "atlas", "known": []}, "no field 'known'"),
    ],
)
def test_what_is_no_goal(data: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        goal_from(data)
