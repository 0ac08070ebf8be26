"""README and docs, read as programs: their examples are run in order, page by page, in a folder of their own.

```console            commands after `$ `, each followed by what it prints; `...` stands for anything,
                      a line of its own for any lines, and times and winners of races may differ;
                      `# exit code 20` says how a command ends if not well
```text title="F"     (or any other kind) a file F of the reader
```python             a program; the blocks of a page share their names; `print(...)  # 36` says what is printed
```pycon              the same as a session, with its output
```sh                 commands for other machines or long nights: understood, but not run
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from commands import BIN, perform, stream, written
from events import PATIENCE
from satlife.cli.main import satlife

HERE = Path(__file__).parents[1]
PAGES = [HERE / "README.md", *sorted((HERE / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?$")
SHELL = set("();<>|&")
WORD = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s'"();<>|&])+|[();<>|&]+""")
RLE = re.compile(r"[\dbo$]+!|x = \d+, y = \d+, rule = \S+")
COMPILING = re.compile(r"^satlife: compil(?:ing kernels|ed in) .*\n", re.MULTILINE)  # only the first user sees that
PRINTED = re.compile(r"^ *print\(.*\)  # ((?:[-\d'\"(\[{]|True|False|None).*)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its kind, the file that it is, and its text."""

    kind: str
    title: str | None
    text: str
    line: int


@dataclass(frozen=True)
class Step:
    """A command, what it should print, and its exit code."""

    command: str
    output: str
    code: int


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page."""
    opened: tuple[str, str | None, int] | None = None
    inside: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if opened is None and (found := FENCE.match(line)):
            opened, inside = (found[1], found[2], number), []
        elif opened is not None and line == "```":
            yield Block(opened[0], opened[1], "".join(f"{row}\n" for row in inside), opened[2])
            opened = None
        elif opened is not None:
            inside.append(line)
        else:
            assert not line.lstrip().startswith("```"), f"line {number}: a fence that nobody reads: {line}"
    assert opened is None, f"the block of line {opened[2]} does not end" if opened else ""


def steps(text: str) -> Iterator[Step]:
    """The commands of a console block."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        code = re.search(r"# exit code (\d+)$", line)
        yield Step(line, output.rstrip("\n"), int(code[1]) if code else 0)


def matches(expected: str, output: str) -> bool:
    """Whether a command printed what the page shows."""
    lines = []
    for line in expected.splitlines():
        if line == "...":
            lines.append(r"(?:.*\n)*?")
            continue
        text = re.escape(line).replace(re.escape("..."), ".*")
        text = re.sub(r"[\d,]+\\\.\d+\\ s\b", r"[\\d,]+\\.\\d+ s", text)
        if RLE.fullmatch(line):  # which image is found is left to chance; its apgcode is not
            text = f"(?:{RLE.pattern})"
        lines.append(re.sub(r"(by\\ satlife\\ )\\\(.*\\\)(\\ and)", r"\1\\(.*\\)\2", text) + "\n")
    return re.fullmatch("".join(lines), output.rstrip("\n") + "\n") is not None


def pipeline(line: str) -> list[list[str]]:
    """The commands of a pipeline, each as its words, with their quotes; one command if a shell does more than that."""
    commands: list[list[str]] = [[]]
    for token in WORD.findall(line.partition(" # ")[0]):
        if token == "|":
            commands.append([])
        elif set(token) <= SHELL and token not in ("<", ">"):
            return [[line]]
        else:
            commands[-1].append(token)
    return commands


def run(line: str, folder: Path) -> tuple[int, str]:
    """Exit code and output of a command line; satlife's own run in this process, to save its start."""
    code, given, told = 0, "", ""
    commands = pipeline(line)
    for number, words in enumerate(commands, 1):
        if words[0].removeprefix("./") == "satlife":
            code, given, notes = run_here(shlex.split(" ".join(words[1:])), given, piped=number < len(commands))
            told += notes
        else:
            code, given = run_in_shell(" ".join(words), given, folder)
    return code, COMPILING.sub("", told + given)


def run_here(words: list[str], given: str, piped: bool) -> tuple[int, str, str]:
    """Exit code, output and messages of a satlife command; on a terminal the output has the messages in it."""
    source, target = (redirected(words, sign) for sign in "<>")
    output = stream()
    messages = stream() if piped or target else output
    code = perform(tuple(words), stream(source.read_text() if source else given), output, messages)
    if target:
        target.write_text(written(output))
    return code, "" if target else written(output), "" if messages is output else written(messages)


def redirected(words: list[str], sign: str) -> Path | None:
    """Take a redirection out of the words of a command."""
    if sign not in words:
        return None
    place = words.index(sign)
    _, name = words[place : place + 2]
    del words[place : place + 2]
    return Path(name)


def run_in_shell(line: str, given: str, folder: Path) -> tuple[int, str]:
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    settings: Any = {"cwd": folder, "env": environment, "stdout": -1, "stderr": -2, "text": True, "timeout": PATIENCE}
    done = subprocess.run(["bash", "-c", line], input=given, **settings)
    return done.returncode, done.stdout


def understand(line: str) -> None:
    """Parse a satlife command as the program would, and stop there."""
    plain = shlex.split(line, comments=True)[1:]
    parent = click.Context(satlife, **satlife.context_settings)
    command: Any = satlife
    while hasattr(command, "get_command"):
        name = plain.pop(0)
        found = command.get_command(None, name)
        assert found is not None, f"there is no command {name}: {line}"
        command = found
    command.make_context(command.name, plain, parent=parent)


def play(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do everything that a page shows, in a scratch folder."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SATLIFE_STORE", str(folder / "store.db"))
    (folder / "satlife").symlink_to(BIN / "satlife")
    names: dict[str, Any] = {"__name__": "__page__"}
    for block in blocks(text):
        if block.title:
            (folder / block.title).write_text(block.text)
        elif block.kind == "console":
            for step in steps(block.text):
                code, output = run(step.command, folder)
                told = f"$ {step.command}\n{output}(exit code {code})"
                assert code == step.code, told
                assert not step.output or matches(step.output, output), f"{told}\ninstead of\n{step.output}"
        elif block.kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(block.text, f"<line {block.line}>", "exec"), names)
            assert set(PRINTED.findall(block.text)) <= set(printed.getvalue().splitlines()), printed.getvalue()
        elif block.kind == "pycon":
            session(block, names)
        elif block.kind == "sh":
            for line in block.text.splitlines():
                if line.startswith("satlife "):
                    understand(line)


def session(block: Block, names: dict[str, Any]) -> None:
    """A Python session as doctest runs it."""
    test = doctest.DocTestParser().get_doctest(block.text, names, f"line {block.line}", None, block.line)
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=report.write, clear_globs=False)
    names.update(test.globs)
    assert runner.failures == 0, report.getvalue()
