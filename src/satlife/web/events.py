"""What the process of a search reports to the server: the messages of `worker`, one JSON object a line."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

import numpy as np

from satlife.life.pattern import Cells
from satlife.problem.outcome import CertificateJson, Status

TOO_DEEP = "the request is nested too deeply"
Json = dict[str, object]  # an object that the server passes on to the page without looking inside


class Frames(TypedDict):
    """Generations of one size, each as base64 of its cells."""

    size: list[int]
    frames: list[str]


def pack(generations: Sequence[Cells]) -> Frames:
    """Generations of one size, for the page."""
    height, width = generations[0].shape
    return {
        "size": [width, height],
        "frames": [base64.b64encode(np.ascontiguousarray(cells).tobytes()).decode() for cells in generations],
    }


class Refutation(TypedDict):
    """What was shown by "there is none": no pattern has all these properties.  `how` is a sentence without its stop."""

    claim: str
    properties: list[str]
    how: str
    core: NotRequired[Frames]  # the part of an orphan that is one by itself


class Advice(TypedDict):
    """What to ask next: a command, why, and the question that a click asks; a long search is started in a shell."""

    command: str
    why: str
    problem: Json | None


class PageResult(TypedDict):
    """How a search ended."""

    status: Status
    reason: str
    words: NotRequired[str]
    warning: NotRequired[str]
    seconds: NotRequired[dict[str, float]]
    solver: NotRequired[str]
    strategy: NotRequired[str]
    proof: NotRequired[CertificateJson | None]
    refuted: NotRequired[Refutation]
    advice: NotRequired[list[Advice]]


class ProgressEvent(TypedDict):
    """What an engine is doing."""

    event: Literal["progress"]
    who: str
    words: str


class PartialEvent(TypedDict):
    """The best partial answer so far, such as the longest partial ship."""

    event: Literal["partial"]
    frames: Frames


class RuledOutEvent(TypedDict):
    """The largest of the smaller questions that were refuted so far, in sentences."""

    event: Literal["ruled out"]
    sentences: list[str]


class BetterEvent(TypedDict):
    """An improvement in a search for the best."""

    event: Literal["better"]
    find: Json
    measure: str
    value: int | None
    bound: int | None


class FoundEvent(TypedDict):
    """A find."""

    event: Literal["found"]
    find: Json


class ListedEvent(TypedDict):
    """The finds of a list so far."""

    event: Literal["listed"]
    finds: list[Json]


class ChartEvent(TypedDict):
    """What is known of the boxes of an atlas, and the finds in the smallest boxes that have one."""

    event: Literal["chart"]
    chart: Json
    finds: list[Json]


class DoneEvent(TypedDict):
    """The end of the search."""

    event: Literal["done"]
    result: PageResult


PageEvent = (
    ProgressEvent | PartialEvent | RuledOutEvent | BetterEvent | FoundEvent | ListedEvent | ChartEvent | DoneEvent
)
