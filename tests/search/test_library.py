"""The library as a data person or a reader in a notebook tries it: lists, arrays, rows, progress, help."""

from __future__ import annotations

import collections
import copy
import doctest
import gc
import inspect
import io
import itertools
import pickle
import sys
import types
import weakref
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import satlife
from satlife.engines.events import Event, Found, Improved, Progress
from satlife.engines.options import Options, SearchOptions
from satlife.life.simulate import generations
from satlife.problem.answers import Best, End, Listed
from satlife.problem.outcome import Outcome, Status
from satlife.search import library
from satlife.search.goals import lists
from satlife.search.library import Listing
from satlife.search.progress import ProgressLine, hearing, telling, watching

wrong: Any = satlife  # whose calls are not what its types say
BLOCKS = satlife.still_life((3, 3), cells=4)  # 5 of them: 4 blocks and a tub
SEARCHES = ["find", "enumerate_all", "count", "optimise", "minimise", "maximise", "atlas", "core", "forced", "certify"]


def block(x: int) -> Outcome:
    """A block in the upper left or right corner of 3x3."""
    cells = np.zeros((3, 3), np.uint8)
    cells[:2, x : x + 2] = 1
    return Outcome(BLOCKS, Status.FOUND, (cells,), {"total": 0.5}, "cadical195", "plain")


def test_many_questions_are_answered_one_after_the_other() -> None:
    told: list[str] = []
    wide = satlife.oscillator("20x*", 2, rule="B3/S23/5")
    asked = [satlife.still_life((3, 3), cells=7), wide, BLOCKS]
    found = satlife.find(iter(asked), progress=lambda said: told.append(said.words))
    assert [outcome.status for outcome in found] == ["none", "unknown", "found"]
    assert [outcome.question for outcome in found] == asked
    assert found[1].reason
    assert [words for words in told if "answered" in words] == [f"{k} of 3 are answered" for k in range(3)]
    with pytest.raises(satlife.InputError, match="not the text 'B3'"):
        wrong.find([BLOCKS, "B3"])
    assert satlife.find([]) == []


@pytest.fixture
def two_blocks(monkeypatch: pytest.MonkeyPatch) -> list[Event]:
    """A search that finds two blocks and ends; the events that were taken from it."""
    taken: list[Event] = []

    def answer(ask: satlife.Ask, options: Options) -> Generator[Event, None, Listed]:
        for x in (0, 1):
            for event in (Progress("plain", f"{x} conflicts"), Found(block(x), Listed(BLOCKS, x + 1, 1))):
                taken.append(event)
                yield event
        return Listed(BLOCKS, 2, 1, End.COMPLETE)

    monkeypatch.setattr(library, "answer", answer)
    return taken


# Lists.
def test_a_list_is_kept(two_blocks: list[Event]) -> None:
    listing = satlife.enumerate_all(BLOCKS)
    assert two_blocks == [], "nothing is searched before it is asked for"
    assert listing[:0] == []
    assert two_blocks == []
    assert listing[0] == block(0)
    assert listing[:1] == [block(0)]
    assert len(two_blocks) == 2, "no more than that"
    assert next(listing) == block(0)
    assert list(listing) == list(listing) == [block(0), block(1)]
    assert next(listing) == block(1), "which goes on where the last `next` stopped"
    assert next(listing, None) is None
    assert (len(listing), listing[-1], listing[::-1], listing.complete) == (2, block(1), [block(1), block(0)], True)
    assert block(1) in listing
    assert len(two_blocks) == 4, "each was found once"
    with pytest.raises(IndexError, match="there is no solution 2: 2 solutions, 1 of them distinct; complete"):
        listing[2]


def test_loops_over_a_list_do_not_disturb_each_other(two_blocks: list[Event]) -> None:
    listing = satlife.enumerate_all(BLOCKS)
    assert list(itertools.product(listing, listing)) == [(block(x), block(y)) for x in (0, 1) for y in (0, 1)]


def test_whether_there_is_one_costs_one_find(two_blocks: list[Event]) -> None:
    listing = satlife.enumerate_all(BLOCKS)
    assert listing
    assert len(two_blocks) == 2
    assert list(listing) == [block(0), block(1)]


def test_a_list_that_is_not_kept_is_gone_through_once(two_blocks: list[Event]) -> None:
    listing = satlife.enumerate_all(BLOCKS, keep=False)
    for wrong in (len, bool, lambda listing: listing[0]):
        with pytest.raises(satlife.ArgumentError, match="keeps nothing"):
            wrong(listing)
    assert next(listing) == block(0)
    assert list(listing) == [block(1)]
    with pytest.raises(satlife.ArgumentError, match="gone through"):
        list(listing)
    assert (bool(listing), listing.raw, listing.complete) == (True, 2, True)


