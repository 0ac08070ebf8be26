"""The inverse of the command line: the command that asks a given question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from satlife.errors import InputError
from satlife.life.rule import LIFE
from satlife.problem.anybox import AnyBox
from satlife.problem.families import FAMILIES, Family, Parameter
from satlife.problem.families.family import Common
from satlife.problem.question import Place, Question
from satlife.problem.velocity import Velocity


def arguments(question: Question) -> list[str] | None:
    """The arguments of `satlife` that ask a question; None if it needs a file.

    >>> from satlife.problem.families import open_spaceship, spaceship
    >>> arguments(spaceship((16, 5), 3, (0, -1), symmetry="D2v"))
    ['spaceship', '16x5', '-p', '3', '-d', '0,-1', '-s', 'D2|']
    >>> arguments(open_spaceship(8, 3, (0, -1)))
    ['spaceship', '8x*', '-p', '3', '-d', '0,-1']
    >>> arguments(spaceship((16, 5), speed="c/3")), arguments(AnyBox(spaceship((1, 1), speed="c/3")))
    (['spaceship', '16x5', '-d', 'c/3'], ['spaceship', '-d', 'c/3'])
    """
    if question.multiples:
        return _at_a_speed(question)
    if isinstance(question, AnyBox):
        return _without_a_box(question)
    recognised = recognise(question)
    if recognised is None:
        return None
    family, own = recognised
    common = _common_words(question, family)
    if common is None or any(given.is_file and own.get(given.name) for given in family.parameters):
        return None
    words = [family.name]
    for parameter in family.parameters:
        if parameter.name in own and (parameter.required or own[parameter.name] != parameter.default):
            words += _spelled(parameter, own[parameter.name])
    return words + common


def _without_a_box(question: AnyBox) -> list[str] | None:
    """The arguments that ask a question without a box: those of its example, but for the size."""
    words = arguments(replace(question.example, centred=False))
    return words and [words[0], *words[2:]]


def _at_a_speed(question: Question) -> list[str] | None:
    """The arguments that ask for ships of any period at a speed, which stands for -p P -d DX,DY."""
    words = arguments(question.every(1))
    if words is None:
        return None
    moving = words.index("-p")
    speed = str(Velocity(question.displacement, question.generations))
    return [*words[:moving], "-d", speed, *words[moving + 4 :]]


def recognise(question: Question) -> tuple[Family, Mapping[str, object]] | None:
    """The family and the parameters that, with the common options, ask exactly this question; None if none do."""
    if question.place is Place.ANYWHERE:
        return None  # no parameters stand for a box that is left out
    family = FAMILIES.get(question.kind.replace(" ", "-"))
    own = family.recognise(question) if family else None
    if family is None or own is None or not _asks(family, dict(own), question):
        return None
    return family, own


def _asks(family: Family, own: dict[str, object], question: Question) -> bool:
    """Whether the family, with these parameters and the common options, asks exactly this question."""
    try:
        made = family.ask(**own, **_common(question, family))
    except InputError:
        return False
    return made.key == question.key


def _common(question: Question, family: Family) -> Common:
    """The common keywords; a condition that the family asks by itself, as all without an option, is none of them."""
    others = (given for given in question.conditions if given.option and given.name not in family.itself)
    wanted = {condition.name: condition.to_json() for condition in others}
    centred = question.box is None or question.box.centred
    return {"rule": question.rule, "symmetry": question.symmetries, "centred": centred, **wanted}  # type: ignore[typeddict-item]


def _common_words(question: Question, family: Family) -> list[str] | None:
    words = ["-r", question.rule.name] if question.rule != LIFE else []
    for name in question.symmetries:
        words += ["-s", name]
    if question.box and question.box.centred and question.box.has_other_centres:
        words.append("--centred")
    for condition in question.conditions:
        if condition.name in family.itself:
            continue
        said = condition.arguments()
        if said is None:
            return None
        words += said
    return words


def _spelled(parameter: Parameter, value: Any) -> list[str]:
    """A parameter as arguments of the command line."""
    if parameter.kind == "flag":
        return [parameter.options[-1]]
    if parameter.kind in ("box", "open box"):
        return ["x".join(str(side or "*") for side in value)]
    option = parameter.options[0]
    if parameter.kind == "words":
        return [word for text in value for word in (option, str(text))]
    text = "{},{}".format(*value) if parameter.kind == "vector" else str(value)
    return [f"{option}={text}"] if text.startswith("-") and option.startswith("--") else [option, text]


def command(question: Question, *options: str, program: Sequence[str] = ("satlife",)) -> str:
    """A shell command that asks a question; one that needs a file contains it as a here-document.

    >>> from satlife.problem.families import oscillator
    >>> command(oscillator((20, 20), 19), program=("satlife", "jobs", "start"))
    'satlife jobs start oscillator 20x20 -p 19'
    """
    import shlex

    words = arguments(question)
    if words is not None:
        return shlex.join([*program, *words, *options])
    return f"{shlex.join([*program, 'search', '-', *options])} <<'END'\n{question.to_toml()}END"
