"""Benchmark families: the same bytes every time, true statuses, and nothing of others is overwritten."""

from __future__ import annotations

import hashlib
import json
import shlex
from pathlib import Path

import pytest

from commands import program, run
from events import PATIENCE
from satlife.benchmark import folder as folders
from satlife.benchmark.instances import DENSEST, FAMILIES, SAT, STATUSES, UNKNOWN, UNSAT, instances
from satlife.cli.main import satlife
from satlife.cli.programs import generate
from satlife.cnf.read import read
from satlife.errors import InputError
from satlife.solve.limits import Limits
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
    names = ("ships", "past", "random", "upper-1-1")
    for target, start in (("a", run), ("b", program)):  # and another process makes the same
        made = start("family", "make", str(tmp_path / target), *names, "--seed", "3")
        assert made.returncode == 0, made.stderr
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    lines = (tmp_path / "a" / "SHA256SUMS").read_text().splitlines()
    sums = {line.split("  ")[1]: line.split("  ")[0] for line in lines}
    files = {name: text for name, text in contents(tmp_path / "a").items() if name != "SHA256SUMS"}
    assert sums == {name: hashlib.sha256(text).hexdigest() for name, text in files.items()}
    manifest = json.loads(files["manifest.json"])
    assert (manifest["seed"], manifest["format"], len(manifest["instances"])) == (3, "dimacs", 20)
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
    chosen = [i for k, i in enumerate(every) if k % 3 == 0 or i.family != every[k - 1].family]  # some of each family
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
