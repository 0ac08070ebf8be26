"""A worker of Dask that lies: loaded into it by `--preload`, this replaces what a worker does with a unit.

Whoever unpickles what it sends writes the number of its process to $SATLIFE_MARK; the file $SATLIFE_LIES says how it is
sent, and what was told is noted in $SATLIFE_TOLD.
"""

from __future__ import annotations

import itertools
import os
import pickle
import threading
from pathlib import Path
from typing import Any

from satlife.cluster import remote

MARKING = "import os; open(os.environ['SATLIFE_MARK'], 'a').write(f'{os.getpid()}\\n')"


class Bomb:
    """An object whose pickle is a program."""

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (MARKING,)


class ExplosiveError(Exception):
    """An exception whose pickle is a program."""

    __reduce__ = Bomb.__reduce__


class Relayed:
    """A pickle that whoever loads it pickles again as a Bomb: the scheduler, which tells its clients of exceptions."""

    def __reduce__(self) -> tuple[Any, ...]:
        return eval, (f"type('Bomb', (), {{'__reduce__': lambda self: (exec, ({MARKING!r},))}})()",)


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


def relayed() -> object:
    """In the words of the protocol between workers and scheduler; nothing else is said of the unit."""
    from distributed import get_worker
    from distributed.protocol.serialize import ToPickle

    worker = get_worker()
    (task,) = (task for task in worker.state.tasks.values() if task.state == "executing")
    told = {"op": "task-erred", "key": task.key, "exception": ToPickle(Relayed()), "traceback": None}
    told |= {"exception_text": "", "traceback_text": "", "worker": worker.address, "startstops": ()}
    worker.batched_send({**told, "run_id": task.run_id, "stimulus_id": "lie", "thread": 0})
    return threading.Event().wait()


LIES = {lie.__name__: lie for lie in (result, nested_result, exception, cause, events, metadata, relayed)}


TURNS = itertools.count()


def lie(text: str, board: str, name: str) -> object:
    """In the place of `remote.task`: one lie after another."""
    names = Path(os.environ["SATLIFE_LIES"]).read_text().split()
    chosen = names[next(TURNS) % len(names)]
    with open(os.environ["SATLIFE_TOLD"], "a") as told:
        told.write(f"{chosen}\n")
    return LIES[chosen]()


if "SATLIFE_LIES" in os.environ:
    remote.task = lie  # type: ignore[assignment]
