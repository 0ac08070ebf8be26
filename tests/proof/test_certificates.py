"""Certificates: made from the shell, checked without the search, and refused when anything in them is changed."""

from __future__ import annotations

import errno
import hashlib
import importlib
import json
import lzma
import os
import resource
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import satlife
from commands import BIN, program, run
from events import PATIENCE, until
from satlife.cnf.formula import Formula
from satlife.encode.encoder import encode
from satlife.engines.options import Options
from satlife.errors import InputError, LimitError
from satlife.life.pattern import Pattern
from satlife.life.rule import Rule
from satlife.problem import orbits
from satlife.problem.cell import grid_of
from satlife.problem.outcome import Certificate, Find
from satlife.problem.problem import Problem
from satlife.problem.verify import Refuted
from satlife.proof import certify, drat
from satlife.proof.checker import check
from satlife.proof.claims.best import ClaimBest, ClaimSmallest
from satlife.proof.claims.claim import Claim
from satlife.proof.claims.find import ClaimFound, ClaimNone
from satlife.proof.claims.lists import ClaimAll
from satlife.proof.drat import Steps
from satlife.proof.verify import Doubted, verify


@pytest.mark.parametrize(
    ("command", "code", "kind", "proofs", "words"),
    [
        ("still-life 3x3 --cells 2", 20, "none", 1, "live cells in generation 0 is ==2"),
        ("spaceship 4x3 -p 4 -d 1,1", 0, "found", 0, "There is a pattern"),
        ("still-life 4x4 -n all --distinct", 0, "all", 1, "exactly 13 patterns, up to rotation"),
        ("orphan xs4_33 --count-only -r B2/S0", 0, "all", 1, "exactly 86 patterns"),
        ("still-life 4x4 --maximize", 0, "best", 1, "The largest number of live cells in generation 0 is 8"),
        ("oscillator 4x4 -p 2 --minimize --measure phase", 0, "best", 2, "the generation with the fewest is 3"),
        ("oscillator 6x6 -p 4 --minimize --measure generations", 0, "best", 0, "which is 2 at least"),
        ("still-life 5x5 --smallest", 0, "smallest", 3, "The smallest box with such a pattern is 2x2"),
        ("torus 3x3 -p 2", 20, "none", 1, "torus of 3x3"),
        ("oscillator 4x4 -p 4 -r B03/S23", 20, "none", 1, "everything outside is the background"),
        ("spaceship 4x4 -p 1 -d 1,0 -r /2/3", 0, "found", 0, "B2/S/C3"),
        (
            "wave 3x3 -p 1 -r B3/S12 -n all --distinct",
            0,
            "all",
            1,
            "rotation by 180 degrees, reflection and translation,",
        ),
        ("torus 2x2 -p 5 --smallest", 20, "smallest", 3, "No box up to 2x2 has a pattern"),
        (
            "oscillator 3x2 -p 4 --minimize --measure generations",
            20,
            "best",
            3,
            "4 or fewer generations, which is 2 at",
        ),
    ],
)
def test_certificates_from_the_shell(
    command: str, code: int, kind: str, proofs: int, words: str, tmp_path: Path
) -> None:
    folder = tmp_path / "certificate"
    made = run(*command.split(), "--proof", str(folder))
    assert made.returncode == code, made.stderr
    assert f"certificate in {folder}, checked" in made.stderr
    assert words in (folder / "statement.txt").read_text()
    certificate = json.loads((folder / "certificate.json").read_text())
    assert certificate["claim"]["kind"] == kind
    assert len(certificate["parts"]) == proofs
    checked = run("verify", str(folder))
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.count("ok  proof ") == proofs
    assert checked.stdout.splitlines()[-1] == f"verified: {folder}"
    assert not list(tmp_path.glob(".*"))


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A certificate of each sort, to be damaged."""
    folder = tmp_path_factory.mktemp("certificates")
    certify.find(satlife.spaceship((6, 4), 3, (0, -1)), folder / "none")
    still = satlife.still_life((4, 4))
    finds = tuple(Find(outcome.phases) for outcome in satlife.enumerate_all(still))
    certify.certify(ClaimAll(still, finds), folder / "all")
    best = satlife.optimise(still, largest=True)
    assert best.value == 8
    claim = ClaimBest(still, (Find(best.outcome.phases),), measure="cells", largest=True, value=8)
    certify.certify(claim, folder / "best")
    made = {kind: folder / kind for kind in ("none", "all", "best")}
    assert all(list(verify(whole)) for whole in made.values())
    return made


def edit(path: Path, change: Callable[[str], str]) -> None:
    before = path.read_text()
    after = change(before)
    assert after != before, path
    path.write_text(after)


def edit_proof(path: Path, change: Callable[[Steps], Steps]) -> None:
    steps = change(drat.read(lzma.decompress(path.read_bytes())))
    path.write_bytes(lzma.compress(drat.write(steps)))


def without_lemmas(steps: Steps) -> Steps:
    """Nothing but the last two lemmas."""
    added = np.nonzero(~steps.deletes)[0][-2:]
    starts = [0, *steps.ends.tolist()]
    return Steps.of([("a", steps.literals[starts[k] : starts[k + 1]].tolist()) for k in added.tolist()])


def flipped(steps: Steps) -> Steps:
    literals = steps.literals.copy()
    literals[: len(literals) // 2] *= -1
    return Steps(literals, steps.ends, steps.deletes)


def twice(text: str) -> str:
    lines = text.splitlines()
    return "\n".join([*lines[:-1], lines[0]]) + "\n"


def swap(name: str, old: str, new: str) -> Callable[[Path], object]:
    return lambda folder: edit(folder / name, lambda text: text.replace(old, new))


def prove(change: Callable[[Steps], Steps]) -> Callable[[Path], object]:
    return lambda folder: edit_proof(folder / "1/proof.drat.xz", change)


def cut(name: str, length: int) -> Callable[[Path], object]:
    return lambda folder: os.truncate(folder / name, length)


def list_anew(*finds: str) -> Callable[[Path], object]:
    lines = "".join(json.dumps({"generations": [find]}) + "\n" for find in finds)
    return lambda folder: (folder / "finds.jsonl").write_text(lines)


#: The certificate, what is done to it, how, and the step that notices.
TAMPERING: list[tuple[str, str, Callable[[Path], object], str]] = [
    ("none", "words", swap("statement.txt", "6x4", "16x4"), "statement: "),
    ("none", "no words", lambda folder: (folder / "statement.txt").unlink(), "files: cannot read"),
    ("none", "question", swap("problem.json", "[6, 4]", "[10, 4]"), "problem: "),
    ("none", "part's question", swap("1/problem.json", "[6, 4]", "[10, 4]"), "part 1: "),
    ("none", "claim", swap("certificate.json", "   6,", "   10,"), "statement: "),
    ("none", "kind", swap("certificate.json", '"none"', '"all"'), "statement: "),
    ("none", "digest", swap("certificate.json", '256": "', '256": "0'), "formula 1: "),
    ("none", "map", swap("1/variables.txt", "0,0@0 1", "0,0@0 2"), "formula 1: "),
    ("none", "flipped literals", prove(flipped), "proof 1: "),
    ("none", "dropped lemmas", prove(without_lemmas), "proof 1: "),
    ("none", "no proof", lambda folder: (folder / "1/proof.drat.xz").unlink(), "proof 1: cannot read"),
    ("none", "empty proof", cut("1/proof.drat.xz", 0), "proof 1: "),
    ("none", "cut off", cut("1/proof.drat.xz", 300), "proof 1: "),
    ("none", "half a certificate", cut("certificate.json", 200), "files: "),
    ("none", "no JSON", lambda folder: (folder / "certificate.json").write_text("[" * 100_000), "files: "),
    ("none", "another part", swap("certificate.json", '"parts": [', '"parts": [{},'), "parts: "),
    ("all", "a find less", lambda folder: edit(folder / "finds.jsonl", lambda text: text.split("\n", 1)[1]), "files: "),
    ("all", "a find twice", lambda folder: edit(folder / "finds.jsonl", twice), "patterns: a find is listed twice"),
    ("best", "value", swap("certificate.json", '"value": 8', '"value": 7'), "statement: "),
    ("best", "another pattern", list_anew("2o$2o!"), "statement: "),
    ("best", "no pattern", list_anew("4o9x!"), "files: "),
]


@pytest.mark.parametrize(("kind", "what", "damage", "step"), TAMPERING, ids=[f"{row[0]}-{row[1]}" for row in TAMPERING])
def test_tampering_is_caught(
    kind: str, what: str, damage: Callable[[Path], object], step: str, originals: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(originals[kind], folder)
    damage(folder)
    with pytest.raises(Doubted) as caught:
        list(verify(folder))
    assert str(caught.value).startswith(step), caught.value


def forge(folder: Path, claim: Claim) -> None:
    """Write a certificate whose words, digests and files all agree, with the proof that is there already."""
    from satlife.proof import bundle
    from satlife.proof.bundle import Part
    from satlife.proof.plain import Plain

    proof = drat.read(lzma.decompress((folder / "1" / "proof.drat.xz").read_bytes()))
    shutil.rmtree(folder)
    folder.mkdir()
    parts = []
    for problem in claim.refutations:
        plain = Plain(problem)
        parts.append(Part(problem, plain, plain.formula(claim.blocked()), proof))
    bundle.write(folder, claim, parts, {})


def test_consistent_forgeries_are_caught(originals: dict[str, Path], tmp_path: Path) -> None:
    """A false claim, told consistently in all files, still lacks a proof or a pattern."""
    glider = satlife.find(satlife.spaceship((5, 5), 4, (1, 1)))
    still = satlife.still_life((5, 5))
    poor = satlife.find(satlife.still_life((5, 5), population="==12"))
    assert glider
    assert poor
    larger = satlife.find(satlife.still_life((4, 4), population=">=8"))
    forgeries = [
        ("none", ClaimNone(satlife.spaceship((4, 3), 4, (1, 1))), "proof 1: "),
        ("none", ClaimNone(satlife.spaceship((5, 6), 4, (0, -2))), "proof 1: "),
        ("none", ClaimFound(satlife.spaceship((5, 5), 4, (0, -2)), (Find(glider.phases),)), "patterns: "),
        ("best", ClaimBest(still, (Find(poor.phases),), measure="cells", largest=True, value=12), "proof 1: "),
        ("best", ClaimBest(still, (Find(poor.phases),), measure="cells", largest=True, value=16), "patterns: "),
        ("all", ClaimAll(satlife.still_life((2, 3)), ()), "proof 1: "),
        ("none", ClaimSmallest(still, (Find(larger.phases),), box=(4, 4)), "proof "),
    ]
    for kind, claim, step in forgeries:
        folder = tmp_path / "forged"
        shutil.copytree(originals[kind], folder)
        forge(folder, claim)
        with pytest.raises(Doubted) as caught:
            list(verify(folder))
        assert str(caught.value).startswith(step), (claim, caught.value)
        shutil.rmtree(folder)


def given_in_the_middle() -> Problem:
    blinker = (("0", "0", "0"), ("1", "1", "1"), ("0", "0", "0"))
    full = (("1",) * 3,) * 3
    return Problem(3, 3, periodic=False, generations=4, nonempty=False, cells=grid_of((blinker, (), full, (), blinker)))


@pytest.mark.parametrize(
    "claim",
    [
        # There is no period-3 oscillator in a small box, which says nothing about longer periods.
        lambda: ClaimBest(satlife.oscillator((4, 4), 2), measure="generations", largest=True, value=2),
        # With a bound on the start there may be none one step back and some two steps back.
        lambda: ClaimBest(
            satlife.predecessor(Pattern.from_rows(["O.O", ".O."]), 1, population="<=4"),
            measure="generations",
            largest=True,
            value=1,
        ),
        lambda: ClaimBest(
            satlife.predecessor(Pattern.from_rows(["O"]), 2, rule="B03/S23"),
            measure="generations",
            largest=True,
            value=2,
        ),
        lambda: ClaimBest(satlife.oscillator((9, 6), 3, population="<=40@2"), measure="generations", value=3),
        lambda: ClaimBest(satlife.oscillator((5, 5), 4, symmetry="R90@1"), measure="generations", value=4),
        lambda: ClaimBest(given_in_the_middle(), measure="generations", value=2),
        lambda: ClaimBest(satlife.predecessor(Pattern.from_rows(["OOO"]), 2), measure="generations", value=7),
        lambda: ClaimBest(satlife.oscillator((4, 4), 2), measure="rotor", value=4),
        lambda: ClaimBest(satlife.oscillator((4, 4), 2), measure="cells@" + "0" * 5000, value=4),
        lambda: ClaimSmallest(satlife.oscillator((4, 4), 2), box=(9, 9)),
        lambda: ClaimSmallest(satlife.still_life((1400, 700)), box=(2, 2)),
        lambda: ClaimAll(satlife.still_life((3, 3), rule="B3/S2?3"), distinct=True),
        lambda: ClaimNone(satlife.oscillator((4, 4), 2, strict=True)),
        lambda: ClaimNone(Problem(3, 1, generations=2, open_end=True)),
    ],
)
def test_claims_that_do_not_follow_are_refused(claim: Callable[[], Claim]) -> None:
    with pytest.raises((InputError, LimitError)):
        len(claim().refutations)


def test_the_same_pattern_is_not_listed_as_another() -> None:
    still = satlife.still_life((4, 4))
    finds = tuple(Find(outcome.phases) for outcome in satlife.enumerate_all(still))
    ClaimAll(still, finds).check_finds()
    with pytest.raises(Refuted, match="twice"):
        ClaimAll(still, finds, distinct=True).check_finds()


def test_what_is_excluded_cannot_smuggle_words_into_the_statement() -> None:
    problem = satlife.still_life((4, 4), exclude=["2o$2o! anywhere.\n* It may lie in any larger box"])
    assert problem.to_dict()["exclude"] == ["2o$2o!"]
    assert "larger box" not in ClaimNone(problem).statement()


@pytest.mark.parametrize(
    ("size", "wrap", "rule"),
    [
        ((4, 3), "x", "B3/S12"),
        ((4, 3), "", "B3/S23"),
        ((3, 3), "xy", "B3/S23"),
        ((2, 4), "", "B2/S34H"),
        ((4, 3), "xy", "B568/S018"),
    ],
)
def test_orbits_have_one_definition(size: tuple[int, int], wrap: str, rule: str) -> None:
    """The canonical form is the same for two answers if and only if one is an image of the other."""
    problem = Problem(*size, Rule.parse(rule), wrap=("x" in wrap, "y" in wrap))
    answers = [outcome.phases for outcome in satlife.enumerate_all(problem)]
    forms = {phases[0].tobytes(): orbits.canonical(problem, phases) for phases in answers}
    for phases in answers:
        images = {image[0].tobytes() for image in orbits.images(problem, phases)}
        assert {form for start, form in forms.items() if start in images} == {forms[phases[0].tobytes()]}
        assert sum(form == forms[phases[0].tobytes()] for form in forms.values()) == len(images & forms.keys())


def test_verifying_needs_neither_encoder_nor_solver(originals: dict[str, Path]) -> None:
    program = f"""
