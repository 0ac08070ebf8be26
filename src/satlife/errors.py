"""The errors a user can cause or meet. Each message says what is wrong, where, and what would be right."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

LONGEST = 120  # characters shown of a quotation or a word
LONGEST_MESSAGE = 600
#: Long quotations and long words; an apostrophe inside a word opens no quotation.
_LONG = rf"(?s)(?<!\w)(['\"`])(?:(?!\1).){{{LONGEST - 1},}}\1|\S{{{LONGEST + 1},}}"
#: What a terminal obeys instead of showing it (control characters, ends of lines, changes of direction), and halves of
#: surrogate pairs, which cannot be written.
_OBEYED = "[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"


def printable(text: str, kept: str = "") -> str:
    r"""A text of somebody else's in which a terminal finds nothing to obey, in one line unless line ends are `kept`.

    >>> print(printable("ship\x1b[2K\r verified: all\n \u202efil\u2069 \x9b1A"), printable("größer, 生命"))
    ship\x1b[2K\r verified: all\n \u202efil\u2069 \x9b1A größer, 生命
    """
    return re.sub(_OBEYED, lambda found: found[0] if found[0] in kept else ascii(found[0])[1:-1], text)


def shortened(text: str) -> str:
    """Shorten a message: of each long quotation or word, keep LONGEST characters from its beginning and end.

    >>> message = shortened(f"there is no file {5000 * 'x'}.rle")
    >>> len(message), message[-9:]
    (137, 'xxxxx.rle')
    """
    if len(text) <= LONGEST:
        return text
    return _cut(re.sub(_LONG, lambda found: _cut(found[0], LONGEST), text), LONGEST_MESSAGE)


def installing(extra: str) -> str:
    """The command that installs an optional part for this very Python, be it that of a clone or any other.

    >>> installing("fast").endswith(" -m pip install 'satlife[fast]'")
    True
    """
    import shlex

    return f"{shlex.quote(sys.executable)} -m pip install 'satlife[{extra}]'"


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of a message about a mistyped word: what was probably meant, if anything comes close.

    >>> suggestion("oscilator", ["still-life", "oscillator"]), suggestion("d4", ["C2", "D4+", "D4x"])
    ("; did you mean 'oscillator'?", "; did you mean 'D4x' or 'D4+'?")
    >>> suggestion("xyz", ["still-life"])
    ''
    """
    import difflib

    by_lower = {name.lower(): name for name in known}
    lower = word.lower()
    close = difflib.get_close_matches(lower, by_lower, n=2, cutoff=0.75)
    close = close or [name for name in by_lower if len(lower) > 1 and name.startswith(lower)][:2]
    return f"; did you mean {' or '.join(repr(by_lower[name]) for name in close)}?" if close else ""


def _cut(text: str, longest: int) -> str:
    head = 2 * longest // 3
    return text if len(text) <= longest else f"{text[:head]}...{text[len(text) - (longest - head - 3) :]}"


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "cell"), counted(1234, "cell"), counted(2, "minimal box")
    ('1 cell', '1,234 cells', '2 minimal boxes')
    """
    ending = "" if number == 1 else "es" if noun.endswith("x") else "s"
    return f"{number:,} {noun}{ending}"


class SatlifeError(Exception):
    """Base class of everything satlife raises on purpose; the message is ready to be shown to the user."""

    def __init__(self, message: str = "") -> None:
        super().__init__(shortened(message))


class InputError(SatlifeError):
    """Something the user gave us is wrong: an option, a file, a rule, a pattern."""


class ArgumentError(InputError, TypeError):
    """A function was called with an argument that it does not have, or without one that it needs."""


class Refusal(InputError):
    """No engine takes a question, with these options."""


class LimitError(InputError):
    """The input is well formed but would need more memory or space than is allowed."""


class OutOfTime(SatlifeError):
    """The time limit was reached before a solver could be asked."""


class SolverError(SatlifeError):
    """A solver could not be started, or its answer failed a check."""


class StoreError(SatlifeError):
    """The store cannot be read or written: a full disk, a read-only or damaged file."""


class DamagedError(StoreError):
    """One record of a store (a search, a unit or a find) is damaged; the other records are not affected."""


class ConnectionLost(StoreError):
    """The connection to a database server broke; what was not written completely was not written at all."""


class DeviceError(SatlifeError):
    """A GPU cannot be used, or failed; the work goes on without it."""
