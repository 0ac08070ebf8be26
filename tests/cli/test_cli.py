"""The command line: formats, exit codes, and one sentence for every mistake."""

from __future__ import annotations

import io
import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import pytest

from commands import BIN, program, run
from satlife import files
from satlife.cli import overview, report
from satlife.cli.families import QUESTIONS
from satlife.cli.main import satlife
from satlife.life.formats import parse
from satlife.problem.problem import Problem
from satlife.solve.solvers import kissat


@pytest.mark.parametrize("name", [name for group in satlife.panels.values() for name in group])
def test_every_command_has_help_with_an_example(name: str) -> None:
    result = run(name, "-h")
    assert result.returncode == 0
    assert "Example:" in result.stdout


@pytest.mark.parametrize("name", list(QUESTIONS))
def test_every_family_can_be_encoded(name: str) -> None:
    assert "Example:" in run("encode", name, "--help").stdout


def test_help_does_not_import_solvers() -> None:
    script = (
        "import sys; import satlife.cli.programs; print(any(m in sys.modules for m in ('numpy', 'pysat', 'click')))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "False\n"
    assert satlife.name == "satlife"


def test_the_overview_loads_no_command() -> None:
    """A command takes a line of it, also in a narrow terminal, and is loaded when it is called."""
    script = "import sys; from satlife.cli.main import run; run(['--help']); print(*sys.modules)"
    env = {**os.environ, "COLUMNS": "80"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=env)
    *page, loaded = done.stdout.splitlines()
    assert not {"numpy", "satlife.cli.families", "satlife.cli.asking", "satlife.cli.jobs"} & set(loaded.split())
    words = overview.FAMILIES | {
        name: entry.words for panel in overview.COMMANDS.values() for name, entry in panel.items()
    }
    assert {*words} == {*satlife.list_commands(click.Context(satlife))}
    lines = [line.strip("│ ").split(maxsplit=1) for line in page if line.startswith("│ ")]
    assert [line for line in lines if not line[0].startswith("--")] == [[name, text] for name, text in words.items()]


def test_a_small_question_imports_only_what_it_needs() -> None:
    """Whichever engine answers: no help pages, no stores, no proofs, no searches for other goals."""
    script = (
        "import os, sys; from satlife.cli.main import run; run('spaceship 4x4 -d c/4d -q'.split()); "
        "print(*sys.modules, flush=True); os._exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    loaded = done.stdout.splitlines()[-1].split()
    assert "satlife.search.race" in loaded
    rooms = ("store", "proof", "cluster", "draw", "web", "taocp", "knuth", "benchmark", "engines.past.run")
    searches = ("search.goals.atlas", "search.complete", "search.goals.pasts", "search.advice", "search.library")
    others = ("rich", "rich_click", "sqlite3", "pysat", "tomllib")
    assert not {*(f"satlife.{name}" for name in (*rooms, *searches)), *others} & set(loaded)


def test_what_a_search_imports_before_it_begins() -> None:
    """Beside numpy and click little of the standard library, no solvers, encodings or kernels, no other families."""
    script = (
        "import sys, numpy, click; before = {*sys.modules}; from satlife.cli import main, asking; "
        "asking.search_command('spaceship'); import satlife.search.answer; print(*{*sys.modules} - before)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {"satlife.search.plan", "satlife.problem.families.spaceships"} <= loaded
    library = (
        "pathlib",
        "json",
        "hashlib",
        "subprocess",
        "selectors",
        "tempfile",
        "shutil",
        "gzip",
        "lzma",
        "base64",
        "shlex",
    )
    solvers = ("solve.runner", "solve.solvers", "engines.sat.run", "engines.sat.strategies", "engines.work")
    encodings = ("encode.transitions", "encode.reaction")
    questions = ("problem.families.catalysts", "problem.chart", "problem.pasts", "cli.lines")
    answers = ("engines.rows.question.strip", "search.goals.lists", "search.goals.best")
    others = ("device.cuda", "memory", "machinecode")
    ours = {f"satlife.{name}" for name in (*solvers, *encodings, *questions, *answers, *others)}
    assert loaded & {*library, *ours, "llvmlite", "numba", "pysat"} == set()


def test_default_output_is_rle_with_a_story() -> None:
    result = run("spaceship", "4x3", "-p", "4", "-d", "1,1")
    assert result.returncode == 0
    assert result.stdout.startswith("#C spaceship in 4x3, period 4, moving by (1,1)\n#C found by satlife (")
    assert parse(result.stdout).population == 5
    assert result.stderr.startswith("satlife: found xq4_153 (glider), 5 cells, checked by simulation")


def test_other_formats_and_quiet() -> None:
    result = run("still-life", "2x2", "--format", "cells", "-q")
    assert (result.stdout.splitlines()[-2:], result.stderr) == (["OO", "OO"], "")
    line = json.loads(run("still-life", "2x2", "--format", "json", "-v").stdout)
    assert set(line) == {"status", "problem", "pattern", "seconds", "solver", "strategy", "proof", "reason"}
    told = {"rle", "period", "displacement", "population", "box", "apgcode", "name", "rule", "generations"}
    assert set(line["pattern"]) == told
    assert line["pattern"]["name"] == "block"


def test_none_and_undecided() -> None:
    none = run("spaceship", "3x3", "-p", "4", "-d", "1,1")
    assert (none.returncode, none.stdout) == (20, "")
    assert none.stderr.startswith(
        "satlife: there is none: spaceship in 3x3, period 4, moving by (1,1) (exhaustive search; "
    )
    none = run("spaceship", "3x3", "-p", "4", "-d", "1,1", "--strategy", "spatial")
    assert none.stderr.startswith(
        "satlife: there is none: spaceship in 3x3, period 4, moving by (1,1) (solver's word: cadical"
    )
    unknown = run("oscillator", "10x10", "-p", "19", "--time", "0.3")
    assert (unknown.returncode, unknown.stdout) == (3, "")
    assert "undecided: the time limit was reached" in unknown.stderr
    assert "\n  satlife jobs start oscillator 10x10 -p 19  # goes on as long as" in unknown.stderr


def test_none_at_a_speed_names_the_period_and_the_next_one() -> None:
    """How many periods are searched depends on the time they take; the next is suggested if the user named none."""
    closing = json.loads(run("spaceship", "5x6", "-d", "c/5", "--json").stdout)
    following = 5 * (len(closing["periods"]) + 1)
    assert closing["periods"] == list(range(5, following, 5))
    again = f"satlife spaceship 5x6 -p {following} -d 0,-{following // 5}"
    assert [found["command"] for found in closing["suggestions"]] == [again]
    none = run("spaceship", "6x4", "-d", "c/2", "-p", "2").stderr
    assert none.startswith("satlife: there is none: spaceship in 6x4, period 2, moving by (0,-1) (exhaustive search; ")
    assert none.count("\n") == 1


def test_output_file_is_appended(tmp_path: Path) -> None:
    target = tmp_path / "finds.rle"
    for _ in range(2):
        assert run("still-life", "2x2", "-o", str(target), "-q").returncode == 0
    assert target.read_text().count("2o$2o!") == 2


def test_problem_files(tmp_path: Path) -> None:
    text = run("oscillator", "3x3", "-p", "2", "--print-problem").stdout
    path = tmp_path / "problem.toml"
    path.write_text(text)
    assert "#C xp2_7\n" in run("search", str(path), "-q").stdout
    as_json = run("oscillator", "3x3", "-p", "2", "--print-problem", "--json").stdout
    assert Problem.from_json(as_json) == Problem.from_toml(text)
    assert run("search", "-", "-q", stdin=as_json).returncode == 0
    path.write_text("box = [3, 3]\nsize = 4\n")
    wrong = run("search", str(path))
    assert wrong.returncode == 1
    assert "there is no field 'size'" in wrong.stderr


def test_problem_files_say_what_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "asked.json"
    options = (("--count-only",), ("-n", "all", "--distinct"), ("--minimize",), ("--smallest",), ())
    for wanted in options:
        asked = run("oscillator", "4x4", "-p", "2", *wanted, "--print-problem", "--json").stdout
        path.write_text(asked)
        again = run("search", str(path), "--print-problem", "--json").stdout
        assert ("goal" in asked, again) == (bool(wanted), asked)
    assert run("search", "-", stdin='{"box": [5, 5], "period": 1, "goal": "count"}').stdout == "416\n"
    path.write_text(json.dumps({"box": [5, 5], "period": 1, "goal": "count"}))
    refused = run("search", str(path), "--maximize")
    assert (refused.returncode, "the question says what is wanted" in refused.stderr) == (2, True), refused.stderr
    assert run("show", str(path)).returncode == 0
    no_clauses = run("encode", "search", str(path))
    assert (no_clauses.returncode, "leave out the field `goal`" in no_clauses.stderr) == (2, True), no_clauses.stderr
    store = ("--store", str(tmp_path / "store.db"), "--quiet")
    assert run("jobs", "start", "search", str(path), *store).stdout == "416\n"
    twice = run("jobs", "start", "search", str(path), "--all", *store)
    assert (twice.returncode, "leave out --all" in twice.stderr) == (2, True), twice.stderr


def test_goals_beside_others_say_their_line(tmp_path: Path) -> None:
    asked = [
        {"box": [3, 3], "period": 2, "goal": "atlas"},
        {"box": [3, 3], "generations": 1, "cells": [["* * *"] * 3, ["1 1 1"] * 3], "goal": "core"},
        {
            "box": [3, 3],
            "generations": 1,
            "rule": "B8/S",
            "cells": [["* * *"] * 3, ["* * *", "* 1 *", "* * *"]],
            "goal": "forced",
        },
    ]
    (tmp_path / "asked.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked))
    told = run("search", str(tmp_path / "asked.jsonl"), "--json").stdout.splitlines()
    assert [(answer["status"], answer["line"]) for answer in map(json.loads, told)] == [
        ("found", 1),
        ("none", 2),
        ("found", 3),
    ]


def test_a_proof_does_not_overwrite_the_clauses(tmp_path: Path) -> None:
    (clauses := tmp_path / "in.cnf").write_text("p cnf 1 2\n1 0\n-1 0\n")
    for proof in (clauses, "-"):
        refused = run("solve", str(clauses), str(proof))
        assert (refused.returncode, "a file of its own" in refused.stderr) == (2, True)
    assert clauses.read_text().startswith("p cnf")


def test_clauses_that_were_converted_are_decoded(tmp_path: Path) -> None:
    cnf, sat, out = (tmp_path / name for name in ("e.cnf", "e.sat", "e.out"))
    run("encode", "spaceship", "5x5", "-d", "c/4d", "-o", str(cnf))
    sat.write_text(run("knuth", "dimacs-to-sat", str(cnf)).stdout)
    out.write_text(run("solve", str(sat)).stdout)
    assert run("decode", str(sat), str(out)).returncode == 0
    numbers = run("knuth", "sat-life-filter", stdin="s SATISFIABLE\nv 1 -2 3 0\n")
    assert (numbers.returncode, "numbers, not names" in numbers.stderr) == (1, True), numbers


def test_goals_of_files_are_refused_where_their_options_are(tmp_path: Path) -> None:
    path, store = tmp_path / "asked.json", str(tmp_path / "store.db")
    strip = {"box": [7, "*"], "period": 4, "displacement": [0, -2]}
    piece = {"kind": "complete", "box": [3, 1], "period": 1, "cells": [["1 1 1"]], "margin": "free"}
    still = {"box": [4, 4], "period": 1}
    for problem, goal, command, words in (
        (strip, {"name": "all", "distinct": True}, ("search",), "in a box of any length one"),
        (strip, "count", ("search",), "in a box of any length one"),
        (piece, "find", ("search", "--store", store), "--store needs a margin"),
        (still, "all", ("jobs", "start", "search", "--store", store), "one of each orbit"),
        (still, "optimise", ("jobs", "start", "search", "--store", store), "a long search finds one pattern"),
        (still, "find", ("search", "--measure", "rotor"), "leave out --measure"),
    ):
        path.write_text(json.dumps({**problem, "goal": goal}))
        command, more = (command[:3], command[3:]) if command[0] == "jobs" else (command[:1], command[1:])
        refused = run(*command, str(path), *more)
        assert (refused.returncode, words in refused.stderr) == (2, True), (goal, refused.stderr)
    lines = tmp_path / "asked.jsonl"
    lines.write_text(json.dumps(still) + "\n")
    assert run("search", str(lines), "-o", str(tmp_path / "x.gif"), "--phases").returncode == 2


def test_an_atlas_of_a_file_has_the_format_of_its_ending(tmp_path: Path) -> None:
    (tmp_path / "asked.json").write_text(json.dumps({"box": [4, 4], "period": 2, "goal": "atlas"}))
    picture, table = tmp_path / "x.svg", run("search", str(tmp_path / "asked.json")).stdout
    assert run("search", str(tmp_path / "asked.json"), "-o", str(picture)).returncode == 0
    assert picture.read_text().startswith("<svg")
    whole = run("atlas", "oscillator", "4x4", "-p", "2").stdout
    first, second = (re.sub(r" \d+\.\d\b", "", text) for text in (table, whole))  # without the seconds
    assert first == second


def test_goals_with_a_command_of_their_own_are_asked_in_files(tmp_path: Path) -> None:
    (orphan := tmp_path / "orphan.rle").write_text("x = 3, y = 2, rule = B8/S\nobo$2o!\n")
    path = tmp_path / "asked.toml"
    for command in (
        ("atlas", "oscillator", "4x4", "-p", "2"),
        ("core", str(orphan), "--smallest"),
        ("forced", str(orphan), "--self"),
    ):
        path.write_text(run(*command, "--print-problem").stdout)
        asked, again = run(*command, "--json"), run("search", str(path), "--json")
        shown, same = ({**json.loads(one.stdout), "seconds": 0} for one in (asked, again))
        assert (asked.returncode, shown.keys()) == (again.returncode, same.keys())
        assert [shown.get(name) for name in ("status", "boxes", "core", "forced")] == [
            same.get(name) for name in ("status", "boxes", "core", "forced")
        ]


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("bogus", 2, "there is no command 'bogus'"),
        ("oscillator 5x5", 2, "Missing option '-p'"),
        ("oscillator 5by5 -p 2", 2, "'5by5' is not a box such as 16x5"),
        ("oscillator 5x5 -p 0", 2, "the period should be at least 1, not 0"),
        ("oscillator 5x5 -p two", 2, "'two' is not a valid integer"),
        ("oscillator 5x5 -p 2 -s D5", 2, "there is no symmetry 'D5'"),
        ("spaceship 5x5 -p 2 -d 1", 2, "'1' is neither a displacement such as 0,-1"),
        ("spaceship 2x2 -p 4 -d 0,-3", 2, "too small for a displacement of -3"),
        ("spaceship 5x5 -p 2 -d 0,-3", 2, "faster than light"),
        ("still-life 5x5 -r B3/S2z3", 2, "rule 'B3/S2z3', position 6: 'z' is not one of them"),
        ("still-life 5x5 --cells many", 2, "'many' is not a bound"),
        ("still-life 5x5 --solver nosuch", 2, "there is no solver 'nosuch'"),
        ("still-life 5x5 --strategy nosuch", 2, "there is no strategy 'nosuch'"),
        ("still-life 5x5 --time -3", 2, "'-3' is not a number of seconds above 0"),
        ("still-life 99999x99999", 2, "more than the limit"),
        ("predecessor nosuch.rle", 1, "cannot read nosuch.rle: No such file or directory"),
        ("predecessor /", 1, "cannot read /: Is a directory"),
        ("identify nosuch.rle", 1, "cannot read nosuch.rle"),
        ("convert a.rle b.xyz", 2, "names no format"),
        ("solve nosuch.cnf", 1, "cannot read nosuch.cnf"),
        ("still-life 2x2 -o /proc/nonexistent/x", 1, "cannot write /proc/nonexistent/x"),
        ("still-life 3x4 -s C4", 2, "needs a square box"),
        ("still-life 3x3 --seed 99999999999", 2, "not in the range"),
        ("still-life 3x3 -r B3/S23:T3,3", 2, "satlife torus WxH"),
        ("torus 4x3", 2, "a pattern on a torus has either a period"),
        ("torus 4x3 -p 1 --dies 1", 2, "a pattern on a torus has either a period"),
        ("torus 4x3 --dies 0", 2, "the number of generations should be at least 1, not 0"),
        ("torus 4x3 -p 1 -r B3/S23:T3,3", 2, "the rule asks for a torus of 3x3, the box is 4x3"),
        ("spaceship 5x5 -p 3", 2, "Missing option '-d'"),
        ("encode spaceship 5x5 -p 3", 2, "Missing option '-d'"),
        ("jobs start spaceship 5x5 -p 3", 2, "Missing option '-d'"),
        ("taocp nonsense", 2, "there is no study"),
        ("eater 8x8 --known README.md", 1, "is not 0, 1, *, . or a name"),
        ("identify xs9_33", 1, "should have 9 cells, but has 4"),
        ("identify xp2_zzz", 1, "has no live cells"),
        ("verify /dev/null", 1, "/dev/null: the file is empty"),
        ("solve /dev/null", 1, "/dev/null: the file is empty"),
        ("solve LICENSE /dev/full", 1, "it is not a plain file"),
    ],
)
def test_mistakes_get_a_sentence(command: str, code: int, message: str) -> None:
    result = run(*command.split())
    assert result.returncode == code
    assert message in result.stderr
    assert 1 <= len(result.stderr.splitlines()) <= 2
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk() -> None:
    with open("/dev/full", "wb") as full:
        result = subprocess.run([BIN / "satlife", "still-life", "2x2", "-q"], stdout=full, stderr=subprocess.PIPE)
    assert result.returncode == 1
    assert result.stderr == b"satlife: cannot write the output: No space left on device\n"


@contextmanager
def small_disk(size: int) -> Iterator[None]:
    """No file grows beyond this size, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_list_on_a_full_disk_ends_with_a_whole_entry(tmp_path: Path) -> None:
    """The find that has no room is not lost: it is printed."""
    target = tmp_path / "list.rle"
    with small_disk(1000):
        done = run("still-life", "4x4", "-n", "all", "--strategy", "cells", "-o", str(target))
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, f"satlife: cannot write {target}: File too large")
    entries = target.read_text().split("!\n")
    assert entries[-1] == ""
    assert all(entry.startswith("#C still life") for entry in [*entries[:-1], done.stdout])
    assert len(target.read_text() + done.stdout) > 1000


def test_nothing_is_missing_without_a_word_where_output_has_no_buffer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with PYTHONUNBUFFERED: the end of a disk is met in the middle of a write."""
    with open(tmp_path / "out", "wb", buffering=0) as out, small_disk(100):
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out))
        with pytest.raises(OSError, match="File too large"):
            files.write("-", [150 * b"x"])


