"""scripts/bench [NAME ...]: run the named benchmarks, or all of them."""

import importlib
import sys

BENCHMARKS = {
    "generate": "clauses of Knuth's programs, MB/s against a plain formatting loop",
    "enumerate": "listing all answers, against restarting a solver for each",
    "count": "tables of states: bytes a second beside a plain copy, and published terms",
    "rows": "ships of a given width row by row, beside qfind where it is installed",
    "gpu": "a GPU beside the CPU and qfind: ships row by row, and counting",
    "cluster": "two workers on the units of a refutation, against one",
    "strategies": "which strategies come first, on random questions",
    "ladder": "searches of growing difficulty, the default race against plain CDCL",
}


def main() -> int:
    names = sys.argv[1:] or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are:", file=sys.stderr)
        for name, about in BENCHMARKS.items():
            print(f"  {name:10} {about}", file=sys.stderr)
        return 2
    for name in names:
        print(f"== {name}: {BENCHMARKS[name]}")
        importlib.import_module(f"bench.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
