"""Counts by lists of states, by closed walks and by choices of the first rows: against all patterns, tables, and each
other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from events import deadline_after
from reference_tables import Bytes
from satlife.engines.tables import count as count_module
from satlife.engines.tables.count import by_population, count
from satlife.engines.tables.lists import lists as lists_module
from satlife.engines.tables.lists.lists import Lists, SortedList, list_plan
from satlife.engines.tables.model import TableModel, model_of, transposed
from satlife.engines.tables.symmetries import row_reflections, row_symmetries
from satlife.engines.tables.threads import ThreadPool
from satlife.engines.tables.torus.choices import choices_of
from satlife.engines.tables.torus.choices import total as total_of_choices
from satlife.engines.tables.torus.walks import Walks, walk_plan
from satlife.errors import LimitError, OutOfTime
from satlife.life.rule import Rule, parse
from satlife.limits import Limits
from satlife.problem import families
from satlife.problem.cell import grid_of
from satlife.problem.problem import Problem
from small_questions import COUNTS, KINDS, NORTH_WEST, all_patterns, random_problem, random_rule, stepped


def vanishing(width: int, height: int, rule: str | Rule = "B3/S23") -> Problem:
    """What is empty after one generation on a torus."""
    cells = grid_of(((), (("0",) * width,) * height))
    rule = parse(rule) if isinstance(rule, str) else rule
    return Problem(width, height, rule=rule, periodic=False, wrap=(True, True), cells=cells, nonempty=False)


def by_lists(model: TableModel, prime: int = 0) -> int:
    with ThreadPool(1) as pool:
        return Lists(list_plan(model), pool).total(prime) if model.possible else 0


def by_table(problem: Problem, still: bool = False) -> int:
    """The solutions of a model, by the table of all states."""
    with ThreadPool(1) as pool:
        return count_module._Counter(pool)._total(model_of(problem, still), 0)


def recurring(width: int, height: int, rule: Rule, period: int, wrap: bool) -> int:
    """The patterns of a torus or box that recur after one or two generations, by trying all of them."""
    patterns = all_patterns(width, height)
    now = patterns
    for _ in range(period):
        now = stepped(now, rule, (wrap, wrap))
        if not wrap:
            inside = now[:, 1:-1, 1:-1]
            kept = now.sum((1, 2)) == inside.sum((1, 2))  # nothing is born outside
            patterns, now = patterns[kept], np.ascontiguousarray(inside[kept])
    return int((now == patterns).all((1, 2)).sum())


@pytest.mark.parametrize("seed", range(60))
def test_lists_and_tables_agree_on_questions_of_every_kind(seed: int) -> None:
    problem = random_problem(np.random.default_rng([15, seed]))
    model = model_of(problem)
    expected = by_table(problem)
    assert by_lists(model) == expected, problem.to_dict()
    assert by_lists(model, 101) == expected % 101
    assert by_lists(transposed(model)) == expected


@pytest.mark.parametrize("seed", range(40))
def test_counts_by_population_agree_on_questions_of_every_kind(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(random_problem(np.random.default_rng([5, seed])))
    if not model.possible or not model.variables:
        return
    with ThreadPool(1) as pool:
        counter = count_module._Counter(pool)
        listed = counter._polynomial_by_lists(model, None)
        monkeypatch.setattr(count_module, "AT_ONCE", 1 << 10)  # always a table
        table = counter._polynomial(model)
    assert np.trim_zeros(listed, "b") == np.trim_zeros(table, "b")


def test_period_two_by_population() -> None:
    """Each pattern is counted once, in generation 0: an oscillator in both of its phases."""
    counts = by_population(families.oscillator((4, 4), 2))
    assert {cells: number for cells, number in enumerate(counts) if number} == {3: 8, 6: 14, 8: 2}
    assert sum(counts) == count(families.oscillator((4, 4), 2)).value
    torus = families.torus((4, 3), 2)
    patterns = all_patterns(4, 3)
    after = stepped(patterns, torus.rule, (True, True))
    recur = (stepped(after, torus.rule, (True, True)) == patterns).all((1, 2)) & (after != patterns).any((1, 2))
    assert by_population(torus) == np.trim_zeros(np.bincount(patterns[recur].sum((1, 2))), "b").tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_oscillators_in_random_rules(kind: str) -> None:
    rng = np.random.default_rng([16, KINDS.index(kind)])
    for size in ((3, 4), (4, 3), (2, 6), (3, 5)):
        rule = random_rule(kind, rng)
        model = model_of(families.oscillator(size, 2, rule=rule))
        assert by_lists(model) == recurring(*size, rule, 2, wrap=False), (rule, size)


@pytest.mark.parametrize(("kind", "period"), list(zip(KINDS, (1, 2, 1, 2, 1), strict=True)))
def test_tori_in_random_rules(kind: str, period: int) -> None:
    """By lists, by walks where rows are long enough, and by choices of the first rows."""
    rng = np.random.default_rng([17, KINDS.index(kind), period])
    walked = 0
    for size in ((2, 5), (3, 4), (4, 3), (1, 6)):
        rule = random_rule(kind, rng)
        model = model_of(families.torus(size, period, rule=rule))
        expected = recurring(*size, rule, period, wrap=True)
        with ThreadPool(1) as pool:
            assert by_lists(model) == expected, (rule, size)
            if period == 1 or size == (1, 6):
                assert total_of_choices(choices_of(model), pool) == expected, (rule, size)
            try:
                plan = walk_plan(model)
            except LimitError:
                continue
            assert Walks(plan, pool).total() == expected, (rule, size)
            assert Walks(plan, pool).total(103) == expected % 103
            walked += 1
    assert walked == 2


def test_walks_of_longer_tori() -> None:
    """Even and odd numbers of rows, more of them than columns and fewer, and places to begin in several lots."""
    with ThreadPool(2) as pool:
        for problem in (
            families.torus((3, 9), 1),
            families.torus((6, 5), 1),
            families.torus((3, 8), 2),
            families.torus((4, 6), 2, rule="B36/S23"),
        ):
            model = model_of(problem)
            assert Walks(walk_plan(model), pool).total() == by_lists(model)


@pytest.mark.parametrize("kind", KINDS)
def test_choices_of_the_first_rows(kind: str) -> None:
    rng = np.random.default_rng([18, KINDS.index(kind)])
    with ThreadPool(2) as pool:
        for size in ((2, 3), (3, 4), (4, 3), (1, 4)):
            problem = vanishing(*size, random_rule(kind, rng))
            assert total_of_choices(choices_of(model_of(problem)), pool) == by_table(problem), problem.to_dict()


def test_choices_stand_for_their_orbits() -> None:
    choices = choices_of(model_of(vanishing(4, 4)))
    assert int(choices.sizes.sum()) == 1 << 8
    assert len(choices.contents) < 1 << 6
    known = replace(vanishing(4, 4), cells=grid_of(((), (("0", "1", "0", "0"), *(("0",) * 4,) * 3))))
    assert len(choices_of(model_of(known)).contents) > 1 << 6  # only the mirror through that column is left
    with pytest.raises(LimitError, match=r"2\^22 contents"):
        choices_of(model_of(families.torus((11, 11), 1)))


# Symmetries.


def test_symmetries_are_those_of_the_question() -> None:
    torus, box = model_of(families.torus((5, 6), 1)), model_of(families.oscillator((5, 6), 2))
    assert (len(row_symmetries(torus)), len(row_reflections(torus))) == (10, 2)
    assert (len(row_symmetries(box)), len(row_reflections(box))) == (4, 1)
    moved = model_of(families.torus((5, 6), 1, (1, 0)))
    assert len(row_symmetries(moved)) == 5  # shifts, no mirror
    plain = model_of(families.torus((5, 6), 1, rule=NORTH_WEST))
    assert (len(row_symmetries(plain)), len(row_reflections(plain))) == (5, 0)
    known = model_of(replace(families.torus((5, 6), 1), cells=grid_of([[["1", *"****"], *[["*"] * 5] * 5]])))
    assert len(row_symmetries(known)) == 2


@pytest.mark.parametrize("seed", range(20))
def test_symmetries_map_solutions_to_solutions(seed: int) -> None:
    problem = random_problem(np.random.default_rng([19, seed]))
    model = model_of(problem)
    if model.variables > 10:
        return
    solutions = [values for values in _assignments(model.variables) if model.allows(values)]
    for permutation in (*row_symmetries(model), *row_reflections(model)):
        for values in solutions:
            moved = np.zeros_like(values)
            moved[permutation] = values
            assert model.allows(moved), problem.to_dict()


def _assignments(variables: int) -> list[npt.NDArray[np.uint8]]:
    return [np.array([number >> k & 1 for k in range(variables)], np.uint8) for number in range(1 << variables)]


# Terms.


@pytest.mark.parametrize("n", [6])
def test_more_terms_of_period_two(n: int) -> None:
    found = count(families.oscillator((n, n), 2))
    assert found.value == 2 * COUNTS["period_2_pairs_in_box"]["terms"][n - 1]
    assert "in lists of up to" in found.words


@pytest.mark.parametrize("n", [4, 5, 6])
def test_still_lifes_of_tori(n: int) -> None:
    assert by_lists(model_of(families.torus((n, n), 1))) == COUNTS["torus"]["still"][n - 3]


def test_period_two_on_tori() -> None:
    for n in (4, 5):
        assert count(families.torus((n, n), 2)).value == COUNTS["torus"]["period_2_states"][n - 3]


# The lists themselves.


def test_moves_are_those_of_numpy() -> None:
    pytest.importorskip("numba")
    for problem in (families.oscillator((3, 4), 2), families.torus((3, 4), 1, rule=NORTH_WEST)):
        for prime in (0, 7):
            states = SortedList(ThreadPool(1), prime)
            for row in list_plan(model_of(problem)).rows:
                for move in row.moves:
                    compiled = states.advanced(states.keys, states.values, move)
                    for one, other in zip(compiled, states.plainly(states.keys, states.values, move), strict=True):
                        assert np.array_equal(one[0], other[0])
                        assert np.array_equal(one[1], other[1])
                    states.apply(move)
                    assert (np.diff(states.keys) > 0).all()


def test_lists_in_many_chunks_and_without_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    model, expected = model_of(families.oscillator((5, 5), 2)), 86 + 417
    monkeypatch.setattr(lists_module, "PART", 50)
    with ThreadPool(3) as pool:
        assert Lists(list_plan(model), pool).total() == expected
    monkeypatch.setattr("satlife.native.is_compiled", lambda: False)
    assert by_lists(model) == expected


def test_sums_beyond_64_bits() -> None:
    """More than 2^64 patterns are counted modulo primes."""
    model = model_of(families.oscillator((2, 70), 2, rule="B/S012345678"))
    with ThreadPool(1) as pool:
        counter = count_module._Counter(pool)
        found = counter._by_lists(Lists(list_plan(model), pool), model)
    assert counter.primes > 2
    assert found == 1 << 140  # nothing ever changes


def test_lists_that_do_not_pay_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a rule in which everything is still, every state occurs: a table for each choice is quicker."""
    monkeypatch.setattr(count_module, "AT_ONCE", 10)
    monkeypatch.setattr(count_module, "A_VISIT", 1 << 40)
    found = count(vanishing(4, 5))
    assert found.value == by_table(vanishing(4, 5))
    assert "lists" not in found.words


