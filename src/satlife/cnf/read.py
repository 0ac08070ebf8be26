"""Reading a CNF file in DIMACS or in Knuth's format; which of them it is can be seen from its beginning."""

from __future__ import annotations

import re
from itertools import chain

from satlife import files
from satlife.cnf import dimacs, knuthfile
from satlife.cnf.formula import Formula
from satlife.cnf.text import lines
from satlife.errors import InputError

_COMMENTS = re.compile(rb"\s*(?:c(?:[ \t\r][^\n]*)?\n\s*)*+")
_DIMACS = re.compile(rb"\s*(?:c(?:[ \t\r][^\n]*)?\n\s*)*+p[ \t]+cnf")


def read(path: str) -> tuple[Formula, str, list[str]]:
    """The formula, its format ("dimacs" or "sat"), and the comments before its first clause."""
    source = files.shown(path)
    with files.reading(path, files.FORMULA_LIMIT) as stream:
        pieces = lines(stream, source)
        head = []
        for piece in pieces:  # comments may go on for a while
            head.append(piece)
            if not _COMMENTS.fullmatch(piece):
                break
        text = b"".join(head)
        if not text.strip():
            raise InputError(f"{source}: the file is empty")
        if re.match(rb"\s*(#[A-Za-z]|!|x\s*=\s*\d)", text):
            raise InputError(f"{source}: this is a pattern, not a formula")
        kind = "dimacs" if _DIMACS.match(text) else "sat"
        mark = "c " if kind == "dimacs" else "~ "
        beginning = text[:1_000_000].decode("utf-8", "replace").splitlines()
        comments = [line[2:] for line in beginning if line.startswith(mark)]
        reader = dimacs if kind == "dimacs" else knuthfile
        return reader.parse(chain(head, pieces), source), kind, comments
