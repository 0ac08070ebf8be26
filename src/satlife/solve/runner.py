"""Running solvers in children: start, talk, watch the clock, kill, and believe only what was checked."""

from __future__ import annotations

import json
import os
import selectors
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from satlife.cnf.formula import Formula
from satlife.errors import SolverError
from satlife.solve.host import acquire, release
from satlife.solve.protocol import Said, Verdict, heard
from satlife.solve.solvers import SolverChoice

Bools = npt.NDArray[np.bool_]
Progress = Callable[[Said], None]

SMALL = 1_000_000  # literals
TIME_LIMIT = "the time limit was reached"


@dataclass(frozen=True)
class Limits:
    """What a solve may use: a moment (of time.monotonic) to end at, and memory in MB; 0 is no limit."""

    deadline: float = 0.0
    memory: int = 0

    @classmethod
    def of(cls, seconds: float | None, memory: int | None = None) -> Limits:
        return cls(time.monotonic() + seconds if seconds is not None else 0.0, memory or 0)

    def left(self) -> float | None:
        return max(self.deadline - time.monotonic(), 0.0) if self.deadline else None


@dataclass(frozen=True)
class Answer:
    """What a solver said, after checking: "sat" with a model of all clauses, "unsat", or "unknown" with the reason."""

    status: Verdict
    model: Bools | None = None
    reason: str = ""
    stats: Said | None = None  # the last progress that was reported


class Child:
    """One solver in one process.

    A formula that is still to be made is made while the process starts."""

    def __init__(
        self,
        formula: Formula | Callable[[], Formula],
        solver: SolverChoice,
        options: dict[str, int] | None = None,
        memory: int = 0,
        proof: str | None = None,
    ) -> None:
        self.stats: Said | None = None
        self._pending = b""
        self._answered = False  # what was sent last
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
        """Let the solver go; does nothing the second time.

        A process that has answered soon, and so is healthy and small, is reused."""
        small = len(self.formula.literals) < SMALL and not self.stats
        if not self._closed and self._answered and not self._pending and small and not self._proves:
            self._send({"do": "forget"})
            release(self.host)
            self._closed = True
        else:
            self.kill()

    def kill(self) -> None:
        """End the process and whatever it started, unless it was let go."""
        if not self._closed:
            self._closed = True
            self.host.kill()

    def _send(self, command: dict[str, Any], data: bytes = b"") -> None:
        self._answered = False
        self.host.send(json.dumps(command).encode() + b"\n" + data)

    @property
    def output(self) -> IO[bytes]:
        """What to select on, to read with `receive`."""
        assert self.host.process.stdout
        return self.host.process.stdout

    def add(self, clauses: Sequence[Sequence[int]]) -> None:
        self._send({"do": "add", "clauses": [list(clause) for clause in clauses]})

    def ask(self, assumptions: Iterable[int] = ()) -> None:
        """Start solving; the answer comes with `receive`."""
        self._send({"do": "solve", "assumptions": list(assumptions)})

    def propagate(self, assumptions: Iterable[int], limits: Limits) -> set[int] | None:
        """What follows at once from assumptions; None if they contradict the formula."""
        self._send({"do": "propagate", "assumptions": list(assumptions)})
        for message in self.listen(limits):
            if message["say"] == "literals":
                return set(message["literals"]) if message["consistent"] else None
            if message["say"] == "answer":
                raise SolverError(message["reason"])
        raise AssertionError("listening ends with an answer")

    def ask_all(self, project: Iterable[int], block: Iterable[int]) -> None:
        """Start listing models: reported on `project`, all different on `block`."""
        self._send({"do": "list", "project": list(project), "block": list(block)})

    def listen(self, limits: Limits) -> Iterator[Said]:
        """Messages as they come; at the time limit an "unknown" answer, and nothing after it."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.output, selectors.EVENT_READ)
            while (left := limits.left()) != 0.0:
                if selector.select(left):
                    yield from self.receive()
        yield {"say": "answer", "status": "unknown", "reason": TIME_LIMIT}

    def wait(self, limits: Limits) -> Answer:
        """The answer to what was asked last."""
        return first_answer([self], limits)[1]

    def receive(self) -> list[Said]:
        """The messages that are there to be read, reading once; a dead or babbling child is an "unknown" answer."""
        data = os.read(self.output.fileno(), 1 << 20)
        if not data:
            return [{"say": "answer", "status": "unknown", "reason": self._death()}]
        self._pending += data
        *lines, self._pending = self._pending.split(b"\n")
        messages = []
        for line in lines:
            message = heard(line)
            if message["say"] == "ready":
                self.host.ready = True
                continue
            if message["say"] == "progress":
                self.stats = message
            self._answered = message["say"] == "literals" or message.get("status") in ("sat", "unsat")
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

    def judge(self, message: Said) -> Answer:
        """An answer message as an Answer; a model is believed only if it satisfies every clause."""
        status, reason = message.get("status"), message.get("reason") or ""
        if status == "unsat":
            return Answer("unsat", stats=self.stats)
        if status != "sat":
            return Answer("unknown", reason=reason or "the solver gave no answer", stats=self.stats)
        model = unpack(message.get("model", ""), self.formula.variables + 1)
        if model is None:
            return Answer("unknown", reason="the solver's model is cut off", stats=self.stats)
        wrong = self.formula.falsified(model)
        if wrong is not None:
            return Answer("unknown", reason=f"the solver's model does not satisfy clause {wrong + 1}", stats=self.stats)
        return Answer("sat", model, stats=self.stats)


def unpack(text: str, count: int) -> Bools | None:
    """Bits from hexadecimal digits; None unless there are as many as needed."""
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
    progress: Progress | None = None,
    proof: str | None = None,
) -> Answer:
    """One formula, one solver, one answer."""
    limits = limits or Limits()
    with Child(formula, solver, options, limits.memory, proof) as child:
        child.ask()
        for message in child.listen(limits):
            if message["say"] == "progress" and progress:
                progress(message)
            if message["say"] == "answer":
                return child.judge(message)
    raise AssertionError("listening ends with an answer")


def first_answer(children: Sequence[Child], limits: Limits) -> tuple[Child, Answer]:
    """Wait for whichever of several children answers first; at the time limit all of them are undecided."""
    with selectors.DefaultSelector() as selector:
        for child in children:
            selector.register(child.output, selectors.EVENT_READ, child)
        while (left := limits.left()) != 0.0:
            for key, _ in selector.select(left):
                for message in key.data.receive():
                    if message["say"] == "answer":
                        return key.data, key.data.judge(message)
    return children[0], Answer("unknown", reason=TIME_LIMIT)


def models(child: Child, project: Sequence[int], limits: Limits, block: Sequence[int] | None = None) -> Iterator[Bools]:
    """All models, projected; ends when none is left and raises SolverError when that is not known."""
    child.ask_all(project, project if block is None else block)
    for message in child.listen(limits):
        if message["say"] == "model":
            bits = unpack(message["bits"], len(project))
            if bits is None:
                raise SolverError("the solver's model is cut off")
            yield bits
        elif message["say"] == "answer":
            if message["status"] == "unsat":
                return
            raise SolverError(message.get("reason") or "the solver gave no answer")
