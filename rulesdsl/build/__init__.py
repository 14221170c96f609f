"""The pipeline from the files of rulesets to a checked game."""

from rulesdsl.build.cached import Memory, build, remembering

__all__ = ["Memory", "build", "remembering"]
