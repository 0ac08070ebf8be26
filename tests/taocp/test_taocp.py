"""The studies: their commands are real, their figures are compared, and a wrong one is told."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from commands import BIN, run
from documents import HERE
from drawn import boards
from events import PATIENCE
from satlife import data, knuth
from satlife.cli.families import QUESTIONS
from satlife.cli.main import satlife
from satlife.cli.process import signals_as_exceptions
from satlife.cnf.read import read
from satlife.errors import SolverError
from satlife.life.pattern import Pattern
from satlife.life.simulate import advance
from satlife.problem.ask import ask_from
from satlife.problem.outcome import CertificateJson
from satlife.problem.problem import read_fields
from satlife.proof import drat
from satlife.proof.checker import check
from satlife.taocp import studies, study
from satlife.taocp.studies import STUDIES
from satlife.taocp.study import AGREES, DIFFERS, UNDECIDED, CommandOutput, Figure, Study, StudyStep, execute, summary

STEPS = [step for study in STUDIES.values() for step in study.steps]


def test_the_list() -> None:
    listed = run("taocp")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list(STUDIES)
    assert run("taocp", "list").stdout == listed.stdout
    lines = [json.loads(line) for line in run("taocp", "list", "--json").stdout.splitlines()]
    assert [command for line in lines for command in line["commands"]] == [step.shown for step in STEPS]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.command)
def test_every_command_is_a_question_that_we_understand(step: StudyStep, capsys: pytest.CaptureFixture[str]) -> None:
    for program, *words in step.stages:
        if program == "cat":
            assert [Path(word).is_file() for word in words] == [False, True]
            continue
        assert program == "satlife"
        if words[0] == "knuth":
            assert knuth.program(words[1], *map(int, words[2:]))
        elif words[0] == "solve":
            assert words == ["solve", "-"]
        else:
            asked = words[1 : words.index("--encoding")] if words[0] == "encode" else words
            assert asked[0] in QUESTIONS
            assert satlife.main([*asked, "--print-problem"], standalone_mode=False) == 0
            assert ask_from(read_fields(capsys.readouterr().out)).problem


def test_figures_say_where_they_come_from() -> None:
    sources = {figure.source for step in STEPS for figure in step.figures}
    assert sources == {studies.BOOK, studies.PROGRAMS, studies.SEQUENCE, studies.OURS}
    assert all(step.figures for step in STEPS)


def test_studies_from_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """One step of each: a count, Knuth's clauses with a simulation, and the figures of a formula."""
    for name, step in (("flipflops", 0), ("eaters", 1), ("clauses", 1)):
        monkeypatch.setitem(STUDIES, name, replace(STUDIES[name], steps=STUDIES[name].steps[step : step + 1]))
    done = run("taocp", "flipflops", "eaters", "clauses")
    assert done.returncode == 0
    assert "  $ satlife oscillator 4x4 -p 2 --count-only\n" in done.stdout
    assert "    flipflops: expected 12 (TAOCP 7.2.2.2), obtained 12\n" in done.stdout
    assert "eats a glider from afar, by simulation: expected True (ours), obtained True\n" in done.stdout
    assert "▄" in done.stdout
    verdicts = [line.split(" (")[0] for line in done.stdout.splitlines() if line.endswith(" s)")]
    assert verdicts == ["flipflops: agrees", "eaters: agrees", "clauses: agrees"]


def test_json_and_certificates(tmp_path: Path) -> None:
    done = run("taocp", "flipflops", "--json", "--proof", str(tmp_path / "proofs"))
    line = json.loads(done.stdout)
    (step,) = line["steps"]
    assert (done.returncode, line["study"], line["verdict"]) == (0, "flipflops", "agrees")
    assert step["figures"] == [{"what": "flipflops", "expected": 12, "source": studies.BOOK, "obtained": 12}]
    assert step["proof"]["checked"]
    assert "exactly 24 patterns" in (tmp_path / "proofs" / "flipflops-1" / "statement.txt").read_text()


