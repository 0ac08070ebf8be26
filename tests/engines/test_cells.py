"""The search over cells against brute force, the plain reference and the SAT engine."""

from __future__ import annotations

import itertools
import os
import random
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pysat.solvers import Solver

import reference_cells
import satlife
from events import PATIENCE, deadline_when, until
from random_problems import brute_force
from satlife import native
from satlife.cnf.buffer import TRUE, Buffer, add_bounds
from satlife.encode.breaking import breaking, clauses
from satlife.encode.spacetime import SWEEPS, SpaceTime
from satlife.encode.transitions import direct
from satlife.engines.cells import cube as cubes_by_cells
from satlife.engines.cells import kernel, listing, model, order, search, state, table
from satlife.engines.cells.engine import CellEngine, CellRun, ProgressReporter
from satlife.engines.cells.search import CellSearch, Stats, cubes, why_not
from satlife.engines.cells.sharing import WorkSharingSearch
from satlife.engines.engine import Background, Budget
from satlife.engines.events import UNKNOWN_CELL, Progress, compact
from satlife.errors import InputError, LimitError
from satlife.life.pattern import TRANSFORMS, Cells, live_box, transform_cells
from satlife.limits import Limits
from satlife.problem import orbits
from satlife.problem.ask import Ask
from satlife.problem.cell import grid_of
from satlife.problem.conditions.population import Bound, bounds
from satlife.problem.outcome import Status
from satlife.problem.problem import Problem
from satlife.proof import certify, drat
from satlife.proof.cells import ProvingCells
from satlife.proof.checker import check
from satlife.proof.plain import Plain
from satlife.search import plan

RULES = [
    "B3/S23",
    "B3/S23",
    "B36/S125",
    "B2/S",
    "B1/S1",
    "B3678/S34678",
    "B2-a/S12",
    "B3ai4r/S23",
    "B2/S34H",
    "B13/S12V",
    "B03/S23",
    "B02/S1",
    "B01e2/S3",
]
SYMMETRIES = [
    ("C2",),
    ("D2|",),
    ("D2-",),
    ("D2/",),
    ("C4",),
    ("D4+",),
    ("D8",),
    ("F-@1",),
    ("F|@1",),
    ("R180@1",),
    ("R90@1",),
]
MOVES = [(1, 0), (0, -1), (-1, 0), (0, 1), (1, 1), (-1, 1)]
QUESTIONS = int(os.environ.get("SATLIFE_CELL_QUESTIONS", "20"))
PROOFS = int(os.environ.get("SATLIFE_CELL_PROOFS", "10"))


def random_rule(rng: random.Random) -> satlife.Rule:
    if rng.random() < 0.08:
        return satlife.Rule(bytes([0, *rng.choices((0, 1), k=511)]))
    return satlife.Rule.parse(rng.choice(RULES))


def random_words(rng: random.Random, problem: dict[str, Any]) -> tuple[Any, ...]:
    """Known cells, names and freed cells in some of the generations."""
    words = ["*"] * rng.choice((10, 20, 30)) + ["0", "1", "a", "b", "-a"]
    ticks = rng.choice((0, 0.2, 0.5))
    last = problem["generations"] - (1 if problem["periodic"] else 0)
    out: list[Any] = []
    for t in range(rng.randint(1, last + 1)):
        if rng.random() < 0.3:
            out.append(())
            continue
        ticked = ticks if t else 0.0
        cells = [rng.choice(words) + "'" * (rng.random() < ticked) for _ in range(problem["width"] * problem["height"])]
        out.append([cells[i : i + problem["width"]] for i in range(0, len(cells), problem["width"])])
    return grid_of(out)


def random_problem(rng: random.Random, most: int = 10) -> Problem:
    """A small question of any kind that the search takes."""
    while True:
        width, height = rng.choice([(w, h) for w in range(1, 6) for h in range(1, 6) if w * h <= most])
        fields: dict[str, Any] = {"width": width, "height": height, "rule": random_rule(rng)}
        fields["periodic"] = rng.random() < 0.75
        fields["generations"] = rng.choice((1, 1, 2, 2, 3, 4) if fields["periodic"] else (1, 1, 2, 3))
        if rng.random() < 0.3:
            fields["wrap"] = rng.choice([(True, True), (True, False), (False, True)])
        if fields["periodic"] and rng.random() < 0.3:
            fields["displacement"] = rng.choice(MOVES)
        if rng.random() < 0.3:
            fields["symmetry"] = rng.choice(SYMMETRIES)
        if rng.random() < 0.35:
            fields["cells"] = random_words(rng, fields)
        if rng.random() < 0.25:
            fields["nonempty"] = False
        if rng.random() < 0.15:
            fields["exact"] = False
        if not fields["periodic"] and rng.random() < 0.4:
            fields["open_end"] = True
        last = fields["generations"] - (1 if fields["periodic"] else 0)
        wanted: dict[str, object] = {}
        if rng.random() < 0.2:
            bounds = [
                rng.choice(("<=", ">=", "==")) + str(rng.randint(0, width * height)) for _ in range(rng.randint(1, 2))
            ]
            wanted["population"] = tuple(Bound.parse(f"{b}@{rng.randint(0, last)}") for b in bounds)
        if last and rng.random() < 0.1:
            wanted["differ"] = (tuple(sorted(rng.sample(range(last + 1), 2))),)
        if rng.random() < 0.1:
            wanted["exclude"] = tuple(rng.sample(["2o$2o!", "3o!", "o!", "bo$obo$bo!", "2o!"], rng.randint(1, 2)))
        try:
            return Problem(**fields).having(**wanted)
        except InputError:
            continue


