"""Reinforcement learning environments; they need the extra `rl` (PettingZoo and NumPy)."""

try:
    from rulesdsl.study.batch import Batch
    from rulesdsl.study.environment import Environment, environment
except ModuleNotFoundError as error:
    raise ImportError("environments need: pip install 'rulesdsl[rl]'") from error

__all__ = ["Batch", "Environment", "environment"]
