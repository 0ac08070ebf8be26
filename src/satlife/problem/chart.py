"""Chart: what is known of the boxes of a family: which have a solution, which of these are minimal, which have none."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property

from satlife.errors import counted
from satlife.life.identify import Identity
from satlife.life.pattern import Pattern
from satlife.problem.boxes import Boxes, Size, area, words
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Certificate, Outcome, Status
from satlife.problem.problem import Problem
from satlife.problem.symmetry import group_of
from satlife.records import dataclass


class BoxState(StrEnum):
    """What is known of a box."""

    REFUTED = "refuted"  # it has no solution
    MINIMAL = "minimal"  # it has one, and no box that lies in it has
    ANSWER = "answer"  # it has one
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Chart:
    """The answer to the goal Atlas.

    `finds` has a solution for each of the smallest boxes that are known to have one.  They are minimal where
    everything below them was refuted, and `states` says where."""

    question: Problem  # in the largest box
    states: Mapping[Size, BoxState]
    finds: tuple[Outcome, ...] = ()
    reason: str = ""  # why boxes are undecided
    seconds: float = 0.0
    proof: Certificate | None = None

    def __repr__(self) -> str:
        return f"<Chart of {self.question.kind} up to {words(self.question.size)}: {self.summary()}>"

    @cached_property
    def boxes(self) -> Boxes:
        return Boxes(self.question)

    @property
    def minimal(self) -> tuple[Outcome, ...]:
        """The finds in minimal boxes."""
        return tuple(found for found in self.finds if self.states[found.problem.size] is BoxState.MINIMAL)

    @property
    def complete(self) -> bool:
        """Whether every box is decided."""
        return not self.having(BoxState.UNDECIDED)

    @property
    def status(self) -> Status:
        if self.finds:
            return FOUND
        return NONE if self.complete else UNKNOWN

    def having(self, state: BoxState) -> list[Size]:
        """The boxes in a state, smallest area first."""
        return sorted((size for size, known in self.states.items() if known is state), key=area)

    @cached_property
    def largest_refuted(self) -> list[Size]:
        """The refuted boxes that lie in no other one: that they have no solution says it of all others."""
        refuted = [size for size in self.having(BoxState.REFUTED) if size in self.boxes.within]
        return [
            size for size in refuted if not any(other != size and self.boxes.lies_in(size, other) for other in refuted)
        ]

    @cached_property
    def smallest_undecided(self) -> list[Size]:
        """The undecided boxes in which no other one lies: where a search goes on."""
        open_ones = self.having(BoxState.UNDECIDED)
        return [
            size
            for size in open_ones
            if not any(other != size and self.boxes.lies_in(other, size) for other in open_ones)
        ]

    def pairs(self) -> list[tuple[Outcome, Size | None]]:
        """Each find once: of a box and the turned one, where both ask the same, the first, with the size of the
        other."""
        out: list[tuple[Outcome, Size | None]] = []
        told: set[Size] = set()
        sizes = {found.problem.size for found in self.finds}
        for found in self.finds:
            size = found.problem.size
            turned = self.boxes.turned(size)
            turned = turned if turned in sizes else None
            if size not in told:
                out.append((found, turned))
                told.update({size} if turned is None else {size, turned})
        return out

    def parities(self) -> str:
        """Which boxes are compared with each other, if a symmetry separates them by parity; otherwise ""."""
        square = all(width == height for width, height in self.boxes.within)
        larger: dict[str, Size] = {"sides": (2, 2)} if square else {"widths": (2, 1), "heights": (1, 2)}
        apart = [name for name, size in larger.items() if not self.boxes.lies_in((1, 1), size)]
        return f"only boxes whose {' and '.join(apart)} differ by an even number are compared" if apart else ""

    def summary(self) -> str:
        """What is known, in a sentence."""
        count, left = len(self.minimal), len(self.having(BoxState.UNDECIDED))
        moves = self.question.displacement != (0, 0)
        period = f" for period {self.question.generations}" if moves else ""
        minimal = counted(count, "minimal box") + period
        if not left:
            return f"{minimal}, everything below refuted" if count else f"no box has a solution{period}"
        known = [f"{minimal} known"] if self.finds else ["nothing found"]
        reason = f" ({self.reason})" if self.reason else ""
        return f"{known[0]}, {left} of {len(self.states)} boxes undecided{reason}"

    def to_dict(self) -> dict[str, object]:
        """The JSON form."""
        finds = {found.problem.size: _entry(found) for found in self.finds}
        minimal = {found.problem.size for found in self.minimal}
        return {
            "status": self.status,
            "problem": self.question.to_dict(),
            "complete": self.complete,
            "minimal": [entry for size, entry in finds.items() if size in minimal],
            "candidates": [entry for size, entry in finds.items() if size not in minimal],  # smaller ones are undecided
            "largest_refuted": [list(size) for size in self.largest_refuted],
            "smallest_undecided": [list(size) for size in self.smallest_undecided],
            "boxes": {state.value: [list(size) for size in self.having(state)] for state in BoxState},
            "parity": self.parities(),
            "turned_alike": self.boxes.turn is not None,  # a box and the turned box ask the same
            "seconds": {"total": round(self.seconds, 3)},
            "reason": self.reason,
            "proof": self.proof.to_dict() if self.proof else None,
        }


def _entry(found: Outcome) -> dict[str, object]:
    """A find in the JSON form of a chart."""
    return {"box": list(found.problem.size), "symmetry": symmetry_of(found), **found.to_dict()}


def symmetry_of(found: Outcome) -> str:
    """The static symmetry of a find by its usual name; if it has none, one of space-time if it has that."""
    placed = tuple(Pattern(cells, rule=found.final_rule).crop() for cells in found.phases)
    identity = Identity(placed[0], found.problem.generations, found.problem.displacement, placed)
    static = group_of(identity.symmetry)
    return identity.time_symmetry[0] if static == "C1" and identity.time_symmetry else static
