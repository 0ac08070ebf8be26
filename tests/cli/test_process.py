"""How our programs begin and end: signals at any moment, closed descriptors, foreign modules in the current folder."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tomllib
import uuid
from pathlib import Path

import pytest

import poison
from commands import marked, run
from events import PATIENCE, until
from poison import executed
from satlife.errors import LONGEST, LONGEST_MESSAGE, InputError, shortened

HERE = Path(__file__).parents[2]
SCRIPTS = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]["scripts"]
SHIP = ("spaceship", "4x3", "-p", "4", "-d", "1,1")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(HERE / "src")}
WAYS = ("script", "module", "launcher")


def script(folder: Path, name: str) -> str:
    """A console script as an installer writes it where the path of Python has spaces."""
    module, _, function = SCRIPTS[name].partition(":")
    path = folder / name
    start = f"#!/bin/sh\n'''exec' \"{sys.executable}\" \"$0\" \"$@\"\n' '''\n"
    path.write_text(f"{start}import sys\nfrom {module} import {function}\nsys.exit({function}())\n")
    path.chmod(0o755)
    return str(path)


def launcher(folder: Path) -> str:
    """`./satlife` in a checkout that is set up, with an environment that is ours."""
    for name in ("satlife", "pyproject.toml"):
        shutil.copy(HERE / name, folder / name)
    (folder / "scripts").symlink_to(HERE / "scripts")
    (folder / "src").symlink_to(HERE / "src")
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (folder / ".venv" / "ready-all").write_text(f"{folder}\n{(HERE / 'pyproject.toml').read_text()}")
    return str(folder / "satlife")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Every way to start a program of ours, each as the beginning of a command."""
    scripts, checkout = tmp_path_factory.mktemp("bin"), tmp_path_factory.mktemp("checkout")
    return {
        **{name: [script(scripts, name)] for name in SCRIPTS},
        "script": [str(scripts / "satlife")],
        "module": [sys.executable, "-m", "satlife"],
        "launcher": [launcher(checkout)],
    }


#: Sends a signal to its own process at the so-manieth import or `exec` after the first of `satlife.cli`.
STRIKER = """
import os, sys
number, when = int(os.environ["STRIKE_SIGNAL"]), int(os.environ["STRIKE_WHEN"])
begun, seen = False, 0

def strike(event, arguments):
    global begun, seen
    if event not in ("import", "exec"):
        return
    begun = begun or event == "import" and arguments[0].startswith("satlife.cli")
    if begun:
        seen += 1
        if seen == when:
            open(os.environ["STRIKE_NOTE"], "w").close()
            os.kill(os.getpid(), number)

if sys.argv[:1] != ["-c"] and "child.py" not in " ".join(sys.orig_argv):
    sys.addaudithook(strike)
"""


def struck(command: list[str], folder: Path, number: signal.Signals, when: int) -> subprocess.CompletedProcess[str]:
    """Run a command that gets a signal at its so-manieth import; asserts that it got one and left no process."""
    (folder / "sitecustomize.py").write_text(STRIKER)
    note, mark = folder / f"{number.name}-{when}", uuid.uuid4().hex
    environment = {
        **ENVIRONMENT,
        "PYTHONPATH": f"{folder}{os.pathsep}{HERE / 'src'}",
        "STRIKE_SIGNAL": str(int(number)),
        "STRIKE_WHEN": str(when),
        "STRIKE_NOTE": str(note),
        "STRIKE_MARK": mark,
    }
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert note.exists(), "the program ended before it was struck"
    until(lambda: not marked(mark))
    return result


@pytest.mark.parametrize(
    ("way", "when"), [("script", 1), ("script", 30), ("script", 350), ("module", 1), ("launcher", 30)]
)
def test_ctrl_c_at_any_import(programs: dict[str, list[str]], tmp_path: Path, way: str, when: int) -> None:
    result = struck([*programs[way], *SHIP], tmp_path, signal.SIGINT, when)
    assert (result.returncode, result.stdout, result.stderr.strip()) == (130, "", "")


