"""The overview of all commands: for each a line, and where it is, so that `satlife --help` loads none of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class CommandEntry(NamedTuple):
    """A command that is no family of questions."""

    module: str  # with a command of this name
    words: str


#: What the families of questions find; one that is missing here says it itself.
FAMILIES = {
    "still-life": "A pattern that does not change.",
    "oscillator": "A pattern that comes back after P generations, and not earlier.",
    "spaceship": "A pattern that comes back elsewhere.",
    "predecessor": "A pattern that becomes the one in FILE.",
    "orphan": "Whether the pattern in FILE has a past at all.",
    "eater": "A still life that eats a glider, or any pattern, and recovers.",
    "catalyst": "A still life that an active pattern does not destroy.",
    "complete": "The smallest still life or oscillator with given cells in it.",
    "becomes": "A pattern that makes copies of itself, or known patterns.",
    "torus": "A pattern on a torus that comes back, or dies.",
    "wave": "An infinite wave or wick.",
    "grid": "The general case: generations of cells 0 1 * and names.",
    "search": "A question in a file, as TOML or JSON, or many of them.",
}
#: The other commands, by the panels of the help page.
COMMANDS: dict[str, dict[str, CommandEntry]] = {
    "Charts": {
        "atlas": CommandEntry("goals", "The minimal boxes of a family, and everything smaller refuted."),
    },
    "The past": {
        "core": CommandEntry("goals", "A part of an orphan that is still one, as small as can be."),
        "forced": CommandEntry("goals", "The cells that are the same in every predecessor."),
    },
    "Page": {
        "serve": CommandEntry("serve", "Start the page, on which questions are drawn and finds are played."),
    },
    "Patterns": {
        "show": CommandEntry("show", "Draw a pattern or a question, in the terminal or into a file."),
        "identify": CommandEntry("patterns", "What a pattern is, or what becomes of it."),
        "verify": CommandEntry("patterns", "Check a find or a certificate again, by other code."),
        "golly": CommandEntry("housekeeping", "A script for Golly that asks about the selection."),
    },
    "Long searches": {
        "jobs": CommandEntry("jobs", "Searches that can be stopped and resumed, on one machine or many."),
        "finds": CommandEntry("stores", "The catalogue of finds: list it, filter it, export it."),
        "searched": CommandEntry("stores", "The record of complete searches, and of refuted boxes."),
        "worker": CommandEntry("worker", "Work on units of long searches, of a cluster or a store."),
    },
    "The book and its clauses": {
        "knuth": CommandEntry("taocp", "The clauses of Knuth's programs, byte for byte."),
        "taocp": CommandEntry("taocp", "The Life questions of The Art of Computer Programming, answered."),
        "family": CommandEntry("benchmarks", "Families of formulas, with their status where it is known."),
        "encode": CommandEntry("formulas", "The clauses of a question, with the map of its variables."),
        "solve": CommandEntry("formulas", "A SAT solver: DIMACS or Knuth's format in, `s` and `v` lines out."),
        "decode": CommandEntry("decoding", "The pattern in the solution of any solver, simulated."),
        "convert": CommandEntry("patterns", "A pattern, or clauses, in another format."),
    },
    "Housekeeping": {
        "help": CommandEntry("housekeeping", "The help page of a command."),
        "devices": CommandEntry("housekeeping", "Which CPU and GPU were found, and why a GPU is or is not used."),
        "completion": CommandEntry("housekeeping", "The completion script of a shell."),
        "warm-up": CommandEntry("warmup", "Compile the kernels now rather than at first use."),
    },
}


#: What hunters call things for which there is no command of that name: where to find them.
_MAKES = "a {} leaves copies of itself or of other patterns: see `satlife becomes`"
_GROWS = "what a pattern leaves behind is no question here; `satlife identify` says how one grows"
ELSEWHERE = {
    **{name: _MAKES.format(name) for name in ("puffer", "gun", "rake", "replicator")},
    "synthesis": "gliders that make a pattern are not searched for; `satlife predecessor` finds any past of it",
    "ship": "a ship is a `satlife spaceship`",
    "soup": "`satlife identify` says what becomes of a pattern",
    "methuselah": "`satlife identify` says how long a pattern lives, and what is left of it",
    "parent": "what becomes a pattern is a `satlife predecessor`",
    "garden-of-eden": "what has no past is a `satlife orphan`",
    "wick": "an infinite wick is a `satlife wave`",
    "agar": "what fills the plane is a `satlife torus`",
}


def elsewhere(name: str, commands: Iterable[str]) -> str:
    """The end of the message that there is no such command, if it is known what is meant by it.

    >>> elsewhere("wick", ["wave"]), elsewhere("gun", ["becomes"]) == elsewhere("gun", ["wave"]), elsewhere("x", [])
    ('; an infinite wick is a `satlife wave`', False, '')
    """
    words = ELSEWHERE.get(name, "")
    if "`satlife becomes`" in words and "becomes" not in commands:
        words = _GROWS
    return words and f"; {words}"


def words_of(name: str) -> str | None:
    """The line of a command, if it has one."""
    for commands in COMMANDS.values():
        if name in commands:
            return commands[name].words
    return FAMILIES.get(name)
