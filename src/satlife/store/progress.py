"""How a search gets on: samples of its counters over time, and what they say of the rest.

The share of the whole that is finished is measured by the size of the tree (each split of a cube halves), not by work:
halves are not equally hard.  So the remaining time is an extrapolation of the latest speed, and its range is wide: it
covers twice the standard error of that speed, every speed since some earlier moment, from the beginning to the last
eighth of the time, and a search that goes on to slow down, or to get faster, as it has: a share that grows as a power
of the time.  Times in which nobody worked on the search do not count.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import mean, stdev
from typing import Any

from satlife.errors import counted
from satlife.problem.meaning import brief
from satlife.problem.reading import question_from
from satlife.records import dataclass
from satlife.store.records import SearchState, SearchStatus, Share

PAUSE, PAUSED = 120.0, 0.2  # a gap of more seconds, and of a greater part of the time so far, is a pause
WINDOWS = 8  # of equal length, in which the speed is measured
RECENT = 0.5  # of the time so far
LOOKS = (1.0, 0.5, 0.25, 0.125)  # of the time so far: the speeds since then are in the range
SPEEDS = ((1, "a second"), (60, "a minute"), (3600, "an hour"))
BLOCKS = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Sample:
    """The counters of a search at a moment."""

    at: float  # seconds
    finished: int  # units
    share: float


@dataclass(frozen=True)
class Estimate:
    """The latest speed of a search, and how long it may still take."""

    rate: float  # units a second
    remaining: float  # seconds, at the latest speed
    least: float  # at the greatest speed in the range
    most: float  # at the smallest; infinite if that is no speed at all

    @property
    def span(self) -> str:
        """The range of the remaining time.

        >>> Estimate(2.0, 7200, 3600, math.inf).span, Estimate(0.02, 60, 50, 9000).span
        ('60 min or more left', '50 s to 2 h left')
        """
        whole = f"{duration(self.least)} or more" if math.isinf(self.most) else between(self.least, self.most)
        return f"{whole} left"

    def words(self) -> str:
        """In a sentence.

        >>> Estimate(0.02, 60, 50, 70).words()
        '1.2 units a minute, 50 s to 70 s left by the size of the tree'
        """
        size, name = next((unit for unit in SPEEDS if self.rate * unit[0] >= 1), SPEEDS[-1])
        return f"{self.rate * size:.1f} units {name}, {self.span} by the size of the tree"


def without_pauses(samples: Sequence[Sample]) -> list[Sample]:
    """The samples as if nobody had ever stopped: they are much closer to each other while somebody works.

    >>> [s.at for s in without_pauses([Sample(0, 0, 0), Sample(5, 1, 0.1), Sample(9000, 1, 0.1), Sample(9005, 2, 0.2)])]
    [0, 5.0, 5.0, 10.0]
    """
    if len(samples) < 2:
        return list(samples)
    out, lost = [samples[0]], 0.0
    for earlier, later in pairwise(samples):
        if later.at - earlier.at > max(PAUSE, PAUSED * (earlier.at - lost - samples[0].at)):
            lost += later.at - earlier.at
        out.append(replace(later, at=later.at - lost))
    return out


def estimate(samples: Sequence[Sample]) -> Estimate | None:
    """What the later half of the samples says; None if that is too little.

    >>> steady = [Sample(float(t), 10 * t, t / 100) for t in range(51)]
    >>> found = estimate(steady)
    >>> (found.rate, round(found.remaining), round(found.least), round(found.most))
    (10.0, 50, 50, 50)
    """
    if len(samples) < 3:
        return None
    first, last = samples[0], samples[-1]
    span = last.at - first.at
    begin = last.at - RECENT * span
    length = (last.at - begin) / WINDOWS
    if length <= 0:
        return None
    marks = [_at(samples, begin + k * length) for k in range(WINDOWS + 1)]
    speeds = [(later.share - earlier.share) / length for earlier, later in pairwise(marks)]
    speed, doubt = mean(speeds), 2 * stdev(speeds) / math.sqrt(WINDOWS)
    if speed <= 0:
        return None
    since = [(last.share - _at(samples, last.at - part * span).share) / (part * span) for part in LOOKS]
    slow, fast = min(speed - doubt, *since), max(speed + doubt, *since)
    left = max(1.0 - last.share, 0.0)
    rate = (last.finished - marks[0].finished) / (last.at - begin)
    bent = _by_a_power(marks[0].share - first.share, last.share - first.share, 1.0 - first.share, span)
    most = left / slow if slow > 0 else math.inf
    return Estimate(rate, left / speed, min(left / fast, bent), max(most, bent))


def _by_a_power(half: float, now: float, whole: float, span: float) -> float:
    """The remaining time if the share grows as a power of the time, from what it was at half of the time and is now.

    >>> round(_by_a_power(0.25**0.5, 0.5**0.5, 1.0, 500))
    500
    """
    if not 0 < half < now:
        return 0.0 if half <= 0 else math.inf
    power = math.log(now / half) / math.log(1 / RECENT)
    exponent = math.log(whole / now) / power
    return span * math.expm1(exponent) if exponent < 100 else math.inf


def _at(samples: Sequence[Sample], moment: float) -> Sample:
    """The counters at a moment, between two samples in proportion."""
    for earlier, later in pairwise(samples):
        if moment <= later.at:
            part = (moment - earlier.at) / (later.at - earlier.at) if later.at > earlier.at else 1.0
            part = min(max(part, 0.0), 1.0)
            finished = earlier.finished + part * (later.finished - earlier.finished)
            return Sample(moment, round(finished), earlier.share + part * (later.share - earlier.share))
    return samples[-1]


def plot(samples: Sequence[Sample], width: int = 60) -> str:
    """The share over time, in a line of blocks.

    >>> plot([Sample(0, 0, 0.0), Sample(10, 5, 1.0)], 9)
    ' ▁▂▃▄▅▆▇█'
    """
    if len(samples) < 2 or samples[-1].at <= samples[0].at:
        return ""
    first, span = samples[0].at, samples[-1].at - samples[0].at
    heights = (_at(samples, first + span * k / (width - 1)).share for k in range(width))
    return "".join(BLOCKS[min(max(round(height * (len(BLOCKS) - 1)), 0), len(BLOCKS) - 1)] for height in heights)


def duration(seconds: float) -> str:
    """A time for people.

    >>> [duration(s) for s in (5, 90, 7200, 200000)]
    ['5 s', '2 min', '2 h', '2 d']
    """
    for size, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} s"


def between(least: float, most: float) -> str:
    low, high = duration(least), duration(most)
    return low if low == high else f"{low} to {high}"


# Searches in words, for the terminal and the page.


def title(asked: Mapping[str, Any]) -> str:
    """A question, from its JSON form.

    >>> title({"kind": "oscillator", "box": [7, 6], "period": 3})
    'oscillator 7x6 p3'
    """
    period = f" p{asked['period']}" if "period" in asked else ""
    box = f" {'x'.join(map(str, asked['box']))}" if "box" in asked else ""
    return f"{asked['kind']}{box}{period}"


def sentence(status: SearchStatus, sure: str = "") -> str:
    """The state of a search; `sure` says on whose word there is none, unless it is that of the engine."""
    if status["atlas"]:
        return f"{status['state']}: {summary(status)}"
    sure = sure or ("exhaustive search" if "*" in status["problem"].get("box", ()) else "solver's word")
    count = sum(status["units"][name] for name in ("refuted", "done"))
    units = counted(count, "unit")
    if status["counting"]:
        complete = f"complete: counted modulo {count} primes, one more than a proved upper bound asks for"
    else:
        complete = f"complete: {counted(status['finds'], 'find')}, one of each orbit ({units})"
    failed = status["units"]["poison"]
    sentences = {
        SearchState.FOUND: "found",
        SearchState.NONE: f"refuted: there is none: {brief(question_from(status['problem']))} ({sure}, {units})",
        SearchState.LISTED: complete,
        SearchState.STUCK: f"stuck: {failed} units failed ({status['reason']})"
        if failed
        else f"stuck: {status['reason']}",
    }
    return sentences.get(status["state"], f"{status['state']}: {summary(status)}")


def summary(status: SearchStatus) -> str:
    """How far a search has come."""
    units = status["units"]
    if status["atlas"]:
        return f"{status['share']:.1%} of the boxes decided, {status['finds']} with a find of their own"
    parts = [f"{status['share']:.1%} done", f"{units['refuted'] + units['done']} units finished"]
    parts += [f"{units[state]} {state}" for state in ("running", "open", "poison") if units[state]]
    return ", ".join(parts if status["counting"] else [*parts, f"{status['finds']} finds"])


def worker_words(numbers: Share) -> str:
    """What a worker has done.

    >>> worker_words({"running": 2, "finished": 8, "seconds": 40.0})
    '2 running, 8 finished, 5.0 s each'
    """
    speed = f", {numbers['seconds'] / numbers['finished']:.1f} s each" if numbers["finished"] else ""
    return f"{numbers['running']} running, {numbers['finished']} finished{speed}"


def short(count: int | None) -> str:
    """A count in at most eleven characters.

    >>> short(416), short(29305144136), short(10**20 // 3), short(None)
    ('416', '29305144136', '3.333e+19', 'a count')
    """
    if count is None:
        return "a count"
    digits = len(str(count))
    return str(count) if digits <= 11 else f"{count // 10 ** (digits - 4) / 1000}e+{digits - 1}"
