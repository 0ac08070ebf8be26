"""What a search begins with that is not its question: the heads of ships, and searches that were saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from satlife import files
from satlife.cli import screen
from satlife.cli.families import FileTrouble, is_given, read_file
from satlife.engines.catalysts import STRATEGY as CATALYSTS
from satlife.errors import InputError
from satlife.life import formats
from satlife.life.formats import rle
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goals import Goal, ListAll
from satlife.problem.openbox import OpenBox
from satlife.problem.question import Question

SAVED_LIMIT = 1 << 30  # bytes of a saved search
#: The options that go together with a box of any length.
SUPPORTED = {
    "save", "resume", "source", "count", "jobs", "time", "memory", "device", "proof", "store", "output", "phases",
    "embed", "style", "as_json", "quiet", "verbose", "line", "goal", "named", "print_problem",
}  # fmt: skip


def begun(asked: Question, values: dict[str, Any]) -> Question:
    """The question with the heads of `--from`, which may be repeated.  What is left in `values` is the text of a saved
    search, if that is what was given; it may have heads of its own."""
    given: tuple[str, ...] = values.get("resume") or ()
    values["resume"], values["source"] = None, given[0] if len(given) == 1 else None
    strip = asked.strip
    if strip is None and asked.get(Catalyst):
        for name in ("solver", "strategy", "proof"):
            if (given or values.get("save")) and values.get(name) not in (None, CATALYSTS):
                raise InputError(f"--{name} does not go together with --save and --from: what it asks for is not saved")
        values["resume"] = saved_text(given, values)
        return asked
    if strip is None:
        able = "for an open box such as 10x* and for catalysts"
        if values.get("save"):
            raise InputError(f"--save is {able}; `satlife jobs start` saves all other searches")
        if given:
            raise InputError(f"--from is {able}; in any other box say --known FILE --at X,Y")
        return asked
    for name in values:
        if is_given(values, name) and name not in SUPPORTED:
            raise InputError(f"--{name.replace('_', '-')} does not go together with an open box")
    goal = values.get("goal")  # of a file; what has a command of its own is refused by its view
    if isinstance(goal, Goal) and goal.options and (not isinstance(goal, ListAll) or goal.distinct):
        raise InputError(f"in a box of any length one {asked.noun} is sought, or all of them are listed")
    box = strip.every(1) if given or values.get("save") else strip  # what is saved is the search of one period
    if begins(given, values):
        return box
    texts = [(file, read_file(file, partial(files.read_text, limit=SAVED_LIMIT))) for file in given]
    saved = [(file, text) for file, text in texts if text.lstrip().startswith("{")]
    if saved and len(texts) > 1:
        raise FileTrouble(f"{files.shown(saved[0][0])}: a saved search goes on alone, without other heads")
    if saved:
        values["resume"] = saved[0][1]
        return _as_saved(box, saved[0][1])
    if not texts:
        return box
    return _with_heads(box, texts)


def _with_heads(box: OpenBox, texts: list[tuple[str, str]]) -> OpenBox:
    """The question for ships that begin with a head in these files, each a name and a text; an error if there is none
    with which a ship can begin.  Of every other head it is said why no ship begins with it."""
    from satlife.engines.rows.question.strip import Strip
    from satlife.engines.rows.ships import begun_with
    from satlife.life import several

    Strip.of(box)  # what is wrong with its columns is not the fault of a head
    unfit = []
    for file, text in texts:
        parts = several.split(text)
        for number, part in enumerate(parts, 1):
            place = files.shown(file) + (f", head {number} of {len(parts)}" if len(parts) > 1 else "")
            try:
                with_head = box.with_heads(formats.parse(part, unknown=True))
                begun_with(box, box.upward(rle.parse(with_head.heads[-1])))
            except InputError as error:
                unfit.append(f"{place}: {error}")
            else:
                box = with_head
    if unfit and not box.heads:
        raise FileTrouble(unfit[0] if len(unfit) == 1 else f"{unfit[0]}; nor can a ship begin with any other of them")
    screen.say(*(f"satlife: {words}; the others are searched" for words in unfit))
    return box


def begins(given: tuple[str, ...], values: Mapping[str, Any]) -> bool:
    """Whether what a search goes on from is what it will save, and is not there yet."""
    if given != (values.get("save"),) or not files.is_missing(given[0]):
        return False
    screen.say(f"satlife: there is no {given[0]} yet; the search begins")
    return True


def saved_text(given: tuple[str, ...], values: Mapping[str, Any]) -> str | None:
    """The text of the one saved search that a search for catalysts goes on from."""
    if not given or begins(given, values):
        return None
    if len(given) > 1:
        raise InputError("a search for catalysts goes on from one saved search")
    return read_file(given[0], partial(files.read_text, limit=SAVED_LIMIT))


def _as_saved(box: OpenBox, text: str) -> OpenBox:
    """The question with the heads of a saved search, if it is otherwise the same; about anything else the search itself
    has words."""
    import json

    try:
        saved = OpenBox.from_dict(json.loads(text)["partials of"])
    except (ValueError, KeyError, TypeError, RecursionError, InputError):
        return box
    return saved if replace(saved, heads=box.heads) == box else box
