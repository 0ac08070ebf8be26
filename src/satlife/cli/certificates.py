"""--proof: what a searching command claims, with a certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from satlife.cli import report
from satlife.errors import InputError, LimitError, SatlifeError
from satlife.problem.finds import Find
from satlife.problem.problem import Problem
from satlife.search.enumerate import Listing
from satlife.search.find import Options
from satlife.search.optimise import Best
from satlife.search.outcome import FOUND, NONE, Outcome
from satlife.solve.runner import Limits

if TYPE_CHECKING:
    from satlife.proof.claim import Claim


def certified(proof: dict[str, Any] | None) -> bool:
    """Whether a certificate, if one was asked for, was made."""
    return proof is None or bool(proof["checked"])


@dataclass(frozen=True)
class Witness:
    """Makes the certificate of a command when its search is over."""

    target: Path
    options: Options
    limits: Limits
    quiet: bool

    @classmethod
    def of(cls, problem: Problem, options: Options, values: dict[str, Any]) -> Witness:
        """Refuse, before anything is searched, what no certificate can say and folders that cannot be written."""
        from satlife.proof import certify, claim
        from satlife.proof.bundle import claim_folder

        measure = values["measure"] or "cells"
        lists = values["count"] is not None or values["distinct"] or values["count_only"]
        kind = claim.ALL if lists else claim.SMALLEST if values["smallest"] else NONE
        try:
            claim.Claim(kind, problem)
            certify.members(problem, options)
            if (values["minimize"] or values["maximize"]) and measure != "generations":
                claim.times(problem, measure)
        except (InputError, LimitError) as error:
            raise click.UsageError(str(error)) from error
        target = Path(values["proof"])
        claim_folder(target)
        return cls(target, options, Limits.of(options.time), values["quiet"])

    def find(self, problem: Problem, options: Options, line: report.ProgressLine) -> Outcome:
        from satlife.proof import certify

        return certify.find(problem, self.target, options, line, line.checking)

    def listing(self, problem: Problem, finds: Sequence[Outcome], listing: Listing, distinct: bool) -> dict[str, Any]:
        from satlife.proof.claim import ALL, Claim

        claim = Claim(ALL, problem, tuple(Find(o.phases, o.rule) for o in finds), distinct)
        if not listing.complete:
            claim = Claim(FOUND, problem, claim.finds)
        elif not finds:
            claim = Claim(NONE, problem)
        return self.prove(claim)

    def smallest(self, problem: Problem, outcome: Outcome, certain: bool) -> Outcome:
        from satlife.proof.claim import SMALLEST, Claim

        if not certain:
            return self.single(outcome) if outcome else outcome
        box = (outcome.problem.width, outcome.problem.height) if outcome else (0, 0)
        return self.single(outcome, Claim(SMALLEST, problem, box=box))

    def best(self, problem: Problem, best: Best, measure: str, largest: bool) -> Outcome:
        from satlife.proof.claim import BEST, Claim

        claim = Claim(BEST, problem, measure=measure, largest=largest, value=best.value or 0)
        nothing = best.outcome.status == NONE and measure == "generations"
        return self.single(best.outcome, claim if (best.proved and best.value is not None) or nothing else None)

    def single(self, outcome: Outcome, claim: Claim | None = None) -> Outcome:
        """The outcome with the certificate of a claim; without one, of just what was found or refuted."""
        from satlife.proof.claim import Claim

        if outcome.status not in (FOUND, NONE):
            return outcome
        claim = claim or Claim(outcome.status, outcome.problem)
        if outcome:
            claim = replace(claim, finds=(Find(outcome.phases, outcome.rule),))
        return replace(outcome, proof=self.prove(claim))

    def prove(self, claim: Claim) -> dict[str, Any]:
        from satlife.proof.certify import Unproved, certify

        line = report.ProgressLine(self.quiet)
        try:
            if claim.kind == FOUND and not claim.finds:
                raise Unproved("nothing was found")
            options = replace(self.options, time=self.limits.left())
            return certify(claim, self.target, options, line, line.checking)
        except SatlifeError as error:  # what was found is shown all the same
            return {"checked": False, "reason": str(error)}
        finally:
            line.clear()


def verify_certificate(folder: Path, target: Path | None) -> int:
    """Check a certificate and say line by line what holds."""
    from satlife.proof.bundle import claim_folder
    from satlife.proof.verify import verify

    if target:
        claim_folder(target)
        target.mkdir(exist_ok=True)
    line = report.ProgressLine(quiet=False)
    try:
        for text in verify(folder, line.checking, target):
            line.clear()
            click.echo(f"ok  {text}")
    finally:
        line.clear()
    click.echo(f"verified: {folder}")
    return 0
