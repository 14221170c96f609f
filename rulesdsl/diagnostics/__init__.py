"""What went wrong, where, why, and what to do: the words every stage reports in."""

from rulesdsl.diagnostics.report import (
    Confidence,
    Diagnostic,
    Fix,
    Label,
    Report,
    RulesError,
    Severity,
    Source,
    Span,
)
from rulesdsl.diagnostics.slugs import SLUGS

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