def test_limits_of_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(families.oscillator((6, 6), 2))
    monkeypatch.setattr(lists_module, "PART", 1000)
    with (
        ThreadPool(1, Bytes(memory=1 << 16)) as pool,
        pytest.raises(LimitError, match=r"a list of [\d,]+ states would need"),
    ):
        Lists(list_plan(model), pool).total()
    with deadline_after(3) as deadline, ThreadPool(1, Limits(deadline)) as pool, pytest.raises(OutOfTime):
        Lists(list_plan(model), pool).total()
    with pytest.raises(LimitError, match="too many for a list"):
        list_plan(model_of(families.oscillator((16, 16), 2)))
    with pytest.raises(LimitError, match="not all alike"):
        walk_plan(model_of(vanishing(3, 3)))
    with pytest.raises(LimitError, match="not all alike"):
        walk_plan(model_of(families.torus((2, 5), 2)))
    with pytest.raises(LimitError, match="too long for walks"):
        walk_plan(model_of(families.torus((12, 12), 2)))


def test_progress_of_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satlife.engines.tables.threads.OFTEN", 0.0)
    for problem in (families.oscillator((5, 5), 2), families.torus((3, 5), 2), vanishing(4, 4)):
        told: list[tuple[float, float]] = []
        monkeypatch.setattr(count_module, "AT_ONCE", 5)

        def tell(part: float, left: float, told: list[tuple[float, float]] = told) -> None:
            told.append((part, left))

        count(problem, ThreadPool(progress=tell))
        assert told
        assert all(0 < part <= 1 and left >= 0 for part, left in told)
