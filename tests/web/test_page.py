"""The page in a real browser: what a person would do, from the first glider to a hostile comment."""

from __future__ import annotations

import base64
import http.server
import itertools
import json
import os
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect, sync_playwright

import satlife
from events import PATIENCE, until
from satlife.draw.film import film
from satlife.engines.work import Piece
from satlife.life.simulate import generations
from satlife.problem.families import FAMILIES
from satlife.problem.outcome import Find
from satlife.store.ledger import Ledger
from satlife.store.records import Capacity, SearchState
from satlife.web.gallery import examples
from stores import finish, lease
from test_web import HARD, Server

pytestmark = pytest.mark.slow  # most of the time they wait for the browser

MILLISECONDS = 1000 * PATIENCE
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
expect.set_options(timeout=MILLISECONDS)
#: Root needs the first; the others save a process that draws nothing, and its messages.
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--in-process-gpu"]


def chromium() -> str:
    """Debian's browser, without its windows if that is there, which takes half of the time.  Without one these tests
    cannot say anything, and say so."""
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    message = "THE PAGE IS NOT TESTED: there is no chromium (Debian: apt-get install chromium-headless-shell)"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = chromium()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = Server(tmp_path_factory.mktemp("page") / "finds.db")
    yield started
    started.close()


@pytest.fixture(scope="module")
def profile(browser: Browser) -> Iterator[BrowserContext]:
    """One profile for all tests: it keeps the page's scripts compiled, which are half of the cost of opening it.  What
    plays by itself costs as much again, so here nothing does."""
    made = browser.new_context(viewport={"width": 1300, "height": 900}, reduced_motion="reduce")
    made.set_default_timeout(MILLISECONDS)
    made.grant_permissions(["clipboard-read", "clipboard-write"])
    yield made
    made.close()


#: What a test has left in the storage of the tab and of the page is gone when the next one opens it.
FORGET = """if (performance.getEntriesByType("navigation")[0]?.type === "navigate" && origin !== "null") {
    localStorage.clear();
    sessionStorage.clear();
}"""


@pytest.fixture(scope="module")
def kept(profile: BrowserContext) -> Page:
    """A tab for all tests: a new one has a new process, in which opening the page costs half as much again."""
    made = watched(profile)
    made.add_init_script(FORGET)
    return made


@pytest.fixture
def tab(kept: Page) -> Iterator[Page]:
    """The tab, which is as new; others are closed after the test."""
    yield kept
    for page in kept.context.pages:
        if page is not kept:
            page.close()
    kept.unroute_all()
    kept.emulate_media(reduced_motion="reduce")


@pytest.fixture
def page(tab: Page, server: Server) -> Page:
    return opened(tab, server)


def watched(context: BrowserContext) -> Page:
    """A new tab; an error in its console fails the test."""
    tab = context.new_page()
    tab.on("pageerror", lambda error: pytest.fail(f"the page broke: {error}"))
    return tab


def opened(page: Page, server: Server, view: str = "#ask") -> Page:
    page.goto(f"{server.address}{view}")
    expect(page.locator("#message")).to_contain_text("left to the solver")
    return page


def ask(page: Page, kind: str, width: int, height: int, period: int | None = None) -> None:
    page.select_option("#kind", kind)
    page.fill("#width", str(width))
    page.fill("#height", str(height))
    if period is not None:
        page.fill("#period", str(period))


def search(page: Page, goal: str = "find") -> None:
    """Press Search, for what the menu beside it says."""
    page.select_option("#goal", goal)
    page.click("#search")


def error(page: Page, field: str) -> Locator:
    """The sentence beside a field, which is marked as wrong and described by it."""
    marked = page.locator(f"#{field}[aria-invalid=true][aria-describedby={field}-error]")
    expect(marked).to_be_visible()
    return page.locator(f"#{field}-error")


def copied(page: Page) -> str:
    """What is in the clipboard at the moment."""
    return str(page.evaluate("navigator.clipboard.readText()"))


def newest(page: Page, text: str | re.Pattern[str]) -> Locator:
    """The card of the newest search, when it says so."""
    card = page.locator("#searches li[data-search]").first
    expect(card).to_contain_text(text)
    return card


def found(code: str) -> re.Pattern[str]:
    """That a pattern with such an apgcode was found, before which stands its name if it has one."""
    return re.compile(rf"found ([^(]*\()?{code}")


def question(page: Page) -> dict[str, Any]:
    """The question that the address holds, as soon as it holds one."""
    expect(page).to_have_url(re.compile("#q="))
    state = page.url.partition("#q=")[2].partition("&")[0]
    return dict(json.loads(base64.urlsafe_b64decode(state + "=" * (-len(state) % 4)))["problem"])


def row(page: Page, y: int, words: str, generation: int = 0) -> None:
    """Wait until a row of the question says so."""

    def there() -> bool:
        cells = question(page).get("cells", [])
        return len(cells) > generation and len(cells[generation]) > y and cells[generation][y] == words

    until(there)


def view(page: Page, canvas: str = "#board") -> tuple[float, float, float]:
    """Where cell (0, 0) of a canvas lies in the window, and how large cells are."""
    box = page.locator(canvas).bounding_box()
    assert box
    left, top, size = (
        float(page.locator(canvas).get_attribute(f"data-{name}") or 0) for name in ("left", "top", "size")
    )
    return box["x"] + left, box["y"] + top, size


def middle(page: Page, x: int, y: int, canvas: str = "#board") -> tuple[float, float]:
    """The middle of a cell, in the window."""
    left, top, size = view(page, canvas)
    return left + (x + 0.5) * size, top + (y + 0.5) * size


def settled(page: Page, width: int, height: int) -> None:
    """Wait until the board has drawn a box of this size."""

    def drawn() -> bool:
        box = page.locator("#board").bounding_box()
        assert box
        left, top, size = view(page)
        beside = left - box["x"] - (box["width"] - width * size) / 2
        above = top - box["y"] - (box["height"] - height * size) / 2
        return abs(beside) < 2 and abs(above) < 2

    until(drawn)


def click_cell(page: Page, x: int, y: int) -> None:
    settled(page, int(page.input_value("#width")), int(page.input_value("#height")))
    page.mouse.click(*middle(page, x, y))


def pixel(page: Page, x: int, y: int, canvas: str = "#screen") -> list[int]:
    """The colour of a cell on a canvas: red, green, blue."""
    script = """([id, x, y]) => {
        const canvas = document.querySelector(id), { left, top, size } = canvas.dataset;
        const at = (edge, k) => Math.round((Number(edge) + (k + 0.5) * Number(size)) * (devicePixelRatio || 1));
        return [...canvas.getContext("2d").getImageData(at(left, x), at(top, y), 1, 1).data].slice(0, 3);
    }"""
    return list(page.evaluate(script, [canvas, x, y]))


def test_the_glider_then_period_three_then_the_past_of_an_initial(page: Page) -> None:
    ask(page, "spaceship", 4, 3)
    page.click("#search")
    newest(page, "found glider (xq4_153)")
    expect(page.locator("#answer")).to_have_text("Found the glider, c/4d")
    expect(page.locator("#facts")).to_contain_text("period 4, moving by (1,1), 5 cells")
    ask(page, "oscillator", 13, 13, 3)
    page.select_option("#symmetry", "D8")
    page.click("#search")
    newest(page, found("xp3_"))
    page.select_option("#kind", "predecessor")
    for y in range(1, 6):
        click_cell(page, 2, y)
    click_cell(page, 3, 5)
    click_cell(page, 4, 5)
    row(page, 5, "0 0 1 1 1" + " 0" * 8, generation=1)
    page.click("#search")
    expect(page.locator("#searches li[data-search]")).to_have_count(3)
    newest(page, "checked by simulation")
    expect(page.locator("#facts")).to_contain_text("predecessor")


def test_the_token_leaves_the_address_and_the_page_tells_when_it_is_missing(
    page: Page, browser: Browser, server: Server
) -> None:
    assert "token" not in page.url
    stranger = browser.new_context()
    other = stranger.new_page()
    asked = {"problem": {"kind": "oscillator", "rule": "B3/S23", "box": [9, 7], "period": 3}, "time": 0}
    other.goto(f"{server.base}/#q={base64.urlsafe_b64encode(json.dumps(asked).encode()).decode().rstrip('=')}")
    expect(other.locator("#locked")).to_contain_text("Is there an oscillator of period 3 in 9x7?")
    expect(other.locator("#locked")).to_contain_text("satlife serve")
    for hidden in ("main >> visible=true", "#offline >> visible=true"):  # and nothing else
        expect(other.locator(hidden)).to_have_count(0)
    known = opened(watched(stranger), server)  # the link that was printed, in another tab: the question waits there
    assert question(known)["box"] == [9, 7]
    expect(other.locator("#kind option")).to_have_count(len(FAMILIES))
    expect(other.locator("#locked")).to_be_hidden()
    stranger.close()


