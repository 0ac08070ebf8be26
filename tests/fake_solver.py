"""Solver programs that misbehave, one trick each: fake_solver.py TRICK FILE.cnf"""

import os
import signal
import sys
import time


def main() -> None:
    trick, path = sys.argv[1], sys.argv[2]
    with open(path) as stream:
        variables = int(stream.readline().split()[2])
    model = " ".join(str(-v) for v in range(1, variables + 1))
    if trick == "silent":
        sys.exit(0)
    if trick == "exit1":
        sys.exit(1)
    if trick == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if trick == "garbage":
        print("s SATISFIABLE\nv one two three\nv \x00\xff 0")
        sys.exit(10)
    if trick == "truncated":
        print("s SATISFIABLE\nv " + model.rsplit(" ", 1)[0])
        sys.exit(10)
    if trick == "wrong":
        print(f"s SATISFIABLE\nv {model} 0")
        sys.exit(10)
    if trick == "unsat-exit0":
        print("s UNSATISFIABLE")
        sys.exit(0)
    if trick == "unsat-no-status":
        sys.exit(20)
    if trick == "both":
        print("s SATISFIABLE\ns UNSATISFIABLE")
        sys.exit(20)
    if trick == "babble":
        print("hello " * 100000)
        sys.exit(20)
    if trick.startswith("sleep"):
        time.sleep(3600)


if __name__ == "__main__":
    main()
