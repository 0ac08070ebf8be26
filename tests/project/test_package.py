"""What is released: complete, with true metadata, and it runs where nothing but it is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
from hatchling import build

import satlife
from events import PATIENCE

HERE = Path(__file__).parents[2]
PROJECT = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
VERSION = satlife.__version__


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution, made by the build backend itself."""
    target, before = tmp_path_factory.mktemp("dist"), Path.cwd()
    os.chdir(HERE)  # where a build backend expects to be
    try:
        build.build_wheel(str(target))
        build.build_sdist(str(target))
    finally:
        os.chdir(before)
    return target


def test_wheel_is_complete(built: Path) -> None:
    with zipfile.ZipFile(built / f"satlife-{VERSION}-py3-none-any.whl") as wheel:
        inside = set(wheel.namelist())
        metadata = message_from_string(wheel.read(f"satlife-{VERSION}.dist-info/METADATA").decode())
        scripts = wheel.read(f"satlife-{VERSION}.dist-info/entry_points.txt").decode()
    source = [path for path in (HERE / "src" / "satlife").rglob("*") if path.is_file()]
    ours = {str(path.relative_to(HERE / "src")) for path in source if "__pycache__" not in path.parts}
    assert "satlife/py.typed" in ours
    assert ours == {name for name in inside if name.startswith("satlife/")}
    for name in ("Name", "Version", "Summary", "License-Expression", "License-File", "Requires-Python", "Keywords"):
        assert metadata[name], name
    assert (metadata["Name"], metadata["Version"]) == ("satlife", VERSION)
    assert (HERE / "README.md").read_text().strip() == str(metadata.get_payload()).strip()
    assert set(PROJECT["optional-dependencies"]) == set(metadata.get_all("Provides-Extra") or [])
    for script, place in PROJECT["scripts"].items():
        assert f"{script} = {place}" in scripts


def test_source_distribution_is_complete(built: Path) -> None:
    with tarfile.open(built / f"satlife-{VERSION}.tar.gz") as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    tracked = subprocess.run(["git", "ls-files"], cwd=HERE, capture_output=True, text=True).stdout.split()
    wanted = [name for name in tracked if name.startswith(("src/", "tests/", "docs/", "examples/", "gallery/"))]
    wanted += ["pyproject.toml", "mkdocs.yml", "CITATION.cff", "README.md", "CHANGELOG.md", "LICENSE"]
    assert set(wanted) <= inside
    assert not any(name.startswith((".venv", "site/", "dist/")) or "__pycache__" in name for name in inside)


def test_installed_wheel_runs(built: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile"]
    wheel = str(built / f"satlife-{VERSION}-py3-none-any.whl")
    subprocess.run([*pip, "--target", str(target), wheel], check=True, timeout=PATIENCE)
    alone = {**os.environ, "PYTHONPATH": str(target)}
    for command in ([str(target / "bin" / "satlife"), "--version"], [sys.executable, "-m", "satlife", "--version"]):
        done = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True, timeout=PATIENCE)
        assert (done.stdout, done.stderr) == (f"satlife, version {VERSION}\n", "")
    where = [sys.executable, "-c", "import satlife; print(satlife.__file__)"]
    done = subprocess.run(where, cwd=tmp_path, env=alone, capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout.startswith(str(target))


def test_the_version_is_one() -> None:
    assert re.search(rf"^version: {re.escape(VERSION)}$", (HERE / "CITATION.cff").read_text(), re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "absent"),
    [
        ("--version", {"numpy", "rich", "rich_click"}),
        ("knuth sat-life-grid 3 3 2", {"click", "rich", "rich_click"}),
        ("still-life 2x2", {"rich", "rich_click", "numba", "sqlite3", "PIL", "uvicorn", "distributed"}),
    ],
)
def test_a_small_command_loads_nothing_that_it_does_not_use(words: str, absent: set[str]) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "satlife", *words.split()]
    told = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stderr
    loaded = {line.rsplit("|", 1)[1].strip() for line in told.splitlines() if line.startswith("import time:")}
    assert "satlife" in loaded
    assert loaded & absent == set()
