"""What all tests need."""

from __future__ import annotations

import importlib.util
import itertools
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import hypothesis
import pytest
from hypothesis import HealthCheck

import postgres
import tiers
from satlife.store.database import StorePlace, place
from satlife.store.ledger import Ledger

# Complete searches are recorded: not in the store of whoever runs the tests.
os.environ.setdefault("SATLIFE_STORE", str(Path(tempfile.mkdtemp(prefix="satlife-test-")) / "store.db"))

# Kernels are compiled before the tests, or by those that need them; nothing is left running.
os.environ["SATLIFE_BACKGROUND"] = "0"

# A suite started in the background of a shell ignores Ctrl-C, and so would the programs that it interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Hypothesis measures how long examples take to be made and to be tested.  The campaign draws more of them.
for profile, examples in (("clockless", 20), ("all seeds", 50)):
    hypothesis.settings.register_profile(
        profile, deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=examples
    )

DATABASES = itertools.count()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """A PostgreSQL server."""
    with postgres.server() as made:
        yield made


@pytest.fixture(scope="session")
def postgresql(postgres_server: postgres.Server) -> str:
    return postgres_server.url


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StorePlace]:
    """A new store: a file, or a database of a server for tests that ask for it by `stores.EVERYWHERE`."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield tmp_path / "store.db"
        return
    server, name = request.getfixturevalue("postgresql"), f"store{next(DATABASES)}"
    yield place(postgres.new_database(server, name))
    postgres.drop_database(server, name)


@pytest.fixture
def ledger(store: StorePlace) -> Iterator[Ledger]:
    with Ledger(store) as opened:
        yield opened


@pytest.fixture
def setup_script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script that sets a clone up; imported, it would leave its handler of Ctrl-C and its import path behind."""
    place = importlib.util.spec_from_file_location("setup_script", Path(__file__).parents[1] / "scripts" / "setup.py")
    assert place
    assert place.loader
    made = importlib.util.module_from_spec(place)
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(sys, "path", [*sys.path])
    try:
        place.loader.exec_module(made)
    finally:
        signal.signal(signal.SIGINT, before)
    return made


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", metavar="ROOM", nargs="?", const="", help="only pure and kernel tests, of a room and who imports it"
    )
    parser.addoption("--all-seeds", action="store_true", help="random questions of every seed, rather than of three")
    parser.addoption("--keep-durations", metavar="FILE", default="", help="a file for the time of every test, sorted")


def pytest_configure(config: pytest.Config) -> None:
    """A plugin, because hooks of this file are not called for doctests, which lie elsewhere."""
    config.pluginmanager.register(tiers.Tiers(config))
    hypothesis.settings.load_profile("all seeds" if config.option.all_seeds else "clockless")
