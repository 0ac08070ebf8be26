"""Certificates of boxes of any length: lists of windows, damaged and forged, against a walk through all windows.

The plain checker of the documentation defines what may follow a window.  With it all windows of small questions are
visited, which tells whether there is a ship; a list that `verify` accepts must be one of a question without.  About
oscillators a plain search (`lines`) tells."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from campaign import lines
from campaign.attempt import Attempt
from campaign.lines import random_strip
from campaign.mutate import damaged, damaged_json
from campaign.open_boxes import around_a_ship, random_box, ships
from campaign.random_questions import plain_rule
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.ships import RowSearch
from satlife.engines.rows.windows.closure import closure_of
from satlife.errors import InputError, SatlifeError
from satlife.life.rule import Rule
from satlife.limits import Limits
from satlife.problem.openbox import OpenBox
from satlife.proof import bundle
from satlife.proof.rows import certificate, check, windows
from satlife.proof.rows.sequence import Sequence
from satlife.proof.rows.windows import Keys, words_of
from satlife.proof.verify import verify

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "windows.md"
MOST = 400  # windows that are visited by the plain walk
LARGEST = 100_000  # windows of a question that are listed
SPAN = 60  # rows of walks in forged certificates
TRIES = 40  # forged and damaged certificates of a question


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One question: its list if there is no ship; then forged lists of a question that has one, and damaged folders."""
    check.MANY = dict.fromkeys(range(1, 6), rng.choice([0, 10**9]))  # with a table, or without
    kind = rng.random()
    box, known = around_a_ship(rng) if kind < 0.4 else (any_box(rng) if kind < 0.7 else random_strip(rng), None)
    what = box.to_json()
    keys, met = listed(box)
    if keys is not None:
        yield Attempt(f"list of {what}", objection(box, keys, known is not None))
        target = folder / "certificate"
        target.mkdir()
        certificate.write(target, box, keys, closure_of(Strip.of(box)).span, {})
        yield Attempt(f"certificate of {what}", "" if accepted_folder(target) else "it is not accepted")
        for number in range(TRIES):
            other = folder / str(number)
            how = damage(rng, target, other)
            yield Attempt(f"certificate of {what}, {how}", folder_objection(other))
    elif known is not None or has_ship(box):
        for _ in range(TRIES):
            forged = forgery(rng, box, met)
            wrong = "accepted, but there is a ship" if accepted(box, forged, rng.randint(1, SPAN)) else ""
            yield Attempt(f"forged list of {what}, {len(forged)} windows", wrong)


def any_box(rng: random.Random) -> OpenBox:
    """A random question, sometimes of waves, or of ships across their way."""
    while True:
        box, kind = random_box(rng), rng.random()
        try:
            if kind < 0.2 and box.forward:
                box = replace(box, wave=True)
            elif kind < 0.4:
                way = (rng.choice([1, 2]), 0) if box.along == "y" else (0, rng.choice([1, 2]))
                box = OpenBox(rng.randint(1, 4), box.period, way, box.rule, along=box.along)
            elif kind < 0.6:
                box = replace(box, rule=plain_rule(rng))
            Strip.of(box)
        except InputError:
            continue
        return box


def listed(box: OpenBox) -> tuple[Keys | None, Keys]:
    """The list of a question, None if there is a ship or if it is large; and the windows that were met."""

    class TooMany(Exception):
        pass

    def told(count: int) -> None:
        if count > LARGEST:
            raise TooMany

    closure = closure_of(Strip.of(box))
    try:
        closure.explore(told)
        return closure.kept(), closure.met()
    except (SatlifeError, TooMany):
        return None, closure.met()


def objection(box: OpenBox, keys: Keys, has_known: bool) -> str:
    """What is wrong with a list that the search has made."""
    if has_known:
        return "there is a ship"
    if not accepted(box, keys, closure_of(Strip.of(box)).span):
        return "it is not accepted"
    if short_ship(box):
        return "brute force finds a ship"
    return "the plain walk finds a ship" if has_ship(box) else ""


def accepted(box: OpenBox, keys: Keys, span: int) -> bool:
    try:
        check.check(box, keys, span)
    except SatlifeError:
        return False
    return True


# Truth: by all short patterns, and by the checker of the documentation.
@cache
def short_ship(box: OpenBox) -> bool:
    """Whether brute force finds a ship; it knows nothing of waves, nor of oscillators."""
    return not box.wave and not box.stays and box.width <= 6 and next(ships(box), None) is not None


@cache
def plain() -> dict[str, Any]:
    """What the plain checker defines."""
    found = re.findall(r"```python\n((?:import|from) .*?)```", PAGE.read_text(), re.DOTALL)
    assert len(found) == 2
    names: dict[str, Any] = {}
    for block in found:
        exec(block, names)  # noqa: S102  (a page of the documentation)
    return names


@cache
def has_ship(box: OpenBox) -> bool | None:
    """Whether a walk through all windows comes back to emptiness; None if there are many, or the rule is not plain."""
    if box.stays:
        return has_oscillator(box)
    if not re.fullmatch(r"B\d*/S\d*", box.rule.name) or box.width > 9:
        return None
    ship = plain()["Ship"](box.to_dict())
    empty = (0,) * (2 * ship.p)
    waiting = [(place, empty) for place in Sequence(box).starts]
    seen = set()
    while waiting:
        place, rows = waiting.pop()
        for row in ship.next_rows(place, rows):
            after = (0 if ship.uniform else (place + 1) % ship.p, ship.least((*rows[1:], row)))
            if not any(after[1]):
                if any(rows):
                    return True
            elif after not in seen:
                seen.add(after)
                waiting.append(after)
        if len(seen) > MOST:
            return None
    return False


