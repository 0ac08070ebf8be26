"""Our DRAT checker: it verifies a proof against a formula, and trims it.  The algorithm is described in `kernel`.

>>> from satlife.cnf.formula import Formula
>>> from satlife.proof.drat import Steps
>>> square = Formula.from_clauses([[1, 2], [-1, 2], [1, -2], [-1, -2]])
>>> bool(check(square, Steps.of([("a", [2]), ("a", [])])))
True
>>> check(square, Steps.of([("a", [2, 1])])).reason
'the proof does not come to a contradiction'
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from satlife import memory
from satlife.cnf.formula import Formula, Literals
from satlife.errors import LimitError
from satlife.proof import kernel
from satlife.proof.drat import Allow, Steps
from satlife.records import dataclass

SLICE = 2000 if kernel.COMPILED else 100  # steps between two progress reports; Ctrl-C is handled there, too
NEW_VARIABLES = 1 << 22  # the most variables that a proof may introduce
#: Bytes per literal, per clause or step, and per variable: for the proof, the arrays of the kernel, and the core.
LITERAL, CLAUSE, VARIABLE = (40, 120, 48) if kernel.COMPILED else (120, 700, 500)
CheckProgress = Callable[[str, int, int], None]  # the phase, the steps done, and all steps


@dataclass(frozen=True)
class CheckResult:
    """True if the proof is correct, else the reason; and the trimmed proof, which the contradiction depends on."""

    reason: str = ""
    lemmas: int = 0  # lemmas that were checked
    clauses: int = 0  # clauses of the formula in the unsatisfiable core
    core: Steps | None = None  # the trimmed proof

    def __bool__(self) -> bool:
        return not self.reason


def check(formula: Formula, proof: Steps, progress: CheckProgress | None = None) -> CheckResult:
    """Check a proof that the formula is unsatisfiable."""
    tell = progress or (lambda what, done, total: None)
    largest = largest_variable(proof.literals)
    if largest > formula.variables + NEW_VARIABLES:
        return CheckResult(f"the proof names variable {largest}, far beyond those of the formula")
    memory.require(cost(formula, proof, largest), f"checking a proof of {len(proof.literals):,} literals")
    given = len(formula)
    total = given + len(proof)
    base = _base(formula, proof)
    kernel.normalise(base, total)
    deletes = flat(np.concatenate([np.zeros(given, np.uint8), proof.deletes.astype(np.uint8)]))
    target, lengths = flat(np.full(total, -1, np.int32)), flat(np.zeros(total, np.int32))
    last = kernel.NONE
    for start in range(0, total, SLICE):
        tell("reading", start, total)
        last = kernel.forward(base, start, min(start + SLICE, total), deletes, target, lengths)
        if last != kernel.NONE:
            break
    if last == kernel.NONE:
        return CheckResult("the proof does not come to a contradiction")
    kernel.mark(base, base.numbers[kernel.CONFLICT], base.numbers[kernel.TRAIL], last)
    for end in range(last, given - 1, -SLICE):
        tell("checking", last - end, last - given)
        wrong = kernel.backward(base, max(end - SLICE + 1, given), end, deletes, target, lengths)
        if wrong != kernel.NONE:
            return CheckResult(f"lemma {int((~proof.deletes[: wrong - given + 1]).sum())} does not follow")
    marked = (np.array(base.state, np.uint8) & kernel.MARKED) != 0
    looked = int(base.numbers[kernel.LOOKED])
    needed = int(marked[:given].sum())
    if base.numbers[kernel.ASYMMETRIC]:
        return CheckResult("", looked, needed, proof)  # not trimmed: RAT lemmas depend on deletions as well
    return CheckResult("", looked, needed, _core(formula, proof, marked, np.array(base.last_use, np.int32)))


def cost(formula: Formula, proof: Steps, largest: int) -> int:
    """An estimate of the bytes of memory that checking a proof takes."""
    literals, clauses = len(formula.literals) + len(proof.literals), len(formula) + len(proof)
    return LITERAL * literals + CLAUSE * clauses + VARIABLE * max(formula.variables, largest)


def allowance(source: str) -> Allow:
    """A callback for reading a proof: it raises LimitError once there is not enough memory to check it."""
    there = memory.available()

    def allow(literals: int, steps: int) -> None:
        size = LITERAL * literals + CLAUSE * steps
        if size > there:
            has = f"{literals:,} literals in {steps:,} steps and more"
            raise LimitError(
                f"{source} has {has}; to check it takes over {memory.size(size)} of memory, and {memory.size(there)} "
                "is available"
            )

    return allow


def _base(formula: Formula, proof: Steps) -> kernel.Base:
    literals = np.concatenate([formula.literals, proof.literals])
    variables = max(formula.variables, largest_variable(literals)) + 1
    negative = literals < 0
    np.abs(literals, out=literals)
    literals *= 2
    literals += negative
    begin = np.concatenate([[0], formula.ends, proof.ends])
    begin[len(formula) + 1 :] += len(formula.literals)
    count = len(begin) - 1

    def full(size: int, value: int, kind: type[np.generic] = np.int32) -> kernel.Array:
        return flat(np.full(size, value, kind))

    return kernel.Base(
        literals=flat(literals),
        begin=flat(begin),
        pivot=full(count, -1),
        following=full(2 * count, -1),
        linked=full(2 * count, 0, np.uint8),
        marked_heads=full(2 * variables, -1),
        heads=full(2 * variables, -1),
        state=full(count, 0, np.uint8),
        last_use=full(count, -1),
        value=full(2 * variables, 0, np.int8),
        reason=full(variables, -1),
        place=full(variables, 0),
        seen=full(variables, 0, np.uint8),
        trail=full(variables, 0),
        stack=full(variables + 1, 0),
        numbers=full(4, 0, np.int64),
        bucket=full(1 << max(count.bit_length(), 4), -1),
        chain=full(count, -1),
        stamp=full(2 * variables, -1),
    )


def largest_variable(literals: Literals) -> int:
    """The largest variable."""
    return max(int(literals.max(initial=0)), -int(literals.min(initial=0)))


def flat(array: kernel.Array) -> kernel.Array:
    """An array for compiled code, a list for plain Python, where lists are faster."""
    return array if kernel.COMPILED else array.tolist()


def _core(formula: Formula, proof: Steps, marked: npt.NDArray[np.bool_], last_use: npt.NDArray[np.int32]) -> Steps:
    """The trimmed proof: the marked lemmas, and after each the deletion of clauses that were used for the last time."""
    given = len(formula)
    literals = np.concatenate([formula.literals, proof.literals])
    ends = np.concatenate([formula.ends, proof.ends + len(formula.literals)])
    starts = np.concatenate(([0], ends[:-1]))
    added = np.nonzero(marked[given:])[0] + given
    gone = np.nonzero(marked & (last_use >= given) & (last_use < added.max(initial=0)))[0]
    clause = np.concatenate([added, gone])
    time = np.concatenate([added, last_use[gone]])
    order = np.lexsort((np.arange(len(clause)) >= len(added), time))
    clause, deletes = clause[order], (np.arange(len(clause)) >= len(added))[order]
    sizes = (ends - starts)[clause]
    new_ends = np.cumsum(sizes)
    index = np.repeat(starts[clause] - (new_ends - sizes), sizes)
    index += np.arange(len(index))
    return Steps(literals[index], new_ends, deletes)
