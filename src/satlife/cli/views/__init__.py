"""How answers are shown in the shell: a view for each goal, in the module of the same name as that of the goal, and one
for boxes of any length."""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

from satlife import files
from satlife.cli import report, screen
from satlife.cli.undecided import Aftermath, Trace
from satlife.engines.events import Event, Resumable, Saved
from satlife.engines.options import Options
from satlife.problem.answers import Answer
from satlife.problem.ask import Ask
from satlife.problem.command import command
from satlife.problem.goals import Goal
from satlife.problem.outcome import EXIT_CODES, UNKNOWN, Certificate, Status
from satlife.records import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from satlife.problem.question import Question

LOST = 1.0  # seconds of work that are worth a word when a search is stopped


@dataclass(frozen=True)
class Request:
    """What is asked, and everything else that a command says: how to search, and where the result goes."""

    ask: Ask
    options: Options
    out: report.Report
    values: Mapping[str, Any]  # of the command, for what only this goal or this kind of box has
    proof: Path | None = None
    trace: Trace = field(default_factory=Trace)

    @property
    def question(self) -> Question:
        return self.ask.question

    @property
    def aftermath(self) -> Aftermath:
        """What is told if the search ends without an answer."""
        return Aftermath(self.question, self.trace, self.out)


class View:
    """Accompanies one search: hears its events, and shows its answer."""

    goals: ClassVar[frozenset[type[Goal]]] = frozenset()
    save: Resumable | None = None

    def __init__(self, request: Request) -> None:
        self.request, self.out = request, request.out
        self.line = self.out.progress()  # on which the search shows how it gets on
        self.begun = time.monotonic()

    @classmethod
    def report(cls, values: Mapping[str, Any]) -> report.Report:
        """Where results go, from the values of a command."""
        return report.Report.of(values)

    def check(self) -> None:
        """Refuse, before the search, what this goal cannot have; an InputError says why."""

    def files(self) -> list[str | None]:
        """The files that will be written, or None for stdout."""
        return [self.request.values["output"], self.request.values.get("save")]

    def hear(self, event: Event) -> None:
        self.line.hear(event)
        if isinstance(event, Resumable):
            self.save = event

    def stopped(self) -> None:
        """Say what is left after Ctrl-C."""

    def ended(self) -> None:
        """The search is over, in whichever way: save it if that is wanted."""
        file = self.request.values.get("save")
        if file is None:
            return
        if self.save is None:
            self.out.note(f"{file} is not written: there was no search that can be saved")
            return
        screen.erase()
        saved = self.save.save()
        files.write(file, [saved.text.encode()])
        if saved.partials:
            self.out.note(f"{self.kept(saved)} in {file}; go on with --from {file}")
        if saved.cut_off:
            self.out.note(f"the last rows of {saved.cut_off:,} of them were too many for it, and come again")

    def kept(self, saved: Saved) -> str:
        """What is saved, as the beginning of a sentence."""
        return "the search is"

    def show(self, answer: Answer) -> int:
        """Show the answer; returns the exit code."""
        raise NotImplementedError

    # What several views need.
    @property
    def seconds(self) -> float:
        """How long the search has taken."""
        return time.monotonic() - self.begun

    def code(self, status: Status, sure: bool, proof: Certificate | None) -> int:
        """The exit code of an answer that is known for `sure`; that of "undecided" if its certificate failed, too."""
        return EXIT_CODES[status if sure and (proof is None or proof.checked) else UNKNOWN]

    def tell_of_jobs(self, what: str, *more: str) -> None:
        """After a stop: the command that would have kept what was done, if there was something to lose.

        A family with a condition of its own has an engine of its own, which keeps nothing."""
        question = self.request.question
        if any(condition.option is None for condition in question.conditions):
            self.out.note(what)
        elif self.seconds > LOST:
            again = " ".join((command(question, program=("satlife", "jobs", "start")), *more))
            if "\n" in again:  # the whole question as a file
                again = "`satlife jobs start`, followed by the same words"
            self.out.note(f"{what}; a search that keeps what it has done: {again}")

    @property
    def scope(self) -> str:
        """How far an answer holds, where the words of the command do not say it: around a given pattern, or for a
        speed."""
        if self.request.values.get("margin") is not None:
            return f"within margin {self.request.values['margin']}"
        question = self.request.question
        return f"for period {question.generations}" if question.multiples else ""


def view_kind(ask: Ask) -> type[View]:
    """The view for an ask."""
    for room in ("strip", ask.goal.room) if ask.question.strip else (ask.goal.room,):
        for kind in vars(importlib.import_module(f"{__name__}.{room}")).values():
            if isinstance(kind, type) and issubclass(kind, View) and type(ask.goal) in kind.goals:
                return kind
    raise LookupError(f"no view for the goal {ask.goal.name!r}")
