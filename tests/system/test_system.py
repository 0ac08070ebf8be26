"""Searches where the system offers less: as on macOS and on Windows, and with each offer withdrawn alone.

Processes are started with a `sitecustomize` that takes names away before anything of ours is imported; solvers and
workers, their children, import it too.
"""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import threading
import uuid
from pathlib import Path
from types import ModuleType

import pytest

from commands import marked
from events import PATIENCE, until
from satlife import files, memory, system
from satlife.cnf.formula import Formula
from satlife.engines.sat.race import SolverRace, Waiting
from satlife.errors import InputError
from satlife.limits import Limits
from satlife.problem import families
from satlife.search.library import find
from satlife.solve import host
from satlife.solve.runner import Child, models, solve
from satlife.solve.solvers import find_solver

HERE = Path(__file__).parents[2]
FAKE = HERE / "tests" / "fake_solver.py"

#: What can be missing, and the code that takes it away.
OFFERS = {
    "groups": "del os.killpg, os.setsid",
    "pausing": "del signal.SIGSTOP, signal.SIGCONT",
    "signals": "del signal.SIGPIPE, _signal.pthread_sigmask",
    "select": """
class OnlySockets(selectors.SelectSelector):
    def select(self, timeout=None):
        if any(stat.S_ISFIFO(os.fstat(key.fd).st_mode) for key in self.get_map().values()):
            raise OSError(10038, "an operation was attempted on something that is not a socket")
        return super().select(timeout)
selectors.DefaultSelector = OnlySockets""",
    "prctl": """
class Library(ctypes.CDLL):
    def __init__(self, name, *more, **options):
        if name is None:
            raise TypeError("a library has a name here")
        super().__init__(name, *more, **options)
ctypes.CDLL = Library""",
    "getppid": "del os.getppid",
    "fcntl": "sys.modules['fcntl'] = None",
    "resource": "sys.modules['resource'] = None",
    "links": "del os.O_NOFOLLOW",
}
SYSTEMS = {**{name: (name,) for name in OFFERS}, "macOS": ("prctl",), "Windows": tuple(OFFERS)}


def environment(folder: Path, lacking: str) -> dict[str, str]:
    """The environment of a process that finds these offers withdrawn; a mark in it identifies its descendants."""
    code = "import _signal, ctypes, os, selectors, signal, stat, sys\n"
    (folder / "sitecustomize.py").write_text(code + "\n".join(OFFERS[name] for name in SYSTEMS[lacking]))
    path = f"{folder}{os.pathsep}{HERE / 'src'}"
    return {**os.environ, "PYTHONPATH": path, "MARK": uuid.uuid4().hex}


