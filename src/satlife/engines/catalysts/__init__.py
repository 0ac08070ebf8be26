"""Catalysts: a depth-first search for still lifes that survive a reaction."""

SOLVER, STRATEGY = "search", "catalysts"
