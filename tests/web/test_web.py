"""The server of the page: who may speak to it, and what it answers."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import os
import shlex
import signal
import socket
import stat
import subprocess
import sys
import threading
import zipfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock
from urllib.parse import urlsplit
from urllib.request import url2pathname
from xml.etree import ElementTree

import httpx
import numpy as np
import pytest

import idle_worker
import satlife
from commands import BIN, observing, run
from events import PATIENCE, eventually, until
from satlife import knuth
from satlife.cluster import coordinator
from satlife.cluster.coordinator import Coordinator
from satlife.cluster.local import LocalPool
from satlife.engines.events import UNKNOWN_CELL, RuledOut
from satlife.engines.options import Options
from satlife.errors import InputError, LimitError, printable
from satlife.life import formats
from satlife.life import pattern as pattern_of
from satlife.life.identify import identify
from satlife.problem import families, verify
from satlife.problem.answers import End, Listed
from satlife.problem.anybox import AnyBox
from satlife.problem.ask import Ask
from satlife.problem.command import arguments, command
from satlife.problem.completion import Completion
from satlife.problem.families import FAMILIES
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import NONE, UNKNOWN, Find, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.problem.reading import question_from
from satlife.search import plan
from satlife.solve.runner import solve
from satlife.solve.solvers import find_solver
from satlife.store.ledger import Ledger
from satlife.store.progress import Sample
from satlife.store.records import Capacity
from satlife.web import families as page_families
from satlife.web import gallery, handler, jobs, pool, questions, searches, worker
from satlife.web import server as serving
from stores import halves

#: One for all requests, since making one costs more than a request; each request has a connection of its own.
CLIENT = httpx.Client(timeout=PATIENCE, limits=httpx.Limits(max_keepalive_connections=0))
TAB = "a-tab-of-the-tests"
OTHER = "another-tab-of-them"
#: Nobody decides this in the time of a test.
HARD = {"kind": "oscillator", "box": [20, 20], "period": 19}
TASK: questions.PageTask = {
    "ask": HARD,
    "time": None,
    "certified": False,
    "long": None,
    "advice": [],
}


class Server:
    """A running server and a browser's way to speak to it."""

    def __init__(self, store: Path, program: Sequence[str] = (str(BIN / "satlife"),)) -> None:
        command = [*program, "serve", "--no-browser", "--port", "0", "--store", str(store)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.address = self.process.stdout.readline().strip()
        self.base, _, self.token = self.address.partition("/?token=")
        self.headers = {"authorization": f"Bearer {self.token}", "x-tab": TAB, "origin": self.base}
        self.store = store

    def post(self, path: str, data: Any = None, **headers: str) -> httpx.Response:
        return CLIENT.post(f"{self.base}/api/{path}", json=data or {}, headers={**self.headers, **headers})

    def get(self, path: str, **headers: str) -> httpx.Response:
        return CLIENT.get(f"{self.base}/api/{path}", headers={**self.headers, **headers})

    def states(self, tab: str = TAB) -> dict[int, dict[str, Any]]:
        """What a tab sees at the moment."""
        for news in self.news(tab):
            return {search["id"]: search for search in news["all"]}
        raise AssertionError("the stream ended")

    def news(self, tab: str = TAB) -> Generator[dict[str, Any], None, None]:
        with CLIENT.stream("GET", f"{self.base}/api/events", headers={**self.headers, "x-tab": tab}) as stream:
            for line in stream.iter_lines():
                if line.startswith("data:"):
                    yield json.loads(line[5:])

    def wait(self, number: int, *states: str) -> dict[str, Any]:
        for news in self.news():
            for search in news.get("all", news.get("changed")) or []:
                if search["id"] == number and search["state"] in states:
                    found: dict[str, Any] = search
                    return found
                assert search["id"] != number or search["state"] in ("queued", "running"), search
        raise AssertionError("the stream ended")

    def close(self) -> int:
        self.process.terminate()
        code = self.process.wait(PATIENCE)
        assert self.process.stdout
        self.process.stdout.close()
        return code


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = Server(tmp_path_factory.mktemp("web") / "finds.db")
    yield started
    started.close()


def test_it_listens_on_loopback_and_opens_with_a_token(server: Server) -> None:
    assert server.base.startswith("http://127.0.0.1:")
    assert len(server.token) >= 32
    page = CLIENT.get(server.address)
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "http" not in page.text.replace("http-equiv", "")  # nothing from outside


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, 200),
        ({"host": "evil.example"}, 403),
        ({"host": "127.0.0.1"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
        ({"authorization": ""}, 403),
        ({"authorization": "Bearer wrong"}, 403),
        ({"authorization": "Bearer"}, 403),
    ],
)
def test_strangers_are_turned_away(server: Server, headers: dict[str, str], code: int) -> None:
    assert server.post("question", {"problem": {"box": [3, 3]}}, **headers).status_code == code
    assert server.get("gallery", **headers).status_code == code


def test_a_rebound_name_does_not_even_get_the_page(server: Server) -> None:
    assert CLIENT.get(server.base, headers={"host": "evil.example"}).status_code == 403


def test_reading_changes_nothing(server: Server) -> None:
    for path in ("search", "question", "finds", "forget", "search/1/stop", "search/1/pin"):
        assert server.get(path).status_code == 405


def test_large_bodies_and_nonsense_get_a_sentence(server: Server) -> None:
    large = CLIENT.post(f"{server.base}/api/question", content=b" " * (2 << 20), headers=server.headers)
    assert large.status_code == 413
    for body in (
        b'{"problem": {"box": [3, 3], "kind": "\\ud800"}}',
        b"",
        b"[]",
        b"{",
        b"[" * 100_000,
        b'"\xff"',
        b"null",
    ):
        answer = CLIENT.post(f"{server.base}/api/question", content=body, headers=server.headers)
        assert answer.status_code == 400
        assert answer.json()["error"]
    for path, data in [
        ("question", {"problem": {"box": [0, 3]}}),
        ("question", {"problem": {"box": ["*", "*"]}}),
        ("question", {"family": "predecessor", "rle": 5}),
        ("question", {"family": "predecessor"}),
        ("question", {"family": "oscillator"}),
        ("question", {"family": "dragon"}),
        ("question", {"text": "box = "}),
        ("pattern", {"rle": "x = 3, y = 3\n99999999999o!"}),
        ("pattern", {"rle": "bo$!", "to": "tiff"}),
        ("draw", {"rle": "bo$2bo$3o!", "kind": "exe"}),
        ("draw", {"rle": "bo$2bo$3o!", "kind": "gif", "generations": 10**9}),
        ("clauses", {"program": "rm", "arguments": [1]}),
        ("clauses", {"program": "sat-life-grid", "arguments": [9999, 9999, 3]}),
        ("clauses", {"program": "sat-life-grid", "arguments": [3]}),
        ("search", {"problem": {"box": [3, 3]}, "goal": "destroy"}),
        ("search", {"problem": {"box": [3, 3]}, "goal": "find", "time": "long"}),
        ("search", {"problem": {"box": [3, 3]}, "goal": {"name": "optimise", "measure": "beauty"}}),
        ("search", {"problem": {"box": [3, 3], "period": 2, "wrap": "x"}, "goal": "atlas"}),
        ("search", {"problem": {"box": [3, 3]}, "goal": "atlas", "certified": True}),
        ("search/999/stop", {}),
        ("pattern", {"rle": "bo!", "to": []}),
        ("pattern", {"rle": "x = 4000, y = 4000\n!"}),
        ("search", {"problem": {"box": [3, 3]}, "goal": []}),
        ("draw", {"rle": "bo$2bo$3o!", "kind": "gif", "generations": -1}),
        ("draw", {"rle": "b?o!", "kind": "gif"}),
        ("draw", {"rle": "x = 1, y = 1, rule = pB3/S23\no!", "kind": "svg"}),
        ("question", {"problem": {"box": [3, 3], "kind": "spaceship", "period": 4}}),
        ("question", {"problem": {"box": [8, "*"]}}),
        ("question", {"family": "eater", "width": 10_000, "height": 10_000}),
        ("finds", {"rule": "B9"}),
        ("question", {"text": "x" * 500_000 + " = 1"}),
        ("question", {"problem": {"box": [3, 3], "x" * 500_000: 1}}),
    ]:
        answer = server.post(path, data)
        assert answer.status_code == 400, (path, data)
        assert answer.json()["error"]