def satlife(folder: Path, lacking: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command; asserts that no process of it is left."""
    there = environment(folder, lacking)
    line = [sys.executable, "-m", "satlife", *command]
    result = subprocess.run(line, env=there, capture_output=True, text=True, timeout=PATIENCE)
    assert_gone(there["MARK"])
    return result


def assert_gone(mark: str) -> None:
    until(lambda: not marked(mark))


@pytest.fixture
def sleeper(tmp_path: Path) -> str:
    """A solver program that does not answer."""
    script = tmp_path / "sleeper"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" sleep-alone "$1"\n')
    script.chmod(0o755)
    return str(script)


#: Nobody decides this in the time of a test.
HARD = ("oscillator", "10x10", "-p", "19", "--seed", "424242")


#: Without the other offers a search is stopped, or a certificate checked; `prctl` is what macOS lacks.
ALONE = [name for name in OFFERS if name not in ("groups", "pausing", "prctl", "links")]


@pytest.mark.parametrize("lacking", [*ALONE, "Windows"])
def test_a_find(tmp_path: Path, lacking: str) -> None:
    result = satlife(tmp_path, lacking, "spaceship", "4x3", "-p", "4", "-d", "1,1", "-q")
    assert (result.returncode, result.stderr) == (0, "")
    assert "rule = B3/S23" in result.stdout


@pytest.mark.parametrize(
    ("lacking", "solver"), [("macOS", "cadical195"), ("Windows", "cadical195"), ("Windows", "kissat")]
)
def test_none(tmp_path: Path, lacking: str, solver: str) -> None:
    result = satlife(tmp_path, lacking, "oscillator", "4x4", "-p", "3", "--solver", solver, "-q")
    assert (result.returncode, result.stdout, result.stderr) == (20, "", "")


@pytest.mark.parametrize("lacking", ["pausing", "Windows"])
def test_a_time_limit(tmp_path: Path, lacking: str) -> None:
    """Two solvers on one core take turns, or run side by side, until the time is over."""
    result = satlife(tmp_path, lacking, *HARD, "--time", "1", "--jobs", "1")
    assert (result.returncode, result.stdout) == (3, "")
    assert "time limit" in result.stderr


@pytest.mark.parametrize("lacking", ["groups", "Windows"])
def test_the_time_limit_of_a_program(tmp_path: Path, sleeper: str, lacking: str) -> None:
    result = satlife(tmp_path, lacking, "still-life", "4x4", "--solver", sleeper, "--time", "1")
    assert result.returncode == 3


@pytest.mark.parametrize(
    ("lacking", "program", "how"),
    [
        ("groups", True, signal.SIGINT),
        ("groups", False, signal.SIGKILL),
        ("macOS", True, signal.SIGKILL),
        ("Windows", True, signal.SIGKILL),
        ("Windows", False, signal.SIGINT),
    ],
)
def test_ctrl_c_and_a_kill_leave_no_process(
    tmp_path: Path, sleeper: str, lacking: str, program: bool, how: signal.Signals
) -> None:
    there = environment(tmp_path, lacking)
    asked = ("still-life", "4x4", "--solver", sleeper) if program else (*HARD, "--strategy", "plain")
    command = [sys.executable, "-m", "satlife", *asked]
    awaited = "fake_solver.py" if program else "child.py"
    with subprocess.Popen(command, env=there, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until(lambda: any(awaited in line for line in marked(there["MARK"])))
        process.send_signal(how)
        out, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130 if how == signal.SIGINT else -9, "")
    assert all(line.startswith("satlife: stopped") for line in errors.split("\n") if line)
    assert_gone(there["MARK"])


@pytest.mark.parametrize("lacking", ["links", "Windows"])
def test_a_certificate_is_checked(tmp_path: Path, lacking: str) -> None:
    folder = tmp_path / "none"
    made = satlife(tmp_path, lacking, "oscillator", "3x3", "-p", "3", "--proof", str(folder), "-q")
    assert made.returncode == 20
    checked = satlife(tmp_path, lacking, "verify", str(folder))
    assert (checked.returncode, checked.stderr) == (0, "")


# The fallbacks one by one, in this process.
@pytest.fixture
def without_select(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is waited for by `select`, not even the one that earlier tests have left for reuse."""
    host.close_idle()
    monkeypatch.setattr(system, "selects_pipes", lambda: False)


@pytest.fixture
def without_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "killpg")
    monkeypatch.delattr(os, "setsid")


def test_this_system_selects_pipes() -> None:
    assert system.selects_pipes()


@pytest.mark.usefixtures("without_select")
def test_a_race_that_threads_read(sleeper: str) -> None:
    formula = Formula.from_clauses([[1, 2], [-1, 2]])
    entries = [
        Waiting("sleeper", lambda: Child(formula, find_solver(sleeper))),
        Waiting("awake", lambda: Child(formula, find_solver("cadical195"))),
    ]
    with SolverRace(entries, Limits.of(PATIENCE), 1) as race:
        while race.answer is None:
            race.step(1)
    assert (race.answer.status, race.winner) == ("sat", "awake")
    race.running["awake"].kill()


@pytest.mark.usefixtures("without_select", "without_groups")
def test_many_solves_leave_nothing_open() -> None:
    formula = Formula.from_clauses([[1, 2, 3]])
    descriptors, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
    for _ in range(3):
        assert solve(formula, find_solver("cadical195")).status == "sat"
        with Child(formula, find_solver("glucose4")) as child:
            assert len(list(models(child, [1, 2, 3], Limits()))) == 7
    host.close_idle()
    assert len(os.listdir("/proc/self/fd")) == descriptors
    until(lambda: threading.active_count() <= threads)


@pytest.mark.usefixtures("without_select")
def test_a_process_that_dies_is_noticed_by_threads() -> None:
    with Child(Formula.from_clauses([[1]]), find_solver("cadical195")) as child:
        os.kill(child.host.process.pid, signal.SIGKILL)
        answer = child.wait(Limits.of(PATIENCE))
    assert (answer.status, answer.reason) == ("unknown", "the solver was killed by signal 9")


@pytest.mark.usefixtures("without_select")
def test_threads_keep_the_order_and_wait_no_longer_than_told() -> None:
    reading, writing = os.pipe()
    pipe = system.pipe(open(reading, "rb", buffering=0))  # noqa: SIM115 - closed by the pipe
    assert isinstance(pipe, system.ThreadedPipe)
    assert system.wait([pipe], 0.0) == []
    assert system.wait([pipe], 0.25) == []
    text = b"".join(b"%d " % number for number in range(50_000))
    writer = threading.Thread(target=write_all, args=(writing, text))
    writer.start()
    assert system.wait([pipe], None) == [pipe]
    parts = []
    while part := pipe.read():
        parts.append(part)
    assert b"".join(parts) == text
    assert pipe.read() == b""
    writer.join()
    pipe.close()


