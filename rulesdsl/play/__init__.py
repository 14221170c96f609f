"""Games and states for people and programs, and what is built on them: records, bots, scenarios."""

from rulesdsl.deadline import Deadline, OutOfTime, under
from rulesdsl.engines.engine import PlayError, Playout
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
