"""The inverse of the command line: the command that asks a given question."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from satlife.errors import InputError
from satlife.life.rule import LIFE
from satlife.problem.families import FAMILIES, Family, Parameter
from satlife.problem.families.family import Common
from satlife.problem.openbox import OpenBox
from satlife.problem.question import Question


def arguments(question: Question) -> list[str] | None:
    """The arguments of `satlife` that ask a question; None if it needs a file.

    >>> from satlife.problem.families import open_spaceship, spaceship
    >>> arguments(spaceship((16, 5), 3, (0, -1), symmetry="D2v"))
    ['spaceship', '16x5', '-p', '3', '-d', '0,-1', '-s', 'D2|']
    >>> arguments(open_spaceship(8, 3, (0, -1)))
    ['spaceship', '8x*', '-p', '3', '-d', '0,-1']
    """
    recognised = recognise(question)
    if recognised is None:
        return None
    family, own = recognised
    words = [family.name]
    for parameter in family.parameters:
        if parameter.name in own and (parameter.required or own[parameter.name] != parameter.default):
            words += _spelled(parameter, own[parameter.name])
    return words + _common_words(question)


def recognise(question: Question) -> tuple[Family, Mapping[str, Any]] | None:
    """The family and the parameters that, with the common options, ask exactly this question; None if none do."""
    family = FAMILIES.get(question.kind.replace(" ", "-"))
    own = family.recognise(question) if family else None
    if family is None or own is None or not _asks(family, dict(own), question):
        return None
    return family, own


def _asks(family: Family, own: dict[str, object], question: Question) -> bool:
    """Whether the family, with these parameters and the common options, asks exactly this question."""
    try:
        made = family.ask(**own, **_common(question))
    except InputError:
        return False
    return replace(made, kind=question.kind) == question if not isinstance(made, OpenBox) else made == question


def _common(question: Question) -> Common:
    if isinstance(question, OpenBox):
        return {"rule": question.rule, "symmetry": () if question.symmetry is None else (question.symmetry,)}
    names = ("rule", "symmetry", "population", "differ", "strict", "tight")
    return {name: getattr(question, name) for name in names}  # type: ignore[return-value]


def _common_words(question: Question) -> list[str]:
    common = _common(question)
    words = ["-r", question.rule.name] if question.rule != LIFE else []
    for name in common["symmetry"]:
        words += ["-s", name]
    for bound in common.get("population", ()):
        words += ["--population", str(bound)]
    for pair in common.get("differ", ()):
        words += ["--differ", "{},{}".format(*pair)]
    return words + ["--strict"] * common.get("strict", False) + ["--tight"] * common.get("tight", False)


def _spelled(parameter: Parameter, value: Any) -> list[str]:
    """A parameter as arguments of the command line."""
    if parameter.kind == "flag":
        return [parameter.options[-1]]
    if parameter.kind in ("box", "open box"):
        return ["x".join(str(side or "*") for side in value)]
    text = "{},{}".format(*value) if parameter.kind == "vector" else str(value)
    option = parameter.options[0]
    return [f"{option}={text}"] if text.startswith("-") and option.startswith("--") else [option, text]


def command(question: Question, *options: str, program: Sequence[str] = ("satlife",)) -> str:
    """A shell command that asks a question; one that needs a file contains it as a here-document.

    >>> from satlife.problem.families import oscillator
    >>> command(oscillator((20, 20), 19), program=("satlife", "jobs", "start"))
    'satlife jobs start oscillator 20x20 -p 19'
    """
    words = arguments(question)
    if words is not None:
        return shlex.join([*program, *words, *options])
    return f"{shlex.join([*program, 'search', '-', *options])} <<'END'\n{question.to_toml()}END"
