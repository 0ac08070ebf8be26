"""One unit of work, wherever it is done: JSON in, JSON out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Literal, Required, TypedDict

from satlife import __version__
from satlife.engines.options import Options
from satlife.engines.units import work_on
from satlife.engines.work import Result, Verdict
from satlife.errors import SatlifeError
from satlife.problem import question
from satlife.problem.outcome import Find, FindJson
from satlife.problem.problem import Problem
from satlife.store.ledger import Search, this_process


class Message(TypedDict, total=False):
    """What is said of a unit: each find, and at last the result."""

    say: Required[Literal["find", "result"]]
    problem: str
    find: FindJson
    who: str
    how: str
    status: str
    solver: str
    strategy: str
    reason: str
    seconds: float


def describe(search: Search, unit: str) -> str:
    """A unit as JSON: the question, the part of it, and how to work on it."""
    data = {"satlife": __version__, "problem": search.problem.to_json(), "part": unit}
    return json.dumps({**data, "every": search.every, "options": asdict(search.settings)})


def work(text: str, tell: Callable[[Message], None], stop: Callable[[], bool]) -> None:
    """Do a unit; tells each find, and at last the result."""
    started = time.monotonic()
    data = json.loads(text)
    if data["satlife"] != __version__:  # another version may divide a question otherwise
        reason = f"this worker is satlife {__version__}, the search is of {data['satlife']}"
        tell({"say": "result", "status": Verdict.UNKNOWN, "reason": reason, "seconds": 0.0})
        return
    who = this_process()

    def keep(problem: Problem, find: Find, how: str) -> None:
        tell({"say": "find", "problem": problem.to_json(), "find": find.to_dict(problem), "who": who, "how": how})

    try:
        units = work_on(question.read(data["problem"]), data["every"], Options(**data["options"]))
        result = units.solve(data["part"], keep, stop)
    except SatlifeError as error:
        result = Result(Verdict.UNKNOWN, reason=str(error))
    said: Message = {"say": "result", "seconds": time.monotonic() - started, "who": who, "status": result.status}
    tell({**said, "solver": result.solver, "strategy": result.strategy, "reason": result.reason})
