"""One identity of an answer: listing, counting, orbits, blocking and certificates mean the same by "the same"."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import satlife
from satlife.engines.options import Options
from satlife.errors import InputError
from satlife.life.pattern import Cells
from satlife.life.rule import Rule
from satlife.problem import orbits, verify
from satlife.problem.cell import grid_of
from satlife.problem.grid import parse_grid
from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.proof.certify import certify
from satlife.proof.claims.lists import ClaimAll
from satlife.proof.publish import Unproved
from satlife.proof.verify import verify as verify_folder

RULES = ["B3/S23", "B2/S", "B1/S1", "B2/S34H", "B03/S23", "/2/3", "345/2/4", "B3/S2c?3", "B1?/S12c?"]
WORDS = ["0", "1", "*", "*", "*'", "a", "-a", "b'", "a'", "0'"]


def random_question(rng: random.Random) -> Problem:
    """A small question of any kind: freed cells, names, partial rules, B0, Generations, tori, waves."""
    while True:
        rule = Rule.parse(rng.choice(RULES))
        width, height = rng.choice([(1, 1), (2, 1), (1, 2), (2, 2), (3, 1), (3, 2)])
        periodic = rng.random() < 0.5
        steps = rng.choice([1, 2, 2, 3]) if periodic else rng.choice([1, 1, 2])
        last = steps - 1 if periodic else steps
        while rule.states ** (width * height * (last + 1)) > 3_000:
            width, height = 1, max(1, height - (width == 1))
            steps = 1
            last = 0 if periodic else 1
        cells = tuple(
            tuple(tuple(rng.choice(WORDS) for _ in range(width)) for _ in range(height)) if rng.random() < 0.7 else ()
            for _ in range(last + 1)
        )
        try:
            return Problem(
                width,
                height,
                rule,
                periodic=periodic,
                generations=steps,
                displacement=rng.choice([(0, 0), (0, 0), (1, 0), (0, -1)]) if periodic else (0, 0),
                wrap=rng.choice([(False, False), (False, False), (True, True), (True, False), (False, True)]),
                cells=grid_of(cells) if rng.random() < 0.6 else (),
                exact=rng.random() < 0.7,
                nonempty=rng.random() < 0.5,
            ).having(differ=((0, last),) if last and rng.random() < 0.3 else ())
        except InputError:
            continue


def answers_by_force(problem: Problem) -> Iterator[tuple[Cells, ...]]:
    """Every sequence of generations that some rule allows, found by trying all of them."""
    shape = (problem.last + 1, problem.height, problem.width)
    choices = itertools.product((False, True), repeat=len(problem.rule.classes))
    rules = [problem.rule.resolve(values) for values in choices] if problem.rule.is_partial else [problem.rule]
    decided = [replace(problem, rule=rule) for rule in rules]
    for states in itertools.product(range(problem.rule.states), repeat=int(np.prod(shape))):
        phases = tuple(np.array(states, np.uint8).reshape(shape))
        for one in decided:
            try:
                verify.check(one, phases)
            except verify.Refuted:
                continue
            yield phases
            break


@pytest.mark.parametrize("seed", range(20))
def test_listing_counting_orbits_and_certificate_agree(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    problem = random_question(rng)
    expected: dict[bytes, tuple[Cells, ...]] = {}
    kinds = set()
    for phases in answers_by_force(problem):
        expected[orbits.identity(problem, phases)] = phases
        kinds.add(orbits.canonical(problem, phases))
    listing = satlife.enumerate_all(problem, jobs=1)
    listed = [outcome.phases for outcome in listing]
    assert listing.complete, (problem, listing.reason)
    assert sorted(orbits.identity(problem, phases) for phases in listed) == sorted(expected), problem
    assert (listing.raw, listing.distinct) == (len(expected), len(kinds)), problem
    one_of_each = list(satlife.enumerate_all(problem, distinct=True, jobs=1))
    assert len(one_of_each) == len(kinds), problem
    if seed % 4 == 0:  # proofs take longer
        finds = tuple(Find(o.phases, o.rule) for o in satlife.enumerate_all(problem, jobs=1))
        claim = ClaimAll(problem, finds)
        certify(claim, tmp_path / "all", Options(jobs=1))
        assert f"exactly {len(expected)} " in next(iter((tmp_path / "all" / "statement.txt").read_text().splitlines()))
        assert list(verify_folder(tmp_path / "all"))
        if finds:
            with pytest.raises(Unproved):
                certify(replace(claim, finds=finds[1:]), tmp_path / "one less", Options(jobs=1))
        if not problem.rule.is_partial:
            shown = tuple(Find(o.phases, o.rule) for o in one_of_each)
            certify(ClaimAll(problem, shown, distinct=True), tmp_path / "distinct", Options(jobs=1))


def test_cells_that_do_not_count_do_not_make_two_answers_of_one(tmp_path: Path) -> None:
    """`*'` in the last generation is nobody's business: a certificate that lists both of its values is refused."""
    problem = satlife.grid("0\n\n*'\n")
    assert len(list(satlife.enumerate_all(problem))) == 1
    both = tuple(Find((np.zeros((1, 1), np.uint8), np.full((1, 1), value, np.uint8))) for value in (0, 1))
    for find in both:
        find.check(problem)
    with pytest.raises((Unproved, verify.Refuted), match="listed twice"):
        certify(ClaimAll(problem, both), tmp_path / "forged")
    named = satlife.grid("0\n\na'\n")
    assert len(list(satlife.enumerate_all(named))) == 2
    assert len(list(satlife.enumerate_all(named, distinct=True))) == 2


def test_a_freed_cell_needs_two_states() -> None:
    """A dying cell is told by its past, so with more than two states a cell cannot be freed from it."""
    with pytest.raises(InputError, match="only `\\?` cells of the last generation"):
        Problem(1, 1, Rule.parse("/2/3"), periodic=False, generations=1, cells=parse_grid("1\n\n0'\n"))
    assert satlife.find(satlife.orphan(satlife.Pattern.from_rows(["O"]), rule="/2/3"))


def test_every_smaller_period_is_excluded_where_cells_are_freed() -> None:
    """Generation 1 may be generation 0 although generation 2 is not: then the period is smaller than 4, too."""
    problem = satlife.grid("1 *\n\n* *\n\n*' *'\n\n*' *'\n", period=4, rule="B3/S01")
    expected = {orbits.identity(problem, phases) for phases in answers_by_force(problem)}
    listing = satlife.enumerate_all(problem)
    assert {orbits.identity(problem, outcome.phases) for outcome in listing} == expected
    assert listing.complete
