"""Known parts through the shell: `--known FILE --at X,Y` and `--from FILE`, in every format of patterns."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from campaign import open_boxes
from campaign.attempt import Attempt
from campaign.automaton import Place
from campaign.brute_force import BruteForce, phases_of
from campaign.drawings import Rows, draw
from campaign.random_questions import plain_rule
from campaign.shell import run_satlife
from satlife.errors import InputError
from satlife.life.pattern import Pattern
from satlife.life.rule import Rule
from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.search.library import enumerate_all

MAX_LISTED = 300
SECONDS = "20"
SIZES = [(w, h) for w in range(1, 6) for h in range(1, 6) if 4 <= w * h <= 12]


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    yield head(rng, folder) if rng.random() < 0.3 else known(rng, folder)


# --known FILE --at X,Y
def known(rng: random.Random, folder: Path) -> Attempt:
    """A part of an answer, or a random one, somewhere in the box: exactly the answers that have it are listed."""
    line, problem = _question(rng)
    width, height = problem.width, problem.height
    answers = BruteForce(problem).answers()
    left, top = rng.randrange(width), rng.randrange(height)
    across, down = rng.randint(1, width - left), rng.randint(1, height - top)
    whole = rng.choice(sorted(answers))[0] if answers and rng.random() < 0.8 else [rng.randrange(2)] * width * height
    unknown = rng.choice([0.0, 0.0, 0.3])
    rows = tuple(
        "".join("?" if rng.random() < unknown else ".O"[whole[y * width + x]] for x in range(left, left + across))
        for y in range(top, top + down)
    )
    drawing = draw(rng, rows, problem.rule.name)
    place = drawing.place or (0, 0)
    at = []
    if rng.random() < 0.7:
        # A format that says only where live cells are leaves out the dead ones around them.
        place = (left, top) if drawing.rows == rows else (min(left, width - 1), min(top, height - 1))
        at = ["--at", f"{place[0]},{place[1]}"]
    file = folder / "part"
    file.write_text(drawing.text)
    line += ["--known", str(file), *at]
    what = f"known part: {' '.join(line)} with {drawing.text!r}"
    fits = place[0] + len(drawing.rows[0]) <= width and place[1] + len(drawing.rows) <= height
    return Attempt(what, _objection(line, _with_part(problem, drawing.rows, place) if fits else None))


def _question(rng: random.Random) -> tuple[list[str], Problem]:
    """A command without known cells, and the question that it should ask."""
    while True:
        rule = plain_rule(rng) if rng.random() < 0.7 else Rule.parse("B3/S23")
        width, height = rng.choice(SIZES)
        period, move = rng.choice([2, 2, 3]), rng.choice([(0, -1), (1, 0), (1, 1), (0, 1), (-1, 0)])
        size, p, d = f"{width}x{height}", ["-p", str(period)], ["-d", f"{move[0]},{move[1]}"]
        kind = rng.choice(["still-life", "oscillator", "spaceship", "torus", "wave"])
        try:
            match kind:
                case "still-life":
                    line, problem = [size], Problem(width, height, rule)
                case "oscillator":
                    line, problem = [size, *p], Problem(width, height, rule, generations=period)
                case "spaceship":
                    line = [size, *p, *d]
                    problem = Problem(width, height, rule, generations=period, displacement=move)
                case "torus":
                    line, problem = [size, *p], Problem(width, height, rule, generations=period, wrap=(True, True))
                case _:
                    line, problem = [size, *p], Problem(width, height, rule, generations=period, wrap=(True, False))
        except InputError:
            continue
        return [kind, *line, "-r", rule.name], problem


def _with_part(problem: Problem, rows: Rows, place: Place) -> Problem:
    """The question with the known cells of generation 0: those of the rows but for `?`, where they lie."""
    words = [["*"] * problem.width for _ in range(problem.height)]
    for y, row in enumerate(rows, place[1]):
        for x, cell in enumerate(row, place[0]):
            words[y][x] = {".": "0", "O": "1", "?": "*"}[cell]
    return replace(problem, cells=(words,))  # type: ignore[arg-type]


def _objection(line: list[str], expected: Problem | None) -> str:
    """What is wrong with the answers of a command; without a question it must say that the part does not fit."""
    asked = run_satlife([*line, "--print-problem", "--json"])
    if expected is None:
        return "" if "does not fit into a box" in asked.message else f"not refused: {asked.message or asked.output}"
    if asked.crash or asked.message:
        return asked.crash or asked.message
    brute = BruteForce(expected)
    answers = brute.answers()
    if len(answers) <= MAX_LISTED:
        listing = enumerate_all(Problem.from_dict(asked.lines[0]))
        found = [brute.key(phases_of(outcome.phases)) for outcome in listing]
        if len(set(found)) < len(found) or set(found) != answers:
            return f"{len(found)} listed instead of {len(answers)}"
    result = run_satlife([*line, "--count-only", "--json", "-q"])
    if result.crash or result.message:
        return result.crash or result.message
    count = result.lines[-1]["count"]
    return "" if count == len(answers) else f"{count} instead of {len(answers)}"


# --from FILE
def head(rng: random.Random, folder: Path) -> Attempt:
    """The first rows of a known ship: a ship with this head must be found, whatever it looks like further behind."""
    while True:
        box, cells = open_boxes.around_a_ship(rng)
        if box.forward:
            break
    law = open_boxes.law_of(box)
    phases = open_boxes.run(dict.fromkeys(cells, 1), law, box.period - 1)
    starts = [t for t in range(box.period) if open_boxes.fits(box, phases, t, law)]
    ship = set(phases[rng.choice(starts)])
    axis, forward = (0 if box.along == "x" else 1), box.forward
    first = max(place[axis] for place in ship) if forward > 0 else min(place[axis] for place in ship)
    length = max(abs(place[axis] - first) for place in ship) + 1
    kept = rng.randint(1, length + box.period)  # dead lines behind the ship may be part of what is known
    front = {place for place in ship if abs(place[axis] - first) < kept}
    last = first + (1 - kept if forward > 0 else kept - 1)
    drawing = draw(rng, _rows(front, {axis: (min(first, last), max(first, last))}), box.rule.name)
    file = folder / "head"
    file.write_text(drawing.text)
    size = f"{box.width}x*" if box.along == "y" else f"*x{box.width}"
    line = ["spaceship", size, "-p", str(box.period), "-d", "{},{}".format(*box.displacement), "-r", box.rule.name]
    line += (["-s", box.symmetry] if box.symmetry else []) + (["--gutter"] if box.gutter else [])
    line += ["--from", str(file), "--json", "-q", "--time", SECONDS, "--jobs", "1"]
    result = run_satlife(line)
    what = f"head: {' '.join(line)} with {drawing.text!r} of {sorted(ship)}"
    if result.crash or result.message:
        return Attempt(what, "" if "head is too short" in result.message else result.crash or result.message)
    if result.code == 3:
        return Attempt(f"{what}: undecided")
    if result.code != 0:
        return Attempt(what, f"exit code {result.code}, but there is the ship itself")
    found = Pattern.parse(result.lines[0]["pattern"]["rle"])
    wrong = open_boxes.ship_objection(box, Find((found.cells,)))
    return Attempt(what, wrong or _head_objection(set(found.points()), front, axis, forward))


def _rows(cells: set[Place], sides: dict[int, Place] | None = None) -> Rows:
    """The rows of the bounding box, or of a box that is given along an axis."""
    box = {axis: (min(p[axis] for p in cells), max(p[axis] for p in cells)) for axis in (0, 1)} | (sides or {})
    across, down = (range(low, high + 1) for low, high in (box[0], box[1]))
    return tuple("".join("O" if (x, y) in cells else "." for x in across) for y in down)


def _head_objection(ship: set[Place], front: set[Place], axis: int, forward: int) -> str:
    """Whether the foremost lines of a ship, as many as the head has up to its last live cell, are this head."""
    lines = max(place[axis] for place in front) - min(place[axis] for place in front) + 1
    first = max(place[axis] for place in ship) if forward > 0 else min(place[axis] for place in ship)
    found = {place for place in ship if abs(place[axis] - first) < lines}
    return "" if _rows(found) == _rows(front) else f"it begins with {_rows(found)} instead of {_rows(front)}"
