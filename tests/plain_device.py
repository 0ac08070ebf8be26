"""A device without a GPU: the kernels' own source, compiled as C++, whose threads run one after another."""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from events import PATIENCE

HERE = Path(__file__).parent
COMPILER = shutil.which("g++") or shutil.which("clang++")
FOLDER = Path(tempfile.gettempdir()) / "satlife-plain-kernels"
BLOCKS = 3  # so that kernels take turns

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler (g++, clang++) to compile kernels with")


class PlainDevice:
    """Arrays of numpy, kernels of C++."""

    name = "this CPU"
    xp: Any = np
    threads = BLOCKS

    def __init__(self, memory: int = 1 << 30) -> None:
        self.memory = memory
        self.launches: list[str] = []

    def free(self) -> int:
        return self.memory

    def program(self, source: Path, constants: Mapping[str, int]) -> PlainProgram:
        return PlainProgram(self, compiled(source, constants))

    def empty(self, count: int, dtype: Any) -> Any:
        kind = np.dtype(dtype)
        out = np.empty(count * kind.itemsize + 16, np.uint8)
        start = -out.ctypes.data % 16  # as aligned as on a device
        array = out[start : start + count * kind.itemsize].view(kind)
        array.view(np.uint8)[:] = 0xA5  # nothing may rely on zeros
        return array

    def upload(self, array: Any) -> Any:
        return np.array(array)

    def download(self, array: Any) -> Any:
        return np.array(array)

    def wait(self) -> None:
        pass

    def release(self) -> None:
        pass


class PlainProgram:
    def __init__(self, device: PlainDevice, library: ctypes.CDLL) -> None:
        self.device, self.library = device, library

    def launch(self, kernel: str, threads: int, *arguments: Any) -> None:
        self.device.launches.append(kernel)
        for number in range(BLOCKS):
            self.library.set_block(number, BLOCKS)
            self.library[kernel](*map(_passed, arguments))


def _passed(argument: Any) -> Any:
    """An argument as C takes it."""
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    kinds = {"u4": ctypes.c_uint32, "i4": ctypes.c_int32, "u8": ctypes.c_uint64, "i8": ctypes.c_int64}
    return kinds[argument.dtype.str[1:]](int(argument))


def compiled(source: Path, constants: Mapping[str, int]) -> ctypes.CDLL:
    """The library of a file of kernels, made once for the same text and constants."""
    assert COMPILER is not None
    options = [f"-D{name}={value}" for name, value in constants.items()]
    text = (HERE / "plain_cuda.h").read_bytes() + source.read_bytes() + " ".join(options).encode()
    target = FOLDER / f"{hashlib.sha256(text).hexdigest()[:24]}.so"
    if not target.exists():
        FOLDER.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
            made = Path(folder) / "kernels.so"
            flags = ["-x", "c++", "-std=c++17", "-O2", "-w", "-fno-strict-aliasing", "-shared", "-fPIC"]
            include = ["-include", str(HERE / "plain_cuda.h")]
            subprocess.run(
                [COMPILER, *flags, *include, *options, str(source), "-o", str(made)], check=True, timeout=PATIENCE
            )
            made.rename(target)
    return ctypes.CDLL(str(target))
