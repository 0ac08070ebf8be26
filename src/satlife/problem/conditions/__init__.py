"""The conditions, by name: every class in a module of this folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from satlife.errors import InputError, suggestion
from satlife.problem.conditions.condition import Condition, Flag, Option
from satlife.records import found_in

#: A new condition is a new module here, which nothing else has to name.
CONDITIONS: dict[str, type[Condition]] = found_in(__name__, Condition)  # type: ignore[type-abstract]


def read(wanted: Mapping[str, object], known: Iterable[Condition] = ()) -> tuple[Condition, ...]:
    """The conditions with these values by name, in the order of their names; `known` are others, which may be replaced.

    >>> read({"population": "<=20", "strict": True, "tight": False})
    (Population(bounds=(Bound(low=None, high=20, time=0),)), Strict())
    """
    found: dict[str, Condition | None] = {condition.name: condition for condition in known}
    for name, value in wanted.items():
        if name not in CONDITIONS:
            raise InputError(f"there is no condition {name!r}" + suggestion(name, CONDITIONS))
        found[name] = CONDITIONS[name].read(value)
    return tuple(condition for _, condition in sorted(found.items()) if condition is not None)


__all__ = ["CONDITIONS", "Condition", "Flag", "Option", "read"]
