"""The records of the families of questions, as JSON for the page, which builds its form from them."""

from __future__ import annotations

from functools import cache
from typing import TypedDict

from satlife.problem.conditions import CONDITIONS
from satlife.problem.families import FAMILIES, Family, Parameter


class ParameterRecord(TypedDict):
    """A parameter of a family."""

    name: str
    kind: str
    help: str
    default: object
    required: bool
    optional: bool
    choices: list[str]


class FamilyRecord(TypedDict):
    """A family: its name, the kind of its questions, what it asks for, and its parameters."""

    name: str
    kind: str
    words: str
    example: str
    parameters: list[ParameterRecord]


class ConditionRecord(TypedDict):
    """A condition for which the form has a field: a flag, or, with a metavar, values."""

    name: str
    help: str
    metavar: str


@cache
def conditions() -> list[ConditionRecord]:
    """The records of all conditions that take no file."""
    given = [(condition.name, condition.option) for condition in CONDITIONS.values()]
    return [{"name": name, "help": o.help, "metavar": o.metavar} for name, o in given if o and not o.file]


@cache
def records() -> list[FamilyRecord]:
    """The records of all families."""
    return [_record(family) for family in FAMILIES.values()]


def _record(family: Family) -> FamilyRecord:
    return {
        "name": family.name,
        "kind": family.name.replace("-", " "),
        "words": family.words,
        "example": family.examples[0],
        "parameters": [
            _parameter(given)
            for given in family.parameters
            if not (given.kind in ("pattern", "patterns") and given.options)
        ],
    }


def _parameter(given: Parameter) -> ParameterRecord:
    return {
        "name": given.name,
        "kind": given.kind,
        "help": given.help,
        "default": given.default,
        "required": given.required or not (given.options or given.default or given.optional),
        "optional": given.optional,
        "choices": list(given.choices),
    }
