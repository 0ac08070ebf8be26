"""Goal: what is wanted of the solutions of a question.

A goal is a record with a name.  Its JSON form is that name, or a table of the name and those fields that are not as
usual: "count", or {"name": "all", "most": 5}.  What a room does about a goal stands there in the module of the same
name: `search.goals` answers it, `proof.claims` says what a certificate of the answer claims, `cli.views` shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

from satlife.problem.measures import Measure
from satlife.records import dataclass

NAME = "name"  # the field of its JSON form that says which goal it is


@dataclass(frozen=True)
class GoalOption:
    """An option by which a goal is asked for in the shell.  Without a metavar it is a flag, else it takes a value:
    a text, or with `amount` a number or "all"."""

    names: tuple[str, ...]
    help: str
    metavar: str = ""
    amount: bool = False


@dataclass(frozen=True)
class Goal:
    """What is wanted.  The answer to each goal is a record of its own; see `problem.outcome` and `answers`."""

    name: ClassVar[str]
    words: ClassVar[str]  # what an engine without this goal cannot do
    options: ClassVar[tuple[GoalOption, ...]] = ()  # none: it has a command of its own, or is what is usual

    @classmethod
    def asked_by(cls, values: Mapping[str, Any]) -> Self | None:
        """The goal that the values of these options ask for; None if they do not."""
        return None

    @property
    def flag(self) -> str:
        """The option that asks for it, for messages."""
        return self.options[0].names[-1]

    def arguments(self) -> list[str]:
        """The options that ask for it."""
        return [self.flag] if self.options else []

    @property
    def room(self) -> str:
        """The name of the module for this goal in every room."""
        return type(self).__module__.rpartition(".")[2]

    def to_json_form(self) -> object:
        """The JSON form.

        >>> from satlife.problem.goals import CountAll, Optimise
        >>> CountAll().to_json_form(), Optimise(largest=True).to_json_form()
        ('count', {'name': 'optimise', 'largest': True})
        """
        usual = usual_fields(type(self))
        changed = {name: value for name in usual if (value := getattr(self, name)) != usual[name]}
        texts = {name: str(value) if isinstance(value, Measure) else value for name, value in changed.items()}
        return {NAME: self.name, **texts} if texts else self.name


def usual_fields(kind: type[Goal]) -> dict[str, Any]:
    """The fields of the JSON form, with their usual values; what is known already is no part of what is wanted."""
    return {field.name: field.default for field in fields(kind) if field.name != "known"}
