"""satlife worker: work on units of long searches."""

from __future__ import annotations

import os
import sys

import click

from satlife import native
from satlife.cli import screen, types
from satlife.cli.groups import command
from satlife.cli.process import print_message
from satlife.cli.stores import open_store
from satlife.cluster.coordinator import Coordinator
from satlife.cluster.local import LocalPool, this_machine
from satlife.cluster.remote import GPU, GPU_MEMORY, MEMORY, NATIVE, check_address, check_keys, reach
from satlife.device import CHOICES
from satlife.errors import InputError, installing
from satlife.store.records import Capacity


@command()
@click.argument("address", required=False, metavar="[ADDRESS]")
@click.option("--store", metavar="FILE", help="Take units from this store.")
@click.option("--once", is_flag=True, help="With --store: work on one unit and end, for a task of a batch queue.")
@click.option("--jobs", type=types.cores, default=1, show_default=True, metavar="N", help="Units at a time.")
@click.option("--device", type=click.Choice(CHOICES), help="Whether to use a GPU.  \\[default: auto]")
@click.option("--memory", type=types.positive, metavar="MB", help="For all units together.  \\[default: what is free]")
@click.option("--insecure", is_flag=True, help="Allow an unencrypted cluster on other machines.")
@click.option("--tls-ca", metavar="FILE", help="Certificate authority of the cluster.")
@click.option("--tls-cert", metavar="FILE", help="Our certificate.")
@click.option("--tls-key", metavar="FILE", help="Our key.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors.")
def worker(
    address: str | None,
    store: str | None,
    once: bool,
    jobs: int,
    device: str | None,
    memory: int | None,
    quiet: bool,
    insecure: bool,
    **tls: str | None,
) -> int:
    """Work on units of long searches: join the Dask cluster at ADDRESS, or take units from a --store.

    It takes units that suit it: those for which it has the memory, and on a GPU partial ships and tables of states.
    Without Numba it takes no partial ships, and says so.

    Example: [bold]satlife worker tcp://127.0.0.1:8786 --jobs 2[/]
    """
    if (address is None) == (store is None):
        raise click.UsageError("say where the work comes from: the ADDRESS of a scheduler, or --store FILE")
    if not quiet and not native.is_installed():
        print_message("satlife", f"without Numba this worker takes no partial ships; {installing('fast')}")
    if address is not None:
        if once:
            raise click.UsageError("--once is for a --store")
        return join(address, this_machine(jobs, device, memory), quiet, insecure, tls)
    pool = LocalPool(this_machine(1 if once else jobs, device, memory))
    with open_store(store) as ledger:
        if quiet:
            ledger.say = lambda text: None
        coordinator = Coordinator(ledger, pool, None, 1 if once else None)
        coordinator.run()
    if not quiet:
        screen.say(f"satlife: {coordinator.units_started} units done, no more to do")
    return 0


def join(address: str, has: Capacity, quiet: bool, insecure: bool, tls: dict[str, str | None]) -> int:
    """Become a worker of a Dask cluster until that ends."""
    if (caution := check_address(address, insecure)) and not quiet:
        print_message("satlife", caution)
    check_keys(address, tls)
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise InputError(f"a cluster needs Dask: {installing('cluster')}") from error
    reach(address)
    command = [sys.executable, "-P", "-m", "distributed.cli.dask_worker", address]
    resources = {MEMORY: has.memory, NATIVE: has.native * (has.cores + has.devices)}
    resources |= {GPU: has.devices, GPU_MEMORY: has.device_memory} if has.devices else {}
    command += ["--resources", ",".join(f"{name}={amount}" for name, amount in resources.items())]
    command += ["--nthreads", str(has.cores + has.devices), "--no-dashboard", "--death-timeout", "30"]
    for name, value in tls.items():
        if value is not None:
            command += [f"--{name.replace('_', '-').replace('tls-ca', 'tls-ca-file')}", value]
    safe = {**os.environ, "PYTHONSAFEPATH": "1"}  # for the worker process, which Dask starts in the current folder
    os.execve(sys.executable, command, safe)  # noqa: S606 - our own interpreter, arguments one by one
