"""A native search over the cells of a box, depth first with clause learning."""

SOLVER, STRATEGY = "backtracking", "cells"
