"""Searches: find one solution, enumerate or count all, optimise.  Every find is simulated before it is shown."""
