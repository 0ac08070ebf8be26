"""The words of the house: a name of a class or a type has one meaning, which docs/glossary.md tells."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

from sources import FILES, SOURCE, tree

PAGE = (SOURCE.parents[1] / "docs" / "glossary.md").read_text()
#: Words with the modules where they are at home.
WORDS = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| `([\w.]+)` \|$", PAGE, re.MULTILINE))


def named() -> Iterator[tuple[str, str, str]]:
    """Name, module and meaning of every class and every name of a type, but for arrays and type variables: these say
    what numbers a function takes, and every module has its own."""
    for path in FILES:
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, module, f"class {module}"
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                meaning = ast.unparse(node.value)
                named_like_a_class = isinstance(target, ast.Name) and re.fullmatch("[A-Z][A-Za-z]*[a-z]", target.id)
                if named_like_a_class and not re.match(r"npt\.NDArray|TypeVar|Any$", meaning):
                    yield ast.unparse(target), module, meaning


@cache
def meanings() -> dict[str, dict[str, str]]:
    """By name and module; when the first test asks, since every process of the tests imports this."""
    found: dict[str, dict[str, str]] = {}
    for name, module, meaning in named():
        found.setdefault(name, {})[module] = meaning
    return found


def test_a_word_of_the_glossary_is_at_home_where_it_says() -> None:
    assert {word: {*meanings().get(word, ())} for word in WORDS} == {word: {home} for word, home in WORDS.items()}


def test_the_words_are_sorted() -> None:
    assert list(WORDS) == sorted(WORDS)
    assert len(WORDS) > 40


def test_no_name_has_two_meanings() -> None:
    twice = {name: list(homes) for name, homes in meanings().items() if len(set(homes.values())) > 1}
    assert twice == {}


def test_a_question_is_asked_for_its_place() -> None:
    """Not for its class: what differs between questions stands in their classes."""
    tests = re.compile(r"\bisinstance\([^()]*\b(Problem|OpenBox|AnyBox|Completion|Boxless)\b")
    asked = [str(path.relative_to(SOURCE)) for path in FILES for _ in tests.findall(path.read_text())]
    assert len(asked) <= 10, asked
