"""What it costs to add something: each addition that CONTRIBUTING.md describes, made in a copy of the package, in the
number of files that is promised there; and a user can use it at once."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from events import PATIENCE

ROOT = Path(__file__).parents[2]
BLINKER = "3o!\n"


class House:
    """A copy of the package that can be changed and used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / "satlife"
        shutil.copytree(ROOT / "src" / "satlife", self.source)  # with what is compiled of it
        self.touched: set[str] = set()

    def new(self, file: str, text: str) -> None:
        """Add a file."""
        (self.source / file).parent.mkdir(exist_ok=True)
        assert not (self.source / file).exists()
        (self.source / file).write_text(text)
        self.touched.add(file)

    def insert(self, file: str, before: str, text: str) -> None:
        """Add lines to a file, before a line that is there once."""
        old = (self.source / file).read_text()
        assert old.count(before) == 1, (file, before)
        (self.source / file).write_text(old.replace(before, text + before))
        self.touched.add(file)

    def run(self, *lines: str) -> list[tuple[int, str]]:
        """Exit code and output of command lines, and of lines of Python, in one process of the changed program."""
        path = [str(self.folder), *([os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else [])]
        done = subprocess.run(
            [sys.executable, "-c", IN_TURN, *lines],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
        answers = re.findall(r"(.*?)\n?<exit (\d+)>\n", done.stdout, re.DOTALL)
        assert len(answers) == len(lines), done.stdout
        return [(int(code), text) for text, code in answers]


#: Runs lines one after the other; those of Python begin with >>>.
IN_TURN = """
import shlex, sys
from satlife.cli.main import run
from satlife.errors import SatlifeError

for line in sys.argv[1:]:
    try:
        code = exec(line.removeprefix(">>> ")) or 0 if line.startswith(">>> ") else run(shlex.split(line))
    except SatlifeError as error:
        code = print(error, file=sys.stderr) or 1
    print(f"<exit {code}>", flush=True)
"""


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def promised(what: str) -> int:
    """The number of files that CONTRIBUTING.md promises."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    found = re.search(rf"\*\*{what}\*\* \((\d+) files?", text)
    assert found, what
    return int(found[1])


FAMILY = '''"""Oscillators in which every cell changes."""

from __future__ import annotations

from typing import Unpack

from satlife.problem.families.family import PERIOD, SIZE, Box, Common, Family, asking, box, fields_of
from satlife.problem.problem import Problem


@asking
def restless(size: Box, period: int, **common: Unpack[Common]) -> Problem:
    """An oscillator of which generations 0 and 1 differ."""
    size = box(size)
    problem = Problem(*size, kind="restless", generations=period, **fields_of(common, size))
    return problem.having(differ=[(0, 1)])


FAMILY = Family("restless", restless, "Find an oscillator.", ("satlife restless 3x3 -p 2",), (SIZE, PERIOD))
'''


def test_a_family(house: House) -> None:
    house.new("problem/families/restless.py", FAMILY)
    house.insert("problem/families/__init__.py", '    "grid": "grids"', '    "restless": "restless",\n')
    assert len(house.touched) == promised("A family of questions")
    found, pages, clauses, long_search, python, page = house.run(
        "restless 3x3 -p 2",
        "--help",
        "encode restless 3x3 -p 2",
        "jobs start restless 3x3 -p 2 --store jobs.db",
        ">>> import satlife; print(satlife.find(satlife.restless(3, period=2)).apgcode)",
        ">>> from satlife.web.families import records; print([record['name'] for record in records()])",
    )
    assert found[0] == long_search[0] == 0
    assert "xp2_7" in found[1]
    assert "restless" in pages[1]
    assert "p cnf" in clauses[1]
    assert "found" in long_search[1]
    assert "xp2_7" in python[1]
    assert "'restless'" in page[1]


CONDITION = '''"""Lively patterns: no cell is always alive."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

from satlife.life.pattern import Cells
from satlife.problem.conditions.condition import Flag, Option
from satlife.problem.simulation import Refuted
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.problem.problem import Problem


@dataclass(frozen=True)
class Lively(Flag):
    """No cell is alive in all generations."""

    name = "lively"
    words = "lively patterns"
    option = Option("No cell is always alive.")
    translates = any_box = True

    def turned(self, problem: Problem, transform: str) -> Self:
        return self

    def looks_at(self, problem: Problem) -> Collection[int]:
        return range(problem.last + 1)

    def check(self, problem: Problem, phases: Sequence[Cells]) -> None:
        if np.logical_and.reduce([phase == 1 for phase in phases]).any():
            raise Refuted("a cell is always alive")
'''
CLAUSES = """@add_clauses.register
def _(condition: Lively, buffer: Buffer, space: SpaceTime) -> None:
    levels = [space.inside(t).ravel() for t in range(space.problem.last + 1)]
    buffer.add(-np.stack(levels, axis=1))


"""


def test_a_condition(house: House) -> None:
    house.new("problem/conditions/lively.py", CONDITION)
    assert len(house.touched) == promised("A condition")
    # Where every pattern can be simulated it is known at once.  Nobody knows its clauses: whoever would ignore it
    # refuses it.
    tried, unknown, unproved = house.run(
        "oscillator 3x3 -p 2 -r B2/S --lively",
        "oscillator 6x6 -p 2 --lively --strategy spatial",
        "oscillator 3x3 -p 2 --lively --proof p",
    )
    assert (tried[0], "checked by simulation" in tried[1]) == (0, True)
    assert (unknown[0], "cannot handle lively patterns" in unknown[1]) == (2, True)
    assert (unproved[0], "cannot express --lively" in unproved[1]) == (2, True)
    # One engine: it finds, lists and counts under the condition, and the simulation checks it.
    house.insert("encode/conditions.py", "WITH_CLAUSES =", CLAUSES)
    house.insert(
        "encode/conditions.py",
        "from satlife.problem.conditions.population",
        "from satlife.problem.conditions.lively import Lively\n",
    )
    assert len(house.touched) == promised("A condition") + 1
    blinker, still, seeds, written, counted = house.run(
        "oscillator 3x3 -p 2 --lively",
        "still-life 4x4 --lively",
        "oscillator 3x3 -p 2 -r B2/S --lively",
        "oscillator 6x6 -p 2 --lively --print-problem",
        ">>> import satlife; print(satlife.count(satlife.oscillator((3, 3), 2).having(lively=True)))",
    )
    assert (blinker[0], still[0], seeds[0]) == (20, 20, 0)
    assert "checked by simulation" in seeds[1]
    assert "lively = true" in written[1]
    assert "<Count: 0, counted by" in counted[1]


GOAL = '''"""How many patterns have the fewest live cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from satlife.problem.goals.goal import Goal, GoalOption
from satlife.records import dataclass


@dataclass(frozen=True)
class CountFewest(Goal):
    """The number of patterns with the fewest live cells: a Count."""

    name, words = "fewest", "count the smallest"
    options = (GoalOption(("--count-fewest",), "Count the patterns with the fewest live cells."),)

    @classmethod
    def asked_by(cls, values: Mapping[str, Any]) -> CountFewest | None:
        return cls() if values.get("count_fewest") else None
'''
ANSWER = '''"""How many patterns have the fewest live cells: the fewest, and then all with so many."""

from dataclasses import replace

from satlife.problem.goals import CountAll, Optimise
from satlife.search.goals import best, lists


def answer(ask, budget):
    found = yield from best.answer(replace(ask, goal=Optimise()), budget)
    problem = ask.problem.having(population=[f"={found.value}"])
    return (yield from lists.answer(replace(ask, question=problem, goal=CountAll()), budget))
'''
VIEW = """from satlife.cli.views.lists import CountView
from satlife.problem.goals.fewest import CountFewest


class FewestView(CountView):
    goals = frozenset({CountFewest})

    def show(self, answer):
        self.out.note(f"there are {answer.value}")
        return self.code(answer.status, answer.complete, answer.proof)
"""
CLAIM = """from dataclasses import replace

from satlife.proof.claims.claim import Claim
from satlife.problem.goals.fewest import CountFewest


class ClaimFewest(Claim):
    kind = "fewest"
    goals = frozenset({CountFewest})
    refutations = ()

    @classmethod
    def wanted(cls, ask, problem):
        raise NotImplementedError("a certificate of the fewest")

    def opening(self):
        return []
"""


def test_a_goal(house: House) -> None:
    house.new("problem/goals/fewest.py", GOAL)
    house.new("search/goals/fewest.py", ANSWER)
    house.new("cli/views/fewest.py", VIEW)
    helped, found, written, unproved = house.run(
        "still-life --help",
        "still-life 4x4 --count-fewest",
        "still-life 4x4 --count-fewest --print-problem",
        "still-life 4x4 --count-fewest --proof p",
    )
    assert "--count-fewest" in helped[1]
    assert (found[0], "there are 13" in found[1]) == (0, True)  # 9 blocks, 4 tubs
    assert 'goal = "fewest"' in written[1]
    assert (unproved[0], "no certificate can express what it is to count the smallest" in unproved[1]) == (2, True)
    house.new("proof/claims/fewest.py", CLAIM)
    assert len(house.touched) == promised("A goal")
    [claimed] = house.run(">>> from satlife.proof.claims import CLAIMS; print(CLAIMS['fewest'].__name__)")
    assert "ClaimFewest" in claimed[1]


def test_an_option_of_all_searches(house: House) -> None:
    house.insert("engines/options.py", "    resume: str | None  #", "    mood: str | None  # of the search\n")
    house.insert("engines/options.py", "    resume: str | None = None", "    mood: str | None = None\n")
    house.insert("cli/asking.py", '    lambda: option("--proof"', '    lambda: option("--mood", help="Its mood."),\n')
    assert len(house.touched) == promised("An option of all searches")
    (house.folder / "asked.jsonl").write_text('{"problem": {"box": [2, 2], "period": 1}}\n')
    python, helped, shell, lines = house.run(
        ">>> import satlife; print(satlife.find(satlife.still_life((2, 2)), mood='calm').apgcode)",
        "core --help",
        "still-life 2x2 --mood calm",
        "search asked.jsonl --mood calm",
    )
    assert "xs4_33" in python[1]
    assert "--mood" in helped[1]
    assert "xs4_33" in shell[1]
    assert "xs4_33" in lines[1]


ENGINE = '''"""Knows the block."""

from __future__ import annotations

import numpy as np

from satlife.engines.engine import Background, Budget, Engine, Fit, Run
from satlife.problem.ask import Ask
from satlife.problem.goals import FindOne
from satlife.problem.outcome import FOUND, Outcome
from satlife.problem.problem import Problem


class BlockEngine(Engine):
    """Finds a block, in a box that has room for nothing else."""

    name = "block"
    words = "the block"
    goals = frozenset({FindOne})
    honours = frozenset[str]()

    def limit(self, ask: Ask) -> str:
        return "" if ask.problem.size == (2, 2) else "the box is not 2x2"

    def fit(self, ask: Ask, budget: Budget) -> Fit:
        return Fit()

    def start(self, ask: Ask, budget: Budget) -> Run:
        return BlockRun(ask.problem).begin()


class BlockRun(Background):
    def __init__(self, problem: Problem) -> None:
        super().__init__("block", Fit())
        self.problem = problem

    def search(self) -> Outcome:
        return Outcome(self.problem, FOUND, (np.ones((2, 2), np.uint8),), {}, "memory", "block")
'''


def test_an_engine(house: House) -> None:
    house.new("engines/block/__init__.py", "")
    house.new("engines/block/engine.py", ENGINE)
    folder = len(house.touched)
    house.insert(
        "search/plan.py",
        "from satlife.engines.cells.engine import",
        "from satlife.engines.block.engine import BlockEngine\n",
    )
    house.insert("search/plan.py", "    SatEngine(),\n", "    BlockEngine(),\n")
    assert len(house.touched) - folder == 1
    assert "its folder and a line" in (ROOT / "CONTRIBUTING.md").read_text()
    names, found = house.run(
        ">>> from satlife.problem.ask import Ask; from satlife.search import plan; import satlife;"
        "print(plan.members(Ask(satlife.still_life((2, 2))), satlife.Options()))",
        "still-life 2x2",
    )
    assert "'block'" in names[1]
    assert (found[0], "xs4_33" in found[1]) == (0, True)


def test_a_solver(house: House) -> None:
    line = '        Solver("own-solver", embedded=False),\n'
    house.insert("solve/solvers.py", '        Solver("kissat", embedded=False', line)
    assert len(house.touched) == promised("A solver")
    [known] = house.run(">>> from satlife.solve.solvers import SOLVERS; print(SOLVERS['own-solver'])")
    assert "embedded=False" in known[1]


FORMAT = '''"""Rows of words."""

from __future__ import annotations

from satlife.life.formats.format import Format
from satlife.life.pattern import Pattern


def parse(text: str, unknown: bool) -> Pattern:
    """A pattern from lines of `on` and `off`."""
    rows = ["".join("O" if word == "on" else "." for word in line.split()) for line in text.splitlines()[1:]]
    return Pattern.from_rows(rows)


def format(pattern: Pattern) -> str:
    return "words\\n" + "".join(" ".join("on" if cell else "off" for cell in row) + "\\n" for row in pattern.cells)


FORMAT = Format("words", (".words",), "words\\n", parse, format)
'''


def test_a_format(house: House) -> None:
    house.new("life/formats/words.py", FORMAT)
    assert len(house.touched) == promised("A format of patterns")
    (house.folder / "blinker.rle").write_text(BLINKER)
    _, known = house.run("convert blinker.rle blinker.words", "identify blinker.words")
    assert (house.folder / "blinker.words").read_text() == "words\non on on\n"
    assert "xp2_7" in known[1]


def test_a_picture_format(house: House) -> None:
    line = '        PictureFile(".txt", lambda pictures, labels, cell: repr(pictures[0].cells.tolist()).encode()),\n'
    house.insert("draw/files.py", '        PictureFile(".svg", _svg', line)
    assert len(house.touched) == promised("A format of pictures")
    (house.folder / "blinker.rle").write_text(BLINKER)
    house.run("show blinker.rle -o blinker.txt")
    assert "[0, 1, 1, 1, 0]" in (house.folder / "blinker.txt").read_text()
