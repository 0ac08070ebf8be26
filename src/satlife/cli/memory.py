"""What earlier searches have left for an ask, and what is kept of this one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from satlife.cli.report import Report
from satlife.engines.events import Covered, Event, Found, RuledOut
from satlife.engines.options import Options
from satlife.errors import InputError, StoreError
from satlife.problem import relation
from satlife.problem.answers import Answer
from satlife.problem.anybox import AnyBox
from satlife.problem.ask import Ask
from satlife.problem.goals import Atlas
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Outcome
from satlife.problem.question import Question

if TYPE_CHECKING:
    from satlife.store.searched import Record

T = TypeVar("T")


class Memory:
    """Knows nothing, and keeps nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def recall(self, ask: Ask) -> tuple[Ask, Answer | None]:
        """The ask with what is known of it, and its answer if that is known."""
        return ask, None

    def hear(self, event: Event) -> None:
        """An event of the search."""

    def keep(self, answer: Answer) -> None:
        """The search has come to its end."""


def memory_of(ask: Ask, options: Options, store: str | None, out: Report) -> Memory:
    """The memory for an ask; that of finds and boxes is a store that the user names."""
    if ask.question.strip:
        return StripMemory(ask.question.strip, store, out)
    if isinstance(ask.question, AnyBox):
        return GrowingMemory(ask.question, store, out)
    if store is None:
        return Memory()
    return (AtlasMemory if isinstance(ask.goal, Atlas) else FindMemory)(options, store, out)


class LedgerMemory(Memory):
    """Keeps answers in a store."""

    def __init__(self, options: Options, store: str, out: Report) -> None:
        self.options, self.store, self.out = options, store, out

    def __enter__(self) -> Self:
        from satlife.store.database import place
        from satlife.store.ledger import Ledger

        self.ledger = Ledger(place(self.store)).__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ledger.__exit__(kind, error, trace)


class FindMemory(LedgerMemory):
    """Keeps whether there is a pattern, and which."""

    def recall(self, ask: Ask) -> tuple[Ask, Answer | None]:
        from satlife.store.records import FINISHED

        self.problem = ask.problem
        self.entered, _ = self.ledger.enter(Ask(self.problem), self.options.stored)
        if self.entered.state not in FINISHED:
            return ask, None
        known = self.ledger.answer(self.entered.id, self.entered.state, self.problem)
        # Of ships at a speed the store says of the least period alone that there is none.
        return ask, known if known or not ask.question.multiples else None

    def keep(self, answer: Answer) -> None:
        assert isinstance(answer, Outcome)
        if answer and self.problem.case(answer.problem) != answer.problem:  # a longer period at the same speed
            self.entered, _ = self.ledger.enter(Ask(answer.problem), self.options.stored)
        self.ledger.record(self.entered, answer)


class AtlasMemory(LedgerMemory):
    """Keeps the boxes of an atlas as they are decided."""

    def recall(self, ask: Ask) -> tuple[Ask, Answer | None]:
        from satlife.store.atlas import StoredBoxes

        self.boxes = StoredBoxes(self.ledger, ask.problem, self.options.stored)
        known = tuple(self.boxes.recall())
        if known:
            self.out.note(f"{len(known)} boxes are known from the store")
        return replace(ask, goal=Atlas(known)), None

    def hear(self, event: Event) -> None:
        if isinstance(event, Found | RuledOut) and event.outcome is not None:
            self.boxes.keep(event.outcome)


class RecordMemory(Memory):
    """Keeps which questions without a box, or without a length, were searched to their end."""

    def __init__(self, store: str | None, out: Report) -> None:
        from satlife.store.database import place

        self.where, self.out = place(store), out
        self.begun = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begun

    def known(self, look: Callable[[Record], Iterable[T]]) -> tuple[T, ...]:
        """What the record says, as far as it can be read."""
        from satlife.store.database import exists
        from satlife.store.searched import Record

        if not exists(self.where):
            return ()
        try:
            with Record(self.where) as record:
                return tuple(look(record))
        except (InputError, StoreError) as error:
            self.out.note(f"the record of searches cannot be read: {error}")
            return ()


class GrowingMemory(RecordMemory):
    """Of a search without a box: what was refuted inside it is not searched again, and what this search refutes is kept
    when it ends without a find, also when it is stopped."""

    def __init__(self, question: AnyBox, store: str | None, out: Report) -> None:
        super().__init__(store, out)
        self.question, self.found = question, False

    def recall(self, ask: Ask) -> tuple[Ask, Answer | None]:
        question = self.question
        self.ruled_out: dict[Question, float] = {}  # and how long each of them took
        known = self.known(lambda record: record.inside(question))
        if known:
            self.out.note(f"known from earlier searches: {relation.refuted_words(known, question.multiples)}")
        return replace(ask, refuted=known), None

    def hear(self, event: Event) -> None:
        if isinstance(event, RuledOut):
            self.ruled_out[event.question] = event.seconds

    def keep(self, answer: Answer) -> None:
        self.found = isinstance(answer, Outcome) and bool(answer)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Record the largest questions that were refuted; if that fails, it is said, and the answer is shown."""
        from satlife.store.searched import Record, ended

        if self.found or not self.ruled_out:
            return
        entries = [ended(question, self.ruled_out[question]) for question in relation.maximal(self.ruled_out)]
        try:
            with Record(self.where) as record:
                record.add(entry for entry in entries if not record.of(entry.question))
        except (InputError, StoreError) as error:
            self.out.note(f"what was refuted could not be recorded: {error}")


class StripMemory(RecordMemory):
    """Of a search in a box of any length: what is known is said first, and the search is repeated all the same; a
    complete one is kept."""

    def __init__(self, box: OpenBox, store: str | None, out: Report) -> None:
        super().__init__(store, out)
        self.box = box.every(1)
        self.covered: Covered | None = None

    def recall(self, ask: Ask) -> tuple[Ask, Answer | None]:
        for entry in self.known(lambda record: record.of(self.box)):
            self.out.note(f"already searched: {entry.words()}")
        return ask, None

    def hear(self, event: Event) -> None:
        if isinstance(event, Covered):
            self.covered = event

    def keep(self, answer: Answer) -> None:
        """One that was resumed does not know all its counts."""
        from satlife.store import searched

        covered = self.covered
        if covered is None or not covered.complete or covered.from_a_head:
            return
        digest = searched.digest_of(list(covered.counts)) if covered.counts else ""
        entry = searched.ended(self.box, self.seconds, covered.row, digest, covered.ships)
        searched.keep(self.where, entry, self.out.note)
