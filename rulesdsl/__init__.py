"""A rules language for tile, card and dice games, and the engine that plays what is written in it.

game = rulesdsl.load("base")
state = game.start(players=2, seed=7)
while state.mover:
    state.play(state.moves()[0])
print(state.scores())
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulesdsl.diagnostics import Diagnostic, RulesError
    from rulesdsl.play import Game, IllegalMove, Move, PlayError, State, load

__version__ = "0.1.0"
__all__ = [
    "Diagnostic",
    "Game",
    "IllegalMove",
    "Move",
    "PlayError",
    "RulesError",
    "State",
    "__version__",
    "load",
]

_HOMES = {"Diagnostic": "rulesdsl.diagnostics", "RulesError": "rulesdsl.diagnostics"}


def __getattr__(name: str) -> object:
    """The public names, imported when first used: a command that needs little starts at once."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "rulesdsl.play")), name)
