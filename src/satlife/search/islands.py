"""Finished islands: a partial solution may contain a whole one.

While an engine fills a large box, a part of its assignment may already be a pattern that answers the question, with
nothing near it in any generation.  Such an island is simulated; if it answers the question, the search is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from satlife.life.parts import islands, near
from satlife.life.pattern import Cells, Pattern
from satlife.problem.ask import Ask
from satlife.problem.goals import FindOne
from satlife.problem.nested import bounds_only, recurring
from satlife.problem.outcome import Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Need, Place

MOST = 12  # islands of a partial solution that are simulated
APART = 1  # cells around each of two islands that have no cell in common
UNSUITED = frozenset({Need.BLINKING, Need.PARTIAL, Need.STATES, Place.ANYWHERE})


class IslandFinder:
    """Looks for finished islands in the partial solutions of a question; each is simulated once."""

    def __init__(self, ask: Ask) -> None:
        self.question = question = ask.question
        one = isinstance(ask.goal, FindOne)
        self.suits = one and bounds_only(question) and not question.needs & UNSUITED
        self._seen: set[bytes] = set()

    def look(self, partial: Sequence[Cells]) -> Outcome | None:
        """A find among the islands of a partial solution."""
        if not self.suits or not partial:
            return None
        alive = np.max([phase == 1 for phase in partial], axis=0).astype(np.uint8)
        label = islands(near(alive, APART))
        for number in range(1, min(int(label.max(initial=0)), MOST) + 1):
            cells = ((label == number) & (partial[0] == 1)).astype(np.uint8)
            key = cells.tobytes()
            if cells.any() and key not in self._seen:
                self._seen.add(key)
                if found := self._answer(Pattern(cells, rule=self.question.rule.unrestricted)):
                    return found
        return None

    def _answer(self, start: Pattern) -> Outcome | None:
        """The pattern as an answer, if it recurs as the question wants it."""
        found = recurring(self.question, start, self.question, self._in_box)
        return found and replace(found, solver="simulation", strategy="an island")

    def _in_box(self, width: int, height: int) -> Problem:
        if strip := self.question.strip:
            return replace(strip, symmetry=None, gutter=False).closed(width, height)
        return replace(self.question.in_a_box("an island"), width=width, height=height, symmetry=())
