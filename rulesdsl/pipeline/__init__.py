"""From the files of rulesets to a checked game."""

from rulesdsl.pipeline.kept import build

__all__ = ["build"]
