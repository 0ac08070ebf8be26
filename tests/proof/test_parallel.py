"""Several checks at a time: the same lines in the same order, the same verdict, and an end when nobody waits."""

from __future__ import annotations

import json
import lzma
import os
import random
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import satlife
from commands import observed, run
from events import PATIENCE, until
from random_proofs import Pairs
from satlife.engines.options import Options
from satlife.problem.problem import Problem
from satlife.proof import bundle, certify, checker, drat, forward, verify
from satlife.proof.bundle import PROOF
from satlife.proof.claims.best import ClaimSmallest
from satlife.proof.drat import Steps
from satlife.proof.parallel import Check, Checking, Crew, Stopped
from satlife.proof.plain import Plain
from satlife.proof.verify import Doubted

#: A check: words, or an error, or checks that it consists of, one after the other.
trees = st.recursive(
    st.sampled_from(["a", "b", ValueError]), lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=12
)


def check_of(tree: object, crew: Crew) -> Check:
    def check() -> Iterator[str]:
        if isinstance(tree, list):
            yield "("
            yield from crew.in_order([check_of(below, crew) for below in tree])
            yield ")"
        elif isinstance(tree, str):
            yield tree
        else:
            raise ValueError

    return check


def outcome(tree: object, jobs: int) -> list[str]:
    """The lines of a check, and its error."""
    crew = Crew(jobs)
    lines: list[str] = []
    try:
        lines.extend(check_of(tree, crew)())
    except ValueError:
        lines.append("error")
    return lines


@given(trees, st.integers(2, 4))
def test_lines_come_in_order_whatever_the_nesting(tree: object, jobs: int) -> None:
    assert outcome(tree, jobs) == outcome(tree, 1)


def test_an_error_comes_after_the_lines_before_it() -> None:
    crew = Crew(3)
    lines = crew.in_order([partial(iter, "ab"), check_of(ValueError, crew), partial(iter, "c")])
    assert [next(lines), next(lines)] == ["a", "b"]
    with pytest.raises(ValueError):
        next(lines)


def test_so_many_at_a_time_and_no_more() -> None:
    both, lock = threading.Barrier(2, timeout=PATIENCE), threading.Lock()
    at_once, most = 0, 0

    def check() -> Iterator[str]:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        both.wait()
        yield "met"
        both.wait()
        with lock:
            at_once -= 1

    assert list(Crew(2).in_order([check] * 8)) == ["met"] * 8
    assert most == 2


def test_who_does_not_want_more_stops_the_others() -> None:
    crew, began, ended = Crew(2), threading.Event(), []

    def endless() -> Iterator[str]:
        try:
            while True:
                began.set()
                crew.tick()
        except Stopped:
            ended.append("stopped")
            raise
        yield "never"

    lines = crew.in_order([partial(iter, "a"), endless, lambda: pytest.fail("nobody waits for this"), endless])
    assert next(lines) == "a"
    until(began.is_set)
    lines.close()  # type: ignore[attr-defined]
    until(lambda: ended)
    with pytest.raises(Stopped):
        crew.tick()


