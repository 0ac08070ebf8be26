"""The entry points: `python -m satlife`, `./satlife` and the console scripts.

Three things are done before the imports, which take most of the time of a start.  Signals end the process at once and
silently, as there is nothing to clean up yet (`cli.process.exit_on_error` handles them later).  Closed standard
descriptors are opened, or the next file would become standard output.  The current folder is removed from the import
path.  Only built-in modules are imported until then.
"""

import _signal  # type: ignore[import-not-found] # what `signal` wraps, without its imports
import atexit
import gc
import os
import sys
import time

SIGNALS = (_signal.SIGINT, _signal.SIGTERM)


def main() -> None:
    """The program `satlife`."""
    began = time.monotonic()
    try:
        begin()
        if len(sys.argv) > 2 and sys.argv[1] == "knuth" and not sys.argv[2].startswith("-"):
            from satlife.cli.programs import run as generate

            generate(sys.argv[2], sys.argv[3:])  # which reads its own arguments, and starts in half the time
        from satlife.cli.main import main as run

        run(began=began)
    except KeyboardInterrupt:
        os._exit(130)  # between two handlers
    except SystemExit as error:
        leave(error)


def program() -> None:
    """Knuth's programs and tools: the one with the name of the script."""
    try:
        begin()
        from satlife.cli.programs import main as run

        run()
    except KeyboardInterrupt:
        os._exit(130)
    except SystemExit as error:
        leave(error)


def begin() -> None:
    """Prepare the process: signals, descriptors and the import path."""
    handled = [number for number in SIGNALS if _signal.getsignal(number) != _signal.SIG_IGN]
    for number in handled:
        _signal.signal(number, lambda number, frame: os._exit(128 + number))
    if hasattr(_signal, "pthread_sigmask"):
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, SIGNALS)  # ./satlife blocks them until here
    # At exit the interpreter restores its own handlers, which would print a traceback; all output is written by then.
    atexit.register(lambda: [_signal.signal(number, _signal.SIG_IGN) for number in handled])
    open_descriptors()
    gc.set_threshold(100_000)  # imports make many objects and hardly any garbage
    # The linear algebra of numpy, of which we use nothing, would start threads as soon as it is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if not sys.flags.safe_path and sys.path[0] in ("", here()):
        del sys.path[0]


def leave(error: SystemExit) -> None:
    """Exit with the code of an error after the functions of `atexit`, but without the rest of Python's clean-up, which
    takes longer than many a command; all output is flushed by then.  Not while another thread still has to end."""
    threading = sys.modules.get("threading")
    others = [thread for thread in threading.enumerate() if not thread.daemon] if threading else []
    if type(error.code) is not int or len(others) > 1:
        raise error
    atexit._run_exitfuncs()
    os._exit(error.code)


def open_descriptors() -> None:
    """Open closed standard descriptors on /dev/null, input for writing and output for reading, as the GNU C library
    does for setuid programs: using them still fails, with an error that we can report."""
    for number, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)  # gets this number, the lowest free one
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="backslashreplace")
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and stream.encoding.lower() != "utf-8" and stream.errors == "strict":
            stream.reconfigure(errors="replace")  # as in a pipe on Windows; in UTF-8 everything can be said


def here() -> str:
    """The current folder, which may be gone."""
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib is an import
    except OSError:
        return ""


if __name__ == "__main__":
    main()
