"""scripts/bench [NAME ...] [--workers N]: run the named benchmarks, or all of them."""

import argparse
import importlib
import sys

BENCHMARKS = {
    "generate": "clauses of Knuth's programs, MB/s against a plain formatting loop",
    "enumerate": "listing all answers, against restarting a solver for each",
    "count": "tables of states: bytes a second beside a plain copy, and published terms",
    "rows": "ships of a given width row by row, beside qfind where it is installed",
    "ledger": "units leased and finished a second as a search grows to a million units",
    "cluster": "two workers on the units of a refutation, against one; thousands of simulated ones",
    "strategies": "which strategies come first, on random questions",
    "ladder": "searches of growing difficulty, the default race against plain CDCL",
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Run benchmarks, all of them by default.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--workers", type=int, metavar="N", help="cluster: so many simulated workers, and nothing else")
    given = parser.parse_args()
    names = given.names or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are:", file=sys.stderr)
        for name, about in BENCHMARKS.items():
            print(f"  {name:10} {about}", file=sys.stderr)
        return 2
    for name in names:
        print(f"== {name}: {BENCHMARKS[name]}")
        main = importlib.import_module(f"bench.{name}").main
        main(given.workers) if name == "cluster" else main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