def key(problem: Problem, phases: list[Cells]) -> bytes:
    """What tells solutions apart."""
    return orbits.identity(problem, phases)


def is_freed(problem: Problem) -> bool:
    return any(cell.freed for rows in problem.cells for row in rows for cell in row)


def by_force(problem: Problem) -> set[bytes]:
    """All generations 0 that satisfy a problem in which everything follows from them."""
    return {key(problem, phases) for phases in brute_force(problem)}


def by_cells(problem: Problem, **options: Any) -> set[bytes]:
    """What the search over cells lists; it must come to an end and name nothing twice."""
    search = CellSearch(problem, **options)
    found = [key(problem, phases) for phases in search.solutions()]
    assert search.complete
    assert len(found) == len(set(found)), (problem, options)
    return set(found)


def listed(problem: Problem) -> set[bytes]:
    """What the SAT engine lists."""
    listing = satlife.enumerate_all(problem)
    found = {key(problem, list(outcome.phases)) for outcome in listing}
    assert listing.complete, listing.reason
    return found


@pytest.mark.parametrize("seed", range(QUESTIONS))
def test_random_questions(seed: int) -> None:
    """Complete lists with and without learning, in any order, and what is found first with symmetry breaking."""
    rng = random.Random(seed)
    problem = random_problem(rng)
    expected = listed(problem) if is_freed(problem) else by_force(problem)
    options = {"sweep": rng.choice(SWEEPS), "guess": rng.choice(("dead", "alive", "random")), "seed": seed}
    assert by_cells(problem) == expected, problem
    assert by_cells(problem, learning=False) == expected, problem
    assert by_cells(problem, learning=bool(seed % 2), **options) == expected, (problem, options)
    space = SpaceTime(problem, str(options["sweep"]))
    broken = CellSearch(problem, clauses=clauses(space, breaking(problem, space.sweep)), space=space)
    assert (broken.run() is Status.FOUND) == bool(expected), (problem, options)
    if seed % 5 == 0:
        assert satlife.find(problem, strategy="plain", time=PATIENCE).status == ("found" if expected else "none")


# The table.
def known_by_count(descriptor: int) -> list[int | None] | None:
    """Ten places that have a descriptor of a rule that counts, or None if there are none."""
    live, dead, cell, following = descriptor & 15, descriptor >> 4 & 15, descriptor >> 8 & 3, descriptor >> 10 & 3
    if live + dead > 8 or cell == 3 or following == 3:
        return None
    neighbours: list[int | None] = [*[1] * live, *[0] * dead, *[None] * (8 - live - dead)]
    states = (None, 0, 1)
    return [states[following], *neighbours[:4], states[cell], *neighbours[4:]]


def forced_by(made: table.Propagation, known: list[int | None]) -> dict[int, int] | None:
    """What a propagation table says about these cells."""
    descriptor = sum(int(made.shares[place, state]) for place, state in enumerate(known) if state is not None)
    flags = int(made.entries[descriptor])
    if flags & table.CONFLICT:
        return None
    pairs = ((place, flags >> 2 * place & 3) for place, state in enumerate(known) if state is None)
    return {place: bits - 1 for place, bits in pairs if bits}


@pytest.mark.parametrize("rule", ["B3/S23", "B36/S245", "B3678/S34678", "B03/S1", "B/S012345678"])
def test_every_entry_of_a_rule_that_counts(rule: str) -> None:
    parsed = satlife.Rule.parse(rule)
    made = table.propagation(parsed)
    assert len(made.entries) == 4096
    for descriptor in random.Random(rule).sample(range(4096), 500):
        known = known_by_count(descriptor)
        if known is None:
            assert made.entries[descriptor] == 0
        else:
            assert forced_by(made, known) == reference_cells.forced(parsed, known), (descriptor, known)


