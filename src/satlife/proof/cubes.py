"""Joining the proofs of cubes into one proof, as in cube and conquer (Heule, Kullmann, Wieringa and Biere).

A lemma derived under the assumptions of a cube holds globally once the negation of the cube is added to it; the empty
clause becomes the negated cube.  From the negated cubes of both branches of a split the negation of their parent
follows by unit propagation, and so on up to the root, the empty clause.  So the proof that the cubes cover the whole
search space is the last part of the same proof, and is checked like all the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from satlife.errors import InputError
from satlife.proof.drat import Steps

Pair = tuple[str, list[int]]


def join(cubes: Sequence[Sequence[int]], proofs: Sequence[Steps]) -> Steps:
    """Join the proofs of the leaves of a tree of cubes; a cube is a list of literals in the order of the splits.

    >>> halves = [Steps.of([("a", [2]), ("a", [])]), Steps.of([("a", [])])]
    >>> joined = join([[1], [-1]], halves)
    >>> joined.lemmas, joined.literals.tolist()
    (4, [2, -1, -1, 2, -1, 1])
    """
    pairs: list[Pair] = []
    for cube, proof in zip(cubes, proofs, strict=True):
        pairs += _outside(cube, proof)
    pairs += _covering([tuple(cube) for cube in cubes], ())
    return Steps.of(pairs)


def _outside(cube: Sequence[int], proof: Steps) -> list[Pair]:
    """The steps of a cube's proof, made valid globally; at the end all lemmas but the negated cube are deleted."""
    besides = [-literal for literal in cube]
    own: Counter[tuple[int, ...]] = Counter()
    out: list[Pair] = []
    starts = [0, *proof.ends.tolist()]
    literals = proof.literals.tolist()
    for start, end, deletes in zip(starts, proof.ends.tolist(), proof.deletes.tolist(), strict=False):
        clause = literals[start:end]
        name = tuple(sorted(clause))
        if not clause:
            break
        if not deletes:
            own[name] += 1
            out.append(("a", clause + besides))
        elif own[name]:  # clauses of the formula stay: other cubes need them
            own[name] -= 1
            out.append(("d", clause + besides))
    out.append(("a", besides))
    out += [("d", [*name, *besides]) for name in own.elements()]
    return out


def _covering(cubes: list[tuple[int, ...]], top: tuple[int, ...]) -> list[Pair]:
    """The steps from the negated cubes below `top` to the negation of `top`."""
    if cubes == [top]:
        return []
    depth = len(top)
    split = {abs(cube[depth]) for cube in cubes if len(cube) > depth}
    sides = [[cube for cube in cubes if cube[depth : depth + 1] == (sign * v,)] for v in split for sign in (1, -1)]
    if len(split) != 1 or not all(sides) or len(sides[0]) + len(sides[1]) != len(cubes):
        raise InputError("the cubes are not the leaves of a tree")
    variable = split.pop()
    below = [
        pair for side, sign in zip(sides, (1, -1), strict=True) for pair in _covering(side, (*top, sign * variable))
    ]
    return [*below, ("a", [-literal for literal in top])]
