"""Rule books, generated from the rulesets: one self-contained page."""

from rulesdsl.show.doc.page import page
from rulesdsl.show.doc.rulebook import rule_book, rules_of

__all__ = ["page", "rule_book", "rules_of"]
