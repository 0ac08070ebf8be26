"""Solvers in children: fakes are never believed, limits hold, nothing is left behind."""

from __future__ import annotations

import base64
import os
import signal
import stat
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from commands import marked
from events import PATIENCE, until
from satlife.cnf.formula import Formula
from satlife.encode.breaking import Front, breaking, shifts_in_time
from satlife.encode.encoder import encode
from satlife.encode.spacetime import Side
from satlife.engines.options import Options
from satlife.engines.sat.race import SolverRace, Waiting
from satlife.engines.sat.strategies import STRATEGIES, portfolio
from satlife.errors import InputError
from satlife.life.rule import LIFE
from satlife.limits import Limits
from satlife.problem import families
from satlife.problem.answers import Smallest
from satlife.problem.ask import Ask
from satlife.problem.goals import SmallestBox
from satlife.problem.problem import Problem
from satlife.search.answer import answer
from satlife.search.goals import best as deepen
from satlife.search.library import find
from satlife.search.race import finish
from satlife.solve import SolverStatus, host, pysat_private
from satlife.solve.protocol import Message
from satlife.solve.runner import Child, models, solve
from satlife.solve.solvers import EMBEDDED, SOLVERS, SolverChoice, find_solver, kissat

FAKE = Path(__file__).parents[1] / "fake_solver.py"
BIN = Path(sys.executable).parent
SATISFIABLE = Formula.from_clauses([[1, 2], [-1, 2], [3, -2]])
UNSATISFIABLE = Formula.from_clauses([[1, 2], [-1, 2], [1, -2], [-1, -2]])


def pigeons(holes: int) -> Formula:
    """One pigeon too many: hard enough to run for a long time."""

    def var(p: int, h: int) -> int:
        return p * holes + h + 1

    clauses = [[var(p, h) for h in range(holes)] for p in range(holes + 1)]
    clauses += [[-var(p, h), -var(q, h)] for h in range(holes) for p in range(holes + 1) for q in range(p)]
    return Formula.from_clauses(clauses)


@pytest.fixture
def fake(tmp_path: Path) -> Callable[[str], str]:
    def make(trick: str) -> str:
        script = tmp_path / f"fake-{trick}"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" {trick} "$1"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return str(script)

    return make


@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_solvers(name: str) -> None:
    choice = find_solver(name)
    answer = solve(SATISFIABLE, choice)
    assert answer.status == "sat"
    assert answer.model is not None
    assert SATISFIABLE.falsified(answer.model) is None
    assert solve(UNSATISFIABLE, choice).status == "unsat"
    assert solve(Formula.from_clauses([[1], []]), choice).status == "unsat"


def test_kissat_program() -> None:
    path = kissat()
    assert path, "the tests need passagemath-kissat, which scripts/test installs"
    choice = find_solver("kissat")
    assert solve(SATISFIABLE, choice).status == "sat"
    assert solve(UNSATISFIABLE, choice).status == "unsat"
    by_path = find_solver(path)
    assert (by_path.name, solve(UNSATISFIABLE, by_path).status) == ("kissat", "unsat")


@pytest.mark.parametrize(
    ("trick", "reason"),
    [
        ("silent", "said nothing (exit code 0)"),
        ("exit1", "said nothing (exit code 1)"),
        ("killed", "killed by signal 9"),
        ("garbage", "malformed"),
        ("truncated", "cut off"),
        ("wrong", "does not satisfy clause 1"),
        ("unsat-exit0", "said 'UNSATISFIABLE' (exit code 0)"),
        ("unsat-no-status", "said nothing (exit code 20)"),
        ("both", "exit code 20"),
        ("babble", "said nothing"),
    ],
)
def test_fakes_are_never_believed(fake: Callable[[str], str], trick: str, reason: str) -> None:
    answer = solve(SATISFIABLE, find_solver(fake(trick)))
    assert answer.status == "unknown"
    assert reason in answer.reason
    outcome = find(families.still_life((3, 3)), solver=fake(trick))
    assert outcome.status == "unknown"


