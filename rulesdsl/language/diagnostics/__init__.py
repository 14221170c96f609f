"""Diagnostics: the messages of every stage, with cause, place and help."""

from rulesdsl.language.diagnostics.report import (
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
from rulesdsl.language.diagnostics.slugs import SLUGS

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
