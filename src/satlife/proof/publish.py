"""Writing certificates: each is moved to its place only after the files on disk were verified."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from satlife.engines.events import Hearing, ProofChecked
from satlife.errors import SolverError
from satlife.limits import Limits
from satlife.problem.outcome import Certificate
from satlife.proof import bundle
from satlife.proof import checker as proofs
from satlife.proof.bundle import Part
from satlife.proof.claims.claim import Claim
from satlife.proof.inference import Rests, conclude
from satlife.proof.parallel import Checking
from satlife.proof.verify import Doubted, verify
from satlife.version import __version__

PACKAGES = ("python-sat", "numpy", "numba", "passagemath-kissat")


class Unproved(SolverError):
    """A certificate could not be completed; the message says why."""


class Missed(Unproved):
    """What was to be refuted has an answer."""


def timed(hear: Hearing, limits: Limits) -> proofs.CheckProgress:
    """A progress function that also enforces the time limit while a proof is checked."""

    def tell(what: str, done: int, total: int) -> None:
        if limits.left() == 0.0:
            raise Unproved("the time limit was reached while the proof was checked")
        hear(ProofChecked(what, done, total))

    return tell


def rest(target: Path, folder: Path, claim: Claim, rests: Rests) -> None:
    """Write a claim into a folder that has the certificates on which it rests, each of them verified; the folder is to
    become `target`, or a part of it."""
    line = conclude(claim, rests, {name: bundle.read(folder, name).claim for name in rests.names})
    with bundle.named(target):
        bundle.write(folder, claim, [], versions(), rests)
        (folder / bundle.CHECKED).write_bytes(f"{rests.rule}: {line}\n".encode())


def versions() -> dict[str, str]:
    """The versions of the software that makes a certificate."""
    made: dict[str, str] = {"satlife": __version__}
    for name in PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            made[name] = importlib.metadata.version(name)
    return made


def save(
    target: Path, claim: Claim, parts: Sequence[Part], checking: proofs.CheckProgress | None = None
) -> Certificate:
    """Write a certificate of a claim, with the proofs that it needs."""
    publish(target, lambda folder: bundle.write(folder, claim, parts, versions()), checking)
    return Certificate(True, str(target), sum(part.proof.lemmas for part in parts))


def publish(
    target: Path, write: Callable[[Path], None], checking: proofs.CheckProgress | None = None, jobs: int = 1
) -> None:
    """Have a certificate written; it is moved to its place only after the files on disk were verified."""
    with bundle.staged(target) as folder:
        with bundle.named(target):
            write(folder)
        try:
            lines = list(verify(folder, Checking(folder, jobs, checking)))
        except Doubted as error:
            raise Unproved(f"the certificate does not pass its own check: {error}") from error
        with bundle.named(target):
            (folder / bundle.CHECKED).write_bytes("".join(f"{line}\n" for line in lines).encode())
