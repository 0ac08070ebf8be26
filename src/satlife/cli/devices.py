"""satlife devices: what there is to compute on."""

from __future__ import annotations

import json
import os

import click

from satlife import native
from satlife.cli import report, screen
from satlife.cli.groups import command
from satlife.device import cuda
from satlife.errors import installing
from satlife.memory import available, size


@command()
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
def devices(as_json: bool) -> None:
    """Tell which CPU and GPU were found, their memory, and why a GPU is or is not used.

    Example: [bold]satlife devices[/]
    """
    cores, memory, compiled = os.cpu_count() or 1, available(), native.is_installed()
    reason = cuda.why_none()
    found = cuda.devices()
    if as_json:
        gpus = [vars(device) for device in found]
        cpu = {"cores": cores, "free": memory, "numba": compiled}
        report.emit(json.dumps({"cpu": cpu, "gpu": gpus, "reason": reason}) + "\n", None)
        return
    kernels = "kernels compiled by Numba" if compiled else f"without Numba ({installing('fast')})"
    screen.show(f"cpu: {cores} cores, {size(memory)} of memory free, {kernels}")
    if reason:
        screen.show(f"gpu: none; {reason}")
    first = next((device for device in found if not device.reason), None)
    for device in found:
        use = "not used: one is enough" if device.reason == "" else f"not used: {device.reason}"
        if device is first:
            use = f"used for tables and open boxes that take long enough ({cuda.version()})"
        screen.show(f"gpu: {device.name}, {size(device.memory)}, {size(device.free)} free; {use}")
