"""scripts/bench [NAME ...] [options]: run the named benchmarks, or all of them.

scripts/bench compare COMMIT [options]: what questions cost now, beside what they cost at a commit.
scripts/bench family [NAME ...] [options]: how long SAT solvers take for the instances of `satlife family`."""

import argparse
import importlib
import sys

BENCHMARKS = {
    "first": "seconds to the first answer in a fresh clone: set-up, and the lines of the README without kernels",
    "startup": "how long small commands take, as multiples of importing numpy",
    "generate": "clauses of Knuth's programs, MB/s against a plain formatting loop",
    "enumerate": "listing all answers, against restarting a solver for each",
    "count": "tables of states: bytes a second beside a plain copy, and published terms",
    "gpu": "a GPU beside the CPU and qfind: ships row by row, and counting",
    "ledger": "units leased and finished a second as a search grows to a million units",
    "cluster": "two workers on the units of a refutation, against one; thousands of simulated ones",
    "cells": "the search over cells: two threads beside one",
    "catalysts": "catalysts beside trying every still life, and beside Barrister",
    "strategies": "which strategies come first, on random questions",
    "rows": "ships of a given width row by row, beside qfind",
    "ladder": "patterns in boxes, beside plain CaDiCaL, rlifesrc and factoriosrc",
    "loose": "generous boxes, no symmetry, strips: how much longer they take than tight questions",
    "speeds": "every speed and period, asked for without a box",
    "readme": "the table of the README: satlife beside all four programs",
}
COMPARED = ("rows", "ladder", "readme")
TIMED = ("loose", "speeds", "catalysts")  # these take --only and --limit


def main() -> int:
    if sys.argv[1:2] == ["compare"]:
        from bench import compare

        return compare.main(sys.argv[2:])
    if sys.argv[1:2] == ["family"]:
        from bench import family

        return family.main(sys.argv[2:])
    about = "\n".join(f"  {name:10} {words}" for name, words in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        "scripts/bench",
        epilog=f"benchmarks:\n{about}\n  compare COMMIT  what questions cost now, beside what they cost at a commit\n"
        "  family [NAME]   how long SAT solvers take for the instances of `satlife family`",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks to run; all of them by default")
    options = parser.add_argument_group(
        "options of `rows`, `ladder` and `readme`; `loose`, `speeds` and `catalysts` take the first two"
    )
    options.add_argument("--only", metavar="TEXT", help="only questions whose names contain this")
    options.add_argument("--limit", metavar="SECONDS", type=float, help="for every program and question")
    options.add_argument("--peers", metavar="NAMES", help="other programs, separated by commas, if they are on PATH")
    options.add_argument("--json", metavar="FILE", help="write all figures and commands")
    options.add_argument("--runs", metavar="N", type=int, help="rows, ladder: ask N times, and the fastest counts")
    options.add_argument(
        "--every-image",
        action="store_true",
        default=None,
        help="ladder: ask peers the images of a question that move the other way, too (slow)",
    )
    parser.add_argument("--workers", type=int, metavar="N", help="cluster: so many simulated workers, and nothing else")
    given = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    names = given.pop("names") or list(BENCHMARKS)
    for name in names:
        if name not in BENCHMARKS:
            parser.error(f"no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
        taken = ("cluster",) if "workers" in given else COMPARED + TIMED * (given.keys() <= {"only", "limit"})
        if given and name not in taken:
            parser.error(f"{name} does not take these options")
        if name != "ladder" and "every_image" in given:
            parser.error("--every-image is for the ladder")
        if name == "readme" and "runs" in given:
            parser.error("--runs is for rows and the ladder")
    for name in names:
        print(f"== {name}: {BENCHMARKS[name]}")
        importlib.import_module(f"bench.{name}").main(**given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
