"""What a cluster may send to the coordinator: plain data, never code.

A pickle is a program, and Dask unpickles whatever comes from workers: results and their types, exceptions, tracebacks,
warnings.  So a lying worker could have the coordinator run anything.  A process that joins a cluster as its coordinator
is therefore guarded first, for the rest of its life:

- results are asked for as msgpack, and what is packed in any other way is not unpacked (`UNREAD`);
- no pickle, wherever it is loaded, may name a class or a function: CPython itself reports every such name to an audit
  hook before it looks it up.  What is left of pickle without names is numbers, text and containers;
- messages import no module, and events of workers are not printed;
- nothing is logged or shown as a warning: those of Dask quote whoever is in the cluster.  We say ourselves what goes
  wrong, in `cli.screen`, where a text is made printable.

Whatever is used of the insides of Dask is in this module; a test plays the liar in each of these ways.
"""

from __future__ import annotations

import importlib
import logging
import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Client

PLAIN = "msgpack"  # the only way in which results travel
UNREAD = "something that was not sent as plain data, and was not read"

_guarded = False


def guard() -> None:
    """From now on this process takes nothing but plain data from a cluster; that cannot be undone."""
    global _guarded
    if _guarded:
        return
    import dask
    import distributed

    packing = importlib.import_module("distributed.protocol.serialize")  # the package has a function of this name
    for name, (dumps, _, _) in list(packing.families.items()):
        if name != PLAIN:
            packing.register_serialization_family(name, dumps, lambda header, frames: UNREAD)
    dask.config.set({"distributed.scheduler.allowed-imports": ()})
    distributed.Client._default_event_handlers = {}
    logging.disable()
    warnings.simplefilter("ignore")
    sys.addaudithook(_refuse_names)
    _guarded = True


def _refuse_names(event: str, arguments: tuple[object, ...]) -> None:
    """The audit hook.  Dask expects pickles that fail in this way, and goes on."""
    if event == "pickle.find_class":
        raise AttributeError(f"a pickle that names {'.'.join(map(str, arguments))} was not loaded")


def has_stopped_listening(client: Client) -> bool:
    """Whether a client hears nothing any more: the scheduler is gone, or has sent something that cannot be read."""
    listening = client._handle_report_task
    return client.status != "running" or listening is None or listening.done()
