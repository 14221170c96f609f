"""A scenario that does not get as far as its expectations."""

from __future__ import annotations

from rulesdsl.diagnostics import Diagnostic, Span


class Failed(Exception):
    """A step of the scenario is impossible; `span` is where it is written."""

    def __init__(self, message: str, span: Span, help: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.help = help

    def diagnostic(self) -> Diagnostic:
        """The finding."""
        return Diagnostic("scenario-failed", self.message, self.span, help=self.help)
