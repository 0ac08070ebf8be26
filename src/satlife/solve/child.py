"""The child process that runs a solver: it reads commands as JSON lines and answers in JSON lines.

The solvers of python-sat hold the GIL, cannot be interrupted, and may abort the interpreter; so they run here, where
the parent can kill them at any time.  This module imports as little as possible, since almost every solve starts it.
The commands and messages are described in `protocol`.
"""

from __future__ import annotations

import array
import contextlib
import errno
import json
import os
import signal
import sys
import threading
import time

from satlife import system
from satlife.solve import SolverStatus, pysat_private

TYPE_CHECKING = False  # as typing has it, whose import would take longer than many a solve
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable

    from satlife.solve.protocol import Load

Solved = tuple[SolverStatus, set[int], str]  # with a model: its true variables; without: the reason
PROGRESS_SECONDS = 0.5
PROBE = 1 << 16  # bytes
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
parent = 0  # the process that started us
tied = False  # whether the kernel kills us when it dies; otherwise a thread waits for the end of stdin
program: subprocess.Popen[bytes] | None = None  # the solver program that is running
starting = threading.Lock()  # held while it is being started


def main() -> None:
    global parent, tied
    memory_mb, parent = int(sys.argv[1]), int(sys.argv[2])
    tied = system.die_with(parent)
    commands = sys.stdin.buffer if tied else system.watched(sys.stdin.buffer, stop)
    if sys.argv[3:] == ["embedded"]:
        with contextlib.suppress(ImportError):
            pysat_private.solver_class()  # before a limit on memory
    say(say="ready", tied=tied)
    if memory_mb:
        system.limit_memory(memory_mb << 20)
    solver: Embedded | SolverProgram | None = None
    flat: array.array[int] | None = None
    while line := commands.readline():
        command = json.loads(line)
        if command["do"] == "load":
            flat = array.array("i", commands.read(command["bytes"]))
            solver = load(command, flat)
        elif command["do"] == "forget":
            solver = flat = None
        elif command["do"] == "add":
            assert solver
            solver.add(command["clauses"])
        elif command["do"] == "solve":
            assert solver
            answer(solver.solve(command["assumptions"]), solver.variables, solver.failed(command["assumptions"]))
        elif command["do"] == "propagate":
            assert isinstance(solver, Embedded)
            consistent, literals = solver.solver.propagate(command["assumptions"])
            say(say="literals", consistent=consistent, literals=literals)
        elif command["do"] == "list":
            assert solver
            list_models(solver, command["project"], command["block"])


def stop() -> None:
    """Exit at once, with the program that is running: stdin has ended, so nobody waits for an answer."""
    with starting, contextlib.suppress(OSError):
        if program:
            program.kill()
    os._exit(1)


