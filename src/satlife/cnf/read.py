"""Reading a CNF file in DIMACS or in Knuth's format; which of them it is can be seen from its beginning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from satlife import files
from satlife.cnf import dimacs, knuthfile
from satlife.cnf.formula import Formula
from satlife.cnf.text import lines
from satlife.errors import InputError

BEGINNING = 1_000_000  # bytes in which comments are looked for
_COMMENTS = re.compile(rb"\s*(?:c(?:[ \t\r][^\n]*)?\n\s*)*+")
_DIMACS = re.compile(rb"\s*(?:c(?:[ \t\r][^\n]*)?\n\s*)*+p[ \t]+cnf")


def _opening(beginning: Sequence[str], mark: str) -> list[str]:
    """The comments before the first clause, without those that name the variables of a DIMACS file."""
    comments = []
    for line in beginning:
        if line.startswith(mark):
            comment = line.removeprefix(mark)
            if mark == "~ " or not dimacs.names_a_variable(comment):
                comments.append(comment.removeprefix(" ") if mark == "c" else comment)
        elif line.strip() and not line.startswith("p"):
            break
    return comments


def read(path: str, kind: str | None = None) -> tuple[Formula, str, list[str]]:
    """The formula, its format ("dimacs" or "sat"; seen from the beginning of the file unless it is given), and the
    comments before its first clause, without those that name variables."""
    source = files.shown(path)
    with files.reading(path, files.FORMULA_LIMIT) as stream:
        pieces = lines(stream, source)
        head = []
        for piece in pieces:  # comments may go on for a while
            head.append(piece)
            if not _COMMENTS.fullmatch(piece):
                break
        text = b"".join(head)
        if kind is None and not text.strip():
            raise InputError(f"{source}: the file is empty")
        if kind is None and re.match(rb"\s*(#[A-Za-z]|!|x\s*=\s*\d)", text):
            raise InputError(f"{source}: this is a pattern, not a formula")
        kind = kind or ("dimacs" if _DIMACS.match(text) else "sat")
        beginning = text[:BEGINNING].decode("utf-8", "replace").split("\n")
        comments = _opening(beginning, "c" if kind == "dimacs" else "~ ")
        reader = dimacs if kind == "dimacs" else knuthfile
        return reader.parse(chain(head, pieces), source), kind, comments
