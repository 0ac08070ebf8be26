"""A Problem without a family: a mirror-symmetric pattern with a known row that grows from few cells to many."""

import satlife

question = satlife.Problem(
    7,
    7,
    kind="a pattern that grows",
    periodic=False,
    generations=2,
    symmetry=("D2|",),
    cells=satlife.parse_grid("*******\n*******\n*******\n0010100\n*******\n*******\n*******\n"),
).having(population=["<=8", ">=12@2"])
print(question.to_toml())  # the same question for `satlife search FILE`
assert satlife.Problem.from_toml(question.to_toml()) == question

found = satlife.find(question)
assert found.pattern is not None
print(found.pattern.to_rle())
assert found.pattern.population <= 8
assert satlife.advance(found.pattern, 2).population >= 12
