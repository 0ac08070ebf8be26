"""The campaign: tests of its brute force, and one attempt of every part; rounds are for `scripts/soak`."""

from __future__ import annotations

import importlib
import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from campaign import __main__ as campaign
from campaign import (
    agreement,
    attempt,
    automaton,
    batch,
    completions,
    disk,
    drawings,
    files,
    knuth_models,
    limits,
    lines,
    open_boxes,
    orphans,
    pasts,
    process,
    random_questions,
    requests,
    strips,
    windows,
)
from campaign.agreement import Vote
from campaign.attempt import Attempt
from campaign.brute_force import BruteForce, best, phases_of, smallest_area
from campaign.claims import is_true

import satlife
from events import PATIENCE
from satlife import native
from satlife.life import formats
from satlife.life.pattern import Pattern
from satlife.problem.conditions.population import Bound
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Find
from satlife.proof.claims.best import ClaimBest
from satlife.proof.claims.find import ClaimNone
from satlife.proof.claims.lists import ClaimAll


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The campaign measures how soon something ends or is answered; tests only wait for it."""
    limits = [(process, "SOON"), (disk, "SECONDS"), (files, "CPU"), (files, "HANGS"), (requests, "MAX_SECONDS")]
    for module, name in limits:
        monkeypatch.setattr(module, name, PATIENCE)


def run(part: str, seed: int = 1) -> None:
    """The first attempt of a round, which may not fail."""
    said: list[str] = []
    score = attempt.run(importlib.import_module(f"campaign.{part}"), seed, None, 1, said.append)
    assert score.tries == 1
    assert not score.failures, "\n".join(line for line in said if line.startswith("FAILED"))


@pytest.mark.slow
def test_questions() -> None:
    run("questions")


@pytest.mark.slow
def test_bundles() -> None:
    run("bundles")


def test_files() -> None:
    run("files")


def test_requests() -> None:
    run("requests")


@pytest.mark.slow
def test_disk() -> None:
    run("disk")


@pytest.mark.slow
def test_interrupts() -> None:
    run("interrupts", seed=28)  # a search, which needs no files


def test_limits(tmp_path: Path) -> None:
    """The clock of a shared machine decides nothing here: what was late once, or twice, is tried again."""
    for late, wrong in (([0.5], ""), ([3.0, 0.5], ""), ([9.0, 4.0, 2.0], "2.0 s too late, 3 times")):
        given = [limits.Measured(seconds, "") for seconds in late]
        found = limits.repeated("a command", lambda folder, given=given: given.pop(0), tmp_path)  # type: ignore[misc]
        assert (found.wrong, given) == (wrong, [])
    broken = limits.repeated("a command", lambda folder: limits.Measured(0.0, "exit code 1"), tmp_path)
    assert broken.wrong == "exit code 1"


@pytest.mark.slow
def test_kills() -> None:
    run("kills", seed=5)


def test_counts() -> None:
    run("counts")


@pytest.mark.slow
@pytest.mark.skipif(not native.is_compiled(), reason="needs Numba")
def test_kernels() -> None:
    run("kernels")


@pytest.mark.slow
def test_clocks() -> None:
    run("clocks", seed=64)  # a coordinator that is stopped past its lease, and continued


@pytest.mark.slow
def test_liars() -> None:
    run("liars", seed=3)  # many lies, none of them of hundreds of megabytes


@pytest.mark.slow
def test_catalysts() -> None:
    run("catalysts")


@pytest.mark.slow
def test_crossings() -> None:
    run("crossings", seed=10)


def test_nested() -> None:
    run("nested")


@pytest.mark.slow
def test_boxes() -> None:
    run("boxes")


@pytest.mark.slow
def test_lines() -> None:
    run("lines")
    life = OpenBox(3, 2, (0, 0))
    assert lines.exists(life)
    assert lines.exists(replace(life, width=2)) is False
    assert lines.exists(replace(life, width=4, period=3)) is None  # there are too many lines
    still = satlife.find(satlife.oscillator((4, 4), 1))
    assert "period 1" in lines.objection(life, still)


def test_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    run("windows")
    has_ship = windows.has_ship.__wrapped__
    assert has_ship(OpenBox(3, 4, (0, -2))) is False
    pair = OpenBox(2, 1, (0, -1), satlife.Rule.parse("B2/S"), along="x")
    assert has_ship(pair) is True
    monkeypatch.setattr(windows, "MOST", 5)
    assert has_ship(pair) is None  # there are too many windows


def test_completions() -> None:
    run("completions")
    law = automaton.counted({3}, {2, 3})
    assert completions.fewest(("OO", "OO"), 1, law) == 4
    assert completions.fewest(("OOO",), 1, law) is None
    assert completions.fewest(("OOO",), 2, law) == 7
    assert completions.fewest_of_period_2(("O?",), 1, law) == 3


# Brute force.
@pytest.mark.parametrize(
    ("problem", "count"),
    [
        (satlife.still_life((3, 3)), 11),
        (satlife.oscillator((3, 3), 2), 2),
        (satlife.spaceship((4, 3), 4, (1, 1)), 1),
        (satlife.spaceship((3, 3), 4, (1, 1)), 0),
        (satlife.predecessor(Pattern.from_rows(["..."])), 7),  # all but OOO
        (satlife.still_life((3, 3), symmetry="D8"), 1),  # the tub
        (satlife.still_life((3, 3), population="4", exclude=["2o$2o!"]), 1),
        (satlife.grid("a b c\n* * *\n* * *", ties=["a + b = 2", "c != a"]), 3),
        (satlife.grid("a b c\n* * *\n* * *", ties=["a + c >= b", "b > 0"]), 6),
    ],
)
def test_trying_everything(problem: satlife.Problem, count: int) -> None:
    assert len(BruteForce(problem).answers()) == count


def test_freed_cells_and_what_does_not_count() -> None:
    free = BruteForce(satlife.grid("0\n\n*'"))
    assert free.answers() == {((0,), (-1,))}
    assert free.whole == {((0,), (0,))}  # what does not count is not invented
    assert len(BruteForce(satlife.grid("0\n\na'")).answers()) == 2


def test_what_does_not_count_is_counted_as_it_really_becomes() -> None:
    target = formats.parse(".?.\n?.O\n???\n", unknown=True)
    problem = satlife.predecessor(target, rule="B36/S123")
    whole = BruteForce(problem)
    whole.answers()
    assert [best(whole.whole, "cells@1", largest, problem) for largest in (False, True)] == [2, 5]
    assert not BruteForce(problem.having(population="<=1@1")).answers()


def test_equal_names_are_equal_states() -> None:
    """Of three states; a name and its opposite are not both alive, and not both something else."""
    assert {answer[0] for answer in BruteForce(satlife.grid("a a\n\n* *", rule="B/S/C3")).answers()} == {
        (0, 0), (1, 1), (2, 2)
    }  # fmt: skip
    opposite = BruteForce(satlife.grid("a -a\n\n* *", rule="B/S/C3"))
    assert {answer[0] for answer in opposite.answers()} == {(0, 1), (2, 1), (1, 0), (1, 2)}


def test_conditions_that_have_a_place() -> None:
    blocks = satlife.still_life((3, 3), population="4")
    assert len(BruteForce(blocks).answers()) == 5  # with the tub
    assert len(BruteForce(blocks.having(touching=["left", "upper"])).answers()) == 2
    assert len(BruteForce(blocks.having(cube=[[0, 0, 0, 1]])).answers()) == 1
    assert len(BruteForce(blocks.having(cube=[[0, 0, 0, 0]])).answers()) == 4


def test_what_is_forbidden() -> None:
    """In a block each cell has three neighbours in a corner, S3a; in a tub two, S2c."""
    assert len(BruteForce(satlife.still_life((3, 3), rule="B3/S23~3a", population="4")).answers()) == 1
    assert len(BruteForce(satlife.still_life((3, 3), rule="B3/S23~2c", population="4")).answers()) == 4


def test_the_box_of_a_pattern_has_its_dying_cells() -> None:
    brute = BruteForce(ship := satlife.spaceship((3, 2), 1, (1, 0), rule="B2/S/C3"))
    assert best(brute.answers(), "box", False, ship) == 4


def test_orbits() -> None:
    """Block, tub, boat and ship in 3x3."""
    brute = BruteForce(satlife.still_life((3, 3)))
    assert len({brute.orbit(answer) for answer in brute.answers()}) == 4


def test_orbits_where_generation_0_does_not_decide() -> None:
    """Two answers of an open rule that begin alike and go on differently are two; one moved by a cell is the same."""
    brute = BruteForce(satlife.oscillator((3, 1), 2, rule="B2a?/S0?"))
    assert brute.orbit(((1, 0, 0), (0, 0, 0))) == brute.orbit(((0, 1, 0), (0, 0, 0)))
    assert brute.orbit(((1, 0, 0), (0, 0, 0))) == brute.orbit(((0, 0, 0), (0, 0, 1)))
    assert brute.orbit(((1, 0, 0), (0, 1, 0))) != brute.orbit(((1, 0, 0), (0, 0, 0)))
    assert brute.orbit(((1, 0, 0), (0, 0, 1))) != brute.orbit(((1, 0, 0), (0, 1, 0)))


@pytest.mark.parametrize(
    ("word", "periodic", "t", "allowed"),
    [("2'", False, 1, False), ("*'", False, 2, True), ("?", False, 2, True), ("*'", False, 1, False),
     ("*'", True, 2, False), ("a'", False, 2, False), ("1'", False, 0, True), ("*", True, 1, True)],
)  # fmt: skip
def test_freed_cells_of_more_than_two_states(word: str, periodic: bool, t: int, allowed: bool) -> None:
    assert random_questions.may_be_freed(word, periodic, t, 2) == allowed


def test_engines_that_disagree_are_noticed() -> None:
    assert agreement.disagreement(iter([Vote("table", 3), Vote("solver", 4)])) == "table: 3, solver: 4"
    assert agreement.disagreement(iter([Vote("table", 3), Vote("solver", 3)])) == ""
    assert agreement.disagreement(iter([])) == ""


def test_strict() -> None:
    """Two blocks with a gap of one column fall apart; the two blocks of an induction coil do not occur in this box."""
    answers = BruteForce(satlife.still_life((5, 2))).answers()
    strict = BruteForce(satlife.still_life((5, 2), strict=True)).answers()
    assert answers - strict == {((1, 1, 0, 1, 1, 1, 1, 0, 1, 1),)}


@pytest.mark.parametrize("condition", ["strict", "tight"])
def test_conditions_in_a_partial_rule_are_judged_in_each_rule_that_it_allows(condition: str) -> None:
    free = satlife.oscillator((5, 2), 2, rule="B453a?/S0132k?")
    problem = free.having(strict=condition == "strict", tight=condition == "tight")
    assert problem.rule.classes == ("B3a", "S2k")
    union = set()
    for chosen in itertools.product((False, True), repeat=2):
        union |= BruteForce(replace(problem, rule=problem.rule.resolve(chosen))).answers()
    assert BruteForce(problem).answers() == union
    assert union < BruteForce(free).answers()


def test_a_ring_that_needs_its_centre_in_one_of_two_rules() -> None:
    rows = ["11111", "10001", "10101", "10001", "11111"]
    ring = satlife.still_life((5, 5), rule="B1e?/S02ei3r", strict=True, known=[rows])
    assert len(BruteForce(ring).answers()) == 1
    assert not BruteForce(replace(ring, rule=satlife.Rule.parse("B/S02ei3r"))).answers()


def test_many_patterns_at_once() -> None:
    life = automaton.counted({3}, {2, 3})
    assert sum(1 for _ in batch.still_lifes(4, 4, set(), life)) == 1 + 82  # with the empty one
    assert set(batch.still_lifes(3, 3, {(0, 0), (2, 0)}, life)) >= {
        frozenset(),
        frozenset({(1, 0), (0, 1), (2, 1), (1, 2)}),
    }
    fillings = batch.every_filling(3, 3, [(0, 1), (1, 1), (2, 1)])
    assert len(fillings) == 8
    assert batch.next_generation(fillings, life)[7].tolist() == [[0, 1, 0], [0, 1, 0], [0, 1, 0]]
    assert batch.next_generation(fillings, life, torus=True)[7].all()


def test_wrong_models_are_noticed() -> None:
    """A model too many, one too few, a start with two futures, and a wrong later generation."""
    models = knuth_models.models("sat-life-grid", (2, 3, 1))
    expected = knuth_models.grid(2, 3, 1)
    assert knuth_models.difference(models, expected) == ""
    assert "63 models, 64 by simulation" in knuth_models.difference(models[1:], expected)
    assert "64 models have" in knuth_models.difference([*models[1:], models[1]], expected)
    later = next(place for place in models[0] if place[0] == 1)
    changed = {**models[0], later: not models[0][later]}
    assert "at time 1" in knuth_models.difference([changed, *models[1:]], expected)


def test_parents_of_a_cell() -> None:
    """Three neighbours, or two or three around a live cell."""
    assert len(orphans.parents(("O",), satlife.Rule.parse("B3/S23"))) == 56 + 28 + 56
    assert len(orphans.parents(("?",), satlife.Rule.parse("B3/S23"))) == 512
    assert not len(orphans.parents(("O",), satlife.Rule.parse("B/S")))


def test_pasts() -> None:
    """Where a cell stays beside another, two were always there; nothing was before one, and anything before none."""
    stays, vanishes = (pasts.successors(satlife.Rule.parse(rule), 2, 1) for rule in ("B/S1", "B/S"))
    assert pasts.longest(stays, ("OO",), 0, 1) == pasts.ENDLESS
    assert pasts.longest(stays, ("O.",), 0, 1) is None
    assert pasts.longest(vanishes, ("..",), 0, 1) == pasts.ENDLESS
    assert pasts.longest(vanishes, ("O?",), 0, 1) is None


@pytest.mark.parametrize("style", ["rle", "rle, placed", "cells", "rows", "life 1.05", "life 1.06", "apgcode"])
def test_drawings(style: str) -> None:
    for seed in range(20):
        rng = random.Random(seed)
        drawing = drawings.draw(rng, (".O..", "O...", "...."), "B3/S23", (style,))
        assert drawing.style == style
        pattern = formats.parse(drawing.text)
        assert str(pattern) == "\n".join(drawing.rows)
        assert drawing.place in (None, (pattern.x, pattern.y))


def test_a_window_that_moves() -> None:
    """The glider fits into three columns that move along, but not into two."""
    assert satlife.find(open_boxes.in_window(OpenBox(3, 4, (1, 1)), 4))
    assert not satlife.find(open_boxes.in_window(OpenBox(2, 4, (1, 1)), 6))
    assert not satlife.find(open_boxes.in_window(OpenBox(3, 4, (1, 1)), 2))


def test_claims_of_generations() -> None:
    problem = satlife.oscillator((3, 3), 4)
    find = Find(satlife.find(replace(problem, generations=2)).phases)
    assert is_true(ClaimBest(problem, (find,), measure="generations", value=2))
    assert not is_true(ClaimBest(problem, (find,), measure="generations", value=3))
    assert not is_true(ClaimBest(problem, measure="generations"))


def test_claims() -> None:
    problem = satlife.still_life((3, 3))
    finds = tuple(Find(outcome.phases) for outcome in satlife.enumerate_all(problem))
    assert is_true(ClaimAll(problem, finds))
    assert not is_true(ClaimAll(problem, finds[1:]))
    assert not is_true(ClaimAll(problem, finds + finds[:1]))
    assert not is_true(ClaimNone(problem))
    most = max(finds, key=lambda find: int(find.phases[0].sum()))
    assert is_true(ClaimBest(problem, (most,), measure="cells", largest=True, value=6))
    assert not is_true(ClaimBest(problem, (most,), measure="cells", largest=False, value=6))
    wrong = Find((np.ones((3, 3), np.uint8),))
    assert not is_true(ClaimAll(problem, (*finds, wrong)))


def test_values() -> None:
    problem = satlife.oscillator((3, 3), 2)
    brute = BruteForce(problem)
    answers = brute.answers()
    assert [best(answers, name, False, problem) for name in ("cells", "phase", "rotor", "box")] == [3, 3, 4, 9]
    assert smallest_area(problem) == 9
    assert smallest_area(problem.having(population=(Bound(4, None),))) is None


def test_the_automaton() -> None:
    """The glider moves; in a rule with B0 the background blinks and a lone cell is counted against it."""
    life = automaton.counted({3}, {2, 3})
    cells = {(0, 0): 1, (1, 0): 1, (2, 0): 1, (2, 1): 1, (1, 2): 1}
    assert open_boxes.run(cells, life, 4)[4] == open_boxes.moved(cells, 1, -1)
    blinking = automaton.counted({0, 3}, {2, 3})
    assert [blinking.background(t) for t in range(3)] == [0, 1, 0]
    assert life.is_isotropic()
    assert not automaton.counted({2}, {3, 4}, "H").is_isotropic()


def test_long_strips() -> None:
    life = automaton.counted({3}, {2, 3})
    assert strips.number(life, 4, 4, vanish=False) == 82
    assert strips.most(life, 4, 4) == 8
    assert strips.number(life, 4, 60, vanish=False) > 2**64


def test_ships_of_an_open_box(monkeypatch: pytest.MonkeyPatch) -> None:
    """The glider in its window of three columns, whichever way it flies."""
    monkeypatch.setattr(open_boxes, "CELLS", 9)  # enough for it
    for move in ((1, 1), (-1, 1)):
        assert next(open_boxes.ships(OpenBox(3, 4, move)), None) is not None
    assert next(open_boxes.ships(OpenBox(2, 4, (1, 1))), None) is None
    found = satlife.find(satlife.spaceship((4, 3), 4, (1, 1)))
    assert open_boxes.ship_objection(OpenBox(3, 4, (1, 1)), found) == ""
    assert "no ship" in open_boxes.ship_objection(OpenBox(3, 4, (1, -1)), found)
    assert "too wide" in open_boxes.ship_objection(OpenBox(2, 4, (1, 1)), found)


def test_heads_of_a_known_ship() -> None:
    """A light-weight spaceship in its five columns: the ship is found; a head that hides it would be noticed."""
    box, ship = (
        OpenBox(5, 4, (0, -2)),
        {(2, 0), (1, 1), (2, 1), (3, 1), (0, 2), (1, 2), (3, 2), (0, 3), (1, 3), (2, 3), (1, 4), (2, 4)},
    )
    tried = [open_boxes.with_heads(random.Random(seed), box, ship) for seed in range(4)]
    assert any("refused" not in attempt.what for attempt in tried)
    assert not any(attempt.wrong for attempt in tried)
    nothing = Pattern.parse("x = 5, y = 2\n4bo!")
    assert open_boxes.is_head(box, nothing)
    assert not open_boxes.is_head(box, Pattern.from_rows(["OOOOOO"]))


def test_a_wrong_answer_is_noticed() -> None:
    """A question whose answers are known otherwise is answered wrongly, as far as the part can tell."""
    questions = importlib.import_module("campaign.questions")
    problem = satlife.still_life((3, 3))
    brute = BruteForce(problem)
    question = questions.Case(problem, brute, set(), random.Random(1), Path())
    assert "instead of none" in questions.find(question)
    assert questions.listing(question)
    everything = replace(question, answers=brute.answers())
    assert questions.find(everything) == questions.listing(everything) == questions.distinct(everything) == ""
    assert phases_of([np.ones((1, 2), np.uint8)]) == ((1, 1),)


# The runner.
def part(wrong: str) -> ModuleType:
    made = ModuleType("campaign.made_up")

    def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
        yield Attempt(f"the number {rng.random()}")
        yield Attempt("the second one", wrong)

    made.attempts = attempts  # type: ignore[attr-defined]
    return made


def test_failures_are_told_with_their_seed() -> None:
    said: list[str] = []
    score = attempt.run(part("it is wrong"), 7, None, 4, said.append)
    assert (score.tries, score.failures) == (4, 2)
    assert said[1] == "FAILED the second one: it is wrong  [again: scripts/soak made_up --seed 8 --tries 2]"
    assert attempt.run(part(""), 7, None, 4, said.append).failures == 0


def test_a_broken_part_is_given_up() -> None:
    broken = ModuleType("campaign.broken")
    score = attempt.run(broken, 1, 100.0, None, lambda text: None)
    assert (score.tries, score.failures) == (attempt.MAX_BROKEN_ROUNDS, attempt.MAX_BROKEN_ROUNDS)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        campaign.main(["nothing"])
    assert error.value.code == 2
    assert "there is no part 'nothing'" in capsys.readouterr().err
    assert {f"test_{part}" for part in campaign.PARTS} <= set(globals())