import sys
from pathlib import Path
from satlife.proof.verify import verify
assert list(verify(Path({str(originals["best"])!r})))
bad = [name for name in sys.modules if name.startswith(("satlife.encode", "satlife.solve", "satlife.search", "pysat"))]
assert not bad, bad
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_checkers_of_others_have_a_say(originals: dict[str, Path], tmp_path: Path) -> None:
    """A checker on PATH is asked; if it does not accept, neither do we."""
    for word, code in (("s VERIFIED", 0), ("s NOT VERIFIED", 1), ("nothing", 1)):
        fake = tmp_path / "drat-trim"
        fake.write_text(f"#!/bin/sh\n[ -s $1 ] && [ -s $2 ] && echo '{word}'\n")
        fake.chmod(0o755)
        path = f"{tmp_path}:{os.environ['PATH']}"
        checked = run("verify", str(originals["none"]), env={"PATH": path})
        assert checked.returncode == code
        assert ("drat-trim" in checked.stdout) == (code == 0)
        assert ("proof 1: drat-trim" in checked.stderr) == (code == 1)


def test_written_formulas_and_proofs_fit(originals: dict[str, Path], tmp_path: Path) -> None:
    from satlife.cnf import dimacs

    target = tmp_path / "out"
    assert run("verify", str(originals["all"]), "--write-cnf", str(target)).returncode == 0
    with open(target / "1.cnf", "rb") as stream:
        formula = dimacs.read(stream)
    assert check(formula, drat.read((target / "1.drat").read_bytes()))
    digest = hashlib.sha256((target / "1.cnf").read_bytes()).hexdigest()
    assert digest in (originals["all"] / "certificate.json").read_text()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("still-life 4x4 --strict --proof new", "cannot express --strict"),
        ("oscillator 4x4 -p 2 --minimize --measure rotor --proof new", "not 'rotor'"),
        ("still-life 4x4 --solver maplechrono --proof new", "writes no proofs that we trust"),
        ("spaceship 8x* -p 3 -d 0,-1 -n all --proof new", "of no list"),
    ],
)
def test_what_has_no_certificate_is_refused_at_once(command: str, message: str, tmp_path: Path) -> None:
    refused = run(*command.split(), cwd=tmp_path)
    assert refused.returncode == 2
    assert message in refused.stderr
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("years of work")
    (tmp_path / "file").write_text("")
    for name in ("full", "file", "file/inside"):
        refused = run("still-life", "4x4", "--proof", str(tmp_path / name))
        assert refused.returncode == 1
        assert "overwrites nothing" in refused.stderr or "cannot write" in refused.stderr
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run("still-life", "4x4", "--proof", ".", cwd=empty).returncode == 1  # a folder that we stand in
    assert (tmp_path / "full" / "thesis.txt").read_text() == "years of work"


