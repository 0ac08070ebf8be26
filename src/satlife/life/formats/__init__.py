"""Pattern file formats: one module per format, each with its record; `read` recognises the format."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re

from satlife import files
from satlife.errors import InputError
from satlife.life.formats import apgcode, cells, rle
from satlife.life.formats.format import Format
from satlife.life.pattern import Pattern

_MODULES = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
#: By name; a new format is a new module here.
FORMATS: dict[str, Format] = {module.FORMAT.name: module.FORMAT for module in _MODULES if hasattr(module, "FORMAT")}
FORMATTERS = {name: made.format for name, made in FORMATS.items() if made.format is not None}
EXTENSIONS = {ending: name for name, made in FORMATS.items() for ending in made.endings}
WRITTEN = {ending: FORMATTERS[name] for ending, name in EXTENSIONS.items() if name in FORMATTERS}


def parse(text: str, unknown: bool = False) -> Pattern:
    """A pattern from text in any of the formats, which is recognised; with `unknown`, `?` cells are allowed."""
    start = text.lstrip("\ufeff \t\r\n")
    if not start:
        raise InputError("the file is empty")
    if (found := _recognised(start)) is not None:
        return found.parse(text, unknown)
    return cells.parse(text, unknown) if re.fullmatch(r"[.O*?\s]+", start) else rle.parse(text, unknown)


def _recognised(start: str) -> Format | None:
    """The format of a text, if its beginning tells."""
    return next((made for made in FORMATS.values() if made.begins and re.match(made.begins, start)), None)


def begins_with_a_sign(text: str) -> bool:
    """Whether the beginning of a text tells its format."""
    return _recognised(text.lstrip("\ufeff \t\r\n")) is not None


def is_pattern(text: str) -> bool:
    """Whether a text is a pattern in one of these formats, rather than a grid of words.

    >>> [is_pattern(text) for text in ("bo$2bo$3o!", "!Name: glider\\n.O", "..O\\nOOO")]
    [True, True, True]
    >>> [is_pattern(text) for text in ("0 1 *", "..*", "a -a", "O O", "Hello!")]
    [False, False, False, False, False]
    """
    if _recognised(text.lstrip()) is not None:
        return True
    body = re.sub(r"(?m)^#.*$", "", text)
    return bool(re.match(r"[\s\dbBoO$.*?A-Xp-y]*!", body) or re.fullmatch(r"[.?\r\n]*O[.?O\r\n]*", body.strip()))


def read(path: str | os.PathLike[str], unknown: bool = False) -> Pattern:
    """The pattern in a file (`-` for standard input), or given as an apgcode in place of a file name."""
    if isinstance(path, str) and re.fullmatch(apgcode.CODE, path):
        return apgcode.parse(path)
    text = files.read_text(path)
    try:
        return parse(text, unknown)
    except InputError as error:
        raise type(error)(f"{files.shown(path)}: {error}") from error
