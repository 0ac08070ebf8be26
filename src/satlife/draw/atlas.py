"""Charts of an atlas: a table of its minimal boxes, and all boxes as a picture, in the terminal or as SVG.

In the picture widths grow to the right and heights downward, as the boxes themselves do; refuted boxes lie above and
to the left of a staircase, at whose inner corners are the minimal boxes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from satlife.draw.svg import document
from satlife.problem.boxes import Size, words
from satlife.problem.chart import BoxState, Chart, symmetry_of
from satlife.problem.outcome import Outcome

#: How a box is shown as text: one without a state is none of the boxes, for instance no square.
MARKS = {BoxState.REFUTED: "·", BoxState.MINIMAL: "◆", BoxState.ANSWER: "▒", BoxState.UNDECIDED: "?", None: " "}
#: What the states are called in a legend.
LEGEND = {
    BoxState.REFUTED: "none",
    BoxState.MINIMAL: "minimal",
    BoxState.ANSWER: "has one",
    BoxState.UNDECIDED: "undecided",
}
#: The colours of SVG; those of paper and ink are left to the page.
COLOURS = {
    BoxState.REFUTED: "#8884",
    BoxState.MINIMAL: "#16866f",
    BoxState.ANSWER: "#16866f55",
    BoxState.UNDECIDED: "#d9902633",
}
HEADINGS = ("box", "cells", "apgcode", "symmetry", "seconds")
EVERY = 5  # columns between two numbers of the horizontal axis
CELL, EDGE, LINE = 18, 34, 20  # pixels: of a box, left of the chart, of a line of text


def table(chart: Chart) -> str:
    """The minimal boxes, and boxes with a find that are not known to be minimal, as text; "" if there are none."""
    rows = [HEADINGS, *map(_aligned, entries(chart))]
    if len(rows) == 1:
        return ""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell.rjust(width) if k in (1, 4) else cell.ljust(width) for k, (cell, width) in pair)
        for pair in (enumerate(zip(row, widths, strict=True)) for row in rows)
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _aligned(row: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell or "-" for cell in row)


def entries(chart: Chart) -> list[tuple[str, ...]]:
    """The rows of the table: box (and the turned one), cells, apgcode, symmetry, seconds of the search."""
    return [_entry(chart, found, turned) for found, turned in chart.pairs()]


def _entry(chart: Chart, found: Outcome, turned: Size | None) -> tuple[str, ...]:
    assert found.pattern is not None
    size = found.problem.size
    box = words(size) + (f", {words(turned)}" if turned else "")
    if chart.states[size] is not BoxState.MINIMAL:
        box += " or less"
    seconds = f"{found.seconds['total']:.1f}" if "total" in found.seconds else ""
    return box, str(found.pattern.population), found.apgcode or "", symmetry_of(found), seconds


def staircase(chart: Chart, legend: bool = True) -> str:
    """All boxes as text, two characters each."""
    width, height = chart.question.size
    margin = len(str(height))
    axis = "".join(_tick(w) for w in range(1, width + 1))
    lines = [f"{'':{margin}} {axis}".rstrip()]
    for h in range(1, height + 1):
        marks = " ".join(MARKS[chart.states.get((w, h))] for w in range(1, width + 1))
        lines.append(f"{h:{margin}} {marks}".rstrip())
    if legend:
        shown = [state for state in LEGEND if chart.having(state)]
        lines += [
            "",
            "   ".join(f"{MARKS[state]} {LEGEND[state]}" for state in shown) + "   (width across, height down)",
        ]
    return "".join(f"{line}\n" for line in lines)


def _tick(width: int) -> str:
    """The number of a column, in the two characters of the column: at 1 and at multiples of EVERY."""
    return f"{width % 100:<2}" if width == 1 or width % EVERY == 0 else "  "


def markdown(chart: Chart) -> str:
    """The table in Markdown."""
    head = f"| {' | '.join(HEADINGS)} |\n| --- | ---: | --- | --- | ---: |\n"
    rows = ([f"`{cell}`" if k in (2, 3) and cell else cell for k, cell in enumerate(row)] for row in entries(chart))
    return head + "".join(f"| {' | '.join(row)} |\n" for row in rows) if chart.finds else ""


def svg(chart: Chart, title: str = "") -> str:
    """All boxes as SVG, which takes the colour of its text from the page; pointing at a box tells what is known."""
    width, height = chart.question.size
    top = EDGE + (LINE if title else 0)
    finds = {found.problem.size: found for found in chart.finds}
    body = [f'<text x="{EDGE}" y="{LINE - 4}" font-weight="bold">{escape(title)}</text>'] if title else []
    for w in range(1, width + 1):
        if w == 1 or w % EVERY == 0:
            body.append(_label(EDGE + (w - 0.5) * CELL, top - 6, str(w), "middle"))
    for h in range(1, height + 1):
        if h == 1 or h % EVERY == 0:
            body.append(_label(EDGE - 6, top + h * CELL - 5, str(h), "end"))
    for (w, h), state in sorted(chart.states.items()):
        place = f'x="{EDGE + (w - 1) * CELL}" y="{top + (h - 1) * CELL}"'
        square = f'<rect {place} width="{CELL - 1}" height="{CELL - 1}" rx="2" fill="{COLOURS[state]}"'
        body.append(
            f'{square} data-box="{w}x{h}"><title>{escape(_told(chart, (w, h), finds.get((w, h))))}</title></rect>'
        )
    body.append(_legend(chart, top + height * CELL + LINE))
    across = max(EDGE + width * CELL + 8, EDGE + 90 * len(LEGEND))
    style = 'font-family="sans-serif" font-size="12" fill="currentColor"'
    return document(across, top + height * CELL + 2 * LINE, f"<g {style}>{''.join(body)}</g>")


def _told(chart: Chart, size: Size, found: Outcome | None) -> str:
    """What is known of a box."""
    text = f"{words(size)}: {LEGEND[chart.states[size]]}"
    if found is None or found.pattern is None:
        return text
    return f"{text}, {found.apgcode or found.problem.kind}, {found.pattern.population} cells"


def _legend(chart: Chart, down: float) -> str:
    out = []
    for k, state in enumerate(state for state in LEGEND if chart.having(state)):
        x = EDGE + 90 * k
        square = f'<rect x="{x}" y="{down - 11}" width="12" height="12" rx="2" fill="{COLOURS[state]}"/>'
        out.append(square + _label(x + 18, down, LEGEND[state], "start"))
    return "".join(out)


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'
