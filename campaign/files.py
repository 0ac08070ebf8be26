"""Mutated files of every format: a parser must refuse them with one of our own errors, fast and in little memory.

What can be read is written and read again, and must be the same.
"""

from __future__ import annotations

import io
import json
import random
import resource
import signal
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import satlife
from campaign.attempt import Attempt
from campaign.mutate import damaged
from campaign.shell import run_satlife
from satlife import knuth
from satlife.cli.decoding import solution_values
from satlife.cnf import dimacs, knuthfile
from satlife.cnf.formula import Formula
from satlife.cnf.read import read as read_formula
from satlife.engines.rows.cpu.search import FrontierSearch
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.ships import RowSearch
from satlife.engines.work import Piece
from satlife.errors import SatlifeError
from satlife.knuth.solution import draw
from satlife.life import formats
from satlife.life.formats import apgcode, cells, life106, rle
from satlife.life.pattern import Pattern
from satlife.life.rule import Rule, parse_topology
from satlife.problem import families, symmetry
from satlife.problem.ask import read_question
from satlife.problem.conditions.population import Bound
from satlife.problem.grid import parse_grid
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Find
from satlife.problem.problem import read_problem
from satlife.proof import drat
from satlife.store.ledger import Ledger

CPU = 0.5  # seconds that a file of a few kilobytes may take
MEMORY = 300 << 10  # kilobytes by which the process may grow
HANGS = 20  # seconds after which a parser is taken to hang

Parser = Callable[[bytes, Path], str]  # what is wrong, or an empty text; may raise SatlifeError


@dataclass(frozen=True)
class Format:
    """Sample files of a format, and its parser."""

    samples: list[bytes]
    parse: Parser


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """Mutated files of all formats."""
    formats_ = every_format()
    everything = [sample for kind in formats_.values() for sample in kind.samples]
    for _ in range(30):
        name = rng.choice(list(formats_))
        kind = formats_[name]
        data = rng.choice(kind.samples)
        if rng.random() < 0.95:
            data = damaged(rng, data, everything if rng.random() < 0.2 else kind.samples)
        shown = data if len(data) < 150 else data[:60] + b"..." + data[-60:]
        yield Attempt(f"{name}: {shown!r}", objection(kind.parse, data, folder))


