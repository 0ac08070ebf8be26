"""How lists and counts are shown."""

from __future__ import annotations

import sys
from dataclasses import replace

from satlife.cli import report
from satlife.cli.views import Request, View
from satlife.engines.events import Event, Found
from satlife.errors import InputError, counted
from satlife.problem import orbits
from satlife.problem.answers import PERTURBATION, Answer, Count, End, Listed
from satlife.problem.goals import CountAll, ListAll


class ListView(View):
    """Finds as they come, then a closing line."""

    goals = frozenset({ListAll})

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.listed = Listed(request.question)  # so far

    def hear(self, event: Event) -> None:
        super().hear(event)
        if isinstance(event, Found):
            self.listed = event.listed or self.listed
            self.out.find(event.outcome)

    def stopped(self) -> None:
        listed = replace(self.listed, reason="interrupted", seconds=self.seconds)
        self.out.closing(listed, f"interrupted; {listed.raw} found so far, the list is not complete")

    def show(self, answer: Answer) -> int:
        assert isinstance(answer, Listed)
        scope = f" {self.scope}" if self.scope else ""
        self.out.closing(answer, f"{self._words(answer)}; the list{scope} is {answer.words}")
        return self.code(answer.status, answer.end in (End.COMPLETE, End.ENOUGH), answer.proof)

    def _words(self, listed: Listed) -> str:
        """What was listed."""
        which = f"one of each {listed.each} was listed" if listed.each else "every pattern was listed"
        if listed.end is not End.COMPLETE:
            which = "some patterns were listed"
        noun = listed.each if listed.each == PERTURBATION else "pattern"
        which += f": {counted(listed.raw, noun)}"
        goal, question = self.request.ask.goal, self.request.question
        assert isinstance(goal, ListAll)
        if listed.each == PERTURBATION:
            return f"{which}; patterns that perturb alike are not told apart"
        if question.box is None or orbits.is_free(question.box):
            return f"{which}, {listed.distinct} up to rotation, reflection, translation and phase"
        alone = ", each by itself: only patterns with a period and without known cells have orbits"
        return f"{which}{alone if goal.distinct else ''}"


class CountView(View):
    """A number, or one for each population."""

    goals = frozenset({CountAll})

    def check(self) -> None:
        if self.out.pictures is not None:
            raise InputError("a number is not drawn")

    def stopped(self) -> None:
        self.tell_of_jobs("stopped, and nothing is counted yet", "--count-only")

    def show(self, answer: Answer) -> int:
        assert isinstance(answer, Count)
        assert isinstance(self.request.ask.goal, CountAll)
        sys.set_int_max_str_digits(0)  # a count may have more than the 4300 digits that Python allows by default
        if self.out.style != "json" and self.request.ask.goal.by_population:
            numbers = enumerate(answer.by_population or ())
            report.emit("".join(f"{n} {count}\n" for n, count in numbers if count), self.out.target)
        elif self.out.style != "json" and (answer.complete or answer.value):
            report.emit(f"{answer.value}\n", self.out.target)
        unit = f"these are {answer.each}s, not patterns, " if answer.each else ""
        scope = f" {self.scope}," if self.scope else ""
        more = "" if answer.complete else f"; not complete ({answer.reason})"
        self.out.closing(answer, f"{unit}counted{scope} {answer.how}{more}")
        return self.code(answer.status, answer.complete, answer.proof)
