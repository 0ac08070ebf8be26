"""Splitting a search row by row: some of the partial ships each, which together are all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from satlife.errors import InputError
from satlife.problem import symmetry
from satlife.problem.finds import Find
from satlife.problem.problem import Problem
from satlife.rows.search import Progress
from satlife.search.cubes import Result
from satlife.search.rowwise import OpenBox, RowSearch

State = dict[str, Any]  # partial ships, as `rows.search.Search.state` writes them


def split(box: OpenBox, state: State | None, count: int) -> list[State]:
    """About `count` parts of the partial ships of a state, or of the whole search; none if nothing is left of it."""
    work = _restored(box, state)
    search = work.search
    while search.fronts and not search.ready and size(search.state()) < count:
        search.step()
    whole = search.state()
    if not size(whole) and not whole["ready"]:
        return []
    base = {"depth": whole["depth"], "of": size(whole)}
    parts: list[State] = [{**base, "ready": [], "fronts": []} for _ in range(count)]
    parts[0]["ready"] = whole["ready"]
    for front in whole["fronts"]:
        for k, part in enumerate(parts):
            if some := front["partials"][k::count]:
                part["fronts"].append({"place": front["place"], "partials": some})
    return [part for part in parts if part["ready"] or part["fronts"]]


def size(state: State) -> int:
    """How many partial ships there are."""
    return sum(len(front["partials"]) for front in state["fronts"])


def _restored(box: OpenBox, state: State | None, megabytes: int | None = None) -> RowSearch:
    work = RowSearch.start(box, 1, megabytes)
    if state is not None:
        work.search.restore(state)
    return work


def solve(
    box: OpenBox,
    state: State,
    megabytes: int | None,
    keep: Callable[[Problem, Find, str], None],
    stop: Callable[[], bool],
) -> Result:
    """Extend the partial ships until one is a ship or none is left."""
    work = _restored(box, state, megabytes)

    def watch(progress: Progress) -> None:
        if stop():
            work.search.stop()

    for outcome in work.finds(watch=watch):
        keep(outcome.problem, Find(outcome.phases), f"{outcome.strategy}, {outcome.solver}")
        return Result("done", "table", "row by row")
    if work.complete:
        return Result("refuted", "table", "row by row")
    reason = "a ship of a smaller period hides others" if work.search.complete else "stopped"
    return Result("unknown", "table", "row by row", reason)


def belongs(box: OpenBox, problem: Problem) -> None:
    """Refuse a find that answers another question."""
    across = problem.width if box.along == "y" else problem.height
    same = (problem.generations, problem.displacement, problem.rule) == (box.period, box.displacement, box.rule)
    plain = problem.periodic and problem.exact and problem.nonempty and not any(problem.wrap)
    mirror = () if box.symmetry is None else (symmetry.canonical(box.symmetry),)
    if not (same and plain and across <= box.width and problem.symmetry == mirror):
        raise InputError("a find answers another question")
