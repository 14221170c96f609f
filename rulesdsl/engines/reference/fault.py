"""The exception that stops a rule."""

from __future__ import annotations


class Fault(Exception):
    """A failure of a builtin; `message` gives the reason in terms of the language.

    The caller that runs the rule adds the place in the rules text.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
