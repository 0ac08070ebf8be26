"""Ask questions of cellular automata with SAT solvers.

>>> import satlife
>>> found = satlife.find(satlife.spaceship((16, 5), period=3, displacement=(0, -1)))
>>> found.status, found.pattern.population
('found', 25)
>>> satlife.find(satlife.oscillator((3, 3), period=2)).apgcode
'xp2_7'
"""

import sys

TYPE_CHECKING = False  # as typing has it; our programs import nothing before they are ready for a signal
if TYPE_CHECKING:
    from typing import Any

    from satlife.engines.options import Options
    from satlife.errors import InputError, LimitError, SatlifeError, SolverError
    from satlife.life.identify import Identity, identify
    from satlife.life.pattern import Pattern
    from satlife.life.rule import Rule
    from satlife.problem.families import (
        eater,
        grid,
        orphan,
        oscillator,
        predecessor,
        spaceship,
        still_life,
        torus,
        wave,
    )
    from satlife.problem.outcome import Best, Outcome
    from satlife.problem.problem import Problem
    from satlife.problem.verify import check
    from satlife.search.enumerate import Listing, enumerate_all
    from satlife.search.find import find
    from satlife.search.optimise import optimise

__version__ = "0.1.0"

#: Every public name and where it lives; loaded when first used, so that a small program starts at once.
_HOME = {
    "InputError": "errors",
    "LimitError": "errors",
    "SatlifeError": "errors",
    "SolverError": "errors",
    "Identity": "life.identify",
    "identify": "life.identify",
    "Pattern": "life.pattern",
    "Rule": "life.rule",
    "Problem": "problem.problem",
    "eater": "problem.families",
    "grid": "problem.families",
    "orphan": "problem.families",
    "oscillator": "problem.families",
    "predecessor": "problem.families",
    "spaceship": "problem.families",
    "still_life": "problem.families",
    "torus": "problem.families",
    "wave": "problem.families",
    "check": "problem.verify",
    "find": "search.find",
    "Listing": "search.enumerate",
    "enumerate_all": "search.enumerate",
    "optimise": "search.optimise",
    "Outcome": "problem.outcome",
    "Options": "engines.options",
    "Best": "problem.outcome",
}

__all__ = [  # noqa: RUF022 - in the order of _HOME, which a test compares
    "InputError", "LimitError", "SatlifeError", "SolverError", "Identity", "identify", "Pattern", "Rule", "Problem",
    "eater", "grid", "orphan", "oscillator", "predecessor", "spaceship", "still_life", "torus", "wave", "check", "find",
    "Listing", "enumerate_all", "optimise", "Outcome", "Options", "Best",
]  # fmt: skip


def __getattr__(name: str) -> "Any":
    if name not in _HOME:
        raise AttributeError(f"module 'satlife' has no attribute {name!r}")
    import importlib

    from satlife.draw import notebook

    value = getattr(importlib.import_module(f"satlife.{_HOME[name]}"), name)
    outcomes = sys.modules.get("satlife.problem.outcome")  # loaded with everything that has outcomes
    notebook.attach(getattr(outcomes, "Outcome", None))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
