"""Editions that were made up, for all tests here."""

from tests.edition.made_up import made_up

__all__ = ["made_up"]