NINES = "9" * 4301  # digits, more than Python makes a number of


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (f"search/{NINES}/stop", "{}"),
        ("search/²/pin", "{}"),
        ("finds", f'{{"period": {NINES}}}'),
        ("finds", '{"period": 99999999999999999999}'),
        ("finds", '{"cells": NaN}'),
        ("search", '{"problem": {"box": [3, 3]}, "time": 1e999}'),
        ("question", '{"problem": {"box": "\\ud800"}}'),
        ("question", '{"text": "{\\"box\\": \\"\\\\ud800\\"}"}'),
        ("question", '{"problem": {"box": [3, 3], "touching": [[]]}}'),
    ],
)
def test_odd_values_get_a_sentence(server: Server, path: str, body: str) -> None:
    """Numbers without end, no numbers, half of a surrogate pair."""
    answer = CLIENT.post(f"{server.base}/api/{path}", content=body, headers=server.headers)
    assert answer.status_code == 400
    assert "killed" not in answer.json()["error"]


def test_nesting_up_to_where_python_gives_up_gets_a_sentence(server: Server) -> None:
    for depth in range(900, 1000, 20):
        body = f'{{"problem": {{"box": {"[" * depth + "]" * depth}}}}}'
        answer = CLIENT.post(f"{server.base}/api/search", content=body, headers=server.headers)
        assert answer.status_code == 400, depth


def test_an_error_quotes_what_can_be_shown(server: Server) -> None:
    answer = server.post("question", {"problem": {"box": "\x1b[2K\u202e"}})
    assert r"\x1b[2K\u202e" in answer.json()["error"]
    assert printable(answer.json()["error"]) == answer.json()["error"]


def test_the_page_is_told_of_every_family(server: Server) -> None:
    told = {record["name"]: record for record in server.get("families").json()}
    assert list(told) == list(FAMILIES)
    for name, family in FAMILIES.items():
        assert (told[name]["words"], told[name]["example"]) == (family.words, family.examples[0])
        files = [given for given in family.parameters if given.kind in ("pattern", "patterns") and given.options]
        drawn = [given for given in family.parameters if given not in files]
        for parameter, given in zip(told[name]["parameters"], drawn, strict=True):
            assert (parameter["name"], parameter["kind"], parameter["help"]) == (given.name, given.kind, given.help)
            assert parameter["choices"] == list(given.choices)
            assert parameter["default"] == json.loads(json.dumps(given.default))
    required = [p["name"] for p in told["predecessor"]["parameters"] if p["required"]]
    assert required == ["pattern"]
    assert [p["choices"] for p in told["wave"]["parameters"] if p["kind"] == "choice"] == [["x", "y"]]


def test_the_parameters_of_a_question_are_recognised(server: Server) -> None:
    asked = {"width": 11, "height": 9, "generations": 7, "lane": 1, "phase": 2, "heading": "SW"}
    problem = server.post("question", {"family": "eater", **asked}).json()["problem"]
    assert server.post("question", {"problem": problem}).json()["parameters"] == asked
    painted = {**problem, "population": ["<=9"]}
    assert "parameters" not in server.post("question", {"problem": painted}).json()


def test_copies_are_typed_as_words(server: Server) -> None:
    asked = {"width": 3, "height": 3, "generations": 4, "copies": "0,0 1,1,R90", "free": "-4,-4,2x2"}
    told = server.post("question", {"family": "becomes", "rule": "B2/S", **asked}).json()
    expected = satlife.becomes(3, generations=4, copies=["0,0", "1,1,R90"], free=["-4,-4,2x2"], rule="B2/S")
    assert told["problem"] == expected.to_dict()
    asked = {"width": 3, "height": 3, "generations": 4, "copies": "0,0 1,1,R90"}
    told = server.post("question", {"family": "becomes", **asked}).json()
    assert told["parameters"] == asked
    assert told["command"] == "satlife becomes 3x3 -g 4 --copy 0,0 --copy 1,1,R90"


@pytest.mark.parametrize(
    ("data", "asked"),
    [
        ({"family": "still-life", "width": 5, "height": 4, "cells": ">=6"}, satlife.still_life((5, 4), ">=6")),
        ({"family": "oscillator", "period": 3, "rule": "B36/S23"}, satlife.oscillator((8, 8), 3, rule="B36/S23")),
        (
            {"family": "spaceship", "width": 5, "height": 5, "period": 4, "displacement": [1, 1], "moving": True},
            satlife.spaceship((5, 5), 4, (1, 1), moving=True),
        ),
        (
            {"family": "spaceship", "width": 9, "height": "*", "period": 3, "displacement": [0, -1]},
            satlife.open_spaceship(9, 3, (0, -1)),
        ),
        (
            {"family": "predecessor", "rle": "2o$2o!", "generations": 2},
            satlife.predecessor(satlife.Pattern.from_rows(["OO", "OO"]), 2, margin=1),
        ),
        ({"family": "orphan", "rle": "2o$2o!"}, satlife.orphan(satlife.Pattern.from_rows(["OO", "OO"]))),
        ({"family": "eater", "width": 9, "lane": -1, "phase": 2}, satlife.eater((9, 8), 5, lane=-1, phase=2)),
        ({"family": "torus", "width": 5, "height": 4, "period": 2}, satlife.torus((5, 4), 2)),
        ({"family": "torus", "width": 5, "height": 4, "dies": 1}, satlife.torus((5, 4), dies=1)),
        ({"family": "wave", "width": 4, "height": 7, "period": 2, "along": "y"}, satlife.wave((4, 7), 2, along="y")),
        ({"family": "grid", "text": "0 1\n1 a\n\n1 1\n* *"}, satlife.grid("0 1\n1 a\n\n1 1\n* *")),
    ],
    ids=lambda value: value["family"] if isinstance(value, dict) else "",
)
def test_every_family_can_be_asked_by_its_parameters(data: dict[str, Any], asked: Question) -> None:
    assert questions.question(data) == asked


def test_a_parameter_that_is_missing_or_wrong_gets_a_sentence() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"family": "oscillator"}, "`period`"),
        ({"family": "spaceship", "period": 4}, "`displacement`"),
        ({"family": "spaceship", "period": 4, "displacement": [1, "1"]}, "`displacement`"),
        ({"family": "torus", "period": 2, "width": "*"}, "`width`"),
        ({"family": "wave", "period": 2, "along": "z"}, "x, y"),
        ({"family": "predecessor"}, "`rle`"),
        ({"family": "grid"}, "`text`"),
        ({"family": "still-life", "cells": 12}, "`cells`"),
    ]
    for data, words in wrong:
        with pytest.raises(InputError, match=words):
            questions.question(data)


