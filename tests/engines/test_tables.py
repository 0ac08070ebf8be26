"""Tables of states: counts and optima against all patterns simulated, a plain second program, and published terms."""

from __future__ import annotations

import json
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import reference_tables
from commands import observed, run
from events import PATIENCE, deadline_after
from satlife.engines.tables.count import INTEGERS, PRIMES, by_population, count, upper_bound
from satlife.engines.tables.model import model_of, why_not
from satlife.engines.tables.table import best as best_module
from satlife.engines.tables.table import table as table_module
from satlife.engines.tables.table.best import best
from satlife.engines.tables.table.plan import plan_of
from satlife.engines.tables.table.rings import LargestSum, Modular, Ring, Rounded, Weighted
from satlife.engines.tables.table.table import Table, ask_for_memory
from satlife.engines.tables.threads import ThreadPool
from satlife.errors import InputError, LimitError, OutOfTime
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, Rule, parse
from satlife.limits import Limits
from satlife.problem import families, verify
from satlife.problem.cell import grid_of
from satlife.problem.conditions.population import Bound
from satlife.problem.grid import parse_grid
from satlife.problem.problem import Problem
from small_questions import COUNTS, KINDS, NORTH_WEST, Bits, all_patterns, random_problem, random_rule, stepped


def still(patterns: Bits, rule: Rule) -> npt.NDArray[np.bool_]:
    same: npt.NDArray[np.bool_] = (stepped(patterns, rule) == np.pad(patterns, ((0, 0), (1, 1), (1, 1)))).all((1, 2))
    return same


def checked(problem: Problem) -> list[Bits]:
    """Generation 0 of every answer, found by trying all patterns with the program's own verifier."""
    found = []
    for cells in all_patterns(problem.width, problem.height):
        try:
            phases = verify.phases_of(problem, Pattern(cells, rule=problem.rule))
            for t, rows in enumerate(problem.cells):
                for y, row in enumerate(rows):
                    for x, cell in enumerate(row):
                        if t and cell.freed and cell.state is not None:
                            phases[t][y, x] = cell.state
            verify.check(problem, phases)
        except verify.Refuted:
            continue
        found.append(cells)
    return found


# Counting.


@pytest.mark.parametrize("kind", KINDS)
def test_random_rules_against_all_patterns(kind: str) -> None:
    rng = np.random.default_rng([3, KINDS.index(kind)])
    sizes = [(w, h) for w in range(1, 5) for h in range(1, 6) if w * h <= 16]
    patterns = {size: all_patterns(*size) for size in sizes}
    for _ in range(2):
        rule = random_rule(kind, rng)
        for size in (sizes[i] for i in rng.choice(len(sizes), 5, replace=False)):
            alive = still(patterns[size], rule)
            populations = Counter(patterns[size][alive].sum((1, 2)).tolist())
            problem = families.still_life(size, rule=rule)
            assert count(problem).value == int(alive.sum()) - 1, (rule, size)
            by_cells = by_population(replace(problem, nonempty=False))
            assert Counter({n: c for n, c in enumerate(by_cells) if c}) == populations
            target = rng.integers(0, 2, size[::-1]).astype(np.uint8) * rng.integers(0, 2, dtype=np.uint8)
            past = families.predecessor(Pattern(target, rule=rule))
            becomes = (stepped(patterns[size], rule) == np.pad(target, 1)).all((1, 2))
            assert count(past).value == int(becomes.sum()), (rule, size, target)


@pytest.mark.parametrize("kind", KINDS[:2])
def test_random_rules_in_the_largest_boxes(kind: str) -> None:
    """A quarter of a million patterns; of some kinds in a wide box, of others in a tall one."""
    number = KINDS.index(kind)
    size, rule = ((3, 6), (6, 3))[number % 2], random_rule(kind, np.random.default_rng([4, number]))
    assert count(families.still_life(size, rule=rule)).value == int(still(all_patterns(*size), rule).sum()) - 1


