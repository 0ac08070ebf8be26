"""Random small questions against brute force: every engine, option and command must give the same answers."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from campaign import agreement, certificates, eaters, known_parts, knuth_models, open_boxes, orphans, pasts, strips
from campaign.attempt import Attempt
from campaign.brute_force import BruteForce, best, fewest_generations, measured, phases_of, smallest_area
from campaign.case import MAX_LISTED, SECONDS, Case, differ, problem_file
from campaign.claims import is_true
from campaign.random_questions import freed_in_generations, random_question
from campaign.searches import alone, budget, smallest, suits
from campaign.shell import run_satlife
from campaign.simulated import exhaustive
from satlife import Options
from satlife import find as find_one
from satlife.encode.spacetime import SWEEPS
from satlife.encode.transitions import ENCODINGS
from satlife.engines.cells.engine import CellEngine, CellRun
from satlife.engines.cells.search import GUESSES, CellSearch
from satlife.engines.cells.search import cubes as cell_cubes
from satlife.engines.cells.search import why_not as no_cells
from satlife.engines.cells.sharing import WorkSharingSearch
from satlife.engines.engine import Background
from satlife.engines.rows.engine import RowEngine
from satlife.engines.rows.question.boxes import strip_of
from satlife.engines.rows.run import RowRun
from satlife.engines.sat.strategies import STRATEGIES
from satlife.engines.soups.engine import SoupEngine, Soups
from satlife.engines.tables.model import why_not as no_table
from satlife.errors import InputError, SatlifeError
from satlife.life.pattern import Cells
from satlife.problem.cell import FREE
from satlife.problem.command import arguments
from satlife.problem.conditions.differ import pairs
from satlife.problem.conditions.population import bounds
from satlife.problem.conditions.ties import Ties
from satlife.problem.grid import parse_grid
from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.proof.certify import certify
from satlife.proof.certify import find as find_certified
from satlife.proof.claims.best import ClaimBest, ClaimSmallest
from satlife.proof.claims.claim import Claim
from satlife.proof.claims.find import ClaimFound, ClaimNone
from satlife.proof.claims.lists import ClaimAll
from satlife.proof.verify import verify
from satlife.search.library import count, enumerate_all, optimise
from satlife.solve.solvers import kissat


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One question in several of the ways; now and then an open box, one of Knuth's programs, or something else."""
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
    if kind < 0.24:
        yield freed_cells(rng)
        return
    if kind < 0.34:
        yield from agreement.attempts(rng, folder)
        return
    if kind < 0.46:
        part = rng.choice([orphans, orphans, pasts, pasts, known_parts, known_parts, eaters])
        yield from part.attempts(rng, folder)
        return
    if kind < 0.49:
        yield from in_ways(Case(*random_question(rng, rolled_up=True), rng, folder), [certificates.excluded] * 3)
        return
    ways = [find, listing, *rng.sample([way for way in WAYS if way not in (find, listing)], 5)]
    yield from in_ways(Case(*random_question(rng), rng, folder), ways)


def in_ways(question: Case, ways: list[Callable[[Case], str | None]]) -> Iterator[Attempt]:
    for way in ways:
        what = f"{way.__name__}: {question.problem.to_json()}"
        try:
            wrong = way(question)
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
        if wrong is not None:
            yield Attempt(what, wrong)


# Finding one answer.  A way returns what is wrong, or None where it does not apply.
def find(q: Case) -> str | None:
    found = find_one(q.problem, time=SECONDS, jobs=q.rng.choice([None, 1]))
    return q.objection(found.status, found.phases, found.reason)


def strategy(q: Case) -> str | None:
    name = q.rng.choice([name for name in STRATEGIES if name != "kissat" or kissat()])
    found = find_one(q.problem, strategy=name, time=SECONDS, seed=q.rng.choice([None, q.rng.randrange(1000)]))
    wrong = q.objection(found.status, found.phases, found.reason)
    return wrong and f"{name}: {wrong}"


