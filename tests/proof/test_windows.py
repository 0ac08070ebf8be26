"""Certificates of boxes of any length: made, checked, compared with the plain checker of the documentation, damaged."""

from __future__ import annotations

import io
import json
import lzma
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from campaign import windows as campaign
from hypothesis import given, settings
from hypothesis import strategies as st

import satlife
from commands import run
from satlife import native
from satlife.engines.rows.cpu.search import FrontierSearch
from satlife.engines.rows.lines.exploration import Exploration
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.windows.closure import Closure, LineClosure, closure_of
from satlife.errors import InputError, OutOfTime, SatlifeError
from satlife.life.rule import Rule
from satlife.limits import Limits
from satlife.problem.openbox import OpenBox
from satlife.proof import bundle
from satlife.proof.parallel import Checking
from satlife.proof.publish import Missed, Unproved
from satlife.proof.rows import certificate, certify, check, index, kernel, lines, windows
from satlife.proof.rows.sequence import Sequence
from satlife.proof.verify import verify
from uncompiled import uncompile

pytestmark = pytest.mark.skipif(not native.is_compiled(), reason="the search row by row needs Numba")

#: Every kind of open box; none has a ship.
KINDS = {
    "plain": OpenBox(5, 3, (0, -1)),
    "even": OpenBox(8, 5, (0, -2), symmetry="D2|"),
    "gutter": OpenBox(9, 5, (0, -1), symmetry="D2|", gutter=True),
    "to the right": OpenBox(5, 3, (1, 0), along="x"),
    "aside": OpenBox(4, 5, (1, -1)),
    "a common factor": OpenBox(5, 6, (0, -2)),
    "across, faster": OpenBox(3, 3, (2, 0)),
    "one column": OpenBox(1, 3, (0, -1)),
    "a wave": OpenBox(5, 3, (0, -1), wave=True),
    "a wave, odd": OpenBox(7, 3, (0, -1), wave=True, symmetry="D2|"),
    "a wave with a gutter": OpenBox(7, 4, (0, -1), wave=True, symmetry="D2|", gutter=True),
    "forbidden": OpenBox(5, 4, (0, -2), Rule.parse("B3/S23~4")),
    "not totalistic": OpenBox(4, 3, (0, -1), Rule.parse("B2-a3/S12")),
    "many columns": OpenBox(11, 2, (0, -1)),
    "an oscillator": OpenBox(4, 3, (0, 0)),
    "an oscillator of several periods": OpenBox(3, 6, (0, 0)),
    "an oscillator, even": OpenBox(6, 5, (0, 0), symmetry="D2-", along="x"),
    "nothing that stays": OpenBox(4, 1, (0, 0), Rule.parse("B3/S")),
}


