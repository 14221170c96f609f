"""Parser and unparser: rules text to syntax tree and back."""

from rulesdsl.parse.parser import MOST_WORDS, Trees, parse, parse_expression
from rulesdsl.parse.printer import unparse, unparse_expr

__all__ = ["MOST_WORDS", "Trees", "parse", "parse_expression", "unparse", "unparse_expr"]
