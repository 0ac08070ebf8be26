"""The records of the families of questions, as JSON for the page, which builds its form from them."""

from __future__ import annotations

from functools import cache
from typing import Any, TypedDict

from satlife.problem.families import FAMILIES, Family, Parameter
from satlife.problem.problem import Problem


class ParameterRecord(TypedDict):
    """A parameter of a family."""

    name: str
    kind: str
    help: str
    default: Any
    required: bool
    choices: list[str]


class FamilyRecord(TypedDict):
    """A family: its name, the kind of its questions, what it asks for, and its parameters."""

    name: str
    kind: str
    words: str
    example: str
    parameters: list[ParameterRecord]
    adds: dict[str, int]


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
        "parameters": [_parameter(given) for given in family.parameters],
        "adds": _adds(family),
    }


def _parameter(given: Parameter) -> ParameterRecord:
    return {
        "name": given.name,
        "kind": given.kind,
        "help": given.help,
        "default": given.default,
        "required": given.required or not (given.options or given.default),
        "choices": list(given.choices),
    }


def _adds(family: Family) -> dict[str, int]:
    """How much larger the box and the generations of a question are than its parameters say, taken from the question
    with default parameters.  An eater adds a row, a column and five generations, for the approach of the glider and for
    the check that the eater is still afterwards.
    """
    defaults = {given.name: given.default for given in family.parameters}
    if not {"size", "generations"} <= defaults.keys() or None in defaults.values():
        return {"width": 0, "height": 0, "generations": 0}
    asked, (width, height) = family.ask(**defaults), defaults["size"]
    assert isinstance(asked, Problem)
    generations = asked.generations - defaults["generations"]
    return {"width": asked.width - width, "height": asked.height - height, "generations": generations}
