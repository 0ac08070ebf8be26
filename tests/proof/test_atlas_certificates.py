"""The certificates of an atlas: made, checked, and each way in which they can be wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import satlife
from commands import run
from satlife.errors import SatlifeError
from satlife.problem.chart import Chart
from satlife.proof.atlas import certify, index_of

Change = Callable[[Path, dict[str, Any]], None]


@pytest.fixture(scope="module")
def chart() -> Chart:
    return satlife.atlas(satlife.oscillator((6, 5), 2, population=">=7"))


@pytest.fixture(scope="module")
def made(chart: Chart, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("atlas") / "proof"
    proof = certify(chart, target, satlife.Options())
    assert proof.checked, proof.reason
    assert proof.lemmas
    return target


def test_one_certificate_for_each_corner(made: Path, chart: Chart) -> None:
    assert chart.largest_refuted == [(3, 5), (6, 3)]
    assert sorted(path.name for path in made.iterdir()) == ["4x4", "6x3", "atlas.json", "statement.txt"]  # 3x5 in 3x6
    assert (made / "statement.txt").read_text().startswith("The minimal boxes, up to 6x5, with such a pattern are: 4x4")


def test_verify(made: Path) -> None:
    result = run("verify", str(made))
    assert (result.returncode, result.stderr) == (0, "")
    assert "ok  6x3: proof 1: " in result.stdout
    assert "ok  atlas: 30 boxes, decided by these certificates; 1 are minimal" in result.stdout
    assert satlife.check_certificate(made)[-1].startswith("atlas: 30 boxes")


def test_formulas_can_be_kept(made: Path, tmp_path: Path) -> None:
    assert run("verify", str(made), "--write-cnf", str(tmp_path / "cnf")).returncode == 0
    assert (tmp_path / "cnf" / "6x3" / "1.cnf").read_text().startswith("p cnf")


def forget(folder: Path, index: dict[str, Any]) -> None:
    index["refuted"] = []


def invent(folder: Path, index: dict[str, Any]) -> None:
    shutil.copytree(folder / "4x4", folder / "5x4")
    index["minimal"].append("5x4")


def claim_the_opposite(folder: Path, index: dict[str, Any]) -> None:
    index["refuted"].append("4x4")


def ask_for_less(folder: Path, index: dict[str, Any]) -> None:
    index["problem"]["population"] = [">=8"]


def lose(folder: Path, index: dict[str, Any]) -> None:
    shutil.rmtree(folder / "6x3")


def damage(folder: Path, index: dict[str, Any]) -> None:
    path = folder / "6x3" / "1" / "proof.drat.xz"
    path.write_bytes(path.read_bytes()[:-20])


def rename(folder: Path, index: dict[str, Any]) -> None:
    index["minimal"] = ["../4x4"]


def empty(folder: Path, index: dict[str, Any]) -> None:
    index.clear()


def shrink(folder: Path, index: dict[str, Any]) -> None:
    index["problem"]["box"] = [3, 3]


def boast(folder: Path, index: dict[str, Any]) -> None:
    (folder / "statement.txt").write_text("Everything is proved.\n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (forget, "nothing decides 1x1"),
        (invent, "5x4: its certificate is not the one"),
        (claim_the_opposite, "4x4: its certificate is not the one"),
        (ask_for_less, "its certificate is not the one"),
        (lose, "6x3: files"),
        (damage, "6x3: proof 1"),
        (rename, "is not the name of a box"),
        (empty, "not an atlas of version 1"),
        (shrink, "its certificate is not the one"),
        (boast, "the words in statement.txt"),
    ],
)
def test_what_is_wrong_is_found(made: Path, tmp_path: Path, change: Change, message: str) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(made, copied)
    index = json.loads((copied / "atlas.json").read_text())
    change(copied, index)
    (copied / "atlas.json").write_text(json.dumps(index))
    if change is not boast:
        words_of(copied)
    with pytest.raises(SatlifeError, match=message):
        satlife.check_certificate(copied)
    result = run("verify", str(copied))
    assert result.returncode == 1
    assert "Traceback" not in result.stderr


def words_of(folder: Path) -> None:
    """Make the words agree with the index, as a forger would."""
    from satlife.proof.atlas import Index

    try:
        (folder / "statement.txt").write_text(Index.read(folder).statement())
    except SatlifeError:
        return


def test_a_find_that_is_not_minimal_is_no_minimal_box(made: Path, tmp_path: Path, chart: Chart) -> None:
    from satlife.proof import certify as single
    from satlife.proof.claim import FOUND, Claim

    copied = tmp_path / "copied"
    shutil.copytree(made, copied)
    wide = chart.boxes.moved_into(chart.finds[0], (5, 4))
    assert wide is not None
    single.certify(Claim(FOUND, wide.problem, finds=(wide.find,)), copied / "5x4")
    index = json.loads((copied / "atlas.json").read_text())
    index["minimal"].append("5x4")
    (copied / "atlas.json").write_text(json.dumps(index))
    words_of(copied)
    with pytest.raises(SatlifeError, match="5x4 is not minimal"):
        satlife.check_certificate(copied)


def test_no_box_has_a_pattern(tmp_path: Path) -> None:
    result = run("atlas", "oscillator", "4x3", "-p", "3", "--proof", str(tmp_path / "none"), "--json")
    assert result.returncode == 20
    assert json.loads(result.stdout)["proof"]["checked"] is True
    assert (tmp_path / "none" / "statement.txt").read_text().startswith("No box up to 4x3 has a pattern")
    assert run("verify", str(tmp_path / "none")).returncode == 0


@pytest.mark.parametrize("symmetry", ["D2v", "D8", "C2"])
def test_every_parity_has_its_certificates(symmetry: str, tmp_path: Path) -> None:
    chart = satlife.atlas(satlife.oscillator((5, 5), 2, symmetry=symmetry))
    assert certify(chart, tmp_path / "proof", satlife.Options()).checked
    index = index_of(chart)
    assert {width % 2 for width, _ in index.minimal + index.refuted} == {0, 1}
    assert run("verify", str(tmp_path / "proof")).returncode == 0


def test_an_incomplete_atlas_has_no_certificate(tmp_path: Path) -> None:
    result = run("atlas", "oscillator", "9x9", "-p", "4", "--time", "0.001", "--proof", str(tmp_path / "proof"))
    assert result.returncode == 3
    assert "no certificate: some boxes are undecided" in result.stderr
    assert not (tmp_path / "proof").exists()


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "full").write_text("")
    result = run("atlas", "oscillator", "3x3", "-p", "2", "--proof", str(tmp_path))
    assert result.returncode == 1
    assert "is not an empty folder" in result.stderr
