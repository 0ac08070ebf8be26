"""The studies, as data.

Every figure names its source: `BOOK` is Knuth's text, `PROGRAMS` are the programs that he wrote for it, and `OURS` are
results of this program, for questions to which the book gives no figure that we know.
"""

from __future__ import annotations

import re

from satlife.errors import InputError
from satlife.life.identify import identify
from satlife.life.pattern import Pattern
from satlife.life.simulate import advance, generations
from satlife.problem.outcome import FOUND, NONE, Status
from satlife.taocp.study import CommandOutput, Figure, Study, StudyResult, StudyStep, run

BOOK = "TAOCP 7.2.2.2"
PROGRAMS = "Knuth's programs"
SEQUENCE = "OEIS A196447"
OURS = "ours"


def quotient(total: int, parts: int) -> int | float:
    """total / parts, as an int if it is one."""
    return total / parts if total % parts else total // parts


# Figures that can be read from the output of a command.
def status(expected: Status, source: str) -> Figure:
    return Figure("answer", expected, source, lambda output: output.closing["status"])


def best(what: str, expected: int, source: str) -> Figure:
    return Figure(what, expected, source, lambda output: output.closing["value"])


def count(what: str, expected: int, source: str, more: int = 0, phases: int = 1) -> Figure:
    return Figure(what, expected, source, lambda output: quotient(output.closing["count"], phases) + more)


def variables(expected: int, source: str = PROGRAMS) -> Figure:
    return Figure("variables", expected, source, lambda output: output.closing["variables"])


def clauses(expected: int, source: str = PROGRAMS) -> Figure:
    return Figure("clauses", expected, source, lambda output: output.closing["clauses"])


def cells(expected: int, source: str) -> Figure:
    return Figure("live cells", expected, source, lambda output: output.patterns[0].population, True)


def period(expected: int) -> Figure:
    return Figure("period, by simulation", expected, OURS, lambda output: identify(output.generation(0)).period, True)


def in_common(output: CommandOutput) -> int:
    """How many cells are alive in generations 0 and 1 of a solution."""
    first = output.generation(0)
    return len(set(first.points()) & set(advance(first, 1).points()))


def arrival(output: CommandOutput, r: int) -> int | None:
    """The first generation, up to r, in which the centre of the board of sat-life-upper is alive."""
    run = zip(range(r + 1), generations(output.generation(0)), strict=False)
    return next((t for t, now in run if (r, r) in now.points()), None)


def eats(output: CommandOutput, r: int) -> bool:
    """Whether the still life of sat-life-grid-eater eats a glider that comes from further away, and recovers."""
    still, corner = set(output.generation(r).points()), output.generation(0)
    glider = set(corner.points()) - still
    distance = 5
    start = Pattern.from_points(still | {(x - distance, y + distance) for x, y in glider})
    return bool(still) and set(advance(start, 4 * distance + r).points()) == still


def upper(x0: int, y0: int, *figures: Figure, source: str = OURS) -> StudyStep:
    """A step about the speed of light: the cell (x0, y0) is reached in generation r."""
    r = 2 * (x0 + y0) if x0 > 0 else x0 + 2 * y0
    reached = Figure("generation of arrival, by simulation", r, PROGRAMS, lambda output: arrival(output, r), True)
    return StudyStep(
        f"satlife knuth sat-life-upper {x0} {y0} | satlife solve -", (status(FOUND, source), reached, *figures)
    )


def eater(rows: int, columns: int, r: int, expected: Status, *figures: Figure) -> StudyStep:
    meal = Figure("eats a glider from afar, by simulation", True, OURS, lambda output: eats(output, r), True)
    command = f"satlife knuth sat-life-grid-eater {rows} {columns} {r} | satlife solve -"
    return StudyStep(command, (status(expected, OURS), *([meal] if expected == FOUND else []), *figures))


def rotor(name: str, box: str, period: int, smallest: int) -> StudyStep:
    figure = best(f"cells of the smallest one with the rotor of the {name}", smallest, OURS)
    return StudyStep(f"satlife oscillator {box} -p {period} --known {{rotor-{name}.txt}} --minimize", (figure,))


def period_3(size: int, symmetry: str) -> StudyStep:
    return StudyStep(f"satlife oscillator {size}x{size} -p 3 -s {symmetry}", (status(FOUND, OURS),))


def cycle(program: str, size: int, written: int) -> StudyStep:
    command = f"satlife knuth {program} {size} {size} 3 | satlife solve -"
    return StudyStep(command, (status(FOUND, OURS), clauses(written)))


