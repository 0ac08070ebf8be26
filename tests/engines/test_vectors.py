"""Row by row: sets of rows as vectors."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from satlife import native
from satlife.engines.rows.cpu import narrow, tables, vectors
from satlife.engines.rows.cpu.tables import SYMMETRIES, Tables
from satlife.engines.rows.question.lattice import RowLattice
from satlife.engines.rows.question.strip import Strip
from satlife.life.rule import Rule

Words = npt.NDArray[np.uint64]
ROWS = Path(vectors.__file__).parent
#: What kernels of our own call; they are compiled again when these change.
calling = native.kernel(*(str(ROWS / name) for name in ("narrow", "sets", "tables", "vectors")))


@calling
def worked(size: Any, sets: Any, below: Any, out: Any, at: Any) -> Any:
    """All three functions in turn, with sets of so many words at these places."""
    a, b, c, d, e = at[0], at[1], at[2], at[3], at[4]
    if size == 4:
        some = vectors.common(vectors.FOUR_WORDS, out, a, sets, a, b, c, d, below, e)
        vectors.unite(vectors.FOUR_WORDS, out, b, sets, e)
        return some, vectors.move(vectors.FOUR_WORDS, below, a, b, c)
    if size == 8:
        some = vectors.common(vectors.EIGHT_WORDS, out, a, sets, a, b, c, d, below, e)
        vectors.unite(vectors.EIGHT_WORDS, out, b, sets, e)
        return some, vectors.move(vectors.EIGHT_WORDS, below, a, b, c)
    some = vectors.common(vectors.SIXTEEN_WORDS, out, a, sets, a, b, c, d, below, e)
    vectors.unite(vectors.SIXTEEN_WORDS, out, b, sets, e)
    return some, vectors.move(vectors.SIXTEEN_WORDS, below, a, b, c)


def sparse(rng: np.random.Generator, size: int) -> Words:
    """Sets with few bits, or very few, so that some are empty."""
    words = np.uint64(1) << rng.integers(0, 2, size, dtype=np.uint64)
    return np.where(rng.random(size) < rng.choice([0.02, 0.3]), words, np.uint64(0))


@pytest.mark.parametrize("size", [4, 8, 16])
def test_vectors_are_what_their_words_are(size: int) -> None:
    """Against the same functions word by word."""
    rng, words, seen = np.random.default_rng(size), (0,) * size, set()
    for _ in range(300):
        sets, below, out = (sparse(rng, 40) for _ in range(3))
        if rng.random() < 0.2:
            below[:] = 1  # so that there is something in common, and sets are equal
            sets[:] = 3
        at = rng.integers(0, 40 - size, 5, dtype=np.uint64)
        a, b, c, d, e = at.tolist()
        then, below_then = out.copy(), below.copy()
        some = vectors.common(words, then, a, sets, a, b, c, d, below_then, e)
        vectors.unite(words, then, b, sets, e)
        expected = some, vectors.move(words, below_then, a, b, c)
        assert worked(size, sets, below, out, at) == expected
        assert out.tolist() == then.tolist()
        assert below.tolist() == below_then.tolist()
        seen.add(expected)
    assert {some for some, _ in seen} == {False, True}
    assert {moved for _, moved in seen} == {0, 1, 2, 3}


@calling
def revised(ways: Any, above: Any, shift: Any, begin: Any, end: Any, first: Any, last: Any, top: Any) -> Any:
    """One word, two, or a vector of four; `narrow.revise` would be compiled for longer vectors, too."""
    for before in range(begin, end):
        narrow.images(ways, np.int64(ways.pool[before]), shift)
    if ways.numbers[tables.WORDS] == 1:
        return narrow.revise_one_word(ways, above, shift, begin, end, first, last, top)
    if ways.numbers[tables.WORDS] == 2:
        return narrow.revise_two_words(ways, above, shift, begin, end, first, last, top)
    return narrow.revise_words(ways, vectors.FOUR_WORDS, above, shift, begin, end, first, last, top)


@pytest.mark.parametrize("free", [5, 7, 8])
def test_what_is_left_of_a_domain(free: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against its definition: the rows that one of the domain before can become, with all that may lie below them."""
    monkeypatch.setattr(tables, "WHOLE", tables.NARROW)
    rng, rule, lost = random.Random(free), Rule.parse("B2-a3/S1c23-a"), 0
    for code, name in enumerate(SYMMETRIES):
        width = {"odd": 2 * free - 1, "even": 2 * free, "gutter": 2 * free + 1, "none": free}[name]
        question = Strip(rule, width, 4, (1 if name == "none" else 0, -1), name)
        ways = tables.make_tables(np.asarray(rule.array, np.uint8), free, code, RowLattice(4, 1, int(name == "none")))
        domain = Domain(question, ways, rng)
        begin, end, first, last, top = domain.put()
        left, differs = revised(ways, domain.above, domain.shift, begin, end, first, last, top)
        expected = domain.left()
        assert differs
        assert ways.pool[top:left].tolist() == list(expected), name
        assert [domain.rows_below(at) for at in range(top, left)] == list(expected.values()), name
        assert expected
        lost += last - first - len(expected)
    assert lost


