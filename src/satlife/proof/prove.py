"""The door with a certificate: an answer, and the new folder that proves what it claims; and the check of what others
have proved, for users of the library."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from satlife.engines.events import Event, Found, Hearing, silent
from satlife.engines.options import Options, SearchOptions
from satlife.errors import InputError, SatlifeError
from satlife.problem.answers import Answer, Best, Listed, Smallest, with_proof
from satlife.problem.ask import Ask
from satlife.problem.chart import Chart
from satlife.problem.goals import CountAll, FindOne, ListAll, Optimise
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Certificate, Outcome
from satlife.problem.pasts import Core, Forced
from satlife.problem.question import Place, Question
from satlife.proof import bundle
from satlife.proof import certify as certificates
from satlife.proof.claims import BY_GOAL, Claim
from satlife.proof.claims.find import ClaimFound, ClaimNone
from satlife.proof.parallel import Checking
from satlife.proof.rows.certify import must_be_provable as must_be_listed
from satlife.proof.verify import verify
from satlife.search.answer import answer
from satlife.search.library import searching
from satlife.search.progress import OnProgress, hearing, telling
from satlife.search.race import finish


def proved(ask: Ask, options: Options, folder: Path, hear: Hearing = silent) -> Answer:
    """The answer to an ask about one period, with its certificate in a new folder, or with the reason why there is
    none; what can have none is refused before the search."""
    ask, options = replace(ask, question=ask.question.every(1)), options.begun()
    must_be_provable(ask, options)
    bundle.claim_folder(folder)
    if isinstance(ask.goal, FindOne) and (ask.question.box is None or ask.question.box.centred):
        return certificates.find(ask.question, folder, options, hear)
    finds: list[Outcome] = []

    def heard(event: Event) -> None:
        if isinstance(event, Found):
            finds.append(event.outcome)
        hear(event)

    searched = replace(ask, goal=ListAll()) if isinstance(ask.goal, CountAll) else ask
    found = finish(answer(searched, options), heard)
    proof = certificate(ask, found, finds, options, folder, hear)
    if isinstance(ask.goal, CountAll):
        assert isinstance(found, Listed)
        found = found.counted()
    return found if proof is None else with_proof(found, proof)


def certificate(
    ask: Ask, found: Answer, finds: Sequence[Outcome], options: Options, folder: Path, hear: Hearing = silent
) -> Certificate | None:
    """The certificate of an answer, of a list with its `finds`; None if nothing is known that it could prove."""
    try:
        if isinstance(found, Chart):
            return certificates.certify_atlas(found, folder, options, hear)
        if isinstance(found, Outcome) and found.status == NONE:
            return certificates.certify_centres(found.problem, folder, options, hear)
        claim = BY_GOAL[type(ask.goal)].supported(ask, found, finds) or _single(found)
        return None if claim is None else certificates.certify(claim, folder, options, hear)
    except SatlifeError as error:  # it becomes the reason, so that finds are still shown
        return Certificate(False, reason=str(error))


def _single(found: Answer) -> Claim | None:
    """The claim that what was found is a solution, or that there is none."""
    assert isinstance(found, Outcome | Best | Smallest | Core | Forced)
    outcome = found if isinstance(found, Outcome) else found.outcome
    if outcome.status == UNKNOWN or (isinstance(found, Smallest) and not outcome):
        return None
    return ClaimFound(outcome.problem, (outcome.find,)) if outcome.status == FOUND else ClaimNone(outcome.problem)


def must_be_provable(ask: Ask, options: Options) -> None:
    """Raise InputError for what no certificate can express, and for solvers without proofs."""
    goal, question = ask.goal, ask.question
    if question.strip:
        if not isinstance(goal, FindOne):
            of = "of one ship, or that there is none; of no list"
            raise InputError(f"in a box of any length there are certificates {of}")
        must_be_listed(question.strip, options)
        return
    if question.place is Place.AROUND and not isinstance(goal, Optimise):
        raise InputError("of completions of any size a certificate is about the smallest; for others add --margin")
    problem = question.typical("a certificate")
    if type(goal) not in BY_GOAL:
        raise InputError(f"no certificate can express what it is to {goal.words}")
    BY_GOAL[type(goal)].wanted(ask, problem)
    certificates.members(problem, options)


@searching
def certify(
    question: Question,
    folder: str | os.PathLike[str],
    *,
    progress: OnProgress | bool | None = None,
    **options: Unpack[SearchOptions],
) -> Outcome:
    """Search, and write a certificate of the answer into a new folder; see `proof` of the outcome."""
    with telling(progress) as told:
        found = proved(Ask(question), Options(**options), Path(folder), hearing(told))
    assert isinstance(found, Outcome)
    return found


def check_certificate(folder: str | os.PathLike[str], *, jobs: int | None = None) -> list[str]:
    """Check a certificate by code that shares nothing with the search; returns what was checked, a line for each step,
    and last a paragraph: what was proved, what that rests on, and which programs are trusted.

    Independent proofs are checked `jobs` at a time, by default as many as there are cores.  A step that fails raises a
    SatlifeError.
    """
    lines: list[str] = []
    steps = verify(Path(folder), Checking(Path(folder), Options(jobs=jobs).threads()))
    try:
        while True:
            lines.append(next(steps))
    except StopIteration as end:
        return [*lines, str(end.value)]
