"""Rule books, generated from the rulesets: one self-contained page."""

from rulesdsl.doc.page import page
from rulesdsl.doc.rulebook import rule_book

__all__ = ["page", "rule_book"]
