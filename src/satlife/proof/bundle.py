"""The format of certificates: a folder.

    statement.txt        the claim, in words
    certificate.json     the claim as data; for every part the size and sha256 of its formula; versions of the software
    problem.json         the problem
    finds.jsonl          the patterns, one per line
    1/problem.json       a problem that must have no solution
    1/variables.txt      which variable of its formula stands for which cell
    1/proof.drat.xz      the DRAT proof that the formula is unsatisfiable
    2/ ...
    checked.txt          what was checked when the certificate was made

A certificate may rest on others instead of on proofs of its own.  Then certificate.json names them and the rule of
inference (see `inference`), and each is a folder of this format in the folder.

The formulas themselves are not stored: `satlife verify FOLDER --write-cnf TARGET` writes them.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import lzma
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from satlife import files, memory
from satlife.cnf import dimacs
from satlife.cnf.formula import Formula
from satlife.errors import InputError, LimitError
from satlife.problem.problem import Problem
from satlife.problem.question import as_json, from_json, must_know
from satlife.proof import checker, drat
from satlife.proof.claims import Claim, claim_from
from satlife.proof.drat import Steps
from satlife.proof.inference import Rests
from satlife.proof.plain import Plain
from satlife.records import dataclass

VERSION = 2  # since version 2 the statement of a list says what distinguishes patterns
LARGEST_PROOF = 4 << 30  # bytes, unpacked, of a proof that is held in memory
LARGEST_STREAM = 1 << 40  # of a proof that is checked while it is read
LARGEST_STEPS = 32 << 20, 4096  # of any proof, and more for each step that it may have
SURPLUS = 100_000  # steps that a proof may have beyond those that are promised: so many are counted, and told
BOMB = 1 << 20, 100  # packed proofs and windows are a third of their size: no more bytes, and no more times the size
PIECE = 1 << 16  # bytes of a packed proof at a time
AHEAD = 1 + BOMB[0] // PIECE  # pieces that are unpacked before the first step is read: a bomb shows itself in them
LARGEST_TEXT = 64 << 20  # bytes
JSON = 40  # bytes of memory per byte of JSON, at worst
STATEMENT, CERTIFICATE, PROBLEM, FINDS, CHECKED = (
    "statement.txt", "certificate.json", "problem.json", "finds.jsonl", "checked.txt",
)  # fmt: skip
ATLAS_1 = "atlas.json"  # of an atlas before its certificates had this format
VARIABLES, PROOF = "variables.txt", "proof.drat.xz"
FIELDS = ("satlife", "claim", "parts", "rests", "made")  # the last one is for people
PART_FIELDS = ("formula", "lemmas", "solver", "seconds")  # the last two are for people
WINDOWS = "windows.xz"  # of a box of any length, see `proof.rows`


@dataclass(frozen=True)
class Part:
    """A problem, its plain formula, and the proof that the formula is unsatisfiable."""

    problem: Problem
    plain: Plain
    formula: Formula
    proof: Steps
    solver: str = ""
    seconds: float = 0.0

    def to_dict(self) -> dict[str, object]:
        return {
            "formula": describe(self.formula),
            "lemmas": self.proof.lemmas,
            "solver": self.solver,
            "seconds": round(self.seconds, 3),
        }


def cnf(formula: Formula) -> Iterator[bytes]:
    """The formula as the bytes of its file: DIMACS without comments."""
    return dimacs.write(Formula(formula.literals, formula.ends, formula.variables))


def describe(formula: Formula) -> dict[str, int | str]:
    """Size and digest of a formula's file."""
    digest = hashlib.sha256()
    for piece in cnf(formula):
        digest.update(piece)
    return {"variables": formula.variables, "clauses": len(formula), "sha256": digest.hexdigest()}


def claim_folder(target: Path) -> None:
    """Make sure, before any work is done, that the folder can be created and overwrites nothing."""
    with named(target):
        existed = target.exists()
        if existed and (not target.is_dir() or any(target.iterdir())):
            raise InputError(f"{target} exists and is not an empty folder; a certificate overwrites nothing")
        target.absolute().parent.mkdir(parents=True, exist_ok=True)
    with staged(target):
        pass
    if not existed:
        target.rmdir()


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A temporary folder beside the target, which replaces it when its contents are complete."""
    with scratch(target) as partial:
        yield partial
        with named(target):
            os.replace(partial, target)  # fails, without loss, if the target is not empty any more


@contextmanager
def scratch(target: Path) -> Iterator[Path]:
    """A temporary folder beside the target, on the same file system; removed at the end."""
    place = target.absolute()
    partial = place.with_name(f".{place.name[:100]}.{os.getpid()}.partial")
    with named(target):
        partial.mkdir()
    try:
        yield partial
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def named(target: Path) -> Iterator[None]:
    """Turn errors of writing to a folder, such as a full disk, into an InputError that names it."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write the folder {target}: {error.strerror or error}") from error


