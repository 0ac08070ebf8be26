"""Boxes of any length: the heads and saved searches they begin with, what is saved, and how ships are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from satlife import files
from satlife.cli import screen
from satlife.cli.families import FileTrouble, is_given, read_file
from satlife.cli.undecided import NEXT, following
from satlife.cli.views.view import LOST, View
from satlife.engines.catalysts import STRATEGY as CATALYSTS
from satlife.engines.events import Covered, Event, Found, Saved
from satlife.engines.rows import SOLVER, STRATEGY
from satlife.errors import InputError
from satlife.problem.answers import Answer, End, Listed
from satlife.problem.command import command
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goals import FindOne, Goal, ListAll
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import EXIT_CODES, FOUND, NONE, UNKNOWN, Outcome
from satlife.problem.question import Question

SAVED_LIMIT = 1 << 30  # bytes of a saved search
#: The options that go together with a box of any length.
SUPPORTED = {
    "save", "resume", "source", "count", "jobs", "time", "memory", "device", "proof", "store", "output", "phases",
    "embed", "style", "as_json", "quiet", "verbose", "line", "goal", "named", "print_problem",
}  # fmt: skip


def begun(asked: Question, values: dict[str, Any]) -> Question:
    """The question with the heads of `--from`, which may be repeated.  What is left in `values` is the text of a saved
    search, if that is what was given; it may have heads of its own."""
    given: tuple[str, ...] = values.get("resume") or ()
    values["resume"], values["source"] = None, given[0] if len(given) == 1 else None
    strip = asked.strip
    if strip is None and asked.get(Catalyst):
        for name in ("solver", "strategy", "proof"):
            if (given or values.get("save")) and values.get(name) not in (None, CATALYSTS):
                raise InputError(f"--{name} does not go together with --save and --from: what it asks for is not saved")
        values["resume"] = saved_text(given, values)
        return asked
    if strip is None:
        if values.get("save"):
            raise InputError("--save is for an open box such as 10x*; `satlife jobs start` saves all other searches")
        if given:
            raise InputError("--from is for an open box such as 10x*; in any other say --known FILE --at X,Y")
        return asked
    for name in values:
        if is_given(values, name) and name not in SUPPORTED:
            raise InputError(f"--{name.replace('_', '-')} does not go together with an open box")
    goal = values.get("goal")  # of a file; what has a command of its own is refused by its view
    if isinstance(goal, Goal) and goal.options and (not isinstance(goal, ListAll) or goal.distinct):
        raise InputError(f"in a box of any length one {asked.noun} is sought, or all of them are listed")
    box = strip.every(1) if given or values.get("save") else strip  # what is saved is the search of one period
    if begins(given, values):
        return box
    texts = [(file, read_file(file, partial(files.read_text, limit=SAVED_LIMIT))) for file in given]
    saved = [(file, text) for file, text in texts if text.lstrip().startswith("{")]
    if saved and len(texts) > 1:
        raise FileTrouble(f"{files.shown(saved[0][0])}: a saved search goes on alone, without other heads")
    if saved:
        values["resume"] = saved[0][1]
        return _as_saved(box, saved[0][1])
    if not texts:
        return box
    from satlife.cli import heads

    return heads.begin(box, texts)


def begins(given: tuple[str, ...], values: Mapping[str, Any]) -> bool:
    """Whether what a search goes on from is what it will save, and is not there yet."""
    if given != (values.get("save"),) or not files.is_missing(given[0]):
        return False
    screen.say(f"satlife: there is no {given[0]} yet; the search begins")
    return True


def saved_text(given: tuple[str, ...], values: Mapping[str, Any]) -> str | None:
    """The text of the one saved search that a search for catalysts goes on from."""
    if not given or begins(given, values):
        return None
    if len(given) > 1:
        raise InputError("a search for catalysts goes on from one saved search")
    return read_file(given[0], partial(files.read_text, limit=SAVED_LIMIT))


def _as_saved(box: OpenBox, text: str) -> OpenBox:
    """The question with the heads of a saved search, if it is otherwise the same; about anything else the search itself
    has words."""
    import json

    try:
        saved = OpenBox.from_dict(json.loads(text)["partials of"])
    except (ValueError, KeyError, TypeError, RecursionError, InputError):
        return box
    return saved if replace(saved, heads=box.heads) == box else box


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
        return f"{saved.partials:,} partial {self.request.question.noun}s are"

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
