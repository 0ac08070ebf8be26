"""When a search ends without an answer, the user gets what it has: what was refuted, the best partial answer, advice.

The partial answer is no find, so it is kept apart: in a file next to that of `-o`, or in a field of the JSON object.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING

import click
import numpy as np

from satlife import files
from satlife.cli.groups import WORDS
from satlife.cli.report import Report
from satlife.engines.events import UNKNOWN_CELL, Event, Progress, RuledOut
from satlife.errors import InputError
from satlife.life.pattern import Cells, Pattern
from satlife.problem import relation
from satlife.problem.command import arguments
from satlife.problem.outcome import Outcome
from satlife.problem.question import Question
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.search.advice import Suggestion

NEXT = "a longer period at this speed is another question: {}"
PARTIAL = "a partial answer, not a find: {what} that the search came to"


@dataclass
class Trace:
    """What a search has left behind so far."""

    partial: tuple[Cells, ...] = ()
    ruled_out: list[Question] = field(default_factory=list)

    def hear(self, event: Event) -> None:
        if isinstance(event, Progress) and event.partial:
            self.partial = event.partial
        elif isinstance(event, RuledOut):
            self.ruled_out.append(event.question)


@dataclass(frozen=True)
class Aftermath:
    """What is told after a search for one pattern that found nothing and refuted nothing as a whole."""

    question: Question
    trace: Trace
    out: Report

    def suggestions(self) -> list[tuple[str, str]]:
        """Commands that may be answered sooner, with why."""
        from satlife.search.advice import advise

        found = ((_again(one), one.why) for one in advise(self.question, self.trace.ruled_out))
        return [(command, why) for command, why in found if command is not None]

    def fields(self) -> dict[str, object]:
        """For the JSON object of the search."""
        pattern = self.pattern()
        return {
            "partial": {"rle": pattern.to_rle()} if pattern else None,
            "refuted": [question.to_dict() for question in relation.maximal(self.trace.ruled_out)],
            "suggestions": [{"command": command, "why": why} for command, why in self.suggestions()],
        }

    def conclude(self, outcome: Outcome) -> int:
        """Show an outcome that is undecided, and all of this; returns the exit code."""
        as_json = self.out.style == "json"
        code = self.out.certified_outcome(outcome, self.fields() if as_json else None)
        if not as_json:
            self.tell()
        return code

    def tell(self, advice: bool = True) -> None:
        """On stderr, below the sentence that the search is undecided or stopped."""
        if known := relation.refuted_words(self.trace.ruled_out, self.question.multiples):
            self.out.note(known)
        self.keep()
        if advice:
            self.suggest()

    def suggest(self) -> None:
        """Show the commands to try next."""
        shown = self.suggestions()
        if any("\n" in command for command, _ in shown):  # the whole question as a file
            shown = [(command, why) for command, why in shown if "\n" not in command]
            shown.append(("satlife jobs start ...", "followed by the same words: it keeps what it has done"))
        if not shown:
            return
        width = max(len(command) for command, _ in shown)
        self.out.note("try next:", *(f"  {command:{width}}  # {why}" for command, why in shown))

    def pattern(self) -> Pattern | None:
        """Generation 0 of the best partial answer, in its place; its unknown cells are `?` cells."""
        if not self.trace.partial:
            return None
        import shlex

        cells = self.trace.partial[0]
        what = "the longest partial ship" if self.question.strip else "the largest assignment"
        asked = arguments(self.question)
        comments = [f"C {PARTIAL.format(what=what)}"]
        comments += [f"C of the question: satlife {shlex.join(asked)}"] if asked else []
        x, y = self.out.origin or (0, 0)
        unknown = cells == UNKNOWN_CELL
        return Pattern(np.where(unknown, 0, cells), x, y, self.question.rule, tuple(comments), None, unknown)

    def keep(self) -> None:
        """With `-o FILE`, write the partial answer next to FILE; where that is a picture, as RLE."""
        pattern, pictures = self.pattern(), self.out.pictures
        target = self.out.target if pictures is None else os.fspath(pictures.path.with_suffix(".rle"))
        if pattern is None or target in (None, "-") or self.out.style == "json":
            return
        assert target is not None
        place = next_to(target)
        try:
            files.write(place, [self.out.formatted(pattern).encode()])
        except InputError as error:
            self.out.note(f"the best partial answer is lost: {error}")
        else:
            self.out.note(f"the best partial answer, which is not a find, is in {files.shown(place)}")


def _again(found: Suggestion) -> str | None:
    """The command of a suggestion.  One that adds options to a command with a file repeats the words of that which
    runs; None if this is another command, which need not have these options."""
    context = click.get_current_context(silent=True)
    if not found.options:
        return found.command
    if context is None or WORDS not in context.meta or context.info_name != found.question.kind:
        return None
    import shlex

    return shlex.join([*context.command_path.split(), *anew(context.meta[WORDS]), *found.options])


def anew(words: Sequence[str]) -> list[str]:
    """The words of a command without the files of the search that is saved: those of another question are others.

    >>> anew(["F", "--save", "a.json", "--from=b.json", "--stable", "5"])
    ['F', '--stable', '5']
    """
    named = ("--save", "--from")
    kept, left = [], iter(words)
    for word in left:
        if word in named:
            next(left, None)
        elif word.partition("=")[0] not in named:
            kept.append(word)
    return kept


def following(refuted: Outcome) -> Suggestion | None:
    """The next period of ships at a speed, of which there is none with the periods that were searched."""
    from satlife.search.advice import longer_period

    return longer_period(refuted)


def next_to(target: str) -> str:
    """The file of the partial answer.

    >>> next_to("ships.rle"), next_to("ships")
    ('ships.partial.rle', 'ships.partial')
    """
    from pathlib import Path

    path = Path(target)
    return os.fspath(path.with_name(f"{path.stem}.partial{path.suffix}"))
