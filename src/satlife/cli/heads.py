"""The heads of ships in the files of --from.  Those with which a ship can begin are searched; of every other one it is
said why no ship does."""

from __future__ import annotations

from satlife import files
from satlife.cli import screen
from satlife.cli.families import FileTrouble
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.ships import begun_with
from satlife.errors import InputError
from satlife.life import formats, several
from satlife.life.formats import rle
from satlife.problem.openbox import OpenBox


def begin(box: OpenBox, texts: list[tuple[str, str]]) -> OpenBox:
    """The question for ships that begin with a head in these files, each a name and a text; an error if there is none
    with which a ship can begin."""
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
