"""Rules text to syntax tree and back."""

from rulesdsl.parse.parse import parse, parse_expression

__all__ = ["parse", "parse_expression"]
