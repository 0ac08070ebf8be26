"""What was searched: complete searches for ships of a given width and any length, and refuted boxes.

Each is a line that says what was asked, the answer, by which program, when and how long it was searched, and a digest
of the number of partial ships after each row, so that two runs of one program can be compared and two programs agree or
do not.  Lines are exchanged as JSON, one a line, and kept in a table of the store.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime

from satlife.errors import InputError, StoreError
from satlife.problem.anybox import AnyBox
from satlife.problem.openbox import OpenBox
from satlife.problem.question import Question
from satlife.problem.reading import question_from
from satlife.records import dataclass
from satlife.store.database import StorePlace, named
from satlife.store.reconnect import connect
from satlife.version import __version__

VERSION = 1
ANSWERS = ("none", "found")


@dataclass(frozen=True)
class Searched:
    """A complete search.  `ships` are the apgcodes of what was found; of ships that end alike there is one."""

    question: Question
    answer: str
    program: str
    date: str
    seconds: float
    rows: int = 0  # of the longest partial ship, where it is known
    digest: str = ""  # of the counts per row; empty where they are not known
    ships: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return key_of(self.question)

    def tells_the_same(self, other: Searched) -> bool:
        """Whether the other search, of the same question, has nothing to add."""
        return (self.answer, self.program, self.ships) == (other.answer, other.program, other.ships) and (
            other.digest in ("", self.digest)
        )

    def to_line(self) -> str:
        """The JSON form, as it is kept and exchanged."""
        data = {"satlife searched": VERSION, "question": self.question.to_dict(), "answer": self.answer}
        data |= {"ships": list(self.ships), "program": self.program, "date": self.date}
        return json.dumps(data | {"seconds": round(self.seconds, 3), "rows": self.rows, "counts": self.digest})

    @classmethod
    def from_line(cls, line: str) -> Searched:
        """A complete search from its JSON form; an InputError says what is wrong."""
        try:
            data = json.loads(line)
            if data["satlife searched"] != VERSION:
                raise InputError(f"this line is of version {data['satlife searched']!r}; this program reads {VERSION}")
            ships = data.get("ships", [])
            words = [data["answer"], data["program"], data["date"], data.get("counts", ""), *ships]
            if not isinstance(ships, list) or not all(isinstance(word, str) and word.isprintable() for word in words):
                raise TypeError("a text is missing, or cannot be printed")
            seconds, rows = float(data["seconds"]), int(data["rows"])
            if not 0 <= seconds < math.inf or rows < 0:
                raise ValueError("its seconds and rows should be numbers, 0 or more")
            question = question_from(data["question"])
        except (ValueError, TypeError, KeyError, RecursionError, AttributeError, OverflowError) as error:
            raise InputError(f"this line is no complete search: {error}") from error
        answer, program, date, digest = words[:4]
        if answer not in ANSWERS or (answer == "none") != (not ships):
            raise InputError('a complete search has the answer "none", or "found" and ships')
        return cls(question, answer, program, date, seconds, rows, digest, tuple(ships))

    def words(self) -> str:
        """One line for people."""
        question = self.question
        size = "x".join(str(side or "*") for side in question.size)
        what = "" if question.kind == "spaceship" else f"{question.kind} "
        dx, dy = question.displacement
        moves = f" -d {dx},{dy}" if (dx, dy) != (0, 0) else ""
        mirror = "".join(f" -s '{name}'" for name in question.symmetries) + " --gutter" * question.has_gutter
        mirror += " --centred" if question.box and question.box.centred and question.box.has_other_centres else ""
        more = "".join(f" --{condition.name}" for condition in question.conditions)
        asked = f"{question.rule.name} {what}{size} -p {question.generations}{moves}{mirror}{more}"
        found = "none" if self.answer == "none" else f"found {', '.join(self.ships)}"
        rows = f", {self.rows} rows" if self.rows else ""
        return f"{asked}: {found} ({self.program}, {self.date[:10]}, {self.seconds:.1f} s{rows})"


def ended(question: Question, seconds: float, rows: int = 0, digest: str = "", ships: tuple[str, ...] = ()) -> Searched:
    """The record of a search that has ended just now."""
    answer, program = "found" if ships else "none", f"satlife {__version__}"
    return Searched(question, answer, program, now(), round(seconds, 3), rows, digest, ships)


def key_of(question: Question) -> str:
    """The key under which a search is kept."""
    return (upward(question.strip) if question.strip else question).key


def upward(box: OpenBox) -> OpenBox:
    """The question turned so that ships move upward: the same for all directions in an isotropic rule.  One with heads
    stays as it is."""
    if not box.rule.is_isotropic or box.heads:
        return box
    mirror = None if box.symmetry is None else "D2|"
    return replace(box, displacement=(abs(box.aside), -abs(box.forward)), symmetry=mirror, along="y")


def digest_of(counts: Sequence[int]) -> str:
    """A digest of the number of partial ships after each row."""
    return f"sha256:{hashlib.sha256(json.dumps(list(counts)).encode()).hexdigest()}"


def now() -> str:
    """The date of a search that has just ended."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Record(AbstractContextManager["Record"]):
    """The table of complete searches in a store."""

    def __init__(self, place: StorePlace) -> None:
        self.place = place
        self.connection = connect(place)

    def __exit__(self, *exc: object) -> None:
        self.connection.close()

    def add(self, entries: Iterable[Searched]) -> int:
        """Keep entries; returns how many are new."""
        with named(self.place), self.connection.transaction():
            statement = "INSERT INTO searched VALUES (?, ?) ON CONFLICT DO NOTHING"
            return sum(self.connection.each(statement, [(entry.key, entry.to_line()) for entry in entries]))

    def keep(self, entry: Searched) -> None:
        """Keep a search that has just ended, unless it only repeats what is recorded."""
        if not any(known.tells_the_same(entry) for known in self.of(entry.question)):
            self.add([entry])

    def of(self, question: Question) -> list[Searched]:
        """What is known about a question."""
        return self._entries("SELECT line FROM searched WHERE key = ?", (key_of(question),))

    def inside(self, question: AnyBox) -> tuple[Question, ...]:
        """The questions inside one without a box that are known to have no answer."""
        none = (entry.question for entry in self.all() if entry.answer == "none")
        return tuple(known for known in none if question.contains(known))

    def all(self) -> list[Searched]:
        return self._entries("SELECT line FROM searched", ())

    def _entries(self, query: str, values: tuple[str, ...]) -> list[Searched]:
        with named(self.place):
            rows = self.connection.execute(query, values).fetchall()
        return sorted((Searched.from_line(row["line"]) for row in rows), key=lambda entry: entry.date)


def keep(where: StorePlace, entry: Searched, say: Callable[[str], None]) -> None:
    """Record a search that has just ended; if that fails, `say` is told why, and its answer is still shown."""
    try:
        with Record(where) as record:
            record.keep(entry)
    except (InputError, StoreError) as error:
        say(f"this search could not be recorded: {error}")


def contradictions(entries: Sequence[Searched]) -> list[str]:
    """Where two searches of one question disagree: in the answer, or one program with itself in its counts."""
    by_key: dict[str, list[Searched]] = {}
    for entry in entries:
        by_key.setdefault(entry.key, []).append(entry)
    out = []
    for same in by_key.values():
        for number, entry in enumerate(same):
            for other in same[:number]:
                if disagreement := _disagreement(other, entry):
                    out.append(f"{disagreement}: {other.words()} | {entry.words()}")
                    break  # one contradiction is enough
    return out


def _disagreement(one: Searched, other: Searched) -> str:
    """What contradicts in two searches of one question, or ""."""
    if one.answer != other.answer:
        return "two answers"
    if one.program == other.program and one.digest and other.digest and one.digest != other.digest:
        return "two counts by one program"
    return ""
