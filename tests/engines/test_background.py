"""The process that compiles kernels in the background, and searches that go on meanwhile."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import run
from events import until
from satlife import native, system
from satlife.cli import screen, warmup
from satlife.engines.cells import kernel as cells
from satlife.engines.rows.cpu import kernel as rows
from satlife.errors import SolverError
from satlife.native import background, machinecode
from satlife.problem import families
from satlife.problem.anybox import AnyBox
from satlife.problem.question import Question
from satlife.search.library import find

pytestmark = pytest.mark.skipif(not native.is_compiled(), reason="needs Numba")
TESTS = Path(__file__).parents[1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where kernels are kept, and where the process in the background, which is allowed, compiles nothing."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv(background.SWITCH, "1")
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    monkeypatch.setattr(background, "MODULE", "idle_compiler")
    monkeypatch.setattr(background, "_ours", None)
    machinecode._folder.cache_clear()
    place = Path(machinecode.home())
    monkeypatch.setenv("FOLDER", str(place))
    for made in (place.parent, place):
        made.mkdir(mode=0o700)
    for remembered in (machinecode.objection, native._tell_once):
        remembered.cache_clear()
    yield place
    (place / "enough").touch()
    if background._ours is not None:
        background._ours.wait()
    for remembered in (machinecode._folder, machinecode.objection, native._tell_once):
        remembered.cache_clear()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What users are told."""
    seen: list[str] = []
    monkeypatch.setattr(native, "announce", seen.append)
    return seen