@pytest.mark.parametrize("keep", [True, False])
def test_what_a_list_keeps(keep: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[weakref.ref[Outcome]] = []

    def answer(ask: satlife.Ask, options: Options) -> Generator[Event, None, Listed]:
        for _ in range(2 * library.GALLERY):
            outcome = block(0)
            found.append(weakref.ref(outcome))
            yield Found(outcome)
        return Listed(BLOCKS, len(found), 1, End.COMPLETE)

    monkeypatch.setattr(library, "answer", answer)
    listing = Listing(BLOCKS, keep=keep)
    collections.deque(listing, maxlen=0)
    gc.collect()
    assert sum(each() is not None for each in found) == (len(found) if keep else library.GALLERY)


def test_an_empty_list_is_false(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(ask: satlife.Ask, options: Options) -> Generator[Event, None, Listed]:
        yield from ()
        return Listed(BLOCKS, end=End.COMPLETE)

    monkeypatch.setattr(library, "answer", answer)
    for keep in (True, False):
        listing = Listing(BLOCKS, keep=keep)
        assert list(listing) == []
        assert not listing


def test_a_list_is_an_array_and_a_table(two_blocks: list[Event]) -> None:
    listing = satlife.enumerate_all(BLOCKS)
    assert np.asarray(listing).shape == (2, 3, 3)
    first, second = listing.rows()
    assert (first["rle"], second["rle"]) == ("2o$2o!", "2o$2o!")
    assert set(map(type, first.values())) <= {str, int, float, type(None)}


def test_a_list_can_be_pickled_at_its_end(two_blocks: list[Event]) -> None:
    listing = satlife.enumerate_all(BLOCKS)
    next(listing)
    with pytest.raises(satlife.ArgumentError, match=r"when its search has ended; len\(listing\)"):
        pickle.dumps(listing)
    assert len(listing) == 2
    again = pickle.loads(pickle.dumps(listing))
    assert (list(again), next(again), again.summary()) == (list(listing), block(1), listing.summary())
    assert next(again, None) is None


def test_seconds_of_a_find_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    def found_late(*_: object) -> Generator[Event, None, Outcome]:
        for x, seconds in ((0, 2), (1, 5)):
            clock[0] += seconds
            yield Found(block(x))
        return Outcome(BLOCKS, Status.NONE)

    monkeypatch.setattr(lists, "_listing", found_late)
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    told = []
    for found in satlife.enumerate_all(BLOCKS):
        told.append(found.row()["seconds"])
        clock[0] += 100  # which the reader takes
    assert told == [2, 0, 0, 0, 5, 0], "the other positions come with the first"


def test_rows_are_flat() -> None:
    glider = satlife.Pattern.parse("xq4_153").transform("F|")  # moves up and to the left
    phases = tuple(phase.crop().within(-1, -1, 4, 4) for phase in itertools.islice(generations(glider), 4))
    row = Outcome(satlife.spaceship(4, speed="c/4d"), Status.FOUND, phases).checked().row()
    assert (row["status"], row["family"], row["rule"], row["box"]) == ("found", "spaceship", "B3/S23", "4x4")
    assert (row["period"], row["generations"], row["dx"], row["dy"], row["speed"]) == (4, 4, -1, -1, 0.25)
    assert (row["cells"], row["width"], row["height"], row["apgcode"]) == (5, 3, 3, "xq4_153")
    none = Outcome(satlife.open_spaceship(4, speed="2c/4"), Status.NONE, exhaustive=True).row()
    assert list(none) == list(row), "whatever the outcome, the columns are the same"
    assert (none["box"], none["cells"], none["apgcode"]) == ("4x*", None, None)
    before = Outcome(satlife.predecessor("xs4_33"), Status.UNKNOWN, reason="time").row()
    assert (before["period"], before["generations"], before["speed"], before["reason"]) == (None, 1, 0.0, "time")
    anywhere = Outcome(satlife.AnyBox(satlife.still_life(3)), Status.UNKNOWN).row()
    assert anywhere["box"] is None
    best = Best(block(0), 4, 4).row()
    assert best == {**block(0).row(), "value": 4, "bound": 4, "proved": True}


@pytest.mark.parametrize("name", library.LIBRARIES)
def test_a_data_frame(name: str, two_blocks: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in takes what both libraries take: lists by column."""
    stand_in = types.ModuleType(name)
    stand_in.DataFrame = dict  # type: ignore[attr-defined]
    for other in library.LIBRARIES:
        monkeypatch.delitem(sys.modules, other, raising=False)
    monkeypatch.setitem(sys.modules, name, stand_in)
    made = satlife.enumerate_all(BLOCKS).to_frame()
    assert made["cells"] == [4, 4]
    assert list(made) == list(block(0).row())


def test_no_data_frame(two_blocks: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in library.LIBRARIES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(satlife.InputError, match="needs pandas or polars, and neither is installed; rows"):
        satlife.enumerate_all(BLOCKS).to_frame()


def test_the_frame_that_is_installed(two_blocks: list[Event]) -> None:
    pandas = pytest.importorskip("pandas")
    made = satlife.enumerate_all(BLOCKS).to_frame()
    assert isinstance(made, pandas.DataFrame)
    assert made["cells"].tolist() == [4, 4]


# Outcomes.
def test_outcomes_are_equal_when_their_finds_are() -> None:
    assert block(0) == block(0) != block(1)
    assert len({block(0), block(0), block(1)}) == 2
    assert block(0) != Outcome(BLOCKS, Status.NONE)
    assert block(0) != "block"


def test_what_was_checked_cannot_be_changed() -> None:
    cells = np.eye(3, dtype=np.uint8)
    found = Outcome(BLOCKS, Status.FOUND, (cells,))
    cells[0, 0] = 0
    assert found.phases[0].tolist() == np.eye(3).tolist(), "it has arrays of its own"
    for outcome in (found, copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        with pytest.raises(ValueError, match="read-only"):
            outcome.phases[0][0, 0] ^= 1
        with pytest.raises(ValueError, match="read-only"):
            np.asarray(outcome)[0, 0] = 1


def glider_in_its_box() -> Outcome:
    cells = satlife.Pattern.parse("xq4_153").transform("F|")  # moves up and to the left
    phases = tuple(phase.crop().within(-1, -1, 4, 4) for phase in itertools.islice(generations(cells), 4))
    return Outcome(satlife.spaceship(4, speed="c/4d"), Status.FOUND, phases, {"total": 0.5}, "cadical195", "plain")


@pytest.mark.parametrize(
    "outcome",
    [
        block(1),
        glider_in_its_box(),
        Outcome(BLOCKS, Status.NONE, exhaustive=True, reason="all were tried"),
        Outcome(satlife.open_spaceship(4, speed="2c/4"), Status.NONE, periods=(4, 8)),
        Outcome(satlife.AnyBox(satlife.still_life(3)), Status.UNKNOWN, reason="time"),
        Outcome(BLOCKS, Status.NONE, proof=satlife.Certificate(True, "folder", 12)),
        Outcome(BLOCKS, Status.NONE, proof=satlife.Certificate(False, reason="time")),
        Outcome(BLOCKS, Status.NONE, proof=satlife.Certificate(True, "folder", windows=3)),
    ],
    ids=str,
)
def test_an_outcome_reads_what_it_writes(outcome: Outcome, tmp_path: Path) -> None:
    again = Outcome.from_json(outcome.to_json())
    assert again == outcome
    assert again.to_dict() == outcome.to_dict()
    outcome.save(tmp_path / "outcome.json")
    assert Outcome.read(tmp_path / "outcome.json") == outcome


@pytest.mark.parametrize(
    "question",
    [
        satlife.still_life((2, 2), rule="pB3/S23"),
        satlife.predecessor(satlife.Pattern.parse("2o$o?!", unknown=True)),
        satlife.grid("* 1 *\n* 1 *\n* 1 *\n\n0' * *\n1 1' 1\n* * *\n"),
        satlife.torus((3, 3), 1),
    ],
    ids=lambda question: question.kind,
)
def test_finds_of_other_questions_are_read(question: satlife.Problem) -> None:
    found = satlife.find(question, jobs=1)
    again = Outcome.from_json(found.to_json())
    assert (again, again.rle(), again.rule) == (found, found.rle(), found.rule)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"found"', '"lost"', r"its `status` \(found, none or unknown\)"),
        ('"2o$2o!"', '"2o$2o$2bo!"', "the find fails the simulation: cell"),
        ('"generations"', '"phases"', "has a field `generations`"),
        ('"total": 0.5', '"total": "long"', "`seconds` should be a table of numbers"),
        ('"solver": "cadical195"', '"solver": 5', "`solver` should be a string, not 5"),
        ('"proof": null', '"proof": 5', "a certificate is a table"),
        ("{", "[", "not valid JSON"),
    ],
)
def test_what_is_no_outcome(old: str, new: str, words: str) -> None:
    text = block(0).to_json()
    assert old in text
    with pytest.raises(satlife.InputError, match=words):
        Outcome.from_json(text.replace(old, new))


def test_outcomes_are_arrays() -> None:
    found = block(1)
    assert np.array_equal(np.asarray(found), [[0, 1, 1], [0, 1, 1], [0, 0, 0]])
    assert np.asarray(found, dtype=bool).sum() == 4
    assert np.asarray(Best(found, 4)).tolist() == np.asarray(found).tolist()
    with pytest.raises(satlife.InputError, match=r"nothing was found, so that there is no array: there is none"):
        np.asarray(Outcome(BLOCKS, Status.NONE, exhaustive=True))


def test_an_outcome_stands_for_its_pattern() -> None:
    assert satlife.identify(block(0)).apgcode == "xs4_33"
    assert satlife.predecessor(block(0)) == satlife.predecessor(block(0).pattern or "")
    best = Best(block(0), 4)
    assert (best.pattern, best.apgcode, best.status) == (block(0).pattern, "xs4_33", "found")


def test_a_count_is_a_number() -> None:
    assert int(satlife.Count(BLOCKS, 416, True, "by hand")) == 416


# Calls.
@pytest.mark.parametrize("name", SEARCHES)
def test_options_are_named(name: str) -> None:
    function = getattr(satlife, name)
    signature = inspect.signature(function)
    assert {*SearchOptions.__annotations__, "progress"} <= set(signature.parameters)
    assert signature.parameters["time"].annotation == "float | None"
    assert function.__name__ in str(doctest.DocTestFinder().find(function)) or ">>>" not in function.__doc__
    with pytest.raises(satlife.ArgumentError, match=rf"{name}\(\) has no argument 'timeout'; did you mean 'time'\?"):
        function(BLOCKS, timeout=5)


def test_options_are_those_of_the_record() -> None:
    assert [*SearchOptions.__annotations__, "deadline"] == list(Options.__dataclass_fields__)
    assert all(f"`{name}`" in (Options.__doc__ or "") for name in SearchOptions.__annotations__)


def test_examples_of_named_functions_are_found() -> None:
    """A function that is wrapped elsewhere would hide its examples from the tests."""
    found = {test.name.rpartition(".")[2] for test in doctest.DocTestFinder(exclude_empty=True).find(library)}
    assert {"find", "count", "optimise", "atlas", "enumerate_all", "open_ships"} <= found


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threads": 2}, "did you mean 'jobs'?"),
        ({"random_state": 2}, "did you mean 'seed'?"),
        ({"tme": 2}, "did you mean 'time'?"),
        ({"verbose": True}, "did you mean 'progress'?"),
        ({"rule": "B3/S23"}, "it belongs to the question, as in still_life((8, 8), rule='B36/S23')"),
        ({"nonsense": 2}, "it has question, progress, solver, strategy, jobs, seed, time, memory, device, resume"),
        ({"jobs": "2"}, "a number of cores, 1 or more, not '2'"),
        ({"jobs": True}, "not True"),
        ({"time": float("nan")}, "a number of seconds, 0 or more, not nan"),
        ({"seed": -1}, "a whole number, 0 or more, not -1"),
        ({"memory": "1G"}, "a whole number of megabytes, 1 or more, not '1G'"),
        ({"solver": 3}, "the option 'solver' is a text, not 3"),
        ({"progress": 3}, "`progress` is True, or a function that receives a Progress, not 3"),
    ],
)
def test_wrong_options(options: dict[str, object], words: str) -> None:
    with pytest.raises(satlife.InputError) as told:
        wrong.find(BLOCKS, **options)
    assert words in str(told.value)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("glider", "not the text 'glider'"),
        (satlife.Pattern.of([[1]]), "not a Pattern"),
        (satlife.still_life, "not the function still_life; call it"),
        ({"box": [3, 3]}, "not a dict"),
    ],
)
def test_only_questions_are_asked(question: object, words: str) -> None:
    for ask in (wrong.find, wrong.count, wrong.enumerate_all, wrong.atlas, wrong.minimize):
        with pytest.raises(satlife.InputError, match=words):
            ask(question)
    with pytest.raises(satlife.InputError, match=words):
        wrong.certify(question, "folder")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: wrong.find(), "the argument 'question' is missing: find(question, ...)"),
        (lambda: wrong.find(BLOCKS, 5), "too many arguments without a name: find(question, ...); all others"),
        (lambda: wrong.find(BLOCKS, question=BLOCKS), "the argument 'question' is given twice"),
        (lambda: wrong.optimise(BLOCKS, max), "what is optimised has a name, such as 'cells'"),
        (lambda: wrong.optimise(BLOCKS, maximize=True), "did you mean 'largest'?"),
        (lambda: wrong.enumerate_all(BLOCKS, "all"), "at least one pattern, or None for all, not 'all'"),
        (lambda: wrong.AnyBox("x"), "a question about one, not a str"),
    ],
)
def test_wrong_calls(call: Callable[[], object], words: str) -> None:
    with pytest.raises(satlife.InputError) as told:
        call()
    assert words in str(told.value)


def test_both_spellings() -> None:
    assert satlife.optimize is satlife.optimise
    assert satlife.minimize is satlife.minimise
    assert satlife.maximize is satlife.maximise
    with pytest.raises(AttributeError, match="did you mean 'enumerate_all'"):
        satlife.enumerate  # type: ignore[attr-defined] # noqa: B018
    with pytest.raises(AttributeError, match="did you mean 'enumerate_all'"):
        satlife.find_all  # type: ignore[attr-defined] # noqa: B018
    with pytest.raises(AttributeError, match="did you mean 'oscillator'"):
        satlife.oscilator  # type: ignore[attr-defined] # noqa: B018


def test_no_name_of_a_function_is_a_module() -> None:
    """Whatever was imported before."""
    import satlife.problem.families.still_lifes
    import satlife.solve

    with pytest.raises(AttributeError, match="did you mean 'find'"):
        satlife.solve  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean 'still_life'"):
        satlife.still_lifes  # type: ignore[attr-defined] # noqa: B018
    assert callable(satlife.find)
    assert isinstance(satlife.life, types.ModuleType)


# Progress.
class Terminal(io.StringIO):
    """A stream on which lines can be redrawn."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock() -> Iterator[Iterator[int]]:
    """A clock that advances by a second at each look."""
    seconds = itertools.count()
    with mock.patch("time.monotonic", side_effect=map(float, seconds)):
        yield seconds


def test_progress_is_a_line_that_goes(clock: Iterator[int]) -> None:
    written = Terminal()
    with watching(written) as progress:
        progress(Progress("rows", "row [7], 12 partial ships"))
        progress(Progress("plain", "3 conflicts"))
    assert "s  rows: row [7], 12 partial ships; plain: 3 conflicts" in written.getvalue()
    assert set(written.getvalue().rpartition("conflicts")[2]) == set(" \r"), "the line is cleared"


def test_progress_in_a_log_is_a_line_now_and_then(clock: Iterator[int]) -> None:
    written = io.StringIO()
    with watching(written) as progress:
        for k in range(20):
            progress(Progress("plain", f"{k} conflicts"))
    lines = written.getvalue().splitlines()
    assert 2 <= len(lines) <= 4
    assert all(line.endswith("conflicts") for line in lines)
    assert "\r" not in written.getvalue()


def test_the_line_tells_what_is_found(clock: Iterator[int]) -> None:
    written = Terminal()
    with watching(written) as progress:
        progress.hear(Improved(Best(block(0), 4, 3)))
        progress.hear(Found(block(0), Listed(BLOCKS, 1234)))
    assert "best: 4, the bound is 3; list: 1,234 found" in written.getvalue()


def test_who_is_told() -> None:
    with telling(True) as line, telling(None) as nobody, telling(False) as neither, telling(print) as function:
        assert isinstance(line, ProgressLine)
        assert nobody is neither is None
        assert function is print
    told: list[Progress] = []
    said = Progress("plain", "3 conflicts")
    hear = hearing(told.append)
    hear(said)
    hear(Found(block(0)))
    assert told == [said]


def test_a_list_tells_of_its_progress(two_blocks: list[Event]) -> None:
    told: list[Progress] = []
    assert len(satlife.enumerate_all(BLOCKS, progress=told.append)) == 2
    assert [said.words for said in told] == ["0 conflicts", "1 conflicts"]


def test_a_line_is_gone_before_a_find_is_given(two_blocks: list[Event], clock: Iterator[int]) -> None:
    written = Terminal()
    with mock.patch("sys.stderr", written):
        listing = satlife.enumerate_all(BLOCKS, progress=True)
        next(listing)
        assert "plain: 0 conflicts" in written.getvalue()
        assert written.getvalue().endswith("\r"), "what the reader prints now begins a line"
