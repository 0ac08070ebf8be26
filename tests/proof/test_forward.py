"""The forward check, which reads a proof in pieces: it agrees with the backward check, in memory for clauses alive."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import satlife
from naive_checker import accepts
from random_proofs import SQUARE, Clauses, Pairs, mutate, pairs_of, proof_of, relaxed_and_proof
from satlife import memory
from satlife.cnf.formula import Formula
from satlife.encode.encoder import encode
from satlife.errors import InputError, LimitError
from satlife.proof import checker, drat, forward
from satlife.proof.drat import Steps


def pieces(steps: Steps, size: int) -> Iterator[Steps]:
    """A proof in pieces of so many steps."""
    pairs = pairs_of(steps)
    return (Steps.of(pairs[k : k + size]) for k in range(0, len(pairs), size))


def test_trimmed_proofs_pass(tmp_path: Path) -> None:
    formula = encode(satlife.still_life((5, 5), population=">=17")).formula
    core = checker.check(formula, proof_of(formula, "cadical195", tmp_path)).core
    assert core is not None
    for size in (1, 7, 1000):
        verdict = forward.check(formula, pieces(core, size))
        assert verdict, verdict.reason
        assert verdict.lemmas == core.lemmas


@pytest.mark.parametrize("solver", ["cadical153", "cadical300", "glucose4", "kissat"])
def test_proofs_of_solvers_pass_as_they_are(solver: str, tmp_path: Path) -> None:
    formula = encode(satlife.still_life((5, 5), population=">=17")).formula
    proof = proof_of(formula, solver, tmp_path)
    verdict = forward.check(formula, pieces(proof, 100))
    assert verdict, verdict.reason


def test_agrees_with_the_backward_check_on_damaged_proofs(tmp_path: Path) -> None:
    """What passes forward passes backward; what passes backward alone has a lemma that is neither right nor needed."""
    rng = random.Random(4)
    seen: set[tuple[bool, bool]] = set()
    kinds = {(True, True), (False, False), (False, True)}
    for number in range(20):
        if number >= 2 and kinds <= seen:
            break
        clauses, relaxed, pairs = relaxed_and_proof(rng, tmp_path)
        for _ in range(8):
            steps = mutate(rng, pairs, 12)
            for base in (clauses, relaxed):
                formula = Formula.from_clauses(base, [str(v) for v in range(1, 13)])
                ahead = forward.check(formula, pieces(Steps.of(steps), rng.randint(1, 9)))
                back = checker.check(formula, Steps.of(steps))
                assert back or not ahead, (base, steps)
                assert ahead or not accepts(base, steps), (base, steps)
                assert not (base is relaxed and (ahead or back)), (base, steps)
                seen.add((bool(ahead), bool(back)))
    assert kinds <= seen


literals = st.sampled_from([sign * v for v in range(1, 5) for sign in (1, -1)])
clause_lists = st.lists(st.lists(literals, max_size=3), max_size=14)


@st.composite
def proofs(draw: st.DrawFn) -> tuple[Clauses, Pairs]:
    """A formula and steps, many of which delete what is there; each clause may be written in any order."""
    clauses: Clauses = draw(clause_lists)
    steps: Pairs = []
    there = list(clauses)
    for _ in range(draw(st.integers(0, 10))):
        if draw(st.booleans()) and there:
            gone: list[int] = draw(st.sampled_from(there).flatmap(st.permutations))
            steps.append(("d", gone))
        else:
            there.append(draw(st.lists(literals, max_size=3)))
            steps.append(("a", there[-1]))
    return clauses, steps


@given(proofs(), st.integers(1, 4))
def test_three_checks_agree(given: tuple[Clauses, Pairs], size: int) -> None:
    """The forward check is the naive one, lemma by lemma; the backward check only passes over what is not needed."""
    clauses, steps = given
    formula = Formula.from_clauses(clauses, ["1", "2", "3", "4"])
    ahead = forward.check(formula, pieces(Steps.of(steps), size))
    back = checker.check(formula, Steps.of(steps))
    assert bool(ahead) == accepts(clauses, steps)
    assert back or not ahead
    assert ahead or not back or "does not follow" in ahead.reason


def test_lemmas_that_are_no_more_than_asymmetric_tautologies() -> None:
    formula = Formula.from_clauses(SQUARE)
    assert forward.check(formula, [Steps.of([("a", [-1]), ("a", [2]), ("a", [])])])
    units = [literal for v in range(1, 5) for literal in (v, -v)]
    for first in units:
        for second in units:
            steps: Pairs = [("a", [first]), ("a", [second]), ("a", [])]
            assert bool(forward.check(formula, [Steps.of(steps)])) == accepts(SQUARE, steps)


def test_new_variables_may_come_at_any_time() -> None:
    clauses = [[1, 3], [2, 3], [-1, -2, 3], [1, -3], [2, -3], [-1, -2, -3]]
    defined: Pairs = [("a", [90, -1, -2]), ("a", [-90, 1]), ("a", [-90, 2])]
    rest: Pairs = [("a", [90, 3]), ("a", [-90, 3]), ("a", [3]), ("a", [])]
    assert forward.check(Formula.from_clauses(clauses), [Steps.of(defined), Steps.of(rest)])
    far = forward.check(Formula.from_clauses(clauses), [Steps.of([("a", [2**30])])])
    assert "names variable 1073741824" in far.reason


def test_what_comes_after_the_contradiction_is_read() -> None:
    formula = Formula.from_clauses([[1], [-1]])
    assert forward.check(formula, [Steps.of([("a", [5])]), Steps.of([("a", [6])])]).lemmas == 2
    with pytest.raises(InputError, match="cut off"):
        forward.check(formula, drat.stream([b"a\x02\0a\x02"]))


def long_proof(rounds: int) -> Iterator[Steps]:
    """Lemmas that come and go: few are alive at a time."""
    for k in range(rounds):
        extra = [3 + (k + i) % 50 for i in range(20)]
        yield Steps.of([("a", [2, *extra]), ("a", [-2, *extra]), ("d", [*extra, 2]), ("d", [-2, *extra])])
    yield Steps.of([("a", [2]), ("a", [])])


def test_memory_is_for_the_clauses_alive() -> None:
    formula = Formula.from_clauses([[1, 2], [-1, 2], [1, -2], [-1, -2]])
    rooms = []
    for rounds in (10, 500):
        verdict = forward.check(formula, long_proof(rounds))
        assert verdict, verdict.reason
        assert verdict.lemmas == 2 * rounds + 2
        rooms.append(verdict.room)
    assert max(rooms) < 300  # of 21,000 literals that came


def test_compaction_loses_nothing(tmp_path: Path) -> None:
    """An arena that is compacted before every step comes to the same end."""
    formula = encode(satlife.still_life((5, 5), population=">=17")).formula
    core = checker.check(formula, proof_of(formula, "cadical195", tmp_path)).core
    assert core is not None
    clauses = forward.Arena(formula.variables)
    for steps in forward.given_clauses(formula):
        clauses.follow(steps, given=True)
    alive = len(formula.literals)
    for steps in pieces(core, 1):
        clauses.compact()
        assert clauses.follow(steps) == 0
        alive += len(steps.literals) * (-1 if steps.deletes[0] else 1)
        assert clauses.live >= alive  # deletions of reasons are ignored
    assert clauses.refuted


def test_clauses_that_do_not_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = Formula.from_clauses([[1, 2], [-1, 2], [1, -2], [-1, -2]])
    growing = (Steps.of([("a", [2, *range(3, 300)])]) for _ in range(100_000))
    monkeypatch.setattr(memory, "available", lambda: 1 << 20)
    with pytest.raises(LimitError, match=r"the clauses that the proof has at a time would need .* of memory"):
        forward.check(formula, growing)


def test_a_check_can_be_stopped() -> None:
    read: list[int] = []

    def tick() -> None:
        if len(read) > 3:
            raise KeyboardInterrupt

    proof = (read.append(k) or steps for k, steps in enumerate(long_proof(100)))  # type: ignore[func-returns-value]
    with pytest.raises(KeyboardInterrupt):
        forward.check(Formula.from_clauses([[1, 2], [-1, 2], [1, -2], [-1, -2]]), proof, tick)
    assert len(read) == 4


@given(st.data())
def test_a_stream_has_the_steps_of_the_proof(data: st.DataObject) -> None:
    literal = st.integers(1, 300) | st.integers(-300, -1)
    steps = data.draw(st.lists(st.tuples(st.sampled_from("ad"), st.lists(literal, max_size=90)), max_size=30))
    binary = drat.write(Steps.of(steps))
    text = "".join(f"{'d ' * (kind == 'd')}{' '.join(map(str, [*clause, 0]))}\n" for kind, clause in steps).encode()
    for form in (binary, b"c\n" + text):
        size = data.draw(st.integers(1, 400))
        parts = drat.stream(form[k : k + size] for k in range(0, len(form), size))
        assert [pair for part in parts for pair in pairs_of(part)] == steps


def test_a_step_without_an_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 1 << 20)
    endless = (b"a" * (k == 0) + b"\x02" * 1000 for k in range(1000))
    with pytest.raises(LimitError, match="of memory"):
        list(drat.stream(endless, "the proof", checker.allowance("the proof")))
