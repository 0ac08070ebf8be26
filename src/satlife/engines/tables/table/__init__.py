"""A table of all states: its plan, its arithmetics, and the steps on the CPU and on a GPU."""
