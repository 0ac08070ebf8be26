"""Where our programs begin: `python -m satlife`, `./satlife` and the console scripts.

Three things come before the imports, which take most of the time of a start.  A signal ends us at once and quietly:
nothing is under way yet that would have to be tidied up (`cli.process.ending` takes over when there is).  Standard
descriptors that were closed are opened, or the next file would become standard output.  And the current folder is no
place to import from, whatever files it holds.  Until then only modules that are built in are imported.
"""

import _signal  # type: ignore[import-not-found] # what `signal` wraps, without its imports
import atexit
import os
import sys

SIGNALS = (_signal.SIGINT, _signal.SIGTERM)


def main() -> None:
    """The program `satlife`."""
    try:
        begin()
        from satlife.cli.main import main as run

        run()
    except KeyboardInterrupt:
        os._exit(130)  # between two handlers


def program() -> None:
    """Knuth's programs and tools: the one that the script is named after."""
    try:
        begin()
        from satlife.cli.programs import main as run

        run()
    except KeyboardInterrupt:
        os._exit(130)


def begin() -> None:
    """Make a process of ours fit to import the rest."""
    heeded = [number for number in SIGNALS if _signal.getsignal(number) != _signal.SIG_IGN]
    for number in heeded:
        _signal.signal(number, lambda number, frame: os._exit(128 + number))
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, SIGNALS)  # ./satlife holds them back until here
    # The interpreter takes its handlers back before it takes itself apart; the answer is out by then.
    atexit.register(lambda: [_signal.signal(number, _signal.SIG_IGN) for number in heeded])
    open_descriptors()
    if not sys.flags.safe_path and sys.path[0] in ("", here()):
        del sys.path[0]


def open_descriptors() -> None:
    """Open standard descriptors that are closed on /dev/null, but standard input and output the wrong way round, as
    the GNU C library does for setuid programs: what uses them still fails, and we say why."""
    for number, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)  # the lowest number that is free is this one
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="backslashreplace")
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace")


def here() -> str:
    """The current folder, which may be gone."""
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib is an import
    except OSError:
        return ""


if __name__ == "__main__":
    main()
