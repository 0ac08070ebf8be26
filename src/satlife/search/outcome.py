"""Outcome: what a search found, or that there is nothing, or that it does not know."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from satlife.life.identify import Identity
from satlife.life.pattern import Cells, Pattern
from satlife.life.rule import Rule
from satlife.life.simulate import blocks
from satlife.problem.problem import Problem

PROBLEM_MARK = "C satlife problem "
FOUND, NONE, UNKNOWN = "found", "none", "unknown"
EXIT_CODES = {FOUND: 0, NONE: 20, UNKNOWN: 3}


@dataclass(frozen=True)
class Outcome:
    """`status` is "found", "none" (proved by the solver) or "unknown" (with the reason)."""

    problem: Problem
    status: str
    phases: tuple[Cells, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    solver: str = ""
    strategy: str = ""
    reason: str = ""
    proof: dict[str, Any] | None = None
    rule: Rule | None = None  # what the solver made of a partial rule
    encoding: str = ""

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
        words = f"C {kind} in {problem.width}x{problem.height}"
        if problem.periodic:
            words += f", period {problem.generations}"
            if problem.displacement != (0, 0):
                words += f", moving by ({problem.displacement[0]},{problem.displacement[1]})"
        else:
            words += f", {problem.generations} generation{'s' * (problem.generations > 1)}"
        if problem.symmetry:
            words += f", symmetry {' '.join(problem.symmetry)}"
        if self.rule_range:
            low, high = self.rule_range
            words += f", works in rules {low} to {high}"
        lines = [words, f"C found by satlife ({self.strategy}, {self.solver}) and checked by simulation"]
        if self.apgcode:
            lines.append(f"C {self.apgcode}")
        elif not problem.periodic or any(problem.wrap):
            lines.append(f"{PROBLEM_MARK}{problem.to_json()}")  # what `satlife verify` needs to check it again
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
        return (self.pattern if self.pattern.torus else self.pattern.crop()).to_rle()

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
            "proof": self.proof,
            "reason": self.reason,
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict())
