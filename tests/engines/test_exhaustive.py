"""The simulation of all patterns: beside brute force, which is plain Python, and beside the other engines."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import numpy as np
import pytest
from campaign import simulated
from campaign.case import Case
from campaign.random_questions import random_question, size

import satlife
from events import PATIENCE
from satlife.engines.engine import Budget, Fit
from satlife.engines.exhaustive.diagram import Circuit, Words
from satlife.engines.exhaustive.engine import ExhaustiveEngine
from satlife.engines.exhaustive.patterns import AllPatterns, unpacked
from satlife.engines.exhaustive.run import AHEAD, ExhaustiveRun
from satlife.errors import Refusal
from satlife.life.rule import LIFE, Rule
from satlife.limits import TIME_LIMIT
from satlife.problem.answers import Count
from satlife.problem.ask import Ask
from satlife.problem.goals import CountAll, ListAll
from satlife.problem.problem import Problem
from small_questions import KINDS, random_rule

MOST = 128  # first generations in brute force
TORUS = satlife.torus((5, 4), 3, rule="B3-ae4yz/S2-in3-j")  # a solver takes many seconds


# The rule as a circuit.
def blocks(choices: int) -> list[Words]:
    """All blocks of nine cells, with the choices after them."""
    numbers = np.arange(1 << (9 + choices)).reshape(-1, 64)
    cells = [*range(8, -1, -1), *range(9, 9 + choices)]
    bits = [numbers >> cell & 1 for cell in cells]
    return [np.packbits(bit.astype(np.uint8), axis=1, bitorder="little").view("<u8") for bit in bits]


@pytest.mark.parametrize("kind", [*KINDS, "constant"])
def test_a_circuit_is_its_rule(kind: str) -> None:
    rng = np.random.default_rng(3)
    for rule in [Rule(bytes([entry] * 512)) for entry in (0, 1)] if kind == "constant" else [random_rule(kind, rng)]:
        assert unpacked(Circuit(rule.table)(blocks(0))).ravel().tolist() == list(rule.table)


def test_a_circuit_of_a_partial_rule_asks_for_the_choices() -> None:
    rule = Rule.parse("B36ck?/S2a?3-a")
    choices = len(rule.classes)
    values = unpacked(Circuit(rule.table)(blocks(choices))).reshape(-1, 512)
    for number, table in enumerate(values.tolist()):
        assert bytes(table) == rule.resolve([bool(number >> k & 1) for k in range(choices)]).table


# Beside others.
@pytest.mark.parametrize("seed", range(100))
def test_every_goal_beside_brute_force(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)

    def suits(problem: Problem) -> bool:
        return not ExhaustiveEngine().refusal(Ask(problem)) and size(problem) <= MOST

    case = Case(*random_question(rng, rolled_up=seed % 4 == 0, suits=suits), rng, tmp_path)
    assert simulated.exhaustive(case) == ""


def test_known_counts() -> None:
    assert satlife.count(satlife.still_life((5, 5)), strategy="exhaustive").value == 416
    by_table = satlife.count(satlife.still_life((4, 4)), by_population=True)
    simulated = run(Ask(satlife.still_life((4, 4)), CountAll(by_population=True))).answer
    assert isinstance(simulated, Count)
    assert (by_table.how, simulated.how) == ("by transfer matrix", "by simulating every pattern")
    assert simulated.by_population == by_table.by_population


def test_counts_by_population_where_there_is_no_table() -> None:
    found = satlife.count(satlife.torus((4, 4), 4), by_population=True)
    assert found.by_population == (0, 0, 0, 0, 0, 0, 64)


# The patterns.
def test_patterns_whose_sides_give_birth_outside_are_not_simulated() -> None:
    patterns = AllPatterns(satlife.oscillator((5, 5), 2))
    words = sum(len(words) for _, words in patterns.batches())
    assert (len(patterns.free), words) == (25, 170512)  # of 524,288


def test_a_symmetry_makes_cells_the_same() -> None:
    assert len(AllPatterns(satlife.oscillator((8, 8), 2, symmetry="D8")).free) == 10
    assert len(AllPatterns(satlife.torus((4, 4), 2, rule=LIFE)).free) == 16


def test_what_is_too_large_or_has_more_states_is_refused() -> None:
    with pytest.raises(Refusal, match="up to 26 free cells"):
        satlife.find(satlife.still_life((9, 3)), strategy="exhaustive")
    with pytest.raises(Refusal, match="up to 26 free cells"):
        satlife.find(satlife.still_life((12, 12), symmetry="C2"), strategy="exhaustive")
    with pytest.raises(Refusal, match="more than two states"):
        satlife.find(satlife.oscillator((3, 3), 3, rule="/2/3"), strategy="exhaustive")


# In the race.
def run(ask: Ask, deadline: float = 0.0) -> ExhaustiveRun:
    """A run that has ended."""
    begun = ExhaustiveRun(ask, Budget(deadline, strategy="exhaustive"), Fit(refutes=True))
    begun.begin()
    begun.join()
    return begun


def test_it_is_soon_enough_for_wild_rules() -> None:
    for problem in (TORUS, TORUS.having(tight=True)):
        found = satlife.find(problem, time=PATIENCE)
        assert (found.status, found.strategy, found.exhaustive) == ("none", "exhaustive", True)


@pytest.mark.parametrize("goal", [None, CountAll(), ListAll()])
def test_it_ends_at_the_deadline_and_when_it_is_stopped(goal: CountAll | ListAll | None) -> None:
    ask = Ask(TORUS, goal) if goal else Ask(TORUS)
    late = run(ask, deadline=1.0)
    assert late.reason == TIME_LIMIT
    stopped = ExhaustiveRun(ask, Budget(), Fit(refutes=True))
    stopped.stopped.set()
    assert not stopped.search() or not getattr(stopped.search(), "complete", True)
    assert stopped.reason == "stopped"


def test_finds_wait_for_who_hears_them() -> None:
    """Else a list goes on long after its time limit: with what was found before, and is not shown yet."""

    class Listener(threading.Event):
        heard = 0

        def wait(self, timeout: float | None = None) -> bool:
            self.heard += len(listing.events)
            assert len(listing.events) == AHEAD
            listing.events.clear()
            return False

    listing = ExhaustiveRun(Ask(satlife.torus((4, 4), 2, rule="B3/S345"), ListAll()), Budget(), Fit(refutes=True))
    listing.stopped = listener = Listener()
    assert listing.search() is not None
    assert len(listing.events) < AHEAD
    assert listener.heard + len(listing.events) == satlife.count(listing.problem).value