def solver(q: Case) -> str | None:
    name = q.rng.choice(["cadical153", "cadical195", "cadical300", "glucose4", "minisat22", "maplechrono"])
    found = find_one(q.problem, solver=name, time=SECONDS)
    wrong = q.objection(found.status, found.phases, found.reason)
    return wrong and f"{name}: {wrong}"


def row_by_row(q: Case) -> str | None:
    """The row engine, for ships in narrow boxes."""
    return (
        background(q, RowRun(q.problem, strip_of(q.problem), budget(SECONDS)))
        if suits(RowEngine(), q.problem)
        else None
    )


def soups(q: Case) -> str | None:
    if not suits(SoupEngine(), q.problem):
        return None
    return background(q, Soups(q.problem, q.rng.randrange(1000)), 1.0)


def cell_by_cell(q: Case) -> str | None:
    """The cell engine as in the race, with symmetry breaking."""
    if not suits(CellEngine(), q.problem):
        return None
    return background(q, CellRun(q.problem, budget(SECONDS, q.rng.randrange(1000))))


def background(q: Case, run: Background, seconds: float | None = None) -> str:
    """Run an engine; returns what is wrong with its outcome, if it has one."""
    found = alone(run, seconds)
    return q.objection(found.status, found.phases, found.reason) if found is not None else ""


def rule_range(q: Case) -> str | None:
    """For a partial rule: the find is an answer also in the smallest and the largest rule of its rule range."""
    found = find_one(q.problem, time=SECONDS, jobs=q.rng.choice([None, 1]))
    if not found.rule_range or {"strict", "tight"} & q.problem.needs:
        return None
    for rule in found.rule_range:
        decided = BruteForce(replace(q.problem, rule=rule))
        if decided.key(phases_of(found.phases)) not in decided.answers():
            return f"in {rule}, one end of the range, {phases_of(found.phases)} is no answer"
    return ""


def read_again(q: Case) -> str | None:
    """`verify` accepts the printed find, and `identify` gives the period and displacement of the question.

    A file has only generation 0, so freed cells are excluded; empty patterns are refused.
    """
    freed = any(cell.freed for rows in q.problem.cells for row in rows for cell in row)
    if freed or not q.problem.nonempty:
        return None
    file = q.folder / "find.rle"
    result = run_satlife(["search", str(problem_file(q)), "-q", "-o", str(file)])
    if result.crash or result.message or result.code:
        return result.crash or result.message or differ("exit code", result.code, 0 if q.answers else 20)
    checked = run_satlife(["verify", str(file)])
    if checked.code:
        return f"verify: {checked.crash or checked.message}: {file.read_text()}"
    problem = q.problem
    if not problem.periodic or not problem.exact or any(problem.wrap) or any(problem.cells):
        return ""
    facts = run_satlife(["identify", str(file), "--json"])
    if facts.crash or facts.message:
        return f"identify: {facts.crash or facts.message}: {file.read_text()}"
    identity = facts.lines[0]
    expected = (problem.generations, list(problem.displacement))
    return differ("period and movement", (identity.get("period"), identity.get("displacement")), expected)


# Listing all answers.
def listing(q: Case) -> str | None:
    found = enumerate_all(q.problem, time=SECONDS, jobs=q.rng.choice([None, 1]))
    outcomes = list(found)
    if not found.complete:
        return f"the listing is not complete: {found.reason}"
    return same_answers(q, [outcome.phases for outcome in outcomes]) or differ("count", found.raw, len(q.answers))


def same_answers(q: Case, solutions: Sequence[Sequence[Cells]]) -> str:
    keys = [q.brute.key(phases_of(phases)) for phases in solutions]
    extra, missing = set(keys) - q.answers, q.answers - set(keys)
    if extra:
        return f"{len(extra)} of {len(keys)} listed are no answers, such as {min(extra)}"
    if missing:
        return f"{len(missing)} of {len(q.answers)} answers are missing, such as {min(missing)}"
    return differ("listed", len(keys), len(q.answers))