@pytest.fixture(scope="module")
def smallest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of several proofs."""
    folder = tmp_path_factory.mktemp("parts") / "smallest"
    problem = satlife.oscillator((3, 3), 2)
    found = satlife.find(problem)
    certify.certify(ClaimSmallest(problem, (found.find,), box=(3, 3)), folder, Options(jobs=2))
    assert len(list(folder.glob(f"*/{PROOF}"))) > 2
    return folder


@pytest.fixture(scope="module")
def charted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("atlas") / "atlas"
    assert run("atlas", "oscillator", "3x3", "-p", "2", "--proof", str(folder)).returncode == 0
    return folder


def lines_of(folder: Path, jobs: int) -> tuple[list[str], str]:
    """The lines of a check, and what was wrong."""
    lines: list[str] = []
    try:
        lines.extend(verify.verify(folder, Checking(folder, jobs)))
    except Doubted as error:
        return lines, str(error)
    return lines, ""


def test_the_same_lines_with_any_number_of_jobs(smallest: Path, charted: Path) -> None:
    for folder in (smallest, charted):
        alone = lines_of(folder, 1)
        assert alone[1] == ""
        assert alone == lines_of(folder, 2) == lines_of(folder, 5)


def test_the_first_step_that_fails_wins(smallest: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(smallest, folder)
    for number in (2, 3):
        proof = folder / str(number) / PROOF
        proof.write_bytes(lzma.compress(drat.write(Steps.of([("a", [])]))))
    verdicts = [lines_of(folder, jobs) for jobs in (1, 2, 5)]
    assert verdicts[0][1].startswith("proof 2: ")
    assert verdicts[0] == verdicts[1] == verdicts[2]
    told = run("verify", str(folder), "--jobs", "3")
    assert told.returncode == 1
    assert told.stdout.splitlines()[-1].startswith("ok  formula 2: ")


def test_jobs_from_the_shell_and_from_python(smallest: Path) -> None:
    alone, together = (run("verify", str(smallest), "--jobs", jobs) for jobs in "13")
    assert alone.returncode == together.returncode == 0
    assert alone.stdout == together.stdout
    *lines, paragraph = satlife.check_certificate(smallest, jobs=2)
    told = [*(f"ok  {line}" for line in lines), paragraph, f"verified: {smallest}"]
    assert "".join(f"{text}\n" for text in told) == alone.stdout
    refused = run("verify", "xs4_33", "--jobs", "2")
    assert refused.returncode == 2
    assert "--jobs is for certificates" in refused.stderr


@pytest.mark.parametrize("jobs", [1, 4])
def test_progress_is_that_of_all_proofs(jobs: int, smallest: Path) -> None:
    told: list[tuple[int, int]] = []

    def tell(what: str, done: int, total: int) -> None:
        assert threading.current_thread() is threading.main_thread()
        told.append((done, total))

    checking = Checking(smallest, jobs, tell)
    assert list(verify.verify(smallest, checking))
    size = sum(path.stat().st_size for path in smallest.glob(f"*/{PROOF}"))
    assert told == sorted(told)
    assert {total for _, total in told} <= {size}
    assert checking.done == size


def test_an_error_of_who_is_told_ends_the_check(smallest: Path) -> None:
    class Enough(Exception):
        pass

    def tell(what: str, done: int, total: int) -> None:
        raise Enough

    for jobs in (1, 3):
        with pytest.raises(Enough):
            list(verify.verify(smallest, Checking(smallest, jobs, tell)))


def prolong(folder: Path) -> None:
    """Many steps before the first proof: clauses of the formula with two literals more, which come and go.  The
    certificate promises them, or they would be refused at once."""
    question = Problem.from_json((folder / "1" / "problem.json").read_text())
    formula = Plain(question).formula(())
    clauses, rng = list(formula.clauses())[1:], random.Random(1)
    pairs: Pairs = []
    for _ in range(20_000):
        lemma = [*rng.choice(clauses), *rng.sample(range(1, formula.variables), 2)]
        pairs += [("a", lemma), ("d", lemma)]
    path = folder / "1" / PROOF
    rest = lzma.decompress(path.read_bytes())
    path.write_bytes(lzma.compress(20 * drat.write(Steps.of(pairs)) + rest, preset=0))
    promised = json.loads((folder / "certificate.json").read_text())
    promised["parts"][0]["lemmas"] += 10 * len(pairs)  # half of the steps
    (folder / "certificate.json").write_text(json.dumps(promised))


@pytest.fixture(scope="module")
def long(smallest: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long") / "copy"
    shutil.copytree(smallest, folder)
    prolong(folder)
    return folder


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_ctrl_c_ends_it(jobs: str, long: Path, tmp_path: Path) -> None:
    place = "satlife.proof.forward:Arena.follow"
    with observed(place, tmp_path, "verify", str(long), "--jobs", jobs, times=3) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130, out + err
    assert "verified" not in out
    assert err.strip() == ""


def test_ctrl_c_ends_the_checkers_of_others_too(smallest: Path, tmp_path: Path) -> None:
    """They are processes, with files in a temporary folder; neither is left."""
    fake, note = tmp_path / "bin" / "drat-trim", tmp_path / "pids"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\necho $$ >> {note}\nexec tail -f /dev/null\n")
    fake.chmod(0o755)
    (tmp_path / "tmp").mkdir()
    environment = {"PATH": f"{fake.parent}:{os.environ['PATH']}", "TMPDIR": str(tmp_path / "tmp")}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        with observed("satlife.proof.external._run", tmp_path, "verify", str(smallest), "--jobs", "2") as process:
            until(note.exists)
            process.send_signal(signal.SIGINT)
            process.communicate()
    assert process.returncode == 130
    until(lambda: not any(Path("/proc", pid).exists() for pid in note.read_text().split()))
    assert not list((tmp_path / "tmp").glob("satlife-*"))


def add_needless(folder: Path, number: int) -> None:
    """Add a lemma that does not follow, and on which nothing depends, to a proof."""
    part = folder / str(number)
    formula = Plain(Problem.from_json((part / "problem.json").read_text())).formula(())
    steps, rng = drat.read(lzma.decompress((part / PROOF).read_bytes())), random.Random(1)
    while True:
        lemma = [v * rng.choice((1, -1)) for v in rng.sample(range(1, formula.variables + 1), 6)]
        proof = drat.read(drat.write(Steps.of([("a", lemma)])) + drat.write(steps))
        if forward.check(formula, [proof]).wrong == 1 and checker.check(formula, proof):
            break
    (part / PROOF).write_bytes(lzma.compress(drat.write(proof)))
    certificate = json.loads((folder / "certificate.json").read_text())
    certificate["parts"][number - 1]["lemmas"] += 1
    (folder / "certificate.json").write_text(json.dumps(certificate))


def test_a_lemma_on_which_nothing_depends_need_not_follow(
    smallest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(smallest, folder)
    last = len(list(folder.glob(f"*/{PROOF}")))
    add_needless(folder, last)
    read = []
    whole: Callable[[bundle.Bundle, int], Steps] = bundle.Bundle.proof

    def noted(self: bundle.Bundle, number: int) -> Steps:
        read.append(number)
        return whole(self, number)

    monkeypatch.setattr(bundle.Bundle, "proof", noted)
    assert lines_of(folder, 1)[1] == ""
    assert read == [last]  # the others are not read as a whole
    monkeypatch.setattr(bundle, "LARGEST_PROOF", 10)
    assert "lemma 1 does not follow, unless nothing depends on it" in lines_of(folder, 1)[1]
