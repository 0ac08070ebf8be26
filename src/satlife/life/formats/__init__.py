"""Pattern file formats: one module per format, each with parse() and format(); `read` recognises the format."""

from __future__ import annotations

import re

from satlife import files
from satlife.errors import InputError
from satlife.life.formats import apgcode, cells, life105, life106, rle
from satlife.life.pattern import Pattern

FORMATTERS = {"rle": rle.format, "cells": cells.format, "life": life106.format, "apgcode": apgcode.format}
EXTENSIONS = {".rle": "rle", ".cells": "cells", ".lif": "life", ".life": "life", ".l": "rle"}


def parse(text: str, unknown: bool = False) -> Pattern:
    """A pattern from text in any of the formats, which is recognised; with `unknown`, `?` cells are allowed."""
    start = text.lstrip("\ufeff \t\r\n")
    if not start:
        raise InputError("the file is empty")
    if start.startswith("#Life 1.05"):
        return life105.parse(text)
    if start.startswith("#Life 1.06"):
        return life106.parse(text)
    if re.fullmatch(r"x[spq]\d+_[0-9a-z]+\s*", start):
        return apgcode.parse(start.strip())
    if start.startswith("!") or re.fullmatch(r"[.O*?\s]+", start):
        return cells.parse(text, unknown)
    return rle.parse(text, unknown)


def is_pattern(text: str) -> bool:
    """Whether a text is a pattern in one of these formats, rather than a grid of words.

    >>> [is_pattern(text) for text in ("bo$2bo$3o!", "!Name: glider\\n.O", "..O\\nOOO")]
    [True, True, True]
    >>> [is_pattern(text) for text in ("0 1 *", "..*", "a -a", "O O", "Hello!")]
    [False, False, False, False, False]
    """
    if re.match(r"\s*(#Life 1\.0|!|x[spq]\d+_[0-9a-z]+\s*$)", text) or re.match(r"(\s*#.*\n)*\s*x\s*=\s*\d", text):
        return True
    body = re.sub(r"(?m)^#.*$", "", text)
    return bool(re.match(r"[\s\dbBoO$.*?A-Xp-y]*!", body) or re.fullmatch(r"[.?\r\n]*O[.?O\r\n]*", body.strip()))


def read(path: str, unknown: bool = False) -> Pattern:
    """The pattern in a file (`-` for standard input), or given as an apgcode in place of a file name."""
    if re.fullmatch(r"x[spq]\d+_[0-9a-z]+", path):
        return apgcode.parse(path)
    text = files.read_text(path)
    try:
        return parse(text, unknown)
    except InputError as error:
        raise type(error)(f"{files.shown(path)}: {error}") from error