def limited_listing(q: Case) -> str | None:
    """A listing with a limit below, at or above the number of answers."""
    most = q.rng.randint(1, len(q.answers) + 2)
    found = enumerate_all(q.problem, most, time=SECONDS)
    keys = [q.brute.key(phases_of(outcome.phases)) for outcome in found]
    if not set(keys) <= q.answers or len(set(keys)) < len(keys):
        return f"one of {most} is no answer, or listed twice"
    wrong = differ(f"listed of {most} at most", len(keys), min(most, len(q.answers)))
    return wrong or differ("complete", found.complete, most > len(q.answers))


def distinct(q: Case) -> str | None:
    found = enumerate_all(q.problem, distinct=True, time=SECONDS, jobs=q.rng.choice([None, 1]))
    outcomes = list(found)
    if not found.complete:
        return f"the listing is not complete: {found.reason}"
    expected = {q.brute.orbit(answer) for answer in q.answers}
    orbits = [q.brute.orbit(q.brute.key(phases_of(outcome.phases))) for outcome in outcomes]
    if set(orbits) != expected:
        return f"{len(set(orbits))} orbits instead of {len(expected)}"
    return (
        differ("orbits shown", len(orbits), len(expected))
        or differ("orbits", found.distinct, len(expected))
        or differ("count", found.raw, len(q.answers))
    )


# Listing all answers by the cell search.
def random_cell_search(q: Case) -> CellSearch | None:
    """A cell search with random sweep, guess and learning, interrupted after a random number of steps."""
    if no_cells(q.problem):
        return None
    search = CellSearch(
        q.problem,
        sweep=q.rng.choice(list(SWEEPS)),
        guess=q.rng.choice(GUESSES),
        learning=q.rng.random() < 0.6,
        seed=q.rng.randrange(1000),
    )
    search._steps = q.rng.choice([search._steps, 1, q.rng.randint(2, 200)])
    return search


def labelled(search: CellSearch, wrong: str) -> str:
    return wrong and f"sweep {search.space.sweep}, learning={search.learning}, steps={search._steps}: {wrong}"


def cells_listing(q: Case) -> str | None:
    """Every answer exactly once, also if the search is stopped and resumed."""
    search = random_cell_search(q)
    if search is None:
        return None
    impatience = q.rng.choice([0.0, 0.0, 0.5])
    solutions: list[list[Cells]] = []
    while not search.complete:
        solutions += search.solutions(replace(budget(SECONDS), stopped=lambda: q.rng.random() < impatience))
        if not search.complete and search.reason != "stopped":
            return labelled(search, f"it gives up: {search.reason}")
    return labelled(search, same_answers(q, solutions))


def cells_shared(q: Case) -> str | None:
    """Work sharing: a search and those that take parts of it list every answer exactly once together."""
    search = random_cell_search(q)
    if search is None:
        return None
    search._steps = q.rng.randint(1, 30)
    solutions: list[list[Cells]] = []
    parts = []
    readiness = q.rng.choice([0.02, 0.3])
    while True:
        if not search.step():
            if q.rng.random() < readiness and (part := search.share()) is not None:
                parts.append(part.copy())
        elif search.conclude() == "found":
            solutions.append(search.phases)
        else:
            break
    other = search.sibling()
    for part in parts:
        other.assume_codes(part)
        solutions += other.solutions(budget(SECONDS))
    return labelled(search, same_answers(q, solutions))


def cells_team(q: Case) -> str | None:
    """A team of threads that share a search."""
    search = random_cell_search(q)
    if search is None:
        return None
    guesses = (None, "alive", "dead", "random")
    team = WorkSharingSearch([search, *(search.sibling(q.rng.choice(guesses)) for _ in range(q.rng.randrange(4)))])
    solutions = list(team.solutions(budget(SECONDS)))
    if not team.complete:
        return labelled(search, f"it gives up: {team.reason}")
    return labelled(search, same_answers(q, solutions))


