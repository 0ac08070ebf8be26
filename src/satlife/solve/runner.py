"""Running solvers in child processes: commands, answers, time limits.  A model is accepted only after a check."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from satlife import system
from satlife.cnf.formula import Formula
from satlife.errors import SolverError
from satlife.limits import TIME_LIMIT, Limits
from satlife.records import dataclass
from satlife.solve import SolverStatus
from satlife.solve.host import acquire, release
from satlife.solve.protocol import Instruction, Message, parse_message
from satlife.solve.solvers import SolverChoice

Bools = npt.NDArray[np.bool_]

SMALL = 1_000_000  # literals up to which a process is worth reusing


@dataclass(frozen=True)
class SolverAnswer:
    """A solver's answer: "sat" with a model that was checked, "unsat", or "unknown" with the reason."""

    status: SolverStatus
    model: Bools | None = None
    reason: str = ""
    stats: Message | None = None  # the last progress message
    core: frozenset[int] = frozenset()  # of "unsat": the assumptions that the contradiction depends on


class Child:
    """One solver in one process.

    The formula may be given as a function; then it is computed while the process starts."""

    def __init__(
        self,
        formula: Formula | Callable[[], Formula],
        solver: SolverChoice,
        options: dict[str, int] | None = None,
        memory: int = 0,
        proof: str | None = None,
    ) -> None:
        self.stats: Message | None = None
        self._pending = b""
        self._answered = False  # whether the last command was answered
        self._closed = False
        self._proves = proof is not None
        self.host = acquire(memory, "program" if solver.path else "embedded")
        try:
            self.formula = formula if isinstance(formula, Formula) else formula()
        except BaseException:
            self.kill()
            raise
        data = self.formula.terminated().tobytes()
        self._send(
            {
                "do": "load",
                "solver": solver.name,
                "path": solver.path,
                "options": list(solver.options) if solver.path else (options or {}),
                "variables": self.formula.variables,
                "bytes": len(data),
                "proof": proof,
            },
            data,
        )

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the solver; a second call has no effect.

        A process that has answered a small formula quickly is reused, any other is killed."""
        small = len(self.formula.literals) < SMALL and not self.stats
        if not self._closed and self._answered and not self._pending and small and not self._proves:
            self._send({"do": "forget"})
            release(self.host)
            self._closed = True
        else:
            self.kill()

    def kill(self) -> None:
        """Kill the process and its descendants, unless it was released; one that has read nothing yet is reused."""
        if not self._closed:
            self._closed = True
            if self.host.ready or self._pending:
                self.host.kill()
            else:
                self.host.forget()
                release(self.host)

    def _send(self, command: Instruction, data: bytes = b"") -> None:
        self._answered = False
        self.host.send(json.dumps(command).encode() + b"\n" + data)

    @property
    def output(self) -> system.Pipe:
        """The pipe to wait for before `receive`."""
        return self.host.output

    def add(self, clauses: Sequence[Sequence[int]]) -> None:
        self._send({"do": "add", "clauses": [list(clause) for clause in clauses]})

    def ask(self, assumptions: Iterable[int] = ()) -> None:
        """Start solving; the answer comes with `receive`."""
        self._send({"do": "solve", "assumptions": list(assumptions)})

    def propagate(self, assumptions: Iterable[int], limits: Limits) -> set[int] | None:
        """The literals implied by the assumptions under unit propagation; None on a conflict."""
        self._send({"do": "propagate", "assumptions": list(assumptions)})
        for message in self.listen(limits):
            if message["say"] == "literals":
                return set(message["literals"]) if message["consistent"] else None
            if message["say"] == "answer":
                raise SolverError(message["reason"])
        raise AssertionError("listening ends with an answer")

    def ask_all(self, project: Iterable[int], block: Iterable[int]) -> None:
        """Start enumerating models: projected to `project`, pairwise different on `block`."""
        self._send({"do": "list", "project": list(project), "block": list(block)})

    def listen(self, limits: Limits) -> Iterator[Message]:
        """The messages as they arrive; at the time limit an "unknown" answer, the last message."""
        while (left := limits.left()) != 0.0:
            if system.wait([self.output], left):
                yield from self.receive()
        yield {"say": "answer", "status": SolverStatus.UNKNOWN, "reason": TIME_LIMIT}

    def wait(self, limits: Limits) -> SolverAnswer:
        """Wait for the answer to the last command."""
        return first_answer([self], limits)[1]

    def receive(self) -> list[Message]:
        """Read once, and return the complete messages; a dead process or a malformed line is an "unknown" answer."""
        data = self.output.read()
        if not data:
            return [{"say": "answer", "status": SolverStatus.UNKNOWN, "reason": self._death()}]
        self._pending += data
        *lines, self._pending = self._pending.split(b"\n")
        messages = []
        for line in lines:
            message = parse_message(line)
            if message["say"] == "ready":
                self.host.begin(message.get("tied", False))
                continue
            if message["say"] == "progress":
                self.stats = message
            self._answered = message["say"] == "literals" or message.get("status") in (
                SolverStatus.SAT,
                SolverStatus.UNSAT,
            )
            messages.append(message)
        return messages

    def _death(self) -> str:
        code = self.host.process.wait()
        self.host.errors.seek(0)
        words = self.host.errors.read().decode("utf-8", "replace").strip().splitlines()
        memory = self.host.memory
        limit = f" (the memory limit is {memory} MB)" if memory else ""
        signs = ("MemoryError", "bad_alloc", "out of memory", "failed to map segment", "Cannot allocate")
        if any(sign in word for word in words for sign in signs) or (memory and code in (-6, -11, 134)):
            return f"the solver ran out of memory{limit}"
        if code < 0:
            return f"the solver was killed by signal {-code}{limit}"
        return f"the solver's process ended with code {code}" + (f": {words[-1]}" if words else " and said nothing")

    def judge(self, message: Message) -> SolverAnswer:
        """Turn an answer message into an answer; a model is accepted only if it satisfies every clause."""
        status, reason = message.get("status"), message.get("reason") or ""
        if status == SolverStatus.UNSAT:
            core = frozenset(literal for literal in message.get("core", ()) if isinstance(literal, int))
            return SolverAnswer(SolverStatus.UNSAT, stats=self.stats, core=core)
        if status != SolverStatus.SAT:
            return SolverAnswer(SolverStatus.UNKNOWN, reason=reason or "the solver gave no answer", stats=self.stats)
        model = unpack(message.get("model", ""), self.formula.variables + 1)
        if model is None:
            return SolverAnswer(SolverStatus.UNKNOWN, reason="the solver's model is cut off", stats=self.stats)
        wrong = self.formula.falsified(model)
        if wrong is not None:
            return SolverAnswer(
                SolverStatus.UNKNOWN, reason=f"the solver's model does not satisfy clause {wrong + 1}", stats=self.stats
            )
        return SolverAnswer(SolverStatus.SAT, model, stats=self.stats)


def unpack(text: str, count: int) -> Bools | None:
    """The first `count` bits of hexadecimal digits; None if there are too few."""
    try:
        data = bytes.fromhex(text + "0" * (len(text) % 2))
    except ValueError:
        return None
    found = np.unpackbits(np.frombuffer(data, np.uint8)).astype(bool)
    return found[:count] if len(found) >= count else None


def solve(
    formula: Formula,
    solver: SolverChoice,
    limits: Limits | None = None,
    options: dict[str, int] | None = None,
    proof: str | None = None,
) -> SolverAnswer:
    """Solve one formula with one solver."""
    limits = limits or Limits()
    with Child(formula, solver, options, limits.memory, proof) as child:
        child.ask()
        for message in child.listen(limits):
            if message["say"] == "answer":
                return child.judge(message)
    raise AssertionError("listening ends with an answer")


def first_answer(children: Sequence[Child], limits: Limits) -> tuple[Child, SolverAnswer]:
    """Wait for the first answer of several children; at the time limit it is "unknown"."""
    asked = {child.output: child for child in children}
    while (left := limits.left()) != 0.0:
        for ready in system.wait(list(asked), left):
            child = asked[ready]
            for message in child.receive():
                if message["say"] == "answer":
                    return child, child.judge(message)
    return children[0], SolverAnswer(SolverStatus.UNKNOWN, reason=TIME_LIMIT)


def models(child: Child, project: Sequence[int], limits: Limits, block: Sequence[int] | None = None) -> Iterator[Bools]:
    """Enumerate all models, projected; raises SolverError if there may be more."""
    child.ask_all(project, project if block is None else block)
    for message in child.listen(limits):
        if message["say"] == "model":
            bits = unpack(message["bits"], len(project))
            if bits is None:
                raise SolverError("the solver's model is cut off")
            yield bits
        elif message["say"] == "answer":
            if message["status"] == SolverStatus.UNSAT:
                return
            raise SolverError(message.get("reason") or "the solver gave no answer")
