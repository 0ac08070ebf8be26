"""Where everything lies in the arrays of a search, by name; the kernels share these constants.

A limit of -1 is none.
"""

from __future__ import annotations

#: What `run` and `complete` return.
EXHAUSTED, RUNNING, RECOVERED, CROWDED = range(4)
#: Outcomes of a cell; see `kernel`.
AS_BEFORE, DIES, TOUCHED, APART, AVERTED, OUTCOMES = range(6)
#: What the reaction alone would do to a cell: leave it, flip a dead cell, or flip a live one that was given.
LEAVES, FLIPS, DISTURBS, EXPECTATIONS = range(4)
#: Numbers of live neighbours differ by -8 to 8; a key has this difference and whether the cell is a flip.
SHIFT, KEYS = 8, 34

#: Places in `numbers`.
(
    WIDTH, GENERATION, LEVEL, BACKWARD, BRANCHES, EVER, EARLIEST, LATEST, SHORTEST, LONGEST, STABLE, FILTERS,
    MOST_ACTIVE, ACTIVE_WIDTH, ACTIVE_HEIGHT, MOST_EVER, EVER_WIDTH, EVER_HEIGHT, FORBIDDEN, LIMITS, EATEN, PATH,
    FOLLOWED, BASE, BEST, NUMBERS,
) = range(26)  # fmt: skip
#: Places in `limits`: for each of the sets below the most cells, width and height; then those of single cells.
CHANGES, PART_ACTIVE, PART_EVER, PART_CHANGES = range(0, 12, 3)
CELL_WINDOW, CELL_STREAK, CELL_DISTANCE, LIMITS_END = range(12, 16)
#: Places in `span`, the record of each generation: where its flips and its cells to decide begin and end, the first
#: generation that was disturbed, for how long the catalyst has been at rest, when it recovered, its active cells and
#: the box around them, the filters that were met.
(
    FLIP, FLIP_END, CELL, DECIDED, CELL_END, FIRST, REST, BACK, ACTIVE, LEFT, RIGHT, TOP, BOTTOM, DISTURBED, MET, SPAN,
) = range(16)  # fmt: skip
#: Places in `stack`, the record of each branch: its generation and cell, the next choice and where its choices end, and
#: what to go back to.  A search does not go back below the branch at `BASE`.
TIME, PLACE, NEXT, END, MARK, EVERS, E_LEFT, E_RIGHT, E_TOP, E_BOTTOM, BRANCH = range(11)
#: Places in `path`, the branches of a search that goes on: generation, cell, the choice, where those that are left end,
#: and then all choices.
PATH_TIME, PATH_PLACE, PATH_NEXT, PATH_END, PATH_CHOICES = range(5)
EXACT, SOME_TIME = range(2)  # kinds of filters
NO, YES, MAYBE = range(3)
#: Generations that are looked at before a branch is begun.  Six instead of four save 3 % of the branches of `glider`.
AHEAD = 4
