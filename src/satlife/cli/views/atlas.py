"""How an atlas is shown: as a table and a chart, and in files of several formats."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from satlife import files
from satlife.cli import report
from satlife.cli.views import View
from satlife.draw import atlas as draw
from satlife.engines.events import Charted, Event, Found, Progress, ProofChecked, RuledOut
from satlife.errors import InputError
from satlife.life.formats import FORMATTERS
from satlife.problem.answers import Answer
from satlife.problem.boxes import must_be_free, words
from satlife.problem.chart import Chart
from satlife.problem.command import command
from satlife.problem.goals import Atlas

STYLES = ("table", "markdown", "rle", "cells", "svg", "json")
ENDINGS = {".md": "markdown", ".rle": "rle", ".cells": "cells", ".svg": "svg", ".json": "json"}
UNDRAWN = (".png", ".gif", ".apng", ".html")
Target = tuple[str | None, str]  # a file, or None for stdout, and a format


class AtlasView(View):
    """The boxes as they are decided; in the end the chart, also after Ctrl-C."""

    goals = frozenset({Atlas})
    chart: Chart | None = None

    @classmethod
    def report(cls, values: Mapping[str, Any]) -> report.Report:
        style = "json" if any(style == "json" and name in (None, "-") for name, style in targets(values)) else "rle"
        return report.Report(style, None, values["quiet"], values["verbose"], None, values.get("line"))

    def check(self) -> None:
        must_be_free(self.request.question.in_a_box("an atlas"))
        drawn = [name for name, _ in targets(self.request.values) if Path(name or "").suffix.lower() in UNDRAWN]
        if drawn or self.request.values.get("phases"):
            raise InputError("a chart is drawn as one picture, into an .svg")

    def files(self) -> list[str | None]:
        return [name for name, _ in targets(self.request.values)]

    def hear(self, event: Event) -> None:
        match event:
            case Charted():
                self.chart = event.chart
                if self.line.active:
                    self.line.picture = draw.staircase(event.chart, legend=False).splitlines()
            case Progress():
                self.line(replace(event, partial=()))
            case Found():
                self.out.note(f"{words(event.outcome.problem.size)}: {event.outcome}")
            case ProofChecked():
                self.line.hear(event)
            case RuledOut() if self.out.verbose:
                self.out.note(f"none in {words(event.question.size)}")

    def stopped(self) -> None:
        if self.chart is not None:
            self.show(replace(self.chart, reason="interrupted"))

    def show(self, answer: Answer) -> int:
        """Write the chart in all formats, and what is known in a sentence."""
        assert isinstance(answer, Chart)
        chart, out = answer, self.out
        for target, style in targets(self.request.values):
            if style == "json" and target in (None, "-"):
                out.write_json(chart.to_dict())
            elif out.line and style != "svg":  # beside the answers of other lines
                files.append(target or "-", formatted(chart, style).encode())
            else:
                files.write(target or "-", [formatted(chart, style).encode()])
        if parities := chart.parities():
            out.note(f"with this symmetry {parities}")
        out.note(f"{chart.summary()} ({chart.seconds:.1f} s)")
        if not chart.complete and chart.smallest_undecided:
            shown = ", ".join(words(size) for size in chart.smallest_undecided[:8])
            out.note(f"the smallest undecided: {shown}")
        out.certificate(chart.proof)
        return self.code(chart.status, chart.complete, chart.proof)


def targets(values: Mapping[str, Any]) -> tuple[Target, ...]:
    """Where a chart is written, and in which formats: that which is named, or else that of the file."""
    given, names = "json" if values["as_json"] else values["style"], values["output"] or ()
    names = (names,) if isinstance(names, str) else names
    return tuple((name, given or style_of(name)) for name in names) or ((None, given or "table"),)


def style_of(name: str) -> str:
    """The format of a file, by its ending."""
    return ENDINGS.get(Path(name).suffix.lower(), "table")


def formatted(chart: Chart, style: str) -> str:
    """A chart in one of the formats."""
    match style:
        case "json":
            return json.dumps(chart.to_dict()) + "\n"
        case "svg":
            return draw.svg(chart, command(chart.question, program=())) + "\n"
        case "markdown":
            return draw.markdown(chart)
        case "table":
            return "\n".join(filter(None, (draw.table(chart), draw.staircase(chart))))
    patterns = [found for found, _ in chart.pairs()]
    if style == "rle":
        return "".join(found.rle() for found in patterns)
    return "".join(FORMATTERS[style](found.pattern.crop()) for found in patterns if found.pattern is not None)