def test_painting_zooming_and_moving(page: Page) -> None:
    """With mouse, keys and rectangles; then with the wheel, keys and the hand."""
    ask(page, "search", 6, 5)
    heard = page.locator("#cell[role=status]")  # what a screen reader says of the cursor
    click_cell(page, 1, 1)
    expect(heard).to_have_text("Column 2, row 2: alive")
    page.keyboard.press("ArrowRight")
    expect(heard).to_have_text("Column 3, row 2: free")
    page.keyboard.press("0")
    expect(heard).to_have_text("Column 3, row 2: dead")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("?")
    expect(heard).to_have_text("Column 3, row 3: any")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("b")
    expect(heard).to_have_text("Column 2, row 3: the same as all b")
    row(page, 1, "* 1 0 * * *")
    row(page, 2, "* b *' * * *")
    page.click("#rectangle")
    page.click("[data-brush='0']")
    page.mouse.move(*middle(page, 0, 4))
    page.mouse.down()
    page.mouse.move(*middle(page, 5, 4), steps=3)
    page.mouse.up()
    row(page, 4, "0 0 0 0 0 0")
    page.keyboard.press("Control+z")
    row(page, 4, "* * * * * *")
    page.keyboard.press("Control+y")
    row(page, 4, "0 0 0 0 0 0")
    page.locator("#board").press(".")
    expect(page.locator("#generation")).to_contain_text("generation 1")
    page.click("#clear")
    until(lambda: "cells" not in question(page))
    page.click("#rectangle")
    page.click("[data-brush='1']")
    ask(page, "search", 8, 8)
    settled(page, 8, 8)
    fitted = view(page)
    page.mouse.move(*middle(page, 1, 2))
    before = middle(page, 1, 2)
    page.mouse.wheel(0, -400)
    until(lambda: view(page)[2] > fitted[2])
    assert all(
        abs(a - b) < view(page)[2] for a, b in zip(middle(page, 1, 2), before, strict=True)
    )  # it stays where it is
    page.mouse.click(*middle(page, 1, 2))
    row(page, 2, "* 1 * * * * * *")  # and is hit
    page.click("#zoom-fit")
    until(lambda: view(page) == fitted)
    page.keyboard.press("+")
    until(lambda: view(page)[2] > fitted[2])
    page.keyboard.press("-")
    page.keyboard.press("-")
    until(lambda: view(page)[2] < fitted[2])
    small = view(page)
    page.click("#hand")
    page.mouse.move(*middle(page, 4, 4))
    page.mouse.down()
    page.mouse.move(*middle(page, 6, 4), steps=4)
    page.mouse.up()
    until(lambda: view(page)[0] > small[0])
    row(page, 4, "* * * * * * * *")  # nothing was painted
    page.click("#zoom-fit")
    until(lambda: view(page) == fitted)


def marks(page: Page) -> list[str]:
    """The marks of a catalyst's board."""
    rows: list[str] = question(page).get("catalyst", {}).get("rows", [])
    return rows


def eat_this_glider(page: Page) -> None:
    """Open the template, which is ready to be searched."""
    page.locator("#invitations button").filter(has_text="Eat this glider").click()
    expect(page.locator("#message")).to_have_text("The catalyst may use 144 unknown cells.")
    expect(page.locator("#ever_bounds")).to_have_value("4x4")


def test_marks_of_a_catalyst_are_painted_and_pasted(page: Page) -> None:
    """With mouse and keys; each of the six has a picture of its own in shades of grey."""
    eat_this_glider(page)
    expect(page.locator("[data-brush]")).to_have_text(
        ["Active", "Unknown", "Catalyst", "Empty", "Missing", "Untouched"]
    )
    page.click("[data-brush='C']")
    click_cell(page, 8, 3)
    until(lambda: marks(page)[3] == "..A..BBBCBBBBBBBB")
    for number in "123450":
        page.keyboard.press("ArrowRight")
        page.keyboard.press(number)
    page.keyboard.press("ArrowUp")  # the cursor has a look of its own
    until(lambda: marks(page)[3] == "..A..BBBCABCDE.BB")
    assert question(page)["cells"][0][3] == "0 0 1 0 0 * * * 1 1 * 1 0 1 0 * *"
    expect(page.locator("#message")).to_have_text("The catalyst may use 138 unknown cells.")
    script = """(x) => {
        const canvas = document.querySelector("#board"), { left, top, size } = canvas.dataset;
        const scale = devicePixelRatio || 1, at = (k) => Math.round(k * scale), side = at(Number(size)) - 2;
        const { data } = canvas.getContext("2d").getImageData(
            at(Number(left) + x * Number(size)) + 1, at(Number(top) + 3 * Number(size)) + 1, side, side);
        const grey = (k) => (data[4 * k] + data[4 * k + 1] + data[4 * k + 2]) / 3;
        return Array.from({ length: side * side }, (_, k) => (grey(k) < 100 ? 0 : grey(k) < 240 ? 1 : 2)).join("");
    }"""
    looks = [page.evaluate(script, 9 + k) for k in range(6)]
    assert len(set(looks)) == 6
    page.click("#export")
    expect(page.locator("#export-text")).to_have_value(re.compile(r"LifeHistory\n(.+\$\n){3}\.\.A\.\.BBBCABCDE\.BB\$"))
    page.keyboard.press("Escape")
    for _ in range(6):  # an unknown cell that is painted unknown is no step
        page.click("#undo")
    expect(page.locator("#message")).to_have_text("The catalyst may use 144 unknown cells.")
    page.fill("#width", "18")  # with more unknown cells
    until(lambda: marks(page)[3] == "..A.." + 13 * "B")
    page.fill("#first_active", "2..9")
    until(lambda: question(page)["catalyst"]["first"] == [2, 9])
    assert marks(page)[3] == "..A.." + 13 * "B"
    page.click("#paste")
    page.fill("#paste-text", "x = 9, y = 4, rule = LifeHistory\n.A2.5B$2.A.5B$3A.3BCB$4.5B!")
    page.click("#paste-ok")
    until(lambda: marks(page) == [".A..BBBBB", "..A.BBBBB", "AAA.BBBCB", "....BBBBB"])
    form = question(page)["catalyst"]
    assert (form["first"], form["ever_active"]) == ([2, 9], {"box": [4, 4]})  # it stays
    page.click("#undo")
    until(lambda: marks(page)[3] == "..A.." + 13 * "B")
    page.fill("#first_active", "x")
    expect(error(page, "first_active")).to_contain_text("such as 3..7")
    page.select_option("#kind", "search")
    expect(page.locator("[data-brush]")).to_have_text(["Alive", "Dead", "Free", "Any", "Same"])
    row(page, 3, "* * 1" + 15 * " *")  # what is alive stays
    page.select_option("#kind", "catalyst")
    until(lambda: sum(line.count("A") for line in marks(page)) == 5)
    expect(page.locator("#first_active")).to_have_value("0..12")


