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

    from satlife.engines.events import Charted, Found, Improved, Note, Progress, RuledOut, Shrunk
    from satlife.engines.options import Options
    from satlife.errors import ArgumentError, InputError, LimitError, SatlifeError, SolverError
    from satlife.life.identify import Identity, identify
    from satlife.life.letters import letters
    from satlife.life.pattern import Pattern
    from satlife.life.rule import Rule
    from satlife.life.simulate import advance
    from satlife.problem.answers import Best, Count, Listed, Smallest
    from satlife.problem.anybox import AnyBox
    from satlife.problem.ask import Ask
    from satlife.problem.cell import Cell
    from satlife.problem.chart import BoxState, Chart
    from satlife.problem.completion import Completion
    from satlife.problem.conditions.population import Bound
    from satlife.problem.families import (
        catalyst,
        complete,
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
    from satlife.problem.goal import (
        Atlas,
        CountAll,
        FindCore,
        FindForced,
        FindOne,
        ListAll,
        Optimise,
        SmallestBox,
    )
    from satlife.problem.grid import parse_grid
    from satlife.problem.measures import Measure
    from satlife.problem.openbox import OpenBox
    from satlife.problem.outcome import Certificate, Outcome, Status
    from satlife.problem.pasts import Core, Forced
    from satlife.problem.problem import Problem
    from satlife.problem.verify import check
    from satlife.proof.api import certify, check_certificate
    from satlife.search.answer import answer
    from satlife.search.library import (
        Listing,
        atlas,
        core,
        count,
        enumerate_all,
        find,
        forced,
        maximise,
        maximize,
        minimise,
        minimize,
        open_ships,
        optimise,
        optimize,
    )
    from satlife.search.progress import watching
    from satlife.taocp.studies import study
    from satlife.taocp.study import StudyResult

__version__ = "0.1.0"

#: Every public name and where it lives; loaded when first used, so that a small program starts at once.
_HOME = {
    "errors": "ArgumentError InputError LimitError SatlifeError SolverError",
    "life.identify": "Identity identify",
    "life.letters": "letters",
    "life.pattern": "Pattern",
    "life.rule": "Rule",
    "life.simulate": "advance",
    "problem.cell": "Cell",
    "problem.conditions.population": "Bound",
    "problem.problem": "Problem",
    "problem.openbox": "OpenBox",
    "problem.anybox": "AnyBox",
    "problem.completion": "Completion",
    "problem.families": (
        "catalyst complete eater grid open_spaceship orphan oscillator predecessor spaceship still_life torus wave"
    ),
    "problem.grid": "parse_grid",
    "problem.verify": "check",
    "problem.outcome": "Certificate Outcome Status",
    "problem.answers": "Best Count Listed Smallest",
    "problem.pasts": "Core Forced",
    "problem.chart": "BoxState Chart",
    "problem.ask": "Ask",
    "problem.goal": "Atlas CountAll FindCore FindForced FindOne ListAll Optimise SmallestBox",
    "problem.measures": "Measure",
    "engines.events": "Charted Found Improved Note Progress RuledOut Shrunk",
    "engines.options": "Options",
    "search.answer": "answer",
    "search.library": (
        "Listing atlas core count enumerate_all find forced maximise maximize minimise minimize open_ships optimise "
        "optimize"
    ),
    "proof.api": "certify check_certificate",
    "taocp.study": "StudyResult",
    "taocp.studies": "study",
    "search.progress": "watching",
}
#: What other programs call a function.
_MEANT = {"solve": "find", "enumerate": "enumerate_all", "list_all": "enumerate_all", "simulate": "advance"}
_HOMES = {name: home for home, names in _HOME.items() for name in names.split()}

__all__ = [  # noqa: RUF022 - in the order of _HOME, which a test compares
    "ArgumentError", "InputError", "LimitError", "SatlifeError", "SolverError", "Identity", "identify", "letters",
    "Pattern", "Rule", "advance", "Cell", "Bound", "Problem", "OpenBox", "AnyBox", "Completion", "catalyst",
    "complete", "eater", "grid", "open_spaceship", "orphan", "oscillator", "predecessor", "spaceship", "still_life",
    "torus", "wave", "parse_grid", "check", "Certificate", "Outcome", "Status", "Best", "Count", "Listed",
    "Smallest", "Core", "Forced", "BoxState", "Chart", "Ask", "Atlas", "CountAll", "FindCore", "FindForced",
    "FindOne", "ListAll", "Optimise", "SmallestBox", "Measure", "Charted", "Found", "Improved", "Note", "Progress",
    "RuledOut", "Shrunk", "Options", "answer", "Listing", "atlas", "core", "count", "enumerate_all", "find",
    "forced", "maximise", "maximize", "minimise", "minimize", "open_ships", "optimise", "optimize", "certify",
    "check_certificate", "StudyResult", "study", "watching",
]  # fmt: skip


def __getattr__(name: str) -> "Any":
    import importlib
    import importlib.util

    if name not in _HOMES and (name.startswith("_") or importlib.util.find_spec(f"satlife.{name}")):
        raise AttributeError(f"module 'satlife' has no attribute {name!r}")  # the import of a module looks here first
    from satlife.draw import notebook

    home = importlib.import_module(f"satlife.{_HOMES.get(name, 'problem.families')}")  # a new family may have it
    if not hasattr(home, name):
        from satlife.errors import suggestion

        meant = f"; did you mean {_MEANT[name]!r}?" if name in _MEANT else suggestion(name, _HOMES)
        raise AttributeError(f"module 'satlife' has no attribute {name!r}{meant}")
    value = getattr(home, name)
    notebook.attach()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
