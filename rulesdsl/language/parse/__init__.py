"""Parser and unparser: rules text to syntax tree and back."""

from typing import TYPE_CHECKING

from rulesdsl.base.speed import getter

if TYPE_CHECKING:
    from rulesdsl.language.parse.parser import Trees, parse, parse_expression
    from rulesdsl.language.parse.printer import unparse, unparse_expr

__all__ = ["Trees", "parse", "parse_expression", "unparse", "unparse_expr"]

# A game whose rules are parsed already needs no parser.
__getattr__ = getter(
    __name__,
    {
        "Trees": "rulesdsl.language.parse.parser",
        "parse": "rulesdsl.language.parse.parser",
        "parse_expression": "rulesdsl.language.parse.parser",
        "unparse": "rulesdsl.language.parse.printer",
        "unparse_expr": "rulesdsl.language.parse.printer",
    },
)