def cells_cubes(q: Case) -> str | None:
    """Cube and conquer: every answer is in exactly one cube."""
    search = random_cell_search(q)
    if search is None:
        return None
    solutions: list[list[Cells]] = []
    for cube in cell_cubes(search, q.rng.randint(1, 40)):
        search.assume(cube)
        solutions += search.solutions(budget(SECONDS))
        if not search.complete:
            return labelled(search, f"it gives up: {search.reason}")
    return labelled(search, same_answers(q, solutions))


def number(q: Case) -> str | None:
    """The number of answers, by the method that satlife chooses."""
    found = count(q.problem, time=SECONDS, jobs=q.rng.choice([None, 1]))
    wrong = differ("count", found.value, len(q.answers)) or differ("complete", found.complete, True)
    return wrong and f"{found.how}: {wrong}"


def by_population(q: Case) -> str | None:
    """The number of answers by population of generation 0."""
    if no_table(q.problem):
        return None
    found = count(q.problem, by_population=True, time=SECONDS)
    populations = [answer[0].count(1) for answer in q.answers]
    expected = tuple(populations.count(n) for n in range(max(populations, default=-1) + 1))
    return differ("by population", found.by_population, expected) or differ("count", found.value, len(q.answers))


def cubes(q: Case) -> str | None:
    """A long search, split into units and kept in a store."""
    if {"strict", "tight"} & q.problem.needs:
        return None
    file, store = problem_file(q), q.folder / "store.db"
    result = run_satlife(["jobs", "start", "search", str(file), "--store", str(store), "--json", "--jobs", "1", "-q"])
    if result.crash or result.message:
        return result.crash or result.message
    finds = [line for line in result.lines if "rle" in line]
    wrong = differ("exit code", result.code, 0 if q.answers else 20)
    return wrong or differ("any finds", bool(finds), bool(q.answers))


def jobs_all(q: Case) -> str | None:
    if {"strict", "tight"} & q.problem.needs or len(q.answers) > MAX_LISTED:
        return None
    file, store = problem_file(q), q.folder / "all.db"
    options = ["--all", "--store", str(store), "--json", "--jobs", "1", "-q"]
    result = run_satlife(["jobs", "start", "search", str(file), *options])
    if result.crash or result.message:
        return result.crash or result.message
    expected = len({q.brute.orbit(answer) for answer in q.answers})
    finds = [line for line in result.lines if "rle" in line]
    return differ("exit code", result.code, 0 if q.answers else 20) or differ("finds", len(finds), expected)


def refuses(message: str, *words: str) -> bool:
    return any(word in message for word in words)


# Optimisation.
def optimum(q: Case) -> str | None:
    measure = q.rng.choice(["cells", "cells", f"cells@{q.problem.last}", "phase", "rotor", "box"])
    try:
        return best_value(q, measure, q.rng.random() < 0.5)
    except InputError as error:
        return None if refuses(str(error), "rotor", "smallest box", *certificates.UNKNOWN) else str(error)


def best_value(q: Case, measure: str, largest: bool) -> str:
    """The smallest or the largest value of a measure."""
    found = optimise(q.problem, measure, largest, time=SECONDS, jobs=q.rng.choice([None, 1]))
    expected = best(q.brute.whole, measure, largest, q.problem)
    wrong = differ("value", found.value, expected) or differ("proved", found.proved, True)
    if not wrong and found.outcome.phases:
        wrong = q.objection("found", found.outcome.phases)
        wrong = wrong or differ("its value", measured(phases_of(found.outcome.phases), measure, q.problem), expected)
    return wrong and f"{measure}, largest={largest}: {wrong}"


