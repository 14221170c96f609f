"""Golden records: recorded games that must go the same way again, and what came of every move."""

from rulesdsl.play.golden.replay import Golden, read_golden
from rulesdsl.play.golden.write import golden_text

__all__ = ["Golden", "golden_text", "read_golden"]