def test_child_that_speaks_nonsense_or_dies() -> None:
    with Child(pigeons(12), SolverChoice("cadical195")) as child:
        child.ask()
        os.kill(child.host.process.pid, signal.SIGKILL)
        last = wait(child)
        assert child.judge(last).status == "unknown"
        assert "signal 9" in str(last["reason"])
    with Child(SATISFIABLE, SolverChoice("no-such-solver")) as child:
        child.ask()
        assert child.judge(wait(child)).status == "unknown"


def test_time_limit() -> None:
    answer = solve(pigeons(12), find_solver("cadical195"), Limits.of(0.3))
    assert (answer.status, answer.reason) == ("unknown", "the time limit was reached")


def test_time_limit_of_a_program(fake: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It ends, and so does the file of its formula."""
    mark = uuid.uuid4().hex
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("MARK", mark)
    answer = solve(SATISFIABLE, find_solver(fake("sleep-alone")), Limits.of(1.0))
    assert (answer.status, answer.reason) == ("unknown", "the time limit was reached")
    until(lambda: not any("fake_solver.py" in line for line in marked(mark)))  # it may take a moment to die
    assert not list(tmp_path.glob("satlife-*"))


def test_memory_limit() -> None:
    formula = encode(families.still_life((150, 150))).formula
    answer = solve(formula, find_solver("cadical195"), Limits(memory=60))
    assert answer.status == "unknown"
    assert "memory" in answer.reason


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_its_parent(how: signal.Signals) -> None:
    """Ctrl-C ends with 130 and no traceback; even a kill takes the solver along."""
    command = [str(BIN / "satlife"), "oscillator", "13x13", "-p", "8", "-s", "C4", "--strategy", "spatial", "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        children = until(lambda: started_by(process.pid))
        process.send_signal(how)
        out, errors = process.communicate(timeout=PATIENCE)
    assert (out, errors.strip()) == (b"", b"")
    assert process.returncode == (130 if how == signal.SIGINT else -9)
    until(lambda: not any(alive(pid) for pid in children))


def started_by(parent: int) -> list[str]:
    return subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True).stdout.split()


def alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


def test_many_solves_leave_nothing_open() -> None:
    host.close_idle()
    descriptors = len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        solve(SATISFIABLE, find_solver("cadical195"))
    host.close_idle()
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_a_process_that_was_not_ready_yet_serves_the_next_formula() -> None:
    host.close_idle()
    with Child(UNSATISFIABLE, find_solver("cadical195")) as hasty:
        hasty.ask()
    with Child(SATISFIABLE, find_solver("cadical195")) as child:
        child.ask()
        assert child.host is hasty.host
        assert child.wait(Limits()).status == "sat"


def test_a_thread_that_keeps_its_process_has_one_for_all_solves(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[host.Host] = []

    class Noted(host.Host):
        def __init__(self, memory: int, kind: str) -> None:
            super().__init__(memory, kind)
            started.append(self)

    def work() -> list[int]:
        with host.keeping():
            numbers = [len(started) for _ in range(3) if solve(SATISFIABLE, find_solver("cadical195"))]
        return numbers + [len(started) for _ in range(2) if solve(SATISFIABLE, find_solver("cadical195"))]

    monkeypatch.setattr(host, "Host", Noted)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(work).result() == [1, 1, 1, 2, 3]
    assert [one.process.returncode is None for one in started] == [False] * 3


def test_killing_while_the_writing_thread_closes_the_pipe() -> None:
    """Either of them may find the pipe closed by the other, at any moment of its own closing."""
    process = host.Host(0, "embedded")

    class HalfClosed:
        def close(self) -> None:
            raise ValueError("flush of closed file")

    stdin = process.process.stdin
    assert stdin
    process.process.stdin = HalfClosed()  # type: ignore[assignment]
    process.kill()
    stdin.close()
    assert process.errors.closed


def test_a_process_that_cannot_be_started_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    descriptors = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(host, "CHILD", "a\0b")
    with pytest.raises(ValueError, match="null"):
        host.Host(0, "embedded")
    assert len(os.listdir("/proc/self/fd")) == descriptors


def process_of(formula: Formula, ask: bool = True, memory: int = 0) -> int:
    """Ask a solver something; the number of its process."""
    with Child(formula, find_solver("cadical195"), memory=memory) as child:
        if ask:
            child.ask()
            assert child.judge(wait(child)).status in ("sat", "unsat")
        return child.host.process.pid


def test_a_process_that_is_well_serves_again() -> None:
    first = process_of(SATISFIABLE)
    assert process_of(pigeons(4)) == first
    limited = process_of(SATISFIABLE, memory=2000)
    assert process_of(SATISFIABLE, memory=2000) != limited, "what is left in it would count"
    assert process_of(SATISFIABLE, ask=False) == first
    assert process_of(SATISFIABLE) != first, "it did not show that it is still well"


def test_a_process_that_was_killed_meanwhile_does_not_serve_again() -> None:
    first = process_of(SATISFIABLE)
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert process_of(SATISFIABLE) != first


def test_a_process_of_another_thread_is_not_kept() -> None:
    mine = process_of(SATISFIABLE)
    with ThreadPoolExecutor(1) as pool:
        pid = pool.submit(process_of, SATISFIABLE).result()
    assert not Path(f"/proc/{pid}").exists()
    assert process_of(SATISFIABLE) == mine


def test_a_process_that_is_paused_goes_on_when_it_is_kept() -> None:
    child = Child(SATISFIABLE, find_solver("cadical195"))
    child.ask()
    wait(child)
    child.host.pause()
    child.close()
    child.kill()  # it is not ours any more
    assert process_of(SATISFIABLE) == child.host.process.pid


def test_adding_clauses_and_assuming() -> None:
    with Child(SATISFIABLE, find_solver("cadical195")) as child:
        child.ask([-2])
        assert child.judge(wait(child)).status == "unsat"
        child.ask()
        assert child.judge(wait(child)).status == "sat"
        child.add([[-2]])
        child.ask()
        assert child.judge(wait(child)).status == "unsat"


def wait(child: Child) -> Message:
    while True:
        for message in child.receive():
            if message["say"] == "answer":
                return message


def test_listing_models() -> None:
    formula = Formula.from_clauses([[1, 2, 3]])
    with Child(formula, find_solver("cadical195")) as child:
        found = {tuple(bits.tolist()) for bits in models(child, [1, 2], Limits())}
    assert len(found) == 4
    with Child(formula, find_solver("cadical195")) as child:
        assert len(list(models(child, [1, 2, 3], Limits()))) == 7


@pytest.mark.parametrize("jobs", [1, 2])
def test_race_outlives_a_bad_member(fake: Callable[[str], str], jobs: int) -> None:
    """A member that sleeps for ever, one that lies, one that knows: the last one wins."""
    entries = [
        Waiting("sleeper", lambda: Child(SATISFIABLE, find_solver(fake("sleep")))),
        Waiting("liar", lambda: Child(SATISFIABLE, find_solver(fake("wrong")))),
        Waiting("honest", lambda: Child(SATISFIABLE, find_solver("cadical195"))),
    ]
    with SolverRace(entries, Limits.of(PATIENCE), jobs) as race:
        while race.answer is None:
            race.step(jobs)
    assert (race.answer.status, race.winner, list(race.running)) == ("sat", "honest", ["honest"])
    race.running["honest"].kill()


def test_cores_that_others_use_are_left_to_them(fake: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    active: list[set[str]] = []

    def watch(race: SolverRace) -> None:
        resumed: set[str] = set()
        for name, child in race.running.items():
            monkeypatch.setattr(child.host, "resume", lambda name=name: resumed.add(name))
            monkeypatch.setattr(child.host, "pause", lambda: None)
        take_turns(race)
        active.append(resumed)

    take_turns = SolverRace._take_turns
    monkeypatch.setattr(SolverRace, "_take_turns", watch)
    sleeper = find_solver(fake("sleep"))
    entries = [Waiting(name, lambda: Child(SATISFIABLE, sleeper)) for name in ("one", "two")]
    with SolverRace(entries, Limits.of(PATIENCE), 2) as race:
        while len(active) < 4 and race.answer is None:
            race.step(2 if len(active) < 2 else 1)
    assert [len(names) for names in active] == [2, 2, 1, 1]
    assert active[2] != active[3]


def test_all_members_rest_when_there_is_no_core() -> None:
    """And go on when there is one again."""
    with SolverRace(
        [Waiting("one", lambda: Child(pigeons(12), find_solver("cadical153")))], Limits.of(PATIENCE), 1
    ) as race:
        while not race.running or not race.running["one"].host.tied:
            race.step(1)
        asked: list[str] = []
        host = race.running["one"].host
        host.pause = lambda: asked.append("pause")  # type: ignore[method-assign]
        host.resume = lambda: asked.append("resume")  # type: ignore[method-assign]
        race.step(0)
        assert (asked, race.answer) == (["pause"], None)
        race.step(1)
        assert asked == ["pause", "resume"]


def test_unknown_solver_is_refused() -> None:
    with pytest.raises(InputError, match="there is no solver 'nosuch'"):
        find(families.still_life((3, 3)), solver="nosuch")
    with pytest.raises(InputError, match="there is no strategy 'nosuch'"):
        find(families.still_life((3, 3)), strategy="nosuch")


# Strategies.
PAIRS = [
    (families.spaceship((4, 3), 4, (1, 1)), "found"),
    (families.spaceship((3, 3), 4, (1, 1)), "none"),
    (families.spaceship((5, 6), 4, (0, -2), symmetry="F|@2"), "found"),
    (families.oscillator((4, 4), 2, symmetry="C2"), "found"),
    (families.oscillator((4, 4), 3), "none"),
]


@pytest.mark.parametrize("name", list(STRATEGIES))
def test_strategies_agree(name: str) -> None:
    """With the front clause or without, in any order: found is found and none is none."""
    for problem, expected in PAIRS:
        outcome = find(problem, strategy=name, time=PATIENCE)
        assert outcome.status == expected, (name, problem)


def fronts(problem: Problem, sweep: str) -> list[list[Side]]:
    return [list(front.sides) for front in breaking(problem, sweep).fronts if not front.lines]


def turns(problem: Problem, sweep: str) -> set[str]:
    return {name for name, time in breaking(problem, sweep).maps if time == 0}


def test_front_clause_only_where_it_is_sound() -> None:
    assert fronts(families.spaceship((16, 5), 3, (0, -1)), "short") == [[((1, 0), 0)]]
    assert fronts(families.spaceship((16, 5), 3, (0, -1)), "long") == [[((0, 1), 0)]]
    assert fronts(families.spaceship((16, 5), 3, (0, 1)), "long") == [[((0, 1), -1)]]
    assert not fronts(families.spaceship((17, 12), 3, (0, -1), symmetry="D2v"), "long")
    assert fronts(families.spaceship((17, 12), 3, (0, -1), symmetry="D2v"), "short-back") == [[((0, 1), -1)]]
    assert not fronts(families.oscillator((5, 5), 3, symmetry="C2"), "short")
    assert not fronts(families.torus((5, 5), 3), "short")
    assert fronts(families.oscillator((6, 5), 3), "short") == [[((1, 0), 0)]]
    assert fronts(families.oscillator((6, 5), 3, rule="B2-an3/S23"), "short") == [[((1, 0), 0)]]
    right, bottom = ((1, 0), -1), ((0, 1), -1)
    assert fronts(families.spaceship((5, 5), 4, (1, 1)), "diagonals") == [[right], [bottom]]
    assert fronts(families.spaceship((5, 5), 4, (1, 1), symmetry="D2\\"), "diagonals") == [[right, bottom]]
    assert not fronts(families.oscillator((5, 5), 4, symmetry="D2/"), "diagonals")
    known = [[["*"] * 5] * 5]
    assert not fronts(families.oscillator((5, 5), 3, known=known), "short")


def test_the_time_shift_is_broken_only_where_no_condition_names_a_generation() -> None:
    assert shifts_in_time(families.oscillator((5, 5), 3))
    assert shifts_in_time(families.spaceship((5, 5), 4, (1, 1)))
    assert not shifts_in_time(families.spaceship((5, 5), 4, (1, 1), population="<=9"))
    assert not shifts_in_time(families.oscillator((5, 5), 3, population="<=9"))
    assert not shifts_in_time(families.oscillator((5, 5), 3, exclude=["3o!"]))


def test_generation_0_of_a_ship_is_the_one_that_reaches_furthest() -> None:
    """As many lines deep as it moves, at the side that it heads for; for the last phase at the other side."""

    def foremost(problem: Problem, sweep: str) -> Front:
        return next(front for front in breaking(problem, sweep).fronts if front.lines)

    up = families.spaceship((9, 12), 5, (0, -2))
    assert foremost(up, "short") == Front((((0, 1), 0),), 0, (2,))
    assert foremost(up, "short-back") == Front((((0, 1), -1),), 4, (2,))
    slanted = families.spaceship((9, 9), 6, (2, 1))
    assert foremost(slanted, "diagonals") == Front((((1, 0), -1), ((0, 1), -1)), 0, (2, 1))


def test_mirrors_and_turns_only_where_they_are_sound() -> None:
    assert turns(families.oscillator((6, 5), 3), "short") == {"F-"}
    assert turns(families.oscillator((5, 6), 3), "short") == {"F|"}
    assert turns(families.spaceship((6, 5), 3, (0, -1)), "short") == set()
    assert turns(families.spaceship((6, 5), 4, (1, 0)), "short") == {"F-"}
    assert turns(families.spaceship((5, 5), 4, (1, 1)), "diagonals") == {"F\\"}
    assert turns(families.spaceship((5, 5), 4, (-1, 1)), "diagonals") == {"F/"}
    assert turns(families.spaceship((5, 6), 4, (1, 1)), "diagonals") == set()
    assert turns(families.oscillator((5, 5), 3), "diagonals") == {"F\\"}
    assert turns(families.oscillator((5, 6), 3, symmetry="C2"), "short") == {"R180", "F|", "F-"}
    assert len(turns(families.oscillator((6, 6), 3, symmetry="C2"), "short")) == 7
    assert turns(families.oscillator((6, 5), 3, rule=anisotropic()), "short") == set()
    assert turns(families.oscillator((5, 6), 3, population="<=9"), "short") == set()
    assert turns(families.torus((5, 6), 3), "short") == set()


def anisotropic() -> str:
    """Life, but two live neighbours are enough for a birth if one of them is in a certain corner."""
    table = LIFE.array.copy()
    for other in (0, 1, 2, 3, 5, 6, 7):
        table[1 << 8 | 1 << other] = 1
    return "MAP" + base64.b64encode(np.packbits(table).tobytes()).decode().rstrip("=")


def test_one_core_takes_turns() -> None:
    problem = families.oscillator((6, 6), 4)
    assert len(portfolio(problem, 1)) == 2
    assert find(problem, jobs=1, time=PATIENCE).status == "found"


def test_model_is_checked_by_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong decoder is found out before the user sees anything."""
    from satlife.encode.spacetime import SpaceTime

    monkeypatch.setattr(SpaceTime, "decode", lambda self, true: [np.ones((3, 3), np.uint8)])
    outcome = find(families.still_life((3, 3)), strategy="plain")
    assert outcome.status == "unknown"
    assert "fails the simulation" in outcome.reason


@pytest.mark.parametrize(
    "problem",
    [
        families.oscillator((5, 5), 2),
        families.spaceship((5, 6), 4, (0, -2)),
        families.oscillator((4, 4), 3),
    ],
)
def test_growing_boxes_with_and_without_what_is_known(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    def smallest() -> tuple[str, tuple[int, int], bool]:
        found = finish(answer(Ask(problem, SmallestBox()), Options()))
        assert isinstance(found, Smallest)
        return found.outcome.status, found.outcome.problem.size, found.certain

    helped = smallest()
    monkeypatch.setattr(deepen, "sides", lambda problem, empty: [])
    assert smallest() == helped


def test_sides_that_an_answer_must_touch() -> None:
    free, mirrored = families.oscillator((6, 5), 3), families.spaceship((6, 5), 3, (0, -1), symmetry="D2|")
    columns, rows = [((1, 0), 0), ((1, 0), -1)], [((0, 1), 0), ((0, 1), -1)]
    assert deepen.sides(free, {(5, 5), (6, 4)}) == columns + rows
    assert deepen.sides(free, {(6, 4)}) == rows
    assert deepen.sides(free, {(4, 5)}) == []
    assert deepen.sides(mirrored, {(5, 5), (6, 4)}) == rows
    assert deepen.sides(families.torus((6, 5), 3), {(5, 5), (6, 4)}) == []


@pytest.mark.parametrize("names", [("CNFPlus", "IDPool"), ()])
def test_solvers_are_imported_without_formulas_if_they_can_be(
    names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version that needs more than stands in for formulas is imported as it is."""
    monkeypatch.setitem(pysat_private.UNUSED, "pysat.formula", names)
    monkeypatch.delitem(sys.modules, "pysat.solvers", raising=False)
    kind = pysat_private.solver_class()
    with kind("cadical195", bootstrap_with=[[1], [-1, 2]]) as solver:
        assert solver.solve()
        assert solver.get_model() == [1, 2]
    formula = vars(sys.modules["pysat.solvers"])["CNFPlus"]
    assert (formula.__module__ == "pysat.formula") == (not names)
    assert "tempfile" not in sys.modules or sys.modules["tempfile"] is tempfile


def test_what_python_sat_does_not_promise_is_still_there() -> None:
    """Fails when a new version of a library changes what one module of ours relies on."""
    from satlife import native

    assert pysat_private.problems() == []
    assert native.problems() == []


def test_solvers_are_one_record_each() -> None:
    assert set(EMBEDDED) == {name for name, solver in SOLVERS.items() if solver.embedded}
    assert {name for name, solver in SOLVERS.items() if solver.proves} >= set(pysat_private.TRACED)


@pytest.mark.parametrize("name", EMBEDDED)
def test_assumptions_that_fail_together_are_named(name: str) -> None:
    """Of "not 1", "not 2" and "3" the clause (1 or 2) contradicts the first two."""
    with Child(Formula.from_clauses([[1, 2], [3, 4]]), find_solver(name)) as child:
        child.ask([3, -1, -2])
        assert child.wait(Limits()).core == {-1, -2}
        child.ask([3, -1])
        answer = child.wait(Limits())
        assert (answer.status, answer.core) == ("sat", frozenset())


def test_a_core_is_made_of_literals() -> None:
    with Child(Formula.from_clauses([[1]]), find_solver("minisat22")) as child:
        message: Message = {"say": "answer", "status": SolverStatus.UNSAT, "core": [1, "x", [2]]}  # type: ignore[list-item]
        assert child.judge(message).core == {1}
