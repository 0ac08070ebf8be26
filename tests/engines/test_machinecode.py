"""Kernels kept as machine code: the same answers as plain Python, in processes that never import Numba."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from events import PATIENCE
from satlife import native
from satlife.engines.cells.search import CellSearch
from satlife.engines.rows.cpu.search import FrontierSearch
from satlife.engines.rows.question.strip import Strip
from satlife.engines.tables.model import model_of
from satlife.engines.tables.table.plan import plan_of
from satlife.engines.tables.table.rings import Rounded
from satlife.engines.tables.table.table import Table
from satlife.engines.tables.threads import ThreadPool
from satlife.errors import OutOfTime, SolverError
from satlife.life.rule import LIFE
from satlife.limits import Limits
from satlife.native import machinecode
from satlife.native.machinecode import Code, Untrusted
from satlife.problem import families
from satlife.problem.outcome import Status

pytestmark = pytest.mark.skipif(not native.is_compiled(), reason="needs Numba")

KERNELS = """
from typing import NamedTuple
import numpy as np
from satlife.native import kernel

class Pair(NamedTuple):
    numbers: np.ndarray
    grid: np.ndarray

@kernel()
def largest(values):
    best = values[0]
    for value in values:
        best = max(best, value)
    return best

@kernel()
def summary(pair, scale, shift):
    total = 0
    for i in range(pair.grid.shape[0]):
        for j in range(pair.grid.shape[1]):
            total += pair.grid[i, j] * (i + 1)
    return total + shift, largest(pair.numbers) * scale, total > shift

