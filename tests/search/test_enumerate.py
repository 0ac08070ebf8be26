"""All of them and the best of them: counts, orbits, optima, exclusions, smallest boxes."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import satlife
from commands import BIN, run
from events import PATIENCE, deadline_when, until
from random_problems import brute_force, every_pattern
from satlife.engines.engine import Budget
from satlife.engines.options import Options
from satlife.engines.tables.engine import TableEngine
from satlife.engines.tables.table import strips
from satlife.errors import InputError
from satlife.life.formats import apgcode
from satlife.life.parts import independent_parts, islands
from satlife.life.pattern import TRANSFORMS, Pattern
from satlife.life.rule import LIFE, parse
from satlife.life.simulate import next_states, step_plane
from satlife.problem import families, verify
from satlife.problem.answers import Smallest
from satlife.problem.ask import Ask
from satlife.problem.cell import grid_of
from satlife.problem.goals import CountAll, SmallestBox
from satlife.problem.orbits import canonical
from satlife.problem.problem import Problem
from satlife.problem.relation import boxes
from satlife.search import answer as answers
from satlife.search.answer import answer
from satlife.search.goals import best as deepen
from satlife.search.goals import lists as listings
from satlife.search.library import Listing, count, enumerate_all, optimise
from satlife.search.one import one as search_one
from satlife.search.race import finish
from small_questions import COUNTS


def listed(problem: satlife.Problem, **more: Any) -> tuple[list[satlife.Outcome], Listing]:
    listing = enumerate_all(problem, **more)
    return list(listing), listing


@pytest.mark.parametrize("n", [5])
def test_still_lifes_by_listing(n: int) -> None:
    found, listing = listed(families.still_life((n, n)))
    expected = COUNTS["still_lifes_in_box"]["terms"][n - 1] - 1
    assert (len(found), listing.raw, listing.complete) == (expected, expected, True)
    assert len({outcome.phases[0].tobytes() for outcome in found}) == expected


@pytest.mark.parametrize("n", [3, 5])
def test_period_two_by_listing(n: int) -> None:
    found, listing = listed(families.oscillator((n, n), 2))
    assert (len(found), listing.complete) == (2 * COUNTS["period_2_pairs_in_box"]["terms"][n - 1], True)


def test_all_patterns_of_period_2_in_6x5_and_5x6() -> None:
    """A box on its side has the same patterns, on their side."""
    wide, tall = (enumerate_all(families.oscillator(size, 2)) for size in ((6, 5), (5, 6)))
    keys = {outcome.phases[0].tobytes() for outcome in wide}
    turned = {np.ascontiguousarray(outcome.phases[0].T).tobytes() for outcome in tall}
    assert len(keys) == wide.raw == tall.raw > 50
    assert keys == turned
    assert wide.complete
    assert tall.complete


def test_what_cannot_be_counted_is_listed() -> None:
    assert not TableEngine().suits(Ask(families.still_life((5, 5), strict=True), CountAll()), Budget())
    assert count(families.oscillator((5, 5), 4)).how == "by listing"
    with pytest.raises(InputError, match="by population"):
        count(families.oscillator((6, 6), 3), by_population=True)
    result = run("oscillator", "4x4", "-p", "2", "--count-only", "--tight")
    assert (result.returncode, result.stdout, result.stderr) == (0, "24\n", "satlife: counted by listing\n")


@pytest.mark.parametrize("problem", [families.still_life((5, 5)), families.oscillator((4, 4), 2)], ids=["still", "p2"])
def test_orbits_sum_to_the_total(problem: satlife.Problem) -> None:
    """Every orbit, moved and turned and advanced in all ways that fit the box, gives back the whole list."""
    everything, listing = listed(problem)
    representatives, distinct = listed(problem, distinct=True)
    assert len(representatives) == distinct.distinct == listing.distinct
    assert distinct.raw == listing.raw == len(everything)
    made = set()
    for outcome in representatives:
        for cells in outcome.phases:
            for name in TRANSFORMS:
                live = Pattern(cells).transform(name).crop()
                for y in range(problem.height - live.height + 1):
                    for x in range(problem.width - live.width + 1):
                        placed = Pattern(live.cells, x, y)
                        try:
                            phases = verify.phases_of(problem, placed)
                            verify.check(problem, phases)
                        except verify.Refuted:
                            continue
                        made.add(phases[0].tobytes())
    assert made == {outcome.phases[0].tobytes() for outcome in everything}


def test_canonical_form_is_the_same_for_all_images() -> None:
    problem = families.still_life((6, 6))
    cells = Pattern.from_rows(["OO..", "O.O.", "..O.", "..OO"]).cells
    keys = set()
    for name in TRANSFORMS:
        board = np.zeros((6, 6), np.uint8)
        board[1:5, 2:6] = Pattern(cells).transform(name).cells
        keys.add(canonical(problem, (board,)))
    assert len(keys) == 1
    around = families.torus((3, 3), 1)
    one = np.zeros((3, 3), np.uint8)
    one[0, :] = 1
    assert len({canonical(around, (np.roll(one, k, axis=0),)) for k in range(3)} | {canonical(around, (one.T,))}) == 1


def test_listing_stops_and_says_so() -> None:
    found, listing = listed(families.still_life((5, 5)), most=7)
    assert (len(found), listing.complete, listing.reason) == (7, False, "stopped after 7")
    lines = run("still-life", "4x4", "-n", "2", "--json").stdout.splitlines()
    closing = json.loads(lines[-1])
    assert len(lines) == 3
    assert (closing["status"], closing["count"], closing["complete"]) == ("found", 2, False)
    none = run("oscillator", "4x4", "-p", "3", "-n", "all", "--json")
    assert (none.returncode, json.loads(none.stdout)["status"]) == (20, "none")


def test_time_limit_of_a_listing() -> None:
    with deadline_when(lambda: listing.raw > 0):
        listing = enumerate_all(families.still_life((12, 12)), time=PATIENCE)
        list(listing)
    assert not listing.complete
    assert listing.reason == "the time limit was reached"
    assert listing.raw > 0


def test_interrupted_listing_keeps_what_was_found(tmp_path: Path) -> None:
    target = tmp_path / "finds.rle"
    command = [str(BIN / "satlife"), "still-life", "9x9", "-n", "all", "-o", str(target)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        until(lambda: target.exists() and target.stat().st_size >= 5000)
        process.terminate()
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 143
    assert "interrupted" in errors
    assert "Traceback" not in errors
    finds = target.read_text().count("!")
    assert finds > 10
    assert target.read_text().endswith("!\n")


@pytest.mark.parametrize("n", [3, 6, 11])
def test_densest_still_lifes(n: int) -> None:
    """All terms up to 9 are those of the table."""
    best = optimise(families.still_life((n, n)), largest=True)
    assert (best.value, best.proved) == (COUNTS["densest_still_life"]["terms"][n - 1], True)
    assert best.outcome.pattern is not None
    assert best.outcome.pattern.population == best.value


@pytest.mark.parametrize(
    ("rule", "size"),
    [
        ("B3/S23", (5, 7)),
        ("B36/S125", (6, 5)),
        ("B2/S2-i34", (5, 5)),
        ("B4/S345678", (6, 9)),
        ("B3/S023", (2, 1)),
        ("B3/S23", (1, 1)),
    ],
)
def test_the_table_and_the_solver_agree_on_the_densest(rule: str, size: tuple[int, int]) -> None:
    problem = families.still_life(size, rule=rule)
    by_table = optimise(problem, largest=True)
    by_solver = optimise(problem, largest=True, solver="cadical195")
    assert (by_table.outcome.strategy, by_solver.outcome.strategy) == ("densest", "optimise")
    assert (by_table.value, by_table.proved) == (by_solver.value, by_solver.proved)


def test_improving_still_lifes_up_to_a_bound() -> None:
    boards = list(itertools.islice(strips.improving_still_lifes(LIFE, 12, 9, seed=3), 6))
    counts = [int(board.sum()) for board in boards]
    assert counts == sorted(counts)
    assert counts[-1] > 35
    assert counts[-1] <= strips.upper_bound(LIFE, 12, 9) < 12 * 9
    verify.check(families.still_life((12, 9)), [boards[-1]])
    for n in (3, 6):  # a single strip is exact
        assert strips.upper_bound(LIFE, n, n) == COUNTS["densest_still_life"]["terms"][n - 1]


def area(phases: list[np.ndarray[Any, Any]]) -> int:
    live = Pattern(np.max(phases, axis=0)).crop()
    return live.width * live.height


def test_every_measure_against_brute_force() -> None:
    problem = families.oscillator((4, 4), 2)
    answers = list(brute_force(problem))
    expected: dict[str, Callable[[list[np.ndarray[Any, Any]]], int]] = {
        "cells": lambda phases: int(phases[0].sum()),
        "cells@1": lambda phases: int(phases[1].sum()),
        "phase": lambda phases: min(int(cells.sum()) for cells in phases),
        "rotor": lambda phases: int((phases[0] != phases[1]).sum()),
        "box": area,
    }
    for name, value in expected.items():
        values = [value(phases) for phases in answers]
        for largest, jobs in ((False, 2), (True, 1)):
            best = optimise(problem, name, largest, jobs=jobs)
            assert (best.value, best.proved, best.bound) == ((max if largest else min)(values), True, best.value), name


@pytest.mark.parametrize("period", [2, 3])
def test_the_fewest_cells_by_smaller_and_smaller_bounds(period: int) -> None:
    """The search over cells agrees with the solver, tells every improvement, and keeps the question as it was asked."""
    problem = families.oscillator((5, 5), period, rule="B37/S23" if period == 2 else "B3/S238", population=">=6@1")
    told: list[int | None] = []
    best = optimise(problem, "cells@1", improved=lambda better: told.append(better.value), jobs=2)
    assert (best.value, best.proved) == (optimise(problem, "cells@1", solver="cadical195").value, True)
    assert told == sorted({value for value in told if value is not None}, reverse=True)
    assert best.outcome.problem == problem
    if best.value is not None:
        assert told[-1] == best.value == int(best.outcome.phases[1].sum()) >= 6


def test_the_fewest_cells_take_longer_than_there_is_time() -> None:
    short = optimise(families.oscillator((9, 9), 5, population=">=30"), "cells", time=0.2)
    assert not short.proved
    assert short.outcome.reason.startswith("the time limit was reached")  # perhaps while the clauses were written


def test_measures_with_known_cells() -> None:
    grid = "0 1 0\n0 1 0\n0 1 0\n"
    best = optimise(families.grid(grid, period=2), "cells", largest=True)
    assert (best.value, best.proved) == (3, True)
    assert optimise(families.grid("1 1 1\n", period=2), "cells").proved  # no room for the other phase: none
    assert "only oscillators" in run("spaceship", "4x3", "-p4", "-d1,1", "--minimize", "--measure", "rotor").stderr


def test_the_box_of_a_generations_rule_is_that_of_its_live_cells() -> None:
    problem = families.spaceship((5, 6), 1, (0, -1), rule="/2/3")
    best = optimise(problem, "box", time=PATIENCE)
    assert best.proved
    assert "--measure says what to" in run("oscillator", "5x5", "-p", "2", "--measure", "rotor").stderr


def test_shortest_and_deepest() -> None:
    best = optimise(families.oscillator((6, 6), 4), "generations")
    assert (best.value, best.proved) == (2, True)
    meal = optimise(families.eater((8, 8), 6), "generations")
    assert (meal.outcome.problem.generations, meal.proved) == (meal.value, True)
    deep = optimise(families.predecessor(Pattern.from_rows(["OO", "OO"]), 1, margin=1), "generations", largest=True)
    assert deep.endless
    # A pattern with parents and no grandparents in its box, as trying all 2^12 patterns of the box says, too.
    target = Pattern.from_rows(["O...", "....", ".OO."])
    found = optimise(families.predecessor(target, 1, margin=0), "generations", largest=True)
    depths = {target.cells.tobytes(): 0}
    after = {}
    for cells in every_pattern(4, 3):
        stepped = step_plane(cells, LIFE)
        if stepped.sum() == stepped[1:-1, 1:-1].sum():
            after[cells.tobytes()] = stepped[1:-1, 1:-1].tobytes()
    while new := {a: depths[b] + 1 for a, b in after.items() if b in depths and a not in depths}:
        depths.update(new)
    assert (found.value or 0) == max(depths.values())
    result = run("oscillator", "5x5", "-p", "2", "--maximize", "--measure", "generations")
    assert (result.returncode, "Traceback" in result.stderr) == (1, False)


def test_strict_still_lifes_by_cells() -> None:
    terms = COUNTS["strict_still_lifes_by_cells"]["terms"]
    for cells in range(1, 9):
        side = max(cells, 3)  # a strict still life is no longer than it has cells
        _, listing = listed(families.still_life((side, side), population=f"=={cells}", strict=True), distinct=True)
        assert (listing.distinct, listing.complete) == (terms[cells - 1], True)


@pytest.mark.parametrize(("size", "period"), [((5, 4), 1), ((6, 5), 2)])
def test_strict_patterns_are_those_that_do_not_fall_apart(size: tuple[int, int], period: int) -> None:
    everything, _ = listed(families.oscillator(size, period))
    whole = {o.phases[0].tobytes() for o in everything if independent_parts(o.phases, LIFE) is None}
    found, listing = listed(families.oscillator(size, period, strict=True))
    assert listing.complete
    assert 0 < len(whole) < len(everything)
    assert {o.phases[0].tobytes() for o in found} == whole
    part = next(o for o in everything if o.phases[0].tobytes() not in whole)
    with pytest.raises(verify.Refuted, match="sum of parts"):
        verify.check(families.oscillator(size, period, strict=True), part.phases)


@pytest.mark.parametrize(
    ("parts", "code"), [(3, "xs32_bd0mk2sgz1785d0mq"), (4, "xs34_4aar0rq1e8gzx64260bd")], ids=["triple", "quad"]
)
def test_the_sum_of_three_or_four_parts_that_is_not_one_of_two(parts: int, code: str) -> None:
    """Against all ways to put the islands into this number of parts."""
    label = islands(apgcode.parse(code).cells)

    def falls_apart(colours: tuple[int, ...]) -> bool:
        alone = [np.pad(np.array((-1, *colours))[label] == colour, 2).astype(np.uint8) for colour in set(colours)]
        return all(np.array_equal(next_states(part, LIFE), part[1:-1, 1:-1]) for part in alone)

    for number in range(2, parts + 1):
        ways = itertools.product(range(number), repeat=int(label.max()))
        assert any(falls_apart(way) for way in ways if len(set(way)) > 1) == (number == parts)
    cells = apgcode.parse(code).cells
    assert independent_parts([cells], LIFE) is not None
    height, width = cells.shape
    with pytest.raises(verify.Refuted, match="sum of parts"):
        verify.check(families.still_life((width, height), strict=True), [cells])


def test_tight_patterns_have_no_smaller_stator() -> None:
    """Against the definition: among all answers, those whose stator contains that of no other with the same rotor."""
    everything, _ = listed(families.oscillator((6, 5), 2))

    def parts(o: satlife.Outcome) -> tuple[bytes, frozenset[tuple[int, ...]]]:
        a, b = o.phases
        moving = a != b
        return (np.where(moving, a, 2).tobytes(), frozenset(map(tuple, np.argwhere((a == 1) & (b == 1)).tolist())))

    both = [parts(o) for o in everything]
    tight = {p for p in both if not any(rotor == p[0] and stator < p[1] for rotor, stator in both)}
    found, listing = listed(families.oscillator((6, 5), 2, tight=True))
    assert listing.complete
    assert len(tight) < len(both)
    assert {parts(o) for o in found} == tight
    assert len(found) == len(tight)
    for o in everything:
        if parts(o) in tight:
            verify.check(families.oscillator((6, 5), 2, tight=True), o.phases)
        else:
            with pytest.raises(verify.Refuted, match="rotor of another one"):
                verify.check(families.oscillator((6, 5), 2, tight=True), o.phases)


@pytest.mark.parametrize(
    "problem",
    [
        families.torus((2, 5), 2, rule="B26/S234567", population="<=7"),
        families.oscillator((4, 4), 2, rule="B38/S01348", known=[["0***", "***1", "****", "****"]]),
    ],
    ids=["narrow torus", "known cells"],
)
def test_what_is_tight_is_checked_in_every_space(problem: satlife.Problem) -> None:
    """Against the definition, among all answers of one question: stators by inclusion."""
    everything = [np.stack(o.phases) for o in listed(problem)[0]]
    tight = problem.having(tight=True)
    refuted = 0
    for phases in everything:
        always = phases.all(axis=0)
        smaller = any(
            (other <= phases).all() and (other != phases).any() and (other[:, ~always] == phases[:, ~always]).all()
            and (other == other[0])[:, always].all()
            for other in everything
        )  # fmt: skip
        try:
            verify.check(tight, list(phases))
        except verify.Refuted:
            refuted += 1
            assert smaller
        else:
            assert not smaller
    assert 0 < refuted < len(everything)
    assert len(listed(tight)[0]) == len(everything) - refuted


PARTIAL = [
    ((3, 3), "B583i?/S0123478", {"strict": True, "tight": True, "population": "<=5"}),
]


@pytest.mark.parametrize(("size", "rule", "conditions"), PARTIAL)
def test_in_a_partial_rule_each_answer_is_strict_or_tight_in_its_own_rule(
    size: tuple[int, int], rule: str, conditions: dict[str, Any]
) -> None:
    """The answers are those of all rules allowed together, listed, and at their best."""
    partial = families.oscillator(size, 2, rule=rule, **conditions)
    ways = itertools.product([False, True], repeat=len(partial.rule.classes))
    decided = [replace(partial, rule=partial.rule.resolve(way)) for way in ways]
    union = {np.stack(o.phases).tobytes() for problem in decided for o in listed(problem)[0]}
    found, listing = listed(partial)
    assert listing.complete
    assert {np.stack(o.phases).tobytes() for o in found} == union
    assert len(found) == len(union) == listing.raw
    for o in found:
        o.find.check(partial)
        assert o.rule_range is None  # it may be neither strict nor tight in rules between others in which it is
    values = [best.value for p in decided if (best := satlife.optimise(p, "cells", True)).value is not None]
    assert satlife.optimise(partial, "cells", True).value == max(values)


def test_a_strict_pattern_in_one_of_two_rules() -> None:
    """A ring around a cell: by B1e the cell and the ring need each other."""
    ring = [["11111", "10001", "10101", "10001", "11111"]]
    found = satlife.find(families.still_life((5, 5), rule="B1e?/S02ei3r", known=ring, strict=True))
    assert found.status == "found"
    assert found.final_rule.name == "B1e/S02ei3r"
    assert "works in rules" not in found.rle()


def test_strict_and_tight_from_the_shell() -> None:
    result = run("oscillator", "4x4", "-p", "2", "--tight", "--strict", "--json")
    data = json.loads(result.stdout)
    assert (result.returncode, data["status"], data["problem"]["tight"]) == (0, "found", True)
    best = run("oscillator", "4x4", "-p", "2", "--tight", "--maximize", "--measure", "rotor", "--json")
    assert json.loads(best.stdout)["optimal"]
    assert "strict" in run("torus", "5x5", "-p", "2", "--strict").stderr
    assert "tight" in run("still-life", "5x5", "--tight").stderr
    assert "checked during the search" in run("encode", "oscillator", "5x5", "-p", "2", "--strict").stderr


def test_time_limits_reach_every_way_of_asking() -> None:
    for more in (["-n", "all"], ["--count-only"], ["--minimize"]):
        assert run("oscillator", "30x30", "-p", "20", "--time", "0.1", *more).returncode == 3


def test_optima_from_the_shell() -> None:
    result = run("still-life", "5x5", "--maximize", "--json")
    data = json.loads(result.stdout)
    assert (result.returncode, data["value"], data["optimal"], data["pattern"]["population"]) == (0, 16, True, 16)
    result = run("oscillator", "4x4", "-p", "2", "--minimize", "--measure", "rotor")
    assert "smallest rotor: 2, proved" in result.stderr
    assert run("still-life", "1x1", "--minimize").returncode == 20
    assert "cannot be optimised" in run("still-life", "5x5", "--minimize", "--measure", "beauty").stderr


def test_the_best_that_is_known_when_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which it is as soon as something was found."""
    heard: list[satlife.Best] = []
    is_worse = deepen.is_worse

    def heard_of(better: satlife.Best, best: satlife.Best, goal: satlife.Optimise) -> bool:
        heard.extend([better] if better.value is not None else [])
        return is_worse(better, best, goal)

    monkeypatch.setattr(deepen, "is_worse", heard_of)
    with deadline_when(lambda: heard):
        undecided = run("still-life", "14x14", "--maximize", "--time", str(PATIENCE))
    assert undecided.returncode == 3
    assert "best known, not proved" in undecided.stderr