def test_no_time_no_certificate(tmp_path: Path) -> None:
    """A claim that is not proved in time is not written, and the exit code says so."""
    folder = tmp_path / "certificate"
    late = run(
        "oscillator", "9x9", "-p", "3", "-s", "C2", "--population", "<=9", "--time", "0.2", "--proof", str(folder)
    )
    assert late.returncode == 3
    assert not folder.exists()
    assert not list(tmp_path.iterdir())


def test_being_told_to_stop_leaves_nothing_behind(tmp_path: Path) -> None:
    question = "oscillator 11x11 -p 3 -s C2 --centred --population <=9 --proof c"
    with subprocess.Popen(
        [str(BIN / "satlife"), *question.split()], cwd=tmp_path, stderr=subprocess.DEVNULL
    ) as process:
        until(lambda: list(tmp_path.glob(".c.*/*.trace")))
        process.terminate()
    assert process.returncode == 143
    assert not list(tmp_path.iterdir())


def test_a_wrong_proof_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that says "unsatisfiable" with a proof of something else has proved nothing."""
    liar = tmp_path / "kissat"
    lines = ["#!/bin/sh", "for file; do :; done", "echo '1 0 -1 0 0' > $file", "echo 's UNSATISFIABLE'", "exit 20"]
    liar.write_text("\n".join(lines) + "\n")
    liar.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    folder = tmp_path / "certificate"
    environment = {**os.environ, "PATH": path}
    told = program("still-life", "2x2", "--solver", "kissat", "--proof", str(folder), env=environment)
    assert told.returncode == 3
    assert "only the solver says that there is none" in told.stderr
    assert not folder.exists()


GALLERY = Path(__file__).parents[2] / "gallery"
QUICK = [name for name, entry in tomllib.loads((GALLERY / "gallery.toml").read_text()).items() if entry.get("quick")]


@pytest.mark.parametrize("name", QUICK[1:])
def test_the_gallery(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gallery = importlib.import_module("gallery.certify")
    monkeypatch.setattr(gallery, "run", lambda command, home: run(*command, cwd=home))
    monkeypatch.setattr(sys, "argv", ["certify.py", "--keep", str(tmp_path), name])
    code, said = gallery.main(), capsys.readouterr()
    assert code == 0, said.err
    assert said.out.count("\n") == 3


def test_the_gallery_from_the_shell(tmp_path: Path) -> None:
    command = [sys.executable, str(GALLERY / "certify.py"), "--keep", str(tmp_path), QUICK[0]]
    made = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert made.returncode == 0, made.stderr
    assert made.stdout.count("\n") == 3


def test_the_gallery_is_documented() -> None:
    page = (GALLERY.parent / "docs" / "certificates.md").read_text()
    for entry in tomllib.loads((GALLERY / "gallery.toml").read_text()).values():
        assert f"| {entry['says']} | `{entry['command']}` |" in page


# What is meant to do harm.


def put(name: str, data: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(data)


def bomb(folder: Path) -> None:
    (folder / "1/proof.drat.xz").write_bytes(lzma.compress(b"a\x02\0" * (2 << 20)))


def instead(name: str, make: Callable[[Path], object]) -> Callable[[Path], object]:
    def act(folder: Path) -> None:
        (folder / name).unlink()
        make(folder / name)

    return act


def linked(name: str, target: str) -> Callable[[Path], object]:
    return instead(name, lambda path: path.symlink_to(target))


def piped(name: str) -> Callable[[Path], object]:
    return instead(name, os.mkfifo)


def elsewhere(folder: Path) -> None:
    """The files of a part are all right, but they lie somewhere else."""
    (folder / "1").rename(folder.parent / "away")
    (folder / "1").symlink_to(folder.parent / "away")


def large(lines: int, line: str) -> Callable[[Path], object]:
    return lambda folder: (folder / "finds.jsonl").write_text(line * lines)


HARM: list[tuple[str, Callable[[Path], object], str]] = [
    ("a link to a device", linked("1/proof.drat.xz", "/dev/zero"), "not a plain file"),
    ("a link to a file", linked("statement.txt", "problem.json"), "not a plain file"),
    ("a folder elsewhere", elsewhere, "Not a directory"),
    ("a pipe as proof", piped("1/proof.drat.xz"), "not a plain file"),
    ("a pipe as statement", piped("statement.txt"), "not a plain file"),
    ("a pipe as certificate", piped("certificate.json"), "not a plain file"),
    ("a folder as proof", instead("1/proof.drat.xz", Path.mkdir), "Is a directory"),
    ("a bomb", bomb, "times its size"),
    ("a large dictionary", put("1/proof.drat.xz", lzma.compress(
        b"a\0", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30, "mf": lzma.MF_BT2}])), "damaged"),
    ("something after the proof", put("1/proof.drat.xz", 2 * lzma.compress(b"a\0")), "after the compressed data"),
    ("a long certificate", put("certificate.json", b" " * (65 << 20)), "larger than the limit of 64 MB"),
    ("a deep certificate", put("certificate.json", b'{"a":' * (1 << 20)), "not valid JSON"),
    ("many finds that are none", large(1 << 20, "{}\n"), "line 1: a find is a table"),
    ("finds that are no text", put("finds.jsonl", b"\xff"), "not a text file"),
    ("more words", lambda folder: edit(folder / "statement.txt", lambda text: text + "x" * (80 << 20)), "the words"),
]  # fmt: skip


#: Harm that is little even if it is done: the process of the tests can bear it.
LITTLE = {
    "a link to a file", "a folder elsewhere", "a pipe as statement", "a pipe as certificate", "a folder as proof",
    "something after the proof", "finds that are no text",
}  # fmt: skip

#: Verifies one folder after the other; last it prints the exit codes and what was said of each.
VERIFYING = """
import io, json, sys
from satlife.cli.main import main
told = []
for folder in sys.argv[1:]:
    sys.stderr = io.TextIOWrapper(io.BytesIO(), write_through=True)
    try:
        main(["verify", folder])
    except SystemExit as end:
        told.append((end.code, sys.stderr.buffer.getvalue().decode()))
    sys.stderr = sys.__stderr__
