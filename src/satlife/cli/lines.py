"""`satlife search FILE.jsonl`: many questions, one on each line, answered one after the other in one process.

The program starts once and loads its kernels once.  An answer is written before the next line is read, so that another
program can ask through a pipe and wait.  A line that is no question is answered by its error, and the others go on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

import click

from satlife import files
from satlife.cli import families, process, report
from satlife.errors import InputError, LimitError, SatlifeError, suggestion
from satlife.problem.ask import question_and_goal
from satlife.problem.families import Family
from satlife.problem.goals import Goal
from satlife.problem.outcome import EXIT_CODES, FOUND, NONE, UNKNOWN
from satlife.problem.question import Question, must_know
from satlife.records import dataclass

ENDINGS = (".jsonl", ".ndjson")
ERROR = 1  # the exit code if a line could not be answered
#: The options that a line may have for its own question.
OWN = (
    "count", "distinct", "count-only", "by-population", "minimize", "maximize", "measure", "smallest", "solver",
    "strategy", "jobs", "seed", "time", "memory", "device",
)  # fmt: skip
#: The options that name one file or folder, or print one question.
FOR_ONE = ("proof", "save", "resume", "print_problem")
Execute = Callable[[Question, dict[str, Any]], int]


@dataclass(frozen=True)
class Lines:
    """The lines of a file."""

    file: str
    lines: Iterator[bytes]


def build(family: Family, values: dict[str, Any]) -> Question | Lines:
    """The question in a file, or the lines of a file that has many; the parameters are removed from `values`.

    A list has a name that says so; standard input is one if its first line is a JSON object by itself."""
    file: str = values["file"]
    named = file.removesuffix(".gz").removesuffix(".xz").endswith(ENDINGS)
    if not named and file != "-":
        return _of_one(family, values, file)
    lines = files.lines(file)
    first = families.read_file(file, lambda path: next(lines, b""))
    everything = chain([first], lines)
    if not named and not re.fullmatch(rb"(\xef\xbb\xbf)?\s*\{.*\}\s*", first):
        return _of_one(family, values, file, lambda path: _joined(everything, path))
    del values["file"]
    _refuse_common(values)
    for name in FOR_ONE:
        if values[name]:
            option = "from" if name == "resume" else name.replace("_", "-")
            raise click.UsageError(f"--{option} is for one question, and {files.shown(file)} has many")
    return Lines(file, everything)


def _refuse_common(values: Mapping[str, Any]) -> None:
    if any(families.common_values(dict(values)).values()):
        raise click.UsageError(families.NO_SUCH_OPTIONS)


def _of_one(
    family: Family, values: dict[str, Any], file: str, read: Callable[[str], str] = files.read_text
) -> Question:
    """The question of a file that has one, with its goal."""
    _refuse_common(values)
    values["file"], values["goal"] = families.parse_file(file, families.read_ask, read)
    return families.build(family, values)


def _joined(lines: Iterator[bytes], path: str) -> str:
    """The text of a file that is one question."""
    data = bytearray()
    for line in lines:
        data += line
        if len(data) > files.TEXT_LIMIT:
            raise LimitError(files.too_large(path, files.TEXT_LIMIT, "a text file"))
    return files.decoded(bytes(data), path)


def answer_all(asked: Lines, values: dict[str, Any], execute: Execute) -> int:
    """Answer every line; returns the exit code for all of them."""
    try:
        report.Report.of({**values, "line": 1})  # refuses what no line can have
    except InputError as error:
        raise click.UsageError(str(error)) from error
    codes = set()
    for number, line in enumerate(asked.lines, 1):
        if line.strip():
            codes.add(answer_line(asked, number, line, values, execute))
    if not codes:
        raise InputError(f"there is no question in {files.shown(asked.file)}")
    return combined(codes)


def answer_line(asked: Lines, number: int, line: bytes, values: dict[str, Any], execute: Execute) -> int:
    """Answer one line as a command of its own would; returns its exit code."""
    process.begin()
    values = {**values, "line": number}
    try:
        question, goal, own = read_line(files.decoded(line, "the line").strip())
        return execute(question, {**values, "goal": goal, **own_options(own)})
    except click.ClickException as error:
        reason = error.format_message()
    except SatlifeError as error:
        reason = str(error)
    except MemoryError:
        reason = "out of memory"
    out = report.Report.of(values)
    if out.style == "json":
        out.write_json({"status": "error", "problem": None, "pattern": None, "reason": reason})
    else:
        process.print_message("satlife", f"{files.shown(asked.file)}, line {number}: {reason}")
    return ERROR


def read_line(line: str) -> tuple[Question, Goal | None, Mapping[str, object]]:
    """A question, its goal if one is named, and the options of its own if it stands in the field `problem` beside the
    field `options`.

    >>> question, _, options = read_line('{"problem": {"box": [4, 4]}, "options": {"count": 2}}')
    >>> question.size, options, read_line('{"box": [4, 4]}') == (question, None, {})
    ((4, 4), {'count': 2}, True)
    """
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"not valid JSON: {error.msg} (column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}") from error
    if not isinstance(data, dict) or "problem" not in data:
        return *question_and_goal(data), {}
    must_know(data, ("problem", "options"), "there is no field", " beside `problem`; there is `options`")
    options = data.get("options", {})
    if not isinstance(options, dict):
        raise InputError('the field `options` should be a table such as {"time": 10, "count": "all"}')
    return *question_and_goal(data["problem"]), options


def own_options(given: Mapping[str, object]) -> dict[str, object]:
    """The options of a line, by their long names, as values of the command."""
    context = click.get_current_context()
    known = {name: option for name in OWN for option in context.command.params if f"--{name}" in option.opts}
    values: dict[str, object] = {}
    for name, value in given.items():
        if name not in known:
            raise InputError(f"there is no option {name!r} of a line" + suggestion(name, OWN))
        option = known[name]
        is_flag = isinstance(option, click.Option) and option.is_flag
        if is_flag != isinstance(value, bool) or isinstance(value, dict | list | None):
            wanted = "true or false" if is_flag else "a number or a word"
            raise InputError(f"the option {name!r} should be {wanted}, not {json.dumps(value)}")
        values[str(option.name)] = option.type_cast_value(context, value)
    return values


def combined(codes: set[int]) -> int:
    """The exit code of several questions: an error if there was one, undecided if one is undecided, none if there is no
    pattern for any of them, and otherwise found.

    >>> combined({0, 20}), combined({20}), combined({0, 3, 20}), combined({0, 1, 3})
    (0, 20, 3, 1)
    """
    worst = (ERROR, EXIT_CODES[UNKNOWN], EXIT_CODES[FOUND], EXIT_CODES[NONE])
    return next(code for code in worst if code in codes)
