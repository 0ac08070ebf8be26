"""The certificate that a box of any length has no ship, wave or oscillator: a folder.

    statement.txt        the claim, in words
    certificate.json     the question; how many windows there are, and how long walks between them may be
    problem.json         the question
    windows.xz           the windows, see `windows`
    checked.txt          what was checked when the certificate was made

The last one is for people; `verify` reads the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

from satlife import files
from satlife.errors import InputError
from satlife.problem.meaning import properties
from satlife.problem.openbox import OpenBox
from satlife.proof.bundle import CERTIFICATE, PROBLEM, STATEMENT, VERSION, WINDOWS, known_table, must_be_read
from satlife.proof.parallel import Checking
from satlife.proof.rows import windows
from satlife.proof.rows.check import check
from satlife.proof.rows.sequence import Sequence
from satlife.proof.rows.windows import Keys
from satlife.records import dataclass

FIELDS = ("satlife", "claim", "windows", "made")  # the last one is for people


@dataclass(frozen=True)
class OpenClaim:
    """That there is no ship in an open box, shown by so many windows, and walks of so many rows between them."""

    box: OpenBox
    count: int
    span: int

    def __post_init__(self) -> None:
        must_be_about_all(self.box)

    def to_dict(self) -> dict[str, dict[str, object]]:
        """The JSON form."""
        shown: dict[str, object] = {"count": self.count, "span": self.span}
        return {"claim": {"kind": "none", "problem": self.box.to_dict(), "finds": 0}, "windows": shown}

    @classmethod
    def from_dict(cls, data: dict[str, object]) -> OpenClaim:
        """A claim from its JSON form; an InputError says what is wrong with it."""
        known_table(data, FIELDS, "the certificate")
        try:
            claim, shown = data["claim"], data["windows"]
            assert isinstance(claim, dict)
            assert isinstance(shown, dict)
            numbers = [shown[name] for name in ("count", "span")]
            if claim["kind"] != "none" or any(type(number) is not int or number < 0 for number in numbers):
                raise ValueError
            found = cls(OpenBox.from_dict(claim["problem"]), *numbers)
        except (AssertionError, KeyError, TypeError, ValueError) as error:
            raise InputError("the claim, or the description of its windows, is damaged") from error
        for name, ours in found.to_dict().items():
            must_be_read(data[name], ours, "the claim" if name == "claim" else f"the field `{name}`")
        return found

    @property
    def headline(self) -> str:
        """The claim in a sentence."""
        return f"There is no {self.box.noun} with these properties, however long it is"

    def statement(self) -> str:
        """The claim in words; certificates contain this text, so that it must not change within a version."""
        box = self.box
        lines = [f"{self.headline}:", ""]
        lines += [f"* {sentence}" for sentence in properties(box)]
        if box.aside:
            lines.append("* In generation t the window has moved aside by dx t / p, rounded, where p is the period.")
        lines += ["", *(self._by_lines() if box.stays else self._by_rows())]
        return "\n".join(lines) + "\n"

    def _by_rows(self) -> list[str]:
        box, noun = self.box, self.box.noun
        return [
            f"The rows of a {noun}, of all its generations, form one sequence, in which {2 * box.period} rows in a row",
            f"(a window) decide what may come next.  In {WINDOWS} there are {self.count:,} of them.  Every walk from",
            f"one, or from emptiness, comes within {self.span} rows to one of them, or to an image of one under a",
            "symmetry of the question, or to an end; none comes back to emptiness.",
        ]

    def _by_lines(self) -> list[str]:
        p = self.box.period
        return [
            f"A line is a row in all {p} generations, and two lines in a row (a window) decide what may come next.",
            "The period of a walk from line to line is the least common multiple of the periods of its lines.",
            f"In {WINDOWS} there are {self.count:,} windows, each with a period.  Every walk from one with its",
            f"period, or from emptiness with period 1, comes within {self.span} rows to one of them with its own",
            "period or a multiple of it, or to an image of one, begun at another generation or under a symmetry of",
            "the question; or it comes to emptiness with period 1, or to an end.  None comes back to emptiness",
            f"with period {p}.",
        ]


def must_be_about_all(box: OpenBox) -> None:
    """Refuse questions about some ships only, and those about many periods: windows show neither."""
    if box.heads:
        raise InputError("a certificate of a box of any length is about all ships, not about those with given heads")
    if box.multiples:
        raise InputError("a certificate of a box of any length is about one period, not about its multiples")


def write(folder: Path, box: OpenBox, keys: Keys, span: int, made: dict[str, str]) -> None:
    """Write a certificate into an empty folder."""
    claim = OpenClaim(box, len(keys), span)
    data = {"satlife": VERSION, **claim.to_dict(), "made": made}
    (folder / STATEMENT).write_bytes(claim.statement().encode())
    (folder / CERTIFICATE).write_bytes((json.dumps(data, indent=1) + "\n").encode())
    (folder / PROBLEM).write_bytes((box.to_json() + "\n").encode())
    windows.write(folder / WINDOWS, keys, Sequence(box))


def is_open(data: object) -> TypeGuard[dict[str, object]]:
    """Whether the contents of a certificate.json are those of an open box."""
    return isinstance(data, dict) and data.get("satlife") == VERSION and "windows" in data


def verify(folder: Path, claim: OpenClaim, checking: Checking) -> Iterator[str]:
    """Verify a certificate; yields a line for each step that succeeds, and raises an InputError or LimitError for the
    first that fails."""
    yield f"files: a certificate of kind `none` for a box of any length, {claim.count:,} windows"
    for name, expected in ((STATEMENT, claim.statement()), (PROBLEM, claim.box.to_json() + "\n")):
        with files.inside(folder, name) as stream:
            if stream.read(len(expected.encode()) + 1) != expected.encode():
                raise InputError(f"statement: {name} does not say what the claim says, as this version says it")
    yield "statement: the words, problem.json and the claim agree"
    keys = windows.read(folder, WINDOWS, Sequence(claim.box), claim.count)
    if len(keys) != claim.count:
        raise InputError(f"windows: there are {len(keys):,} instead of {claim.count:,}")
    tried = check(claim.box, keys, claim.span, checking, (folder / WINDOWS).stat().st_size)
    yield f"windows: {len(keys):,}, closed: {tried:,} rows were tried by satlife's checker, and none leads elsewhere"
