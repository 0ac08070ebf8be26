"""Engines: everything beside a SAT solver that can answer a question, one folder each."""