@pytest.fixture
def nothing_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a new machine: no kernel is there, and none may be compiled here."""

    def compiled(*_: object) -> None:
        raise AssertionError("compiled in the search")

    monkeypatch.setattr(native.Kernel, "compile", compiled)
    monkeypatch.setattr(native.Kernel, "load", lambda *_: None)
    for module in (cells, rows):
        for kernel in vars(module).values():
            if isinstance(kernel, native.Kernel):
                monkeypatch.setattr(kernel, "versions", {})


@native.kernel()
def half(x: int) -> int:
    return x // 2


def begun(folder: Path) -> int:
    """Have kernels compiled in the background; the number of the process, which is at work."""
    assert native.lacks(half)
    assert background._ours is not None
    until(lambda: background.words(str(folder)) == "1 of 1: nothing")
    return background._ours.pid


def test_it_is_begun_once_goes_by_itself_and_ends(folder: Path, told: list[str]) -> None:
    """Neither Ctrl-C in the terminal nor the end of the search reaches it, since it leads a session of its own."""
    number = begun(folder)
    with pytest.raises(TimeoutError), background.working(str(folder)):
        pass
    assert not background.begin(str(folder))
    assert told == [native.BACKGROUND]
    if hasattr(os, "getsid"):
        assert os.getsid(number) == number != os.getsid(0)
        assert int((folder / "nice").read_text()) > 0
    (folder / "enough").touch()
    until(lambda: not background.is_at_work(str(folder)))
    assert not native.lacks(half), "it did not make what is missing: it is compiled where it is called"
    assert background.words(str(folder)) == ""


def test_after_a_kill_there_is_a_pause(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.kill(begun(folder), getattr(signal, "SIGKILL", signal.SIGTERM))
    until(lambda: not background.is_at_work(str(folder)))
    monkeypatch.setattr(background, "_ours", None)  # in the next search
    state = folder / background.STATE
    assert not native.lacks(half)
    os.utime(state, (0, state.stat().st_mtime - background.AGAIN))
    assert native.lacks(half)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
@pytest.mark.usefixtures("folder")
def test_where_nothing_can_be_kept_searches_compile(
    number: int, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def written(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(machinecode, "_write", written)
    assert not native.lacks(half)
    assert background._ours is None
    reason = f"{os.strerror(number)} ({machinecode.home()})"
    assert told == [f"{reason}: kernels are not kept, and every search compiles those that it needs"]
    result = run("warm-up")
    assert (result.returncode, result.stdout, result.stderr) == (1, "", f"satlife: {told[0]}\n")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
def test_in_the_folder_of_another_user(folder: Path, told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        os.chown(folder, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert not native.lacks(half)
    assert background._ours is None
    assert len(told) == 1
    assert told[0].endswith("belongs to another user: kernels are not loaded from there, nor kept")


def test_it_can_be_turned_off(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(background.SWITCH, "0")
    assert not native.lacks(half)
    assert [*folder.iterdir()] == []


# Searches meanwhile.
@pytest.mark.usefixtures("nothing_kept")
@pytest.mark.parametrize(
    "question", [families.spaceship((4, 4), speed="c/4d"), AnyBox(families.spaceship((4, 4), speed="c/4d"))], ids=str
)
def test_a_solver_answers_while_the_others_wait(folder: Path, question: Question) -> None:
    begun(folder)
    found = find(question)
    assert found
    assert found.strategy not in ("cells", "rows")


def test_whoever_compiles_takes_what_another_process_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    over, compile = threading.Event(), native.Kernel.compile

    def compiled(kernel: native.Kernel, arguments: tuple[Any, ...]) -> machinecode.Code:
        assert kernel.keep(machinecode.signature(arguments), compile(kernel, arguments))  # by another process, that is
        over.wait()
        raise SolverError("nobody waits for it any more")

    monkeypatch.setenv(background.SWITCH, "0")
    monkeypatch.setattr(native.Kernel, "compile", compiled)
    monkeypatch.setattr(half, "versions", {})
    assert half(6) == 3
    assert [path.suffix for path in folder.parent.rglob("test_background.half-*")] == [".o"]
    over.set()
    for thread in threading.enumerate():
        if isinstance(thread, native.Compiler):
            thread.join()


# The process itself, and whoever waits for it.
def test_warm_up_waits_for_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(folder)
    shown: list[str] = []

    def status(text: str, seconds: float) -> None:
        shown.append(text)
        (folder / "enough").touch()

    monkeypatch.setattr(screen, "status", status)
    monkeypatch.setattr(warmup, "TRIALS", {})
    result = run("warm-up")
    assert (result.returncode, result.stdout[:21]) == (0, "the kernels are ready")
    assert shown[0] == "compiling in the background 1 of 1: nothing"
    assert shown[-1] == ""


def test_what_it_does_and_how_it_comes_to_grief(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def trial() -> bool:
        said.append(background.words(str(folder)))
        return len(said) == 1

    monkeypatch.setattr(background, "be_modest", lambda: None)
    monkeypatch.setattr(warmup, "TRIALS", {"counting": trial})
    assert warmup.in_background() == 0
    assert background.words(str(folder)) == ""
    assert warmup.in_background() == 1, "the trial fails"
    assert said == ["1 of 1: counting"] * 2
    assert not background.begin(str(folder))
    with background.working(str(folder)):
        assert warmup.in_background() == 1, "there is one already"


def test_a_kill_leaves_whole_files_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "kernel.run-1.o"
    left = folder / f"kernel.run-1.{os.getpid()}.partial"
    left.write_bytes(b"what a process of the same number was killed at")
    code = machinecode.Code("source", "entry", [], b"code")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            machinecode.keep(str(file), code)
    assert [*folder.iterdir()] == []
    assert machinecode.keep(str(file), code)
    assert [*folder.iterdir()] == [file]


@pytest.mark.parametrize("without", ["", "fcntl"])
def test_a_lock_is_waited_for_as_long_as_one_likes(
    tmp_path: Path, without: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if without:
        monkeypatch.setitem(sys.modules, without, None)
    lock = tmp_path / "lock"
    with system.locked(lock), pytest.raises(TimeoutError), system.locked(lock, 0.0):
        pass
    with system.locked(lock, 0.0):
        pass
    with pytest.raises(OSError), system.locked(tmp_path / "nowhere" / "lock", 0.0):
        pass
