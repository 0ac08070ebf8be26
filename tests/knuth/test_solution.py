"""Solutions of Knuth's clauses become patterns again: for every program, with its symmetry, its torus and its times."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from pysat.solvers import Cadical153

from commands import run
from satlife import knuth
from satlife.errors import InputError, LimitError
from satlife.knuth.solution import CODES, decode, draw, times, written_by
from satlife.life.formats import rle
from satlife.life.simulate import advance

#: A run of every program, and clauses that are added to make its solution interesting.
RUNS = [
    ("sat-life-grid 4 5 2", ["2a2", "2a3", "2a4"]),
    ("sat-life-grid90 5 5 2", ["2a2"]),
    ("sat-life-grid90-cycle 6 6 2", []),
    ("sat-life-gridquad 5 4 2", ["1a2"]),
    ("sat-life-gridquad-cycle 5 5 2", ["1a1 1a2 2a1 2a2 3a3 3a1 3a2"]),
    ("sat-life-grid-cycle 5 5 2", []),
    ("sat-life-grid-spaceships 7 6 4 2", []),
    ("sat-life-grid-spaceships-sym 7 12 4 2", []),
    ("sat-life-torus 5 6 2", ["1a1", "1b1", "5c6"]),
    ("sat-life-torus-cycle 5 5 2", []),
    ("sat-life-upper 1 1", []),
]


def solved(line: str, more: Sequence[str] = ()) -> dict[str, bool]:
    """A solution of the clauses of a program and some others, which are written in Knuth's format."""
    name, *arguments = line.split()
    formula = knuth.formula(name, *map(int, arguments))
    assert formula.names
    number = {name: v for v, name in enumerate(formula.names, 1)}
    with Cadical153(bootstrap_with=formula.clauses()) as solver:
        for clause in more:
            solver.add_clause([number[word] for word in clause.split()])
        assert solver.solve()
        model = solver.get_model()
    return {name: model[v - 1] > 0 for name, v in number.items()}


@pytest.mark.parametrize(("line", "more"), RUNS, ids=[line for line, _ in RUNS])
def test_a_solution_of_every_program(line: str, more: list[str]) -> None:
    values = solved(line, more)
    program = written_by([line])
    decoded = decode(values, program)
    assert program
    assert decoded
    assert decoded.codes == CODES[: len(decoded.codes)]
    for (code, cells), frame in zip(times(values.items()).items(), decoded.frames, strict=True):
        assert any(frame.ravel()) == any(cells.values()), code
    if not line.startswith("sat-life-upper"):  # which leaves out what cannot reach the cell in question
        after = advance(decoded.pattern(0), len(decoded.frames) - 1)
        assert set(after.points()) == set(decoded.pattern(-1).points())
    if decoded.loops:
        assert set(advance(decoded.pattern(-1), 1).points()) == set(decoded.pattern(0).points())


def test_every_program_is_tried() -> None:
    """Except for the eater, which takes seconds and is a grid like others."""
    others = {"sat-life", "sat-life-grid-eater"}
    assert {line.split()[0] for line, _ in RUNS} | others == set(knuth.PROGRAMS)


def test_symmetries_are_unfolded() -> None:
    values = solved("sat-life-grid90-cycle 6 6 2")
    decoded = decode(values, written_by(["sat-life-grid90-cycle 6 6 2"]))
    assert decoded
    for frame in decoded.frames:
        assert frame.any()
        assert np.array_equal(frame, np.rot90(frame))


def test_without_the_name_of_the_program() -> None:
    """The cells of a plain grid tell everything; a quarter of a board does not, and is not taken for the whole."""
    values = solved("sat-life-grid 4 5 2", ["2a2", "2a3", "2a4"])
    plain, named = decode(values, None), decode(values, written_by(["sat-life-grid 4 5 2"]))
    assert plain
    assert named
    assert set(plain.pattern(0).points()) == set(named.pattern(0).points()) >= {(1, 1), (2, 1), (3, 1)}
    quarter = solved("sat-life-gridquad-cycle 5 5 2", ["1a1 1a2 2a1 2a2 3a3 3a1 3a2"])
    with pytest.raises(InputError, match=r"generation . does not become generation . in Life; clauses about"):
        decode(quarter, None)
    assert decode({"x1": True, "1a1x": True, "1a0D1": False, "1,3:2": True}, None) is None


def test_the_program_is_named_by_a_comment() -> None:
    program = written_by(["", "made by hand", "sat-life-grid 3 4 2"])
    assert program
    assert (program.m, program.n, program.r) == (3, 4, 2)
    for other in ("sat-life 0", "sat-life-grid three", "sat-life-grid 3", "sat-life-grid -3 4 2", "no-program 3 4 2"):
        assert written_by([other]) is None


def test_a_single_step() -> None:
    decoded = decode({"2e2": True, "2e3": True, "2e4": True, "1f3": True, "2f3": True, "3f3": True}, None)
    assert decoded
    assert (decoded.codes, decoded.corner, decoded.loops) == ("ef", (1, 2), False)
    with pytest.raises(InputError, match="generation e does not become generation f"):
        decode({"2e2": True, "2e3": True, "2e4": True, "1f3": True, "2f3": False}, None)


def test_a_wrong_generation_of_a_cycle_is_told() -> None:
    values = solved("sat-life-grid-cycle 5 5 2")
    died = {name: value and "a" not in name for name, value in values.items()}
    with pytest.raises(InputError, match=r"generation (a|b) does not become generation (a|b) in Life"):
        decode(died, written_by(["sat-life-grid-cycle 5 5 2"]))


