"""The SAT engine: clauses, solvers in child processes, and a portfolio of strategies."""

#: The conditions that have no clauses; see `refine`.
REFINED = frozenset({"strict", "tight"})
