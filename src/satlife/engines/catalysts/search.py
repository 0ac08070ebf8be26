"""CatalystSearch: the catalysts of a question, one after the other, each a complete still life."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from satlife.engines.catalysts import completion, kernel, places
from satlife.engines.catalysts.still import DEAD, TRAIL, state_of, undo
from satlife.engines.catalysts.world import (
    Layout,
    completion_of,
    enlarged,
    left_at,
    path_of,
    unknown_still_life,
    world,
)
from satlife.errors import InputError
from satlife.life.pattern import Cells, Pattern
from satlife.life.simulate import advance
from satlife.problem.conditions.catalyst import ACTIVE, OFF, Catalyst
from satlife.problem.problem import Problem
from satlife.problem.question import as_json, from_json
from satlife.records import dataclass

#: Cells that are looked at between two looks at the clock: about 30 ms.  A branch takes from 2 to 2000 microseconds.
STEPS = 1_000_000
MANY = 1 << 30  # cells: no bound
FEW = 8  # cells by which a still life is completed at first; twice as many when that is not enough


@dataclass(frozen=True)
class FoundCatalyst:
    """A catalyst, which is yet to be simulated: generation 0 with the active pattern."""

    start: Cells
    population: int  # of the still life


class CatalystSearch:
    """A search that can be watched, stopped and continued."""

    def __init__(self, problem: Problem, saved: str | None = None) -> None:
        asked = problem.get(Catalyst)
        assert asked is not None
        self.problem, self.asked = problem, asked
        self.layout = Layout(problem, asked)
        self.still, field = unknown_still_life(problem, asked, self.layout)
        self.world = world(problem, asked, self.layout, self.still, field)
        self.rest = completion_of(field, asked, self.layout)
        self.recovered = 0  # partial still lifes that recover, whether they can be completed or not
        self.seen: set[tuple[tuple[int, int], ...]] = set()
        self.smallest: FoundCatalyst | None = None  # so far, if that is wanted
        self.done = saved is not None and self._go_on(saved)
        self.before = len(self.seen)  # what was found before it was saved
        self.complete = self.done or not kernel.start(self.world)

    @property
    def branches(self) -> int:
        return int(self.world.numbers[places.BRANCHES] + self.rest.progress[completion.BRANCHES])

    def catalysts(
        self, stop: Callable[[], bool] = lambda: False, least: bool = False
    ) -> Iterator[FoundCatalyst | None]:
        """One catalyst of each perturbation; with `least` each smaller than the one before, the last smallest.  None
        means that the search has come a little further.  At the end `complete` says whether there are no others."""
        most = MANY if self.smallest is None else self.smallest.population - 1
        while not self.complete and not stop():
            answer = kernel.run(self.world, STEPS)
            if answer == places.RECOVERED:
                self.recovered += 1
                perturbation = self._perturbation()
                if (least or perturbation not in self.seen) and (found := self._completed(stop, least, most)):
                    self.seen.add(perturbation)
                    if least:
                        self.smallest, most = found, found.population - 1
                    yield found
            elif answer == places.CROWDED:
                self.world = enlarged(self.world)
            else:
                self.complete = answer == places.EXHAUSTED
                yield None

    # What is saved.
    def save(self) -> str:
        """The text from which another search goes on."""
        found = [[list(point) for point in sorted(points)] for points in sorted(self.seen)]
        path = [] if self.complete else path_of(self.world).tolist()
        data = {"catalyst": self.problem.to_dict(), "complete": self.complete, "path": path, "seen": found}
        if self.smallest is not None:
            data["smallest"] = {"cells": self.smallest.population, "start": self.smallest.start.tolist()}
        return as_json(data)

    def _go_on(self, text: str) -> bool:
        """Go on from a text; returns whether that search was complete.  An InputError says what is wrong with it."""
        try:
            data = from_json(text)
            assert isinstance(data, dict)
            if Problem.from_dict(data["catalyst"]).key != self.problem.key:
                raise InputError("this is the saved search of another question")
            path = np.array(data["path"], np.int64).reshape(-1, places.PATH_CHOICES + places.OUTCOMES)
            self.seen = {tuple((int(x), int(y)) for x, y in points) for points in data["seen"]}
            if "smallest" in data:
                start = np.array(data["smallest"]["start"], np.uint8).reshape(self.problem.height, self.problem.width)
                self.smallest = FoundCatalyst(start, int(data["smallest"]["cells"]))
            choices = path[:, places.PATH_NEXT]
            if type(data["complete"]) is not bool or len(path) > len(self.world.stack):
                raise ValueError
            if (path < 0).any() or (choices >= places.OUTCOMES).any():
                raise ValueError
        except InputError:
            raise
        except (ValueError, KeyError, TypeError, AssertionError, OverflowError) as error:
            raise InputError("this is no saved search for catalysts") from error
        self.world = left_at(self.world, path)
        return bool(data["complete"])

    def _perturbation(self) -> tuple[tuple[int, int], ...]:
        """The live cells that are left of the active pattern, as it would be in the last generation; catalysts for
        which these are equal perturb alike."""
        w, width = self.world, self.layout.width
        at_rest = int(w.span[w.numbers[places.GENERATION], places.BACK]) + self.asked.stable - 1
        flips = w.flips[w.span[at_rest, places.FLIP] : w.span[at_rest, places.FLIP_END]]
        alive = [(cell % width, cell // width) for cell in flips.tolist() if not state_of(int(self.still.cells[cell]))]
        last = advance(Pattern.from_points(alive, self.problem.rule), self.asked.last - at_rest)
        return tuple(sorted(last.points()))

    def _completed(self, stop: Callable[[], bool], least: bool, most: int) -> FoundCatalyst | None:
        """A completion of the still life with at most so many cells, the smallest if that is wanted."""
        rest, mark = self.rest, int(self.still.used[TRAIL])
        alive = int((self.still.cells & DEAD == 0).sum())
        room, best = FEW, None
        while best is None and not stop():
            self._begin(min(alive + room, most))
            while not stop() and (answer := completion.complete(self.still, rest, STEPS)) != places.EXHAUSTED:
                if answer == places.RECOVERED:
                    best = (self.still.cells & DEAD == 0).astype(np.uint8)
                    rest.progress[completion.MOST_LIVING] = best.sum() - 1
                    if not least:
                        break
            undo(self.still, mark)
            if rest.progress[completion.PRUNED] == 0 or alive + room >= most:
                break
            room *= 2
        return None if best is None else self._found(best)

    def _begin(self, most: int) -> None:
        """Begin to look for completions with at most so many cells."""
        names = (completion.LEVEL, completion.BACKWARD, completion.PRUNED, completion.MOST_LIVING)
        self.rest.progress[list(names)] = 0, 0, 0, most

    def _found(self, life: Cells) -> FoundCatalyst:
        box = self.layout.grid(life).astype(np.uint8)
        start = np.where(self.asked.layer(OFF) == 1, 0, box | self.asked.layer(ACTIVE)).astype(np.uint8)
        return FoundCatalyst(start, int(life.sum()))
