"""Certificates of an atlas: a folder with one certificate for each minimal box and each largest refuted box.

    atlas.json       the question in the largest box, and the names of the certificates
    statement.txt    what they say together
    9x6/             a certificate that there is a pattern in this box, or that there is none; see `bundle`

That the certificates decide every box, and which boxes are minimal, follows from which box lies in which
(`problem.boxes`), and is derived again by the check.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from satlife import files
from satlife.engines.options import Options
from satlife.errors import InputError, SatlifeError
from satlife.problem.boxes import Boxes, Size, area, words
from satlife.problem.chart import Chart
from satlife.problem.outcome import Certificate
from satlife.problem.problem import Problem
from satlife.proof import bundle
from satlife.proof import certify as certificates
from satlife.proof import verify as single
from satlife.proof.checker import CheckProgress
from satlife.proof.checking import Checking
from satlife.proof.claim import FOUND, NONE, Claim, ClaimKind
from satlife.proof.statement import properties
from satlife.proof.verify import Doubted
from satlife.search.library import OnProgress
from satlife.solve.limits import Limits

VERSION = 1
INDEX = "atlas.json"
LARGEST = 16 << 20  # bytes of the index


def must_be_provable(problem: Problem, options: Options) -> None:
    """Raise InputError for what no certificate can express, and for solvers without proofs."""
    Claim(NONE, problem)
    certificates.members(problem, options)


@dataclass(frozen=True)
class Index:
    """The boxes with a certificate: those that are minimal, and those that were refuted."""

    problem: Problem
    minimal: tuple[Size, ...]
    refuted: tuple[Size, ...]

    def to_dict(self) -> dict[str, object]:
        return {
            "satlife atlas": VERSION,
            "problem": self.problem.to_dict(),
            "minimal": [words(size) for size in self.minimal],
            "refuted": [words(size) for size in self.refuted],
        }

    @classmethod
    def read(cls, folder: Path) -> Index:
        """The index of a folder; an InputError says what is wrong with it."""
        with files.inside(folder, INDEX) as stream:
            text = stream.read(LARGEST)
        try:
            data = json.loads(text)
            if not isinstance(data, Mapping) or data.get("satlife atlas") != VERSION:
                raise InputError(f"not an atlas of version {VERSION}")
            problem = Problem.from_dict(data["problem"])
            return cls(problem, *(tuple(_size(name) for name in data[kind]) for kind in ("minimal", "refuted")))
        except (ValueError, LookupError, TypeError, RecursionError, InputError) as error:
            raise InputError(f"{folder / INDEX}: {error}") from error

    def statement(self) -> str:
        """What the certificates say together, in words."""
        largest, minimal = words(self.problem.size), ", ".join(map(words, self.minimal))
        lines = [f"The minimal boxes, up to {largest}, with such a pattern are: {minimal}." if minimal else
                 f"No box up to {largest} has a pattern with these properties (said for the largest):"]  # fmt: skip
        if minimal:
            lines += [
                "A box is minimal if it has a pattern and no other box that lies in it has one.  (With a symmetry a",
                "box lies in another if both can have the same centre.  Where turning changes nothing in the question,",
                "a box and the turned box count as one.)  The properties, in the largest box:",
            ]
        return "\n".join([*lines, "", *properties(self.problem)]) + "\n"


def _size(name: object) -> Size:
    found = re.fullmatch(r"([1-9]\d{0,5})x([1-9]\d{0,5})", str(name))
    if not found:
        raise InputError(f"{str(name)[:40]!r} is not the name of a box")
    return int(found[1]), int(found[2])


def certify(
    chart: Chart,
    target: Path,
    options: Options,
    progress: OnProgress | None = None,
    checking: CheckProgress | None = None,
) -> Certificate:
    """Certify a chart on which every box is decided; the time limit is the one of the whole, search included."""
    limits = Limits.of(None if options.time is None else max(options.time - chart.seconds, 0.0))
    index = index_of(chart)
    claims = {size: Claim(NONE, chart.boxes.within[size]) for size in index.refuted}
    for found in chart.minimal:
        if found.problem.size in index.minimal:
            claims[found.problem.size] = Claim(FOUND, found.problem, finds=(found.find,))
    lemmas = 0
    try:
        with bundle.staged(target) as folder:
            for size, claim in claims.items():
                made = certificates.certify(
                    claim, folder / words(size), replace(options, time=limits.left()), progress, checking
                )
                if not made.checked:
                    return Certificate(False, reason=f"{words(size)}: {made.reason}")
                lemmas += made.lemmas
            with bundle.named(target):
                (folder / INDEX).write_text(json.dumps(index.to_dict(), indent=1) + "\n")
                (folder / bundle.STATEMENT).write_bytes(index.statement().encode())
            _decided(index)
    except SatlifeError as error:
        return Certificate(False, reason=str(error))
    return Certificate(True, str(target), lemmas)


def index_of(chart: Chart) -> Index:
    """The boxes that need a certificate; of a box and the turned one, the first, unless it lies in another when
    turned."""
    minimal = [found.problem.size for found, _ in chart.pairs()]
    refuted: list[Size] = []
    for size in chart.largest_refuted:
        turned = chart.boxes.turned(size)
        around = [other for other in chart.largest_refuted if turned is not None and chart.boxes.lies_in(turned, other)]
        if all(other == turned and other not in refuted for other in around):
            refuted.append(size)
    return Index(chart.question, tuple(minimal), tuple(refuted))


def verify(folder: Path, checking: Checking | None = None, target: Path | None = None) -> Iterator[str]:
    """Verify a certificate or the certificates of an atlas; yields a line for each step that succeeds and raises
    Doubted for the first that fails."""
    checking = checking or Checking(folder)
    if not (folder / INDEX).is_file():
        yield from single.verify(folder, checking, target)
        return
    index = single.step("atlas", lambda: Index.read(folder))
    boxes = single.step("atlas", lambda: Boxes(index.problem))
    with files.inside(folder, bundle.STATEMENT) as stream:
        if stream.read(LARGEST) != index.statement().encode():
            raise Doubted(f"atlas: the words in {bundle.STATEMENT} are not those of {INDEX}")
    needed = [(size, FOUND) for size in index.minimal] + [(size, NONE) for size in index.refuted]
    yield from checking.in_order(
        [partial(_one, folder / words(size), kind, boxes.within.get(size), checking, target) for size, kind in needed]
    )
    yield single.step("atlas", lambda: _decided(index))


def _one(
    folder: Path, kind: ClaimKind, problem: Problem | None, checking: Checking, target: Path | None
) -> Iterator[str]:
    """Verify the certificate of a box, which must be about the question in this box."""
    box, place = folder.name, None
    if target is not None:
        place = target / box
        place.mkdir()
    try:
        for line in single.verify(folder, checking, place):
            yield f"{box}: {line}"
    except Doubted as error:
        raise Doubted(f"{box}: {error}") from error
    claim = bundle.read(folder).claim
    if problem is None or claim.problem.key != problem.key or claim.kind != kind:
        raise Doubted(f"{box}: its certificate is not the one that the atlas needs")


def _decided(index: Index) -> str:
    """That the boxes of an index decide all others, and that the minimal ones are minimal; InputError if not."""
    boxes = Boxes(index.problem)
    if not {*index.minimal, *index.refuted} <= set(boxes.within):
        raise InputError("a certificate is about a box that is none of the atlas")
    minimal, refuted = (_with_turned(boxes, sizes) for sizes in (index.minimal, index.refuted))
    none = {size for size in boxes.within if any(boxes.lies_in(size, other) for other in refuted)}
    none |= _with_turned(boxes, none)
    some = {size for size in boxes.within if any(boxes.lies_in(other, size) for other in minimal)}
    if none & some:
        raise InputError(f"{words(min(none & some, key=area))} both has a pattern and has none")
    if left := set(boxes.within) - none - some:
        raise InputError(f"nothing decides {words(min(left, key=area))}")
    for size in minimal:
        if any(other != size and boxes.lies_in(other, size) for other in some):
            raise InputError(f"{words(size)} is not minimal")
    return f"atlas: {len(boxes.within)} boxes, decided by these certificates; {len(minimal)} are minimal"


def _with_turned(boxes: Boxes, sizes: tuple[Size, ...] | set[Size]) -> set[Size]:
    return {*sizes, *(turned for size in sizes if (turned := boxes.turned(size)) is not None)}
