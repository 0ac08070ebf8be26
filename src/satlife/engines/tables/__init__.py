"""The table engine: exact counts, and patterns with the most or fewest cells, by dynamic programming over a profile.

This is the transfer-matrix method of statistical mechanics with a broken profile: the table has an entry for every
state of the profile, and is updated in place, cell by cell, on all cores.  `count`, `by_population` and `best` handle
one-step problems on boxes, cylinders and tori: still lifes, predecessors, patterns that vanish, oscillators of
period 2.  `why_not` gives the reason if a problem is none of them.
"""

from satlife.engines.engine import BOXES
from satlife.problem.conditions.population import Population
from satlife.problem.question import Need

#: What a table can handle; of bounds on the population only those on generation 0.
HONOURS = BOXES - {Need.STATES, Need.PARTIAL, Need.FORBIDDEN} | {Population.name}
