"""Encodings by their full truth tables and by counting models."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from pysat.solvers import Solver

from random_problems import every_pattern
from satlife.cnf.buffer import FALSE, TRUE, Buffer, add_bounds
from satlife.encode.encoder import Encoded, encode
from satlife.encode.spacetime import SWEEPS, SpaceTime, Transitions, can_live
from satlife.encode.transitions import ENCODINGS, choose, direct
from satlife.errors import InputError
from satlife.life.rule import LIFE, Rule, from_counts, parse
from satlife.life.simulate import next_states
from satlife.problem import families, verify
from satlife.problem.problem import Problem
from small_questions import COUNTS


def random_rules(count: int, totalistic: bool, seed: int = 1) -> list[Rule]:
    """Rules with B0, S8 and, unless totalistic, of every kind there is."""
    rng = np.random.default_rng(seed)
    rules = []
    for i in range(count):
        if totalistic or i % 3 == 0:
            births, survivals = ({int(n) for n in np.nonzero(rng.integers(0, 2, 9))[0]} for _ in range(2))
            rules.append(from_counts(births, survivals))
        elif i % 3 == 1:
            rules.append(Rule(rng.integers(0, 2, 512).astype(np.uint8).tobytes()))
        else:
            letters = "".join(f"{n}{rng.choice(list('ceaikn'))}" for n in (2, 3) if rng.integers(2))
            rules.append(parse(f"B{letters}4k/S2{rng.choice(list('ceaikn'))}3"))
    return rules


def one_step(rule: Rule, encoding: str, constants: dict[int, bool] | None = None) -> tuple[Buffer, np.ndarray]:
    """The clauses of one cell whose ten literals are variables, or constants where given."""
    buffer = Buffer()
    literals = buffer.new(10)
    for index, value in (constants or {}).items():
        literals[index] = TRUE if value else FALSE
    here = np.array([5])
    ENCODINGS[encoding].encode(buffer, Transitions(literals[:1], literals[None, 1:], here * 0, here, here), rule)
    return buffer, literals


def accepted(buffer: Buffer) -> np.ndarray:
    """For all 1,024 assignments of variables 1 to 10: whether the clauses can be satisfied."""
    formula = buffer.formula()
    out = np.zeros(1024, bool)
    with Solver("glucose4", bootstrap_with=formula.clauses()) as solver:
        for row in range(1024):
            values = [row >> (9 - i) & 1 for i in range(10)]
            out[row] = solver.solve(assumptions=[v if value else -v for v, value in enumerate(values, 1)])
    return out


def truth(rule: Rule) -> np.ndarray:
    return np.array([rule.table[row & 511] == row >> 9 for row in range(1024)])


@pytest.mark.parametrize("encoding", ["tree", "columns", "direct"])
def test_truth_table_of_life(encoding: str) -> None:
    buffer, _ = one_step(LIFE, encoding)
    assert np.array_equal(accepted(buffer), truth(LIFE))


def test_truth_tables_of_nine_rules_direct() -> None:
    """Without auxiliaries the clauses can be evaluated on all rows at once: one is violated if all its literals are."""
    rows = np.array([[row >> (9 - i) & 1 for i in range(10)] for row in range(1024)])
    values = (2 * rows - 1).astype(np.float32)
    for rule in random_rules(9, totalistic=False):
        signs = direct.cover(rule.table).astype(np.float32)
        violated = signs @ values.T == -np.abs(signs).sum(axis=1, keepdims=True)
        assert np.array_equal(~violated.any(axis=0), truth(rule)), rule.name


@pytest.mark.parametrize("rule", random_rules(10, totalistic=True), ids=lambda r: r.name)
def test_truth_tables_of_totalistic_rules_by_columns(rule: Rule) -> None:
    buffer, _ = one_step(rule, "columns")
    assert np.array_equal(accepted(buffer), truth(rule))


@pytest.mark.parametrize("encoding", ["tree", "columns", "direct"])
def test_constants_change_nothing(encoding: str) -> None:
    """Known cells, dead or alive, leave the truth table of the others as it was."""
    rng = np.random.default_rng(2)
    table = truth(LIFE)
    for _ in range(8):
        chosen = rng.choice(10, size=rng.integers(1, 9), replace=False)
        constants = {int(i): bool(rng.integers(2)) for i in chosen}
        buffer, _ = one_step(LIFE, encoding, constants)
        got = accepted(buffer)
        for row in range(1024):
            fits = all((row >> (9 - i) & 1) == value for i, value in constants.items())
            if fits:
                assert got[row] == table[row]


def test_figures_of_the_direct_encoding() -> None:
    """Life: 330 prime implicates, 190 clauses of at most nine literals."""
    assert len(direct.primes(LIFE.table)) == 330
    cover = direct.cover(LIFE.table)
    assert len(cover) == 190
    assert (cover != 0).sum(axis=1).max() == 9
    assert [len(direct.primes(parse(r).table)) for r in ("B36/S23", "B3678/S34678", "B2/S")] == [646, 728, 93]


def test_unsuitable_encodings_are_refused() -> None:
    with pytest.raises(InputError, match="cannot express"):
        choose(parse("B36/S23"), "tree")
    with pytest.raises(InputError, match="cannot express"):
        choose(parse("B2-a/S12"), "columns")
    with pytest.raises(InputError, match="no encoding"):
        choose(LIFE, "magic")


def models(encoded: Encoded) -> list[list[np.ndarray]]:
    """All models, as generations; blocked on the cells of generation 0, which decide the others."""
    problem = encoded.problem
    cells = np.unique(abs(np.concatenate([encoded.space.level(-t).ravel() for t in range(encoded.space.history + 1)])))
    project = [int(v) for v in cells if v <= encoded.formula.variables]
    found = []
    with Solver("cadical153", bootstrap_with=encoded.formula.clauses()) as solver:
        while solver.solve():
            true = np.zeros(encoded.formula.variables + 1, bool)
            positive = np.array([v for v in solver.get_model() if 0 < v <= encoded.formula.variables], np.int64)
            true[positive] = True
            phases = encoded.decode(true)
            verify.check(problem, phases)
            found.append(phases)
            solver.add_clause([-v if true[v] else v for v in project])
    return found


@pytest.mark.parametrize("encoding", ["tree", "columns", "direct"])
def test_counts_of_still_lifes(encoding: str) -> None:
    """A136278, which counts the empty pattern too."""
    for n, expected in enumerate(COUNTS["still_lifes_in_box"]["terms"][:4], 1):
        assert len(models(encode(families.still_life((n, n)), encoding))) == expected - 1


@pytest.mark.parametrize("encoding", ["tree", "columns", "direct"])
def test_counts_of_period_two(encoding: str) -> None:
    """A136279 counts unordered pairs of phases."""
    for n, expected in enumerate(COUNTS["period_2_pairs_in_box"]["terms"][:4], 1):
        assert len(models(encode(families.oscillator((n, n), 2), encoding))) == 2 * expected


def test_counts_on_tori() -> None:
    for n, still, two in zip((3,), COUNTS["torus"]["still"], COUNTS["torus"]["period_2_states"], strict=False):
        assert len(models(encode(families.torus((n, n), 1)))) == still - 1
        assert len(models(encode(families.torus((n, n), 2)))) == two


@pytest.mark.parametrize("name", ["C2", "C4", "D2-", "D2|", "D2/", "D2\\", "D4+", "D4x", "D8"])
@pytest.mark.parametrize("n", [3, 4])
def test_symmetry_is_a_filter(name: str, n: int) -> None:
    """The models with a symmetry are the models without, filtered by looking at them."""
    everything = models(encode(families.still_life((n, n))))
    filtered = set()
    folded = families.still_life((n, n), symmetry=name)
    for phases in everything:
        try:
            verify.check(folded, phases)
        except verify.Refuted:
            continue
        filtered.add(phases[0].tobytes())
    assert {phases[0].tobytes() for phases in models(encode(folded))} == filtered


@pytest.mark.parametrize("sweep", SWEEPS)
def test_sweeps_only_renumber(sweep: str) -> None:
    problem = families.oscillator((4, 3), 2)
    plain, swept = encode(problem), encode(problem, sweep=sweep)
    assert (plain.formula.variables, len(plain.formula)) == (swept.formula.variables, len(swept.formula))
    assert len(models(swept)) == len(models(plain))


def test_pinwheel_symmetry_needs_one_generation() -> None:
    plain = SpaceTime(families.oscillator((12, 12), 4))
    folded = SpaceTime(families.oscillator((12, 12), 4, symmetry="R90@1"))
    assert plain.variables == 4 * 144
    assert folded.variables == 144


def test_brute_force_of_small_predecessors() -> None:
    """All predecessors of 2x2 patterns, one of each that are alike, in a 4x4 box, against running every 4x4 pattern."""
    from satlife.life.pattern import Pattern
    from satlife.life.simulate import next_states

    starts = np.pad(every_pattern(4, 4), ((0, 0), (2, 2), (2, 2)))
    outcomes = Counter(after.tobytes() for after in next_states(starts, LIFE))
    for bits in ("0000", "1000", "1100", "1001", "1110", "1111"):
        target = np.array([*map(int, bits)], np.uint8).reshape(2, 2)
        expected = outcomes.get(np.pad(target, 2).tobytes(), 0)
        problem = families.predecessor(Pattern(target), margin=1)
        assert len(models(encode(problem))) == expected


def test_predecessors_of_one_cell_seen_through_a_window() -> None:
    """140 of the 512 blocks give a live cell, 372 a dead one."""
    from satlife.life.pattern import Pattern

    numbers = COUNTS["predecessors_of_a_row_of_live_cells"]
    for state, expected in ((1, numbers["live"]), (0, numbers["dead"])):
        encoded = encode(families.orphan(Pattern(np.array([[state]], np.uint8))))
        first = {phases[0].tobytes() for phases in models(encoded)}
        assert len(first) == expected


def test_contradictory_cells_are_none_not_an_error() -> None:
    problem = families.still_life((2, 2), known=[[["a", "1"], ["0", "a"]]], symmetry="D2\\")
    assert SpaceTime(problem).contradiction
    assert not models(encode(problem))


@pytest.mark.parametrize("low", [None, 0, 2, 5])
@pytest.mark.parametrize("high", [None, 0, 3, 6])
def test_cardinality(low: int | None, high: int | None) -> None:
    for fixed in (0, 1):
        buffer = Buffer()
        literals = buffer.new(6)
        add_bounds(buffer, np.concatenate([literals, [TRUE] * fixed, [FALSE]]).astype(np.int32), low, high)
        with Solver("glucose4", bootstrap_with=buffer.formula().clauses()) as solver:
            for bits in itertools.product((0, 1), repeat=6):
                count = sum(bits) + fixed
                expected = (low is None or count >= low) and (high is None or count <= high)
                assert solver.solve(assumptions=[v if b else -v for v, b in enumerate(bits, 1)]) == expected


def test_names_of_variables() -> None:
    encoded = encode(families.oscillator((2, 2), 2))
    names = encoded.names()
    assert len(names) == len(set(names)) == encoded.formula.variables
    assert names[0] == "0,0@0"


def test_generations_rule_by_brute_force() -> None:
    """All period-3 patterns of a small torus in a rule with three states."""
    from satlife.life.simulate import step_torus

    rule = parse("2/2/3")
    problem = families.torus((3, 2), 3, rule=rule)
    expected = set()
    for states in itertools.product(range(3), repeat=6):
        grid = np.array(states, np.uint8).reshape(2, 3)
        phases = [grid]
        for _ in range(3):
            phases.append(step_torus(phases[-1], rule))
        if np.array_equal(phases[3], grid) and not np.array_equal(phases[1], grid):
            expected.add(grid.tobytes())
    found = {phases[0].tobytes() for phases in models(encode(problem))}
    assert found == expected


def test_problem_sizes() -> None:
    """A 64x64 still life and a 40x40 ship of period 6 are encoded without a loop over cells."""
    still = encode(families.still_life((64, 64)))
    assert still.space.variables == 64 * 64
    ship: Problem = families.spaceship((40, 40), 6, (0, -1))
    assert encode(ship).space.variables == 6 * 1600


@pytest.mark.parametrize("rule", ["B3/S23", "B2/S", "B36/S125", "B2-a5/S12", "B1/S1", "pB3/S2"])
def test_what_no_pattern_reaches_is_dead(rule: str) -> None:
    """Every cell that some pattern reaches can be alive, also in the largest of the rules that are left open."""
    question = families.becomes((3, 3), generations=4, copies=["1,0"], rule=rule)
    alive = can_live(replace(question, cells=question.cells[:1]))
    assert alive is not None
    starts = np.pad(every_pattern(3, 3), ((0, 0), (4, 4), (4, 4)))
    most = question.rule.resolve([True] * len(question.rule.classes)) if question.rule.is_partial else question.rule
    for reached in alive:
        assert not (starts.any(axis=0) & ~reached).any()
        starts = next_states(np.pad(starts, ((0, 0), (1, 1), (1, 1))), most)
    assert alive[0].sum() == 9
    assert alive[1].sum() <= 25
    assert can_live(families.still_life((4, 4))) is None
    assert can_live(families.predecessor("2o$2o!")) is None
