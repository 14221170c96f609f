"""A scenario that does not get as far as its expectations."""

from __future__ import annotations

from rulesdsl.diagnostics import Diagnostic, Label, Span
from rulesdsl.run.engine import PlayError


class Failed(Exception):
    """A step of the scenario is impossible; `span` is where it is written, `rule` the rule that
    failed, if one did."""

    def __init__(
        self, message: str, span: Span, help: tuple[str, ...] = (), rule: Span | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.help = help
        self.rule = rule

    @staticmethod
    def by(error: PlayError, begin: str, span: Span) -> Failed:
        """The failure of a step because a rule failed, with words that the message begins with."""
        return Failed(begin + error.message, span, rule=error.span)

    def diagnostic(self) -> Diagnostic:
        """The finding."""
        labels = (Label(self.rule, "this rule fails"),) if self.rule else ()
        return Diagnostic("scenario-failed", self.message, self.span, "", labels, self.help)
