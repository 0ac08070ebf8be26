"""Rules of inference: how a claim follows from the claims of other certificates.

A certificate may rest on others instead of on proofs of its own.  It names them, and the rule; whether the claim
follows by the rule is decided here, from the claims alone.

    translation   there is no pattern, since there is none that touches sides to which every pattern can be moved
    cubes         there is no pattern, since there is none in any leaf of a tree of cubes
    boxes         the minimal boxes of an atlas are these, since every other box either contains one of them or has no
                  pattern
    centres       there is no pattern with a symmetry, wherever its centre lies, since there is none about the middle of
                  the box, nor of those a column or a row smaller
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from satlife.errors import InputError
from satlife.problem.boxes import Boxes, Size, area, words
from satlife.problem.conditions.cube import Assumption, assumed
from satlife.problem.problem import Problem
from satlife.problem.question import must_know
from satlife.problem.relation import loses_nothing
from satlife.proof.claims.atlas import ClaimAtlas
from satlife.proof.claims.claim import Claim
from satlife.proof.claims.find import ClaimFound, is_none, must_be_none
from satlife.records import dataclass

MOST = 100_000  # certificates on which one rests
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class InferenceRule(StrEnum):
    """The rules of inference."""

    TRANSLATION = "translation"
    CUBES = "cubes"
    BOXES = "boxes"
    CENTRES = "centres"


@dataclass(frozen=True)
class Rests:
    """The certificates, by the names of their folders, from which a claim follows by a rule."""

    rule: InferenceRule
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 0 < len(self.names) <= MOST:
            raise InputError(f"a claim that follows from others rests on a list of 1 to {MOST:,} certificates")
        for name in self.names:
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                raise InputError(f"{str(name)[:40]!r} is not the name of a certificate in the folder")
        if len({name.lower() for name in self.names}) < len(self.names):
            raise InputError("a claim rests on a certificate that it names twice")

    def to_dict(self) -> dict[str, object]:
        return {"rule": self.rule, "on": list(self.names)}

    @classmethod
    def from_dict(cls, data: object) -> Rests:
        """From the JSON form; an InputError says what is wrong with it."""
        if not isinstance(data, Mapping) or data.get("rule") not in list(InferenceRule):
            raise InputError(f"the rule by which a claim follows should be one of {', '.join(InferenceRule)}")
        must_know(data, ("rule", "on"), "a rule by which a claim follows has no field")
        names = data.get("on")
        return cls(InferenceRule(data["rule"]), tuple(names) if isinstance(names, list) else ())

    def words(self) -> list[str]:
        """The last sentences of a statement that follows from others."""
        many = len(self.names)
        where = f"the certificate in the folder {self.names[0]}" if many == 1 else f"the {many} certificates in folders"
        return [f"This follows from {where}, by the rule `{self.rule}`:", *EXPLAINED[self.rule]]


EXPLAINED: dict[InferenceRule, list[str]] = {
    InferenceRule.TRANSLATION: [
        "A pattern with these properties can be moved, all its generations alike, until it touches the sides of the",
        "box that are named there, and it keeps the properties.",
    ],
    InferenceRule.CUBES: [
        "Each of them refutes the patterns that agree with a cube: with assumptions about single cells.  The cubes are",
        "the leaves of a tree of splits, so that every pattern agrees with one of them.",
    ],
    InferenceRule.BOXES: [
        "A pattern in a box lies in every larger box, too, so that a box without one contains no box with one.",
    ],
    InferenceRule.CENTRES: [
        "What a pattern with these symmetries uses of the box has their centre in its middle.  So it can be moved",
        "until that is in the middle of the box, too, or of the box with one column or one row less, or both.",
    ],
}


def conclude(claim: Claim, rests: Rests, parts: Mapping[str, Claim]) -> str:
    """What follows from the claims of the certificates that are named, in a line; InputError if the claim does not."""
    if set(parts) != set(rests.names):
        raise InputError("the certificates are not those that the claim rests on")
    return RULES[rests.rule](claim, [parts[name] for name in rests.names])


def _translation(claim: Claim, parts: Sequence[Claim]) -> str:
    [problem], needed = _refuted(parts[:1]), must_be_none(claim)
    if len(parts) > 1 or not loses_nothing(needed, problem):
        raise InputError("it is not about the patterns that touch sides to which every pattern can be moved")
    return "every pattern can be moved until it touches these sides"


def _cubes(claim: Claim, parts: Sequence[Claim]) -> str:
    needed, problems = must_be_none(claim), _refuted(parts)
    whole = needed.having(cube=False).key
    if any(problem.having(cube=False).key != whole for problem in problems):
        raise InputError("one of the cubes is a part of another question")
    _must_cover([assumed(problem) for problem in problems], assumed(needed))
    return f"{len(parts)} cubes, which cover everything"


def _centres(claim: Claim, parts: Sequence[Claim]) -> str:
    needed = must_be_none(claim).by_centre
    if {problem.key for problem in _refuted(parts)} != {problem.key for problem in needed}:
        raise InputError("these are not the boxes in whose middle the centre of a pattern may lie")
    return f"{len(needed)} boxes, in the middle of one of which the centre of every pattern lies"


def _must_cover(cubes: Sequence[tuple[Assumption, ...]], top: tuple[Assumption, ...]) -> None:
    """Refuse cubes that are not the leaves of a tree of splits below `top`: at each split a cell is alive, or not."""
    wrong = InputError("the cubes are not the leaves of a tree")
    if any(cube[: len(top)] != top for cube in cubes):
        raise wrong
    waiting = [(len(top), list(cubes))]  # the cubes that agree up to a depth
    while waiting:
        depth, alike = waiting.pop()
        if len(alike) == 1 and len(alike[0]) == depth:
            continue
        if not alike or any(len(cube) == depth for cube in alike):
            raise wrong
        x, y, t, _ = alike[0][depth]
        sides = [[cube for cube in alike if cube[depth] == (x, y, t, alive)] for alive in (0, 1)]
        if len(sides[0]) + len(sides[1]) < len(alike):
            raise wrong
        waiting += [(depth + 1, side) for side in sides]


def _boxes(claim: Claim, parts: Sequence[Claim]) -> str:
    if not isinstance(claim, ClaimAtlas):
        raise InputError("the rule is about an atlas")
    boxes = Boxes(claim.problem)
    found: list[Size] = []
    none: list[Size] = []
    for part in parts:
        size, problem = part.problem.size, boxes.within.get(part.problem.size)
        if problem is None or part.problem.key != problem.key or not (is_none(part) or isinstance(part, ClaimFound)):
            raise InputError(f"the certificate of {words(size)} is about another question")
        (none if is_none(part) else found).append(size)
    if set(found) != set(claim.minimal):
        raise InputError("the boxes with a pattern are not those of the atlas")
    return must_be_decided(boxes, found, none)


def must_be_decided(boxes: Boxes, minimal: Sequence[Size], refuted: Sequence[Size]) -> str:
    """That boxes with a pattern and boxes without one decide all others, and that the former are minimal; InputError if
    it is not so."""
    found, without = (_with_turned(boxes, sizes) for sizes in (minimal, refuted))
    none = {size for size in boxes.within if any(boxes.lies_in(size, other) for other in without)}
    none |= _with_turned(boxes, none)
    some = {size for size in boxes.within if any(boxes.lies_in(other, size) for other in found)}
    if none & some:
        raise InputError(f"{words(min(none & some, key=area))} both has a pattern and has none")
    if left := set(boxes.within) - none - some:
        raise InputError(f"nothing decides {words(min(left, key=area))}")
    for size in found:
        if any(other != size and boxes.lies_in(other, size) for other in some):
            raise InputError(f"{words(size)} is not minimal")
    return f"{len(boxes.within)} boxes, decided by these certificates; {len(found)} are minimal"


def _with_turned(boxes: Boxes, sizes: Sequence[Size] | set[Size]) -> set[Size]:
    return {*sizes, *(turned for size in sizes if (turned := boxes.turned(size)) is not None)}


def _refuted(parts: Sequence[Claim]) -> list[Problem]:
    """The problems of claims each of which must be that there is no solution."""
    return [must_be_none(part) for part in parts]


RULES: dict[InferenceRule, Callable[[Claim, Sequence[Claim]], str]] = {
    InferenceRule.TRANSLATION: _translation,
    InferenceRule.CUBES: _cubes,
    InferenceRule.BOXES: _boxes,
    InferenceRule.CENTRES: _centres,
}
