"""Editions of the language: which one is read, and how texts of an older one become texts of it."""

from rulesdsl.edition.steps import EDITION, Step, is_current

__all__ = ["EDITION", "Step", "is_current"]
