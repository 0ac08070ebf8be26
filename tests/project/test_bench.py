"""The benchmarks ask other programs what they ask satlife, and understand what these say."""

from __future__ import annotations

import json
import os
import random
import shlex
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from bench import catalysts, family, programs, questions, rows, table
from bench.peers import OURS, PEERS, every_image, images, natural, opposite
from bench.programs import Program, Question, Run, ask

import satlife
from satlife.benchmark import folder
from satlife.benchmark.instances import UNKNOWN, instances

SHIP = satlife.spaceship((16, 5), 3, (0, -1))
PEER = {peer.name: peer for peer in PEERS}
FOUND = """x = 16, y = 5, rule = B3/S23
7bo$5b3ob3ob2o$b2ob2o2bo4b2o$b2o2bo3b2obo2bo$o2bo!
"""
BLOCKS = "\n".join(
    [
        "Number of clauses: 111351",
        "",
        "x = 18, y = 8, rule = B3/S23",
        "              ▄▄  ",
        " ▄▀▀   ▀▄▄ ▀▄▄▄▄▀ ",
        "  ▀▀▀ █▀▄█ ▀▀     ",
        "                  ",
        "",
        "Total solver time: 7.26",
        "",
    ]
)
BLOCK = "x = 2, y = 2, rule = B3/S23\noo$\noo!\n"


def printing(peer: Program, output: str) -> Program:
    """A peer that prints this, whatever it is asked."""
    return Program(peer.name, lambda _: iter([["printf", "%s", output]]), peer.none, peer.version)


def asked(peer: str, question: Question) -> list[str]:
    program = PEER[peer]
    return [shlex.join(command) for image in program.images(question) for command in program.commands(image)]


@pytest.mark.parametrize(
    ("peer", "output", "status"),
    [
        ("rlifesrc", FOUND, "found"),
        ("rlifesrc", "Not found.\n", "none"),
        ("rlifesrc", BLOCK, "another"),
        ("rlifesrc", "error: unexpected argument '-f' found\n", "failed"),
        ("factoriosrc", FOUND, "found"),
        ("factoriosrc", "x = 15, y = 5, rule = B3/S23\n15?$15?$15?$15?$15?!\n", "none"),
        ("lls", BLOCKS, "found"),
        ("lls", BLOCKS.replace("█", "▀"), "another"),
        ("lls", "Number of clauses: 91419\n\nUnsatisfiable\n\nTotal solver time: 10.4\n", "none"),
        ("lls", "Unsatisfiability proved in preprocessing\n", "none"),
        ("qfind", f"Queue full\n{FOUND}\n1 spaceship found.\n", "found"),
        ("qfind", f"0 spaceships found.\nLongest partial result:\n\n{FOUND}", "none"),
    ],
)
def test_what_peers_say(peer: str, output: str, status: str) -> None:
    run = ask(printing(PEER[peer], output), SHIP, 60)
    assert run is not None
    assert run.status == status


@pytest.mark.parametrize(
    ("question", "status"),
    [(satlife.spaceship((4, 4), 4, (1, 1)), "found"), (satlife.spaceship((3, 3), 4, (1, 1)), "none")],
)
def test_what_satlife_says(question: satlife.Problem, status: str) -> None:
    run = ask(OURS, question, 600)
    assert run is not None
    assert run.status == status
    assert run.command == f"satlife spaceship {question.width}x{question.height} -p 4 -d 1,1"


