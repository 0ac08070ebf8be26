"""The certificates of an atlas: made, checked, and each way in which they can be wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import satlife
from commands import run
from satlife.errors import InputError, SatlifeError
from satlife.problem.chart import Chart
from satlife.proof import bundle
from satlife.proof import certify as single
from satlife.proof.certify import certify_atlas, refuted_boxes
from satlife.proof.claims.find import ClaimFound
from satlife.proof.inference import must_be_decided

Change = Callable[[Path, dict[str, Any]], None]


@pytest.fixture(scope="module")
def chart() -> Chart:
    return satlife.atlas(satlife.oscillator((6, 5), 2, population=">=7"))


@pytest.fixture(scope="module")
def made(chart: Chart, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("atlas") / "proof"
    proof = certify_atlas(chart, target, satlife.Options())
    assert proof.checked, proof.reason
    assert proof.lemmas
    return target


def test_one_certificate_for_each_corner(made: Path, chart: Chart) -> None:
    assert chart.largest_refuted == [(3, 5), (6, 3)]
    assert sorted(path.name for path in made.iterdir() if path.is_dir()) == ["4x4", "6x3"]  # 3x5 lies in 3x6
    assert (made / "statement.txt").read_text().startswith("The minimal boxes, up to 6x5, with such a pattern are: 4x4")


def test_verify(made: Path) -> None:
    result = run("verify", str(made))
    assert (result.returncode, result.stderr) == (0, "")
    assert "ok  6x3: proof 1: " in result.stdout
    assert "ok  boxes: 30 boxes, decided by these certificates; 1 are minimal" in result.stdout
    *_, last, summary = satlife.check_certificate(made)
    assert last.startswith("boxes: 30 boxes")
    assert "2 further certificates" in summary


def test_formulas_can_be_kept(made: Path, tmp_path: Path) -> None:
    assert run("verify", str(made), "--write-cnf", str(tmp_path / "cnf")).returncode == 0
    assert (tmp_path / "cnf" / "6x3" / "1.cnf").read_text().startswith("p cnf")


def forget(folder: Path, data: dict[str, Any]) -> None:
    data["rests"]["on"].remove("6x3")


def invent(folder: Path, data: dict[str, Any]) -> None:
    shutil.copytree(folder / "4x4", folder / "5x4")
    data["rests"]["on"].append("5x4")
    data["claim"]["minimal"].append("5x4")


def leave_a_minimal_box_out(folder: Path, data: dict[str, Any]) -> None:
    data["claim"]["minimal"] = []


def ask_for_less(folder: Path, data: dict[str, Any]) -> None:
    data["claim"]["problem"]["population"] = [">=8"]


def lose(folder: Path, data: dict[str, Any]) -> None:
    shutil.rmtree(folder / "6x3")


def damage(folder: Path, data: dict[str, Any]) -> None:
    path = folder / "6x3" / "1" / "proof.drat.xz"
    path.write_bytes(path.read_bytes()[:-20])


def rename(folder: Path, data: dict[str, Any]) -> None:
    data["claim"]["minimal"] = ["../4x4"]


def shrink(folder: Path, data: dict[str, Any]) -> None:
    data["claim"]["problem"]["box"] = [3, 3]


def say_it_twice(folder: Path, data: dict[str, Any]) -> None:
    data["claim"]["minimal"] *= 2


def boast(folder: Path, data: dict[str, Any]) -> None:
    (folder / "statement.txt").write_text("Everything is proved.\n")


def prove_it_oneself(folder: Path, data: dict[str, Any]) -> None:
    del data["rests"]


def another_rule(folder: Path, data: dict[str, Any]) -> None:
    data["rests"]["rule"] = "cubes"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (forget, "nothing decides 1x1"),
        (invent, "boxes with a pattern are not those"),
        (leave_a_minimal_box_out, "boxes with a pattern are not those"),
        (ask_for_less, "is about another question"),
        (lose, "6x3: files"),
        (damage, "6x3: proof 1"),
        (rename, "is not the size of a box"),
        (shrink, "is about another question"),
        (say_it_twice, "is listed twice"),
        (boast, "the words are not those of the claim"),
        (prove_it_oneself, "rests on the certificates of its boxes"),
        (another_rule, "not about those of kind `atlas`"),
    ],
)
def test_what_is_wrong_is_found(made: Path, tmp_path: Path, change: Change, message: str) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(made, copied)
    data = json.loads((copied / "certificate.json").read_text())
    change(copied, data)
    (copied / "certificate.json").write_text(json.dumps(data))
    if change is not boast:
        rewrite_words(copied)
    with pytest.raises(SatlifeError, match=message):
        satlife.check_certificate(copied)


def rewrite_words(folder: Path) -> None:
    """Make the words agree with the claim, as a forger would."""
    with suppress(SatlifeError):
        made = bundle.read(folder)
        words = made.claim.statement(made.rests.words() if made.rests else ())
        (folder / "problem.json").write_text(made.claim.problem.to_json() + "\n")
        (folder / "statement.txt").write_text(words)


def test_a_find_that_is_not_minimal_is_no_minimal_box(made: Path, tmp_path: Path, chart: Chart) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(made, copied)
    wide = chart.boxes.moved_into(chart.finds[0], (5, 4))
    assert wide is not None
    single.certify(ClaimFound(wide.problem, finds=(wide.find,)), copied / "5x4")
    data = json.loads((copied / "certificate.json").read_text())
    data["rests"]["on"].append("5x4")
    data["claim"]["minimal"].append("5x4")
    (copied / "certificate.json").write_text(json.dumps(data))
    rewrite_words(copied)
    with pytest.raises(SatlifeError, match="5x4 is not minimal"):
        satlife.check_certificate(copied)


def test_a_box_with_a_pattern_has_not_none(chart: Chart) -> None:
    with pytest.raises(InputError, match="4x4 both has a pattern and has none"):
        must_be_decided(chart.boxes, [(4, 4)], [(6, 4)])


def test_the_form_of_old_is_refused(tmp_path: Path) -> None:
    (tmp_path / "atlas.json").write_text('{"satlife atlas": 1}')
    result = run("verify", str(tmp_path))
    assert result.returncode == 1
    assert "make them again" in result.stderr


def test_no_box_has_a_pattern(tmp_path: Path) -> None:
    result = run("atlas", "oscillator", "4x3", "-p", "3", "--proof", str(tmp_path / "none"), "--json")
    assert result.returncode == 20
    assert json.loads(result.stdout)["proof"]["checked"] is True
    assert (tmp_path / "none" / "statement.txt").read_text().startswith("No box up to 4x3 has a pattern")
    assert run("verify", str(tmp_path / "none")).returncode == 0


@pytest.mark.parametrize("symmetry", ["D2v", "D8"])
def test_every_parity_has_its_certificates(symmetry: str, tmp_path: Path) -> None:
    chart = satlife.atlas(satlife.oscillator((4, 4), 2, symmetry=symmetry))
    assert certify_atlas(chart, tmp_path / "proof", satlife.Options()).checked
    sizes = [*refuted_boxes(chart), *(found.problem.size for found in chart.minimal)]
    assert {width % 2 for width, _ in sizes} == {0, 1}
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