def test_a_search_from_question_to_catalogue(server: Server) -> None:
    asked = server.post(
        "question", {"problem": {"kind": "spaceship", "box": [4, 3], "period": 4, "displacement": [1, 1]}}
    )
    assert asked.json()["command"] == "satlife spaceship 4x3 -p 4 -d 1,1"
    assert asked.json()["variables"] == 48
    started = server.post("search", {"problem": asked.json()["problem"], "goal": "find"}).json()
    done = server.wait(started["id"], "done")
    assert done["result"]["status"] == "found"
    (find,) = done["finds"]
    assert (find["apgcode"], find["name"]) == ("xq4_153", "glider")
    assert len(find["frames"]) == 4
    found = server.post("finds", {"period": 4}).json()["finds"]
    assert "xq4_153" in [entry["apgcode"] for entry in found]
    assert server.post("finds", {"period": 5}).json()["finds"] == []
    another = {**asked.json()["problem"], "exclude": [find["rle"]]}
    again = server.post("search", {"problem": another, "goal": "find"}).json()
    assert server.wait(again["id"], "done")["result"]["status"] == "none"


@pytest.mark.parametrize(
    ("problem", "how"),
    [
        ({"kind": "oscillator", "box": [4, 4], "period": 3}, "a proof of "),
        (
            {"kind": "spaceship", "box": [5, "*"], "period": 3, "displacement": [0, -1]},
            "a list of 1 window was written and checked",
        ),
    ],
)
def test_none_with_a_certificate_that_can_be_taken_home(
    problem: dict[str, Any], how: str, server: Server, tmp_path: Path
) -> None:
    started = server.post("search", {"problem": problem, "goal": "find", "certified": True}).json()
    done = server.wait(started["id"], "done")
    assert done["result"]["status"] == "none"
    assert done["result"]["proof"]["checked"] is True
    assert done["result"]["refuted"]["how"].startswith(how)
    with zipfile.ZipFile(io.BytesIO(server.get(f"search/{started['id']}/bundle").content)) as archive:
        archive.extractall(tmp_path)
    assert run("verify", str(tmp_path / f"certificate-{started['id']}")).returncode == 0


def searched(data: dict[str, Any], store: Path | None = None) -> list[Any]:
    """The events of a search that the page asks for, in this process."""
    events: list[Any] = []
    task, _ = questions.task(data)
    worker.work({**task, "store": str(store) if store else None, "proof": None}, events.append)
    return events


def finds_of(events: list[Any]) -> list[Any]:
    """What was found in the end."""
    return [event["find"] for event in events if event["event"] == "found"]


def test_the_best_one() -> None:
    problem = {"kind": "still life", "box": [4, 4], "period": 1}
    events = searched({"problem": problem, "goal": {"name": "optimise", "largest": True}})
    assert events[-1]["result"]["words"] == "most cells: 8, proved"
    assert finds_of(events)[0]["population"] == 8


def test_a_store_that_fails_takes_no_find_away(tmp_path: Path) -> None:
    broken = tmp_path / "finds.db"
    broken.write_text("this is no store")
    events = searched({"problem": {"kind": "still life", "box": [2, 2], "period": 1}}, broken)
    assert [event["find"]["apgcode"] for event in events if event["event"] == "found"] == ["xs4_33"]
    assert events[-1]["result"]["status"] == "found"
    assert "not kept" in events[-1]["result"]["warning"]


def test_a_pasted_question_may_say_what_is_wanted() -> None:
    text = satlife.Ask(satlife.still_life((4, 4)), satlife.CountAll()).to_toml()
    assert questions.question({"text": text}) == satlife.still_life((4, 4))


def test_a_ship_of_any_length_shows_how_far_it_has_come(server: Server) -> None:
    text = 'box = [12, "*"]\nperiod = 3\ndisplacement = [0, -1]\nsymmetry = ["D2|"]\nrule = "B3/S23"'
    asked = server.post("question", {"text": text})
    assert asked.json()["command"] == "satlife spaceship '12x*' -p 3 -d 0,-1 -s 'D2|'"
    (find,) = finds_of(searched({"problem": asked.json()["problem"], "goal": "find"}))
    assert find["apgcode"].startswith("xq3_")
    assert find["open"] is True


def test_an_undecided_search_says_what_to_ask_next(server: Server) -> None:
    """Questions that the server takes, a long search for a shell, and the best partial answer; also after a stop."""
    problem = {"kind": "spaceship", "rule": "B3/S23", "box": [20, 20], "period": 7, "displacement": [0, -2]}
    done = server.wait(server.post("search", {"problem": problem, "goal": "find", "time": 0.5}).json()["id"], "done")
    assert (done["result"]["status"], done["finds"]) == ("unknown", [])
    *others, last = done["advice"]
    assert (last["command"], last["problem"]) == ("satlife jobs start spaceship 20x20 -p 7 -d 0,-2", None)
    assert len(others) == 2
    for other in others:
        assert other["command"] != "satlife spaceship 20x20 -p 7 -d 0,-2"
        assert server.post("question", {"problem": other["problem"]}).json()["command"] == other["command"]
    if done["partial"]:  # a slow machine may have none yet
        assert done["partial"]["size"] == [20, 20]
    stopped = server.post("search", {"problem": HARD, "goal": "find"}).json()["id"]
    assert server.wait(stopped, "running")["advice"] == []
    server.post(f"search/{stopped}/stop")
    commands = [one["command"] for one in server.wait(stopped, "stopped")["advice"]]
    assert commands[-1] == "satlife jobs start oscillator 20x20 -p 19"


def test_refuted_boxes_are_told_and_not_suggested() -> None:
    told: list[Any] = []
    ask = Ask(families.spaceship((20, 20), 3, (0, -1)))
    hear = worker.PageHearing(told.append, ask)
    for size in ((9, 9), (12, 13)):
        hear(RuledOut(families.spaceship(size, 3, (0, -1))))
    assert told[-1] == {"event": "ruled out", "sentences": ["none in 12x13"]}
    found = worker.advice(Outcome(ask.question, UNKNOWN, reason="enough"), hear.ruled_out)
    assert [one["problem"].get("box") for one in found if one["problem"]] == [None, [20, 20]]
    none = worker.advice(Outcome(ask.question, NONE), [])
    assert [one["command"] for one in none] == [
        "satlife spaceship 20x20 -p 6 -d 0,-2",
        "satlife spaceship 22x22 -p 3 -d 0,-1",
        "satlife spaceship -p 3 -d 0,-1",
    ]
    service = searches.SearchService(None)
    search = searches.PageSearch(1, TAB, TASK, "")
    service._apply(search, told[-1])
    assert search.to_dict(TAB)["ruledOut"] == ["none in 12x13"]


def test_what_was_refuted_of_several_periods_is_told_by_period() -> None:
    asked = AnyBox(families.spaceship((4, 4), displacement="c/2"), multiples=True)
    ruled_out = [asked.in_box((9, 9)), asked.in_box((5, 6), times=2), asked.in_box((7, 8))]
    told = worker.refuted_sentences(ruled_out, asked)
    assert told == ["period 2: none in 9x9", "period 4: none in 5x6"]
    assert worker.refuted_sentences(ruled_out[:1], replace(asked, multiples=False)) == ["none in 9x9"]


#: Without a box; a speed may also be that of a multiple of its period.
BOXLESS = {
    "satlife still-life --population ==4": {"kind": "still life", "period": 1, "population": ["4"]},
    "satlife spaceship -d c/4d": {
        "kind": "spaceship",
        "period": 4,
        "displacement": [-1, -1],
        "multiples": True,
    },
}


@pytest.mark.parametrize("command", BOXLESS)
def test_a_question_without_a_box_is_asked_and_its_find_kept(server: Server, command: str) -> None:
    described = server.post("question", {"problem": BOXLESS[command]}).json()
    assert described["command"] == command
    assert "box" not in described["problem"]
    text = server.post("question", {"text": question_from(BOXLESS[command]).to_toml()}).json()
    assert text == described
    done = server.wait(server.post("search", {"problem": described["problem"]}).json()["id"], "done")
    assert (done["command"], done["result"]["status"]) == (command, "found")
    assert (done["result"]["warning"], done["long"]) == ("", None)
    find = done["finds"][0]
    assert len(find["problem"]["box"]) == 2
    assert find["apgcode"] in [kept["apgcode"] for kept in server.post("finds").json()["finds"]]
    with Ledger(server.store) as ledger:  # as the answer of the box in which it was found
        assert all("box" in ledger.status(number)["problem"] for number in ledger.numbers())


