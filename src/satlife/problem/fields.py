"""Fields: how a table of JSON or TOML is read, field by field.

What is not known is refused by name, since nobody would read it; what is of another type, with what it should be.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from satlife.errors import InputError

T = TypeVar("T")
JsonTable = Mapping[str, object]
WORDS: dict[type, str] = {str: "a string", int: "a whole number", bool: "true or false"}
LARGEST = 10**9  # number in a pair


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
