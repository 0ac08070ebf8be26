"""Questions from the page: every request that comes from a browser is checked here, and becomes a Question."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NotRequired, TypedDict

import numpy as np

from satlife.cnf.buffer import TRUE
from satlife.encode.spacetime import SpaceTime
from satlife.errors import InputError, LimitError
from satlife.life import formats
from satlife.life.pattern import Pattern
from satlife.problem.ask import Ask, question_and_goal
from satlife.problem.boxes import must_be_free
from satlife.problem.command import command, recognise
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.families import FAMILIES, Family, Parameter
from satlife.problem.goals import Atlas, FindCore, FindOne, ListAll, Optimise, goal_from
from satlife.problem.problem import Problem, read_fields
from satlife.problem.question import BOUNDLESS, Place, Question
from satlife.problem.target import drawn, given_cells
from satlife.problem.velocity import Velocity
from satlife.search.advice import Suggestion, advise
from satlife.web.events import Advice

MAX_PATTERN = 1_000_000  # cells of a pattern
MAX_LITERALS = 60_000  # cells of a question for which the page gets the literal of each


class Description(TypedDict):
    """What the page shows of a question; `literals` are by generation, row and column."""

    problem: dict[str, Any]
    command: str
    speed: NotRequired[str]
    parameters: NotRequired[dict[str, int | str]]
    literals: NotRequired[list[list[list[int]]]]
    variables: NotRequired[int]
    contradiction: NotRequired[str | None]


class PageTask(TypedDict):
    """A request for a search, checked."""

    ask: dict[str, Any]
    time: float | None
    certified: bool
    long: str | None  # the command for a long search
    advice: list[Advice]  # what to ask next if it is stopped


def question(data: object) -> Question:
    """A question from {"problem": {...}}, {"text": "TOML or JSON"} or {"family": "eater", ...}."""
    if not isinstance(data, Mapping):
        raise InputError("a question is an object with `problem`, `text` or `family`")
    if "family" in data or not ("text" in data or "problem" in data):
        return _family(data)
    fields = read_fields(_text(data, "text")) if "text" in data else data["problem"]
    asked, _ = question_and_goal(fields)  # what is wanted of it is chosen on the page
    if asked.kind == "spaceship" and asked.displacement == (0, 0):
        raise InputError("a spaceship moves; for a displacement of 0,0 ask for an oscillator")
    return asked


def _family(data: Mapping[str, object]) -> Question:
    """A question of a family from its parameters; a missing one takes its default from the family's record."""
    family = FAMILIES.get(str(data.get("family")))
    if family is None:
        raise InputError(f"a family is one of {', '.join(FAMILIES)}")
    own = {given.name: _argument(data, given) for given in family.parameters}
    return family.question(**own, rule=_text(data, "rule") if data.get("rule") else None)


def _argument(data: Mapping[str, object], given: Parameter) -> Any:
    """The value of a parameter: the size from `width` and `height`, a pattern from `rle`, any other from its own name.

    Where both sides are null, the box is left out."""
    if given.optional and all(data.get(side, "") is None for side in ("width", "height")):
        return None
    if given.name == "size":
        sides = zip(("width", "height"), given.default or (8, 8), strict=True)
        is_open = given.kind == "open box" and data.get("width") != data.get("height")  # one side, not both
        return tuple(
            0 if is_open and data.get(side) == "*" else _number(data, side, default) for side, default in sides
        )
    if given.kind in ("pattern", "patterns"):
        return given.default if given.options else pattern(data)  # the board has room for one
    name = given.name
    if given.kind == "flag":
        return data.get(name) is True
    if name not in data and given.options and not given.required:
        return given.default
    match given.kind:
        case "integer":
            return _number(data, name)
        case "vector":
            return _vector(data, name)
        case "box":
            return _box(data, name)
        case "words":
            return _text(data, name).split()
        case "choice" if data.get(name) not in given.choices:
            raise InputError(f"`{name}` should be one of {', '.join(given.choices)}")
    return _text(data, name)