def test_a_catalyst_is_found_and_its_reaction_played(page: Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    eat_this_glider(page)
    page.click("#search")
    newest(page, "found, checked by simulation")
    expect(page.locator("#remarks li")).to_have_text(
        [
            re.compile("interaction begins in generation"),
            re.compile("recovered in generation .* nothing is left"),
            re.compile("the reaction settles after"),
        ]
    )
    expect(page.locator("#position")).to_have_text("generation 16")  # it has played to the end
    expect(page.locator("#play")).to_contain_text("Play")
    go_on = page.locator("#find-actions")
    expect(go_on.get_by_text("Find another")).to_be_hidden()
    go_on.get_by_text("Fewest cells").click()
    newest(page, "fewest cells: 12, proved")
    go_on.get_by_text("Edit").click()
    until(lambda: sum(line.count("C") for line in marks(page)) == 7)


def test_lists_and_refutations_about_catalysts(page: Page) -> None:
    eat_this_glider(page)
    expect(page.locator("#goal option")).to_have_text(
        ["Any one", "Any one, with certificate", "Fewest cells", "One of each"]
    )
    expect(page.locator("#symmetry-field")).to_be_hidden()
    page.click("#more summary")
    page.uncheck("#eaten")
    for name, value in {"first_active": "0..6", "active": "0..6", "ever_bounds": "", "max_active": "6"}.items():
        page.fill(f"#{name}", value)
    until(lambda: question(page)["catalyst"].get("active") == {"cells": 6})
    assert "ever_active" not in question(page)["catalyst"]
    search(page, "all")
    card = newest(page, "2 found, one of each perturbation; the list is complete by exhaustive search")
    expect(card).to_contain_text("1 of 2")
    first = page.locator("#remarks").inner_text()
    card.get_by_role("button", name="The next find").press("Enter")
    expect(card).to_contain_text("2 of 2")
    expect(page.locator("#remarks")).not_to_have_text(first)
    expect(card.get_by_role("button", name="The next find")).to_be_focused()
    page.click("#show-question")
    page.fill("#max_active", "0")
    until(lambda: question(page)["catalyst"].get("active") == {"cells": 0})
    search(page)
    expect(page.locator("#answer")).to_have_text("There is none")
    expect(page.locator("#properties")).to_contain_text("begins in one of the generations 0 to 6")
    page.click("#show-question")
    for name in ("first_active", "active", "max_active"):
        page.fill(f"#{name}", "")
    until(lambda: "active" not in question(page)["catalyst"])


def test_a_template_is_opened_and_an_example_is_run(page: Page) -> None:
    page.locator("#invitations button").filter(has_text="Why has this no past?").click()
    until(lambda: question(page)["kind"] == "orphan")
    expect(page.locator("#searches li[data-search]")).to_have_count(0)
    page.fill("#rule", "B8/S")  # where it is decided at once
    until(lambda: question(page).get("rule") == "B8/S")
    page.click("#search")
    expect(page.locator("#claim")).to_contain_text("It is an orphan")
    page.get_by_role("button", name="Why?").click()
    expect(page.locator("#claim")).to_contain_text("no cell can be given up")
    page.get_by_role("button", name="Show the core").click()
    expect(page.locator("#screen")).to_be_visible()
    expect(page.locator("#facts")).to_contain_text("with a core of")


def test_an_eater_stays_one_in_another_box(page: Page) -> None:
    page.select_option("#kind", "eater")
    until(lambda: question(page)["kind"] == "eater")
    page.fill("#height", "9")
    page.fill("#period", "6")
    until(lambda: question(page)["box"] == [9, 10])
    assert question(page)["generations"] == 4 + 6 + 1
    page.fill("#lane", "1")
    row(page, 9, "0 0 1 0 0 0 0 0 0")  # a cell further to the right
    page.select_option("#heading", "SW")
    row(page, 0, "0 0 0 0 0 0 1 0 0")  # and turned around
    page.reload()
    asked = {"width": "8", "height": "9", "period": "6", "lane": "1", "heading": "SW"}
    for name, value in asked.items():  # the server recognises them in the question
        expect(page.locator(f"#{name}")).to_have_value(value)
    page.select_option("#heading", "NW")
    row(page, 9, "0 0 0 0 0 0 1 0 0")
    page.click("#undo")
    expect(page.locator("#heading")).to_have_value("SW")
    page.select_option("#kind", "oscillator")
    expect(page.locator("#lane")).to_have_count(0)


def test_a_pattern_that_makes_copies_of_itself(page: Page) -> None:
    page.select_option("#kind", "becomes")
    until(lambda: question(page)["box"] == [11, 11])  # a glider, and as many cells around it as generations
    page.fill("#rule", "B2/S")
    page.fill("#period", "1")
    page.fill("#height", "1")
    until(lambda: question(page)["box"] == [5, 3])
    until(lambda: question(page).get("rule") == "B2/S")
    page.fill("#copies", "0,1 0,-1")
    row(page, 1, "0 p0_0 p1_0 p2_0 0")
    page.click("#search")
    newest(page, "found")
    expect(page.locator("#facts")).to_contain_text("becomes")
    page.reload()
    expect(page.locator("#copies")).to_have_value("0,-1 0,1")


def test_a_ship_of_any_length_keeps_its_width_and_a_wave_stays_rolled_up(page: Page) -> None:
    ask(page, "spaceship", 9, 6)
    page.check("#any-length")
    until(lambda: question(page)["box"] == [9, "*"])
    page.fill("#width", "12")
    page.click("#more summary")
    page.fill("#dx", "0")
    until(lambda: question(page)["displacement"] == [0, 1])
    assert question(page)["box"] == [12, "*"]
    expect(page.locator("#width")).to_have_value("12")
    page.uncheck("#any-length")
    until(lambda: question(page)["box"] == [12, 6])
    ask(page, "wave", 9, 6, 3)
    page.get_by_role("button", name="Up", exact=True).click()
    until(lambda: question(page).get("displacement") == [0, -1])
    page.check("#any-length")
    until(lambda: question(page)["box"] == [9, "*"])
    assert question(page)["wrap"] == "x"
    page.uncheck("#any-length")
    until(lambda: question(page)["box"] == [9, 6])
    assert question(page)["wrap"] == "x"


def test_a_pattern_on_a_torus_that_dies(page: Page) -> None:
    """All cells of the last generation are dead, also of a larger torus, and after more generations."""
    ask(page, "torus", 3, 4)
    page.check("#dies")
    page.fill("#period", "2")
    page.fill("#width", "4")
    until(lambda: question(page) == satlife.torus((4, 4), dies=2).to_dict())
    expect(page.locator("#dx")).to_be_hidden()
    page.click("#text summary")
    expect(page.locator("#command")).to_have_text("satlife torus 4x4 --dies 2")
    page.click("#search")
    newest(page, "found")
    page.uncheck("#dies")
    until(lambda: question(page) == satlife.torus((4, 4), 2).to_dict())


def test_text_and_form_follow_each_other_and_mistakes_get_a_sentence_beside_their_field(page: Page) -> None:
    ask(page, "oscillator", 5, 5, 2)
    page.fill("#rule", "B99")
    expect(error(page, "rule")).to_contain_text("B99")
    page.fill("#width", "6")  # the rule is still to blame
    until(lambda: question(page)["box"] == [6, 5])
    expect(error(page, "rule")).to_contain_text("B99")
    expect(page.locator("#search")).to_be_disabled()
    page.fill("#rule", "B3/S23")
    expect(page.locator(".field-error, [aria-invalid]")).to_have_count(0)
    expect(page.locator("#search")).to_be_enabled()
    ask(page, "oscillator", 5, 6, 3)
    page.click("#text summary")
    expect(page.locator("#command")).to_have_text("satlife oscillator 5x6 -p 3")
    expect(page.locator("#json")).to_have_value(re.compile(r'"box": \[5,6\]'))
    page.fill("#json", 'kind = "spaceship"\nbox = [7, 4]\nperiod = 4\ndisplacement = [2, 0]\nsymmetry = ["D2-"]')
    expect(page.locator("#width")).to_have_value("7")
    expect(page.locator("#dx")).to_have_value("2")
    expect(page.locator("#symmetry")).to_have_value("D2-")
    expect(page.locator("#command")).to_have_text("satlife spaceship 7x4 -p 4 -d 2,0 -s D2- --centred")
    expect(page.locator("#message")).to_contain_text(
        "56 cells in 4 generations are left to the solver. Pale cells are copies"
    )
    page.click("#copy-command")
    until(lambda: copied(page) == "satlife spaceship 7x4 -p 4 -d 2,0 -s D2- --centred")
    page.fill("#json", "box = [")
    expect(error(page, "json")).to_contain_text("not valid TOML")
    expect(page.locator("#search")).to_be_disabled()


def test_a_search_is_watched_and_stopped(page: Page) -> None:
    """In a rule of four states, where the solvers begin at once: the search over cells does not take it."""
    page.click("#text summary")
    page.fill("#json", json.dumps({**HARD, "box": [12, 12], "rule": "B3/S23/C4"}))
    expect(page.locator("#width")).to_have_value("12")
    page.click("#search")
    first = newest(page, "searching")
    expect(page.locator("#answer")).to_have_text("Searching…")
    for words in ("conflicts", "spatial", "plain"):
        expect(page.locator("#now-progress")).to_contain_text(words)
    first.get_by_text("In a shell").click()
    first.get_by_text("As a long search").click()
    expect(page.locator("#long-command")).to_have_text("satlife jobs start oscillator 12x12 -p 19 -r B3/S23/C4")
    page.keyboard.press("Escape")
    first.get_by_text("Stop", exact=True).click()
    newest(page, "stopped")


def test_an_undecided_search_offers_what_to_ask_next(page: Page) -> None:
    page.click("#text summary")
    page.fill("#json", json.dumps(HARD))
    expect(page.locator("#width")).to_have_value("20")
    page.click("#more summary")
    page.fill("#time", "1")
    page.click("#search")
    newest(page, "undecided: the time limit was reached")
    said = page.locator("#refutation")
    expect(page.get_by_role("heading", name="Undecided")).to_be_visible()
    expect(said).to_contain_text("It is not known whether there is one: the time limit was reached")
    choices = said.locator("#advice button")
    expect(choices).to_have_count(3)
    expect(choices.last).to_contain_text("goes on as long as it takes")
    choices.last.click()
    expect(page.locator("#long-command")).to_have_text("satlife jobs start oscillator 20x20 -p 19")
    page.keyboard.press("Escape")
    page.click("#show-question")
    expect(page.locator("#board")).to_be_visible()
    page.click("#show-answer")
    command = str(choices.first.get_attribute("title"))
    choices.first.click()
    expect(page.locator("#searches li[data-search]")).to_have_count(2)
    expect(page.locator("#command")).to_have_text(command)
    newest(page, re.compile("searching|undecided|none|found"))


def test_a_suggestion_without_a_box_is_asked_with_a_click(tab: Page, server: Server) -> None:
    asked = {"satlife": 1, "kind": "oscillator", "rule": "B3/S23", "period": 2}
    undecided: dict[str, Any] = {
        "id": 0,
        "own": True,
        "goal": "find",
        "problem": {**asked, "box": [30, 30]},
        "state": "done",
        "seconds": 9,
        "progress": {},
        "finds": [],
        "partial": None,
        "ruledOut": ["none in 5x5"],
        "result": {"status": "unknown", "reason": "the time limit was reached"},
        "advice": [{"command": "satlife oscillator -p 2", "why": "no box", "problem": asked}],
    }
    parts: list[dict[str, object]] = [{"all": []}, {"changed": [undecided]}]
    told = "".join(f"data: {json.dumps(part)}\n\n" for part in parts)
    tab.route("**/api/events", lambda route: route.fulfill(body=told), times=1)
    tab.goto(server.address)
    expect(tab.locator("#claim")).to_contain_text("the time limit was reached. This was refuted:")
    expect(tab.locator("#properties")).to_contain_text("none in 5x5")
    tab.locator("#advice button").click()
    newest(tab, found("xp2_"))
    until(lambda: "box" not in question(tab))
    expect(tab.locator("#any-size")).to_be_checked()


def test_a_pattern_of_any_size(page: Page) -> None:
    """It has no box, in the form, in the address, in the list of searches, and after a find was excluded."""
    page.check("#any-size")
    until(lambda: "box" not in question(page))
    for there in ("#width", "#height", "#brushes", "#paste", "#goal"):
        expect(page.locator(there)).to_be_hidden()
    expect(page.locator("#generation")).to_have_text("boxes grow until something is found")
    page.locator("#board").press("ArrowRight")
    page.click("#more summary")
    page.fill("#population", "5")
    page.locator("#population").blur()
    page.click("#text summary")
    expect(page.locator("#command")).to_have_text("satlife still-life --population ==5")
    until(lambda: "population" in question(page))
    page.reload()
    expect(page.locator("#any-size")).to_be_checked()
    page.click("#search")
    card = newest(page, "found boat (xs5_")
    expect(card).to_contain_text("Still life of any size")
    expect(page.locator("#facts")).to_contain_text("5 cells")
    page.get_by_text("Find another").click()  # there is only the boat: larger boxes are tried
    expect(page.locator("#searches li[data-search]")).to_have_count(2)
    newest(page, "of any size")
    page.click("#now-stop")
    newest(page, "stopped")
    page.locator("#searches li[data-search]").nth(1).get_by_text("Show").click()
    page.get_by_text("Exclude this").click()
    until(lambda: len(question(page).get("exclude", [])) == 1)
    assert "box" not in question(page)
    page.uncheck("#any-size")
    until(lambda: question(page).get("box") == [8, 8])
    page.click("#undo")
    expect(page.locator("#any-size")).to_be_checked()
    page.select_option("#kind", "oscillator")
    until(lambda: question(page)["kind"] == "oscillator")
    assert "box" not in question(page)
    page.select_option("#kind", "torus")  # which has no meaning without one
    until(lambda: question(page).get("box") == [8, 8])
    expect(page.locator("#any-size")).to_be_hidden()


def test_a_speed_allows_multiples_of_its_period(page: Page) -> None:
    page.select_option("#kind", "oscillator")
    expect(page.locator("#multiples")).to_be_hidden()
    page.select_option("#kind", "spaceship")
    expect(page.locator("#multiples")).not_to_be_checked()
    page.fill("#speed", "c/3")
    until(lambda: question(page).get("multiples") is True)
    page.click("#more summary")
    page.fill("#period", "6")
    expect(page.locator("#multiples")).not_to_be_checked()
    page.fill("#speed", "c/4d")
    expect(page.locator("#multiples")).to_be_checked()
    page.check("#any-size")
    expect(page.locator("#any-length")).to_be_hidden()
    expect(page.locator("#multiples")).to_be_checked()
    page.uncheck("#multiples")
    page.click("#text summary")
    expect(page.locator("#command")).to_have_text("satlife spaceship -p 4 -d -1,-1")
    page.fill("#speed", "c/2")
    expect(page.locator("#command")).to_have_text("satlife spaceship -d c/2")
    expect(page.locator("#multiples")).to_be_checked()
    page.fill("#dy", "0")
    expect(error(page, "dy")).to_contain_text("a spaceship moves")
    expect(page.locator("#search")).to_be_disabled()
    page.fill("#speed", "c/4d")
    page.click("#search")
    expect(newest(page, found("xq"))).to_contain_text("Spaceship of any size")


def test_a_search_without_a_box_tells_what_was_refuted(page: Page) -> None:
    """While it runs, and when it is stopped; a period that may be a multiple is told."""
    page.click("#text summary")
    asked = {"kind": "spaceship", "period": 7, "displacement": [0, -1], "multiples": True}
    page.fill("#json", json.dumps(asked))
    expect(page.locator("#any-size")).to_be_checked()
    page.click("#search")
    expect(page.locator("#now-progress")).to_contain_text(re.compile(r"trying .*; none "))
    expect(page.locator("#now-words")).to_contain_text(
        re.compile(r"searching, ([2-9]|\d\d)")
    )  # sooner there is nothing to say
    page.click("#now-stop")
    said = page.locator("#refutation")
    expect(page.get_by_role("heading", name="Undecided")).to_be_visible()
    expect(said).to_contain_text("The search was stopped. This was refuted:")
    expect(said.locator("#properties")).to_contain_text("period 7: none ")  # boxes, or strips
    expect(newest(page, "stopped").get_by_text("As a long search")).to_have_count(0)


def look_at_cells_that_are_not_decided(page: Page) -> None:
    """Neither that of dead cells nor that of live ones, large and small."""
    script = """async (size) => {
        const { drawCells, stateColours, colour, UNKNOWN } = await import("/static/cells.js");
        const canvas = document.createElement("canvas"), context = canvas.getContext("2d");
        [canvas.width, canvas.height] = [3 * size, size];
        context.fillStyle = colour("paper");
        context.fillRect(0, 0, 3 * size, size);
        drawCells(context, Uint8Array.of(0, 1, UNKNOWN), 3, { left: 0, top: 0, size }, stateColours(2));
        return [0, 1, 2].map((k) => {
            const data = context.getImageData(k * size, 0, size, size).data;
            const pixels = Array.from({ length: size * size }, (_, n) => data.slice(4 * n, 4 * n + 3).join());
            return [pixels[size + 2], pixels.filter((pixel) => pixel === pixels[size + 2]).length];
        });
    }"""
    for size in (4, 20):
        (dead, _), (alive, cell), (unknown, grey) = page.evaluate(script, size)
        assert len({dead, alive, unknown}) == 3
        assert (grey < cell) == (size > 8)  # hatched where there is room


def test_player_ages_keys_copies_and_downloads(page: Page) -> None:
    ask(page, "oscillator", 3, 3, 2)
    page.click("#search")
    newest(page, "found blinker (xp2_7)")
    expect(page.locator("#board")).to_be_hidden()  # it has turned into the player
    where = page.locator("#position")
    page.locator("#answer").click()  # nothing has the focus
    page.keyboard.press("r")
    page.keyboard.press("f")
    expect(where).to_have_text("generation 0")
    cells = [[pixel(page, x, y) for x in range(5)] for y in range(5)]
    alive = [colour for colours in cells for colour in colours if colour != cells[0][0]]
    assert len(alive) == 3
    assert [colour == cells[2][2] for colour in alive] == [False, True, False]  # what stays is older
    page.keyboard.press("Space")
    expect(where).to_have_text("generation 1")
    page.keyboard.press(",")
    expect(where).to_have_text("generation 0")
    page.keyboard.press("Enter")
    expect(page.locator("#play")).to_contain_text("Pause")
    expect(where).to_have_text("generation 1")  # it plays
    page.click("#play")
    expect(page.locator("#play")).to_contain_text("Play")
    copies, downloads = (page.get_by_role("group", name=name) for name in ("Copy", "Download"))
    copies.get_by_text("apgcode").click()
    until(lambda: copied(page) == "xp2_7")
    copies.get_by_text("RLE").click()
    until(lambda: "x = " in copied(page))
    starts = {"GIF": b"GIF89a", "SVG": b"<svg", "RLE": b"#C", "PNG": b"\x89PNG", "HTML": b"<!doctype html"}
    for words, start in starts.items():
        with page.expect_download() as download:
            downloads.get_by_text(words, exact=True).click()
        assert download.value.path().read_bytes().startswith(start)
        assert download.value.suggested_filename == f"blinker.{words.lower()}"
    page.get_by_text("All, as a long search").click()
    expect(page.locator("#long-command")).to_have_text("satlife jobs start oscillator 3x3 -p 2 --all")


def test_two_fingers_zoom_and_one_paints(browser: Browser, server: Server) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = opened(watched(context), server)
    fitted = view(page)
    touch = context.new_cdp_session(page)

    def fingers(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    (x, y), (right, down) = middle(page, 3, 3), middle(page, 4, 4)
    fingers("touchStart", (x, y))
    fingers("touchStart", (x, y), (right, down))
    fingers("touchMove", (x - 40, y - 40), (right + 40, down + 40))
    fingers("touchEnd")
    until(lambda: view(page)[2] > 1.5 * fitted[2])
    page.touchscreen.tap(*middle(page, 3, 3))
    row(page, 3, "* * * 1 * * * *")  # by the tap alone
    assert question(page)["cells"][0].count("* * * * * * * *") == 7
    context.close()


def test_another_exclude_fewest_and_none_with_its_certificate(page: Page) -> None:
    ask(page, "still life", 3, 3)
    page.click("#search")
    newest(page, found("xs"))
    page.get_by_text("Find another").click()
    expect(page.locator("#searches li[data-search]")).to_have_count(2)
    newest(page, found("xs"))
    page.get_by_text("Exclude this").click()
    expect(page.locator("#excluded")).to_have_text(re.compile("pattern"))
    expect(page.locator("#board")).to_be_visible()  # the question has changed
    page.click("#show-answer")
    page.get_by_role("group", name="Next").get_by_text("Fewest cells").click()
    newest(page, "fewest cells: 4, proved")
    ask(page, "oscillator", 4, 4, 3)
    page.click("#search")
    newest(page, "There is none: a complete search found nothing")
    said = page.locator("#refutation")
    expect(said).to_contain_text("Generation 3 is generation 0, and it has no smaller period.")
    expect(said).to_contain_text("A complete search found nothing")
    expect(page.locator("#screen")).to_be_hidden()
    expect(page.locator("#facts")).to_be_empty()  # nothing is left of the find before
    expect(said.locator("#advice button")).to_have_text([re.compile("larger box, 6x6"), re.compile("any size")])
    said.get_by_role("button", name="Prove it").click()
    newest(page, re.compile(r"There is none: a proof of [\d,]+ lemmas was written and checked \("))
    expect(page.locator("#how")).to_have_text(re.compile(r"^A proof of [\d,]+ lemmas was written and checked\.$"))
    with page.expect_download() as download:
        said.get_by_text("certificate").click()
    assert download.value.path().read_bytes().startswith(b"PK")


def test_what_is_drawn_is_completed(page: Page) -> None:
    ask(page, "search", 3, 1)
    for x in range(3):
        click_cell(page, x, 0)
    row(page, 0, "1 1 1")
    page.select_option("#kind", "complete")
    until(lambda: question(page).get("margin") == "free")
    row(page, 0, "1 1 1")  # what was drawn stays
    expect(page.locator("#goal option")).to_have_text(["Any one", "Fewest cells"])
    search(page, "minimize")
    newest(page, "fewest cells: 7, proved")
    page.select_option("#kind", "still life")
    until(lambda: "margin" not in question(page))


def test_an_atlas_plays_the_finds_of_its_boxes(page: Page) -> None:
    ask(page, "oscillator", 5, 4, 2)
    search(page, "atlas")
    newest(page, "1 minimal box, everything below refuted")
    chart = page.locator("#atlas")
    expect(page.locator("#answer")).to_have_text("1 minimal box, everything below refuted")
    expect(chart.locator("[data-box]")).to_have_count(20)
    expect(chart.locator("[data-box].refuted")).to_have_count(14)
    expect(chart.locator(".legend")).to_have_text("noneminimalhas one")
    chart.locator('[data-box="3x3"]').click()
    expect(page.locator("#answer")).to_have_text("Blinker, period 2")
    page.go_back()
    expect(page.locator("#screen")).to_be_hidden()
    chart.locator('[data-box="3x3"]').press("Enter")
    expect(page.locator("#screen")).to_be_visible()
    page.click("#show-answer")
    chart.locator('[data-box="5x4"]').click()  # that of a box inside it
    expect(page.locator("#facts")).to_contain_text("xp2_7")
    page.reload()
    expect(page.locator("#facts")).to_contain_text("xp2_7")
    ask(page, "torus", 5, 4)
    search(page, "atlas")
    expect(page.locator("#complaint")).to_contain_text("free to shrink")
    page.fill("#width", "6")
    expect(page.locator("#complaint")).to_be_empty()


AT_ONCE = """(fields) => {
    for (const [id, value] of fields) {
        const field = document.getElementById(id);
        field.focus();
        field.value = value;
        for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
    }
    document.getElementById("form").requestSubmit();
}"""


def test_what_stands_in_the_form_is_what_is_asked(page: Page) -> None:
    """Although nothing was waited for between the keys and the button; what is no question is not searched."""
    searched: list[str] = []

    def keep(route: Route) -> None:
        searched.append(route.request.url)
        route.fulfill(json={})

    page.route("**/api/search", keep)
    page.click("#text summary")
    for field, value in (("speed", "fast"), ("speed", ""), ("width", ""), ("json", "{")):
        ask(page, "spaceship", 8, 8)
        page.fill("#speed", "c/4d")
        until(lambda: question(page)["box"] == [8, 8])
        expect(page.locator("#search")).to_be_enabled()
        page.evaluate(AT_ONCE, [[field, value]])
        error(page, field)
        expect(page.locator("#search")).to_be_disabled()
    assert not searched
    typed: list[tuple[str, dict[str, str], dict[str, Any]]] = [
        ("spaceship", {"speed": "c/5d"}, {"period": 5, "displacement": [1, 1]}),
        ("spaceship", {"speed": "2c/5", "width": "12"}, {"box": [12, 8], "period": 5, "displacement": [0, -2]}),
        ("spaceship", {"speed": "c/4", "rule": "B36/S23", "population": "<=40"}, {"period": 4, "rule": "B36/S23"}),
        ("oscillator", {"period": "7", "height": "5"}, {"box": [8, 5], "period": 7}),
        ("torus", {"width": "5", "period": "3"}, {"box": [5, 8], "period": 3, "wrap": "xy"}),
        ("still life", {"json": '{"box": [3, 4], "period": 1}'}, {"box": [3, 4]}),
        ("spaceship", {"height": "9", "speed": "c/2", "symmetry": "D2|"}, {"box": [8, 9], "symmetry": ["D2|"]}),
    ]
    for kind, fields, expected in typed:
        ask(page, kind, 8, 8)
        until(lambda: question(page)["box"] == [8, 8])
        expect(page.locator("#search")).to_be_enabled()
        with page.expect_request("**/api/search") as request:
            page.evaluate(AT_ONCE, list(fields.items()))
        sent = request.value.post_data_json
        assert sent
        assert {name: sent["problem"].get(name) for name in expected} == expected


def test_a_speed_and_its_direction(page: Page) -> None:
    """A speed is typed, the arrows turn it, and the numbers follow; or they are typed, and the speed follows."""

    def moves(displacement: list[int], period: int) -> bool:
        asked = question(page)
        return (asked.get("displacement"), asked["period"]) == (displacement, period)

    def press(direction: str) -> None:
        arrow = page.get_by_role("button", name=direction, exact=True)
        arrow.click()
        expect(arrow).to_have_attribute("aria-pressed", "true")

    ask(page, "spaceship", 8, 8)
    expect(page.locator("#speed")).to_have_value("c/4d")
    expect(page.locator("#pad [aria-pressed=true]")).to_have_attribute("title", "Down and right")
    expect(page.locator("#period")).to_be_hidden()  # it follows
    page.fill("#speed", "c/5d")  # in the same direction
    until(lambda: moves([1, 1], 5))
    page.fill("#speed", "2c/5")  # which is no diagonal
    until(lambda: moves([0, -2], 5))
    press("Right")
    until(lambda: moves([2, 0], 5))
    page.fill("#speed", "c/3")
    until(lambda: moves([1, 0], 3))
    page.fill("#speed", "-c/3")  # a sign says where to
    until(lambda: moves([0, 1], 3))
    page.fill("#speed", "(2,1)c/6")
    until(lambda: moves([-2, -1], 6))
    press("Up and right")
    until(lambda: moves([2, -1], 6))
    expect(page.locator("#speed")).to_have_value("(2,1)c/6")
    page.fill("#speed", "fast")
    expect(error(page, "speed")).to_contain_text("not a velocity")
    page.click("#more summary")
    page.fill("#dx", "1")
    expect(page.locator("#speed")).to_have_value("c/6d")
    expect(page.locator("#pad [aria-pressed=true]")).to_have_attribute("title", "Up and right")
    page.fill("#period", "4")
    expect(page.locator("#speed")).to_have_value("c/4d")


def test_known_cells_are_pasted_and_kept_and_a_hostile_comment_is_text(page: Page) -> None:
    paste_something_hostile(page)
    page.click("#clear")
    ask(page, "oscillator", 6, 4, 2)
    settled(page, 6, 4)
    page.evaluate("navigator.clipboard.writeText('x = 4, y = 2, rule = B3/S23\\no?bo$?2o?!')")
    page.locator("#board").focus()
    page.keyboard.press("Control+v")
    row(page, 1, "* 1 * 0 1 *")
    row(page, 2, "* * 1 1 * *")
    page.click("#paste")
    page.fill("#paste-text", "#CXRLE Pos=0,3\nx = 3, y = 1\nobo!")
    page.check("#paste-free")
    page.click("#paste-ok")
    row(page, 3, "1 * 1 * * *")
    row(page, 1, "* * * * * *")
    page.click("#clear")
    ask(page, "oscillator", 6, 5, 3)
    click_cell(page, 4, 2)
    row(page, 2, "* * * * 1 *")
    for field, number in (("#width", "12"), ("#period", "14")):  # on the way there is a width, and a period, of 1
        page.locator(field).click(click_count=3)
        page.keyboard.type(number, delay=150)
    row(page, 2, "* * * * 1" + " *" * 7)
    assert question(page)["period"] == 14
    page.click("#undo")  # a step for a field, not for a key
    page.click("#undo")
    until(lambda: question(page)["box"] == [6, 5])


def paste_something_hostile(page: Page) -> None:
    page.evaluate("window.touched = false")
    hostile = "#C <img src=x onerror='window.touched=true'>\nx = 2, y = 2, rule = B3/S23\n2o$2o!\n"
    page.click("#paste")
    page.fill("#paste-text", hostile)
    page.click("#paste-ok")
    expect(page.locator("#paste-dialog")).to_be_hidden()
    row(page, 3, "* * * 1 1 * * *")
    page.click("#paste")
    page.fill("#paste-text", "<script>window.touched=true</script>")
    page.click("#paste-ok")
    expect(page.locator("#paste-error")).not_to_be_empty()
    assert page.locator("#paste-error *").count() == 0
    page.keyboard.press("Escape")
    assert page.evaluate("window.touched") is False


def test_reload_and_permalink(page: Page, server: Server) -> None:
    ask(page, "oscillator", 6, 7, 3)
    click_cell(page, 2, 3)
    page.click("#search")
    newest(page, re.compile("found|There is none"))
    row(page, 3, "* * 1 * * *")
    link = str(page.evaluate("location.href"))
    page.reload()
    expect(page.locator("#height")).to_have_value("7")
    mine = "#searches li[data-search]:has-text('6x7')"  # another may still have run when this tab was opened
    expect(page.locator(mine)).to_have_count(1)  # the searches are still there
    other = page.context.new_page()
    other.goto(link)
    expect(other.locator("#period")).to_have_value("3")
    row(other, 3, "* * 1 * * *")
    expect(other.locator(mine)).to_have_count(0)  # they belong to the first tab
    other.goto(f"{server.base}/#q=nonsense")
    expect(other.locator("#message")).not_to_be_empty()


def test_every_view_has_an_address_and_the_catalogue_keeps_what_was_found(page: Page) -> None:
    """Back, Forward and a reload lead to the question, its answer, a find, and the views."""
    answer, facts = page.locator("#answer"), page.locator("#facts")
    ask(page, "still life", 2, 2)
    page.click("#search")
    expect(page).to_have_url(re.compile("#q=.*&answer="))
    page.go_back()
    expect(answer).to_have_text("Is there a still life in 2x2?")
    expect(page.locator("#board")).to_be_visible()
    page.go_forward()
    expect(facts).to_contain_text("xs4_33")
    expect(page.locator("#transport")).to_be_hidden()  # there is nothing to play
    answered = page.url
    page.reload()
    expect(facts).to_contain_text("xs4_33")
    page.fill("#width", "3")  # a question of its own, behind which lies the answer
    until(lambda: question(page)["box"] == [3, 2])
    expect(page).not_to_have_url(re.compile("&answer="))  # its address is written after a pause
    page.go_back()
    expect(facts).to_contain_text("xs4_33")
    expect(page.locator("#width")).to_have_value("2")
    page.click("[data-view=finds]")
    card = page.locator("#catalogue li", has_text="xs4_33")
    expect(card).to_have_count(1)
    page.fill("#find-period", "2")
    expect(card).to_have_count(0)
    page.fill("#find-period", "1")
    card.get_by_text("Show").click()
    expect(page).to_have_url(re.compile(r"#find=\d+$"))
    expect(facts).to_contain_text("xs4_33")
    page.reload()
    expect(facts).to_contain_text("xs4_33")
    page.go_back()
    expect(page.locator("#catalogue")).to_be_visible()
    page.go_back()
    expect(facts).to_contain_text("xs4_33")
    page.click("#home")
    expect(answer).to_have_text("Draw something, and watch it live")
    page.go_back()
    expect(facts).to_contain_text("xs4_33")
    page.evaluate("""() => {
        location.hash = "#finds";
        document.getElementById("show-question").click();
    }""")
    expect(page.locator("#catalogue")).to_be_visible()  # an address whose event has not come yet is not overwritten
    expect(page).to_have_url(re.compile("#finds$"))
    card.get_by_text("Delete").click()
    card.get_by_text("Keep it").click()
    card.get_by_text("Delete").click()
    card.get_by_text("Delete for good").click()
    expect(card).to_have_count(0)
    note = page.locator("#note")
    page.goto(re.sub("answer=.*", "answer=0", answered))
    expect(note).to_have_text("This answer is no longer kept: Search asks again.")
    expect(answer).to_have_text("Is there a still life in 2x2?")
    page.goto(re.sub("#.*", "#find=0", answered))
    expect(note).to_have_text("This find is no longer kept.")
    page.fill("#width", "4")
    expect(note).to_be_empty()


def test_words_are_explained_and_symmetries_pictured_in_the_dark(page: Page) -> None:
    def background() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light = background()
    page.click("#theme")
    assert background() != light
    told = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text()
    words = [word for entry in page.locator("#glossary dt").all_text_contents() for word in entry.split(", ")]
    missing = [word for word in words if not re.search(rf"^\| [^|]*\b{word}\b[^|]* \|", told, re.MULTILINE)]
    assert not missing
    page.click("[data-symmetry=D8]")
    until(lambda: question(page).get("symmetry") == ["D8"])
    expect(page.locator("#symmetries [aria-pressed=true]")).to_have_attribute("title", "D8: all of them")
    page.click("#more summary")
    page.get_by_role("button", name="What does “strict” mean?").click()
    expect(page.locator("#word-strict")).to_be_in_viewport()
    page.keyboard.press("Escape")
    page.select_option("#kind", "eater")
    page.get_by_role("button", name="What does “lane” mean?").click()
    expect(page.locator("#word-lane")).to_be_in_viewport()
    assert violations(page) == []
    script = """async () => {
        const { orbit } = await import("/static/symmetry.js");
        return ["", "C2", "C4", "D2|", "D2\\\\", "D4+", "D4x", "D8"].map((name) => orbit(name).length);
    }"""
    assert page.evaluate(script) == [3, 6, 12, 6, 6, 12, 12, 24]
    page.reload()
    assert background() != light


def test_two_tabs_and_closing_one(tab: Page, server: Server) -> None:
    first, second = (opened(watched(tab.context), server) for _ in range(2))
    for asking in (first, second):
        asking.click("#text summary")
        asking.fill("#json", json.dumps({**HARD, "box": [12, 12]}))
        expect(asking.locator("#width")).to_have_value("12")
    first.click("#search")
    newest(first, "searching")
    newest(second, "in another tab: searching")
    expect(second.locator("#now")).to_be_hidden()  # it is not its own
    second.click("#search")
    newest(second, "waiting for its turn")
    third = opened(tab, server)
    expect(third.locator("#searches li[data-search]")).to_have_count(2)
    first.close()
    newest(second, "searching")  # the first tab's search has ended with it
    third.locator("#searches li[data-search]").first.get_by_text("Stop", exact=True).click()
    newest(second, "stopped")
    newest(third, "in another tab: stopped")


def cover_no_find_by_the_partial_ship_before_it(page: Page) -> None:
    """The search runs for another moment after its find, and still has its longest partial ship."""
    script = """async ([kind, box]) => {
        const { Searches } = await import("/static/searches.js");
        const shown = [], player = { find: null };
        const stage = {
            scene: "question", player, clear: () => shown.push("clear"), setSearching() {}, retell() {},
            showPartial: () => { stage.scene = "find"; shown.push("partial"); },
            showFind: (find) => { player.find = find; shown.push("find"); },
        };
        const film = { frames: [btoa("\\x01")], size: [1, 1] };
        const search = { id: 1, own: true, goal: "find", problem: { kind, box }, state: "running", seconds: 0 };
        const searches = new Searches(stage, () => undefined);
        const empty = { progress: {}, finds: [], partial: film };
        const update = (more) => searches.receive({ changed: [{ ...search, ...empty, ...more }] });
        update({});
        update({ finds: [{ ...film, rle: "o!" }] });
        update({ finds: [{ ...film, rle: "o!" }] });
        update({ finds: [{ ...film, rle: "o!" }], partial: null, state: "done", result: { status: "found" } });
        return shown;
    }"""
    assert page.evaluate(script, ["spaceship", [5, "*"]]) == ["partial", "find"]


def test_examples_and_clauses(page: Page) -> None:
    page.click("[data-view=gallery]")
    pictures = page.locator("#examples li > svg")
    expect(pictures).to_have_count(len(examples()))
    ship = page.locator("#examples li", has_text="third of the speed of light")
    ship.get_by_text("Clauses").click()
    expect(page.locator("#clauses h2")).to_contain_text("sat-life-grid-spaceships 6 16 3 1")
    page.locator("#clauses g[data-node=F]").hover()
    expect(page.locator("#clauses .words")).to_contain_text("counts a pair of cells of one row")
    expect(page.locator("#clauses .cell.counted")).to_have_count(2)
    ship.get_by_text("Run").click()
    newest(page, found("xq3_"))
    page.click("[data-view=gallery]")
    call = "sat-life-grid90 5 5 2"
    page.fill("#clauses-call", call)
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("#clauses h2")).to_contain_text(call)
    page.get_by_role("button", name="row 2, column 5", exact=True).hover()
    expect(page.locator("#clauses .words")).to_contain_text("By symmetry 2a5 is 1a2.")
    assert page.evaluate("location.hash") == f"#clauses={call.replace(' ', ',')}"
    page.locator("#clauses g[data-node=D]").hover()
    expect(page.locator("#clauses b.counted").first).to_be_visible()
    page.fill("#clauses-call", "sat-life-grid90 3 4 2")  # what is wrong is refused in its place
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("#clauses")).to_contain_text("This version requires m=n!")


