"""The meaning of a question, in plain sentences: everything that is asked, and nothing else.

Messages, the page and the statements of certificates take their words from here, so that none of them says more or less
than was searched.  Certificates contain the sentences word for word; they must not change within a version of the
format.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from satlife.errors import counted
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, Rule
from satlife.problem.command import recognise
from satlife.problem.families import FAMILIES
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Problem
from satlife.problem.question import Need, Place, Question
from satlife.problem.velocity import Velocity


def properties(question: Question) -> list[str]:
    """The properties that a question requires of a pattern, one sentence each."""
    if question.strip:
        return _open(question.strip)
    problem = question.in_a_box("a statement")
    said = [*_rule(problem), *_place(problem), *_motion(problem), *_known(problem), *_conditions(problem)]
    return [sentence if sentence.startswith("  ") else f"* {sentence}" for sentence in said]


def _open(box: OpenBox) -> list[str]:
    dx, dy = box.displacement
    moves = f"It moves by ({dx},{dy}) in {box.period} generations (x to the right, y downward)."
    said = [f"It follows the rule {box.rule}.", *_forbidden(box.rule), _recurs(box.period) if box.stays else moves]
    if box.heads:
        begins = "In generation 0 it begins so, but for the last rows, which may change with what is behind:"
        said.append("\n    or\n".join([begins + "\n" + _drawn(box.heads[0]), *map(_drawn, box.heads[1:])]))
    return [*said, f"It is {'an' if box.stays else 'a'} {box.noun} {' '.join(_lies(box))}."]


def _drawn(head: str) -> str:
    rows = Pattern.from_rle(head).cells.tolist()
    return "\n".join("    " + "".join(".O"[state] for state in row) for row in rows)


def _recurs(period: int) -> str:
    return "It does not change." if period == 1 else f"Generation {period} is generation 0, and no earlier one is."


def _rule(problem: Problem) -> Iterator[str]:
    rule = problem.rule
    one = f"one of the rules that {rule} leaves open" if rule.is_partial else f"the rule {rule.unrestricted}"
    yield f"It follows {one}."
    yield from _forbidden(rule)


def _forbidden(rule: Rule) -> Iterator[str]:
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
        yield f"It has the symmetry {' '.join(problem.symmetry)} about {_centre(problem)}."


def _centre(problem: Problem) -> str:
    sizes = [f"{part.width}x{part.height}" for part in problem.by_centre]
    if len(sizes) == 1:
        return "the centre of the box"
    return f"the centre of a box of {', '.join(sizes[:-1])} or {sizes[-1]} cells that lies in it"


def _known(problem: Problem) -> Iterator[str]:
    if not any(problem.cells):
        return
    yield "These cells are given (0, 1, or a name: equal names are equal; * is free):"
    for t, rows in enumerate(problem.cells):
        if rows:
            yield "\n".join([f"  generation {t}", *("    " + " ".join(map(str, row)) for row in rows)])
    if any(cell.negated for rows in problem.cells for row in rows for cell in row):
        yield "A name after - is the opposite of the name: such a cell is alive where those of the name are not."
    if any(cell.freed for rows in problem.cells for row in rows for cell in row):
        yield "Cells marked ' need not follow from the generation before."


def _conditions(problem: Problem) -> Iterator[str]:
    if problem.nonempty:
        yield "Generation 0 is not empty."
    for condition in problem.conditions:
        yield from condition.sentences(problem)


# In a line.
def brief(question: Question, periods: Sequence[int] = (), *, found: bool = False) -> str:
    """Everything that is asked, in a line: what is sought and where, how it recurs or how long it is followed, the rule
    unless it is Life, and what else is required; of cells and patterns that are given only that they are.

    Of ships at a speed it may be said for some `periods`.  Of a symmetry it is said where its centre lies, if that is
    not the only place in which it may; what was `found` shows it.

    >>> from satlife.problem.families import open_spaceship, spaceship
    >>> brief(spaceship((16, 5), 3, (0, -1), rule="B36/S23", symmetry="D2v", population="<=20"))
    'spaceship in 16x5, period 3, moving by (0,-1), rule B36/S23, symmetry D2| about any centre, population <=20'
    >>> brief(open_spaceship(6, speed="c/2")), brief(spaceship((6, 6), speed="c/2"), [2, 4])
    ('spaceship in 6x*, at c/2, period 2 or a multiple', 'spaceship in 6x6, at c/2, period 2 or 4')
    """
    family = FAMILIES.get(question.kind)
    if family and family.title and (recognised := recognise(question)):
        return ", ".join([family.title(recognised[1])[0], *_required(question, found)])
    return ", ".join([_sought(question, found), *_recurring(question, periods), *_required(question, found)])


def _sought(question: Question, found: bool) -> str:
    width, height = (side or "*" for side in question.size)
    kind = question.kind
    if kind == "complete":
        kind = "completion"
    if kind == "orphan":
        kind = "a predecessor, so no orphan," if found else "predecessor"
    if question.place is Place.AROUND:
        return f"{kind} of any size"
    return f"{kind} in {width}x{height}" if any(question.size) else f"{kind} of any size"


def _recurring(question: Question, periods: Sequence[int]) -> Iterator[str]:
    (dx, dy), count = question.displacement, question.generations
    if Need.NO_PERIOD in question.needs:
        yield counted(count, "generation")
    elif question.multiples or periods:
        yield f"at {Velocity((dx, dy), count)}"
        *others, last = map(str, periods or (count, "a multiple"))
        yield f"period {' or '.join(filter(None, (', '.join(others), last)))}"
    else:
        yield f"period {count}" + (" or a divisor of it" if Need.ANY_PERIOD in question.needs else "")
        if (dx, dy) != (0, 0):
            yield f"moving by ({dx},{dy})"


def _required(question: Question, found: bool) -> Iterator[str]:
    if question.rule != LIFE:
        yield f"rule {question.rule}"
    if question.symmetries:
        named = f"symmetry {' '.join(question.symmetries)}" + " with a gutter" * question.has_gutter
        yield named + ("" if found else _about(question))
    axes = [axis for axis, wrapped in zip("xy", question.wrap, strict=True) if wrapped]
    if len(axes) != ROLLED.get(question.kind, 0):
        yield f"wrapping around along {' and '.join(axes)}"
    family = FAMILIES.get(question.kind)
    if family is None or not family.reads_patterns:
        yield from (words for need, words in SAID.items() if need in question.needs)
    for condition in question.conditions:
        said = condition.arguments()
        if not (family and condition.name in family.itself):
            yield " ".join(said).replace("--", "") if said else f"with {condition.words}"


def _about(question: Question) -> str:
    """Where the centre of its symmetry lies, if it might lie elsewhere."""
    if question.place is Place.AROUND:
        return " about the middle of the given cells"
    problem = question.box
    if problem is None:
        return ""
    if not problem.centred:
        return " about any centre"
    return " about the middle of the box" if replace(problem, conditions=(), cells=()).has_other_centres else ""


#: Along how many axes the patterns of a family wrap around.
ROLLED = {"torus": 2, "wave": 1}
#: What else a question may ask, if it is not what its family is about.
SAID = {
    Need.KNOWN: "with given cells",
    Need.FREED: "of which some need not follow the rule",
    Need.HEADS: "with a given head",
    Need.OPEN_END: "the last generation only in the box",
    Need.EMPTY: "possibly empty",
}


def covered(box: OpenBox) -> str:
    """The patterns that a complete search of an open box covers.

    >>> from satlife.problem.families import open_spaceship
    >>> covered(open_spaceship(3, 4, (0, -1), symmetry="D2v"))
    'every ship of period 4 that moves by (0,-1), is at most 3 columns wide and has its mirror on one of them'
    """
    (dx, dy), (whose, lies) = box.displacement, _lies(box)
    moves = "" if box.stays else f" that moves by ({dx},{dy})"
    moves += "" if box.rule == LIFE else f" in {box.rule}"
    which = f"every {box.noun} of period {box.period}{_headed(len(box.heads))}{moves}"
    ship = " and whose" if whose == "whose" else " and" if box.wave else ","
    return which + (f" {whose}" if box.stays else ship) + f" {lies}"


def _lies(box: OpenBox) -> tuple[str, str]:
    """How an open box bounds its patterns: the pronoun and the rest of a relative clause."""
    line, mirror = "columns" if box.along == "y" else "rows", MIRRORS[box.mirror]
    if box.wave:
        return "that", f"repeats itself every {box.width} {line}" + f", mirrored {mirror}" * bool(mirror)
    if mirror:
        return "that", f"is at most {box.width} {line} wide and has its mirror {mirror}"
    window = f"a window of {box.width} {line} that moves along with it" if box.aside else f"{box.width} {line}"
    return "whose", f"phases all lie in {window}"


MIRRORS = {
    "none": "",
    "even": "between two of them",
    "odd": "on one of them",
    "gutter": "on one of them, which is dead",
}


def _headed(heads: int) -> str:
    return "" if not heads else " with this head" if heads == 1 else f" with one of these {heads} heads"