@pytest.mark.parametrize("mode", ["w", "a"])
def test_so_does_one_on_standard_output(tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of an entry is left, not even in a buffer that is written later."""
    target = tmp_path / "list.txt"
    target.write_text("old\n")
    with open(target, mode) as out:
        monkeypatch.setattr(sys, "stdout", out)
        with small_disk(100):
            for digit in "012":
                report.emit(30 * digit + "\n", None)
            with pytest.raises(OSError, match="File too large"):
                report.emit(30 * "3" + "\n", None)
        report.emit("end\n", None)
    entries = ["old"] * (mode == "a") + [30 * digit for digit in "012"] + ["end"]
    assert target.read_text().splitlines() == entries


def test_identify_says_what_becomes_of_a_pattern(tmp_path: Path) -> None:
    pattern = tmp_path / "b-heptomino.rle"
    pattern.write_text("ob2o$3o$bo!")
    facts = json.loads(run("identify", str(pattern), "--json").stdout)
    assert (facts["kind"], facts["lifespan"], facts["final_cells"]) == ("not periodic", 148, 28)
    assert facts["census"] == {"xs4_33": 3, "xq4_153": 2, "xs6_356": 1}
    shown = run("identify", str(pattern)).stdout.splitlines()
    assert shown[-4:] == [
        "census           3 xs4_33 block",
        "                 2 xq4_153 glider",
        "                 1 xs6_356 ship",
        "escaping       xq4_153 glider: 1 NE, 1 NW",
    ]
    high = run("identify", "-r", "B36/S23", "xq4_153").stdout
    assert "rule           B36/S23\n" in high
    assert "apgcode        xq4_153\nname           glider\n" in high
    pattern.write_text("x = 2, y = 1, rule = B2/S/C3\nAB!")
    assert run("identify", "-r", "B3/S23", str(pattern)).returncode == 1


def test_files_of_several_patterns(tmp_path: Path) -> None:
    """All are identified and verified; what takes one says that there are others."""
    two = tmp_path / "two.rle"
    two.write_text("#C xq4_153\nx = 3, y = 3\nbo$2bo$3o!\n#C xs4_252\nx = 2, y = 2\n2o$2o!\n")
    shown = run("identify", str(two)).stdout.splitlines()
    assert [line.split()[1:] for line in shown if line.startswith("pattern")] == [["1", "of", "2"], ["2", "of", "2"]]
    assert [line.split()[1:] for line in shown if line.startswith("name")] == [["glider"], ["block"]]
    facts = [json.loads(line) for line in run("identify", str(two), "--json").stdout.splitlines()]
    assert [fact["apgcode"] for fact in facts] == ["xq4_153", "xs4_33"]
    checked = run("verify", str(two))
    assert (checked.returncode, checked.stdout) == (1, "verified: spaceship of period 4, moving by (1,1), xq4_153\n")
    assert "two.rle, pattern 2 of 2: the comment says xs4_252, the simulation xs4_33" in checked.stderr
    for command in (["show", str(two)], ["convert", str(two), "-", "--to", "cells"]):
        done = run(*command)
        assert done.returncode == 0
        assert "two.rle has 2 patterns; this is the first" in done.stderr
    two.write_text(two.read_text().replace("xs4_252", "xs4_33"))
    assert run("verify", str(two)).returncode == 0


def test_identify_convert_verify(tmp_path: Path) -> None:
    glider = tmp_path / "glider.rle"
    glider.write_text("#N Glider\nx = 3, y = 3\nbo$2bo$3o!\n")
    facts = json.loads(run("identify", str(glider), "--json").stdout)
    assert (facts["kind"], facts["period"], facts["displacement"]) == ("spaceship", 4, [1, 1])
    assert "apgcode        xq4_153" in run("identify", str(glider)).stdout
    cells = tmp_path / "glider.cells"
    assert run("convert", str(glider), str(cells)).returncode == 0
    assert cells.read_text() == "!Name: Glider\n.O.\n..O\nOOO\n"
    assert run("convert", str(cells), "-", "--to", "apgcode").stdout == "xq4_153\n"
    assert run("convert", "xq4_153", "-", "--to", "life").stdout.startswith("#Life 1.06\n")
    viewed = run("convert", "xq4_153", "-", "--to", "rle", "--viewer", "[[ ZOOM 16 ]]").stdout
    assert viewed == "#C [[ ZOOM 16 ]]\nx = 3, y = 3, rule = B3/S23\n3o$2bo$bo!\n"
    for wrong in (["--to", "cells", "--viewer", "ZOOM 16"], ["--to", "rle", "--viewer", "a ]] b"]):
        assert run("convert", "xq4_153", "-", *wrong).returncode == 2
    blocks = tmp_path / "old.lif"
    blocks.write_text("#Life 1.05\n#D A glider\n#N\n#P -1 -1\n.*\n..*\n#P -1 1\n***\n")
    assert run("convert", str(blocks), "-", "--to", "rle").stdout == (
        "#CXRLE Pos=-1,-1\n#C A glider\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n"
    )
    assert run("verify", str(blocks)).stdout == "verified: spaceship of period 4, moving by (1,1), xq4_153\n"
    assert run("verify", str(glider)).stdout == "verified: spaceship of period 4, moving by (1,1), xq4_153\n"
    glider.write_text("#C xq4_6frc\nbo$2bo$3o!\n")
    lie = run("verify", str(glider))
    assert lie.returncode == 1
    assert "the comment says xq4_6frc, the simulation xq4_153" in lie.stderr
    glider.write_text("obo$b2o$bo!")
    problem = tmp_path / "problem.toml"
    problem.write_text(run("spaceship", "4x3", "-p", "4", "-d", "1,1", "--print-problem").stdout)
    assert run("verify", str(glider), "--problem", str(problem)).returncode == 0
    wrong_rule = tmp_path / "highlife.rle"
    wrong_rule.write_text("x = 3, y = 3, rule = B36/S23\nobo$b2o$bo!")
    assert "the pattern is for B36/S23" in run("verify", str(wrong_rule), "--problem", str(problem)).stderr
    glider.write_text("ob2o$b2o$bo!")
    assert run("verify", str(glider), "--problem", str(problem)).returncode == 1


def test_encode_solve_decode(tmp_path: Path) -> None:
    """The walk through an outside solver, in both formats."""
    cnf, solution = tmp_path / "ship.cnf", tmp_path / "ship.out"
    assert run("encode", "spaceship", "4x3", "-p", "4", "-d", "1,1", "-o", str(cnf)).returncode == 0
    solved = run("solve", str(cnf))
    assert solved.returncode == 10
    assert "\ns SATISFIABLE\nv " in solved.stdout
    solution.write_text(solved.stdout)
    shown = run("decode", str(cnf), str(solution))
    assert shown.returncode == 0
    assert parse(shown.stdout).population == 5
    program = kissat()
    assert program
    outside = subprocess.run([program, "-q", str(cnf)], capture_output=True, text=True)
    solution.write_text(outside.stdout)
    assert run("decode", str(cnf), str(solution)).returncode == 0
    solution.write_text("v " + " ".join(str(-v) for v in range(1, 49)) + " 0\n")
    wrong = run("decode", str(cnf), str(solution))
    assert wrong.returncode == 1
    assert "the solution does not satisfy clause" in wrong.stderr
    named = tmp_path / "ship.sat"
    assert (
        run("encode", "spaceship", "4x3", "-p", "4", "-d", "1,1", "--format", "sat", "-o", str(named)).returncode == 0
    )
    answer = run("solve", str(named))
    assert answer.returncode == 10
    solution.write_text(answer.stdout)
    assert parse(run("decode", str(named), str(solution)).stdout).population == 5


def test_decode_where_all_cells_are_known(tmp_path: Path) -> None:
    """The clauses have auxiliary variables only, so that there are no names of cells to miss."""
    problem, cnf, solution = (tmp_path / name for name in ("problem.toml", "clauses.cnf", "solution"))
    cells = """rule = "B/S367/C3"\nbox = [1, 2]\ngenerations = 1\nnonempty = false\ncells = [[], ["2", "0"]]\n"""
    problem.write_text(cells + """population = [">=2"]\n""")
    assert run("encode", "search", str(problem), "-o", str(cnf)).returncode == 0
    solution.write_text("s UNSATISFIABLE\n")
    assert run("decode", str(cnf), str(solution)).returncode == 20


def test_solve_front(tmp_path: Path) -> None:
    cnf = tmp_path / "x.cnf"
    cnf.write_text("p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n")
    proof = tmp_path / "x.drat"
    result = run("solve", str(cnf), str(proof))
    assert (result.returncode, result.stdout.splitlines()[-1]) == (20, "s UNSATISFIABLE")
    assert proof.stat().st_size > 0
    cnf.write_text("p cnf 1 1\n2 0\n")
    wrong = run("solve", str(cnf))
    assert wrong.returncode == 1
    assert "line 2, column 1: literal 2, but the header promises 1 variables" in wrong.stderr
    knuth = tmp_path / "x.sat"
    knuth.write_text("~ comment\na ~b\nb\n")
    assert run("solve", str(knuth)).stdout.splitlines()[-1] == "v a b"


def test_finds_that_are_not_periodic_carry_their_problem(tmp_path: Path) -> None:
    find = tmp_path / "eater.rle"
    find.write_text(run("eater", "-q").stdout)
    assert run("verify", str(find)).stdout.startswith("verified: ")
    find.write_text(find.read_text().replace("o!", "b!").replace("2o$", "o$", 1))
    assert run("verify", str(find)).returncode == 1


def test_partial_rules_through_an_outside_solver(tmp_path: Path) -> None:
    cnf, solution = tmp_path / "x.cnf", tmp_path / "x.out"
    assert run("encode", "still-life", "4x4", "-r", "pB3/S23", "-o", str(cnf)).returncode == 0
    solution.write_text(run("solve", str(cnf)).stdout)
    assert run("decode", str(cnf), str(solution)).returncode == 0
    solution.write_text("s UNSATISFIABLE\n")
    assert run("decode", str(cnf), str(solution)).returncode == 20
    solution.write_text("s SATISFIABLE\nv " + "9" * 5000 + " 0\n")
    assert "is not a literal of the formula" in run("decode", str(cnf), str(solution)).stderr


def test_converted_formulas_keep_their_problem(tmp_path: Path) -> None:
    cnf, sat, solution = tmp_path / "x.cnf", tmp_path / "x.sat", tmp_path / "x.out"
    assert run("encode", "still-life", "2x2", "-o", str(cnf)).returncode == 0
    assert run("convert", str(cnf), str(sat)).returncode == 0
    solution.write_text(run("solve", str(sat)).stdout)
    assert run("decode", str(sat), str(solution)).returncode == 0
    pattern = tmp_path / "x.rle"
    pattern.write_text("x = 2, y = 2\n2o$2o!\n")
    assert "a pattern, not a formula" in run("convert", str(pattern), str(cnf)).stderr


def test_decoding_without_the_map_is_refused(tmp_path: Path) -> None:
    for style in ("sat", "dimacs"):
        cnf, solution = tmp_path / f"x.{style}", tmp_path / "x.out"
        run("encode", "oscillator", "3x3", "-p", "2", "--format", style, "--no-map", "-o", str(cnf))
        solution.write_text(run("solve", str(cnf)).stdout)
        refused = run("decode", str(cnf), str(solution))
        assert (refused.returncode, "the names are missing" in refused.stderr) == (1, True)


def test_a_target_on_a_torus_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "full.rle"
    file.write_text("x = 4, y = 4, rule = B3/S23:T4,4\n4o$4o$4o$4o!\n")
    for command in ("orphan", "predecessor"):
        refused = run(command, str(file))
        assert (refused.returncode, "on a torus" in refused.stderr) == (2, True)
        assert run(command, str(file), "-r", "B3/S23", "--print-problem").returncode == 0


def test_an_apgcode_names_no_rule(tmp_path: Path) -> None:
    told = run("convert", "-", "-", "--to", "apgcode", stdin="x = 3, y = 1, rule = B36/S23\n3o!\n")
    assert (told.returncode, told.stdout) == (0, "xp2_7\n")
    assert "does not name the rule, here B36/S23" in told.stderr


def test_open_boxes_at_the_speed_of_light_and_beyond() -> None:
    light = run("spaceship", "4x*", "-p", "1", "-d", "0,-1", "-r", "B2/S")
    assert (light.returncode, "slower than light" in light.stderr) == (2, True)
    beyond = run("spaceship", "*x4", "-p", "2", "-d", "3,0")
    assert "a ship cannot move by (3,0) in 2 generations" in beyond.stderr
    assert "repeats itself along x" in run("wave", "8x*", "-d", "c/2", "--along", "y").stderr


def test_finds_of_a_velocity(tmp_path: Path) -> None:
    store = str(tmp_path / "store.db")
    run("spaceship", "4x4", "-p", "4", "-d", "1,1", "--store", store)
    listed = {text: run("finds", "-d", text, "--store", store).stdout for text in ("c/4d", "1,1", "c/4", "c/8d")}
    assert [bool(words) for words in listed.values()] == [True, True, False, False]


def test_time_limit_covers_the_encoding() -> None:
    result = program("torus", "900x900", "-p", "1", "--time", "0.3")
    assert result.returncode == 3
    assert "time limit was reached" in result.stderr


def test_completion_script() -> None:
    assert "_SATLIFE_COMPLETE" in run("completion", "bash").stdout


@pytest.mark.parametrize("name", ["minimize", "maximize"])
def test_both_spellings_are_understood(name: str) -> None:
    command = satlife.get_command(click.Context(satlife), "still-life")
    assert command is not None
    for option in (f"--{name}", f"--{name.replace('ize', 'ise')}"):
        assert command.make_context("still-life", ["3x3", option]).params[name] is True
