"""Progress of a search for users of the library: a line on stderr, or a function of theirs that receives it."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import TextIO

from satlife import native
from satlife.engines.events import Charted, Event, Found, Hearing, Improved, Progress, ProofChecked
from satlife.errors import InputError
from satlife.problem.answers import Best

OnProgress = Callable[[Progress], None]
REDRAWN = 0.2  # seconds until a line that can be redrawn is shown, and between two views of it
WRITTEN = 5.0  # the same where no line can be redrawn


class ProgressLine:
    """One line with the last words of every engine, inside a `with`; it is gone in the end.

    In a terminal or a notebook it is redrawn in place.  Elsewhere, such as in a log, a line is written now and then."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._redrawn = _can_redraw(self._stream)
        self._words: dict[str, str] = {}  # by engine
        self._drawn = 0  # characters
        self._began = time.monotonic()
        self._pause = REDRAWN if self._redrawn else WRITTEN
        self._next = self._began + self._pause
        self._before: Callable[[str], None] | None = None

    def __enter__(self) -> ProgressLine:
        """Also tell when kernels are compiled, which takes a while at their first use."""
        self._before, native.announce = native.announce, lambda text: self.say("satlife", text)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        native.announce = self._before
        self._draw("")

    def __call__(self, said: Progress) -> None:
        self.say(said.who, said.words)

    def hear(self, event: Event) -> None:
        """Tell what an event means for the search."""
        if isinstance(event, Progress):
            self(event)
        elif isinstance(event, Improved):
            known = "nothing yet" if event.best.value is None else str(event.best.value)
            self.say("best", known if event.best.bound is None else f"{known}, the bound is {event.best.bound}")
        elif isinstance(event, Charted):
            self.say("atlas", event.chart.summary())
        elif isinstance(event, Found) and event.listed:
            self.say("list", f"{event.listed.raw:,} found")
        elif isinstance(event, ProofChecked):
            self.say("proof", f"{event.what}: {event.done:,} of {event.total:,}")

    def say(self, who: str, words: str) -> None:
        """Replace the words of one engine, and show the line if it is time for that."""
        self._words[who] = words
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._pause
        told = "; ".join(f"{name}: {said}" for name, said in self._words.items())
        self._draw(f"{now - self._began:.0f} s  {told}")

    def _draw(self, text: str) -> None:
        if not self._redrawn:
            self._stream.write(f"{text}\n" if text else "")
        elif text or self._drawn:
            shown = text.replace("\n", " ")[: shutil.get_terminal_size().columns - 1]
            blank = "" if shown else "\r"
            self._stream.write(f"\r{shown.ljust(self._drawn)}{blank}")
            self._drawn = len(shown)
        self._stream.flush()


def watching(stream: TextIO | None = None) -> ProgressLine:
    """Show the progress of the searches inside a `with`, as a line on stderr that is gone in the end.

    `find(question, progress=True)` does this for one search.  For several of them write
    `with satlife.watching() as progress: satlife.find(question, progress=progress)`.
    """
    return ProgressLine(stream)


def telling(progress: OnProgress | bool | None) -> AbstractContextManager[OnProgress | None]:
    """Who is told of progress: with True a line on stderr, or else a function; None and False stand for nobody."""
    if progress is True:
        return ProgressLine()
    if progress and not callable(progress):
        raise InputError(f"`progress` is True, or a function that receives a Progress, not {progress!r}")
    return nullcontext(progress or None)


def hearing(progress: OnProgress | None, improved: Callable[[Best], None] | None = None) -> Hearing:
    """A function that passes events on to those who want to hear them."""

    def hear(event: Event) -> None:
        if isinstance(progress, ProgressLine):
            progress.hear(event)
        elif progress and isinstance(event, Progress):
            progress(event)
        if improved and isinstance(event, Improved):
            improved(event.best)

    return hear


def _can_redraw(stream: TextIO) -> bool:
    """Whether a carriage return takes a stream back to the beginning of the line."""
    if type(stream).__module__.startswith("ipykernel"):  # a notebook
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
