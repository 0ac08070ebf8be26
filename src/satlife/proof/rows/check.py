"""The check of a list of windows, on several cores: see the package for what it shows, and `kernel` for how."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from functools import partial
from queue import SimpleQueue

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError
from satlife.problem.openbox import OpenBox
from satlife.proof.parallel import Checking
from satlife.proof.rows import index as hashing
from satlife.proof.rows import kernel
from satlife.proof.rows.columns import columns
from satlife.proof.rows.kernel import QuestionArrays, Scratch
from satlife.proof.rows.sequence import Sequence
from satlife.proof.rows.windows import Keys

#: By columns: windows from which on it pays to tabulate which rows may follow which.
MANY = {columns: 8**columns // 50 for columns in range(2, 9)}
PARTS = 1000  # of a list, that threads take one after the other
AT_ONCE = 100_000  # rows that are tried before anybody looks up
LONGEST = 512  # rows of a walk that a certificate may ask for
POOL = 1 << 18, 64  # rows for which a thread has room, at least, and all rows so many times


def check(
    box: OpenBox,
    keys: Keys,
    span: int,
    checking: Checking | None = None,
    size: int = 0,
    many: Mapping[int, int] = MANY,
) -> int:
    """Check that every walk from emptiness, or from a window of the list, comes within `span` rows to one of the list
    or to an end; returns how many rows were tried.  An InputError says what is wrong.  The list counts as `size` bytes
    of what is to be checked in all."""
    if not 1 <= span <= LONGEST:
        raise InputError(f"walks of {span} rows: a certificate may ask for 1 to {LONGEST}")
    checking = checking or Checking()
    sequence = Sequence(box)
    question, index = question_of(sequence, span), indexed(keys)
    work = work_of(question)
    if len(keys) > many.get(sequence.free, math.inf) and not box.aside:
        question, work = tabulated(question, work)
    works: SimpleQueue[Scratch] = SimpleQueue()
    for _ in range(checking.jobs + 1):  # one for the thread that waits for the others
        works.put(copy.deepcopy(work))

    def walk(part: range) -> Iterator[str]:
        """Walk from these windows, or from emptiness before place n, which has the number -1 - n."""
        work, number = works.get(), part.start
        while number < part.stop:
            work.numbers[kernel.ROWS_LEFT] = AT_ONCE
            number, ended = kernel.check(question, work, index, keys, number, part.stop)
            _must_be_closed(ended, box)
            checking.tick()
        works.put(work)
        checking.advance(size * len(part) // (len(keys) + len(sequence.starts)))
        yield from ()

    length = len(keys) // PARTS + 1
    parts = [range(-len(sequence.starts), 0)]
    parts += [range(n, min(n + length, len(keys))) for n in range(0, len(keys), length)]
    for _ in checking.in_order([partial(walk, part) for part in parts]):
        pass
    return sum(int(works.get().numbers[kernel.TRIED]) for _ in range(works.qsize()))


def _must_be_closed(ended: int, box: OpenBox) -> None:
    if ended == kernel.SHIP:
        what = "an oscillator" if box.stays else f"a {box.noun}, perhaps one of a smaller period"
        raise InputError(f"a walk comes back to emptiness: that is {what}")
    if ended == kernel.TOO_LONG:
        raise InputError("a walk neither ends nor comes to a window of the list")
    if ended == kernel.NO_ROOM:
        raise LimitError("too many rows may follow a window")


def question_of(sequence: Sequence, span: int) -> QuestionArrays:
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
    return QuestionArrays(
        np.array(
            [p, sequence.free, automaton.left, automaton.right, sequence.is_uniform, span, sequence.box.stays], np.int64
        ),
        np.array(ahead, np.int64), np.array([sequence.shift(place) for place in places], np.int64), earlier, ready,
        automaton.onward, automaton.backward, automaton.cases, automaton.ends, images,
        np.zeros(0, np.int64),
    )  # fmt: skip


def tabulated(question: QuestionArrays, work: Scratch) -> tuple[QuestionArrays, Scratch]:
    """The same with a table of the rows that may follow any others."""
    rows = 8 ** int(question.numbers[kernel.FREE])
    table = np.zeros(rows + 1, np.int64)
    work = work._replace(pool=np.concatenate([np.zeros(rows, np.uint16), work.pool]))
    kernel.tabulate(question, work, table)
    return question._replace(table=table), work


def work_of(question: QuestionArrays) -> Scratch:
    """The arrays of one thread."""
    p, free, span = (int(question.numbers[n]) for n in (kernel.PERIOD, kernel.FREE, kernel.SPAN))
    pool, level = max(POOL[0], POOL[1] << free), span + 2
    return Scratch(
        np.zeros(4 * p + level, np.int64), np.zeros(pool, np.uint16), np.full((level, p), -1, np.int64),
        np.zeros((level, p), np.int64), np.zeros(level, np.int64), np.zeros(level, np.int64),
        np.zeros(free + 1, np.int64), np.zeros(-(-(2 * p * free + 4) // 64), np.uint64), np.array([0, 0, 0, -1]),
        np.ones(level // p + 2, np.int64),
    )  # fmt: skip


def indexed(keys: Keys) -> npt.NDArray[np.int64]:
    """A hash table of the windows."""
    index = np.full(1 << max(4, (2 * len(keys)).bit_length()), -1, np.int64)
    hashing.fill(index, keys)
    return index
