"""A process in the background that compiles nothing: it is at work until it is told that this is enough."""

import os
from pathlib import Path

from events import until
from satlife.native import background

if __name__ == "__main__":
    folder = os.environ["FOLDER"]
    background.be_modest()
    with background.working(folder) as tell:
        tell("1 of 1: nothing")
        until(Path(folder, "enough").exists)