def smallest_box(q: Case) -> str | None:
    if certificates.names_places(q.problem):
        return None
    found = smallest(q.problem, SECONDS)
    outcome, expected = found.outcome, smallest_area(q.problem)
    if not found.certain:
        return f"undecided: {outcome.reason}"
    area = outcome.problem.width * outcome.problem.height if outcome else None
    wrong = differ("area", area, expected)
    if not wrong and outcome:
        inner = BruteForce(outcome.problem)
        if inner.key(phases_of(outcome.phases)) not in inner.answers():
            return "the find is no answer in its box"
    return wrong


# Certificates.
def certified(q: Case) -> str | None:
    if {"strict", "tight"} & q.problem.needs:
        return None
    target = q.folder / "certificate"
    outcome = find_certified(q.problem, target, Options(time=SECONDS))
    wrong = q.objection(outcome.status, outcome.phases, outcome.reason)
    if wrong or not outcome.proof or not outcome.proof.checked:
        return wrong or f"no certificate: {outcome.proof}"
    return "" if list(verify(target)) else "nothing was checked"


def claimed(q: Case) -> str | None:
    """True and false claims of every kind: exactly the true ones must be certified."""
    if {"strict", "tight"} & q.problem.needs or len(q.answers) > MAX_LISTED:
        return None
    outcomes = list(enumerate_all(q.problem, time=SECONDS))
    if same_answers(q, [outcome.phases for outcome in outcomes]):
        return None  # covered by other ways
    finds = tuple(outcome.find for outcome in outcomes)
    claim = random_claim(q, finds)
    if claim is None:
        return None
    true = is_true(claim)
    target = q.folder / "claim"
    try:
        certify(claim, target, Options(time=SECONDS))
        list(verify(target))
    except SatlifeError as error:
        # Of boxes of the same area the first one counts, so that another one may be refused rightly.
        fair = not isinstance(claim, ClaimSmallest) or is_first_of_its_area(claim)
        return f"a true claim ({words(claim)}) is refused: {error}" if true and fair else ""
    return "" if true else f"a false claim is certified: {words(claim)}"


def is_first_of_its_area(claim: ClaimSmallest) -> bool:
    if not claim.finds:
        return True
    outcome = smallest(claim.problem, SECONDS).outcome
    return claim.box == (outcome.problem.width, outcome.problem.height)


def words(claim: Claim) -> str:
    return f"{claim.to_dict()} with {len(claim.finds)} finds"


def random_claim(q: Case, finds: tuple[Find, ...]) -> Claim | None:
    rng, problem = q.rng, q.problem
    kind = rng.choice(["found", "none", *2 * ["all"], "distinct", *2 * ["best"], *2 * ["smallest"], "generations"])
    try:
        if kind == "none":
            return ClaimNone(problem)
        if kind == "found":
            return ClaimFound(problem, (spoilt(rng, rng.choice(finds)),)) if finds else None
        if kind in ("all", "distinct"):
            solutions = list(finds)
            if kind == "distinct":
                first = {q.brute.orbit(q.brute.key(phases_of(find.phases))): find for find in finds}
                solutions = list(first.values())
            if solutions and rng.random() < 0.5:
                number = rng.randrange(len(solutions))
                solutions[number : number + 1] = rng.choice(
                    [[], [solutions[number]] * 2, [spoilt(rng, solutions[number])]]
                )
            return ClaimAll(problem, tuple(solutions), distinct=kind == "distinct")
        if kind == "best":
            measure, largest = rng.choice(["cells", f"cells@{problem.last}", "phase"]), rng.random() < 0.5
            if not finds:
                return None
            by_value = sorted(finds, key=lambda find: measured(phases_of(find.phases), measure, problem))
            chosen = by_value[-1 if largest else 0] if rng.random() < 0.6 else rng.choice(finds)
            value = measured(phases_of(chosen.phases), measure, problem) + rng.choice([0, 0, 0, 1, -1])
            return ClaimBest(problem, (chosen,), measure=measure, largest=largest, value=max(value, 0))
        if kind == "generations":
            return claimed_generations(rng, problem)
        return claimed_box(rng, problem)
    except InputError:
        return None  # there are no certificates of this kind


