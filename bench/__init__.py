"""Benchmarks.  Every figure is a ratio to something measured in the same run, for machines differ and are shared."""
