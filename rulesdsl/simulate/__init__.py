"""Statistics of many games: `Study` says which games, `simulate` plays them.

`plan` has the study, `playing` plays its games and keeps them as columns, `summary` computes the
statistics, `report` writes them, and `store` keeps the games.
"""

from rulesdsl.simulate.plan import Study, Variant, study_of
from rulesdsl.simulate.simulate import simulate
from rulesdsl.simulate.summary import Finding, Summary

__all__ = ["Finding", "Study", "Summary", "Variant", "simulate", "study_of"]
