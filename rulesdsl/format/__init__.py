"""How rules, manifests and scenarios should look."""

from rulesdsl.format.formatted import formatted

__all__ = ["formatted"]
