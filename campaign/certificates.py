"""Ways to ask a question through the shell whose answers, and their certificates, are compared with brute force."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from campaign.brute_force import TURNS, BruteForce, Phase, best, fewest_generations, phases_of, smallest_area, turned
from campaign.case import MAX_LISTED, SECONDS, Case, differ, problem_file
from campaign.claims import is_true
from campaign.shell import CommandResult, run_satlife
from satlife.errors import SatlifeError
from satlife.problem.conditions.exclude import patterns
from satlife.problem.problem import Problem
from satlife.proof import bundle
from satlife.proof.verify import verify
from satlife.search.library import enumerate_all

CERTIFIED = 0.6
#: Why the population of a generation is not measured.
UNKNOWN = ("is not known", "is not that of what generation 0 becomes", "has no end")


def ask(q: Case, *options: str, certificate: bool = True) -> tuple[CommandResult, Path | None]:
    """`satlife search FILE` with options, sometimes with a certificate into the folder that is returned."""
    folder = q.folder / "proof"
    shutil.rmtree(folder, ignore_errors=True)
    wanted = certificate and not ({"strict", "tight"} & q.problem.needs) and q.rng.random() < CERTIFIED
    proof = ["--proof", str(folder)] if wanted else []
    line = ["search", str(problem_file(q)), "--json", "-q", "--time", str(SECONDS), *options, *proof]
    return run_satlife(line), folder if wanted else None


def certificate_objection(folder: Path | None) -> str:
    """What is wrong with a certificate: it must be accepted, and its claim must be true."""
    if folder is None:
        return ""
    try:
        if not list(verify(folder)):
            return "nothing was checked"
        claim = bundle.read(folder).claim
    except SatlifeError as error:
        return f"its certificate is refused: {error}"
    return "" if is_true(claim) else f"its certificate claims what is false: {claim.to_dict()}"


def names_places(problem: Problem) -> bool:
    """Whether a question is not the same in a smaller box."""
    return any(problem.cells) or not all(condition.any_box for condition in problem.conditions)


def smallest_shown(q: Case) -> str | None:
    """`--smallest`: the area of the box, and that no smaller one has an answer."""
    if names_places(q.problem):
        return None
    result, proof = ask(q, "--smallest")
    if result.crash or result.message:
        return result.crash or result.message
    expected = smallest_area(q.problem)
    shown = result.lines[-1]
    wrong = differ("exit code", result.code, 20 if expected is None else 0)
    if not wrong and expected is not None:
        width, height = shown["problem"]["box"]
        wrong = differ("area", width * height, expected) or differ("certain", shown["smallest"], True)
    return wrong or certificate_objection(proof)


def distinct_shown(q: Case) -> str | None:
    """`--distinct`: one find of each orbit."""
    if len(q.answers) > MAX_LISTED:
        return None
    result, proof = ask(q, "-n", "all", "--distinct", certificate=not q.problem.rule.is_partial)
    if result.crash or result.message:
        return result.crash or result.message
    orbits = {q.brute.orbit(answer) for answer in q.answers}
    *finds, closing = result.lines
    return (
        differ("exit code", result.code, 0 if q.answers else 20)
        or differ("finds", len(finds), len(orbits))
        or differ("count", closing["count"], len(q.answers))
        or differ("orbits", closing["distinct"], len(orbits))
        or certificate_objection(proof)
    )


def best_shown(q: Case) -> str | None:
    """`--minimize` and `--maximize` of the measures that have certificates, the number of generations aside."""
    measure = q.rng.choice(["phase", "phase", "cells", f"cells@{q.problem.last}"])
    largest = q.rng.random() < 0.5
    result, proof = ask(q, "--maximize" if largest else "--minimize", "--measure", measure)
    if result.crash:
        return result.crash
    if result.message:
        return None if any(words in result.message for words in UNKNOWN) else result.message
    expected = best(q.brute.whole, measure, largest, q.problem)
    wrong = differ("exit code", result.code, 0 if q.answers else 20)
    wrong = wrong or differ("value", result.lines[-1]["value"], expected)
    if not wrong and q.answers:
        wrong = differ("proved", result.lines[-1]["optimal"], True)
    wrong = wrong or certificate_objection(proof)
    return wrong and f"{measure}, largest={largest}: {wrong}"


def fewest_generations_shown(q: Case) -> str | None:
    """`--minimize --measure generations`, for questions without known cells."""
    if any(q.problem.cells):
        return None
    result, proof = ask(q, "--minimize", "--measure", "generations")
    if result.crash:
        return result.crash
    if result.message:
        allowed = ("fixed number", "blinks", "faster than light", "too small")
        return None if any(words in result.message for words in allowed) else result.message
    expected = fewest_generations(q.problem)
    wrong = differ("exit code", result.code, 20 if expected is None else 0)
    return wrong or differ("value", result.lines[-1]["value"], expected) or certificate_objection(proof)


def excluded(q: Case) -> str | None:
    """The question again without some of its answers, which are drawn in any phase, orientation and place."""
    problem = q.problem
    if problem.rule.is_partial and problem.generations > 1:
        return None
    # Where the background blinks, only every other phase is drawn on a dead one.
    every = 2 if problem.rule.births_from_nothing else 1
    phases = sorted({phase for answer in q.answers for phase in answer[::every] if any(phase) and min(phase) >= 0})
    if not phases:
        return None
    texts = [drawn(q, phase) for phase in q.rng.choices(phases, k=q.rng.randint(1, 2))]
    narrower = problem.having(exclude=(*patterns(problem), *texts))
    brute = BruteForce(narrower)
    expected = brute.answers()
    listing = enumerate_all(narrower, time=SECONDS)
    found = [brute.key(phases_of(outcome.phases)) for outcome in listing]
    wrong = differ("complete", listing.complete, True) or differ("count", len(found), len(expected))
    if not wrong and set(found) != expected:
        wrong = f"one of the difference: {min(set(found) ^ expected)}"
    if not wrong and len(expected) < len(q.answers) and q.rng.random() < 0.3:
        result = run_satlife(
            ["search", str(problem_file(replace(q, problem=narrower))), "--count-only", "--json", "-q"]
        )
        wrong = result.crash or result.message or differ("count", result.lines[-1]["count"], len(expected))
    return wrong and f"without {texts}: {wrong}"


def drawn(q: Case, phase: Phase) -> str:
    """A phase as RLE; around a torus it may be cut anywhere, and the rule may allow any orientation."""
    problem, rng = q.problem, q.rng
    dx, dy = (
        rng.randrange(side) * wrap for side, wrap in zip((problem.width, problem.height), problem.wrap, strict=True)
    )
    width, height = problem.width, problem.height
    cells = {((n % width + dx) % width, (n // width + dy) % height): state for n, state in enumerate(phase) if state}
    cells = turned(cells, rng.choice(list(TURNS)) if q.brute.law.is_isotropic() else "I")
    left, right = min(x for x, _ in cells), max(x for x, _ in cells)
    letters = "bo" if problem.rule.states == 2 else ".ABCD"
    rows = range(min(y for _, y in cells), max(y for _, y in cells) + 1)
    return "$".join("".join(letters[cells.get((x, y), 0)] for x in range(left, right + 1)) for y in rows) + "!"


WAYS: list[Callable[[Case], str | None]] = [
    smallest_shown, distinct_shown, best_shown, fewest_generations_shown, excluded,
]  # fmt: skip