def test_several_times_are_drawn_side_by_side() -> None:
    solution = ["~1a1 1a2 2b1 ~1c1"]
    assert list(draw(solution)) == ["....", "..*.", "....", ""]
    assert list(draw(solution, "ab"))[1:3] == ["..*.  ....", "....  .*.."]
    assert list(draw(solution, None)) == list(draw(solution, "abc"))
    assert list(draw(solution, "z")) == ["..", "..", ""]
    with pytest.raises(InputError, match="'1' is not a time code"):
        list(draw(solution, "a1"))
    with pytest.raises(LimitError, match="beyond row or column"):
        list(draw(["1a99999"]))
    with pytest.raises(LimitError, match="2 pictures of 10001 rows"):
        list(draw(["9999a1 1b9999"], "ab"))


#: What solvers say about x1 and (not x1 or x2), by the way in which they say it.
SOLVED = {
    "Knuth's solvers": " 1a1 ~1a2\n",
    "result files of MiniSat and Glucose": "SAT\n1 -2 0\n",
    "Glucose, a result file": "1 -2 0\n",
    "v lines": "c about\ns SATISFIABLE\nv 1\nv -2 0\nc time\n",
}
NONE = ["~\n", "UNSAT\n", "UNSATISFIABLE\n", "c about\ns UNSATISFIABLE\nc time\n"]


@pytest.mark.parametrize("said", SOLVED.values(), ids=SOLVED)
def test_decode_reads_what_solvers_say(said: str, tmp_path: Path) -> None:
    for names in ("c 1 -> 1a1\nc 2 -> 1a2\n", "c 1a2 -> 2\nc 1a1 -> 1\n"):
        cnf = tmp_path / "some.cnf"
        cnf.write_text(f"{names}p cnf 2 2\n1 0\n-2 -1 0\n")
        result = run("decode", str(cnf), "-", stdin=said)
        assert (result.returncode, result.stdout.splitlines()[-1]) == (0, "o!")
    if "~" in said:
        sat = tmp_path / "some.sat"
        sat.write_text(" 1a1\n ~1a2 ~1a1\n")
        assert run("decode", str(sat), "-", stdin=said).returncode == 0


@pytest.mark.parametrize("said", NONE)
def test_decode_of_no_solution(said: str, tmp_path: Path) -> None:
    cnf = tmp_path / "some.cnf"
    cnf.write_text("c 1 -> 1a1\np cnf 1 2\n1 0\n-1 0\n")
    result = run("decode", str(cnf), "-", stdin=said)
    assert (result.returncode, result.stdout) == (20, "")
    assert result.stderr == "satlife: the solver says that there is none\n"


def test_decode_without_an_answer(tmp_path: Path) -> None:
    cnf = tmp_path / "some.cnf"
    cnf.write_text("c 1 -> 1a1\np cnf 1 1\n1 0\n")
    for said in ("INDET\n", "s UNKNOWN\n"):
        assert run("decode", str(cnf), "-", stdin=said).returncode == 3
    printed = run("decode", str(cnf), "-", stdin="| Time: 0 |\nSATISFIABLE\n")
    assert printed.returncode == 1
    assert printed.stderr.endswith(
        "there is no solution in it; MiniSat writes it into the file of its second argument\n"
    )


def test_decode_in_the_shell(tmp_path: Path) -> None:
    clauses, cnf, out = tmp_path / "life.sat", tmp_path / "life.cnf", tmp_path / "life.out"
    clauses.write_bytes(b"".join(knuth.text("sat-life-grid-cycle", 5, 5, 2)))
    assert run("convert", str(clauses), str(cnf)).returncode == 0
    for file in (clauses, cnf):
        solution = run("solve", str(file))
        assert solution.returncode == 10
        out.write_text(solution.stdout)
        shown = run("decode", str(file), str(out))
        assert (shown.returncode, "checked by simulation" in shown.stderr) == (0, True)
        assert "#C sat-life-grid-cycle 5 5 2: generation a\n" in shown.stdout
        blinks = rle.parse(shown.stdout)
        assert set(advance(blinks, 2).points()) == set(blinks.points()) != set(advance(blinks, 1).points())
        data = json.loads(run("decode", str(file), str(out), "--json").stdout)
        assert [generation["code"] for generation in data["generations"]] == ["a", "b"]
        assert data["program"] == "sat-life-grid-cycle 5 5 2"
        row = run("decode", str(file), str(out), "--phases").stdout.splitlines()
        assert row[0] == "a      b"
        assert [len(line) for line in row[1:]] == [5 + 2 + 5] * 5
    for ending, start in (
        (".rle", b"#"),
        (".cells", b"!"),
        (".png", b"\x89PNG"),
        (".svg", b"<svg"),
        (".gif", b"GIF89a"),
    ):
        picture = tmp_path / f"picture{ending}"
        assert run("decode", str(cnf), "-", "-o", str(picture), stdin=out.read_text()).returncode == 0
        assert picture.read_bytes().startswith(start)


def test_what_decode_refuses(tmp_path: Path) -> None:
    cnf, out = tmp_path / "some.cnf", tmp_path / "some.out"
    cnf.write_text("p cnf 2 1\n1 2 0\n")
    out.write_text("v 1 -2 0\n")
    neither = run("decode", str(cnf), str(out))
    assert (neither.returncode, "neither by `satlife encode` with its map nor by Knuth's" in neither.stderr) == (
        1,
        True,
    )
    for wrong in (["--json", "--phases"], ["--phases", "-o", "x.gif"], ["-o", "x.doc"]):
        assert run("decode", str(cnf), str(out), *wrong).returncode == 2
