"""A process in the background that compiles nothing: it is at work until it is told that this is enough."""

import os
from pathlib import Path

from events import until
from satlife.native import background

if __name__ == "__main__":
    folder = os.environ["FOLDER"]
    before = os.nice(0) if hasattr(os, "nice") else 0
    background.be_modest()
    if hasattr(os, "nice"):  # told at once, since others may change it later
        Path(folder, "nice").write_text(str(os.nice(0) - before))
    with background.working(folder) as tell:
        tell("1 of 1: nothing")
        until(Path(folder, "enough").exists)
