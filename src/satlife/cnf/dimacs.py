"""DIMACS CNF, the input format of SAT solvers.

The reader refuses malformed files, with line and column, and accepts all legal variations: clauses over several lines,
comments anywhere, CRLF, a byte order mark, SATLIB's `%` trailer.  Variable names are kept in comments
`c NUMBER -> NAME`; the comments `c NAME -> NUMBER` of Knuth's sat-to-dimacs are read, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import numpy as np

from satlife import memory
from satlife.cnf import text
from satlife.cnf.formula import LARGEST_VARIABLE, Formula, Parts, from_terminated
from satlife.errors import InputError

NAME_BYTES = 200  # of each name, in a list and in a set
_COMMENT = re.compile(rb"(?m)^[ \t]*c(?![^ \t\r\n]).*$")
_NAME = re.compile(rb"(?m)^c ([!-~]+) -> ([!-~]+)\r?$")
_NUMBER = re.compile(rb"[0-9]{1,10}")
_HEADER = re.compile(rb"(?m)^[ \t]*p[ \t]+cnf[ \t]+(\d{1,12})[ \t]+(\d{1,12})[ \t\r]*$")
_TRAILER = re.compile(rb"(?m)^[ \t]*%")
_MINUS = re.compile(rb"-(?!\d)"), re.compile(rb"-0+(?!\d)")
_SHAPE = bytes.maketrans(b"123456789", b"000000000")


def names_a_variable(comment: str) -> bool:
    """Whether a comment, without its `c`, is one that `parse` reads a name from."""
    found = _NAME.fullmatch(f"c{comment}".encode())
    return found is not None and any(map(_NUMBER.fullmatch, found.groups()))


def read(stream: BinaryIO, source: str = "standard input") -> Formula:
    """Read a formula; an InputError names the line and column of what is wrong."""
    return parse(text.lines(stream, source), source)


def parse(chunks: Iterable[bytes], source: str) -> Formula:
    """A formula from pieces of text that end at line ends."""
    header: tuple[int, int] | None = None
    named: list[tuple[bytes, bytes]] = []
    parts = Parts(source)
    line = 1
    ended = False
    for chunk in chunks:
        if ended:
            break
        body = chunk
        if b"%" in body and (trailer := _TRAILER.search(body)):
            body, ended = body[: trailer.start()], True
        commented = b"c" in body  # in most pieces there is none, and to search for them takes as long as all the rest
        if commented:
            named += _NAME.findall(body)
        bare = _COMMENT.sub(b"", body) if commented else body
        if header is None and (found := _HEADER.search(bare)):
            if bare[: found.start()].strip():
                _complain(bare, None, line, source)
            header = int(found[1]), int(found[2])
            if header[0] > LARGEST_VARIABLE:
                raise InputError(f"{source}: the header asks for {header[0]} variables, more than {LARGEST_VARIABLE}")
            bare = bare[: found.start()] + b" " * (found.end() - found.start()) + bare[found.end() :]
        if bare.strip():
            if header is None or bare.translate(None, b"0123456789- \t\r\n") or _odd(bare):
                _complain(bare, header, line, source)
            assert header is not None
            numbers = np.fromstring(bare, np.int64, sep=" ")
            if len(numbers) and abs(numbers).max() > header[0]:
                _complain(bare, header, line, source)
            parts.append(numbers)
        line += chunk.count(b"\n")
    if header is None:
        raise InputError(f"{source}: there is no header line `p cnf VARIABLES CLAUSES`")
    flat = parts.joined()
    if len(flat) and flat[-1] != 0:
        raise InputError(f"{source}, line {line}: the last clause is not ended by 0")
    count = int((flat == 0).sum())
    if count != header[1]:
        raise InputError(f"{source}: the header promises {header[1]} clauses, the file has {count}")
    return from_terminated(flat, header[0], _names(_numbered(named), header[0], source))


def _numbered(named: Sequence[tuple[bytes, bytes]]) -> dict[int, str]:
    """The names by number, from the two sides of `c NUMBER -> NAME` or of Knuth's `c NAME -> NUMBER`.

    Where both sides are numbers everywhere, the order tells: Knuth's program names the last variable first.

    >>> _numbered([(b"1", b"a"), (b"2", b"7")]), _numbered([(b"7", b"2"), (b"a", b"1")])
    ({1: 'a', 2: '7'}, {2: '7', 1: 'a'})
    >>> _numbered([(b"9", b"2"), (b"8", b"1")])
    {2: '9', 1: '8'}
    """
    left, right = ([bool(_NUMBER.fullmatch(pair[side])) for pair in named] for side in (0, 1))
    falling = all(right) and [int(number) for _, number in named] == list(range(len(named), 0, -1))
    if all(right) and (falling or not all(left)):
        return {int(number): name.decode() for name, number in named}
    return {int(number): name.decode() for (number, name), is_number in zip(named, left, strict=True) if is_number}


def _odd(bare: bytes) -> bool:
    """Whether something made of digits, signs and space is no literal: `-`, `-0`, `1-2`, or more than ten digits.  One
    pattern for all of it would take most of the time of reading a formula."""
    shape = bare.translate(_SHAPE)
    return b"0-" in shape or b"00000000000" in shape or any(sign.search(bare) for sign in _MINUS)


def _names(given: dict[int, str], variables: int, source: str) -> list[str] | None:
    if not any(number <= variables for number in given):
        return None
    memory.require(NAME_BYTES * variables, f"the names of the {variables:,} variables of {source}")
    names = [given.get(v, str(v)) for v in range(1, variables + 1)]
    if len(set(names)) != len(names):
        raise InputError(f"{source}: two variables have the same name in the `c NUMBER -> NAME` comments")
    return names


def _complain(body: bytes, header: tuple[int, int] | None, first_line: int, source: str) -> None:
    """Raise an InputError for the first error in a piece of a file."""
    for number, row in enumerate(body.split(b"\n"), first_line):
        for word in re.finditer(rb"\S+", row):
            where = f"{source}, line {number}, column {word.start() + 1}"
            shown = word[0][:20].decode("ascii", "backslashreplace")
            if word[0] == b"p":
                problem = "a second header line" if header else "the header should read `p cnf VARIABLES CLAUSES`"
                raise InputError(f"{where}: {problem}")
            if not re.fullmatch(rb"-?\d+", word[0]):
                raise InputError(f"{where}: {shown!r} is not a literal")
            if header is None:
                raise InputError(f"{where}: a clause before the header line `p cnf VARIABLES CLAUSES`")
            digits = word[0].lstrip(b"-0")
            if word[0].startswith(b"-") and not digits:
                raise InputError(f"{where}: there is no literal {shown}")
            if len(digits) > 10 or int(digits or b"0") > LARGEST_VARIABLE:
                raise InputError(f"{where}: literal {shown} is beyond {LARGEST_VARIABLE}")
            if int(digits or b"0") > header[0]:
                raise InputError(f"{where}: literal {shown}, but the header promises {header[0]} variables")
    raise InputError(f"{source}, line {first_line}: not a DIMACS file")  # pragma: no cover


def write(formula: Formula, comments: Sequence[str] = ()) -> Iterator[bytes]:
    """The formula as DIMACS text, in pieces; names go into comments."""
    head = [f"c {comment}\n" for comment in comments]
    if formula.names:
        head += [f"c {number} -> {name}\n" for number, name in enumerate(formula.names, 1)]
    head.append(f"p cnf {formula.variables} {len(formula)}\n")
    yield "".join(head).encode()
    flat = formula.terminated()
    lot = 1 << 18
    for start in range(0, len(flat), lot):
        yield _numbers(flat[start : start + lot])


def _numbers(flat: np.ndarray[tuple[int], np.dtype[np.int32]]) -> bytes:
    """Literals as text, a line end after each 0."""
    values, index = np.unique(flat, return_inverse=True)
    tokens = text.table([b"%d " % value if value else b"0\n" for value in values.tolist()])
    return text.gather((tokens, index))
