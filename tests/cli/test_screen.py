"""Progress in a terminal: lines that are redrawn in place, and messages that stay above them."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from contextlib import redirect_stderr
from typing import Any

import numpy as np
import pytest

from commands import BIN
from events import PATIENCE
from satlife.cli import jobs, report, screen
from satlife.engines.events import UNKNOWN_CELL, Progress


class Terminal(io.StringIO):
    """A terminal of 80x24 that understands what is written to it."""

    size = (80, 24)

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2

    @property
    def lines(self) -> list[str]:
        """What is seen on it: going up some lines and erasing the rest removes them."""
        seen: list[str] = []
        for written in re.split(r"(\x1b\[\d+F\x1b\[J)", self.getvalue()):
            if up := re.fullmatch(r"\x1b\[(\d+)F\x1b\[J", written):
                assert 0 < int(up[1]) <= len(seen)  # nothing above what was drawn
                del seen[-int(up[1]) :]
            else:
                seen += written.splitlines()
        return seen


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "FIRST_VIEW", 0)
    monkeypatch.setattr(report, "BETWEEN_VIEWS", 0)
    monkeypatch.setattr(os, "get_terminal_size", lambda descriptor: os.terminal_size(Terminal.size))
    monkeypatch.setattr(Terminal, "size", (80, 24))
    monkeypatch.setenv("TERM", "xterm")


CELLS = np.ones((6, 5), np.uint8)
CELL_WORDS = Progress("cells", "12% of the search tree (+0.1%/min), 12.3M nodes (1.23M/s)", (CELLS,))


def test_every_engine_has_a_line_and_the_largest_partial_is_drawn() -> None:
    out = report.Report()
    with redirect_stderr(Terminal()) as terminal, out.progress() as view:
        view(Progress("spatial-back", "12.3M conflicts (12.3k/s)"))
        view(CELL_WORDS)
        view(Progress("cells", "12% of the search tree (+0.1%/min), 12.4M nodes (1.23M/s)"))
        assert terminal.lines == [
            "█████",
            "█████",
            "█████",
            "0 s  spatial-back  12.3M conflicts (12.3k/s)",
            "     cells         12% of the search tree (+0.1%/min), 12.4M nodes (1.23M/s)",
        ]
    assert terminal.lines == []


def test_cells_that_are_not_decided_are_grey(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without colour they are shaded; a narrow terminal cuts cells, and no escape sequence."""
    cells = np.array([[1, 0, UNKNOWN_CELL], [1, UNKNOWN_CELL, 1]], np.uint8)
    monkeypatch.delenv("NO_COLOR", raising=False)
    with redirect_stderr(Terminal()) as terminal, report.Report().progress() as view:
        view(Progress("cells", "words", (cells,)))
        assert terminal.lines[0] == "█\x1b[90m▄\x1b[0m\x1b[100m▄\x1b[0m"
        monkeypatch.setattr(Terminal, "size", (3, 24))
        view(Progress("cells", "words"))
        assert terminal.lines[0] == "█\x1b[90m▄\x1b[0m\x1b[100m\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(Terminal, "size", (80, 24))
    with redirect_stderr(Terminal()) as terminal, report.Report().progress() as view:
        view(Progress("cells", "words", (cells,)))
        assert terminal.lines[0] == "█░▄"


def test_messages_stay_and_progress_goes_on_below() -> None:
    out = report.Report()
    with redirect_stderr(Terminal()) as terminal, out.progress() as view:
        view(CELL_WORDS)
        out.note("cells 12, at most 14 is proved")
        view(Progress("cells", "later"))
        assert terminal.lines[0] == "satlife: cells 12, at most 14 is proved"
        assert terminal.lines[-1] == "0 s  cells  later"
    assert terminal.lines == ["satlife: cells 12, at most 14 is proved"]


