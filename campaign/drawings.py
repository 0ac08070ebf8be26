"""Patterns written in every format, from the descriptions of the formats: rows of `.`, `O` and `?` in, a file out."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

from campaign.automaton import Place

Rows = tuple[str, ...]  # of the same length, of the characters . O ?
_DIGITS = "0123456789abcdefghijklmnopqrstuv"


@dataclass(frozen=True)
class Drawing:
    """The text of a file, the rows that it says, and where they are if it says so."""

    style: str
    text: str
    rows: Rows
    place: Place | None = None


def draw(rng: random.Random, rows: Rows, rule: str, styles: tuple[str, ...] | None = None) -> Drawing:
    """A random format that can express the rows, or what it can express of them: some have live cells only."""
    live = _cropped(rows)
    usable = ["rle", "rle, placed", "cells"]
    if "O" in "".join(rows):
        usable += ["rows"] if "?" in "".join(rows) or "." in "".join(rows) else []
        usable += ["life 1.05", "life 1.06", "apgcode"] if live else []
    style = rng.choice([name for name in usable if styles is None or name in styles] or ["rle"])
    match style:
        case "rle" | "rle, placed":
            place = (rng.randint(0, 3), rng.randint(0, 3)) if style != "rle" else None
            return Drawing(style, _rle(rng, rows, rule, place), rows, place)
        case "cells":
            return Drawing(style, f"!Name: a part\n!Rule: {rule}\n" + "\n".join(rows) + "\n", rows)
        case "rows":
            return Drawing(style, "\n".join(rows) + "\n", rows)
        case "life 1.05":
            body = "\n".join(row.replace("O", "*") for row in live)
            corner = (rng.randint(-3, 3), rng.randint(-3, 3))
            return Drawing(style, "#Life 1.05\n#D a part\n#P {} {}\n{}\n".format(*corner, body), live)
        case "life 1.06":
            left, top = rng.randint(-3, 3), rng.randint(-3, 3)
            points = [(x + left, y + top) for y, row in enumerate(live) for x, cell in enumerate(row) if cell == "O"]
            rng.shuffle(points)
            return Drawing(style, "#Life 1.06\n" + "".join(f"{x} {y}\n" for x, y in points), live)
        case _:
            return Drawing(style, f"xs{''.join(live).count('O')}_{_wechsler(live)}\n", live)


def _cropped(rows: Rows) -> Rows:
    """The bounding box of the live cells, if the rows have no unknown cells."""
    if "?" in "".join(rows) or "O" not in "".join(rows):
        return ()
    across = [x for row in rows for x, cell in enumerate(row) if cell == "O"]
    down = [y for y, row in enumerate(rows) if "O" in row]
    return tuple(row[min(across) : max(across) + 1] for row in rows[min(down) : max(down) + 1])


def _rle(rng: random.Random, rows: Rows, rule: str, place: Place | None) -> str:
    """Run lengths; the header says how large the box is, so that dead cells at the end of a row may be left out."""
    lines = []
    for row in rows:
        kept = row.rstrip(".") if rng.random() < 0.5 else row
        runs = [(cell, len(list(run))) for cell, run in itertools.groupby(kept)]
        lines.append("".join((str(n) if n > 1 else "") + {".": "b", "O": "o", "?": "?"}[cell] for cell, n in runs))
    comment = "#N a part\n" + ("#CXRLE Pos={},{}\n".format(*place) if place else "")
    return f"{comment}x = {len(rows[0])}, y = {len(rows)}, rule = {rule}\n{'$'.join(lines)}!\n"


def _wechsler(rows: Rows) -> str:
    """Strips of five rows, each column a digit of base 32 whose lowest bit is the top row; `z` ends a strip."""
    strips = []
    for top in range(0, len(rows), 5):
        strip = rows[top : top + 5]
        columns = (sum((row[x] == "O") << y for y, row in enumerate(strip)) for x in range(len(rows[0])))
        strips.append("".join(_DIGITS[column] for column in columns))
    return "z".join(strips)
