"""The exhaustive engine: every pattern of a small question is simulated.

It is the oldest search of all, and for some questions the quickest.  Where a rule is wild a solver may take a minute
for a torus of 5x4 cells, whose million patterns are simulated in a tenth of a second."""

STRATEGY, SOLVER = "exhaustive", "simulation"
MOST_FREE_CELLS = 26  # free cells: 67 million patterns
