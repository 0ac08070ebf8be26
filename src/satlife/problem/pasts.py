"""Answers about the past of a pattern: why it has none (Core), and what all its pasts have in common (Forced).

Both carry the solutions that show what no proof has to show: that a cell of a core is needed, and that a cell is not
forced.  `check` simulates them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from satlife.errors import counted
from satlife.life.pattern import Pattern
from satlife.problem import meaning, verify
from satlife.problem.families.orphans import is_orphan
from satlife.problem.outcome import NONE, UNKNOWN, Certificate, Outcome, Status
from satlife.problem.problem import Problem
from satlife.problem.simulation import Refuted
from satlife.problem.target import Coordinates, Phases, drawn, free_cells, given_cells, with_only
from satlife.records import dataclass


def _told(pattern: Pattern | None, origin: Coordinates | None, *comments: str) -> dict[str, Any] | None:
    """The JSON form of a pattern with unknown cells."""
    if pattern is None:
        return None
    return {
        "rle": _rle(pattern, origin, *comments),
        "cells": int((~pattern.mask).sum()),
        "population": pattern.population,
        "box": [pattern.width, pattern.height],
    }


def _rle(pattern: Pattern, origin: Coordinates | None, *comments: str) -> str:
    """A pattern of the box as RLE, in its place in the plane if that is known."""
    x, y = (pattern.x + origin[0], pattern.y + origin[1]) if origin else (0, 0)
    return replace(pattern, x=x, y=y, comments=tuple(f"C {comment}" for comment in comments)).to_rle()


def _none(problem: Problem) -> str:
    """That there is no past; with a symmetry or a condition that is said of no other than such a past."""
    return "it is an orphan" if is_orphan(problem) else f"there is none: {meaning.brief(problem)}"


@dataclass(frozen=True)
class Core:
    """A part of the target that has no predecessor; for each of its cells, a predecessor of the others is a witness
    that it is needed."""

    outcome: Outcome  # of the whole question: if it has a predecessor, there is no core
    cells: frozenset[Coordinates] = frozenset()
    witnesses: Mapping[Coordinates, Phases] = field(default_factory=dict, repr=False)
    live: bool = False  # whether live cells are counted, not all
    bound: int = 0  # no core has fewer cells (or live cells)
    tries: int = 0  # orders in which cells were given up
    reason: str = ""  # why not all was done
    proof: Certificate | None = None

    @property
    def status(self) -> Status:
        """The status of the question whether there is a predecessor; undecided, too, if a cell may not be needed."""
        return UNKNOWN if self.outcome.status == NONE and not self.minimal else self.outcome.status

    @property
    def minimal(self) -> bool:
        """Whether no cell can be given up."""
        return self.outcome.status == NONE and set(self.witnesses) == set(self.cells)

    @property
    def size(self) -> int:
        """What is counted: its cells, or its live cells."""
        given = given_cells(self.outcome.problem)
        return sum(given[cell] == 1 for cell in self.cells) if self.live else len(self.cells)

    @property
    def smallest(self) -> bool:
        """Whether no other core is smaller."""
        return self.minimal and self.bound >= self.size

    @property
    def problem(self) -> Problem:
        """The question about the core alone, which has no solution."""
        return with_only(self.outcome.problem, self.cells)

    @cached_property
    def pattern(self) -> Pattern | None:
        """The core, all other cells unknown, trimmed; its place is that in the box."""
        given = given_cells(self.outcome.problem)
        return drawn(self.outcome.problem, {cell: given[cell] for cell in self.cells}) if self.cells else None

    @property
    def words(self) -> str:
        """What is known of the core, in a sentence."""
        assert self.pattern is not None
        of, live = len(given_cells(self.outcome.problem)), self.pattern.population
        size = f"{self.pattern.width}x{self.pattern.height}"
        text = f"{len(self.cells):,} of {counted(of, 'cell')} given, {live:,} of them alive, in {size}"
        if not self.minimal:
            return f"{text}; it is not known whether all are needed"
        if self.smallest:
            return f"{text}; smallest: none has fewer {'live ' * self.live}cells"
        bound = (
            f"; none has fewer than {counted(self.bound, 'live cell' if self.live else 'cell')}" if self.bound else ""
        )
        return f"{text}; minimal: no cell can be given up{bound}"

    def __str__(self) -> str:
        """The answer in a sentence."""
        if self.pattern is None:
            return str(self.outcome)
        tries = f"{counted(self.tries, 'order')} tried; " if self.tries else ""
        why = f"{self.reason}; " if self.reason else ""
        none = _none(self.outcome.problem)
        return f"{none}, with a core of {self.words} ({why}{tries}{self.outcome.seconds.get('total', 0):.1f} s)"

    def rle(self) -> str:
        """The core as RLE, with `?` for cells that were given up."""
        assert self.pattern is not None
        checked = "; witnesses checked by simulation" * bool(self.witnesses)
        how = f"found by satlife ({self.outcome.strategy}, {self.outcome.solver}){checked}"
        what = "an orphan" if is_orphan(self.outcome.problem) else f"no {meaning.brief(self.outcome.problem)}"
        return _rle(self.pattern, self.outcome.origin, f"{what}: {self.words}", how)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: that of the outcome, and the core."""
        told = _told(self.pattern, self.outcome.origin)
        state = {"minimal": self.minimal, "smallest": self.smallest, "bound": self.bound, "tries": self.tries}
        core = {**told, "of": len(given_cells(self.outcome.problem)), **state} if told else None
        proof = self.proof.to_dict() if self.proof else None
        known = {"status": self.status, "core": core, "proof": proof, "reason": self.reason}
        return {**self.outcome.to_dict(), **known}

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    def check(self) -> None:
        """Simulate the witnesses; raises Refuted unless each is a predecessor of the core but for its cell."""
        for cell, phases in self.witnesses.items():
            if cell not in self.cells:
                raise Refuted(f"the cell {cell} is not in the core")
            verify.check(with_only(self.outcome.problem, self.cells - {cell}), phases)


