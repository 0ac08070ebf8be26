"""Searches on a cluster of Dask, on loopback."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import liar
from commands import marked, run, stopped, stopping
from events import PATIENCE, until
from postgres import free_port
from satlife.cluster.guard import UNREAD
from satlife.cluster.remote import check_address
from satlife.errors import InputError
from stores import SATLIFE, at, begin, codes, state, twenty

pytestmark = pytest.mark.slow


FINISH = "satlife.store.ledger:Ledger.finish_many"


# A cluster.
@contextmanager
def started_scheduler(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    port = free_port()
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    process = subprocess.Popen([*command, "--no-dashboard"], **quiet)  # type: ignore[call-overload]

    def listening() -> bool:
        with socket.socket() as knock:
            return knock.connect_ex(("127.0.0.1", port)) == 0

    until(listening)
    yield f"tcp://127.0.0.1:{port}", process
    process.kill()
    process.wait()


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a scheduler that a test may kill or confuse, and its process."""
    with started_scheduler(tmp_path) as made:
        yield made


def join(address: str, folder: Path, *options: str, **environment: str) -> subprocess.Popen[bytes]:
    """A worker; it and the processes that it starts have more variables in their environment."""
    return subprocess.Popen(
        [SATLIFE, "worker", address, *options],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def join_without_nanny(address: str, folder: Path, preload: str = "", **environment: str) -> subprocess.Popen[bytes]:
    """A worker of Dask's own, which is one process rather than two."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard"]
    command += ["--nthreads", "1", "--resources", "MEMORY=1000", *(["--preload", preload] if preload else [])]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    given = {**os.environ, **environment}
    return subprocess.Popen(command, env=given, cwd=folder, **quiet)  # type: ignore[call-overload,no-any-return]


def end(worker: subprocess.Popen[bytes]) -> None:
    if worker.poll() is None:
        os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()


def test_workers_come_and_go(scheduler: tuple[str, subprocess.Popen[bytes]], tmp_path: Path) -> None:
    """A table of 16 MB waits for the worker that has as much; of two workers one dies, and the other does all that is
    left.  Nobody imports from the folder in which it is started: neither workers, nor nannies, nor coordinators."""
    store, folder, log = tmp_path / "store.db", tmp_path / "foreign", tmp_path / "executed"
    address, _ = scheduler
    folder.mkdir()
    for name in ("dask", "distributed", "tornado", "msgpack", "click", "json", "numpy", "satlife", "pysat", "secrets"):
        (folder / f"{name}.py").write_text(f"with open({str(log)!r}, 'a') as log: log.write({name + ' '!r})\n")
    counted = ("jobs", "start", "still-life", "10x10", "--count-only", "--cluster", address)
    listed = ("jobs", "start", "still-life", "5x4", "--all", "--units", "12", "--cluster", address)
    workers = [join(address, folder, "--memory", "10")]
    try:
        counting = begin(store, *counted, cwd=folder)
        until(lambda: "nobody who is there can do its units" in at(store, "jobs", "status", "1").stdout)
        assert counting.poll() is None
        workers.append(join(address, folder, "--memory", "100"))
        assert counting.wait(PATIENCE) == 0
        listing = begin(store, *listed, program=stopping(FINISH, 2))
        with stopped(listing):
            end(workers[0])
        assert listing.wait(PATIENCE) == 0
    finally:
        for worker in workers:
            end(worker)
    assert not log.exists(), log.read_text()
    assert state(store)["count"] == 29_305_144_136
    assert codes(store, 2) == twenty()
    assert state(store, 2)["state"] == "listed"


def test_a_coordinator_dies_and_then_the_scheduler(
    scheduler: tuple[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    """The solver of a unit that nobody waits for any more ends by itself, and the worker takes the next.  A search
    whose scheduler is gone goes on elsewhere; with --json there is one sentence of ours on stderr, and none of
    Dask's."""
    store, mark = tmp_path / "store.db", uuid.uuid4().hex
    address, process = scheduler
    hasty = tmp_path / "hasty.py"  # a coordinator that only seems to be dead gets its unit back, and goes on
    hasty.write_text("from satlife.cluster import remote\nremote.SILENCE = 4 * remote.ASK\n")
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexec tail -f /dev/null\n")
    silent.chmod(0o755)
    worker = join_without_nanny(address, tmp_path, str(hasty), MARK=mark)
    endless = ("jobs", "start", "still-life", "4x4", "--units", "2", "--solver", str(silent), "--cluster", address)
    asked = ["jobs", "start", "still-life", "5x4", "--all", "--units", "16", "--cluster", address, "--json"]
    try:
        killed = begin(store, *endless)
        until(lambda: any("tail -f" in line for line in marked(mark)))
        killed.kill()
        killed.wait()
        running = subprocess.Popen(
            [*stopping(FINISH, 2), *asked, "--store", str(store)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with stopped(running):
            assert not any("tail -f" in line for line in marked(mark))
            process.kill()
        out, error = running.communicate(timeout=PATIENCE)
    finally:
        end(worker)
    assert running.returncode == 3
    assert error == (
        f"satlife: the scheduler at {address} is gone; go on with `satlife jobs resume 2 --store {store}`\n"
    )
    assert json.loads(out.splitlines()[-1])["state"] == "open"
    assert at(store, "jobs", "resume", "2", "--jobs", "2").returncode == 0
    assert codes(store, 2) == twenty()


def test_what_a_worker_sends_is_never_run(scheduler: tuple[str, subprocess.Popen[bytes]], tmp_path: Path) -> None:
    """The program in a pickle notes who runs it: perhaps the liar itself, but not the coordinator.  Units fail; or the
    stream of messages cannot be read any more, and the search can be resumed."""
    address, _ = scheduler
    marks, lies, told = (tmp_path / name for name in ("marks", "lies", "told"))
    failing = [name for name in liar.LIES if name != "relayed"]
    places = {"SATLIFE_TOLD": str(told), "SATLIFE_MARK": str(marks), "SATLIFE_LIES": str(lies)}
    worker = join_without_nanny(address, tmp_path, liar.__file__, **places)
    asked = ["jobs", "start", "still-life", "4x4", "--units", "4", "--cluster", address, "--json"]
    try:
        for chosen, ends in ((failing, "stuck"), (["relayed"], "open")):
            lies.write_text(" ".join(chosen))
            told.write_text("")
            coordinator = subprocess.Popen(
                [SATLIFE, *asked, "--store", str(tmp_path / f"{ends}.db")],
                env={**os.environ, "SATLIFE_MARK": str(marks)},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            out, error = coordinator.communicate(timeout=PATIENCE)
            assert str(coordinator.pid) not in (marks.read_text().split() if marks.exists() else [])
            assert (coordinator.returncode, json.loads(out)["state"]) == (3, ends)
            assert set(told.read_text().split()) == set(chosen)
            assert json.loads(out)["units"]["done"] == 0
            assert "Traceback" not in error
            assert "forged" not in out + error
    finally:
        end(worker)


GUARDED = """
import pickle, numpy
import distributed.client, distributed.core
from distributed.protocol import ToPickle, dumps, loads, to_serialize
import liar
from satlife.cluster import guard

bomb, load = liar.Bomb(), distributed.client.loads
packed = pickle.dumps(bomb)
module = {"__Enum__": True, "__module__": "distributed.utils", "__name__": "os", "name": "system"}
ways = {
    "pickle": lambda: pickle.loads(packed),
    "Python's own pickle": lambda: pickle._loads(packed),
    "a pickle in a message": lambda: loads(dumps({"x": ToPickle(bomb)})),
    "an object": lambda: loads(dumps({"x": to_serialize(bomb)})),
    "a list of objects": lambda: loads(dumps({"x": to_serialize([bomb])})),
    "an array of objects": lambda: loads(dumps({"x": to_serialize(numpy.array([bomb], dtype=object))})),
    "bytes": lambda: load(packed),
    "an exception": lambda: distributed.core.clean_exception(packed, packed),
    "a module": lambda: loads(dumps({"x": module})),
    "a warning": lambda: [handle((0, {"message": packed})) for handle in events().values()],
}

def events():
    return distributed.Client._default_event_handlers

guard.guard()
guard.guard()
for name, way in ways.items():
    try:
        print(name, repr(way()), sep=": ")
    except Exception as error:
        print(name, type(error).__name__, sep=": ")
assert loads(dumps({"x": to_serialize("text")}, serializers=["msgpack"])) == {"x": "text"}
assert pickle.loads(pickle.dumps([1, "text", {2: 3.0}])) == [1, "text", {2: 3.0}]
"""


def test_a_guarded_process_loads_no_code(tmp_path: Path) -> None:
    """Every way into a process that Dask's client has; should Dask find another one, pickle is closed itself."""
    marks = tmp_path / "marks"
    environment = {**os.environ, "SATLIFE_MARK": str(marks), "PYTHONPATH": str(Path(liar.__file__).parent)}
    tried = subprocess.run(
        [sys.executable, "-c", GUARDED], env=environment, capture_output=True, text=True, check=False
    )
    assert tried.returncode == 0, tried.stderr
    assert not marks.exists()
    assert tried.stdout.splitlines() == [
        "pickle: AttributeError",
        "Python's own pickle: AttributeError",
        "a pickle in a message: AttributeError",
        f"an object: {{'x': {UNREAD!r}}}",
        f"a list of objects: {{'x': [{UNREAD!r}]}}",
        f"an array of objects: {{'x': {UNREAD!r}}}",
        "bytes: AttributeError",
        "an exception: (<class 'Exception'>, Exception(" + repr(pickle.dumps(liar.Bomb())) + "), None)",
        "a module: RuntimeError",
        "a warning: []",
    ]
    assert tried.stderr == ""


@pytest.mark.parametrize(
    ("address", "insecure", "words"),
    [
        ("http://127.0.0.1:1", False, "is not the address"),
        ("8786", False, "is not the address"),
        ("tcp://127.0.0.1", False, "is not the address"),
        ("tcp://127.0.0.1:99999", False, "is not the address"),
        ("tcp://[::1:1", False, "is not the address"),
        ("tcp://a..b:1", False, "is not the address"),
        ("tcp://example.org:8786", False, "not encrypted"),
        ("tcp://127.0.0.1:8786", False, ""),
        ("tls://example.org:8786", False, ""),
        ("tcp://example.org:8786", True, ""),
    ],
)
def test_addresses(address: str, insecure: bool, words: str) -> None:
    if words:
        with pytest.raises(InputError, match=words):
            check_address(address, insecure)
    else:
        assert ("can read it and run code" in check_address(address, insecure)) == insecure


def test_an_open_cluster_is_announced(tmp_path: Path) -> None:
    """Nobody lives at 192.0.2.1 (RFC 5737); a missing key stops both commands before they call there."""
    far = ("tcp://192.0.2.1:8786", "--insecure", "--tls-ca", "none")
    for command in (("worker", *far), ("jobs", "start", "still-life", "4x4", "--cluster", *far)):
        said = at(tmp_path / "s.db", *command)
        assert said.returncode == 1
        assert (
            said.stderr.count(
                "satlife: tcp://192.0.2.1:8786 is not encrypted; whoever reaches this cluster can read it and run code"
                " on its machines\n"
            )
            == 1
        )
    assert "run code" not in at(tmp_path / "s.db", "worker", *far, "-q").stderr


def test_an_encrypted_cluster_needs_keys(tmp_path: Path) -> None:
    start = ("jobs", "start", "still-life", "4x4", "--cluster", "tls://127.0.0.1:1")
    for more, words in (((), "needs --tls-ca"), (("--tls-ca", "a", "--tls-cert", "b", "--tls-key", "c"), "no file a")):
        refused = at(tmp_path / "s.db", *start, *more, cwd=tmp_path)
        assert refused.returncode == 1
        assert words in refused.stderr


@pytest.mark.parametrize("command", [("worker",), ("jobs", "start", "still-life", "4x4", "--cluster")])
def test_where_nobody_listens_a_sentence_says_so(
    tmp_path: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything of Dask's is started."""
    monkeypatch.setattr("satlife.cluster.remote.REACH", 0)
    address = f"tcp://127.0.0.1:{free_port()}"
    nobody = run(*command, address, "-q", env={"SATLIFE_STORE": str(tmp_path / "s.db")})
    assert nobody.returncode == 1
    assert nobody.stderr == f"satlife: no scheduler answers at {address}: Connection refused\n"


@pytest.mark.parametrize("more", [(), ("--atlas",)])
def test_a_wrong_address_is_refused_before_the_search_is_stored(tmp_path: Path, more: tuple[str, ...]) -> None:
    refused = at(tmp_path / "s.db", "jobs", "start", "still-life", "4x4", *more, "--cluster", "http://127.0.0.1:1")
    assert refused.returncode == 1
    assert "is not the address" in refused.stderr
    assert not (tmp_path / "s.db").exists()


#: A scheduler in a thread, whose first message has something to say that Dask's client passes on; and a coordinator.
LYING = r"""
import asyncio, sys, threading
from distributed.comm import CommClosedError, listen
from satlife.__main__ import main

lie = sys.argv.pop(1)

async def answer(comm):
    try:
        while True:
            said = (await comm.read())["op"]
            if said == "identity":
                await comm.write({"type": "Scheduler", "id": "liar", "workers": {}})
            elif said == "register-client":
                await comm.write([{"op": "stream-start", lie: "forged\x1b[2K\r\nsatlife: verified"}])
            else:
                comm.abort()
    except CommClosedError:
        pass

async def serve():
    listener = await listen("tcp://127.0.0.1:0", answer)
    sys.argv.append(listener.contact_address)
    there.set()
    await asyncio.Event().wait()

there = threading.Event()
threading.Thread(target=asyncio.run, args=(serve(),), daemon=True).start()
there.wait()
main()
"""


@pytest.mark.parametrize(("lie", "told"), [("error", r"forged\x1b[2K\r\n"), ("warning", "is gone")])
def test_what_a_scheduler_says_is_no_line_of_ours(tmp_path: Path, lie: str, told: str) -> None:
    asked = ("jobs", "start", "still-life", "4x4", "--store", str(tmp_path / "s.db"), "--cluster")
    done = subprocess.run([sys.executable, "-c", LYING, lie, *asked], capture_output=True, text=True, check=False)
    assert (done.returncode, told in done.stderr) == (1, True)
    assert ("\x1b" in done.stderr, "Traceback" in done.stderr) == (False, False)
    assert "satlife: verified" not in done.stderr.splitlines()
