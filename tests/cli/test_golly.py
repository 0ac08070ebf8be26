"""Golly's script: run by Golly itself on a screen that nobody sees, with the answers that Golly saves."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import BIN, run
from events import until
from satlife import data
from satlife.life.formats import parse
from satlife.life.identify import identify
from satlife.life.pattern import Pattern
from satlife.life.simulate import advance

GOLLY = shutil.which("golly") or shutil.which("golly", path="/usr/games")
DRIVER = """
local g = golly()
g.new("question")
g.setrule("{rule}")
g.putcells(g.parse(os.getenv("CELLS")), -7, 20)
g.select({{-8, 19, {size}, {size}}})
dofile("{script}")
g.save("{result}", "rle")
"""


def test_the_script_is_printed() -> None:
    assert run("golly").stdout == data.path("golly.lua").read_text()


@pytest.fixture(scope="module")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A display of its own; Xvfb says which number it took."""
    if GOLLY is None or shutil.which("Xvfb") is None:
        pytest.skip("Golly and Xvfb (Debian's golly and xvfb) are not installed")
    reader, writer = os.pipe()
    log = (tmp_path_factory.mktemp("screen") / "log").open("w")
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "800x600x24", "-nolisten", "tcp"],
        pass_fds=[writer],
        stderr=log,
    )
    os.close(writer)
    try:
        with os.fdopen(reader) as stream:
            yield f":{stream.readline().strip()}"
    finally:
        server.terminate()
        server.wait()
        log.close()


def ask(screen: str, folder: Path, question: str, cells: str, size: int = 5, rule: str = "B3/S23") -> Pattern:
    """What lies in Golly's universe after the script was run on a selection around these cells."""
    assert GOLLY is not None
    driver, result = folder / "driver.lua", folder / "result.rle"
    driver.write_text(DRIVER.format(size=size, rule=rule, script=data.path("golly.lua"), result=result))
    environment = {**os.environ, "HOME": str(folder), "DISPLAY": screen, "CELLS": cells}
    environment |= {"SATLIFE": str(BIN / "satlife"), "SATLIFE_QUESTION": question}
    with subprocess.Popen(
        [GOLLY, str(driver)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as program:
        until(lambda: result.exists() and "!" in result.read_text())
        program.kill()
    return parse(result.read_text())


GLIDER = parse("bo$2bo$3o!").shift(-7, 20)


def test_the_selection_one_generation_ago(screen: str, tmp_path: Path) -> None:
    assert advance(ask(screen, tmp_path, "predecessor 1", "bo$2bo$3o!"), 1) == GLIDER


def test_a_ship_around_live_cells(screen: str, tmp_path: Path) -> None:
    """Two cells are drawn; the find has them, and moves as it should."""
    found = identify(ask(screen, tmp_path, "ship c/4d", "2o!"))
    assert (found.period, found.displacement) == (4, (-1, -1))
    assert {(-7, 20), (-6, 20)} <= set(found.pattern.points())


def test_what_does_not_exist_leaves_the_selection(screen: str, tmp_path: Path) -> None:
    assert ask(screen, tmp_path, "oscillator 3", "bo$2bo$3o!", size=4) == GLIDER


def test_marked_cells_of_life_with_history(screen: str, tmp_path: Path) -> None:
    """A marked cell is alive, the trail of a pattern may become anything; the rule is Life."""
    found = ask(screen, tmp_path, "predecessor 1", ".A.B$2.C$2AEB!", rule="LifeHistory")
    after = set(advance(found, 1).points())
    free = {(-4, 20), (-4, 22)}
    assert after - free == set(GLIDER.points())
