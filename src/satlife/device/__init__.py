"""Devices for work that runs on a GPU: what was found, compiled kernels, arrays, launches.

Engines write a kernel once, as CUDA C beside their Python, and hand it to a `Device`.  There is one kind of device that
computes, CUDA through CuPy (`cuda`); the tests have another, which compiles the same source with a C++ compiler and
runs threads one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from satlife.errors import DeviceError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt


T = TypeVar("T")
Array = Any  # of numpy or of CuPy
CHOICES = ("auto", "cpu", "gpu")


class DeviceProgram(Protocol):
    """Compiled kernels."""

    def launch(self, kernel: str, threads: int, *arguments: Array) -> None:
        """Run a kernel in about as many threads as asked for, at least one; arguments are arrays and numpy scalars."""


class Device(Protocol):
    """Memory and kernels.  Whatever goes wrong there is a DeviceError, ready for the user."""

    @property
    def name(self) -> str: ...
    @property
    def xp(self) -> ModuleType:
        """The module of its arrays: CuPy, or numpy."""

    @property
    def threads(self) -> int:
        """How many run at the same time, at most."""

    def free(self) -> int:
        """Bytes that can be allocated."""

    def program(self, source: Path, constants: Mapping[str, int]) -> DeviceProgram:
        """The kernels of a file, with these constants built in; BLOCK, if it is one of them, is the size of a block."""

    def empty(self, count: int, dtype: npt.DTypeLike) -> Array:
        """An array of `count` numbers, not initialised."""

    def upload(self, array: Array) -> Array:
        """A copy of an array of numpy on the device."""

    def download(self, array: Array) -> Array:
        """A copy as an array of numpy; waits until the device has made it."""

    def wait(self) -> None:
        """Wait until everything launched is done; a failure of a kernel shows here."""

    def release(self) -> None:
        """Give memory that is no longer used back to the system."""


class Choice:
    """The device that a search may use: looked for when the work is known to be worth it, given up when it fails.

    `say` is told, once and in one sentence, why a device that was asked for is not used; if it was not asked for, only
    why one that was there is given up."""

    def __init__(self, wanted: str | None = None, say: Callable[[str], None] | None = None) -> None:
        if wanted not in (None, *CHOICES):
            raise ValueError(f"a device is one of {', '.join(CHOICES)}, not {wanted}")
        self.wanted = wanted or "auto"
        self.say = say or (lambda text: None)
        self._device: Device | None = None
        self._looked = self.wanted == "cpu"

    @classmethod
    def of(cls, device: Device, say: Callable[[str], None] | None = None) -> Choice:
        """This device, whatever the work."""
        choice = cls("gpu", say)
        choice._device, choice._looked = device, True
        return choice

    def device(self, worthwhile: bool) -> Device | None:
        """The device, if the work is large enough for one, or one was asked for."""
        if not self._looked and (worthwhile or self.wanted == "gpu"):
            from satlife.device import cuda

            self._looked = True
            try:
                self._device = cuda.open_device()
            except DeviceError as error:
                if self.wanted == "gpu":
                    self.say(f"{error}; the CPU is used instead")
        return self._device if worthwhile or self.wanted == "gpu" else None

    def decline(self, reason: str) -> None:
        """There is no device for this work."""
        if self.wanted == "gpu" and not (self._looked and self._device is None):
            self.say(f"{reason}; the CPU is used instead")
        self._device, self._looked = None, True

    def attempt(self, work: Callable[[], T]) -> T:
        """Do some work; if the device fails, once more without it."""
        try:
            return work()
        except DeviceError as error:
            self.give_up(error)
            return work()
        finally:
            if self._device is not None:
                self._device.release()

    def give_up(self, reason: DeviceError | str) -> None:
        """From now on there is no device."""
        if self._device is not None:
            self.say(f"{reason}; the CPU goes on")
            self._device = None
