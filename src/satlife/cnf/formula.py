"""Formula: a CNF formula (conjunctive normal form) as flat arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from satlife.records import dataclass

Literals = npt.NDArray[np.int32]
LARGEST_VARIABLE = 2**31 - 2
LOT = 1 << 20  # clauses
COPIES = 5  # of the literals of a file, for the time in which they become a formula


@dataclass(frozen=True)
class Formula:
    """The clauses, concatenated in `literals`; clause i ends before `ends[i]`.  Variables are 1 .. `variables`."""

    literals: Literals
    ends: npt.NDArray[np.int64]
    variables: int
    names: tuple[str, ...] | None = None

    @classmethod
    def from_clauses(cls, clauses: Sequence[Sequence[int]], names: Sequence[str] | None = None) -> Formula:
        """A formula from lists of integers.

        >>> Formula.from_clauses([[1, -2], [2]]).variables
        2
        """
        flat = np.array([literal for clause in clauses for literal in clause], np.int32)
        ends = np.cumsum([len(clause) for clause in clauses], dtype=np.int64)
        return cls(
            flat, ends, int(abs(flat).max(initial=len(names or ()))), tuple(names) if names is not None else None
        )

    def __len__(self) -> int:
        return len(self.ends)

    def clauses(self) -> Iterator[list[int]]:
        """The clauses as lists of Python integers."""
        flat = self.literals.tolist()
        start = 0
        for end in self.ends.tolist():
            yield flat[start:end]
            start = end

    def terminated(self) -> Literals:
        """All literals with a 0 after each clause, as in DIMACS but in binary."""
        out = np.zeros(len(self.literals) + len(self.ends), np.int32)
        begin = 0
        for first in range(0, len(self.ends), LOT):  # which takes seconds if there are many; Ctrl-C is heard in between
            ends = self.ends[first : first + LOT]
            end = int(ends[-1])
            literal = np.ones(end - begin + len(ends), bool)
            literal[ends - begin + np.arange(len(ends))] = False
            out[begin + first : end + first + len(ends)][literal] = self.literals[begin:end]
            begin = end
        return out

    def clause_of(self) -> npt.NDArray[np.int64]:
        """For every literal the index of its clause."""
        starts = np.concatenate(([0], self.ends[:-1])) if len(self.ends) else self.ends
        return np.repeat(np.arange(len(self.ends)), self.ends - starts)

    def falsified(self, true_variables: npt.NDArray[np.bool_]) -> int | None:
        """The first clause that an assignment falsifies, or None if it satisfies all of them."""
        truth = true_variables[abs(self.literals)] == (self.literals > 0)
        satisfied = np.zeros(len(self.ends), bool)
        satisfied[self.clause_of()[truth]] = True
        wrong = np.nonzero(~satisfied)[0]
        return int(wrong[0]) if len(wrong) else None

    def sha256(self) -> str:
        """A digest of the number of variables and of the clauses, in their order."""
        import hashlib  # which loads a cryptographic library

        digest = hashlib.sha256(b"%d %d\n" % (self.variables, len(self)))
        digest.update(self.terminated().astype("<i4").tobytes())
        return digest.hexdigest()


class Parts:
    """The literals of a file, collected piece by piece while there is memory to make a formula of them."""

    def __init__(self, source: str) -> None:
        self.source, self.size = source, 0
        self.parts = [np.zeros(0, np.int32)]

    def append(self, literals: npt.NDArray[np.integer]) -> None:
        from satlife import memory

        part = literals.astype(np.int32, copy=False)
        self.parts.append(part)
        self.size += part.nbytes
        memory.require(COPIES * self.size, f"the formula in {self.source}")

    def joined(self) -> Literals:
        return np.concatenate(self.parts)


def from_terminated(flat: npt.NDArray[np.integer], variables: int, names: Sequence[str] | None = None) -> Formula:
    """A formula from literals with a 0 after each clause."""
    zeros = np.nonzero(flat == 0)[0]
    ends = zeros - np.arange(len(zeros))
    return Formula(
        flat[flat != 0].astype(np.int32), ends.astype(np.int64), variables, None if names is None else tuple(names)
    )
