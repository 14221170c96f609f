"""A rules language for tile, card and dice games, and the engine that plays what is written in it.

game = rulesdsl.load("base")
state = game.start(players=2, seed=7)
while state.mover:
    state.play(state.moves()[0])
print(state.scores())
"""

from rulesdsl.base.speed import getter

TYPE_CHECKING = False  # As `typing` has it, whose import takes long: Ctrl-C ends Python until then.
if TYPE_CHECKING:
    from rulesdsl.language.diagnostics import Diagnostic, RulesError
    from rulesdsl.play import (
        Deadline,
        FeatureInfo,
        Game,
        IllegalMove,
        Move,
        OutOfTime,
        Place,
        Plain,
        PlayError,
        Playout,
        RulesetInfo,
        Spot,
        State,
        load,
        under,
    )

__version__ = "0.2.0"
__all__ = [
    "Deadline",
    "Diagnostic",
    "FeatureInfo",
    "Game",
    "IllegalMove",
    "Move",
    "OutOfTime",
    "Place",
    "Plain",
    "PlayError",
    "Playout",
    "RulesError",
    "RulesetInfo",
    "Spot",
    "State",
    "__version__",
    "load",
    "under",
]

__getattr__ = getter(
    __name__,
    {
        **dict.fromkeys(__all__, "rulesdsl.play"),
        "Diagnostic": "rulesdsl.language.diagnostics",
        "RulesError": "rulesdsl.language.diagnostics",
    },
)
