"""Outcome: the result of a search: a pattern, "none", or "unknown" with the reason."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, NotRequired, TypedDict

import numpy as np
import numpy.typing as npt

from satlife import files
from satlife.errors import InputError, counted, printable
from satlife.life import history
from satlife.life.formats import rle
from satlife.life.identify import Identity
from satlife.life.pattern import Cells, Pattern, as_array, live_box, read_only
from satlife.life.rule import Rule
from satlife.life.simulate import blocks_met
from satlife.problem import meaning, verify
from satlife.problem.command import arguments, recognise
from satlife.problem.families import FAMILIES
from satlife.problem.problem import Problem
from satlife.problem.question import Need, Question, from_json, must_know, read
from satlife.problem.reading import question_from
from satlife.problem.simulation import Refuted
from satlife.records import dataclass

TableRow = dict[str, str | int | float | None]  # a line of a table
PROBLEM_MARK = "C satlife problem "
COMMAND_MARK = "C asked by: satlife "
THEOREM, STORED = "theorem", "store"  # the strategies of what needs no search, and of what an earlier one has decided
LONGEST_COMMENT = 500  # characters; a pattern is to be read by people, too


class Status(StrEnum):
    """How a search ended: with a pattern, with a proof that there is none, or undecided."""

    FOUND = "found"
    NONE = "none"
    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return repr(self.value)


FOUND, NONE, UNKNOWN = Status.FOUND, Status.NONE, Status.UNKNOWN
EXIT_CODES = {FOUND: 0, NONE: 20, UNKNOWN: 3}


class FindJson(TypedDict):
    """The JSON form of a Find: its generations as RLE."""

    generations: list[str]
    rule: NotRequired[str]


class CertificateJson(TypedDict, total=False):
    """The JSON form of a Certificate."""

    checked: bool
    bundle: str
    lemmas: int
    windows: int
    reason: str


class PatternJson(TypedDict):
    """The JSON form of the pattern of an Outcome."""

    rle: str
    period: int | None
    displacement: list[int]
    population: int
    box: list[int]
    apgcode: str | None
    name: NotRequired[str]
    rule: str
    rules: NotRequired[list[str]]
    generations: list[str]


@dataclass(frozen=True)
class Find:
    """The generations of a solution in the box, and its rule if the problem has a partial one."""

    phases: tuple[Cells, ...]
    rule: Rule | None = None

    def check(self, problem: Problem) -> None:
        """Simulate it; raises `Refuted` unless it is a solution."""
        rule = self.rule or problem.rule
        if not problem.rule.allows(rule) or rule.is_partial:
            raise Refuted(f"{rule} is not one of the rules {problem.rule}")
        verify.check(problem if self.rule is None else replace(problem, rule=rule), self.phases)

    def to_dict(self, problem: Problem) -> FindJson:
        rule = self.rule or problem.rule
        data: FindJson = {"generations": [rle.body(Pattern(cells, rule=rule)) + "!" for cells in self.phases]}
        return {**data, "rule": self.rule.name} if self.rule else data

    @classmethod
    def from_dict(cls, data: object, problem: Problem) -> Find:
        """A find from its JSON form, not yet checked; an InputError says what is malformed."""
        if not isinstance(data, Mapping) or not isinstance(data.get("generations"), list) or not data["generations"]:
            raise InputError("a find is a table with its `generations`, one or more")
        must_know(data, ("generations", "rule"), "a find has no field")
        rule = Rule.parse(str(data["rule"])) if "rule" in data else None
        header = f"x = {problem.width}, y = {problem.height}, rule = {rule or problem.rule}\n"
        phases = []
        for text in data["generations"]:
            if not isinstance(text, str):
                raise InputError("the generations of a find are RLE strings")
            pattern = rle.parse(header + text)
            if pattern.height > problem.height or pattern.width > problem.width:
                raise InputError("a find is larger than its box")
            cells = np.zeros((problem.height, problem.width), np.uint8)
            cells[: pattern.height, : pattern.width] = pattern.cells
            phases.append(cells)
        return cls(tuple(phases), rule)


@dataclass(frozen=True)
class Certificate:
    """The state of a requested certificate: checked, and where it is; or the reason why there is none.

    A proof has lemmas; that there is no ship, however long, is shown by windows."""

    checked: bool
    bundle: str = ""
    lemmas: int = 0
    reason: str = ""
    windows: int | None = None

    def to_dict(self) -> CertificateJson:
        if not self.checked:
            return {"checked": False, "reason": self.reason}
        if self.windows is not None:
            return {"checked": True, "bundle": self.bundle, "windows": self.windows}
        return {"checked": True, "bundle": self.bundle, "lemmas": self.lemmas}

    @classmethod
    def from_dict(cls, data: object) -> Certificate:
        """A certificate from its JSON form, which is taken at its word."""
        if not isinstance(data, Mapping):
            raise InputError("a certificate is a table with the field `checked`")
        bundle, reason = (read(data, name, str, "") for name in ("bundle", "reason"))
        windows = read(data, "windows", int, 0) if "windows" in data else None
        return cls(read(data, "checked", bool, False), bundle, read(data, "lemmas", int, 0), reason, windows)

    @property
    def length(self) -> str:
        """Of what was checked, in words."""
        count, noun = (self.lemmas, "lemma") if self.windows is None else (self.windows, "window")
        return counted(count, noun)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a search; "none" comes from a solver or an exhaustive search, "unknown" has a reason.

    It is true if something was found.  Outcomes are equal if question, status and find are, however they were obtained.
    `numpy.asarray` of one is generation 0 in the box; `numpy.stack(outcome.phases)` has all generations.  Its arrays
    are read-only."""

    question: Question  # for a find: the problem that it solves
    status: Status
    phases: tuple[Cells, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    solver: str = ""
    strategy: str = ""
    reason: str = ""
    proof: Certificate | None = None
    rule: Rule | None = None  # the completion of a partial rule that the solver chose
    encoding: str = ""
    exhaustive: bool = False  # "none" is the result of an exhaustive search, not of a solver
    periods: tuple[int, ...] = ()  # of "none" for ships at a speed: those that it holds for
    origin: tuple[int, int] | None = None  # where the box lies in the plane, if the question came from a place in it

    def __post_init__(self) -> None:
        object.__setattr__(self, "phases", tuple(map(read_only, self.phases)))

    def __setstate__(self, state: dict[str, object]) -> None:
        """A copy or an unpickled outcome: numpy forgets that its arrays are read-only."""
        self.__dict__.update(state)
        self.__post_init__()

    @property
    def problem(self) -> Problem:
        """The question, which is about a box."""
        return self.question.in_a_box("this outcome")

    def __bool__(self) -> bool:
        return self.status == FOUND

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @cached_property
    def _identity(self) -> tuple[object, ...]:
        """What makes two outcomes equal."""
        return self.question, self.status, tuple((cells.shape, cells.tobytes()) for cells in self.phases), self.rule

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[np.generic]:
        """Generation 0, as numpy asks for it."""
        return as_array(self._found("array").phases[0], dtype, copy)

    def _found(self, what: str) -> Outcome:
        """This outcome if something was found; otherwise an InputError says that there is no `what`."""
        if self.status != FOUND:
            raise InputError(f"nothing was found, so that there is no {what}: {self}")
        return self

    def __str__(self) -> str:
        """The answer in a sentence."""
        seconds = f"{self.seconds.get('total', 0):.1f} s"
        orphan = self.question.kind == "orphan" and Need.OPEN_END in self.question.needs
        if self.pattern is not None:
            if orphan:
                return f"no orphan: it has a predecessor, checked by simulation ({seconds})"
            known_as = f" ({self.name})" if self.name else ""
            code = f" {self.apgcode}{known_as}," if self.apgcode else ""
            return f"found{code} {self.pattern.population} cells, checked by simulation ({seconds})"
        if self.status == NONE:
            back = f" {self.question.generations} generations back" if self.question.generations > 1 else ""
            what = (
                f"it is an orphan: there is no predecessor{back}"
                if orphan and _asks_nothing_else(self.problem)
                else f"there is none: {meaning.brief(self.question, self.periods)}"
            )
            how = f"proved, checked: {self.proof.length}" if self.proof and self.proof.checked else self.authority
            return f"{what} ({how}; {seconds})"
        return f"undecided: {self.reason} ({seconds})"

    @property
    def authority(self) -> str:
        """On whose word there is none, as long as there is no proof."""
        if self.strategy in (THEOREM, STORED):
            return self.solver
        return "exhaustive search" if self.exhaustive else f"solver's word: {self.solver}"

    def __repr__(self) -> str:
        width, height = (side or "*" for side in self.question.size)
        asked = "" if self.status == NONE else f" of {self.question.kind} in {width}x{height}"
        return f"<Outcome{asked}: {self}>"

    @cached_property
    def pattern(self) -> Pattern | None:
        """Generation 0, at its position in the box."""
        if self.status != FOUND:
            return None
        problem = self.problem
        around = (problem.width * problem.wrap[0], problem.height * problem.wrap[1])  # 0 is infinite
        torus = around if any(around) else None
        return Pattern(self.phases[0], rule=self.final_rule, comments=tuple(self._comments()), torus=torus)

    @property
    def final_rule(self) -> Rule:
        """The rule of the phases: the problem's, what it forbids included, or the completion of a partial one."""
        return self.rule or self.problem.rule

    @cached_property
    def rule_range(self) -> tuple[Rule, Rule] | None:
        """For a partial rule: the smallest and the largest of its completions in which the pattern works.

        There is none if the pattern is to be strict or tight, which depends also on transitions that it does not meet.
        """
        partial = self.problem.rule
        if self.rule is None or not partial.is_partial or {"strict", "tight"} & self.problem.needs:
            return None
        met = {partial.table[block] for cells in self.phases for block in blocks_met(cells, self.problem.wrap)}
        decided = {2 + k: self.rule.table[partial.table.index(2 + k)] for k in range(len(partial.classes))}
        low, high = (
            partial.resolve([bool(decided[2 + k]) if 2 + k in met else rest for k in range(len(partial.classes))])
            for rest in (False, True)
        )
        return low, high

    def _comments(self) -> list[str]:
        problem = self.problem
        what, remark = f"C {meaning.brief(problem, found=True)}", _remark(problem)
        if self.rule_range:
            low, high = self.rule_range
            what += f", works in rules {low} to {high}"
        lines = [what, *([f"C {remark}"] if remark else [])]
        by = printable(f"{self.strategy}, {self.solver}")  # from a store, which may say anything
        lines.append(f"C found by satlife ({by}) and checked by simulation")
        for condition in problem.conditions:
            remarks = condition.remarks(problem, self.phases, self.origin or (0, 0))
            lines += (f"C {remark}" for remark in remarks)
        if self.apgcode:
            lines.append(f"C {self.apgcode}")
        elif not problem.periodic or any(problem.wrap):
            words = arguments(problem)
            if words is not None:
                import shlex

                asked = f"{COMMAND_MARK}{shlex.join(words)}"  # by which `satlife verify` checks it again
                lines += [asked] if len(asked) <= LONGEST_COMMENT else []
        return lines

    @property
    def apgcode(self) -> str | None:
        """The apgcode of a periodic pattern of the plane; none where cells are freed from the rule, and it may have
        another future."""
        return self._recurring.apgcode if self._recurring else None

    @property
    def name(self) -> str:
        """What a pattern that has an apgcode is called in Life, such as "glider"; "" if it has no name here."""
        return self._recurring.name if self._recurring else ""

    @cached_property
    def _recurring(self) -> Identity | None:
        """The phases as those of a periodic pattern of the plane."""
        if self.status != FOUND or {Need.NO_PERIOD, Need.WRAP, Need.ANY_PERIOD, Need.FREED} & self.question.needs:
            return None
        problem = self.problem
        placed = tuple(Pattern(cells, rule=self.final_rule).crop() for cells in self.phases)
        return Identity(placed[0], problem.generations, problem.displacement, placed)

    def rle(self, embed: bool = False) -> str:
        """The pattern as RLE, cropped to its live cells, with comments on how it was found; with `embed` one of them is
        the problem as JSON, for `satlife verify`."""
        assert self.pattern is not None
        shown = self.pattern if self.pattern.torus else self.pattern.crop()
        x, y = (shown.x + self.origin[0], shown.y + self.origin[1]) if self.origin else (0, 0)
        embedded = (f"{PROBLEM_MARK}{self.problem.to_json()}",) if embed else ()
        return replace(shown, x=x, y=y, comments=(*shown.comments, *embedded)).to_rle()

    def history(self) -> str:
        """The pattern as LifeHistory, its catalyst marked, with comments on how it was found; plain RLE if there is
        nothing to mark."""
        assert self.pattern is not None
        marks = (condition.marked(self.phases) for condition in self.problem.conditions)
        states = next((marked for marked in marks if marked is not None), None)
        if states is None:
            return self.rle()
        rows, columns = live_box(states)
        x, y = self.origin or (0, 0)
        place = (x + columns.start, y + rows.start) if self.origin else (0, 0)
        return history.rle(states[rows, columns], self.final_rule, place, self.pattern.comments)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the find into a file, in the format that its ending names.

        .rle has comments on how it was found, as the commands print it; there are also .cells, .lif, pictures (.svg,
        .png) and films of one period or all generations (.gif, .apng, .html).  A .json file has the whole outcome,
        which `Outcome.read` reads; `Pattern.read` reads the other texts."""
        from pathlib import Path

        ending = Path(path).suffix.lower()
        if ending == ".json":
            files.write(path, [self.to_json().encode() + b"\n"])
            return
        pattern = self._found("pattern to be saved").pattern
        assert pattern is not None
        if ending == ".rle":
            files.write(path, [self.rle().encode()])
        else:
            shown = pattern if pattern.torus else pattern.crop()
            shown.save(path, None if self.problem.periodic else self.problem.generations)

    def row(self) -> TableRow:
        """The outcome as a flat record of numbers and texts, for a table or a data frame; None where there is nothing.

        `box` is what was asked for; `width`, `height` and `cells` (its population) are those of generation 0.  `speed`
        is in cells a generation (a diagonal step is one cell); `seconds` of a find in a list count from the one before.
        """
        question, live = self.question, self.pattern.crop() if self.pattern is not None else None
        dx, dy = question.displacement
        wide, high = (side or "*" for side in question.size)
        periodic = Need.NO_PERIOD not in question.needs
        return {
            "status": self.status.value,
            "family": question.kind,
            "rule": live.rule.name if live is not None else question.rule.name,
            "box": f"{wide}x{high}" if any(question.size) else None,
            "symmetry": " ".join(question.symmetries),
            "period": question.generations if periodic else None,
            "generations": question.generations,
            "dx": dx,
            "dy": dy,
            "speed": max(abs(dx), abs(dy)) / question.generations,
            "cells": live.population if live is not None else None,
            "width": live.width if live is not None else None,
            "height": live.height if live is not None else None,
            "apgcode": self.apgcode,
            "rle": rle.body(live) + "!" if live is not None else None,
            "seconds": round(self.seconds.get("total", 0.0), 3),
            "strategy": self.strategy,
            "solver": self.solver,
            "reason": self.reason,
        }

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        found: PatternJson | None = None
        if self.pattern is not None:
            live = self.pattern.crop()
            found = {
                "rle": self.rle(),
                "period": self.problem.period,
                "displacement": list(self.problem.displacement),
                "population": live.population,
                "box": [live.width, live.height],
                "apgcode": self.apgcode,
                "rule": live.rule.name,
                "generations": self.find.to_dict(self.problem)["generations"],
            }
            if self.name:
                found["name"] = self.name
            if self.rule_range:
                found["rules"] = [rule.name for rule in self.rule_range]
        return {
            "status": self.status,
            "problem": self.question.to_dict(),
            "pattern": found,
            **({"periods": list(self.periods)} if self.periods else {}),
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            "solver": self.solver,
            "strategy": self.strategy,
            "proof": self.proof.to_dict() if self.proof else None,
            "reason": self.reason,
            **({"exhaustive": True} if self.exhaustive else {}),
        }

    @classmethod
    def from_dict(cls, data: object) -> Outcome:
        """An outcome from its JSON form; see `from_json`."""
        if not isinstance(data, Mapping) or "problem" not in data or data.get("status") not in [*Status]:
            raise InputError("an outcome is a table with its `status` (found, none or unknown) and its `problem`")
        question, find = question_from(data["problem"]), Find(())
        if data["status"] == FOUND:
            find = _checked_find(data.get("pattern"), question.in_a_box("a find"))
        periods = data.get("periods", [])
        if not isinstance(periods, list) or not all(type(period) is int for period in periods):
            raise InputError("the field `periods` should be a list of whole numbers")
        return cls(
            question,
            Status(data["status"]),
            find.phases,
            _seconds(data.get("seconds", {})),
            read(data, "solver", str, ""),
            read(data, "strategy", str, ""),
            read(data, "reason", str, ""),
            None if data.get("proof") is None else Certificate.from_dict(data["proof"]),
            find.rule,
            exhaustive=read(data, "exhaustive", bool, False),
            periods=tuple(periods),
        )

    @property
    def find(self) -> Find:
        """The find by itself: its phases and its rule."""
        return Find(self.phases, self.rule)

    def checked(self) -> Outcome:
        """This outcome if its find passes the simulation, otherwise "unknown" with the reason."""
        try:
            if self:
                self.find.check(self.problem)
                return replace(
                    self, phases=tuple(verify.followed(replace(self.problem, rule=self.final_rule), self.phases))
                )
        except Refuted as error:
            reason = f"the pattern found fails the simulation: {error}"
            return replace(self, status=UNKNOWN, phases=(), rule=None, reason=reason)
        return self

    @property
    def certified(self) -> bool:
        """Whether the certificate, if one was requested, was made."""
        return self.proof is None or self.proof.checked

    def to_json(self) -> str:
        import json

        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Outcome:
        """The outcome that `to_json` wrote, or a command with `--json`; a find is simulated, and an InputError says why
        it is none.  The text is taken at its word that there is none, and that a certificate was checked."""
        try:
            return cls.from_dict(from_json(text))
        except (ValueError, RecursionError) as error:
            raise InputError(f"not valid JSON: {error}") from error

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Outcome:
        """The outcome in a .json file that `save` wrote; see `from_json`."""
        return cls.from_json(files.read_text(path))


def _checked_find(data: object, problem: Problem) -> Find:
    """The find in the JSON form of an outcome, simulated."""
    if not isinstance(data, Mapping) or "generations" not in data:
        raise InputError("the pattern of an outcome has a field `generations`")
    named = ("generations", "rule") if problem.rule.is_partial else ("generations",)
    find = Find.from_dict({name: data[name] for name in named if name in data}, problem)
    try:
        find.check(problem)
    except Refuted as error:
        raise InputError(f"the find fails the simulation: {error}") from error
    return find


def _seconds(data: object) -> dict[str, float]:
    if not isinstance(data, Mapping) or not all(type(value) in (int, float) for value in data.values()):
        raise InputError("the field `seconds` should be a table of numbers")
    return {str(name): float(value) for name, value in data.items()}


def _asks_nothing_else(problem: Problem) -> bool:
    """Whether a pattern is an orphan if the question about its past has no solution."""
    from satlife.problem.families.orphans import is_orphan

    return is_orphan(problem)


def _remark(problem: Problem) -> str:
    """What its family says about a find, which may be empty."""
    family = FAMILIES.get(problem.kind)
    recognised = recognise(problem) if family and family.title else None
    return family.title(recognised[1])[1] if family and family.title and recognised else ""
