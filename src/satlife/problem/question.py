"""Question: what is asked, and nothing about how the answer is sought.

Questions differ by their place: a Problem is about the cells of a box, an OpenBox about patterns of a given width and
any length, an AnyBox about patterns of any size, and a Completion about patterns of any size that contain given cells.
All have a JSON and a TOML form and a key, and all say what an engine must be able to handle (`needs`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeVar

from satlife.errors import InputError, LimitError
from satlife.life.rule import Rule
from satlife.problem.conditions.condition import Condition

if TYPE_CHECKING:
    from satlife.problem.openbox import OpenBox
    from satlife.problem.problem import Problem

VERSION = 1
DIGITS = 40  # of a whole number in JSON
LARGEST = 10**9  # size, period or displacement that a question may name
JsonFields = dict[str, object]
C = TypeVar("C", bound=Condition)
CENTRED = "centred"  # the field for symmetries about the middle of the box
MULTIPLES = "multiples"  # the field in JSON of questions for ships whose period may be a multiple


class Place(StrEnum):
    """Where patterns are sought.  The words complete "it cannot handle ..."."""

    BOX = "boxes"
    STRIP = "boxes of any length"
    ANYWHERE = "questions without a box"
    AROUND = "completions without a margin"


#: Of which only the patterns have a size.
BOUNDLESS = frozenset({Place.ANYWHERE, Place.AROUND})


class Need(StrEnum):
    """What some engines cannot handle, apart from places and conditions.  The words complete "it cannot handle ..."."""

    STATES = "rules with more than two states"
    BLINKING = "rules with B0"
    PARTIAL = "rules that leave transitions open"
    ANISOTROPIC = "rules that are not isotropic"
    FORBIDDEN = "rules that forbid neighbourhoods"
    HEADS = "ships with given heads"
    WRAP = "boxes that wrap around"
    MOTION = "patterns that move"
    SYMMETRY = "symmetries"
    KNOWN = "known cells"
    FREED = "cells that are freed from the rule"
    NO_PERIOD = "questions without a period"
    OPEN_END = "generations that leave the box"
    ANY_PERIOD = "patterns whose period may be smaller"
    EMPTY = "patterns that may be empty"
    MULTIPLES = "multiples of the period"
    CENTRES = "symmetries about another centre than the middle of the box"


def needs_of_rule(rule: Rule) -> set[str]:
    """What an engine must be able to handle on account of the rule."""
    return {
        need
        for need, given in {
            Need.STATES: rule.states > 2,
            Need.BLINKING: rule.births_from_nothing,
            Need.PARTIAL: rule.is_partial,
            Need.ANISOTROPIC: not rule.is_isotropic,
            Need.FORBIDDEN: bool(rule.forbidden),
        }.items()
        if given
    }


def must_be_named(*numbers: int) -> None:
    """Refuse sizes, periods and displacements that are too large even to be written in a message."""
    if any(abs(number) > LARGEST for number in numbers):
        raise LimitError(f"a size, period or displacement is beyond the limit of {LARGEST:,}")


class Question(ABC):
    """What Problem, OpenBox, AnyBox and Completion have in common."""

    place: ClassVar[Place]

    if TYPE_CHECKING:  # these are fields in one kind and properties in the other

        @property
        def kind(self) -> str:
            """The name of its family."""

        @property
        def noun(self) -> str:
            """What is sought."""

        @property
        def width(self) -> int: ...
        @property
        def wrap(self) -> tuple[bool, bool]:
            """Whether x and y wrap around."""

        @property
        def rule(self) -> Rule: ...
        @property
        def displacement(self) -> tuple[int, int]: ...
        @property
        def generations(self) -> int: ...
        @property
        def conditions(self) -> tuple[Condition, ...]: ...
        @property
        def multiples(self) -> bool:
            """Whether the period may also be a multiple of its own, at the same velocity."""

    @property
    def box(self) -> Problem | None:
        """The question itself if it is about a box."""
        return None

    @property
    def strip(self) -> OpenBox | None:
        """The question itself if it is about a box of any length."""
        return None

    @cached_property
    @abstractmethod
    def needs(self) -> frozenset[str]:
        """What an engine must be able to handle: its place unless that is a box, members of Need, and the names of
        conditions."""

    @property
    @abstractmethod
    def size(self) -> tuple[int, int]:
        """Width and height of the box; 0 for a side that is open."""

    @property
    @abstractmethod
    def symmetries(self) -> tuple[str, ...]:
        """The names of the symmetries."""

    @property
    def has_gutter(self) -> bool:
        """Whether the middle column of a mirror symmetry has to be dead."""
        return False

    def get(self, kind: type[C]) -> C | None:
        """The condition of this kind, if the question has it."""
        return next((condition for condition in self.conditions if isinstance(condition, kind)), None)

    def every(self, times: int) -> Question:
        """The question with exactly so many times its period, at the same velocity."""
        return self

    @abstractmethod
    def to_dict(self) -> JsonFields:
        """The JSON form."""

    @abstractmethod
    def case(self, found: Problem | None) -> Problem:
        """The problem that a find of this question solves, which may be a special case of it."""

    @abstractmethod
    def in_a_box(self, what: str) -> Problem:
        """This question if it is about a box, for ships at a speed with their least period; for one about any length an
        InputError says that `what` needs a box."""

    def typical(self, what: str) -> Problem:
        """A question about a box that stands for all that this one is about; otherwise as `in_a_box`."""
        return self.in_a_box(what)

    def to_json(self) -> str:
        return as_json(self.to_dict())

    def to_toml(self) -> str:
        """The TOML form; TOML lists may mix types, as JSON lists do."""
        return as_toml(self.to_dict())

    @cached_property
    def key(self) -> str:
        """A sha256 digest of what is asked, without the name of its family."""
        data = {name: value for name, value in self.to_dict().items() if name != "kind"}
        import hashlib  # which loads a cryptographic library

        return hashlib.sha256(as_json(data, sort_keys=True).encode()).hexdigest()


def as_json(value: object, *, sort_keys: bool = False, ensure_ascii: bool = True) -> str:
    """The JSON text of a value."""
    import json  # which most questions do not need

    return json.dumps(value, sort_keys=sort_keys, ensure_ascii=ensure_ascii)


def as_toml(fields: JsonFields) -> str:
    """The TOML text of a table."""
    return "".join(f"{name} = {_toml(name, value)}\n" for name, value in fields.items())


def from_json(text: str) -> object:
    """The value of JSON text.  A ValueError says what is wrong, which may be a number that nothing here has, or a name
    that stands twice in a table, so that one of its values would not be read."""
    import json

    value: object = json.loads(text, parse_int=_whole, parse_constant=_whole, object_pairs_hook=_table)
    return value


def _whole(text: str) -> int:
    if len(text) > DIGITS or not text.removeprefix("-").isdecimal():
        raise ValueError(f"{text[:DIGITS]} is no number of at most {DIGITS} digits")
    return int(text)


def _table(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"a table has {next(name for name in names if names.count(name) > 1)!r} twice")
    return table


def _toml(name: str, value: object) -> str:
    if name != "cells" or not isinstance(value, list):
        return _inline(value)
    blocks = ",\n".join("  [\n" + "".join(f"    {as_json(r)},\n" for r in rows) + "  ]" for rows in value)
    return f"[\n{blocks}\n]"


def _inline(value: object) -> str:
    """A value on one line; TOML writes tables in its own way, and everything else as JSON does."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} = {_inline(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return as_json(value, ensure_ascii=False)