print(json.dumps(told))
"""


@pytest.mark.parametrize(
    ("harm", "words"), [row[1:] for row in HARM if row[0] in LITTLE], ids=[row[0] for row in HARM if row[0] in LITTLE]
)
def test_harm_is_refused_in_a_sentence(
    harm: Callable[[Path], object], words: str, originals: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(originals["none"], folder)
    harm(folder)
    told = run("verify", str(folder))
    assert told.returncode == 1
    is_one_sentence(told.stderr, words)


def is_one_sentence(said: str, words: str) -> None:
    assert words in said
    assert said.count("\n") == 1
    assert "Traceback" not in said


def test_great_harm_is_refused_in_a_sentence_and_little_memory(originals: dict[str, Path], tmp_path: Path) -> None:
    great = {what: (harm, words) for what, harm, words in HARM if what not in LITTLE}
    for what, (harm, _) in great.items():
        shutil.copytree(originals["none"], tmp_path / what)
        harm(tmp_path / what)
    most = 3 << 30  # of address space, most of which nobody uses
    verified = subprocess.run(
        [sys.executable, "-c", VERIFYING, *(str(tmp_path / what) for what in great)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
    )
    assert verified.returncode == 0, verified.stderr
    for (what, (_, words)), (code, said) in zip(
        great.items(), json.loads(verified.stdout.splitlines()[-1]), strict=True
    ):
        assert code == 1, what
        is_one_sentence(said, words)


def test_boxes_of_cells_are_counted_before_they_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A find of a few bytes is a box of a million cells; many of them would fill any memory."""
    from satlife import memory
    from satlife.proof import bundle

    problem = satlife.still_life((1000, 1000))
    claim = ClaimFound(problem, ())
    bundle.write(tmp_path, claim, [], {})
    edit(tmp_path / "certificate.json", lambda text: text.replace('"finds": 0', '"finds": 1000'))
    (tmp_path / "finds.jsonl").write_text('{"generations": ["!"]}\n' * 1000)
    monkeypatch.setattr(memory, "available", lambda: 1 << 30)
    monkeypatch.setattr(Find, "from_dict", lambda *_: pytest.fail("a find was made"))
    with pytest.raises(LimitError, match=r"the patterns of .* would need 1\.9 GB of memory"):
        bundle.read(tmp_path)


