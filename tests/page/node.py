"""Node, as the development tools install it."""

from __future__ import annotations

from tools.environment import node

NODE = node()
