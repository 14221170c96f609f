"""Parser and unparser: rules text to syntax tree and back."""

from typing import TYPE_CHECKING

from rulesdsl.lazy import getter

if TYPE_CHECKING:
    from rulesdsl.parse.parser import Trees, parse, parse_expression
    from rulesdsl.parse.printer import unparse, unparse_expr

__all__ = ["Trees", "parse", "parse_expression", "unparse", "unparse_expr"]

# A game whose rules are parsed already needs no parser.
__getattr__ = getter(
    __name__,
    {
        "Trees": "rulesdsl.parse.parser",
        "parse": "rulesdsl.parse.parser",
        "parse_expression": "rulesdsl.parse.parser",
        "unparse": "rulesdsl.parse.printer",
        "unparse_expr": "rulesdsl.parse.printer",
    },
)
