"""The `kernel` decorator: numba with a compile cache that knows when a table changed.

numba's own cache looks at the file of the compiled function only, so a kernel keeps serving the
old values after a table in *another* module was edited. Here the key is a digest of the sources
of the function's module and of every module of ours that it imports, however deep.

With ``NUMBA_DISABLE_JIT=1`` a kernel is the plain Python function, to step through in a debugger.
"""

import ast
import functools
import hashlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
from numba.core.caching import Cache, CompileResultCacheImpl, _CacheLocator
from platformdirs import user_cache_path

F = TypeVar("F", bound=Callable[..., Any])

OUR_PACKAGES = frozenset({"envs", "agents", "train", "eval", "benchmarks", "tests"})


def imported_modules(name: str, source: bytes) -> set[str]:
    """Names of the modules of ours that module `name` imports anywhere in `source`."""
    package = name if _is_package(name) else name.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            found.add(base)
            found.update(f"{base}.{alias.name}" for alias in node.names)
    return {m for m in found if m.partition(".")[0] in OUR_PACKAGES and m in sys.modules}


def _is_package(name: str) -> bool:
    return hasattr(sys.modules[name], "__path__")


@functools.cache
def _read(name: str) -> tuple[bytes, frozenset[str]]:
    path = getattr(sys.modules[name], "__file__", None)
    source = Path(path).read_bytes() if path else b""
    return source, frozenset(imported_modules(name, source))


@functools.cache
def source_digest(name: str) -> str:
    """Hex digest of the sources of module `name` and of all modules of ours it depends on."""
    todo, seen = [name], {name}
    while todo:
        for module in _read(todo.pop())[1] - seen:
            seen.add(module)
            todo.append(module)
    sha = hashlib.sha256()
    for module in sorted(seen):
        sha.update(module.encode() + b"\0" + _read(module)[0] + b"\0")
    return sha.hexdigest()


class _DigestLocator(_CacheLocator):  # type: ignore[misc]  # numba is untyped
    """Keeps compiled kernels in the user's cache folder, stamped with the source digest."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        base = os.environ.get("NUMBA_CACHE_DIR") or user_cache_path("jipae", appauthor=False)
        self._path = os.path.join(base, self.get_suitable_cache_subpath(py_file))
        self._stamp = (source_digest(py_func.__module__), bool(numba.config.BOUNDSCHECK))

    def get_cache_path(self) -> str:
        return self._path

    def get_source_stamp(self) -> tuple[str, bool]:
        return self._stamp

    def get_disambiguator(self) -> str:
        return ""

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "_DigestLocator | None":
        try:
            self = cls(py_func, py_file)
            self.ensure_cache_path()
        except OSError:
            return None
        return self


class _DigestCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]  # numba is untyped
    _locator_classes = (_DigestLocator,)


@functools.cache
def _announce() -> None:
    """Say once per process why the start takes longer than usual."""
    print(
        "jipae: compiling the kernels for this machine, once (some seconds) …",
        file=sys.stderr,
        flush=True,
    )


class _KernelCache(Cache):  # type: ignore[misc]  # numba is untyped
    _impl_class = _DigestCacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is None:
            _announce()
        return found


@overload
def kernel(function: F) -> F: ...


@overload
def kernel(*, inline: bool) -> Callable[[F], F]: ...


def kernel(function: F | None = None, *, inline: bool = False) -> Any:
    """Compile `function` with numba in nopython mode, without the GIL, and cache the result.

    Kernels live at module level: one built by a closure is never found in the cache. Where no
    cache folder can be written, kernels are compiled at every start.

    inline: a part of other kernels, compiled into them and never called from Python: what they pass
        as constants (tables, above all) is known inside, and there is nothing of it to cache.
    """
    if function is None:
        return functools.partial(kernel, inline=inline)
    if numba.config.DISABLE_JIT:
        return function
    options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    if inline:
        dispatcher = numba.njit(**options, forceinline=True, no_cpython_wrapper=True)(function)
    else:
        dispatcher = numba.njit(**options)(function)
        _cache_on_disk(dispatcher)
    _ignore_literals(dispatcher)
    return dispatcher


def _cache_on_disk(dispatcher: Any) -> None:
    try:
        dispatcher._cache = _KernelCache(dispatcher.py_func)
    except RuntimeError:  # no folder to write to: compile at every start
        _announce()


def _ignore_literals(dispatcher: Any) -> None:
    """Compile once for integers; numba would compile again for every constant that is passed."""
    by_types = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return by_types([numba.types.unliteral(arg) for arg in args], kws)

    dispatcher.get_call_template = get_call_template
