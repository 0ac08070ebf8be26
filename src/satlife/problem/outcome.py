"""Outcome: what a search found, or that there is nothing, or that it does not know."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from satlife.errors import InputError
from satlife.life.formats import rle
from satlife.life.identify import Identity
from satlife.life.pattern import Cells, Pattern
from satlife.life.rule import Rule
from satlife.life.simulate import blocks
from satlife.problem import verify
from satlife.problem.command import arguments
from satlife.problem.problem import Problem

PROBLEM_MARK = "C satlife problem "
COMMAND_MARK = "C asked by: satlife "
LONGEST_COMMENT = 500  # characters; a pattern is to be read by people, too


class Status(StrEnum):
    """How a search ended: with a pattern, with the proof that there is none, or undecided."""

    FOUND = "found"
    NONE = "none"
    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return repr(self.value)


FOUND, NONE, UNKNOWN = Status.FOUND, Status.NONE, Status.UNKNOWN
EXIT_CODES = {FOUND: 0, NONE: 20, UNKNOWN: 3}


@dataclass(frozen=True)
class Find:
    """The generations of an answer in the box, and the rule if the problem leaves it open."""

    phases: tuple[Cells, ...]
    rule: Rule | None = None

    def check(self, problem: Problem) -> None:
        """Simulate it; raises `verify.Refuted` unless it is an answer."""
        rule = self.rule or problem.rule
        if not problem.rule.allows(rule) or rule.is_partial:
            raise verify.Refuted(f"{rule} is not one of the rules {problem.rule}")
        verify.check(replace(problem, rule=rule), self.phases)

    def to_dict(self, problem: Problem) -> dict[str, Any]:
        rule = self.rule or problem.rule
        data: dict[str, Any] = {"generations": [rle.body(Pattern(cells, rule=rule)) + "!" for cells in self.phases]}
        return {**data, "rule": self.rule.name} if self.rule else data

    @classmethod
    def from_dict(cls, data: Any, problem: Problem) -> Find:
        """A find from its JSON form, not yet believed; an InputError says what is wrong with it."""
        if not isinstance(data, Mapping) or not isinstance(data.get("generations"), list):
            raise InputError("a find is a table with its `generations`")
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
    """What became of the certificate that was asked for: checked and where it is, or the reason why there is none."""

    checked: bool
    bundle: str = ""
    lemmas: int = 0
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        if not self.checked:
            return {"checked": False, "reason": self.reason}
        return {"checked": True, "bundle": self.bundle, "lemmas": self.lemmas}


@dataclass(frozen=True)
class Outcome:
    """`status` is "found", "none" (proved by a solver or by an exhaustive search) or "unknown" (with the reason)."""

    problem: Problem
    status: Status
    phases: tuple[Cells, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    solver: str = ""
    strategy: str = ""
    reason: str = ""
    proof: Certificate | None = None
    rule: Rule | None = None  # what the solver made of a partial rule
    encoding: str = ""
    exhaustive: bool = False  # "none" is the end of a complete search, not the word of a solver
    origin: tuple[int, int] | None = None  # where the box lies in the plane, if the question came from a place in it

    def __bool__(self) -> bool:
        return self.status == FOUND

    @cached_property
    def pattern(self) -> Pattern | None:
        """Generation 0 where it lies in the box."""
        if self.status != FOUND:
            return None
        problem = self.problem
        around = (problem.width * problem.wrap[0], problem.height * problem.wrap[1])  # 0 is infinite
        torus = around if any(around) else None
        return Pattern(self.phases[0], rule=self.final_rule, comments=tuple(self._comments()), torus=torus)

    @property
    def final_rule(self) -> Rule:
        """The rule of the pattern."""
        return self.rule or self.problem.rule

    @cached_property
    def rule_range(self) -> tuple[Rule, Rule] | None:
        """For a partial rule: the least and the largest rule that it allows in which the pattern works."""
        partial = self.problem.rule
        if self.rule is None or not partial.is_partial:
            return None
        met: set[int] = set()
        for cells in self.phases:
            padded = (cells == 1).astype(np.uint8)
            for axis, wrapped in ((1, self.problem.wrap[0]), (0, self.problem.wrap[1])):
                width = [(0, 0), (0, 0)]
                width[axis] = (1, 1) if wrapped else (2, 2)
                padded = np.pad(padded, width, mode="wrap" if wrapped else "constant")
            met |= {partial.table[block] for block in np.unique(blocks(padded)).tolist()}
        decided = {2 + k: self.rule.table[partial.table.index(2 + k)] for k in range(len(partial.classes))}
        low, high = (
            partial.resolve([bool(decided[2 + k]) if 2 + k in met else rest for k in range(len(partial.classes))])
            for rest in (False, True)
        )
        return low, high

    def _comments(self) -> list[str]:
        problem = self.problem
        kind = "a predecessor, so no orphan," if problem.kind == "orphan" else problem.kind
        what = f"C {kind} in {problem.width}x{problem.height}"
        if problem.periodic:
            what += f", period {problem.generations}"
            if problem.displacement != (0, 0):
                what += f", moving by ({problem.displacement[0]},{problem.displacement[1]})"
        else:
            what += f", {problem.generations} generation{'s' * (problem.generations > 1)}"
        if problem.symmetry:
            what += f", symmetry {' '.join(problem.symmetry)}"
        if self.rule_range:
            low, high = self.rule_range
            what += f", works in rules {low} to {high}"
        lines = [what, f"C found by satlife ({self.strategy}, {self.solver}) and checked by simulation"]
        if self.apgcode:
            lines.append(f"C {self.apgcode}")
        elif not problem.periodic or any(problem.wrap):
            written = f"{PROBLEM_MARK}{problem.to_json()}"  # what `satlife verify` needs to check it again
            words = arguments(problem) if len(written) > LONGEST_COMMENT else None
            if words is not None:
                written = f"{COMMAND_MARK}{shlex.join(words)}"
            if len(written) <= LONGEST_COMMENT:
                lines.append(written)
        return lines

    @cached_property
    def apgcode(self) -> str | None:
        """The apgcode of a periodic pattern of the plane."""
        problem = self.problem
        if self.status != FOUND or not problem.periodic or any(problem.wrap) or not problem.exact:
            return None
        placed = tuple(Pattern(cells, rule=self.final_rule).crop() for cells in self.phases)
        identity = Identity(placed[0], problem.generations, problem.displacement, placed)
        return identity.apgcode

    def rle(self) -> str:
        """The pattern as RLE, cropped to its live cells, with comments that say how it was found."""
        assert self.pattern is not None
        shown = self.pattern if self.pattern.torus else self.pattern.crop()
        x, y = (shown.x + self.origin[0], shown.y + self.origin[1]) if self.origin else (0, 0)
        return replace(shown, x=x, y=y).to_rle()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        found: dict[str, Any] | None = None
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
            }
            if self.rule_range:
                found["rules"] = [rule.name for rule in self.rule_range]
        return {
            "status": self.status,
            "problem": self.problem.to_dict(),
            "pattern": found,
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            "solver": self.solver,
            "strategy": self.strategy,
            "proof": self.proof.to_dict() if self.proof else None,
            "reason": self.reason,
        }

    @property
    def find(self) -> Find:
        """The answer as data."""
        return Find(self.phases, self.rule)

    @property
    def certified(self) -> bool:
        """Whether a certificate, if one was asked for, was made."""
        return self.proof is None or self.proof.checked

    def to_json(self) -> str:
        return json.dumps(self.to_dict())


@dataclass(frozen=True)
class Best:
    """The best outcome so far, its value, and the bound: no value beyond it is possible."""

    outcome: Outcome
    value: int | None
    bound: int | None = None
    endless: str = ""  # why there is no largest value at all

    @property
    def proved(self) -> bool:
        """Whether it is known that nothing is better, or that there is nothing at all."""
        return self.outcome.status == NONE or (self.value is not None and self.value == self.bound)
