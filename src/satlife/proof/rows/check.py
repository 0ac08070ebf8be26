"""The check of a list of windows, on several cores: see the package for what it shows, and `kernel` for how."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError
from satlife.problem.openbox import OpenBox
from satlife.proof.checker import CheckProgress
from satlife.proof.rows import kernel
from satlife.proof.rows.columns import columns
from satlife.proof.rows.kernel import Question, Work
from satlife.proof.rows.sequence import Sequence
from satlife.proof.rows.windows import Keys

PARTS = 1000  # of a list, that threads take one after the other
LONGEST = 512  # rows of a walk that a certificate may ask for
POOL = 1 << 18, 64  # rows for which a thread has room, at least, and all rows so many times


def check(box: OpenBox, keys: Keys, span: int, jobs: int = 1, progress: CheckProgress | None = None) -> int:
    """Check that every walk from emptiness, or from a window of the list, comes within `span` rows to one of the list
    or to an end; returns how many rows were tried.  An InputError says what is wrong."""
    if not 1 <= span <= LONGEST:
        raise InputError(f"walks of {span} rows: a certificate may ask for 1 to {LONGEST}")
    sequence = Sequence(box)
    question, index = question_of(sequence, span), indexed(keys)
    works: SimpleQueue[Work] = SimpleQueue()
    for _ in range(jobs):
        works.put(work_of(question))

    def walk(part: range) -> tuple[int, int]:
        """From these windows, or from emptiness at these places, numbered -1, -2, ...; how many rows were tried."""
        work = works.get()
        before = int(work.numbers[0])
        ended = kernel.check(question, work, index, keys, part.start, part.stop)
        tried = int(work.numbers[0]) - before
        works.put(work)
        return ended, tried

    size = len(keys) // PARTS + 1
    parts = [range(-len(sequence.starts), 0)]
    parts += [range(n, min(n + size, len(keys))) for n in range(0, len(keys), size)]
    tried = 0
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for part, (ended, rows) in zip(parts, (pool.map if jobs > 1 else map)(walk, parts), strict=True):
                _must_be_closed(ended)
                tried += rows
                if progress:
                    progress("checking", part.stop, len(keys))
        finally:
            question.numbers[kernel.PAUSE] = 1
            pool.shutdown(cancel_futures=True)
    return tried


def _must_be_closed(ended: int) -> None:
    if ended == kernel.SHIP:
        raise InputError("a walk comes back to emptiness: that is a ship, perhaps one of a smaller period")
    if ended == kernel.TOO_LONG:
        raise InputError("a walk neither ends nor comes to a window of the list")
    if ended == kernel.NO_ROOM:
        raise LimitError("too many rows may follow a window")


def question_of(sequence: Sequence, span: int) -> Question:
    """A question as arrays."""
    automaton, p = columns(sequence), sequence.period
    places = range(4 * p, 5 * p)
    ahead = [sequence.ahead(place) for place in places]
    earlier, ready = np.zeros(p, np.int64), np.zeros((p, p), np.int64)
    for place in places:
        on = place + p + ahead[place % p]
        earlier[on % p] = place - on
        limited = [n for n in range(1, p + 1) if max(n - p, n + ahead[(place + n) % p]) == 0]
        ready[place % p, : len(limited)] = limited
    images = np.array(sequence.images, np.uint16).reshape(-1, 1 << sequence.free)
    return Question(
        np.array([p, sequence.free, automaton.left, automaton.right, sequence.is_uniform, span, 0], np.int64),
        np.array(ahead, np.int64), np.array([sequence.shift(place) for place in places], np.int64), earlier, ready,
        automaton.onward, automaton.backward, automaton.cases, automaton.ends, images,
    )  # fmt: skip


def work_of(question: Question) -> Work:
    """The arrays of one thread."""
    p, free, span = (int(question.numbers[n]) for n in (kernel.PERIOD, kernel.FREE, kernel.SPAN))
    pool, level = max(POOL[0], POOL[1] << free), span + 2
    return Work(
        np.zeros(4 * p + level, np.int64), np.zeros(pool, np.uint16), np.full((level, p), -1, np.int64),
        np.zeros((level, p), np.int64), np.zeros(level, np.int64), np.zeros(level, np.int64),
        np.zeros(free + 1, np.int64), np.zeros(-(-(2 * p * free + 4) // 64), np.uint64), np.zeros(2, np.int64),
    )  # fmt: skip


def indexed(keys: Keys) -> npt.NDArray[np.int64]:
    """A hash table of the windows."""
    index = np.full(1 << max(4, (2 * len(keys)).bit_length()), -1, np.int64)
    kernel.fill(index, keys)
    return index
