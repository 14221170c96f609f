"""Many rulesets become one game: settings chosen, names found, components merged."""

from rulesdsl.weave.compose import weave

__all__ = ["weave"]
