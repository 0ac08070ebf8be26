"""Create or repair the private .venv: setup.py CHECKOUT core|all|dev [ARGUMENT ...].  Silent unless it fails; safe to
interrupt.

`core` installs what most questions need.  The rest is installed in the background, by the same program with the word
`later`; but if the arguments, those of the command that is to be run, look as if it needs the rest, it is waited for.
"""

import os
import signal
import sys

if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))  # until the imports are done

import contextlib
import re
import shutil
import subprocess
import sysconfig
import time
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
from satlife import system
from satlife.native import background

CORE, WITHIN_CORE = ["-e", ".[fast]"], {"fast", "gpu", "all"}  # and the extras that are not left for later
PIP = "pip>=25.1"  # the first that knows dependency groups; Python 3.11 to 3.13 may come with an older one
IMPLIES = {"core": ["core"], "all": ["core", "all"], "dev": ["core", "all", "dev"]}
LATER = "later"
MORE = re.compile(r"serve|.*(kissat|cluster|postgres).*|.*\.(png|apng|gif)", re.IGNORECASE)  # arguments that need all
SPINNER, TURN = "|/-\\", 0.2  # and the seconds between two of its positions


def main() -> int:
    here, kind, arguments = Path(sys.argv[1]), sys.argv[2], [*sys.argv[3:], os.environ.get("SATLIFE_STORE", "")]
    os.chdir(here)  # nothing is imported from the user's folder
    venv = here / ".venv"
    if kind == LATER:
        system.give_way(background.NICENESS)
    stamp = f"{here}\n{(here / 'pyproject.toml').read_text('utf-8')}"
    everything = kind == LATER or any(map(MORE.fullmatch, arguments)) or not background.is_wanted()
    wanted = "all" if kind != "dev" and everything else kind
    if not is_ready(venv, wanted, stamp):
        with system.locked(here / ".venv-lock"):  # of two first runs at the same time the second waits
            if not is_ready(venv, wanted, stamp) and not set_up(here, venv, wanted, stamp):
                return 1
        if kind == LATER:
            compiling = [interpreter(venv), "-P", "-m", "compileall", "-q", str(libraries(venv))]
            subprocess.run(compiling, capture_output=True)
        elif background.is_wanted():
            background.start(interpreter(venv))  # it compiles kernels, and is not waited for
    if wanted == "core" and not is_ready(venv, "all", stamp):
        begin_later(here)
    return 0


def is_ready(venv: Path, kind: str, stamp: str) -> bool:
    """Whether an environment has what this kind needs."""
    stamps = [venv / f"ready-{other}" for other, implied in IMPLIES.items() if kind in implied]
    return any(ready.is_file() and ready.read_text("utf-8") == stamp for ready in stamps) and works(venv)


def set_up(here: Path, venv: Path, kind: str, stamp: str) -> bool:
    """Make the environment, or bring it up to date; whether that succeeded."""
    log = here / ".venv-setup.log"
    with open(log, "w", encoding="utf-8") as output:
        if is_ready(venv, "core", stamp) and kind == "all":  # satlife itself is left alone: it may be running
            tell("installing what only some commands need, once")
            if not install(venv, rest(here), output):
                return fail(log, "cannot install the dependencies; is the network within reach?")
        else:
            tell("setting up .venv, once, about a minute")
            # A .venv with a stamp was complete once and can be brought up to date; one without was interrupted.
            complete = works(venv) and any(venv.glob("ready-*"))
            same_place = complete and all(
                old.read_text("utf-8").startswith(f"{here}\n") for old in venv.glob("ready-*")
            )
            if complete and (venv / "ready-dev").is_file():
                kind = "dev"
            for old in venv.glob("ready-*"):
                old.unlink()
            if not (complete and same_place) and not create(venv, output):
                return fail(log, "cannot make a virtual environment; install Python's venv module (python3-venv)")
            wanted = {"core": CORE, "all": ["-e", ".[all]", PIP], "dev": ["-e", ".[all]", "--group", "dev"]}[kind]
            if not install(venv, wanted, output):
                return fail(log, "cannot install the dependencies; is the network within reach?")
            # Bytecode of our own modules, for a fast start also where Python is told to write none.
            compiling = [interpreter(venv), "-P", "-m", "compileall", "-q", "-j", "0", str(here / "src")]
            attempt(compiling, output, "compiling satlife to bytecode")
    for name in IMPLIES[kind]:
        (venv / f"ready-{name}").write_text(stamp, "utf-8")
    log.unlink()
    return True


def tell(text: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"satlife: {text}", file=sys.stderr)


def rest(here: Path) -> list[str]:
    """The packages that only some commands need, and pip, with which users add to the environment."""
    project = tomllib.loads((here / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project.get("optional-dependencies", {})
    return [PIP, *(package for name, packages in extras.items() if name not in WITHIN_CORE for package in packages)]


def begin_later(here: Path) -> None:
    """Install the rest in the background, unless that is being done, or failed a moment ago."""
    log = here / ".venv-setup.log"
    if log.exists() and time.time() - log.stat().st_mtime < background.AGAIN:
        return
    with contextlib.suppress(OSError):
        with system.locked(here / ".venv-lock", 0.0):
            pass
        background.detach([sys.executable, "-P", str(Path(__file__).resolve()), str(here), LATER])


def libraries(venv: Path) -> Path:
    """The folder of an environment's packages."""
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(venv)}))


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
    """Make an environment without pip, which would take longer than everything else."""
    shutil.rmtree(venv, ignore_errors=True)
    bare = [sys.executable, "-P", "-m", "venv", "--without-pip", str(venv)]
    return attempt(bare, output, "making a virtual environment")


def install(venv: Path, packages: Sequence[str], output: IO[str]) -> bool:
    """Install packages.  Checks and tests use locked versions of all of them, if these support the interpreter."""
    locked = [["-c", "scripts/constraints.txt"]] if "dev" in packages else []
    what, environment = "installing numpy, solvers and other packages", {**os.environ, "PIP_REQUIRE_VIRTUALENV": "0"}
    return any(
        attempt([*installer, *packages, *more], output, what, environment)
        for installer in installers(venv, "dev" in packages, output)
        for more in (*locked, [])
    )


def installers(venv: Path, groups: bool, output: IO[str]) -> Iterator[list[str]]:
    """The beginnings of commands that install packages: of uv, where it is on PATH, and of a pip."""
    python = interpreter(venv)
    if uv := shutil.which("uv"):
        yield [uv, "pip", "install", "--quiet", "--python", python]
    own, others = [python, "-P", "-m", "pip"], [sys.executable, "-P", "-m", "pip", "--python", python]
    usable = [pip for pip in (own, others) if subprocess.run([*pip, "--version"], capture_output=True).returncode == 0]
    if not usable and attempt([python, "-P", "-m", "ensurepip"], output, "installing pip"):
        usable = [own]
    options = ["--disable-pip-version-check", "--quiet", "--no-compile"]
    for pip in usable[:1]:
        if groups and attempt([*pip, "install", *options, PIP], output, "installing pip"):
            pip = own
        yield [*pip, "install", *options]


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


def fail(log: Path, message: str) -> bool:
    lines = [line for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
    last = f"; the last line is: {lines[-1].strip()}" if lines else ""
    print(f"satlife: {message} (details in {log}{last})", file=sys.stderr)
    return False


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
