"""The search for catalysts, compared with brute force; and what was known before is found again."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest
from campaign import catalysts

import satlife
from commands import run
from satlife.engines.catalysts import kernel, still, subtree, world
from satlife.engines.catalysts.search import CatalystSearch
from satlife.engines.catalysts.subtree import FoundCatalyst
from satlife.errors import InputError
from satlife.life import history
from satlife.problem.ask import read_question
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.simulation import Refuted
from satlife.search.advice import advise
from uncompiled import uncompile

#: A glider flies towards unknown cells.
GLIDER = """x = 17, y = 12, rule = LifeHistory
5.12B$5.12B$.A3.12B$2.A2.12B$3A2.12B$5.12B$5.12B$5.12B$5.12B$5.12B$5.12B$5.12B!"""


@pytest.mark.parametrize("seed", [7, 19])
def test_brute_force_agrees(seed: int) -> None:
    """Two with perturbations, and regions so small that all their patterns are tried; the campaign draws more."""
    problem = catalysts.drawn(random.Random(seed))
    assert catalysts.compared(problem) == "", problem.to_json()


def test_an_eater_of_a_glider() -> None:
    problem = satlife.catalyst(GLIDER, first_active="0..12", active="0..20", ever_bounds=(4, 4), eaten=True)
    best = satlife.optimise(problem)
    assert best.proved
    assert best.value == 5 + 7  # a glider and eater 1
    asked = problem.get(Catalyst)
    assert asked is not None
    still = satlife.Pattern(asked.still_life(best.outcome.phases[0])).crop()
    assert satlife.identify(still).apgcode == "xs7_178c"


def test_a_list_has_one_of_each_perturbation_and_is_complete() -> None:
    problem = satlife.catalyst(GLIDER, first_active="0..6", active="0..6", max_active=6)
    listing = satlife.enumerate_all(problem)
    found = list(listing)
    assert listing.complete
    assert len(found) == 2
    assert listing.summary() == "2 perturbations, one pattern of each; complete by exhaustive search"
    assert listing.to_dict()["one_of_each"] == "perturbation"
    assert all("#C the catalyst has recovered in generation" in one.rle() for one in found)


def test_a_count_says_what_it_counts() -> None:
    """Still lifes that perturb alike are not told apart; of other questions solutions are counted."""
    counted = satlife.count(satlife.catalyst(GLIDER, first_active="0..6", active="0..6", max_active=6))
    assert (int(counted), counted.to_dict()["one_of_each"]) == (2, "perturbation")
    assert repr(counted) == "<Count: 2 perturbations, counted by listing>"
    assert satlife.count(satlife.still_life((2, 2))).to_dict()["one_of_each"] is None


def test_a_lightweight_spaceship_is_eaten_by_blocks() -> None:
    lwss = satlife.Pattern.from_rows([".O..O", "O....", "O...O", "OOOO."])
    found = satlife.find(satlife.eater((9, 9), generations=12, of=lwss))
    assert "nothing is left of the active pattern" in found.rle()
    with pytest.raises(InputError, match="lane and phase"):
        satlife.eater(of=lwss, lane=1)


def test_there_is_none() -> None:
    outcome = satlife.find(satlife.catalyst(GLIDER, first_active="0..6", active="0..6", max_active=0, eaten=True))
    assert (outcome.status, outcome.exhaustive) == ("none", True)


def test_a_search_goes_on_with_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = satlife.catalyst(GLIDER, first_active="0..6", active="0..6", max_active=6)
    plain = [found.start for found in CatalystSearch(problem).catalysts() if found]
    monkeypatch.setattr(world, "ROOM", 64)
    monkeypatch.setattr(subtree, "STEPS", 20_000)
    cut = [found.start for found in CatalystSearch(problem).catalysts() if found]
    assert np.array_equal(plain, cut)


def test_the_kernel_returns_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A branch of a reaction that goes on for long is not a moment's work, so that it is no measure of time."""
    whole = CatalystSearch(satlife.catalyst(satlife.Pattern.from_rows([".OO", "OO.", ".O."])))
    monkeypatch.setattr(subtree, "STEPS", 1000)
    looks, branches = whole.subtrees[0].world.still.used, []
    for _ in itertools.islice(whole.catalysts(), 30):
        branches.append((int(looks[still.LOOKS]), whole.branches))
    assert max(after[0] - before[0] for before, after in itertools.pairwise(branches)) < 20_000
    assert branches[-1][1] < 3000


