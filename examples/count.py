"""Count by transfer matrix, without listing: still lifes in boxes, and the parents of a block."""

import satlife

for size in range(1, 8):
    print(f"{size}x{size}: {satlife.count(satlife.still_life((size, size))).value:,} still lifes")

block = satlife.Pattern.from_rows(["OO", "OO"])
print(f"{satlife.count(satlife.predecessor(block, margin=1)).value} patterns of 4x4 cells become a block")
