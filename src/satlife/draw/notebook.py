"""Display in notebooks: the methods by which patterns, questions and outcomes draw themselves."""

from __future__ import annotations

from html import escape
from typing import Any, Protocol

from satlife.draw import player
from satlife.draw.film import film
from satlife.draw.picture import PAGE, of_problem
from satlife.draw.svg import strip, svg
from satlife.errors import InputError, LimitError
from satlife.life.pattern import Pattern
from satlife.problem.problem import Problem


class Drawable(Protocol):
    """The part of an outcome that is drawn."""

    status: str
    reason: str
    problem: Problem

    @property
    def pattern(self) -> Pattern | None: ...

    @property
    def apgcode(self) -> str | None: ...


def attach(outcome: Any = None) -> None:
    """Add the methods that notebooks look for to the classes; `outcome` is the class of outcomes."""
    Pattern._repr_svg_ = _still  # type: ignore[attr-defined]
    Pattern._repr_html_ = _play  # type: ignore[attr-defined]
    Problem._repr_svg_ = _question  # type: ignore[attr-defined]
    if outcome is not None:
        outcome._repr_html_ = _outcome


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
    if outcome.pattern is None:
        return f"<p>{escape(': '.join(filter(None, (outcome.status, outcome.reason))))}</p>"
    problem = outcome.problem
    return _play(outcome.pattern, outcome.apgcode or "", None if problem.periodic else problem.generations)