@pytest.mark.parametrize("seed", range(30))
def test_questions_of_every_kind_against_the_verifier(seed: int) -> None:
    problem = random_problem(np.random.default_rng([5, seed]))
    assert why_not(problem) == ""
    answers = checked(problem)
    populations = [int(cells.sum()) for cells in answers]
    assert count(problem).value == len(answers), problem.to_dict()
    assert sum(by_population(problem)) == len(answers)
    bounded = problem.having(population=(Bound.parse(">=3"), Bound.parse("<=5")))
    assert count(bounded).value == sum(3 <= n <= 5 for n in populations)
    if problem.generations == 1 and not problem.symmetry:
        assert reference_tables.count(problem) == len(answers) or problem.width > reference_tables.WIDEST_TORUS
    if best_module.why_not(problem) == "":
        for largest, extreme in ((True, max), (False, min)):
            found = best(problem, largest)
            assert (None if found is None else int(found.sum())) == extreme(populations, default=None)
            assert found is None or any(np.array_equal(found, cells) for cells in answers)


def test_background_that_blinks() -> None:
    rule = parse("B0123478/S01234678")
    problem = families.oscillator((3, 3), 2, rule=rule)
    answers = checked(problem)
    assert len(answers) > 1
    assert count(problem).value == len(answers)
    seen = families.orphan(Pattern(np.ones((1, 1), np.uint8), rule=rule))
    assert count(seen).value == sum(rule.table)


def test_named_cells_are_equal() -> None:
    problem = families.grid("a * a\n* b *\nb * a\n", period=1)
    assert why_not(problem) == ""
    assert count(problem).value == len(checked(problem))
    stator = families.oscillator((3, 3), 2, known=parse_grid("***\n*=*\n***\n"))
    assert count(stator).value == len(checked(stator)) > 0


def test_a_birth_beyond_the_corner_is_seen() -> None:
    """A single cell gives birth outside its box, at the corner only."""
    assert count(families.still_life((1, 1), rule=NORTH_WEST)).value == 0
    survives = Rule(bytes(int(block in (16, 256)) for block in range(512)))
    assert count(families.still_life((1, 1), rule=survives)).value == 0
    assert best(families.still_life((2, 2), rule=survives), largest=True) is None
    assert count(families.predecessor(Pattern(np.zeros((1, 1), np.uint8), rule=NORTH_WEST))).value == 1


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_published_terms(n: int) -> None:
    still_lifes = replace(families.still_life((n, n)), nonempty=False)
    assert count(still_lifes).value == COUNTS["still_lifes_in_box"]["terms"][n - 1]
    vanishing = families.predecessor(Pattern(np.zeros((n, n), np.uint8)))
    assert count(vanishing).value == COUNTS["vanish_in_one_step"]["terms"][n - 1]


@pytest.mark.parametrize("n", [3, 4])
def test_terms_of_tori(n: int) -> None:
    assert count(families.torus((n, n), 1)).value == COUNTS["torus"]["still"][n - 3] - 1
    assert count(families.torus((n, n), dies=1)).value == COUNTS["torus"]["vanish_in_one_step"][n - 3] - 1


@pytest.mark.parametrize("n", [1, 3, 5])
def test_terms_of_period_two(n: int) -> None:
    assert count(families.oscillator((n, n), 2)).value == 2 * COUNTS["period_2_pairs_in_box"]["terms"][n - 1]


def test_counts_beyond_64_bits() -> None:
    assert count(families.still_life((3, 57))).value == 10172709338298922666
    assert count(families.still_life((58, 3))).value == 21912427727184746262
    long = families.still_life((3, 80))
    assert count(long).value == reference_tables.count(long) > 1 << 64
    assert count(long).sure == INTEGERS


