"""One unit of work, wherever it is done: JSON in, JSON out."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from satlife.errors import SatlifeError
from satlife.problem.finds import Find
from satlife.problem.problem import Problem
from satlife.search import cubes
from satlife.search.find import Options

Message = dict[str, Any]


def describe(problem: Problem, cube: cubes.Cube, every: bool, options: Options) -> str:
    """A unit as JSON: the problem, what is assumed, and how to work on it."""
    data = {"problem": problem.to_dict(), "cube": cube, "every": every, "options": asdict(options)}
    return json.dumps(data)


def work(text: str, tell: Callable[[Message], None], stop: Callable[[], bool]) -> None:
    """Do a unit; tells each find, and at last the result."""
    started = time.monotonic()
    data = json.loads(text)
    problem = Problem.from_dict(data["problem"])
    cube = tuple((int(x), int(y), int(t), int(value)) for x, y, t, value in data["cube"])

    who = f"{socket.gethostname()}:{os.getpid()}"

    def keep(find: Find, how: str) -> None:
        tell({"say": "find", "find": find.to_dict(problem), "who": who, "how": how})

    try:
        result = cubes.solve(problem, cube, data["every"], Options(**data["options"]), keep, stop)
    except SatlifeError as error:
        result = cubes.Result("unknown", reason=str(error))
    tell({"say": "result", **asdict(result), "seconds": time.monotonic() - started, "who": who})
