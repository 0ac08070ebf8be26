"""Events: what a search tells while it is under way.  Shell, page and notebooks only render them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from satlife.life.pattern import UNKNOWN, Cells
from satlife.problem.answers import Best, Listed
from satlife.problem.outcome import Outcome
from satlife.problem.question import Question
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.problem.chart import Chart
    from satlife.problem.pasts import Core, Forced

UNKNOWN_CELL = UNKNOWN  # in place of a state: a cell that a partial solution does not decide


@dataclass(frozen=True)
class Progress:
    """How far an engine or solver has come, in words, with a new best partial solution if there is one."""

    who: str
    words: str
    partial: tuple[Cells, ...] = ()  # its generations; cells that it does not decide are UNKNOWN_CELL


@dataclass(frozen=True)
class Found:
    """A solution, which has passed the simulation; in a list, with the state of the list."""

    outcome: Outcome
    listed: Listed | None = None


@dataclass(frozen=True)
class Improved:
    """A better value, or a better bound."""

    best: Best


@dataclass(frozen=True)
class RuledOut:
    """A smaller question inside the one that was asked has no solution."""

    question: Question
    outcome: Outcome | None = None  # of its search, where that is worth keeping
    seconds: float = 0.0  # that its own search took, where that is known


@dataclass(frozen=True)
class Charted:
    """What is known of the boxes of an atlas so far."""

    chart: Chart


@dataclass(frozen=True)
class Shrunk:
    """A smaller core, or a better bound; or a smaller part of the target from which the same follows."""

    part: Core | Forced


@dataclass(frozen=True)
class Note:
    """Something that the user should know, such as why a device is not used."""

    text: str


@dataclass(frozen=True)
class Saved:
    """The text from which a search goes on, how many partial ships are in it, and how many were too many for it: these
    come again from others that are in it."""

    text: str
    partials: int
    cut_off: int


@dataclass(frozen=True)
class Resumable:
    """The search can be saved at any time."""

    save: Callable[[], Saved]


@dataclass(frozen=True)
class Resumed:
    """The search goes on from one that was saved, which had told so many finds; they do not come again."""

    found: int


@dataclass(frozen=True)
class Covered:
    """How far a search row by row came before it ended."""

    words: str  # what a search that ends without partial ships has considered
    row: int
    partials: int  # partial ships that are left
    searched: int  # every ship whose phases lie in a box of this many rows was found or does not exist
    counts: tuple[int, ...]  # partial ships after each row, if the search began at the beginning
    ships: tuple[str, ...]  # what was found, by apgcode
    partials_left: bool
    complete: bool  # no partial ship is left, and there is a ship, or none of a smaller period that hides others
    from_a_head: bool  # whether only ships that begin with given rows were looked for


@dataclass(frozen=True)
class ProofChecked:
    """How much of the proofs of a certificate has been checked."""

    what: str
    done: int
    total: int


Event = Progress | Found | Improved | RuledOut | Charted | Shrunk | Note | Resumable | Resumed | Covered | ProofChecked
Hearing = Callable[[Event], None]


def silent(event: Event) -> None:
    """Hears everything, and tells nothing."""


def compact(number: float) -> str:
    """A number in at most five characters, for progress messages.

    >>> compact(9876), compact(12_345), compact(3_456_789), compact(2.5e9)
    ('9876', '12.3k', '3.46M', '2.5G')
    """
    if number < 10_000:
        return f"{number:.0f}"
    unit = min(int(math.log10(number)) // 3, 4)
    return f"{number / 1000**unit:.3g}{' kMGT'[unit]}"
