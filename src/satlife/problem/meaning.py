"""The meaning of a question, in plain sentences: everything that is asked, and nothing else.

Messages, the page and the statements of certificates take their words from here, so that none of them says more or less
than was searched.  Certificates contain the sentences word for word; they must not change within a version of the
format.
"""

from __future__ import annotations

from collections.abc import Iterator

from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Problem
from satlife.problem.question import Question


def properties(question: Question) -> list[str]:
    """The properties that a question requires of a pattern, one sentence each."""
    if isinstance(question, OpenBox):
        return _open(question)
    problem = question.in_a_box("a statement")
    said = [*_rule(problem), *_place(problem), *_motion(problem), *_known(problem), *_conditions(problem)]
    return [sentence if sentence.startswith("  ") else f"* {sentence}" for sentence in said]


def _open(box: OpenBox) -> list[str]:
    dx, dy = box.displacement
    moves = f"It moves by ({dx},{dy}) in {box.period} generations (x to the right, y downward)."
    return [
        f"It follows the rule {box.rule}.",
        _recurs(box.period) if box.stays else moves,
        f"{box.covered().replace('every', 'It is an' if box.stays else 'It is a', 1)}.",
    ]


def _recurs(period: int) -> str:
    return "It does not change." if period == 1 else f"Generation {period} is generation 0, and no earlier one is."


def _rule(problem: Problem) -> Iterator[str]:
    rule = problem.rule
    one = f"one of the rules that {rule} leaves open" if rule.is_partial else f"the rule {rule.unrestricted}"
    yield f"It follows {one}."
    if rule.forbidden:
        yield f"No cell that follows it has, before the step, a neighbourhood that {rule} forbids (after ~)."


def _place(problem: Problem) -> Iterator[str]:
    size = f"{problem.width}x{problem.height}"
    outside = "the background" if problem.rule.births_from_nothing else "dead"
    if all(problem.wrap):
        yield f"It lives on a torus of {size} cells."
    elif any(problem.wrap):
        axis, length = ("x", problem.width) if problem.wrap[0] else ("y", problem.height)
        yield f"It lies in a box of {size} cells and repeats itself along {axis} every {length} cells."
        yield f"Across that direction everything outside is {outside}."
    else:
        last = problem.last - problem.open_end
        which = "Generation 0 lies" if last == 0 else f"Generations 0 to {last} lie"
        yield f"{which} in a box of {size} cells: everything outside is {outside}."
    if any(problem.wrap) and not problem.periodic:
        yield f"Its generations 0 to {problem.last} are looked at."
    if problem.open_end:
        yield f"Of generation {problem.last} only the cells in the box matter."


def _motion(problem: Problem) -> Iterator[str]:
    p, (dx, dy) = problem.generations, problem.displacement
    if problem.periodic and p == 1 and (dx, dy) == (0, 0):
        yield "It does not change."
    elif problem.periodic:
        where = "" if (dx, dy) == (0, 0) else f", moved by ({dx},{dy}) (x to the right, y downward)"
        rolled = problem.moves and any(problem.wrap)
        smaller = "no earlier one is, wherever it has moved" if rolled else "it has no smaller period"
        yield f"Generation {p} is generation 0{where}" + (f", and {smaller}." if problem.exact else ".")
    if problem.symmetry:
        yield f"It has the symmetry {' '.join(problem.symmetry)} about the centre of the box."


def _known(problem: Problem) -> Iterator[str]:
    if not any(problem.cells):
        return
    yield "These cells are given (0, 1, or a name: equal names are equal; * is free):"
    for t, rows in enumerate(problem.cells):
        if rows:
            yield "\n".join([f"  generation {t}", *("    " + " ".join(map(str, row)) for row in rows)])
    if any(cell.freed for rows in problem.cells for row in rows for cell in row):
        yield "Cells marked ' need not follow from the generation before."


def _conditions(problem: Problem) -> Iterator[str]:
    if problem.nonempty:
        yield "Generation 0 is not empty."
    for condition in problem.conditions:
        yield from condition.sentences(problem)