@pytest.mark.parametrize("rule", ["B2-a/S12", "B2/S34H", "random"])
def test_entries_of_other_rules(rule: str) -> None:
    rng = random.Random(rule)
    table_of_bits = bytes(rng.choices((0, 1), k=512))
    parsed = satlife.Rule(table_of_bits) if rule == "random" else satlife.Rule.parse(rule)
    made = table.by_arrangement(parsed.table)
    assert len(made.entries) == 3**10
    for _ in range(150):
        unknown = rng.random()
        known = [None if rng.random() < unknown else rng.randint(0, 1) for _ in range(table.PLACES)]
        assert forced_by(made, known) == reference_cells.forced(parsed, known), known


# Learned clauses.
def plain_clauses(problem: Problem, made: model.CellModel, space: SpaceTime) -> list[list[int]]:
    """What is asked, as clauses without the tables: in the variables of the model, and further ones for bounds."""
    buffer = Buffer()
    buffer.new(made.variables - 1)
    direct.encode(buffer, space.transitions, problem.rule)
    for bound in bounds(problem):
        add_bounds(buffer, space.inside(bound.time).ravel(), bound.low, bound.high)
    ends = made.ends.tolist()
    given = [made.clauses[a:b] for a, b in zip([0, *ends], ends, strict=False)] + [[unit] for unit in made.units]
    return [*buffer.formula().clauses(), *(signed(clause) for clause in given)]


def signed(clause: Any) -> list[int]:
    return [int(literal >> 1) * (1 - 2 * int(literal & 1)) for literal in clause]


@pytest.mark.parametrize("seed", range(40))
def test_learned_clauses_follow(seed: int) -> None:
    """Every clause learned on the way to the first answer is refuted when it is denied, by a SAT solver."""
    rng = random.Random(seed)
    problem = random_problem(rng, most=20)
    search = CellSearch(problem, sweep=rng.choice(SWEEPS), guess=rng.choice(("dead", "alive", "random")), seed=seed)
    if search.model.contradiction:
        return
    search.run()
    now = search._state
    given, count, facts = (int(now.numbers[i]) for i in (kernel.GIVEN, kernel.CLAUSES, kernel.FACTS))
    learned = [signed(now.arena[now.start[c] : now.start[c + 1]]) for c in range(given, count)]
    learned += [signed([literal]) for literal in now.facts[:facts]]
    with Solver("cadical153", bootstrap_with=plain_clauses(problem, search.model, search.space)) as solver:
        for clause in learned:
            assert not solver.solve(assumptions=[-literal for literal in clause]), (problem, clause)


def test_questions_are_hard_enough_to_learn() -> None:
    """The test above looks at more than a few clauses."""
    total = 0
    for seed in range(40):
        search = CellSearch(random_problem(random.Random(seed), most=20))
        search.run()
        total += search.stats.clauses
    assert total > 200


# The life of a search.
OSCILLATOR = satlife.oscillator((6, 5), 3)  # there is none


def test_what_it_does_does_not_depend_on_how_it_is_cut_up() -> None:
    problem = satlife.oscillator((4, 3), 3)  # there is none
    for learning in (True, False):
        figures = set()
        for steps in (7, 1000, 1 << 30):
            search = CellSearch(problem, learning=learning)
            while (ended := kernel.run(search._cell_problem, search._state, steps)) in (kernel.RUNNING, kernel.CROWDED):
                if ended == kernel.CROWDED:
                    search._make_room()
            now = search._state
            assert now.numbers[kernel.MODE] == kernel.EXHAUSTED
            figures.add((int(now.numbers[kernel.NODES]), int(now.numbers[kernel.CONFLICTS])))
        assert len(figures) == 1
        assert min(figures)[1] > 20


def test_a_seed_decides() -> None:
    problem = satlife.still_life((6, 6), population=">=10")
    patterns = [CellSearch(problem, guess="random", seed=seed) for seed in (1, 1, 2)]
    found = [next(search.solutions())[0].tobytes() for search in patterns]
    assert found[0] == found[1] != found[2]


def test_it_stops_and_goes_on() -> None:
    search = CellSearch(satlife.oscillator((7, 6), 3), learning=False)
    search._steps = 1000
    assert search.run(Limits(stopped=lambda: True)) is Status.UNKNOWN
    assert search.reason == "stopped"
    assert search.run(Limits(-1.0)) is Status.UNKNOWN
    assert search.reason == "the time limit was reached"
    before = search.stats.conflicts
    assert before > 0
    assert not search.complete
    reports: list[Stats] = []
    assert search.run(Limits(stopped=lambda: bool(reports)), reports.append) is Status.UNKNOWN
    assert reports[0].conflicts > before
    small = CellSearch(OSCILLATOR)
    small._steps = 1000
    assert small.run(Limits(stopped=lambda: True)) is Status.UNKNOWN
    assert small.run() is Status.NONE
    assert small.complete


