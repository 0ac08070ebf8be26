"""What an answer is free to do: be moved, begin at another generation, be mirrored.

Of all answers that are the same but for that, a solver need find only one; so more may be asked of it."""

from __future__ import annotations

from satlife.encode.spacetime import Side, first_lines
from satlife.problem.problem import Problem


def fronts(problem: Problem, sweep: str) -> list[list[Side]]:
    """What an answer may be asked to touch, because it is free to move there: of each of these lists, one side.

    They lie where the sweep begins.  What stays in its place touches a side across as well, unless it is mirrored."""
    start = first_lines(problem, sweep)
    found = [[side] for side in start if moves_freely(problem, side[0])]
    if len(start) == 2 and not found:
        (_, x), (_, y) = start
        return [start] if moves_freely(problem, (1, 1) if x == y else (1, -1)) else []
    if len(start) == 1 and found and shifts_in_time(problem) and mirror(problem, sweep) is None:
        across = start[0][0][::-1]
        return [*found, [(across, 0)]] if moves_freely(problem, across) else found
    return found


def mirror(problem: Problem, sweep: str) -> str | None:
    """The reflection, if there is one, that makes an answer of every answer and keeps the sides where the sweep begins.

    >>> from satlife.problem.families import spaceship
    >>> mirror(spaceship((5, 9), 3, (0, -1)), "short"), mirror(spaceship((9, 5), 3, (0, -1)), "short")
    ('F|', None)
    """
    start = first_lines(problem, sweep)
    if problem.symmetry or problem.has_conditions or problem.rule.is_partial or not problem.rule.is_isotropic:
        return None
    if not start or not all(moves_freely(problem, direction) for direction, _ in start):
        return None
    dx, dy = problem.displacement
    if len(start) == 2:
        if problem.width != problem.height or abs(dx) != abs(dy) or dx == 0:
            return None  # what stays in its place touches one of the sides in generation 0
        return "F\\" if start[0][1] == start[1][1] else "F/"
    by_columns = start[0][0] == (1, 0)
    return None if (dy if by_columns else dx) else "F-" if by_columns else "F|"


def shifts_in_time(problem: Problem) -> bool:
    """Whether an answer that is begun at another of its generations is always an answer.

    Then a front may be asked for in generation 0.  A ship leaves its box; a condition may name a generation."""
    return problem.periodic and problem.displacement == (0, 0) and not problem.has_conditions


def moves_freely(problem: Problem, direction: tuple[int, int]) -> bool:
    """Whether an answer moved in a direction, inside the box, is always an answer.

    Then "the first line is alive in some phase" loses nothing: any pattern can be moved until it touches that side.
    It needs a plane without known cells, and symmetries that do not notice such a move.
    """
    if not problem.periodic or any(problem.cells) or any(problem.wrap):
        return False
    if problem.tight:
        return False  # what is left of a stator need not touch the side
    if problem.rule.births_from_nothing or problem.rule.states > 2 or not problem.nonempty:
        return False  # dying cells reach further than live ones
    x, y = direction
    return all((a * x + b * y, c * x + d * y) == direction for a, b, c, d in (m.matrix for m in problem.motions))
