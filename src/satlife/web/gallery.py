"""Worked examples: questions that are answered within seconds, among them those of five programs by Knuth."""

from __future__ import annotations

from functools import cache
from typing import Any, NotRequired, TypedDict

from satlife import data
from satlife.life import formats
from satlife.problem import families
from satlife.problem.cell import DEAD, FREE
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Bound, Problem
from satlife.problem.question import Question


class Call(TypedDict):
    """How a program of Knuth's is called; `rows` are its standard input."""

    program: str
    arguments: list[int]
    rows: list[str]


class Example(TypedDict):
    """A question, what to do with it, and the program of Knuth's that asks the same, if there is one."""

    title: str
    words: str
    problem: dict[str, Any]
    do: str
    certified: NotRequired[bool]
    knuth: NotRequired[Call]


def _example(
    title: str, words: str, asked: Question, do: str = "find", knuth: Call | None = None, certified: bool = False
) -> Example:
    out: Example = {"title": title, "words": words, "problem": asked.to_dict(), "do": do}
    if knuth:
        out["knuth"] = knuth
    if certified:
        out["certified"] = True
    return out


def _knuth(program: str, *arguments: int, rows: list[str] | None = None) -> Call:
    return {"program": program, "arguments": list(arguments), "rows": rows or []}


def _vanishing(width: int, height: int, generations: int, symmetry: tuple[str, ...] = ()) -> Problem:
    """A pattern that is empty after exactly so many generations."""
    dead = ((DEAD,) * width,) * height
    free = ((FREE,) * width,) * height
    return Problem(
        width,
        height,
        periodic=False,
        generations=generations,
        symmetry=symmetry,
        cells=(*(free,) * generations, dead),
        population=(Bound(1, None, generations - 1),),
    )


@cache
def examples() -> list[Example]:
    """The examples, in the order in which the page shows them."""
    life = formats.read(str(data.path("life.cells")))
    return [
        _example(
            "The glider",
            "The smallest spaceship: period 4, one cell down and to the right.",
            families.spaceship((4, 3), 4, (1, 1)),
        ),
        _example(
            "An oscillator of period 3",
            "With all eight symmetries of the square; the solver fills an eighth of the box.",
            families.oscillator((13, 13), 3, symmetry="D8"),
        ),
        _example(
            "LIFE three generations ago",
            "sat-life asks for the past of a pattern. Knuth's example in TAOCP 7.2.2.2 spells LIFE.",
            families.predecessor(life, 3, 1),
            knuth=_knuth("sat-life", 0, rows=["*" * 15] * 7),
        ),
        _example(
            "Alive, and then gone",
            "sat-life-grid follows all patterns of a grid. This one lives for four generations and leaves nothing.",
            _vanishing(6, 6, 4),
            knuth=_knuth("sat-life-grid", 6, 6, 4),
        ),
        _example(
            "A pinwheel that burns out",
            "sat-life-grid90 does the same for patterns that look alike after a quarter turn.",
            _vanishing(8, 8, 5, ("C4",)),
            knuth=_knuth("sat-life-grid90", 8, 8, 5),
        ),
        _example(
            "A pinwheel that turns for ever",
            "sat-life-grid90-cycle asks for oscillators with a quarter turn's symmetry; here of period 4.",
            families.oscillator((12, 12), 4, symmetry="C4"),
            knuth=_knuth("sat-life-grid90-cycle", 12, 12, 4),
        ),
        _example(
            "A spaceship at a third of the speed of light",
            "sat-life-grid-spaceships: one cell up every three generations. In 15 columns there is none.",
            families.spaceship((16, 5), 3, (0, -1)),
            knuth=_knuth("sat-life-grid-spaceships", 5, 16, 3, 1),
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
            "maximize",
        ),
        _example(
            "An eater",
            "A glider comes from the lower left; after the meal everything is as before.",
            families.eater((8, 8), 5),
        ),
        _example(
            "On a torus",
            "What leaves on the right comes back on the left: period 4 on 6x6 cells.",
            families.torus((6, 6), 4),
        ),
        _example(
            "Another universe",
            "The rule need not be given in full: here the solver chooses it along with the ship.",
            families.spaceship((5, 5), 3, (0, -1), rule="pB3/S23"),
        ),
        _example(
            "A ship of any length",
            "Width 12 with mirror symmetry, c/3, row by row: watch the longest partial ship grow.",
            OpenBox(12, 3, (0, -1), symmetry="D2|"),
        ),
    ]
