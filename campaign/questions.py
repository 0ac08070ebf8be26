"""Random small questions against brute force: every way to ask must give the answers that trying everything gives."""

from __future__ import annotations

import itertools
import random
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from satlife.problem.finds import Find
from satlife.search.outcome import Outcome
from satlife.search.rowwise import Beside
from satlife.search.soups import Soups
from satlife.solve.strategies import STRATEGIES

from campaign import knuth_models, open_boxes, strips
from campaign.asking import random_question
from campaign.attempt import Attempt
from campaign.claims import is_true
from campaign.meaning import Answer, Meaning, best, measured, phases_of, smallest_area
from campaign.shell import satlife_says
from satlife import Options
from satlife import find as find_one
from satlife.encode.transitions import ENCODINGS
from satlife.errors import InputError, SatlifeError
from satlife.problem import families
from satlife.problem.command import arguments
from satlife.problem.problem import Problem
from satlife.proof.certify import certify
from satlife.proof.certify import find as find_certified
from satlife.proof.claim import ALL, BEST, FOUND, NONE, SMALLEST, Claim
from satlife.proof.verify import verify
from satlife.search.count import can_count, count
from satlife.search.enumerate import Listing, enumerate_all
from satlife.search.grow import smallest
from satlife.search.optimise import optimise
from satlife.solve.solvers import kissat

SECONDS = 120.0  # for what takes a moment
MANY = 300  # answers that are listed through a slow way


@dataclass(frozen=True)
class Question:
    """A question and everything that there is to know about it."""

    problem: Problem
    meaning: Meaning
    answers: set[Answer]
    rng: random.Random
    folder: Path

    @property
    def status(self) -> str:
        return "found" if self.answers else "none"

    def objection(self, status: str, phases: Sequence[Any] = (), reason: str = "") -> str:
        """What is wrong with an answer to "is there one?"."""
        if status != self.status:
            return f"{status} {reason} instead of {self.status} ({len(self.answers)} answers)"
        if status == "found" and self.meaning.key(phases_of(phases)) not in self.answers:
            return f"what was found is no answer: {phases_of(phases)}"
        return ""


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One question, asked in a few of the ways; now and then an open box, one of Knuth's programs, or a long strip."""
    kind = rng.random()
    if kind < 0.12:
        yield from open_boxes.attempts(rng, folder)
        return
    if kind < 0.17:
        yield from knuth_models.attempts(rng, folder)
        return
    if kind < 0.22:
        yield from strips.attempts(rng, folder)
        return
    problem, meaning, answers = random_question(rng)
    question = Question(problem, meaning, answers, rng, folder)
    ways = [find, listing, *rng.sample([way for way in WAYS if way not in (find, listing)], 4)]
    for way in ways:
        what = f"{way.__name__}: {problem.to_json()}"
        try:
            wrong = way(question)
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
        if wrong is not None:
            yield Attempt(what, wrong)


# One answer.  A way returns what is wrong, or None where it does not apply.
def find(q: Question) -> str | None:
    found = find_one(q.problem, time=SECONDS)
    return q.objection(found.status, found.phases, found.reason)


def strategy(q: Question) -> str | None:
    name = q.rng.choice([name for name in STRATEGIES if name != "kissat" or kissat()])
    found = find_one(q.problem, strategy=name, time=SECONDS, seed=q.rng.choice([None, q.rng.randrange(1000)]))
    wrong = q.objection(found.status, found.phases, found.reason)
    return wrong and f"{name}: {wrong}"


def solver(q: Question) -> str | None:
    name = q.rng.choice(["cadical153", "cadical195", "cadical300", "glucose4", "minisat22", "maplechrono"])
    found = find_one(q.problem, solver=name, time=SECONDS)
    wrong = q.objection(found.status, found.phases, found.reason)
    return wrong and f"{name}: {wrong}"


def row_by_row(q: Question) -> str | None:
    """The search that runs beside the solvers where a ship's box is narrow."""
    if not Beside.suits(q.problem) or q.problem.exclude:
        return None
    beside = Beside(q.problem, time.monotonic() + 60)
    beside.PATIENCE = 0
    beside.run()
    return q.objection(beside.outcome.status, beside.outcome.phases) if beside.outcome else None


def soups(q: Question) -> str | None:
    if not Soups.suits(q.problem):
        return None
    thread = Soups(q.problem, q.rng.randrange(1000))
    thread.start()
    thread.join(1.0)
    thread.stop()
    thread.join()
    return q.objection(thread.outcome.status, thread.outcome.phases) if thread.outcome else None


# All of them.
def listing(q: Question) -> str | None:
    told = Listing()
    outcomes = list(enumerate_all(q.problem, Options(time=SECONDS), listing=told))
    if not told.complete:
        return f"the listing is not complete: {told.reason}"
    return same_answers(q, outcomes) or differ("count", told.raw, len(q.answers))


