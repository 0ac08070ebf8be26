"""How a command of ours ends: quietly on a closed pipe, with one line on an error, with 130 on Ctrl-C."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from satlife.errors import SatlifeError, shortened

SIGNALS = (signal.SIGINT, signal.SIGTERM)

received = 0  # the signal that ends this command


class Interrupted(KeyboardInterrupt):
    """Ctrl-C.  After an exact KeyboardInterrupt in `exec`, as dataclasses use it when they are imported, CPython dies
    of the signal in the end, even if it was caught."""


def leave(code: int) -> NoReturn:
    """Exit after flushing; what cannot be written any more is dropped without noise."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            code = code or 1
    if any(getattr(thread, "abandoned", False) for thread in threading.enumerate()):
        os._exit(code)  # it may be deep in compiled code, and nobody waits for it
    sys.exit(code)


def say(name: str, message: str) -> None:
    """One message for the user on stderr."""
    with suppress(OSError):
        print(shortened(f"{name}: {message}"), file=sys.stderr)


@contextmanager
def ending(name: str, error_code: int = 1) -> Iterator[None]:
    """Run a command; turn every expected end into its exit code."""
    try:
        with raising():
            yield
            if sys.stdout is not None:
                sys.stdout.flush()
    except KeyboardInterrupt:
        leave(130)
    except BrokenPipeError:
        leave(141)
    except SatlifeError as error:
        say(name, str(error))
        leave(error_code)
    except MemoryError:
        say(name, "out of memory")
        leave(1)
    except OSError as error:
        closed = error.errno == errno.EBADF  # __main__ has opened it the wrong way round
        say(name, "standard output is closed" if closed else f"cannot write the output: {error.strerror or error}")
        leave(1)


@contextmanager
def raising() -> Iterator[None]:
    """Let signals raise exceptions, so that everything is tidied up on the way out."""
    global received
    received = 0
    before: dict[signal.Signals, Any] = {}
    hook = sys.unraisablehook
    try:
        if threading.current_thread() is threading.main_thread():
            sys.unraisablehook = lambda unraisable: _unraisable(unraisable, hook)
            for number in SIGNALS:
                if signal.getsignal(number) != signal.SIG_IGN:
                    before[number] = signal.signal(number, _raise)
        yield
    except BaseException:
        if received:  # whatever the exception has become on its way
            leave(128 + received)
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook


def _raise(number: int, frame: object) -> NoReturn:
    global received
    received = number
    raise Interrupted if number == signal.SIGINT else SystemExit(128 + number)


def _unraisable(unraisable: Any, otherwise: Any) -> None:
    """An exception that cannot rise further, for instance out of a destructor; a signal must not get lost there."""
    if received and isinstance(unraisable.exc_value, (Interrupted, SystemExit)):
        os._exit(128 + received)
    otherwise(unraisable)
