"""The sat-life programs write the very bytes of the originals, and behave well where those did not."""

from __future__ import annotations

import hashlib
import json
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import BIN, run
from events import PATIENCE
from satlife import knuth
from satlife.errors import InputError, LimitError

DATA = Path(__file__).parents[1] / "data"
DIGESTS: list[dict[str, Any]] = json.loads((DATA / "knuth-digests.json").read_text())
#: Calls of the originals, usual, unusual and wrong: exit code, stderr and the digest of stdout; where ours differ on
#: purpose, what they do stands in "here", and the reason in docs/coming-from/knuth.md.
CALLS: list[dict[str, Any]] = json.loads((DATA / "knuth-calls.json").read_text())


@pytest.mark.parametrize("name", knuth.PROGRAMS)
def test_bytes_of_the_originals(name: str) -> None:
    entries = [entry for entry in DIGESTS if entry["program"] == name]
    assert entries
    for entry in entries:
        digest, size = hashlib.sha256(), 0
        for piece in knuth.text(name, *map(int, entry["args"]), rows=entry["stdin"].splitlines()):
            digest.update(piece)
            size += len(piece)
        assert (size, digest.hexdigest()) == (entry["bytes"], entry["sha256"]), (entry["args"], entry["stdin"])


def test_there_are_165_digests() -> None:
    assert len(DIGESTS) == 165


@pytest.mark.parametrize("name", knuth.PROGRAMS)
def test_calls_of_the_originals(name: str) -> None:
    calls = [call for call in CALLS if call["program"] == name]
    assert len(calls) >= 20
    for call in calls:
        result = run("knuth", name, *call["args"], stdin=call["stdin"])
        digest = hashlib.sha256(result.stdout.encode()).hexdigest() if result.stdout else ""
        expected = call.get("here", call)
        assert (result.returncode, result.stderr, digest) == (
            expected["exit"],
            expected["stderr"],
            expected["sha256"],
        ), call


def test_what_differs_from_the_originals() -> None:
    """Control characters in a message, a missing line end, and time codes that there are not."""
    differing = [call for call in CALLS if "here" in call]
    assert (len(CALLS), len(differing)) == (408, 15)
    for call in differing:
        stdin, here = call["stdin"], call["here"]
        if here["exit"] == call["exit"]:
            assert here["stderr"] == call["stderr"].encode("unicode_escape").decode().replace("\\n", "\n")
        elif stdin:
            assert not stdin.endswith("\n")
            assert (call["exit"], here["exit"]) in {(251, 0), (252, 0)}
        else:
            assert here["stderr"] == f"There is no time code for r = {call['args'][2]}!\n"


@pytest.mark.parametrize(
    ("command", "figures"),
    [
        ("sat-life-grid 5 5 2", (1191, 4372, 10788)),
        ("sat-life-grid-spaceships 6 7 4 2", (3710, 14225, 35215)),
        ("sat-life-grid90 4 4 2", (272, 1030, 2530)),
        ("sat-life-grid90-cycle 5 5 2", (331, 1237, 3063)),
        ("sat-life-torus 5 7 1", (590, 2309, 5887)),
        ("sat-life-grid-cycle 5 5 2", (1191, 4436, 11000)),
        ("sat-life-gridquad 5 6 2", (419, 1558, 3852)),
        ("sat-life-upper 1 1", (467, 1717, 4227)),
    ],
)
def test_published_figures(command: str, figures: tuple[int, int, int]) -> None:
    """Variables, clauses, and literals with repetitions inside a clause removed."""
    name, *arguments = command.split()
    formula = knuth.formula(name, *map(int, arguments))
    literals = sum(len(set(clause)) for clause in formula.clauses())
    assert (formula.variables, len(formula), literals) == figures


def test_figures_of_a_full_3x3() -> None:
    formula = knuth.formula("sat-life", 0, rows=["***"] * 3)
    assert (formula.variables, len(formula), len(formula.literals)) == (226, 777, 1897)


