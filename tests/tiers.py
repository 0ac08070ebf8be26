"""What a test needs decides its tier, and how long it took is kept.

pure      neither a kernel nor a process nor a database
kernel    kernels, those of a device compiled as C++, too; and solvers, whose process is kept for the next one
process   programs, the command line, databases in files, servers of ours
world     what others wrote and must be installed: a browser, Golly, PostgreSQL, Dask; or set-up

The tier of a test is that of its folder, or a higher one if its code, or that of a fixture or a helper, names what
needs more.  A test that then does more than its tier allows fails, so the tables cannot be wrong for long.
"""

from __future__ import annotations

import inspect
import os
import runpy
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from functools import cache
from inspect import isfunction
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast

import pytest

from plain_device import COMPILER
from satlife.native import Kernel
from satlife.solve import host

HERE = Path(__file__).parents[1]
TESTS = str(Path(__file__).parent) + os.sep
TIERS = ("pure", "kernel", "process", "world")

#: The least tier of the tests of each folder, or file if a whole file needs more; a doctest has that of its room.
FOLDERS = {
    "pure": "cnf draw life system",
    "kernel": "encode engines knuth problem proof search solve benchmark",
    "process": "cli docs project store taocp engines/test_background",
    "world": "cluster web cli/test_golly project/test_setup project/test_package",
}
#: What needs a tier: modules and what they define, and functions of the tests.
NEEDS = {
    "kernel": "satlife.search satlife.engines satlife.solve satlife.proof satlife.taocp",
    "process": "subprocess sqlite3 pty commands stores documents campaign.shell satlife.store satlife.taocp.studies",
    "world": "playwright axe_playwright_python distributed psycopg postgres golly_next setup_script",
}
#: What a test may be seen doing, by tier.
MAY: dict[str, set[str]] = {"pure": set(), "kernel": {"a kernel", "a compiler", "a solver"}}
#: What Python tells of before it starts a process.
STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system"}

SEEDS = 3  # of each test that is repeated with other random numbers, unless all are asked for
HEADER = "CPU (s)        s  test\n"
QUICK = 0.3  # seconds of CPU time; tests that took more when durations were last kept do not belong to a quick run
BEGAN = pytest.StashKey[float]()
TIER_OF_FOLDER = {folder: tier for tier, folders in FOLDERS.items() for folder in folders.split()}
TIER_OF_MODULE = {module: tier for tier, modules in NEEDS.items() for module in modules.split()}


def room_of(path: Path) -> str:
    """The folder of tests, or the room of a doctest: the part after `tests` or `src/satlife`."""
    parts = path.relative_to(HERE).parts
    return (parts[1] if parts[0] == "tests" else parts[2]).removesuffix(".py")


def is_test(path: Path) -> bool:
    return str(path).startswith(TESTS)


def quick_rooms(room: str) -> set[str]:
    """A room and those that import it; all of them for an empty name."""
    below: dict[str, set[str]] = runpy.run_path(str(HERE / "tests" / "project" / "test_layers.py"))["BELOW"]
    if room and room not in below:
        raise pytest.UsageError(f"there is no room {room!r}; rooms are the folders of src/satlife")
    return {name for name, rooms in below.items() if room in rooms or room in ("", name)}


def higher(*tiers: str) -> str:
    return max(tiers, key=TIERS.index)


def tier_of(item: pytest.Item) -> str:
    """The tier of a test; an error if its folder has none."""
    room = room_of(item.path)
    if isinstance(item, pytest.DoctestItem):
        return higher("kernel", TIER_OF_FOLDER.get(room, "kernel"))
    if room not in TIER_OF_FOLDER:
        raise pytest.UsageError(f"tests/{room} has no tier: give it one in tests/tiers.py")
    given, file = cast(Any, item), TIER_OF_FOLDER.get(f"{room}/{item.path.stem}", "pure")
    if getattr(given, "callspec", None) and given.callspec.params.get("store") == "postgresql":
        return "world"
    fixtures = [made[-1].func for made in given._fixtureinfo.name2fixturedefs.values()]
    tier = higher(TIER_OF_FOLDER[room], file)
    if tier == TIERS[-1]:
        return tier
    return higher(tier, *(named(made) for made in (given.function, *fixtures) if isfunction(made)))


@cache
def named(function: FunctionType) -> str:
    """The highest tier of what a function of the tests names, or what its helpers name."""
    found, seen, waiting = ["pure"], set[object](), [function]
    while waiting:
        made = inspect.unwrap(waiting.pop())
        if made in seen or not isfunction(made):
            continue
        seen.add(made)
        found.append(TIER_OF_MODULE.get(made.__name__, "pure"))
        if not made.__code__.co_filename.startswith(TESTS):
            continue
        for value in values(made):
            module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
            found.append(tier_of_module(module))
            waiting += [value] if isfunction(value) else []
    return higher(*found)


