"""Ask questions of cellular automata with SAT solvers."""

__version__ = "0.1.0"
