"""Ask questions of cellular automata with SAT solvers.

>>> import satlife
>>> found = satlife.find(satlife.spaceship((16, 5), period=3, displacement=(0, -1)))
>>> found.status, found.pattern.population
('found', 25)
>>> satlife.find(satlife.oscillator((3, 3), period=2)).apgcode
'xp2_7'
"""

import sys

from satlife.version import __version__ as __version__

TYPE_CHECKING = False  # as typing has it; our programs import nothing before they are ready for a signal
if TYPE_CHECKING:
    from typing import Any

#: What other programs call a function.
_MEANT = {
    "solve": "find", "find_one": "find", "find_all": "enumerate_all", "enumerate": "enumerate_all",
    "list_all": "enumerate_all", "solutions": "enumerate_all", "simulate": "advance",
}  # fmt: skip


class _Package(type(sys)):
    """The package, in which a room named as other programs name a function is no attribute."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _MEANT or not isinstance(value, type(sys)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def _homes(*, needed: bool = False) -> dict[str, str]:
    """Every public name, or those that most people need, and the module where it lives, as the stub beside this file
    says."""
    import re

    with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as stub:
        parts = stub.read().split("# For those who go further.\n")
    listed = parts[0] if needed else "".join(parts)
    found = re.findall(r"^from satlife\.([\w.]+) import (\w+) as \2$", listed, re.MULTILINE)
    return {name: home for home, name in found if name != "__version__"}


def __getattr__(name: str) -> "Any":
    """Load what is public when it is first used, so that a small program starts at once."""
    import importlib
    import importlib.util

    if name == "__all__":
        return list(_homes(needed=True))
    if name in _MEANT:
        raise AttributeError(f"module 'satlife' has no attribute {name!r}; did you mean {_MEANT[name]!r}?")
    if name.startswith("_") or importlib.util.find_spec(f"satlife.{name}"):
        raise AttributeError(f"module 'satlife' has no attribute {name!r}")  # the import of a module looks here first
    from satlife.draw import notebook

    homes = _homes()
    home = importlib.import_module(f"satlife.{homes.get(name, 'problem.families')}")  # a new family may have it
    value = getattr(home, name, None)
    if value is None or isinstance(value, type(sys)):
        from satlife.errors import suggestion

        raise AttributeError(f"module 'satlife' has no attribute {name!r}{suggestion(name, homes)}")
    notebook.attach()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_homes(needed=True)})
