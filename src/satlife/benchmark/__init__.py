"""Benchmarks for SAT solvers: families of named formulas, each with its status and the source of that."""
