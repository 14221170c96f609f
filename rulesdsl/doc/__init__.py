"""Rule books, generated from the rulesets: one self-contained page."""

from rulesdsl.doc.page import page, print_sheets
from rulesdsl.doc.rulebook import rule_book

__all__ = ["page", "print_sheets", "rule_book"]