def test_tables_and_the_plain_program_agree() -> None:
    for problem in (
        families.still_life((4, 3)),
        families.still_life((3, 5), rule="B2-a/S12"),
        families.predecessor(Pattern.from_rows(["O?.", ".O?", "?.O"]), margin=1),
        families.wave((4, 5), 1),
        families.wave((4, 5), 1, along="y"),
        families.torus((4, 5), 1, (1, 0), rule="B2/S13"),
    ):
        assert count(problem).value == reference_tables.count(problem), problem
    with pytest.raises(LimitError, match="up to width 6"):
        reference_tables.count(families.still_life((7, 7)))
    with pytest.raises(InputError):
        reference_tables.count(families.oscillator((3, 3), 2))


def test_primes_and_integers_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = [families.still_life((5, 6)), families.still_life((4, 20)), families.wave((4, 5), 1, rule="B36/S125")]
    by_integers = [(count(problem), by_population(problem)) for problem in problems]
    monkeypatch.setattr("satlife.engines.tables.count._prefers_integers", lambda plan, bits: False)
    for problem, (found, polynomial) in zip(problems, by_integers, strict=True):
        again = count(problem)
        assert (found.sure, again.sure) == (INTEGERS, PRIMES)
        assert again.value == found.value
        assert by_population(problem) == polynomial


def test_upper_bounds_stay_bounds_when_scaled() -> None:
    """2^300 patterns: no cell of an orphan's past is checked where nothing is asked."""
    open_box = Problem(3, 100, periodic=False, cells=grid_of(((), (("*'",) * 3,) * 100)), open_end=True, nonempty=False)
    plan = plan_of(model_of(open_box))
    bound, estimate = upper_bound(plan, ThreadPool())
    assert estimate is None
    assert 1 << 300 <= bound < (1 << 300) * 1.001
    thin = families.still_life((3, 250))
    bound, _ = upper_bound(plan_of(model_of(thin)), ThreadPool())
    assert count(thin).value < bound < count(thin).value * 1.001


RINGS: list[tuple[Ring, Any]] = [
    (Modular(np.uint32(2**31 - 1)), np.uint32),
    (Weighted.of(2147483629, 1234567890), np.uint32),
    (Rounded(), np.float32),
    (LargestSum(0, 1), np.uint8),
    (LargestSum(2, 3), np.uint16),
]


@pytest.mark.parametrize(("ring", "kind"), RINGS, ids=lambda value: getattr(value, "__name__", type(value).__name__))
def test_compiled_steps_are_those_of_numpy(ring: Ring, kind: Any) -> None:
    """Equal results of equal steps, with every slot low and high, on one thread and on several."""
    pytest.importorskip("numba")
    for problem in (families.still_life((5, 4)), families.wave((4, 4), 1), families.torus((3, 4), 1, rule=NORTH_WEST)):
        plan = plan_of(model_of(problem))
        plainly, compiled = (Table(plan, kind, ThreadPool(2), compiled=fast) for fast in (False, True))
        for step in plan.steps:
            plainly.apply(step, ring)
            compiled.apply(step, ring)
            assert np.array_equal(plainly.states, compiled.states), (problem.kind, step)
        assert compiled.states.any()


def test_all_threads_do_the_work_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(table_module, "LOT", 1 << 10)
    monkeypatch.setattr(table_module, "WORTHWHILE", 1)
    monkeypatch.setattr("satlife.engines.tables.count._prefers_integers", lambda plan, bits: False)
    for threads in (1, 3):
        assert (
            count(families.still_life((7, 7)), ThreadPool(threads)).value
            == COUNTS["still_lifes_in_box"]["terms"][6] - 1
        )
        found = best(families.still_life((7, 7)), largest=True, pool=ThreadPool(threads))
        assert found is not None
        assert found.sum() == COUNTS["densest_still_life"]["terms"][6]