@pytest.mark.parametrize("size", [(30, 24), (80, 5), (80, 2), (0, 0)])
def test_a_small_terminal_gets_what_fits(monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    monkeypatch.setattr(Terminal, "size", size)
    columns, rows = size
    with redirect_stderr(Terminal()) as terminal, report.Report().progress() as view:
        view(Progress("spatial", "1 conflict"))
        view(CELL_WORDS)
        assert len(terminal.lines) <= max(rows or 24, 3) - 1
        assert max(map(len, terminal.lines)) < (columns or 80)
        assert any("spatial" in line for line in terminal.lines)


def test_nothing_is_drawn_where_it_cannot_be_redrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    with redirect_stderr(Terminal()) as terminal:
        with report.Report(quiet=True).progress() as view:
            view(CELL_WORDS)
        monkeypatch.setenv("TERM", "dumb")
        with report.Report().progress() as view:
            view(CELL_WORDS)
    assert terminal.getvalue() == ""


def test_a_long_search_shows_its_state_below_its_workers() -> None:
    units = dict.fromkeys(("open", "running", "refuted", "done", "split", "poison", "void"), 3)
    share = {"running": 1, "finished": 2, "seconds": 3.0}
    status: Any = {
        "counting": False,
        "units": units,
        "atlas": False,
        "share": 0.5,
        "finds": 1,
        "workers": {f"host:{n}": share for n in range(100)},
    }
    state = "50.0% done, 6 units finished, 3 running, 3 open, 3 poison, 1 finds"
    with redirect_stderr(Terminal()) as terminal:
        with jobs.live_view(quiet=False) as show:
            assert show is not None
            show(status)
            show(status)
            assert terminal.lines[0] == "host:0   1 running, 2 finished, 1.5 s each"
            assert (len(terminal.lines), terminal.lines[-1]) == (22, state)
        assert terminal.lines == []
        with jobs.live_view(quiet=True) as show:
            assert show is None
        with jobs.live_view(False, lambda: "2 h to 9 h left") as show:
            assert show is not None
            show(status)
            assert terminal.lines[-2:] == [state, "2 h to 9 h left"]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pty")
def test_a_terminal_is_redrawn_in_place_and_left_clean() -> None:
    """The program at a real terminal, also with -v: no scrolling log, and in the end nothing but messages."""
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    command = [str(BIN / "satlife"), "oscillator", "10x10", "-p", "19", "-v"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        seen = Terminal()
        stopped = False
        while piece := read_from(ours):  # to the end, also when the program has ended meanwhile
            seen.write(piece)
            if not stopped and seen.getvalue().count("\x1b[J") >= 3:  # one reading may bring several
                process.send_signal(signal.SIGINT)
                stopped = True
        assert process.wait(PATIENCE) == 130
    os.close(ours)
    told = [line for line in seen.lines if line and "compil" not in line]  # only the first user of a machine sees that
    assert all(line.startswith(("satlife: stopped, nothing was found yet", "satlife: none in")) for line in told), told
    drawn = re.split(r"\x1b\[\d+F\x1b\[J", seen.getvalue())
    assert all(frame.count(" s  ") <= 1 for frame in drawn)


def read_from(terminal: int) -> str:
    """What was written to a terminal; "" when nobody can write any more."""
    try:
        return os.read(terminal, 1 << 16).decode(errors="replace").replace("\r", "")
    except OSError:
        return ""


def test_what_is_waited_for_is_shown_below_the_search() -> None:
    with redirect_stderr(Terminal()) as seen:
        screen.status("compiling", 0.0)
        assert seen.lines == ["| compiling ... 0 s"]
        screen.draw(["12 s  cells  starting"])
        screen.status("compiling", 1.0)
        assert seen.lines == ["12 s  cells  starting", "/ compiling ... 1 s"]
        screen.status("", 2.0)
        assert seen.lines == ["12 s  cells  starting"]
        screen.erase()
        screen.status("compiling", 3.0)
        screen.status("", 3.0)
        assert seen.lines == []


def test_nothing_moves_where_nobody_looks() -> None:
    with redirect_stderr(io.StringIO()) as seen:
        screen.status("compiling", 0.0)
        screen.status("", 0.0)
    assert seen.getvalue() == ""
