"""An answer to a Problem as data: for certificates, for the store, and on the way between machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from satlife.errors import InputError
from satlife.life.formats import rle
from satlife.life.pattern import Cells, Pattern
from satlife.life.rule import Rule
from satlife.problem import verify
from satlife.problem.problem import Problem


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
