"""How results are shown: RLE or JSON on stdout, messages and progress on stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from satlife import files
from satlife.cli import screen
from satlife.engines.events import Event, Progress, ProofChecked
from satlife.errors import InputError
from satlife.problem.answers import Count, Listed
from satlife.problem.ask import Ask
from satlife.problem.outcome import EXIT_CODES, FOUND, UNKNOWN, Certificate, Outcome
from satlife.problem.question import Question
from satlife.records import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from satlife.life.pattern import Cells, Pattern
    from satlife.problem.outcome import Outcome

# Pictures of what a search finds, where -o names a file that is one.


@dataclass
class Pictures:
    """Where finds are drawn: the first into a file of this name, others beside it, numbered from 2."""

    path: Path
    phases: bool  # all generations side by side
    count: int = 0  # of the finds drawn

    @classmethod
    def of(cls, name: str | None, phases: bool, line: int | None = None) -> Pictures | None:
        """From -o and --phases, and the line of the question in a file of many; None if nothing is to be drawn."""
        if not name and not phases:
            return None
        from pathlib import Path

        from satlife.draw.files import PICTURE_FILES, STILL

        path = Path(name or "")
        if phases and path.suffix.lower() not in STILL:
            raise InputError(f"--phases draws all generations side by side: say -o FILE{' or '.join(STILL)}")
        if path.suffix.lower() not in PICTURE_FILES:
            return None
        return cls(path.with_stem(f"{path.stem}-{line}") if line else path, phases)

    def draw(self, outcome: Outcome) -> None:
        """Draw a find."""
        from satlife.draw.files import picture_of

        files.write(self._next(), [picture_of(outcome, self.path.suffix.lower(), self.phases)])

    def draw_part(self, pattern: Pattern) -> None:
        """Draw a part of a pattern, whose other cells are unknown."""
        from satlife.draw.files import drawn

        files.write(self._next(), [drawn(pattern, self.path.suffix.lower())])

    def must_be_still(self) -> None:
        """Refuse a film, and generations side by side, of a part of a pattern."""
        from satlife.draw.files import STILL

        if self.phases or self.path.suffix.lower() not in STILL:
            raise InputError(f"the future of a part of a pattern is not known; say -o FILE{' or '.join(STILL)}")

    def _next(self) -> Path:
        self.count += 1
        return self.path.with_stem(f"{self.path.stem}-{self.count}") if self.count > 1 else self.path


FIRST_VIEW, BETWEEN_VIEWS = 0.5, 0.2  # seconds before progress is shown, and before it is redrawn
SURE = 2.0  # seconds before the time left is estimated


@dataclass(frozen=True)
class Phase:
    """A phase of the check of proofs: how much was done when it began, and when that was."""

    what: str = ""
    done: int = 0
    began: float = 0.0

    def words(self, done: int, total: int, now: float) -> str:
        """How far it is, and how long the rest will take if it goes on like this.

        >>> Phase("checking", 0, 100.0).words(25, 100, 130.0), Phase("checking", 0, 100.0).words(0, 100, 130.0)
        ('25 %, about 2 min left', '0 %')
        """
        from satlife.store.progress import duration

        share = f"{100 * done // max(total, 1)} %"
        if done <= self.done or now - self.began < SURE:
            return share
        return f"{share}, about {duration((now - self.began) * (total - done) / (done - self.done))} left"


class ProgressView:
    """How a search gets on, redrawn in place on stderr; nothing if that is no terminal.

    Each engine has a line with its last words, and above them is the largest partial solution that one of them told.
    """

    def __init__(self, quiet: bool) -> None:
        self.active = not quiet and screen.is_terminal()
        self.started = time.monotonic()
        self.words: dict[str, str] = {}  # the last words of each engine or strategy
        self.picture: list[str] = []
        self._phase = Phase()
        self._next = self.started + FIRST_VIEW

    def __enter__(self) -> ProgressView:
        return self

    def __exit__(self, *exc: object) -> None:
        screen.erase()

    def __call__(self, progress: Progress) -> None:
        """Show the progress of one engine of a race."""
        if not self.active:
            return
        self.words[progress.who] = progress.words
        if progress.partial:
            self.picture = _pictured(progress.partial[0])
        if time.monotonic() >= self._next:
            width = max(map(len, self.words))
            self.show(*(f"{who:{width}}  {words}" for who, words in self.words.items()))

    def hear(self, event: Event) -> None:
        """Show what an event says of how far the search, or the check of its proofs, has come."""
        if isinstance(event, Progress):
            self(event)
        elif isinstance(event, ProofChecked):
            self.checking(event.what, event.done, event.total)

    def checking(self, what: str, done: int, total: int) -> None:
        """Show the progress of the check of proofs, and an estimate of the time left."""
        now = time.monotonic()
        if what != self._phase.what or done < self._phase.done:
            self._phase = Phase(what, done, now)
        self.picture = []
        if now >= self._next:
            self.show(f"{what} the proof: {self._phase.words(done, total, now)}")

    def show(self, *lines: str) -> None:
        """Show these lines, the first with the seconds that have passed."""
        if self.active:
            clock = f"{time.monotonic() - self.started:.0f} s  "
            indent = " " * len(clock)
            self._next = time.monotonic() + BETWEEN_VIEWS
            screen.draw([(indent if k else clock) + line for k, line in enumerate(lines)], self.picture)


def _pictured(cells: Cells) -> list[str]:
    from satlife.draw.terminal import partial_blocks

    return partial_blocks(cells, colour=not os.environ.get("NO_COLOR"))


@dataclass
class Report:
    """Where results go, and in which format."""

    style: str = "rle"
    target: str | None = None
    quiet: bool = False
    verbose: bool = False
    origin: tuple[int, int] | None = None  # of the box in the plane, where the question tells
    line: int | None = None  # of the question, in a file that has many
    pictures: Pictures | None = None  # the file into which finds are drawn; their text then goes to stdout
    embed: bool = False  # write the question into the comments of finds

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Report:
        """From the options of a command; the ending of the file names the format of finds, unless another is named."""
        target, style = values["output"], "json" if values["as_json"] else values["style"]
        if style is None and target:
            style = next((ending for ending in ("cells", "json") if target.lower().endswith(f".{ending}")), None)
        origin, line = values.get("origin"), values.get("line")
        pictures = Pictures.of(target, bool(values.get("phases")), line)
        text = target if pictures is None else None
        embed = bool(values.get("embed"))
        return cls(style or "rle", text, values["quiet"], values["verbose"], origin, line, pictures, embed)

    @property
    def prefix(self) -> str:
        """Of messages: which of many questions they are about."""
        return f"line {self.line}: " if self.line else ""

    def write_json(self, data: Mapping[str, object]) -> None:
        """Write an object of JSON on a line, with the line of the question if it is one of many."""
        import json

        emit(json.dumps({**data, "line": self.line} if self.line else data) + "\n", self.target)

    def progress(self) -> ProgressView:
        return ProgressView(self.quiet)

    def note(self, text: str, *more: str) -> None:
        """Print a message, and more lines below it, except with --quiet or for JSON."""
        if not self.quiet and self.style != "json":
            screen.say(f"satlife: {self.prefix}{text}", *more)

    def find(self, outcome: Outcome, extra: Mapping[str, object] | None = None) -> None:
        """Write a find in the chosen format."""
        if self.origin and self.origin != outcome.origin:
            outcome = replace(outcome, origin=self.origin)
        if self.style == "json":
            self.write_json({**outcome.to_dict(), **(extra or {})})
        elif outcome.pattern is not None:
            written = {"rle": lambda: outcome.rle(self.embed), "history": outcome.history}.get(self.style)
            emit(written() if written else self.formatted(outcome.pattern.crop()), self.target)
        if self.pictures is not None and outcome.pattern is not None:
            self.pictures.draw(outcome)

    def formatted(self, pattern: Pattern) -> str:
        """A pattern in the chosen format of patterns."""
        from satlife.life.formats import FORMATTERS

        return FORMATTERS["rle" if self.style == "history" else self.style](pattern)

    def closing(self, answer: Listed | Count, text: str) -> None:
        """Write the closing line of a list or a count."""
        if self.style == "json":
            self.write_json(answer.to_dict())
        self.note(text)
        self.certificate(answer.proof)

    def certificate(self, proof: Certificate | None) -> None:
        """Say where the certificate is, or why there is none, if one was asked for."""
        if proof:
            self.note(f"certificate in {proof.bundle}, checked" if proof.checked else f"no certificate: {proof.reason}")

    def certified_outcome(self, outcome: Outcome, extra: Mapping[str, object] | None = None) -> int:
        """Like `outcome`; if a certificate was asked for and failed, the exit code is that of "undecided"."""
        code = self.outcome(outcome, extra)
        return code if outcome.certified else EXIT_CODES[UNKNOWN]

    def outcome(self, outcome: Outcome, extra: Mapping[str, object] | None = None) -> int:
        """Write the outcome of a search for one pattern; returns the exit code."""
        self.find(outcome, extra)
        if outcome.pattern is not None and self.style != "json" and self.target is None and sys.stdout.isatty():
            from satlife.draw.terminal import half_blocks

            screen.say(*half_blocks(outcome.pattern.crop()).splitlines())
        self.note(str(outcome))
        self.certificate(outcome.proof)
        if self.verbose:
            times = ", ".join(f"{name} {value:.2f} s" for name, value in outcome.seconds.items())
            by = f"strategy {outcome.strategy}, solver {outcome.solver}; " if outcome.strategy else ""
            by += f"encoding {outcome.encoding}; " if outcome.encoding else ""
            screen.say(f"satlife: {self.prefix}{by}{times}")
        return EXIT_CODES[outcome.status]


def text_target(values: Mapping[str, Any]) -> str | None:
    """The file of -o; None for stdout, and where there may be several, which have formats of their own."""
    target = values.get("output")
    return target if isinstance(target, str) else None


def print_question(asked: Question | Ask, values: Mapping[str, Any]) -> int:
    """`--print-problem`: write what is asked as TOML or JSON; returns the exit code."""
    as_json = values["as_json"] or values["style"] == "json"
    files.write(text_target(values) or "-", [(asked.to_json() + "\n" if as_json else asked.to_toml()).encode()])
    return EXIT_CODES[FOUND]


def undecided(values: Mapping[str, Any], reason: str, seconds: float) -> int:
    """Say that the time was up before the question was known; returns the exit code."""
    if values["as_json"] or values.get("style") == "json":
        known = {"status": UNKNOWN, "problem": None, "pattern": None, "seconds": {"total": round(seconds, 3)}}
        import json

        target = text_target(values)
        emit(json.dumps({**known, "reason": reason}) + "\n", None if Pictures.of(target, phases=False) else target)
    elif not values["quiet"]:
        screen.say(f"satlife: undecided: {reason} ({seconds:.1f} s)")
    return EXIT_CODES[UNKNOWN]


def emit(text: str, target: str | None) -> None:
    """Write results to stdout, or append them to a file, so that earlier finds are kept."""
    try:
        files.append(target or "-", text.encode())
    except InputError:
        if target not in (None, "-"):
            files.append("-", text.encode())  # a find must not be lost
        raise
