"""The engines by name."""

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
"""The engines by name, and their modules: only the one that plays is imported."""
DEFAULT_ENGINE = "python"
READY_ENGINE = "reference"
"""What begins at once: it has nothing to prepare, so for a few moves it is the fastest."""

NEEDS = {"wasm": ("wasmtime", "fast")}
"""The package that an engine needs and that is not always there, and the extra that brings it."""


def engine_of(name: str) -> Engine:
    """Return the engine of that name.

    Raises ValueError for an unknown one, and what `import` raises for one whose package is not
    there.
    """
    if name not in ENGINES:
        raise ValueError(f"no engine {name!r}; there is {', '.join(sorted(ENGINES))}")
    module: Engine = import_module(ENGINES[name])
    return module


def playable(name: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """The engine that plays if this one is asked for, and a warning if that is another one, because
    its package is not there. Raises ValueError for an unknown engine."""
    package, extra = NEEDS.get(name, (None, None))
    if package is not None:
        try:
            import_module(package)
        # Without its shared library, or on machines that it is not made for, it raises the others.
        except (ImportError, OSError, RuntimeError) as error:
            return DEFAULT_ENGINE, (_missing(name, package, extra, error),)
    engine_of(name)
    return name, ()


def _missing(name: str, package: str, extra: str | None, error: Exception) -> Diagnostic:
    reason = "is not installed" if isinstance(error, ModuleNotFoundError) else "cannot be loaded"
    return Diagnostic(
        "engine-missing",
        f"the engine `{name}` needs the package `{package}`, which {reason}",
        help=(
            f"to get it: pip install 'rulesdsl[{extra}]'",
            f"until then `{DEFAULT_ENGINE}` plays: the same games, slower",
        ),
        severity=Severity.WARNING,
    )
