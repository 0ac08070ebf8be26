"""Ships with given heads, one of several: searched one after another, as a part of the question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest

import satlife
from commands import run
from satlife.engines.options import Options
from satlife.engines.rows.partials import PartialShips
from satlife.engines.rows.ships import RowSearch
from satlife.engines.work import Verdict
from satlife.errors import InputError
from satlife.limits import Limits
from satlife.problem.ask import read_question
from satlife.problem.command import arguments, command
from satlife.problem.openbox import OpenBox
from satlife.problem.relation import is_inside
from satlife.proof.rows.certify import must_be_provable

#: The front of a light-weight spaceship, and a row with which no ship of five columns begins.
FRONT, NOTHING = "x = 4, y = 4\n2bo$b3o$2obo$3o!", "x = 5, y = 2\n4bo!"


def test_one_of_several_heads() -> None:
    """A ship tells its head; that there is none is said after all heads were searched."""
    box = satlife.open_spaceship(5, 4, (0, -2), heads=[NOTHING, FRONT])
    search = RowSearch.start(box, 1)
    found = next(search.finds())
    assert (found.apgcode, found.strategy) == ("xq4_6frc", "row by row, head 2 of 2")
    later = RowSearch.start(box, 1)
    later.load(RowSearch.start(box, 1).save().text)
    assert next(later.finds()).strategy == "row by row, head 2 of 2"
    assert "with one of these 2 heads" in later.coverage().words
    none = satlife.find(satlife.open_spaceship(5, 4, (0, -2), heads=NOTHING))
    assert (none.status, none.exhaustive) == ("none", True)
    assert satlife.find(box).strategy == "row by row, head 2 of 2"


def test_rows_that_are_left_to_the_search() -> None:
    """What comes behind a head may change its last rows; of heads that then are alike, the one that is there as a whole
    is told."""
    wrong, right = "x = 4, y = 2\nb3o$4o!", "x = 4, y = 2\nb3o$o2bo!"
    assert RowSearch.start(satlife.open_spaceship(5, 4, (0, -2)), 1).left_to_the_search() == ""
    one = RowSearch.start(satlife.open_spaceship(5, 4, (0, -2), heads=wrong), 1)
    assert one.left_to_the_search().startswith("the last row of the head is left to the search")
    two = RowSearch.start(satlife.open_spaceship(5, 4, (0, -2), heads=[wrong, right]), 1)
    assert two.left_to_the_search().startswith("the last rows of 2 of 2 heads are left to the search")
    found = next(two.finds())
    assert found.pattern is not None
    assert found.pattern.crop().cells[:2].tolist() == [[0, 1, 1, 1], [1, 0, 0, 1]]
    assert found.strategy == "row by row, head 2 of 2"


def test_progress_tells_the_head() -> None:
    search = RowSearch.start(satlife.open_spaceship(5, 4, (0, -2), heads=[NOTHING, FRONT]), 1)
    told: list[str] = []
    next(search.finds(watch=lambda stage: told.append(search.head_words(stage.longest()))))
    assert set(told) <= {"head 1 of 2", "head 2 of 2"}
    assert told[-1:] == ["head 2 of 2"]


def test_all_heads_are_checked_before_the_search() -> None:
    with pytest.raises(InputError, match="head 2 of 3: a head has live cells, and here at most 5 columns"):
        satlife.find(satlife.open_spaceship(5, 4, (0, -2), heads=[FRONT, "6o!", "o!"]))
    with pytest.raises(InputError, match="head 2 of 2: this is not the head of a ship of period 4"):
        satlife.find(satlife.open_spaceship(5, 4, (0, -2), heads=[NOTHING, "x = 5, y = 4\n5o$5o!"]))
    with pytest.raises(InputError, match="a head has live cells"):
        satlife.open_spaceship(5, 4, (0, -2), heads=["x = 3, y = 3\n3b!"])
    with pytest.raises(InputError, match="open along its way"):
        satlife.open_spaceship(5, 4, (0, -2), wave=True, heads=[FRONT])


def test_heads_are_a_part_of_the_question() -> None:
    plain = satlife.open_spaceship(5, 4, (0, -2))
    box = satlife.open_spaceship(5, 4, (0, -2), heads=f"{NOTHING}\n{FRONT}\n{NOTHING}\n")
    assert box.heads == (NOTHING, FRONT)
    assert read_question(box.to_toml()) == read_question(box.to_json()) == box
    assert box.key != plain.key
    assert not is_inside(box, plain)
    assert arguments(box) is None
    assert "heads = [" in command(box)
    with pytest.raises(InputError, match="`heads` should be a list"):
        OpenBox.from_dict({**plain.to_dict(), "heads": "o!"})
    with pytest.raises(InputError, match="not about those with given heads"):
        must_be_provable(box, Options())


def test_units_begin_with_the_heads() -> None:
    work = PartialShips(satlife.open_spaceship(5, 4, (0, -2), heads=[NOTHING]))
    [piece] = work.split(None, 1, Limits())
    result = work.solve(piece.unit, lambda *found: pytest.fail("a ship with another head"), lambda: False)
    assert result.status is Verdict.REFUTED


def test_heads_from_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATLIFE_STORE", str(tmp_path / "store.db"))
    monkeypatch.chdir(tmp_path)
    worst = "x = 5, y = 4\n5o$5o!\nx = 2, y = 1\n2Q!\n"
    two = f"Depth 9\n{NOTHING}\n{FRONT}\n"
    for name, text in (("one", f"{NOTHING}\n"), ("two", two), ("bad", "6o!\n"), ("worst", worst)):
        Path(name).write_text(text)
    question = ["spaceship", "5x*", "-p", "4", "-d", "0,-2"]
    printed = run(*question, "--from", "one", "--from", "two", "--print-problem", "--json").stdout
    assert json.loads(printed)["heads"] == [NOTHING, FRONT]
    bad = run(*question, "--from", "two", "--from", "bad")
    told = bad.stderr.splitlines()[0]
    assert told == "satlife: bad: a head has live cells, and here at most 5 columns; the others are searched"
    assert (bad.returncode, "row by row, head 2 of 2" in bad.stdout) == (0, True)
    worse = run(*question, "--from", "worst", "--from", "bad")
    assert (worse.returncode, worse.stdout) == (1, "")
    assert worse.stderr.startswith("satlife: worst, head 1 of 2: this is not the head of a ship of period 4")
    assert worse.stderr.endswith("; nor can a ship begin with any other of them\n")
    none = run(*question, "--from", "one", "--save", "saved")
    assert (none.returncode, "every ship of period 4 with this head" in none.stderr) == (20, True)
    mixed = run(*question, "--from", "saved", "--from", "one")
    assert (mixed.returncode, "a saved search goes on alone" in mixed.stderr) == (1, True)


@pytest.mark.parametrize(
    ("displacement", "rows"),
    [
        ((0, -1), ["O.", ".O", "?O", "OO"]),
        ((0, 1), ["OO", "?O", ".O", "O."]),
        ((1, 0), ["OO?..", "..OO."]),
        ((-1, 0), [".O?OO", "O...."]),
    ],
)
def test_of_a_head_with_unknown_cells_the_rows_in_front_of_them_are_known(
    displacement: tuple[int, int], rows: list[str]
) -> None:
    along: Literal["x", "y"] = "x" if displacement[0] else "y"
    ahead = {(0, -1): ["O.", ".O"], (0, 1): [".O", "O."], (1, 0): ["..", "O."], (-1, 0): [".O", "O."]}[displacement]
    boxes = [
        satlife.open_spaceship(5, 3, displacement, along=along, heads=[satlife.Pattern.from_rows(drawn)])
        for drawn in (rows, ahead)
    ]
    assert boxes[0] == boxes[1]
    with pytest.raises(InputError, match="already the first row"):
        satlife.open_spaceship(5, 3, (0, -1), heads="x = 2, y = 2\no?$2o!")


def test_a_partial_answer_of_satlife_is_a_head(tmp_path: Path) -> None:
    """It is what `-o` keeps of an undecided search, with the question in its comments."""
    (tmp_path / "ships.partial.rle").write_text(f"#C of the question: satlife spaceship\n{FRONT[:-4]}$3o$2?2o!\n")
    found = run("spaceship", "5x*", "-p", "4", "-d", "0,-2", "--from", "ships.partial.rle", "-q", cwd=tmp_path)
    assert (found.returncode, "#C xq4_6frc" in found.stdout) == (0, True)


def test_a_loop_in_a_shell_goes_on_until_the_search_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SATLIFE_STORE", str(tmp_path / "store.db"))
    question = ["spaceship", "5x*", "-p", "3", "-d", "0,-1", "--from", "saved", "--save", "saved"]
    early = run(*question, "--time", "0.001", cwd=tmp_path)
    assert (early.returncode, early.stderr.splitlines()[0]) == (3, "satlife: there is no saved yet; the search begins")
    for _ in range(2):
        late = run(*question, cwd=tmp_path)
        assert (late.returncode, "every ship of period 3" in late.stderr) == (20, True)
    assert run(*question[:-1], "other", cwd=tmp_path).returncode == 20
    (tmp_path / "saved").unlink()
    missing = run(*question[:-1], "other", cwd=tmp_path)
    assert (missing.returncode, "cannot read saved" in missing.stderr) == (1, True)
