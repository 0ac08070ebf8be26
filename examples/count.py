"""Count without listing: still lifes in boxes, and the parents of a block, by transfer matrix."""

import satlife
from satlife.search.count import count

for size in range(1, 8):
    print(f"{size}x{size}: {count(satlife.still_life((size, size))):,} still lifes")

block = satlife.Pattern.from_rows(["OO", "OO"])
print(f"{count(satlife.predecessor(block, margin=1))} patterns of 4x4 cells become a block")
