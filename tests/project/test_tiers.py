"""The tiers of tests: what each may do, and that folders, helpers and fixtures decide which it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import satlife
import tiers
from commands import run


def test_every_folder_has_a_tier() -> None:
    folders = {path.parent.name for path in (tiers.HERE / "tests").glob("*/test_*.py")}
    assert folders <= set(tiers.TIER_OF_FOLDER)
    for table in (tiers.TIER_OF_FOLDER, tiers.TIER_OF_MODULE):
        assert set(table.values()) <= set(tiers.TIERS)


def by_way_of_a_helper() -> None:
    run("list")


def imported_by_itself() -> None:
    import distributed

    assert distributed


def searching() -> None:
    satlife.find(satlife.still_life((2, 2)))


def test_code_decides_the_tier(request: pytest.FixtureRequest) -> None:
    assert tiers.named(test_every_folder_has_a_tier) == "pure"
    assert tiers.named(searching) == "kernel"
    assert tiers.named(by_way_of_a_helper) == "process"
    assert tiers.named(imported_by_itself) == "world"
    assert request.node.get_closest_marker("world")  # by way of its helpers


def test_what_is_done_is_seen() -> None:
    watch = tiers.WATCH
    watch.begin()
    assert not watch.done
    subprocess.run([sys.executable, "-c", ""], check=True)
    assert watch.done == {"a process"}
    assert not watch.done <= tiers.MAY["kernel"]
    watch.begin()
    searching()
    assert watch.done <= tiers.MAY["kernel"]


def test_a_room_and_who_imports_it() -> None:
    assert tiers.quick_rooms("cluster") == {"cluster", "cli"}
    assert {"cnf", "search", "web"} <= tiers.quick_rooms("cnf")
    assert "life" not in tiers.quick_rooms("cnf")
    with pytest.raises(pytest.UsageError, match="there is no room"):
        tiers.quick_rooms("cellar")


def test_what_took_long_is_not_quick(tmp_path: Path) -> None:
    kept = tmp_path / "durations.txt"
    assert tiers.dear(kept) == set()
    kept.write_text(tiers.HEADER + "    9.00     1.00  a.py::test[x y]\n    0.10     8.00  b.py::test\n")
    assert tiers.dear(kept) == {"a.py::test[x y]"}
