"""From the result of a search to its certificate: which claim it supports, and proving that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from satlife.engines.options import Options
from satlife.errors import InputError, SatlifeError
from satlife.problem.answers import Best, Count, Listed
from satlife.problem.ask import Ask
from satlife.problem.cell import FREE, Cell
from satlife.problem.completion import Completion
from satlife.problem.goal import CountAll, FindCore, FindForced, FindOne, ListAll, Optimise, SmallestBox
from satlife.problem.measures import GENERATIONS
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Certificate, Find, Outcome
from satlife.problem.pasts import Core, Forced
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.problem.target import given_cells
from satlife.proof import certify, claim
from satlife.proof.bundle import claim_folder
from satlife.proof.checker import CheckProgress
from satlife.proof.claim import Claim
from satlife.records import dataclass
from satlife.search.library import Listing
from satlife.search.progress import OnProgress

WHAT = "a certificate"  # what needs a box


@dataclass(frozen=True)
class Witness:
    """Makes the certificate of a search, in a new folder, after the search."""

    target: Path
    options: Options
    progress: OnProgress | None = None
    checking: CheckProgress | None = None

    @classmethod
    def into(
        cls, target: Path, options: Options, progress: OnProgress | None = None, checking: CheckProgress | None = None
    ) -> Witness:
        """A witness for a folder; raises InputError, before the search, if it cannot be written."""
        claim_folder(target)
        return cls(target, options.begun(), progress, checking)

    def find(self, question: Question) -> Outcome:
        """Search, and certify the outcome."""
        return certify.find(question, self.target, self.options, self.progress, self.checking)

    def listing(self, listed: Listed, finds: Sequence[Outcome], distinct: bool) -> Certificate:
        """The certificate of a listing: that these are all if it is complete, else that they are solutions."""
        found = tuple(outcome.find for outcome in finds)
        problem = listed.question.in_a_box(WHAT)
        if not listed.complete:
            return self.prove(Claim(claim.FOUND, problem, found))
        return self.prove(Claim(claim.ALL, problem, found, distinct) if found else none(problem))

    def count(self, problem: Problem) -> tuple[Count, Certificate]:
        """Count by listing, and certify that these are all."""
        listing = Listing(problem, self.options)
        finds = list(listing)
        return listing.listed.counted(), self.listing(listing.listed, finds, distinct=False)

    def smallest(self, problem: Problem, outcome: Outcome, certain: bool) -> Outcome:
        """The certificate that a box is the smallest, if all smaller ones were refuted."""
        if not certain:
            return self.single(outcome) if outcome else outcome
        box = (outcome.problem.width, outcome.problem.height) if outcome else (0, 0)
        return self.single(outcome, Claim(claim.SMALLEST, problem, box=box))

    def best(self, question: Question, best: Best, measure: str, largest: bool) -> Outcome:
        """The certificate of an optimum if it is proved, else of the find; that of a completion is about any margin."""
        beyond = isinstance(question, Completion)
        if beyond and best.outcome.status == UNKNOWN:
            return best.outcome
        problem = best.outcome.problem if beyond else question.in_a_box(WHAT)
        if beyond and best.outcome.status == NONE:
            return self.single(best.outcome, Claim(claim.NONE, problem, beyond=True))
        optimum = Claim(claim.BEST, problem, measure=measure, largest=largest, value=best.value or 0, beyond=beyond)
        nothing = best.outcome.status == NONE and measure == "generations"
        return self.single(best.outcome, optimum if (best.proved and best.value is not None) or nothing else None)

    def single(self, outcome: Outcome, claimed: Claim | None = None) -> Outcome:
        """The outcome with the certificate of a claim; by default the claim is the outcome itself."""
        if outcome.status == UNKNOWN:
            return outcome
        claimed = claimed or Claim(claim.FOUND if outcome.status == FOUND else claim.NONE, outcome.problem)
        return replace(outcome, proof=self.prove(replace(claimed, finds=(outcome.find,)) if outcome else claimed))

    def of_any_length(self, box: OpenBox) -> Certificate:
        """The certificate that there is no ship in an open box."""
        from satlife.proof.rows.certify import refute

        try:
            return refute(box, self.target, self.options.threads(), self.options.limits, self.progress, self.checking)
        except SatlifeError as error:
            return Certificate(False, reason=str(error))

    def core(self, core: Core) -> Core:
        """The certificate of a core: that it is an orphan and, if that is known, that every cell is needed."""
        if not core.cells:
            return replace(core, proof=self.single(core.outcome).proof)
        problem = core.problem
        needed = tuple(Find(core.witnesses[place]) for place in given_cells(problem)) if core.minimal else ()
        return replace(core, proof=self.prove(Claim(claim.CORE, problem, needed) if needed else none(problem)))

    def forced(self, forced: Forced) -> Forced:
        """The certificate of forced cells; if there is no solution, of that."""
        if not forced.cells:
            refuted = forced.outcome.status == NONE and forced.target == given_cells(forced.outcome.problem).keys()
            nothing = Certificate(False, reason="no cell is known to be forced")
            return replace(forced, proof=self.single(forced.outcome).proof if refuted else nothing)
        problem, states = forced.problem, forced.cells
        rows = tuple(
            tuple(Cell(states[x, y]) if (x, y) in states else FREE for x in range(problem.width))
            for y in range(problem.height)
        )
        find = Find(forced.outcome.phases)
        return replace(forced, proof=self.prove(Claim(claim.FORCED, problem, (find,), forced=rows)))

    def prove(self, claimed: Claim) -> Certificate:
        """Certify a claim; an error becomes the reason in the certificate, so that finds are still shown."""
        if claimed.kind == claim.FOUND and not claimed.finds:
            return Certificate(False, reason="nothing was found")
        try:
            return certify.certify(claimed, self.target, self.options, self.progress, self.checking)
        except SatlifeError as error:
            return Certificate(False, reason=str(error))


#: The kind of claim that the answer to each goal supports.
CLAIMS = {
    CountAll: claim.ALL,
    FindCore: claim.CORE,
    FindForced: claim.FORCED,
    FindOne: claim.NONE,
    ListAll: claim.ALL,
    Optimise: claim.BEST,
    SmallestBox: claim.SMALLEST,
}


def must_be_provable(ask: Ask, options: Options) -> None:
    """Raise InputError for what no certificate can express, and for solvers without proofs."""
    goal, beyond = ask.goal, isinstance(ask.question, Completion)
    if isinstance(ask.question, OpenBox):
        _must_be_one(ask, options)
        return
    if beyond and not isinstance(goal, Optimise):
        raise InputError("of completions of any size a certificate is about the smallest; for others add --margin")
    problem = ask.question.in_margin(0) if isinstance(ask.question, Completion) else ask.question.in_a_box(WHAT)
    distinct = isinstance(goal, ListAll) and goal.distinct
    measure = str(goal.measure) if isinstance(goal, Optimise) else ""
    Claim(CLAIMS[type(goal)], problem, distinct=distinct, measure=measure, beyond=beyond)
    certify.members(problem, options)
    if isinstance(goal, Optimise) and goal.measure.kind != GENERATIONS:
        claim.times(problem, measure)


def _must_be_one(ask: Ask, options: Options) -> None:
    """Raise InputError for what has no certificate in a box of any length."""
    from satlife.proof.rows.certify import must_be_provable as must_be_listed

    if not isinstance(ask.goal, FindOne):
        raise InputError("in a box of any length there are certificates of one ship, or that there is none; of no list")
    assert isinstance(ask.question, OpenBox)
    must_be_listed(ask.question, options)


def none(problem: Problem) -> Claim:
    """The claim that there is no solution."""
    return Claim(claim.NONE, problem)