def same_answers(q: Question, outcomes: Sequence[Outcome]) -> str:
    keys = [q.meaning.key(phases_of(outcome.phases)) for outcome in outcomes]
    extra, missing = set(keys) - q.answers, q.answers - set(keys)
    if extra:
        return f"{len(extra)} of {len(keys)} listed are no answers, such as {min(extra)}"
    if missing:
        return f"{len(missing)} of {len(q.answers)} answers are missing, such as {min(missing)}"
    return differ("listed", len(keys), len(q.answers))


def distinct(q: Question) -> str | None:
    told = Listing()
    outcomes = list(enumerate_all(q.problem, Options(time=SECONDS), distinct=True, listing=told))
    if not told.complete:
        return f"the listing is not complete: {told.reason}"
    expected = {q.meaning.orbit(answer) for answer in q.answers}
    orbits = [q.meaning.orbit(q.meaning.key(phases_of(outcome.phases))) for outcome in outcomes]
    if set(orbits) != expected:
        return f"{len(set(orbits))} orbits instead of {len(expected)}"
    return (
        differ("orbits shown", len(orbits), len(expected))
        or differ("orbits", told.distinct, len(expected))
        or differ("count", told.raw, len(q.answers))
    )


def differ(what: str, is_now: object, should_be: object) -> str:
    return "" if is_now == should_be else f"{what}: {is_now} instead of {should_be}"


def transfer_matrix(q: Question) -> str | None:
    return differ("count", count(q.problem), len(q.answers)) if can_count(q.problem) else None


def cubes(q: Question) -> str | None:
    """A long search, cut into units and kept in a store."""
    if q.problem.strict or q.problem.tight:
        return None
    file, store = problem_file(q), q.folder / "store.db"
    said = satlife_says(["jobs", "start", "search", str(file), "--store", str(store), "--json", "--jobs", "1", "-q"])
    if said.crash or said.message:
        return said.crash or said.message
    finds = [line for line in said.lines if "rle" in line]
    wrong = differ("exit code", said.code, 0 if q.answers else 20)
    return wrong or differ("any finds", bool(finds), bool(q.answers))


def jobs_all(q: Question) -> str | None:
    if q.problem.strict or q.problem.tight or len(q.answers) > MANY:
        return None
    file, store = problem_file(q), q.folder / "all.db"
    options = ["--all", "--store", str(store), "--json", "--jobs", "1", "-q"]
    said = satlife_says(["jobs", "start", "search", str(file), *options])
    if said.crash or said.message:
        return said.crash or said.message
    expected = len({q.meaning.orbit(answer) for answer in q.answers})
    finds = [line for line in said.lines if "rle" in line]
    return differ("exit code", said.code, 0 if q.answers else 20) or differ("finds", len(finds), expected)


def refuses(message: str, *words: str) -> bool:
    return any(word in message for word in words)


# The best.
def optimum(q: Question) -> str | None:
    measure = q.rng.choice(["cells", "cells", f"cells@{q.problem.last}", "phase", "rotor", "box"])
    largest = q.rng.random() < 0.5
    try:
        found = optimise(q.problem, measure, largest, Options(time=SECONDS))
    except InputError as error:
        return None if refuses(str(error), "rotor", "smallest box") else str(error)
    expected = best(q.meaning.whole, measure, largest, q.problem)
    wrong = differ("value", found.value, expected) or differ("proved", found.proved, True)
    if not wrong and found.outcome.phases:
        wrong = q.objection("found", found.outcome.phases)
        wrong = wrong or differ("its value", measured(phases_of(found.outcome.phases), measure, q.problem), expected)
    return wrong and f"{measure}, largest={largest}: {wrong}"


def smallest_box(q: Question) -> str | None:
    if any(q.problem.cells):
        return None
    outcome, certain = smallest(q.problem, Options(time=SECONDS))
    expected = smallest_area(q.problem)
    if not certain:
        return f"undecided: {outcome.reason}"
    area = outcome.problem.width * outcome.problem.height if outcome else None
    wrong = differ("area", area, expected)
    if not wrong and outcome:
        inner = Meaning(outcome.problem)
        if inner.key(phases_of(outcome.phases)) not in inner.answers():
            return "the find is no answer in its box"
    return wrong


# Certificates.
def certified(q: Question) -> str | None:
    if q.problem.strict or q.problem.tight:
        return None
    target = q.folder / "certificate"
    outcome = find_certified(q.problem, target, Options(time=SECONDS))
    wrong = q.objection(outcome.status, outcome.phases, outcome.reason)
    if wrong or not outcome.proof or not outcome.proof["checked"]:
        return wrong or f"no certificate: {outcome.proof}"
    return "" if list(verify(target)) else "nothing was checked"


