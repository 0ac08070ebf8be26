"""The SAT engine: clauses, solvers in child processes, and strategies that race."""
