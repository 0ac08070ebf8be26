"""Where and how long the units of a long search are worked on: the options that say so."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from satlife.cli import screen, types
from satlife.cli.families import Makers, option
from satlife.cli.process import deadline_of, print_message
from satlife.device import CHOICES
from satlife.engines.work import Resources
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.cluster.coordinator import Pool

#: Where and how the units are worked on.
WORK: Makers = [
    lambda: option("--jobs", type=types.cores, metavar="N", help="Units at a time on this machine."),
    lambda: option("--device", type=click.Choice(CHOICES), help="For open boxes and counts.  \\[default: auto]"),
    lambda: option("--cluster", metavar="ADDRESS", help="A Dask scheduler, such as tcp://127.0.0.1:8786."),
    lambda: option("--insecure", is_flag=True, help="Allow an unencrypted cluster on other machines."),
    lambda: option("--tls-ca", metavar="FILE", help="Certificate authority of the cluster."),
    lambda: option("--tls-cert", metavar="FILE", help="Our certificate."),
    lambda: option("--tls-key", metavar="FILE", help="Our key."),
    lambda: option("--proof", metavar="DIR", help="Have workers prove what they refute, and write the certificate."),
    lambda: option("--time", type=types.seconds, metavar="SECONDS", help="Stop after this time; resume later."),
    lambda: option("--split-after", type=types.seconds, default=10.0, show_default=True, metavar="SECONDS",
                   help="Split a unit that runs longer when a core is idle."),
    lambda: option("--json", "as_json", is_flag=True, help="Print JSON."),
    lambda: option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors."),
]  # fmt: skip


@dataclass(frozen=True)
class JobRequest:
    """Where and how long to work on a search, and how to report it."""

    jobs: int | None
    device: str | None
    cluster: str | None
    tls: dict[str, str | None]
    proof: Path | None
    deadline: float  # by time.monotonic; 0 for none
    split_after: float
    as_json: bool
    quiet: bool
    named: bool  # the store was named by the user

    @classmethod
    def of(cls, values: dict[str, Any]) -> JobRequest:
        """From the values of a command; a cluster that will not be talked to is refused before anything is stored."""
        tls: dict[str, str | None] = {name: values[f"tls_{name}"] for name in ("ca", "cert", "key")}
        if values["cluster"] is not None:
            from satlife.cluster.remote import check_address, check_keys

            if (caution := check_address(values["cluster"], values["insecure"])) and not values["quiet"]:
                print_message("satlife", caution)
            check_keys(values["cluster"], tls)
        return cls(
            values["jobs"],
            values["device"],
            values["cluster"],
            tls,
            Path(values["proof"]) if values["proof"] is not None else None,
            deadline_of(values["time"]),
            values["split_after"],
            values["as_json"],
            values["quiet"],
            values["store"] is not None,
        )

    def note(self, text: str) -> None:
        """Print a message, except with --quiet or for JSON."""
        if not self.quiet and not self.as_json:
            screen.say(f"satlife: {text}")


def pool_of(request: JobRequest, needs: Resources) -> Pool:
    """The cores of this machine, and its GPU if units are for one; or a cluster."""
    if request.cluster is None:
        from satlife.cluster.local import LocalPool, for_search

        return LocalPool(for_search(needs, request.jobs or min(os.cpu_count() or 1, 64), request.device))
    from satlife.cluster.remote import DaskPool

    return DaskPool(request.cluster, request.tls)
