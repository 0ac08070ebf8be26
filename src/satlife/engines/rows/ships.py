"""Ships, waves or oscillators of a given width and any length, as the user asked for them: in any direction, each find
simulated."""

from __future__ import annotations

import json
import time as clock
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from itertools import islice

import numpy as np

from satlife.device import Choice
from satlife.engines.engine import Background
from satlife.engines.events import Covered, Saved
from satlife.engines.rows import SOLVER, STRATEGY
from satlife.engines.rows.cpu.search import FrontierSearch
from satlife.engines.rows.forest import Forest, PartialsAt
from satlife.engines.rows.gpu import search as device
from satlife.engines.rows.lines.search import LineSearch
from satlife.engines.rows.question.boxes import Ending
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.searcher import RowSearcher, SavedSearch, StageWatch, waiting
from satlife.errors import DeviceError, InputError
from satlife.life import several
from satlife.life.formats import rle
from satlife.life.pattern import Cells, Pattern, common_box
from satlife.life.simulate import generations
from satlife.limits import Limits
from satlife.problem import meaning, verify
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import FOUND, Outcome
from satlife.records import dataclass


@dataclass
class RowSearch:
    """A search row by row.  `complete` says in the end that there are no other ships of this width."""

    box: OpenBox
    search: RowSearcher
    started: float
    known: list[str] = field(default_factory=list)  # the apgcodes of what was found
    left_out: int = 0  # ships of a smaller period
    resumed: bool = False
    head: bool = False  # only ships that begin with given rows are looked for
    heads: list[Pattern] = field(default_factory=list)  # moving upward
    begun: list[list[list[int]]] = field(default_factory=list)  # by head, its rows in each place where it fits
    loaded: SavedSearch | None = None  # the partial ships that it began with
    fall_back: Callable[[DeviceError], FrontierSearch] | None = None  # what goes on if the device fails

    @classmethod
    def start(
        cls,
        box: OpenBox,
        jobs: int,
        megabytes: int | None = None,
        choice: Choice | None = None,
        longest: int = 0,
        ending: Ending = "free",
        several: bool = False,
    ) -> RowSearch:
        """A search on the device of `choice`, if there is one and it pays, else on the CPU; ships have `longest` rows
        in the sequence of all phases at most, if that is not 0.  Of oscillators, `ending` says how they end.  If
        `several` ships are wanted, fewer partial ships are taken for the same."""
        started = clock.monotonic()  # loading and compiling kernels is part of the search
        strip = Strip.of(box)

        def on_cpu(error: DeviceError | None = None) -> FrontierSearch:
            if error is not None and choice is not None:
                choice.give_up(error)
            return FrontierSearch(strip, jobs, megabytes or 2000, several=several, longest=longest)

        def begin(search: RowSearcher, fall_back: Callable[[DeviceError], FrontierSearch] | None = None) -> RowSearch:
            made = cls(box, search, started, fall_back=fall_back)
            if box.heads:
                made.begin_with(*map(rle.parse, box.heads))
            return made

        if choice and (reason := device.why_not(strip)):
            choice.decline(reason)
        if strip.stays:
            return begin(LineSearch(strip, jobs, megabytes, longest, ending))
        found = choice.device(device.is_worthwhile(strip)) if choice else None
        if found is None:
            return begin(on_cpu())
        search = device.DeviceSearch(strip, found, megabytes)
        search.longest = longest
        return begin(search, on_cpu)

    @property
    def complete(self) -> bool:
        """Whether there is no ship but those found, up to their beginnings."""
        return self.search.complete and not self.left_out

    def obey(self, run: Background, deadline: float) -> None:
        """Pause and stop when the run is told to, and end at the deadline."""
        self.search.limits, self.search.paused = Limits(deadline, stopped=run.is_stopped), lambda: run.is_paused

    @property
    def is_on_device(self) -> bool:
        return isinstance(self.search, device.DeviceSearch)

    def finds(self, watch: StageWatch | None = None) -> Iterator[Outcome]:
        """Ships as they come, each simulated; those of a smaller period, and those found before, are left out.  Of
        ships that end alike one is found."""
        for rows in self._ships(watch):
            outcome = self._outcome(rows)
            if outcome is None or (self.begun and self.head_of(rows) is None):
                self.left_out += 1
                continue
            assert outcome.pattern is not None
            name = outcome.apgcode or f"{rle.body(outcome.pattern)}!"
            if name not in self.known:
                self.known.append(name)
                yield outcome

    def _ships(self, watch: StageWatch | None) -> Iterator[list[int]]:
        """The rows of ships; if a device fails, the CPU begins once more."""
        try:
            yield from self.search.ships(watch)
        except DeviceError as error:
            if self.fall_back is None:
                raise
            failed, given = self.search, self.loaded
            self.search = self.fall_back(error)
            self.search.limits, self.search.paused = failed.limits, failed.paused
            if given is not None:
                self.search.restore(given, may_be_complete=True)
            yield from self.search.ships(watch)

    @property
    def searched(self) -> int:
        """The rows of a box: every ship whose phases lie in one of so many was found or does not exist."""
        lattice = self.search.strip.lattice
        known = self.search.searched - max(lattice.starts)
        return max((known - 1 - lattice.k * (lattice.p - 1)) // lattice.p + 1, 0)

    def _outcome(self, rows: list[int]) -> Outcome | None:
        box, strip = self.box, self.search.strip
        width, height = (box.width, 0) if box.along == "y" else (0, box.width)
        turned = box.turn(Pattern(strip.phase(rows), rule=box.rule))
        phases = list(islice(generations(replace(turned, torus=(width, height) if box.wave else None)), box.period))
        if box.symmetry is None and not box.wave:
            width = height = 0
        left, top, wide, high = common_box(phases)
        left, width = (0, width) if width else (left, wide)
        top, height = (0, height) if height else (top, high)
        cells = tuple(phase.within(left, top, width, height) for phase in phases)
        problem = box.closed(width, height)
        try:
            verify.check(problem, cells)
        except verify.SmallerPeriod:
            return None
        seconds = {"total": clock.monotonic() - self.started}
        which = self.head_words(rows)
        return Outcome(problem, FOUND, cells, seconds, SOLVER, f"{STRATEGY}, {which}" if which else STRATEGY)

    def save(self, unheard: int = 0) -> Saved:
        """The partial ships as text, and what was found but for the last `unheard` ships."""
        state = self.search.state()
        found = {"found": self.known[: len(self.known) - unheard], "left out": self.left_out, "head": self.head}
        text = json.dumps({"partials of": self.box.to_dict(), **found, **state}) + "\n"
        return Saved(text, waiting(state), self.search.cut_off)

    def load(self, text: str) -> None:
        """Go on from partial ships that were saved for the same question."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not valid JSON: {error}") from error
        is_saved = isinstance(data, dict) and "partials of" in data
        if not is_saved:
            raise InputError("this is no file of partial ships")
        if data["partials of"] != self.box.to_dict():
            raise InputError(f"these partial ships are of another question: {json.dumps(data['partials of'])[:200]}")
        known, left_out = data.get("found"), data.get("left out")
        if not isinstance(known, list) or not all(isinstance(n, str) for n in known) or type(left_out) is not int:
            raise InputError("this file of partial ships does not say what was found")
        self.search.restore(data, may_be_complete=True)
        self.loaded = data
        self.known, self.left_out, self.resumed = known, left_out, True
        self.head = data.get("head") is True or bool(self.box.heads)

    def resume(self, text: str) -> None:
        """Go on from the text of a saved search, or behind the head of a ship in any format of patterns."""
        if text.lstrip().startswith("{"):
            self.load(text)
        else:
            self.begin_with(*several.parse(text))

    def coverage(self) -> Covered:
        """How far the search has come."""
        words, stage = meaning.covered(self.box), self.search.stage
        given = self.head and not self.box.heads  # beside the question
        return Covered(
            words.replace(" of period", " with this head of period", 1) if given else words,
            stage.row,
            stage.partials,
            self.searched,
            () if self.resumed else tuple(self.search.counts),
            tuple(self.known),
            not self.search.complete,
            self.search.complete and bool(self.known or not self.left_out),
            self.head,
        )

    def begin_with(self, *heads: Pattern) -> None:
        """Look only for ships that begin with one of these patterns, in generation 0, under the rule of the question.
        All of them are checked first; then they are searched one after another."""
        if self.box.wave or not self.box.forward:
            raise InputError("a head is that of a ship in a box that is open along its way")
        self.heads = [self.box.upward(Pattern(head.cells, rule=self.box.rule)) for head in heads]
        self.begun = [self._begun(head, number) for number, head in enumerate(self.heads, 1)]
        self.loaded = _state_of(self.search.strip, [rows for partials in self.begun for rows in partials])
        self.search.restore(self.loaded)
        self.head = True

    def _begun(self, head: Pattern, number: int) -> list[list[int]]:
        """The rows of a head, in each place where it fits; an InputError says why it is none."""
        which = f"head {number} of {len(self.heads)}: " if len(self.heads) > 1 else ""
        try:
            return begun_with(self.box, head)
        except InputError as error:
            raise InputError(f"{which}{error}") from error

    def left_to_the_search(self) -> str:
        """Of which heads the last rows are left to the search, since they depend on what is behind them; in words."""
        rows = [
            self._live(head.cells).shape[0] - self._live(self.search.strip.phase(partials[0])).shape[0]
            for head, partials in zip(self.heads, self.begun, strict=True)
        ]
        if not any(rows):
            return ""
        if rows == [1]:
            return "the last row of the head is left to the search, since what comes behind may change it"
        which = (
            f"{rows[0]} rows of the head" if len(rows) == 1 else f"rows of {sum(map(bool, rows))} of {len(rows)} heads"
        )
        return f"the last {which} are left to the search, since what comes behind may change them"

    def head_of(self, rows: list[int]) -> int | None:
        """The number of the head with which these rows begin, from 0; of several, one that is there as a whole, or else
        the longest."""
        cells = self._live(self.search.strip.phase(rows))
        fitting = (
            (self._begins_with(cells, number), len(partial), -number)
            for number, partials in enumerate(self.begun)
            for partial in partials
            if rows[: len(partial)] == partial
        )
        found = max(fitting, default=None)
        return None if found is None else -found[2]

    def _begins_with(self, cells: Cells, number: int) -> bool:
        """Whether a pattern begins with all rows of a head."""
        head = self._live(self.heads[number].cells)
        return np.array_equal(self._live(cells[: head.shape[0]]), head)

    @staticmethod
    def _live(cells: Cells) -> Cells:
        """The bounding box of the live cells."""
        return Pattern(cells).crop().cells

    def head_words(self, rows: list[int]) -> str:
        """With which head these rows begin, if there are several."""
        number = self.head_of(rows) if len(self.begun) > 1 else None
        return "" if number is None else f"head {number + 1} of {len(self.begun)}"

    def longest(self) -> Pattern:
        """The longest partial ship, generation 0, as the user sees it."""
        cells = self.search.strip.phase(self.search.stage.longest())
        return self.box.turn(Pattern(cells, rule=self.box.rule))


def _state_of(strip: Strip, partials: list[list[int]]) -> SavedSearch:
    """The state of a search that begins with these partial ships, one after another."""
    fronts: list[PartialsAt] = [{"place": strip.first + len(rows), "partials": [rows]} for rows in partials]
    return {"depth": 0, "ready": [], "fronts": fronts}


def begun_with(box: OpenBox, head: Pattern) -> list[list[int]]:
    """The partial ships that begin with a head, which moves upward; an InputError says why no ship does."""
    strip = Strip.of(box)
    partials = rows_of(strip, head)
    try:
        for front in _state_of(strip, partials)["fronts"]:
            Forest.from_dict(front, strip).check(strip)
    except InputError as error:
        moves = f"period {box.period} and displacement {box.displacement}"
        raise InputError(f"this is not the head of a ship of {moves} in these columns: {error}") from error
    return partials


def rows_of(strip: Strip, head: Pattern) -> list[list[int]]:
    """The rows of a ship that moves upward and has this head, in order, for each place where it fits between the sides.

    What is behind the head reaches one row further forward in each generation; rows that it may have changed are left
    to the search."""
    height, width = head.cells.shape
    if width > strip.width or not head.cells.any():
        raise InputError(f"a head has live cells, and here at most {strip.width} columns")
    if strip.symmetry != "none" and ((strip.width - width) % 2 or (head.cells != head.cells[:, ::-1]).any()):
        raise InputError("this head does not have the mirror symmetry of the question")
    lefts = range(strip.width - width + 1) if strip.symmetry == "none" else [(strip.width - width) // 2]
    phases = list(islice(generations(head), strip.period))
    top = min(phase.y for phase in phases if phase.cells.any())
    lattice, first = strip.lattice, strip.first
    above = max(lattice.place(i)[0] for i in range(first, first + strip.period)) - top
    # Every row before `end` follows from the head alone.
    end = min(lattice.index(head.y + height - t + above, t) for t in range(strip.period))
    places = [lattice.place(index) for index in range(first, end)]
    partials = []
    for left in lefts:
        rows = [_row(strip, phases[t], y - above, left - head.x - lattice.offset(t)) for y, t in places]
        while rows and not any(rows[-strip.period :]):
            rows.pop()  # dead rows at the end may be the beginning of something else
        partials.append(rows)
    if not any(partials):
        raise InputError("this head is too short: every row depends on what is behind it")
    inside = [rows for rows in partials if rows and -1 not in rows]
    if not inside:
        raise InputError(f"what this head becomes leaves the {strip.width} columns, wherever it lies")
    return inside


def _row(strip: Strip, phase: Pattern, y: int, shift: int) -> int:
    """A row of a pattern whose columns are moved to the right, as a number; -1 if a live cell lies outside."""
    if not phase.y <= y < phase.y + phase.height:
        return 0
    cells = [phase.x + x + shift for x in np.flatnonzero(phase.cells[y - phase.y]).tolist()]
    begin = strip.width - strip.free
    if any(not 0 <= x < strip.width for x in cells):
        return -1
    return sum(1 << (x - begin) for x in cells if x >= begin)
