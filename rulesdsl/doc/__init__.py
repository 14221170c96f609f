"""Rule books, generated from the rulesets: one self-contained page."""

from rulesdsl.doc.page import page

__all__ = ["page"]
