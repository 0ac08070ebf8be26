"""What all tests need."""

from __future__ import annotations

import signal

# A suite started in the background of a shell ignores Ctrl-C, and so would the programs that it interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
