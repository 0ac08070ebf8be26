"""Our dataclasses do what those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any, ClassVar

import pytest

from satlife import records

Decorator = Callable[..., Any]


def classes(dataclass: Decorator) -> dict[str, Any]:
    """The same classes, made by either decorator."""

    @dataclass(frozen=True)
    class Empty:
        """Without fields."""

    @dataclass(frozen=True)
    class Point:
        """With defaults, a factory, and fields that are not shown or not compared."""

        shared: ClassVar[int] = 7
        x: int
        y: int = 2
        marks: list[int] = field(default_factory=list, compare=False)
        note: str = field(default="", repr=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "y", abs(self.y))

    @dataclass(frozen=True)
    class Solid(Point):
        """Inherits fields, and has another default."""

        y: int = 5
        z: int = 3

    @dataclass
    class Counter:
        """It can change."""

        count: int = 0

    @dataclass(frozen=True, eq=False)
    class Unique:
        """Compared by identity."""

        name: str

    @dataclass(frozen=True)
    class Own:
        """With methods of its own; the hash is not one of them."""

        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

        def __repr__(self) -> str:
            return "own"

    return {made.__name__: made for made in (Empty, Point, Solid, Counter, Unique, Own)}


OURS, THEIRS = classes(records.dataclass), classes(dataclasses.dataclass)
EXAMPLES: dict[str, list[Callable[[Any], Any]]] = {
    "Empty": [lambda cls: cls()],
    "Point": [lambda cls: cls(1), lambda cls: cls(1, -4, note="n"), lambda cls: cls(x=1, marks=[1])],
    "Solid": [lambda cls: cls(1), lambda cls: cls(1, 2, [3], "n", 4)],
    "Counter": [lambda cls: cls(), lambda cls: cls(3)],
    "Unique": [lambda cls: cls("a")],
    "Own": [lambda cls: cls("a"), lambda cls: cls("b")],
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_instances_look_alike_and_compare_alike(name: str) -> None:
    ours, theirs = ([make(cls) for make in EXAMPLES[name] for _ in range(2)] for cls in (OURS[name], THEIRS[name]))
    assert [repr(one) for one in ours] == [repr(one) for one in theirs]
    assert [vars(one) for one in ours] == [vars(one) for one in theirs]
    assert [one == other for one in ours for other in ours] == [one == other for one in theirs for other in theirs]
    assert all(one != "another class" for one in ours)
    if name not in ("Unique", "Counter"):
        assert [hash(one) for one in ours] == [hash(one) for one in theirs]


@pytest.mark.parametrize("name", EXAMPLES)
def test_classes_have_the_same_fields_and_parameters(name: str) -> None:
    ours, theirs = OURS[name], THEIRS[name]
    assert [one.name for one in dataclasses.fields(ours)] == [one.name for one in dataclasses.fields(theirs)]
    assert ours.__match_args__ == theirs.__match_args__
    assert (ours.__hash__ is None) == (theirs.__hash__ is None)
    shown, expected = (list(inspect.signature(cls).parameters.values()) for cls in (ours, theirs))
    assert [(one.name, one.kind, one.annotation) for one in shown] == [
        (one.name, one.kind, one.annotation) for one in expected
    ]


def test_the_functions_of_the_library_work() -> None:
    solid = OURS["Solid"](1, z=9)
    assert dataclasses.replace(solid, x=2) == OURS["Solid"](2, z=9)
    assert dataclasses.asdict(solid) == {"x": 1, "y": 5, "marks": [], "note": "", "z": 9}
    assert copy.deepcopy(solid) == solid
    assert solid.marks is not OURS["Solid"](1).marks


def test_a_frozen_instance_cannot_be_changed() -> None:
    point = OURS["Point"](1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    counter = OURS["Counter"]()
    counter.count += 1
    assert counter.count == 1


def test_wrong_arguments_are_told_with_the_name_of_the_class() -> None:
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) missing 1 required positional argument: 'x'"):
        OURS["Point"]()


@records.dataclass(frozen=True)
class Kept:
    """Pickled, so at the top of a module."""

    name: str
    next: Kept | None = None


def test_instances_are_pickled() -> None:
    kept = Kept("a", Kept("b"))
    assert pickle.loads(pickle.dumps(kept)) == kept


def test_an_instance_that_contains_itself_can_be_shown() -> None:
    counter = OURS["Counter"]()
    counter.count = counter
    assert repr(counter).endswith("Counter(count=...)")
