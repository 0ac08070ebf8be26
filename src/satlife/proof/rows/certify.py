"""Making certificates for boxes of any length: the search says that there is nothing, and `engines.rows.windows` lists
the windows that show it.  What they show is checked before the folder is moved to its place."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from satlife.engines.events import Hearing, Progress, silent
from satlife.engines.options import Options
from satlife.engines.rows import STRATEGY
from satlife.engines.rows.lines import exploration
from satlife.engines.rows.partials import parse_state
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.searcher import SavedSearch, TooLate
from satlife.engines.rows.windows.closure import Closure, LineClosure, closure_of
from satlife.errors import InputError, LimitError, SatlifeError
from satlife.limits import TIME_LIMIT, Limits
from satlife.problem.ask import Ask
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import NONE, Certificate, Find, Outcome
from satlife.proof import bundle, publish
from satlife.proof.checker import CheckProgress
from satlife.proof.claims.find import ClaimFound
from satlife.proof.rows import certificate, windows
from satlife.proof.rows.sequence import Sequence
from satlife.proof.rows.windows import Keys
from satlife.search.answer import answer
from satlife.search.race import finish


def find(
    box: OpenBox,
    target: Path,
    options: Options,
    hear: Hearing = silent,
) -> Outcome:
    """Search, and write a certificate of the outcome into the folder `target`."""
    options = options.begun()
    limits = options.limits
    must_be_provable(box, options)
    bundle.claim_folder(target)
    outcome = finish(answer(Ask(box), options), hear)
    assert isinstance(outcome, Outcome)
    try:
        if outcome:
            claim = ClaimFound(outcome.problem, (Find(outcome.phases),))
            return replace(outcome, proof=publish.save(target, claim, [], publish.timed(hear, limits)))
        if outcome.status == NONE:
            return replace(outcome, proof=refute(box, target, options.threads(), limits, hear))
    except SatlifeError as error:
        return replace(outcome, proof=Certificate(False, reason=str(error)))
    return outcome


def must_be_provable(box: OpenBox, options: Options) -> None:
    """Raise InputError for a search whose windows stay on a device, and for one that leaves windows out."""
    certificate.must_be_about_all(box)
    if options.device == "gpu":
        raise InputError("the windows of a certificate are listed on the CPU, which --device gpu excludes")


def refute(
    box: OpenBox,
    target: Path,
    jobs: int,
    limits: Limits,
    hear: Hearing = silent,
    known: Iterable[bytes] = (),
) -> Certificate:
    """Certify that there is no ship.  Windows that units of a long search have listed are not explored again; only if
    they turn out to be wrong is everything explored here."""
    certificate.must_be_about_all(box)
    sequence, closure = Sequence(box), begun(box, limits, jobs)
    lots = [lot for data in known if (lot := unpacked(data, sequence)) is not None]
    for lot in lots:
        closure.know(lot)
    try:
        listed = explored(closure, hear)
        return save(box, target, listed, closure.span, publish.timed(hear, limits), jobs)
    except publish.Unproved:
        if not lots or limits.left() == 0.0:
            raise
    return refute(box, target, jobs, limits, hear)


def begun(box: OpenBox, limits: Limits, jobs: int = 1) -> Closure | LineClosure:
    """A list of windows, still empty, that is to be complete in time."""
    closure = closure_of(Strip.of(box), jobs, limits.memory or None)
    closure.search.deadline = limits.deadline
    return closure


def explored(closure: Closure | LineClosure, hear: Hearing = silent) -> Keys:
    """The windows of a certificate; raises Unproved."""

    def told(count: int) -> None:
        hear(Progress(STRATEGY, f"{count:,} windows for the certificate"))

    try:
        closure.explore(told)
    except TooLate as error:
        raise publish.Unproved(f"{TIME_LIMIT} while the windows of the certificate were listed") from error
    except LimitError as error:
        raise publish.Unproved(str(error)) from error
    except InputError as error:
        raise publish.Missed(str(error)) from error
    return closure.kept()


def save(box: OpenBox, target: Path, keys: Keys, span: int, checking: CheckProgress, jobs: int) -> Certificate:
    """Write a certificate; it is moved to its place only after the files on disk were verified."""

    def write(folder: Path) -> None:
        certificate.write(folder, box, keys, span, publish.versions())

    publish.publish(target, write, checking, jobs)
    return Certificate(True, str(target), windows=len(keys))


# Units of long searches: each lists the windows after its partial ships; or one, those after all that were met.
def of_unit(box: OpenBox, unit: str, stop: Callable[[], bool], jobs: int = 1) -> bytes:
    """The windows after what a unit begins with, packed; raises Unproved."""
    closure = begun(box, Limits(), jobs)
    closure.search.interrupted = stop
    if (state := state_of(box, unit)) is not None:
        closure.begin_with(state)
    stream = io.BytesIO()
    windows.write(stream, explored(closure), Sequence(box))
    return stream.getvalue()


def state_of(box: OpenBox, unit: str) -> SavedSearch | None:
    """What a unit begins with; None if that is nothing."""
    if not box.stays:
        return parse_state(unit)
    given = exploration.parse(unit)
    return given["state"] if given else None


def unpacked(data: bytes, sequence: Sequence) -> Keys | None:
    """The windows of a unit, which came from elsewhere; None if they cannot be read."""
    try:
        return windows.unpacked(io.BytesIO(data), "the windows of a unit", sequence)
    except SatlifeError:
        return None