# Fields: how a table of JSON or TOML is read, field by field.
#
# What is not known is refused by name, since nobody would read it; what is of another type, with what it should be.

T = TypeVar("T")
JsonTable = Mapping[str, object]
WORDS: dict[type, str] = {str: "a string", int: "a whole number", bool: "true or false"}


def must_know(data: JsonTable, names: Collection[str], what: str, others: str = "") -> None:
    """Refuse a field that is none of these; `what` says of what it is none, and `others` which there are.

    >>> must_know({"box": [8, 8]}, ("box", "period"), "a question has no field")
    >>> must_know({"bax": [8, 8]}, ("box", "period"), "a question has no field")
    Traceback (most recent call last):
    satlife.errors.InputError: a question has no field 'bax'
    """
    if unknown := sorted(set(data) - set(names)):
        raise InputError(f"{what} {unknown[0]!r}{others}")


def read(data: JsonTable, name: str, kind: type[T], default: T, most: int | None = None) -> T:
    """A text, a whole number (at most as large as `most`), or a truth value."""
    value = data.get(name, default)
    fits = isinstance(value, kind) and isinstance(value, bool) == (kind is bool)
    if not fits or (most is not None and isinstance(value, int) and abs(value) > most):
        raise InputError(f"the field `{name}` should be {WORDS[kind]}, not {value!r}")
    return value  # type: ignore[return-value]


def pair(data: JsonTable, name: str, default: tuple[int, ...], most: int = LARGEST) -> tuple[int, int]:
    """Two whole numbers."""
    value = data.get(name, default)
    if isinstance(value, Sequence) and len(value) == 2 and all(type(v) is int and abs(v) <= most for v in value):
        return value[0], value[1]
    raise InputError(f"the field `{name}` should be two whole numbers, not {str(value)[:40]}")


def strings(data: JsonTable, name: str) -> list[str]:
    """A list of strings; one may stand by itself."""
    value = data.get(name, [])
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Sequence) or not all(isinstance(item, str) for item in value):
        raise InputError(f"the field `{name}` should be a list of strings")
    return list(value)
