"""Mutations of bytes and JSON values, as in a fuzzer."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

NUMBERS = [
    b"0", b"-1", b"1", b"2", b"7", b"255", b"256", b"65536", b"2147483647", b"2147483648", b"4294967296",
    b"999999999", b"1000000000000", b"9" * 40, b"1e9", b"0x10", b"-0", b"00", b"+3",
]  # fmt: skip
WORDS = [
    b"\0", b"\n", b"\r\n", b"\t", b" ", b"\xff", b"\xc3\x28", b"\xef\xbb\xbf", b"\xe2\x80\x99", b"#", b"!", b"$", b"?",
    b"*", b"'", b'"', b"[", b"]", b"{", b"}", b",", b":", b"-", b"~", b"%", b"p cnf 3 2\n", b"x = 3, y = 3\n", b"null",
    b"NaN", b"Infinity", b"1e999", b"#Life 1.06\n", b"#P 1 2\n", b"xs4_33", b"rule = ", b"/", b"C256", b"a" * 300,
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 255, 10**6, 10**9, 2**31, 2**63, -(2**63) - 1, 10**40, 0.5, 1e308, "",
    "x", "1", "*", "0 1 *", "B3/S23", "bo$2bo$3o!", "\0", "é’", "a" * 5000, [], [[]], [0, 0], [1, 2, 3], {},
    {"a": {}}, [None], [[[["*"]]]], float("nan"), float("inf"), 10**4299, "9" * 4301, "\ud800",
]  # fmt: skip


def damaged(rng: random.Random, data: bytes, others: Sequence[bytes] = ()) -> bytes:
    """The data after one to four random mutations; pieces may come from `others`."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        data = _mutate(rng, data, others)
    return data[:1_000_000]


def _mutate(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    short = min(b, a + rng.randint(1, 8))
    match rng.randrange(11):
        case 0:
            return data[:a]
        case 1:
            return data[:a] + data[short:]
        case 2:
            return data[:a] + data[b:]
        case 3:
            return data[:a] + bytes([rng.randrange(256)]) + data[a + 1 :]
        case 4 if data:
            return data[:a] + bytes([data[a - 1] ^ 1 << rng.randrange(8)]) + data[a + 1 :]
        case 5:
            return data[:a] + rng.choice(WORDS) + data[a:]
        case 6:
            return data[:a] + data[a:short] * rng.choice([2, 3, 100, 3000]) + data[short:]
        case 7 if others:
            other = rng.choice(others)
            cut = rng.randrange(len(other) + 1)
            return data[:a] + other[cut:]
        case 8:
            lines = data.splitlines(keepends=True)
            rng.shuffle(lines)
            return b"".join(lines)
        case _:
            numbers = list(re.finditer(rb"\d+", data))
            if not numbers:
                return data + rng.choice(NUMBERS)
            found = rng.choice(numbers)
            near = b"%d" % (int(found[0][:9]) + rng.choice([-1, 1])) if found[0] else b"1"
            return data[: found.start()] + rng.choice([*NUMBERS, near, near, near]) + data[found.end() :]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of everything inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def any_value(rng: random.Random) -> Any:
    """One of VALUES; a copy, since it may be changed later."""
    return copy.deepcopy(rng.choice(VALUES))


def look_up(value: Any, path: Sequence[Any]) -> Any:
    for key in path:
        value = value[key]
    return value


def damaged_json(rng: random.Random, value: Any, others: Sequence[Any] = ()) -> Any:
    """A JSON value with one to three parts changed, removed, added or taken from another value."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        paths = list(places(value))
        if not paths:
            return any_value(rng)
        *path, key = rng.choice(paths)
        home = look_up(value, path)
        match rng.randrange(6):
            case 0:
                del home[key]
            case 1 if others:
                donor = rng.choice(others)
                home[key] = copy.deepcopy(look_up(donor, rng.choice([*places(donor), ()])))
            case 2 if isinstance(home, dict):
                home[rng.choice(["", "extra", "kind", "box", "é"])] = any_value(rng)
            case _:
                home[key] = _mutate_value(rng, home[key])
    return value


def _mutate_value(rng: random.Random, value: Any) -> Any:
    """A value close to the given one, or an arbitrary one."""
    if rng.random() < 0.4:
        return any_value(rng)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice([-1, 1, -2, 2])
    if isinstance(value, str):
        return damaged(rng, value.encode(errors="replace")).decode("utf-8", "replace")
    if isinstance(value, list) and value:
        return rng.choice([value[:-1], value + value[:1], value[::-1]])
    return any_value(rng)
