"""satlife atlas, and an atlas as a long search: what is printed, kept, resumed and certified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import satlife
from commands import run
from events import PATIENCE
from satlife.cli.views import atlas as command
from satlife.cluster import atlas as cluster
from satlife.draw import atlas as draw
from satlife.engines.engine import Budget
from satlife.engines.events import Event
from satlife.life.formats import rle
from satlife.life.identify import identify
from satlife.problem.ask import Ask
from satlife.problem.chart import BoxState, Chart
from satlife.search.goals import atlas as search
from satlife.search.one import one
from satlife.search.plan import LADDER
from satlife.search.race import finish
from satlife.store.atlas import chart
from satlife.store.ledger import Ledger
from satlife.store.records import SearchState

GLIDER = """\
box       cells  apgcode  symmetry  seconds
4x3, 3x4      5  xq4_153  F\\@2          {seconds}

  1       5
1 · · · · ·
2 · · · · ·
3 · · · ◆ ▒
4 · · ◆ ▒ ▒

· none   ◆ minimal   ▒ has one   (width across, height down)
"""
BLINKER = ("oscillator", "4x4", "-p", "2")


def test_table_and_chart() -> None:
    result = run("atlas", "spaceship", "5x4", "-d", "c/4d")
    seconds = result.stdout.splitlines()[1].split()[-1]
    assert result.stdout == GLIDER.format(seconds=seconds)
    assert result.stderr.endswith("s)\n")
    assert "satlife: 2 minimal boxes for period 4, everything below refuted (" in result.stderr
    assert result.returncode == 0


def test_no_box_has_one() -> None:
    result = run("atlas", "oscillator", "4x3", "-p", "3", "-q")
    assert (result.returncode, result.stderr) == (20, "")
    assert result.stdout.splitlines()[-1] == "· none   (width across, height down)"


def test_json() -> None:
    result = run("atlas", "oscillator", "5x3", "-p", "2", "-s", "D2v", "--json")
    data = json.loads(result.stdout)
    assert (result.returncode, result.stderr) == (0, "")
    assert (data["status"], data["complete"], data["candidates"], data["reason"]) == ("found", True, [], "")
    assert [(entry["box"], entry["pattern"]["apgcode"]) for entry in data["minimal"]] == [([3, 3], "xp2_7")]
    assert data["boxes"]["answer"] == [[5, 3]]
    assert data["largest_refuted"] == [[1, 3], [5, 2], [4, 3]]
    assert data["parity"] == "only boxes whose widths differ by an even number are compared"


def test_files(tmp_path: Path) -> None:
    names = ["chart.svg", "finds.rle", "finds.cells", "chart.json", "table.md", "chart.txt"]
    outputs = [word for name in names for word in ("-o", str(tmp_path / name))]
    result = run("atlas", "still-life", "5x5", "--cells", "7", *outputs, "-q")
    assert (result.returncode, result.stdout) == (0, "")
    svg = (tmp_path / "chart.svg").read_text()
    assert svg.startswith("<svg")
    assert svg.count("<rect") == 25 + 3  # and the legend
    assert "still-life 5x5 --population ==7" in svg
    patterns = (tmp_path / "finds.rle").read_text().split("x = ")[1:]
    assert len(patterns) == 2
    for text in patterns:
        assert identify(rle.parse(f"x = {text.partition('#')[0]}")).populations == [7]
    assert (tmp_path / "finds.cells").read_text().count("O") == 14
    assert json.loads((tmp_path / "chart.json").read_text())["complete"] is True
    assert (tmp_path / "table.md").read_text().startswith("| box | cells | apgcode | symmetry | seconds |\n| --- |")
    assert "◆ minimal" in (tmp_path / "chart.txt").read_text()


def test_format_decides() -> None:
    result = run("atlas", *BLINKER, "--format", "rle", "-q")
    assert "#C oscillator in 3x3, period 2" in result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("torus 4x4 -p 2", "nothing that wraps around"),
        ("spaceship 8x* -p 3 -d c/3", "an atlas"),
        ("oscillator 10x9 -p 3 -s D8", "needs a square box"),
        ("predecessor 4x4", "cannot"),
        ("oscillator 4x4 -p 2 --solver nonsense", "nonsense"),
        ("oscillator 4x4 -p 3 --strict --proof proof", "cannot express --strict"),
        ("spaceship 8x8 -p 4 -d 1,1 --moving", "no known cells"),
        ("dragon 4x4", "there is no command 'dragon'"),
    ],
)
def test_wrong_use(words: str, message: str, tmp_path: Path) -> None:
    result = run("atlas", *words.split(), cwd=tmp_path)
    assert result.returncode in (1, 2)
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_help_lists_families() -> None:
    result = run("atlas", "--help")
    assert "oscillator" in result.stdout
    assert "satlife atlas spaceship 20x12 -d c/3 -s D2v -o atlas.svg" in result.stdout
    assert "satlife atlas oscillator 9x6 -p 3" in run("atlas", "oscillator", "--help").stdout


def stopped(monkeypatch: pytest.MonkeyPatch, after: int, error: type[BaseException] | None = None) -> list[Any]:
    """Have the search of a box fail, or come to nothing, after some boxes; returns the boxes that were asked."""
    asked: list[Any] = []
    plain = search.KnownBoxes.ask

    def ask(self: search.KnownBoxes, asking: Ask, budget: Budget):  # type: ignore[no-untyped-def]
        asked.append(asking.problem.size)
        if len(asked) <= after:
            return plain(self, asking, budget)
        if error is not None:
            raise error
        return finished(satlife.Outcome(asking.problem, satlife.Status.UNKNOWN, reason="out of memory"))

    monkeypatch.setattr(search.KnownBoxes, "ask", ask)
    return asked


def finished(outcome: satlife.Outcome):  # type: ignore[no-untyped-def]
    return outcome
    yield


def test_ctrl_c_prints_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = stopped(monkeypatch, 3, KeyboardInterrupt)
    result = run("atlas", *BLINKER)
    assert result.returncode == 130
    assert len(asked) == 4
    assert "? undecided" in result.stdout
    assert "undecided (interrupted)" in result.stderr


def test_undecided_boxes_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(monkeypatch, 3)
    result = run("atlas", *BLINKER)
    assert result.returncode == 3
    assert "boxes undecided (out of memory)" in result.stderr
    assert "the smallest undecided: " in result.stderr
    assert "? undecided" in result.stdout


def test_a_find_that_may_not_be_minimal_is_told() -> None:
    survey = search.Survey(satlife.oscillator((4, 4), 2))
    survey.enter(satlife.find(satlife.oscillator((3, 3), 2)))
    table = draw.table(survey.chart())
    assert "3x3 or less" in table
    assert survey.chart().to_dict()["minimal"] == []


def test_notebooks_show_the_chart() -> None:
    shown = satlife.atlas(satlife.oscillator((4, 4), 2))._repr_html_()  # type: ignore[attr-defined]
    assert "<svg" in shown
    assert "1 minimal box, everything below refuted" in shown


# Kept in a store.
def test_a_store_is_asked_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ("--store", str(tmp_path / "boxes.db"))
    asked = stopped(monkeypatch, 3, KeyboardInterrupt)
    assert run("atlas", *BLINKER, *store).returncode == 130
    first = asked[:3]
    monkeypatch.undo()
    asked = stopped(monkeypatch, 1000)
    result = run("atlas", *BLINKER, *store)
    assert result.returncode == 0
    assert "3 boxes are known from the store" in result.stderr
    assert asked
    assert not set(asked) & set(first)
    asked.clear()
    again = run("atlas", *BLINKER, *store)
    assert again.returncode == 0
    assert asked == []
    smaller = run("atlas", "oscillator", "4x3", "-p", "2", *store)  # the same boxes
    assert smaller.returncode == 0
    assert asked == []


def test_what_other_searches_stored_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ("--store", str(tmp_path / "boxes.db"))
    assert run("oscillator", "4x2", "-p", "2", *store).returncode == 20
    assert run("oscillator", "3x3", "-p", "2", *store).returncode == 0
    asked = stopped(monkeypatch, 1000)
    assert run("atlas", *BLINKER, *store).returncode == 0
    assert asked == []  # 2x4 is 4x2, turned


# As a long search.
def job(tmp_path: Path, *words: str) -> Any:
    return run("jobs", *words, "--store", str(tmp_path / "jobs.db"))


def test_jobs_start_status_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(ask: Ask, budget: Budget, *, nested: bool):  # type: ignore[no-untyped-def]
        if ask.problem.width * ask.problem.height > 4:
            raise KeyboardInterrupt
        return one(ask, budget, nested=nested)

    monkeypatch.setattr(cluster, "one", interrupted)
    result = job(tmp_path, "start", *BLINKER, "--atlas")
    assert result.returncode == 130
    assert "go on with `satlife jobs resume 1 --store" in result.stderr
    monkeypatch.undo()
    status = job(tmp_path, "status", "1")
    assert "atlas 1 is open: nothing found" in status.stdout
    assert "? undecided" in status.stdout
    assert "oscillator 4x4 p2, atlas" in job(tmp_path, "list").stdout.splitlines()[0]
    assert json.loads(job(tmp_path, "status", "1", "--json").stdout)["chart"]["complete"] is False
    result = job(tmp_path, "resume", "1")
    assert result.returncode == 0
    assert "◆ minimal" in result.stdout
    again = job(tmp_path, "start", *BLINKER, "--atlas", "--json")
    data = json.loads(again.stdout)
    assert (again.returncode, data["state"], data["share"], data["finds"]) == (0, "listed", 1.0, 1)
    assert [entry["box"] for entry in data["chart"]["minimal"]] == [[3, 3]]
    assert "atlas 1 is listed: 1 minimal box, everything below refuted" in job(tmp_path, "status", "1").stdout


def test_hard_boxes_are_divided_into_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "WHOLE", 0.0)
    result = job(tmp_path, "start", "oscillator", "3x3", "-p", "2", "--atlas", "--jobs", "1")
    assert result.returncode == 0
    with Ledger(tmp_path / "jobs.db") as ledger:
        found = ledger.search(1).problem.in_a_box("an atlas")
        assert chart(ledger, found).complete
        assert ledger.state(1) is SearchState.LISTED
        hows = {row["how"] for row in ledger._all("SELECT how FROM units WHERE state = 'refuted'")}
        assert hows
    assert job(tmp_path, "start", "oscillator", "3x3", "-p", "3", "--atlas").returncode == 20


def test_a_paused_atlas_stops(tmp_path: Path) -> None:
    with Ledger(tmp_path / "jobs.db") as ledger:
        entered, _ = ledger.enter(satlife.Ask(satlife.oscillator((4, 4), 2), satlife.Atlas()), {})
        boxes = cluster.DividedBoxes(ledger, entered.id, satlife.Options(), lambda needs: pytest.fail("no pool"))
        heard: list[Event] = []

        def hear(event: Event) -> None:
            heard.append(event)
            ledger.set_state(entered.id, SearchState.PAUSED)

        assert cluster.work(ledger, entered.id, boxes, Budget(), hear) is None
        assert ledger.state(entered.id) is SearchState.PAUSED
        assert len(heard) == 2  # the empty chart, and that a box is asked


def test_pausing_an_atlas_pauses_its_boxes(tmp_path: Path) -> None:
    with Ledger(tmp_path / "jobs.db") as ledger:
        entered, _ = ledger.enter(satlife.Ask(satlife.oscillator((4, 4), 2), satlife.Atlas()), {})
        box, _ = ledger.enter(satlife.Ask(satlife.oscillator((3, 3), 2)), {})
        other, _ = ledger.enter(satlife.Ask(satlife.oscillator((5, 3), 2)), {})
        assert job(tmp_path, "pause", str(entered.id)).returncode == 0
        states = [ledger.state(number) for number in (entered.id, box.id, other.id)]
        assert states == [SearchState.PAUSED, SearchState.PAUSED, SearchState.OPEN]


def test_two_processes_share_what_they_know(tmp_path: Path) -> None:
    problem = satlife.oscillator((4, 4), 2)
    with Ledger(tmp_path / "jobs.db") as ledger, Ledger(tmp_path / "jobs.db") as elsewhere:
        entered, _ = ledger.enter(satlife.Ask(problem, satlife.Atlas()), {})
        boxes = cluster.DividedBoxes(ledger, entered.id, satlife.Options(), lambda needs: pytest.fail("no pool"))
        assert list(boxes.recall()) == []
        other = cluster.DividedBoxes(elsewhere, entered.id, satlife.Options(), lambda needs: pytest.fail("no pool"))
        finish(search.atlas(problem, Budget.for_search(satlife.Options(time=PATIENCE)), other))
        known = search.Survey(problem)
        for outcome in boxes.recall():
            known.enter(outcome)
        assert known.chart().complete
        assert list(boxes.recall()) == []


def test_a_box_is_searched_without_the_smaller_questions_inside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are boxes of the atlas themselves."""
    monkeypatch.setattr(LADDER, "suits", lambda ask, budget: pytest.fail("smaller questions are tried"))
    problem = satlife.oscillator((4, 4), 2)
    with Ledger(tmp_path / "jobs.db") as ledger:
        entered, _ = ledger.enter(satlife.Ask(problem, satlife.Atlas()), {})
        boxes = cluster.DividedBoxes(ledger, entered.id, satlife.Options(), lambda needs: pytest.fail("no pool"))
        for archive in (boxes, search.KnownBoxes()):
            made = finish(search.atlas(problem, Budget.for_search(satlife.Options(time=PATIENCE)), archive))
            assert made.complete


def test_atlas_does_not_go_with_all(tmp_path: Path) -> None:
    result = job(tmp_path, "start", *BLINKER, "--atlas", "--all")
    assert (result.returncode, "do not go together" in result.stderr) == (2, True)


def test_proofs_of_a_job(tmp_path: Path) -> None:
    folder = tmp_path / "proof"
    assert job(tmp_path, "start", "oscillator", "3x3", "-p", "2", "--atlas", "--proof", str(folder)).returncode == 0
    assert run("verify", str(folder)).returncode == 0


def test_formats_of_an_empty_chart() -> None:
    empty = Chart(satlife.oscillator((2, 2), 2), dict.fromkeys([(1, 1), (2, 1), (1, 2), (2, 2)], BoxState.REFUTED))
    assert command.formatted(empty, "rle") == ""
    assert command.formatted(empty, "markdown") == ""
    assert command.formatted(empty, "table").startswith("  1\n1 · ·\n2 · ·\n")