def claimed(q: Question) -> str | None:
    """Claims of every kind, true ones and false ones: what is certified must be true, and what is true certified."""
    if q.problem.strict or q.problem.tight or len(q.answers) > MANY:
        return None
    outcomes = list(enumerate_all(q.problem, Options(time=SECONDS)))
    if same_answers(q, outcomes):
        return None  # told elsewhere
    finds = tuple(Find(outcome.phases, outcome.rule) for outcome in outcomes)
    claim = random_claim(q, finds)
    if claim is None:
        return None
    true = is_true(claim)
    target = q.folder / "claim"
    try:
        certify(claim, target, Options(time=SECONDS))
        list(verify(target))
    except SatlifeError as error:
        # Of boxes of the same area the first one counts, so that the last one may be refused rightly.
        fair = claim.kind != SMALLEST or claim.box != (q.problem.width, q.problem.height)
        return f"a true claim ({words(claim)}) is refused: {error}" if true and fair else ""
    return "" if true else f"a false claim is certified: {words(claim)}"


def words(claim: Claim) -> str:
    return f"{claim.to_dict()} with {len(claim.finds)} finds"


def random_claim(q: Question, finds: tuple[Find, ...]) -> Claim | None:
    rng, problem = q.rng, q.problem
    kind = rng.choice([FOUND, NONE, ALL, ALL, "distinct", BEST, BEST, SMALLEST])
    try:
        if kind == NONE:
            return Claim(NONE, problem)
        if kind == FOUND:
            return Claim(FOUND, problem, (spoilt(rng, rng.choice(finds)),)) if finds else None
        if kind in (ALL, "distinct"):
            listed = list(finds)
            if kind == "distinct":
                first = {q.meaning.orbit(q.meaning.key(phases_of(find.phases))): find for find in finds}
                listed = list(first.values())
            if listed and rng.random() < 0.5:
                number = rng.randrange(len(listed))
                listed[number : number + 1] = rng.choice([[], [listed[number]] * 2, [spoilt(rng, listed[number])]])
            return Claim(ALL, problem, tuple(listed), distinct=kind == "distinct")
        if kind == BEST:
            measure, largest = rng.choice(["cells", f"cells@{problem.last}", "phase"]), rng.random() < 0.5
            if not finds:
                return None
            by_value = sorted(finds, key=lambda find: measured(phases_of(find.phases), measure, problem))
            chosen = by_value[-1 if largest else 0] if rng.random() < 0.6 else rng.choice(finds)
            value = measured(phases_of(chosen.phases), measure, problem) + rng.choice([0, 0, 0, 1, -1])
            return Claim(BEST, problem, (chosen,), measure=measure, largest=largest, value=max(value, 0))
        if any(problem.cells):
            return None
        outcome, _ = smallest(problem, Options(time=SECONDS))
        if not outcome:
            return Claim(SMALLEST, problem)
        box = (outcome.problem.width, outcome.problem.height)
        if finds and rng.random() < 0.4:
            return Claim(SMALLEST, problem, finds[:1], box=(problem.width, problem.height))
        return Claim(SMALLEST, problem, (Find(outcome.phases, outcome.rule),), box=box)
    except InputError:
        return None  # there are no certificates of this kind


def spoilt(rng: random.Random, find: Find) -> Find:
    """A find, in one of two cases with a cell changed."""
    if rng.random() < 0.5:
        return find
    phases = [phase.copy() for phase in find.phases]
    phase = rng.choice(phases)
    phase[rng.randrange(phase.shape[0]), rng.randrange(phase.shape[1])] ^= 1
    return replace(find, phases=tuple(phases))


# Through files and the shell.
def problem_file(q: Question) -> Path:
    style = q.rng.choice(["toml", "json"])
    path = q.folder / f"question.{style}"
    path.write_text(q.problem.to_toml() if style == "toml" else q.problem.to_json())
    return path


def searched(q: Question) -> str | None:
    """`satlife search FILE`, one answer or all of them."""
    everything = q.rng.random() < 0.5 and len(q.answers) <= MANY
    options = ["--json", "-q"] + (["-n", "all"] if everything else [])
    said = satlife_says(["search", str(problem_file(q)), *options])
    if said.crash or said.message:
        return said.crash or said.message
    wrong = differ("exit code", said.code, 0 if q.answers else 20)
    if not everything:
        return wrong or differ("status", said.lines[-1]["status"], q.status)
    *finds, closing = said.lines
    return (
        wrong
        or differ("finds", len(finds), len(q.answers))
        or differ("count", closing["count"], len(q.answers))
        or differ("complete", closing["complete"], True)
    )


