"""How a command ends: silently on a closed pipe, with one line on an error, with exit code 130 on Ctrl-C."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from satlife import system
from satlife.cli import screen
from satlife.errors import OutOfTime, SatlifeError, shortened

if TYPE_CHECKING:
    from rich.console import Console

SIGNALS = (signal.SIGINT, signal.SIGTERM)
STOPS = (KeyboardInterrupt, SystemExit)  # what they raise
AT_ONCE = 0.001  # seconds; an alarm after 0 is none

received = 0  # the signal that is ending this command, if any
began = time.monotonic()  # when this command began; its time limit counts from there


class Interrupted(KeyboardInterrupt):
    """Ctrl-C.  A subclass, because CPython kills itself by the signal at exit if exactly KeyboardInterrupt was raised
    inside `exec` (which dataclasses call during import), even if it was caught."""


class ClosedPipe(Exception):
    """Nobody reads the output.  No OSError, which click would turn into an exit code of its own."""


def begin(moment: float | None = None) -> None:
    """A command begins: now, or at the start of the process."""
    global began
    began = time.monotonic() if moment is None else moment


def deadline_of(seconds: float | None) -> float:
    """When the time limit of this command is reached, by time.monotonic; 0 if there is none."""
    return 0.0 if seconds is None else began + seconds


@contextmanager
def closed_pipes() -> Iterator[None]:
    """Let a closed pipe pass through click."""
    try:
        yield
    except OSError as error:
        if system.closed_pipe(error):
            raise ClosedPipe from error
        raise


def console(*, soft_wrap: bool = False) -> Console:
    """The console on which rich draws for us; a closed pipe is left to whoever ends the command."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise ClosedPipe

    return Piped(soft_wrap=soft_wrap)


def flush_and_exit(code: int) -> NoReturn:
    """Flush the output and exit; output that can no longer be written is dropped silently."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            code = code or 1
    if any(getattr(thread, "unjoined", False) for thread in threading.enumerate()):
        os._exit(code)  # an engine that lost the race may be deep in compiled code; do not wait for it
    sys.exit(code)


def print_message(name: str, message: str) -> None:
    """Print a message for the user on stderr."""
    with suppress(OSError):
        screen.say(shortened(f"{name}: {message}"))


@contextmanager
def exit_on_error(name: str, error_code: int = 1) -> Iterator[None]:
    """Run a command; errors, signals and closed pipes become a message and an exit code."""
    hook, threading.excepthook = threading.excepthook, lambda failure: _tell_failure(name, failure)
    try:
        with signals_as_exceptions():
            yield
            if sys.stdout is not None:
                sys.stdout.flush()
    except KeyboardInterrupt:
        flush_and_exit(130)
    except ClosedPipe:
        flush_and_exit(141)
    except SatlifeError as error:
        print_message(name, str(error))
        flush_and_exit(error_code)
    except MemoryError:
        print_message(name, "out of memory")
        flush_and_exit(1)
    except OSError as error:
        if system.closed_pipe(error):
            flush_and_exit(141)
        closed = error.errno == errno.EBADF  # `__main__.open_descriptors` opened it for reading only
        print_message(
            name, "standard output is closed" if closed else f"cannot write the output: {error.strerror or error}"
        )
        flush_and_exit(1)
    finally:
        threading.excepthook = hook


def _tell_failure(name: str, failure: threading.ExceptHookArgs) -> None:
    """The hook for exceptions in threads: the engine that runs in it gives no answer, and the others go on."""
    if not issubclass(failure.exc_type, SystemExit):
        who = failure.thread.name if failure.thread else "a thread"
        print_message(name, f"{who} failed: {failure.exc_type.__name__}: {failure.exc_value}; please report this")


@contextmanager
def signals_as_exceptions() -> Iterator[None]:
    """Let signals raise exceptions, so that `finally` clauses run."""
    global received
    received = 0
    before = {}
    hook = sys.unraisablehook
    try:
        if threading.current_thread() is threading.main_thread():
            sys.unraisablehook = lambda unraisable: _unraisable(unraisable, hook)
            for number in SIGNALS:
                if signal.getsignal(number) != signal.SIG_IGN:
                    before[number] = signal.signal(number, _raise_on_signal)
            if hasattr(signal, "setitimer"):
                before[signal.SIGALRM] = signal.signal(signal.SIGALRM, _raise_on_signal)
        yield
    except BaseException:
        if received:  # also if another exception has replaced it meanwhile
            flush_and_exit(128 + received)
        raise
    finally:
        if before and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook


def _raise_on_signal(number: int, frame: FrameType | None) -> None:
    """Raise an exception; during an import, where an extension module may swallow it, a little later, by the alarm."""
    global received
    if number in SIGNALS:
        received = number
    if hasattr(signal, "setitimer") and _is_importing(frame):
        signal.setitimer(signal.ITIMER_REAL, AT_ONCE)
    elif received:
        raise Interrupted if received == signal.SIGINT else SystemExit(128 + received)


@contextmanager
def time_limit(deadline: float) -> Iterator[None]:
    """Raise OutOfTime at a deadline, wherever the main thread is then; 0 for never.

    For the set-up of a question, which reads files and has nothing to clean up: there it is simpler and surer than to
    look at the clock in every loop.  A search looks at the clock itself: it may run in a thread, or in somebody else's
    program, whose signals are not ours.
    """
    if not deadline or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _raise_out_of_time)
    signal.setitimer(signal.ITIMER_REAL, max(deadline - time.monotonic(), AT_ONCE))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _raise_out_of_time(number: int, frame: FrameType | None) -> None:
    if received or _is_importing(frame):
        _raise_on_signal(number, frame)
    else:
        raise OutOfTime("the time limit was reached while the input was read")


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_filename != "<frozen importlib._bootstrap>":
        frame = frame.f_back
    return frame is not None


def _unraisable(unraisable: sys.UnraisableHookArgs, default: Callable[[sys.UnraisableHookArgs], object]) -> None:
    """The hook for exceptions that Python would ignore, as in a destructor: a signal must still end the program."""
    if received and isinstance(unraisable.exc_value, (Interrupted, SystemExit)):
        os._exit(128 + received)
    default(unraisable)