@dataclass(frozen=True)
class Forced:
    """The cells of generation 0 that are the same in every solution, and their states."""

    outcome: Outcome  # a solution, that there is none, or why it is not known
    cells: Mapping[Coordinates, int] = field(default_factory=dict)
    open: frozenset[Coordinates] = frozenset()  # cells of which it is not known
    target: frozenset[Coordinates] = frozenset()  # the cells of the last generation that are given
    solutions: tuple[Phases, ...] = field(default=(), repr=False)  # in which every cell that is not forced differs
    itself: bool = False  # whether the cells forced are the target, in its place
    #: That cells of the target are needed.
    witnesses: Mapping[Coordinates, Phases] = field(default_factory=dict, repr=False)
    minimal: bool = False  # whether no cell of the target can be given up
    reason: str = ""
    proof: Certificate | None = None

    @property
    def status(self) -> Status:
        return UNKNOWN if self.reason else self.outcome.status

    @property
    def problem(self) -> Problem:
        """The question with the target from which these cells follow."""
        return with_only(self.outcome.problem, self.target)

    @cached_property
    def pattern(self) -> Pattern | None:
        """The forced cells, all others unknown, trimmed; its place is that in the box."""
        return drawn(self.outcome.problem, self.cells) if self.cells else None

    @cached_property
    def given(self) -> Pattern | None:
        """The given cells of the last generation, drawn likewise."""
        given = given_cells(self.outcome.problem)
        return drawn(self.outcome.problem, {cell: given[cell] for cell in self.target}) if self.target else None

    @property
    def _back(self) -> str:
        return counted(self.outcome.problem.generations, "generation") + " back"

    @property
    def words(self) -> str:
        """What is forced, in a sentence."""
        alive = sum(state == 1 for state in self.cells.values())
        if self.itself:
            text = f"{counted(len(self.cells), 'cell')}, {alive:,} of them alive, that are there {self._back} as well"
            whole = self.target == given_cells(self.outcome.problem).keys()
            return text + ("; the whole pattern forces itself" if whole else "")
        of = len(free_cells(self.outcome.problem))
        return f"{len(self.cells):,} of {of:,} cells, {alive:,} of them alive, are the same in every past, {self._back}"

    def __str__(self) -> str:
        """The answer in a sentence."""
        seconds = f"({self.outcome.seconds.get('total', 0):.1f} s)"
        if self.outcome.status == UNKNOWN:
            return str(self.outcome)
        if self.reason and not self.cells and not self.open:
            return f"undecided: {self.reason} {seconds}"
        if self.outcome.status == NONE:
            if given_cells(self.outcome.problem).keys() == self.target:
                orphan = "there is no past: " * is_orphan(self.outcome.problem)
                return f"{orphan}{_none(self.outcome.problem)} {seconds}"
            return f"no part of it forces itself {seconds}"
        needed = f"; {counted(len(self.target), 'cell')} given are enough" if self.minimal and not self.itself else ""
        needed = "; no smaller part of it forces itself" if self.minimal and self.itself else needed
        left = f"{len(self.open):,} cells are left to test" if self.open else "not all cells given may be needed"
        why = f"; undecided: {self.reason}, {left}" if self.reason else ""
        return f"{self.words}{needed}{why} {seconds}"

    def rle(self) -> str:
        """The forced cells as RLE, with `?` for all others; "" if there are none."""
        how = f"found by satlife ({self.outcome.strategy}, {self.outcome.solver})"
        return _rle(self.pattern, self.outcome.origin, self.words, how) if self.pattern else ""

    def given_rle(self) -> str:
        """The cells of the target that are given as RLE, with `?` for all others."""
        words = f"{counted(len(self.target), 'cell')}, from which follows: {self.words}"
        return _rle(self.given, self.outcome.origin, words) if self.given else ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: that of the outcome, with a solution as its pattern, and the forced cells."""
        forced, given = (_told(pattern, self.outcome.origin) for pattern in (self.pattern, self.given))
        return {
            **self.outcome.to_dict(),
            "status": self.status,
            "forced": forced and {**forced, "of": len(free_cells(self.outcome.problem)), "open": len(self.open)},
            "given": given,
            "itself": self.itself,
            "minimal": self.minimal,
            "proof": self.proof.to_dict() if self.proof else None,
            "reason": self.reason,
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    def check(self) -> None:
        """Simulate what supports the answer; raises Refuted where it does not."""
        problem, given = self.problem, given_cells(self.outcome.problem)
        for phases in self.solutions:
            verify.check(problem, phases)
        for place, state in self.cells.items():
            if self._states(place) - {state}:
                raise Refuted(f"the cell {place} is not forced")
        if self.solutions and not self.itself:
            for place in set(free_cells(problem)) - set(self.cells) - self.open:
                if len(self._states(place)) < 2:
                    raise Refuted(f"the cell {place} is the same in all solutions that were found")
        if self.itself and dict(self.cells) != {place: given[place] for place in self.target}:
            raise Refuted("the cells forced are not the target")
        for place, phases in self.witnesses.items():
            verify.check(with_only(problem, self.target - {place}), phases)
            if all(phases[0][y, x] == state for (x, y), state in self.cells.items()):
                raise Refuted(f"without the cell {place} the same cells are forced")

    def _states(self, place: Coordinates) -> set[int]:
        x, y = place
        return {int(phases[0][y, x]) for phases in self.solutions}
