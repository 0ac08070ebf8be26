"""Predecessors: the fewest cells that become a glider in two generations, with a proof of optimality."""

import satlife

glider = satlife.Pattern.from_rows([".O.", "..O", "OOO"])
best = satlife.optimise(satlife.predecessor(glider, generations=2, margin=1))
assert best.proved
assert best.outcome.pattern is not None

print(f"{best.value} cells are enough, and fewer are not:")
for phase in best.outcome.phases:
    print("\n".join("".join("O" if cell else "." for cell in row) for row in phase), end="\n\n")
