"""`satlife search` with a question on each line: the answers of single questions, in order."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import perform, run, stream, written
from satlife import files
from satlife.cli import asking
from satlife.cli.process import Interrupted
from satlife.errors import LimitError

BLOCK = {"box": [2, 2]}
BLINKER = {"box": [3, 3], "period": 2}
NONE = {"box": [2, 2], "period": 2}
QUESTIONS: list[dict[str, Any]] = [
    BLOCK,
    NONE,
    {"box": [6, "*"], "period": 4, "displacement": [-1, -1]},
    {"box": [4, 4], "rule": "B3/S23", "population": ["<=4"], "kind": "still-life"},
]
#: What is different in two searches for the same.
PASSING = ("seconds", "line", "solver", "strategy", "encoding", "pattern")


def lines(*questions: object) -> str:
    return "".join(json.dumps(question) + "\n" for question in questions)


def lasting(answer: dict[str, Any]) -> dict[str, Any]:
    """What two searches for the same have in common."""
    return {name: value for name, value in answer.items() if name not in PASSING}


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATLIFE_STORE", str(tmp_path / "store.db"))


def answers(text: str, *options: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code and the answers to a text on standard input."""
    done = run("search", "-", "--json", *options, stdin=text)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_answers_are_those_of_single_questions(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text(lines(*QUESTIONS))
    done = run("search", "questions.jsonl", "--json", cwd=tmp_path)
    together = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["line"] for answer in together] == [1, 2, 3, 4]
    assert [answer["status"] for answer in together] == ["found", "none", "found", "found"]
    for question, answer in zip(QUESTIONS, together, strict=True):
        (tmp_path / "one.json").write_text(json.dumps(question, indent=1))
        alone = json.loads(run("search", "one.json", "--json", cwd=tmp_path).stdout)
        assert lasting(answer) == lasting(alone)
    assert done.returncode == 0


def test_a_line_may_have_options_of_its_own() -> None:
    code, found = answers(
        lines(
            BLINKER,
            {"problem": {"box": [4, 4]}, "options": {"count-only": False}},
            {"problem": {"box": [3, 3]}, "options": {"count-only": False, "count": "all"}},
        ),
        "--count-only",
    )
    assert [answer["line"] for answer in found] == [1, 2, *[3] * 12]
    assert (found[0]["count"], found[1]["status"], found[-1]["count"]) == (2, "found", 11)
    assert code == 0


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"box": [3}', "not valid JSON: Expecting ',' delimiter (column 11)"),
        ("[3, 3]", "a question is a table"),
        ('{"boks": [3, 3]}', "there is no field 'boks'"),
        ('{"problem": {"box": [3, 3]}, "time": 3}', "there is no field 'time' beside `problem`; there is `options`"),
        ('{"problem": {"box": [3, 3]}, "options": 3}', "should be a table"),
        ('{"problem": {"box": [3, 3]}, "options": {"tim": 3}}', "no option 'tim' of a line; did you mean 'time'?"),
        ('{"problem": {"box": [3, 3]}, "options": {"output": "f"}}', "no option 'output' of a line"),
        ('{"problem": {"box": [3, 3]}, "options": {"time": "soon"}}', "'soon' is not a number of seconds above 0"),
        ('{"problem": {"box": [3, 3]}, "options": {"time": true}}', "should be a number or a word, not true"),
        ('{"problem": {"box": [3, 3]}, "options": {"time": null}}', "should be a number or a word, not null"),
        ('{"kind": "oscillator", "box": [3, "*"], "period": 2, "gutter": 1}', "should be true or false, not 1"),
        ('{"problem": {"box": [3, 3]}, "options": {"distinct": "no"}}', 'should be true or false, not "no"'),
        ('{"problem": {"box": [3, 3]}, "options": {"minimize": true, "maximize": true}}', "do not go together"),
        ('{"problem": {"box": [3, 3]}, "options": {"strategy": "luck"}}', "luck"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_a_bad_line_is_answered_by_its_error(line: str, reason: str) -> None:
    code, found = answers(f"{json.dumps(BLOCK)}\n{line}\n\n{json.dumps(BLINKER)}\n")
    assert [(answer["line"], answer["status"]) for answer in found] == [(1, "found"), (2, "error"), (4, "found")]
    assert reason in found[1]["reason"]
    assert found[1].keys() >= {"problem", "pattern"}
    assert code == 1


def test_text_is_told_with_the_line() -> None:
    done = run("search", "-", stdin=lines(BLOCK, NONE, 3))
    assert done.stdout.count("x = ") == 1
    told = done.stderr.splitlines()
    assert told[0].startswith("satlife: line 1: found xs4_33")
    assert told[1].startswith("satlife: line 2: there is none")
    assert told[2].startswith("satlife: standard input, line 3: a question is a table")
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("questions", "options", "code"),
    [
        ([BLOCK, BLINKER], (), 0),
        ([BLOCK, NONE], (), 0),
        ([NONE, NONE], (), 20),
        ([BLOCK, NONE, {"problem": {"box": [60, 60], "period": 37}, "options": {"time": 0.001}}], (), 3),
        ([NONE, 3], (), 1),
    ],
)
def test_exit_codes(questions: list[object], options: tuple[str, ...], code: int, tmp_path: Path) -> None:
    (tmp_path / "questions.ndjson").write_text(lines(*questions))
    assert run("search", "questions.ndjson", "-q", *options, cwd=tmp_path).returncode == code


