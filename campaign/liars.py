"""Workers that lie, with every kind of answer.

Each unit of a search is answered truly or with a lie: finds that are none, contradictions, pieces that leave something
out, values out of range, fields of wrong types, huge and nested ones, numbers that are none.  Whatever is said, the
coordinator must not fail, and a search that it calls decided must be decided rightly; when honest workers go on, it
must come to the result of an undisturbed one.  That a unit has no solution is the word of its worker, so this lie is
not told.  Beside that, messages with pickles in them, whole and damaged, are given to a process that is guarded as a
coordinator is: none of them may be run.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import satlife
from campaign.attempt import Attempt
from campaign.mutate import damaged
from satlife import Ask, CountAll, ListAll
from satlife.cluster import coordinator
from satlife.cluster.coordinator import Coordinator
from satlife.cluster.local import LocalPool
from satlife.cluster.remote import _messages
from satlife.cluster.unit import Order, UnitMessage, failure, work
from satlife.engines.work import Resources
from satlife.store.ledger import Ledger
from satlife.store.records import Capacity

MARK = "SATLIFE_MARK"  # who runs a pickle writes to the file of this name
ROUNDS = 300  # messages for each guarded process


SEARCHES = {
    "a still life": Ask(satlife.still_life((4, 4))),
    "still lifes": Ask(satlife.still_life((4, 4)), ListAll(distinct=True)),
    "no oscillator": Ask(satlife.oscillator((4, 4), 3)),
    "oscillators": Ask(satlife.oscillator((3, 4), 2), ListAll(distinct=True)),
    "a count": Ask(satlife.still_life((5, 5)), CountAll()),
}


@dataclass
class Crowd:
    """A pool of workers of which some lie: they know the true messages, and send others."""

    rng: random.Random
    share: float
    told: list[str] = field(default_factory=list)
    waiting: list[tuple[int, Any]] = field(default_factory=list)
    count: int = 0
    capacity: Capacity = field(default_factory=lambda: Capacity(2))

    def submit(self, text: str, needs: Resources, on_device: bool) -> int:
        self.count += 1
        said: list[Any] = []
        work(text, said.append, lambda: Order.GO_ON)
        if self.rng.random() < self.share:
            lie = self.rng.choice(LIES)
            self.told.append(lie.__name__)
            said = lie(self.rng, said)
        self.waiting += [(self.count, message) for message in over_the_wire(said)]
        return self.count

    def collect(self, seconds: float) -> list[tuple[int, Any]]:
        said, self.waiting = self.waiting, []
        return said

    def split(self, ticket: int) -> None: ...
    def cancel(self, ticket: int) -> None: ...
    def close(self) -> None: ...


def over_the_wire(said: Any) -> list[UnitMessage]:
    """As the pool of a cluster reads it."""
    try:
        return _messages(said if isinstance(said, (bytes, str, type(None))) else json.dumps(said))
    except Exception as error:
        return [failure(repr(error))]


# The lies.
def wrong_find(rng: random.Random, said: list[Any]) -> Any:
    """A pattern that is none, or does not fit; a true one with one letter changed."""
    find = next((message for message in said if message["say"] == "find"), None)
    texts = ["o!", "3o$3o$3o!", "9999999999o!", "!", "", "\x00", "b" * 100_000, "o$" * 999]
    if find is not None and rng.random() < 0.5:
        text = json.dumps(find["find"])
        with suppress(ValueError):
            return [{**find, "find": json.loads(damaged(rng, text.encode()).decode("utf-8", "replace"))}, *said]
    kind = rng.choice([[rng.choice(texts)], [rng.choice(texts)] * 4, texts * 5000, [7], [None], "o!", {}])
    base = find or {"say": "find", "problem": SEARCHES["a still life"].problem.to_json()}
    return [{**base, "find": {"generations": kind}}, *said]


def contradiction(rng: random.Random, said: list[Any]) -> Any:
    """Found without a find, or twice; a find, and then none."""
    finds, last = said[:-1], said[-1]
    if finds:
        return rng.choice([[*finds, {**last, "status": "refuted"}], [last], [*finds, *finds, last], []])
    return rng.choice([[{**last, "status": "done"}], [{**last, "status": "split"}], [{"say": "result"}]])


def wrong_pieces(rng: random.Random, said: list[Any]) -> Any:
    """A split that leaves something out, or makes no sense."""
    pieces = rng.choice([[], [["[[3, 3, 0, 1]]", True]], [[1, 2]], [None], ["[]"], "[]", [["{", True]] * 999])
    return [{**said[-1], "status": "split", "pieces": pieces}]


def wrong_value(rng: random.Random, said: list[Any]) -> Any:
    """A residue that is none."""
    return [{**said[-1], "value": rng.choice(["", "-1", "x", "9" * 50, "1e3", "\u0663" * 30, " 1", None, 1, [1]])}]


def wrong_type(rng: random.Random, said: list[Any]) -> Any:
    """A field that is something else, or that nobody knows."""
    others: list[Any] = [None, 7, -1, True, [], {}, "", [[]], float("nan"), float("-inf"), 10**300, "\ud800", {"a": 1}]
    names = ["say", "status", "who", "how", "reason", "proof", "pieces", "value", "find", "problem", "more"]
    name, other = rng.choice(names), rng.choice(others)
    if name in ("who", "how", "proof", "reason", "value") and isinstance(other, str):
        other = 0
    return [*said[:-1], {**said[-1], name: other, **({"status": other} if name == "say" else {})}]


def huge(rng: random.Random, said: list[Any]) -> Any:
    """Megabytes in the place of a word, or a list in a list in a list."""
    deep = "[" * 100_000 + "]" * 100_000
    return rng.choice(
        [
            json.dumps([{"say": "result", "status": "x" * 5_000_000, "who": "w" * 5_000_000}]),
            json.dumps([{"say": "result", "status": "unknown", "reason": "\x00" * 1_000_000}]),
            json.dumps([{"say": "find", "n": k} for k in range(20_000)]),
            deep,
            f'[{{"say": "result", "status": "refuted", "who": {"[" * 900 + "]" * 900}}}]',
            f'[{{"say": "result", "status": "refuted", "seconds": {"9" * 4000}, "more": 1}}]',
        ]
    )


def noise(rng: random.Random, said: list[Any]) -> Any:
    """What is not JSON, or not a list of messages; or true JSON with a byte changed, if it is none any more."""
    if rng.random() < 0.5:
        return rng.choice([None, b"\x80\x04N.", "", "null", "7", "[]", "[7]", "{}", "NaN", '[{"say": []}]', [[said]]])
    text = damaged(rng, json.dumps(said).encode()).decode("utf-8", "replace")
    try:
        json.loads(text)
    except ValueError:
        return text
    return None


LIES: list[Callable[[random.Random, list[Any]], Any]] = [
    wrong_find, contradiction, wrong_pieces, wrong_value, wrong_type, huge, noise,
]  # fmt: skip


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """Each search once, and some hundred messages to a guarded process."""
    for name in SEARCHES:
        share = rng.choice([0.2, 0.5, 1.0])
        with Ledger(folder / f"{rng.getrandbits(64):x}.db") as ledger:
            crowd = Crowd(rng, share)
            try:
                wrong = lied_to(ledger, name, crowd)
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"
            yield Attempt(f"{name}, {share:.0%} lies: {', '.join(crowd.told)}", wrong)
    yield guarded(rng, folder)


@cache
def expected(name: str) -> tuple[str, tuple[str, ...], int | None]:
    """What an undisturbed search comes to."""
    with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "store.db") as ledger:
        number = entered(ledger, SEARCHES[name])
        Coordinator(ledger, LocalPool(Capacity(2)), number).run()
        return answer(ledger, number)


def entered(ledger: Ledger, asked: Ask) -> int:
    search, _ = ledger.enter(asked, {})
    coordinator.begin(ledger, search, 6)
    return search.id


def answer(ledger: Ledger, number: int) -> tuple[str, tuple[str, ...], int | None]:
    """The state of a search, its finds if all of them are wanted, and its count."""
    search = ledger.search(number)
    codes = sorted(entry.outcome.apgcode or entry.outcome.rle() for entry in ledger.finds(search=number))
    if search.state == "found" and not codes:
        return "found without a find", (), None
    return search.state, tuple(codes) if isinstance(search.ask.goal, ListAll) else (), ledger.count(number)


def lied_to(ledger: Ledger, name: str, crowd: Crowd) -> str:
    """A search among liars, then among honest workers; returns what is wrong with it."""
    number = entered(ledger, SEARCHES[name])
    Coordinator(ledger, crowd, number).run()
    found = answer(ledger, number)
    if found[0] not in ("open", "stuck") and found != expected(name):
        return f"decided as {found}, not {expected(name)}"
    if found[0] in ("open", "stuck"):
        ledger.reopen(number)
        Coordinator(ledger, LocalPool(Capacity(2)), number).run()
    again = answer(ledger, number)
    return "" if again == expected(name) else f"came to {again}, not {expected(name)}"


# Pickles.
def guarded(rng: random.Random, folder: Path) -> Attempt:
    """A process that is guarded, and reads messages with pickles that would write a file."""
    mark, seed = folder / "mark", rng.getrandbits(32)
    command = [sys.executable, "-m", "campaign.liars", str(seed)]
    environment = {**os.environ, MARK: str(mark), "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    what = f"{ROUNDS} messages with pickles, seed {seed}"
    if mark.exists():
        return Attempt(what, f"a pickle was run: {mark.read_text()[:300]}")
    return Attempt(what, "" if done.returncode == 0 and not done.stderr else f"{done.returncode}: {done.stderr[-300:]}")


class Bomb:
    """An object whose pickle is a program."""

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (f"import os; open(os.environ[{MARK!r}], 'a').write('run ')",)


def read_pickles(seed: int) -> None:
    """What the guarded process does."""
    import pickle

    from distributed.core import clean_exception
    from distributed.protocol.core import dumps, loads
    from distributed.protocol.serialize import ToPickle, to_serialize

    from satlife.cluster.guard import guard

    guard()
    rng = random.Random(seed)
    for _ in range(ROUNDS):
        packed = pickle.dumps(Bomb(), rng.randrange(6))
        wrappings: list[Callable[[Any], Any]] = [
            ToPickle, to_serialize, lambda x: [x], lambda x: {"x": x}, lambda x: {"op": "task-erred", "exception": x},
        ]  # fmt: skip
        message: Any = rng.choice([Bomb(), packed, [Bomb(), 1], {"y": Bomb()}])
        for _ in range(rng.randrange(1, 5)):
            message = rng.choice(wrappings)(message)
        with suppress(Exception):
            frames = [bytes(frame) for frame in dumps({"message": message})]
            if rng.random() < 0.5:
                k = rng.randrange(len(frames))
                frames[k] = damaged(rng, frames[k])
            known = rng.choice([None, ["msgpack"], ["pickle", "dask", "error"]])
            got = loads(frames, deserializers=known)  # type: ignore[no-untyped-call]
            clean_exception(got["message"], got["message"])
        with suppress(Exception):
            clean_exception(packed, packed)


if __name__ == "__main__":
    read_pickles(int(sys.argv[1]))