def mobile(rows: int, columns: int, *figures: Figure) -> StudyStep:
    return StudyStep(
        f"satlife knuth sat-life-grid-cycle {rows} {columns} 2 | cat - {{mobile.sat}} | satlife solve -", figures
    )


def orphan(name: str) -> StudyStep:
    return StudyStep(f"satlife orphan {{{name}}}", (status(NONE, OURS),))


_ALL = (
    Study(
        "life",
        "the word LIFE, three steps back",
        "LIFE stands in a frame of 7x15 cells that is never left. How few live cells can there be three steps before?",
        (
            StudyStep(
                "satlife predecessor {life.cells} -g 3 --population '<=39'",
                (status(FOUND, BOOK), cells(39, BOOK)),
            ),
            StudyStep("satlife predecessor {life.cells} -g 3 --population '<=38'", (status(NONE, BOOK),)),
        ),
        20,
        place="Fig. 35",
    ),
    Study(
        "life-minimum",
        "the same as one question: the smallest start",
        "LIFE in its frame again: the smallest number of live cells three steps before, found and proved in one go.",
        (StudyStep("satlife predecessor {life.cells} -g 3 --minimize", (best("fewest live cells", 39, BOOK),)),),
        12,
        place="Fig. 35",
    ),
    Study(
        "life-4",
        "the word LIFE, four steps back",
        "Can LIFE be traced back four steps within its frame of 7x15 cells?",
        (StudyStep("satlife predecessor {life.cells} -g 4", (status(NONE, BOOK),)),),
        10,
    ),
    Study(
        "still-lifes",
        "still lifes in 4x4",
        "How many still lifes fit into a box of 4x4 cells?",
        (
            StudyStep(
                "satlife still-life 4x4 --count-only",
                (count("still lifes, the empty one included", 83, BOOK, more=1),),
            ),
        ),
        1,
        "The command counts those that are not empty; the book counts the empty one, too.",
    ),
    Study(
        "flipflops",
        "flipflops in 4x4",
        "How many patterns in a box of 4x4 cells come back after two generations, but not after one?",
        (StudyStep("satlife oscillator 4x4 -p 2 --count-only", (count("flipflops", 12, BOOK, phases=2),)),),
        1,
        "The command counts both phases of each.",
    ),
    Study(
        "rotors",
        "the smallest oscillators with a given rotor",
        "The cells that change are given, generation by generation. How few cells does a whole oscillator need?",
        (
            rotor("toad", "6x6", 2, 6),
            rotor("clock", "6x6", 2, 6),
            rotor("caterer", "11x8", 3, 12),
            rotor("jam", "9x9", 3, 13),
            rotor("mold", "8x8", 4, 12),
        ),
        5,
        "The boxes leave one cell around the known oscillators; generation 0 is the smallest phase.",
    ),
    Study(
        "fourfold",
        "period 3 with two mirrors, in 15x15 and 16x16",
        "Is there an oscillator of period 3 that is its own mirror image left-right and up-down?",
        (period_3(15, "D4+"), period_3(16, "D4+"), cycle("sat-life-gridquad-cycle", 15, 14676)),
        8,
        "The last formula has variables for a quarter of the board only; its solution is unfolded.",
    ),
    Study(
        "quarter-turn",
        "period 3 with 90-degree symmetry, in 15x15 and 16x16",
        "Is there an oscillator of period 3 that does not change when it is turned by 90 degrees?",
        (
            period_3(15, "C4"),
            period_3(16, "C4"),
            cycle("sat-life-grid90-cycle", 15, 13006),
            cycle("sat-life-grid90-cycle", 16, 14538),
        ),
        10,
        "The last two formulas have variables for a quarter of the board only; their solutions are unfolded.",
    ),
    Study(
        "mobile",
        "mobile flipflops",
        "Is there a flipflop of which no cell stays alive, so that its two phases have no live cell in common?",
        (
            mobile(7, 8, status(NONE, OURS)),
            mobile(
                8,
                8,
                status(FOUND, OURS),
                period(2),
                Figure("cells alive in both phases, by simulation", 0, OURS, in_common, True),
            ),
        ),
        2,
        "That is how we understand the word; elsewhere such patterns are called phoenixes.",
    ),
    Study(
        "eaters",
        "eaters in 8x8 and in seven rows",
        "Which still life eats a glider that comes from the lower left, and is whole again after so many steps?",
        (
            eater(8, 8, 4, NONE),
            eater(8, 8, 5, FOUND, clauses(26312)),
            eater(7, 9, 5, NONE),
            eater(7, 10, 5, FOUND),
        ),
        5,
        "The program's last number is one more than the length of the meal. Pictures show the glider as well.",
    ),
    Study(
        "spaceship",
        "a spaceship that moves by one cell in three steps",
        "What is the narrowest ship of that speed in five rows, and how few cells can it have?",
        (
            StudyStep("satlife spaceship 15x5 -p 3 -d 0,-1", (status(NONE, OURS),)),
            StudyStep("satlife spaceship 16x5 -p 3 -d 0,-1 --minimize", (best("fewest live cells", 25, OURS),)),
        ),
        8,
        "Exercise 81 of the book is about this ship; we do not have its own words, and the question is ours.",
        place="exercise 81",
    ),
    Study(
        "light-speed",
        "how fast life spreads: f* for small cells",
        "At first there is life only in a quadrant. Is a cell (x,y) beyond it reached as early as light speed allows?",
        (
            upper(0, 1),
            upper(1, 1, variables(467), clauses(1717)),
            upper(1, 2),
            upper(2, 2, clauses(11212)),
            upper(0, 3, clauses(4654)),
            upper(-3, 8, clauses(39510)),
            upper(3, 3, clauses(34714)),
        ),
        4,
        "With x > 0 that is generation 2(x+y), else x+2y.",
    ),
    Study(
        "light-speed-7",
        "the same for the cell (7,7)",
        "The benchmark of the book: 28 steps to the cell (7,7).",
        (upper(7, 7, variables(97909, BOOK), clauses(401836, BOOK), source=BOOK),),
        30,
    ),
    Study(
        "orphans",
        "orphans of 10x10 and 11x9 cells",
        "Can these patterns occur in any generation but the first, whatever surrounds them?",
        (orphan("orphan-10x10.rle"), orphan("orphan-11x9.rle")),
        3,
    ),
    Study(
        "pasts",
        "the 512 pasts of a cell",
        "In how many of its 512 neighbourhoods is a cell alive in the next generation, and in how many dead?",
        (
            StudyStep("satlife orphan {alive.cells} --count-only", (count("alive", 140, SEQUENCE),)),
            StudyStep("satlife orphan {dead.cells} --count-only", (count("dead", 372, SEQUENCE),)),
        ),
        2,
    ),
    Study(
        "clauses",
        "how many clauses say one step of one cell",
        "A step on a torus of 8x8 cells, without auxiliary variables and with Knuth's shared counters.",
        (
            StudyStep(
                "satlife encode search {step.toml} --encoding direct | satlife solve -",
                (
                    Figure(
                        "clauses for a cell, direct", 190, OURS, lambda output: quotient(output.closing["clauses"], 64)
                    ),
                    Figure("variables for a cell", 2, OURS, lambda output: quotient(output.closing["variables"], 64)),
                ),
                picture=False,
            ),
            StudyStep(
                "satlife encode search {step.toml} --encoding tree | satlife solve -",
                (
                    Figure(
                        "clauses for a cell, counted",
                        57 + 5,
                        PROGRAMS,
                        lambda output: quotient(output.closing["clauses"], 64),
                    ),
                    Figure(
                        "auxiliary variables for a cell",
                        13,
                        PROGRAMS,
                        lambda output: quotient(output.closing["variables"], 64) - 2,
                    ),
                ),
                picture=False,
            ),
            StudyStep(
                "satlife knuth sat-life-torus 8 8 1 | satlife solve -",
                (variables(1024), clauses(4032)),
                picture=False,
            ),
        ),
        2,
        "His programs use one more variable and clause a cell, to split the longest clause.",
    ),
)
STUDIES: dict[str, Study] = {study.name: study for study in _ALL}


def named(word: str) -> list[Study]:
    """The studies with a name, or of an exercise (its number) or figure (such as fig35); none if there is none.

    >>> [study.name for study in named("81") + named("Fig.35")], named("82")
    (['spaceship', 'life', 'life-minimum'], [])
    """
    if word in STUDIES:
        return [STUDIES[word]]
    number = re.fullmatch(r"(fig(?:ure)?|ex(?:ercise)?)?\.?\s*(\d{1,3})", word, re.IGNORECASE)
    if not number:
        return []
    place = f"Fig. {number[2]}" if (number[1] or "").lower().startswith("fig") else f"exercise {number[2]}"
    return [study for study in _ALL if study.place == place]


def study(name: str, time: float | None = None) -> StudyResult:
    """Run a study of the book, each of its commands for at most `time` seconds.

    >>> study("still-lifes").verdict
    'agrees'
    """
    if name not in STUDIES:
        raise InputError(f"there is no study {name!r}; there are {', '.join(STUDIES)}")
    return StudyResult(STUDIES[name], tuple(run(step, time, quiet=True) for step in STUDIES[name].steps))
