"""Engines, which play checked games."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rulesdsl.language.diagnostics import Diagnostic, Severity
from rulesdsl.language.diagnostics.report import did_you_mean

if TYPE_CHECKING:
    from rulesdsl.engine.run.interface import Engine


ENGINES = {"python": "rulesdsl.engine.run.python.games", "wasm": "rulesdsl.engine.run.wasm.engine"}
"""The modules of the engines by name; a module is imported only when its engine plays."""
DEFAULT_ENGINE = "wasm"
"""The fastest engine, for everything that plays more than a few moves."""
READY_ENGINE = "python"
"""The engine that starts at once and needs no package, so it plays where others cannot."""

PACKAGE = "wasmtime"
"""The package that runs the engine `wasm`."""


def engine_of(name: str) -> Engine:
    """Return the engine with this name.

    Raises ValueError for an unknown name, and the error of `import` if the package of the engine is
    missing.
    """
    if name not in ENGINES:
        raise ValueError(unknown(name))
    engine: Engine = import_module(ENGINES[name]).ENGINE
    return engine


def unknown(name: str) -> str:
    """Return the message for a name that is not an engine's."""
    if name == "reference":
        return (
            "the engine `reference` was removed: `python` plays the same games; write that instead"
        )
    there = f"there is no engine `{name}`; the engines are {', '.join(sorted(ENGINES))}"
    return "; ".join((there, *did_you_mean(name, ENGINES)))


def playable(name: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """Return the name of the engine that plays when this one is requested, and warnings.

    It is `python`, with a warning, if `wasmtime` cannot be loaded or has too little address
    space, of which every game reserves 4 GB. Raises ValueError for an unknown engine.
    """
    if name == DEFAULT_ENGINE and (reason := _unusable()):
        message = f"{reason}: the engine `{READY_ENGINE}` plays, which is slower"
        return READY_ENGINE, (Diagnostic("engine-missing", message, severity=Severity.WARNING),)
    engine_of(name)
    return name, ()


def _unusable() -> str:
    """Return why `wasmtime` cannot be used, or an empty text."""
    try:
        wasmtime = import_module(PACKAGE)
        store = wasmtime.Store()
    # It raises the others if its shared library is missing or the machine is not supported.
    except (ImportError, OSError, RuntimeError):
        return f"the package `{PACKAGE}` cannot be loaded (pip install {PACKAGE})"
    try:
        wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(1, 1)))
    except wasmtime.WasmtimeError:
        return "the limit of address space (`ulimit -v`) is too low for the engine `wasm`"
    return ""
