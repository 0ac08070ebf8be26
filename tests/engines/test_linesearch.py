"""Oscillators of any length, line by line: against a plain search, brute force and known answers."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from campaign import lines as plain
from campaign.open_boxes import law_of

import satlife
from commands import run
from random_problems import brute_force
from satlife.engines.engine import Budget
from satlife.engines.rows.engine import OpenBoxEngine, RowEngine
from satlife.engines.rows.lines import kernel as lines
from satlife.engines.rows.lines import search as linesearch
from satlife.engines.rows.lines.exploration import Exploration
from satlife.engines.rows.lines.search import LineSearch
from satlife.engines.rows.question.boxes import strip_of
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.run import RowRun
from satlife.engines.rows.ships import RowSearch
from satlife.engines.work import Resources, Verdict
from satlife.errors import DamagedError, InputError
from satlife.life.rule import Rule
from satlife.limits import Limits
from satlife.problem import relation
from satlife.problem.ask import Ask, read_question
from satlife.problem.families import oscillator
from satlife.problem.goals import ListAll
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Outcome
from satlife.problem.problem import Problem
from satlife.problem.reading import question_from
from satlife.store.searched import key_of

RULES = ["B3/S23", "B2/S", "B36/S125", "B2-a/S12", "B3ai4r/S23", "B13/S12V", "B1/S1", "B2/S023", "B3~6c7/S23~8"]


def line_search(box: OpenBox, jobs: int = 1) -> LineSearch:
    return LineSearch(Strip.of(box), jobs)


def found(box: OpenBox) -> bool:
    search = RowSearch.start(box, 1)
    outcome = next(search.finds(), None)
    assert outcome is not None or search.complete
    assert outcome is None or plain.objection(box, outcome) == ""
    return outcome is not None


def answer(problem: Problem) -> str:
    run = RowRun(problem, strip_of(problem), Budget())
    outcome = run.search()
    assert isinstance(outcome, Outcome)
    return outcome.status


# Truth.
def small_strips() -> Iterator[OpenBox]:
    for name in RULES:
        rule = Rule.parse(name)
        for width, period in ((1, 2), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2)):
            yield OpenBox(width, period, (0, 0), rule)
        for width, gutter in ((3, False), (4, False), (5, True)):
            yield OpenBox(width, 2, (0, 0), rule, "D2|", gutter)


def test_strips_against_a_plain_search() -> None:
    """Which has no look-ahead, no symmetries, and follows every window to its end."""
    answers = [(found(box), expected) for box in small_strips() if (expected := plain.exists(box)) is not None]
    assert all(mine == expected for mine, expected in answers)
    assert {expected for _, expected in answers} == {True, False}
    assert len(answers) > 60


@pytest.mark.parametrize("symmetry", ["", "D2|", "D2-", "C2", "D4+"])
def test_boxes_against_brute_force(symmetry: str) -> None:
    rng, answers = random.Random(symmetry), set()
    for name in RULES:
        for size in rng.sample([(3, 3), (2, 5), (5, 2), (4, 3), (3, 4), (6, 2), (1, 7), (4, 2), (11, 1)], 2):
            period, chosen = rng.choice([1, 2, 2, 3, 4]), (symmetry,) if symmetry else ()
            problem = oscillator(size, period, rule=name, symmetry=chosen)
            expected = "found" if next(brute_force(problem), None) is not None else "none"
            assert answer(problem) == expected, problem.to_json()
            answers.add(expected)
    assert answers == {"found", "none"}


@pytest.mark.parametrize(
    ("size", "period", "symmetry", "status"),
    [
        ((7, 6), 3, (), "none"),
        ((6, 6), 4, (), "found"),
        ((5, 11), 6, (), "none"),
        ((5, 12), 6, (), "found"),  # of periods 2 and 3, with a dead line between them
        ((8, 7), 5, ("D2|",), "found"),
        ((7, 8), 5, ("D2-",), "found"),
        ((7, 7), 4, ("D4+",), "found"),
        ((7, 6), 3, ("C2",), "none"),
    ],
)
def test_known_boxes(size: tuple[int, int], period: int, symmetry: tuple[str, ...], status: str) -> None:
    assert answer(oscillator(size, period, symmetry=symmetry)) == status


@pytest.mark.parametrize(
    ("width", "period", "mirror", "status", "windows"),
    [
        (3, 3, None, "none", 27),
        (4, 3, None, "none", 151),
        (4, 5, None, "none", 486),
        (5, 3, None, "found", None),
        (4, 4, None, "found", None),
        (7, 7, "D2|", "none", 18343),
    ],
)
def test_known_strips(width: int, period: int, mirror: str | None, status: str, windows: int | None) -> None:
    """How many windows there are is known from searches in the order of the threads, and by one of them."""
    box = OpenBox(width, period, (0, 0), symmetry=mirror)
    search = RowSearch.start(box, 2)
    outcomes = list(islice(search.finds(), 1))
    assert bool(outcomes) == (status == "found")
    if windows is not None:
        assert (search.complete, sum(search.search.counts)) == (True, windows)
        alone = line_search(box)
        assert (list(alone.ships()), alone.counts) == ([], search.search.counts)


def test_a_dead_middle() -> None:
    """Two halves that need three dead lines between them, where fewer would give birth to something."""
    for period, size in ((1, (5, 2)), (1, (2, 5))):
        for symmetry in ("C2", "D2|", "D2-", "D4+"):
            problem = oscillator(size, period, rule="B2/S023", symmetry=symmetry)
            expected = "found" if next(brute_force(problem), None) is not None else "none"
            assert answer(problem) == expected, problem.to_json()


def test_a_period_made_of_two() -> None:
    """In five columns there are oscillators of periods 2 and 3, and so of 6; a smaller period is no answer."""
    outcome = next(RowSearch.start(OpenBox(5, 6, (0, 0)), 1).finds())
    assert outcome.pattern is not None
    assert plain.objection(OpenBox(5, 6, (0, 0)), outcome) == ""
    assert not found(OpenBox(4, 6, (0, 0)))


def test_every_find_is_one() -> None:
    """Windows that meet are joined rightly, whichever image of one fits the other."""
    box = OpenBox(6, 4, (0, 0))
    search = RowSearch.start(box, 1)
    outcomes = list(islice(search.finds(), 12))
    assert [plain.objection(box, outcome) for outcome in outcomes] == [""] * 12
    assert len({outcome.pattern for outcome in outcomes}) == 12
    assert search.left_out == 0


# Kernels.
def test_lines_that_follow() -> None:
    """All lines that make the last one recur and can be followed by two others, compared with a plain list."""
    box = OpenBox(3, 2, (0, 0))
    search = line_search(box)
    list(search.ships())
    law, rows = law_of(box), list(plain.rows_of(box))
    as_row = {row: sum(cell << x for x, cell in enumerate(row)) for row in rows}
    becomes = {(a, b, d): plain.becomes(law, a, b, d) for a in rows for b in rows for d in rows}

    def following(above: plain.Line, line: plain.Line) -> list[plain.Line]:
        return [
            (first, second)
            for first in rows
            for second in rows
            if becomes[above[0], line[0], first] == line[1] and becomes[above[1], line[1], second] == line[0]
        ]

    known = search._known
    to_rows = {number: row for row, number in as_row.items()}
    for number in range(int(known.counts[lines.MET])):
        pair = [tuple(to_rows[int(row)] for row in known.lines[n]) for n in (known.parents[number], number)]
        walk = linesearch._Walk(search.strip, np.array([number]))
        count = search._list(search.tables[0], walk)
        listed = {tuple(to_rows[int(row)] for row in line) for line in walk.out[:count]}
        if number == 0:  # of a line and its rotation one is listed
            assert len(listed) == count
            assert all(line == line[::-1] or line[::-1] not in listed for line in listed)
            listed |= {line[::-1] for line in listed}
        assert listed == {
            line
            for line in following(pair[0], pair[1])
            if any(following(line, after) for after in following(pair[1], line))
        }
        assert walk.is_done


def test_lines_are_listed_in_parts() -> None:
    """A list that pauses, or has room for few lines, goes on where it was."""
    search = line_search(OpenBox(4, 3, (0, 0)))
    search._prepare(None)
    whole = linesearch._Walk(search.strip, np.zeros(1, np.int64))
    count = search._list(search.tables[0], whole)
    parts = linesearch._Walk(search.strip, np.zeros(1, np.int64))
    parts.out, parts.parent = parts.out[:5], parts.parent[:5]
    listed: list[list[int]] = []
    search.pause()
    while not parts.is_done:
        listed += parts.out[: search._list(search.tables[0], parts)].tolist()
    assert listed == whole.out[:count].tolist()


@pytest.mark.parametrize("symmetry", [None, "D2|"])
def test_images_have_one_key(symmetry: str | None) -> None:
    """A window, begun at another generation or mirrored, is the same; one with its lines exchanged is another."""
    strip = Strip.of(OpenBox(6, 5, (0, 0), symmetry=symmetry))
    rng = np.random.default_rng(1)
    flip = strip.flipped if symmetry is None else np.zeros(0, np.uint16)

    def key(above: linesearch.Lines, line: linesearch.Lines) -> list[int]:
        known = linesearch._room(4, 5, 5)
        lines.pack(above, line, flip, strip.free, known.scratch, known.key)
        return [int(word) for word in known.key]

    for _ in range(20):
        above, line = rng.integers(0, 1 << strip.free, (2, 5)).astype(np.uint16)
        turned = [np.roll(part, 2) for part in (above, line)]
        assert key(*turned) == key(above, line) != key(line, above)
        if symmetry is None:
            assert key(*(strip.flipped[part] for part in turned)) == key(above, line)


# A search that is stopped.
@pytest.mark.parametrize("level", [1, 4, 9])
def test_save_and_go_on(level: int) -> None:
    box = OpenBox(5, 5, (0, 0))
    search = RowSearch.start(box, 1)
    stop = []

    def watch(_: object) -> None:
        stop.append(True)
        if len(stop) == level:
            search.search.stop()

    assert not list(search.finds(watch=watch))
    assert not search.complete
    text = search.save().text
    again = RowSearch.start(box, 1)
    again.load(text)
    assert (list(again.finds()), again.complete, again.coverage().complete) == ([], True, True)
    assert again.coverage().counts == ()
    other = RowSearch.start(OpenBox(5, 3, (0, 0)), 1)
    with pytest.raises(InputError, match="another question"):
        other.load(text)


def test_a_find_after_going_on() -> None:
    """Half of an oscillator that is known from before is followed to its end, or meets what is new."""
    box = OpenBox(4, 4, (0, 0))
    search = RowSearch.start(box, 1)
    levels: list[object] = []

    def watch(stage: object) -> None:
        levels.append(stage)
        if len(levels) == 12:
            search.search.stop()

    assert not list(search.finds(watch=watch))
    again = RowSearch.start(box, 1)
    again.load(search.save().text)
    outcome = next(again.finds())
    assert plain.objection(box, outcome) == ""


def test_nothing_is_explored_twice() -> None:
    """A search that was saved knows all windows that it has met."""
    box = OpenBox(5, 5, (0, 0))
    search, levels = RowSearch.start(box, 2), 0

    def watch(_: object) -> None:
        nonlocal levels
        levels += 1
        if levels == 6:
            search.search.stop()

    list(search.finds(watch=watch))
    again = RowSearch.start(box, 1)
    again.load(search.save().text)
    assert isinstance(again.search, LineSearch)
    assert isinstance(search.search, LineSearch)
    assert 1000 < again.search.met == search.search.met
    assert again.searched == search.searched > 0
    list(again.finds())
    whole = line_search(box)
    list(whole.ships())
    assert again.search.met == whole.met
    assert again.search.counts == whole.counts[-len(again.search.counts) :]


def saved(box: OpenBox) -> dict[str, Any]:
    """A search that was saved after three levels."""
    search = RowSearch.start(box, 1)
    list(search.finds(watch=lambda stage: search.search.stop() if stage.row == 3 else None))
    return json.loads(search.save().text)  # type: ignore[no-any-return]


def repacked(state: dict[str, Any], change: Callable[[linesearch.Lines, linesearch.Numbers], object]) -> dict[str, Any]:
    """A saved search whose lines, or the numbers of those before them, were changed."""
    met = state["lines"]
    out, parents = linesearch.unpacked(met["packed"], met["count"] - 1, 3)
    change(out, parents)
    return state | {"lines": met | {"packed": linesearch.packed(out, parents)}}


def test_damaged_files() -> None:
    box = OpenBox(4, 3, (0, 0))
    state = saved(box)
    met = state["lines"]

    def numbers(**more: object) -> dict[str, Any]:
        return state | {"lines": met | more}

    for damaged, words in (
        (repacked(state, lambda out, parents: out.__setitem__((7, 0), out[7, 0] ^ 1)), "follow the rule"),
        (repacked(state, lambda out, parents: out.__setitem__((7, 0), 16)), "of the width"),
        (repacked(state, lambda out, parents: parents.__setitem__(7, 9)), "of the width"),
        (repacked(state, lambda out, parents: parents.__setitem__(7, -1)), "of the width"),
        (
            repacked(state, lambda out, parents: (out.__setitem__(-1, out[-2]), parents.__setitem__(-1, parents[-2]))),
            "same",
        ),
        (numbers(count=met["count"] + 1), "another length"),
        (numbers(count=met["count"] - 1, open=0, next=1), "another length"),
        (numbers(count=10**15), "memory"),
        (numbers(count=True), "whole numbers"),
        (numbers(packed=met["packed"][:40]), "no list of partial"),
        (numbers(packed="AAAA"), "no list of partial"),
        (numbers(open=met["next"] + 1), "contradict"),
        ({name: value for name, value in state.items() if name != "lines"}, "no list of partial"),
        (state | {"depth": -1}, "contradict"),
        (state | {"ready": [[16, 0, 0]]}, "of the width"),
        (state | {"ready": [[0, 0, 1]]}, "does not follow the rule"),  # as a beginning it does
        (state | {"ready": [[0, 0, 0]]}, "without live cells"),
    ):
        with pytest.raises(InputError, match=words):
            RowSearch.start(box, 1).load(json.dumps(damaged))
    RowSearch.start(box, 1).load(json.dumps(state))


# Long searches.
def handed_over(box: OpenBox, jobs: int = 1) -> tuple[list[str], Verdict, list[Problem]]:
    """Units that are handed over as soon as there is something new; how it ends, and what was found."""
    work, units, kept = Exploration(box, jobs=jobs, least=0.0, share_of_time=0.0), [], []
    unit = work.split(None, 8, Limits())[0].unit
    assert work.covers(None, [unit])
    while True:
        units.append(unit)
        result = work.solve(unit, lambda problem, find, how: kept.append(problem), lambda: False)
        if result.status is not Verdict.SPLIT:
            return units, result.status, kept
        (piece,) = result.pieces
        assert work.covers(unit, [piece.unit])
        unit = piece.unit


@pytest.mark.parametrize("jobs", [1, 2])
def test_units_are_handed_over(jobs: int) -> None:
    units, status, kept = handed_over(OpenBox(4, 5, (0, 0)), jobs)
    assert (status, kept) == (Verdict.REFUTED, [])
    assert len(units) > 5
    units, status, kept = handed_over(OpenBox(4, 4, (0, 0)), jobs)
    assert (status, [problem.size[0] for problem in kept]) == (Verdict.DONE, [4])
    assert len(units) > 5


def test_what_is_no_next_unit() -> None:
    """A unit must have met the same lines as the one before it, in the same order."""
    work = Exploration(OpenBox(4, 3, (0, 0)))
    units, _, _ = handed_over(work.box)
    first, second, third = units[1:4]
    assert work.covers(first, [third])
    assert not work.covers(second, [first])
    assert not work.covers(first, [])
    assert not work.covers(first, [second, third])
    assert not work.covers(first, [units[0]])
    assert not work.covers(None, [first])
    data = json.loads(second)
    swapped = repacked(data["state"], lambda out, parents: out.__setitem__([0, 1], out[[1, 0]]))
    assert not work.covers(first, [json.dumps(data | {"state": swapped})])
    for damaged in (
        "",
        "[]",
        json.dumps(data | {"seconds": -1.0}),
        json.dumps(data | {"state": {}}),
        json.dumps(data | {"state": data["state"] | {"lines": data["state"]["lines"] | {"packed": "?"}}}),
        json.dumps(data | {"state": data["state"] | {"lines": data["state"]["lines"] | {"count": 10**15}}}),
    ):
        with pytest.raises(DamagedError):
            work.covers(first, [damaged])


def test_a_unit_that_is_stopped() -> None:
    work = Exploration(OpenBox(5, 5, (0, 0)))
    looks = itertools.count()
    result = work.solve(work.split(None, 1, Limits())[0].unit, lambda *_: None, lambda: next(looks) >= 3)
    assert (result.status, result.reason, result.pieces) == (Verdict.UNKNOWN, "stopped", ())


def test_one_unit_for_all_cores() -> None:
    work = OpenBoxEngine().divide(Ask(oscillator("6x*", 5)), satlife.Options(jobs=2, memory=500))
    assert isinstance(work, Exploration)
    assert (work.jobs, work.needs) == (2, Resources(500, None, parallel=True, native=True))
    assert OpenBoxEngine().divide(Ask(oscillator("6x*", 5), ListAll()), satlife.Options()) is None


def test_no_memory_left() -> None:
    search = RowSearch.start(OpenBox(5, 5, (0, 0)), 1)
    assert isinstance(search.search, LineSearch)
    search.search._most = linesearch.FIRST
    assert not list(search.finds())
    assert (search.complete, search.search.reason) == (False, linesearch.MEMORY_LIMIT)
    again = RowSearch.start(OpenBox(5, 5, (0, 0)), 1)
    again.load(search.save().text)
    assert (list(again.finds()), again.complete) == ([], True)


# The question.
def test_the_question() -> None:
    box = oscillator("6x*", period=5, symmetry="D2v")
    assert isinstance(box, OpenBox)
    assert (box.kind, box.noun, box.size, box.mirror) == ("oscillator", "oscillator", (6, 0), "even")
    assert oscillator("6x*", 5, symmetry="D2v") == question_from(box.to_dict()) == read_question(box.to_toml())
    assert "displacement" not in box.to_dict()
    lying = oscillator("*x6", 5, symmetry="D2h")
    assert isinstance(lying, OpenBox)
    assert key_of(lying) == key_of(box) != key_of(oscillator("7x*", 5, symmetry="D2v"))
    assert isinstance(oscillator("6x7", 5), Problem)
    assert relation.is_inside(oscillator((6, 9), 5), oscillator("6x*", 5))
    assert satlife.find(oscillator("3x*", 2)).apgcode == "xp2_7"
    assert satlife.find(oscillator("*x3", 3)).status == "none"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: oscillator("*x*", 5), "one open side"),
        (lambda: oscillator("6x*", 5, symmetry="D2h"), r"mirror symmetry D2\|"),
        (lambda: oscillator("6x*", 5, symmetry=("D2v", "C2")), "one symmetry"),
        (lambda: oscillator("6x*", 5, gutter=True), "gutter"),
        (lambda: oscillator((6, 6), 5, gutter=True), "gutter"),
        (lambda: oscillator("6x*", 5, population=7), "population"),
        (lambda: oscillator("6x*", 5, rule="B2/S34H"), "isotropic"),
        (lambda: oscillator("6x*", 0), "at least 1"),
        (lambda: satlife.open_spaceship(6, 5, (0, 0)), "a spaceship moves"),
        (lambda: question_from({"kind": "spaceship", "box": [6, "*"], "period": 5, "displacement": [0, 0]}), "moves"),
        (
            lambda: question_from({"kind": "oscillator", "box": [6, "*"], "period": 5, "displacement": [0, 1]}),
            "not move",
        ),
        (lambda: satlife.find(oscillator("6x*", 16)), "period 15"),
        (lambda: satlife.find(oscillator("6x*", 2, rule="B03/S23")), "B0"),
        (lambda: satlife.find(oscillator("6x*", 2), solver="kissat"), "without a solver"),
    ],
)
def test_wrong_questions(ask: object, words: str) -> None:
    assert callable(ask)
    with pytest.raises(InputError, match=words):
        ask()


def test_which_boxes_it_takes() -> None:
    def takes(*size: int, period: int, symmetry: str | None = None, **more: object) -> bool:
        problem = oscillator((size[0], size[1]), period, symmetry=symmetry, centred=True, **more)  # type: ignore[call-overload]
        return RowEngine().suits(Ask(problem), Budget()) is not None

    assert takes(6, 40, period=5)
    assert takes(40, 6, period=5)
    assert takes(14, 40, period=5, symmetry="D2v")
    assert not takes(14, 40, period=5, symmetry="D2h")
    assert not takes(8, 8, period=3)
    assert not takes(6, 6, period=14)
    assert not takes(6, 6, period=3, symmetry="D8")
    assert not takes(6, 6, period=3, population="<=9")
    assert not takes(6, 6, period=3, rule="B2/S34H")


def test_from_the_shell(tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "store.db")]
    none = run("oscillator", "*x4", "-p", "5", *store)
    assert (none.returncode, "every oscillator of period 5 whose phases all lie in 4 rows" in none.stderr) == (20, True)
    assert "oscillator *x4 -p 5: none" in run("searched", *store).stdout
    some = run("oscillator", "4x*", "-p", "4", "-n", "2", "--json", *store)
    assert [json.loads(line)["status"] for line in some.stdout.splitlines()][:2] == ["found", "found"]
    file = tmp_path / "question.toml"
    file.write_text(run("oscillator", "5x*", "-p", "3", "--print-problem").stdout)
    assert run("search", str(file), "-q", *store).returncode == 0
    long = run("jobs", "start", "oscillator", "4x*", "-p", "5", "--jobs", "2", *store)
    assert (long.returncode, "(exhaustive search" in long.stderr) == (20, True)