class Domain:
    """A domain and the one before it, of random rows; some of the rows that may lie below those are known."""

    def __init__(self, question: Strip, ways: Tables, rng: random.Random) -> None:
        self.question, self.ways, self.every = question, ways, np.arange(1 << question.free)
        self.above, self.shift = rng.randrange(len(self.every)), rng.choice(question.lattice.shift.tolist())
        self.becomes = cache(self._becomes)
        rows = range(len(self.every))
        self.before = {rng.choice(rows): set(rng.sample(rows, len(rows) // 3)) for _ in range(3)}
        possible = {int(self.becomes(self.above, y)[v]) for y, below in self.before.items() for v in below} - {-1}
        self.candidates = sorted({*rng.sample(sorted(possible), min(3, len(possible))), *rng.sample(rows, 3)})

    def _becomes(self, above: int, row: int) -> npt.NDArray[np.int64]:
        """What a row becomes, for every row below it."""
        every = self.every
        return self.question.becomes(every * 0 + above, every * 0 + row, every, every * 0 + self.shift)

    def put(self) -> tuple[int, int, int, int, int]:
        """Put both domains into the pool; where they begin and end, and where there is room."""
        for at, (row, below) in enumerate(self.before.items()):
            self.ways.pool[at] = row
            self.put_below(at, below)
        first = len(self.before)
        for at, row in enumerate(self.candidates, first):
            self.ways.pool[at] = row
            self.put_below(at, set(self.every.tolist()))
        last = first + len(self.candidates)
        return 0, first, first, last, last

    def put_below(self, at: int, rows: set[int]) -> None:
        words = int(self.ways.numbers[tables.WORDS])
        bits = sum(1 << int(self.ways.order[tables.RANKS + row]) for row in rows)
        for word in range(words):
            self.ways.below[at * words + word] = bits >> 64 * word & (1 << 64) - 1

    def rows_below(self, at: int) -> set[int]:
        words = int(self.ways.numbers[tables.WORDS])
        known = self.ways.below[at * words : (at + 1) * words].tolist()
        return {int(self.ways.order[n]) for n in range(len(self.every)) if known[n >> 6] >> (n & 63) & 1}

    def left(self) -> dict[int, set[int]]:
        """The rows that are left, with what may lie below them, by definition."""
        found = {}
        for row in self.candidates:
            below: set[int] = set()
            for y, its in self.before.items():
                fitting = [v for v in its if self.becomes(self.above, y)[v] == row]
                below |= {int(z) for v in fitting for z in self.becomes(y, v)} - {-1}
            if below:
                found[row] = below
        return found