#: Three cells in a row, of something of any size.
PIECE = {"kind": "complete", "box": [3, 1], "period": 1, "cells": [["1 1 1"]], "margin": "free"}


def test_the_smallest_completion_is_found_and_kept(server: Server, tmp_path: Path) -> None:
    described = server.post("question", {"problem": PIECE}).json()
    assert described["problem"]["margin"] == "free"
    assert server.post("question", {"family": "complete", "pattern": "3o!"}).json() == described
    asked = {"problem": PIECE, "goal": "optimise"}
    events = searched(asked, tmp_path / "finds.db")
    result, (find,) = events[-1]["result"], finds_of(events)
    assert (result["status"], result["warning"], questions.task(asked)[0]["long"]) == ("found", "", None)
    assert find["asked"]["margin"] == "free"
    assert (find["population"], result["words"]) == (7, "fewest cells: 7, proved")
    with Ledger(tmp_path / "finds.db") as ledger:
        assert [kept.outcome.apgcode for kept in ledger.finds()] == [find["apgcode"]]


def test_a_completion_that_there_is_not(server: Server) -> None:
    events = searched({"problem": {**PIECE, "population": ["<=6"]}, "goal": "optimise"})
    assert events[-1]["result"]["status"] == "none"
    for request_ in (
        {"goal": {"name": "optimise", "largest": True}},
        {"goal": "atlas"},
        {"goal": "find", "certified": True},
    ):
        refused = server.post("search", {"problem": PIECE, **request_})
        assert refused.status_code == 400
        assert "of completions the page looks for one" in refused.json()["error"]


def test_a_family_is_asked_without_a_box() -> None:
    asked = questions.question({"family": "oscillator", "period": 3, "width": None, "height": None})
    assert asked == AnyBox(families.oscillator((9, 9), 3))
    told = {record["name"]: record["parameters"][0] for record in page_families.records()}
    assert [name for name, first in told.items() if first["optional"]] == ["still-life", "oscillator", "spaceship"]
    for sides in ({"width": None, "height": 5}, {"width": "*", "height": "*"}):
        with pytest.raises(InputError, match=r"`(width|height)` should be a whole number"):
            questions.question({"family": "oscillator", "period": 3, **sides})


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"problem": {"kind": "oscillator"}}, "the field `box` is missing"),
        ({"problem": {"kind": "oscillator", "period": 3, "wrap": "x"}}, "need a box; give one, such as 9x9"),
        ({"problem": {"kind": "spaceship", "period": 3}}, "a spaceship moves"),
        ({"problem": {"kind": "oscillator", "period": 3, "multiples": True}}, "the period of a ship"),
        ({"problem": {"kind": "oscillator", "period": 3}, "goal": "optimise"}, "of patterns of any size the page only"),
        ({"problem": {"kind": "oscillator", "period": 3}, "goal": "atlas"}, "of patterns of any size the page only"),
        ({"problem": {"kind": "oscillator", "period": 3}, "certified": True}, "of patterns of any size the page only"),
    ],
)
def test_what_cannot_be_asked_without_a_box_gets_a_sentence(
    server: Server, request_: dict[str, Any], words: str
) -> None:
    refused = server.post("search", request_)
    assert refused.status_code == 400
    assert words in refused.json()["error"]
    assert "\n" not in refused.json()["error"]


def test_none_says_what_was_proved_and_how(server: Server) -> None:
    problem = {"kind": "oscillator", "box": [4, 4], "period": 3}
    done = server.wait(server.post("search", {"problem": problem, "goal": "find"}).json()["id"], "done")
    refuted = done["result"]["refuted"]
    assert "Generation 3 is generation 0, and it has no smaller period." in refuted["properties"]
    assert done["result"]["solver"] in refuted["how"]
    assert set(done["progress"]) >= set(plan.members(Ask(satlife.oscillator((4, 4), 3)), Options()))
    narrow = {"kind": "spaceship", "box": [3, "*"], "period": 3, "displacement": [0, -1], "rule": "B3/S23"}
    result = searched({"problem": narrow, "goal": "find"})[-1]["result"]
    assert result["status"] == "none"
    assert result["refuted"]["properties"][-1] == "It is a ship whose phases all lie in 3 columns."
    assert "complete search" in result["refuted"]["how"]


def test_a_speed_becomes_a_displacement(server: Server) -> None:
    assert server.post("speed", {"speed": "(2,1)c/6"}).json() == {"displacement": [-2, -1], "period": 6}
    problem = {"kind": "spaceship", "box": [9, 9], "period": 6, "displacement": [-2, -1]}
    assert server.post("question", {"problem": problem}).json()["speed"] == "(-2,-1)c/6"
    for wrong in ({"speed": "c/0"}, {"speed": 3}, {}):
        assert server.post("speed", wrong).status_code == 400


def test_an_atlas(server: Server) -> None:
    problem = {"kind": "spaceship", "box": [4, 4], "period": 4, "displacement": [1, 1]}
    started = server.post("search", {"problem": problem, "goal": "atlas"}).json()
    done = server.wait(started["id"], "done")
    assert done["command"] == "satlife atlas spaceship 4x4 -p 4 -d 1,1"
    assert done["long"] == "satlife jobs start spaceship 4x4 -p 4 -d 1,1 --atlas"
    assert done["result"]["words"] == "2 minimal boxes for period 4, everything below refuted"
    assert done["chart"]["states"][2:] == [
        ["refuted", "refuted", "refuted", "minimal"],
        ["refuted", "refuted", "minimal", "answer"],
    ]
    assert sorted(find["problem"]["box"] for find in done["finds"]) == [[3, 4], [4, 3]]
    assert {find["apgcode"] for find in done["finds"]} == {"xq4_153"}
    kept = server.post("finds", {"period": 4}).json()["finds"]
    assert "xq4_153" in {find["apgcode"] for find in kept}
    none = {"kind": "oscillator", "box": [4, 3], "period": 3}
    result = searched({"problem": none, "goal": "atlas"})[-1]["result"]
    assert result["refuted"]["claim"] == "No box up to 4x3 has a pattern with these properties."


def test_a_long_search_is_started_by_the_command_shown(tmp_path: Path) -> None:
    """Also when the question needs a file."""
    options = ("--store", str(tmp_path / "finds.db"), "--json")
    words = questions.long_command(satlife.oscillator((3, 3), 2), *options)
    assert words
    made = run(*shlex.split(words)[1:])
    assert (made.returncode, json.loads(made.stdout.splitlines()[-1])["state"]) == (0, "found")
    words = questions.long_command(satlife.oscillator((3, 3), 2, known=[(("*", "1", "*"),) * 3]), *options)
    assert words
    env = {**os.environ, "PATH": f"{BIN}:/usr/bin:/bin"}
    made = subprocess.run(["sh", "-c", words], capture_output=True, text=True, env=env)
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout.splitlines()[-1])["state"] == "found"
    assert questions.long_command(satlife.oscillator((5, 5), 2, strict=True)) is None


