"""Ask questions of cellular automata with SAT solvers.

>>> import satlife
>>> found = satlife.find(satlife.spaceship((16, 5), period=3, displacement=(0, -1)))
>>> found.status, found.pattern.population
('found', 25)
>>> satlife.find(satlife.oscillator((3, 3), period=2)).apgcode
'xp2_7'
"""

TYPE_CHECKING = False  # as typing has it; our programs import nothing before they are ready for a signal
if TYPE_CHECKING:
    from typing import Any

    from satlife.draw.progress import watching
    from satlife.engines.engine import Progress
    from satlife.engines.options import Options
    from satlife.errors import InputError, LimitError, SatlifeError, SolverError
    from satlife.life.identify import Identity, identify
    from satlife.life.pattern import Pattern
    from satlife.life.rule import Rule
    from satlife.life.simulate import advance
    from satlife.problem.cell import Cell
    from satlife.problem.conditions.population import Bound
    from satlife.problem.families import (
        eater,
        grid,
        open_spaceship,
        orphan,
        oscillator,
        predecessor,
        spaceship,
        still_life,
        torus,
        wave,
    )
    from satlife.problem.grid import parse_grid
    from satlife.problem.openbox import OpenBox
    from satlife.problem.outcome import Best, Certificate, Outcome, Status
    from satlife.problem.problem import Problem
    from satlife.problem.verify import check
    from satlife.proof.ask import certify, check_certificate
    from satlife.search.count import Count, count
    from satlife.search.enumerate import Listing, enumerate_all
    from satlife.search.find import find
    from satlife.search.optimise import optimise
    from satlife.search.ships import Ships, open_ships
    from satlife.taocp.studies import study
    from satlife.taocp.study import StudyResult

__version__ = "0.1.0"

#: Every public name and where it lives; loaded when first used, so that a small program starts at once.
_HOME = {
    "errors": "InputError LimitError SatlifeError SolverError",
    "life.identify": "Identity identify",
    "life.pattern": "Pattern",
    "life.rule": "Rule",
    "life.simulate": "advance",
    "problem.cell": "Cell",
    "problem.conditions.population": "Bound",
    "problem.problem": "Problem",
    "problem.openbox": "OpenBox",
    "problem.families": "eater grid open_spaceship orphan oscillator predecessor spaceship still_life torus wave",
    "problem.grid": "parse_grid",
    "problem.verify": "check",
    "problem.outcome": "Best Certificate Outcome Status",
    "engines.engine": "Progress",
    "engines.options": "Options",
    "search.find": "find",
    "search.enumerate": "Listing enumerate_all",
    "search.count": "Count count",
    "search.optimise": "optimise",
    "search.ships": "Ships open_ships",
    "proof.ask": "certify check_certificate",
    "taocp.study": "StudyResult",
    "taocp.studies": "study",
    "draw.progress": "watching",
}
_HOMES = {name: home for home, names in _HOME.items() for name in names.split()}

__all__ = [  # noqa: RUF022 - in the order of _HOME, which a test compares
    "InputError", "LimitError", "SatlifeError", "SolverError", "Identity", "identify", "Pattern", "Rule", "advance",
    "Cell", "Bound", "Problem", "OpenBox", "eater", "grid", "open_spaceship", "orphan", "oscillator", "predecessor",
    "spaceship", "still_life", "torus", "wave", "parse_grid", "check", "Best", "Certificate", "Outcome", "Status",
    "Progress", "Options", "find", "Listing", "enumerate_all", "Count", "count", "optimise", "Ships", "open_ships",
    "certify", "check_certificate", "StudyResult", "study", "watching",
]  # fmt: skip


def __getattr__(name: str) -> "Any":
    if name not in _HOMES:
        raise AttributeError(f"module 'satlife' has no attribute {name!r}")
    import importlib

    from satlife.draw import notebook

    value = getattr(importlib.import_module(f"satlife.{_HOMES[name]}"), name)
    notebook.attach()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
