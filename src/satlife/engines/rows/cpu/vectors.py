"""Sets of rows as vectors: what a processor does with all the words of a set at once.

Numba makes no vectors of loops that are as short as these, because they are unrolled before it looks for vectors.  So
each function is here twice: in Python, which says what it does and is used where nothing is compiled, and as
instructions of LLVM.

A set is the words of an array from some place on.  How many these are must be known when a function is compiled, so it
is the length of a tuple, which is part of its type.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt

from satlife.native import overload

Array = npt.NDArray[np.uint64]
Words = tuple[int, ...]
WordIndex = int | np.uint64
ONE_WORD, FOUR_WORDS, EIGHT_WORDS, SIXTEEN_WORDS = (0,), (0,) * 4, (0,) * 8, (0,) * 16


def common(
    words: Words,
    out: Array,
    at: WordIndex,
    sets: Array,
    a: WordIndex,
    b: WordIndex,
    c: WordIndex,
    d: WordIndex,
    below: Array,
    e: WordIndex,
) -> bool:
    """Write down what four sets, and one of the rows below, have in common; returns whether that is anything."""
    count = len(words)
    out[at : at + count] = sets[a : a + count] & sets[b : b + count] & sets[c : c + count] & sets[d : d + count]
    out[at : at + count] &= below[e : e + count]
    return bool(out[at : at + count].any())


def unite(words: Words, out: Array, at: WordIndex, sets: Array, a: WordIndex) -> None:
    """Add a set to another one."""
    out[at : at + len(words)] |= sets[a : a + len(words)]


def move(words: Words, below: Array, to: WordIndex, new: WordIndex, old: WordIndex) -> int:
    """Copy a set of `below`; returns 1 if it is not empty, and 2 more if it differs from an old one."""
    moved = below[new : new + len(words)].copy()
    differs = bool((moved != below[old : old + len(words)]).any())
    below[to : to + len(words)] = moved
    return int(moved.any()) + 2 * int(differs)


@overload(common)
def _common(words, out, at, sets, a, b, c, d, below, e):
    instruction = _instructions().common
    return lambda words, out, at, sets, a, b, c, d, below, e: instruction(words, out, at, sets, a, b, c, d, below, e)


@overload(unite)
def _unite(words, out, at, sets, a):
    instruction = _instructions().unite
    return lambda words, out, at, sets, a: instruction(words, out, at, sets, a)


@overload(move)
def _move(words, below, to, new, old):
    instruction = _instructions().move
    return lambda words, below, to, new, old: instruction(words, below, to, new, old)


@cache
def _instructions():
    """The functions as instructions; Numba and LLVM are imported when something is compiled."""
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    class Sets:
        """Loads and stores the sets of an array."""

        def __init__(self, context, builder, words, kind, array):
            self.builder, self.data = builder, context.make_array(kind)(context, builder, array).data
            self.vector = ir.VectorType(ir.IntType(64), words.count)

        def pointer(self, at):
            return self.builder.bitcast(self.builder.gep(self.data, [at]), self.vector.as_pointer())

        def load(self, at):
            loaded = self.builder.load(self.pointer(at))
            loaded.align = 8  # a set begins at any word
            return loaded

        def store(self, value, at):
            self.builder.store(value, self.pointer(at)).align = 8

    def is_any(builder, vector):
        """Whether a bit is set."""
        bits = ir.IntType(vector.type.count)
        differ = builder.icmp_unsigned("!=", vector, ir.Constant(vector.type, [0] * vector.type.count))
        return builder.icmp_unsigned("!=", builder.bitcast(differ, bits), ir.Constant(bits, 0))

    index = types.uint64

    @intrinsic
    def common(typingctx, words, out, at, sets, a, b, c, d, below, e):
        def code(context, builder, signature, arguments):
            _, out, at, sets, a, b, c, d, below, e = arguments
            kinds = signature.args
            sets = Sets(context, builder, words, kinds[3], sets)
            both = builder.and_(sets.load(a), sets.load(b))
            four = builder.and_(both, builder.and_(sets.load(c), sets.load(d)))
            found = builder.and_(four, Sets(context, builder, words, kinds[8], below).load(e))
            Sets(context, builder, words, kinds[1], out).store(found, at)
            return is_any(builder, found)

        return types.boolean(words, out, index, sets, index, index, index, index, below, index), code

    @intrinsic
    def unite(typingctx, words, out, at, sets, a):
        def code(context, builder, signature, arguments):
            _, out, at, sets, a = arguments
            into = Sets(context, builder, words, signature.args[1], out)
            more = Sets(context, builder, words, signature.args[3], sets).load(a)
            into.store(builder.or_(into.load(at), more), at)
            return context.get_dummy_value()

        return types.none(words, out, index, sets, index), code

    @intrinsic
    def move(typingctx, words, below, to, new, old):
        def code(context, builder, signature, arguments):
            _, below, to, new, old = arguments
            sets = Sets(context, builder, words, signature.args[1], below)
            moved = sets.load(new)
            differs = is_any(builder, builder.xor(moved, sets.load(old)))
            sets.store(moved, to)
            number = ir.IntType(64)
            twice = builder.shl(builder.zext(differs, number), ir.Constant(number, 1))
            return builder.or_(builder.zext(is_any(builder, moved), number), twice)

        return types.int64(words, below, index, index, index), code

    return SimpleNamespace(common=common, unite=unite, move=move)
