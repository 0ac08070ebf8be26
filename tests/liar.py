"""A worker of Dask that lies: loaded into it by `--preload`, this replaces what a worker does with a unit.

Whoever unpickles what it sends writes the number of its process to $SATLIFE_MARK; `SATLIFE_LIE` says how it is sent.
"""

from __future__ import annotations

import os
import pickle
from typing import Any

from satlife.cluster import remote

MARKING = "import os; open(os.environ['SATLIFE_MARK'], 'a').write(f'{os.getpid()}\\n')"


class Bomb:
    """An object whose pickle is a program."""

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (MARKING,)


class ExplosiveError(Exception):
    """The same as an exception."""

    __reduce__ = Bomb.__reduce__


def result() -> object:
    return Bomb()


def nested_result() -> object:
    return [{"say": "result", "status": Bomb()}]


def exception() -> object:
    raise ExplosiveError


def cause() -> object:
    raise ValueError("why") from ExplosiveError()


def events() -> object:
    """What Dask's clients print, and show as warnings; and one event that nobody asked for."""
    from distributed import get_worker

    worker = get_worker()
    worker.log_event("print", {"args": ("a forged line",)})
    worker.log_event("warn", {"message": pickle.dumps(Bomb()), "category": pickle.dumps(Bomb())})
    worker.log_event(["all", "satlife"], {"bomb": pickle.dumps(Bomb())})
    return "[]"


def metadata() -> object:
    from distributed import get_client

    get_client().set_metadata("satlife", pickle.dumps(Bomb()))  # type: ignore[no-untyped-call]
    return pickle.dumps(Bomb())


LIES = {lie.__name__: lie for lie in (result, nested_result, exception, cause, events, metadata)}


def lie(text: str, board: str, name: str) -> object:
    """In the place of `remote.task`."""
    return LIES[os.environ["SATLIFE_LIE"]]()


if "SATLIFE_LIE" in os.environ:
    remote.task = lie  # type: ignore[assignment]
