"""A rules language for tile, card and dice games, and the engine that plays what is written in it.

game = rulesdsl.load("base")
state = game.start(players=2, seed=7)
while state.mover:
    state.play(state.moves()[0])
print(state.scores())
"""

# `typing` takes a while to import, and until then the command does not handle Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from rulesdsl.diagnostics import Diagnostic, RulesError
    from rulesdsl.play import (
        Deadline,
        Game,
        IllegalMove,
        Move,
        OutOfTime,
        PlayError,
        State,
        load,
        under,
    )

__version__ = "0.2.0"
__all__ = [
    "Deadline",
    "Diagnostic",
    "Game",
    "IllegalMove",
    "Move",
    "OutOfTime",
    "PlayError",
    "RulesError",
    "State",
    "__version__",
    "load",
    "under",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that short commands start quickly."""
    from rulesdsl.lazy import getter

    homes = dict.fromkeys(__all__, "rulesdsl.play")
    homes |= {"Diagnostic": "rulesdsl.diagnostics", "RulesError": "rulesdsl.diagnostics"}
    return getter(__name__, homes)(name)