def pattern(data: Mapping[str, object], unknown: bool = True) -> Pattern:
    """The pattern in `rle`, in any format; with `unknown`, it may have `?` cells."""
    found = formats.parse(_text(data, "rle"), unknown)
    if found.cells.size > MAX_PATTERN:
        raise LimitError(f"a pattern of {found.width}x{found.height} cells is too large for the page")
    return found


def convert(data: Mapping[str, object]) -> dict[str, object]:
    """A pattern as text in the format `to`; without `to` as cells (-1 for `?`), with the rule and place it names."""
    found, to = pattern(data), data.get("to")
    if to is None:
        stated = re.search(r"rule\s*=|^#r", _text(data, "rle"), re.MULTILINE)
        placed = re.search(r"^#CXRLE\b.*\bPos\b", _text(data, "rle"), re.MULTILINE)
        return {
            "cells": np.where(found.mask, -1, found.cells.astype(np.int64)).tolist(),
            "rule": found.rule.name if stated else None,
            "at": (found.x, found.y) if placed else None,
        }
    if not isinstance(to, str) or to not in formats.FORMATTERS:
        raise InputError(f"a pattern can be written as {', '.join(formats.FORMATTERS)}")
    return {"text": formats.FORMATTERS[to](found)}


def speed(data: Mapping[str, object]) -> dict[str, object]:
    """The displacement and period of a speed in the spelling of the field."""
    found = Velocity.parse(_text(data, "speed"))
    return {"displacement": found.displacement, "period": found.period}


def _text(data: Mapping[str, object], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str):
        raise InputError(f"`{name}` should be a text")
    return value


def _number(data: Mapping[str, object], name: str, default: int | None = None) -> int:
    value = data.get(name, default)
    if type(value) is not int or abs(value) > 10_000:
        raise InputError(f"`{name}` should be a whole number")
    return value


def _vector(data: Mapping[str, object], name: str) -> tuple[int, int]:
    value = data.get(name)
    if not isinstance(value, list) or len(value) != 2:
        raise InputError(f"`{name}` should be two whole numbers")
    x, y = (_number({name: part}, name) for part in value)
    return x, y


def _box(data: Mapping[str, object], name: str) -> tuple[int, int]:
    """The sides of a box that is written as 5x4."""
    found = re.fullmatch(r"\s*([0-9]{1,4})\s*x\s*([0-9]{1,4})\s*", _text(data, name))
    if found is None:
        raise InputError(f"`{name}` should be a box such as 5x4")
    return int(found[1]), int(found[2])


def _seconds(data: Mapping[str, object]) -> float | None:
    value = data.get("time")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
        raise InputError("the time limit should be a number of seconds")
    return value


def describe(asked: Question) -> Description:
    """Describe a question to the page: its JSON, its command, and the literal of each cell in the encoding."""
    out: Description = {"problem": asked.to_dict(), "command": command(asked)}
    if any(asked.displacement):
        out["speed"] = str(Velocity(asked.displacement, asked.generations))
    if recognised := recognise(asked):
        out["parameters"] = _parameters(*recognised)
    box = asked.box
    if box is None or box.width * box.height * (box.last + 1) > MAX_LITERALS:
        return out
    space = SpaceTime(box)
    # 0 is dead, 1 alive, else +-(variable + 1).  Cells that symmetry or period make equal share a variable.
    levels = [space.inside(t) for t in range(box.last + 1)]
    literals = [np.where(abs(level) == TRUE, level > 0, level + np.sign(level)).tolist() for level in levels]
    return {**out, "literals": literals, "variables": int(space.variables), "contradiction": space.contradiction}