@kernel()
def double(values):
    for i in range(len(values)):
        values[i] *= 2
    if len(values) > 5:
        values[1 // int(values[0] - values[0])] = 0
"""
PROGRAM = """
import sys
import numpy as np
import kernels
from satlife import native
seen = []
def announced(text):
    seen.append(type(kernels.largest).__name__)
    print(text, file=sys.stderr)

native.announce = announced
pair = kernels.Pair(np.array([3, 9, 4]), np.arange(6, dtype=np.int8).reshape(2, 3)[:, ::-1])
print(*kernels.summary(pair, 0.5, np.int32(7)))
frozen = np.array([1.5, 2.5])
frozen.setflags(write=False)
print(kernels.largest(frozen), kernels.largest(np.array([2, 1])))
numbers = np.array([5, 6])
print(kernels.double(numbers), *numbers)
try:
    kernels.double(np.ones(6, int))
except ArithmeticError:
    print("a division by zero")
print("LIBRARY" in sys.modules)
print(*{*seen})
"""
#: What only a process that compiles imports; on other machines LLVM also loads the machine code.
LIBRARY = "llvmlite" if machinecode._processor_of_linux() else "numba"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "program.py").write_text(PROGRAM.replace("LIBRARY", LIBRARY))
    return tmp_path


def lines(folder: Path, **environment: str) -> list[str]:
    """What the program prints."""
    return answers(started(folder, **environment))


def started(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), **environment}
    command = [sys.executable, str(folder / "program.py")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True)


def answers(done: subprocess.CompletedProcess[str]) -> list[str]:
    *found, seen = done.stdout.splitlines()
    assert seen in ("", "Kernel"), "other threads may call what is being compiled"
    return found


ANSWERS = ["34 4.5 True", "2.5 2", "None 10 12", "a division by zero"]


def test_a_second_process_imports_neither_numba_nor_llvm(folder: Path) -> None:
    """Until others may write there or the source is another one; damage is below, without a process for each."""
    assert lines(folder, NUMBA_DISABLE_JIT="1") == [*ANSWERS, "False"]
    first = started(folder)
    assert (answers(first), "kernels are not loaded" in first.stderr) == ([*ANSWERS, "True"], False)
    assert lines(folder) == [*ANSWERS, "False"]
    files = sorted((folder / "cache").rglob("*.o"))
    assert len(files) == 4, "one for each function and types of arguments that Python calls"
    # Where others may write, they are neither loaded nor kept, and the user is told once.
    place, before = files[0].parent, [file.stat().st_mtime_ns for file in files]
    mode = place.stat().st_mode
    place.chmod(0o777)
    again = started(folder)
    told = [line for line in again.stderr.splitlines() if "kernels are not loaded" in line]
    assert [str(place) in line for line in told] == [True]
    assert answers(again) == [*ANSWERS, "True"]
    assert [file.stat().st_mtime_ns for file in files] == before
    place.chmod(mode)
    assert lines(folder) == [*ANSWERS, "False"]
    (folder / "kernels.py").write_text(KERNELS.replace("*= 2", "*= 3"))
    changed = [answer.replace("10 12", "15 18") for answer in ANSWERS]
    assert lines(folder) == [*changed, "True"]
    assert sorted((folder / "cache").rglob("*")) == sorted({*files, place}), "nothing else is left"


def test_where_nothing_can_be_written(folder: Path) -> None:
    (folder / "cache").write_text("not a folder")
    assert lines(folder) == [*ANSWERS, "True"]


def test_a_module_elsewhere_counts_too(tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("one")
    calling = native.kernel(str(other.with_suffix("")))(lambda: 0)
    assert isinstance(calling, native.Kernel)
    before = calling._source()
    other.write_text("another")
    native._digest.cache_clear()
    assert calling._source() != before


# Files.
CPUINFO = """processor\t: 0
vendor_id\t: Vendor
cpu family\t: 6
model\t\t: 85
model name\t: Some: Processor
stepping\t: 1
cpu MHz\t\t: 2000.1
flags\t\t: fpu sse2 avx2
power management:

"""
CODE = Code("of this source", "entry", ["int64"], bytes(range(256)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with some code."""
    file = tmp_path / "cache" / "kernels" / "kernel.run-0123.o"
    assert machinecode.keep(str(file), CODE)
    return file


def test_a_file_is_used_whole_or_not_at_all(file: Path) -> None:
    whole = file.read_bytes()
    assert machinecode.read_cached(str(file), CODE.source) == CODE
    assert machinecode.read_cached(str(file), "another source") is None
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert machinecode.read_cached(str(file), CODE.source) is None, place
        file.write_bytes(whole[:place])
        assert machinecode.read_cached(str(file), CODE.source) is None, place
    file.write_bytes(whole)
    renamed = file.rename(file.with_name("kernel.run-4567.o"))
    assert machinecode.read_cached(str(renamed), CODE.source) is None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
def test_only_files_that_nobody_else_can_have_written_count(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = file.parent
    assert [path.stat().st_mode & 0o777 for path in (folder.parent, folder, file)] == [0o700, 0o700, 0o600]
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder.parent))
    for path in (folder.parent, folder, file):
        mode = path.stat().st_mode
        for more in (0o020, 0o002):
            path.chmod(mode | more)
            with pytest.raises(Untrusted, match=f"others may write to {path} "):
                machinecode.read_cached(str(file), CODE.source)
            assert not machinecode.keep(str(file), CODE)
        path.chmod(mode)
        assert machinecode.read_cached(str(file), CODE.source) == CODE
    folder.chmod(0o1777)  # as /tmp
    assert machinecode.read_cached(str(file), CODE.source) == CODE
    folder.chmod(0o700)
    if os.geteuid() == 0:
        os.chown(file, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(Untrusted, match="belongs to another user"):
        machinecode.read_cached(str(file), CODE.source)
    assert not machinecode.keep(str(file), CODE)


def test_what_python_lets_a_group_write_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a umask of 002, the folder beside the source is not the user's alone."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    beside = tmp_path / "__pycache__"
    beside.mkdir(mode=0o755)
    machinecode._folder.cache_clear()
    assert machinecode._folder(str(tmp_path)) == str(beside)
    beside.chmod(0o775)
    machinecode._folder.cache_clear()
    if hasattr(os, "geteuid"):
        assert Path(machinecode._folder(str(tmp_path))).is_relative_to(tmp_path / "home")
    machinecode._folder.cache_clear()


def test_a_name_stands_for_all_that_changes_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import llvmlite.binding as llvm
    import numpy as np

    monkeypatch.chdir(tmp_path)
    (tmp_path / "cpuinfo").write_text(CPUINFO)
    monkeypatch.setattr(machinecode, "CPUINFO", str(tmp_path / "cpuinfo"))

    def name() -> str:
        machinecode._circumstances.cache_clear()
        return machinecode.file_of(test_where_nothing_can_be_written, "int")  # type: ignore[arg-type]

    first = name()
    with monkeypatch.context() as patch:
        patch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
        patch.setenv("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "0")
        assert name() == first
    changes: list[Callable[[pytest.MonkeyPatch], object]] = [
        lambda patch: patch.setenv("NUMBA_OPT", "0"),
        lambda patch: patch.setenv("NUMBA_BOUNDSCHECK", "1"),
        lambda patch: patch.setattr(machinecode, "_version", {"numba": "0.0", "llvmlite": "1.0"}.get),
        lambda patch: patch.setattr(machinecode, "_version", {"numba": "0.0", "llvmlite": "1.1"}.get),
        lambda patch: patch.setattr(np, "__version__", "0.0"),
        lambda patch: (tmp_path / "cpuinfo").write_text(CPUINFO.replace("avx2", "avx2 avx512f")),
        lambda patch: (tmp_path / "cpuinfo").write_text(CPUINFO.replace("stepping\t: 1", "stepping\t: 2")),
        lambda patch: (tmp_path / "cpuinfo").unlink(),  # which leaves LLVM to say what the processor is
        lambda patch: patch.setattr(llvm, "get_host_cpu_name", lambda: "other"),
        lambda patch: patch.setattr(llvm, "get_host_cpu_features", lambda: llvm.FeatureMap(other=True)),
        lambda patch: patch.setattr(llvm, "get_process_triple", lambda: "other"),
        lambda patch: (tmp_path / ".numba_config.yaml").write_text("opt: 0"),
    ]
    names = {first}
    for change in changes:
        with monkeypatch.context() as patch:
            change(patch)
            names.add(name())
    assert len(names) == 1 + len(changes)
    machinecode._circumstances.cache_clear()


def test_what_counts_of_a_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one, and nothing that changes from moment to moment; on other processors LLVM is asked."""
    monkeypatch.setattr(machinecode, "CPUINFO", str(tmp_path / "cpuinfo"))
    assert machinecode._processor_of_linux() == ()
    (tmp_path / "cpuinfo").write_text(CPUINFO)
    first = machinecode._processor_of_linux()
    assert first == ("Vendor", "6", "85", "Some: Processor", "1", "fpu sse2 avx2")
    (tmp_path / "cpuinfo").write_text(CPUINFO.replace("2000.1", "3000.7") + CPUINFO.replace("avx2", ""))
    assert machinecode._processor_of_linux() == first
    (tmp_path / "cpuinfo").write_text(CPUINFO.replace("flags", "Features"))
    assert machinecode._processor_of_linux() == ()


# Trials.
TRIED = """
from satlife.native import kernel
asked = []
def is_right(x):
    asked.append(x)
    return half(8) == RIGHT
@kernel()
def half(x):
    return x // 2
@kernel(trial=is_right)
def third(x):
    return x // 3
"""


def imported(folder: Path, right: int, monkeypatch: pytest.MonkeyPatch, text: str = TRIED) -> Any:
    """The module above, whose trial expects half of 8 to be this, or another one."""
    import importlib.util

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder / "cache"))
    (folder / "tried.py").write_text(text.replace("RIGHT", str(right)))
    spec = importlib.util.spec_from_file_location("tried", folder / "tried.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kept_files(folder: Path) -> list[str]:
    return sorted(path.name.partition("-")[0] for path in folder.rglob("*.o"))


def test_a_kernel_is_tried_before_it_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = imported(tmp_path, 4, monkeypatch)
    assert (tried.third(9), tried.third(12), tried.asked) == (3, 4, [9])
    assert kept_files(tmp_path) == ["tried.half", "tried.third"]
    again = imported(tmp_path, 4, monkeypatch)
    assert (again.third(9), again.asked) == (3, [])


def test_a_kernel_that_fails_is_neither_kept_nor_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = imported(tmp_path, 5, monkeypatch)
    for _ in range(2):
        with pytest.raises(SolverError, match="third is compiled wrongly"):
            tried.third(9)
    assert tried.asked == [9]
    assert kept_files(tmp_path) == []


CALLING = """
import numba
from satlife.native import kernel
@kernel()
def inner(x, y):
    return x + y
@kernel()
def outer(x):
    return inner(x, 1) + inner(x, 2)
@numba.njit
def foreign_inner(x):
    return x + 1
@numba.njit
def foreign_outer(x):
    return 2 * foreign_inner(x)
"""


def test_what_a_kernel_calls_is_optimised_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And by itself when it is called by itself.  Functions that are not ours are optimised at each level, twice."""
    import numba
    from numba.core.codegen import JITCPUCodegen

    numba.njit(lambda x: x)(1)  # with the first function of a process Numba compiles some of its own
    optimised: list[object] = []
    passes: Callable[..., object] = JITCPUCodegen._module_pass_manager

    def noting(machine: object, **options: object) -> object:
        optimised.append(machine)
        return passes(machine, **options)

    monkeypatch.setattr(JITCPUCodegen, "_module_pass_manager", noting)
    module = imported(tmp_path, 0, monkeypatch, CALLING)
    for function, arguments, value, times in (
        (module.outer, (3,), 9, 1),
        (module.inner, (3, 1), 4, 1),
        (module.foreign_outer, (3,), 8, 4),
    ):
        optimised.clear()
        assert function(*arguments) == value
        assert len(optimised) == times


def test_constants_that_a_kernel_passes_on_are_no_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = imported(tmp_path, 0, monkeypatch, CALLING)
    assert module.outer(3) == 9
    assert len(module.inner.dispatcher.signatures) == 1


def test_a_symbol_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest is right, and yet nothing is called that does not exist."""
    assert imported(tmp_path, 4, monkeypatch).half(6) == 3
    (file,) = tmp_path.rglob("*.o")
    source = imported(tmp_path, 4, monkeypatch).half._source()
    code = machinecode.read_cached(str(file), source)
    assert code
    assert machinecode.keep(str(file), code._replace(entry="missing"))
    assert imported(tmp_path, 4, monkeypatch).half(6) == 3
    mended = machinecode.read_cached(str(file), source)
    assert mended
    assert mended.entry.startswith("_Z")


# Waiting.
@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Nothing is kept, and compiling takes until this happens."""
    from satlife.engines.cells import kernel as cells
    from satlife.engines.rows.cpu import kernel as rows
    from satlife.engines.tables.table import kernel as tables

    over, ended = threading.Event(), threading.Event()
    compile = native.Kernel.compile

    def compiled(kernel: native.Kernel, arguments: tuple[Any, ...]) -> Code:
        over.wait()
        if ended.is_set():
            raise SolverError("nobody waits for it any more")
        return compile(kernel, arguments)

    monkeypatch.setattr(native.Kernel, "compile", compiled)
    monkeypatch.setattr(native.Kernel, "load", lambda kernel, types, arguments: None)
    for module in (cells, rows, tables):
        for kernel in vars(module).values():
            if isinstance(kernel, native.Kernel):
                monkeypatch.setattr(kernel, "versions", {})
                monkeypatch.setattr(kernel, "compilers", {})
    yield over
    ended.set()
    over.set()
    for thread in threading.enumerate():
        if isinstance(thread, native.Compiler):
            thread.join(PATIENCE)


def test_whoever_waits_for_a_kernel_may_give_up(
    tmp_path: Path, endless: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = imported(tmp_path, 4, monkeypatch).half
    with pytest.raises(OutOfTime, match="while kernels were compiled"), native.until(lambda: True):
        half(6)

    def interrupted() -> bool:
        signal.raise_signal(signal.SIGINT)
        return False

    with pytest.raises(KeyboardInterrupt), native.until(interrupted):
        half(6)
    assert kept_files(tmp_path) == []
    endless.set()
    assert half(6) == 3, "the same compiler came to its end"
    assert kept_files(tmp_path) == ["tried.half"]


@pytest.mark.usefixtures("endless")
def test_engines_keep_their_time_while_kernels_are_compiled() -> None:
    rows = FrontierSearch(Strip(LIFE, 5, 4, (0, -2)))
    rows.stop()
    assert (list(rows.ships()), rows.complete) == ([], False)
    cells = CellSearch(families.oscillator((4, 4), 2))
    assert (cells.run(Limits(1.0)), cells.reason) == (Status.UNKNOWN, "the time limit was reached")
    assert (cells.run(Limits(stopped=lambda: True)), cells.reason) == (Status.UNKNOWN, "stopped")
    plan = plan_of(model_of(families.still_life((6, 4))))
    with pytest.raises(OutOfTime):
        Table(plan, "float32", ThreadPool(2, Limits(1.0)), compiled=True).apply(plan.steps[0], Rounded())


# Versions.
def test_the_bounds_of_versions_end_with_those_that_were_tested() -> None:
    home = Path(__file__).parents[2]
    project = tomllib.loads((home / "pyproject.toml").read_text())["project"]
    tested = dict(line.split("==") for line in (home / "scripts/constraints.txt").read_text().split() if "==" in line)
    later = {"numba": "0.69.0", "python-sat": "1.9.dev18"}
    wanted = [Requirement(text) for text in (*project["dependencies"], *project["optional-dependencies"]["fast"])]
    bounded = {one.name: one.specifier for one in wanted if one.name in later}
    for name, next_version in later.items():
        assert bounded[name].contains(tested[name], prereleases=True)
        assert not bounded[name].contains(next_version, prereleases=True)


def test_private_parts_of_libraries_are_used_in_one_place_each() -> None:
    source = Path(machinecode.__file__).parents[1]
    users: dict[str, set[str]] = {"numba": set(), "llvmlite": set(), "pysolvers": set()}
    for path in source.rglob("*.py"):
        text = path.read_text()
        for library, files in users.items():
            if f"import {library}" in text or f"from {library}" in text:
                files.add(path.name)
    assert users == {
        "numba": {"__init__.py", "vectors.py"},  # the latter by the documented way to add instructions
        "llvmlite": {"machinecode.py", "vectors.py"},
        "pysolvers": {"pysat_private.py"},
    }
