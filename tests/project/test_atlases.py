"""scripts/atlases: its list, its section, and that it goes on where it stopped."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from commands import run

HERE = Path(__file__).parents[2]
GLIDER = "spaceship-c4-diagonal-c1-b3s23"


@pytest.fixture(scope="module")
def atlases() -> ModuleType:
    spec = importlib.util.spec_from_file_location("atlases", HERE / "gallery" / "atlases.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["atlases"] = module
    spec.loader.exec_module(module)
    return module


def test_every_atlas_can_be_asked_for(atlases: ModuleType) -> None:
    entries = list(atlases.entries())
    names = [entry.name for entry in entries]
    assert len(set(names)) == len(names)
    assert all(name.replace("-", "").replace("+", "").isalnum() for name in names)
    for entry in entries:
        assert run("atlas", *entry.words, "--print-problem").returncode == 0
    periods = {entry.words[entry.words.index("-p") + 1] for entry in entries if entry.words[0] == "oscillator"}
    assert periods == set("23456789")
    speeds = {entry.family: entry.words[2:6] for entry in entries if entry.words[0] == "spaceship"}
    assert len(speeds) == 17
    assert speeds["(1,2)c/7"] == ("-p", "7", "-d", "1,-2")


def test_a_section_of_a_page(atlases: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    page.write_text("# Results\n\nBefore.\n\n<!-- atlases -->\nold\n<!-- end of the atlases -->\n\nAfter.\n")
    words = [GLIDER, "--keep", str(tmp_path / "kept"), "--into", str(page), "--certify"]
    assert atlases.main(words) == 0
    [data] = json.loads((tmp_path / "atlases.json").read_text())
    [glider] = data["minimal"]
    assert (data["command"], glider["box"]) == ("satlife atlas spaceship 12x12 -p 4 -d 1,1", [4, 3])
    certificate = tmp_path / "kept" / f"{GLIDER}.proof"
    assert data["certificate"] == hashlib.sha256((certificate / "certificate.json").read_bytes()).hexdigest()
    assert run("verify", str(certificate)).returncode == 0
    text = page.read_text()
    assert "| c/4 diagonal | `C1` | 12x12 | 4x3 (5 cells, `xq4_153`) | all | " in text
    assert text.startswith("# Results\n\nBefore.\n\n<!-- atlases -->\n\n## Atlases")
    assert text.endswith("<!-- end of the atlases -->\n\nAfter.\n")
    assert "old" not in text
    assert atlases.main(words) == 0  # from what was kept
    assert page.read_text() == text


def test_it_goes_on_where_it_stopped(atlases: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["oscillator-3-d8-b3s23", "--keep", str(tmp_path)]
    assert atlases.main([*words, "--time", "0.001"]) == 0
    assert "16 boxes undecided, from 1x1, 2x2 |" in capsys.readouterr().out  # squares, of either parity
    before = json.loads((tmp_path / "oscillator-3-d8-b3s23.json").read_text())
    assert atlases.main(words) == 0
    assert "10x10 (28 cells, `xp3_s471174sz11744711`); 13x13" in capsys.readouterr().out
    after = json.loads((tmp_path / "oscillator-3-d8-b3s23.json").read_text())
    assert (before["complete"], after["complete"]) == (False, True)
    assert after["spent"] > before["spent"]
    assert (tmp_path / "oscillator-3-d8-b3s23.svg").read_text().startswith("<svg")


def test_a_name_that_is_none(atlases: ModuleType) -> None:
    with pytest.raises(SystemExit) as end:
        atlases.main(["dragon"])
    assert end.value.code == 2
