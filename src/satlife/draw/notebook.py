"""Notebook display: patterns, questions and outcomes draw themselves."""

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


class Answer(Protocol):
    """What is used of the outcome of a search."""

    status: str
    reason: str
    problem: Problem

    @property
    def pattern(self) -> Pattern | None: ...

    @property
    def apgcode(self) -> str | None: ...


def attach(outcome: Any = None) -> None:
    """Give the classes the methods that notebooks look for; `outcome` is the class of outcomes."""
    Pattern._repr_svg_ = _still  # type: ignore[attr-defined]
    Pattern._repr_html_ = _play  # type: ignore[attr-defined]
    Problem._repr_svg_ = _question  # type: ignore[attr-defined]
    if outcome is not None:
        outcome._repr_html_ = _outcome


def _still(pattern: Pattern) -> str | None:
    """A picture; nothing (so that the text is shown) for what is too large to draw."""
    try:
        return svg(pattern)
    except LimitError:
        return None


def _play(pattern: Pattern, caption: str = "", generations: int | None = None) -> str | None:
    """A player; nothing (so that the plain picture is shown) for what is too large to play."""
    try:
        return player.player(film(pattern, generations), caption)
    except (InputError, LimitError):
        return None


def _question(problem: Problem) -> str:
    """What is known of every generation; those of which nothing is known look alike, so one is enough."""
    said = [t for t in range(problem.last + 1) if t < len(problem.cells) and problem.cells[t]] or [0]
    return strip([of_problem(problem, t, PAGE) for t in said], [f"generation {t}" for t in said])


def _outcome(answer: Answer) -> str | None:
    if answer.pattern is None:
        return f"<p>{escape(': '.join(filter(None, (answer.status, answer.reason))))}</p>"
    problem = answer.problem
    return _play(answer.pattern, answer.apgcode or "", None if problem.periodic else problem.generations)
