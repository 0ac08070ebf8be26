"""README and docs tell the truth: their examples run, their links lead somewhere, nothing is left undescribed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import click
import pytest
from playwright.sync_api import expect, sync_playwright

import documents
import satlife as library
from commands import BIN
from documents import HERE, PAGES
from events import PATIENCE
from satlife.cli.main import satlife
from test_page import MILLISECONDS, chromium

README = (HERE / "README.md").read_text()
TRIES = re.findall(r"^    (\./satlife .*)$", README.partition("## Things to try")[2], re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HERE)))
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents.play(page.read_text(), tmp_path, monkeypatch)


def test_the_examples_are_seen() -> None:
    """What `play` runs is most of what the pages show: no kind of block that it would pass over in silence."""
    found = [block for page in PAGES for block in documents.blocks(page.read_text())]
    for page in PAGES[1:]:
        assert not re.search(r"^ {4}(?:\$|satlife) ", page.read_text(), re.MULTILINE), f"{page.name}: not in a fence"
    assert {block.kind for block in found if not block.title} <= {"console", "python", "pycon", "sh", "text"}
    assert sum(len(list(documents.steps(block.text))) for block in found if block.kind == "console") > 60
    for block in found:
        if block.kind == "text" and not block.title:
            assert not re.search(r"^\$ |^satlife [a-z]", block.text, re.MULTILINE), block.text


@pytest.mark.parametrize(
    ("expected", "output", "same"),
    [
        ("one\n...\nthree", "one\n2\n2\nthree\n", True),
        ("one\n...\nthree", "one\nthree\nfour\n", False),
        ("found ... cells (0.2 s)", "found 12 cells (10.9 s)\n", True),
        ("found 5 cells (0.2 s)", "found 6 cells (0.2 s)\n", False),
        ("#C found by satlife (a, b) and checked", "#C found by satlife (c, d) and checked\n", True),
        ("a.c", "abc\n", False),
    ],
)
def test_output_is_compared(expected: str, output: str, same: bool) -> None:
    assert documents.matches(expected, output) == same


def test_printed_values_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents.play("```python\nprint(6 * 6, True)  # 36 True\nprint()  # nothing\n```", tmp_path, monkeypatch)
    (tmp_path / "other").mkdir()
    with pytest.raises(AssertionError):
        documents.play("```python\nprint(35)  # 36\n```", tmp_path / "other", monkeypatch)


@cache
def shown() -> set[str]:
    """The commands of satlife that pages show with their output."""
    consoles = (block for page in PAGES for block in documents.blocks(page.read_text()) if block.kind == "console")
    return {bare(step.command) for block in consoles for step in documents.steps(block.text)}


def bare(line: str) -> str:
    """A command without its comment, and without `-q`."""
    return line.partition("#")[0].strip().removeprefix("./").removesuffix(" -q")


def test_there_are_things_to_try() -> None:
    assert len(TRIES) >= 8


@pytest.mark.parametrize("line", [line for line in TRIES if "serve" not in line])  # which does not end
def test_things_to_try(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """What a page shows with its output is run there; the copperhead, which takes more time than all others, when all
    seeds are asked for."""
    if bare(line) in shown() or ("c/10" in line and not request.config.option.all_seeds):
        documents.understand(line)
        return
    code = "  # exit code 20" if "there is none" in line else ""
    documents.play(f"```console\n$ {line.split('#')[0]}{code}\n```", tmp_path, monkeypatch)


def test_every_command_is_mentioned() -> None:
    page = (HERE / "docs" / "reference" / "index.md").read_text()
    names = [name for commands in satlife.panels.values() for name in commands]
    assert [name for name in names if not re.search(rf"^\|.*`{name}\b.*\|.*\|$", page, re.MULTILINE)] == []


def test_links_of_the_readme() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)
    assert links
    assert [link for link in links if "://" not in link and not (HERE / link).exists()] == []


# The reference is made from the code; so the code has to say everything.
def every_command(command: Any = satlife, path: str = "satlife") -> Iterator[tuple[str, Any]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from every_command(command.get_command(context, name), f"{path} {name}")


def test_commands_and_options_have_help() -> None:
    silent = []
    for path, command in every_command():
        silent += [] if command.help else [path]
        silent += [f"{path} {o.opts[0]}" for o in command.params if isinstance(o, click.Option) and not o.help]
    assert silent == []


def test_public_names_are_described() -> None:
    page = (HERE / "docs" / "reference" / "python.md").read_text()
    for name in library._homes():  # type: ignore[attr-defined]
        assert getattr(library, name).__doc__, name
        assert re.search(rf"^::: python .*\b{name}\b", page, re.MULTILINE), name


def test_pages_name_everything_there_is() -> None:
    """Lists that people wrote and that must not fall behind."""
    from satlife.encode.transitions import ENCODINGS
    from satlife.engines.sat.strategies import STRATEGIES
    from satlife.problem.measures import MEASURES
    from satlife.problem.problem import _FIELDS
    from satlife.problem.symmetry import ALIASES, GROUPS

    lists: dict[str, Iterable[str]] = {
        "explanation/encodings.md": ENCODINGS,
        "explanation/spatial-order.md": STRATEGIES,
        "reference/problem.md": _FIELDS,
        "reference/symmetries.md": [*GROUPS, *ALIASES],
        "tutorial/all-and-best.md": MEASURES,
    }
    for page, names in lists.items():
        text = (HERE / "docs" / page).read_text()
        assert [name for name in names if f"`{name}`" not in text] == [], page


# The site.
class Page(HTMLParser):
    """The links and anchors of a built page, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = {""}
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value}
        self.ids |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "link" and "href" in values:
            self.loads.append(values["href"])
        elif "src" in values:
            self.loads.append(values["src"])


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `scripts/docs` builds it, without a word of warning."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "scripts/pages.py", str(target)]
    environment = {"PATH": str(BIN), "HOME": str(target)}
    built = subprocess.run(command, cwd=HERE, capture_output=True, text=True, env=environment, timeout=PATIENCE)
    assert (built.returncode, "No issues found" in built.stderr) == (0, True), built.stdout + built.stderr
    return target


