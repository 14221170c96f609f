"""Linker: many rulesets become one game.

Settings are chosen, names are resolved and components are merged.
"""

from rulesdsl.link.compose import weave

__all__ = ["weave"]