def claimed_box(rng: random.Random, problem: Problem) -> Claim | None:
    """The smallest box with an answer; or another one with an answer, or none at all."""
    if any(problem.cells):
        return None
    kind = rng.random()
    if kind < 0.15:
        return ClaimSmallest(problem)
    outcome = smallest(problem, SECONDS).outcome
    if kind < 0.5:
        width, height = rng.randint(1, problem.width), rng.randint(1, problem.height)
        outcome = find_one(replace(problem, width=width, height=height), time=SECONDS)
    if not outcome:
        return ClaimSmallest(problem)
    return ClaimSmallest(problem, (outcome.find,), box=(outcome.problem.width, outcome.problem.height))


def claimed_generations(rng: random.Random, problem: Problem) -> Claim | None:
    """The fewest generations; or another number with an answer, or none at all."""
    if any(problem.cells):
        return None
    best_number = optimise(problem, "generations", False, time=SECONDS).value
    value = best_number or 0
    if rng.random() < 0.5:
        value = rng.randint(0, problem.generations)
    if not value:
        return ClaimBest(problem, measure="generations")
    outcome = find_one(replace(problem, generations=value), time=SECONDS)
    return ClaimBest(problem, (outcome.find,), measure="generations", value=value) if outcome else None


def spoilt(rng: random.Random, find: Find) -> Find:
    """A find, with a cell changed in half of the cases."""
    if rng.random() < 0.5:
        return find
    phases = [phase.copy() for phase in find.phases]
    phase = rng.choice(phases)
    phase[rng.randrange(phase.shape[0]), rng.randrange(phase.shape[1])] ^= 1
    return replace(find, phases=tuple(phases))


# What is refused.
def freed_cells(rng: random.Random) -> Attempt:
    """Freed cells of more than two states are refused where they would count."""
    fields, hopeless = freed_in_generations(rng)
    try:
        Problem(**fields)
        refused = False
    except InputError as error:
        refused = refuses(str(error), "can be freed")
    return Attempt(f"freed cells of more than two states: {fields}", differ("refused", refused, hopeless))


# Through files and the shell.
def searched(q: Case) -> str | None:
    """`satlife search FILE`, one answer or all of them."""
    everything = q.rng.random() < 0.5 and len(q.answers) <= MAX_LISTED
    options = ["--json", "-q"] + (["-n", "all"] if everything else [])
    result = run_satlife(["search", str(problem_file(q)), *options])
    if result.crash or result.message:
        return result.crash or result.message
    wrong = differ("exit code", result.code, 0 if q.answers else 20)
    if not everything:
        return wrong or differ("status", result.lines[-1]["status"], q.status)
    *finds, closing = result.lines
    return (
        wrong
        or differ("finds", len(finds), len(q.answers))
        or differ("count", closing["count"], len(q.answers))
        or differ("complete", closing["complete"], True)
    )


def counted(q: Case) -> str | None:
    result = run_satlife(["search", str(problem_file(q)), "--count-only", "--json", "-q"])
    if result.crash or result.message:
        return result.crash or result.message
    return differ("count", result.lines[-1]["count"], len(q.answers))


def asked(q: Case) -> str | None:
    """The shell command for the question, if there is one, asks the same and gives the same answer."""
    line = arguments(q.problem)
    if line is None:
        return None
    printed = run_satlife([*line, "--print-problem", "--json"])
    if printed.crash or printed.message:
        return printed.crash or printed.message
    if Problem.from_dict(printed.lines[0]) != q.problem:
        return f"the command {line} asks {printed.output}"
    result = run_satlife([*line, "--json", "-q"])
    return result.crash or result.message or differ("status", result.lines[-1]["status"], q.status)


