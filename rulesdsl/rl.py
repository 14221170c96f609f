"""The name under which programs import `rulesdsl.study.rl`."""

from rulesdsl.study.rl import Batch, Environment, environment

__all__ = ["Batch", "Environment", "environment"]