def a_long_search(server: Server) -> int:
    """One that somebody works on elsewhere, half done, with finds; its number."""
    with Ledger(server.store) as ledger:
        search, new = ledger.enter(satlife.Ask(satlife.oscillator((4, 4), 2), satlife.ListAll(distinct=True)), {})
        if new:
            cubes = [[[x, 0, 0, k >> x & 1] for x in range(4)] for k in range(16)]
            ledger.divide(search.id, None, [Piece(json.dumps(cube)) for cube in cubes])
            for _ in range(8):
                unit = lease(ledger, search.id)
                assert unit
                finish(ledger, unit, 3.0, "another machine")
                ledger.sample(search.id)
                ledger.connection.execute("UPDATE progress SET at = at - 60 WHERE search = ?", (search.id,))
            outcome = satlife.find(satlife.oscillator((4, 4), 2))
            ledger.keep(search.id, Find(outcome.phases))
            ledger.tell_presence(search.id, Capacity(8, 16384, "a GPU", 81920, 1))
            lease(ledger, search.id)
        return search.id


def test_a_long_search_is_watched_while_it_runs(page: Page, server: Server) -> None:
    """Elsewhere: what is finished meanwhile, and what is found, appears by itself."""
    expect(page.locator("[data-view=jobs]")).to_be_hidden()  # there is none yet
    number = a_long_search(server)
    page.reload()
    page.click("[data-view=jobs]")
    page.click(f"[data-job='{number}']")
    job = page.locator("#job")
    expect(job).to_contain_text(f"Search {number}: Oscillator 4x4, period 2, all")
    expect(job).to_contain_text("50.0% done, 8 units finished")
    expect(page.locator("#job-estimate")).to_contain_text(re.compile(r"units an? \w+, .* left by the size"))
    expect(page.locator("#job-machines")).to_contain_text("8 cores, 16 GB, a GPU with 80 GB")
    expect(page.locator("#job-workers")).to_contain_text("another machine")
    expect(page.locator("#job-slowest")).to_contain_text("unit ")
    expect(page.locator("#job-plot .done")).to_have_attribute("points", re.compile(r"^\d"))
    expect(page.locator("#job-plot .doubt")).to_be_attached()
    expect(page.locator("#job-finds li")).to_have_count(1)
    with Ledger(server.store) as ledger:
        found = satlife.enumerate_all(satlife.oscillator((4, 4), 2), distinct=True)
        for outcome in itertools.islice(found, 3):
            ledger.keep(number, Find(outcome.phases))
        for unit in ledger.lease_many(number, 4):
            finish(ledger, unit)
    expect(page.locator("#job-finds li")).to_have_count(3)
    expect(job).to_contain_text("75.0% done, 12 units finished")
    with Ledger(server.store) as ledger:
        ledger.set_state(number, SearchState.PAUSED)
    expect(page.locator(f"[data-job='{number}']")).to_contain_text("paused")
    page.locator("#job-finds li").first.get_by_text("Show").click()
    expect(page.locator("#facts")).to_contain_text("xp2_")


