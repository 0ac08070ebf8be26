"""Searches that use no solver: tables of states, filled in by dynamic programming."""
