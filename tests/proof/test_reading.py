"""What a certificate says is read, all of it: fields that nobody reads, odd values and large files are refused."""

from __future__ import annotations

import copy
import json
import lzma
import random
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from campaign.mutate import VALUES, look_up, places

import satlife
from satlife.errors import InputError, LimitError
from satlife.life.pattern import Pattern
from satlife.problem import relation
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.problem.question import from_json
from satlife.problem.verify import Refuted
from satlife.proof import bundle, certify, drat, publish
from satlife.proof.claims.best import ClaimBest
from satlife.proof.claims.find import ClaimNone
from satlife.proof.drat import Steps
from satlife.proof.rows.certificate import OpenClaim
from satlife.proof.verify import Doubted, verify

FOR_PEOPLE = {"made", "solver", "seconds"}
ODD = [*VALUES, 119.0, 10**4299, "\ud800", [True, True], float("inf")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A certificate with a proof, one of any length, one with finds, and one that rests on another."""
    folder = tmp_path_factory.mktemp("certificates")
    certify.certify(ClaimNone(satlife.oscillator((3, 3), 3)), folder / "none")
    certify.find(satlife.open_spaceship(3, 4, (0, -1), symmetry="D2v"), folder / "open")
    certify.find(satlife.oscillator((3, 3), 2), folder / "found")
    narrower = relation.normal(satlife.oscillator((3, 3), 3))
    rests = certify.BY_TRANSLATION
    (folder / "rests").mkdir()
    certify.certify(ClaimNone(narrower), folder / "rests" / rests.names[0])
    publish.rest(folder, folder / "rests", ClaimNone(satlife.oscillator((3, 3), 3)), rests)
    for whole in ("none", "open", "found", "rests"):
        assert list(verify(folder / whole))
    return {name: folder / name for name in ("none", "open", "found", "rests")}


@pytest.fixture
def copied(made: dict[str, Path], tmp_path: Path) -> dict[str, Path]:
    for name, folder in made.items():
        shutil.copytree(folder, tmp_path / name)
    return {name: tmp_path / name for name in made}


def data_of(folder: Path) -> Any:
    return json.loads((folder / bundle.CERTIFICATE).read_text())


def refusal(folder: Path, data: Any) -> str:
    """What is said of a certificate with another certificate.json; "" if it is accepted."""
    (folder / bundle.CERTIFICATE).write_text(json.dumps(data))
    try:
        list(verify(folder))
    except Doubted as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("name", "path", "field", "value"),
    [
        ("none", (), "windows_", 3),
        ("none", ("claim",), "box", [5, 1]),
        ("none", ("claim",), "beyond", False),
        ("none", ("claim",), "distinct", True),
        ("none", ("claim", "problem"), "size", 3),
        ("none", ("parts", 0), "proved", True),
        ("none", ("parts", 0, "formula"), "format", "dimacs"),
        ("found", ("claim",), "value", 7),
        ("found", ("claim",), "minimal", []),
        ("open", (), "parts", []),
        ("open", ("claim",), "box", [5, 1]),
        ("open", ("claim",), "beyond", True),
        ("open", ("windows",), "size", 7),
        ("open", ("claim", "problem"), "population", "<=7"),
        ("rests", ("rests",), "why", "so"),
    ],
)
def test_a_field_that_is_not_read_is_refused_by_name(
    name: str, path: tuple[Any, ...], field: str, value: Any, copied: dict[str, Path]
) -> None:
    data = data_of(copied[name])
    look_up(data, path)[field] = value
    assert f"no field {field!r}" in refusal(copied[name], data)


@pytest.mark.parametrize(
    ("name", "path", "value", "words"),
    [
        ("none", ("claim", "finds"), False, "the field `finds` of the claim should be 0, not false"),
        ("none", ("claim", "finds"), 1, "there are 0 finds, and the claim has another number"),
        ("none", ("claim", "problem", "exact"), True, "the field `problem` of the claim should be"),
        ("none", ("parts", 0, "lemmas"), 119.0, "the number of lemmas is missing or damaged"),
        ("none", ("parts", 0, "formula", "variables"), 36.0, "the field `variables` of"),
        ("none", ("claim", "problem", "multiples"), True, "the period of a ship may be a multiple if"),
        ("open", ("claim", "finds"), 3, "the field `finds` of the claim should be 0, not 3"),
        ("open", ("claim", "problem", "box"), [3, 1], "a question about patterns of any length has a box such as"),
        ("open", ("claim", "problem", "heads"), ["3o!"], "not about those with given heads"),
        ("open", ("claim", "problem", "multiples"), True, "about one period, not about its multiples"),
        ("open", ("claim", "problem", "period"), 10**4299, "is no number of at most"),
        ("open", ("claim", "problem", "period"), 10**39, "beyond the limit of"),
    ],
    ids=range(12),
)
def test_a_value_is_refused_unless_it_is_as_we_write_it(
    name: str, path: tuple[Any, ...], value: Any, words: str, copied: dict[str, Path]
) -> None:
    data = data_of(copied[name])
    look_up(data, path[:-1])[path[-1]] = value
    assert words in refusal(copied[name], data)


@pytest.mark.parametrize("name", ["none", "open", "found", "rests"])
def test_odd_values_end_in_a_sentence(name: str, copied: dict[str, Path]) -> None:
    """Numbers of thousands of digits, floats, lone surrogates, deep lists: anywhere in a certificate."""
    folder, rng = copied[name], random.Random(48)
    data = data_of(folder)
    for path in places(data):
        for odd in rng.sample(ODD, 2) if not FOR_PEOPLE & set(path) else ():
            changed = copy.deepcopy(data)
            look_up(changed, path[:-1])[path[-1]] = odd
            assert refusal(folder, changed) or changed == data, (path, odd)


def test_json_that_nobody_could_mean() -> None:
    for text, words in (
        ('{"finds": 1, "finds": 0}', "'finds' twice"),
        ('{"period": NaN}', "is no number"),
        ('{"period": -Infinity}', "is no number"),
        (f'{{"period": {10**50}}}', "is no number of at most"),
    ):
        with pytest.raises(ValueError, match=words):
            from_json(text)
    assert from_json('{"a": [-12, 0.5]}') == {"a": [-12, 0.5]}


@pytest.mark.parametrize("power", [4299, 5000])
def test_numbers_that_cannot_be_written_are_refused(power: int) -> None:
    number = 10**power
    for make in (
        lambda: Problem(5, 5, generations=number),
        lambda: Problem(number, 5),
        lambda: Problem(5, 5, displacement=(number, 0)),
        lambda: OpenBox(5, number, (0, -1)),
        lambda: OpenBox(-number, 3, (0, -1)),
        lambda: OpenBox(5, 3, (0, number)),
    ):
        with pytest.raises((LimitError, InputError)):
            make()


def test_a_certificate_is_about_one_period() -> None:
    asked = satlife.spaceship((6, 6), speed="c/2")
    assert asked.multiples
    with pytest.raises(InputError, match="about one period"):
        ClaimNone(asked)


def test_what_is_measured_is_what_the_pattern_becomes() -> None:
    """A find with cells of generation 1 that were invented, since the target says nothing of them, is none."""
    asked = satlife.predecessor(Pattern.from_rows([".?.", "?.O", "???"]), margin=0, rule="B36/S123")
    phases = satlife.find(asked).phases
    unknown = np.array([[cell.freed for cell in row] for row in asked.cells[1]])
    invented = (phases[0], np.where(unknown, 0, phases[1]).astype(np.uint8))
    claim = ClaimBest(asked, (Find(invented),), measure="cells@1", value=1)
    with pytest.raises(Refuted, match="does not follow"):
        claim.check_finds()
    assert not claim.problem.has_freed_cells


# In words.
def test_an_open_statement_says_all_that_is_asked() -> None:
    said = OpenClaim(satlife.open_spaceship(3, 4, (0, -1), symmetry="D2v"), 1, 1).statement()
    assert "* It is a ship that is at most 3 columns wide and has its mirror on one of them." in said
    said = OpenClaim(OpenBox(5, 3, (0, -1), rule=satlife.Rule.parse("B3~6c7/S23~8")), 1, 1).statement()
    assert "a neighbourhood that B3~6c7/S23~8 forbids (after ~)" in said


def test_a_negated_name_is_explained() -> None:
    said = ClaimNone(satlife.grid("a -a")).statement()
    assert "A name after - is the opposite of the name" in said
    assert "opposite" not in ClaimNone(satlife.grid("a a")).statement()


# Proofs that unpack to more than they should.
def original(folder: Path) -> bytes:
    return lzma.decompress((folder / "1" / bundle.PROOF).read_bytes())


@cache
def noise() -> bytes:
    """Lemmas that can hardly be packed."""
    rng = random.Random(1)
    steps = [("a", [rng.choice([v, -v]) for v in rng.sample(range(1, 40), 20)]) for _ in range(5_000)]
    return drat.write(Steps.of(steps))


def pack(folder: Path, *pieces: bytes) -> None:
    (folder / "1" / bundle.PROOF).write_bytes(lzma.compress(b"".join(pieces), preset=0))


@pytest.mark.parametrize(
    ("steps", "count", "words"),
    [
        (b"d\x02\x04\0", 1 << 20, "unpacks to more than 100 times its size"),
        (b"\x02\x04\x06\x08", 1 << 20, "unpacks to more than 100 times its size"),  # one long clause
        (b"d\x02\x04\0", 200_000, "has many more steps than the lemmas"),
        (b"a\x02\x04\0", 200_000, "has many more steps than the lemmas"),
    ],
)
def test_a_proof_has_no_more_than_the_certificate_promises(
    steps: bytes, count: int, words: str, copied: dict[str, Path]
) -> None:
    folder = copied["none"]
    pack(folder, original(folder), noise() if "lemmas" in words else b"", steps * count)
    with pytest.raises(Doubted, match=words):
        list(verify(folder))


def test_clauses_have_bounds(copied: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step of a proof may take some bytes, and no more."""
    folder = copied["none"]
    monkeypatch.setattr(bundle, "LARGEST_STEPS", (1 << 16, 1))
    pack(folder, original(folder), noise())
    with pytest.raises(Doubted, match="larger than the limit"):
        list(verify(folder))


def test_a_list_has_no_more_windows_than_the_certificate_promises(copied: dict[str, Path]) -> None:
    (copied["open"] / bundle.WINDOWS).write_bytes(bytes(6 << 20))
    with pytest.raises(Doubted, match="more windows than the certificate promises"):
        list(verify(copied["open"]))
