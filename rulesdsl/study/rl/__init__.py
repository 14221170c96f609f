"""Reinforcement learning environments; they need the extra `rl` (PettingZoo and NumPy)."""

from __future__ import annotations

try:
    import numpy
    import pettingzoo
except ImportError as error:
    raise ImportError("environments need: pip install 'rulesdsl[rl]'") from error

from rulesdsl.study.rl.aec import Environment, environment
from rulesdsl.study.rl.batch import Batch

assert numpy
assert pettingzoo

__all__ = ["Batch", "Environment", "environment"]