def say(**message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(result: Solved, variables: int, failed: list[int] | None = None) -> None:
    status, true_variables, reason = result
    model, core = bits(true_variables, range(variables + 1)), failed if status == SolverStatus.UNSAT else []
    say(say="answer", status=status, model=model, core=core or [], reason=reason)


def bits(true_variables: set[int], wanted: Iterable[int]) -> str:
    """The values of the wanted variables as bits in hexadecimal digits, first variable first."""
    text = "".join("1" if v in true_variables else "0" for v in wanted)
    text += "0" * (-len(text) % 4)
    return f"{int(text, 2):0{len(text) // 4}x}" if text else ""


def no_room(path: str) -> str:
    """Why nothing can be appended to a file, or "" if it can: solvers do not notice that their proof is cut off.

    A full disk, a quota and a limit on file sizes (`ulimit -f`) all look the same to a writer."""
    try:
        with open(path, "ab") as file:
            size = os.fstat(file.fileno()).st_size
            try:
                file.write(bytes(PROBE))
                file.flush()
            finally:
                with contextlib.suppress(OSError):  # a device cannot be truncated
                    os.ftruncate(file.fileno(), size)
    except OSError as error:
        return disk_full(error)
    return ""


def disk_full(error: OSError) -> str:
    """A message if the error says that the disk is full, "" for other errors."""
    return f"no space left for the proof ({os.strerror(error.errno)})" if error.errno in FULL else ""


def load(command: Load, flat: array.array[int]) -> Embedded | SolverProgram:
    options = command["options"]
    if isinstance(options, list):
        return SolverProgram(command["path"], options, command["variables"], flat, command["proof"])
    return Embedded(command["solver"], options, command["variables"], flat, command["proof"])


class Embedded:
    """A solver of python-sat."""

    def __init__(
        self, name: str, options: dict[str, int], variables: int, flat: array.array[int], proof: str | None
    ) -> None:
        self.traced = proof is not None and name in pysat_private.TRACED
        self.solver = pysat_private.solver_class()(name, with_proof=proof is not None and not self.traced)
        self.variables = variables
        self.started = time.monotonic()
        self.proof = proof
        if proof is not None and self.traced:
            pysat_private.trace(self.solver, name, proof)
        if options:
            pysat_private.configure(self.solver, options)
        literals = flat.tolist()
        start = 0
        clause = pysat_private.add_clause(self.solver)
        while start < len(literals):
            end = literals.index(0, start)
            clause(literals[start:end])
            start = end + 1

    def add(self, clauses: list[list[int]]) -> None:
        for clause in clauses:
            self.solver.add_clause(clause)

    def solve(self, assumptions: list[int]) -> Solved:
        budget = 2000
        while True:
            began = time.monotonic()
            self.solver.conf_budget(budget)
            result = self.solver.solve_limited(assumptions=assumptions)
            if result is not None:
                break
            if time.monotonic() - began < PROGRESS_SECONDS / 2:
                budget *= 2
            self.progress()
            if self.proof and (reason := no_room(self.proof)):
                return SolverStatus.UNKNOWN, set(), reason
        if result:
            return SolverStatus.SAT, {v for v in self.solver.get_model() if v > 0}, ""
        reason = self.finish_proof()
        return SolverStatus.UNKNOWN if reason else SolverStatus.UNSAT, set(), reason

    def failed(self, assumptions: list[int]) -> list[int]:
        """After "unsat": the assumptions that the contradiction depends on."""
        return (self.solver.get_core() or []) if assumptions else []

    def finish_proof(self) -> str:
        """Write the whole proof to its file; returns the reason if that failed, else ""."""
        if not self.proof:
            return ""
        if self.traced:
            pysat_private.flush(self.solver)
        else:
            try:
                with open(self.proof, "w", encoding="ascii") as out:
                    out.writelines(line + "\n" for line in self.solver.get_proof())
            except OSError as error:
                return disk_full(error) or f"the proof cannot be written ({error.strerror})"
        return no_room(self.proof)

    def progress(self) -> None:
        if tied and os.getppid() != parent:
            os._exit(1)
        stats = self.solver.accum_stats() or {}
        seconds = time.monotonic() - self.started
        say(say="progress", conflicts=stats.get("conflicts", 0), restarts=stats.get("restarts", 0), seconds=seconds)


class SolverProgram:
    """Any solver program that reads DIMACS and follows the output conventions of the SAT competitions."""

    def __init__(
        self, path: str, options: list[str], variables: int, flat: array.array[int], proof: str | None
    ) -> None:
        self.command = [path, *options]
        self.variables = variables
        self.flat = flat
        self.proof = [proof] if proof else []

    def add(self, clauses: list[list[int]]) -> None:
        for clause in clauses:
            self.flat.extend([*clause, 0])

    def solve(self, assumptions: list[int]) -> Solved:
        import tempfile

        handle, name = tempfile.mkstemp(".cnf")
        try:
            with open(handle, "w", encoding="ascii") as cnf:  # closed before another program opens it
                flat = [literal for unit in assumptions for literal in (unit, 0)]
                total = self.flat.count(0) + len(assumptions)
                cnf.write(f"p cnf {self.variables} {total}\n")
                words = map(str, [*self.flat, *flat])
                cnf.write(" ".join(words).replace(" 0 ", " 0\n"))
                cnf.write("\n")
            output, code = run([*self.command, name, *self.proof])
        finally:
            os.unlink(name)  # noqa: PTH108 - pathlib is an import
        answer = self.understand(output.decode("utf-8", "replace"), code)
        if answer[0] != SolverStatus.SAT and self.proof and (reason := no_room(self.proof[0])):
            return SolverStatus.UNKNOWN, set(), reason
        return answer

    def failed(self, assumptions: list[int]) -> list[int]:
        """After "unsat": all assumptions, since the program does not say which of them matter."""
        return assumptions

    def understand(self, output: str, code: int) -> Solved:
        """Accept a status line only with the matching exit code (10, 20), and a model only if it is complete."""
        status = [line[2:].strip() for line in output.splitlines() if line.startswith("s ")]
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        if status == ["UNSATISFIABLE"] and code == 20:
            return SolverStatus.UNSAT, set(), ""
        if status == ["SATISFIABLE"] and code == 10:
            words = " ".join(line[1:] for line in output.splitlines() if line.startswith("v")).split()
            try:
                literals = [int(word) for word in words]
            except ValueError:
                return SolverStatus.UNKNOWN, set(), "the solver's model is malformed"
            if not literals or literals[-1] != 0:
                return SolverStatus.UNKNOWN, set(), "the solver's model is cut off"
            return SolverStatus.SAT, {v for v in literals if 0 < v <= self.variables}, ""
        said = f"said {status[0]!r}" if status else "said nothing"
        return SolverStatus.UNKNOWN, set(), f"the solver {said} ({how})"


def run(command: list[str]) -> tuple[bytes, int]:
    """What a program prints, and its exit code.  It ends when we do: by the kernel, or by `stop`."""
    import subprocess

    global program
    me = os.getpid()
    with starting:
        program = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            preexec_fn=(lambda: system.die_with(me)) if tied else None,  # safe: this process has one thread then
        )
    output, _ = program.communicate()
    return output, program.returncode


def list_models(solver: Embedded | SolverProgram, project: list[int], block: list[int]) -> None:
    """Enumerate models: report each projected to `project`, and exclude it by a blocking clause over `block`."""
    while True:
        status, true_variables, reason = solver.solve([])
        if status != SolverStatus.SAT:
            answer((status, set(), reason), 0)
            return
        say(say="model", bits=bits(true_variables, project))
        solver.add([[-v if v in true_variables else v for v in block]])


if __name__ == "__main__":
    # Ctrl-C goes to the whole process group of the terminal; the parent handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        main()
    except BrokenPipeError:
        os._exit(1)
    except MemoryError:
        say(say="answer", status=SolverStatus.UNKNOWN, model="", reason="the solver ran out of memory")
        os._exit(1)
    except OSError as failure:
        say(
            say="answer",
            status=SolverStatus.UNKNOWN,
            model="",
            reason=f"the solver cannot use a file: {failure.strerror}",
        )
        os._exit(1)
