"""The boxes of an atlas in a store: each is a search of its own, so that whatever was decided there once, by an atlas
or by any other search, is not searched again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from satlife.problem.ask import Ask
from satlife.problem.boxes import Boxes
from satlife.problem.chart import Chart
from satlife.problem.outcome import Outcome
from satlife.problem.problem import Problem
from satlife.search.goals.atlas import Survey
from satlife.store.ledger import Ledger
from satlife.store.reader import StoreReader
from satlife.store.records import FINISHED


def recalled(reader: StoreReader, questions: Mapping[str, Problem]) -> Iterator[Outcome]:
    """What a store knows of some questions, by their keys."""
    for number, key, state in reader.decided():
        if key in questions:
            yield reader.answer(number, state, questions[key])


def questions(problem: Problem) -> dict[str, Problem]:
    """The question in every box up to that of a problem, by its key."""
    return {within.key: within for within in Boxes(problem).within.values()}


def chart(reader: StoreReader, problem: Problem) -> Chart:
    """What a store knows of the boxes up to that of a problem."""
    survey = Survey(problem)
    for outcome in recalled(reader, questions(problem)):
        survey.enter(outcome)
    return survey.chart("not searched yet")


def searches(reader: StoreReader, problem: Problem) -> list[int]:
    """The numbers of the searches of the boxes that are not decided."""
    keys = questions(problem)
    return [number for number, key in reader.undecided() if key in keys]


class StoredBoxes:
    """The boxes up to that of a problem: what a store knows of them, and how to enter more."""

    def __init__(self, ledger: Ledger, problem: Problem, options: Mapping[str, object]) -> None:
        self.ledger, self.problem, self.options = ledger, problem, options
        self._open = questions(problem)  # of which nothing was told yet

    def recall(self) -> Iterator[Outcome]:
        """The outcomes that were entered since the last time."""
        for outcome in recalled(self.ledger, self._open.copy()):
            self.told(outcome.problem)
            yield outcome

    def told(self, problem: Problem) -> None:
        """The outcome of a box is known, and need not be recalled."""
        self._open.pop(problem.key, None)

    def keep(self, outcome: Outcome) -> None:
        """Enter the outcome of a box."""
        self.told(outcome.problem)
        entered, _ = self.ledger.enter(Ask(outcome.problem), self.options)
        if entered.state not in FINISHED:
            self.ledger.record(entered, outcome)
