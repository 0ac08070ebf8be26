"""Units on a Dask cluster.  They travel as JSON.  Dask only carries them: what is done is in the ledger, and what comes
back is data that may be wrong, never code (`guard`).

A task that Dask cancels would not stop its solver.  So the coordinator keeps a board: a heartbeat, which is a number
that grows while it lives, the names of units that are not wanted any more, and names of units to be split.  Each
unit looks at it now and then; it kills its solver when its name is there or when the heartbeat has stopped.  A solver
also ends with its worker.
"""

from __future__ import annotations

import json
import socket
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from satlife.cluster.guard import PLAIN, guard, has_stopped_listening
from satlife.cluster.unit import Order, UnitMessage, failure, work
from satlife.engines.work import Resources
from satlife.errors import InputError, SolverError, installing
from satlife.store.records import Capacity

if TYPE_CHECKING:
    from distributed import Future, Security

REACH = 5.0  # seconds within which a scheduler answers
ASK = 1.0  # seconds between two looks at the board, and two beats
SILENCE = 30.0  # seconds after which a coordinator is taken for dead
LONGEST = 256 << 20  # characters of an answer
LOST = "Dask has lost the task; is satlife installed for all workers?"
MOST = 1024  # units at a time that a worker is believed to do
NAMES = 1000  # names on the board of each kind, the latest
#: Resources of a worker; memory in MB, and with Numba as many as it does units at a time.
GPU, MEMORY, GPU_MEMORY, NATIVE = "GPU", "MEMORY", "GPUMEMORY", "NUMBA"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def check_address(address: str, insecure: bool) -> str:
    """Refuse to talk to other machines in the clear unless the user wants it so; returns what that means, if so.

    Dask trusts everybody who reaches it: clients send functions, which schedulers and workers unpickle and call."""
    try:
        parts = urlsplit(address)
        understood = parts.scheme in ("tcp", "tls") and parts.port and (parts.hostname or "").encode("idna")
    except ValueError:
        understood = False
    if not understood:
        raise InputError(f"{address!r} is not the address of a scheduler, such as tcp://127.0.0.1:8786")
    if parts.scheme == "tls" or parts.hostname in LOOPBACK:
        return ""
    if not insecure:
        raise InputError(f"{address} is on another machine and not encrypted; use tls://, or say --insecure")
    return f"{address} is not encrypted; whoever reaches this cluster can read it and run code on its machines"


def check_keys(address: str, tls: Mapping[str, str | None]) -> None:
    """An encrypted cluster needs keys, and files that are there."""
    if address.startswith("tls:") and not all(tls.values()):
        raise InputError("a tls:// cluster needs --tls-ca, --tls-cert and --tls-key")
    for path in filter(None, tls.values()):
        if not Path(path).is_file():
            raise InputError(f"there is no file {path}")


def reach(address: str) -> None:
    """Refuse an address at which nobody listens; a scheduler that is just starting has a little time for it."""
    place, deadline = urlsplit(address), time.monotonic() + REACH
    while True:
        try:
            socket.create_connection((place.hostname, place.port), max(deadline - time.monotonic(), ASK)).close()
        except OSError as error:
            if time.monotonic() > deadline:
                raise InputError(f"no scheduler answers at {address}: {error.strerror or error}") from error
            time.sleep(0.1)
        else:
            return


def security(tls: dict[str, str | None]) -> Security | None:
    """Dask's description of keys and certificates, if any are given."""
    if not any(tls.values()):
        return None
    from distributed.security import Security

    ca, cert, key = tls.get("ca"), tls.get("cert"), tls.get("key")
    return Security(
        tls_ca_file=ca,
        tls_client_cert=cert,
        tls_client_key=key,
        tls_worker_cert=cert,
        tls_worker_key=key,
        require_encryption=True,
    )


def task(text: str, board: str, name: str) -> str:
    """What a worker does: a unit, until it is done, the board says otherwise, or nobody writes there any more."""
    from distributed import Variable

    notices = Variable(board)
    asked = changed = time.monotonic()
    last: object = None
    order = Order.GO_ON
    said: list[UnitMessage] = []

    def orders() -> Order:
        nonlocal asked, changed, last, order
        if order is not Order.STOP and time.monotonic() - asked > ASK:
            try:
                beat, unwanted, large = notices.get(timeout=5)
            except TimeoutError:
                beat, unwanted, large = last, [], []
            asked = time.monotonic()
            if beat != last:
                last, changed = beat, asked
            if name in unwanted or asked - changed > SILENCE:
                order = Order.STOP
            elif name in large:
                order = Order.SPLIT
        return order

    try:
        work(text, said.append, orders)
    except Exception as error:
        said.append(failure(repr(error)))
    return json.dumps(said)


def capacity_of(workers: Mapping[str, Mapping[str, Any]]) -> tuple[Capacity, bool]:
    """What the workers of a cluster have, as its scheduler tells; and whether all of them say how much memory.  Workers
    that `satlife worker` starts do, as resources of Dask.

    >>> capacity_of({"a": {"nthreads": 9, "resources": {"MEMORY": 4096, "NUMBA": 9, "GPU": 1, "GPUMEMORY": 8192}},
    ...              "b": {"nthreads": 4, "resources": {"MEMORY": 2048}}})
    (Capacity(cores=12, memory=4096, device='a GPU', device_memory=8192, devices=1, native=1), True)
    """
    resources = [worker.get("resources") or {} for worker in workers.values()]
    declared = all(MEMORY in has for has in resources)
    if declared:
        memory = max((_amount(has[MEMORY]) for has in resources), default=0)
    else:
        memory = max((_amount(worker.get("memory_limit")) >> 20 for worker in workers.values()), default=0)
    gpus = sum(min(_amount(has.get(GPU)), MOST) for has in resources)
    cores = sum(min(_amount(worker.get("nthreads")), MOST) for worker in workers.values()) - gpus
    device_memory = max((_amount(has.get(GPU_MEMORY)) for has in resources), default=0)
    native = int(not declared or any(_amount(has.get(NATIVE)) for has in resources))
    return Capacity(max(cores, 0), memory, "a GPU" if gpus else "", device_memory, gpus, native), declared


