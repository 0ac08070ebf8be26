"""Ships of a given width and any length, as a question of the user: any direction, finds checked like all others."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import threading
import time as clock
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from satlife.errors import InputError
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, Rule
from satlife.life.simulate import generations
from satlife.problem import families, symmetry, verify
from satlife.problem.problem import Problem
from satlife.rows.search import Progress, Question, Search
from satlife.search.outcome import FOUND, NONE, Outcome

VERSION = 1


@dataclass(frozen=True)
class OpenBox:
    """Ships that move by `displacement` in `period` generations, `width` cells wide across the open side.

    The open side is that of y, or with `along` "x" that of x."""

    width: int
    period: int
    displacement: tuple[int, int]
    rule: Rule = LIFE
    symmetry: str | None = None
    gutter: bool = False
    along: str = "y"

    def turn(self, pattern: Pattern) -> Pattern:
        """Between the user's directions and a ship that moves upward; the same both ways."""
        pattern = pattern.transform("F\\") if self.along == "x" else pattern
        forward = self.displacement[0 if self.along == "x" else 1]
        name = {("x", True): "F|", ("y", True): "F-"}.get((self.along, forward > 0), "I")
        return pattern.transform(name)

    def question(self) -> Question:
        """The same for ships that move upward."""
        across, forward = self.displacement if self.along == "y" else self.displacement[::-1]
        if forward == 0:
            other = "*xH" if self.along == "y" else "Wx*"
            raise InputError(f"the open side lies along the motion; for this displacement write {other}")
        if not self.rule.is_isotropic and (self.along, forward < 0) != ("y", True):
            raise InputError(f"{self.rule} is not isotropic; only ships that move upward can be searched row by row")
        mirror = {"y": "D2|", "x": "D2-"}[self.along]
        if self.symmetry is not None and symmetry.canonical(self.symmetry) != mirror:
            raise InputError(f"row by row a ship can have the mirror symmetry {mirror} along its way, or none")
        if self.gutter and self.symmetry is None:
            raise InputError(f"a gutter is the dead middle column of a mirror symmetry; add -s {mirror}")
        kind = "none" if self.symmetry is None else "gutter" if self.gutter else ("even", "odd")[self.width % 2]
        return Question(self.rule, self.width, self.period, (across, -abs(forward)), kind)

    def covered(self) -> str:
        """The ships that are considered, in words."""
        kind = self.question().symmetry
        line = "columns" if self.along == "y" else "rows"
        if kind == "none":
            aside = self.displacement[0 if self.along == "y" else 1]
            window = f"a window of {self.width} {line} that moves along with it" if aside else f"{self.width} {line}"
            return f"every ship whose phases all lie in {window}"
        axis = f"between {line}" if kind == "even" else f"on one of the {line}"
        return f"every ship that is no wider and has its mirror {axis}{', which is dead' * (kind == 'gutter')}"

    def to_dict(self) -> dict[str, object]:
        """What is sought, for people and programs."""
        out: dict[str, object] = {"satlife": VERSION, "kind": "spaceship", "rule": self.rule.name}
        out["box"] = [self.width, "*"] if self.along == "y" else ["*", self.width]
        out |= {"period": self.period, "displacement": list(self.displacement)}
        if self.symmetry is not None:
            out["symmetry"] = [symmetry.canonical(self.symmetry)]
        return out | ({"gutter": True} if self.gutter else {})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> OpenBox:
        """A question from its JSON form, as `to_dict` writes it."""
        try:
            width, height = data["box"]
            dx, dy = data["displacement"]
            box = cls(
                int(height if width == "*" else width),
                int(data["period"]),
                (int(dx), int(dy)),
                Rule.parse(str(data["rule"])),
                next(iter(data.get("symmetry", ())), None),
                data.get("gutter") is True,
                "x" if width == "*" else "y",
            )
        except (KeyError, TypeError, ValueError) as error:
            wanted = 'a box such as [10, "*"], a period and a displacement'
            raise InputError(f"a question about ships of any length has {wanted}") from error
        box.question()
        return box

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    @property
    def key(self) -> str:
        """A sha256 of the question."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


@dataclass
class RowSearch:
    """A search row by row.  `complete` says in the end that there are no other ships of this width."""

    box: OpenBox
    search: Search
    started: float
    known: list[str] = field(default_factory=list)  # the apgcodes of what was found
    left_out: int = 0  # ships of a smaller period

    @classmethod
    def start(cls, box: OpenBox, jobs: int, megabytes: int | None = None) -> RowSearch:
        return cls(box, Search(box.question(), jobs, megabytes or 2000), clock.monotonic())

    @property
    def complete(self) -> bool:
        """Whether there is no ship but those found, up to their beginnings."""
        return self.search.complete and not self.left_out

    def finds(self, deadline: float = 0.0, watch: Callable[[Progress], None] | None = None) -> Iterator[Outcome]:
        """Ships as they come, each simulated; those of a smaller period, and those found before, are left out.  Of
        ships that end alike one is found."""
        if deadline and not self.search.deadline:  # it may have been stopped
            self.search.deadline = deadline
        for rows in self.search.ships(watch):
            outcome = self._outcome(rows)
            if outcome is None:
                self.left_out += 1
                continue
            name = outcome.apgcode or outcome.rle()
            if name not in self.known:
                self.known.append(name)
                yield outcome

    def _outcome(self, rows: list[int]) -> Outcome | None:
        box, question = self.box, self.search.question
        up = Pattern(question.phase(rows), rule=box.rule)
        phases = list(islice(generations(box.turn(up)), box.period))
        width, height = (box.width, 0) if box.along == "y" else (0, box.width)
        if box.symmetry is None:
            width = height = 0
        left = 0 if width else min(phase.x for phase in phases)
        top = 0 if height else min(phase.y for phase in phases)
        width = width or max(phase.x + phase.width for phase in phases) - left
        height = height or max(phase.y + phase.height for phase in phases) - top
        cells = []
        for phase in phases:
            canvas = np.zeros((height, width), np.uint8)
            y, x = phase.y - top, phase.x - left
            canvas[y : y + phase.height, x : x + phase.width] = phase.cells
            cells.append(canvas)
        sides = () if box.symmetry is None else (box.symmetry,)
        problem = families.spaceship((width, height), box.period, box.displacement, rule=box.rule, symmetry=sides)
        try:
            verify.check(problem, cells)
        except verify.Refuted as error:
            if "smaller period" in str(error):
                return None
            raise
        seconds = {"total": clock.monotonic() - self.started}
        return Outcome(problem, FOUND, tuple(cells), seconds, "table", "row by row")

    def save(self) -> str:
        """The partial ships as text."""
        found = {"found": self.known, "left out": self.left_out}
        return json.dumps({"partials of": self.box.to_dict(), **found, **self.search.state()}) + "\n"

    def load(self, text: str) -> None:
        """Go on from partial ships that were saved for the same question."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not valid JSON: {error}") from error
        if not isinstance(data, dict) or "partials of" not in data:
            raise InputError("this is no file of partial ships")
        if data["partials of"] != self.box.to_dict():
            raise InputError(f"these partial ships are of another question: {json.dumps(data['partials of'])[:200]}")
        known, left_out = data.get("found"), data.get("left out")
        if not isinstance(known, list) or not all(isinstance(n, str) for n in known) or type(left_out) is not int:
            raise InputError("this file of partial ships does not say what was found")
        self.search.restore(data)
        self.known, self.left_out = known, left_out

    def longest(self) -> Pattern:
        """The longest partial ship, generation 0, as the user sees it."""
        cells = self.search.question.phase(self.search.progress.longest)
        return self.box.turn(Pattern(cells, rule=self.box.rule))


