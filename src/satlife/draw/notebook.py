"""Display in notebooks: the methods by which questions and all kinds of answers draw themselves.

Everything is one piece of HTML with its own small player; nothing is fetched from elsewhere.  The classes live in rooms
that know nothing of pictures, so that the methods are added to them from here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from html import escape
from itertools import islice
from typing import Protocol

from satlife.draw import atlas, files
from satlife.draw.files import PICTURE_FILES, drawn
from satlife.draw.film import film
from satlife.draw.picture import PAGE, of_problem
from satlife.draw.svg import strip, svg
from satlife.errors import InputError, LimitError
from satlife.life.pattern import PICTURES, Pattern
from satlife.problem import meaning
from satlife.problem.answers import Best
from satlife.problem.chart import Chart
from satlife.problem.outcome import NONE, Outcome
from satlife.problem.problem import Problem

MOST = 24  # patterns of a list that are drawn
_GALLERY = "display: flex; flex-wrap: wrap; gap: 1em; align-items: end"  # CSS


class ShownPart(Protocol):
    """The part of a listing that is drawn."""

    first: Sequence[Outcome]

    def summary(self) -> str: ...


class Studied(Protocol):
    """The part of a study with its results that is drawn."""

    def heading(self) -> tuple[str, str]: ...

    def tables(self) -> Iterator[tuple[str, list[tuple[str, object, object]], Sequence[Pattern]]]: ...


def attach() -> None:
    """Add the methods that notebooks look for to the classes that are loaded, and pictures to the files into which
    patterns are saved."""
    PICTURES.update({ending: partial(_drawn, ending) for ending in PICTURE_FILES})
    Pattern._repr_svg_ = _still  # type: ignore[attr-defined]
    Pattern._repr_html_ = _play  # type: ignore[attr-defined]
    Problem._repr_svg_ = _question  # type: ignore[attr-defined]
    for place, draw in _DRAWN.items():
        module, _, name = place.rpartition(".")
        if kind := getattr(sys.modules.get(f"satlife.{module}"), name, None):
            kind._repr_html_ = draw


def _drawn(ending: str, pattern: Pattern, generations: int | None) -> bytes:
    """The picture file of a pattern; the number of generations is that of a film."""
    return drawn(pattern, ending, None if PICTURE_FILES[ending].still else generations)


def _still(pattern: Pattern) -> str | None:
    """A picture; None, so that the text is shown, for a pattern too large to draw."""
    try:
        return svg(pattern)
    except LimitError:
        return None


def _play(pattern: Pattern, caption: str = "", generations: int | None = None) -> str | None:
    """A player; None, so that the picture is shown, for a pattern too large to play."""
    try:
        return files.player(film(pattern, generations), caption)
    except (InputError, LimitError):
        return None


def _question(problem: Problem) -> str:
    """The generations with known cells, side by side; generation 0 if there are none."""
    shown = [t for t in range(problem.last + 1) if t < len(problem.cells) and problem.cells[t]] or [0]
    return strip([of_problem(problem, t, PAGE) for t in shown], [f"generation {t}" for t in shown])


def _outcome(outcome: Outcome) -> str | None:
    """The find with a player; otherwise a sentence, and the question in which there is none."""
    if outcome.pattern is None:
        box = outcome.question.box
        return _paragraph(_sentence(outcome)) + (_question(box) if box else "")
    problem = outcome.problem
    return _play(outcome.pattern, outcome.apgcode or "", None if problem.periodic else problem.generations)


def _sentence(outcome: Outcome) -> str:
    asked = meaning.brief(outcome.question, outcome.periods)
    if outcome.status != NONE:
        return f"{asked}: undecided, {outcome.reason}"
    proof = outcome.proof
    how = f"proved and checked, in {proof.bundle}" if proof and proof.checked else outcome.authority
    return f"{asked}: there is none ({how})"


def _best(best: Best) -> str:
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


def _chart(chart: Chart) -> str:
    """The chart of an atlas, and its finds."""
    return atlas.svg(chart) + _paragraph(chart.summary()) + _gallery(found for found, _ in chart.pairs())


def _listing(listing: ShownPart) -> str:
    """The first patterns of a list side by side, and how many there are."""
    return _gallery(listing.first) + _paragraph(listing.summary())


def _gallery(outcomes: Iterable[Outcome]) -> str:
    """Finds side by side, each with a player; the first MOST of them."""
    return _side_by_side(_outcome(outcome) for outcome in islice(outcomes, MOST))


def _side_by_side(drawn: Iterable[str | None]) -> str:
    return f'<div style="{_GALLERY}">{"".join(filter(None, drawn))}</div>'


def _study(result: Studied) -> str:
    """The question of a study, its commands and patterns, and the figures beside those of the book."""
    title, question = result.heading()
    parts = [f"<p><b>{escape(title)}</b>: {escape(question)}</p>"]
    for command, figures, patterns in result.tables():
        cells = ("".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in figures)
        rows = "".join(f"<tr>{row}</tr>" for row in cells)
        parts.append(f"<pre>{escape(command)}</pre>")
        parts.append(f"<table><tr><th></th><th>expected</th><th>obtained</th></tr>{rows}</table>")
        parts.append(_side_by_side(_play(pattern.crop()) for pattern in patterns[:MOST]))
    return "".join(parts)


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


_DRAWN = {
    "problem.outcome.Outcome": _outcome,
    "problem.answers.Best": _best,
    "problem.chart.Chart": _chart,
    "search.library.Listing": _listing,
    "taocp.study.StudyResult": _study,
}
