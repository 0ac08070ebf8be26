"""The protocol between us and the process of a solver: commands and messages, each a line of JSON.

(at the start)                         ->  {"say": "ready", "tied": ..}: whether the kernel kills it with its parent
{"do": "load", "solver": NAME, "options": {..}, "bytes": N}  and N bytes of int32, a 0 after each clause
{"do": "add", "clauses": [[..], ..]}
{"do": "solve", "assumptions": [..]}   ->  progress lines, then {"say": "answer", "status": .., "model": hex,
                                           "core": the assumptions that fail together}
{"do": "propagate", "assumptions": [..]}  ->  {"say": "literals", "consistent": .., "literals": [..]}  (Glucose)
{"do": "list", "project": [..], "block": [..]}  ->  {"say": "model", "bits": hex} each, then an answer
{"do": "forget"}                       drop the formula: the process is going to be reused
"""

from __future__ import annotations

import json
from typing import Literal, Required, TypedDict, cast, get_args

from satlife.solve import SolverStatus

Say = Literal["ready", "progress", "answer", "literals", "model"]


class Message(TypedDict, total=False):
    """A message from the process."""

    say: Required[Say]
    tied: bool
    status: SolverStatus
    model: str  # the values of all variables, as hexadecimal digits
    core: list[int]  # of "unsat": the assumptions that the contradiction depends on
    reason: str
    conflicts: int
    restarts: int
    seconds: float
    consistent: bool
    literals: list[int]
    bits: str  # the values of the projected variables, as hexadecimal digits


class Load(TypedDict):
    """The command that loads a formula, whose literals follow it."""

    do: Literal["load"]
    solver: str
    path: str
    options: dict[str, int] | list[str]
    variables: int
    bytes: int
    proof: str | None


KINDS: dict[str, type | tuple[type, ...]] = {
    "status": str, "model": str, "reason": str, "conflicts": int, "restarts": int, "seconds": (int, float),
    "core": list, "consistent": bool, "literals": list, "bits": str, "tied": bool,
}  # fmt: skip


class Forget(TypedDict):
    """The command to drop the formula."""

    do: Literal["forget"]


class Add(TypedDict):
    """The command to add clauses."""

    do: Literal["add"]
    clauses: list[list[int]]


class Solve(TypedDict):
    """The command to solve, or only to propagate, under assumptions."""

    do: Literal["solve", "propagate"]
    assumptions: list[int]


class Enumerate(TypedDict):
    """The command to enumerate models."""

    do: Literal["list"]
    project: list[int]
    block: list[int]


Instruction = Load | Add | Solve | Enumerate | Forget


def parse_message(line: bytes) -> Message:
    """A line as a message; a malformed line becomes an "unknown" answer with the reason."""
    try:
        message = json.loads(line)
        if not isinstance(message, dict) or message.get("say") not in get_args(Say):
            raise ValueError("not a message")
        if any(name in message and not isinstance(message[name], kind) for name, kind in KINDS.items()):
            raise ValueError("not a message")
        if "status" in message:
            message["status"] = SolverStatus(message["status"])
    except (ValueError, RecursionError):
        return {
            "say": "answer",
            "status": SolverStatus.UNKNOWN,
            "reason": "the solver's process sent a malformed message",
        }
    return cast(Message, message)