class Asker(io.RawIOBase):
    """A program that asks through a pipe: it writes a line only when the one before is answered."""

    def __init__(self, questions: list[dict[str, Any]], out: io.TextIOWrapper) -> None:
        self.questions, self.out, self.asked = iter(questions), out, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        assert len(written(self.out).splitlines()) == self.asked, "it read on before it had answered"
        self.asked += 1
        line = lines(*[question for question in [next(self.questions, None)] if question]).encode()
        buffer[: len(line)] = line
        return len(line)


def test_each_line_is_answered_before_the_next_is_read() -> None:
    out, err = stream(), stream()
    asker = Asker([BLOCK, NONE, BLINKER], out)
    code = perform(("search", "-", "--json"), io.TextIOWrapper(io.BufferedReader(asker)), out, err)
    assert (code, written(err)) == (0, "")
    assert [json.loads(line)["status"] for line in written(out).splitlines()] == ["found", "none", "found"]


def test_ctrl_c_keeps_what_was_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    answered, calls = asking.answered, iter(range(9))

    def interrupted(*arguments: Any) -> Any:
        if next(calls) == 1:
            raise Interrupted
        return answered(*arguments)

    monkeypatch.setattr(asking, "answered", interrupted)
    code, found = answers(lines(BLOCK, BLINKER, NONE))
    assert (code, [answer["line"] for answer in found]) == (130, [1])


@pytest.mark.parametrize("text", ["box = [3, 3]\nperiod = 2\n", json.dumps(BLINKER, indent=1)])
def test_standard_input_may_be_one_question_on_several_lines(text: str) -> None:
    code, found = answers(text)
    assert code == 0
    assert "line" not in found[0]


@pytest.mark.parametrize("before", ["\ufeff", " \t"])
def test_standard_input_is_a_list_whatever_comes_before_its_first_line(before: str) -> None:
    code, found = answers(before + lines(BLINKER, BLOCK))
    assert (code, [(answer["line"], answer["status"]) for answer in found]) == (0, [(1, "found"), (2, "found")])


def test_lists_may_be_compressed(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl.gz").write_bytes(gzip.compress(lines(BLOCK, NONE).encode()))
    done = run("search", "questions.jsonl.gz", "--json", cwd=tmp_path)
    assert [json.loads(line)["line"] for line in done.stdout.splitlines()] == [1, 2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--proof", "here"), "--proof is for one question"),
        (("--from", "here"), "--from is for one question"),
        (("--print-problem",), "--print-problem is for one question"),
        (("-r", "B36/S23"), "a problem file takes no such options"),
    ],
)
def test_options_for_one_question_are_refused(options: tuple[str, ...], words: str, tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text(lines(BLOCK))
    done = run("search", "questions.jsonl", *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"\n \n", "there is no question in questions.jsonl"), (None, "cannot read questions.jsonl")],
)
def test_a_file_without_questions(content: bytes | None, words: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "questions.jsonl").write_bytes(content)
    done = run("search", "questions.jsonl", cwd=tmp_path)
    assert done.returncode == 1
    assert words in done.stderr


def test_a_line_that_is_no_text_is_an_error_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_bytes(b"\xff\n" + lines(BLOCK).encode())
    done = run("search", "questions.jsonl", "--json", cwd=tmp_path)
    first, second = map(json.loads, done.stdout.splitlines())
    assert "byte 1 is not UTF-8" in first["reason"]
    assert second["status"] == "found"


def test_a_line_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", stream("1234567\n123456789\n"))
    with pytest.raises(LimitError, match="standard input is larger than"):
        list(files.lines("-", limit=8))