class Beside(threading.Thread):
    """The search row by row for a ship in a box, beside the solvers: soon after the start, if it suits the problem.

    Where it suits, it is mostly the first to answer what takes longer than a second; so it has a core for itself, for
    a minute."""

    PATIENCE = 0.5  # many questions are answered before Numba is even loaded
    ALONE = 60.0  # seconds
    WIDEST = 12

    def __init__(self, problem: Problem, deadline: float, megabytes: int | None = None) -> None:
        super().__init__(name="row by row", daemon=True)
        self.problem, self.deadline, self.megabytes = problem, deadline, megabytes
        self.outcome: Outcome | None = None
        self._began = math.inf
        self._stop_asked = threading.Event()
        self._search: RowSearch | None = None

    @classmethod
    def suits(cls, problem: Problem) -> bool:
        """Whether the problem is that of a ship in a narrow box along its way, and nothing else."""
        if importlib.util.find_spec("numba") is None:
            return False
        box = cls.open_box(problem)
        if box is None or problem.has_conditions or any(problem.cells) or any(problem.wrap) or not problem.exact:
            return False
        try:
            return box.question().free <= cls.WIDEST
        except InputError:
            return False

    @staticmethod
    def open_box(problem: Problem) -> OpenBox | None:
        dx, dy = problem.displacement
        if not problem.periodic or (dx == 0) == (dy == 0) or len(problem.symmetry) > 1:
            return None
        along, width = ("y", problem.width) if dx == 0 else ("x", problem.height)
        mirror = next(iter(problem.symmetry), None)
        return OpenBox(width, problem.generations, problem.displacement, problem.rule, mirror, along=along)

    @property
    def busy(self) -> bool:
        """Whether it is to have a core for itself."""
        return 0 <= clock.monotonic() - self._began < self.ALONE

    def run(self) -> None:
        if not self._stop_asked.wait(self.PATIENCE):
            self._began = clock.monotonic()
            try:
                self._look()
            finally:
                self._began = math.inf

    def _look(self) -> None:
        box = self.open_box(self.problem)
        assert box is not None
        problem, period, way = self.problem, self.problem.generations, sum(map(abs, self.problem.displacement))
        self._search = RowSearch.start(box, 1, self.megabytes)
        self._search.search.deadline = self.deadline
        length = problem.height if box.along == "y" else problem.width
        self._search.search.longest = period * (length - 1) + way * (period - 1) + 1
        if self._stop_asked.is_set():
            return
        found = 0
        for outcome in self._search.finds():
            found += 1
            if fitting := self._fit(outcome):
                self.outcome = fitting
                return
        if self._search.complete and not found:
            seconds = {"total": clock.monotonic() - self._search.started}
            self.outcome = Outcome(problem, NONE, (), seconds, "table", "row by row")

    def _fit(self, outcome: Outcome) -> Outcome | None:
        """The ship in the box of the problem, in whatever phase it fits."""
        assert outcome.pattern is not None
        for phase in islice(generations(outcome.pattern), self.problem.generations):
            moved = [*islice(generations(phase), self.problem.generations)]
            left, top = min(p.x for p in moved), min(p.y for p in moved)
            if self.problem.symmetry:  # the mirror stays where it is
                left, top = (0, top) if self.problem.displacement[0] == 0 else (left, 0)
            try:
                phases = tuple(verify.phases_of(self.problem, phase.shift(-left, -top)))
                verify.check(self.problem, phases)
            except verify.Refuted:
                continue
            return replace(outcome, problem=self.problem, phases=phases)
        return None

    def stop(self) -> None:
        self._stop_asked.set()
        if self._search:
            self._search.search.stop()
