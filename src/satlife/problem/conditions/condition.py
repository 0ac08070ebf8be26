"""Condition: something that is required of a pattern beyond rule, box, period, symmetry and known cells.

A condition is one class in a module of this folder.  It has the field in JSON, the keyword in Python, the option in the
shell and the control on the page (all of one name), the check of a find by simulation, and a sentence for certificates.
What a room does about a condition, such as its clauses in `encode`, is a handler in that room under the same name.  A
question with a condition for which a room has no handler is refused there, so that a condition is never ignored.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Self

from satlife.errors import InputError
from satlife.life.pattern import Cells
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.problem.problem import Problem


@dataclass(frozen=True)
class Option:
    """How a condition is asked for in the shell and on the page.  Without a metavar it is a flag, else it takes values,
    any number of them; `file`: a value is the name of a file with a pattern."""

    help: str
    metavar: str = ""
    file: bool = False

    @property
    def is_flag(self) -> bool:
        return not self.metavar


class Condition(ABC):
    """A condition with its value; conditions are frozen dataclasses."""

    name: ClassVar[str]
    words: ClassVar[str]  # what an engine that does not know the condition says that it cannot do
    option: ClassVar[Option | None]  # None: it belongs to a family of its own, and others cannot have it
    # What follows, and `turned` and `is_timeless`, say how a condition behaves where its question is varied.  What does
    # not say so is refused there.
    #: Whether a solution that is moved within the box, all its phases alike, still satisfies the condition.
    translates: ClassVar[bool] = False
    #: Whether a solution, moved, satisfies it in every box in which its own lies: it names no place.
    any_box: ClassVar[bool] = False

    #: What a list has one of each of, where it has not every solution.
    listed: ClassVar[str] = ""

    @property
    def shown(self) -> str:
        """Its option, or what it is about if it has none."""
        return f"--{self.name}" if self.option is not None else self.words

    @classmethod
    @abstractmethod
    def read(cls, value: object) -> Self | None:
        """The condition from the value of its field in JSON, its keyword or its option; None if that asks nothing."""

    @abstractmethod
    def to_json(self) -> object:
        """The value of its field in JSON."""

    @abstractmethod
    def check(self, problem: Problem, phases: Sequence[Cells]) -> None:
        """Raise `simulation.Refuted`, with the reason, unless a solution satisfies the condition."""

    def arguments(self) -> list[str] | None:
        """Its arguments in the shell; None if it takes a file."""
        return [f"--{self.name}"]

    def sentences(self, problem: Problem) -> Iterator[str]:
        """What it says, for certificates; nothing if there are no clauses that say it."""
        yield from ()

    def remarks(self, problem: Problem, phases: Sequence[Cells], corner: tuple[int, int] = (0, 0)) -> Iterator[str]:
        """What is worth knowing about a solution, as comments on it; `corner` is the place in the plane at which the
        upper left corner of the box lies."""
        yield from ()

    def marked(self, phases: Sequence[Cells]) -> Cells | None:
        """Generation 0 of a solution in the states of LifeHistory, if some of its cells are to be told from others."""
        return None

    def posed(self, problem: Problem) -> Self:
        """The condition in its normal form; an InputError says why it makes no sense for a problem."""
        return self

    @abstractmethod
    def looks_at(self, problem: Problem) -> Collection[int]:
        """The generations whose open cells it looks at.  Where one of these cells is a don't-care, it has to follow the
        rule after all, or its state would be invented."""

    @abstractmethod
    def turned(self, problem: Problem, transform: str) -> Self:
        """The condition that the image of a problem under a transform has."""

    @property
    def is_timeless(self) -> bool:
        """Whether it says the same whatever the number of generations is."""
        return False


@dataclass(frozen=True)
class Flag(Condition):
    """A condition without a value."""

    @classmethod
    def read(cls, value: object) -> Self | None:
        if not isinstance(value, bool):
            raise InputError(f"the field `{cls.name}` should be true or false, not {value!r}")
        return cls() if value else None

    def to_json(self) -> bool:
        return True


def values(name: str, value: object) -> list[object]:
    """The values of a field that is a list; a text stands for a list of one."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Sequence):
        raise InputError(f"the field `{name}` should be a list")
    return list(value)