def grid_file(q: Case) -> str | None:
    """Known cells that are given as a grid file."""
    problem = q.problem
    if any(problem.wrap) or {"exclude", "strict"} & problem.needs:
        return None
    rest = replace(problem.having(population=(), differ=(), ties=()), cells=(), kind="grid", symmetry=())
    plain = Problem(
        problem.width, problem.height, problem.rule, "grid", problem.periodic, problem.generations,
        problem.displacement, nonempty=problem.periodic,
    )  # fmt: skip
    if rest != plain or any((cell.state or 0) > 1 for rows in problem.cells for row in rows for cell in row):
        return None
    if not problem.periodic and problem.generations == 0:
        return None
    free = ((FREE,) * problem.width,) * problem.height
    blocks = [
        problem.cells[t] if t < len(problem.cells) and problem.cells[t] else free for t in range(problem.last + 1)
    ]
    text = "\n\n".join("\n".join(" ".join(map(str, row)) for row in rows) for rows in blocks) + "\n"
    file = q.folder / "cells.txt"
    ties = problem.get(Ties)
    file.write_text(f'cells = """\n{text}"""\nties = {json.dumps(ties.to_json())}\n' if ties else text)
    line = ["grid", str(file), "-r", problem.rule.name, "--json", "-q"]
    if problem.periodic:
        line += ["-p", str(problem.generations), "-d", "{},{}".format(*problem.displacement)]
    for name in problem.symmetry:
        line += ["-s", name]
    for bound in bounds(problem):
        line += ["--population", str(bound)]
    for pair in pairs(problem):
        line += ["--differ", "{},{}".format(*pair)]
    if len(q.answers) > MAX_LISTED:
        result = run_satlife(line)
        return result.crash or result.message or differ("status", result.lines[-1]["status"], q.status)
    result = run_satlife([*line, "-n", "all"])
    if result.crash or result.message:
        return result.crash or result.message
    assert parse_grid(text)
    return differ("finds", result.lines[-1]["count"], len(q.answers))


def outside_solver(q: Case) -> str | None:
    """`encode` for an external solver, and `decode` of its solution."""
    program = kissat()
    if program is None or {"strict", "tight"} & q.problem.needs:
        return None
    cnf, solution = q.folder / "question.cnf", q.folder / "question.out"
    style = q.rng.choice([[], ["--encoding", q.rng.choice(list(ENCODINGS))]])
    result = run_satlife(["encode", "search", str(problem_file(q)), "-o", str(cnf), *style])
    if result.crash or result.message:
        return result.crash or (None if refuses(result.message, "encoding") else result.message)
    done = subprocess.run([program, "-q", str(cnf)], capture_output=True, text=True, timeout=SECONDS)
    wrong = differ("kissat", done.returncode, 10 if q.answers else 20)
    if wrong:
        return wrong
    solution.write_text(done.stdout)
    result = run_satlife(["decode", str(cnf), str(solution), "--json", "-q"])
    return result.crash or result.message or differ("exit code", result.code, 0 if q.answers else 20)


def generations(q: Case) -> str | None:
    """The smallest number of generations with an answer."""
    if any(q.problem.cells):
        return None
    try:
        found = optimise(q.problem, "generations", False, time=SECONDS)
    except InputError as error:
        return None if refuses(str(error), "fixed number", "blinks", "faster than light", "too small") else str(error)
    return differ("generations", found.value, fewest_generations(q.problem))


WAYS: list[Callable[[Case], str | None]] = [
    find, strategy, solver, row_by_row, soups, cell_by_cell, exhaustive, listing, limited_listing, distinct,
    cells_listing, cells_shared, cells_team, cells_cubes, number, by_population, cubes, jobs_all, optimum, smallest_box,
    certified, claimed, rule_range, read_again, searched, counted, asked, grid_file, outside_solver, generations,
    *certificates.WAYS,
]  # fmt: skip