def test_long_searches_of_the_store(tmp_path: Path) -> None:
    """None; one that is open, one that is damaged; plain searches, which have one unit, are not among them."""

    def overview(chosen: int | None, store: str = "s.db") -> Any:
        return json.loads(handler.long_searches({"store": str(tmp_path / store), "id": chosen})[0])

    assert jobs.overview(None, None) == overview(3, "no.db") == {"searches": [], "chosen": None}
    with Ledger(tmp_path / "s.db") as ledger:
        plain, _ = ledger.enter(satlife.Ask(satlife.still_life((2, 2))), {})
        ledger.record(plain, satlife.find(satlife.still_life((2, 2))))
        first, second = halves(ledger), halves(ledger, problem=satlife.still_life((5, 5)))
        count, _ = ledger.enter(satlife.Ask(satlife.still_life((5, 5)), satlife.CountAll()), {})
        coordinator.begin(ledger, count, 1)
        ledger.connection.execute("UPDATE searches SET problem = '{' WHERE id = ?", (second,))
    shown = overview(second)
    assert [(line["id"], line["state"]) for line in shown["searches"]] == [
        (count.id, "open"), (second, "damaged"), (first, "open"),
    ]  # fmt: skip
    assert "is damaged" in shown["searches"][1]["damaged"]
    assert [line.get("goal") for line in shown["searches"]] == ["counted", None, ""]
    assert shown["searches"][0]["problem"]["box"] == [5, 5]
    assert shown["searches"][0]["picture"] is None  # nothing is found yet
    assert shown["chosen"]["id"] == count.id  # a damaged one cannot be looked at
    assert overview(first)["chosen"]["units"] == {"open": 2}
    with Ledger(tmp_path / "s.db") as ledger:
        Coordinator(ledger, LocalPool(Capacity(1)), count.id).run()
    assert overview(count.id)["chosen"]["count"] == "416"
    many = [Sample(float(k), k, k / 1000) for k in range(1001)]
    drawn = jobs.points(many)
    assert len(drawn) <= jobs.POINTS + 1
    assert (drawn[0], drawn[-1]) == ((0.0, 0.0), (1000.0, 1.0))


def test_a_wave_is_drawn_as_a_wave(server: Server) -> None:
    problem = {"kind": "wave", "box": [4, 7], "period": 2, "wrap": "x"}
    done = server.wait(server.post("search", {"problem": problem, "goal": "find"}).json()["id"], "done")
    (find,) = done["finds"]
    assert (len(find["frames"]), find["loops"]) == (2, True)
    assert ":T4,0" in find["rle"]


def test_what_becomes_of_a_drawing(server: Server) -> None:
    told = {
        "bo$2bo$3o!": "It moves, at c/4d: the glider.",
        "3o!": "It does not move, but comes back every 2 generations: the blinker.",
        "2o$2o!": "It never changes: the block.",
        "2o!": "It dies after 1 generation.",
        "b2o$2o$bo!": "It settles after 1,103 generations: 8 × block, 6 × glider, 4 × blinker, 4 × beehive and others; "
        "6 ships will fly on.",
    }
    for rle, words in told.items():
        assert server.post("fate", {"rle": rle}).json() == {"words": words}


def test_pictures_to_keep(server: Server) -> None:
    glider = "bo$2bo$3o!"
    assert server.post("draw", {"rle": glider, "kind": "gif"}).content.startswith(b"GIF89a")
    assert server.post("draw", {"rle": glider, "kind": "svg"}).text.startswith("<svg")
    played = server.post("draw", {"rle": glider, "kind": "html"})
    assert played.headers["content-type"].startswith("text/html")
    assert played.text.count("http") == played.text.count("http://www.w3.org/2000/svg")  # nothing from elsewhere
    assert server.post("draw", {"rle": glider, "kind": "png"}).content.startswith(b"\x89PNG")


def test_knuths_clauses_and_the_tree_of_a_cell(server: Server) -> None:
    answer = server.post("clauses", {"program": "sat-life-grid", "arguments": [3, 3, 2]}).json()
    expected = run("knuth", "sat-life-grid", "3", "3", "2").stdout.splitlines()
    assert answer["lines"] == expected[: len(answer["lines"])]
    assert answer["total"] == len(expected)
    tree = answer["trees"]["2,2"]
    neighbours = sorted([x, y] for x in (1, 2, 3) for y in (1, 2, 3) if (x, y) != (2, 2))
    assert sorted(tree["A"]["counts"]) == neighbours
    assert sorted(tree["B"]["counts"] + tree["C"]["counts"]) == neighbours


@pytest.mark.parametrize(
    ("program", "arguments", "folded"),
    [
        ("sat-life-grid90", [8, 8, 2], ("2,8", "1,2")),
        ("sat-life-gridquad-cycle", [7, 9, 3], ("6,8", "2,2")),
        ("sat-life-grid-spaceships-sym", [7, 12, 4, 2], ("2,11", "2,2")),
    ],
)
def test_a_cell_of_a_folded_board_is_another(
    program: str, arguments: list[int], folded: tuple[str, str], server: Server
) -> None:
    answer = server.post("clauses", {"program": program, "arguments": arguments}).json()
    assert answer["folded"][folded[0]] == folded[1]


@pytest.mark.parametrize(
    "call", ["sat-life-grid90 5 5 2", "sat-life-grid90-cycle 6 6 2", "sat-life-gridquad 5 4 2", "sat-life-grid 3 3 1"]
)
def test_trees_of_folded_boards_name_what_occurs(call: str, server: Server) -> None:
    """Every cell has a tree, or is another that has; the names in the trees of inner cells occur in the clauses."""
    name, *numbers = call.split()
    answer = server.post("clauses", {"program": name, "arguments": [*map(int, numbers)]}).json()
    rows, columns = answer["size"]
    every = {f"{x},{y}" for x in range(1, rows + 1) for y in range(1, columns + 1)}
    assert answer["trees"].keys() | answer["folded"].keys() == every
    assert not answer["trees"].keys() & answer["folded"].keys()
    assert set(answer["folded"].values()) <= answer["trees"].keys()
    assert bool(answer["folded"]) == (name != "sat-life-grid")
    words = {word.lstrip("~")[:-1] for line in answer["lines"] for word in line.split()}
    for tree in answer["trees"].values():
        for node in "ABCG":
            x, y = tree[node]["at"]
            assert f"{x}a{y}{node}" in words


@pytest.mark.parametrize("example", gallery.examples(), ids=lambda example: example["title"])
def test_the_thumbnail_of_an_example_shows_an_answer(example: gallery.Example) -> None:
    assert ElementTree.fromstring(example["thumbnail"]).tag.endswith("svg")
    if "answer" not in example:
        assert example["title"] in ("There is none", "Why has this no past?")
        return
    asked, answer = question_from(example["problem"]), formats.parse(example["answer"])
    if isinstance(asked, OpenBox):
        identity = identify(answer)
        assert (identity.period, identity.displacement, answer.width) == (asked.period, asked.displacement, asked.width)
        return
    if isinstance(asked, Completion):
        assert (identify(answer).period, answer.population) == (asked.generations, 12)
        return
    assert isinstance(asked, Problem)
    find = Find(tuple(verify.phases_of(replace(asked, rule=answer.rule), answer)), answer.rule)
    find.check(asked)
    if example["goal"] == {"name": "optimise", "largest": True}:
        assert answer.population == 36


