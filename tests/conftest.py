"""What all tests need."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path

# Complete searches are recorded: not in the store of whoever runs the tests.
os.environ.setdefault("SATLIFE_STORE", str(Path(tempfile.mkdtemp(prefix="satlife-test-")) / "store.db"))

# A suite started in the background of a shell ignores Ctrl-C, and so would the programs that it interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