@pytest.mark.parametrize("when", [1, 40, 400])
def test_being_terminated_at_any_import(programs: dict[str, list[str]], tmp_path: Path, when: int) -> None:
    result = struck([*programs["script"], *SHIP], tmp_path, signal.SIGTERM, when)
    assert (result.returncode, result.stdout, result.stderr) == (143, "", "")


#: A module that ends like one of Cython's whose initialisation is interrupted, and a program that imports it.
SWALLOWER = """
import os, signal
try:
    os.kill(os.getpid(), int(os.environ["STRIKE_SIGNAL"]))
    for _ in range(10): pass
except BaseException:
    pass
"""
IMPORTER = """
import time
from satlife.cli.process import exit_on_error
with exit_on_error("program"):
    import swallower
    time.sleep(60)
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_no_import_swallows_a_signal(tmp_path: Path, number: signal.Signals, code: int) -> None:
    (tmp_path / "swallower.py").write_text(SWALLOWER)
    (tmp_path / "importer.py").write_text(IMPORTER)
    environment = {**ENVIRONMENT, "STRIKE_SIGNAL": str(int(number))}
    command = [sys.executable, str(tmp_path / "importer.py")]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert (result.returncode, result.stdout, result.stderr) == (code, "", "")


def test_a_thread_that_fails_prints_no_traceback() -> None:
    program = """
import threading
from satlife.cli.process import exit_on_error
def fail():
    raise KeyError("a key")
with exit_on_error("program"):
    thread = threading.Thread(target=fail, name="cells")
    thread.start()
    thread.join()