def write_all(handle: int, text: bytes) -> None:
    with open(handle, "wb") as stream:
        stream.write(text)


def test_a_process_that_may_outlive_us_is_not_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    paused: list[int] = []
    monkeypatch.setattr(system, "pause_group", paused.append)
    with Child(Formula.from_clauses([[1]]), find_solver("cadical195")) as child:
        child.ask()
        child.wait(Limits())
        assert child.host.tied
        child.host.pause()
        assert paused == [child.host.process.pid]
        child.host.tied = False
        child.host.pause()
        assert paused == [child.host.process.pid]


@pytest.mark.usefixtures("without_groups")
def test_without_groups_nothing_is_signalled() -> None:
    assert system.own_group() == {"creationflags": 0}
    assert [act(1) for act in (system.kill_group, system.pause_group, system.resume_group)] == [False] * 3
    assert find(families.oscillator((3, 3), 2)).status == "found"


#: Takes the lock, says so, and holds it until its standard input ends.
HOLDER = """
import sys
{without}
from satlife import system
with system.locked(sys.argv[1]):
    print("held", end="", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("without", ["", OFFERS["fcntl"]])
def test_a_lock_is_held_by_one_and_ends_with_its_holder(tmp_path: Path, without: str) -> None:
    command = [sys.executable, "-c", HOLDER.format(without=without), str(tmp_path / "lock")]
    there = {**os.environ, "PYTHONPATH": str(HERE / "src")}

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, env=there, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    first, second = start(), start()
    assert first.stdout
    assert second.stdout
    by_pipe = {system.Pipe(first.stdout): first, system.Pipe(second.stdout): second}
    try:
        holder, *more = system.wait(list(by_pipe), PATIENCE)
        assert (more, holder.read()) == ([], b"held")
        other = next(pipe for pipe in by_pipe if pipe is not holder)
        assert system.wait([other], 1.0) == [], "both hold it"
        by_pipe[holder].kill()
        assert system.wait([other], PATIENCE) == [other]
        assert other.read() == b"held"
    finally:
        for process in by_pipe.values():
            process.kill()
            process.communicate()


@pytest.mark.parametrize("by_names", [False, True])
def test_links_and_devices_in_folders_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_names: bool
) -> None:
    if by_names:
        monkeypatch.delattr(os, "O_NOFOLLOW")
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "file").write_bytes(b"ours\r\n")
    (tmp_path / "secret").write_bytes(b"theirs")
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "away").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    with files.inside(folder, "sub", "file") as stream:
        assert stream.read() == b"ours\r\n"
    for names in (("link",), ("away", "secret"), ("pipe",), ("sub",), ("missing",)):
        with pytest.raises(InputError, match="cannot read"), files.inside(folder, *names):
            pass


def test_a_file_that_is_exchanged_while_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"ours")
    (tmp_path / "other").write_bytes(b"theirs")
    monkeypatch.delattr(os, "O_NOFOLLOW")
    opened = os.open
    monkeypatch.setattr(os, "open", lambda path, flags: opened(tmp_path / "other", flags))
    with pytest.raises(OSError, match="symbolic link"):
        system.open_inside(tmp_path, ["file"])


def test_memory_without_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    assert (system.limit_memory(1 << 30), system.memory_limit()) == (False, None)
    assert memory.available() > 0


def test_what_cannot_be_written_is_replaced(tmp_path: Path) -> None:
    """The encoding of a pipe on Windows knows no blocks."""
    there = {**os.environ, "PYTHONPATH": str(HERE / "src"), "PYTHONIOENCODING": "cp1252"}
    command = [sys.executable, "-m", "satlife", "show", "xs4_33"]
    result = subprocess.run(command, env=there, capture_output=True, timeout=PATIENCE)
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"??" in result.stdout


# The launcher for Windows, of which only the text can be looked at here.
def test_the_two_launchers_start_the_same() -> None:
    windows, other = ((HERE / name).read_text() for name in ("satlife.cmd", "satlife"))
    for path in re.findall(r"%here%([\w.\\]+\.py)", windows):
        assert (HERE / path.replace("\\", "/")).is_file()
    assert '-P -X utf8 "%here%src\\satlife\\__main__.py" %*' in windows
    assert '-P "$here/src/satlife/__main__.py" "$@"' in other
    assert "satlife: Python 3.11 or newer is missing; install it, or name it with" in windows
    assert (HERE / "satlife").stat().st_mode & stat.S_IXUSR


def test_the_interpreter_of_an_environment(
    setup_script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert setup_script.interpreter(tmp_path) == str(tmp_path / "bin" / "python")
    monkeypatch.setattr(setup_script.sysconfig, "get_path", lambda name, scheme, given: f"{given['base']}/Scripts")
    assert setup_script.interpreter(tmp_path) == str(tmp_path / "Scripts" / "python")
