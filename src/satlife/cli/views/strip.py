"""Boxes of any length: how ships are shown, and how far a search came."""

from __future__ import annotations

from satlife.cli import screen
from satlife.cli.undecided import NEXT, following
from satlife.cli.views import LOST, View
from satlife.engines.events import Covered, Event, Found, Saved
from satlife.engines.rows import SOLVER, STRATEGY
from satlife.errors import counted
from satlife.problem.answers import Answer, End, Listed
from satlife.problem.command import command
from satlife.problem.goals import FindOne, ListAll
from satlife.problem.outcome import EXIT_CODES, FOUND, NONE, UNKNOWN, Outcome


class StripView(View):
    """Ships of any length: one, or all as they are found; and how far the search came, which can be saved."""

    goals = frozenset({FindOne, ListAll})
    covered: Covered | None = None

    def hear(self, event: Event) -> None:
        super().hear(event)
        match event:
            case Found() if isinstance(self.request.ask.goal, ListAll):
                screen.erase()
                self.out.outcome(event.outcome)
            case Covered():
                self.covered = event

    def stopped(self) -> None:
        question = self.request.question
        lost = self.request.values.get("save") is None and self.seconds > LOST
        if lost and not self.out.line:  # a line of a list has no file of its own
            again = command(question, program=("satlife", "jobs", "start"))
            kept = f"the partial {question.noun}s, and a search that keeps them by itself is: {again}"
            self.out.note(f"stopped; --save FILE keeps {kept}")
        self.request.aftermath.tell(advice=False)

    def ended(self) -> None:
        screen.erase()
        super().ended()

    def kept(self, saved: Saved) -> str:
        held = counted(saved.partials, f"partial {self.request.question.noun}")
        return f"{held} {'is' if saved.partials == 1 else 'are'}"

    def show(self, answer: Answer) -> int:
        assert isinstance(answer, Outcome | Listed)
        if isinstance(answer, Outcome) and answer:
            return self.out.certified_outcome(answer)
        if isinstance(answer, Listed) and answer.end is End.ENOUGH:
            self.out.closing(answer, answer.summary())
            return EXIT_CODES[FOUND]
        if self.covered is not None:
            return self._conclude(answer, self.covered)
        assert isinstance(answer, Outcome)  # only smaller questions were searched, or none had to be
        return self.out.certified_outcome(answer) if answer.status == NONE else self.request.aftermath.conclude(answer)

    def _conclude(self, answer: Outcome | Listed, covered: Covered) -> int:
        """Say what a search without a ship, or for all ships, has come to."""
        out, box, noun, proof = self.out, self.request.question, self.request.question.noun, answer.proof
        periods = answer.periods if isinstance(answer, Outcome) else ()
        refuted = Outcome(box.every(1), NONE, periods=periods)
        reason, other = answer.reason, None
        if covered.complete and not covered.ships:
            status, reason = NONE, ""
            text = f"no {noun}: {covered.words} was considered, of any length"
            text += "".join(f"; nor is there one of period {period}" for period in periods[1:])
            other = following(refuted) if box.multiples else None
        elif not covered.partials_left:
            status = FOUND if covered.ships else UNKNOWN
            text = f"the search has ended; {reason}, so there may be others"
        else:
            status = UNKNOWN
            far = f" at row {covered.row}, with {covered.partials:,} partial {noun}s left"
            text = f"undecided: {reason}{far if covered.partials else ' before the first row was complete'}"
            if covered.searched and not covered.ships:
                text += f"; no {noun} of at most {covered.searched} rows"
        seconds = self.seconds
        if out.style == "json":
            plain: dict[str, object] = {"status": status, "problem": refuted.question.to_dict(), "pattern": None}
            plain |= {"periods": list(periods)} if periods else {}
            data = answer.to_dict() if isinstance(answer, Listed) else plain
            data |= {"seconds": {"total": round(seconds, 3)}, "solver": SOLVER, "strategy": STRATEGY}
            data |= {"complete": status == NONE, "covered": covered.words, "reason": reason}
            data |= {"proof": proof.to_dict() if proof else None}
            data |= {"suggestions": [other.to_dict()]} if other else {}
            out.write_json(data | (self.request.aftermath.fields() if status == UNKNOWN else {}))
        checked = f"proved, checked: {proof.length}; " if proof and proof.checked else ""
        out.note(f"{text} ({checked}{seconds:.1f} s)")
        out.certificate(proof)
        if other:
            out.note(*NEXT.format(other.command).split("\n"))
        if status == UNKNOWN and out.style != "json":
            self.request.aftermath.tell()
        return self.code(status, status != UNKNOWN, proof)
