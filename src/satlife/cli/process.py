"""How a command of ours ends: quietly on a closed pipe, with one line on an error, with 130 on Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from satlife.errors import SatlifeError


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
        print(f"{name}: {message}", file=sys.stderr)


@contextmanager
def ending(name: str, error_code: int = 1) -> Iterator[None]:
    """Run a command; turn every expected end into its exit code."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that everything is tidied up
    try:
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
        say(name, f"cannot write the output: {error.strerror or error}")
        leave(1)