def test_a_catalyst_is_asked_by_its_parameters() -> None:
    asked = {"first_active": "0..12", "active": "3..20", "max_active": 7, "ever_bounds": "4x3", "eaten": True}
    problem = questions.question({"family": "catalyst", "text": gallery.GLIDER, **asked})
    assert problem == satlife.catalyst(
        gallery.GLIDER, first_active=(0, 12), active=(3, 20), max_active=7, ever_bounds=(4, 3), eaten=True
    )
    described = questions.describe(problem)
    assert described["parameters"] == {**asked, "stable": 4, "by_component": False}
    assert described["command"].startswith("satlife search - <<'END'\n")
    parts = questions.question({"family": "catalyst", "text": gallery.GLIDER, "bounds": "2x2", "by_component": True})
    assert questions.describe(parts)["parameters"]["by_component"] is True
    assert questions.long_command(problem) is None  # it is no long search
    mistakes: list[tuple[dict[str, object], str]] = [
        ({"bounds": "5"}, "such as 5x4"),
        ({"active": "soon"}, "such as 3..7"),
        ({"active": 5}, "should be a text"),
        ({"text": "x = 2, y = 1, rule = LifeHistory\n2B!"}, "active pattern"),
    ]
    for wrong, words in mistakes:
        with pytest.raises(InputError, match=words):
            questions.question({"family": "catalyst", "text": gallery.GLIDER, **wrong})


def catalysts(goal: str, **asked: Any) -> list[Any]:
    """The events of a search for catalysts of a glider."""
    problem = questions.question({"family": "catalyst", "text": gallery.GLIDER, **asked})
    return searched({"problem": problem.to_dict(), "goal": goal})


SOON = {"first_active": "0..6", "active": "0..6"}


def test_a_reaction_is_played_until_the_catalyst_is_at_rest() -> None:
    events = catalysts("optimise", first_active="0..12", active="0..20", ever_bounds="4x4", eaten=True)
    find = next(event["find"] for event in events if event["event"] == "found")
    begins, recovers, becomes = find["remarks"]
    assert begins == "a still life of 7 cells; the interaction begins in generation 11"
    assert recovers.startswith("the catalyst has recovered in generation 13; in generation 16 nothing is left")
    assert becomes == "the reaction settles after 14 generations: 1 xs7_178c (eater 1)"
    assert len(find["frames"]) == 17
    assert sum(base64.b64decode(find["frames"][0])) == 12
    assert sum(base64.b64decode(find["frames"][-1])) == 7  # the still life alone
    assert find["long"] is None
    assert events[-1]["result"]["words"] == "fewest cells: 12, proved"


def test_a_list_of_catalysts_tells_whether_it_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    events = catalysts("all", **SOON, max_active=6)
    listed = [event["finds"] for event in events if event["event"] == "listed"]
    assert [len(find["frames"]) for find in listed[-1]] == [13, 9]
    assert (
        events[-1]["result"]["words"] == "2 found, one of each perturbation; the list is complete by exhaustive search"
    )
    monkeypatch.setattr(questions, "LISTED", 1)
    events = catalysts("all", **SOON, max_active=6)
    assert [len(event["finds"]) for event in events if event["event"] == "listed"][-1] == 1
    result = events[-1]["result"]
    assert (result["status"], result["words"]) == ("found", "the first 1; there may be others")


@pytest.mark.parametrize("goal", ["find", "all", "optimise"])
def test_that_there_is_no_catalyst_says_what_was_asked(goal: str) -> None:
    result = catalysts(goal, **SOON, max_active=0, bounds="3x2")[-1]["result"]
    assert result["status"] == "none"
    refuted = result["refuted"]
    assert refuted["how"].startswith("a complete search")
    assert "The interaction begins in one of the generations 0 to 6." in refuted["properties"]
    limit = "Its cells that are active in a generation: at most 0 and within 3x2 cells."
    assert limit in refuted["properties"]


def test_the_core_of_an_orphan_says_why_it_has_no_past() -> None:
    pattern = "x = 3, y = 2, rule = B8/S\nobo$2o!"
    problem = questions.question({"family": "orphan", "rle": pattern, "rule": "B8/S"}).to_dict()
    task, words = questions.task({"problem": problem, "goal": "core"})
    assert words.startswith("satlife core - <<'END'\n")
    assert words.endswith("x = 3, y = 2, rule = B8/S\nobo$2o!\nEND")
    events: list[Any] = []
    worker.work({**task, "store": None, "proof": None}, events.append)
    refuted = events[-1]["result"]["refuted"]
    assert refuted["claim"].startswith("It is an orphan, with a core of 2 of 6 cells given")
    cells = base64.b64decode(refuted["core"]["frames"][0])
    assert sum(cell != pattern_of.UNKNOWN for cell in cells) == 2
    with pytest.raises(InputError, match="a part of an orphan"):
        questions.task({"problem": {"box": [3, 3]}, "goal": "core"})


def test_an_undecided_list_is_no_refutation() -> None:
    listed = Listed(satlife.still_life((3, 3)), end=End.UNDECIDED, reason="the time limit was reached")
    result = worker.list_result(listed, [], None)
    assert (result["status"], result["reason"]) == (UNKNOWN, "the time limit was reached")


@pytest.mark.parametrize(
    "example", [example for example in gallery.examples() if "knuth" in example], ids=lambda example: example["title"]
)
def test_knuths_clauses_for_an_example_have_a_solution(example: gallery.Example) -> None:
    """Where an answer is shown, the clauses that are shown as Knuth's must have one, too."""
    call = example["knuth"]
    formula = knuth.formula(call["program"], *call["arguments"], rows=call["rows"])
    assert solve(formula, find_solver("glucose4")).status == "sat"


@pytest.mark.parametrize("example", gallery.examples(), ids=lambda example: example["title"])
def test_every_example_of_the_gallery_is_a_question(example: dict[str, Any]) -> None:
    task, words = questions.task({"problem": example["problem"], "goal": example["goal"]})
    assert questions.question({"problem": task["ask"]}).to_dict() == example["problem"]
    assert words.startswith("satlife ")


@pytest.mark.parametrize(
    "problem",
    [
        satlife.still_life((5, 4), symmetry=("D2-",), population=("<=7", ">=2")),
        satlife.oscillator((5, 5), 3, rule="B36/S23", symmetry="C4", strict=True),
        satlife.spaceship((6, 5), 4, (1, -1), differ=[(0, 2)]),
        satlife.torus((5, 4), 2, (1, 0)),
        satlife.torus((5, 4), dies=2, differ=[(1, 2)]),
        satlife.eater(),
        satlife.eater((9, 8), 6, lane=-1, phase=2, rule="B36/S23"),
        satlife.wave((4, 7), 2, along="y"),
        satlife.oscillator((3, 3), 2, known=[(("*", "1", "*"),) * 3]),
        satlife.predecessor(satlife.Pattern.from_rows(["OO", "OO"]), 2, 1),
        satlife.spaceship((5, 5), 4, (1, 1), moving=True),
        Problem(4, 4, kind="still life", exact=False, nonempty=False),
        Problem(4, 4, kind="oscillator", generations=2, wrap=(True, False)),
    ],
    ids=lambda problem: problem.kind,
)
def test_the_command_asks_the_same_question(problem: Problem) -> None:
    words = command(problem, "--print-problem")
    if "<<" in words:
        made = subprocess.run(["sh", "-c", words], capture_output=True, text=True, env={"PATH": f"{BIN}:/usr/bin:/bin"})
    else:
        made = run(*shlex.split(words)[1:])
    assert made.returncode == 0, made.stderr
    assert Problem.from_toml(made.stdout) == problem
    assert ("<<" in words) == (arguments(problem) is None)


#: A server whose searches begin, and come no further.
IDLE_SEARCHES = """
from satlife.web import pool
start = pool.start
pool.start = lambda module, limit: start("idle_worker" if module == "satlife.web.worker" else module, limit)
from satlife.__main__ import main
main()
"""