def objection(parse: Parser, data: bytes, folder: Path) -> str:
    before, started = _peak(), time.thread_time()
    try:
        with limited(HANGS):
            wrong = parse(data, folder)
    except SatlifeError as error:
        wrong = "" if str(error) and len(str(error)) < 1000 else f"the message has {len(str(error))} characters"
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
    spent = time.thread_time() - started
    if not wrong and spent > CPU:
        wrong = f"it took {spent:.1f} s"
    if not wrong and _peak() > before + MEMORY:
        wrong = f"it took {(_peak() - before) >> 10} MB"
    return wrong


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError after `seconds`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def give_up(number: int, frame: object) -> None:
        raise TimeoutError(f"still busy after {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# Parsers.
def text_of(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def pattern(read: Callable[[str], Pattern], write: Callable[[Pattern], str]) -> Parser:
    """A pattern that is written and read again is the same, and so is the text."""

    def parse(data: bytes, folder: Path) -> str:
        found = read(text_of(data))
        if found.cells.size > 1 << 16:
            return ""  # writing may take its time
        try:
            text = write(found)
        except SatlifeError:
            return ""
        again = read(text)
        if again != found or (again.cells.shape != found.cells.shape and "1.06" not in text):
            return f"read, written and read again it is another pattern: {text[:200]!r}"
        return "" if write(again) == text else f"written again it is another text: {text[:200]!r}"

    return parse


def any_pattern(data: bytes, folder: Path) -> str:
    file = folder / "pattern"
    file.write_bytes(data)
    found = formats.read(str(file), unknown=True)
    if found.cells.size < 1 << 12:
        families.predecessor(found)
    return ""


def code(data: bytes, folder: Path) -> str:
    text = text_of(data).strip()
    found = apgcode.parse(text)
    assert found.population
    return ""


def grid(data: bytes, folder: Path) -> str:
    found = parse_grid(text_of(data))
    text = "\n\n".join("\n".join(" ".join(map(str, row)) for row in rows) for rows in found)
    if parse_grid(text) != found:
        return f"read, written and read again it is another grid: {text[:200]!r}"
    if sum(len(rows) * len(rows[0]) for rows in found) < 1 << 12:
        families.grid(text_of(data))
    return ""


def problem(data: bytes, folder: Path) -> str:
    found = read_problem(text_of(data))
    if found.width * found.height > 1 << 12:
        return ""
    for text in (found.to_json(), found.to_toml()):
        again = read_problem(text)
        if again != found or again.key != found.key:
            return f"written and read again it is another question: {text[:300]!r}"
    assert found.motions is not None
    return ""


def open_box(data: bytes, folder: Path) -> str:
    found = read_question(text_of(data))
    texts = (found.to_json(), found.to_toml()) if isinstance(found, OpenBox) else ()
    return "" if all(read_question(text) == found for text in texts) else "it is another question"


def rule(data: bytes, folder: Path) -> str:
    found, _ = parse_topology(text_of(data))
    return "" if Rule.parse(found.name) == found else f"{found.name!r} is another rule"


def small_words(data: bytes, folder: Path) -> str:
    text = text_of(data)
    for read in (Bound.parse, symmetry.canonical):
        try:
            found = str(read(text))
        except SatlifeError:
            continue
        if str(read(found)) != found:
            return f"{found!r} is read as something else"
    return ""


def same_formula(a: Formula, b: Formula) -> bool:
    return list(a.clauses()) == list(b.clauses()) and (a.names, a.variables) == (b.names, b.variables)


def dimacs_file(data: bytes, folder: Path) -> str:
    found = dimacs.read(io.BytesIO(data))
    if found.variables > 10_000:
        return ""
    again = dimacs.read(io.BytesIO(b"".join(dimacs.write(found))))
    return "" if same_formula(found, again) else "written and read again it is another formula"


def knuth_file(data: bytes, folder: Path) -> str:
    found = knuthfile.read(io.BytesIO(data))
    again = knuthfile.read(io.BytesIO(b"".join(knuthfile.write(found))))
    return "" if same_formula(found, again) else "written and read again it is another formula"


def formula_file(data: bytes, folder: Path) -> str:
    file = folder / "formula"
    file.write_bytes(data)
    read_formula(str(file))
    return ""


def proof(data: bytes, folder: Path) -> str:
    found = drat.read(data)
    again = drat.read(drat.write(found)) if len(found) else found
    same = all((getattr(found, name) == getattr(again, name)).all() for name in ("literals", "ends", "deletes"))
    return "" if same else "written and read again it is another proof"


def solution(data: bytes, folder: Path) -> str:
    """The output of another solver, for a formula of ours."""
    file = folder / "solution"
    file.write_bytes(data)
    solution_values(text_of(data), str(file), knuth.formula("sat-life-grid", 2, 2, 1), {})
    cnf = folder / "question.cnf"
    if not cnf.exists():
        run_satlife(["encode", "still-life", "2x2", "-o", str(cnf)])
    result = run_satlife(["decode", str(cnf), str(file), "-q"])
    if result.code == 0 and "4" not in result.output and "2o$2o!" not in result.output:
        return f"another pattern than the block: {result.output!r}"
    return result.crash


def drawing(data: bytes, folder: Path) -> str:
    list(draw(text_of(data).splitlines()))
    return ""


def find(data: bytes, folder: Path) -> str:
    asked = satlife.still_life((3, 3))
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    found = Find.from_dict(given, asked)
    found.check(asked)
    return ""


def partial_ships(data: bytes, folder: Path) -> str:
    search = RowSearch.start(OPEN_BOX, 1)
    search.load(text_of(data))
    return ""


def store(data: bytes, folder: Path) -> str:
    """A store with changed bytes: its readable part is shown, or the damage is reported."""
    home = Path(tempfile.mkdtemp(dir=folder))
    file = home / "store.db"
    file.write_bytes(data)
    with Ledger(file) as ledger:
        for entry in ledger.finds():
            entry.line()
            entry.to_dict()
        for number in ledger.numbers():
            ledger.status(number)
            for unit in ledger.lease_many(number, 1):
                ledger.give_back(unit)
        ledger.enter(satlife.Ask(satlife.still_life((2, 2)), satlife.ListAll(distinct=True)), {})
    for words in (["jobs", "list"], ["finds"], ["finds", "--json"]):
        result = run_satlife([*words, "--store", str(file)])
        if result.crash:
            return f"{' '.join(words)}: {result.crash}"
    return ""


# Samples.
OPEN_BOX = OpenBox(5, 3, (0, -1))


@lru_cache(maxsize=1)
def every_format() -> dict[str, Format]:
    """Every format with some valid files, and some of excessive size."""
    ship = satlife.spaceship((5, 5), 4, (1, 1), population="<=9", symmetry="F\\@2")
    questions = [
        ship, satlife.still_life((3, 3), exclude=["2o$2o!"]), satlife.torus((3, 4), 2, rule="B2/S/C3"),
        satlife.grid("0 1 a\n* -a' *\n\n. ? b\n1 1 1"), satlife.wave((3, 4), 2, (0, 1), "y", strict=False),
        satlife.orphan(Pattern.from_rows(["OO"])),
    ]  # fmt: skip
    toml = [question.to_toml().encode() for question in questions]
    as_json = [question.to_json().encode() for question in questions]
    noise = b"AAD//wAA//8" * 7
    patterns = [
        b"#N Glider\n#C a comment\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n", b"bo$2bo$3o!", b"x = 4, y = 1\r\n4o!\r",
        b"x = 3, y = 2, rule = B2/S/C3\n.AB$B.A!\n", b"x = 5, y = 5, rule = B3/S23:T5,5\n3b2o$5o!\n",
        b"x = 2, y = 2, rule = MAP" + noise + b"AAP//AAD/\n2o$2o!", b"3o$99999$o!",
        b"#r 23/3\nO.O$.*.!", b"999999999o!", b"x = 1000000000, y = 1000000000\no!", b"9" * 5000 + b"o!",
        b"x = 3, y = 3, rule = B3/S23\n?bo$??o!",
        b"x = 2, y = 1, rule = B3/S23/C256\nyOA!",
    ]  # fmt: skip
    plain = [b"!Name: glider\n!\n.O\n..O\nOOO\n", b".O.\n\n*.*\n", b"O" * 3000, b"!\n", b"?.O\n..?\n"]
    lists = [b"#Life 1.06\n0 0\n1 0\n-1 5\n", b"#Life 1.06\n#C c\n\n3 4\n", b"#Life 1.06\n999999999 0\n-999999999 0\n",
             b"#Life 1.05\n#D text\n#N\n#P -1 -1\n.*\n..*\n***\n"]  # fmt: skip
    codes = [
        b"xs4_33",
        b"xp2_7",
        b"xq4_153",
        b"xs31_0ca178b96z69d1d96",
        b"xp15_4r4z4r4",
        b"xs4_yzyzyz33",
        b"xs5_y0y1w253",
    ]
    grids = [b"01\n1*\n\na -a'\n. *\n", b"# comment\n* * *\n1,0,*\n\n= = =\n? ? ?\n", b"--a -0 -1' 2x\n", b"*" * 2000]
    cnfs = [b"c text\nc 1 -> a\np cnf 3 3\n1 2 0\n-1\n3 0 -2 0\n", b"p cnf 2 2\n1 -2 0\n2 0\n%\n0\n", b"p cnf 0 0\n",
            b"\xef\xbb\xbfp cnf 1 1\r\n1 0\r\n", b"p cnf 2147483647 1\n1 0\n", b"p cnf 99999999999 1\n"]  # fmt: skip
    sats = [b"~ a comment\n a ~b\n~a\n 1a1 ~2b3\n", b"".join(knuth.text("sat-life-grid", 2, 2, 1))]
    proofs = [
        b"1 2 0\nd 1 2 0\n0\n",
        drat.write(drat.Steps.of([("a", [1, -2]), ("d", [3]), ("a", [])])),
        b"",
        b"a\x82\0",
    ]
    solved = [b"s SATISFIABLE\nv 1 2 3 4 5 0\n", b"s UNSATISFIABLE\n", b"v 1 -2\nv 3 0\n", b"1a1 ~2b3\n", b"c\n", b"v"]
    steps = FrontierSearch(Strip.of(OPEN_BOX))
    ships = RowSearch(OPEN_BOX, steps, 0.0)
    for _ in range(6):
        steps.step()
    boxes = [OPEN_BOX.to_json().encode(), OpenBox(8, 4, (0, -2), symmetry="D2|", gutter=False).to_json().encode()]
    rules = [b"B3/S23", b"23/3", b"b36s23", b"B2-a/S12", b"345/2/4", b"pB3/S23", b"B3/S2?3", b"B2/S34H", b"Day & Night",
             b"B3/S23:T10,12", b"B03/S23", b"B/S/C256", b"MAPYmFzZQ", b"B012345678/S012345678"]  # fmt: skip
    words = [b"<=20", b">=5@2", b"7", b"F-@2", b"R90@1", b"D2v", b"F\\@4:1,1", b"c2"]
    finds = [b'{"generations": ["2o$2o!"]}', b'{"generations": ["b2o$2o!"], "rule": "B3/S23"}']
    return {
        "RLE": Format(patterns, pattern(lambda text: rle.parse(text, True), rle.format)),
        "RLE without unknown cells": Format(patterns, pattern(rle.parse, rle.format)),
        ".cells": Format(plain, pattern(lambda text: cells.parse(text, True), cells.format)),
        "Life 1.06": Format(lists, pattern(life106.parse, life106.format)),
        "pattern file": Format([*patterns, *plain, *lists, *codes], any_pattern),
        "apgcode": Format(codes, code),
        "grid": Format(grids, grid),
        "problem in TOML": Format(toml, problem),
        "problem in JSON": Format(as_json, problem),
        "open box": Format(boxes, open_box),
        "rule": Format(rules, rule),
        "bound or symmetry": Format(words, small_words),
        "DIMACS": Format(cnfs, dimacs_file),
        "Knuth's format": Format(sats, knuth_file),
        "formula": Format([*cnfs, *sats], formula_file),
        "DRAT": Format(proofs, proof),
        "solution": Format(solved, solution),
        "drawing": Format([*solved, b"1a1 ~1a2 2a2\n"], drawing),
        "find": Format(finds, find),
        "partial ships": Format([ships.save().text.encode()], partial_ships),
        "store": Format([_store()], store),
    }


def _store() -> bytes:
    """The file of a small store with everything in it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "store.db"
        run_satlife(["jobs", "start", "still-life", "3x3", "--all", "--store", str(file), "-q", "--jobs", "1"])
        run_satlife(["jobs", "start", "oscillator", "3x3", "-p", "3", "--store", str(file), "-q", "--jobs", "1"])
        with Ledger(file) as ledger:
            entered, _ = ledger.enter(satlife.Ask(satlife.oscillator((4, 4), 3), satlife.ListAll(distinct=True)), {})
            ledger.divide(entered.id, None, [Piece("[[0, 0, 0, 1]]"), Piece("[[0, 0, 0, 0]]")])
        connection = sqlite3.connect(file)
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.close()
        return file.read_bytes()
