"""Questions without a box: boxes and strips grow until something is found; what was refuted is kept and told."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from satlife.cli import report
from satlife.errors import InputError, StoreError
from satlife.problem import refuted
from satlife.problem.anybox import AnyBox
from satlife.problem.ask import Ask
from satlife.problem.question import Question
from satlife.store import searched
from satlife.store.database import exists, place
from satlife.version import __version__

if TYPE_CHECKING:
    from satlife.store.database import Place


def with_record(ask: Ask, store: str | None, out: report.Report) -> Ask:
    """The ask with everything inside it that was refuted by earlier searches."""
    question, where = ask.question, place(store)
    assert isinstance(question, AnyBox)
    if not exists(where):
        return ask
    try:
        with searched.Record(where) as record:
            known = record.inside(question)
    except (InputError, StoreError) as error:
        out.note(f"the record of searches cannot be read: {error}")
        return ask
    if known:
        out.note(f"known from earlier searches: {refuted.words(known, question.multiples)}")
    return replace(ask, refuted=known)


class Recorder:
    """Keeps the largest questions that a search refutes, when it ends."""

    def __init__(self, store: str | None, say: Callable[[str], None]) -> None:
        self.where: Place = place(store)
        self.say = say
        self.begun = time.monotonic()

    def keep(self, ruled_out: list[Question]) -> None:
        """Record them; if that fails, it is said, and the answer is still shown."""
        program, date, seconds = f"satlife {__version__}", searched.now(), time.monotonic() - self.begun
        entries = [
            searched.Searched(question, "none", program, date, round(seconds, 3))
            for question in refuted.maximal(ruled_out)
        ]
        try:
            with searched.Record(self.where) as record:
                record.add(entry for entry in entries if not record.of(entry.question))
        except (InputError, StoreError) as error:
            self.say(f"what was refuted could not be recorded: {error}")
