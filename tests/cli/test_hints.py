"""A wrong command line is answered with what was probably meant."""

from __future__ import annotations

import pytest

from commands import run


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (["oscillator", "8", "9", "-p", "2"], "; did you mean 8x9?"),
        (["oscillator", "-p", "2", "8", "x", "9"], "; did you mean 8x9?"),
        (["spaceship", "5", "*", "-d", "c/4"], "; did you mean '5x*'?"),
        (["jobs", "start", "still-life", "8", "8"], "; did you mean 8x8?"),
        (["show", "xs4_33", "block.gif"], "; to write a file, say -o block.gif"),
        (["still-life", "8x8", "a file.rle"], "; to write a file, say -o 'a file.rle'"),
    ],
)
def test_what_was_meant(line: list[str], hint: str) -> None:
    refused = run(*line)
    assert refused.returncode == 2
    assert refused.stderr.splitlines()[0].endswith(hint)


@pytest.mark.parametrize(
    "line",
    [
        ["oscillator", "8", "-p", "2"],
        ["still-life", "8", "8", "8"],
        ["identify", "xs4_33", "x.gif"],
        ["show", "xs4_33", "7"],
    ],
)
def test_nothing_is_guessed(line: list[str]) -> None:
    refused = run(*line)
    assert refused.returncode == 2
    assert "did you mean" not in refused.stderr
    assert "say -o" not in refused.stderr