def has_oscillator(box: OpenBox) -> bool | None:
    """Whether there is an oscillator: by a plain search, or because one is found and passes the simulation; None if
    neither says."""
    if (plainly := lines.exists(box)) is not None:
        return plainly
    search = RowSearch.start(box, 1)
    search.search.limits = Limits.of(lines.SECONDS)
    outcome = next(search.finds(), None)
    return True if outcome is not None and not lines.objection(box, outcome) else None


# Lists that should not be accepted.
def forgery(rng: random.Random, box: OpenBox, met: Keys) -> Keys:
    """A list for a question that has a ship: what a search met before it, that of a question without, or noise."""
    kind, sequence = rng.random(), Sequence(box)
    keys = met
    if kind < 0.3 and box.width > 1:
        keys = borrowed(rng, box)
    if kind < 0.7 and len(keys):
        keys = keys[np.array([rng.random() < 0.9 for _ in range(len(keys))])]
    if kind > 0.5 or not len(keys):
        keys = np.concatenate([keys, noise(rng, sequence)])
    if kind > 0.8 and len(keys):
        keys = keys.copy()
        bit = rng.randrange(2 * sequence.period * sequence.free)
        keys[rng.randrange(len(keys)), bit // 64] ^= np.uint64(1 << bit % 64)
    return keys


def borrowed(rng: random.Random, box: OpenBox) -> Keys:
    """The list of another question with windows of the same size, without a ship."""
    for _ in range(5):
        try:
            other = replace(box, rule=plain_rule(rng))
            keys, _ = listed(other)
        except InputError:
            continue
        if keys is not None:
            return keys
    return np.zeros((0, words_of(Sequence(box))), np.uint64)


def noise(rng: random.Random, sequence: Sequence) -> Keys:
    """Random windows."""
    rows = 2 * sequence.period * sequence.free
    numbers = []
    for _ in range(rng.randint(1, 50)):
        numbers.append(rng.choice(sequence.marks) << rows | rng.getrandbits(rows) & rng.getrandbits(rows))
    words = words_of(sequence)
    return np.array([[n >> 64 * word & (1 << 64) - 1 for word in range(words)] for n in numbers], np.uint64)


# Damaged folders.
def damage(rng: random.Random, source: Path, target: Path) -> str:
    """A copy of a certificate in which something is different, and what."""
    target.mkdir()
    for file in source.iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    name = rng.choice(["list", "question", bundle.WINDOWS, bundle.CERTIFICATE, bundle.STATEMENT])
    if name == "question":
        return other_question(rng, target)
    if name == "list":
        return other_list(rng, target)
    path = target / name
    if rng.random() < 0.1:
        path.unlink()
        return f"without {name}"
    data = path.read_bytes()
    if name == bundle.CERTIFICATE:
        path.write_text(json.dumps(damaged_json(rng, json.loads(data))))
    else:
        path.write_bytes(damaged(rng, data))
    return f"{name} damaged"


def other_list(rng: random.Random, target: Path) -> str:
    """Leave windows out of a certificate, change some, or add some, with all words right."""
    claim = certificate.OpenClaim.from_dict(json.loads((target / bundle.CERTIFICATE).read_text()))
    sequence = Sequence(claim.box)
    keys = windows.read(target, bundle.WINDOWS, sequence)
    kind = rng.choice(["one less", "fewer", "changed", "more"])
    if kind in ("one less", "fewer") and len(keys):
        kept = np.array([kind == "one less" or rng.random() < 0.5 for _ in range(len(keys))])
        kept[rng.randrange(len(keys))] = False
        keys = keys[kept]
    elif kind == "changed" and len(keys):
        bit = rng.randrange(2 * sequence.period * sequence.free)
        keys[rng.randrange(len(keys)), bit // 64] ^= np.uint64(1 << bit % 64)
    else:
        keys = np.concatenate([keys, noise(rng, sequence)])
    keys = np.unique(keys, axis=0)
    certificate.write(target, claim.box, keys[np.lexsort(keys.T)], rng.choice([claim.span, claim.span + 2]), {})
    return f"list: {kind}"


def other_question(rng: random.Random, target: Path) -> str:
    """Put another question into a certificate, with all words right."""
    data = json.loads((target / bundle.CERTIFICATE).read_text())
    claim = certificate.OpenClaim.from_dict(data)
    changes: list[dict[str, Any]] = [
        {"rule": plain_rule(rng)}, {"rule": Rule.parse("B3/S23")}, {"width": claim.box.width + rng.choice([1, 2])},
        {"period": claim.box.period + 1}, {"wave": not claim.box.wave},
    ]  # fmt: skip
    try:
        claim = replace(claim, box=replace(claim.box, **rng.choice(changes)), span=rng.randint(1, SPAN))
    except InputError:
        return "unchanged"
    (target / bundle.CERTIFICATE).write_text(json.dumps({**data, **claim.to_dict()}))
    (target / bundle.STATEMENT).write_text(claim.statement())
    (target / bundle.PROBLEM).write_text(claim.box.to_json() + "\n")
    return f"about {claim.box.to_json()}"


def folder_objection(folder: Path) -> str:
    """What is wrong with the verdict on a damaged folder: what is accepted must be true."""
    if not accepted_folder(folder):
        return ""
    box = certificate.OpenClaim.from_dict(json.loads((folder / bundle.CERTIFICATE).read_text())).box
    if has_ship(box) or short_ship(box):
        return f"accepted, but there is a ship: {box.to_json()}"
    return ""


def accepted_folder(folder: Path) -> bool:
    """Whether `verify` accepts it; only our own errors may come out."""
    try:
        list(verify(folder))
    except SatlifeError:
        return False
    return True
