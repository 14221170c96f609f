"""Rule books, generated from the rulesets: one self-contained page."""

from rulesdsl.doc.page import page
from rulesdsl.doc.rulebook import rule_book
from rulesdsl.doc.sheets import print_sheets

__all__ = ["page", "print_sheets", "rule_book"]
