"""AnyBox: a question without a box, for a pattern of any size.

It can be answered by a find, and never be refuted.  A velocity without a period allows the multiples of its least
period as well: the lightweight spaceship moves at c/2 with period 4.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from satlife.errors import InputError
from satlife.life.rule import Rule
from satlife.problem.conditions.condition import Condition
from satlife.problem.problem import Problem
from satlife.problem.question import MULTIPLES, JsonFields, Need, Place, Question, read
from satlife.problem.velocity import Velocity
from satlife.records import dataclass

LARGE = 100  # cells along a side of a box in which every question makes sense
SHAPES = frozenset({Place.STRIP, Need.SYMMETRY, Need.CENTRES})  # in which the questions inside it may differ


class Boxless(Question):
    """A question about boxes of many sizes."""

    @property
    @abstractmethod
    def posed(self) -> Problem:
        """The question about one of these boxes."""

    @cached_property
    def needs(self) -> frozenset[str]:
        return self.posed.needs | {self.place}

    @property
    def kind(self) -> str:
        return self.posed.kind

    @property
    def rule(self) -> Rule:
        return self.posed.rule

    @property
    def width(self) -> int:
        return 0

    @property
    def size(self) -> tuple[int, int]:
        return 0, 0

    @property
    def wrap(self) -> tuple[bool, bool]:
        return False, False

    @property
    def displacement(self) -> tuple[int, int]:
        return self.posed.displacement

    @property
    def generations(self) -> int:
        return self.posed.generations

    @property
    def symmetries(self) -> tuple[str, ...]:
        return self.posed.symmetry

    @property
    def multiples(self) -> bool:
        return self.posed.multiples

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return self.posed.conditions


@dataclass(frozen=True)
class AnyBox(Boxless):
    """What `example` asks about its box, asked about every box; with `multiples` the period may also be a multiple of
    its own, at the same velocity.

    >>> from satlife.problem.families import spaceship
    >>> AnyBox(spaceship((4, 4), displacement="c/2"), multiples=True).in_box((6, 6), times=2).displacement
    (0, -2)
    """

    example: Problem
    multiples: bool = False
    place = Place.ANYWHERE

    def __post_init__(self) -> None:
        example = self.example
        if not isinstance(example, Problem):
            raise InputError(f"what is asked about every box is a question about one, not a {type(example).__name__}")
        if any(example.cells) or any(example.wrap) or not example.periodic:
            raise InputError("known cells, a torus, or generations that do not recur need a box; give one, such as 9x9")
        for condition in example.conditions:
            if not condition.any_box:
                raise InputError(f"{condition.words} need a box; give one, such as 9x9")
        if self.multiples or example.multiples:
            example = replace(example, multiples=True).every(1)  # refuses what has no multiples
            object.__setattr__(self, "multiples", True)
        side = max(1, *map(abs, example.displacement))
        example = replace(example, width=side, height=side, centred=True)
        object.__setattr__(self, "example", example)  # so that equal ones are equal

    @property
    def posed(self) -> Problem:
        return self.example

    @property
    def noun(self) -> str:
        return self.example.noun

    @property
    def velocity(self) -> Velocity:
        return Velocity(self.displacement, self.generations)

    def every(self, times: int) -> AnyBox:
        return AnyBox(self.example.every(times)) if times > 1 or self.multiples else self

    def in_box(self, size: tuple[int, int], times: int = 1) -> Problem:
        """The question in a box, with a multiple of the period."""
        width, height = size
        return replace(self.example, width=width, height=height).every(times)

    def case(self, found: Problem | None) -> Problem:
        """The problem, with a box, that a find solves; an InputError if it is no special case of this one."""
        times, rest = divmod(found.generations, self.generations) if found else (0, 0)
        if (
            found is None
            or rest
            or (times > 1 and not self.multiples)
            or found.key != self.in_box(found.size, times).key
        ):
            raise InputError("a find answers another question")
        return found

    def contains(self, question: Question) -> bool:
        """Whether an answer to the other question is one to this."""
        times, rest = divmod(question.generations, self.generations)
        same = self.rule == question.rule and self.conditions == question.conditions
        fits = not rest and times >= 1 and (self.multiples or times == 1)
        if not (same and fits and set(self.symmetries) <= set(question.symmetries)) or any(question.wrap):
            return False
        example = self.in_box((LARGE, LARGE), times)
        return (question.displacement, question.needs - SHAPES) == (example.displacement, example.needs - SHAPES)

    def in_a_box(self, what: str) -> Problem:
        raise InputError(f"{what} needs a box, such as 9x9")

    def to_dict(self) -> JsonFields:
        """The JSON form: that of a problem without the field `box`."""
        fields = {name: value for name, value in self.example.to_dict().items() if name != "box"}
        return fields | ({MULTIPLES: True} if self.multiples else {})

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> AnyBox:
        """A question from its JSON form; an InputError says what is wrong."""
        moved = data.get("displacement", [0, 0])
        sides = [abs(d) for d in moved if isinstance(d, int)] if isinstance(moved, list) else []
        fields = {name: value for name, value in data.items() if name != MULTIPLES}
        side = max(sides, default=1) or 1
        return cls(Problem.from_dict({**fields, "box": [side, side]}), read(data, MULTIPLES, bool, False))
