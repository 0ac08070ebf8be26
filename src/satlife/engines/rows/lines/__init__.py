"""Oscillators line by line: the kernels, the search, and its units."""
