"""The exhaustive engine: every pattern of a small question is simulated."""

STRATEGY, SOLVER = "exhaustive", "simulation"