def _amount(said: object) -> int:
    """A number that a worker tells of itself, or 0 if it is none.

    >>> [_amount(said) for said in (8, 4096.0, -1, float("nan"), "8", None)]
    [8, 4096, 0, 0, 0, 0]
    """
    return int(said) if isinstance(said, (int, float)) and 0 <= said < 1 << 53 else 0


class DaskPool:
    """The threads of all workers of a cluster."""

    def __init__(self, address: str, tls: dict[str, str | None] | None = None) -> None:
        try:
            from distributed import Client, Variable
        except ImportError as error:
            raise InputError(f"a cluster needs Dask: {installing('cluster')}") from error
        self.address = address
        reach(address)
        guard()
        try:
            self._client = Client(
                address, timeout=10, security=security(tls or {}), set_as_default=False, serializers=[PLAIN]
            )
        except Exception as error:  # a scheduler may say anything
            raise InputError(f"no scheduler answers at {address}: {str(error) or type(error).__name__}") from error
        self._board = f"satlife-{uuid.uuid4().hex}"
        self._notices = Variable(self._board, client=self._client)
        self._unwanted: list[str] = []
        self._large: list[str] = []
        self._beat = self._beaten = 0.0
        self._futures: dict[int, tuple[Future[str], str]] = {}
        self._publish()
        self._next, self._counted = 0, -ASK
        self._capacity, self._declared = Capacity(0, 0), False

    @property
    def capacity(self) -> Capacity:
        """What the workers have that are there now."""
        if time.monotonic() - self._counted > ASK:
            self._counted = time.monotonic()
            with self._scheduler_errors():
                self._capacity, self._declared = capacity_of(self._client.scheduler_info(n_workers=-1)["workers"])
        return self._capacity

    @contextmanager
    def _scheduler_errors(self) -> Iterator[None]:
        """Whatever goes wrong with the scheduler: it is gone."""
        try:
            yield
        except Exception as error:
            raise SolverError(f"the scheduler at {self.address} is gone") from error

    def submit(self, text: str, needs: Resources, on_device: bool) -> int:
        """Start a unit.  Dask hands it to a worker with the resources."""
        self._next += 1
        name = f"{self._board}-{self._next}"
        resources = {GPU: 1} if on_device else {MEMORY: needs.memory} if needs.memory and self._declared else {}
        if needs.native and self._declared:
            resources[NATIVE] = 1
        with self._scheduler_errors():
            future = self._client.submit(
                task, text, self._board, name, key=name, pure=False, retries=0, resources=resources or None
            )
        self._futures[self._next] = (future, name)
        return self._next

    def _publish(self) -> None:
        self._beat, self._beaten = self._beat + 1, time.monotonic()
        with self._scheduler_errors():
            self._notices.set([self._beat, self._unwanted[-NAMES:], self._large[-NAMES:]])

    def collect(self, seconds: float) -> list[tuple[int, UnitMessage]]:
        deadline = time.monotonic() + seconds
        while True:
            if has_stopped_listening(self._client):
                raise SolverError(f"the scheduler at {self.address} is gone")
            if time.monotonic() - self._beaten > ASK:
                self._publish()
            with self._scheduler_errors():
                ready = [ticket for ticket, (future, _) in self._futures.items() if future.done()]
            if ready or time.monotonic() > deadline:
                return [(ticket, message) for ticket in ready for message in self._result(ticket)]
            time.sleep(0.05)

    def _result(self, ticket: int) -> list[UnitMessage]:
        future, _ = self._futures.pop(ticket)
        if future.status != "finished":  # the exception of a task is a pickle: nobody looks at it
            return [failure(LOST)]
        try:
            return _messages(future.result(timeout=30))
        except Exception as error:
            return [failure(repr(error))]

    def split(self, ticket: int) -> None:
        """Put it on the board: the worker splits its unit if that is possible."""
        if ticket in self._futures:
            self._large.append(self._futures[ticket][1])
            self._publish()

    def cancel(self, ticket: int) -> None:
        """Put it on the board: the worker kills its solver and is free again."""
        if ticket in self._futures:
            self._unwanted.append(self._futures[ticket][1])
            self._publish()

    def close(self) -> None:
        with suppress(Exception):  # the scheduler may be gone, and then so are the tasks
            self._unwanted += [name for _, name in self._futures.values()]
            self._publish()
            self._client.cancel([future for future, _ in self._futures.values()])
        with suppress(Exception):
            self._client.close(timeout=5)


def _messages(text: object) -> list[UnitMessage]:
    """What a worker has sent; whatever it is, it ends with a result."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise ValueError("what a worker has sent is no text, or too long")
    said = json.loads(text)
    if not isinstance(said, list) or not said or not all(isinstance(message, dict) for message in said):
        raise ValueError("what a worker has sent makes no sense")
    return [*said[:-1], {**said[-1], "say": "result"}]