"""
    result = subprocess.run(
        [sys.executable, "-c", program], env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE
    )
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == "program: cells failed: KeyError: 'a key'; please report this\n"


@pytest.mark.parametrize(
    ("number", "code", "when"),
    [(signal.SIGINT, 130, 1), (signal.SIGTERM, 143, 10), (signal.SIGINT, 130, 20), (signal.SIGTERM, 143, 30)],
)
def test_the_other_programs_too(
    programs: dict[str, list[str]], tmp_path: Path, number: signal.Signals, code: int, when: int
) -> None:
    result = struck([*programs["sat-life-grid"], "3", "3", "2"], tmp_path, number, when)
    assert (result.returncode, result.stdout, result.stderr) == (code, "", "")


@pytest.mark.parametrize(("name", "code"), [("INT", 130), ("TERM", 143)])
def test_the_launcher_before_the_program(programs: dict[str, list[str]], tmp_path: Path, name: str, code: int) -> None:
    compare = tmp_path / "cmp"  # the last thing that the launcher starts before the program
    compare.write_text(f"#!/bin/sh\nkill -{name} $PPID\n")
    compare.chmod(0o755)
    environment = {**ENVIRONMENT, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    command = [*programs["launcher"], "--version"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert (result.returncode, result.stdout, result.stderr) == (code, "", "")


WAITS = subprocess.run(["env", "--block-signal=INT", "true"], capture_output=True).returncode == 0


@pytest.mark.skipif(not WAITS, reason="this `env` cannot hold signals back (GNU coreutils 8.31 can)")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_launcher_while_python_starts(
    programs: dict[str, list[str]], tmp_path: Path, number: signal.Signals, code: int
) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"import os\nos.kill(os.getpid(), {int(number)})\n")
    environment = {**ENVIRONMENT, "PYTHONPATH": f"{tmp_path}{os.pathsep}{HERE / 'src'}"}
    command = [*programs["launcher"], "--version"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert (result.returncode, result.stdout, result.stderr) == (code, "", "")


def test_an_interrupt_in_exec_is_no_death_by_signal(tmp_path: Path) -> None:
    """CPython remembers an exact KeyboardInterrupt that left `exec`, whoever catches it later, and dies of it."""
    (tmp_path / "interrupted.py").write_text(
        "import os, signal, sys\n"
        "from satlife.cli.process import exit_on_error\n"
        "with exit_on_error('x'):\n"
        "    exec('os.kill(os.getpid(), signal.SIGINT)\\nwhile True: pass')\n"
    )
    command = [sys.executable, "-m", "interrupted"]
    result = subprocess.run(command, env=ENVIRONMENT, cwd=tmp_path, capture_output=True, timeout=PATIENCE)
    assert (result.returncode, result.stderr) == (130, b"")


def test_an_interrupt_that_cannot_rise_is_not_lost() -> None:
    code = (
        "import os, signal, time\n"
        "from satlife.cli.process import exit_on_error\n"
        "class Dying:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        time.sleep(60)\n"
        "with exit_on_error('x'):\n"
        "    Dying()\n"
        "    print('the signal was lost', flush=True)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, timeout=PATIENCE)
    assert (result.returncode, result.stdout, result.stderr) == (130, b"", b"")


def test_signals_that_are_ignored_stay_ignored(programs: dict[str, list[str]], tmp_path: Path) -> None:
    """As in `nohup`, or in the background of a script."""
    command = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *programs["script"], *SHIP, "-q"]
    result = struck(command, tmp_path, signal.SIGINT, 40)
    assert (result.returncode, result.stderr) == (0, "")
    assert "rule = B3/S23" in result.stdout


# Standard descriptors that are closed.
def closed(command: list[str], *arguments: str, without: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    line = ["sh", "-c", f'exec "$@" {without}', "sh", *command, *arguments]
    return subprocess.run(line, env=ENVIRONMENT, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE)


@pytest.mark.parametrize("way", ["script", "launcher"])
def test_without_standard_error_notes_go_nowhere(programs: dict[str, list[str]], tmp_path: Path, way: str) -> None:
    result = closed(programs[way], "still-life", "2x2", "--store", "store.db", without="2>&-", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("#C still life in 2x2")
    assert "satlife: found" not in result.stdout
    with sqlite3.connect(tmp_path / "store.db") as store:
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert b"checked by simulation (0" not in (tmp_path / "store.db").read_bytes()
    wrong = closed(programs[way], "still-life", "2by2", without="2>&-", cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout) == (2, "")


@pytest.mark.parametrize(
    ("command", "without"),
    [
        ("still-life 2x2 -q", ">&-"),
        ("show xs4_33", "<&- >&-"),
        ("--version", "<&- >&-"),
        ("--help", ">&-"),
        ("encode still-life 2x2", "<&- >&-"),
    ],
)
def test_a_closed_standard_output_is_an_error(
    programs: dict[str, list[str]], tmp_path: Path, command: str, without: str
) -> None:
    result = closed(programs["script"], *command.split(), without=without, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (1, "satlife: standard output is closed\n")


def test_closed_descriptors_of_the_other_programs(programs: dict[str, list[str]], tmp_path: Path) -> None:
    grid, life = programs["sat-life-grid"], programs["sat-life"]
    result = closed(grid, "3", "3", "2", without=">&-", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (1, "sat-life-grid: standard output is closed\n")
    result = closed(grid, "3", "3", "2", "-o", "out", without="<&- >&- 2>&-", cwd=tmp_path)
    assert (result.returncode, (tmp_path / "out").read_text()[:15]) == (0, "~ sat-life-grid")
    result = closed(life, "0", without="<&-", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (1, "sat-life: standard input is closed\n")
    result = closed(grid, "100", "100", "1", without="2>&-", cwd=tmp_path)
    assert (result.returncode, "more than 8 characters" in result.stdout) == (0, False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_help_into_a_full_disk_is_an_error_with_a_word(programs: dict[str, list[str]], tmp_path: Path) -> None:
    result = closed(programs["script"], "--help", without=">/dev/full", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (1, "satlife: cannot write the output: No space left on device\n")


# Modules in the current folder.
@pytest.fixture
def poisoned(tmp_path: Path) -> tuple[Path, Path]:
    return poison.poisoned(tmp_path)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_imported_from_the_current_folder(
    programs: dict[str, list[str]], poisoned: tuple[Path, Path], tmp_path: Path, way: str
) -> None:
    folder, log = poisoned
    if way == "module":  # Python itself imports a few before it looks for the module
        library = tmp_path / "library"
        library.mkdir()
        (library / "nothing.py").write_text("")
        while True:
            there = {**os.environ, "PYTHONPATH": str(library)}
            subprocess.run(
                [sys.executable, "-m", "nothing"], cwd=folder, env=there, capture_output=True, timeout=PATIENCE
            )
            if not (names := executed(log)):
                break
            for name in names:
                (folder / f"{name}.py").unlink()
        assert {f"{name}.py" for name in ("numpy", "json", "typing", "re", "signal")} <= set(os.listdir(folder))
    others = [["taocp", "still-lifes", "-q"]] * (way == "script")
    for command in ([*SHIP, "-q"], *others):
        result = subprocess.run(
            [*programs[way], *command], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE
        )
        assert executed(log) == set()
        assert (result.returncode, result.stderr) == (0, "")


def test_nor_by_the_other_programs(programs: dict[str, list[str]], poisoned: tuple[Path, Path]) -> None:
    folder, log = poisoned
    command = [*programs["sat-life-grid"], "3", "3", "2", "--format", "dimacs"]
    result = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE)
    assert (executed(log), result.returncode) == (set(), 0)


# Messages.
LONG = "9" * 5000


@pytest.mark.parametrize(
    "command",
    [
        ["still-life", "4x4", "-r", LONG],
        ["still-life", "4x4", "-r", f"B{LONG}"],
        ["still-life", LONG],
        ["still-life", "4x4", "-s", LONG],
        ["still-life", "4x4", "--cells", LONG],
        ["still-life", "4x4", "--strategy", LONG],
        ["still-life", "4x4", "--solver", LONG],
        ["still-life", "4x4", "--seed", LONG],
        ["oscillator", "4x4", "-p", LONG],
        ["spaceship", "4x4", "-p", "4", "-d", LONG],
        ["identify", LONG],
        ["identify", "x y " * 1000],
        ["identify", "it's 'x' " * 400],
        ["convert", LONG, LONG],
        ["show", "xs4_33", "-o", LONG],
        ["grid", "grid.txt"],
        ["grid", "names.txt"],
        ["search", "problem.json"],
        ["search", "fields.json"],
        ["identify", "long.rle"],
        ["solve", "long.cnf"],
        ["knuth", LONG],
        ["taocp", LONG],
        ["worker", LONG],
        ["worker", f"tcp://{LONG}"],
        [LONG],
        [f"--{LONG}"],
        ["still-life", "4x4", f"--{LONG}"],
    ],
    ids=lambda command: " ".join(word[:12] for word in command),
)
def test_messages_quote_a_little_only(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "grid.txt").write_text(f"0 1 {LONG}! *\n")
    (tmp_path / "names.txt").write_text(f"0 1 {'a b ' * 2000}\n0\n")
    (tmp_path / "problem.json").write_text(f'{{"box": [3, 3], "kind": "{LONG}"}}')
    (tmp_path / "fields.json").write_text(f'{{"box": [3, 3], "{LONG}": 1}}')
    (tmp_path / "long.rle").write_text(f"x = 3, y = 3, rule = {LONG}\nbo!\n")
    (tmp_path / "long.cnf").write_text(f"p cnf 1 1\n{LONG}x 0\n")
    result = run(*command, cwd=tmp_path)
    assert result.returncode in (1, 2), result.stderr
    assert 1 <= len(result.stderr.splitlines()) <= 2
    assert len(result.stderr) <= LONGEST_MESSAGE + 100
    assert max(map(len, result.stderr.split())) <= LONGEST + 2


@pytest.mark.parametrize("arguments", [[LONG, "1", "1"], [f"--{LONG}"], ["--format", LONG]])
def test_so_do_those_of_the_other_programs(programs: dict[str, list[str]], arguments: list[str]) -> None:
    command = [*programs["sat-life-grid"], *arguments]
    result = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == 255
    assert len(result.stderr) <= LONGEST_MESSAGE


def test_what_is_cut() -> None:
    sentence = "the solver's word is no proof, and nobody's word is: " * 4
    assert shortened(sentence) == sentence
    assert shortened(f"rule {'x y' * 100!r}: wrong").startswith("rule 'x yx yx")
    assert shortened(f"rule {'x y' * 100!r}: wrong").endswith("x y': wrong")
    assert len(shortened(f"rule {'x y' * 100!r}: wrong")) == len("rule : wrong") + LONGEST
    assert len(shortened("a b " * 10_000)) == LONGEST_MESSAGE
    once = shortened(f"{'x' * 500} {'y z ' * 500}")
    assert shortened(once) == once
    assert str(InputError("x" * 500)) == shortened("x" * 500)
