"""Solvers, each solve in a child process of its own: what it says is checked, and silence is never an answer."""
