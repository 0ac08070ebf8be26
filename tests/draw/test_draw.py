"""Pictures: what they show, read back from what was drawn."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import satlife
from commands import run
from satlife.draw import files, svg
from satlife.draw.files import player
from satlife.draw.film import film
from satlife.draw.picture import THEMES, Picture, of_heat, of_problem, of_states
from satlife.draw.terminal import coloured, half_blocks
from satlife.errors import InputError, LimitError
from satlife.life.identify import identify
from satlife.life.pattern import Cells, Pattern
from satlife.life.rule import Rule
from satlife.life.simulate import advance, generations

LIGHT = THEMES["light"]
GLIDER = Pattern.from_rows([".O.", "..O", "OOO"])


def squares_of(path: str, cell: int, shape: tuple[int, int]) -> Cells:
    """The cells that a path of squares covers."""
    cells = np.zeros(shape, np.uint8)
    for x, y in re.findall(r"M(\d+) (\d+)h", path):
        cells[int(y) // cell, int(x) // cell] = 1
    return cells


@st.composite
def pictures(draw: st.DrawFn) -> Picture:
    width, height = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    bits = draw(st.lists(st.integers(0, 1), min_size=width * height, max_size=width * height))
    return of_states(np.array(bits, np.uint8).reshape(height, width), GLIDER.rule, LIGHT)


@given(pictures(), st.integers(4, 9))
@settings(max_examples=40)
def test_every_way_of_drawing_shows_the_same_cells(picture: Picture, cell: int) -> None:
    root = ET.fromstring(svg.still(picture, cell))
    live = [path.get("d", "") for path in root if path.get("fill") == LIGHT.ink]
    assert np.array_equal(squares_of("".join(live), cell, picture.cells.shape), picture.cells)
    image = np.array(Image.open(io.BytesIO(files.png(picture, cell))).convert("RGB"))
    centres = image[cell // 2 :: cell, cell // 2 :: cell][: picture.height, : picture.width]
    ink = [int(LIGHT.ink[i : i + 2], 16) for i in (1, 3, 5)]
    assert np.array_equal((centres == ink).all(axis=2), picture.cells == 1)
    lines = half_blocks(Pattern(picture.cells)).split("\n")
    upper = [[c in "▀█" for c in line.ljust(picture.width)] for line in lines]
    assert np.array_equal(upper, picture.cells[::2] == 1)
    assert len(coloured(picture).plain.splitlines()) == (picture.height + 1) // 2


@pytest.mark.parametrize("name", ["gif", "apng"])
def test_films_have_every_generation_and_loop(name: str) -> None:
    shot = film(GLIDER)
    image = Image.open(io.BytesIO(getattr(files, name)(shot.pictures(LIGHT), 8, 0.25)))
    assert getattr(image, "n_frames", 1) == 4
    assert image.info["loop"] == 0
    for t, frame in enumerate(shot.frames):
        image.seek(t)
        pixels = np.array(image.convert("RGB"))[4::8, 4::8, 0][: frame.shape[0], : frame.shape[1]]
        assert np.array_equal(pixels < 128, frame == 1)


@pytest.mark.parametrize("transform", ["I", "R90", "R180", "R270", "F|", "F\\"])
def test_a_ship_stays_in_the_middle_whatever_its_direction(transform: str) -> None:
    shot = film(GLIDER.transform(transform))
    middles = [np.argwhere(frame).mean(axis=0) for frame in shot.frames]
    assert np.ptp(middles, axis=0).max() <= 1
    assert all(frame.shape[0] <= 6 and frame.shape[1] <= 6 for frame in shot.frames)


@pytest.mark.parametrize("count", [None, 6, 8])
def test_the_camera_tells_where_the_frames_lie(count: int | None) -> None:
    ship = GLIDER.transform("R90")
    shot = film(ship, count)
    length = len(shot.frames)
    assert len(shot.camera) == length + shot.loops
    places = [
        [(x + dx, y + dy) for y, x in np.argwhere(frame).tolist()]
        for frame, (dx, dy) in zip(shot.frames, shot.camera, strict=False)
    ]
    start = ship.points()
    dx, dy = places[0][0][0] - start[0][0], places[0][0][1] - start[0][1]
    for t, place in enumerate(places):
        assert sorted(place) == sorted((x + dx, y + dy) for x, y in advance(ship, t).points())
    if shot.loops:  # where the first frame lies when it comes again
        moved = sorted(advance(ship, length).points())[0]
        first = sorted(start)[0]
        assert shot.camera[-1] == (moved[0] - first[0], moved[1] - first[1])


def test_what_a_film_shows() -> None:
    r_pentomino = Pattern.from_rows([".OO", "OO.", ".O."])
    assert len(film(r_pentomino, 10).frames) == 11
    assert film(r_pentomino, 10).frames[10].sum() == advance(r_pentomino, 10).population
    assert len(film(GLIDER, 8).frames) == 8  # two periods: the ninth would be the first again
    assert len(film(GLIDER, 6).frames) == 7
    assert [frame.any() for frame in film(Pattern.from_rows(["."])).frames] == [False]
    assert film(GLIDER, 0).frames[0].sum() == 5
    with pytest.raises(LimitError):
        film(GLIDER, 1_000_001)


def test_strips_and_moving_svg() -> None:
    shot = film(GLIDER)
    root = ET.fromstring(svg.strip(shot.pictures(LIGHT), list("0123")))
    space = "{http://www.w3.org/2000/svg}"
    assert [text.text for text in root.iter(f"{space}text")] == list("0123")
    assert len(root.findall(f"{space}g")) == 4
    moving = ET.fromstring(svg.moving(shot.pictures(LIGHT), 10))
    (values,) = [node.get("values", "") for node in moving.iter(f"{space}animate")]
    for path, frame in zip(values.split(";"), shot.frames, strict=True):
        assert np.array_equal(squares_of(path, 10, frame.shape), frame)


def test_heat_tells_still_cells_from_changing_ones() -> None:
    beacon = Pattern.from_rows(["OO..", "OO..", "..OO", "..OO"])
    heat = of_heat(identify(beacon), LIGHT)
    assert (heat.cells == 1).sum() == 6
    assert (heat.cells > 1).sum() == 2
    assert (heat.cells == 0).sum() == 8
    with pytest.raises(InputError, match="moves"):
        of_heat(identify(GLIDER), LIGHT)


def test_a_question_shows_what_is_known() -> None:
    problem = satlife.grid("1 0 * a *'\n")
    assert of_problem(problem, 0, LIGHT).cells.tolist() == [[1, 0, 2, 3, 4]]


def test_notebooks_get_players() -> None:
    found = satlife.find(satlife.oscillator((3, 3), period=2))
    html = found._repr_html_()  # type: ignore[attr-defined]
    assert "xp2_7" in html
    assert html.count("<svg") == 1
    assert "<button" in html
    assert "src=" not in html
    assert "<svg" in satlife.still_life((3, 3))._repr_svg_()  # type: ignore[attr-defined]
    none = satlife.find(satlife.oscillator((2, 2), period=2), solver="cadical195")
    html = none._repr_html_()  # type: ignore[attr-defined]
    assert html.startswith("<p>oscillator in 2x2, period 2: there is none (solver&#x27;s word: cadical195)</p>")
    assert html.count("<svg") == 1
    assert "&lt;img" in player(film(GLIDER), caption="<img>")


def html(value: object) -> str:
    """What a notebook shows of a value."""
    return str(value._repr_html_())  # type: ignore[attr-defined]


def test_notebooks_show_what_is_undecided_or_proved() -> None:
    problem = satlife.oscillator((3, 3), 2)
    undecided = satlife.Outcome(problem, satlife.Status.UNKNOWN, reason="<b>out of time</b>")
    assert html(undecided).startswith("<p>oscillator in 3x3, period 2: undecided, &lt;b&gt;out of time")
    proved = satlife.Outcome(problem, satlife.Status.NONE, proof=satlife.Certificate(True, "folder", 3))
    assert "there is none (proved and checked, in folder)" in html(proved)
    searched = satlife.Outcome(problem, satlife.Status.NONE, exhaustive=True)
    assert "there is none (exhaustive search)" in html(searched)


def test_notebooks_show_lists() -> None:
    stills = satlife.enumerate_all(satlife.still_life((4, 4)))
    assert "0 solutions, 0 of them distinct; so far" in html(stills)
    next(stills)
    assert html(stills).count("<svg") == 1
    assert len(list(stills)) == 82
    assert html(stills).count("<svg") == 24, "of a long list only the first are drawn"
    assert "82 solutions, 13 of them distinct; complete" in html(stills)
    none = satlife.enumerate_all(satlife.oscillator((2, 2), 2))
    assert list(none) == []
    assert "there is none: the list is complete" in html(none)
    some = satlife.enumerate_all(satlife.still_life((4, 4)), most=2)
    assert len(list(some)) == 2
    assert "stopped after 2" in html(some)


def test_notebooks_show_the_best() -> None:
    best = satlife.optimise(satlife.still_life((4, 4)), largest=True)
    assert "<p>8, proved to be the best</p>" in html(best)
    assert "<button" in html(best)
    assert "<p>8, the bound is 9</p>" in html(replace(best, bound=9))
    assert "<p>8, not proved to be the best</p>" in html(replace(best, bound=None))
    assert "<p>8, there is no largest: it repeats</p>" in html(replace(best, endless="it repeats"))
    nothing = satlife.optimise(satlife.oscillator((2, 2), 2), "box")
    assert "oscillator in 2x2, period 2: there is none" in html(nothing)


def test_notebooks_show_ships_of_any_length() -> None:
    ships = satlife.open_ships(satlife.open_spaceship(5, 4, (0, -2)))
    assert html(ships).endswith("<p>0 ships; so far</p>")
    assert next(ships).apgcode == "xq4_6frc"
    assert (ships.status, html(ships).count("<svg")) == ("found", 1)
    none = satlife.open_ships(satlife.open_spaceship(4, 4, (0, -2)))
    assert list(none) == []
    assert (none.status, none.complete) == ("none", True)
    assert "there is none" in html(none)
    late = satlife.open_ships(satlife.open_spaceship(12, 5, (0, -1)), time=0.0001)
    assert list(late) == []
    assert (late.status, late.reason.startswith("the time limit was reached")) == ("unknown", True)
    with pytest.raises(satlife.InputError, match="row by row"):
        next(satlife.open_ships(satlife.open_spaceship(4, 4, (0, -2)), solver="cadical195"))


def test_notebooks_show_studies() -> None:
    result = satlife.study("still-lifes")
    assert result.verdict == "agrees"
    shown = html(result)
    assert result.study.title in shown
    assert shown.count("<pre>") == len(result.steps)
    assert "<td>83</td><td>83</td>" in shown
    mobile = satlife.study("mobile")
    patterns = [pattern for step in mobile.steps for pattern in step.patterns]
    assert 0 < len(patterns) == html(mobile).count("<svg")
    with pytest.raises(satlife.InputError, match="there is no study 'nosuch'"):
        satlife.study("nosuch")


def frames_in(path: Path) -> int:
    with Image.open(path) as image:
        return int(getattr(image, "n_frames", 1))


def test_show_writes_every_kind_of_file(tmp_path: Path) -> None:
    source = tmp_path / "glider.rle"
    source.write_text(GLIDER.to_rle())
    starts = {"svg": b"<svg", "png": b"\x89PNG", "apng": b"\x89PNG", "gif": b"GIF89a", "html": b"<!doctype html>"}
    for ending, start in starts.items():
        target = tmp_path / f"out.{ending}"
        assert run("show", str(source), "-o", str(target)).returncode == 0
        assert target.read_bytes().startswith(start)
    assert frames_in(tmp_path / "out.gif") == 4
    assert run("show", str(source), "-g", "9", "-o", str(tmp_path / "out.gif")).returncode == 0
    assert frames_in(tmp_path / "out.gif") == 10


def test_show_in_the_terminal(tmp_path: Path) -> None:
    source = tmp_path / "blinker.rle"
    source.write_text("x = 3, y = 1\n3o!\n")
    assert run("show", str(source)).stdout.split() == ["▄▄▄"]
    assert run("show", str(source), "-g", "1").stdout.split() == ["▄", "█"]
    assert run("show", str(source), "--phases").stdout.count("generation") == 2
    assert run("show", "xp2_7", "--heat").stdout.split() == [".6.", "606", ".6."]
    unknown = tmp_path / "unknown.rle"
    unknown.write_text("x = 3, y = 1\no?o!\n")
    assert run("show", str(unknown)).stdout == "O?O\n"
    assert "unknown" in run("show", str(unknown), "-g", "1").stderr
    open_rule = tmp_path / "open.rle"
    open_rule.write_text("x = 1, y = 1, rule = pB3/S23\no!\n")
    assert run("show", str(open_rule)).stdout.split() == ["▄"]
    assert "left open" in run("show", str(open_rule), "--phases").stderr
    question = tmp_path / "question.toml"
    question.write_text(satlife.grid("1 0 * a").to_toml())
    assert run("show", str(question)).stdout == "O.*a\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["xq4_153", "-o", "a.bmp"], "ending"),
        (["xq4_153", "--heat"], "this pattern moves"),
        (["xq4_153", "--play"], "terminal"),
        (["xq4_153", "--play", "--heat"], "do not go together"),
        (["xq4_153", "-o", "a.png", "--play"], "does not move"),
        (["xq4_153", "-o", "a.gif", "--phases"], "moves"),
        (["nothing.rle"], "cannot read"),
    ],
)
def test_show_says_what_is_wrong(arguments: list[str], message: str) -> None:
    result = run("show", *arguments)
    assert result.returncode in (1, 2)
    assert message in result.stderr


WIDE = Pattern(np.tile(np.array([[1, 1, 1, 0, 0, 0, 1]], np.uint8), (1, 20_000)))


@pytest.mark.parametrize("count", [None, 100, 2_000])
def test_a_film_is_refused_before_it_is_simulated(count: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one generation more is made than those that show that the film is too large."""
    from satlife.draw import film as module

    seen = []

    def counted(pattern: Pattern) -> Iterator[Pattern]:
        for phase in generations(pattern):
            seen.append(phase.cells.size)
            yield phase

    monkeypatch.setattr(module, "generations", counted, raising=False)
    monkeypatch.setattr("satlife.life.identify.generations", counted)
    with pytest.raises(LimitError, match="is larger than the limit"):
        film(WIDE, count)
    assert sum(seen) < 2 * module.MAX_CELLS


