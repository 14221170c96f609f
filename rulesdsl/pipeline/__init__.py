"""The pipeline from the files of rulesets to a checked game."""

from rulesdsl.pipeline.kept import Memory, build, remembering

__all__ = ["Memory", "build", "remembering"]