def write(folder: Path, claim: Claim, parts: Sequence[Part], made: dict[str, str], rests: Rests | None = None) -> None:
    """Write a certificate into a folder that is empty, or has the certificates on which it rests."""
    data: dict[str, object] = {
        "satlife": VERSION,
        "claim": claim.to_dict(),
        "parts": [part.to_dict() for part in parts],
        "made": made,
    }
    if rests is not None:
        data["rests"] = rests.to_dict()
    (folder / STATEMENT).write_bytes(claim.statement(rests.words() if rests else ()).encode())
    (folder / CERTIFICATE).write_bytes((json.dumps(data, indent=1) + "\n").encode())
    (folder / PROBLEM).write_bytes((claim.problem.to_json() + "\n").encode())
    (folder / FINDS).write_bytes(
        "".join(json.dumps(find.to_dict(claim.problem)) + "\n" for find in claim.finds).encode()
    )
    for number, part in enumerate(parts, 1):
        sub = folder / str(number)
        sub.mkdir()
        (sub / PROBLEM).write_bytes((part.problem.to_json() + "\n").encode())
        (sub / VARIABLES).write_bytes("".join(f"{line}\n" for line in part.plain.cells()).encode())
        with lzma.open(sub / PROOF, "wb", preset=1) as packed:
            for piece in drat.pieces(part.proof):
                packed.write(piece)


@dataclass(frozen=True)
class Bundle:
    """The contents of a certificate, not yet verified."""

    folder: Path
    claim: Claim
    parts: list[dict[str, object]]
    rests: Rests | None = None
    path: tuple[str, ...] = ()  # where it lies in the folder, if another certificate rests on it

    def says(self, expected: str, *names: str) -> bool:
        """Whether a file contains exactly this text; no more of it is read than is necessary."""
        wanted = expected.encode()
        with files.inside(self.folder, *self.path, *names) as stream:
            return stream.read(len(wanted) + 1) == wanted

    def promised(self, number: int) -> int:
        """The number of lemmas that a proof is said to have."""
        return _number(self.parts[number - 1], "lemmas")

    def _most(self, number: int) -> int:
        """The steps that a proof may have: what it promises, and a deletion of each lemma and each clause."""
        return 2 * self.promised(number) + _number(self.parts[number - 1].get("formula"), "clauses")

    def steps(self, number: int, advance: Callable[[int], None] = lambda size: None) -> Iterator[Steps]:
        """Read a proof piece by piece; `advance` is told how many bytes of its file were used up."""
        source, most = str(Path(self.folder, *self.path, str(number), PROOF)), self._most(number)
        with files.inside(self.folder, *self.path, str(number), PROOF) as stream:
            place = begun = 0
            data = unpacked(stream, source, min(LARGEST_STREAM, _room(most)), PIECE)
            data = itertools.chain(list(itertools.islice(data, AHEAD)), data)
            for steps in drat.stream(data, source, checker.allowance(source)):
                begun += len(steps)
                _must_be_few(begun, most, source)
                yield steps
                advance(stream.tell() - place)
                place = stream.tell()
            advance(stream.tell() - place)

    def proof(self, number: int) -> Steps:
        """Read a whole proof; raises LimitError if there is not enough memory to check it backward."""
        source, most = str(Path(self.folder, *self.path, str(number), PROOF)), self._most(number)
        allow = checker.allowance(source)

        def few(literals: int, steps: int) -> None:
            _must_be_few(steps, most, source)
            allow(literals, steps)

        with files.inside(self.folder, *self.path, str(number), PROOF) as stream:
            return drat.read(unpacked(stream, source, min(LARGEST_PROOF, _room(most))), source, few)


def unpacked(stream: BinaryIO, source: str, limit: int, chunk: int = files.CHUNK) -> Iterator[bytes]:
    """The contents of a packed proof, or of packed windows, from anybody."""
    return files.unpacked(stream, source, limit, chunk, BOMB)


def _number(data: object, name: str) -> int:
    """A number that a part of a certificate has."""
    found = data.get(name) if isinstance(data, dict) else None
    if type(found) is not int:
        raise InputError(f"the number of {name} is missing or damaged")
    return found


