"""Soups beside the solvers."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import satlife
from events import PATIENCE
from satlife.engines.engine import Budget, Fit
from satlife.engines.soups.arena import Field, Words
from satlife.engines.soups.engine import SoupEngine, Soups, closure, cut, symmetric
from satlife.life.parts import near
from satlife.life.pattern import TRANSFORMS, Cells, transform_cells
from satlife.life.rule import Rule
from satlife.life.simulate import step_plane
from satlife.problem import families, verify
from satlife.problem.ask import Ask
from satlife.problem.symmetry import GROUPS


@pytest.mark.parametrize("group", GROUPS)
def test_a_step_of_many_soups_is_a_step_of_each(group: str) -> None:
    rng = np.random.default_rng(5)
    parts = closure(GROUPS[group])
    shapes = [(8, 8), (9, 9)] if any(TRANSFORMS[name][0] == 0 for name in parts) else [(8, 9), (9, 7), (12, 8)]
    rules = ["B3/S23", "B36/S125", "B2/S", "B3678/S34678", "B1/S012345678", "B34578/S0267"]
    for rule, shape in itertools.product(rules, shapes):
        words = symmetric(rng.integers(0, (1 << 64) - 1, (*shape, 2), np.uint64, endpoint=True), parts)
        arena = Field(*shape, parts, Rule.parse(rule))
        second = arena.step(arena.step(arena.fold(words)))
        assert np.array_equal(arena.unfold(arena.fold(words)), words)
        for word, bit in ((0, 0), (0, 63), (1, 17)):
            cells = (words[..., word] >> np.uint64(bit) & np.uint64(1)).astype(np.uint8)
            for _ in range(2):
                cells = step_plane(cells, Rule.parse(rule))[1:-1, 1:-1]
            assert np.array_equal(arena.unfold(second)[..., word] >> np.uint64(bit) & np.uint64(1), cells)


def test_symmetric_arenas_are_smaller() -> None:
    sizes = {name: Field(20, 20, closure(parts), Rule.parse("B3/S23")).shape for name, parts in GROUPS.items()}
    assert sizes["C1"] == sizes["D2/"] == (22, 22)
    assert sizes["C2"] == sizes["D2-"] == sizes["D4x"] == (12, 22)
    assert sizes["D2|"] == (22, 12)
    assert sizes["C4"] == sizes["D4+"] == sizes["D8"] == (12, 12)


def test_groups_and_symmetric_soups() -> None:
    sizes = {name: len(closure(parts)) for name, parts in GROUPS.items()}
    assert (sizes["C1"], sizes["C2"], sizes["C4"], sizes["D4x"], sizes["D8"]) == (1, 2, 4, 4, 8)
    rng = np.random.default_rng(1)
    for parts in GROUPS.values():
        group = closure(parts)
        cells = symmetric(rng.integers(0, 1 << 60, (6, 6, 1), np.uint64), group)[..., 0]
        for name in TRANSFORMS:
            same = np.array_equal(transform_cells(cells, name), cells)
            assert same == (name in group)


def test_parts_are_cut_out() -> None:
    blinker = np.zeros((12, 12), np.uint8)
    blinker[2, 1:4] = 1
    blinker[8:10, 8:10] = 1  # a block far away
    phases = [blinker]
    for _ in range(2):
        phases.append(step_plane(phases[-1], Rule.parse("B3/S23"))[1:-1, 1:-1])
    found = list(cut(phases))
    assert [cells.tolist() for cells in found[0]] == [[[0, 0, 0], [1, 1, 1], [0, 0, 0]], [[0, 1, 0]] * 3]
    assert len(found) == 1
    assert near(np.eye(3, dtype=np.uint8), 1).all()


@pytest.mark.parametrize(
    "problem",
    [
        families.oscillator((8, 8), 5),
        families.oscillator((15, 15), 3, symmetry="D8"),
        families.oscillator((16, 9), 15),
        families.oscillator((13, 13), 8, symmetry="C4"),
    ],
    ids=["octagon 2", "pulsar", "pentadecathlon", "galaxy"],
)
def test_common_oscillators(problem: satlife.Problem) -> None:
    search = Soups(problem, seed=1)
    search.begin()
    search.join(PATIENCE)
    search.stop()
    assert isinstance(search.answer, satlife.Outcome)
    verify.check(problem, search.answer.phases)
    assert search.answer.strategy == "soups"


@pytest.mark.parametrize("parity", [False, True])
def test_soups_of_the_smallest_boxes(parity: bool) -> None:
    """A box may be smaller than every soup."""
    search = Soups(families.oscillator((2, 1), 3), seed=1)
    assert {min(search._sides([2, 1], parity)) >= 3 for _ in range(50)} == {True}


def test_what_soups_are_for() -> None:
    assert not SoupEngine().suits(Ask(families.oscillator((8, 8), 2)), Budget())
    assert not SoupEngine().suits(Ask(families.spaceship((8, 8), 4, (0, -1))), Budget())
    assert not SoupEngine().suits(Ask(families.oscillator((8, 8), 3, rule="B2-a/S12")), Budget())
    assert not SoupEngine().suits(Ask(families.oscillator((8, 8), 3, strict=True)), Budget())
    assert not SoupEngine().suits(Ask(families.oscillator((8, 8), 5, symmetry="F|:1,0")), Budget())
    assert not SoupEngine().suits(Ask(families.oscillator((8, 8), 101)), Budget())
    none = satlife.find(families.oscillator((5, 5), 3))  # soups run beside, and the solver says that there is none
    assert (none.status, none.strategy != "soups") == ("none", True)


@pytest.mark.parametrize("delay", [0.0, PATIENCE])
def test_soups_stop_when_told(delay: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """While they run, and before they have begun."""
    search, begun = Soups(families.oscillator((4, 4), 7)), threading.Event()
    examine = search._oscillators

    def observed(arena: Field, soup: Words) -> Iterator[list[Cells]]:
        begun.set()
        return examine(arena, soup)

    monkeypatch.setattr(search, "_oscillators", observed)
    search.fit = Fit(delay=delay)
    search.begin().go_on()
    assert delay or begun.wait(PATIENCE)
    search.stop()
    search.join(PATIENCE)
    assert search.ended
    assert search.answer is None
    assert begun.is_set() == (not delay)
