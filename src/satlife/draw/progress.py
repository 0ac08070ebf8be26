"""Progress of a search for users of the library: one line that is updated, in a notebook or a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.text import Text

from satlife import native


class Said(Protocol):
    """A progress message: which engine, and its words."""

    @property
    def who(self) -> str: ...
    @property
    def words(self) -> str: ...


@contextmanager
def watching(console: Console | None = None) -> Iterator[Callable[[Said], None]]:
    """Show the progress of the searches inside a `with`, as a line that is gone in the end; also that kernels are
    compiled, which takes a while at their first use.

    Write `with satlife.watching() as progress: satlife.find(problem, progress=progress)`.
    """
    before = native.announce
    with (console or Console(stderr=True)).status(Text("searching ...")) as line:
        native.announce = lambda text: line.update(Text(text))
        try:
            yield lambda said: line.update(Text(f"{said.who}: {said.words}"))
        finally:
            native.announce = before
