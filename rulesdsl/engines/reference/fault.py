"""What stops a rule while it is played."""

from __future__ import annotations


class Fault(Exception):
    """A builtin cannot do what a rule asks of it; `message` says why in words of the language.

    Whoever runs the rule adds the place in the rules text.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