def test_a_cell_of_the_torus_costs_14_auxiliaries_and_63_clauses() -> None:
    formula = knuth.formula("sat-life-torus", 8, 8, 1)
    assert formula.variables == 1024  # 64 cells at two times and 14 auxiliaries each
    assert len(formula) == 4032 == 64 * 63


def test_pieces_are_the_same_whatever_is_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = b"".join(knuth.text("sat-life-torus", 21, 7, 3))
    monkeypatch.setattr("satlife.knuth.writer.BAND", 5)
    monkeypatch.setattr("satlife.knuth.writer.CACHE_BYTES", 0)
    assert b"".join(knuth.text("sat-life-torus", 21, 7, 3)) == expected


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("sat-life-grid", 3, 3, 84), "time codes for at most 83 steps"),
        (("sat-life-grid-eater", 8, 8, 0), "There is no time code for r = 0"),
        (("sat-life-grid-spaceships", 8, 8, -1, 1), "There is no time code for r = -1"),
        (("sat-life-grid90", 3, 4, 2), "This version requires m=n!"),
        (("sat-life-upper", -9, 1), "The value of x0 should be at least -y0!"),
        (("sat-life", 83), "between 0 and 82 (not 83)"),
        (("sat-life-cube", 3), "there is no program"),
        (("sat-life-grid", 3, 3), "Usage: sat-life-grid m n r"),
    ],
)
def test_bad_arguments_of_the_library(call: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        knuth.program(*call)


def test_absurd_sizes_are_refused_before_anything_is_allocated() -> None:
    with pytest.raises(LimitError):
        knuth.program("sat-life-grid", 10**8, 3, 2)


def program(name: str, *words: str, stdin: str | bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """One of Knuth's programs, or of the tools that go with them."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    return subprocess.run([str(BIN / name), *words], input=data, capture_output=True)


def test_every_program_has_a_console_script() -> None:
    assert all((BIN / name).exists() for name in knuth.PROGRAMS)


@pytest.mark.parametrize("name", ["sat-life-grid-spaceships", "sat-life-torus-cycle", "sat-life-upper"])
def test_console_scripts(name: str) -> None:
    words = {"m n r": "4 4 2", "m n r s": "4 4 2 1", "x0 y0": "1 1"}[knuth.PROGRAMS[name].usage].split()
    result = program(name, *words)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout == b"".join(knuth.text(name, *map(int, words)))
    assert run("knuth", name, *words).stdout.encode() == result.stdout


@pytest.mark.parametrize(
    ("command", "stdin", "code", "message"),
    [
        ("sat-life-grid 3 3", "", 255, "Usage: sat-life-grid m n r\n"),
        ("sat-life-grid 3 3 x", "", 255, "Usage: sat-life-grid m n r\n"),
        ("sat-life-grid 3 3 9999999999", "", 255, "Usage: sat-life-grid m n r\na number has at most 9 digits\n"),
        ("sat-life-grid 3 4 84", "", 254, "There are time codes for at most 83 steps (r is 84)!\n"),
        ("sat-life 0", "*.o\n", 251, "Unexpected character `o' found in the pattern!\n"),
        (
            "sat-life-grid 3 4 8 --format xml",
            "",
            255,
            "Usage: sat-life-grid m n r\n--format is sat or dimacs, not 'xml'\n",
        ),
        (
            "sat-to-dimacs",
            "a ~~b\n",
            1,
            "sat-to-dimacs: standard input, line 1, column 3: a name is missing after `~`\n",
        ),
    ],
)
def test_exit_codes_and_messages(command: str, stdin: str, code: int, message: str) -> None:
    result = run("knuth", *command.split(), stdin=stdin)
    assert (result.returncode, result.stderr, result.stdout) == (code, message, "")


def test_exit_code_and_message_of_a_console_script() -> None:
    result = program("sat-life-grid", "1")
    assert (result.returncode, result.stderr, result.stdout) == (255, b"Usage: sat-life-grid m n r\n", b"")


def test_pattern_without_final_newline() -> None:
    plain = program("sat-life", "3", stdin=".***\n..*.\n").stdout
    assert plain
    assert program("sat-life", "3", stdin=".***\n..*.").stdout == plain


def test_closed_and_unreadable_input() -> None:
    result = subprocess.run(["sh", "-c", f"'{BIN}/sat-life' 0 <&-"], capture_output=True)
    assert (result.returncode, result.stderr) == (1, b"sat-life: standard input is closed\n")
    result = subprocess.run(["sh", "-c", f"'{BIN}/sat-life-grid' 3 3 2 >&-"], capture_output=True)
    assert (result.returncode, result.stderr) == (1, b"sat-life-grid: standard output is closed\n")
    result = program("sat-to-dimacs", "/")
    assert (result.returncode, result.stderr) == (1, b"sat-to-dimacs: cannot read /: Is a directory\n")


def test_long_names_are_announced() -> None:
    assert program("sat-life-grid", "100", "3", "1").stderr == b""
    result = program("sat-life-grid", "100", "100", "1")
    assert b"more than 8 characters" in result.stderr
    assert max(len(word) for word in result.stdout.partition(b"\n")[2].replace(b"~", b"").split()) == 9


def test_dimacs_and_map(tmp_path: Path) -> None:
    text = program("sat-life-grid", "3", "3", "1", "--format", "dimacs").stdout.decode()
    assert "p cnf 226 777\n" in text
    assert "c 1 -> 1a1\n" in text
    names = tmp_path / "names.txt"
    mapped = program("sat-life-grid", "3", "3", "1", "--format=dimacs", "--map", str(names)).stdout.decode()
    assert mapped.splitlines()[:2] == ["c sat-life-grid 3 3 1", "p cnf 226 777"]
    assert names.read_text().splitlines()[:2] == ["1 1a1", "2 1a0D1"]


def test_closed_pipe_is_quiet() -> None:
    result = subprocess.run(["sh", "-c", f"'{BIN}/sat-life-grid' 30 30 9 | head -1"], capture_output=True)
    assert (result.stdout, result.stderr) == (b"~ sat-life-grid 30 30 9\n", b"")
    result = subprocess.run(["sh", "-c", f"'{BIN}/satlife' knuth sat-life-grid 30 30 9 | head -1"], capture_output=True)
    assert (result.stdout, result.stderr) == (b"~ sat-life-grid 30 30 9\n", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_is_one_line() -> None:
    with open("/dev/full", "wb") as full:
        result = subprocess.run([BIN / "sat-life-grid", "9", "9", "2"], stdout=full, stderr=subprocess.PIPE)
    assert result.returncode == 1
    assert result.stderr == b"sat-life-grid: cannot write the output: No space left on device\n"


def test_ctrl_c_leaves_no_traceback() -> None:
    command = [str(BIN / "sat-life-grid"), "900", "90", "40"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(100_000)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (130, b"")


def test_memory_stays_bounded() -> None:
    """The peak of a run whose output is 139 MB, measured in a process of its own."""
    script = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    command = [sys.executable, "-c", script, str(BIN / "sat-life-grid"), "50", "50", "40"]
    peak_kb = int(subprocess.run(command, capture_output=True, check=True).stdout)
    assert peak_kb < 150_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0


def test_help_names_every_program() -> None:
    listing = run("knuth").stdout
    assert all(f"{name} " in listing for name in knuth.PROGRAMS)
    for name in ("sat-life-grid", "sat-life-filter", "sat-to-dimacs", "dimacs-to-sat"):
        result = run("knuth", name, "--help")
        assert result.returncode == 0
        assert "Example: " in result.stdout
    assert b"Example: " in program("sat-life-grid", "--help").stdout
