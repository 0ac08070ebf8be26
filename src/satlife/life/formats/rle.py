"""RLE, the run-length encoded format that nearly all Life programs exchange."""

from __future__ import annotations

from satlife.life.formats.format import Format
from satlife.life.pattern import Pattern
from satlife.life.runs import items


def parse(text: str, unknown: bool = False) -> Pattern:
    """A pattern from RLE text.

    >>> print(parse("bo$2bo$3o!"))
    .O.
    ..O
    OOO
    """
    return Pattern.from_rle(text, unknown)


def body(pattern: Pattern) -> str:
    """The run lengths of a pattern in one line, without header and `!`.

    >>> body(Pattern.from_rows([".O.", "..O", "OOO"]))
    'bo$2bo$3o'
    """
    return "".join(items(pattern.cells, pattern.mask, pattern.rule.states))


def format(pattern: Pattern) -> str:
    """RLE text: comments, header, lines of at most 70 characters."""
    return pattern.to_rle()


FORMAT = Format("rle", (".rle", ".l"), r"(#.*\n\s*)*x\s*=\s*\d", parse, format)
