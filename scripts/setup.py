"""Create or repair the private .venv: setup.py CHECKOUT core|dev.  Silent unless it fails; safe to interrupt."""

import os
import signal
import sys

if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))  # until the imports are done

import shutil
import subprocess
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
from satlife import background, system

PACKAGES = {"core": ["-e", ".[all]"], "dev": ["-e", ".[all]", "--group", "dev"]}
PIP = "pip>=25.1"  # the first that knows dependency groups; Python 3.11 to 3.13 may come with an older one
QUIETLY = ["install", "--disable-pip-version-check", "--quiet"]
IMPLIES = {"core": ["core"], "dev": ["core", "dev"]}
SPINNER, TURN = "|/-\\", 0.2  # and the seconds between two of its positions


def main() -> int:
    here, kind = Path(sys.argv[1]), sys.argv[2]
    os.chdir(here)  # nothing is imported from the user's folder
    venv, log = here / ".venv", here / ".venv-setup.log"
    stamp = f"{here}\n{(here / 'pyproject.toml').read_text('utf-8')}"
    with system.locked(here / ".venv-lock"):  # of two first runs at the same time the second waits
        ready = venv / f"ready-{kind}"
        if works(venv) and ready.is_file() and ready.read_text("utf-8") == stamp:
            return 0
        if sys.stderr.isatty():
            print("satlife: setting up .venv, once, about a minute", file=sys.stderr)
        # A .venv with a stamp was complete once and can be brought up to date; one without was interrupted.
        complete = works(venv) and any(venv.glob("ready-*"))
        same_place = complete and all(old.read_text("utf-8").startswith(f"{here}\n") for old in venv.glob("ready-*"))
        had_dev = complete and (venv / "ready-dev").is_file()
        if had_dev:
            kind = "dev"
        for old in venv.glob("ready-*"):
            old.unlink()
        with open(log, "w", encoding="utf-8") as output:
            if not (complete and same_place) and not create(venv, output):
                return fail(log, "cannot make a virtual environment; install Python's venv module (python3-venv)")
            if not install(venv, kind, output):
                return fail(log, "cannot install the dependencies; is the network within reach?")
            # Bytecode of our own modules, for a fast start also where Python is told to write none.
            compiling = [interpreter(venv), "-P", "-m", "compileall", "-q", str(here / "src")]
            attempt(compiling, output, "compiling satlife to bytecode")
        for name in IMPLIES[kind]:
            (venv / f"ready-{name}").write_text(stamp, "utf-8")
        log.unlink()
    if background.is_wanted():
        background.start(interpreter(venv))  # it compiles kernels, and is not waited for
    return 0


def interpreter(venv: Path) -> str:
    """The path of an environment's Python: in bin or, on Windows, in Scripts."""
    folder = sysconfig.get_path("scripts", "venv", {"base": str(venv)})
    return str(Path(folder) / "python")


def works(venv: Path) -> bool:
    try:
        check = [interpreter(venv), "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        return subprocess.run(check, capture_output=True).returncode == 0
    except OSError:
        return False


def create(venv: Path, output: IO[str]) -> bool:
    shutil.rmtree(venv, ignore_errors=True)
    if attempt([sys.executable, "-P", "-m", "venv", str(venv)], output, "making a virtual environment"):
        return True
    # Debian packages ensurepip separately; the pip of the interpreter can install into the new environment instead.
    shutil.rmtree(venv, ignore_errors=True)
    bare = [sys.executable, "-P", "-m", "venv", "--without-pip", str(venv)]
    return attempt(bare, output, "making a virtual environment without pip")


def install(venv: Path, kind: str, output: IO[str]) -> bool:
    """Install satlife of this folder, for checks and tests with the development group."""
    python = interpreter(venv)
    own = [python, "-P", "-m", "pip"]
    has_pip = subprocess.run([*own, "--version"], capture_output=True).returncode == 0
    pip = own if has_pip else [sys.executable, "-P", "-m", "pip", "--python", python]
    if kind == "dev":
        if not succeeds([*pip, *QUIETLY, PIP], output):
            return False
        pip = own
    # Checks and tests use locked versions of all packages, if these support the interpreter.
    locked = [["-c", "scripts/constraints.txt"]] if kind == "dev" else []
    return any(succeeds([*pip, *QUIETLY, *PACKAGES[kind], *more], output) for more in (*locked, []))


def succeeds(command: list[str], output: IO[str]) -> bool:
    environment = {**os.environ, "PIP_REQUIRE_VIRTUALENV": "0"}
    return attempt(command, output, "installing numpy, solvers and other packages", environment)


def attempt(command: Sequence[str], output: IO[str], what: str, environment: dict[str, str] | None = None) -> bool:
    """Run a program, with its output in the log; whether it succeeded.  At a terminal a line that moves says what is
    done, and for how long."""
    began, shown = time.monotonic(), ""
    with subprocess.Popen(command, stdout=output, stderr=output, env=environment) as process:
        try:
            while process.poll() is None:
                seconds = time.monotonic() - began
                if sys.stderr.isatty():
                    shown = f"{SPINNER[int(seconds / TURN) % len(SPINNER)]} {what} ... {seconds:.0f} s"
                    print(f"\r{shown}", end="", file=sys.stderr, flush=True)
                try:
                    process.wait(TURN)
                except subprocess.TimeoutExpired:
                    continue
        except BaseException:  # Ctrl-C, which the program may not have got itself
            process.kill()
            raise
        finally:
            if shown:
                print(f"\r{' ' * len(shown)}\r", end="", file=sys.stderr, flush=True)
    return process.returncode == 0


def fail(log: Path, message: str) -> int:
    lines = [line for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
    last = f"; the last line is: {lines[-1].strip()}" if lines else ""
    print(f"satlife: {message} (details in {log}{last})", file=sys.stderr)
    return 1


if __name__ == "__main__":
    try:
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)  # child processes end with this one
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        sys.exit(f"satlife: cannot set up .venv: {error}")
