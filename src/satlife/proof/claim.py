"""Claim: what a certificate asserts, in words, as data, and as the problems that must have no solution if it is true.

Nothing here depends on how a pattern was found or a problem refuted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cached_property

import numpy as np

from satlife.errors import InputError, LimitError
from satlife.life.pattern import UNKNOWN, Cells, Pattern
from satlife.problem import orbits, vary, verify
from satlife.problem.boxes import Size, must_be_free, words
from satlife.problem.cell import Rows, grid_of
from satlife.problem.completion import must_be_completable, opened
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.conditions.population import Bound, bounded
from satlife.problem.families.orphans import is_orphan
from satlife.problem.meaning import properties
from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.problem.target import given_cells, with_only
from satlife.proof.plain import EXPRESSIBLE
from satlife.proof.reaction import must_be_expressible
from satlife.records import dataclass

LARGEST_AREA = 4096
BEYOND = [
    "(A larger box of a symmetric pattern has the same centre.)  What was refuted is the question about a window: the",
    "cells of this box with all that is said of them above, but for its border, on which unknown cells outside act, so",
    "that it need not follow the rule.  Every pattern in a larger box fills the window, too, with no more live cells.",
    "",
]


class ClaimKind(StrEnum):
    """What a certificate may claim:

    found      the finds are solutions
    none       there is no solution
    all        the finds are all solutions (with `distinct`: one of each orbit, see `orbits`)
    best       the find has the smallest (with `largest`: the largest) `value` of a measure; without a find, which is
               allowed for the number of generations only: no number of generations has a solution
               (none and best may be claimed `beyond` the box: for patterns in it or in any larger box around it)
    smallest   the find lies in the smallest box, by area, that has a solution, among the boxes up to the problem's own;
               without a find: none of these boxes has a solution
    core       there is no solution, and of the cells given in the last generation none can be given up: the finds are
               solutions without the first of them, without the second, ...
    forced     in every solution the cells `forced` of generation 0 have these states; the finds are solutions
    atlas      of all boxes up to the problem's own, those in which a box of `minimal` lies have a solution, and no
               others; none of `minimal` lies in another
    """

    FOUND = "found"
    NONE = "none"
    ALL = "all"
    BEST = "best"
    SMALLEST = "smallest"
    CORE = "core"
    FORCED = "forced"
    ATLAS = "atlas"


FOUND, NONE, ALL, BEST, SMALLEST, CORE, FORCED, ATLAS = ClaimKind


@dataclass(frozen=True)
class Claim:
    """A claim about a problem."""

    kind: ClaimKind
    problem: Problem
    finds: tuple[Find, ...] = ()
    distinct: bool = False
    measure: str = ""
    largest: bool = False
    value: int = 0
    box: tuple[int, int] = (0, 0)  # of the smallest
    forced: Rows = ()  # states of generation 0; free where they are not forced
    beyond: bool = False  # whether it is about larger boxes around that of the problem, too
    minimal: tuple[Size, ...] = ()  # boxes of an atlas

    def __post_init__(self) -> None:
        if self.forced:
            replace(self.problem, cells=(self.forced,), conditions=())  # refuses rows that do not fit
            if any(cell.name or cell.freed for row in self.forced for cell in row):
                raise InputError("the forced cells are states, or * where nothing is forced")
        for condition in self.problem.conditions:
            if condition.name not in EXPRESSIBLE:
                raise InputError(f"a certificate cannot express {condition.shown}: there are no clauses for that")
        if self.problem.multiples:
            raise InputError("a certificate is about one period, not about its multiples")
        if asked := self.problem.get(Catalyst):
            must_be_expressible(asked)
        if self.kind == ALL and asked:
            raise InputError(
                "a certificate of a list has every solution, and of catalysts one of each perturbation is listed"
            )
        if self.kind == ALL and self.distinct and self.problem.rule.is_partial:
            raise InputError(
                "in a partial rule there are certificates for complete lists, but not for one of each orbit"
            )
        if self.kind == BEST and self.measure not in ("", "generations"):
            # What is measured is what generation 0 becomes, also where the target says that it may become anything.
            seen = self.problem.seen(times(self.problem, self.measure), f"the measure {self.measure}")
            object.__setattr__(self, "problem", seen)
        if self.beyond:
            self._must_hold_beyond()
        if self.kind == ATLAS:
            must_be_free(self.problem)
            if len(set(self.minimal)) < len(self.minimal):
                raise InputError("a minimal box is listed twice")
        if self.kind == SMALLEST:
            vary.must_shrink(self.problem)
            if self.problem.width * self.problem.height > LARGEST_AREA:
                raise LimitError(f"a certificate for the smallest box covers boxes of up to {LARGEST_AREA} cells")

    def _must_hold_beyond(self) -> None:
        """Refuse what a window does not show; see `problem.completion`."""
        counts = self.kind == BEST and not self.largest and self.measure.startswith("cells")
        if not counts and self.kind != NONE:
            raise InputError("beyond its box a certificate is about the fewest live cells, or that there is no pattern")
        must_be_completable(self.problem)

    def to_dict(self) -> dict[str, object]:
        """The JSON form, without the finds, which may be many."""
        out: dict[str, object] = {"kind": self.kind, "problem": self.problem.to_dict(), "finds": len(self.finds)}
        if self.kind == ALL:
            out["distinct"] = self.distinct
        if self.kind == BEST:
            out |= {"measure": self.measure, "largest": self.largest, "value": self.value}
        if self.kind == SMALLEST:
            out["box"] = list(self.box)
        if self.kind == FORCED:
            out["forced"] = [" ".join(map(str, row)) for row in self.forced]
        if self.kind == ATLAS:
            out["minimal"] = [words(size) for size in self.minimal]
        return {**out, "beyond": True} if self.beyond else out

    @classmethod
    def from_dict(cls, data: object, finds: Sequence[object]) -> Claim:
        """A claim from its JSON form; an InputError says what is wrong with it."""
        if not isinstance(data, Mapping) or data.get("kind") not in list(ClaimKind):
            raise InputError(f"the kind of the claim should be one of {', '.join(ClaimKind)}")
        problem = Problem.from_dict(data.get("problem", {}))
        value, box = data.get("value", 0), data.get("box", [0, 0])
        if type(value) is not int or not isinstance(box, list) or [type(side) for side in box] != [int, int]:
            raise InputError("the certificate's value or box is damaged")
        rows, minimal = data.get("forced", []), data.get("minimal", [])
        if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
            raise InputError("the certificate's forced cells are damaged")
        if not isinstance(minimal, list):
            raise InputError("the certificate's minimal boxes are damaged")
        claim = cls(
            ClaimKind(data["kind"]),
            problem,
            distinct=data.get("distinct") is True,
            measure=str(data.get("measure", "")),
            largest=data.get("largest") is True,
            value=value,
            box=(box[0], box[1]),
            forced=grid_of([[row.split() for row in rows]])[0],
            beyond=data.get("beyond") is True,
            minimal=tuple(map(_size, minimal)),
        )
        return replace(claim, finds=tuple(Find.from_dict(find, claim.answered()) for find in finds))

    def answered(self) -> Problem:
        """The problem that the finds are solutions of."""
        if self._is_empty:
            return self.problem
        if self.kind == SMALLEST:
            return replace(self.problem, width=self.box[0], height=self.box[1])
        if self.kind == BEST and self.measure == "generations":
            return vary.stretched(self.problem, self.value)
        return self.problem

    def check_finds(self) -> None:
        """Simulate every find; raises `verify.Refuted` or InputError unless they are as claimed."""
        problem = self.answered()
        if self.kind in (BEST, SMALLEST) and len(self.finds) != (not self._is_empty):
            raise verify.Refuted(f"{len(self.finds)} finds are not what the claim needs")
        if self.kind == FOUND and not self.finds:
            raise verify.Refuted("there is no find")
        if self.kind in (NONE, ATLAS) and self.finds:
            raise verify.Refuted("there should be no find")
        if self.kind == CORE:
            self._check_core()
            return
        if self.kind == FORCED and not (self.finds and self._drawn):
            raise verify.Refuted("there is no find, or no cell is forced")
        seen = set()
        for find in self.finds:
            find.check(problem)
            seen.add((orbits.canonical if self.distinct else orbits.identity)(problem, find.phases))
        if len(seen) < len(self.finds):
            raise verify.Refuted("a find is listed twice")
        if (
            self.kind == BEST
            and self.finds
            and (value := measured(problem, self.measure, self.finds[0].phases)) != self.value
        ):
            raise verify.Refuted(f"the value of the find is {value}, not {self.value}")

    def _check_core(self) -> None:
        """Simulate a find for every given cell: a solution without it."""
        given = list(given_cells(self.problem))
        if not given or len(self.finds) != len(given):
            raise verify.Refuted(f"{len(self.finds)} finds for {len(given)} cells")
        for place, find in zip(given, self.finds, strict=True):
            find.check(with_only(self.problem, set(given) - {place}))

    @property
    def _drawn(self) -> dict[tuple[int, int], int]:
        """The forced cells and their states."""
        cells = (((x, y), cell.state) for y, row in enumerate(self.forced) for x, cell in enumerate(row))
        return {place: state for place, state in cells if state is not None}

    @property
    def _forces_itself(self) -> bool:
        """Whether the cells given in the last generation are forced, in their places, and nothing but these cells is
        asked: then the same question can be asked of generation 0, whose past has them as well."""
        themselves = bool(self._drawn) and given_cells(self.problem).items() <= self._drawn.items()
        return themselves and is_orphan(self.problem)

    @property
    def _is_empty(self) -> bool:
        """Whether the claim is that no box, or no number of generations, has a solution."""
        return (self.kind == SMALLEST and self.box == (0, 0)) or (
            self.kind == BEST and self.measure == "generations" and self.value == 0
        )

    @cached_property
    def refutations(self) -> list[Problem]:
        """The problems that must have no solution (for `all`: none other than the finds)."""
        if self.kind == ATLAS:
            raise InputError("an atlas rests on the certificates of its boxes, and has no proofs of its own")
        problem, value = opened(self.problem) if self.beyond else self.problem, self.value
        if self.kind in (NONE, ALL, CORE, FORCED):
            return [problem]
        if self.kind == SMALLEST:
            boxes = list(vary.boxes(problem))
            if self._is_empty:
                return boxes
            sizes = [(p.width, p.height) for p in boxes]
            if self.box not in sizes:
                raise InputError(f"{self.box[0]}x{self.box[1]} is not one of the boxes that were searched")
            return boxes[: sizes.index(self.box)]
        if self.kind == BEST and self.measure == "generations":
            if self.largest:
                first = next(vary.longer(problem))  # refuses what has no largest number
                if 0 < value < problem.generations:
                    raise InputError(
                        f"{value} generations are fewer than the {problem.generations} that were asked for"
                    )
                return [vary.stretched(problem, value + 1) if value else first]
            if value > problem.generations:
                raise InputError(f"{value} generations are more than the {problem.generations} that were asked for")
            return [p for p in vary.shorter(problem) if not value or p.generations < value]
        if self.kind == BEST and self.largest:
            bounds = tuple(Bound(value + 1, None, t) for t in times(problem, self.measure))
            return [bounded(problem, *bounds)]
        if self.kind == BEST and value > 0:
            bounds = tuple(Bound(None, value - 1, t) for t in times(problem, self.measure))
            return [bounded(problem, bound) for bound in bounds]
        return []

    def blocked(self) -> Iterator[tuple[Cells, ...]]:
        """What the formula excludes: for `all` the known solutions, for `forced` the forced cells."""
        if self.kind == FORCED:
            states = [[UNKNOWN if cell.state is None else cell.state for cell in row] for row in self.forced]
            yield (np.array(states, np.uint8),)
        if self.kind == ALL:
            for find in self.finds:
                if self.distinct:
                    yield from orbits.images(self.problem, find.phases)
                else:
                    yield orbits.telling(self.problem, find.phases)

    # Words.
    def statement(self, follows: Sequence[str] = ()) -> str:
        """The claim in words, and in the end what it is shown by: proofs, or that it `follows` from other claims.

        Certificates contain this text, so that it must not change within a version."""
        lines = [*self._headline(), "", *properties(self.problem), ""]
        if self.kind == ALL:
            lines += [orbits.identity_words(self.problem), ""]
        if self.kind == FORCED:
            lines += self._forced_words()
        if self.kind == CORE:
            lines += [
                "Each of these cells is needed.  The finds are patterns that lack one property each: the first lacks",
                "the first cell given, the second the second, and so on, row by row.",
                "",
            ]
        elif self.finds:
            lines += [f"{'The pattern' if len(self.finds) == 1 else 'The first of them'}, generation 0:", ""]
            first = self.finds[0]
            rule = first.rule or self.problem.rule
            lines += [Pattern(first.phases[0], rule=rule).to_rle().rstrip(), ""]
        if follows:
            return "\n".join([*lines, *follows]) + "\n"
        if self.refutations and self.beyond:
            lines += BEYOND
        if self.refutations:
            lines += [
                "Every refuted question was written as clauses that say exactly the sentences above, with the bound or",
                "the smaller box where one is mentioned, and nothing more: no symmetry was broken, no direction of the",
                "search was favoured.  The proofs show that these clauses contradict each other.",
            ]
        else:
            lines += ["Nothing is claimed about other patterns."]
        return "\n".join(lines) + "\n"

    def _forced_words(self) -> list[str]:
        """The forced cells, and what follows if they contain the cells that force them."""
        rows = ["    " + " ".join(map(str, row)) for row in self.forced]
        lines = ["The cells of generation 0 (* may be anything):", "", *rows, ""]
        if self._forces_itself:
            last = self.problem.last
            lines += [f"The cells given in generation {last} are among them, in their places.  So they force"]
            since = "have always been there" if last == 1 else f"were there {last}, {2 * last}, {3 * last} ... before"
            lines += [f"themselves: by induction they {since}.", ""]
        return [*lines, "What is refuted is a pattern with these properties in which one of these cells differs.", ""]

    def _headline(self) -> list[str]:
        many = len(self.finds)
        if self.kind == CORE:
            last = self.problem.last
            return [
                f"There is no pattern with these properties, and no cell given in generation {last} can be given up:"
            ]
        if self.kind == FORCED:
            return ["In every pattern with these properties, some cells of generation 0 are as drawn below:"]
        if self.kind == NONE:
            where = ", but for the size of the box, in this box or any larger one around it" if self.beyond else ""
            return [f"There is no pattern with these properties{where}:"]
        if self.kind == FOUND:
            return [f"There is a pattern with these properties ({many} given):"]
        if self.kind == ALL:
            same = orbits.words(self.problem) if self.distinct else ""
            up_to = f", up to {same}," if same else ""
            counted = "is exactly 1 pattern" if many == 1 else f"are exactly {many} patterns"
            return [f"There {counted}{up_to} with these properties:"]
        largest = words(self.problem.size)
        if self.kind == ATLAS:
            return self._atlas_words(largest)
        if self.kind == SMALLEST and self._is_empty:
            return [f"No box up to {largest} has a pattern with these properties (said for the largest):"]
        if self._is_empty:
            count = f"{self.problem.generations} or more" if self.largest else f"{self.problem.generations} or fewer"
            return [f"There is no pattern with these properties, but for {count} generations{self._at_least}:"]
        if self.kind == SMALLEST:
            w, h = self.box
            return [
                f"The smallest box with such a pattern is {w}x{h}: of all boxes up to {largest} none of",
                "smaller area has one, nor any of the same area that comes before it in the list of the parts.",
                "(Where rotation changes nothing in the question, a box and the turned box count as one.)",
                "The properties, in the largest box:",
            ]
        word = "largest" if self.largest else "smallest"
        what = f"The {word} number of {meaning(self.measure)} is {self.value}, among all patterns with these properties"
        if self.measure == "generations":
            return [what, f"(but for the number of generations itself{self._at_least}):"]
        if self.beyond:
            return [what, "(but for the size of the box, in this box or any larger one around it):"]
        return [f"{what}:"]

    def _atlas_words(self, largest: str) -> list[str]:
        if not self.minimal:
            return [f"No box up to {largest} has a pattern with these properties (said for the largest):"]
        return [
            f"The minimal boxes, up to {largest}, with such a pattern are: {', '.join(map(words, self.minimal))}.",
            "A box is minimal if it has a pattern and no other box that lies in it has one.  (With a symmetry a",
            "box lies in another if both can have the same centre.  Where turning changes nothing in the question,",
            "a box and the turned box count as one.)  The properties, in the largest box:",
        ]

    @property
    def headline(self) -> str:
        """The claim in a sentence; the properties that it speaks of are in the statement."""
        return " ".join(self._headline()).partition(". ")[0].rstrip(".:")

    @property
    def _at_least(self) -> str:
        oscillates = self.problem.periodic and self.problem.displacement == (0, 0) and self.problem.generations > 1
        return ", which is 2 at least" if oscillates and not self.largest else ""


def times(problem: Problem, measure: str) -> list[int]:
    """The generations whose populations a measure takes into account."""
    if measure == "phase":
        return list(range(problem.last + 1))
    kind, _, time = measure.partition("@")
    if kind != "cells" or len(time) > 6 or not (time or "0").isdecimal() or int(time or 0) > problem.last:
        raise InputError(
            f"there are certificates for the measures cells, cells@T, phase and generations, not {measure!r}"
        )
    return [int(time or 0)]


def measured(problem: Problem, measure: str, phases: Sequence[Cells]) -> int:
    if measure == "generations":
        return problem.generations
    return min(int((phases[t] == 1).sum()) for t in times(problem, measure))


def _size(name: object) -> Size:
    found = re.fullmatch(r"([1-9]\d{0,5})x([1-9]\d{0,5})", str(name))
    if not found:
        raise InputError(f"{str(name)[:40]!r} is not the size of a box")
    return int(found[1]), int(found[2])


def meaning(measure: str) -> str:
    if measure == "generations":
        return "generations"
    if measure == "phase":
        return "live cells in the generation with the fewest"
    return f"live cells in generation {measure.partition('@')[2] or 0}"
