"""How answers are shown in the shell: a view for each goal, in the module of the same name as that of the goal, and one
for boxes of any length."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from satlife.cli.views.view import View

if TYPE_CHECKING:
    from satlife.problem.ask import Ask


def view_kind(ask: Ask) -> type[View]:
    """The view for an ask."""
    for room in ("strip", ask.goal.room) if ask.question.strip else (ask.goal.room,):
        for kind in vars(importlib.import_module(f"{__name__}.{room}")).values():
            if isinstance(kind, type) and issubclass(kind, View) and type(ask.goal) in kind.goals:
                return kind
    raise LookupError(f"no view for the goal {ask.goal.name!r}")