@cache
def tier_of_module(module: str) -> str:
    return higher("pure", *(tier for known, tier in TIER_OF_MODULE.items() if f"{module}.".startswith(f"{known}.")))


def values(function: FunctionType) -> Iterator[object]:
    """What a function names: globals, what is in modules among them, and what it imports itself."""
    for code in codes(function.__code__):
        known = function.__globals__
        given = [known[name] if name in known else ModuleType(name) for name in code.co_names]
        yield from given
        for module in given:
            if isinstance(module, ModuleType) and module.__name__.startswith("satlife"):
                homes = vars(module).get("_homes")  # most names of the library are loaded when asked for
                there = homes() if homes else vars(module)
                yield from (getattr(module, name) for name in code.co_names if name in there)


def codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


class Watch:
    """Sees what a test does, and the threads that it starts do; threads of the test before are not its own."""

    def __init__(self) -> None:
        self.done: set[str] = set()
        self.others: set[int] = set()
        sys.addaudithook(self.audited)
        called: Callable[..., object] = Kernel.__call__

        def call(kernel: Kernel, *arguments: Any) -> object:
            self.note("a kernel")
            return called(kernel, *arguments)

        Kernel.__call__ = call  # type: ignore[method-assign,assignment]

    def audited(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "sqlite3.connect":
            self.note("a database")
        elif event in STARTS:
            command = arguments[1] if event == "subprocess.Popen" else ()
            known = {host.CHILD: "a solver", COMPILER: "a compiler"}
            self.note(next((what for word, what in known.items() if word in command), "a process"))

    def note(self, what: str) -> None:
        if threading.get_ident() not in self.others:
            self.done.add(what)

    def begin(self) -> None:
        self.others = {thread.ident or 0 for thread in threading.enumerate()} - {threading.get_ident()}
        self.done.clear()


WATCH = Watch()


class Tiers:
    """What pytest is told: the tier of every test, which tests are left out, and that durations are kept."""

    def __init__(self, config: pytest.Config) -> None:
        self.rooms = None if config.option.quick is None else quick_rooms(config.option.quick)
        self.all_seeds: bool = config.option.all_seeds
        self.durations: str = config.option.keep_durations
        self.dear = set() if self.rooms is None else dear(HERE / "durations.txt")
        self.taken: dict[str, list[float]] = {}  # CPU time and time, by test

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Of folders whose tests will not be run, and of modules without examples, nothing is imported."""
        if collection_path.suffix != ".py" or (collection_path.name == "__init__.py" and is_test(collection_path)):
            return None
        if self.rooms is not None and room_of(collection_path) not in self.rooms:
            return True
        return None if is_test(collection_path) or ">>>" in collection_path.read_text(encoding="utf-8") else True

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """Tests have no examples to be looked for."""
        found = yield
        return [each for each in found if type(each) is pytest.Module] if is_test(file_path) else found

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Slow tests first, so that no core waits for them in the end."""
        for item in items:
            item.add_marker(tier_of(item))
        left_out = [item for item in items if self.is_left_out(item)]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if item not in set(left_out)]
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)

    def is_left_out(self, item: pytest.Item) -> bool:
        if self.rooms is not None and (not is_quick(item) or item.nodeid in self.dear):
            return True
        indices = getattr(getattr(item, "callspec", None), "indices", {})
        return not self.all_seeds and indices.get("seed", 0) >= SEEDS

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        WATCH.begin()
        item.stash[BEGAN] = cpu_seconds()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        result = yield
        tier = tier_of(item)
        assert WATCH.done <= MAY.get(tier, WATCH.done), (
            f"a test of the tier `{tier}` used {' and '.join(sorted(WATCH.done))}: see tests/tiers.py"
        )
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        if call.when == "teardown":
            item.user_properties.append(("cpu", cpu_seconds() - item.stash[BEGAN]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        taken = self.taken.setdefault(report.nodeid, [0.0, 0.0])
        taken[0] = float(str(dict(report.user_properties).get("cpu", 0.0)))
        taken[1] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.durations and self.taken and not hasattr(session.config, "workerinput"):
            lines = [f"{cpu:8.2f} {clock:8.2f}  {name}\n" for name, (cpu, clock) in self.taken.items()]
            Path(self.durations).write_text(HEADER + "".join(sorted(lines, reverse=True)), encoding="utf-8")


def is_quick(item: pytest.Item) -> bool:
    return tier_of(item) in MAY and item.get_closest_marker("slow") is None


def dear(durations: Path) -> set[str]:
    """The tests that take too long for a quick run, if that is known."""
    if not durations.exists():
        return set()
    lines = [line.split(maxsplit=2) for line in durations.read_text(encoding="utf-8").splitlines()[1:]]
    return {name for cpu, _, name in lines if float(cpu) > QUICK}


def cpu_seconds() -> float:
    """Of this process and of those that it has started and waited for."""
    return sum(os.times()[:4])
