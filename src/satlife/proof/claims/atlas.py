"""The claim that the minimal boxes are these."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from satlife.errors import InputError
from satlife.problem import verify
from satlife.problem.boxes import Size, must_be_free, words
from satlife.problem.goals import Atlas, Goal
from satlife.problem.problem import Problem
from satlife.proof.claims.claim import Claim
from satlife.records import dataclass


@dataclass(frozen=True)
class ClaimAtlas(Claim):
    """Of all boxes up to the problem's own, those in which a box of `minimal` lies have a solution, and no others; none
    of `minimal` lies in another.  It rests on the certificates of its boxes."""

    kind = "atlas"
    goals: ClassVar[frozenset[type[Goal]]] = frozenset({Atlas})
    minimal: tuple[Size, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        must_be_free(self.problem)
        if len(set(self.minimal)) < len(self.minimal):
            raise InputError("a minimal box is listed twice")

    def fields(self) -> dict[str, object]:
        return {"minimal": [words(size) for size in self.minimal]}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        minimal = data.get("minimal", [])
        if not isinstance(minimal, list):
            raise InputError("the certificate's minimal boxes are damaged")
        return {"minimal": tuple(map(_size, minimal))}

    @property
    def refutations(self) -> list[Problem]:
        raise InputError("an atlas rests on the certificates of its boxes, and has no proofs of its own")

    def check_finds(self) -> None:
        if self.finds:
            raise verify.Refuted("there should be no find")

    def opening(self) -> list[str]:
        largest = words(self.problem.size)
        if not self.minimal:
            return [f"No box up to {largest} has a pattern with these properties (said for the largest):"]
        return [
            f"The minimal boxes, up to {largest}, with such a pattern are: {', '.join(map(words, self.minimal))}.",
            "A box is minimal if it has a pattern and no other box that lies in it has one.  (With a symmetry a",
            "box lies in another if both can have the same centre.  Where turning changes nothing in the question,",
            "a box and the turned box count as one.)  The properties, in the largest box:",
        ]


def _size(name: object) -> Size:
    found = re.fullmatch(r"([1-9]\d{0,5})x([1-9]\d{0,5})", str(name))
    if not found:
        raise InputError(f"{str(name)[:40]!r} is not the size of a box")
    return int(found[1]), int(found[2])
