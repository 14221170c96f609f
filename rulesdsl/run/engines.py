"""The engines by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulesdsl.run.engine import Engine

ENGINES = {
    "python": "rulesdsl.run.python.engine",
    "reference": "rulesdsl.run.reference",
    "wasm": "rulesdsl.run.wasm.engine",
}
"""The engines by name, and their modules: only the one that plays is imported."""
DEFAULT_ENGINE = "python"


def engine_of(name: str) -> Engine:
    """The engine of that name; raises ValueError for an unknown one."""
    if name not in ENGINES:
        raise ValueError(f"no engine {name!r}; there is {', '.join(sorted(ENGINES))}")
    module: Engine = import_module(ENGINES[name])
    return module