def test_a_refutation_of_plain_clauses_has_a_proof(tmp_path: Path) -> None:
    none, found = (study.run(step, proof=tmp_path / str(k)) for k, step in enumerate(STUDIES["mobile"].steps))
    assert (none.verdict, none.proof and none.proof["checked"]) == (AGREES, True)
    formula, _, comments = read(str(tmp_path / "0" / "clauses.cnf"))
    proof = drat.read((tmp_path / "0" / "proof.drat").read_bytes())
    assert comments[0] == none.step.shown
    assert check(formula, proof)
    assert not check(formula, drat.Steps.of([]))
    assert (found.verdict, found.proof, (tmp_path / "1").exists()) == (AGREES, None, False)


def test_an_answer_without_the_proof_that_was_asked_for_is_undecided() -> None:
    step = StudyStep("satlife solve -", ())
    unproved: CertificateJson = {"checked": False, "reason": "lemma 7 does not follow"}
    result = study.StepResult(step, CommandOutput("s UNSATISFIABLE\n", 20, plain=True), (), 0.0, unproved)
    assert result.verdict == UNDECIDED


def test_what_is_shown_can_be_pasted() -> None:
    shown = STUDIES["mobile"].steps[1].shown
    pasted = subprocess.run(
        ["sh", "-c", shown], env={"PATH": f"{BIN}:/usr/bin:/bin"}, capture_output=True, text=True, timeout=PATIENCE
    )
    answer = CommandOutput(pasted.stdout, pasted.returncode, plain=True)
    assert pasted.returncode == 10
    assert (studies.in_common(answer), answer.patterns[0].population > 0) == (0, True)


def expecting(name: str, wrong: object) -> Study:
    """A study whose first figure is expected to be something else."""
    study = STUDIES[name]
    first, *rest = study.steps[0].figures
    step = replace(study.steps[0], figures=(replace(first, expected=wrong), *rest))
    return replace(study, steps=(step, *study.steps[1:]))


def test_a_wrong_figure_differs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(STUDIES, "flipflops", expecting("flipflops", 13))
    assert satlife.main(["taocp", "flipflops", "still-lifes", "-q"], standalone_mode=False) == 1
    out = capsys.readouterr().out.splitlines()
    assert [line.split(" (")[0] for line in out] == ["flipflops: differs", "still-lifes: agrees"]


def test_undecided() -> None:
    late = run("taocp", "life-4", "--time", "0.1")
    assert late.returncode == 3
    assert "answer: expected none (TAOCP 7.2.2.2), obtained undecided\n" in late.stdout
    assert "life-4: undecided" in late.stdout


def test_a_signal_at_the_start_of_a_program_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGTERM comes when the process is there, and before anybody knows."""
    started: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *values: Any, **named: Any) -> None:
            super().__init__(*values, **named)
            started.append(self)
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(study.subprocess, "Popen", Interrupted)  # type: ignore[attr-defined]
    with pytest.raises(SystemExit), signals_as_exceptions():
        study.pipe([["sleep", "1000"]], STEPS[0])
    assert [process.poll() for process in started] == [-signal.SIGTERM]


def test_verdicts_add_up() -> None:
    assert summary([AGREES, AGREES]) == AGREES
    assert summary([AGREES, UNDECIDED]) == UNDECIDED
    assert summary([UNDECIDED, DIFFERS, AGREES]) == DIFFERS


def test_one_sentence_for_a_wrong_name() -> None:
    wrong = run("taocp", "flipflops", "deaths")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("satlife: there is no study 'deaths'; there are life, life-minimum, ")


@pytest.mark.parametrize(
    "command", ["satlife solve nowhere.cnf", "no-such-program", "satlife nonsense | satlife solve -"]
)
def test_a_command_that_fails_is_no_answer(command: str) -> None:
    with pytest.raises(SolverError, match=command.split(" | ")[0]):
        execute(StudyStep(command, ()))


def solution(**generations: list[str]) -> CommandOutput:
    """A solution of Knuth's clauses, from rows of cells."""
    words = [
        f"{'' if cell == '*' else '~'}{x}{code}{y}"
        for code, rows in generations.items()
        for x, row in enumerate(rows, 1)
        for y, cell in enumerate(row, 1)
    ]
    return CommandOutput("c x: 1 variables, 2 clauses\ns SATISFIABLE\nv " + " ".join(words) + "\n", 10, plain=True)


