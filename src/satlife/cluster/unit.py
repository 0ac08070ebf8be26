"""One unit of work, wherever it is done: JSON in, JSON out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from satlife import __version__
from satlife.errors import InputError, SatlifeError
from satlife.problem.finds import Find
from satlife.problem.problem import Problem
from satlife.search import cubes, partials
from satlife.search.find import Options
from satlife.store.ledger import Part, Search, part_of, question, this_process

Message = dict[str, Any]


def describe(search: Search, part: Part, options: Options) -> str:
    """A unit as JSON: the question, the part of it, and how to work on it."""
    data = {"satlife": __version__, "problem": search.problem.to_json(), "part": json.dumps(part)}
    return json.dumps({**data, "every": search.every, "options": asdict(options)})


def work(text: str, tell: Callable[[Message], None], stop: Callable[[], bool]) -> None:
    """Do a unit; tells each find, and at last the result."""
    started = time.monotonic()
    data = json.loads(text)
    if data["satlife"] != __version__:  # another version may divide a question otherwise
        reason = f"this worker is satlife {__version__}, the search is of {data['satlife']}"
        tell({"say": "result", "status": "unknown", "reason": reason, "seconds": 0.0})
        return
    asked, part = question(data["problem"]), part_of(data["part"])
    options = Options(**data["options"])
    who = this_process()

    def keep(problem: Problem, find: Find, how: str) -> None:
        tell({"say": "find", "problem": problem.to_json(), "find": find.to_dict(problem), "who": who, "how": how})

    try:
        if isinstance(asked, Problem) and isinstance(part, tuple):
            result = cubes.solve(asked, part, data["every"], options, lambda find, how: keep(asked, find, how), stop)
        elif not isinstance(asked, Problem) and isinstance(part, dict):
            result = partials.solve(asked, part, options.memory, keep, stop)
        else:
            raise InputError("this unit is not a part of its question")
    except SatlifeError as error:
        result = cubes.Result("unknown", reason=str(error))
    tell({"say": "result", **asdict(result), "seconds": time.monotonic() - started, "who": who})
