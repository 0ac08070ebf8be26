"""Find a pattern: a spaceship in a box of 4x3 cells that moves by (1, 1) in four generations, the glider."""

import satlife

found = satlife.find(satlife.spaceship((4, 3), period=4, displacement=(1, 1)))
assert found.pattern is not None

print(found.status, found.apgcode)
print(found.pattern.to_rle())

for t, phase in enumerate(found.phases):
    print(f"generation {t}")
    for row in phase:
        print("".join("O" if cell else "." for cell in row))
