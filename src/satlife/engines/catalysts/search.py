"""CatalystSearch: the catalysts of a question, one after the other, each a complete still life."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np

from satlife import native
from satlife.engines.catalysts import kernel, places
from satlife.engines.catalysts.subtree import (
    MANY,
    CatalystQuestion,
    FoundCatalyst,
    Perturbation,
    Recovered,
    Subtree,
    Wanted,
)
from satlife.engines.catalysts.world import Layout, Longs, completion_of, unknown_still_life, world
from satlife.errors import InputError
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.problem import Problem
from satlife.problem.question import as_json, from_json


class CatalystSearch:
    """A search that can be watched, stopped and continued: for one catalyst of each perturbation, or for the smallest.

    The search tree is divided into subtrees, one for each thread.  Where there are fewer, one that was searched for a
    moment without coming to its end gives part of itself away."""

    def __init__(self, problem: Problem, saved: str | None = None, threads: int = 1, least: bool = False) -> None:
        asked = problem.get(Catalyst)
        assert asked is not None
        self.problem, self.asked, self.threads, self.least = problem, asked, threads, least
        self.seen: set[Perturbation] = set()
        self.smallest: FoundCatalyst | None = None  # so far, if that is wanted
        layout = Layout(problem, asked)
        still, field = unknown_still_life(problem, asked, layout)
        whole = Subtree(
            CatalystQuestion(problem, asked, layout),
            world(problem, asked, layout, still, field),
            completion_of(field, asked, layout),
        )
        paths = [whole.path] if saved is None else self._read(saved, len(whole.world.stack))
        self.subtrees = [whole.left_at(path) for path in paths] if kernel.start(whole.world) else []
        self.before = len(self.seen)  # what was found before it was saved
        self.recovered = 0  # partial still lifes that recover, whether they can be completed or not
        self._branches = 0  # of subtrees that are over

    @property
    def branches(self) -> int:
        return self._branches + sum(subtree.branches for subtree in self.subtrees)

    @property
    def complete(self) -> bool:
        return not self.subtrees

    def catalysts(self, stop: Callable[[], bool] = lambda: False) -> Iterator[FoundCatalyst | None]:
        """One catalyst of each perturbation; with `least` each smaller than the one before, the last smallest.  None
        means that the search has come a little further.  At the end `complete` says whether there are no others."""
        for subtree, recovered in self._stepped(stop):
            if subtree.is_over:
                self._branches += subtree.branches
                self.subtrees.remove(subtree)
            elif subtree.is_long and len(self.subtrees) < self.threads and (other := subtree.split()) is not None:
                self.subtrees.append(other)
            if recovered is None:
                yield None
                continue
            self.recovered += 1
            perturbation, found = recovered
            if found is None or (found.population > self._most() if self.least else perturbation in self.seen):
                continue  # another thread was sooner
            self.seen.add(perturbation)
            if self.least:
                self.smallest = found
            yield found

    def _most(self) -> int:
        """The most cells of a still life that would be smaller than the smallest so far."""
        return MANY if self.smallest is None else self.smallest.population - 1

    def _stepped(self, stop: Callable[[], bool]) -> Iterator[tuple[Subtree, Recovered | None]]:
        """Subtrees after a step each, as they come to rest; the one that is named is at rest, the others may not be."""
        is_closed = False

        def step(subtree: Subtree) -> Recovered | None:
            with native.until(is_late):
                return subtree.step(Wanted(self.seen, self.least, self._most()), is_late)

        def is_late() -> bool:
            return is_closed or stop()

        if self.threads == 1:
            while self.subtrees and not stop():
                yield self.subtrees[0], step(self.subtrees[0])
            return
        running: dict[Future[Recovered | None], Subtree] = {}
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while running or (self.subtrees and not stop()):
                    at_rest = [subtree for subtree in self.subtrees if subtree not in running.values()]
                    for subtree in at_rest[: 0 if stop() else self.threads - len(running)]:
                        running[pool.submit(step, subtree)] = subtree
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        yield running.pop(future), future.result()
            finally:
                is_closed = True

    # What is saved.
    def save(self) -> str:
        """The text from which another search goes on."""
        found = [[list(point) for point in sorted(points)] for points in sorted(self.seen)]
        paths = [subtree.path.tolist() for subtree in self.subtrees]
        data = {"catalyst": self.problem.to_dict(), "least": self.least, "paths": paths, "seen": found}
        if self.smallest is not None:
            data["smallest"] = {"cells": self.smallest.population, "start": self.smallest.start.tolist()}
        return as_json(data)

    def _read(self, text: str, levels: int) -> list[Longs]:
        """Read what was saved; returns the paths of the subtrees.  An InputError says what is wrong with the text."""
        try:
            data = from_json(text)
            assert isinstance(data, dict)
            if Problem.from_dict(data["catalyst"]).key != self.problem.key:
                raise InputError("this is the saved search of another question")
            if data["least"] is not self.least:
                wanted = "not for the smallest" if self.least else "for the smallest"
                raise InputError(f"this is the saved search of another goal: it was {wanted}")
            self.seen = {tuple((int(x), int(y)) for x, y in points) for points in data["seen"]}
            if "smallest" in data:
                start = np.array(data["smallest"]["start"], np.uint8).reshape(self.problem.height, self.problem.width)
                self.smallest = FoundCatalyst(start, int(data["smallest"]["cells"]))
            return [_path(path, levels) for path in data["paths"]]
        except InputError:
            raise
        except (ValueError, KeyError, TypeError, AssertionError, OverflowError) as error:
            raise InputError("this is no saved search for catalysts") from error


def _path(data: object, levels: int) -> Longs:
    path = np.array(data, np.int64).reshape(-1, places.PATH_CHOICES + places.OUTCOMES)
    ends = path[:, [places.PATH_NEXT, places.PATH_END]]
    if len(path) > levels or (path < 0).any() or (ends > places.OUTCOMES).any():
        raise ValueError
    return path
