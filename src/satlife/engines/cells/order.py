"""In which order cells are decided, with which state first, and whether clauses are learned: measured choices."""

from __future__ import annotations

from satlife.problem.problem import Problem

#: How long a side may be, as a multiple of the other, before the lines of a ship go along the short one.  Of 57 random
#: ships in wide boxes those below were answered up to 200 times as fast from the front, most others sideways.  Of 58
#: that move diagonally most below were answered faster by diagonals, and eight of eleven others along the short side.
WIDE = 1.6
#: The same for oscillators that are built from a corner, and the symmetries of which that is so.
SQUARE = 1.25
CORNERED = ((), ("C2",), ("C4",), ("D4x",))
#: The longest period for which backtracking without learning is as fast.
PLAIN = 3


def sweep(problem: Problem) -> str:
    """The order of the cells for a search that breaks symmetries."""
    return "corner" if begins_at_a_corner(problem) else lines(problem)


def lines(problem: Problem) -> str:
    """The order of the cells for a search of all answers.

    A ship is built from its front backward, line by line, which also leaves a mirror to be broken; unless these lines
    are more than `WIDE` times as long as the ship.  One that moves diagonally is built by diagonals, unless one side is
    that much longer than the other.  Otherwise lines go along the short side."""
    (dx, dy), (columns, rows) = problem.displacement, problem.independent
    if dx and dy and max(columns, rows) <= WIDE * min(columns, rows):
        return "diagonals"
    if dy and columns <= WIDE * rows:
        return "rows"
    if dx and rows <= WIDE * columns:
        return "columns"
    return "short"


def begins_at_a_corner(problem: Problem) -> bool:
    """Whether an oscillator is built by diagonals from a corner, and compared with all images that the box allows.

    The first line along a side has all its cells before anything contradicts them; a corner has one, then two, then
    three.  And nothing is moved to a side, so that all eight images of a square are compared instead of the two that
    leave a front where it is: the corner at which the search begins is the lexicographically largest of the four.  For
    a mirror along an axis, which leaves half of each line, and for a single diagonal one, lines are as good or better.
    Where a condition or the rule allows no images, the front is worth more."""
    if problem.moves or problem.conditions or not problem.rule.is_isotropic or any(problem.cells) or any(problem.wrap):
        return False
    near = max(problem.size) <= SQUARE * min(problem.size)
    return near and learns(problem) and problem.symmetry in CORNERED


def learns(problem: Problem) -> bool:
    """Whether clause learning pays: not for oscillators of a short period, which are refuted and found as fast without,
    in less memory."""
    return problem.generations > PLAIN or problem.displacement != (0, 0) or bool(problem.symmetry)


def first_guesses(problem: Problem) -> tuple[str, ...]:
    """The states that are tried first, the more promising one before the other.

    Which of them finds a pattern is a lottery, with a factor of ten and more to win."""
    return ("dead", "alive") if problem.displacement == (0, 0) else ("alive", "dead")
