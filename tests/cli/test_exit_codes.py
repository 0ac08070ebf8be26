"""All commands end alike: 1 for a file that cannot be read or understood, 2 for a wrong command line, and 141, without
a word, when nobody reads what they print."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from commands import perform, run, stream, written

#: Every way in which a command reads a file.
READERS = [
    "predecessor {}",
    "orphan {}",
    "eater --of {}",
    "catalyst {}",
    "complete {}",
    "grid {}",
    "search {}",
    "core {}",
    "forced {}",
    "still-life 4x4 --known {}",
    "still-life 4x4 --exclude {}",
    "spaceship 5x* -d c/3 --from {}",
    "atlas still-life 3x3 --exclude {}",
    "encode predecessor {}",
    "encode search {}",
    "jobs start search {}",
    "show {}",
    "identify {}",
    "convert {} out.rle",
    "convert {} out.cnf",
    "verify xs4_33 --problem {}",
    "decode {} solution",
    "solve {}",
    "knuth sat-to-dimacs {}",
    "knuth dimacs-to-sat {}",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files of which no command can make anything."""
    made = tmp_path_factory.mktemp("files")
    (made / "folder").mkdir()
    (made / "garbage").write_bytes(bytes(range(256)) * 8)
    (made / "empty").write_bytes(b"")
    return made


@pytest.mark.parametrize("line", READERS)
def test_files_that_cannot_be_read(line: str, folder: Path) -> None:
    for name in ("missing", "folder", "garbage", "empty"):
        if name == "empty" and "sat-to-dimacs" in line:
            continue  # in Knuth's format nothing is a formula, too: one without clauses
        done = run(*line.format(name).split(), cwd=folder)
        assert (done.returncode, done.stdout) == (1, ""), (name, done.stderr)
        assert len(done.stderr.splitlines()) == 1, name
        assert name in done.stderr or "empty" in done.stderr


WRONG = [
    "still-life 4x4 --known known.txt --at nowhere",
    "grid known.txt -s D5",
    "grid known.txt --population many",
    "predecessor xs4_33 -g many",
    "eater 8x8 --heading up",
    "search known.txt -s C2",
    "core xs4_33 --tries 0",
    "encode still-life 4x4 --encoding nosuch",
    "atlas still-life 3",
    "jobs start oscillator 5x5 -p 0",
    "show xs4_33 --theme pink",
    "show xs4_33 -o picture.doc",
    "convert xs4_33 pattern.doc",
    "decode a b -o picture.doc",
    "solve known.txt --time soon",
    "taocp nosuch",
    "help nosuch",
    "devices nosuch",
]


@pytest.mark.parametrize("line", [*WRONG, *(f"{line.split()[0]} --nosuch" for line in READERS)])
def test_wrong_command_lines(line: str, tmp_path: Path) -> None:
    (tmp_path / "known.txt").write_text("0 1 *\n* * *\n")
    if line.startswith("knuth"):
        pytest.skip("Knuth's programs keep his exit codes")
    done = run(*line.split(), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert 1 <= len(done.stderr.splitlines()) <= 2


class ClosedPipe(io.RawIOBase):
    """The end of a pipe that nobody reads from."""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        raise BrokenPipeError(32, "Broken pipe")


@pytest.mark.parametrize(
    "line",
    [
        "still-life 4x4",
        "still-life 4x4 --json",
        "still-life 4x4 --count-only",
        "still-life 4x4 -n 2",
        "still-life 4x4 --print-problem",
        "atlas still-life 2x2",
        "encode still-life 3x3",
        "identify xs4_33",
        "convert xs4_33 - --to rle",
        "show xs4_33",
        "show xs4_33 --phases",
        "verify xs4_33",
        "knuth",
        "knuth sat-life-grid 3 3 2",
        "taocp",
        "help",
        "--version",
        "devices",
    ],
)
def test_nobody_reads_the_output(line: str) -> None:
    out, err = io.TextIOWrapper(io.BufferedWriter(ClosedPipe(), 1), write_through=True), stream()
    assert perform(tuple(line.split()), stream(), out, err) == 141
    assert "Broken" not in written(err)
    assert "write" not in written(err)
