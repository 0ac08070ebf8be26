"""SAT solvers in child processes.  Models are checked; a crash, a kill or a time-out is "unknown", never "unsat"."""