def counted(q: Question) -> str | None:
    said = satlife_says(["search", str(problem_file(q)), "--count-only", "--json", "-q"])
    if said.crash or said.message:
        return said.crash or said.message
    return differ("count", said.lines[-1]["count"], len(q.answers))


def asked(q: Question) -> str | None:
    """The command that asks the question, where there is one, prints the question and its answer."""
    line = arguments(q.problem)
    if line is None:
        return None
    printed = satlife_says([*line, "--print-problem", "--json"])
    if printed.crash or printed.message:
        return printed.crash or printed.message
    if Problem.from_dict(printed.lines[0]) != q.problem:
        return f"the command {line} asks {printed.output}"
    said = satlife_says([*line, "--json", "-q"])
    return said.crash or said.message or differ("status", said.lines[-1]["status"], q.status)


def grid_file(q: Question) -> str | None:
    """The same known cells as a grid file."""
    problem = q.problem
    if any(problem.wrap) or problem.exclude or problem.strict:
        return None
    told = replace(problem, cells=(), kind="grid", population=(), differ=(), symmetry=())
    plain = Problem(
        problem.width, problem.height, problem.rule, "grid", problem.periodic, problem.generations,
        problem.displacement, nonempty=problem.periodic,
    )  # fmt: skip
    words = {word for rows in problem.cells for row in rows for word in row}
    if told != plain or any(word.removesuffix("'").isdigit() and int(word.removesuffix("'")) > 1 for word in words):
        return None
    if not problem.periodic and problem.generations == 0:
        return None
    free = (("*",) * problem.width,) * problem.height
    blocks = [
        problem.cells[t] if t < len(problem.cells) and problem.cells[t] else free for t in range(problem.last + 1)
    ]
    text = "\n\n".join("\n".join(" ".join(row) for row in rows) for rows in blocks) + "\n"
    file = q.folder / "cells.txt"
    file.write_text(text)
    line = ["grid", str(file), "-r", problem.rule.name, "--json", "-q"]
    if problem.periodic:
        line += ["-p", str(problem.generations), "-d", "{},{}".format(*problem.displacement)]
    for name in problem.symmetry:
        line += ["-s", name]
    for bound in problem.population:
        line += ["--population", str(bound)]
    for pair in problem.differ:
        line += ["--differ", "{},{}".format(*pair)]
    if len(q.answers) > MANY:
        said = satlife_says(line)
        return said.crash or said.message or differ("status", said.lines[-1]["status"], q.status)
    said = satlife_says([*line, "-n", "all"])
    if said.crash or said.message:
        return said.crash or said.message
    assert families.parse_grid(text)
    return differ("finds", said.lines[-1]["count"], len(q.answers))


def outside_solver(q: Question) -> str | None:
    """Clauses for somebody else's solver, and its solution read back."""
    program = kissat()
    if program is None or q.problem.strict or q.problem.tight:
        return None
    cnf, solution = q.folder / "question.cnf", q.folder / "question.out"
    style = q.rng.choice([[], ["--encoding", q.rng.choice(list(ENCODINGS))]])
    said = satlife_says(["encode", "search", str(problem_file(q)), "-o", str(cnf), *style])
    if said.crash or said.message:
        return said.crash or (None if refuses(said.message, "encoding") else said.message)
    done = subprocess.run([program, "-q", str(cnf)], capture_output=True, text=True, timeout=SECONDS)
    wrong = differ("kissat", done.returncode, 10 if q.answers else 20)
    if wrong:
        return wrong
    solution.write_text(done.stdout)
    said = satlife_says(["decode", str(cnf), str(solution), "--json", "-q"])
    return said.crash or said.message or differ("exit code", said.code, 0 if q.answers else 20)


def generations(q: Question) -> str | None:
    """The smallest number of generations in which it can be done."""
    if any(q.problem.cells):
        return None
    try:
        found = optimise(q.problem, "generations", False, Options(time=SECONDS))
    except InputError as error:
        return None if refuses(str(error), "fix the number", "blinks", "faster than light", "too small") else str(error)
    oscillates = q.problem.periodic and q.problem.displacement == (0, 0) and q.problem.generations > 1
    expected = None
    for number in itertools.takewhile(lambda n: n <= q.problem.generations, itertools.count(2 if oscillates else 1)):
        try:
            if Meaning(replace(q.problem, generations=number)).answers():
                expected = number
                break
        except InputError:
            continue
    return differ("generations", found.value, expected)


WAYS: list[Callable[[Question], str | None]] = [
    find, strategy, solver, row_by_row, soups, listing, distinct, transfer_matrix, cubes, jobs_all, optimum,
    smallest_box, certified, claimed, searched, counted, asked, grid_file, outside_solver, generations,
]  # fmt: skip
