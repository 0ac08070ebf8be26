"""Kernels compiled by Numba, where it is installed: the one place that knows how.

A kernel is compiled when it is first called, and its machine code is kept beside its source, or in the user's cache
directory where that is read-only or others may write to it.  The next process loads it without Numba, whose import
would take longer than many a search.  Whoever sets `announce` is told when kernels are compiled, and how long it took;
`watch` is called all the time while they are.

Compilers have faults, too, so a kernel that was compiled is first tried: its `trial` answers a small question with a
known answer, or computes something that is known from elsewhere, by means of the new kernel and the kernels that go
with it.  Only if the answer is right are they used and kept.  What is loaded was tried by the process that kept it.

A search that others can do meanwhile, or that can go another way, asks whether it `lacks` kernels.  If so, a process in
the `background` compiles and keeps all of them; whoever cannot wait for that has those compiled here that it needs.

Kernels are compiled and tried in a thread: LLVM may optimise for seconds without a break, in which the thread of the
caller could not hear Ctrl-C.  A caller with a time limit, or one that may be stopped, gives up waiting by `until`.

Our kernels only pass arrays around, so reference counting is turned off: it would cost more than everything else.  The
option for that, `_nrt`, is private to Numba, as is what `machinecode` uses; `problems` tells when a new version no
longer has them.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, update_wrapper
from operator import attrgetter
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from satlife.errors import OutOfTime, SolverError
from satlife.native import background

if TYPE_CHECKING:
    from satlife.native.machinecode import Argument, Call, Code

Function = Callable[..., Any]
Trial = Callable[..., bool]  # gets the arguments of the first call, as an example; whether the kernels compute rightly

#: Numba would let a kernel inherit `forceinline` from the first one that calls it.
OPTIONS: dict[str, bool] = {
    "nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False, "forceinline": False,
}  # fmt: skip
# Otherwise Numba, while it compiles, lets colorama replace sys.stderr, which other threads may be using.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

#: Takes a sentence for the user when kernels are compiled; a library says nothing unless it is asked to.
announce: Callable[[str], None] | None = None
#: Takes, several times a second while a kernel is compiled or tried, what is being compiled and for how many seconds;
#: and an empty text when all are done.
watch: Callable[[str, float], None] | None = None

BLINK = 0.1  # seconds between two looks at whether a kernel is still waited for
BACKGROUND = "kernels are being compiled in the background; searches are slower for about two minutes"
EXTENSIONS: list[tuple[Function, Function]] = []  # what Numba is yet to learn
_caller = threading.local()  # of each thread: `late`, whether it gives up waiting


@cache
def is_installed() -> bool:
    """Whether Numba is installed; it is not imported for that, which would take half a second."""
    return importlib.util.find_spec("numba") is not None


def is_compiled() -> bool:
    """Whether kernels are compiled rather than run as plain Python."""
    return is_installed() and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


def kernel(*modules: str, trial: Trial | str | None = None, **more: bool) -> Callable[[Function], Function]:
    """A decorator: compile a function that releases the GIL and counts no references.

    Its machine code is kept until its file changes, or that of one of these modules: names of those beside it, or paths
    without `.py`.  `trial` tries it first; it may be named, as a function of the module `trial` beside it or in the
    nearest folder above, which calls what calls this kernel.
    """

    def compiled(function: Function) -> Function:
        return Kernel(function, modules, {**OPTIONS, **more}, trial) if is_compiled() else function

    return compiled


def overload(target: Function) -> Callable[[Function], Function]:
    """A decorator: kernels that call `target` compile what this function returns for the types of its arguments."""

    def remembered(function: Function) -> Function:
        EXTENSIONS.append((target, function))
        return function

    return remembered


def lacks(*kernels: Function) -> bool:
    """Whether kernels are missing that a process in the background compiles, which is begun if need be.  If that is
    impossible this is false, and kernels are compiled where they are called."""
    missing = any(isinstance(one, Kernel) and not one.is_kept() for one in kernels)
    return missing and in_background()


def in_background() -> bool:
    """Have kernels compiled by a process in the background, if that is possible; whether it is, which the user is
    told."""
    from satlife.native import machinecode

    if not background.is_wanted():
        return False
    if not background.is_at_work(machinecode.home()):
        if objection := machinecode.objection():
            _tell_once(objection)
            return False
        if not background.begin(machinecode.home()):
            return False
    _tell_once(BACKGROUND)
    return True


@contextmanager
def until(late: Callable[[], object]) -> Iterator[None]:
    """Do not wait for a kernel that is being compiled when `late` says so, but raise OutOfTime."""
    before, _caller.late = getattr(_caller, "late", None), late
    try:
        yield
    finally:
        _caller.late = before


class Kernel:
    """A function that is compiled, or loaded, when it is first called with arguments of some types."""

    loading = threading.Lock()

    def __init__(
        self, function: Function, modules: tuple[str, ...], options: dict[str, bool], trial: Trial | str | None
    ) -> None:
        assert isinstance(function, FunctionType)
        self.function, self.modules, self.options, self.trial = function, modules, options, trial
        self.versions: dict[str, Call] = {}  # by the types of their arguments
        self.compilers: dict[str, Compiler] = {}  # likewise: at work, or with what they came to
        update_wrapper(self, function)

    def __call__(self, *arguments: Argument) -> object:
        from satlife.native import machinecode

        arguments = tuple(machinecode.normalise_scalars(arguments))
        types = machinecode.signature(arguments)
        version = self.versions.get(types) or self._version(types, arguments)
        return version(*arguments)

    def _version(self, types: str, arguments: tuple[Argument, ...]) -> Call:
        """Load the machine code for arguments like these, or have it compiled."""
        thread = threading.current_thread()
        if isinstance(thread, Compiler):  # which tries another kernel
            return thread.version(self, types, arguments)
        with self.loading:
            if types not in self.versions and types not in self.compilers:
                if version := self.load(types, arguments):
                    self.versions[types] = version
                else:
                    in_background()  # the others are there when they are needed
                    self.compilers[types] = Compiler(self, types, arguments)
            compiler = self.compilers.get(types)
        if compiler is not None:
            compiler.wait()
        return self.versions[types]

    def is_kept(self) -> bool:
        """Whether its machine code is here or kept, for arguments of whatever types."""
        from satlife.native import machinecode

        return bool(self.versions) or machinecode.is_kept(self.function, self._source())

    def load(self, types: str, arguments: tuple[Argument, ...]) -> Call | None:
        """The machine code that is kept for arguments like these, if there is any that can be trusted."""
        from satlife.native import machinecode

        try:
            code = machinecode.read_cached(machinecode.file_of(self.function, types), self._source())
            return code and machinecode.load(code, arguments)
        except machinecode.Untrusted as error:
            _tell_once(str(error))
        except LookupError:
            pass
        return None

    def compile(self, arguments: tuple[Argument, ...]) -> Code:
        """Have Numba compile it for arguments like these."""
        import numba

        from satlife.native import machinecode

        typeof: Function = numba.typeof
        types = tuple(typeof(argument) for argument in arguments)
        outermost = self._dispatcher()  # what `dispatcher` compiles for its callers is not optimised
        outermost.compile(types)
        return machinecode.compiled(outermost.overloads[types], self._source())

    def keep(self, types: str, code: Code) -> bool:
        """Keep machine code for the next process, if that is possible; whether it is."""
        from satlife.native import machinecode

        return machinecode.keep(machinecode.file_of(self.function, types), code)

    def trial_function(self) -> Trial:
        """Its trial, which is looked up now if it was named."""
        if not isinstance(self.trial, str):
            assert self.trial
            return self.trial
        room = self.function.__module__.rpartition(".")[0]
        while not importlib.util.find_spec(f"{room}.trial"):
            room = room.rpartition(".")[0]
        found: Trial = getattr(importlib.import_module(f"{room}.trial"), self.trial)
        return found

    @property
    def name(self) -> str:
        return f"{self.function.__module__}.{self.function.__name__}"

    @property
    def place(self) -> str:
        """The part of the program that it belongs to, for the user.

        >>> Kernel(_digest.__wrapped__, (), {}, None).place  # of satlife.native, which has no room of its own
        'native'
        """
        room, *folders = self.function.__module__.removeprefix("satlife.").split(".")
        return folders[0] if room == "engines" else " ".join([room, *folders[:-1]])

    @cached_property
    def dispatcher(self) -> Any:
        """The function as Numba knows it, for kernels that call it."""
        return self._dispatcher()

    def _dispatcher(self) -> Any:
        """A copy of the function in whose namespace kernels are what Numba can compile calls of."""
        import numba

        njit: Function = numba.njit  # whose types do not know the private option
        _register_compile_listener()
        _optimise_once()
        _extend()
        function, names = self.function, self.function.__code__.co_names
        space = {**function.__globals__}
        space.update(_dispatchers(space, names))
        for name in names:
            module = space.get(name)
            if isinstance(module, ModuleType) and (found := _dispatchers(vars(module), names)):
                space[name] = ModuleType(module.__name__)
                vars(space[name]).update(vars(module), **found)
        copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__, function.__closure__)
        return _for_all_values(njit(**self.options)(update_wrapper(copy, function)))

    def _source(self) -> str:
        """A digest of the files that the machine code depends on, and of the options."""
        file = self.function.__code__.co_filename
        folder = os.path.dirname(file)
        files = (file, *(os.path.join(folder, f"{name}.py") for name in self.modules))
        return f"{_digest(files)} {sorted(self.options.items())}"


class UnjoinedThread(threading.Thread):
    """A thread that may be deep in compiled code; at the end of the program it is not waited for."""

    unjoined = True


class Compiler(UnjoinedThread):
    """Compiles a kernel, and the kernels that its trial needs, and tries them."""

    working = threading.Lock()

    def __init__(self, kernel: Kernel, types: str, arguments: tuple[Argument, ...]) -> None:
        super().__init__(name="compiler", daemon=True)
        self.kernel, self.types, self.arguments = kernel, types, arguments
        self.versions: dict[tuple[Kernel, str], Call] = {}  # for our eyes only until the trial is over
        self.codes: list[tuple[Kernel, str, Code]] = []  # to be kept
        self.error: BaseException | None = None
        self.busy_with = kernel
        self.start()

    def run(self) -> None:
        try:
            with self.working:
                self._make()
        except BaseException as error:
            self.error = error

    def _make(self) -> None:
        self.version(self.kernel, self.types, self.arguments)
        if self.kernel.trial and not self._is_right(self.kernel.trial_function()):
            raise SolverError(f"{self.kernel.name} is compiled wrongly: it fails a trial, and is not used")

    def _is_right(self, trial: Trial) -> bool:
        try:
            return trial(*self.arguments)
        except Exception:
            return False

    def version(self, kernel: Kernel, types: str, arguments: tuple[Argument, ...]) -> Call:
        """Machine code that may be untried."""
        from satlife.native import machinecode

        version = kernel.versions.get(types) or self.versions.get((kernel, types)) or kernel.load(types, arguments)
        if version is None:
            self.busy_with = kernel
            code = kernel.compile(arguments)
            version = machinecode.load(code, arguments)
            self.codes.append((kernel, types, code))
        self.versions[kernel, types] = version
        return version

    def wait(self) -> None:
        """Wait for the end, as long as the caller likes; then use what was made, and keep it.

        The caller writes the files, since this thread may be ended at any moment."""
        late = getattr(_caller, "late", None)
        with group():
            while self.is_alive():
                if late and late():
                    _watched("")
                    raise OutOfTime("the time limit was reached while kernels were compiled")
                self.join(BLINK)
                if self.is_alive() and (kept := self.kernel.load(self.types, self.arguments)):
                    self.kernel.versions[self.types] = kept  # another process was sooner
                    COMPILATION.leave()
                    return
                if COMPILATION.told:
                    _watched(self.busy_with.place)
            if self.error is not None:
                raise self.error
            for (kernel, types), version in self.versions.items():
                kernel.versions[types] = version
            while self.codes:
                kernel, types, code = self.codes.pop()
                COMPILATION.kept &= kernel.keep(types, code)


@cache
def _digest(files: tuple[str, ...]) -> str:
    from satlife.native import machinecode

    return machinecode.digest(*map(_content, files))


def _content(file: str) -> bytes:
    with open(file, "rb") as stream:
        return stream.read()


def _dispatchers(space: dict[str, object], names: tuple[str, ...]) -> dict[str, object]:
    """The kernels among some names of a namespace, as Numba knows them."""
    return {name: value.dispatcher for name in names if isinstance(value := space.get(name), Kernel)}


class Compilation:
    """Listens to Numba and tells the user: at the first kernel of a group, and when all are done."""

    def __init__(self) -> None:
        self.depth = 0  # kernels compile the kernels that they call
        self.groups = 0
        self.told = False
        self.kept = True
        self.seconds = self.began = 0.0
        self.first = 0.0  # when the first kernel of the group was begun

    def lasted(self) -> float:
        """The seconds since the first kernel of the group was begun."""
        return time.perf_counter() - self.first

    def on_start(self) -> None:
        self.depth += 1
        if self.depth > 1:
            return
        self.began = time.perf_counter()
        if not self.told:
            self.told, self.first = True, self.began
            _tell("compiling kernels for this machine, once: 10 to 60 s ...")

    def on_end(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.began
            if not self.groups:
                self.finish()

    def leave(self) -> None:
        """What is compiled is no longer waited for."""
        _watched("")
        self.told = False

    def finish(self) -> None:
        """Say how long it took, if anything was compiled."""
        if self.told:
            _watched("")
            _tell(f"compiled in {self.seconds:.1f} s{' and kept for the next time' if self.kept else ''}")
        self.told, self.kept, self.seconds = False, True, 0.0


COMPILATION = Compilation()


def is_compiling() -> bool:
    """Whether kernels are being compiled or tried at the moment."""
    return COMPILATION.told


def _tell(text: str) -> None:
    if announce is not None:
        announce(text)


def _watched(what: str) -> None:
    if watch is not None:
        watch(what, COMPILATION.lasted())


@cache
def _tell_once(text: str) -> None:
    _tell(text)


@contextmanager
def group() -> Iterator[None]:
    """Kernels that are compiled together are announced together."""
    COMPILATION.groups += 1
    try:
        yield
    finally:
        COMPILATION.groups -= 1
        if not COMPILATION.groups and not COMPILATION.depth:
            COMPILATION.finish()


@cache
def _register_compile_listener() -> None:
    """Have Numba report what it compiles; what it loads from its cache is not reported."""
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: object) -> None:
            COMPILATION.on_start()

        def on_end(self, event: object) -> None:
            COMPILATION.on_end()

    register: Function = event.register
    register("numba:compile", Listener())


def _for_all_values(dispatcher: Any) -> Any:
    """The same, compiled once for each type of its arguments, rather than for each constant that it is called with.

    Numba would compile it for `Literal[int](3)` and for `Literal[int](4)`; LLVM sees the constants where it inlines."""
    from numba.core import types

    general: Function = types.unliteral
    template: Function = dispatcher.get_call_template
    dispatcher.get_call_template = lambda arguments, named: template(
        tuple(map(general, arguments)), {name: general(kind) for name, kind in named.items()}
    )
    return dispatcher


@cache
def _optimise_once() -> None:
    """Have Numba optimise a kernel together with all that it calls, and not each of these by itself before.

    Numba links what a function calls into its module and optimises the whole, at every level of calls, and makes
    machine code of it: of a kernel that is five calls deep, the innermost function is optimised and translated five
    times.  Once is enough, since LLVM optimises callees before callers, and nobody calls the inner ones by themselves.
    Nor is the whole optimised twice: Numba does so to bring reference counts together, of which we have none.
    Functions that others compile are left alone."""
    from numba.core import codegen

    libraries: Any = codegen.JITCodeLibrary
    optimise: Function = libraries._optimize_final_module
    translate: Function = libraries._finalize_final_module
    machines: Any = codegen.JITCPUCodegen
    place: Function = machines.set_env

    def is_ours() -> bool:
        return isinstance(threading.current_thread(), Compiler)

    def is_inner() -> bool:
        return COMPILATION.depth > 1 and is_ours()

    def optimise_outermost(library: Any) -> None:
        if not is_ours():
            optimise(library)
        elif not is_inner():
            passes, builder = library.codegen._module_pass_manager()
            passes.run(library._final_module, builder)

    def translate_outermost(library: Any) -> None:
        if is_inner():
            library._finalize_dynamic_globals()
            library._finalized = True
        else:
            translate(library)

    def place_outermost(machine: object, name: str, environment: object) -> None:
        if not is_inner():  # what was not translated has no place where that would be written
            place(machine, name, environment)

    libraries._optimize_final_module = optimise_outermost
    libraries._finalize_final_module = translate_outermost
    machines.set_env = place_outermost


def _extend() -> None:
    """Tell Numba of our overloads."""
    from numba import extending

    overloaded: Function = extending.overload  # whose types do not know the private option
    while EXTENSIONS:
        target, function = EXTENSIONS.pop()
        overloaded(target, jit_options={**OPTIONS, "forceinline": True})(function)


#: Of what Numba compiled: everything that `machinecode` reads, and what is called less often.
PARTS = (
    "library._optimize_final_module",
    "library._finalize_final_module",
    "library._finalize_dynamic_globals",
    "library._finalized",
    "library.codegen.set_env",
    "library.codegen._module_pass_manager",
    "library._final_module.functions",
    "library._get_compiled_object",
    "fndesc.llvm_func_name",
    "signature.return_type",
)


def problems() -> list[str]:
    """What we use of Numba's private parts and the installed version lacks."""
    import numba
    from numba.core import event
    from numba.core.options import DefaultOptions

    lacking = [] if hasattr(DefaultOptions, "_nrt") else ["_nrt"]
    lacking += [name for name in ("Listener", "register") if not hasattr(event, name)]
    options = {name: value for name, value in OPTIONS.items() if name not in lacking}
    njit: Function = numba.njit
    function = njit(**options)(lambda: 0)
    function.compile(())
    for path in PARTS:
        try:
            attrgetter(path)(function.overloads[()])
        except AttributeError:
            lacking.append(path)
    return lacking
