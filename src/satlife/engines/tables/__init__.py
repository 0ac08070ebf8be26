"""Counting, and the best by cells, with a table of all states of a broken profile: exact, in place, on all cores.

`count`, `by_population` and `best` answer one-step questions about boxes, cylinders and tori: still lifes,
predecessors, what vanishes, oscillators of period 2.  `why_not` says why a question is none of them.
"""
