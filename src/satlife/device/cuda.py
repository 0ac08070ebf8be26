"""CUDA through CuPy: kernels are compiled by NVRTC when they are first used, and kept in CuPy's cache on disk."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from satlife.errors import DeviceError, installing
from satlife.memory import size
from satlife.records import dataclass

if TYPE_CHECKING:
    import cupy
    import numpy.typing as npt

Array = Any  # of CuPy
BLOCK = 256  # threads
BLOCKS = 16  # on each multiprocessor, at most; kernels take as many turns as they need
OLDEST = 12000  # CUDA 12.0, as the driver says it
SMALLEST = 1 << 30  # bytes of a device that is worth its start


@dataclass(frozen=True)
class FoundDevice:
    """A device of this machine, and why it is not used, if it is not."""

    name: str
    memory: int
    free: int
    reason: str = ""


def why_none() -> str:
    """Why no device can be used at all, or "" if there is one."""
    if importlib.util.find_spec("cupy") is None:
        return f"CuPy, which talks to the GPU, is not installed ({installing('gpu')})"
    try:
        runtime = _cupy().cuda.runtime
        driver = runtime.driverGetVersion()
        if driver == 0:
            return "no driver for an NVIDIA GPU was found"
        if driver < OLDEST:
            return f"the driver of the GPU is of CUDA {_version(driver)}; {_version(OLDEST)} is the oldest that will do"
        return "" if runtime.getDeviceCount() else "no NVIDIA GPU was found"
    except Exception as error:
        return f"no NVIDIA GPU can be used: {_first_line(error)}"


def devices() -> list[FoundDevice]:
    """All devices; the first one without a reason against it is used."""
    if why_none():
        return []
    cupy = _cupy()
    found = []
    for number in range(cupy.cuda.runtime.getDeviceCount()):
        try:
            name = cupy.cuda.runtime.getDeviceProperties(number)["name"].decode()
            with cupy.cuda.Device(number):
                free, memory = cupy.cuda.runtime.memGetInfo()
            little = f"only {size(free)} of its memory is free" if free < SMALLEST else ""
            found.append(FoundDevice(name, memory, free, little))
        except Exception as error:
            found.append(FoundDevice(f"device {number}", 0, 0, _first_line(error)))
    return found


def open_device() -> CudaDevice:
    """The first device that can be used; a DeviceError says why there is none."""
    if reason := why_none():
        raise DeviceError(reason)
    found = devices()
    for number, device in enumerate(found):
        if not device.reason:
            return CudaDevice(number, device.name)
    raise DeviceError("; ".join(f"{device.name}: {device.reason}" for device in found))


def version() -> str:
    """What compiles and runs the kernels, in words."""
    cupy = _cupy()
    return f"CuPy {cupy.__version__}, driver of CUDA {_version(cupy.cuda.runtime.driverGetVersion())}"


class CudaDevice:
    """One GPU, with arrays of CuPy."""

    def __init__(self, number: int, name: str) -> None:
        self.name, self.xp = name, _cupy()
        with failing():
            here = self.xp.cuda.Device(number)
            here.use()
            processors = here.attributes["MultiProcessorCount"]
            self.blocks = BLOCKS * processors
            self.threads = processors * here.attributes["MaxThreadsPerMultiProcessor"]

    def free(self) -> int:
        with failing():
            kept = self.xp.get_default_memory_pool().free_bytes()  # by CuPy, for what comes next
            return int(self.xp.cuda.runtime.memGetInfo()[0] + kept)

    def program(self, source: Path, constants: Mapping[str, int]) -> CudaProgram:
        # As lines of the source, because CuPy asks the compiler about options that it has not seen.
        text = "".join(f"#define {name} {value}\n" for name, value in constants.items()) + source.read_text()
        with failing():
            module = self.xp.RawModule(code=text, options=("-std=c++17",))
        return CudaProgram(module, self.blocks, constants.get("BLOCK", BLOCK))

    def empty(self, count: int, dtype: npt.DTypeLike) -> Array:
        with failing():
            return self.xp.empty(count, dtype)

    def upload(self, array: Array) -> Array:
        with failing():
            return self.xp.asarray(array)

    def download(self, array: Array) -> Array:
        with failing():
            return self.xp.asnumpy(array)

    def wait(self) -> None:
        with failing():
            self.xp.cuda.get_current_stream().synchronize()

    def release(self) -> None:
        with suppress(Exception):
            self.xp.get_default_memory_pool().free_all_blocks()


class CudaProgram:
    """A module of CuPy."""

    def __init__(self, module: cupy.RawModule, blocks: int, block: int) -> None:
        self.module, self.blocks, self.block = module, blocks, block
        self._kernels: dict[str, Callable[..., None]] = {}

    def launch(self, kernel: str, threads: int, *arguments: Array) -> None:
        with failing():
            if kernel not in self._kernels:
                self._kernels[kernel] = self.module.get_function(kernel)
            blocks = min(max(-(-threads // self.block), 1), self.blocks)
            self._kernels[kernel]((blocks,), (self.block,), arguments)


@contextmanager
def failing() -> Iterator[None]:
    """Whatever CuPy raises is a DeviceError."""
    try:
        yield
    except (DeviceError, KeyboardInterrupt, SystemExit):
        raise
    except MemoryError as error:  # that of CuPy is one
        raise DeviceError("the memory of the GPU is not enough") from error
    except Exception as error:
        raise DeviceError(f"the GPU failed: {_first_line(error)}") from error


def _cupy() -> ModuleType:
    return importlib.import_module("cupy")


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
