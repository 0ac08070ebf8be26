"""Every kind of rule with every condition, measure, goal and family, against brute force.

Questions are drawn as in `questions`, with many conditions at once, and each is asked for much that one can ask of it:
one answer, all, one of each orbit, how many, how many of each population, the least and the most by every measure, the
smallest box.  What the program cannot do it may refuse, in a sentence; what it answers must be true.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from campaign import catalysts, questions
from campaign.attempt import Attempt
from campaign.brute_force import measured, phases_of, smallest_area
from campaign.case import MAX_LISTED, SECONDS, Case, differ, problem_file
from campaign.random_questions import random_question
from campaign.searches import smallest
from campaign.shell import run_satlife
from satlife import find
from satlife.errors import InputError
from satlife.problem.cell import DONT_CARE
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.conditions.cube import assumed
from satlife.problem.measures import KINDS
from satlife.problem.problem import Problem

OFTEN = 2.5  # times as often as elsewhere there are conditions
MOST = 7  # goals of a question
Way = Callable[[Case], str | None]


def may_become_anything(problem: Problem) -> bool:
    last = problem.cells[problem.last] if len(problem.cells) > problem.last else ()
    return not problem.periodic and any(cell == DONT_CARE for row in last for cell in row)


def has_names(problem: Problem) -> bool:
    return any(cell.name for rows in problem.cells for row in rows for cell in row)


def has_a_place(problem: Problem) -> bool:
    """Whether the box is free to shrink, and still not every place in it is like every other."""
    free = not any(problem.cells) and not problem.moves and not problem.symmetry
    return free and bool({"cube", "touching"} & problem.needs)


#: What is drawn as often as everything else together: questions of this kind, and goals that are asked for in any case.
CROSSED: dict[Callable[[Problem], bool], tuple[str, ...]] = {
    lambda problem: may_become_anything(problem): (),
    lambda problem: may_become_anything(problem) and bool({"population", "differ"} & problem.needs): ("count",),
    lambda problem: problem.rule.states > 2 and has_names(problem): (),
    lambda problem: problem.rule.states > 2 and problem.moves: ("smallest box", "largest box"),
    lambda problem: problem.rule.states > 2 and not problem.periodic: ("smallest box", "largest box"),
    has_a_place: ("box of the least area", "distinct"),
    lambda problem: has_a_place(problem) and any(y > x for x, y, _, _ in assumed(problem)): ("box of the least area",),
    lambda problem: len(problem.conditions) > 2: (),
}


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """A question, asked for several things; now and then one about a catalyst."""
    if rng.random() < 0.1:
        yield from reactions(rng, folder)
        return
    suits, wanted = rng.choice(list(CROSSED.items())) if rng.random() < 0.5 else (lambda problem: True, ())
    question = Case(*random_question(rng, often=OFTEN, suits=suits), rng, folder)
    goals = every_goal(question.problem)
    chosen = ["list", *wanted, *rng.sample(list(goals), MOST)]
    for name in list(dict.fromkeys(chosen))[:MOST]:
        yield asked(name, goals[name], question)


def asked(name: str, way: Way, question: Case) -> Attempt:
    """What is wrong with the answer, if anything is; a refusal is an answer."""
    what = f"{name}: {question.problem.to_json()}"
    try:
        return Attempt(what, way(question) or "")
    except InputError as error:
        return Attempt(
            f"refused ({error}): {what}", "" if is_a_sentence(str(error)) else f"refused without words: {error}"
        )
    except Exception as error:
        return Attempt(what, f"{type(error).__name__}: {error}")


def is_a_sentence(text: str) -> bool:
    return len(text.split()) > 2 and "\n" not in text


def every_goal(problem: Problem) -> dict[str, Way]:
    """Everything that one can ask for, by name."""
    timed = {
        kind.name: [kind.name, *(f"{kind.name}@{t}" for t in range(1, problem.last + 1))] for kind in KINDS.values()
    }
    names = [name for kind in KINDS.values() for name in (timed[kind.name] if kind.is_timed else [kind.name])]
    best: dict[str, Way] = {
        f"{'largest' if largest else 'smallest'} {name}": partial(questions.best_value, measure=name, largest=largest)
        for name in names
        for largest in (False, True)
        if name != "generations"
    }
    return {
        "one": questions.find,
        "list": questions.listing,
        "distinct": questions.distinct,
        "count": questions.number,
        "count by population": questions.by_population,
        "fewest generations": questions.generations,
        "box of the least area": smallest_box,
        "shown": shown,
        "shell": shell,
        **best,
    }


def smallest_box(q: Case) -> str:
    """The first box by area that has an answer; where cells are known there is only the box itself."""
    found = smallest(q.problem, SECONDS)
    if not found.certain:
        return f"undecided: {found.outcome.reason}"
    area = found.outcome.problem.width * found.outcome.problem.height if found.outcome else None
    return differ("area", area, smallest_area(q.problem))


def shown(q: Case) -> str:
    """The generations that are shown are those that the pattern has, also where they do not count."""
    found = find(q.problem, time=SECONDS, jobs=q.rng.choice([None, 1]))
    if found and phases_of(found.phases) not in q.brute.whole:
        return f"{phases_of(found.phases)[-1]} is not what it becomes"
    return ""


def shell(q: Case) -> str | None:
    """The same goals through the shell, as JSON."""
    line = ["search", str(problem_file(q)), "--json", "-q", "--jobs", q.rng.choice("12")]
    kind = q.rng.choice(["one", "list", "distinct", "count", "best", "best"])
    measure, largest = q.rng.choice(["cells", f"cells@{q.problem.last}", "phase", "rotor", "box"]), q.rng.random() < 0.5
    if kind in ("list", "distinct") and len(q.answers) > MAX_LISTED:
        return None
    line += {
        "one": [],
        "list": ["-n", "all"],
        "distinct": ["-n", "all", "--distinct"],
        "count": ["--count-only"],
        "best": ["--maximize" if largest else "--minimize", "--measure", measure],
    }[kind]
    result = run_satlife(line)
    if result.message:
        raise InputError(result.message)
    if result.crash or not result.lines:
        return f"{kind}: {result.crash or 'it says nothing'}"
    closing = result.lines[-1]
    wrong = differ("exit code", result.code, 0 if q.answers else 20) or differ("status", closing["status"], q.status)
    if kind in ("list", "count"):
        wrong = wrong or differ("count", closing["count"], len(q.answers))
    if kind == "distinct":
        orbits = len({q.brute.orbit(answer) for answer in q.answers})
        wrong = wrong or differ("finds", len(result.lines) - 1, orbits) or differ("orbits", closing["distinct"], orbits)
    if kind == "best" and q.answers:
        values = [measured(answer, measure, q.problem) for answer in q.brute.whole]
        expected = max(values) if largest else min(values)
        kind = f"{'largest' if largest else 'smallest'} {measure}"
        wrong = wrong or differ("value", closing["value"], expected) or differ("proved", closing["optimal"], True)
    return wrong and f"shell, {kind}: {wrong}"


# Catalysts.
def reactions(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """A question about catalysts.  A number of patterns is that of all of them, unless it is said to be that of
    perturbations, of each of which there may be many."""
    problem = catalysts.drawn(rng)
    truth = catalysts.expected(problem)
    if truth is None:
        return
    file = folder / "catalyst.json"
    file.write_text(problem.to_json())
    what = f"catalyst: {problem.to_json()}"
    ways: dict[str, list[str]] = {
        "one": [],
        "list": ["-n", "all"],
        "distinct": ["-n", "all", "--distinct"],
        "count": ["--count-only"],
        "fewest": ["--minimize"],
        "most": ["--maximize"],
    }
    if rng.random() < 0.9:
        del ways["most"]  # which takes ten seconds
    for name, options in ways.items():
        yield Attempt(f"{name}, {what}", catalyst_objection(name, ["search", str(file), *options], truth, problem))


def catalyst_objection(name: str, line: list[str], truth: catalysts.Answer, problem: Problem) -> str:
    told, said = run_satlife([*line, "--json"]), run_satlife(line)
    if told.message and is_a_sentence(told.message):
        return ""
    if told.crash or told.message or not told.lines:
        return told.crash or told.message or "it says nothing"
    closing, number = told.lines[-1], len(truth.perturbations)
    wrong = differ("exit code", told.code, 0 if truth.number else 20)
    if name in ("list", "distinct", "count"):
        in_kinds = "perturbation" in said.said
        wrong = wrong or differ("count", closing["count"], number if in_kinds else truth.number)
        wrong = wrong and f"{wrong}; {number} perturbations, {truth.number} patterns: {said.said.splitlines()[-1]}"
    value = {"fewest": truth.smallest, "most": truth.largest}.get(name)
    if value is not None:
        asked = problem.get(Catalyst)
        letters = "".join(asked.rows if asked else ())
        wrong = wrong or differ("value", closing["value"], value + letters.count("A") - letters.count("D"))
    return wrong