def test_a_window_that_would_be_too_large_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two gliders part: every phase grows, and the window of all frames with it."""
    apart = Pattern.from_rows(["OOO......OOO", "O..........O", ".O........O."])
    monkeypatch.setattr("satlife.draw.film.MAX_CELLS", 100_000)
    monkeypatch.setattr("satlife.draw.film.aligned", lambda *_: pytest.fail("frames were made"))
    with pytest.raises(LimitError):
        film(apart, 200)


@pytest.mark.parametrize(
    "pattern",
    [
        GLIDER,
        Pattern.from_rows(["."]),
        Pattern.from_rows([".OO", "OO.", ".O."]),
        Pattern.from_rows(["OOO"], Rule.parse("B03/S23")),
        Pattern.from_rows(["."], Rule.parse("B03/S23")),
        Pattern.from_rows([".O..", "..O.", "OOO."], Rule.parse("B3/S23")),
        Pattern(GLIDER.cells, torus=(7, 6)),
        Pattern(np.zeros((3, 3), np.uint8), rule=Rule.parse("B03/S23"), torus=(3, 3)),
        Pattern.from_rows(["OO"], Rule.parse("B2/S/C3")),
        Pattern.from_rows(["OO.", ".OO"], Rule.parse("B2/S")),
    ],
)
def test_films_agree_with_what_the_pattern_is(pattern: Pattern) -> None:
    """Length and loop are those of `identify`, and every frame holds the cells of its generation."""
    found = identify(pattern, 500)
    for count in (None, 0, 1, 3, 4, 7, 8, 41):
        shot = film(pattern, count)
        loops = bool(found.period) and (count is None or (count > 0 and count % found.period == 0))
        length = (found.period or 101) if count is None else count + (not loops)
        assert (shot.loops, len(shot.frames)) == (loops, length), count
        for frame, phase in zip(shot.frames, generations(pattern), strict=False):
            assert np.array_equal(Pattern(frame).crop().cells, Pattern(phase.cells).crop().cells)


def test_pixels_and_squares_are_counted_before_anything_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_image", lambda *_: pytest.fail("an image was made"))
    large = of_states(np.ones((1200, 1700), np.uint8), GLIDER.rule, LIGHT)
    with pytest.raises(LimitError, match="use smaller cells"):
        files.png(large, 10)
    monkeypatch.setattr(svg, "squares", lambda *_: pytest.fail("a square was drawn"))
    for draw in (svg.still, lambda picture: svg.moving([picture] * 3), lambda picture: svg.strip([picture] * 3)):
        with pytest.raises(LimitError, match="squares"):
            draw(large)
    assert Pattern(large.cells)._repr_svg_() is None  # type: ignore[attr-defined]
