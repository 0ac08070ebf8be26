"""The names of patterns, each against the pattern that its apgcode describes."""

from __future__ import annotations

import re

import pytest

from satlife.life.formats import apgcode
from satlife.life.identify import identify, names
from satlife.life.pattern import Pattern
from satlife.life.rule import Rule

KINDS = {"xs": "still life", "xp": "oscillator", "xq": "spaceship"}


def test_a_named_pattern_is_what_its_apgcode_says() -> None:
    for code, name in names().items():
        found = identify(apgcode.parse(code))
        kind, number = re.match(r"(x[spq])(\d+)_", code).groups()  # type: ignore[union-attr]
        assert (found.apgcode, found.name, found.kind) == (code, name, KINDS[kind])
        assert int(number) == (found.populations[0] if kind == "xs" else found.period), code


def test_each_name_is_given_once() -> None:
    assert len(set(names().values())) == len(names())


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("block", "2o$2o!"),
        ("eater 1", "2o$obo$2bo$2b2o!"),
        ("beacon", "2o$2o$2b2o$2b2o!"),
        ("bipole", "2o$obo2$2bobo$3b2o!"),
        ("tripole", "2o$obo2$2bobo$5bo$4b2o!"),
        ("quadpole", "2o$obo2$2bobo2$4bobo$5b2o!"),
        ("figure eight", "3o$3o$3o$3b3o$3b3o$3b3o!"),
        ("glider", "bo$2bo$3o!"),
        ("lightweight spaceship", "bo2bo$o$o3bo$4o!"),
        ("copperhead", "b2o2b2o$3b2o$3b2o$obo2bobo$o6bo2$o6bo$b2o2b2o$2b4o2$3b2o$3b2o!"),
        ("", "2o$obo3$o!"),
    ],
)  # fmt: skip
def test_drawings_have_their_names(name: str, drawn: str) -> None:
    assert identify(Pattern.parse(drawn), 30).name == name


@pytest.mark.parametrize(("rule", "name"), [("B36/S23", "blinker"), ("B3/S2-i34q", ""), ("B34k/S23", "blinker")])
def test_in_another_rule_a_name_needs_the_same_phases(rule: str, name: str) -> None:
    found = identify(Pattern.parse("3o!").under(Rule.parse(rule)))
    assert found.name == name
