"""Worked examples: questions that are answered within seconds, among them those of five programs by Knuth."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NotRequired, TypedDict

from satlife import data
from satlife.draw import svg
from satlife.draw.film import film
from satlife.draw.picture import PAGE, of_problem
from satlife.life import formats
from satlife.problem import families
from satlife.problem.cell import DEAD, FREE
from satlife.problem.conditions.population import Bound, Population
from satlife.problem.families import FAMILIES
from satlife.problem.goals import FindCore, FindOne, Goal, Optimise
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Problem
from satlife.problem.question import Need, Question


class KnuthCall(TypedDict):
    """How a program of Knuth's is called; `rows` are its standard input."""

    program: str
    arguments: list[int]
    rows: list[str]


class Example(TypedDict):
    """A question, what to do with it, and the program of Knuth's that asks the same, if there is one."""

    title: str
    words: str
    problem: dict[str, object]
    goal: object
    thumbnail: str  # SVG
    answer: NotRequired[str]  # the pattern of the thumbnail, as RLE; without it the thumbnail shows the question
    certified: NotRequired[bool]
    template: NotRequired[bool]  # whether it is meant to be changed before it is searched
    knuth: NotRequired[KnuthCall]


def _example(
    title: str,
    words: str,
    asked: Question,
    goal: Goal = FindOne(),  # noqa: B008 - it cannot change
    answer: str | None = None,
    knuth: KnuthCall | None = None,
    certified: bool = False,
    template: bool = False,
    generations: int | None = None,
) -> Example:
    """An example; its thumbnail shows the `generations` of the answer, as a rule those of the question."""
    picture = _thumbnail(asked, answer, generations)
    form = goal.to_json_form()
    out: Example = {"title": title, "words": words, "problem": asked.to_dict(), "goal": form, "thumbnail": picture}
    if answer:
        out["answer"] = answer
    if knuth:
        out["knuth"] = knuth
    if certified:
        out["certified"] = True
    if template:
        out["template"] = True
    return out


def _thumbnail(asked: Question, answer: str | None, generations: int | None) -> str:
    """The answer at work, in the colours of the page; or the cells of the question."""
    if answer is None:
        box = asked.in_a_box("a picture")
        return svg.still(of_problem(box, box.last if box.kind == "orphan" else 0, PAGE))
    count = generations or (asked.generations if Need.NO_PERIOD in asked.needs else None)
    return svg.moving(film(formats.parse(answer), count).pictures(PAGE))


def _knuth(program: str, *arguments: int, rows: list[str] | None = None) -> KnuthCall:
    return {"program": program, "arguments": list(arguments), "rows": rows or []}


def _vanishing(width: int, height: int, generations: int, symmetry: tuple[str, ...] = ()) -> Problem:
    """A pattern that is empty after exactly `generations` generations."""
    dead = ((DEAD,) * width,) * height
    free = ((FREE,) * width,) * height
    return Problem(
        width,
        height,
        periodic=False,
        generations=generations,
        symmetry=symmetry,
        cells=(*(free,) * generations, dead),
        conditions=(Population((Bound(1, None, generations - 1),)),),
    )


#: A glider flies towards unknown cells.
GLIDER = """x = 17, y = 12, rule = LifeHistory
5.12B$5.12B$.A3.12B$2.A2.12B$3A2.12B$5.12B$5.12B$5.12B$5.12B$5.12B$5.12B$5.12B!"""


def _templates() -> Iterator[Example]:
    """Questions to begin with: draw something else, and search."""
    yield _example(
        "Eat this glider",
        "Which still life survives the glider, and leaves nothing of it? Draw another pattern, or less room.",
        FAMILIES["catalyst"].ask(text=GLIDER, first_active="0..12", active="0..20", ever_bounds=(4, 4), eaten=True),
        answer="x = 17, y = 12\n2$bo$2bo$3o4$6b2o$6bobo$8bo$8b2o!",
        template=True,
        generations=16,
    )
    yield _example(
        "Complete this rotor",
        "Only the cells that change are given, generation by generation: which still cells does the caterer need?",
        FAMILIES["complete"].ask(pattern=data.path("rotor-caterer.txt").read_text()),
        Optimise(),
        answer="x = 8, y = 6\n2bo$o3b4o$o3bo$o$3bo$b2o!",
        template=True,
    )
    yield _example(
        "Why has this no past?",
        "Whatever surrounds it, no pattern becomes this one. A core says why: a part of it that has no past either.",
        families.orphan(formats.read(str(data.path("orphan-11x9.rle")))),
        FindCore(),
        template=True,
    )


@cache
def examples() -> list[Example]:
    """The examples, in the order in which the page shows them."""
    return [*_worked(), *_templates()]


