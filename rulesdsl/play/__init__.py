"""Games and states for people and programs, and what is built on them: records, bots, scenarios.

This folder imports `engine` and whatever lies below that.
"""

from rulesdsl.base.deadline import Deadline, OutOfTime, under
from rulesdsl.engine.run.interface import PlayError, Playout
from rulesdsl.play.game import CHANCE, FeatureInfo, Game, RulesetInfo, State, load
from rulesdsl.play.moves import IllegalMove, Move
from rulesdsl.play.names import Place, Plain, Spot

__all__ = [
    "CHANCE",
    "Deadline",
    "FeatureInfo",
    "Game",
    "IllegalMove",
    "Move",
    "OutOfTime",
    "Place",
    "Plain",
    "PlayError",
    "Playout",
    "RulesetInfo",
    "Spot",
    "State",
    "load",
    "under",
]