def test_the_deepest_assignment_follows_the_rule() -> None:
    search = CellSearch(satlife.oscillator((7, 6), 3))
    search._steps = 20_000
    search.run(Limits(stopped=lambda: True))
    phases = search.deepest()
    assert search.stats.deepest > 30
    known = [[None if state == 255 else int(state) for state in phase.ravel()] for phase in phases]
    assert sum(state is not None for phase in known for state in phase) > 30
    for t in range(3):
        for y in range(1, 5):
            for x in range(1, 6):
                block = [known[t][(y + j) * 7 + x + i] for j in (-1, 0, 1) for i in (-1, 0, 1)]
                ten = [known[(t + 1) % 3][y * 7 + x], *block]
                if ten.count(None) < 6:  # otherwise it takes long to try everything, and says little
                    assert reference_cells.completions(problem_rule(search), ten)


def problem_rule(search: CellSearch) -> satlife.Rule:
    return search.problem.rule


def test_little_memory_is_enough_or_said_to_be_too_little() -> None:
    problem = satlife.oscillator((6, 5), 3)
    tight = CellSearch(problem, memory=1)
    tight._state = tight._state._replace(  # room for a few clauses only
        **{name: getattr(tight._state, name)[: len(getattr(tight._state, name)) // 4] for name in state.GROWING}
    )
    tight.memory = 0
    assert tight.run() is Status.NONE
    assert tight._state.numbers[kernel.TIGHT] == 1
    with pytest.raises(LimitError, match="MB"):
        CellSearch(satlife.spaceship((100, 100), 10, (0, -1)), memory=1)


def test_what_is_forgotten_changes_no_answer() -> None:
    """As many clauses as there are fresh ones are kept, besides those in use, and the list stays the same."""
    problem = satlife.oscillator((6, 5), 2)
    forgetful, plain = CellSearch(problem), CellSearch(problem, learning=False)
    lists = [sorted(np.array(phases).tobytes() for phases in found.solutions()) for found in (forgetful, plain)]
    assert lists[0] == lists[1]
    assert len(lists[0]) == len(set(lists[0])) > 0
    assert forgetful.complete
    assert plain.complete
    assert forgetful._state.numbers[kernel.REDUCTIONS] > 1
    assert forgetful.stats.clauses <= 2 * kernel.FRESH_CLAUSES + forgetful.stats.variables < forgetful.stats.conflicts


def test_room_is_made_for_clauses() -> None:
    search = CellSearch(satlife.oscillator((6, 5), 3))
    search._state = search._state._replace(
        **{name: getattr(search._state, name)[: len(getattr(search._state, name)) // 8] for name in state.GROWING}
    )
    before = len(search._state.arena)
    assert search.run() is Status.NONE
    assert len(search._state.arena) > before
    assert search.stats.conflicts == _conflicts(satlife.oscillator((6, 5), 3))


def _conflicts(problem: Problem) -> int:
    search = CellSearch(problem)
    search.run()
    return search.stats.conflicts


def test_what_does_not_suit_is_said() -> None:
    for problem, word in (
        (satlife.still_life((4, 4), rule="/2/3"), "two states"),
        (satlife.still_life((4, 4), rule="B3?/S23"), "open"),
        (satlife.still_life((4, 4), strict=True), "strict"),
        (satlife.still_life((500, 500)), "250000"),
    ):
        assert word in why_not(problem)
        with pytest.raises(InputError, match=word):
            CellSearch(problem)
    with pytest.raises(InputError, match="sweep"):
        CellSearch(OSCILLATOR, sweep="sideways")
    with pytest.raises(InputError, match="guess"):
        CellSearch(OSCILLATOR, guess="perhaps")


def test_a_wrong_solution_is_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither as the find of a race, nor in a list, nor by a unit of a long search."""
    monkeypatch.setattr(plan, "ENGINES", (CellEngine(),))
    monkeypatch.setattr(SpaceTime, "decode", lambda self, value: [np.eye(3, dtype=np.uint8)] * 2)
    problem = satlife.oscillator((3, 3), 2)
    found = satlife.find(problem)
    assert (found.status, "fails the simulation" in found.reason) == ("unknown", True)
    monkeypatch.setattr(listing, "LARGE", 0)
    listed = satlife.enumerate_all(problem)
    assert list(listed) == []
    assert "fails the simulation" in listed.reason
    kept: list[object] = []
    result = cubes_by_cells.solve(problem, None, "", lambda space: [], Limits(), lambda *find: kept.append(find))
    assert result is not None
    assert (result.status, kept, "fails the simulation" in result.reason) == ("unknown", [], True)


# Parts of a question.
def test_cubes_cover_a_question_once() -> None:
    for problem in (satlife.still_life((5, 4)), satlife.oscillator((5, 4), 2), satlife.still_life((1, 2))):
        everything = by_cells(problem)
        search = CellSearch(problem)
        parts = cubes(search, 20)
        found = [key(problem, phases) for cube in parts for phases in CellSearch(problem, assumptions=cube).solutions()]
        assert sorted(found) == sorted(everything)
        together = []
        for cube in parts:  # one search after another keeps what it has learned
            search.assume(cube)
            together += [key(problem, phases) for phases in search.solutions()]
        assert sorted(together) == sorted(everything)


def test_an_assumption_that_contradicts_leaves_nothing() -> None:
    space = SpaceTime(OSCILLATOR)
    first = int(space.inside(0)[0, 0])
    search = CellSearch(OSCILLATOR, assumptions=[first, -first])
    assert search.run() is Status.NONE
    assert not search.is_refuted
    assert CellSearch(OSCILLATOR, assumptions=[-TRUE]).run() is Status.NONE


def test_threads_share_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satlife.engines.cells.search.SLICE", 1e-9)  # share as often as possible
    search = CellSearch(satlife.oscillator((6, 5), 3), learning=False)
    search._steps = 1000
    team = WorkSharingSearch([search, search.sibling("alive"), search.sibling()])
    assert team.run() is Status.NONE
    assert team.complete
    busy = [member.stats.conflicts for member in team.members]
    assert min(busy) > 0
    alone = CellSearch(satlife.oscillator((6, 5), 3), learning=False)
    alone.run()
    assert abs(sum(busy) - alone.stats.conflicts) < 100  # nothing is searched twice


@pytest.mark.parametrize("learning", [True, False])
def test_threads_list_everything_once(learning: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satlife.engines.cells.search.SLICE", 1e-9)
    problem = satlife.still_life((5, 5), population=">=13")
    search = CellSearch(problem, learning=learning)
    search._steps = 1000
    team = WorkSharingSearch([search, search.sibling("alive"), search.sibling()])
    found = [key(problem, phases) for phases in team.solutions()]
    assert len(found) == len(set(found))
    assert set(found) == by_cells(problem)
    assert team.stats.solutions == len(found)


def test_parts_that_are_given_away_are_disjoint_and_cover() -> None:
    """A search that gives away whatever it can after every step, worked off by another one."""
    for learning in (True, False):
        problem = satlife.still_life((4, 4))
        parts = [np.zeros(0, np.int32)]
        found = []
        first, shared = CellSearch(problem, learning=learning), 0
        while parts:
            first.assume_codes(parts.pop())
            while True:
                ended = kernel.run(first._cell_problem, first._state, 1)
                if ended == kernel.EXHAUSTED:
                    break
                if ended == kernel.SOLVED:
                    found.append(key(problem, first.space.decode(first._state.value[::2] == kernel.TRUE)))
                elif (part := first.share()) is not None and len(parts) < 50:
                    parts.append(part)
                    shared += 1
                elif part is not None:
                    parts.append(part)
        assert shared > 10
        assert sorted(found) == sorted(by_cells(problem))


def test_threads_end_with_the_time_limit_and_go_on() -> None:
    slow = CellSearch(satlife.oscillator((9, 9), 5), learning=False)
    team = WorkSharingSearch([slow, slow.sibling()])
    for _ in range(2):
        before = team.stats.conflicts
        with deadline_when(lambda: team.stats.conflicts > before) as deadline:  # noqa: B023 - used in this round only
            assert team.run(Limits(deadline)) is Status.UNKNOWN
        assert team.reason == "the time limit was reached"
        assert team.stats.conflicts > before
        assert "cells" not in {thread.name for thread in threading.enumerate()}


def test_a_sibling_with_another_first_guess_tries_that_first() -> None:
    problem = satlife.oscillator((5, 5), 2)
    searches = [CellSearch(problem, guess="alive"), CellSearch(problem, guess="dead").sibling("alive")]
    assert [search.run() for search in searches] == [Status.FOUND] * 2
    assert searches[0].stats.nodes == searches[1].stats.nodes != CellSearch(problem, guess="dead").stats.nodes
    assert (searches[0].phases[0] == searches[1].phases[0]).all()


@pytest.mark.parametrize("cores", [1, 2, 5])
def test_the_engine_uses_the_cores_that_it_is_given(cores: int) -> None:
    run = CellEngine().start(Ask(satlife.oscillator((6, 5), 3)), Budget(cores=cores))
    assert isinstance(run, Background)
    run.join()
    assert isinstance(run.answer, satlife.Outcome)
    assert (run.answer.status, run.answer.exhaustive) == (Status.NONE, True)
    assert isinstance(run, CellRun)
    assert run.team
    assert len(run.team.members) == cores
    assert run.threads == 0  # it has ended


def test_too_little_memory_for_the_engine_is_its_reason() -> None:
    run = CellEngine().start(Ask(satlife.spaceship((100, 100), 10, (0, -1))), Budget(memory=1, cores=2))
    assert isinstance(run, Background)
    run.join()
    assert run.answer is None
    assert "MB, more than 1" in run.reason


def test_threads_pause_and_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    run = CellRun(satlife.oscillator((9, 9), 5), Budget(cores=2))
    assert run.threads == 0  # it has not begun
    run.begin()
    assert run.threads == 2
    assert not run.team
    run.go_on()
    until(lambda: run.team and run.team.stats.nodes)
    resting, rest = threading.Semaphore(0), run._going.wait

    def observed(timeout: float | None = None) -> bool:
        if run.is_paused:
            resting.release()
        return rest(timeout)

    monkeypatch.setattr(run._going, "wait", observed)
    run.pause()
    assert resting.acquire(timeout=PATIENCE)  # one of them at least: the other may wait for a part of the work
    assert run.team
    nodes = run.team.stats.nodes
    assert run.is_paused
    run.go_on()
    until(lambda: run.team is not None and run.team.stats.nodes > nodes)
    run.pause()
    run.stop()  # while it is paused
    run.join(PATIENCE)
    assert run.ended


def test_an_error_in_a_thread_is_raised() -> None:
    search = CellSearch(satlife.oscillator((9, 9), 5))

    def fail(brief: bool = False) -> bool:
        raise ZeroDivisionError

    search.step = fail  # type: ignore[method-assign]
    with pytest.raises(ZeroDivisionError):
        WorkSharingSearch([search, search.sibling()]).run()


# Proofs.
def check_proof(problem: Problem, trace: Path, most: int = 40) -> int:
    """Prove that a question has no solutions but those that are listed; the number of lemmas, 0 if there are many."""
    known = list(itertools.islice(CellSearch(problem).solutions(), most + 1))
    if len(known) > most:
        return 0
    plain = Plain(problem)
    run = ProvingCells(plain, known, trace).start(Ask(problem), Budget())
    assert isinstance(run, Background)
    run.join()
    assert isinstance(run.answer, satlife.Outcome), (problem, run.reason)
    assert run.answer.status == "none", problem
    steps = drat.read(trace.read_bytes())
    verdict = check(plain.formula(known), steps)
    assert verdict, (problem, verdict.reason)
    return steps.lemmas


@pytest.mark.parametrize("seed", range(PROOFS))
def test_learned_clauses_are_lemmas_of_a_proof(seed: int, tmp_path: Path) -> None:
    """Questions of all kinds; what they have for answers is blocked, as in the certificate of a list."""
    rng = random.Random(seed)
    while not check_proof(random_problem(rng), tmp_path / "trace"):
        pass


def test_long_proofs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clauses are forgotten, and the log is full now and then: both end up in the proof."""
    pieces = []
    lemmas = CellSearch.lemmas

    def counted(self: CellSearch) -> Any:
        pieces.append(lemmas(self))
        return pieces[-1]

    monkeypatch.setattr(search, "FIRST_STEPS", 1 << 30)  # only a full log ends a step
    monkeypatch.setattr(CellSearch, "lemmas", counted)
    assert check_proof(satlife.spaceship((15, 5), 3, (0, -1)), tmp_path / "trace") > 2000
    assert len(pieces) > 1
    assert drat.read((tmp_path / "trace").read_bytes()).deletes.any()


def test_forbidden_neighbourhoods_are_proved_by_solvers(tmp_path: Path) -> None:
    problem = satlife.spaceship((5, 4), 3, (0, -1), rule="B3~6c7/S23~8")
    assert not ProvingCells(Plain(problem), (), tmp_path / "trace").suits(Ask(problem), Budget())
    outcome = certify.find(problem, tmp_path / "certificate")
    assert outcome.status == "none"
    assert outcome.proof


def test_a_find_ends_a_proof(tmp_path: Path) -> None:
    problem = satlife.oscillator((4, 4), 2)
    run = ProvingCells(Plain(problem), (), tmp_path / "trace").start(Ask(problem), Budget())
    assert isinstance(run, Background)
    run.join()
    assert isinstance(run.answer, satlife.Outcome)
    assert run.answer.status == "found"
    satlife.problem.verify.check(problem, run.answer.phases)


# Symmetry breaking.
def grown(cells: set[tuple[int, int]]) -> set[tuple[int, int]]:
    return {(x + i, y + j) for x, y in cells for i in (-1, 0, 1) for j in (-1, 0, 1)}


def made_up_ship(rng: random.Random) -> tuple[satlife.Rule, list[set[tuple[int, int]]], tuple[int, int]]:
    """Random phases, a displacement, and a rule in which they follow from each other: ships whose front moves oddly."""
    while True:
        period = rng.randint(2, 4)
        phases = [{(rng.randint(0, 2), rng.randint(0, 2)) for _ in range(rng.randint(1, 3))}]
        for _ in range(period - 1):
            near = sorted(grown(phases[-1]))
            phases.append(set(rng.sample(near, rng.randint(1, 4))))
        dx, dy = rng.choice(
            [(0, rng.randint(-2, 2)), (rng.randint(-2, 2), 0), (rng.randint(-2, 2), rng.randint(-2, 2))]
        )
        bits: dict[int, int] = {0: 0}
        consistent = (dx, dy) != (0, 0)
        for now, then in zip(phases, [*phases[1:], {(x + dx, y + dy) for x, y in phases[0]}], strict=True):
            consistent &= then <= grown(now)
            for x, y in grown(now):
                block = sum(((x + k % 3 - 1, y + k // 3 - 1) in now) << (8 - k) for k in range(9))
                consistent &= bits.setdefault(block, int((x, y) in then)) == ((x, y) in then)
        if consistent:
            return satlife.Rule(bytes(bits.get(block, 0) for block in range(512))), phases, (dx, dy)


@pytest.mark.parametrize("seed", range(12))
def test_ships_survive_symmetry_breaking(seed: int) -> None:
    """In a box that holds p phases in a row, whichever these are, a ship is still found."""
    rng = random.Random(seed)
    rule, phases, (dx, dy) = made_up_ship(rng)
    everything = phases + [{(x + dx, y + dy) for x, y in phase} for phase in phases]
    for start in range(len(phases)):
        window = [cell for phase in everything[start : start + len(phases)] for cell in phase]
        width, height = (max(c[i] for c in window) - min(c[i] for c in window) + 1 for i in (0, 1))
        problem = Problem(width, height, rule, generations=len(phases), displacement=(dx, dy), exact=False)
        for sweep in SWEEPS:
            space = SpaceTime(problem, sweep)
            search = CellSearch(problem, clauses=clauses(space, breaking(problem, space.sweep)), space=space)
            assert search.run() is Status.FOUND, (problem, sweep)


def kind_of(phases: Sequence[Cells]) -> tuple[bytes, ...]:
    """A key that an oscillator shares with its images: moved, turned, mirrored, or watched later."""
    rows, columns = live_box(np.any(np.stack(list(phases)), axis=0).astype(np.uint8))
    cut = [cells[rows, columns] for cells in phases]
    turned = [[transform_cells(cells, name) for cells in cut] for name in TRANSFORMS]
    images = [[bytes(cells.shape) + cells.tobytes() for cells in image] for image in turned]
    return min(tuple(image[t:] + image[:t]) for image in images for t in range(len(image)))


@pytest.mark.parametrize(
    ("size", "period", "symmetry"),
    [
        ((4, 4), 2, ""),
        ((4, 3), 4, ""),
        ((5, 5), 4, "C2"),
        ((8, 8), 2, "C4"),
        ((7, 7), 4, "R90@1"),
        ((6, 5), 4, "F|@2"),
        ((7, 6), 6, "D4+"),
    ],
)
def test_an_oscillator_of_every_kind_survives_symmetry_breaking(
    size: tuple[int, int], period: int, symmetry: str
) -> None:
    """Every rule and every kind of question meets some of the sweeps, and every rule meets all of them."""
    kinds = shorter = 0
    sweeps = ("short", "long-back", "columns", "diagonals", "corner", "outward", "rows/time", "diagonals/time")
    for number, rule in enumerate(("B3/S23", "B2-an3/S23", "B2/S34H"), size[0] + size[1] + period):
        problem = Problem(
            *size, satlife.Rule.parse(rule), generations=period, symmetry=(symmetry,) if symmetry else (), exact=False
        )
        solutions = list(CellSearch(problem).solutions())
        everything = {kind_of(phases) for phases in solutions}
        kinds += len(everything)
        for sweep in (sweeps[number % 8], sweeps[(number + 4) % 8]):
            space = SpaceTime(problem, sweep)
            broken = CellSearch(problem, clauses=clauses(space, breaking(problem, sweep)), space=space)
            kept = [kind_of(phases) for phases in broken.solutions()]
            shorter += len(kept) < len(solutions)
            assert set(kept) == everything, (problem, sweep)
    assert kinds > 5
    assert shorter


@pytest.mark.parametrize(
    ("problem", "sweep"),
    [
        (satlife.oscillator((8, 10), 5), "corner"),
        (satlife.oscillator((9, 9), 3, symmetry="C2"), "corner"),
        (satlife.oscillator((9, 9), 4, symmetry="D4x"), "corner"),
        (satlife.oscillator((8, 11), 5), "short"),  # too long
        (satlife.oscillator((8, 8), 3), "short"),  # searched without learning
        (satlife.oscillator((8, 8), 5, symmetry="D2|"), "short"),  # half of each line
        (satlife.oscillator((8, 8), 5, population="<=20"), "short"),  # with a condition no images are compared
        (satlife.oscillator((8, 8), 5, rule="MAP" + "A" * 85 + "g"), "short"),  # nor in a rule that is not isotropic
        (satlife.torus((8, 8), 5), "short"),
        (satlife.spaceship((8, 8), 5, (0, -1)), "rows"),
    ],
)
def test_which_oscillators_are_built_from_a_corner(problem: Problem, sweep: str) -> None:
    assert order.sweep(problem) == sweep
    assert order.lines(problem) != "corner"


def test_from_a_corner_cells_come_by_diagonals() -> None:
    tall, wide = (SpaceTime(satlife.still_life(size), "corner").inside(0) for size in ((3, 4), (4, 3)))
    assert tall.tolist() == [[1, 2, 4], [3, 5, 7], [6, 8, 10], [9, 11, 12]]
    assert np.array_equal(wide, tall.T)


@pytest.mark.parametrize(("size", "symmetry"), [((5, 5), ""), ((7, 7), "D4x")])
def test_from_a_corner_a_refutation_takes_fewer_conflicts(size: tuple[int, int], symmetry: str) -> None:
    """Period 5 in B3/S23: 8,300 against 3,700 conflicts without a symmetry."""
    problem = satlife.oscillator(size, 5, symmetry=symmetry, centred=True)
    conflicts = []
    for sweep in (order.sweep(problem), order.lines(problem)):
        space = SpaceTime(problem, sweep)
        search = CellSearch(problem, clauses=clauses(space, breaking(problem, sweep)), space=space)
        assert search.run() is Status.NONE
        conflicts.append(search.stats.conflicts)
    assert 5 * conflicts[0] < 4 * conflicts[1]


def test_symmetry_breaking_says_something() -> None:
    """A ship is asked for at the front of the box in generation 0, and what can be mirrored has a lex-leader."""
    ship = satlife.spaceship((5, 9), 4, (0, -2), symmetry="D2|")
    space = SpaceTime(ship)
    first, front = clauses(space, breaking(ship, space.sweep))
    assert set(front) == set(space.inside(0)[:2].ravel().tolist())
    assert set(first) == {int(v) for t in range(4) for v in space.inside(t)[0]}
    mirrored = satlife.spaceship((5, 9), 4, (0, -2))
    assert len(clauses(SpaceTime(mirrored), breaking(mirrored, "short"))) > 10
    rolled = satlife.torus((5, 5), 2)
    assert clauses(SpaceTime(rolled), breaking(rolled, "short")) == []


def test_the_reference_agrees_with_brute_force() -> None:
    for seed in range(0, QUESTIONS, 5):
        problem = random_problem(random.Random(seed), most=6)
        if not is_freed(problem):
            assert {key(problem, phases) for phases in reference_cells.solutions(problem)} == by_force(problem)


def test_the_engine_tells_that_kernels_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first node, in place of numbers that are all zero."""
    told: list[Progress] = []
    tell = ProgressReporter(CellSearch(OSCILLATOR), told.append)
    monkeypatch.setattr(native.COMPILATION, "told", True)
    tell(Stats())
    monkeypatch.setattr(native.COMPILATION, "told", False)
    tell(Stats())
    assert [progress.words for progress in told] == ["compiling, once", "starting"]


def test_the_engine_tells_how_far_it_is() -> None:
    """The share of the tree, its growth, and nodes; and the largest assignment whenever there is a larger one."""
    problem = satlife.oscillator((7, 6), 3)
    told: list[Progress] = []
    search = CellSearch(problem)
    tell = ProgressReporter(search, told.append)
    tell(search.stats)
    assert told.pop().words == "starting"
    for _ in range(4):
        search._steps = 2000
        search.step()
        tell(search.stats)
        tell(search.stats)
    assert f"{compact(search.stats.nodes)} nodes" in told[-1].words
    assert all(re.match(r"[\d.]+% of the search tree( \(\+[\de.-]+%/min\))?, ", t.words) for t in told)
    assert [len(t.partial) for t in told[:2]] == [3, 0]
    for partial in (t.partial for t in told if t.partial):
        assert {cells.shape for cells in partial} == {(6, 7)}
        assert set(np.unique(partial)) <= {0, 1, UNKNOWN_CELL}
    large = CellSearch(satlife.oscillator((20, 20), 3), guess="alive")
    large._steps = 300
    large.step()
    ProgressReporter(large, told.append)(large.stats)
    assert set(np.unique(told[-1].partial)) == {0, 1, UNKNOWN_CELL}
