"""What a solver's process is asked and what it says: lines of JSON.

ready                                  ->  {"say": "ready"}: from now on we do not outlive our parent
{"do": "load", "solver": NAME, "options": {..}, "bytes": N}  and N bytes of int32, a 0 after each clause
{"do": "add", "clauses": [[..], ..]}
{"do": "solve", "assumptions": [..]}   ->  progress lines, then {"say": "answer", "status": .., "model": hex}
{"do": "propagate", "assumptions": [..]}  ->  {"say": "literals", "consistent": .., "literals": [..]}  (Glucose)
{"do": "list", "project": [..], "block": [..]}  ->  {"say": "model", "bits": hex} each, then an answer
{"do": "forget"}                       the next formula is another question's
"""

from __future__ import annotations

import json
from typing import Literal, Required, TypedDict, cast

Verdict = Literal["sat", "unsat", "unknown"]


class Said(TypedDict, total=False):
    """A line from the process."""

    say: Required[Literal["ready", "progress", "answer", "literals", "model"]]
    status: Verdict
    model: str  # the values of all variables, as hexadecimal digits
    reason: str
    conflicts: int
    restarts: int
    seconds: float
    consistent: bool
    literals: list[int]
    bits: str  # the values of the variables that were asked for


class Load(TypedDict):
    """The first command: a formula follows it."""

    do: Literal["load"]
    solver: str
    path: str
    options: dict[str, int] | list[str]
    variables: int
    bytes: int
    proof: str | None


KINDS: dict[str, type | tuple[type, ...]] = {
    "status": str, "model": str, "reason": str, "conflicts": int, "restarts": int, "seconds": (int, float),
    "consistent": bool, "literals": list, "bits": str,
}  # fmt: skip


def heard(line: bytes) -> Said:
    """A line as a message; what is none is an answer that says so."""
    try:
        message = json.loads(line)
        if not isinstance(message, dict) or message.get("say") not in (
            "ready",
            "progress",
            "answer",
            "literals",
            "model",
        ):
            raise ValueError("not a message")
        if any(name in message and not isinstance(message[name], kind) for name, kind in KINDS.items()):
            raise ValueError("not a message")
    except (ValueError, RecursionError):
        return {"say": "answer", "status": "unknown", "reason": "the solver's process spoke nonsense"}
    return cast(Said, message)