def test_a_page_from_elsewhere_gets_nothing(tab: Page, server: Server) -> None:
    """A foreign page, even one that knows the token, cannot speak to the server."""

    class Foreign(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title>")

        def log_message(self, *args: Any) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Foreign) as foreign:
        threading.Thread(target=foreign.serve_forever, daemon=True).start()
        page = tab.context.new_page()
        page.goto(f"http://127.0.0.1:{foreign.server_port}/")
        script = """async ([url, token]) => {
            try {
                const headers = {authorization: "Bearer " + token};
                return (await fetch(url, {method: "POST", body: "{}", headers})).status;
            } catch (error) { return "refused"; }
        }"""
        assert page.evaluate(script, [f"{server.base}/api/search", server.token]) == "refused"
        foreign.shutdown()


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong with the page as it is."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    return [f"{rule['id']}: {[node['target'] for node in rule['nodes']]}" for rule in found]


#: Width, height and colour scheme; the test itself goes on at the desk.
SCREENS: dict[str, tuple[int, int, Scheme]] = {"phone": (390, 844, "dark"), "desk": (1280, 800, "light")}
#: The scenes that look different on a phone: axe-core, which takes a second for each, looks at these again.
NARROW = {"start", "find", "jobs"}


class Looks:
    """Looks at a scene of the page as everybody would, on a phone and at a desk: axe-core has no complaint, nothing is
    wider than the screen, and Search is in sight.  Pictures in both colour schemes are left for a person to look at, in
    the folder that the environment variable SATLIFE_SCREENSHOTS names, if it does."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.folder = os.environ.get("SATLIFE_SCREENSHOTS")
        self.wrong: dict[tuple[str, str], list[str]] = {}
        self.scenes = 0

    def screens(self) -> Iterator[str]:
        """The names of the screens; the page has the size and the colours of each in turn."""
        for name, (width, height, scheme) in SCREENS.items():
            self.page.emulate_media(color_scheme=scheme)
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            yield name

    def __call__(self, scene: str, pictures: bool = True) -> None:
        self.scenes += pictures
        for name in self.screens():
            complaints = violations(self.page) if name == "desk" or scene in NARROW else []
            if not fits(self.page):
                complaints.append("too wide")
            if complaints:
                self.wrong[name, scene] = complaints
            if self.page.locator("#form").is_visible():
                expect(self.page.locator("#search")).to_be_in_viewport(ratio=1)
            if pictures and self.folder:
                self.keep(name, scene)

    def keep(self, name: str, scene: str) -> None:
        """Keep pictures of a scene, that in the colours of the screen last: these stay."""
        for scheme in sorted(SCHEMES, key=lambda scheme: scheme == SCREENS[name][2]):
            self.page.emulate_media(color_scheme=scheme)
            picture = Path(str(self.folder), f"{name}-{scheme}-{self.scenes:02}-{scene.replace(' ', '-')}.png")
            self.page.screenshot(path=picture, animations="disabled")


def test_everybody_can_use_it(browser: Browser, server: Server) -> None:
    """Every scene, wide and narrow."""
    context = browser.new_context()
    context.set_default_timeout(MILLISECONDS)
    page = opened(watched(context), server, view="")
    look = Looks(page)
    expect(page.locator("#invitations button").first).to_be_attached()
    for _ in look.screens():
        for part in ("#answer", "#life", "#playground", "#ask-past", "#ask-fate", "#ask-whole", "#choices"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)
    painted = "document.getElementById('playground').toDataURL()"
    first = page.evaluate(painted)
    until(lambda: page.evaluate(painted) != first)  # it plays
    look("start")
    page.click("[data-choice=spaceship]")
    click_cell(page, 1, 1)
    page.click("#more summary")
    look("ship")
    page.click("#more summary")
    page.click("#clear")
    ask(page, "oscillator", 3, 3, 2)
    page.click("#search")
    newest(page, "found blinker (xp2_7)")
    page.click("#play")
    look("find")
    ask(page, "oscillator", 3, 3, 3)
    page.click("#search")
    expect(page.locator("#refutation")).to_be_visible()
    for _ in look.screens():
        sizes = [page.locator("#answer").evaluate("place => parseFloat(getComputedStyle(place).fontSize)")]
        sizes += page.evaluate(
            "[...document.querySelectorAll('#ask *')].filter((part) => part.id !== 'answer' && part.checkVisibility())"
            ".map((part) => parseFloat(getComputedStyle(part).fontSize))"
        )
        assert sizes[0] > max(sizes[1:])  # nothing is as large as the answer
    look("none")
    page.check("#any-size")
    page.fill("#rule", "B99")
    expect(error(page, "rule")).to_be_visible()
    look("error without a box")
    page.fill("#rule", "B3/S23")
    page.uncheck("#any-size")
    page.fill("#period", "2")
    search(page, "atlas")
    newest(page, "1 minimal box")
    look("atlas")
    page.select_option("#kind", "catalyst")
    expect(page.locator("[data-brush='C']")).to_be_visible()
    page.click("#more summary")
    look("catalyst", pictures=False)
    page.click("#more summary")
    page.select_option("#kind", "oscillator")
    for button in ("#keys-button", "#paste"):
        page.click(button)
        look(button, pictures=False)
        page.keyboard.press("Escape")
    nothing: dict[str, object] = {"finds": [], "searches": [], "chosen": None}
    for part in ("finds", "jobs"):
        page.route(f"**/api/{part}", lambda route: route.fulfill(json=nothing))
        page.evaluate(f"location.hash = '{part}'")
        expect(page.locator(f"#{part} .empty")).to_be_visible()
        look(f"no {part}")
        page.click("[data-view=ask]")
        page.unroute(f"**/api/{part}")
    a_long_search(server)
    for part in ("gallery", "finds", "jobs"):
        page.click(f"[data-view={part}]")
        expect(page.locator(f"#{part} li").first).to_be_visible()
        look(part)
    assert not look.wrong
    context.close()


def test_the_first_view_leads_to_questions(tab: Page, server: Server) -> None:
    """About what is drawn, which plays by itself until the next touch goes back to it; and about something else."""
    page = opened(tab, server, view="")
    assert "#" not in page.url  # nothing was asked
    expect(page.locator("#form")).to_be_hidden()
    for x, y in ((6, 5), (7, 6), (5, 7), (6, 7), (7, 7)):
        page.mouse.click(*middle(page, x, y, "#playground"))
    where = page.locator("#playground-generation")
    expect(where).to_have_text(re.compile("[1-9]"))  # it plays
    page.reload()
    page.click("#ask-fate")
    expect(page.locator("#fate")).to_have_text("It moves, at c/4d: the glider.")
    page.click("#ask-past")
    newest(page, "found")
    expect(page.locator("#facts")).to_contain_text("predecessor")
    page.click("#show-question")
    expect(page.locator("#answer")).to_have_text("What came before?")
    assert question(page)["box"] == [7, 7]
    page.click("#home")
    page.click("#playground-clear")
    expect(page.locator("#ask-whole")).to_be_disabled()
    page.locator("#playground").focus()
    for key in ("ArrowUp", "Space", "ArrowRight", "Space"):
        page.keyboard.press(key)
    page.click("#ask-whole")
    newest(page, found("xs"))
    assert question(page)["box"] == [2, 1]
    page.click("#show-question")
    expect(page.locator("#answer")).to_have_text("What may it be a part of?")
    page.click("#home")
    page.click("[data-choice=oscillator]")
    expect(page.locator("#answer")).to_have_text("Is there an oscillator of period 3 in 9x9?")
    expect(page.locator("#period")).to_be_focused()
    page.click("#home")
    expect(page.locator("#answer")).to_have_text("Draw something, and watch it live")
    page.click("[data-choice=spaceship]")
    expect(page.locator("#speed")).to_be_focused()
    page.fill("#width", "7")
    until(lambda: question(page)["box"] == [7, 5])
    page.click("#share")
    expect(page.locator("#toast")).to_contain_text("Link copied")
    other = page.context.new_page()
    other.goto(page.evaluate("navigator.clipboard.readText()"))
    expect(other.locator("#width")).to_have_value("7")
    expect(other.locator("#answer")).to_have_text("Is there a spaceship at c/4d in 7x5?")
    expect(other.locator("#welcome")).to_be_hidden()


def name_questions_and_finds(page: Page) -> None:
    script = """async ([problems, finds]) => {
        const { nameOf, sentenceOf, titleOf } = await import("/static/names.js");
        const words = (problem) => [titleOf({ problem, goal: "find" }), sentenceOf(problem)];
        return [problems.map(words), finds.map(nameOf)];
    }"""
    asked: dict[str, dict[str, Any]] = {
        "Custom 6x5, 2 generations: Is there a pattern like this in 6x5?": {"box": [6, 5], "generations": 2},
        "Spaceship 12x*, c/3, D2|: Is there a spaceship at c/3 in 12xany?": {
            "kind": "spaceship", "box": [12, "*"], "period": 3, "displacement": [0, -1], "symmetry": ["D2|"],
        },
        "Spaceship of any size, 2c/5, or a multiple: Is there a spaceship at 2c/5 of any size?": {
            "kind": "spaceship", "period": 5, "displacement": [2, 0], "multiples": True,
        },
        "Predecessor 9x9, 1 generation: What came before?": {"kind": "predecessor", "box": [9, 9], "generations": 1},
        "Still life 8x8: Is there a still life in 8x8?": {"kind": "still life", "box": [8, 8], "period": 1},
    }  # fmt: skip
    found = [
        {"kind": "spaceship", "period": 6, "displacement": [-1, 2], "population": 20},
        {"kind": "still life", "period": 1, "displacement": [0, 0], "population": 4},
        {"kind": "search", "period": None, "displacement": None, "population": 1},
        {"kind": "orphan", "period": None, "displacement": None, "population": 9},  # which is none, then
    ]
    questions, finds = page.evaluate(script, [list(asked.values()), found])
    assert [f"{title}: {sentence}" for title, sentence in questions] == list(asked)
    assert finds == ["spaceship, (2,1)c/6", "still life, 4 cells", "pattern, 1 cell", "predecessor, 9 cells"]


def play_by_the_rule_of_life(page: Page) -> None:
    """The first board, which simulates by itself: the R-pentomino, also on both sides of row and column 0."""
    script = """async (count) => {
        const { keyOf, next, placeOf } = await import("/static/playground.js");
        let live = new Map([[1, 0], [2, 0], [0, 1], [1, 1], [1, 2]].map((place) => [keyOf(place), 1]));
        for (let t = 0; t < count; t++) live = next(live);
        return [...live.keys()].map(placeOf);
    }"""
    cells = {(x, y) for x, y in page.evaluate(script, 100)}
    assert any(x < 0 for x, _ in cells)
    assert any(y < 0 for _, y in cells)
    assert cells == set(satlife.Pattern.from_rows([".OO", "OO.", ".O."]).run(100).points())


def compute_ages(page: Page) -> None:
    """A ship is followed in the plane, and its cells are as old as simulation says."""
    rabbit = satlife.Pattern.from_rows([".O.", "..O", "OOO"])
    shot = film(rabbit)
    frames = [base64.b64encode(frame.tobytes()).decode() for frame in shot.frames]
    script = """async ([frames, size, camera]) => {
        const { unpack } = await import("/static/cells.js"), { agesOf } = await import("/static/ages.js");
        return agesOf(frames.map(unpack), size, camera, true).map((ages) => [...ages]);
    }"""
    height, width = shot.frames[0].shape
    told = page.evaluate(script, [frames, [width, height], shot.camera])
    ages: dict[tuple[int, int], int] = {}
    for t, phase in enumerate(itertools.islice(generations(rabbit), 17)):
        ages = {point: min(ages.get(point, 0) + 1, 8) for point in phase.points()}
        if t >= 12:
            assert sorted(ages.values()) == sorted(age for age in told[t % 4] if age)


def test_modules_by_themselves(page: Page) -> None:
    """In one visit: what they compute needs no page of its own."""
    look_at_cells_that_are_not_decided(page)
    cover_no_find_by_the_partial_ship_before_it(page)
    name_questions_and_finds(page)
    play_by_the_rule_of_life(page)
    compute_ages(page)