def test_a_proof_that_cannot_be_checked_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    from satlife import memory
    from satlife.proof import checker

    monkeypatch.setattr(memory, "available", lambda: 1 << 20)
    taken = []

    def pieces() -> Iterator[bytes]:
        for number in range(1000):
            taken.append(number)
            yield b"a\x02\x04\0" * 1000

    with pytest.raises(LimitError, match=r"the proof has .* steps and more; to check it takes over .* of memory"):
        drat.read(pieces(), "the proof", checker.allowance("the proof"))
    assert len(taken) < 20
    formula = Formula.from_clauses([[1, 2], [-1, 2], [1, -2], [-1, -2]])
    steps = Steps.of([("a", [2, k]) for k in range(3, 10_000)])
    with pytest.raises(LimitError, match="checking a proof of 19,994 literals would need"):
        check(formula, steps)


def test_a_certificate_for_which_there_is_no_memory_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from satlife import memory

    monkeypatch.setattr(memory, "available", lambda: 1000)
    outcome = certify.find(satlife.oscillator((4, 4), 3), tmp_path / "c", Options(jobs=1))
    assert outcome.status == "unknown"
    assert "of memory" in outcome.reason
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("solver", ["cadical195", "cadical153", "glucose4"])
def test_a_full_disk_is_no_faulty_proof(solver: str) -> None:
    """Solvers do not notice that their proof is cut off; "none" is not said, and why is."""
    from satlife.solve.runner import solve
    from satlife.solve.solvers import find_solver

    formula = encode(satlife.oscillator((4, 4), 3)).formula
    answer = solve(formula, find_solver(solver), proof="/dev/full")
    assert answer.status == "unknown"
    assert answer.reason == "no space left for the proof (No space left on device)"