def test_the_kernel_does_what_it_says_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled kernel and the same text as plain Python search the same tree."""
    problem = catalysts.drawn(random.Random(89))
    compiled, plain = CatalystSearch(problem), CatalystSearch(problem)
    found = [one.start for one in compiled.catalysts() if one]
    assert found
    uncompile(monkeypatch, kernel, still)
    assert np.array_equal(found, [one.start for one in plain.catalysts() if one])
    assert plain.branches == compiled.branches


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"first_active": "7..3"}, "should ascend"),
        ({"first_active": "x"}, "such as 3..7"),
        ({"stable": 0}, "at least one generation"),
        ({"active": "0..5000"}, "longer than the limit"),
        ({"rule": "B0/S23"}, "without B0"),
        ({"around": 0}, "within 1 to 100"),
    ],
)
def test_wrong_questions(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        satlife.catalyst(GLIDER, **arguments)  # type: ignore[arg-type]


def test_a_rule_that_is_not_outer_totalistic_is_left_to_the_solvers() -> None:
    short = {"first_active": "0..4", "active": "0..2", "stable": 2, "max_active": 3, "rule": "B3/S2-i3"}
    near = ".A3.4B$2.A2.4B$3A2.4B$5.4B$5.4B$5.4B!"
    question = satlife.catalyst(f"x = 9, y = 6, rule = LifeHistory\n{near}", **short)  # type: ignore[arg-type]
    found = satlife.find(question)
    assert (found.status, found.strategy != "catalysts") == ("found", True)
    with pytest.raises(InputError, match="perturb alike"):
        list(satlife.enumerate_all(question))


def test_a_find_is_simulated() -> None:
    problem = satlife.catalyst(GLIDER, first_active="0..12", active="0..20", ever_bounds=(4, 4), eaten=True)
    asked = problem.get(Catalyst)
    assert asked is not None
    found = satlife.find(problem)
    assert found
    asked.reaction(problem.rule, found.phases[0])
    with pytest.raises(Refuted, match="no interaction"):
        asked.reaction(problem.rule, asked.layer("A"))
    broken = found.phases[0].copy()
    broken[tuple(np.argwhere(asked.still_life(broken))[0])] = 0
    with pytest.raises(Refuted, match="no still life"):
        asked.reaction(problem.rule, broken)


def test_a_question_survives_json_and_every_image_of_it_has_the_same_answers() -> None:
    from satlife.life.pattern import TRANSFORMS
    from satlife.problem import orientation

    for seed in (3, 7, 11, 20):
        problem = catalysts.drawn(random.Random(seed))
        assert satlife.Problem.from_json(problem.to_json()) == problem
        counts = set()
        for name in TRANSFORMS:
            image = orientation.turned(problem, name)
            assert orientation.turned(image, orientation.INVERSES.get(name, name)) == problem
            counts.add(sum(1 for found in CatalystSearch(image).catalysts() if found))
        assert len(counts) == 1


#: A glider, and eater 1, which eats it.
MEAL = satlife.Pattern.from_rle("x = 10, y = 10\nbo$2bo$3o4$6b2o$6bobo$8bo$8b2o!")


@pytest.mark.parametrize(
    ("column", "became"),
    [
        (5, ["the reaction settles after 74 generations: 1 xs7_178c (eater 1)"]),
        (6, ["the reaction dies after 74 generations", "in the end the catalyst is not what it was"]),
        (
            12,
            [
                "the reaction settles after 14 generations: 1 xs7_178c (eater 1)",
                "escaping: 1 xq4_153 (glider) SE, lane -94",
            ],
        ),
    ],
)
def test_what_becomes_of_a_reaction_in_the_end(column: int, became: list[str]) -> None:
    """A second glider comes when the first is long eaten: it is eaten, too, or is the end of the eater, or flies by."""
    start = np.zeros((40, 40), np.uint8)
    start[20:30, 20:30], start[5:8, column : column + 3] = MEAL.cells, MEAL.cells[:3, :3]
    states = start.copy()
    states[26:31, 26:31] = 2
    problem = satlife.catalyst(history.rle(states), first_active="0..14", active="0..6", stable=2)
    asked = problem.get(Catalyst)
    assert asked is not None
    told = list(asked.remarks(problem, (start,), (-100, 0)))
    assert told[1].startswith("the catalyst has recovered in generation 13; in generation 14 5 live cells are left")
    assert told[2:] == became


def test_a_find_lies_over_the_reaction_and_can_be_written_with_its_catalyst_marked(tmp_path: Path) -> None:
    (tmp_path / "reaction.rle").write_text(f"#CXRLE Pos=-20,7\n{GLIDER}\n")
    asked = ("catalyst", "reaction.rle", "--first-active", "0..12", "--active", "0..20", "--ever-bounds", "4x4", "-q")
    plain = run(*asked, cwd=tmp_path).stdout
    glider = satlife.Pattern.from_points([(-19, 9), (-18, 10), (-20, 11), (-19, 11), (-18, 11)])
    live = set(satlife.Pattern.from_rle(plain).points())
    assert live > set(glider.points())
    marked = run(*asked, "--format", "history", cwd=tmp_path).stdout
    assert "rule = LifeHistory\n" in marked
    states, _ = history.parse(marked)
    x, y = history.place(marked)
    for state, cells in ((1, set(glider.points())), (3, live - set(glider.points()))):
        assert {(x + i, y + j) for j, i in np.argwhere(states == state).tolist()} == cells


def test_a_catalyst_may_be_sought_around_a_pattern_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "g.rle").write_text("#CXRLE Pos=5,-3\nx = 3, y = 3\nbo$2bo$3o!\n")
    limits = ("--first-active", "0..12", "--active", "0..20", "--ever-bounds", "4x4", "--around", "5", "-q")
    found = satlife.Pattern.from_rle(run("catalyst", "g.rle", *limits, cwd=tmp_path).stdout)
    assert {(6, -3), (7, -2), (5, -1), (6, -1), (7, -1)} < set(found.points())


def test_advice_is_the_same_command_with_narrower_limits(tmp_path: Path) -> None:
    (tmp_path / "bhep.rle").write_text("x = 4, y = 3\n2o$b3o$3bo!\n")
    late = run("catalyst", "bhep.rle", "--active", "0..30", "--time", "0.2", cwd=tmp_path)
    assert late.returncode == 3
    tried = [line.split("  #")[0].strip() for line in late.stderr.partition("try next:\n")[2].splitlines()]
    assert tried == [
        f"satlife catalyst bhep.rle --active 0..30 --time 0.2 {more}"
        for more in ("--ever-bounds 4x4", "--active 0..20", "--first-active 0..20")
    ]
    problem = satlife.catalyst((tmp_path / "bhep.rle").read_text(), active="0..30")
    for line, found in zip(tried, advise(problem), strict=True):
        asked = run(*line.split()[1:], "--print-problem", "--json", cwd=tmp_path)
        assert read_question(asked.stdout) == found.question
    (tmp_path / "asked.toml").write_text(problem.to_toml())
    other = run("search", "asked.toml", "--time", "0.2", cwd=tmp_path)  # which has no such options
    assert (other.returncode, "--ever-bounds" in other.stderr) == (3, False)
    narrow = satlife.catalyst(GLIDER, first_active="0..6", active="0..6", ever_bounds=(4, 4))
    assert advise(narrow) == []


def test_options_that_never_suit_a_catalyst_are_not_in_its_help() -> None:
    helped = [run(name, "--help").stdout for name in ("catalyst", "still-life")]
    assert [["--known" in text, "--strict" in text] for text in helped] == [[False, False], [True, True]]
    assert "--ever-bounds" in helped[0]


def test_whoever_eats_is_whole_at_the_end() -> None:
    """The check, the search and the clauses agree: given cells that may be active without limit must be back, too."""
    reaction = "x = 8, y = 6, rule = LifeHistory\n4.4B$4.4B$4.4B$2.A.BC2B$.A$3.A!"
    problem = satlife.catalyst(reaction, first_active="0..5", active="0..7", stable=1, eaten=True, rule="B36/S23")
    drawn = ["....OO..", ".....O..", "....O...", "..O.OO..", ".O......", "...O...."]
    start = satlife.Pattern.from_rows(drawn, problem.rule).cells
    with pytest.raises(Refuted, match="more, or less, than the still life"):
        problem.conditions[0].check(problem, [start])
    assert satlife.find(problem).status == "none"


@pytest.mark.parametrize("least", [False, True])
def test_threads_find_what_one_finds(monkeypatch: pytest.MonkeyPatch, least: bool) -> None:
    monkeypatch.setattr(subtree, "STEPS", 20_000)
    problem = satlife.catalyst(GLIDER, first_active="0..6", active="0..6", max_active=6)
    alone, team = CatalystSearch(problem, least=least), CatalystSearch(problem, threads=3, least=least)
    expected = [one for one in alone.catalysts() if one]
    shares, found = [], []
    for one in team.catalysts():
        shares.append(len(team.subtrees))
        found += [one] if one else []
    assert max(shares) == 3
    assert team.complete
    if least:
        assert found[-1].population == expected[-1].population
    else:
        assert team.seen == alone.seen
        assert team.branches >= alone.branches


@pytest.mark.parametrize(("least", "threads"), [(False, 1), (True, 3)])
def test_a_saved_search_goes_on(monkeypatch: pytest.MonkeyPatch, least: bool, threads: int) -> None:
    """Saved and begun anew again and again, after ever more steps, it finds what one search finds."""
    monkeypatch.setattr(subtree, "STEPS", 20_000)
    problem = satlife.catalyst(GLIDER, first_active="0..6", active="0..6", max_active=6)

    def perturbations(found: list[FoundCatalyst]) -> list[int]:
        return [one.population for one in found]

    whole = CatalystSearch(problem, least=least)
    expected = [one for one in whole.catalysts() if one]
    text, rounds, branches, again = None, 0, 0, 0
    found: list[FoundCatalyst] = []
    while True:
        part = CatalystSearch(problem, text, threads, least)
        moments = iter(range(5 * 3**rounds))
        found += [one for one in part.catalysts(lambda: next(moments, None) is None) if one]  # noqa: B023
        branches, text, rounds = branches + part.branches, part.save(), rounds + 1
        if part.complete:
            break
        again += sum(map(len, json.loads(text)["paths"]))
    assert rounds > 1
    if least:
        assert perturbations(found)[-1] == perturbations(expected)[-1]
        assert part.smallest is not None
        assert part.smallest.population == perturbations(expected)[-1]
    else:
        assert part.seen == whole.seen
        assert len(found) == len(expected)
        if threads == 1:  # several may complete catalysts that perturb alike
            assert branches <= whole.branches + again  # the choices of the path are made again, and nothing else


def test_what_is_no_saved_search_is_refused() -> None:
    problem = satlife.catalyst(GLIDER, first_active="0..6", active="0..6", max_active=6)
    text = CatalystSearch(problem).save()
    data = json.loads(text)
    other = satlife.catalyst(GLIDER, first_active="0..5", active="0..6", max_active=6)
    with pytest.raises(InputError, match="another question"):
        CatalystSearch(other, text)
    with pytest.raises(InputError, match="another goal: it was not for the smallest"):
        CatalystSearch(problem, text, least=True)
    for wrong in (
        "{",
        "[]",
        {**data, "paths": [[[1, 2]]]},
        {**data, "paths": [[[0, 0, 9, 9, 0, 0, 0, 0, 0]]]},
        {**data, "paths": 1},
        {**data, "seen": 3},
    ):
        with pytest.raises(InputError, match="no saved search for catalysts"):
            CatalystSearch(problem, wrong if isinstance(wrong, str) else json.dumps(wrong))


def test_save_and_go_on_from_the_shell(tmp_path: Path) -> None:
    file, saved = tmp_path / "glider.rle", tmp_path / "saved.json"
    file.write_text(GLIDER)
    ask = ["catalyst", str(file), "--first-active", "0..6", "--active", "0..6", "--max-active", "6"]
    going_on = [*ask, "--from", str(saved), "--save", str(saved)]
    first = run(*going_on)
    assert (first.returncode, "is not there" in first.stderr or "there is no" in first.stderr) == (0, True)
    assert f"the search is in {saved}; go on with --from {saved}" in first.stderr
    codes = [run(*going_on).returncode for _ in range(2)]
    assert codes == [0, 3]  # another perturbation, and then no other: that is no "none"
    last = run(*going_on)
    assert (
        last.returncode,
        "there are no others besides 2 perturbations found before it was saved" in last.stderr,
    ) == (3, True)
    every = run(*going_on, "-n", "all", "--json")
    closing = json.loads(every.stdout.splitlines()[-1])
    assert (every.returncode, closing["complete"], closing["count"], closing["before"]) == (0, True, 0, 2)
    assert "with 2 perturbations listed before" in run(*going_on, "-n", "all").stderr
    assert run(*ask, "--from", str(file)).returncode == 1
    goal = run(*ask, "--from", str(saved), "--minimize")
    assert (goal.returncode, "of another goal" in goal.stderr) == (1, True)
    assert "--proof does not go together" in run(*ask, "--save", str(saved), "--proof", str(tmp_path / "p")).stderr
    assert "--strategy does not go together" in run(*going_on, "--strategy", "plain").stderr


def test_a_search_for_one_goes_on_for_all(tmp_path: Path) -> None:
    """What is saved is about the question as it was asked, and not about an image of it."""
    file, saved = tmp_path / "glider.rle", str(tmp_path / "saved.json")
    file.write_text(GLIDER)
    ask = ["catalyst", str(file), "--first-active", "0..6", "--active", "0..6", "--max-active", "6"]
    assert run(*ask, "--save", saved).returncode == 0
    others = run(*ask, "--from", saved, "-n", "all")
    assert (others.returncode, "one of each perturbation was listed: 1 perturbation;" in others.stderr) == (0, True)
    assert "with 1 perturbation listed before" in others.stderr
