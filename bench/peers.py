"""satlife and its peers: a record for each program that is asked the same questions.

rlifesrc and factoriosrc sweep a box from the upper left, and a positive movement means up or left for them: the sweep
begins at the head of the ship, and this is how they are fastest.  They are asked so, upright and transposed, with both
first guesses; the images that move the other way are asked on demand.  Peers that are not on PATH are left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import satlife
from bench.programs import SATLIFE, Program, Question
from satlife.problem.command import arguments

CORES = str(len(os.sched_getaffinity(0)))


def images(question: Question) -> list[Question]:
    """The question mirrored and transposed, as far as the images differ."""
    if isinstance(question, satlife.OpenBox):
        return []
    upright = (question.width, question.height, question.displacement, question.symmetry)
    turned = (question.height, question.width, question.displacement[::-1], _swapped(question.symmetry, "|-"))
    found = [
        replace(question, width=width, height=height, displacement=(sx * dx, sy * dy), symmetry=names)
        for width, height, (dx, dy), symmetry in (upright, turned)
        for sx, sy, names in (
            (1, 1, symmetry),
            (-1, -1, symmetry),
            (1, -1, _swapped(symmetry, "/\\")),
            (-1, 1, _swapped(symmetry, "/\\")),
        )
    ]
    return list(dict.fromkeys(found))


def _swapped(symmetry: tuple[str, ...], axes: str) -> tuple[str, ...]:
    return tuple(name.translate(str.maketrans(axes, axes[::-1])) for name in symmetry)


def natural(question: Question) -> list[Question]:
    """The images in which no part of the movement is negative."""
    return [image for image in images(question) if min(image.displacement) >= 0]


def every_image(question: Question) -> list[Question]:
    """All images, the natural ones first."""
    return list(dict.fromkeys([*natural(question), *images(question)]))


def opposite(question: Question) -> list[Question]:
    """A ship in the opposite direction; an oscillator in the transposed box."""
    dx, dy = question.displacement
    return [image for image in images(question) if image != question and image.displacement == (-dx, -dy)][:1]


def _satlife(question: Question, *options: str) -> Iterator[list[str]]:
    words = arguments(question)
    assert words is not None
    yield [*SATLIFE, *words, *options]


def _terms(question: Question) -> Iterator[tuple[satlife.Problem, int, str, str]]:
    """A box with the period, the transformation after it and the static symmetry; nothing if it has more than one.

    `F-@7` of period 14 is for the peers period 7, after which the pattern returns as `F-` of itself."""
    if isinstance(question, satlife.OpenBox):
        return
    static = [name.replace("x", "X") for name in question.symmetry if "@" not in name]
    moving = [name.split("@") for name in question.symmetry if "@" in name]
    if len(static) <= 1 and len(moving) <= 1 and not (moving and any(question.displacement)):
        transformation, period = moving[0] if moving else ("", question.generations)
        yield question, int(period), transformation, "".join(static)


def _rlifesrc(question: Question) -> Iterator[list[str]]:
    for box, period, transformation, symmetry in _terms(question):
        options = _given("-r", box.rule.name) + _given("-s", symmetry) + _given("-t", transformation)
        size = [str(number) for number in (box.width, box.height, period, *box.displacement)]
        for guess in ("alive", "dead"):
            yield ["rlifesrc", "--no-tui", *options, "-c", guess, "--", *size]


def _factoriosrc(question: Question) -> Iterator[list[str]]:
    names = {"": "", "R90": "R1", "R180": "R2", "R270": "R3", "F-": "S0", "F\\": "S1", "F|": "S2", "F/": "S3"}
    for box, period, transformation, symmetry in _terms(question):
        options = _given("-r", box.rule.name) + _given("-s", symmetry) + _given("-t", names[transformation])
        dx, dy = map(str, box.displacement)
        size = [str(box.width), str(box.height), str(period), "-x", dx, "-y", dy]
        for guess in ("dead", "alive"):
            yield ["factoriosrc-tui", "--no-tui", "new", *options, "-n", guess, *size]


def _lls(question: Question) -> Iterator[list[str]]:
    """Logic Life Search takes no negative movements, and has to be told that smaller periods do not count.

    Its box contains the last generation of a period, too, which may begin a new row or column in the direction of
    motion; so it gets one more."""
    names = {
        "": (),
        "R90": ["RO1"],
        "R180": ["RO2"],
        "R270": ["RO3"],
        **{f"F{axis}": [f"RE{axis}"] for axis in "-|/\\"},
    }
    for box, period, transformation, symmetry in _terms(question):
        (dx, dy), full = box.displacement, box.generations
        size = [str(box.width + (dx != 0)), str(box.height + (dy != 0))]
        words = ["lls", "-r", box.rule.name, "-b", *size, "-p", ">=1"]
        words += ["-s", f"p{period}", f"x{dx}", f"y{dy}", *names[transformation], *_given("-s", symmetry)]
        for d in range(2, full + 1):
            if full % d == dx % d == dy % d == 0:
                words += ["-a", f"p{full // d}", f"x{dx // d}", f"y{dy // d}"]
        if min(dx, dy) >= 0:
            yield words


def _qfind(question: Question) -> Iterator[list[str]]:
    """The first ship, on all cores.  With a mirror, its width counts the columns of one half."""
    if isinstance(question, satlife.OpenBox) and question.aside == 0:
        steps = abs(question.forward)
        speed = f"{steps if steps > 1 else ''}c/{question.period}"
        half = {"none": question.width, "gutter": question.width // 2}.get(question.mirror, (question.width + 1) // 2)
        mirror = question.mirror.replace("none", "asymmetric")
        words = ["qfind", "-r", question.rule.name, "-v", speed, "-w", str(half), "-s", mirror]
        yield [*words, "-t", CORES, "-f", "1"]


def _given(option: str, value: str) -> list[str]:
    return [option, value] if value else []


_NONE = "^satlife: (there is none|no ship)"
_VERSION = (*SATLIFE, "--version")
OURS = Program("satlife", _satlife, _NONE, _VERSION)
MIRRORED = Program("mirrored", _satlife, _NONE, _VERSION, opposite)
PLAIN = Program("plain", lambda question: _satlife(question, "--strategy", "plain"), _NONE, _VERSION)
PEERS = (
    Program("rlifesrc", _rlifesrc, "^Not found", ("rlifesrc", "--version"), natural),
    Program("factoriosrc", _factoriosrc, r"\?", ("factoriosrc-tui", "--version"), natural),
    Program("lls", _lls, "^Unsatisfiab", ("lls", "-V"), natural),
    Program("qfind", _qfind, "^0 spaceships found", ("qfind", "--help")),
)


def installed(names: str, every: bool = False) -> list[Program]:
    """The peers among `names`, separated by commas, that are on PATH; `every` asks them every image of a question."""
    chosen = [peer for peer in PEERS if peer.name in names.split(",") and peer.is_installed]
    return [replace(peer, images=every_image) if every and peer.images is natural else peer for peer in chosen]
