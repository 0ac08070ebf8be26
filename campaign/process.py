"""Running satlife as users do, in a process of its own that is observed from outside."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from satlife.store.database import StorePlace

MARK = "SATLIFE_CAMPAIGN"  # an environment variable that all descendants of a program inherit
SCRIPT = Path(sys.executable).with_name("satlife")
SATLIFE = [str(SCRIPT)] if SCRIPT.exists() else [sys.executable, "-m", "satlife"]
SOON = 10.0  # seconds within which a program must end after a signal, also on a busy machine
LEASE = "2"  # seconds after which a unit of a dead worker is free again


class SatlifeProcess:
    """A command of satlife, or another one, with its own session and folder for temporary files."""

    def __init__(
        self,
        arguments: list[str],
        folder: Path,
        rng: random.Random,
        prefix: list[str] | None = None,
        pipe: bool = False,
        command: list[str] | None = None,
        store: StorePlace | None = None,
    ) -> None:
        self.mark = f"{rng.getrandbits(64):016x}"
        self.folder = folder
        self.temporary = Path(tempfile.mkdtemp(prefix="tmp", dir=folder))
        self.errors = self.temporary.with_suffix(".err")
        environment = {**os.environ, MARK: self.mark, "TMPDIR": str(self.temporary), "SATLIFE_LEASE": LEASE}
        if store is not None:
            environment["SATLIFE_STORE"] = str(store)
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                [*(prefix or []), *(command or SATLIFE), *arguments],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if pipe else subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )

    def line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().decode().strip()

    @property
    def messages(self) -> str:
        return self.errors.read_text(errors="replace")

    def signal(self, number: int, group: bool) -> None:
        """Send a signal to the process, as `kill` does; with `group` to its group, as a terminal does on Ctrl-C."""
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if group else os.kill)(self.process.pid, number)

    def wait(self, seconds: float) -> int | None:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def ending_objection(self, codes: set[int], seconds: float | None = None) -> str:
        """What is wrong with its end: too late, a wrong exit code, a traceback, or something left behind."""
        seconds = SOON if seconds is None else seconds
        code = self.wait(seconds)
        if code is None:
            return f"still running after {seconds:.0f} s"
        if code not in codes:
            return f"exit code {code}: {self.messages[-300:]!r}"
        if "Traceback" in self.messages:
            return f"a traceback: {self.messages[-600:]!r}"
        return self.leftover_objection()

    def leftover_objection(self) -> str:
        """Processes or partial files that are left after a while."""
        deadline = time.monotonic() + SOON
        while (left := processes(self.mark)) and time.monotonic() < deadline:
            time.sleep(0.1)
        if left:
            return f"processes are left: {list(left.values())}"
        files = [path for path in self.folder.rglob("*") if ".partial" in path.name]
        files += [path for path in self.temporary.iterdir() if "satlife" in path.name]
        return f"files are left: {[str(path.relative_to(self.folder)) for path in files]}" if files else ""

    def close(self) -> None:
        """Kill the process and all its descendants."""
        for pid in processes(self.mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()


def processes(mark: str) -> dict[int, str]:
    """The living processes that carry a mark, with their commands."""
    wanted = f"{MARK}={mark}".encode()
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                if state not in "ZX":
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:120]
    return found


def descendants(program: SatlifeProcess) -> list[int]:
    """The processes that a program has started."""
    return [pid for pid in processes(program.mark) if pid != program.process.pid]


def finished(
    arguments: list[str], folder: Path, store: StorePlace | None = None, command: list[str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command of satlife to its end."""
    environment = {**os.environ, "SATLIFE_LEASE": LEASE}
    if store is not None:
        environment["SATLIFE_STORE"] = str(store)
    return subprocess.run(
        [*(command or SATLIFE), *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