def test_the_simulated_figures_can_fail() -> None:
    """A block that a glider hits is no eater, a blinker is not mobile, nothing arrives without life."""
    block = ["......", "...**.", "...**.", "......", "......", "......", "......"]
    first = [*block[:4], "***...", "..*...", ".*...."]
    assert not studies.eats(solution(a=first, f=block), 5)
    assert studies.in_common(solution(a=["...", "***", "..."])) == 1
    assert studies.arrival(solution(a=["." * 9] * 9), 4) is None
    assert studies.arrival(solution(a=["." * 9] * 4 + ["....*...."] + ["." * 9] * 4), 4) == 0


def test_a_figure_of_a_find_needs_one() -> None:
    figure = Figure("cells", 5, "ours", lambda answer: answer.patterns[0].population, of_find=True)
    assert figure.obtained(CommandOutput("s UNSATISFIABLE\n", 20, plain=True)) is None
    assert figure.obtained(solution(a=["**", "**"])) == 4


def test_files_are_found_from_anywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    step = StudyStep("satlife orphan {life.cells}", ())
    monkeypatch.chdir(tmp_path)
    assert Path(step.stages[0][2]) == data.path("life.cells")
    monkeypatch.chdir(data.path("life.cells").parent)
    assert shlex.split(step.shown)[2] == "life.cells"


def test_numbers_of_the_book() -> None:
    assert [study.name for study in studies.named("exercise 81")] == ["spaceship"]
    assert [study.name for study in studies.named("fig35")] == ["life", "life-minimum"]
    assert studies.named("35") == []
    refused = run("taocp", "83")
    assert refused.returncode == 2
    assert "of no other exercise or figure than Fig. 35 and exercise 81 is the number known" in refused.stderr
    assert "number known" not in run("taocp", "nonsense").stderr


def test_a_quarter_of_a_board_is_unfolded() -> None:
    step = StudyStep("satlife knuth sat-life-gridquad-cycle 5 5 2 | satlife solve -", ())
    (shown,) = study.run(step).shown
    assert (len(shown.frames), shown.loops) == (2, True)
    for cells, after in zip(shown.frames, reversed(shown.frames), strict=True):
        assert cells.any()
        assert (cells == cells[::-1]).all()
        assert (cells == cells[:, ::-1]).all()
        assert set(advance(Pattern(cells), 1).points()) == set(Pattern(after).points())


def test_every_generation_is_drawn(tmp_path: Path) -> None:
    """Two phases of a flipflop, in a file, and with --phases in the terminal side by side."""
    done = run("taocp", "mobile", "--phases", "-o", str(tmp_path / "pictures"))
    assert done.returncode == 0
    drawn = tmp_path / "pictures" / "mobile-2.svg"
    assert list((tmp_path / "pictures").iterdir()) == [drawn]
    assert f"2 generations in {drawn}\n" in done.stdout
    one, two = boards(drawn.read_text())
    assert set(advance(one, 1).points()) == set(two.points())
    lines = [line for line in done.stdout.splitlines() if "▄" in line]
    assert max(map(len, lines)) > 4 + 8 + 2
    (tmp_path / "file").write_text("")
    refused = run("taocp", "mobile", "-o", str(tmp_path / "file"))
    assert (refused.returncode, refused.stderr.startswith("satlife: cannot write")) == (1, True)
    late = run("taocp", "mobile", "--time", "0.001", "-o", str(tmp_path / "none" / "none"))
    assert (late.returncode, (tmp_path / "none").exists()) == (3, False)


def test_a_past_has_the_generations_of_its_question() -> None:
    """And what comes back one period."""
    past = study.run(StudyStep("satlife predecessor xp2_7 -g 2", ()))
    ship = study.run(StudyStep("satlife spaceship -d c/4d", ()))
    assert [shown.last for shown in (*past.shown, *ship.shown)] == [2, None]


def test_the_pictures_of_the_page_show_what_happens() -> None:
    """Every board becomes the next; where light speed is shown, cells that cannot arrive in time are left out."""
    page = HERE / "docs" / "taocp.md"
    names = re.findall(r"\]\((pictures/taocp/.*?\.svg)\)", page.read_text())
    assert len(names) >= 6
    for name in names:
        shown = boards((page.parent / name).read_text())
        assert len(shown) > 1
        for now, later in pairwise(shown if "light-speed" not in name else ()):
            assert advance(now, 1).crop().cells.tolist() == later.crop().cells.tolist(), name
