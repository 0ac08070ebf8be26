"""The normal form of a find: what a race meets first depends on the clock, what is shown should depend on it less.

Of a pattern that consists of independent parts the smallest that is an answer is shown: one glider instead of two.
What recurs is shown in the generation with the fewest cells, and of the images of that one under the symmetries
that the question has, the least is taken.  All this is only for questions whose box merely bounds the pattern; each
candidate is simulated, and must satisfy the question as it was asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from satlife.life.parts import independent_parts, islands
from satlife.life.pattern import TRANSFORMS, Cells, Pattern, fingerprint, transform_cells
from satlife.problem import orbits, orientation
from satlife.problem.nested import bounds_only, recurring
from satlife.problem.outcome import Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Place, Question
from satlife.problem.symmetry import apply

MOST = 20  # islands of a pattern that is taken apart; the ways to do so grow exponentially
LARGEST = 2000  # live cells of a pattern whose images are compared


def normal(question: Question, found: Outcome) -> Outcome:
    """A find in normal form; what has none, and what is no find, stays as it is.

    >>> from satlife.problem.families import still_life
    >>> from satlife.problem.outcome import FOUND
    >>> asked, two = still_life((5, 2)), Pattern.from_rows(["OO.OO", "OO.OO"])
    >>> normal(asked, Outcome(asked, FOUND, (two.cells,))).apgcode
    'xs4_33'
    """
    if not found or not bounds_only(question) or not found.problem.is_simple or any(found.problem.cells):
        return found
    if sum(int(cells.sum()) for cells in found.phases) > LARGEST * len(found.phases):
        return found
    while smaller := _smallest_part(question, found):
        found = smaller
    starts = (Pattern(cells, rule=found.final_rule) for _, _, cells in sorted(_images(found), key=lambda one: one[:2]))
    return next((image for start in starts if (image := _as_answer(question, found, start))), found)


def is_mere_sum(question: Question, found: Outcome) -> bool:
    """Whether a find consists of independent parts of which none is an answer, as periods 2 and 3 side by side recur
    with period 6."""
    return bool(_parts(found)) and _smallest_part(question, found) is None


def _parts(found: Outcome) -> list[list[Cells]]:
    if not found.problem.is_simple or max(int(islands(cells).max(initial=0)) for cells in found.phases) > MOST:
        return []
    return independent_parts(found.phases, found.final_rule, found.problem.displacement) or []


def _smallest_part(question: Question, found: Outcome) -> Outcome | None:
    """The smallest of the independent parts of a find that are answers, if there is one."""
    answers = [_as_answer(question, found, Pattern(part[0], rule=found.final_rule)) for part in _parts(found)]
    return min((answer for answer in answers if answer), key=_size, default=None)


def _size(found: Outcome) -> tuple[int, bytes]:
    return min((int(cells.sum()), fingerprint(cells)) for cells in found.phases)


def _images(found: Outcome) -> Iterator[tuple[int, bytes, Cells]]:
    """Every generation of a find, turned so that it moves as before: its live cells, a key, and the cells."""
    problem = found.problem
    for name in orientation.transforms(problem):
        if apply(TRANSFORMS[name], problem.displacement) == problem.displacement:
            for cells in orbits.starts(problem, found.phases):
                image = transform_cells(cells, name)
                yield int(image.sum()), fingerprint(image), image


def _as_answer(question: Question, found: Outcome, start: Pattern) -> Outcome | None:
    """What a pattern becomes, as an answer in place of the find; None if it is none."""
    like = found.problem

    def in_box(width: int, height: int) -> Problem:
        return replace(like, width=width, height=height, symmetry=())

    asked = question if question.place is Place.ANYWHERE else question.every(like.generations // question.generations)
    answer = recurring(asked, start, like, in_box)
    return answer and replace(found, question=answer.question, phases=answer.phases)
