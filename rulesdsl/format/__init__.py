"""The formatter for rules, manifests and scenarios."""

from rulesdsl.format.formatted import formatted

__all__ = ["formatted"]
