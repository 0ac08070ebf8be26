"""Benchmark families: the same bytes every time, true statuses, and nothing of others is overwritten."""

from __future__ import annotations

import hashlib
import importlib
import json
import shlex
import sys
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

from commands import program, run
from events import PATIENCE
from satlife.benchmark import folder as folders
from satlife.benchmark.certified import REFUTED
from satlife.benchmark.instances import (
    CERTIFIED,
    COMPLETE,
    DENSEST,
    FAMILIES,
    SAT,
    STATUSES,
    UNKNOWN,
    UNSAT,
    instances,
)
from satlife.cli.main import satlife
from satlife.cli.programs import generate
from satlife.cnf.read import read
from satlife.errors import InputError
from satlife.life import formats
from satlife.life.identify import identify
from satlife.life.pattern import Cells, Pattern
from satlife.limits import Limits
from satlife.problem import verify
from satlife.problem.problem import Problem
from satlife.proof import bundle
from satlife.proof.certify import moved
from satlife.proof.plain import plain
from satlife.solve.runner import solve
from satlife.solve.solvers import find_solver

ALL = instances()
LARGE = {"upper-5-5", "upper-6-6", "upper-7-7"}


def test_the_list() -> None:
    listed = run("family", "list", "ships", "random", "--seed", "7")
    assert listed.returncode == 0
    assert listed.stdout.startswith("ships: spaceships in boxes around the smallest that hold one (9)\n")
    lines = [json.loads(line) for line in run("family", "list", "life", "--json").stdout.splitlines()]
    assert {line["name"]: line["status"] for line in lines}["life-3-38"] == UNSAT
    for line, instance in zip(lines, instances(("life",)), strict=True):
        assert (line["variables"], line["clauses"]) == (instance.formula().variables, len(instance.formula()))


def test_names_are_unique_and_every_family_has_some() -> None:
    names = [instance.name for instance in ALL]
    assert len(set(names)) == len(names)
    assert [family for family in FAMILIES if family not in {instance.family for instance in ALL}] == []
    assert not set(names) & set(FAMILIES)


def test_the_densest_are_those_of_the_sequence() -> None:
    counts = json.loads((Path(__file__).parents[1] / "data" / "counts.json").read_text())["densest_still_life"]["terms"]
    assert {n: counts[n - 1] for n in DENSEST} == DENSEST


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_two_runs_are_equal_and_checksums_right(tmp_path: Path) -> None:
    names = ("past", "random", "upper-1-1")
    for target, start in (("a", run), ("b", program)):  # and another process makes the same
        made = start("family", "make", str(tmp_path / target), *names, "--seed", "3")
        assert made.returncode == 0, made.stderr
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    lines = (tmp_path / "a" / "SHA256SUMS").read_text().splitlines()
    sums = {line.split("  ")[1]: line.split("  ")[0] for line in lines}
    files = {name: text for name, text in contents(tmp_path / "a").items() if name != "SHA256SUMS"}
    assert sums == {name: hashlib.sha256(text).hexdigest() for name, text in files.items()}
    manifest = json.loads(files["manifest.json"])
    assert (manifest["seed"], manifest["format"], len(manifest["instances"])) == (3, "dimacs", 11)
    for entry in manifest["instances"]:
        assert entry["sha256"] == sums[entry["file"]]
        formula, kind, comments = read(str(tmp_path / "a" / entry["file"]))
        assert (kind, formula.variables, len(formula)) == ("dimacs", entry["variables"], entry["clauses"])
        assert f"command: {entry['command']}" in comments
        assert f"expected: {STATUSES[entry['status']]} ({entry['source']})" in comments
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_the_seed_matters_for_random_ones_only() -> None:
    one, two = ({i.name.removesuffix(f"-s{seed}"): i for i in instances(seed=seed)} for seed in (1, 2))
    assert set(one) == set(two)
    changed = {name for name in one if list(one[name].files.values()) != list(two[name].files.values())}
    assert changed == {name for name in one if one[name].family in ("past", "random")}


