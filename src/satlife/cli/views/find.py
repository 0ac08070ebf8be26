"""How one pattern is shown, in a box or without one."""

from __future__ import annotations

from satlife.cli.undecided import NEXT, following
from satlife.cli.views import View
from satlife.problem.answers import Answer
from satlife.problem.goals import FindOne
from satlife.problem.outcome import NONE, UNKNOWN, Outcome
from satlife.problem.question import Place


class FindView(View):
    """One pattern, or that there is none."""

    goals = frozenset({FindOne})

    def stopped(self) -> None:
        nothing = "stopped, nothing was found yet"
        if self.request.question.place is Place.ANYWHERE:
            self.out.note(nothing)
        else:
            self.tell_of_jobs(nothing)
        self.request.aftermath.tell(advice=False)

    def show(self, answer: Answer) -> int:
        """Show the outcome, and what to ask next if that may help."""
        assert isinstance(answer, Outcome)
        question, other = self.request.question, None
        if answer.status == UNKNOWN:
            return self.request.aftermath.conclude(answer)
        if answer.status == NONE and question.multiples and not answer.question.multiples:
            other = following(answer)
        code = self.out.certified_outcome(answer, {"suggestions": [other.to_dict()]} if other else None)
        if other:
            self.out.note(*NEXT.format(other.command).split("\n"))
        anywhere = question.place is Place.ANYWHERE
        if answer and anywhere and answer.problem.generations != question.generations:
            self.out.note(f"its period is {answer.problem.generations}")
        return code