def test_fewest_cells_in_a_later_generation() -> None:
    best = optimise(families.predecessor(Pattern.from_rows(["OO", "OO"]), 1, margin=1), "cells@0")
    assert (best.value, best.proved) == (3, True)


def test_excluded_patterns_are_not_found_again() -> None:
    block, boat = Pattern.from_rows(["OO", "OO"]), Pattern.from_rows(["OO.", "O.O", ".O."])
    problem = families.still_life((3, 3), exclude=[block, boat])
    found, listing = listed(problem)
    everything, _ = listed(families.still_life((3, 3)))
    assert listing.complete
    assert len(found) == len(everything) - 4 - 4
    assert satlife.Problem.from_toml(problem.to_toml()) == problem
    blinker = families.oscillator((3, 3), 2, exclude=[Pattern.from_rows(["O", "O", "O"])])
    assert satlife.find(blinker).status == "none"
    with pytest.raises(verify.Refuted, match="excluded"):
        verify.check(problem, verify.phases_of(problem, block.shift(1, 1)))


def test_there_is_none_only_if_no_smaller_box_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """A blinker that turns itself fits into 3x3, whose middle is a cell, and not into 4x4."""
    problem = families.oscillator((4, 4), 2, symmetry="R90@1", population="==3")
    found = smallest(problem, Options())
    assert (found.outcome.status, found.outcome.problem.width, found.certain) == ("found", 3, True)

    def hurried(ask: Ask, budget: Budget, nested: bool) -> Any:
        return one(ask, replace(budget, deadline=1e-9) if ask.problem.width == 3 else budget)

    one = search_one
    monkeypatch.setattr(deepen, "one", hurried)
    found = smallest(problem, Options(strategy="plain"))
    known = (found.outcome.status, "the time limit was reached" in found.outcome.reason, found.certain)
    assert known == ("unknown", True, False)


