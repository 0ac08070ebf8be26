"""`dataclass` as the standard library has it, made in a tenth of the time.

A start of the program makes a hundred dataclasses.  The library writes up to six methods for each as text and compiles
every one by itself, which took a fifth of the time of a small question.  Here only `__init__` is written and compiled,
and only when it is first looked up; the other methods are closures over the names of the fields.  The library finds the
fields, so that its `replace`, `fields` and `asdict` work, and type checkers see its decorator.  A frozen dataclass
inherits only from dataclasses that are made here, too: the library takes those for ones that can change.

`found_in` collects the classes of a folder, so that a new one is a new module there, which nothing else has to name.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, /, *, frozen: bool = False, eq: bool = True) -> Any:
        """The decorator, with or without arguments."""

        def made(cls: type) -> type:
            wanted = _methods(dataclasses.dataclass(init=False, repr=False, eq=False)(cls), frozen, eq)
            for name, method in wanted.items():
                if vars(cls).get(name) is None:  # it has none of its own
                    setattr(cls, name, method)
            return cls

        return made if cls is None else made(cls)


T = TypeVar("T")
ValuesOf = Callable[[object], tuple[object, ...]]


def _methods(cls: type, frozen: bool, eq: bool) -> dict[str, Callable[..., object] | _Initialiser | None]:
    """The methods that a dataclass gets unless it has its own."""
    fields = dataclasses.fields(cls)
    methods: dict[str, Callable[..., object] | _Initialiser | None] = {
        "__init__": _Initialiser(cls, fields),
        "__repr__": _representation([field.name for field in fields if field.repr]),
    }
    if eq:
        values = _values([field.name for field in fields if field.compare])
        methods |= {"__eq__": _equality(values), "__hash__": _hash(values) if frozen else None}
    if frozen:
        methods |= {"__setattr__": _refuse_to_assign, "__delattr__": _refuse_to_delete}
    return methods


class _Initialiser:
    """Stands for `__init__` until somebody looks it up; then it is compiled, and takes this one's place."""

    def __init__(self, cls: type, fields: Sequence[Field[Any]]) -> None:
        self.cls, self.fields = cls, fields

    def __get__(self, instance: object | None, owner: type) -> Callable[..., None]:
        init = _compiled(self.cls, self.fields)
        self.cls.__init__ = init  # type: ignore[misc]
        bound: Callable[..., None] = init.__get__(instance, owner)
        return bound


def _compiled(cls: type, fields: Sequence[Field[Any]]) -> Callable[..., None]:
    """`__init__`: a parameter for each field, with its default.  It assigns as `object` does, which may always."""
    names: dict[str, Any] = {"_missing": MISSING, "_assign": object.__setattr__}
    parameters, lines = ["self"], []
    for field in fields:
        assert field.init, "every field is a parameter"
        assert not field.kw_only, "every parameter may be given by position"
        name, value, default = field.name, field.name, ""
        if field.default is not MISSING:
            names[f"_default_{name}"], default = field.default, f"=_default_{name}"
        elif field.default_factory is not MISSING:
            names[f"_make_{name}"], default = field.default_factory, "=_missing"
            value = f"_make_{name}() if {name} is _missing else {name}"
        parameters.append(name + default)
        lines.append(f" _assign(self, {name!r}, {value})\n")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()\n")
    text = f"def __init__({', '.join(parameters)}):\n{''.join(lines) or ' pass'}"
    exec(text, names)  # noqa: S102 - as the library does; the text has names of fields only
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in fields} | {"return": None}
    return init


def _values(names: Sequence[str]) -> ValuesOf:
    """A function that reads these fields of an instance."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda instance: tuple(getattr(instance, name) for name in names)


def _equality(values: ValuesOf) -> Callable[[object, object], bool]:
    def __eq__(self: object, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(values: ValuesOf) -> Callable[[object], int]:
    return lambda self: hash(values(self))


def _representation(names: Sequence[str]) -> Callable[[object], str]:
    @recursive_repr()
    def __repr__(self: object) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _refuse_to_assign(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def found_in(package: str, base: type[T], named: str = "name") -> dict[str, type[T]]:
    """The classes in the modules of a package that are a `base` and have a name, by their names and in their order."""
    import pkgutil  # which a start without questions does not need

    found: dict[str, type[T]] = {}
    for module in pkgutil.iter_modules(sys.modules[package].__path__):
        for value in vars(importlib.import_module(f"{package}.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, base) and hasattr(value, named):
                found[getattr(value, named)] = value
    return dict(sorted(found.items()))


__all__ = ["dataclass", "found_in"]
