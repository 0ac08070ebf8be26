"""Going on when the connection to a database server breaks: the server is restarted, or the network is away.

Each method of the ledger is one transaction at most, and may be repeated: if it is not known whether the last attempt
was written, a lease that was handed out expires, a result that was entered is not entered again, and neither is a find
nor a piece.  So a method that loses its connection is called again on a new one.  Workers go on meanwhile; a lease that
has expired is renewed unless somebody else has taken the unit.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from itertools import chain, repeat
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from satlife.errors import ConnectionLost, StoreError
from satlife.store.database import Database, StorePlace, named
from satlife.store.postgresql import PostgreSQL
from satlife.store.sqlite import SQLite

# Opening a store: the one place that knows both databases.


def connect(where: StorePlace, waiting: Callable[[float], None] = lambda seconds: None) -> Database:
    """Open a store, made where needed.  Every write is on the disk when it returns.

    `waiting` is told, again and again, for how long another process has had a file to itself; it may raise."""
    with named(where):
        if isinstance(where, str):
            return PostgreSQL(where)
        return SQLite(where, waiting)


PATIENCE = 600.0  # seconds for which a server may be away
PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0)  # seconds between attempts; the last one again and again
TRIES = 5  # so often a method is called that loses one connection after another


class Connected(Protocol):
    """What is wanted of a class whose methods are called again."""

    place: StorePlace
    connection: Database
    until: float  # of time.monotonic, if not 0: when to give up
    say: Callable[[str], None]


Class = TypeVar("Class", bound=type)
Self = TypeVar("Self", bound=Connected)
P = ParamSpec("P")
T = TypeVar("T")


def retry_on_connection_loss(decorated: Class) -> Class:
    """Class decorator: a public method that loses its connection is called again on a new one."""
    for name, method in list(vars(decorated).items()):
        if callable(method) and not name.startswith("_"):
            setattr(decorated, name, _repeated(method))
    return decorated


def _repeated(method: Callable[Concatenate[Self, P], T]) -> Callable[Concatenate[Self, P], T]:
    @wraps(method)
    def call(self: Self, /, *values: P.args, **named: P.kwargs) -> T:
        for number in range(1, TRIES + 1):
            try:
                return method(self, *values, **named)
            except ConnectionLost as error:
                if self.connection.in_transaction or number == TRIES:
                    raise  # it is the transaction that has to be repeated, as a whole
                reconnect(self, error)
        raise AssertionError("the last attempt returns or raises")

    return call


def reconnect(ledger: Connected, lost: ConnectionLost) -> None:
    """Connect anew, as soon as that is possible; after PATIENCE the loss is an error."""
    ledger.say(f"{lost}; connecting again")
    with suppress(Exception):
        ledger.connection.close()
    give_up = time.monotonic() + PATIENCE
    if ledger.until:
        give_up = min(give_up, ledger.until)
    for pause in chain(PAUSES, repeat(PAUSES[-1])):
        time.sleep(min(pause, max(give_up - time.monotonic(), PAUSES[0])))
        try:
            ledger.connection = connect(ledger.place)
        except StoreError as error:
            if (now := time.monotonic()) > give_up:
                ledger.until = now  # whoever tidies up after this does not wait once more
                raise StoreError(str(error)) from lost
        else:
            ledger.say(f"the store {ledger.place}: connected again")
            return
