"""One unit of work, wherever it is done: JSON in, JSON out."""

from __future__ import annotations

import base64
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Literal, Required, TypedDict

from satlife.engines.options import Options
from satlife.engines.sat.cubes import parse_cube
from satlife.engines.work import Piece, Result, Verdict, Work
from satlife.errors import InputError, LimitError, SatlifeError
from satlife.limits import Limits
from satlife.problem.ask import ask_from
from satlife.problem.outcome import Find, FindJson
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.search import plan
from satlife.store.ledger import this_process
from satlife.store.records import UNITS, SearchRecord
from satlife.version import __version__

LARGEST = 64 << 20  # bytes of a proof that travels
SPLITTING = 10.0  # seconds that a worker tries to split its unit


class Order(Enum):
    """What whoever does a unit is told meanwhile."""

    GO_ON = 0
    SPLIT = 1
    STOP = 2


class UnitMessage(TypedDict, total=False):
    """What is said of a unit: each find, perhaps that it cannot be split ("whole"), and at last the result."""

    say: Required[Literal["find", "whole", "result"]]
    problem: str
    find: FindJson
    who: str
    how: str
    status: str
    solver: str
    strategy: str
    reason: str
    seconds: float
    proof: str  # of a unit that is refuted: packed DRAT in base 64
    value: str  # of a unit of a count
    pieces: list[tuple[str, bool]]  # of a unit that was split: the text, and whether it is refuted already


Tell = Callable[[UnitMessage], None]


#: The JSON types of what a message may say; `find` and `pieces` are examined further where they are read.
TEXTS = ("say", "problem", "who", "how", "status", "solver", "strategy", "reason", "proof", "value")
KINDS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(TEXTS, str), "find": dict, "seconds": (int, float), "pieces": list,
}  # fmt: skip


def is_message(said: object) -> bool:
    """Whether what came from a worker is a message: a table of known fields, each of its type."""
    return isinstance(said, dict) and all(isinstance(value, KINDS.get(name, ())) for name, value in said.items())


def failure(reason: str) -> UnitMessage:
    """The result of a unit that came to nothing."""
    return {"say": "result", "status": Verdict.UNKNOWN, "reason": reason[:200], "seconds": 0.0}


def describe(search: SearchRecord, unit: str, parts: int, on_device: bool = False, cores: int = 1) -> str:
    """A unit as JSON: the question, the part of it, how and on what to work on it, and into how many pieces to split
    it."""
    data = {"units": UNITS, "ask": search.ask.to_dict(), "part": unit, "parts": parts, "prove": search.prove}
    options = replace(search.settings, jobs=cores, device="gpu" if on_device else "cpu")
    return json.dumps({**data, "options": options.to_dict()})


def work(text: str, tell: Tell, orders: Callable[[], Order]) -> None:
    """Do a unit; tells each find, and at last the result."""
    started = time.monotonic()
    data = json.loads(text)
    if data.get("units") != UNITS:
        tell(failure(f"this worker has a satlife ({__version__}) that splits questions differently"))
        return
    who = this_process()

    def keep(problem: Problem, find: Find, how: str) -> None:
        tell({"say": "find", "problem": problem.to_json(), "find": find.to_dict(problem), "who": who, "how": how})

    try:
        ask = ask_from(data["ask"])
        options = Options(**data["options"])
        units = plan.work(ask, options)
        watch = UnitWatch(units, data["part"], data["parts"], tell, orders)
        result = units.solve(data["part"], keep, watch.stop)
        wants_proof = data["prove"] and result.status == Verdict.REFUTED
        proof = prove(ask.question, data["part"], options, orders) if wants_proof else ""
    except SatlifeError as error:
        result, watch, proof = Result(Verdict.UNKNOWN, reason=str(error)), None, ""
    said: UnitMessage = {"say": "result", "seconds": time.monotonic() - started, "who": who, "status": result.status}
    if proof:
        said["proof"] = proof
    found = result.pieces
    if watch and watch.pieces and result.status == Verdict.UNKNOWN:
        found = tuple(watch.pieces)
    if found:
        tell({**said, "status": Verdict.SPLIT, "pieces": [(piece.unit, piece.refuted) for piece in found]})
        return
    if result.value:
        said["value"] = result.value
    tell({**said, "solver": result.solver, "strategy": result.strategy, "reason": result.reason})


def prove(asked: Question, part: str, options: Options, orders: Callable[[], Order]) -> str:
    """The proof that a unit is refuted, packed: that of a cube, checked, or the windows after partial ships.  Empty if
    there is none to be had here, and then the coordinator tries.  That there is an answer after all is an error."""
    from satlife.proof.publish import Missed, Unproved

    def stopped() -> bool:
        return orders() is Order.STOP

    try:
        if asked.strip:
            from satlife.proof.rows.certify import of_unit

            proof = of_unit(asked.strip, part, stopped, options.jobs or 1)
        else:
            limits = Limits(0.0, options.memory or 0, stopped)
            proof = of_cube(asked.in_a_box("a cube"), part, options, limits)
    except Missed:
        raise
    except (Unproved, InputError, LimitError, OSError):
        return ""
    return base64.b64encode(proof).decode() if len(proof) <= LARGEST else ""


def of_cube(problem: Problem, part: str, options: Options, limits: Limits) -> bytes:
    """The proof that a cube is refuted, checked and packed."""
    from satlife.proof.cubes import CubeProver, packed

    with tempfile.TemporaryDirectory(prefix="satlife-") as folder:
        return packed(CubeProver(problem, options).refute(parse_cube(part), Path(folder) / "trace", limits))


class UnitWatch:
    """Asked now and then while a unit is solved.  When the unit is to be split, that is done right here: a solver, as a
    process of its own, goes on meanwhile, and nothing is lost if the unit cannot be split."""

    def __init__(self, units: Work, part: str, parts: int, tell: Tell, orders: Callable[[], Order]) -> None:
        self.units, self.part, self.parts, self.tell, self.orders = units, part, parts, tell, orders
        self.pieces: list[Piece] = []
        self._refused = False

    def stop(self) -> bool:
        """Whether to stop solving."""
        order = self.orders()
        if order is not Order.SPLIT:
            self._refused = False
            return order is Order.STOP or bool(self.pieces)
        if not self.pieces and not self._refused:
            try:
                pieces = self.units.split(self.part, self.parts, Limits.of(SPLITTING))
            except SatlifeError:
                pieces = []
            if sum(not piece.refuted for piece in pieces) >= 2:
                self.pieces = pieces
            else:
                self._refused = True
                self.tell({"say": "whole"})
        return bool(self.pieces)