def _parameters(family: Family, own: Mapping[str, Any]) -> dict[str, int | str]:
    """The parameters of a question for which the page may have fields: all but files, with the sides of the box."""
    given = [p for p in family.parameters if p.name in own and p.name != "size"]
    fields = {p.name: own[p.name] for p in given if p.kind in ("integer", "choice", "bound", "flag")}
    fields |= {p.name: "x".join(map(str, own[p.name])) for p in given if p.kind == "box"}
    fields |= {p.name: " ".join(own[p.name]) for p in given if p.kind == "words"}
    sides = dict(zip(("width", "height"), own["size"], strict=True)) if "size" in own else {}
    return {**fields, **sides}


#: What the page can ask of a question; of all patterns it shows the first.
GOALS = (FindOne, ListAll, Optimise, Atlas, FindCore)
LISTED = 50


def long_command(asked: Question, *options: str) -> str | None:
    """The command that asks the same as a long search, which outlasts the page; None if it cannot be one."""
    if {"strict", "tight", Catalyst.name, *BOUNDLESS} & asked.needs:
        return None
    return command(asked, *options, program=("satlife", "jobs", "start"))


def _core_command(problem: Problem, options: Sequence[str]) -> str:
    """The command that asks for a core of an orphan, with the pattern as a here-document."""
    pattern = drawn(problem, given_cells(problem)).to_rle()
    options = ["-g", str(problem.generations), *options] if problem.generations > 1 else options
    return f"{shlex.join(['satlife', 'core', '-', *options])} <<'END'\n{pattern}END"


def on_page(found: Suggestion) -> Advice:
    """A suggestion, as the page shows it."""
    return {"command": found.command, "why": found.why, "problem": None if found.is_long else found.question.to_dict()}


def task(data: Mapping[str, object]) -> tuple[PageTask, str]:
    """Check a request for a search; returns it with the shell command that does the same."""
    asked, goal, seconds = question(data), goal_from(data.get("goal", FindOne.name)), _seconds(data)
    certified, is_one = data.get("certified") is True, isinstance(goal, FindOne)
    if not isinstance(goal, GOALS):
        raise InputError(f"the page can {', '.join(kind.words for kind in GOALS)}, not {goal.words}")
    if asked.place is Place.AROUND and (not (is_one or goal == Optimise()) or certified):
        raise InputError("of completions the page looks for one or for the smallest; for certificates use a shell")
    if asked.place is Place.ANYWHERE and (not is_one or certified):
        raise InputError("of patterns of any size the page only looks for one, without a certificate")
    if asked.strip and not is_one:
        raise InputError("of patterns of any length the page only looks for one")
    if certified and not is_one:
        raise InputError("the page certifies a find or that there is none; for the best use --proof in a shell")
    if certified and asked.box:
        from satlife.proof.claims.find import ClaimNone

        ClaimNone(asked.box)
    if isinstance(goal, Atlas):
        must_be_free(asked.in_a_box("an atlas"))
    if isinstance(goal, FindCore) and asked.kind != "orphan":
        raise InputError("a core is a part of an orphan, so that the page looks for one only there")
    options = goal.arguments()
    options += ["--time", f"{seconds:g}"] if seconds else []
    options += ["--proof", "certificate"] if certified else []
    if isinstance(goal, ListAll):
        goal = replace(goal, most=min(goal.most or LISTED, LISTED))
    as_long = ["--atlas"] * isinstance(goal, Atlas)  # the best are not sought by a long search
    checked: PageTask = {
        "ask": Ask(asked, goal).to_dict(), "time": seconds, "certified": certified,
        "long": long_command(asked, *as_long) if isinstance(goal, FindOne | Atlas) else None,
        "advice": [on_page(found) for found in advise(asked)] if is_one else [],
    }  # fmt: skip
    if isinstance(goal, FindCore):
        return checked, _core_command(asked.in_a_box("a core"), options)
    return checked, command(asked, *options, program=("satlife", "atlas") if isinstance(goal, Atlas) else ("satlife",))