def _room(most: int) -> int:
    """The bytes that so many steps may take."""
    whole, each = LARGEST_STEPS
    return whole + each * most


def _must_be_few(steps: int, most: int, source: str) -> None:
    if steps > most + SURPLUS:
        what = "the lemmas that the certificate promises, and a deletion of each clause"
        raise LimitError(f"{source} has many more steps than {what}")


def contents(folder: Path, *path: str) -> object:
    """What certificate.json says; an InputError if it is missing or damaged."""
    place = Path(folder, *path)
    if not path and (place / ATLAS_1).is_file() and not (place / CERTIFICATE).exists():
        raise InputError(f"{place / ATLAS_1}: the certificates of an atlas have another form since; make them again")
    return _json(place / CERTIFICATE, _text(folder, *path, CERTIFICATE))


def read(folder: Path, *path: str) -> Bundle:
    """Read a certificate, or one on which it rests; an InputError names the file that is missing or damaged.

    The path leads from folder to folder inside the first, and follows no link."""
    place, data = Path(folder, *path), contents(folder, *path)
    if isinstance(data, dict) and data.get("satlife") == 1:
        old = "which did not say what tells patterns apart; make it again"
        raise InputError(f"{place / CERTIFICATE}: the certificate is of version 1, {old}")
    if not isinstance(data, dict) or data.get("satlife") != VERSION:
        raise InputError(f"{place / CERTIFICATE}: not a certificate of version {VERSION}")
    known_table(data, FIELDS, "the certificate")
    parts, asserted = data.get("parts"), data.get("claim")
    if not isinstance(parts, list):
        raise InputError(f"{place / CERTIFICATE}: the list of parts is damaged")
    for number, part in enumerate(parts, 1):
        known_table(part, PART_FIELDS, f"part {number}")
    finds = _finds(folder, path, claim_from(asserted, []))
    if not isinstance(asserted, dict) or asserted.get("finds") != len(finds):
        raise InputError(f"{place / FINDS}: there are {len(finds)} finds, and the claim has another number")
    claim = claim_from(asserted, finds)
    must_be_read(asserted, claim.to_dict(), "the claim")
    others = Rests.from_dict(data["rests"]) if "rests" in data else None
    return Bundle(folder, claim, parts, others, path)


def known_table(data: object, names: Collection[str], what: str) -> dict[str, object]:
    """A table that has none but these fields: any other would not be read."""
    if not isinstance(data, dict):
        raise InputError(f"{what} is not a table of fields")
    must_know(data, names, f"{what} has no field", f"; there are {', '.join(names)}")
    return data


def must_be_read(data: object, ours: Mapping[str, object], what: str) -> None:
    """Refuse a table with a field that we would not write, or write otherwise: all that it says is then read."""
    for name, value in known_table(data, ours, what).items():
        given, wanted = (as_json(one, sort_keys=True) for one in (value, ours[name]))
        if given != wanted:
            raise InputError(f"the field `{name}` of {what} should be {wanted[:80]}, not {given[:80]}")


def _finds(folder: Path, path: Sequence[str], claim: Claim) -> list[dict[str, object]]:
    """The finds as JSON, if there is enough memory for them."""
    place, asked = Path(folder, *path, FINDS), claim.answered()
    finds, generations = [], 0
    for number, line in enumerate(io.StringIO(_text(folder, *path, FINDS)), 1):
        find = _json(place, line, f"line {number}: ")
        if not isinstance(find, dict) or not isinstance(find.get("generations"), list):
            raise InputError(f"{place}: line {number}: a find is a table with its `generations`")
        finds.append(find)
        generations += len(find["generations"])
    # However short the text of a find is, each of its generations becomes an array of the size of the box.
    memory.require(2 * generations * (asked.width * asked.height + 200), f"the patterns of {place}")
    return finds


def _text(folder: Path, *names: str) -> str:
    """A text file, if there is enough memory to parse it as JSON."""
    place = Path(folder, *names)
    with files.inside(folder, *names) as stream:
        data = stream.read(LARGEST_TEXT + 1)
    if len(data) > LARGEST_TEXT:
        raise LimitError(f"{place}: larger than the limit of {LARGEST_TEXT >> 20} MB")
    memory.require(JSON * len(data), f"reading {place}")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{place}: not a text file (byte {error.start + 1} is not UTF-8)") from error


def _json(path: Path, text: str, where: str = "") -> object:
    try:
        return from_json(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {where}not valid JSON: {error}") from error