# The best.


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_of_random_rules(kind: str) -> None:
    rng = np.random.default_rng([6, KINDS.index(kind)])
    for _ in range(4):
        rule = random_rule(kind, rng)
        size = (int(rng.integers(1, 5)), int(rng.integers(1, 5)))
        patterns = all_patterns(*size)
        cells = patterns[still(patterns, rule)].sum((1, 2))
        for nonempty in (True, False):
            problem = replace(families.still_life(size, rule=rule), nonempty=nonempty)
            values = cells[cells > 0] if nonempty else cells
            for largest in (True, False):
                found = best(problem, largest)
                if found is None:
                    assert not len(values)
                    continue
                verify.check(problem, [found])
                assert found.sum() == (values.max() if largest else values.min()), (rule, size)


@pytest.mark.parametrize("n", [1, 2, 4, 7, 9])
def test_densest_of_the_sequence(n: int) -> None:
    found = best(families.still_life((n, n)), largest=True)
    assert (0 if found is None else found.sum()) == COUNTS["densest_still_life"]["terms"][n - 1]


def test_a_pattern_is_traced_back_with_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for two tables of a row, all others are computed again, and the value stays the same."""
    monkeypatch.setattr(best_module, "SPARE", 1 << 60)
    applied = 0
    apply = Table.apply

    def counted(self: Table, step: Any, ring: Ring) -> None:
        nonlocal applied
        applied += 1
        apply(self, step, ring)

    monkeypatch.setattr(Table, "apply", counted)
    problem = families.still_life((5, 12))
    found = best(problem, largest=True)
    assert found is not None
    assert applied > len(plan_of(model_of(problem)).steps)
    verify.check(problem, [found])
    monkeypatch.undo()
    again = best(problem, largest=True)
    assert again is not None
    assert found.sum() == again.sum()


def test_long_thin_boxes() -> None:
    problem = families.still_life((2, 300))
    found = best(problem, largest=True)
    assert found is not None
    assert found.sum() == 400  # blocks, each two rows of three
    verify.check(problem, [found])
    sparse = best(problem, largest=False)
    assert sparse is not None
    assert sparse.sum() == 4


def test_symmetry_halves_the_table() -> None:
    plain_plan = plan_of(model_of(families.still_life((12, 12))))
    mirrored = plan_of(model_of(families.still_life((12, 12), symmetry="D2v")))
    assert (plain_plan.slots, mirrored.slots) == (26, 14)


def test_the_slot_is_the_sequence_number() -> None:
    for width, height in ((3, 5), (6, 6), (7, 9)):
        steps = plan_of(model_of(families.still_life((width, height)))).steps[: -2 * width]
        assert [step.slot for step in steps] == [number % (2 * width + 2) for number in range(len(steps))]


# Limits.


def test_limits_are_told_before_work() -> None:
    with pytest.raises(LimitError, match=r"2\^42 states .*would need"):
        count(families.still_life((20, 20)))
    with pytest.raises(LimitError, match=r"2\^24 states of 4 bytes \(2\^18 fit\).* the limit is 1"):
        count(families.still_life((11, 11)), ThreadPool(limits=Limits(memory=1)))
    with pytest.raises(LimitError, match="would need"):
        best(families.still_life((11, 11)), largest=True, pool=ThreadPool(limits=Limits(memory=1)))
    with pytest.raises(LimitError, match=r"more than 2\^48 states, which no memory holds"):
        count(families.torus((100, 100), 1))
    with pytest.raises(LimitError, match=r"larger than a list of all 2\^16 patterns"):
        ask_for_memory(model_of(families.torus((4, 4), 2)), 34, 4, None)


def test_what_a_table_does_not_answer() -> None:
    for problem in (
        families.oscillator((4, 4), 3),
        families.still_life((4, 4), rule="B3/S23/C3"),
        families.still_life((4, 4), rule="B3/S23?"),
        families.still_life((4, 4), strict=True),
        families.spaceship((4, 4), 2, (0, 1)),
        families.grid("a *\n* *\n\n* -a\n* *\n", period=2),
        families.predecessor(Pattern.from_rows(["OO"]), 2),
        families.torus((8, 8), 1, (3, 0)),
    ):
        assert why_not(problem)
        with pytest.raises(InputError, match="cannot be counted"):
            count(problem)
    assert best_module.why_not(families.oscillator((4, 4), 2))
    with pytest.raises(InputError, match="cannot be found"):
        best(families.oscillator((4, 4), 2), largest=True)


def test_deadline_and_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    with deadline_after(3) as deadline, pytest.raises(OutOfTime):
        count(families.still_life((8, 8)), ThreadPool(limits=Limits(deadline)))
    monkeypatch.setattr("satlife.engines.tables.threads.OFTEN", 0.0)
    told: list[tuple[float, float]] = []
    count(families.still_life((8, 8)), ThreadPool(progress=lambda part, left: told.append((part, left))))
    assert told
    assert all(0 < part <= 1 and left >= 0 for part, left in told)
    assert [part for part, _ in told] == sorted(part for part, _ in told)


def test_ctrl_c_ends_a_count(tmp_path: Path) -> None:
    count = ("still-life", "11x300", "--count-only")
    with observed("satlife.engines.tables.threads:ThreadPool.look", tmp_path, *count, times=3) as process:
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in errors


# From the shell.


def test_by_population_from_the_shell() -> None:
    result = run("still-life", "4x4", "--count-only", "--by-population")
    listed = {int(a): int(b) for a, b in (line.split() for line in result.stdout.splitlines())}
    expected = {n: c for n, c in enumerate(by_population(families.still_life((4, 4)))) if c}
    assert (result.returncode, listed) == (0, expected)
    assert sum(listed.values()) == 82
    closing = json.loads(run("still-life", "4x4", "--count-only", "--by-population", "--json").stdout)
    assert closing["by_population"] == by_population(families.still_life((4, 4)))
    assert closing["count"] == 82
    assert run("still-life", "4x4", "--by-population").returncode == 2
    assert (
        "does not suit this problem" in run("oscillator", "12x12", "-p", "3", "--count-only", "--by-population").stderr
    )


def test_counts_from_the_shell(tmp_path: Path) -> None:
    result = run("oscillator", "5x5", "-p", "2", "--count-only")
    assert (result.returncode, result.stdout) == (0, "86\n")
    assert "transfer matrix" in result.stderr
    empty = tmp_path / "empty.cells"
    empty.write_text("...\n" * 3)
    assert run("predecessor", str(empty), "--count-only", "--margin", "0").stdout == "51\n"
    four = by_population(families.still_life((5, 5)))[4]
    assert run("still-life", "5x5", "--count-only", "--cells", "4").stdout == f"{four}\n"
    long = run("still-life", "1x2000", "--count-only", "-r", "B3/S0")
    assert (long.returncode, long.stderr) == (0, "satlife: counted by transfer matrix\n")
    assert len(long.stdout) > 350
    none = run("still-life", "11x200", "--count-only", "--time", "0.1")
    assert (none.returncode, none.stdout) == (3, "")
    large = run("still-life", "16x16", "--count-only", "--memory", "100", "-r", "B3/S")  # of which none is left
    assert (large.returncode, large.stdout) == (20, "0\n")
    assert "would need" in large.stderr


def test_rules_with_one_still_life_have_no_densest() -> None:
    assert LIFE.is_isotropic
    result = run("still-life", "6x6", "--maximize", "-r", "B1/S")
    assert (result.returncode, result.stdout) == (20, "")


@pytest.mark.parametrize(("word", "solutions"), [("0", 1), ("1", 0)])
def test_a_single_cell_that_is_known(word: str, solutions: int) -> None:
    problem = Problem(1, 1, nonempty=False, cells=grid_of([[word]]))
    assert count(problem).value == solutions