def test_links_and_anchors(site: Path) -> None:
    """They lead to what there is, and nothing is loaded from elsewhere."""
    pages = {path: Page(path) for path in site.rglob("*.html")}
    assert len(pages) > 20
    for path, page in pages.items():
        assert [source for source in page.loads if urlsplit(source).netloc] == [], path.relative_to(site)
        for link in [*page.links, *page.loads]:
            parts = urlsplit(link)
            if parts.scheme or path.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.exists(), f"{path.relative_to(site)}: {link}"
            if target in pages and parts.fragment not in ("", "__consent"):
                assert unquote(parts.fragment) in pages[target].ids, f"{path.relative_to(site)}: {link}"


def test_the_navigation_has_every_page(site: Path) -> None:
    shown = {(site / urlsplit(link).path).resolve() for link in Page(site / "index.html").links}
    assert {path for path in site.rglob("*.html") if path.name != "404.html"} <= shown


def test_the_search_works_without_a_server(site: Path) -> None:
    """The pages are files here, for which a browser neither fetches an index nor starts a worker."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto((site / "tutorial" / "ships.html").as_uri())
        words = page.get_by_role("combobox", include_hidden=True)
        expect(words).to_be_attached(timeout=MILLISECONDS)  # then the button works, too
        page.get_by_role("button", name="Search").click(timeout=MILLISECONDS)
        words.fill("warm-up", timeout=MILLISECONDS)
        found = page.get_by_role("option", name="satlife warm-up")
        expect(found).to_have_attribute("href", re.compile("/reference/housekeeping.html"), timeout=MILLISECONDS)
        browser.close()


def test_no_style_is_loaded_from_elsewhere() -> None:
    for path in (HERE / "docs").rglob("*.css"):
        assert "http" not in path.read_text()


def test_the_reference_is_complete(site: Path) -> None:
    text = "".join(path.read_text() for path in (site / "reference").glob("*.html"))
    for path, command in list(every_command())[1:]:
        assert f'id="{path.replace(" ", "-")}"' in text, path
        for option in command.params:
            if isinstance(option, click.Option):
                assert f"<code>{', '.join(option.opts)}" in text, f"{path} {option.opts[0]}"