def _worked() -> list[Example]:
    life = formats.read(str(data.path("life.cells")))
    return [
        _example(
            "The glider",
            "The smallest spaceship: period 4, one cell down and to the right.",
            families.spaceship((4, 3), 4, (1, 1)),
            answer="x = 4, y = 3\nobo$b2o$bo!",
        ),
        _example(
            "An oscillator of period 3",
            "With all eight symmetries of the square; the solver fills an eighth of the box.",
            families.oscillator((13, 13), 3, symmetry="D8"),
            answer="x = 13, y = 13\n$6bo$5b3o$3b3ob3o$3bo5bo$2b2o5b2o$b2o7b2o$2b2o5b2o$3bo5bo$3b3ob3o$5b3o$6bo!",
        ),
        _example(
            "LIFE three generations ago",
            "sat-life asks for the past of a pattern. Knuth's example in TAOCP 7.2.2.2 spells LIFE.",
            families.predecessor(life, 3, 1),
            answer="x = 15, y = 7\n5bo4bo$o2bo2bo2bobobo$ob6o4bo$bo6b2o4bo$obo3b2obo2bobo$2b5o2bo2b2o$2obo2bo4bo!",
            knuth=_knuth("sat-life", 0, rows=["*" * 15] * 7),
        ),
        _example(
            "Alive, and then gone",
            "sat-life-grid follows all patterns of a grid. This one lives for four generations and leaves nothing.",
            _vanishing(6, 6, 4),
            answer="x = 6, y = 6\nb2obo$3obo$2o3bo$bobo$o4bo$o2bo!",
            knuth=_knuth("sat-life-grid", 6, 6, 4),
        ),
        _example(
            "A pinwheel that burns out",
            "sat-life-grid90 does the same for patterns that look alike after a quarter turn.",
            _vanishing(8, 8, 5, ("C4",)),
            answer="x = 8, y = 8\no2b2o2bo$2b4o$bo4bo$2ob2ob2o$2ob2ob2o$bo4bo$2b4o$o2b2o2bo!",
            knuth=_knuth("sat-life-grid90", 8, 8, 5),
        ),
        _example(
            "A pinwheel that turns for ever",
            "sat-life-grid90-cycle asks for oscillators with a quarter turn's symmetry; here of period 4.",
            families.oscillator((12, 12), 4, symmetry="C4"),
            answer="x = 12, y = 12\n"
            "2ob2o2b2ob2o$2obo2bobob2o$4b3obo$4o4bob2o$o3bob2obobo$b2ob3o2bo$"
            "2bo2b3ob2o$obob2obo3bo$2obo4b4o$3bob3o$2obobo2bob2o$2ob2o2b2ob2o!",
            knuth=_knuth("sat-life-grid90-cycle", 12, 12, 4),
        ),
        _example(
            "A spaceship at a third of the speed of light",
            "sat-life-grid-spaceships: one cell up every three generations. In 15 columns there is none. "
            "Knuth's box has one row more, since it contains the last generation, too.",
            families.spaceship((16, 5), 3, (0, -1)),
            answer="x = 16, y = 5\n8bo$b2ob3ob3o$b2o4bo2b2ob2o$o2bob2o3bo2b2o$12bo2bo!",
            knuth=_knuth("sat-life-grid-spaceships", 6, 16, 3, 1),
        ),
        _example(
            "There is none",
            "No oscillator of period 3 fits into 6x6. The certificate can be checked by anybody.",
            families.oscillator((6, 6), 3),
            certified=True,
        ),
        _example(
            "The densest still life",
            "As many live cells as 8x8 can hold without any change: 36, and the proof that 37 are too many.",
            families.still_life((8, 8)),
            Optimise(largest=True),
            answer="x = 8, y = 8\n2ob2ob2o$2ob2ob2o2$2ob2ob2o$2ob2ob2o2$2ob2ob2o$2ob2ob2o!",
        ),
        _example(
            "An eater",
            "A glider comes from the lower left; after the meal everything is as before.",
            families.eater((8, 8), 5),
            answer="x = 9, y = 9\n7bo$5b3o$4bo$4b2o3$3o4b2o$2bo4b2o$bo!",
        ),
        _example(
            "On a torus",
            "What leaves on the right comes back on the left: period 4 on 6x6 cells.",
            families.torus((6, 6), 4),
            answer="x = 6, y = 6, rule = B3/S23:T6,6\n6o$o$2bobo$o$6o!",
        ),
        _example(
            "Another universe",
            "The rule need not be given in full: here the solver chooses it along with the ship.",
            families.spaceship((5, 5), 3, (0, -1), rule="pB3/S23"),
            answer="x = 5, y = 5, rule = B2ein34-aiknrw5-ijy678/S01c234-at5-iq6aei78\nb2o$o3bo$2bo$b4o$obo!",
        ),
        _example(
            "A ship of any length",
            "Width 12 with mirror symmetry, c/3, row by row: watch the longest partial ship grow.",
            OpenBox(12, 3, (0, -1), symmetry="D2|"),
            answer="x = 12, y = 13\n5b2o$b2obo2bob2o$b2o6b2o$bobo4bobo$3b2o2b2o$2b2ob2ob2o$4bo2bo$2bo6bo$2bo6bo2$2b8o$"
            "b2o6b2o!",
        ),
    ]