def smallest(problem: Problem, options: Options) -> Smallest:
    found = finish(answer(Ask(problem, SmallestBox()), options))
    assert isinstance(found, Smallest)
    return found


def test_smallest_box() -> None:
    result = run("oscillator", "7x7", "-p", "2", "--smallest")
    assert result.returncode == 0
    assert "satlife: none in 2x2\n" in result.stderr
    assert "x = 3, y = 1" in result.stdout or "x = 1, y = 3" in result.stdout
    sizes = [(p.width, p.height) for p in boxes(families.spaceship((3, 4), 4, (0, -2)))]
    assert sizes == sorted(sizes, key=lambda s: s[0] * s[1])
    assert (3, 1) not in sizes
    assert "known cells" in run("predecessor", "xs4_33", "--smallest").stderr


def test_the_time_of_the_smallest_box_is_that_of_all_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock is looked at when the search begins and when it ends, whatever its boxes took."""
    clock = iter([100.0, 700.0])
    monkeypatch.setattr(answers, "time", SimpleNamespace(monotonic=clock.__next__))
    found = smallest(families.oscillator((3, 3), 2), Options())
    assert found.outcome.seconds == {"total": 600.0}


def test_options_that_do_not_go_together() -> None:
    result = run("still-life", "4x4", "--minimize", "-n", "3")
    assert result.returncode == 2
    assert "--count and --minimize do not go together" in result.stderr


def test_all_predecessors_of_a_pattern() -> None:
    """The number of predecessors of a block in a 4x4 box, as brute force over 65,536 patterns finds it."""
    target = np.pad(np.ones((2, 2), np.uint8), 2)
    stepped = next_states(np.pad(every_pattern(4, 4), ((0, 0), (2, 2), (2, 2))), LIFE)
    expected = int((stepped == target).all(axis=(1, 2)).sum())
    assert expected > 0
    result = run("predecessor", "xs4_33", "--count-only")
    assert (int(result.stdout), result.stderr) == (expected, "satlife: counted within margin 1, by transfer matrix\n")


def test_generations_rules_are_listed_by_all_states() -> None:
    found, listing = listed(families.still_life((3, 3), rule=parse("B3/S23/C3")))
    assert listing.complete
    assert len(found) == COUNTS["still_lifes_in_box"]["terms"][2] - 1


def test_a_listing_stops_before_the_memory_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is kept, and that there may be more is said."""
    from satlife import memory

    monkeypatch.setattr(listings, "LOOK", 5)
    monkeypatch.setattr(memory, "available", lambda: 1 << 20)
    listing = enumerate_all(families.still_life((4, 4)))
    assert len(list(listing)) >= 5
    assert not listing.complete
    assert "memory is left" in listing.reason


@pytest.mark.parametrize("most", [0, -1])
def test_a_list_of_none_is_refused(most: int) -> None:
    with pytest.raises(InputError, match="at least one pattern"):
        satlife.enumerate_all(families.still_life((3, 3)), most)


def test_equal_generations_are_no_cycle_where_the_later_one_is_freed_from_the_rule() -> None:
    """The first of these becomes the second only because of its freed cells, and has no past of its own."""
    cells = grid_of([[], [["1'", "1"], ["0", "1"], ["1'", "0'"]]])
    best = optimise(Problem(2, 3, periodic=False, nonempty=False, cells=cells), "generations", True)
    assert (best.value, best.endless, best.proved) == (1, "", True)


def test_a_cycle_before_freed_cells_goes_round() -> None:
    """A blinker may turn for as long as one likes before the freed cells of the last generation."""
    cells = grid_of([[], [], [], [["0", "0", "0"], ["1", "1", "1"], ["0", "0", "0'"]]])
    freed = Problem(3, 3, periodic=False, generations=3, nonempty=False, cells=cells)
    assert optimise(freed, "generations", True).endless
