"""Workers that lie, over both databases: what they can bring about, and what not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import satlife
from satlife.cluster.coordinator import Coordinator
from satlife.cluster.remote import _messages
from satlife.engines.sat.cubes import parse_cube
from satlife.engines.work import Piece
from satlife.problem.outcome import Find
from satlife.proof.cubes import certify_cubes
from satlife.proof.publish import Unproved
from satlife.store.ledger import Ledger
from stores import EVERYWHERE, HALVES, Liar, halves

PROBLEM = satlife.still_life((4, 4))
REFUTED = {"say": "result", "status": "refuted", "seconds": 1.0, "who": "liar"}
DONE = {"say": "result", "status": "done", "seconds": 1.0, "who": "liar"}


def find(problem: satlife.Problem = PROBLEM) -> dict[str, Any]:
    """A true find, as a worker sends it."""
    outcome = satlife.find(problem)
    data = Find(outcome.phases, outcome.rule).to_dict(problem)
    return {"say": "find", "problem": problem.to_json(), "find": data}


def nested(depth: int) -> list[Any]:
    """A list in a list in a list ..."""
    out: list[Any] = []
    for _ in range(depth):
        out = [out]
    return out


def saying(*messages: Any) -> Liar:
    """Always the same."""
    return Liar(lambda ticket, unit: [(ticket, message) for message in messages])


LIES: dict[str, list[Any]] = {
    "a find that fails the simulation": [{**find(), "find": {"generations": ["o!"]}}, DONE],
    "a find that is no pattern": [{**find(), "find": {"generations": [["no"]]}}, DONE],
    "a find without a question": [{"say": "find", "find": {}}, DONE],
    "the find of another question": [find(satlife.still_life((3, 3))), DONE],
    "a success without a find": [DONE],
    "a find, and yet none": [find(), REFUTED],
    "pieces that leave something out": [{**DONE, "status": "split", "pieces": [["[[9, 9, 9, 9]]", True]]}],
    "no pieces": [{**DONE, "status": "split", "pieces": []}],
    "pieces that are none": [{**DONE, "status": "split", "pieces": [1, None]}],
    "pieces whose text is none": [{**DONE, "status": "split", "pieces": [["{", True], ["[[0]]", False]]}],
    "no status": [{"say": "result"}],
    "a status that is none": [{"say": "result", "status": ["refuted"]}],
    "a number where text belongs": [{**REFUTED, "who": 7}],
    "a name without end": [{**REFUTED, "who": nested(900)}],
    "time as text": [{**REFUTED, "seconds": "1.0"}],
    "a field that nobody knows": [{**REFUTED, "please": "believe me"}],
    "a find with generations without end": [{**find(), "find": {"generations": ["!"] * 100_000}}, DONE],
    "garbage": ["garbage"],
    "nothing": [None],
    "another word": [{"say": "\x00\ud800", "reason": "\x00"}],
    "a reason that no database takes": [{"say": "result", "status": "unknown", "reason": "\x00\ud800" * 1000}],
}


#: Databases differ in the text that they take.
TEXTS = [("postgresql", lie) for lie, said in LIES.items() if "\\x00" in repr(said)]


@pytest.mark.parametrize(("store", "lie"), [*(("sqlite", lie) for lie in LIES), *TEXTS], indirect=["store"])
def test_lies_decide_nothing(ledger: Ledger, lie: str) -> None:
    """The unit is given to others; after three failures it is set aside, and the search is stuck, not decided."""
    number = halves(ledger, problem=PROBLEM)
    Coordinator(ledger, saying(*LIES[lie]), number).run()
    assert ledger.state(number) == "stuck"
    status = ledger.status(number)
    assert (status["units"]["refuted"], status["units"]["done"], status["units"]["poison"]) == (0, 0, 2)
    assert status["finds"] == (1 if lie == "a find, and yet none" else 0)  # a true find is kept, whoever sent it


@EVERYWHERE
def test_odd_times_and_names_do_no_harm(ledger: Ledger) -> None:
    number = halves(ledger, problem=satlife.oscillator((4, 4), 3))
    odd = iter([{**REFUTED, "seconds": float("nan"), "who": "a\x00b" * 500}, {**REFUTED, "seconds": 10**400}])
    Coordinator(ledger, Liar(lambda ticket, unit: [(ticket, next(odd))]), number).run()
    assert ledger.state(number) == "none"
    status = ledger.status(number)
    assert {len(name) for name in status["workers"]} == {200, 4}
    assert all(share["seconds"] == 0 for share in status["workers"].values())


def test_what_is_said_twice_or_of_another_unit_counts_once(ledger: Ledger) -> None:
    """Each unit says three times that it is refuted, and so for units that nobody has."""
    cubes = [[[x, 0, 0, (k >> x) & 1] for x in range(3)] for k in range(8)]
    search, _ = ledger.enter(satlife.Ask(satlife.oscillator((4, 4), 3)), {})
    ledger.divide(search.id, None, [Piece(json.dumps(cube)) for cube in cubes])
    liar = Liar(lambda ticket, unit: [(number, REFUTED) for number in (ticket, ticket, ticket + 1, 0, 99)])
    Coordinator(ledger, liar, search.id, most=4).run_once()
    assert ledger.status(search.id)["units"]["refuted"] == 1


def test_a_report_that_comes_late_is_void(ledger: Ledger) -> None:
    """The lease has expired, and somebody else has the unit."""
    number = halves(ledger)
    other = Ledger(ledger.place)

    def late(ticket: int, unit: str) -> list[tuple[int, Any]]:
        ledger.connection.execute("UPDATE units SET lease = 1 WHERE state = 'running'")
        assert len(other.lease_many(number, 2)) == 2
        return [(ticket, REFUTED)]

    Coordinator(ledger, Liar(late), number).run_once()
    status = other.status(number)
    assert (status["units"]["refuted"], status["units"]["running"]) == (0, 2)
    other.connection.close()


def test_a_false_none_is_believed_without_a_proof_and_not_with_one(ledger: Ledger, tmp_path: Path) -> None:
    """There is a still life; a worker says of both halves that there is none.  That is the solver's word and nobody
    can tell, until a certificate is asked for."""
    number = halves(ledger, problem=PROBLEM)
    Coordinator(ledger, saying(REFUTED), number).run()
    assert ledger.state(number) == "none"
    with pytest.raises(Unproved, match="missed an answer"):
        certify_cubes(PROBLEM, [parse_cube(unit) for unit in ledger.leaves(number)], tmp_path / "certificate")
    assert not (tmp_path / "certificate").exists()


def test_whatever_comes_over_the_wire_ends_with_a_result() -> None:
    others: list[Any] = [b'[{"say": "result"}]', None, [{}]]
    for text in ("", "{", "[]", "7", "[1]", '["result"]', '{"say": "result"}', *others):
        with pytest.raises(ValueError):
            _messages(text)
    assert _messages('[{"say": "find"}, {"status": "refuted"}]')[-1]["say"] == "result"


def test_pieces_that_a_worker_made_are_entered(ledger: Ledger) -> None:
    """The honest case: one unit is split by its worker, and the pieces are done."""
    search, _ = ledger.enter(satlife.Ask(satlife.oscillator((4, 4), 3)), {})
    ledger.divide(search.id, None, [Piece("[]")])
    pieces = [[piece.unit, False] for piece in HALVES]

    def honest(ticket: int, unit: str) -> list[tuple[int, Any]]:
        return [(ticket, {**DONE, "status": "split", "pieces": pieces} if unit == "[]" else REFUTED)]

    Coordinator(ledger, Liar(honest), search.id).run()
    assert ledger.state(search.id) == "none"
    status = ledger.status(search.id)
    assert (status["units"]["split"], status["units"]["refuted"]) == (1, 2)
