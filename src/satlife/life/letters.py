"""Words as patterns, in letters of five rows: targets for searches backwards in time.

The letters are as narrow as they can be read, mostly three columns, since every cell makes a search longer.  LIFE is
drawn as in Knuth's Fig. 35 of TAOCP 7.2.2.2.
"""

from __future__ import annotations

from satlife.errors import InputError
from satlife.life.pattern import Pattern

ROWS = 5
GAP = "."  # one dead column between letters

#: Alphabets, each as five rows in which two blanks or more separate the letters.
DRAWN = (
    ("ABCDEFGHI", """
        .O.  OO.  .OO  OO.  OOO  OOO  .OO  O.O  O
        O.O  O.O  O..  O.O  O..  O..  O..  O.O  O
        OOO  OO.  O..  O.O  OO.  OO.  O.O  OOO  O
        O.O  O.O  O..  O.O  O..  O..  O.O  O.O  O
        O.O  OO.  .OO  OO.  OOO  O..  .OO  O.O  O
    """),
    ("JKLMNOPQR", """
        ..O  O.O  O..  O...O  O..O  OOO  OO.  .OO.  OO.
        ..O  O.O  O..  OO.OO  OO.O  O.O  O.O  O..O  O.O
        ..O  OO.  O..  O.O.O  O.OO  O.O  OO.  O..O  OO.
        O.O  O.O  O..  O...O  O..O  O.O  O..  O.OO  O.O
        .O.  O.O  OOO  O...O  O..O  OOO  O..  .OOO  O.O
    """),
    ("STUVWXYZ", """
        .OO  OOO  O.O  O.O  O...O  O.O  O.O  OOO
        O..  .O.  O.O  O.O  O...O  O.O  O.O  ..O
        .O.  .O.  O.O  O.O  O.O.O  .O.  .O.  .O.
        ..O  .O.  O.O  O.O  OO.OO  O.O  .O.  O..
        OO.  .O.  OOO  .O.  O...O  O.O  .O.  OOO
    """),
    ("0123456789", """
        .O.  .O.  OO.  OO.  O.O  OOO  .OO  OOO  OOO  OOO
        O.O  OO.  ..O  ..O  O.O  O..  O..  ..O  O.O  O.O
        O.O  .O.  .O.  .O.  OOO  OO.  OOO  .O.  OOO  OOO
        O.O  .O.  O..  ..O  ..O  ..O  O.O  .O.  O.O  ..O
        .O.  OOO  OOO  OO.  ..O  OO.  OOO  .O.  OOO  OO.
    """),
    (" .,!?-+=:/'()", """
        ..  .  ..  O  OO.  ...  ...  ...  .  ..O  O  .O  O.
        ..  .  ..  O  ..O  ...  .O.  OOO  O  ..O  O  O.  .O
        ..  .  ..  O  .O.  OOO  OOO  ...  .  .O.  .  O.  .O
        ..  .  .O  .  ...  ...  .O.  OOO  O  O..  .  O.  .O
        ..  O  O.  O  .O.  ...  ...  ...  .  O..  .  .O  O.
    """),
)  # fmt: skip


def _read(names: str, drawing: str) -> dict[str, list[str]]:
    """The letters of one drawing, each as its rows."""
    rows = [line.split() for line in drawing.strip().splitlines()]
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


SIGNS = " ".join(DRAWN[-1][0]).strip()
LETTERS = {name: rows for names, drawing in DRAWN for name, rows in _read(names, drawing).items()}


def letters(text: str) -> Pattern:
    """A word or a line of text as a pattern, five rows high.

    >>> print(letters("Life"))
    O...O.OOO.OOO
    O...O.O...O..
    O...O.OO..OO.
    O...O.O...O..
    OOO.O.O...OOO
    """
    if not text.strip():
        raise InputError("there are no letters in an empty text")
    if unknown := [letter for letter in text if letter.upper() not in LETTERS]:
        raise InputError(f"there is no letter {unknown[0]!r}; there are A to Z, 0 to 9, blanks and {SIGNS}")
    drawn = [LETTERS[letter] for letter in text.upper()]
    return Pattern.from_rows([GAP.join(letter[row] for letter in drawn) for row in range(ROWS)])
