"""A search of the page that begins, and comes no further, until its standard input ends."""

import sys

if __name__ == "__main__":
    sys.stdin.read()