def test_a_limit_on_the_size_of_files_is_no_faulty_proof(tmp_path: Path) -> None:
    told = program(
        *["oscillator", "5x5", "-p", "3", "--proof", "c"],
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000)),
    )
    assert told.returncode == 3, told.stderr
    assert "undecided" in told.stderr
    assert "no space left for the proof (File too large)" in told.stderr
    assert not list(tmp_path.iterdir())


def test_a_solver_whose_proof_does_not_fit(tmp_path: Path) -> None:
    """A program that says "unsatisfiable" although its proof could not be written."""
    solver = tmp_path / "kissat"
    lines = [
        "#!/bin/sh",
        "for file; do :; done",
        "head -c 300000 /dev/zero > $file",
        "echo 's UNSATISFIABLE'",
        "exit 20",
    ]
    solver.write_text("\n".join(lines) + "\n")
    solver.chmod(0o755)
    (tmp_path / "here").mkdir()
    told = program(
        *["still-life", "2x2", "--solver", "kissat", "--proof", "c"],
        cwd=tmp_path / "here",
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)),
    )
    assert told.returncode == 3, told.stderr
    assert "no space left for the proof (File too large)" in told.stderr


def test_a_full_disk_while_the_folder_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found out is told all the same, and that its certificate could not be written."""
    from satlife.proof import bundle

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(bundle, "write", full)
    outcome = certify.find(satlife.oscillator((4, 4), 3), tmp_path / "c", Options(jobs=1))
    assert outcome.status == "none"
    reason = f"cannot write the folder {tmp_path / 'c'}: No space left on device"
    assert outcome.proof == Certificate(False, reason=reason)


def test_a_certificate_of_version_1_is_refused_in_a_sentence(originals: dict[str, Path], tmp_path: Path) -> None:
    """It did not say what tells patterns apart."""
    folder = tmp_path / "old"
    shutil.copytree(originals["none"], folder)
    edit(folder / "certificate.json", lambda text: text.replace('"satlife": 2', '"satlife": 1', 1))
    with pytest.raises(Doubted, match="is of version 1, which did not say what tells patterns apart; make it again"):
        list(verify(folder))
