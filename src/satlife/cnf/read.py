"""Reading a CNF file in DIMACS or in Knuth's format; which of them it is can be seen from its beginning."""

from __future__ import annotations

import io
import re

from satlife import files
from satlife.cnf import dimacs, knuthfile
from satlife.cnf.formula import Formula
from satlife.errors import InputError


def read(path: str) -> tuple[Formula, str, list[str]]:
    """The formula, its format ("dimacs" or "sat"), and the comments before its first clause."""
    with files.reading(path) as stream:
        data = stream.read()
    if not data.strip():
        raise InputError(f"{files.shown(path)}: the file is empty")
    if re.match(rb"\s*(#[A-Za-z]|!|x\s*=\s*\d)", data):
        raise InputError(f"{files.shown(path)}: this is a pattern, not a formula")
    kind = "dimacs" if re.match(rb"(?:\xef\xbb\xbf)?\s*(?:c(?:[ \t\r][^\n]*)?\n\s*)*p[ \t]+cnf", data) else "sat"
    reader = dimacs if kind == "dimacs" else knuthfile
    head = data[:1_000_000].decode("utf-8", "replace").splitlines()
    mark = "c " if kind == "dimacs" else "~ "
    comments = [line[2:] for line in head if line.startswith(mark)]
    return reader.read(io.BytesIO(data), files.shown(path)), kind, comments
