"""The families of questions as the page is told of them: their records, less what only a shell needs."""

from __future__ import annotations

from functools import cache
from typing import Any

from satlife.problem.families import FAMILIES, Family, Parameter
from satlife.problem.problem import Problem


@cache
def records() -> list[dict[str, Any]]:
    """Every family: its name, the kind of its questions, what it asks for, and its parameters."""
    return [_record(family) for family in FAMILIES.values()]


def _record(family: Family) -> dict[str, Any]:
    return {
        "name": family.name,
        "kind": family.name.replace("-", " "),
        "words": family.words,
        "example": family.examples[0],
        "parameters": [_parameter(given) for given in family.parameters],
        "adds": _adds(family),
    }


def _parameter(given: Parameter) -> dict[str, Any]:
    return {
        "name": given.name,
        "kind": given.kind,
        "help": given.help,
        "default": given.default,
        "required": given.required or not (given.options or given.default),
        "choices": list(given.choices),
    }


def _adds(family: Family) -> dict[str, int]:
    """What its questions have beyond the box and the generations asked for, as the question of its defaults shows: an
    eater adds a row, a column and five generations, in which the glider arrives and what is left proves to be still."""
    defaults = {given.name: given.default for given in family.parameters}
    if not {"size", "generations"} <= defaults.keys() or None in defaults.values():
        return {"width": 0, "height": 0, "generations": 0}
    asked, (width, height) = family.ask(**defaults), defaults["size"]
    assert isinstance(asked, Problem)
    generations = asked.generations - defaults["generations"]
    return {"width": asked.width - width, "height": asked.height - height, "generations": generations}
