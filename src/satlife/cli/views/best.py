"""How an optimum and the smallest box are shown."""

from __future__ import annotations

from satlife.cli.views import View
from satlife.engines.events import Event, Improved, RuledOut
from satlife.problem import relation
from satlife.problem.answers import Answer, Best, Smallest
from satlife.problem.families import FAMILIES
from satlife.problem.goals import Optimise, SmallestBox
from satlife.problem.outcome import EXIT_CODES, NONE, UNKNOWN
from satlife.problem.question import Place


class SmallestView(View):
    """The smallest box; each one that is refuted is told."""

    goals = frozenset({SmallestBox})

    def hear(self, event: Event) -> None:
        super().hear(event)
        if isinstance(event, RuledOut):
            self.out.note(relation.refuted_words([event.question]))

    def stopped(self) -> None:
        self.out.note("stopped, nothing was found yet")

    def show(self, answer: Answer) -> int:
        assert isinstance(answer, Smallest)
        outcome = answer.outcome
        if outcome and not answer.certain:
            self.out.note("some smaller boxes are undecided")
        return self.out.certified_outcome(outcome, {"smallest": answer.certain} if outcome else None)


class BestView(View):
    """Improvements and bounds, then the best find, also after Ctrl-C."""

    goals = frozenset({Optimise})
    best: Best | None = None

    @property
    def goal(self) -> Optimise:
        assert isinstance(self.request.ask.goal, Optimise)
        return self.request.ask.goal

    def hear(self, event: Event) -> None:
        super().hear(event)
        if not isinstance(event, Improved):
            return
        new, best, goal = event.best, self.best, self.goal
        if best is None or (new.value, new.bound) != (best.value, best.bound):
            known = f"{goal.measure} {new.value}" if new.value is not None else str(goal.measure)
            says_more = new.bound not in (None, new.value) and (goal.largest or new.bound)
            beyond = "at most" if goal.largest else "at least"
            self.out.note(known + (f", {beyond} {new.bound} is proved" if says_more else ""))
        self.best = new

    def stopped(self) -> None:
        if self.best is not None and self.best.outcome:
            self._show(self.best, "interrupted")
        else:
            self.out.note("stopped, nothing was found yet")

    def show(self, answer: Answer) -> int:
        assert isinstance(answer, Best)
        code = self._show(answer, answer.outcome.reason)
        return code if answer.outcome.certified else EXIT_CODES[UNKNOWN]

    def _show(self, best: Best, reason: str) -> int:
        """The best find, and how good it is known to be."""
        out, measure, question = self.out, str(self.goal.measure), self.request.question
        data: dict[str, object] = {"measure": measure, "value": best.value, "bound": best.bound, "optimal": best.proved}
        if question.place is Place.AROUND:
            data |= {"problem": question.to_dict()}
        code, scope = out.outcome(best.outcome, data), self.scope
        if not best.outcome:
            if scope and best.outcome.status == NONE:
                out.note(f"none, {scope}")
            return code
        if best.endless:
            out.note(f"{measure} {best.value}, and there is no largest: {best.endless}")
            return code
        sure = "proved, checked" if best.proof and best.proof.checked else "proved"
        sure += f", {scope}" if scope else ""
        state = sure if best.proved else f"best known, not proved ({reason})"
        out.note(f"{'largest' if self.goal.largest else 'smallest'} {measure}: {best.value}, {state}")
        return code if best.proved else EXIT_CODES[UNKNOWN]

    @property
    def scope(self) -> str:
        """How far an optimum holds; that of a completion may hold beyond its margin."""
        question = self.request.question
        family = FAMILIES.get(question.kind)
        if family is None or not family.smallest:
            return super().scope
        return "whatever the margin" if question.place is Place.AROUND else "within this margin"
