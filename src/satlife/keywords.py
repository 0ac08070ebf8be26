"""Keywords: arguments by name that many functions share, listed once and named in the signature of each function.

A function that ends in `**options: Unpack[SearchOptions]` tells a type checker its keywords; but `help` and completion
would show `**options`, and nothing else.  `naming` spells the keywords out in its signature, and says in a sentence
what is wrong with a call.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import ParamSpec, TypeVar

from satlife.errors import ArgumentError, suggestion

P = ParamSpec("P")
R = TypeVar("R")
Keyword = inspect.Parameter

#: What other programs call an argument, and what it may be called here.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "time": ("timeout", "time_limit", "timelimit", "seconds", "max_time", "deadline", "limit"),
    "jobs": ("threads", "workers", "cores", "n_jobs", "processes", "cpus", "num_threads", "parallel"),
    "seed": ("random_state", "random_seed", "rng"),
    "memory": ("mem", "max_memory", "memory_limit", "ram"),
    "device": ("gpu", "cuda"),
    "strategy": ("engine", "method"),
    "progress": ("verbose", "callback", "on_progress", "show_progress"),
    "most": ("n", "count", "limit", "maximum", "max_solutions", "number"),
    "distinct": ("unique",),
    "largest": ("maximize", "maximise", "maximum", "minimize", "minimise", "smallest"),
    "measure": ("objective", "metric", "what"),
    "size": ("box", "shape", "width", "height", "w", "h"),
    "width": ("size", "box"),
    "period": ("p", "generations"),
    "speed": ("velocity", "v"),
    "displacement": ("d", "dx", "dy", "shift", "offset"),
    "generations": ("g", "n", "steps", "t", "back", "period"),
    "symmetry": ("sym", "symmetries"),
    "rule": ("rulestring", "rules"),
    "population": ("pop", "live", "alive", "cells"),
    "pattern": ("target", "cells", "rle"),
}


def naming(
    shared: Mapping[str, object] | None = None, elsewhere: Mapping[str, str] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give a function a signature with all `shared` keywords, here with their types, in place of its `**keywords`.

    A wrong call raises an ArgumentError, which is an InputError and a TypeError; `elsewhere` says of other names where
    they belong."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature, name = _spelled_out(function, shared or {}), function.__name__

        def check(given: tuple[object, ...], named: Mapping[str, object]) -> None:
            if unknown := [word for word in named if word not in signature.parameters]:
                raise ArgumentError(_unknown(name, unknown[0], signature, elsewhere or {}))
            _must_fit(name, signature, given, named)

        def call(*given: P.args, **named: P.kwargs) -> R:
            check(given, named)
            return function(*given, **named)

        # A function of the same module, where doctest looks for examples.
        named = FunctionType(call.__code__, function.__globals__, name, None, call.__closure__)
        functools.update_wrapper(named, function)
        named.__signature__ = signature  # type: ignore[attr-defined]
        return named

    return decorate


def _spelled_out(function: Callable[..., object], shared: Mapping[str, object]) -> inspect.Signature:
    """The signature of a function with these keywords in place of its `**keywords`."""
    signature = inspect.signature(function)
    own = [parameter for parameter in signature.parameters.values() if parameter.kind is not Keyword.VAR_KEYWORD]
    more = [
        Keyword(name, Keyword.KEYWORD_ONLY, default=None, annotation=getattr(kind, "__forward_arg__", kind))
        for name, kind in shared.items()
    ]
    return signature.replace(parameters=[*own, *more])


def _unknown(function: str, word: str, signature: inspect.Signature, elsewhere: Mapping[str, str]) -> str:
    """The sentence about an argument that a function does not have."""
    start, known = f"{function}() has no argument {word!r}", list(signature.parameters)
    meant = [name for name in known if word.lower() in SYNONYMS.get(name, ())]
    if meant:
        return f"{start}; did you mean {meant[0]!r}?"
    for name, where in elsewhere.items():
        if word.lower() in (name, *SYNONYMS.get(name, ())):
            return f"{start}; {where}"
    return start + (suggestion(word, known) or f"; it has {', '.join(known)}")


def _must_fit(
    function: str, signature: inspect.Signature, given: tuple[object, ...], named: Mapping[str, object]
) -> None:
    """Raise ArgumentError unless a function can be called with these arguments."""
    places = [name for name, parameter in signature.parameters.items() if parameter.kind is not Keyword.KEYWORD_ONLY]
    needed = [name for name in places if signature.parameters[name].default is Keyword.empty]
    usage = f"{function}({', '.join([*needed, '...'])})"
    if places[0] == "size" and len(given) > 1 and all(type(side) is int for side in given[:2]):
        square = f"{function}({given[0]}, {places[1]}={given[1]})"
        raise ArgumentError(f"a size is one argument, {function}(({given[0]}, {given[1]}), ...); or is {square} meant?")
    if len(given) > len(places):
        raise ArgumentError(f"too many arguments without a name: {usage}; all others are given by name")
    twice = [name for name in places[: len(given)] if name in named]
    if twice:
        raise ArgumentError(f"the argument {twice[0]!r} is given twice: {usage}")
    for name in needed:
        if name not in named and name not in places[: len(given)]:
            raise ArgumentError(f"the argument {name!r} is missing: {usage}")
