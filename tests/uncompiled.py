"""Kernels as plain Python."""

from __future__ import annotations

from types import ModuleType

import pytest

from satlife import native


def uncompile(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Run the kernels of these modules as plain Python, with all that they call: a kernel that plain Python calls would
    be compiled by itself, which takes seconds."""
    for module in modules:
        for name, value in [*vars(module).items()]:
            if isinstance(value, native.Kernel):
                monkeypatch.setattr(module, name, value.function)
