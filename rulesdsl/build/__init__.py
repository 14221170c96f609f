"""The pipeline from the files of rulesets to a checked game."""

from rulesdsl.build.kept import Memory, build, remembering

__all__ = ["Memory", "build", "remembering"]
