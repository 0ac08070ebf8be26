"""All answers of a small question by brute force, written from the definition of a Problem.

It follows docs/reference/problem.md, grid.md and symmetries.md, on top of the plain simulation in `automaton`; it does
not use satlife's encoder, verifier or simulation.  An answer is its generations 0 .. last, cell by cell.  Each is what
the one before becomes, except where a cell is freed from the rule (`'`).  Cells written `*'` in the last generation of
a question without a period may become anything: they do not tell two answers apart, and are -1 in a key.  They are not
invented, though: conditions and measures see what they really become.

A partial rule leaves transitions open.  An answer is one in some decided rule R that it allows: R is the same in all
generations, and whether the answer is strict and tight is judged in R, tightness by comparison with all answers in R.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from campaign.automaton import BLOCK, Box, Choices, Law, Place, evolve, law
from satlife.problem.conditions.cube import assumed
from satlife.problem.conditions.differ import pairs
from satlife.problem.conditions.exclude import patterns
from satlife.problem.conditions.population import bounds
from satlife.problem.conditions.ties import Ties
from satlife.problem.conditions.touching import Touching
from satlife.problem.problem import Problem

Phase = tuple[int, ...]  # the states of a box, row after row
Answer = tuple[Phase, ...]
Motion = tuple[tuple[int, int, int, int], Place, int]  # matrix, shift, generations
Names = dict[str, int]  # the states of named cells; `a` and `-a` are two names
_NAME = re.compile(r"(-?)([A-Za-z_]\w*)'?")

#: (x, y) -> (ax + by, cx + dy), y downward.
TURNS = {
    "I": (1, 0, 0, 1), "R90": (0, -1, 1, 0), "R180": (-1, 0, 0, -1), "R270": (0, 1, -1, 0),
    "F|": (-1, 0, 0, 1), "F-": (1, 0, 0, -1), "F\\": (0, 1, 1, 0), "F/": (0, -1, -1, 0),
}  # fmt: skip
GROUPS = {
    "C1": [], "C2": ["R180"], "C4": ["R90"], "D2-": ["F-"], "D2|": ["F|"], "D2/": ["F/"], "D2\\": ["F\\"],
    "D4+": ["F|", "F-"], "D4x": ["F/", "F\\"], "D8": ["R90", "F|"],
}  # fmt: skip
HALF = ("I", "R180", "F|", "F-")


def rule_of(problem: Problem) -> Law:
    return law(problem.rule.name, problem.rule.table, problem.rule.states)


def phases_of(phases: Iterable[Any]) -> Answer:
    """The arrays of an outcome as an Answer."""
    return tuple(tuple(int(state) for state in phase.ravel()) for phase in phases)


class BruteForce:
    """The answers of a question, found by trying all patterns."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.law = rule_of(problem)
        self.box = Box(problem.width, problem.height, problem.wrap, self.law)
        self.words = [
            [str(cell) for row in rows for cell in row] if rows else None
            for rows in itertools.islice(itertools.chain(problem.cells, itertools.repeat(())), problem.last + 1)
        ]
        self.motions = [motion for name in problem.symmetry for motion in motions(problem, name)]
        self.whole: set[Answer] = set()  # all answers with all their cells, after `answers`
        self.unwanted = {shape for text in patterns(problem) for shape in self._shapes(text)}

    def key(self, answer: Answer) -> Answer:
        """The answer with the cells that do not count set to -1."""
        hidden = (self._does_not_count(len(answer) - 1, number) for number in range(len(answer[-1])))
        last = tuple(-1 if hide else state for hide, state in zip(hidden, answer[-1], strict=True))
        return (*answer[:-1], last)

    def _does_not_count(self, t: int, number: int) -> bool:
        """Whether a cell may become anything: `*'` in the last of several generations."""
        words = self.words[t]
        return not self.problem.periodic and t == self.problem.last and words is not None and words[number] == "*'"

    def answers(self) -> set[Answer]:
        """Every answer, by its key."""
        runs = [(answer, choices) for answer, choices in self._runs() if self._is_wanted(answer)]
        self.whole = {answer for answer, _ in runs}
        if {"strict", "tight"} & self.problem.needs:
            self.whole = {answer for chosen in self._decisions() for answer in self._in_rule(chosen, runs)}
        return {self.key(answer) for answer in self.whole}

    def _decisions(self) -> Iterator[Choices]:
        """Every choice of all open transitions; a whole rule has one, the empty choice."""
        classes = sorted(set(self.law.table) - {0, 1})
        for values in itertools.product((0, 1), repeat=len(classes)):
            yield dict(zip(classes, values, strict=True))

    def _in_rule(self, chosen: Choices, runs: list[tuple[Answer, Choices]]) -> set[Answer]:
        """The answers in a decided rule, of which `runs` may leave transitions open that they do not need."""
        decided = Law(bytes(chosen.get(entry, entry) for entry in self.law.table), self.law.states)
        found = {answer for answer, choices in runs if choices.items() <= chosen.items()}
        if "strict" in self.problem.needs:
            found = {answer for answer in found if not self._falls_apart(answer, decided)}
        return self._tight(found) if "tight" in self.problem.needs else found

    # Sequences of generations.
    def _runs(self) -> Iterator[tuple[Answer, Choices]]:
        """Sequences that follow the rule, each with the open transitions that it needs."""
        for start, names in self._fillings(0, {}, {}):
            if self._may_begin(start):
                yield from self._continue((start,), {}, names)

    def _may_begin(self, start: Phase) -> bool:
        """The conditions that generation 0 alone decides, checked first to save time."""
        if self.problem.nonempty and not any(start):
            return False
        return all(self._agree(motion, start, start, 0, 0) for motion in self.motions if motion[2] == 0)

    def _continue(self, phases: Answer, choices: Choices, names: Names) -> Iterator[tuple[Answer, Choices]]:
        """All continuations that follow the rule and agree with the known cells."""
        problem, t = self.problem, len(phases)
        if problem.rule.forbidden and self._meets_what_is_forbidden(phases[-1], t):
            return
        for frame, chosen in self.box.step(phases[-1], t - 1, choices):
            if t > problem.last:
                if self._closes(phases[0], frame, t):
                    yield phases, chosen
                continue
            if not (problem.open_end and t == problem.last) and not self._is_empty_outside(frame, t):
                continue
            inside = {place: state for place, state in frame.items() if place in self.box.inside}
            for following, known in self._fillings(t, inside, names):
                if t == problem.last and not problem.periodic:
                    yield (*phases, following), chosen
                else:
                    yield from self._continue((*phases, following), chosen, known)

    def _fillings(self, t: int, stepped: dict[Place, int], names: Names) -> Iterator[tuple[Phase, Names]]:
        """Every generation t that agrees with the known cells; cells that are not freed follow from the step before."""
        words, width = self.words[t], self.problem.width
        options: list[Sequence[int]] = []
        for number in range(width * self.problem.height):
            word = words[number] if words else "*"
            freed = word.endswith("'") and not self._does_not_count(t, number)
            place = (number % width, number // width)
            possible: Sequence[int] = range(self.law.states) if freed or place not in stepped else (stepped[place],)
            plain = word.removesuffix("'")
            if plain.isdigit():
                possible = [state for state in possible if state == int(plain)]
            options.append(possible)
        if words is None:
            yield from ((phase, names) for phase in itertools.product(*options))
        else:
            yield from self._named((), options, words, names)

    def _named(
        self, done: Phase, options: list[Sequence[int]], words: list[str], names: Names
    ) -> Iterator[tuple[Phase, Names]]:
        """The product of all options, without those in which cells of the same name disagree."""
        number = len(done)
        if number == len(options):
            yield done, names
            return
        found = _NAME.fullmatch(words[number])
        for state in options[number]:
            known = names
            if found:
                name, opposite = found[1] + found[2], ("" if found[1] else "-") + found[2]
                if names.get(name, state) != state or (opposite in names and (names[opposite] == 1) == (state == 1)):
                    continue
                known = {**names, name: state}
            yield from self._named((*done, state), options, words, known)

    def _meets_what_is_forbidden(self, phase: Phase, t: int) -> bool:
        """Whether a cell of generation t comes from a forbidden neighbourhood, as only freed ones may, and those
        outside the box where the end is open."""
        words = self.words[t] if t <= self.problem.last else None
        for place, block in zip(self.box.frame, self.box.blocks(phase, t - 1), strict=True):
            if block in self.problem.rule.forbidden:
                inside = place in self.box.inside
                freed = inside and words is not None and words[place[1] * self.problem.width + place[0]].endswith("'")
                if not freed and (inside or not (self.problem.open_end and t == self.problem.last)):
                    return True
        return False

    def _is_empty_outside(self, frame: dict[Place, int], t: int) -> bool:
        background = self.law.background(t)
        return all(state == background for place, state in frame.items() if place not in self.box.inside)

    def _closes(self, start: Phase, frame: dict[Place, int], t: int) -> bool:
        """Whether generation `period` is generation 0, moved."""
        background = self.law.background(t)
        reached = {place: state for place, state in frame.items() if state != background}
        return reached == self._placed(start, self.problem.displacement)

    def _placed(self, phase: Phase, move: Place = (0, 0), t: int = 0) -> dict[Place, int]:
        """The cells of a phase that differ from the background, moved."""
        problem, found = self.problem, {}
        for number, state in enumerate(phase):
            if state != self.law.background(t):
                x, y = number % problem.width + move[0], number // problem.width + move[1]
                found[x % problem.width if problem.wrap[0] else x, y % problem.height if problem.wrap[1] else y] = state
        return found

    # The other conditions.
    def _is_wanted(self, answer: Answer) -> bool:
        problem = self.problem
        if problem.nonempty and not any(answer[0]):
            return False
        for bound in bounds(problem):
            count = answer[bound.time].count(1)
            if not (bound.low or 0) <= count <= (math.inf if bound.high is None else bound.high):
                return False
        if any(answer[a] == answer[b] for a, b in pairs(problem)):
            return False
        if any((answer[t][y * problem.width + x] == 1) != alive for x, y, t, alive in assumed(problem)):
            return False
        if not self._touches(answer):
            return False
        if not self._is_tied(answer):
            return False
        if problem.periodic and problem.exact and self._has_smaller_period(answer):
            return False
        if not all(self._has(motion, answer) for motion in self.motions):
            return False
        return not self.unwanted or shape(problem, self._placed(answer[0])) not in self.unwanted

    def _touches(self, answer: Answer) -> bool:
        """Whether every side that is asked for has, in some generation, a cell unlike the background."""
        condition, (width, height) = self.problem.get(Touching), (self.problem.width, self.problem.height)
        used = {place for t, phase in enumerate(answer) for place in self._placed(phase, t=t)}
        sides = {
            "left": any(x == 0 for x, _ in used),
            "right": any(x == width - 1 for x, _ in used),
            "upper": any(y == 0 for _, y in used),
            "lower": any(y == height - 1 for _, y in used),
        }
        return all(sides[side] for side in condition.to_json()) if condition else True

    def _is_tied(self, answer: Answer) -> bool:
        """Whether the ties between names hold, read from their text."""
        condition = self.problem.get(Ties)
        if condition is None:
            return True
        value = {}
        for words, phase in zip(self.words, answer, strict=True):
            for word, state in zip(words or (), phase, strict=bool(words)):
                if found := _NAME.fullmatch(word):
                    value[found[2]] = int((state == 1) != bool(found[1]))
        return all(_holds(text, value) for text in condition.to_json())

    def _has_smaller_period(self, answer: Answer) -> bool:
        """Whether an earlier generation equals generation 0, moved by the corresponding part of the displacement.

        Around a torus several translations are possible.
        """
        problem, p = self.problem, self.problem.generations
        sides = list(zip(problem.displacement, (problem.width, problem.height), problem.wrap, strict=True))
        moves = any(d % n if wrapped else d for d, n, wrapped in sides)
        for q in range(1, p):
            if p % q or (self.law.blinks and q % 2):
                continue
            shares: list[Sequence[int]] = []
            for d, n, wrapped in sides:
                share = Fraction(d * q, p)
                shares.append(
                    [0] if not moves else range(n) if wrapped else [int(share)] if share.denominator == 1 else []
                )
            later = self._placed(answer[q], t=q)
            if any(self._placed(answer[0], move) == later for move in itertools.product(*shares)):  # type: ignore[arg-type]
                return True
        return False

    def _has(self, motion: Motion, answer: Answer) -> bool:
        """Whether the answer has a space-time symmetry."""
        problem, (_, _, time) = self.problem, motion
        for t in range(problem.last + 1):
            turns, later = divmod(t + time, problem.generations) if problem.periodic else (0, t + time)
            if later <= problem.last and not self._agree(motion, answer[t], answer[later], t, later, turns):
                return False
        return True

    def _agree(self, motion: Motion, now: Phase, later: Phase, t: int, u: int, turns: int = 0) -> bool:
        """Whether generation u, `turns` periods later, is the image of generation t."""
        problem, ((a, b, c, d), shift, _) = self.problem, motion
        image = {}
        for (x, y), state in self._placed(now, t=t).items():
            to_x = a * x + b * y + shift[0] - turns * problem.displacement[0]
            to_y = c * x + d * y + shift[1] - turns * problem.displacement[1]
            to_x = to_x % problem.width if problem.wrap[0] else to_x
            to_y = to_y % problem.height if problem.wrap[1] else to_y
            image[to_x, to_y] = state
        return image == self._placed(later, t=u)

    def _shapes(self, text: str) -> Iterator[Any]:
        """The excluded forms of generation 0: a pattern in every phase and orientation."""
        problem = self.problem
        drawn = read_rle(text)
        around = (problem.width * problem.wrap[0], problem.height * problem.wrap[1])
        for turn in TURNS if self.law.is_isotropic() else ("I",):
            cells = turned(drawn, turn)
            sizes = [max(place[i] for place in cells) - min(place[i] for place in cells) + 1 for i in (0, 1)]
            if any(0 < side < size for side, size in zip(around, sizes, strict=True)):
                continue  # it does not fit
            left, top = min(x for x, _ in cells), min(y for _, y in cells)
            cells = {(x - left, y - top): state for (x, y), state in cells.items()}
            phases = [cells]
            for t in range(problem.generations if problem.periodic and problem.generations > 1 else 0):
                phases.append(evolve(phases[-1], self.law, t, around))
            shapes = [shape(problem, cells) for cells in phases]
            if shapes[-1] == shapes[0]:
                yield from shapes[:: 2 if self.law.blinks else 1]  # every other generation has another background
            else:  # it is not periodic, and what it becomes is another pattern
                yield shapes[0]

    def _falls_apart(self, answer: Answer, law: Law) -> bool:
        """Whether the pattern is the sum of two parts that evolve independently (not strict)."""
        (dx, dy), p = self.problem.displacement, self.problem.generations
        whole = [set(self._placed(phase)) for phase in answer]
        whole += [{(x + dx, y + dy) for x, y in points} for points in whole]
        for start in range(p):
            first, *others = islands(whole[start]) or [set()]
            for mask in itertools.product((0, 1), repeat=len(others)):
                part = set(first).union(*(island for island, mine in zip(others, mask, strict=True) if mine))
                if part == whole[start]:
                    continue
                if self._run_apart(whole[start : start + p + 1], part, whole[start] - part, law):
                    return True
        return False

    def _run_apart(self, whole: list[set[Place]], part: set[Place], rest: set[Place], law: Law) -> bool:
        dx, dy = self.problem.displacement
        one, other = dict.fromkeys(part, 1), dict.fromkeys(rest, 1)
        for t, expected in enumerate(whole):
            if one.keys() & other.keys() or one.keys() | other.keys() != expected:
                return False
            if t + 1 < len(whole):
                one, other = evolve(one, law, t), evolve(other, law, t)
        return one.keys() == {(x + dx, y + dy) for x, y in part}

    @staticmethod
    def _tight(answers: set[Answer]) -> set[Answer]:
        """The answers whose stator is minimal among those with the same rotor."""

        def parts(answer: Answer) -> tuple[Any, frozenset[int]]:
            cells = list(zip(*answer, strict=True))
            rotor = frozenset((n, states) for n, states in enumerate(cells) if len(set(states)) > 1)
            return rotor, frozenset(n for n, states in enumerate(cells) if set(states) == {1})

        split = {answer: parts(answer) for answer in answers}
        return {
            answer
            for answer, (rotor, stator) in split.items()
            if not any(other == rotor and less < stator for other, less in split.values())
        }

    # Orbits.
    def orbit(self, answer: Answer) -> Any:
        """A key that is equal for answers that are equal up to rotation, reflection, translation and phase.

        With known cells, or without a period, nothing but the answer itself does.  In a rule with open transitions
        generation 0 does not decide the others, and all of them are compared.
        """
        problem = self.problem
        if not problem.periodic or any(problem.cells):
            return answer
        turns: Iterable[str] = TURNS
        if not self.law.is_isotropic():
            turns = ("I",)
        elif any(problem.wrap) and (not all(problem.wrap) or problem.width != problem.height):
            turns = HALF
        starts = 1 if self.law.blinks else len(answer)
        length = len(answer) if problem.rule.is_partial else 1
        return min(self._solid(answer, start, length, turn) for start in range(starts) for turn in turns)

    def _solid(self, answer: Answer, start: int, length: int, turn: str) -> Any:
        """`length` generations of a periodic answer from `start` on, rotated or reflected, up to a common translation.

        They form a solid in space-time: each cell carries the number of its generation.
        """
        cells: list[tuple[int, int, Any]] = []
        for number in range(length):
            turns, t = divmod(start + number, len(answer))
            move = (turns * self.problem.displacement[0], turns * self.problem.displacement[1])
            placed = turned(self._placed(answer[t], move, start + number), turn)
            cells += [(x, y, (number, state)) for (x, y), state in placed.items()]
        return anywhere(self.problem, cells)


def _holds(tie: str, value: dict[str, int]) -> bool:
    """Whether a tie such as `a + b <= 2` holds."""
    left, relation, right = re.split(r"\s(\S*[=<>])\s", tie)
    first, second = (
        sum(value[term] if term in value else int(term) for term in side.split(" + ")) for side in (left, right)
    )
    allowed = {"=": [0], "!=": [-1, 1], "<": [-1], "<=": [-1, 0], ">": [1], ">=": [0, 1]}[relation]
    return (first > second) - (first < second) in allowed


def motions(problem: Problem, name: str) -> list[Motion]:
    """The maps of space-time that a symmetry stands for: matrix, shift, generations."""
    found = []
    for part in GROUPS.get(name, [name]):
        parsed = re.fullmatch(r"(R90|R180|R270|F\||F-|F/|F\\)(?:@(\d+))?(?::(-?\d+),(-?\d+))?", part)
        assert parsed, part
        a, b, c, d = TURNS[parsed[1]]
        time = int(parsed[2] or 0)
        if parsed[3]:
            glide = (int(parsed[3]), int(parsed[4]))
        else:
            glide = _glide((a, b, c, d), time, problem)
        # About the centre of the box: (x, y) -> centre + matrix (x - cx, y - cy) + glide.
        right, bottom = problem.width - 1, problem.height - 1
        shift = ((right - a * right - b * bottom) // 2 + glide[0], (bottom - c * right - d * bottom) // 2 + glide[1])
        found.append(((a, b, c, d), shift, time))
    return found


def _glide(matrix: tuple[int, int, int, int], time: int, problem: Problem) -> Place:
    """The part of the displacement that a space-time symmetry includes.

    A diagonal mirror that would need half a cell goes to the next whole one along x.
    """
    if not problem.periodic:
        return (0, 0)
    dx, dy = problem.displacement
    x, y = Fraction(dx * time, problem.generations), Fraction(dy * time, problem.generations)
    if x.denominator == 1:
        return int(x), int(y)
    whole = math.ceil(x)
    return whole, int(x + y - whole if matrix == TURNS["F\\"] else y - x + whole)


def turned(cells: dict[Place, int], name: str) -> dict[Place, int]:
    a, b, c, d = TURNS[name]
    return {(a * x + b * y, c * x + d * y): state for (x, y), state in cells.items()}


def shape(problem: Problem, cells: dict[Place, int]) -> Any:
    """A key that is equal for patterns that are translations of each other, also around a torus."""
    return anywhere(problem, [(x, y, state) for (x, y), state in cells.items()])


def anywhere(problem: Problem, cells: list[tuple[int, int, Any]]) -> Any:
    """A key that is equal for sets of marked cells that are translations of each other."""
    if not cells:
        return ()
    left, top = min(x for x, _, _ in cells), min(y for _, y, _ in cells)
    across = range(problem.width) if problem.wrap[0] else [-left]
    down = range(problem.height) if problem.wrap[1] else [-top]
    return min(
        tuple(
            sorted(
                (
                    (x + dx) % problem.width if problem.wrap[0] else x + dx,
                    (y + dy) % problem.height if problem.wrap[1] else y + dy,
                    state,
                )
                for x, y, state in cells
            )
        )
        for dx in across
        for dy in down
    )


def read_rle(text: str) -> dict[Place, int]:
    """The live cells of run lengths without a header, such as `bo$2o!`."""
    cells, x, y = {}, 0, 0
    for count, tag in re.findall(r"(\d*)([bo$.A-D])", text):
        if tag == "$":
            x, y = 0, y + int(count or 1)
            continue
        for _ in range(int(count or 1)):
            if tag not in "b.":
                cells[x, y] = 1 if tag == "o" else ord(tag) - ord("A") + 1
            x += 1
    return cells


def islands(points: set[Place]) -> list[set[Place]]:
    """The connected components of live cells, by the Moore neighbourhood."""
    left, found = set(points), []
    while left:
        island, edge = set(), [left.pop()]
        while edge:
            x, y = edge.pop()
            island.add((x, y))
            near = {(x + dx, y + dy) for dx, dy in BLOCK} & left
            left -= near
            edge += near
        found.append(island)
    return found


# Claims.
def boxes(problem: Problem) -> Iterator[Problem]:
    """The question in every box that is no larger and in which it is valid."""
    from satlife.errors import InputError

    for width, height in itertools.product(range(1, problem.width + 1), range(1, problem.height + 1)):
        try:
            yield replace(problem, width=width, height=height)
        except InputError:
            continue


def smallest_area(problem: Problem) -> int | None:
    """The least area of a box, up to that of the question, in which there is an answer."""
    for box in sorted(boxes(problem), key=lambda p: p.width * p.height):
        if BruteForce(box).answers():
            return box.width * box.height
    return None


def with_generations(problem: Problem, count: int) -> Problem | None:
    """The question for another number of generations, if it is valid; known cells stay in the last generation."""
    from satlife.errors import InputError

    cells = (*((),) * count, problem.cells[-1]) if any(problem.cells) else ()
    try:
        return replace(problem, generations=count, cells=cells)
    except InputError:
        return None


def fewest_generations(problem: Problem) -> int | None:
    """The least number of generations, up to that of the question, with an answer; an oscillator has two at least."""
    oscillates = problem.periodic and problem.displacement == (0, 0) and problem.generations > 1
    for count in range(2 if oscillates else 1, problem.generations + 1):
        if (shorter := with_generations(problem, count)) and BruteForce(shorter).answers():
            return count
    return None


def best(answers: Iterable[Answer], measure: str, largest: bool, problem: Problem) -> int | None:
    """The best value of a measure."""
    values = [measured(answer, measure, problem) for answer in answers]
    return (max if largest else min)(values) if values else None


def measured(answer: Answer, measure: str, problem: Problem) -> int:
    kind, _, time = measure.partition("@")
    if kind == "cells":
        return answer[int(time or 0)].count(1)
    if kind == "phase":
        return min(phase.count(1) for phase in answer)
    cells = list(zip(*answer, strict=True))
    if kind == "rotor":
        return sum(len(set(states)) > 1 for states in cells)
    assert kind == "box"
    used = [(n % problem.width, n // problem.width) for n, states in enumerate(cells) if any(states)]
    if not used:
        return 0
    (left, right), (top, bottom) = ((min(axis), max(axis)) for axis in zip(*used, strict=True))
    return int((right - left + 1) * (bottom - top + 1))
