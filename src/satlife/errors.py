"""The errors a user can cause or meet. Each message says what is wrong, where, and what would be right."""

import re

LONGEST = 120  # characters of a quotation or a word that are shown
LONGEST_MESSAGE = 1000
#: What is quoted, and words; an apostrophe inside a word opens no quotation.
_LONG = re.compile(rf"(?<!\w)(['\"`])(?:(?!\1).){{{LONGEST - 1},}}\1|\S{{{LONGEST + 1},}}", re.DOTALL)


def shortened(text: str) -> str:
    """A message that shows at most LONGEST characters of whatever it quotes, beginning and end.

    >>> message = shortened(f"there is no file {5000 * 'x'}.rle")
    >>> len(message), message[-9:]
    (137, 'xxxxx.rle')
    """
    return _cut(_LONG.sub(lambda found: _cut(found[0], LONGEST), text), LONGEST_MESSAGE)


def _cut(text: str, longest: int) -> str:
    head = 2 * longest // 3
    return text if len(text) <= longest else f"{text[:head]}...{text[len(text) - (longest - head - 3) :]}"


class SatlifeError(Exception):
    """Root of everything satlife raises on purpose; the message is ready for the user."""

    def __init__(self, message: str = "") -> None:
        super().__init__(shortened(message))


class InputError(SatlifeError):
    """Something the user gave us is wrong: an option, a file, a rule, a pattern."""


class LimitError(InputError):
    """The input is well formed but asks for more than we are willing to allocate."""


class OutOfTime(SatlifeError):
    """The time limit was reached before a solver could be asked."""


class SolverError(SatlifeError):
    """A solver could not be started, or said something we cannot believe."""


class StoreError(SatlifeError):
    """The store cannot be read or written: a full disk, a read-only or damaged file."""


class DamagedError(StoreError):
    """What one search, unit or find says in a store makes no sense; the others are not affected."""


class DeviceError(SatlifeError):
    """A GPU cannot be used, or failed; the work goes on without it."""
