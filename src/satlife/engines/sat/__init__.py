"""The SAT engine: clauses, solvers in child processes, and a portfolio of strategies."""
