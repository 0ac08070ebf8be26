"""The command of the campaign: run its parts and count attempts and failures."""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
import time

from campaign.attempt import Score, run

PARTS = (
    "questions", "bundles", "files", "requests", "disk", "interrupts", "limits", "kills", "clocks", "liars",
    "kernels", "nested", "catalysts", "completions", "windows", "counts", "lines", "boxes", "crossings",
)  # fmt: skip
SECONDS = 60.0


def main(argv: list[str] | None = None) -> int:
    """Run the parts one after another; the exit code is 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="scripts/soak", description="Try to break what satlife promises.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all of them by default")
    parser.add_argument("--seconds", type=float, help=f"for each part (default {SECONDS:.0f}, unless --tries is given)")
    parser.add_argument("--tries", type=int, help="for each part")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first round (default: the time)")
    given = parser.parse_args(argv)
    if unknown := [part for part in given.parts if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    seconds = given.seconds if given.seconds is not None or given.tries is not None else SECONDS
    say(f"seed {given.seed}")
    # A campaign started in the background of a shell ignores Ctrl-C, and so would the programs that it interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    scores = []
    try:
        for part in given.parts or PARTS:
            module = importlib.import_module(f"campaign.{part}")
            scores.append(run(module, given.seed, seconds, given.tries, say))
    except KeyboardInterrupt:
        say("interrupted")
    say(table(scores))
    return int(any(score.failures for score in scores))


def say(text: str) -> None:
    print(text, flush=True)


def table(scores: list[Score]) -> str:
    """The counts of all parts."""
    lines = [f"{'part':12} {'tries':>8} {'failures':>9} {'seconds':>8}"]
    lines += [f"{s.part:12} {s.tries:8} {s.failures:9} {s.seconds:8.0f}" for s in scores]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
