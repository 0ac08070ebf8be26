"""Problems: their text forms, their validation, symmetry as a group, and the check by simulation."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import satlife
from satlife.errors import InputError, LimitError, SatlifeError
from satlife.life import formats
from satlife.life.formats import rle
from satlife.life.identify import identify
from satlife.life.pattern import TRANSFORMS, Pattern
from satlife.life.simulate import advance
from satlife.problem import families, symmetry, verify
from satlife.problem.ask import read_question
from satlife.problem.cell import DONT_CARE, grid_of
from satlife.problem.conditions.population import Bound
from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.problem.symmetry import GROUPS, Lattice, motions

PATTERNS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "patterns.json").read_text())
GLIDER = Pattern.from_rows([".O.", "..O", "OOO"])

EXAMPLES = [
    families.still_life((4, 5), population=">=7"),
    families.oscillator((9, 6), 3, rule="B36/S23", symmetry="D2v"),
    families.spaceship((16, 5), 3, (0, -1)),
    families.torus((5, 4), 2, (1, 0)),
    families.torus((5, 4), dies=2),
    families.wave((5, 4), 2, along="y"),
    families.predecessor(GLIDER, 2, margin=1),
    families.orphan(GLIDER),
    families.eater(),
    families.grid("a -a *\n0 1 .\n\n* * *'\n1 1 1\n"),
]


@pytest.mark.parametrize("problem", EXAMPLES, ids=lambda p: p.kind)
def test_text_forms_round_trip(problem: Problem) -> None:
    assert Problem.from_json(problem.to_json()) == problem
    assert Problem.from_toml(problem.to_toml()) == problem
    assert Problem.from_toml(problem.to_toml()).key == problem.key
    assert hash(Problem.from_json(problem.to_json())) == hash(problem)


def test_keys_are_stable_and_tell_questions_apart() -> None:
    assert len({problem.key for problem in EXAMPLES}) == len(EXAMPLES)
    assert families.spaceship((16, 5), 3, (0, -1)).key.startswith("80a8f440d189a318")
    named = Problem.from_dict({**families.still_life((3, 3)).to_dict(), "kind": "other"})
    assert named.key == families.still_life((3, 3)).key


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: families.oscillator((5, 5), 0), "period should be at least 1"),
        (lambda: families.still_life((0, 5)), "has no cells"),
        (lambda: families.spaceship((5, 5), 4, (0, 0)), "ask for an oscillator"),
        (lambda: families.spaceship((5, 5), 2, (3, 0)), "faster than light"),
        (lambda: families.spaceship((2, 5), 4, (3, 0)), "too small for a displacement"),
        (lambda: families.oscillator((5, 5), 3, symmetry="D3"), "there is no symmetry 'D3'"),
        (lambda: families.oscillator((5, 4), 3, symmetry="C4"), "needs a square box"),
        (lambda: families.spaceship((5, 5), 4, (0, -1), symmetry="C2"), "cannot move"),
        (lambda: families.oscillator((5, 5), 3, symmetry="R90@1"), "no multiple of the period"),
        (lambda: families.oscillator((5, 5), 4, symmetry=["F-@2", "F-"]), "smaller period 2"),
        (lambda: families.spaceship((6, 6), 2, (1, 0), symmetry="F-@1"), "half a cell"),
        (lambda: families.oscillator((5, 5), 3, rule="B03/S23"), "must be even"),
        (lambda: families.oscillator((5, 5), 2, population="<=5@7"), "the last is 1"),
        (lambda: families.still_life((5, 5), population="few"), "is not a bound"),
        (lambda: families.still_life((9999, 9999)), "limit"),
        (lambda: families.predecessor(GLIDER, rule="B03/S23"), "odd number of generations"),
        (lambda: families.predecessor(GLIDER, known=[[["*"]]]), "fills in the known cells itself"),
        (lambda: families.eater(known=[[["*"]]]), "fills in the known cells itself"),
        (lambda: Problem.from_json('{"box": [1, 1], "cells": [["9"]]}'), "there is no state 9"),
        (lambda: Problem.from_json('{"box": [1, 1], "cells": [["-1"]]}'), "'-1' is not 0, 1, * or a name"),
        (lambda: families.predecessor(GLIDER, margin=-1), "should not be negative"),
        (lambda: families.eater((4, 4)), "at least 6x6"),
        (lambda: families.eater(lane=50), "does not fit"),
        (lambda: families.grid("0 1\n0\n"), "line 2: this row has 1 cells"),
        (lambda: families.grid("0 1\n0 $\n"), "line 2, column 3: '$' is not"),
        (lambda: families.grid("0 1\n\n0 1\n0 1\n"), "generation 1 has 2 rows"),
        (lambda: families.grid("# nothing\n"), "no cells"),
        (lambda: Problem.from_json("{"), "not valid JSON"),
        (lambda: Problem.from_json("[1]"), "table of fields"),
        (lambda: Problem.from_toml("box = "), "not valid TOML"),
        (lambda: Problem.from_json('{"box": [3, 3], "colour": 1}'), "no field 'colour'"),
        (lambda: Problem.from_json('{"period": 3}'), "`box` is missing"),
        (lambda: Problem.from_json('{"box": [3, true]}'), "two whole numbers"),
        (lambda: Problem.from_json('{"box": [3, 3], "period": "3"}'), "a whole number"),
        (lambda: Problem.from_json('{"box": [3, 3], "satlife": 99}'), "version 99"),
        (lambda: Problem.from_json('{"box": [3, 3], "cells": [["0 1"]]}'), "3 rows of 3"),
    ],
)
def test_nonsense_gets_its_sentence(make: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert message in str(error.value)


def test_limit_is_an_error_of_its_own() -> None:
    with pytest.raises(LimitError):
        families.still_life((10**5, 10**5))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text("a7 é€\0\n", max_size=5), lambda s: st.lists(s, max_size=3)
    )
)
def test_any_json_is_a_problem_or_an_input_error(value: Any) -> None:
    for data in (value, {"box": value}, {"box": [3, 3], "cells": value}, {"box": [3, 3], "symmetry": value}):
        with contextlib.suppress(SatlifeError):
            Problem.from_json(json.dumps(data))


def test_bounds() -> None:
    assert [str(Bound.parse(t)) for t in ("<=20", ">=5@2", "7", "<3", "> 3 @ 1")] == [
        "<=20", ">=5@2", "==7", "<=2", ">=4@1",
    ]  # fmt: skip


# Symmetry.
def test_matrices_form_the_dihedral_group() -> None:
    names = list(TRANSFORMS)
    table = {(a, b): symmetry.name_of(symmetry.multiply(TRANSFORMS[a], TRANSFORMS[b])) for a in names for b in names}
    assert all(table["I", name] == name == table[name, "I"] for name in names)
    for a in names:
        assert sorted(table[a, b] for b in names) == sorted(names)
        assert any(table[a, b] == "I" for b in names)
        for b in names:
            for c in names:
                assert table[table[a, b], c] == table[a, table[b, c]]


@pytest.mark.parametrize("name", list(GROUPS))
def test_static_symmetries_map_the_box_to_itself(name: str) -> None:
    for size in ((4, 4), (5, 5), (4, 5), (5, 4), (1, 1)):
        lattice = Lattice(size, (False, False), 1, (0, 0))
        if size[0] != size[1] and name in ("C4", "D2/", "D2\\", "D4x", "D8"):
            with pytest.raises(InputError):
                motions((name,), lattice)
            continue
        x, y = (axis.ravel() for axis in np.meshgrid(np.arange(size[0]), np.arange(size[1])))
        cells = set(zip(x.tolist(), y.tolist(), strict=True))
        for motion in motions((name,), lattice):
            there_x, there_y = motion.place(x, y)
            assert set(zip(there_x.tolist(), there_y.tolist(), strict=True)) == cells, size


@pytest.mark.parametrize("entry", PATTERNS, ids=lambda e: str(e["name"]))
def test_patterns_verify_in_their_boxes(entry: dict[str, Any]) -> None:
    """Every well-known pattern satisfies its Problem at some place and phase, and not with a smaller box."""
    pattern = rle.parse(entry["rle"])
    found = identify(pattern)
    width, height = entry["box"]
    make = families.spaceship if found.displacement != (0, 0) else families.oscillator
    extra = () if found.displacement == (0, 0) else (found.displacement,)
    problem = make((width, height), found.period, *extra)
    assert places(problem, pattern)
    smaller = make((width - 1, height), found.period, *extra)
    assert not places(smaller, pattern)


def places(problem: Problem, pattern: Pattern) -> int:
    count = 0
    for t in range(problem.generations):
        phase = advance(pattern, t).crop()
        for y in range(problem.height - phase.height + 1):
            for x in range(problem.width - phase.width + 1):
                placed = Pattern(phase.cells, x, y, phase.rule)
                try:
                    verify.check(problem, verify.phases_of(problem, placed))
                except verify.Refuted:
                    continue
                count += 1
    return count


def test_check_objects_to_every_flipped_cell() -> None:
    problem = families.spaceship((4, 3), 4, (1, 1))
    phases = verify.phases_of(problem, Pattern.from_rows(["O.O", ".OO", ".O."]))
    verify.check(problem, phases)
    for t in range(4):
        for y in range(3):
            for x in range(4):
                wrong = [phase.copy() for phase in phases]
                wrong[t][y, x] ^= 1
                with pytest.raises(verify.Refuted):
                    verify.check(problem, wrong)


@pytest.mark.parametrize(
    ("problem", "rows", "message"),
    [
        (families.oscillator((4, 4), 2), ["OO", "OO"], "smaller period 1"),
        (families.still_life((4, 4)), ["."], "empty"),
        (families.still_life((4, 4), population=">=5"), ["OO", "OO"], "4 live cells, not >=5"),
        (families.still_life((4, 4), symmetry="C2"), ["OO", "OO"], "symmetry"),
        (families.still_life((2, 2), known=[[["0", "*"], ["*", "*"]]]), ["OO", "OO"], "is 1, not 0"),
        (families.still_life((2, 2), known=[[["a", "-a"], ["*", "*"]]]), ["OO", "OO"], "contradicts"),
        (families.oscillator((3, 2), 2), ["OOO"], "outside the box is alive"),
        (families.still_life((1, 1)), ["OO", "OO"], "does not fit"),
    ],
)
def test_check_names_the_reason(problem: Problem, rows: list[str], message: str) -> None:
    with pytest.raises(verify.Refuted) as error:
        verify.check(problem, verify.phases_of(problem, Pattern.from_rows(rows)))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "symmetries"),
    [
        ("glider", ["F\\@2"]),
        ("lwss", ["F-@2"]),
        ("pinwheel", ["R90@1"]),
        ("tumbler", ["D2|", "F-@7"]),
        ("44p10", ["C4", "F|@5"]),
        ("koksgalaxy", ["C4"]),
        ("mold", ["F/@2"]),
    ],
)
def test_known_patterns_have_their_symmetries(name: str, symmetries: list[str]) -> None:
    """The well-known pattern satisfies the problem with its symmetries, and not with a wrong one."""
    entry = next(entry for entry in PATTERNS if entry["name"] == name)
    pattern = rle.parse(entry["rle"])
    found = identify(pattern)
    size = (max(entry["box"]) + 1,) * 2 if name in ("glider", "lwss") else tuple(entry["box"])

    def question(dx: int, dy: int, names: list[str]) -> Problem:
        box = (size[0] + dx, size[1] + dy)
        return Problem(*box, generations=found.period, displacement=found.displacement, symmetry=tuple(names))

    shifts = [(dx, dy) for dx in (0, 1) for dy in (0, 1) if size[0] != size[1] or dx == dy]
    assert any(places(question(dx, dy, symmetries), pattern) for dx, dy in shifts)
    if found.displacement == (0, 0):
        assert not places(question(0, 0, ["D4+"]), pattern)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Problem(3, 1, generations=2, open_end=True),
        lambda: families.still_life((4, 4), exclude=["x = 1, y = 1, rule = /2/3\nB!"]),
        lambda: families.oscillator((4, 4), 2, rule="B3/S2?3", exclude=["3o!"]),
        lambda: families.still_life((4, 4), population="<0"),
        lambda: families.wave((3, 3), 2, (300_000_000, 0)),
    ],
)
def test_questions_that_make_no_sense(make: Callable[[], Problem]) -> None:
    with pytest.raises((InputError, LimitError)):
        make()


def test_what_does_not_matter_is_freed_from_the_rule_in_problem_files_too() -> None:
    """`?` means the same in a grid file and in a problem file."""
    problem = Problem.from_dict({"box": [1, 1], "generations": 1, "nonempty": False, "cells": [["1"], ["?"]]})
    assert problem.cells == satlife.grid("1\n\n?\n").cells
    assert satlife.find(problem)
    assert Problem.from_dict({"box": [1, 1], "cells": [["."]]}).cells == grid_of([["0"]])


def test_the_last_state_of_a_template_is_known() -> None:
    """State 255 of 256 is no `?`."""
    template = formats.parse("x = 3, y = 1, rule = B2/S/C256\n?yOA!", unknown=True)
    assert families.predecessor(template).cells[1] == grid_of([[["*'", "255", "1"]]])[0]
    assert families.orphan(template).cells[1][1] == grid_of([[["*'", "*'", "255", "1", "*'"]]])[0][0]
    assert set(families.orphan(template).cells[1][0]) == {DONT_CARE}


@pytest.mark.parametrize(
    "ask",
    [
        lambda: families.still_life((3.5, 3)),  # type: ignore[arg-type]
        lambda: families.oscillator((3, 3), 2.5),  # type: ignore[call-overload]
        lambda: families.spaceship((3, 3), 3, (0.5, 0)),  # type: ignore[arg-type]
    ],
)
def test_questions_have_whole_numbers(ask: Callable[[], Problem]) -> None:
    with pytest.raises(InputError, match="whole number"):
        ask()


@pytest.mark.parametrize(
    ("at", "shift", "status"), [((0, 0), "", "none"), ((0, 0), ":0,1", "found"), ((1, 0), "", "found")]
)
def test_a_diagonal_glide_by_half_a_cell(at: tuple[int, int], shift: str, status: str) -> None:
    """The axis lies on one side of the middle, or with a shift on the other."""
    glider = Pattern.from_rows([".O.", "..O", "OOO"]).shift(*at)
    asked = families.spaceship((5, 5), 4, (1, 1), known=glider, symmetry=f"F\\@2{shift}")
    assert satlife.find(asked).status == status


@pytest.mark.parametrize("width", ["1e999", "NaN", "9.5", '"9"', "true"])
def test_an_open_box_has_whole_numbers(width: str) -> None:
    with pytest.raises(InputError, match=r"whole numbers|no number"):
        read_question(f'{{"box": [{width}, "*"], "period": 3, "displacement": [0, -1]}}')


def test_a_find_has_generations() -> None:
    with pytest.raises(InputError, match="one or more"):
        Find.from_dict({"generations": []}, families.still_life((3, 3)))


def test_a_pattern_dies_on_a_torus_if_the_simulation_says_so() -> None:
    """All 512 patterns of 3x3, and known cells of the generations before the last."""
    problem, known = families.torus((3, 3), dies=2), families.torus((3, 3), dies=2, known=[["1**", "***", "***"]])
    for number in range(512):
        cells = np.array([number >> place & 1 for place in range(9)], np.uint8).reshape(3, 3)
        dies = number > 0 and not advance(Pattern(cells, torus=(3, 3)), 2).population
        for asked, wanted in ((problem, dies), (known, dies and cells[0, 0])):
            with contextlib.nullcontext() if wanted else pytest.raises(verify.Refuted):
                verify.check(asked, verify.phases_of(asked, Pattern(cells, torus=(3, 3))))
    with pytest.raises(InputError, match="after 1 generations all cells are dead"):
        families.torus((3, 3), dies=1, known=[["***"] * 3] * 2)
