"""Certificates that rest on others: what follows, what does not, and folders that are wrong in every way."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import satlife
from commands import run
from random_problems import brute_force, random_problem
from satlife.engines.engine import Budget
from satlife.errors import InputError, SatlifeError
from satlife.problem.conditions.cube import Assumption
from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.proof import bundle, certify, inference, verify
from satlife.proof.claims.atlas import ClaimAtlas
from satlife.proof.claims.best import ClaimBest
from satlife.proof.claims.claim import Claim
from satlife.proof.claims.find import ClaimFound, ClaimNone
from satlife.proof.cubes import CubeProver, certify_cubes, packed
from satlife.proof.drat import Steps
from satlife.proof.inference import InferenceRule, Rests, conclude
from satlife.proof.plain import Plain, plain

PROBLEM = satlife.oscillator((4, 4), 3)
TOUCHING = PROBLEM.having(touching=["left", "upper"])
Tree = list[tuple[Assumption, ...]]


def concluded(rule: InferenceRule, claim: Claim, *parts: Claim) -> str:
    names = tuple(f"part-{number}" for number in range(len(parts)))
    return conclude(claim, Rests(rule, names), dict(zip(names, parts, strict=True)))


def none(problem: Problem) -> Claim:
    return ClaimNone(problem)


# Translation.
def test_translation() -> None:
    assert concluded(InferenceRule.TRANSLATION, none(PROBLEM), none(TOUCHING))
    assert concluded(InferenceRule.TRANSLATION, none(PROBLEM), none(PROBLEM.having(touching=["lower"])))


OTHERS = {
    "the question itself": none(PROBLEM),
    "all four sides": none(PROBLEM.having(touching=["left", "right", "upper", "lower"])),
    "a smaller box": none(replace(TOUCHING, width=3)),
    "a larger box": none(replace(TOUCHING, width=5)),
    "another period": none(replace(TOUCHING, generations=5)),
    "another rule": none(replace(TOUCHING, rule=satlife.Rule.parse("B36/S23"))),
    "a condition more": none(TOUCHING.having(population="<=5")),
    "a cube": none(TOUCHING.having(cube=[[0, 0, 0, 1]])),
    "a symmetry": none(replace(TOUCHING, symmetry=("D2|",))),
    "that there is one": ClaimFound(TOUCHING),
    "the best one": ClaimBest(TOUCHING, measure="cells"),
}


@pytest.mark.parametrize("other", OTHERS)
def test_translation_from_another_claim(other: str) -> None:
    with pytest.raises(InputError):
        concluded(InferenceRule.TRANSLATION, none(PROBLEM), OTHERS[other])


def test_translation_needs_one_part_and_a_claim_of_none() -> None:
    with pytest.raises(InputError, match="not about the patterns that touch"):
        concluded(InferenceRule.TRANSLATION, none(PROBLEM), none(TOUCHING), none(TOUCHING))
    for claim in (ClaimFound(PROBLEM), ClaimAtlas(PROBLEM), ClaimBest(PROBLEM, measure="cells")):
        with pytest.raises(InputError, match="claims that there is no pattern"):
            concluded(InferenceRule.TRANSLATION, claim, none(TOUCHING))


def test_nothing_follows_from_nothing() -> None:
    with pytest.raises(InputError, match="rests on a list"):
        Rests.from_dict({"rule": "cubes", "on": []})
    with pytest.raises(InputError, match="not those that the claim rests on"):
        conclude(none(PROBLEM), Rests(InferenceRule.TRANSLATION, ("a", "b")), {"a": none(TOUCHING)})


# Cubes.
def random_tree(problem: Problem, rng: random.Random, top: tuple[Assumption, ...] = ()) -> Tree:
    """The leaves of a random tree of splits."""
    if len(top) > 4 or rng.random() < 0.3 * bool(top):
        return [top]
    x, y, t = (rng.randrange(side) for side in (problem.width, problem.height, problem.last + 1))
    return [leaf for alive in (1, 0) for leaf in random_tree(problem, rng, (*top, (x, y, t, alive)))]


def claims(problem: Problem, tree: Tree) -> list[Claim]:
    return [none(problem.having(cube=cube)) for cube in tree]


@pytest.mark.parametrize("seed", range(20))
def test_every_answer_is_in_one_leaf(seed: int) -> None:
    rng = random.Random(seed)
    problem = random_problem(rng)
    tree = random_tree(problem, rng)
    assert concluded(InferenceRule.CUBES, none(problem), *claims(problem, tree))
    for phases in brute_force(problem):
        assert sum(all((phases[t][y, x] == 1) == alive for x, y, t, alive in cube) for cube in tree) == 1


def holes(tree: Tree, rng: random.Random) -> dict[str, Tree]:
    """Trees that are none any more."""
    gone, (first, *others) = rng.randrange(len(tree)), tree
    x, y, t, alive = first[-1]
    return {
        "a leaf less": [*tree[:gone], *tree[gone + 1 :]],
        "a leaf that is deeper": [(*first, (0, 0, 0, 1)), *others],
        "another cell": [(*first[:-1], ((x + 1) % PROBLEM.width, y, t, alive)), *others],
        "the other value": [(*first[:-1], (x, y, t, 1 - alive)), *others],
        "a leaf twice": [first, *tree],
        "a leaf and what is below": [*tree, *random_tree(PROBLEM, rng, (*first, (0, 0, 0, 1)))],
        "a branch in another order": [tuple(reversed(first)) if len(set(first)) > 1 else (), *others],
    }


@pytest.mark.parametrize("seed", range(10))
def test_a_tree_with_a_hole_covers_nothing(seed: int) -> None:
    rng = random.Random(100 + seed)
    tree = random_tree(PROBLEM, rng)
    for what, wrong in holes(tree, rng).items():
        with pytest.raises(InputError) as caught:
            concluded(InferenceRule.CUBES, none(PROBLEM), *claims(PROBLEM, wrong))
        assert "leaves of a tree" in str(caught.value), what


def test_cubes_of_another_question() -> None:
    halves: Tree = [((1, 1, 0, 1),), ((1, 1, 0, 0),)]
    other = claims(replace(PROBLEM, width=3), halves)
    mine = claims(PROBLEM, halves)
    assert concluded(InferenceRule.CUBES, none(PROBLEM), *mine)
    for parts in (other, [mine[0], other[1]], [mine[0], ClaimFound(mine[1].problem)], claims(TOUCHING, halves)):
        with pytest.raises(InputError):
            concluded(InferenceRule.CUBES, none(PROBLEM), *parts)


def test_a_cube_may_rest_on_cubes() -> None:
    below: Tree = [((1, 1, 0, 1), (2, 2, 0, alive)) for alive in (0, 1)]
    assert concluded(InferenceRule.CUBES, none(PROBLEM.having(cube=[[1, 1, 0, 1]])), *claims(PROBLEM, below))
    with pytest.raises(InputError, match="leaves of a tree"):
        concluded(InferenceRule.CUBES, none(PROBLEM.having(cube=[[1, 1, 0, 0]])), *claims(PROBLEM, below))
    with pytest.raises(InputError, match="leaves of a tree"):
        concluded(InferenceRule.CUBES, none(PROBLEM), *claims(PROBLEM, below))


def test_long_branches_need_no_stack() -> None:
    """A branch with a cell as often as one likes: as deep as Python's recursion would not go."""
    cells = [(k % 4, k // 4 % 4, 0, 1) for k in range(1500)]
    tree: Tree = [(*cells[:k], (*cells[k][:3], 0)) for k in range(1500)]
    inference._must_cover([*tree, tuple(cells)], ())


def test_a_cube_only_adds_clauses() -> None:
    """What is written once for all cubes is what is written for each."""
    for seed in range(2):
        rng = random.Random(seed)
        problem = random_problem(rng).having(population=">=1")
        for cube in random_tree(problem, rng):
            leaf = problem.having(cube=cube)
            assert list(plain(leaf).formula().clauses()) == list(Plain(leaf).formula().clauses())
            assert list(plain(leaf).cells()) == list(Plain(leaf).cells())


# Folders.
@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small questions are moved, too."""
    monkeypatch.setattr(certify, "LARGE", 0)
    monkeypatch.setattr(certify, "WIDE", 0)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original") / "made"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certify, "LARGE", 0)
        patch.setattr(certify, "WIDE", 0)
        assert certify.find(PROBLEM, folder).proof is not None
    return folder


@pytest.fixture
def made(original: Path, tmp_path: Path) -> Path:
    """A certificate that is moved, to be damaged."""
    return Path(shutil.copytree(original, tmp_path / "made"))


def test_a_large_refutation_is_moved(tmp_path: Path, eager: None) -> None:
    folder = tmp_path / "proof"
    result = run("oscillator", "4x3", "-p", "3", "--proof", str(folder))
    assert result.returncode == 20, result.stderr
    checked = run("verify", str(folder), "--write-cnf", str(tmp_path / "cnf"))
    assert checked.returncode == 0, checked.stderr
    assert "ok  touching: proof 1: " in checked.stdout
    assert "ok  translation: every pattern can be moved" in checked.stdout
    words = " ".join(checked.stdout.splitlines()[-4:-1])
    assert words.startswith("There is no pattern with these properties: see statement.txt. This rests on 1 proof, ")
    assert "Trusted are the plain generator of clauses, the checker of proofs and the rule" in words
    assert all(len(line) <= 100 for line in checked.stdout.splitlines()[-4:-1])
    assert (tmp_path / "cnf" / "touching" / "1.cnf").read_text().startswith("p cnf")
    assert "by the rule `translation`" in (folder / "statement.txt").read_text()
    assert "a cell in the first row of the box is not dead" in (folder / "touching" / "statement.txt").read_text()


@pytest.mark.parametrize("seed", range(8))
def test_refuted_means_none_by_force(seed: int, tmp_path: Path, eager: None) -> None:
    """Random questions, certified where they are moved: the outcome is that of brute force, and the check agrees."""
    rng = random.Random(500 + seed)
    problem = random_problem(rng)
    outcome = certify.find(problem, tmp_path / "proof")
    assert bool(outcome) == any(True for _ in brute_force(problem))
    assert outcome.proof is not None
    assert list(verify.verify(tmp_path / "proof"))


def refused(folder: Path, message: str) -> None:
    with pytest.raises(SatlifeError, match=message):
        satlife.check_certificate(folder)


def rewritten(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change certificate.json, and make the words agree with it, as a forger would."""
    data = json.loads((folder / "certificate.json").read_text())
    change(data)
    (folder / "certificate.json").write_text(json.dumps(data))
    try:
        read = bundle.read(folder)
    except SatlifeError:
        return
    (folder / "statement.txt").write_text(read.claim.statement(read.rests.words() if read.rests else ()))
    (folder / "problem.json").write_text(read.claim.problem.to_json() + "\n")


@pytest.mark.parametrize(
    "name",
    ["../made/touching", "..", ".", "", "a/b", "a\\b", "/etc", ".made", "touching/", "x" * 65, "a b", 7, None],
)
def test_names_are_plain(made: Path, name: object) -> None:
    rewritten(made, lambda data: data["rests"].update(on=[name]))
    refused(made, "is not the name of a certificate in the folder")


@pytest.mark.parametrize(
    ("rests", "message"),
    [
        ({"rule": "faith", "on": ["touching"]}, "should be one of translation, cubes, boxes"),
        ({"rule": ["cubes"], "on": ["touching"]}, "should be one of"),
        ({"rule": "translation", "on": "touching"}, "rests on a list"),
        ({"rule": "translation", "on": []}, "rests on a list"),
        ({"rule": "translation", "on": ["touching", "touching"]}, "twice"),
        ({"rule": "translation", "on": ["touching", "TOUCHING"]}, "twice"),
        ({"rule": "translation", "on": ["nothing"]}, "nothing: files: cannot read"),
        ({"rule": "cubes", "on": ["touching"]}, "cubes: one of the cubes is a part of another question"),
        ({"rule": "boxes", "on": ["touching"]}, "boxes: the rule is about an atlas"),
        ("touching", "should be one of"),
        (["touching"], "should be one of"),
    ],
)
def test_what_a_claim_rests_on_is_read_with_care(made: Path, rests: object, message: str) -> None:
    rewritten(made, lambda data: data.update(rests=rests))
    refused(made, message)


def test_a_part_that_is_missing(made: Path) -> None:
    shutil.rmtree(made / "touching")
    refused(made, "touching: files: cannot read")


def test_a_part_that_fails(made: Path) -> None:
    proof = made / "touching" / "1" / "proof.drat.xz"
    proof.write_bytes(proof.read_bytes()[:-10])
    refused(made, "touching: proof 1: .*cut off")


def test_a_part_about_another_question(made: Path, tmp_path: Path) -> None:
    """A true certificate, of a question that does not help."""
    narrow = satlife.oscillator((3, 4), 3).having(touching=["left", "upper"])
    certify.save_moved(tmp_path / "narrow", none(narrow), [decided(narrow, tmp_path)])
    shutil.rmtree(made / "touching")
    shutil.copytree(tmp_path / "narrow", made / "touching")
    refused(made, "translation: it is not about the patterns that touch sides")


def decided(problem: Problem, folder: Path) -> bundle.Part:
    budget = Budget.for_search(satlife.Options())
    part = certify.decide(problem, satlife.Options(), budget, folder).part
    assert part is not None
    return part


def test_a_claim_that_is_larger_than_its_part(made: Path) -> None:
    rewritten(made, lambda data: data["claim"]["problem"].update(box=[5, 4]))
    refused(made, "translation: it is not about the patterns that touch sides")


def test_a_part_that_claims_a_find(made: Path, tmp_path: Path) -> None:
    """There is one, from which nothing follows."""
    found = satlife.find(satlife.oscillator((4, 4), 2))
    certify.certify(ClaimFound(found.problem, (Find(found.phases),)), tmp_path / "found")
    shutil.rmtree(made / "touching")
    shutil.copytree(tmp_path / "found", made / "touching")
    refused(made, "claims that there is no pattern")


def test_proofs_of_its_own_besides(made: Path) -> None:
    data = json.loads((made / "touching" / "certificate.json").read_text())
    rewritten(made, lambda mine: mine.update(parts=data["parts"]))
    refused(made, "has no proofs of its own")


def test_a_part_is_no_proof(made: Path) -> None:
    """Without the rule the claim needs a proof, which is not there."""
    rewritten(made, lambda data: data.pop("rests"))
    refused(made, "0 proofs instead of 1")


def test_the_words_say_what_it_rests_on(made: Path) -> None:
    (made / "statement.txt").write_text(none(PROBLEM).statement())
    refused(made, "the words are not those of the claim")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_links_are_not_followed(made: Path, tmp_path: Path) -> None:
    (made / "touching").rename(tmp_path / "elsewhere")
    (made / "touching").symlink_to(tmp_path / "elsewhere")
    refused(made, "touching: files: cannot read")


def test_a_circle_is_cut(made: Path) -> None:
    """A folder that contains itself by a link is not entered."""
    rewritten(made, lambda data: data.update(rests={"rule": "cubes", "on": ["made"]}))
    (made / "made").symlink_to(made)
    refused(made, "made: files: cannot read")


def nested(folder: Path, depth: int) -> None:
    """A claim that rests on itself, by a tree of one leaf, again and again."""
    shutil.copytree(folder / "touching", folder.parent / "leaf")
    shutil.rmtree(folder)
    shutil.copytree(folder.parent / "leaf", Path(folder, *["again"] * depth))
    for level in range(depth):
        place = Path(folder, *["again"] * level)
        bundle.write(place, none(TOUCHING), [], {}, Rests(InferenceRule.CUBES, ("again",)))


def test_certificates_rest_on_one_another_so_deep_and_no_deeper(made: Path, tmp_path: Path) -> None:
    nested(made, verify.DEEPEST)
    assert satlife.check_certificate(made)[-1].count(f"{verify.DEEPEST} further certificates") == 1
    shutil.rmtree(tmp_path / "leaf")
    (made / "touching").mkdir()
    shutil.copytree(Path(made, *["again"] * verify.DEEPEST), made / "touching", dirs_exist_ok=True)
    nested(made, verify.DEEPEST + 1)
    refused(made, f"more than {verify.DEEPEST} deep")


def test_certificates_are_counted(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nested(made, 3)
    monkeypatch.setattr(verify, "MOST", 2)
    refused(made, "rests on more than 2 certificates")


# Cubes, made.
SMALL = satlife.oscillator((3, 3), 3)
CUBES: Tree = [((1, 1, 0, 1),), ((1, 1, 0, 0), (2, 2, 0, 1)), ((1, 1, 0, 0), (2, 2, 0, 0))]


def test_cubes_have_certificates_of_their_own(tmp_path: Path, eager: None) -> None:
    told: list[tuple[int, int]] = []
    folder = tmp_path / "proof"
    made = certify_cubes(SMALL, CUBES, folder, told=lambda done, total: told.append((done, total)))
    assert made.checked
    assert told == [(1, 3), (2, 3), (3, 3)]
    lines = satlife.check_certificate(folder)
    assert "touching: cubes: 3 cubes, which cover everything" in lines
    assert f"3 proofs, {made.lemmas:,} lemmas and 4 further" in lines[-1].replace("\n", " ")
    assert not [path for path in folder.rglob("*") if path.name.endswith(".trace") or path.name.startswith(".")]
    shutil.rmtree(folder / "touching" / "cube-2")
    refused(folder, "touching: cube-2: files")


def test_a_cube_is_forgotten(tmp_path: Path) -> None:
    folder = tmp_path / "proof"
    certify_cubes(SMALL, CUBES, folder)
    rewritten(folder, lambda data: data["rests"]["on"].remove("cube-2"))
    refused(folder, "cubes: the cubes are not the leaves of a tree")


def test_no_tree_no_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leaves of a tree"):
        certify_cubes(SMALL, CUBES[1:], tmp_path / "proof")
    assert not list(tmp_path.iterdir())


def test_proofs_that_are_given_are_used_if_they_are_right(tmp_path: Path) -> None:
    prover = CubeProver(SMALL, satlife.Options())
    limits = Budget.for_search(satlife.Options())
    right = prover.refute(CUBES[0], tmp_path / "trace", limits)
    wrong = Steps.of([("a", [])])
    given = {CUBES[0]: packed(right), CUBES[1]: packed(wrong), CUBES[2]: b"no proof"}
    made = certify_cubes(SMALL, CUBES, tmp_path / "proof", given=given)
    assert made.checked
    assert satlife.check_certificate(tmp_path / "proof")
