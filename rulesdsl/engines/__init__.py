"""Engines, which play checked games."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rulesdsl.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from rulesdsl.engines.engine import Engine


ENGINES = {
    "python": "rulesdsl.engines.python.engine",
    "reference": "rulesdsl.engines.reference",
    "wasm": "rulesdsl.engines.wasm.engine",
}
"""The modules of the engines by name; a module is imported only when its engine plays."""
DEFAULT_ENGINE = "python"
READY_ENGINE = "reference"
"""The engine that starts instantly, so it is the fastest for a few moves."""

NEEDS = {"wasm": ("wasmtime", "fast")}
"""The optional package that an engine needs, and the extra of `rulesdsl` that installs it."""


def engine_of(name: str) -> Engine:
    """Return the engine with this name.

    Raises ValueError for an unknown name, and the error of `import` if the package of the engine is
    missing.
    """
    if name not in ENGINES:
        raise ValueError(
            f"there is no engine {name!r}; the engines are {', '.join(sorted(ENGINES))}"
        )
    module: Engine = import_module(ENGINES[name])
    return module


def playable(name: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """Return the name of the engine that plays when this one is requested, and warnings.

    It is the default engine, with a warning, if the package of the requested engine is missing.
    Raises ValueError for an unknown engine.
    """
    package, extra = NEEDS.get(name, (None, None))
    if package is not None:
        try:
            import_module(package)
        # It raises the others if its shared library is missing or the machine is not supported.
        except (ImportError, OSError, RuntimeError) as error:
            return DEFAULT_ENGINE, (_missing(name, package, extra, error),)
    engine_of(name)
    return name, ()


def fastest() -> str:
    """Return the name of the fastest engine that is installed."""
    return playable("wasm")[0]


def _missing(name: str, package: str, extra: str | None, error: Exception) -> Diagnostic:
    reason = "is not installed" if isinstance(error, ModuleNotFoundError) else "cannot be loaded"
    return Diagnostic(
        "engine-missing",
        f"the engine `{name}` needs the package `{package}`, which {reason}",
        help=(
            f"to install it: pip install 'rulesdsl[{extra}]'",
            f"until then `{DEFAULT_ENGINE}` plays the same games, more slowly",
        ),
        severity=Severity.WARNING,
    )