def test_searches_wait_stop_and_end_with_their_tab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(idle_worker.__file__).parent))
    server = Server(tmp_path / "finds.db", [sys.executable, "-c", IDLE_SEARCHES])
    try:
        listening = server.news()
        next(listening)
        first, second, pinned = (
            server.post("search", {"problem": HARD, "goal": "find"}).json()["id"] for _ in range(3)
        )
        server.wait(first, "running")
        assert server.states()[second]["state"] == "queued"
        assert server.post(f"search/{first}/stop", **{"x-tab": "a-tab-that-sees-nothing"}).status_code == 400
        seen = server.states(OTHER)  # a second tab sees what runs and waits, and may stop it
        assert {number: (search["own"], search["state"]) for number, search in seen.items()} == {
            first: (False, "running"), second: (False, "queued"), pinned: (False, "queued"),
        }  # fmt: skip
        assert server.post(f"search/{first}/stop", **{"x-tab": OTHER}).status_code == 200
        assert server.wait(first, "stopped")["finds"] == []
        assert server.states(OTHER)[first]["state"] == "stopped"  # it has seen it run
        assert first not in server.states("a-tab-that-came-later")
        server.wait(second, "running")
        server.post(f"search/{pinned}/pin", {"pinned": True})
        # Nobody listens to this tab any more: what is pinned goes on, and takes the place of what ends.
        listening.close()
        until(lambda: server.states(OTHER)[pinned]["state"] == "running")
        server.post(f"search/{pinned}/stop", **{"x-tab": OTHER})
        listening = server.news()
        next(listening)
        many = [
            server.post("search", {"problem": HARD, "goal": "find"}).status_code
            for _ in range(searches.MAX_SEARCHES + 1)
        ]
        assert many == [200] * searches.MAX_SEARCHES + [429]
        assert workers(server, "idle_worker")
        listening.close()  # the tab is closed
        until(lambda: {search["state"] for search in server.states(OTHER).values()} == {"stopped"})
        until(lambda: not workers(server, "idle_worker"))
    finally:
        code = server.close()
    assert code in (0, 143)


def test_a_killed_server_leaves_no_search_behind(tmp_path: Path) -> None:
    server = Server(tmp_path / "finds.db")
    try:
        listening = server.news()
        next(listening)
        server.post("search", {"problem": HARD, "goal": "find"})
        until(lambda: bool(workers(server)))
        (worker,) = workers(server)
        server.process.kill()
        until(lambda: not Path(f"/proc/{worker}").exists())
    finally:
        server.close()


def workers(server: Server, module: str = "satlife.web.worker") -> list[int]:
    """The processes of a server's searches, or of its handlers."""
    listed = subprocess.run(["ps", "-ww", "-eo", "ppid,pid,args"], capture_output=True, text=True, check=True).stdout
    lines = [line.split(None, 2) for line in listed.splitlines()[1:]]
    return [int(pid) for ppid, pid, what in lines if ppid == str(server.process.pid) and what.endswith(module)]


def test_the_token_is_not_on_the_command_line_of_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every user of the machine can read that; a file of our own leads to the page, for as long as it is served."""
    opened, served = mock.Mock(), mock.Mock()

    def serve(listening: socket.socket, token: str, *_: object) -> None:
        listening.close()
        url = opened.call_args.args[0]
        page = Path(url2pathname(urlsplit(url).path))
        served(page, token, stat.S_IMODE(page.stat().st_mode), f"/?token={token}" in page.read_text(), token in url)

    monkeypatch.setattr("webbrowser.open", opened)
    monkeypatch.setattr("satlife.web.server.serve", serve)
    done = run("serve", "--port", "0")
    page, token, *facts = served.call_args.args
    assert done.stdout.endswith(f"/?token={token}\n")
    assert facts == [0o600, True, False]
    assert not page.exists()


def test_serve_needs_a_port_that_is_free(server: Server) -> None:
    port = server.base.rsplit(":", 1)[1]
    result = run("serve", "--no-browser", "--port", port)
    assert result.returncode == 1
    assert "cannot listen" in result.stderr


def test_questions_are_checked_in_one_place() -> None:
    wrong: list[Any] = [None, [], {}, {"problem": []}, {"family": "eater", "width": "8"}, {"text": 3}]
    for data in wrong:
        with pytest.raises(InputError):
            questions.question(data)


def test_a_search_that_is_stopped_takes_only_its_own_certificate_along(tmp_path: Path) -> None:
    service = searches.SearchService(None)
    assert not service.folder.exists()  # before it is opened there is nothing that a signal could leave behind
    service.folder = tmp_path
    first, eleventh = (searches.PageSearch(number, TAB, TASK, "") for number in (1, 11))
    for folder in (service.certificate(first), service.certificate(eleventh), tmp_path / ".certificate-1.99.partial"):
        folder.mkdir()
    service._remove_certificate(first)
    assert list(tmp_path.iterdir()) == [service.certificate(eleventh)]


def test_a_tab_that_returns_has_its_full_time_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that was just started is not stopped by an older expiry of its tab."""
    full, now = searches.RECONNECT_SECONDS, 0.0
    stopped: list[int] = []
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        """During the first sleep, after three quarters of it, the tab returns and leaves again."""
        nonlocal now
        assert not stopped
        slept.append(seconds)
        if len(slept) == 1:
            now += 0.75 * seconds
            here.searches[1] = searches.PageSearch(1, TAB, TASK, "")
            here._expire_later(TAB)
            now += 0.25 * seconds
        else:
            now += seconds

    async def story() -> None:
        monkeypatch.setattr(here, "stop", lambda search: stopped.append(search.id))
        monkeypatch.setattr(searches, "time", SimpleNamespace(monotonic=lambda: now))
        with mock.patch("asyncio.sleep", sleep):
            here._expire_later(TAB)
            while here.expiries:
                await asyncio.gather(*here.expiries)
        await here.close()

    here = searches.SearchService(None)
    asyncio.run(story())
    assert slept == [full, 0.75 * full]
    assert 1 in stopped


GLIDER = "bo$2bo$3o!"
WIDE = "x = 140000, y = 1\n" + "3o3bo" * 20_000 + "!"


@pytest.mark.parametrize(("kind", "generations"), [("gif", None), ("svg", 100), ("html", 100)])
def test_a_picture_that_would_be_huge_is_refused(server: Server, kind: str, generations: int | None) -> None:
    answer = server.post("draw", {"rle": WIDE, "kind": kind, "generations": generations})
    assert answer.status_code == 400
    assert "larger than the limit" in answer.json()["error"]


def gone(process: int) -> bool:
    return not Path(f"/proc/{process}").exists()


def handler_processes(server: Server) -> list[int]:
    return workers(server, "satlife.web.handler")


def patient(folder: Path, requests: int) -> Server:
    """A server that gives its handlers all the time they want; it makes the file `called` when it hands them request
    number `requests`."""
    forever = f"from satlife.web import pool\npool.REQUEST_SECONDS = {100 * PATIENCE}\n"
    _, option, code, *more = observing("satlife.web.pool:Handler.request", folder / "called", requests)
    return Server(folder / "finds.db", [sys.executable, option, forever + code, *more])


def test_nobody_draws_for_somebody_who_has_left(tmp_path: Path) -> None:
    server = patient(tmp_path, 3)
    try:
        assert server.post("question", {"problem": {"box": [3, 3]}}).status_code == 200
        handler = set(handler_processes(server))
        assert server.post("draw", {"rle": GLIDER, "kind": "gif"}).status_code == 200
        (drawer,) = set(handler_processes(server)) - handler
        os.kill(drawer, signal.SIGSTOP)  # and so it draws for ever
        asking = HTTPConnection(server.base.removeprefix("http://"))
        headers = {**server.headers, "content-type": "application/json"}
        asking.request("POST", "/api/draw", json.dumps({"rle": GLIDER, "kind": "gif"}), headers)
        until((tmp_path / "called").exists)
        asking.close()
        until(lambda: gone(drawer))
        assert server.post("draw", {"rle": GLIDER, "kind": "gif"}).status_code == 200
        assert server.post("question", {"problem": {"box": [3, 3]}}).status_code == 200
    finally:
        server.close()


