"""DIMACS and Knuth's format: what is legal is read, what is wrong is named with its place."""

from __future__ import annotations

import gzip
import io
import lzma
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satlife import files
from satlife.cnf import dimacs, knuthfile
from satlife.cnf import read as any_file
from satlife.cnf.formula import Formula
from satlife.errors import InputError, LimitError, SatlifeError


def parse(text: str | bytes) -> Formula:
    return dimacs.read(io.BytesIO(text.encode() if isinstance(text, str) else text), "x.cnf")


def parse_knuth(text: str | bytes) -> Formula:
    return knuthfile.read(io.BytesIO(text.encode() if isinstance(text, str) else text), "x.sat")


@pytest.mark.parametrize(
    "text",
    [
        "p cnf 3 2\n1 -2 0\n3 0\n",
        "c hello\np cnf 3 2\n1 -2 0\nc in the middle\n3 0\nc end",
        "p cnf 3 2\n1\n-2\n0 3 0",
        "p cnf 3 2\r\n1 -2 0\r\n3 0\r\n",
        "\ufeffp cnf 3 2\n1 -2 0 3 0\n",
        "p cnf 3 2\n1 -2 0\n3 0\n%\n0\n\n",
        "\n  p  cnf  3 2 \n\n\t1 -2 0\n3 0\n",
        "p cnf 3 2\n+1 -2 0\n3 0\n".replace("+", ""),
        "p cnf 3 2\n01 -2 0\n3 0\n",
    ],
)
def test_legal_dimacs(text: str) -> None:
    formula = parse(text)
    assert (formula.variables, list(formula.clauses())) == (3, [[1, -2], [3]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.cnf: there is no header line"),
        ("1 2 0\n", "x.cnf, line 1, column 1: a clause before the header"),
        ("p cnf x 2\n1 0\n", "x.cnf, line 1, column 1: the header should read"),
        ("p cnf 3 2\n1 0\n", "x.cnf: the header promises 2 clauses, the file has 1"),
        ("p cnf 3 1\n1 0\n2 0\n", "the header promises 1 clauses, the file has 2"),
        ("p cnf 3 1\n1 2\n", "x.cnf, line 3: the last clause is not ended by 0"),
        ("p cnf 3 1\n1 4 0\n", "x.cnf, line 2, column 3: literal 4, but the header promises 3 variables"),
        ("p cnf 3 1\n1 -0 0\n", "x.cnf, line 2, column 3: there is no literal -0"),
        ("p cnf 3 1\n1 2147483648 0\n", "line 2, column 3: literal 2147483648 is beyond 2147483646"),
        ("p cnf 3 1\n-2147483647 0\n", "line 2, column 1: literal -2147483647 is beyond 2147483646"),
        ("p cnf 3 1\n" + "9" * 1000 + " 0\n", "line 2, column 1: literal 99999999999999999999 is beyond"),
        ("p cnf 3 1\n1 two 0\n", "line 2, column 3: 'two' is not a literal"),
        ("p cnf 3 1\n1-2 0\n", "line 2, column 1: '1-2' is not a literal"),
        ("p cnf 3 1\n1 - 0\n", "line 2, column 3: '-' is not a literal"),
        ("p cnf 3 1\np cnf 3 1\n1 0\n", "line 2, column 1: a second header line"),
        ("p cnf 99999999999 0\n", "the header asks for 99999999999 variables"),
        ("p cnf 2 0\nc 1 -> a\nc 2 -> a\n", "two variables have the same name"),
    ],
)
def test_wrong_dimacs(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        parse(text)


def test_empty_clause_is_legal_dimacs_but_has_no_knuth_form() -> None:
    formula = parse("p cnf 1 2\n0\n1 0\n")
    assert list(formula.clauses()) == [[], [1]]
    with pytest.raises(InputError, match="clause 1 is empty"):
        list(knuthfile.write(formula))


@pytest.mark.parametrize("text", ["a ~b\nc\n", "~ comment\n a ~b\n\n c", "a\t~b\r\nc\r\n"])
def test_legal_knuth(text: str) -> None:
    formula = parse_knuth(text)
    assert (list(formula.clauses()), formula.names) == ([[1, -2], [3]], ("a", "b", "c"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a ~ b\n", "x.sat, line 1, column 3: a name is missing after `~`"),
        ("a\nb ~~c\n", "x.sat, line 2, column 3: a name is missing after `~`"),
        (b"a b\xff\n", "x.sat, line 1, column 3: a name has the unprintable character b'\\xff'"),
        (b"a \0\n", "x.sat, line 1, column 3: a name has the unprintable character b'\\x00'"),
    ],
)
def test_wrong_knuth(text: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        parse_knuth(text)


def test_names_of_any_length_and_a_negative_first() -> None:
    formula = parse_knuth("~averylongname x\naverylongname\n")
    assert list(formula.clauses()) == [[-1, 2], [1]]


def test_names_that_knuth_would_read_otherwise() -> None:
    formula = parse("c 1 -> ~a\nc 2 -> a\np cnf 2 2\n1 0\n2 0\n")
    with pytest.raises(InputError, match="variable 1 is called '~a'"):
        b"".join(knuthfile.write(formula))


def test_numbers_without_end_and_comments_without_words(tmp_path: Path) -> None:
    assert parse(f"c {'9' * 5000} -> a\np cnf 1 1\n1 0\n").names is None
    file = tmp_path / "x.sat"
    file.write_text("c\n" * 60 + " a b\n")
    formula, kind, _ = any_file.read(str(file))
    assert (kind, formula.names, len(formula)) == ("sat", ("c", "a", "b"), 61)
    file.write_text("c\n" * 60 + "c words\np cnf 1 1\n1 0\n")
    assert any_file.read(str(file))[1] == "dimacs"


def test_names_of_variables_that_there_are_not() -> None:
    """They are comments like any other: the formula is the same when it is written and read again."""
    found = dimacs.read(io.BytesIO(b"c 1 -> a\np cnf 0 0\n"))
    assert found.names is None
    assert dimacs.read(io.BytesIO(b"".join(dimacs.write(found)))).names is None


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_compressed_input(pack: object, tmp_path: Path) -> None:
    assert callable(pack)
    path = tmp_path / "packed"
    path.write_bytes(pack(b"p cnf 1 1\n1 0\n"))
    with files.reading(path) as stream:
        assert len(dimacs.read(stream)) == 1
    path.write_bytes(pack(b"p cnf 1 1\n1 0\n")[:-5])
    with pytest.raises(InputError, match="damaged"), files.reading(path) as stream:
        dimacs.read(stream)


def test_chunks_do_not_change_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satlife.cnf.text.CHUNK", 3)
    assert list(parse("c x\np cnf 3 2\n1 -2\n0\n3 0\n").clauses()) == [[1, -2], [3]]
    assert list(parse_knuth("~ c\nab ~cd\n ab\n").clauses()) == [[1, -2], [1]]
    with pytest.raises(InputError, match="line 4, column 1"):
        parse("c x\np cnf 3 2\n1 -2\nx 0\n3 0\n")


clauses = st.lists(st.lists(st.integers(1, 50).flatmap(lambda v: st.sampled_from([v, -v])), min_size=1), max_size=30)


@given(clauses)
def test_round_trips(given_clauses: list[list[int]]) -> None:
    formula = Formula.from_clauses(given_clauses)
    again = dimacs.read(io.BytesIO(b"".join(dimacs.write(formula))))
    assert list(again.clauses()) == given_clauses
    named = knuthfile.read(io.BytesIO(b"".join(knuthfile.write(formula, ["comment"]))))
    assert named.names is not None
    assert [[int(named.names[abs(v) - 1]) * (1 if v > 0 else -1) for v in c] for c in named.clauses()] == given_clauses
    assert again.sha256() == formula.sha256()


@given(st.binary(max_size=80) | st.text("pcnf 0123456789-\n%~ab", max_size=80).map(str.encode))
def test_readers_raise_only_our_errors(data: bytes) -> None:
    for read in (dimacs.read, knuthfile.read):
        try:
            formula = read(io.BytesIO(data))
        except SatlifeError:
            continue
        assert abs(formula.literals).max(initial=0) <= formula.variables


def test_formula_checks_an_assignment() -> None:
    import numpy as np

    formula = Formula.from_clauses([[1, -2], [2, 3], [-3]])
    assert formula.falsified(np.array([False, True, True, False])) is None
    assert formula.falsified(np.array([False, False, True, False])) == 0
    assert formula.falsified(np.array([False, False, False, False])) == 1


def test_long_names_can_be_written(tmp_path: Path) -> None:
    for name in ("n" * 255, "é" * 127):
        files.write(tmp_path / name, [b"all"])
        assert (tmp_path / name).read_bytes() == b"all"
    with pytest.raises(InputError, match=r"cannot write .*Not a directory"):
        files.write(tmp_path / name / "x", [b"all"])


def test_writing_replaces_only_when_complete(tmp_path: Path) -> None:
    path = tmp_path / "out.cnf"
    path.write_text("precious")

    def pieces() -> object:
        yield b"half"
        raise InputError("broken")

    with pytest.raises(InputError):
        files.write(path, pieces())  # type: ignore[arg-type]
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


class Endless(io.RawIOBase):
    """A device that never ends; `given` is how much was taken from it."""

    def __init__(self, text: bytes) -> None:
        self.text, self.given = text, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        start = self.given % len(self.text)
        count = min(len(buffer), 1 << 20)
        buffer[:count] = (self.text * (count // len(self.text) + 2))[start : start + count]
        self.given += count
        return count


@pytest.mark.parametrize("text", [b"\0", b"y\n", b"c comment\n", b"p cnf 9 9\n", b"1 2 0\n", b" ", b"\n", b"~ x\n"])
def test_no_reader_takes_more_than_its_limit(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    monkeypatch.setattr("satlife.cnf.text.LONGEST_LINE", 3 << 20)
    monkeypatch.setattr("satlife.files.CHUNK", 1 << 20)
    monkeypatch.setattr("satlife.cnf.text.CHUNK", 1 << 20)
    monkeypatch.setattr("satlife.files.FORMULA_LIMIT", 5 << 20)
    for tell in (any_file.read, lambda name: files.read_text(name, 5 << 20)):
        device = Endless(text)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(device)))
        with pytest.raises(InputError) as caught:
            tell("-")
        assert device.given <= 7 << 20
        if "larger" in str(caught.value):
            assert "larger than 5 MB, the most that a" in str(caught.value)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_bomb_is_not_unpacked(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    bomb = tmp_path / "bomb"
    bomb.write_bytes(pack(b"y\n" * (8 << 20)))
    with pytest.raises(LimitError, match="is larger than 2 MB, the most that a text file may have"):
        files.read_text(bomb, 2 << 20)
    with files.reading(bomb, 3 << 20) as stream, pytest.raises(LimitError, match="larger than 3 MB"):
        knuthfile.read(stream)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_formula_is_not_much_larger_than_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    bomb, text = tmp_path / "bomb.gz", b"p cnf 3 40000\n" + b"1 -2 3 0\n" * 40_000
    bomb.write_bytes(pack(text))
    assert len(any_file.read(str(bomb))[0]) == 40_000  # few bytes may be packed as well as one likes
    monkeypatch.setattr(files, "UNPACKED", 1 << 17)
    with pytest.raises(LimitError, match=r"bomb\.gz unpacks to more than 0 MB and 100 times its size.* gzip -d"):
        any_file.read(str(bomb))
    bomb.write_bytes(text)
    assert len(any_file.read(str(bomb))[0]) == 40_000


def test_a_formula_needs_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satlife.memory.available", lambda: 100)
    with pytest.raises(LimitError, match=r"the formula in x\.sat would need"):
        parse_knuth("a b c d e f\n" * 100)


def test_comments_may_be_longer_than_a_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satlife.cnf.text.CHUNK", 10)
    file = tmp_path / "x"
    file.write_bytes(b"c 1 -> a\nc\n\nc some more of them\np cnf 1 1\n1 0\n")
    formula, kind, comments = any_file.read(str(file))
    assert (kind, formula.names, comments[-1]) == ("dimacs", ("a",), "some more of them")
