"""The terminal: all text for people goes through here, and ends with lines that are redrawn in place, to show how a
search gets on.

Files, stores, certificates and workers may come from strangers, and a terminal obeys what is in their texts: a name
could erase what we said and write "verified" in its place.  So what is printed is made printable here;
`files.write` does the same for data on a terminal.  A test reads the shell for other ways to print.

Engines report from threads of their own, and there is one terminal: hence a module with a lock.  Whoever prints a
message erases the lines first, and the next report draws them again below it.  Below the lines of a search may be one
more, the status, which says what everybody waits for.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Sequence
from typing import TextIO

from satlife.errors import printable

COLOUR = r"(\x1b\[\d+m)"
_lock = threading.RLock()
_drawn = 0  # lines
_lines: Sequence[str] = ()
_picture: Sequence[str] = ()
_status = ""
SPINNER = "|/-\\"
TURN = 0.2  # seconds between two positions of the spinner


def show(*lines: str) -> None:
    """Print lines on stdout."""
    _print(lines, sys.stdout)


def say(*lines: str) -> None:
    """Print lines on stderr: messages, and pictures beside the data."""
    _print(lines, sys.stderr)


def _print(lines: Sequence[str], stream: TextIO) -> None:
    erase()
    stream.write("".join(f"{printable(line)}\n" for line in lines))
    stream.flush()


def is_terminal() -> bool:
    """Whether stderr is a terminal on which lines can be redrawn."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def draw(lines: Sequence[str], picture: Sequence[str] = ()) -> None:
    """Show these lines, below as much of a picture as there is room for, instead of those shown before."""
    global _drawn, _lines, _picture
    _lines, _picture = lines, picture
    if _status:
        lines = [*lines, _status]
    columns, rows = os.get_terminal_size(sys.stderr.fileno())
    room = max((rows or 24) - len(lines) - 2, 0)
    shown = [cut(text, (columns or 80) - 1) for text in (*picture[:room], *map(printable, lines))]
    with _lock:
        sys.stderr.write(_erasing() + "".join(f"{text}\n" for text in shown))
        sys.stderr.flush()
        _drawn = len(shown)


def status(text: str, seconds: float) -> None:
    """Show, below everything else, what is waited for and for how long, with a spinner; an empty text ends it."""
    global _status
    if not is_terminal():
        return
    with _lock:
        line = f"{SPINNER[int(seconds / TURN) % len(SPINNER)]} {text} ... {seconds:.0f} s" if text else ""
        if line == _status:
            return
        _status = line
        if line or _lines:
            draw(_lines, _picture)
        else:
            erase()


def cut(text: str, columns: int) -> str:
    r"""As much of a text as fits, printable; escape sequences that set colours take no room, and all of them are kept.

    >>> cut("abcdef", 4), cut("\x1b[90mab\x1b[0mcdef", 1)
    ('abcd', '\x1b[90ma\x1b[0m')
    """
    parts = re.split(COLOUR, text)
    for k in range(0, len(parts), 2):
        part = printable(parts[k])
        parts[k], columns = part[:columns], max(columns - len(part), 0)
    return "".join(parts)


def erase() -> None:
    """Remove the lines that are shown."""
    global _drawn, _lines, _picture
    with _lock:
        _lines, _picture = (), ()
        if _drawn:
            sys.stderr.write(_erasing())
            sys.stderr.flush()
            _drawn = 0


def _erasing() -> str:
    return f"\x1b[{_drawn}F\x1b[J" if _drawn else ""
