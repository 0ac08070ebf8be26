"""No test depends on the clock of a shared machine: tests wait for events, by `events.py`.

The sources are read for what gives a dependence away: the module `time`, a sleep, a wait for a number of seconds.  Not
seen are programs in strings and time limits of the program (`--time`, `Limits`); where a test sets one, it must expect
the same of a machine that has come nowhere by then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
MAY = {"events.py", "fake_solver.py"}  # the one that waits for all others, and a program that sleeps instead of working
SLEEPS = {"sleep", "wait_for_timeout"}
WAITS = {"wait": 0, "join": 0, "wait_for": 1}  # functions, and which argument are the seconds


def objections(source: str) -> Iterator[str]:
    """What depends on the clock, with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import) and any(name.name == "time" for name in node.names):
            yield f"{node.lineno}: imports time"
        elif isinstance(node, ast.ImportFrom) and node.module == "time":
            yield f"{node.lineno}: imports from time"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if name in SLEEPS:
                yield f"{node.lineno}: {name}"
            elif any(is_seconds(argument) for argument in waited(node, name)):
                yield f"{node.lineno}: {name} for a number of seconds, not for PATIENCE"


def waited(call: ast.Call, name: str) -> list[ast.expr]:
    """The arguments that say how long a call waits."""
    place = WAITS.get(name)
    positional = [] if place is None else call.args[place : place + 1]
    return positional + [keyword.value for keyword in call.keywords if keyword.arg == "timeout"]


def is_seconds(argument: ast.expr) -> bool:
    """Whether it is a number, but for 0, which is a look and no wait."""
    return isinstance(argument, ast.Constant) and isinstance(argument.value, int | float) and argument.value != 0


def test_no_test_looks_at_the_clock() -> None:
    found = {
        str(path.relative_to(TESTS)): told
        for path in sorted(TESTS.rglob("*.py"))
        if path.name not in MAY and (told := list(objections(path.read_text())))
    }
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "def late():\n    import time as clock",
        "from time import monotonic",
        "await asyncio.sleep(0.1)",
        "page.wait_for_timeout(500)",
        "process.wait(20)",
        "thread.join(0.5)",
        "process.communicate(timeout=20)",
        "asyncio.wait_for(reader.read(), 30)",
    ],
)
def test_a_dependence_is_seen(source: str) -> None:
    assert len(list(objections(source))) == 1


@pytest.mark.parametrize(
    "source",
    ["import timeit", "process.wait()", "', '.join(words)", "process.wait(PATIENCE)", "run(line, timeout=PATIENCE)",
     "event.wait(0)", "system.wait([pipe], PATIENCE)"],
)  # fmt: skip
def test_what_does_not_depend_on_it_is_left_alone(source: str) -> None:
    assert list(objections(source)) == []
