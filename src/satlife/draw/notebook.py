"""Display in notebooks: the methods by which questions and all kinds of answers draw themselves.

Everything is one piece of HTML with its own small player; nothing is fetched from elsewhere.  The classes live in rooms
that know nothing of pictures, so that the methods are added to them from here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from html import escape
from itertools import islice
from typing import Any, Protocol

from satlife.draw import player
from satlife.draw.film import film
from satlife.draw.picture import PAGE, of_problem
from satlife.draw.svg import strip, svg
from satlife.errors import InputError, LimitError
from satlife.life.pattern import Pattern
from satlife.problem.problem import Problem

MOST = 24  # patterns of a list that are drawn
_GALLERY = "display: flex; flex-wrap: wrap; gap: 1em; align-items: end"  # CSS


class Certified(Protocol):
    """The part of a certificate that is told."""

    checked: bool
    bundle: str


class Drawable(Protocol):
    """The part of an outcome that is drawn."""

    status: str
    reason: str
    solver: str
    exhaustive: bool
    proof: Certified | None
    problem: Problem

    @property
    def pattern(self) -> Pattern | None: ...

    @property
    def apgcode(self) -> str | None: ...


class Optimum(Protocol):
    """The part of a Best that is drawn."""

    outcome: Drawable
    value: int | None
    bound: int | None
    endless: str

    @property
    def proved(self) -> bool: ...


class Listed(Protocol):
    """The part of a listing, or of a search for ships of any length, that is drawn."""

    first: Sequence[Drawable]

    def summary(self) -> str: ...


def attach() -> None:
    """Add the methods that notebooks look for to the classes that are loaded."""
    Pattern._repr_svg_ = _still  # type: ignore[attr-defined]
    Pattern._repr_html_ = _play  # type: ignore[attr-defined]
    Problem._repr_svg_ = _question  # type: ignore[attr-defined]
    for place, draw in _DRAWN.items():
        module, _, name = place.rpartition(".")
        if kind := getattr(sys.modules.get(f"satlife.{module}"), name, None):
            kind._repr_html_ = draw


def _still(pattern: Pattern) -> str | None:
    """A picture; None, so that the text is shown, for a pattern too large to draw."""
    try:
        return svg(pattern)
    except LimitError:
        return None


def _play(pattern: Pattern, caption: str = "", generations: int | None = None) -> str | None:
    """A player; None, so that the picture is shown, for a pattern too large to play."""
    try:
        return player.player(film(pattern, generations), caption)
    except (InputError, LimitError):
        return None


def _question(problem: Problem) -> str:
    """The generations with known cells, side by side; generation 0 if there are none."""
    shown = [t for t in range(problem.last + 1) if t < len(problem.cells) and problem.cells[t]] or [0]
    return strip([of_problem(problem, t, PAGE) for t in shown], [f"generation {t}" for t in shown])


def _outcome(outcome: Drawable) -> str | None:
    """The find with a player; otherwise a sentence, and the question in which there is none."""
    if outcome.pattern is None:
        return _paragraph(_sentence(outcome)) + _question(outcome.problem)
    problem = outcome.problem
    return _play(outcome.pattern, outcome.apgcode or "", None if problem.periodic else problem.generations)


def _sentence(outcome: Drawable) -> str:
    box = f"{outcome.problem.kind} in {outcome.problem.width}x{outcome.problem.height}"
    if outcome.status != "none":
        return f"{box}: undecided, {outcome.reason}"
    if outcome.proof and outcome.proof.checked:
        how = f"proved and checked, in {outcome.proof.bundle}"
    else:
        how = "exhaustive search" if outcome.exhaustive else f"solver's word: {outcome.solver}"
    return f"{box}: there is none ({how})"


def _best(best: Optimum) -> str:
    """The best pattern, and how good it is known to be."""
    if best.value is None:
        return _outcome(best.outcome) or ""
    if best.endless:
        how = f"there is no largest: {best.endless}"
    elif best.proved:
        how = "proved to be the best"
    else:
        how = "not proved to be the best" if best.bound is None else f"the bound is {best.bound}"
    return (_outcome(best.outcome) or "") + _paragraph(f"{best.value}, {how}")


def _listing(listing: Listed) -> str:
    """The first patterns of a list side by side, and how many there are."""
    return _gallery(listing.first) + _paragraph(listing.summary())


def _gallery(outcomes: Iterable[Drawable]) -> str:
    """Finds side by side, each with a player; the first MOST of them."""
    return _side_by_side(_outcome(outcome) for outcome in islice(outcomes, MOST))


def _side_by_side(drawn: Iterable[str | None]) -> str:
    return f'<div style="{_GALLERY}">{"".join(filter(None, drawn))}</div>'


def _study(result: Any) -> str:
    """The question of a study, its commands and patterns, and the figures beside those of the book."""
    parts = [f"<p><b>{escape(result.study.title)}</b>: {escape(result.study.question)} ({escape(result.verdict)})</p>"]
    for step in result.steps:
        parts.append(f"<pre>{escape(step.step.shown)}</pre>")
        rows = [
            f"<tr><td>{escape(figure.what)}</td><td>{escape(str(figure.expected))}</td><td>{escape(str(got))}</td></tr>"
            for figure, got in zip(step.step.figures, step.figures, strict=True)
        ]
        parts.append(f"<table><tr><th></th><th>expected</th><th>obtained</th></tr>{''.join(rows)}</table>")
        parts.append(_side_by_side(_play(pattern.crop()) for pattern in step.patterns[:MOST]))
    return "".join(parts)


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


_DRAWN: dict[str, Callable[[Any], str | None]] = {
    "problem.outcome.Outcome": _outcome,
    "problem.outcome.Best": _best,
    "search.enumerate.Listing": _listing,
    "search.ships.Ships": _listing,
    "taocp.study.StudyResult": _study,
}
