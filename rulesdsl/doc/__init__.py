"""A rule book, written from the rulesets themselves: one page that needs nothing else."""

from rulesdsl.doc.page import page

__all__ = ["page"]