@pytest.mark.parametrize("style", ["dimacs", "sat"])
def test_the_commands_write_the_same_clauses(style: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = [i for i in ALL if i.name not in LARGE]
    chosen = [i for k, i in enumerate(every) if k % 5 == 0 or i.family != every[k - 1].family]  # some of each family
    if style == "sat":
        chosen = [i for i in chosen if i.family in ("upper", "orphans")]
    entries = folders.make(tmp_path / "all", chosen, 1, style)
    monkeypatch.chdir(tmp_path / "all")
    for entry in entries:
        _, kind, *words = shlex.split(entry["command"])
        if kind == "knuth":
            generate(words[0], [*words[1:], "-o", "again"])
        else:
            assert satlife.main([kind, *words, "-o", "again"], standalone_mode=False) == 0
        assert bare("again", style) == bare(entry["file"], style), entry["command"]


def bare(path: str, style: str) -> list[bytes]:
    """A file without its head, but with the names of the variables."""
    lines = Path(path).read_bytes().splitlines()
    if style == "sat":
        return [line.strip() for line in lines if not line.startswith(b"~ ")]
    return [line for line in lines if not line.startswith(b"c ") or b" -> " in line]


QUICK = [
    "life-2", "upper-1-1", "upper-2-2", "upper-3-3", "oscillator-2x3-p2", "oscillator-3x3-p2",
    "oscillator-7x7-p5-D8", "oscillator-8x8-p5-D8", "ship-c4d-3x3", "ship-c4d-4x3", "ship-c2-5x5", "ship-c2-6x4",
    "ship-c2-6x5", "ship-c3-20x4", "ship-c3-16x5", "densest-5-16", "densest-5-17", "densest-6-18", "densest-6-19",
    "densest-7-28", "densest-7-29", "orphan-10x10", "orphan-10x10-as-10x9",
    "orphan-10x10-as-9x10", "orphan-11x9", "orphan-11x9-as-11x8", "orphan-11x9-as-10x9", "past-10-g1-s1",
    "past-20-g1-s1",
]  # fmt: skip


@pytest.mark.parametrize("name", QUICK)
def test_statuses_are_true(name: str) -> None:
    (instance,) = instances((name,))
    assert instance.status in (SAT, UNSAT)
    assert solve(instance.formula(), find_solver("cadical195"), Limits.of(PATIENCE)).status.value == instance.status


NAMED = {e["name"]: e["rle"] for e in json.loads((Path(__file__).parents[1] / "data" / "patterns.json").read_text())}
KNOWN = {
    "oscillator-5x10-p3": "xp3_025qzrq221",
    "oscillator-7x8-p5": NAMED["fumarole"],
    "oscillator-5x12-p6": "xp6_318c0fh884a4",
    "oscillator-10x11-p7": NAMED["burloaferimeter"],
    "oscillator-7x8-p8-D2v": "xp8_2erore2z07x7",
    "ship-c4-21x10-D2v": "xq4_2ffo0cscpc0cpcsc0off2zx464y5464",
    "ship-c5-31x8": NAMED["spider"],
    "ship-c5-31x8-D2v": NAMED["spider"],
}


def fits(problem: Problem, cells: Cells) -> bool:
    """Whether a pattern is a solution where its phases fill the box."""
    phases = identify(Pattern(cells)).phases
    pattern = Pattern(cells, -min(phase.x for phase in phases), -min(phase.y for phase in phases))
    try:
        verify.check(problem, verify.phases_of(problem, pattern))
    except verify.Refuted:
        return False
    return True


def test_patterns_of_the_thresholds_are_known() -> None:
    found = {i.name: i.asks for i in instances(("thresholds",)) if i.status == SAT}
    assert set(found) == set(KNOWN)
    for name, problem in found.items():
        assert isinstance(problem, Problem)
        cells = formats.parse(KNOWN[name]).cells
        turned = [np.rot90(cells, turns) for turns in range(4)]
        images = [np.ascontiguousarray(image) for one in turned for image in (one, one[::-1])]
        assert any(fits(problem, image) for image in images), name


def test_which_instances_have_certificates() -> None:
    certified = [i for i in ALL if i.certificate]
    assert {i.name for i in certified} == set(REFUTED)
    assert all(i.status == UNSAT and isinstance(i.asks, Problem) for i in certified)
    assert {i.source for i in ALL if not i.certificate}.isdisjoint({CERTIFIED})
    assert {i.source for i in certified}.isdisjoint({COMPLETE})


@pytest.mark.parametrize("name", ["densest-9-44", "orphan-11x9", "oscillator-6x6-p3"])
def test_digests_are_those_of_the_plain_formulas(name: str) -> None:
    (instance,) = instances((name,))
    assert isinstance(instance.asks, Problem)
    formula = plain(moved(instance.asks) or instance.asks).formula()
    assert bundle.describe(formula)["sha256"] == instance.certificate


def test_a_certificate_is_made_again_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gallery, name = importlib.import_module("gallery.certify"), "oscillator-2x3-p2"
    monkeypatch.setattr(gallery, "run", lambda command, home: run(*command, cwd=home))
    monkeypatch.setattr(sys, "argv", ["certify.py", "family", name, "--keep", str(tmp_path)])
    assert gallery.main() == 0
    assert f"| `{name}` | `oscillator 2x3 -p 2` | " in capsys.readouterr().out
    ends = iter((20, 0))  # of a command that finds the certificate of another claim where its own should be
    monkeypatch.setattr(gallery, "run", lambda command, home: CompletedProcess(command, next(ends), "", ""))
    right = REFUTED[name]
    monkeypatch.setitem(REFUTED, name, "another")
    assert gallery.main() == 1
    assert capsys.readouterr().err == f"{name}: it refutes the formula {right} instead of another\n"


def test_digests_are_told_where_there_are_any(tmp_path: Path) -> None:
    digest = REFUTED["ship-c4d-3x3"]
    told = {"command": "satlife spaceship 3x3 -p 4 -d 1,1 --proof DIR", "formula": digest}
    names = ("ship-c4d-3x3", "ship-c4d-4x3")
    shown = run("family", "list", *names).stdout.splitlines()[1:]
    assert [f"  certificate {digest[:12]}" in line for line in shown] == [True, False]
    listed = [json.loads(line) for line in run("family", "list", *names, "--json").stdout.splitlines()]
    made = folders.make(tmp_path / "f", instances(names), 1)
    for entries in (listed, made):
        assert [entry.get("certificate") for entry in entries] == [told, None]
    heads = [[line for line in read(str(tmp_path / "f" / f"{name}.cnf"))[2] if "sha256" in line] for name in names]
    assert heads == [[f"its proof refutes the formula with sha256 {digest}"], []]


def test_what_depends_on_the_seed_is_not_claimed() -> None:
    assert {i.status for i in ALL if i.family == "random"} == {UNKNOWN}
    assert {i.family for i in ALL if i.status == UNKNOWN} == {"random"}


def test_solutions_can_be_decoded(tmp_path: Path) -> None:
    assert run("family", "make", str(tmp_path / "f"), "ship-c4d-4x3", "-q").returncode == 0
    file = tmp_path / "f" / "ship-c4d-4x3.cnf"
    (tmp_path / "out").write_text(run("solve", str(file)).stdout)
    decoded = run("decode", str(file), str(tmp_path / "out"))
    assert (decoded.returncode, "xq4_153" in decoded.stderr) == (0, True)


def test_nothing_of_others_is_overwritten(tmp_path: Path) -> None:
    ship, orphan = instances(("ship-c4d-4x3",)), instances(("orphan-10x10",))
    target = tmp_path / "f"
    target.mkdir()
    folders.make(target, ship, 1)  # an empty folder is free
    folders.make(target, orphan, 1)  # and so is one of ours
    assert set(contents(target)) == {"orphan-10x10.cnf", "orphan-10x10.rle", "manifest.json", "SHA256SUMS"}
    (target / "log.txt").write_text("mine")
    before = contents(target)
    with pytest.raises(InputError, match=r"holds log\.txt, which `satlife family` did not write"):
        folders.make(target, ship, 1)
    assert contents(target) == before
    (tmp_path / "plain").write_text("mine")
    with pytest.raises(InputError, match="is not a folder"):
        folders.make(tmp_path / "plain", ship, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f", "plain"]


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: object, pieces: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("satlife.files.write", full)
    with pytest.raises(InputError, match=r"cannot write the folder .*No space left"):
        folders.make(tmp_path / "f", instances(("ship-c4d-4x3",)), 1)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("action", [("list",), ("make", "folder")])
def test_one_sentence_for_a_wrong_name(action: tuple[str, ...], tmp_path: Path) -> None:
    wrong = run("family", *action, "boats", cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout, list(tmp_path.iterdir())) == (1, "", [])
    assert wrong.stderr.startswith("satlife: there is no family or instance 'boats'; the families are life, upper, ")
    assert wrong.stderr.count("\n") == 1
