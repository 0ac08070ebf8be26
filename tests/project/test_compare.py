"""What a change costs is told from noise, and what has no answer any more is said."""

from __future__ import annotations

import shlex

import pytest
from bench import compare
from bench.programs import Ended

from commands import run


def ended(cpu: float, code: int = 20) -> Ended:
    return Ended("", cpu, cpu, False, code)


def compared(old: list[float], new: list[float]) -> compare.Compared:
    return compare.Compared("", [*map(ended, old)], [*map(ended, new)])


@pytest.mark.parametrize(
    ("old", "new", "slower"),
    [
        ([1.0, 1.1, 1.2], [1.1, 1.3, 1.4], False),  # the fastest is slower, but not so the most
        ([1.0, 1.01, 1.02], [1.1, 1.12, 1.11], True),
        ([1.0, 1.01, 1.02], [1.04, 1.3, 1.4], False),  # by less than matters
        ([1.0, 1.01, 1.02], [0.5, 0.6, 0.7], False),
    ],
)
def test_slower_is_more_than_noise(old: list[float], new: list[float], slower: bool) -> None:
    assert compared(old, new).is_slower is slower


def test_the_questions_are_asked_alternately_and_what_is_slower_again(capsys: pytest.CaptureFixture[str]) -> None:
    costs = {"same": (1.0, 1.0), "slow": (1.0, 2.0), "fast": (2.0, 1.0)}
    turns: list[tuple[str, bool]] = []

    def ask(name: str, is_new: bool) -> Ended:
        turns.append((name, is_new))
        return ended(costs[name][is_new])

    assert not compare.report(list(costs), ask, 2)
    assert turns == [
        (name, new) for name, times in (("same", 2), ("slow", 4), ("fast", 2)) for new in [False, True] * times
    ]
    printed = capsys.readouterr().out
    assert "SLOWER" in printed
    assert "geometric mean" in printed
    assert " 1.00\n" in printed
    assert printed.endswith("beyond noise: slow\n")
    assert compare.report(["same", "fast"], ask, 2)


def test_an_answer_that_is_lost_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """What was not answered then is said, too, and costs nothing to compare."""
    codes = {"lost": (20, 3), "won": (2, 20)}

    def ask(name: str, is_new: bool) -> Ended:
        return ended(1.0, codes[name][is_new])

    assert not compare.report(["lost"], ask, 1)
    assert "exit code 3, was exit code 20" in capsys.readouterr().out
    assert compare.report(["won"], ask, 1)
    assert "exit code 20, was exit code 2" in capsys.readouterr().out


def test_an_unknown_commit_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        compare.main(["no-such-commit"])
    assert end.value.code == 2
    assert "there is no commit 'no-such-commit' here" in capsys.readouterr().err


def test_twenty_questions() -> None:
    assert len(compare.QUESTIONS) == len(compare.DRAWN) == 20


def test_questions_are_drawn_by_their_seed(capsys: pytest.CaptureFixture[str]) -> None:
    """What is too soon or too late is drawn again, and all that are drawn can be asked."""
    names, asked = list(compare.DRAWN), list[str]()

    def ask(question: str) -> Ended:
        asked.append(question)
        return ended(len(asked) % 7 - 0.5, 3 if len(asked) % 11 == 0 else 20)

    found = compare.draw(1, names, ask)
    assert len(found) > 10
    assert len(asked) > len(names)
    asked.clear()
    assert compare.draw(1, names, ask) == found
    assert compare.draw(2, names, ask) != found
    assert "satlife spaceship" in capsys.readouterr().out
    for number, question in enumerate(dict.fromkeys(asked)):
        if number % 10 == 0:
            words = [*shlex.split(question), "--print-problem"]
            assert run(*[word for word in words if word not in ("--count-only", "--maximize")]).returncode == 0, (
                question
            )
