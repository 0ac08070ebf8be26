"""List all patterns: the still lifes in 4x4 cells, one of each orbit, and the number of their placements."""

import satlife

listing = satlife.enumerate_all(satlife.still_life((4, 4)), distinct=True)
for found in listing:
    assert found.pattern is not None
    print(f"{found.apgcode:10} {found.pattern.population:2} cells")

assert listing.complete
print(f"{listing.distinct} still lifes, lying in {listing.raw} ways")
