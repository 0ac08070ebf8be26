"""The program, as its users start it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent


def run(*command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(BIN / "satlife"), *command], capture_output=True, text=True, input=stdin, timeout=300)
