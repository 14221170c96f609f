"""What went wrong, where, why, and what to do: the words every stage reports in."""

from rulesdsl.diagnostics.report import (
    Confidence,
    Diagnostic,
    Fix,
    Label,
    Report,
    RulesError,
    Severity,
)
from rulesdsl.diagnostics.slugs import SLUGS
from rulesdsl.diagnostics.source import Source, Span

__all__ = [
    "SLUGS",
    "Confidence",
    "Diagnostic",
    "Fix",
    "Label",
    "Report",
    "RulesError",
    "Severity",
    "Source",
    "Span",
]
