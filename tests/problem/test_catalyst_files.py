"""Files about catalysts: LifeHistory and Barrister's TOML, field by field; what is wrong is said in a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import satlife
from commands import run
from satlife.errors import InputError
from satlife.problem.conditions.catalyst import Catalyst, Extent, PlacedCells
from satlife.problem.problem import read_problem

HISTORY = """x = 13, y = 10, rule = LifeHistory
5.8B$5.8B$.A3.8B$2.A2.8B$3A2.8B$5.8B$5.8B$5.8B$5.8B$5.8B!
"""
#: Limits with which it is answered at once.
QUICK = ("--first-active", "0..6", "--active", "0..6", "--max-active", "6")
PATTERN = f"pattern = '''\n{HISTORY}'''\n"
PIECE = "x = 2, y = 1, rule = LifeHistory\nCD!"


def asked(text: str, **options: object) -> Catalyst:
    found = satlife.catalyst(text, **options).get(Catalyst)  # type: ignore[arg-type]
    assert found is not None
    return found


# LifeHistory.
def test_the_states_of_lifehistory() -> None:
    problem = satlife.catalyst("x = 6, y = 2, rule = LifeHistory\n.ABCDE$6B!")
    found = problem.get(Catalyst)
    assert found is not None
    assert found.rows == (".ABCDE", "BBBBBB")
    assert [[str(cell) for cell in row] for row in problem.cells[0]] == [list("01*101"), list("******")]


def test_unknown_cells_lie_around_a_plain_pattern() -> None:
    """At a distance of more than two cells from what is active, and in a LifeHistory pattern only on demand."""
    rows = asked("o!", around=2).rows
    assert rows == ("BBBBBBBBB",) * 2 + ("BB.....BB",) * 2 + ("BB..A..BB",) + ("BB.....BB",) * 2 + ("BBBBBBBBB",) * 2
    assert len(asked("o!").rows) == 1 + 2 * (8 + 2)
    assert asked("?o!").rows == ("BA",)
    assert len(asked("?o!", around=1).rows) == 1 + 2 * (1 + 2)


def test_the_rule_is_that_of_the_file_or_of_the_option() -> None:
    assert str(satlife.catalyst(HISTORY).rule) == "B3/S23"
    assert str(satlife.catalyst("x = 1, y = 1, rule = B36/S23\no!").rule) == "B36/S23"
    assert str(satlife.catalyst(HISTORY, rule="B3/S12").rule) == "B3/S12"


# Barrister's TOML.
def test_what_a_file_does_not_say_is_as_in_barrister() -> None:
    found = asked(PATTERN)
    assert (found.first, found.lasts, found.stable, found.exempt) == ((0, 100), (0, 97), 4, True)
    assert all(extent == Extent() for _, extent in found.extents())


def test_the_quiet_generations_belong_to_its_window() -> None:
    found = asked(f"first-active-range = [3, 7]\nactive-window-range = [3, 40]\nmin-stable-interval = 5\n{PATTERN}")
    assert (found.first, found.lasts, found.stable) == ((3, 7), (0, 36), 5)


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("max-active-cells = 6", "active", Extent(6)),
        ("active-bounds = [5, 4]", "active", Extent(box=(5, 4))),
        ("max-active-cells = 6\nactive-bounds = [5, 4]", "active", Extent(6, (5, 4))),
        ("max-ever-active-cells = 9", "ever_active", Extent(9)),
        ("ever-active-bounds = [6, 7]", "ever_active", Extent(box=(6, 7))),
        ("max-changes = 3", "changes", Extent(3)),
        ("changes-bounds = [2, 3]", "changes", Extent(box=(2, 3))),
        ("max-component-active-cells = 4", "part_active", Extent(4)),
        ("component-active-bounds = [4, 4]", "part_active", Extent(box=(4, 4))),
        ("max-component-ever-active = 5", "part_ever_active", Extent(5)),
        ("component-ever-active-bounds = [3, 5]", "part_ever_active", Extent(box=(3, 5))),
        ("max-component-changes = 2", "part_changes", Extent(2)),
        ("component-changes-bounds = [2, 2]", "part_changes", Extent(box=(2, 2))),
        ("max-cell-active-window = 6", "cell_window", 6),
        ("max-cell-active-streak = 0", "cell_streak", 0),
        ("max-cell-stationary-distance = 1", "cell_distance", 1),
        ("exempt-existing = false", "exempt", False),
        ("max-active-cells = -1", "active", Extent()),
        ("active-bounds = [-1, -1]", "active", Extent()),
        ("max-cell-active-window = -1", "cell_window", None),
    ],
)
def test_limits(line: str, name: str, value: object) -> None:
    assert getattr(asked(f"{line}\n{PATTERN}"), name) == value


def test_the_pattern_may_stand_anywhere() -> None:
    """Behind a field whose name begins in the same way, and in JSON."""
    assert asked(f"pattern-center = [1, 2]\n{PATTERN}") == asked(PATTERN)
    assert asked(json.dumps({"max-active-cells": 6, "pattern": HISTORY})).active == Extent(6)


def test_options_come_before_the_file() -> None:
    found = asked(f"max-active-cells = 6\n{PATTERN}", max_active=5, stable=9, eaten=True)
    assert (found.active, found.stable, found.eaten) == (Extent(5), 9, True)


def test_what_says_nothing_about_catalysts_is_passed_over() -> None:
    lines = 'stabilise-results = true\noutput-file = "found"\nmetasearch = false\nmetasearch-rounds = 3'
    assert asked(f"{lines}\n{PATTERN}") == asked(PATTERN)


def test_filters_and_forbidden_pieces() -> None:
    """Their places count from the centre of the pattern; without one from the corner below it on the right."""
    pieces = (
        f"[[filter]]\nfilter-gen = 46\nfilter-type = 'EXACT'\nfilter-pos = [2, -8]\nfilter = '''{PIECE}'''\n"
        f"[[filter]]\nfilter-gen = 80\nfilter = '''{PIECE}'''\n"
        f"[[forbidden]]\nforbidden-pos = [-3, 1]\nforbidden = '''{PIECE}'''\n"
    )
    found = asked(f"pattern-center = [6, 5]\n{PATTERN}{pieces}")
    assert found.filters == (PlacedCells(("CD",), 8, -3, 46), PlacedCells(("CD",), 6, 5, 80, some=True))
    assert found.forbidden == (PlacedCells(("CD",), 3, 6),)
    assert asked(PATTERN + pieces).filters[1] == PlacedCells(("CD",), 13, 10, 80, some=True)


def test_pieces_move_with_the_pattern() -> None:
    """When unknown cells are put around it, a piece still lies where it lay beside the active cells."""
    text = "x = 3, y = 2, rule = LifeHistory\n$2.A!"
    piece = f"[[forbidden]]\nforbidden-pos = [1, 0]\nforbidden = '''{PIECE}'''\n"
    found = asked(f"pattern-center = [2, 1]\npattern = '''{text}'''\n{piece}", around=3)
    assert found.rows[5][5] == "A"
    assert found.forbidden == (PlacedCells(("CD",), 6, 5),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("x = 0, y = 0\n!", "needs an active pattern"),
        ("x = 2, y = 1, rule = LifeHistory\n2B!", "needs an active pattern"),
        ("x = 2, y = 1, rule = LifeHistory\nAF!", "state 6 of LifeHistory"),
        ("hello", "'h' is not allowed in RLE"),
        ("pattern = '''o!", "not valid TOML"),
        ("first-active-range = [0, 3]", "a table with a text `pattern`"),
        ("pattern = 5", "a table with a text `pattern`"),
        (f"max-actve-cells = 3\n{PATTERN}", "no field 'max-actve-cells' .* did you mean 'max-active-cells'"),
        (f"max-active-cells = 'six'\n{PATTERN}", "`max-active-cells` should be a whole number, not 'six'"),
        (f"max-active-cells = true\n{PATTERN}", "`max-active-cells` should be a whole number, not True"),
        (f"max-active-cells = -2\n{PATTERN}", "a number of cells from 0"),
        (f"max-cell-active-window = -2\n{PATTERN}", "a number from 0"),
        (f"active-bounds = [3]\n{PATTERN}", "`active-bounds` should be two whole numbers"),
        (f"active-bounds = [0, 3]\n{PATTERN}", "a box of at least 1x1"),
        (f"first-active-range = [7, 3]\n{PATTERN}", "should ascend from 0, not 7..3"),
        (f"min-stable-interval = 0\n{PATTERN}", "at rest for at least one generation"),
        (f"exempt-existing = 1\n{PATTERN}", "`exempt-existing` should be true or false, not 1"),
        (f"metasearch = true\n{PATTERN}", "`metasearch` is not supported: one search answers one question"),
        (f"report-oscillators = true\n{PATTERN}", "`report-oscillators` is not supported"),
        (f"filter = 3\n{PATTERN}", r"each filter is a table of its own, \[\[filter\]\]"),
        (f"{PATTERN}[[filter]]\nfilter = 'o!'", "a filter needs the generation `filter-gen`"),
        (f"{PATTERN}[[filter]]\nfilter-gen = 3", r"each \[\[filter\]\] needs a text `filter`"),
        (f"{PATTERN}[[filter]]\nfilter = 'o!'\nfilter-gen = 3\nfilter-type = 'NEVER'", "EXACT or EVER, not 'NEVER'"),
        (f"{PATTERN}[[filter]]\nfilter = 'o!'\nfilter-generation = 3", "no field 'filter-generation'"),
        (f"{PATTERN}[[forbidden]]\nforbidden = 'o!'\nforbidden-pos = 'left'", "`forbidden-pos` should be two whole"),
    ],
)
def test_wrong_files(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        satlife.catalyst(text)


# The shell.
@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "glider.rle"
    path.write_text(HISTORY)
    return str(path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--first-active", "7..3"), "should ascend"),
        (("--first-active", "soon"), "--first-active is a range of generations such as 3..7, not 'soon'"),
        (("--active", "3.."), "--active is a range of generations"),
        (("--bounds", "5"), "5"),
        (("--max-active", "-3"), "a number of cells from 0"),
        (("--ever-bounds", "0x3"), "a box of at least 1x1"),
        (("--around", "0"), "within 1 to 100 cells"),
        (("--stable", "many"), "many"),
        (("--rule", "B3/S2-i3", "-n", "all"), "SAT solvers do not know catalysts that perturb alike"),
        (("--rule", "B0/S23"), "without B0"),
        (("--symmetry", "D2v"), "narrow --first-active and --active"),
        (("--population", "<=9"), "narrow --first-active and --active"),
        (("--solver", "cadical195", "--max-changes", "3"), "there are no clauses for filters, forbidden pieces"),
        (("--maximize",), "narrow --first-active and --active"),
        (("--max-changes", "3", "--proof", "certificate"), "a certificate cannot express limits on changes"),
        (("-n", "all", "--proof", "certificate"), "of catalysts one of each perturbation is listed"),
    ],
)
def test_wrong_options(options: tuple[str, ...], words: str, file: str, tmp_path: Path) -> None:
    done = run("catalyst", file, *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_other_commands_refuse_catalysts(file: str, tmp_path: Path) -> None:
    for command, words in (
        (("jobs", "start"), "this is no long search, ask without `jobs start`"),
        (("atlas",), "an atlas needs a box that is free to shrink"),
    ):
        done = run(*command, "catalyst", file, cwd=tmp_path, env={"SATLIFE_STORE": str(tmp_path / "store.db")})
        assert (done.returncode, words in done.stderr) == (2, True), done.stderr


def test_bad_files(tmp_path: Path) -> None:
    done = run("catalyst", str(tmp_path / "none.toml"))
    assert (done.returncode, "No such file" in done.stderr) == (1, True)
    (tmp_path / "bad.toml").write_text(f"max-actve-cells = 3\n{PATTERN}")
    done = run("catalyst", "bad.toml", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("satlife: bad.toml: there is no field 'max-actve-cells' of a catalyst; did you mean")


def test_json(file: str) -> None:
    *finds, end = map(json.loads, run("catalyst", file, *QUICK, "-n", "all", "--json").stdout.splitlines())
    assert [find["status"] for find in finds] == ["found"]
    assert (end["count"], end["complete"], end["exhaustive"]) == (1, True, True)
    question = satlife.Problem.from_dict(end["problem"])
    assert question == satlife.catalyst(HISTORY, first_active="0..6", active="0..6", max_active=6)


def test_a_list_has_perturbations(file: str) -> None:
    assert "one of each perturbation was listed: 1 perturbation;" in run("catalyst", file, *QUICK, "-n", "all").stderr


def test_a_question_and_its_answer_come_back_from_files(file: str, tmp_path: Path) -> None:
    """--print-problem, `search` of what it printed, and `verify` of what that found."""
    text = run("catalyst", file, *QUICK, "--print-problem").stdout
    assert read_problem(text) == satlife.catalyst(HISTORY, first_active="0..6", active="0..6", max_active=6)
    (tmp_path / "question.toml").write_text(text)
    assert run("search", "question.toml", "-q", "-o", "found.rle", cwd=tmp_path).returncode == 0
    done = run("verify", "found.rle", "--problem", "question.toml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "verified: at (0,2) of the box the pattern satisfies the problem\n")
    (tmp_path / "other.rle").write_text("x = 7, y = 3\nbo$2bo2b2o$3o2b2o!")
    done = run("verify", "other.rle", "--problem", "question.toml", cwd=tmp_path)
    assert (done.returncode, "does not satisfy the problem" in done.stderr) == (1, True)


@pytest.mark.parametrize("name", ["filters", "forbidden"])
def test_pieces_survive_toml(name: str) -> None:
    more = "filter-gen = 9\n" if name == "filters" else ""
    kind = name.removesuffix("s")
    problem = satlife.catalyst(f"{PATTERN}[[{kind}]]\n{more}{kind} = '''{PIECE}'''")
    assert read_problem(problem.to_toml()) == problem