def explored(box: OpenBox) -> Closure | LineClosure:
    closure = closure_of(Strip.of(box))
    closure.explore()
    return closure


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of some hundred windows."""
    target = tmp_path_factory.mktemp("windows") / "proof"
    outcome = satlife.certify(OpenBox(5, 5, (1, -1)), target)
    assert (outcome.status, outcome.proof and outcome.proof.checked) == ("none", True)
    return target


@pytest.mark.parametrize("box", KINDS.values(), ids=list(KINDS))
def test_every_kind_has_a_certificate(box: OpenBox, tmp_path: Path) -> None:
    outcome = satlife.certify(box, tmp_path / "proof")
    assert (outcome.status, outcome.apgcode) == ("none", None)
    assert outcome.proof is not None
    assert outcome.proof.checked, outcome.proof.reason
    lines = satlife.check_certificate(tmp_path / "proof")
    assert f"windows: {outcome.proof.windows:,}, closed" in "\n".join(lines)
    assert campaign.has_ship(box) is not True
    said = (tmp_path / "proof" / "statement.txt").read_text()
    assert said.startswith(f"There is no {box.noun} with these properties, however long it is:")
    assert f"rule {box.rule}" in said


#: Questions so small that plain Python follows every walk.
SMALL = [
    OpenBox(5, 3, (0, -1), symmetry="D2|"),
    OpenBox(5, 3, (0, -1), wave=True, symmetry="D2|", gutter=True),
    OpenBox(2, 3, (1, 0)),
    OpenBox(3, 2, (0, 1), along="x"),
    OpenBox(3, 4, (0, -2)),
    OpenBox(3, 3, (0, 0)),
    OpenBox(5, 3, (0, 0), symmetry="D2|", gutter=True),
    OpenBox(3, 1, (0, 0), Rule.parse("B3/S")),
]


@pytest.mark.parametrize("box", SMALL, ids=OpenBox.to_json)
def test_the_checker_of_the_documentation_agrees(box: OpenBox, tmp_path: Path) -> None:
    """What it accepts, ours accepts; ours needs fewer windows, because it sees earlier that a walk must end."""
    closure, plainly = explored(box), campaign.plain()["check"]
    every, rng = closure.met()[np.lexsort(closure.met().T)], random.Random(1)
    certificate.write(tmp_path, box, closure.kept(), closure.span, {})
    assert plainly(tmp_path)
    assert campaign.accepted_folder(tmp_path)
    verdicts = set()
    for span in (1, 3, 3 * box.period):
        keys = every[np.array([rng.random() < 0.8 for _ in every], bool)]
        certificate.write(tmp_path, box, keys, span, {})
        verdicts.add((plainly(tmp_path), campaign.accepted_folder(tmp_path)))
    assert (True, False) not in verdicts


@settings(max_examples=10)
@given(st.sampled_from(sorted(KINDS)), st.integers(0, 2**32))
def test_what_may_follow_is_what_the_documentation_says(kind: str, seed: int) -> None:
    """Random windows, and the rows after them, one by one."""
    box = replace(
        KINDS[kind], rule=Rule.parse("B3/S23"), width=min(KINDS[kind].width, 7 if KINDS[kind].symmetry else 5)
    )
    sequence, rng = Sequence(box), random.Random(seed)
    question = check.question_of(sequence, 5)
    work = check.work_of(question)
    ship = campaign.plain()["Oscillator" if box.stays else "Ship"](box.to_dict())
    p = sequence.period
    place = rng.randrange(p)
    rows = [rng.getrandbits(sequence.free) & rng.getrandbits(sequence.free) for _ in range(2 * p)]
    ahead = 2 * p + sequence.ahead(place + 4 * p)
    with pytest.MonkeyPatch.context() as patch:
        uncompile(patch, kernel)
        given = question, rows[0], rows[p], rows[ahead], sequence.shift(place + 4 * p)
        last = kernel.successors(question, work, *given[1:], 0)
        possible = kernel.exists(*given)
    found = work.pool[:last].tolist()
    assert sorted(found) == ship.next_rows(place, tuple(rows))
    assert possible == bool(found)
    orders = [np.arange(2 * p)]
    if box.stays:
        orders = [np.concatenate([np.roll(np.arange(p), t), p + np.roll(np.arange(p), t)]) for t in range(p)]
    images = [list(range(1 << sequence.free)), *sequence.images]
    assert ship.least(tuple(rows)) == min(tuple(image[rows[n]] for n in order) for order in orders for image in images)


def test_lists_may_leave_out_what_ends_soon_and_nothing_else() -> None:
    box = OpenBox(6, 4, (0, -1))
    closure = explored(box)
    keys = closure.kept()
    assert 0 < len(keys) < len(closure.met())
    assert check.check(box, keys, closure.span) > len(keys)
    assert check.check(box, closure.met(), 3 * box.period + 1)
    with pytest.raises(InputError, match="a walk neither ends nor comes to a window"):
        check.check(box, keys[:0], closure.span)
    with pytest.raises(InputError, match="1 to 512"):
        check.check(box, keys, 513)


def test_threads_plain_python_and_images_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    box = OpenBox(4, 4, (0, -1))
    keys = explored(box).kept()
    tried = check.check(box, keys, 21)
    seen: list[int] = []
    checking = Checking(jobs=3, tell=lambda what, done, total: seen.append(done))
    checking.total = 500
    monkeypatch.setattr(check, "AT_ONCE", 7)  # rows between two pauses
    assert check.check(box, keys, 21, checking, 500) == tried
    assert 450 < seen[-1] <= 500
    monkeypatch.setattr(check, "MANY", {4: 0})  # with a table
    assert check.check(box, keys, 21) == tried
    monkeypatch.setattr(check, "MANY", {})
    uncompile(monkeypatch, kernel, index, lines)
    with np.errstate(over="ignore"):  # hashes
        assert check.check(box, keys, 21) == tried


def test_a_ship_has_no_certificate_that_there_is_none() -> None:
    """Even a list of all windows that were met before the ship is not accepted, nor is any other."""
    box = OpenBox(5, 4, (0, -2))
    closure = Closure(Strip.of(box))
    with pytest.raises(InputError, match="there is a ship"):
        closure.explore()
    for keys in (closure.met(), closure.met()[:0]):
        with pytest.raises(InputError, match="a walk"):
            check.check(box, keys, 100)
    across = OpenBox(2, 1, (1, 0), Rule.parse("B2/S0"))  # at the speed of light, so that a row becomes itself
    with pytest.raises(InputError, match="a walk comes back"):
        check.check(across, np.zeros((0, 1), np.uint64), 100)
    with pytest.raises(Missed):
        certify.explored(Closure(Strip.of(box)))


# Oscillators.
def test_an_oscillator_has_no_certificate_that_there_is_none() -> None:
    """Even a list of all windows that can be reached."""
    box = OpenBox(3, 2, (0, 0))
    closure = closure_of(Strip.of(box))
    with pytest.raises(InputError, match="there is an oscillator"):
        closure.explore()
    assert isinstance(closure, LineClosure)
    list(closure.search.ships())  # to the end
    with pytest.raises(InputError, match="a walk comes back to emptiness: that is an oscillator"):
        check.check(box, closure.met(), closure.span)
    with pytest.raises(InputError, match="a walk"):
        check.check(box, closure.met()[:0], closure.span)


def test_periods_of_windows_are_checked() -> None:
    """A window that is listed with a smaller period than it has is missing with its own."""
    box = OpenBox(4, 3, (0, 0))
    closure = explored(box)
    keys = closure.kept()
    bit = 2 * box.period * 4
    assert set((keys[:, bit // 64] >> np.uint64(bit % 64)).tolist()) == {1, 3}
    smaller = keys.copy()
    smaller[:, bit // 64] &= np.uint64((1 << bit % 64) - 1)
    smaller[:, bit // 64] |= np.uint64(1 << bit % 64)
    smaller = np.unique(smaller, axis=0)
    with pytest.raises(InputError, match="a walk neither ends"):
        check.check(box, smaller, closure.span)
    for wrong, words in (
        (0, "makes no sense"),
        (2, "makes no sense"),
        (1, "the empty window"),
        (3, "the empty window"),
    ):
        number = np.array([[wrong << bit]], np.uint64)
        with pytest.raises(InputError, match=words):
            windows.unpacked(_packed(number, Sequence(box)), "a file", Sequence(box))


def test_walks_of_an_oscillator_that_leave_the_list_are_refused() -> None:
    box = OpenBox(3, 3, (0, 0))
    closure, rng = explored(box), random.Random(1)
    keys = closure.kept()
    for left in (0.0, 0.1, 0.3):
        some = keys[np.array([rng.random() < left for _ in keys], bool)]
        with pytest.raises(InputError, match="a walk neither ends"):
            check.check(box, some, closure.span)
    with pytest.raises(InputError, match="a walk neither ends"):
        check.check(box, keys[:0], 300)


def test_threads_and_plain_python_agree_about_oscillators(monkeypatch: pytest.MonkeyPatch) -> None:
    box = OpenBox(3, 3, (0, 0))
    closure = explored(box)
    keys, span = closure.kept(), closure.span
    tried = check.check(box, keys, span)
    monkeypatch.setattr(check, "AT_ONCE", 7)
    assert check.check(box, keys, span, Checking(jobs=3)) == tried
    monkeypatch.setattr(check, "MANY", {3: 0})
    assert check.check(box, keys, span) == tried
    monkeypatch.setattr(check, "MANY", {})
    uncompile(monkeypatch, kernel, index, lines)
    with np.errstate(over="ignore"):  # hashes
        assert check.check(box, keys, span) == tried


def test_windows_of_the_last_unit_are_the_certificate(tmp_path: Path) -> None:
    box = OpenBox(4, 5, (0, 0))
    work = Exploration(box, least=0.0, share_of_time=0.0)
    unit = work.split(None, 1, Limits())[0].unit
    while (result := work.solve(unit, lambda *_: None, lambda: False)).pieces:
        lots = [certify.of_unit(box, unit, lambda: False)]
        unit = result.pieces[0].unit
    lots.append(certify.of_unit(box, unit, lambda: False, 2))
    for number, given_lots in enumerate([lots, lots[-1:], [b"nothing"], [_wrong(box)]]):
        proof = certify.refute(box, tmp_path / str(number), 1, Limits(), known=given_lots)
        assert (proof.checked, proof.windows) == (True, 486)
    with pytest.raises(Unproved, match="time limit"):
        certify.of_unit(box, unit, lambda: True)


def test_a_certificate_of_an_oscillator_from_the_shell(tmp_path: Path) -> None:
    folder, asked = tmp_path / "none", ("oscillator", "4x*", "-p", "5", "--store", str(tmp_path / "store.db"))
    long = run("jobs", "start", *asked, "--proof", str(folder))
    assert (long.returncode, "proved, checked" in long.stderr) == (20, True)
    assert "There is no oscillator with these properties" in run("verify", str(folder)).stdout
    said = (folder / "statement.txt").read_text()
    assert "* Generation 5 is generation 0, and no earlier one is.\n* It is an oscillator whose phases" in said
    numbers = _numbers(folder)
    _pack(folder, numbers[:-6] + bytes([numbers[-6]]) + bytes(4) + numbers[-1:])
    assert run("verify", str(folder)).returncode == 1


def test_a_ship_is_certified_by_itself(tmp_path: Path) -> None:
    outcome = satlife.certify(OpenBox(5, 4, (0, -2)), tmp_path / "ship")
    assert outcome.apgcode == "xq4_6frc"
    assert outcome.proof is not None
    assert outcome.proof.checked
    assert satlife.check_certificate(tmp_path / "ship")[0].startswith("files: a certificate of kind `found`")


Change = Callable[[Path, dict[str, Any]], object]


def _numbers(folder: Path) -> bytes:
    return lzma.decompress((folder / bundle.WINDOWS).read_bytes())


def _pack(folder: Path, data: bytes) -> None:
    (folder / bundle.WINDOWS).write_bytes(lzma.compress(data))


HARM: dict[str, tuple[Change, str]] = {
    "no windows": (lambda folder, data: (folder / bundle.WINDOWS).unlink(), "cannot read"),
    "a part of a window": (lambda folder, data: _pack(folder, _numbers(folder)[:-1]), "ends in the middle"),
    "one less": (lambda folder, data: _pack(folder, _numbers(folder)[7:]), "instead of"),
    "out of order": (lambda folder, data: _pack(folder, _numbers(folder)[7:] + _numbers(folder)[:7]), "not in order"),
    "the empty window": (lambda folder, data: _pack(folder, bytes(7) + _numbers(folder)), "the empty window"),
    "too large": (lambda folder, data: _pack(folder, _numbers(folder) + b"\xff" * 7), "too large to be a window"),
    "no xz": (lambda folder, data: (folder / bundle.WINDOWS).write_bytes(b"\xfd7zXZ\x00nothing"), "windows.xz"),
    "another count": (lambda folder, data: data["windows"].update(count=7), "statement.txt does not say"),
    "no count": (lambda folder, data: data["windows"].pop("count"), "is damaged"),
    "no span": (lambda folder, data: data["windows"].update(span="7"), "is damaged"),
    "another kind": (lambda folder, data: data["claim"].update(kind="found"), "is damaged"),
    "a box": (lambda folder, data: data["claim"].update(problem={}), "a question about patterns of any length"),
    "another width": (lambda folder, data: data["claim"]["problem"].update(box=[6, "*"]), "statement.txt does not"),
    "another version": (lambda folder, data: data.update(satlife=7), "not a certificate of version"),
}


@pytest.mark.parametrize("harm", HARM)
def test_harm_is_refused_in_a_sentence(harm: str, made: Path, tmp_path: Path) -> None:
    change, why = HARM[harm]
    folder = tmp_path / "harmed"
    shutil.copytree(made, folder)
    data = json.loads((folder / bundle.CERTIFICATE).read_text())
    change(folder, data)
    (folder / bundle.CERTIFICATE).write_text(json.dumps(data))
    done = run("verify", str(folder))
    assert done.returncode == 1
    assert why in done.stderr
    assert "Traceback" not in done.stderr


def test_a_certificate_with_all_words_right_and_another_question_is_refused(tmp_path: Path) -> None:
    none = OpenBox(5, 4, (0, -1))
    certificate.write(tmp_path, replace(none, displacement=(0, -2)), explored(none).kept(), 60, {})
    with pytest.raises(SatlifeError, match="a walk"):
        list(verify(tmp_path))


@pytest.mark.parametrize(
    "box",
    [
        OpenBox(17, 3, (0, -1)),
        OpenBox(5, 16, (0, -1)),
        OpenBox(5, 3, (0, -3)),
        OpenBox(8, 3, (0, -1), symmetry="D2|", gutter=True),
        OpenBox(1, 3, (0, -1), symmetry="D2|", gutter=True),
        OpenBox(5, 3, (1, -1), symmetry="D2|"),
        OpenBox(5, 3, (0, -1), Rule.parse("B03/S23")),
        OpenBox(5, 3, (0, -1), Rule.parse("B3/S23/3")),
    ],
    ids=OpenBox.to_json,
)
def test_what_has_no_windows_is_refused(box: OpenBox) -> None:
    with pytest.raises(InputError, match="windows are for"):
        Sequence(box)


def test_windows_of_units_are_joined_and_wrong_ones_are_made_again(tmp_path: Path) -> None:
    """Each unit lists what follows its partial ships; the rest is explored by whoever joins them."""
    box = OpenBox(10, 7, (0, -2), symmetry="D2|")
    search = FrontierSearch(Strip.of(box))
    while sum(len(front.windows) for front in search.fronts) < 6:
        search.step()
    state = search.state()
    units = [
        {**state, "of": 99, "fronts": [{"place": f["place"], "partials": f["partials"][k::3]} for f in state["fronts"]]}
        for k in range(3)
    ]
    lots = [certify.of_unit(box, json.dumps(unit), lambda: False) for unit in units]
    known = [certify.unpacked(lot, Sequence(box)) for lot in lots]
    assert sum(len(keys) for keys in known if keys is not None) > 500
    for number, given_lots in enumerate([lots, lots[1:], [b"nothing", lots[0][:-9]], [_wrong(box)]]):
        proof = certify.refute(box, tmp_path / str(number), 1, Limits(), known=given_lots)
        assert proof.checked, proof.reason
    list(verify(tmp_path / "3"))
    with pytest.raises(Unproved, match="time limit"):
        certify.of_unit(box, json.dumps(units[0]), lambda: True)


def _wrong(box: OpenBox) -> bytes:
    """Windows that lead elsewhere, as a unit would send them."""
    keys = np.unique(campaign.noise(random.Random(1), Sequence(box)), axis=0)
    return _packed(keys[np.lexsort(keys.T)], Sequence(box)).getvalue()


def _packed(keys: windows.Keys, sequence: Sequence) -> io.BytesIO:
    stream = io.BytesIO()
    windows.write(stream, keys, sequence)
    stream.seek(0)
    return stream


def test_from_the_shell(tmp_path: Path) -> None:
    asked = ("spaceship", "7x*", "-d", "c/4", "-s", "D2v", "--store", str(tmp_path / "store.db"))
    made = run(*asked, "--proof", str(tmp_path / "none"), "--json")
    assert made.returncode == 20, made.stderr
    answer = json.loads(made.stdout)
    assert answer["proof"] == {"checked": True, "bundle": str(tmp_path / "none"), "windows": answer["proof"]["windows"]}
    again = run(*asked, "--proof", str(tmp_path / "none"))
    assert (again.returncode, "is not an empty folder" in again.stderr) == (1, True)
    for more, why in [(("-n", "all"), "of no list"), (("--device", "gpu"), "are listed on the CPU")]:
        refused = run(*asked, *more, "--proof", str(tmp_path / "other"))
        assert refused.returncode == 2
        assert why in refused.stderr
        assert not (tmp_path / "other").exists()
    found = run("spaceship", "5x*", "-d", "2c/4", "--proof", str(tmp_path / "found"))
    assert found.returncode == 0, found.stderr
    assert run("verify", str(tmp_path / "found")).returncode == 0
    checked = run("verify", str(tmp_path / "none"), "--jobs", "1")
    assert "There is no ship with these properties, however long it is: see statement.txt." in checked.stdout
    written = run("verify", str(tmp_path / "none"), "--write-cnf", str(tmp_path / "formulas"))
    assert (written.returncode, "has no formulas to write" in written.stderr) == (1, True)


def test_when_the_time_is_up_there_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search has ended; its windows are not all listed."""

    def too_late(self: Closure, told: object = None) -> None:
        raise OutOfTime

    monkeypatch.setattr(Closure, "explore", too_late)
    outcome = satlife.certify(OpenBox(5, 3, (0, -1)), tmp_path / "proof")
    assert outcome.status == "none"
    assert outcome.proof is not None
    assert (outcome.proof.checked, "while the windows of the certificate were listed" in outcome.proof.reason) == (
        False,
        True,
    )
    assert not (tmp_path / "proof").exists()