def test_ctrl_c_ends_the_server_while_pictures_are_drawn(tmp_path: Path) -> None:
    server = patient(tmp_path, 2)
    assert server.post("draw", {"rle": GLIDER, "kind": "gif"}).status_code == 200
    processes = handler_processes(server)
    for process in processes:
        os.kill(process, signal.SIGSTOP)

    def ask() -> None:
        with suppress(httpx.HTTPError):
            server.post("draw", {"rle": GLIDER, "kind": "gif"})

    asking = [threading.Thread(target=ask) for _ in range(8)]
    for thread in asking:
        thread.start()
    until((tmp_path / "called").exists)
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(PATIENCE) in (0, 130)
    for thread in asking:
        thread.join(PATIENCE)
    until(lambda: all(gone(process) for process in processes))
    server.close()


def test_a_handler_that_takes_too_long_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        handlers = pool.HandlerPool(1, 0)
        await handlers.open()
        (handler,) = handlers.idle
        os.kill(handler.process.pid, signal.SIGSTOP)
        with pytest.raises(LimitError, match=r"more than 0\.5 seconds"):
            await handlers.request("pattern", {"rle": GLIDER}, 0.5)
        assert gone(handler.process.pid)
        content, kind = await handlers.request("pattern", {"rle": GLIDER}, PATIENCE)
        assert json.loads(content)["cells"] == [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
        assert kind == "application/json"
        with pytest.raises(InputError):
            await handlers.request("pattern", {"rle": 5}, PATIENCE)
        await handlers.close()
        assert not handlers.idle

    asyncio.run(story())


def test_more_than_a_few_at_a_time_are_told_to_wait() -> None:
    async def story() -> None:
        handlers = pool.HandlerPool(1, 1)
        await handlers.open()
        (handler,) = handlers.idle
        os.kill(handler.process.pid, signal.SIGSTOP)
        waiting = [asyncio.create_task(handlers.request("pattern", {"rle": GLIDER}, PATIENCE)) for _ in range(2)]
        await eventually(lambda: handlers.pending == 2)
        with pytest.raises(pool.Busy):
            await handlers.request("pattern", {"rle": GLIDER}, PATIENCE)
        waiting[0].cancel()
        await asyncio.wait(waiting[:1])
        assert gone(handler.process.pid)
        assert (await waiting[1])[1] == "application/json"  # its turn has come
        assert len(handlers.idle) == 1  # what has answered is kept
        await handlers.close()

    asyncio.run(story())


def test_a_handler_without_memory_says_so() -> None:
    program = """
from satlife.web import handler
handler.MEMORY = 200 << 20
handler.ACTIONS["draw"] = lambda data: (bytes(300 << 20), "")
handler.main()
"""
    asked = json.dumps({"do": "draw", "data": {}}) + "\n"
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    process.stdin.write(asked.encode())
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    process.stdin.close()
    process.stdout.close()
    process.wait(PATIENCE)
    assert "more memory than the page allows" in answer["error"]


def test_a_find_too_large_to_play_is_shown_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    found = satlife.find(satlife.oscillator((3, 3), period=2))

    def frames() -> int:
        drawn: Any = worker.describe(found)
        return len(drawn["frames"])

    assert frames() == 2
    monkeypatch.setattr(worker, "FILM_CELLS", 30)
    assert frames() == 1
    monkeypatch.setattr("satlife.draw.film.MAX_CELLS", 10)
    assert frames() >= 1


class Silence:
    """Connections to a server in this process, which has little patience, and no handler waiting."""

    async def __aenter__(self) -> Silence:
        import uvicorn

        listening = serving.listen(0)
        self.port = listening.getsockname()[1]
        config = uvicorn.Config(
            serving.application(self.port, "token", None), http=serving.Connection, log_level="critical"
        )
        self.server = uvicorn.Server(config)
        with mock.patch.object(pool.HandlerPool, "open", mock.AsyncMock()):
            self.running = asyncio.create_task(self.server.serve(sockets=[listening]))
            await eventually(lambda: self.server.started)
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.server.should_exit = self.server.force_exit = True
        await self.running

    async def connect(self, sent: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(sent.replace("\n", "\r\n").encode())
        return reader, writer

    @property
    def headers(self) -> str:
        return f"Host: 127.0.0.1:{self.port}\nAuthorization: Bearer token\nX-Tab: {TAB}\n"


@pytest.mark.parametrize("sent", ["", "GET / HT", "GET / HTTP/1.1\nHost: x\n"])
def test_connections_without_a_request_are_closed(sent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "IDLE_SECONDS", 0.3)

    async def story() -> None:
        async with Silence() as server:
            reader, writer = await server.connect(sent)
            with suppress(ConnectionResetError):
                assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
            writer.close()

    asyncio.run(story())


def test_a_second_request_must_come_in_time_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "IDLE_SECONDS", 0.5)

    async def story() -> None:
        async with Silence() as server:
            reader, writer = await server.connect(f"GET /api/gallery HTTP/1.1\n{server.headers}\nGET /")
            with suppress(ConnectionResetError):
                assert b"200 OK" in await asyncio.wait_for(reader.read(), PATIENCE)
            writer.close()

    asyncio.run(story())


def test_half_a_body_is_not_awaited_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "BODY_SECONDS", 0.3)

    async def story() -> None:
        async with Silence() as server:
            head = f"POST /api/question HTTP/1.1\n{server.headers}Content-Length: 100\n\n{{"
            reader, writer = await server.connect(head)
            assert b" 408 " in await asyncio.wait_for(reader.readline(), PATIENCE)
            writer.close()

    asyncio.run(story())


def test_the_stream_of_news_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "IDLE_SECONDS", 0.2)
    monkeypatch.setattr(serving, "BODY_SECONDS", 0.2)

    async def story() -> None:
        async with Silence() as server:
            reader, writer = await server.connect(f"GET /api/events HTTP/1.1\n{server.headers}\n")
            await asyncio.wait_for(reader.readuntil(b'"all"'), PATIENCE)
            assert await asyncio.wait_for(reader.readuntil(b"ping"), PATIENCE)  # several patiences later
            writer.close()

    asyncio.run(story())


def test_the_last_of_256_states_is_no_unknown_cell() -> None:
    """What the page pastes: -1 is a `?`, 255 a state."""
    pasted = questions.convert({"rle": "x = 3, y = 1, rule = B2/S/C256\n?yOA!"})
    assert pasted["cells"] == [[-1, 255, 1]]


@pytest.mark.parametrize(
    ("displacement", "box", "unknown"),
    [((0, -1), (3, None), (slice(2, None), slice(None))), ((0, 1), (3, None), (slice(4), slice(None))),
     ((1, 0), (None, 3), (slice(None), slice(4))), ((-1, 0), (None, 3), (slice(None), slice(2, None)))],
)  # fmt: skip
def test_what_is_behind_a_partial_ship_is_unknown(
    displacement: tuple[int, int], box: tuple[int | None, int | None], unknown: tuple[slice, slice]
) -> None:
    """A ship is built from its front; the rows behind it are not decided yet."""
    asked = question_from(
        {"kind": "spaceship", "box": [side or "*" for side in box], "period": 3, "displacement": list(displacement)}
    )
    partial = np.ones((2, 3) if box[0] else (3, 2), dtype=np.uint8)
    shown = worker.unfinished(partial, asked)
    assert (shown[unknown] == UNKNOWN_CELL).all()
    assert (shown == UNKNOWN_CELL).sum() == worker.UNKNOWN_ROWS * 3
    assert worker.unfinished(partial, satlife.still_life((3, 2))) is partial