def test_the_fastest_answer_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the first one, and not a faster failure; what follows an answer has no more time than that took."""
    ends = {"a": Run(20, 0, "late", ["a"]), "b": Run(5, 0, "none", ["b"]), "c": Run(1, 0, "failed", ["c"])}
    ends |= {"d": Run(2, 0, "none", ["d"]), "e": Run(2, 0, "late", ["e"])}
    limits = []

    def perform(program: Program, question: Question, command: list[str], limit: float) -> Run:
        limits.append(limit)
        return ends[command[0]]

    monkeypatch.setattr(programs, "perform", perform)
    peer = Program("peer", lambda _: ([name] for name in ends), "", ("peer",))
    assert ask(peer, SHIP, 20) == ends["d"]
    assert limits == [20, 20, 5, 5, 2]
    limits.clear()
    assert ask(peer, SHIP, 20, runs=2) == ends["d"]
    assert limits == [20, 20, 5, 5, 5, 2, 2]  # an answer is asked for again, a silence is not


def test_what_takes_too_long_is_ended() -> None:
    peer = Program("peer", lambda _: iter([["sh", "-c", "sleep 1000 & sleep 1000"]]), "Not found", ("sh",))
    run = ask(peer, SHIP, 0.2)
    assert run is not None
    assert run.status == "late"


def test_questions_that_cannot_be_put() -> None:
    assert ask(PEER["qfind"], SHIP, 1) is None
    assert ask(PEER["rlifesrc"], rows.SHIPS["c/4, 20 wide even"], 1) is None


def test_images() -> None:
    """A ship has four images or eight, and all of them the same answer."""
    assert len(images(SHIP)) == len(every_image(SHIP)) == 4
    assert len(natural(SHIP)) == 2
    assert len(images(satlife.oscillator((9, 7), 14, symmetry=["D2|", "F-@7"]))) == 2
    assert opposite(SHIP) == [satlife.spaceship((16, 5), 3, (0, 1))]
    for question in (
        satlife.spaceship((4, 3), 4, (1, 1)),
        satlife.spaceship((5, 3), 4, (2, 0)),
        satlife.spaceship((6, 6), 4, (1, -1), symmetry="D2/", rule="B3/S2"),
    ):
        assert question in images(question)
        answers = [satlife.find(image).status for image in images(question) if isinstance(image, satlife.Problem)]
        assert len(set(answers)) == 1


def test_how_peers_are_asked() -> None:
    box = questions.LADDER["c/4 26x8"]
    assert "rlifesrc --no-tui -r B3/S23 -c alive -- 26 8 4 0 1" in asked("rlifesrc", box)
    assert len(asked("rlifesrc", box)) == len(asked("factoriosrc", box)) == 4
    assert asked("qfind", rows.SHIPS["c/10, 10 wide even (copperhead)"])[0].startswith(
        "qfind -r B3/S23 -v c/10 -w 5 -s even -t"
    )
    tumbler = asked("rlifesrc", questions.LADDER["tumbler"])
    assert "rlifesrc --no-tui -r B3/S23 -s 'D2|' -t F- -c dead -- 9 7 7 0 0" in tumbler
    assert asked("lls", SHIP) == [
        "lls -r B3/S23 -b 16 6 -p '>=1' -s p3 x0 y1",
        "lls -r B3/S23 -b 6 16 -p '>=1' -s p3 x1 y0",
    ]
    assert asked("lls", satlife.oscillator((8, 8), 4, symmetry="D8")) == [
        "lls -r B3/S23 -b 8 8 -p '>=1' -s p4 x0 y0 -s D8 -a p2 x0 y0 -a p1 x0 y0"
    ]


def test_the_random_questions_stay_the_same() -> None:
    drawn = list(questions.others())
    assert (len(drawn), drawn[0], drawn[-1]) == (40, "B348/S1 14x12 p3 (1,-1)", "B38/S457 6x6 p6 (3,-3)")


def rows_of(*times: tuple[float, float, str]) -> Iterator[table.Row]:
    for number, (ours, theirs, status) in enumerate(times):
        runs = {"satlife": Run(ours, ours, "found", []), "rlifesrc": Run(theirs, theirs, status, [])}
        yield table.Row(str(number), runs, ("rlifesrc",))


def test_ratios() -> None:
    """A pattern of another period is no answer, however early it comes."""
    times = [(1.0, 2.0, "found"), (1, 8, "late"), (0.2, 0.1, "found"), (3, 0.2, "found"), (3, 0.1, "another")]
    given = list(rows_of(*times))
    assert [row.ratio(row.fastest) for row in given] == [2, 8, 0.5, pytest.approx(1 / 15), None]
    mean, count = table.geometric_means(given)["fastest peer"]
    assert (round(mean, 9), count) == (4, 2)
    assert table.behind(given, 0.25) == "3 (2.8 s)"
    assert next(rows_of((1, 2, "none"))).answer == "DISPUTED"


# Solvers on the instances of `satlife family`.


def answered(text: str) -> dict[str, family.Answer]:
    """Answers of the four solvers: `sat 2.5`, for instance."""
    return {
        solver: family.Answer(word, float(seconds))
        for solver, (word, seconds) in zip(family.SOLVERS, map(str.split, text.split(", ")), strict=True)
    }


LATE = "more than 60 s"


@pytest.mark.parametrize(
    ("expected", "answers", "cells", "wrong"),
    [
        ("sat", "sat 2.5, sat 31, unknown 60.2, sat 3", f"**2.5 s** | 31 s | {LATE} | 3.0 s |", False),
        ("sat", "sat 2, unsat 1, sat 3, sat 3", "2.0 s | **1.0 s** | 3.0 s | 3.0 s | WRONG", True),
        ("unsat", "unsat 2, failed 1, unsat 3, unsat 3", "**2.0 s** | failed | 3.0 s | 3.0 s | WRONG", True),
        ("unknown", "sat 2, sat 1, unknown 60, sat 3", f"2.0 s | **1.0 s** | {LATE} | 3.0 s |", False),
        ("unknown", "sat 2, unsat 1, sat 3, sat 3", "2.0 s | **1.0 s** | 3.0 s | 3.0 s | WRONG", True),
    ],
)
def test_the_rows_of_solvers(
    expected: str, answers: str, cells: str, wrong: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = folder.write(tmp_path, instances(("ship-c4d-4x3",))[0], "dimacs")
    entry |= {"status": expected, "variables": 8, "clauses": 9}
    given = answered(answers)
    measured = family.measured([entry, entry], lambda solver, _: given[solver], 3)
    assert family.report(measured, 60, 3, str(tmp_path / "all.json")) is not wrong
    printed = capsys.readouterr()
    assert printed.out.splitlines()[2:4] == 2 * [f"| `ship-c4d-4x3` | {expected} | 8 | 9 | {cells}"]
    assert bool(printed.err) is wrong
    written = json.loads((tmp_path / "all.json").read_text())
    assert (written["limit"], written["jobs"], len(written["instances"])) == (60, 3, 2)
    assert written["instances"][1]["answers"]["kissat"] == asdict(given["kissat"])


def test_a_solver_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(family, "SOLVERS", ("minisat22",))
    assert family.main(["ship-c4d-4x3", "--limit", "600"]) == 0
    assert capsys.readouterr().out.splitlines()[2].startswith("| `ship-c4d-4x3` | sat | 728 | 2,929 | **")
    assert family.ask("minisat22", tmp_path / "none.cnf", 600).status.startswith("no answer: satlife: ")


def test_those_that_are_run_by_default_are_there() -> None:
    assert [instance.status for instance in instances(family.CHOSEN)].count(UNKNOWN) == 0
    assert len(instances(family.CHOSEN)) == len(family.CHOSEN)


def test_what_was_to_be_imported_from_elsewhere_still_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In any folder: a relative path is one of the folder where the benchmark was started."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"vendor{os.pathsep}")
    assert programs.environment()["PYTHONPATH"].split(os.pathsep)[1:] == [str(tmp_path / "vendor")]


# Catalysts.
BARRISTER = """#!/bin/sh
cat <<'END'
Winner:
x = 0, y = 0, rule = LifeBellman
2$3.A$4.A$2.3A!
Completed:
4$4bo$5bo$3b3o4b2o$8bo2bo$8b2o$
All solutions:
x = 0, y = 0, rule = B3/S23
4$4bo69bo$5bo69bo$3b3o4b2o61b3o$8bo2bo$8b2o$
Unique perturbations:
x = 0, y = 0, rule = B3/S23
4$4bo69bo$5bo69bo$3b3o4b2o61b3o$8bo2bo$8b2o$
END
"""
REACTION = """
max-active-cells = 6
first-active-range = [0, 6]
active-window-range = [0, 9]
pattern = '''
x = 13, y = 10, rule = LifeHistory
5.8B$5.8B$.A3.8B$2.A2.8B$3A2.8B$5.8B$5.8B$5.8B$5.8B$5.8B!
'''
"""


@pytest.fixture
def barrister(tmp_path: Path) -> Path:
    """A folder with a program in the place of Barrister, which prints a catalyst and a lone glider."""
    (tmp_path / "inputs").mkdir()
    (tmp_path / "inputs" / "glider.toml").write_text(REACTION)
    (tmp_path / "Barrister").write_text(BARRISTER)
    (tmp_path / "Barrister").chmod(0o755)
    return tmp_path


def test_catalysts_are_compared_by_what_they_do(barrister: Path) -> None:
    file = barrister / "inputs" / "glider.toml"
    ours, theirs = catalysts.ask_satlife(file, 600), catalysts.ask_barrister(barrister, file, 600)
    assert (ours.complete, ours.wrong, theirs.complete, theirs.wrong) == (True, 0, True, 1)
    assert ours.perturbations == theirs.perturbations
    assert catalysts.verdict(ours, theirs) == "all of its are among ours, 1 of its results are not as asked"
    other = replace(theirs, perturbations=frozenset({frozenset({(1, 1)})}), wrong=0)
    assert catalysts.verdict(ours, other) == "1 OF ITS PERTURBATIONS ARE MISSING"
    assert catalysts.verdict(replace(ours, complete=False), other) == "undecided"


def test_the_table_of_catalysts(barrister: Path, capsys: pytest.CaptureFixture[str]) -> None:
    catalysts.compare(barrister, "glid", 600)
    printed = capsys.readouterr().out
    assert "1, 1; all of its are among ours" in printed
    assert f"satlife catalyst {barrister}/inputs/glider.toml -n all --time 600" in printed
    assert "ulimit -s unlimited; exec ./Barrister inputs/glider.toml" in printed


def test_what_barrister_says_when_it_does_not_answer(barrister: Path) -> None:
    file = barrister / "inputs" / "glider.toml"
    (barrister / "Barrister").write_text("#!/bin/sh\necho a value is too high!\nexit 1\n")
    assert catalysts.ask_barrister(barrister, file, 600).shown == "a value is too high!"


def test_what_barrister_has_completed_when_its_time_is_up() -> None:
    begun = BARRISTER.partition("All solutions")[0]
    (result,) = catalysts.printed(begun)
    assert (result.population, result.points()[:3]) == (11, [(4, 4), (5, 5), (3, 6)])
    assert catalysts.perturbation(satlife.catalyst(REACTION), result) is not None


def test_the_questions_about_catalysts_stay_the_same() -> None:
    rng = random.Random(catalysts.SEED)
    drawn = [catalysts.drawn(rng) for _ in range(catalysts.QUESTIONS)]
    assert [region for _, region in drawn] == [(7, 10), (8, 9), (8, 9), (7, 10), (9, 10)]
    assert catalysts.seconds_each(*drawn[0]) > 0
