"""Findings as workflow commands, which GitHub shows beside the lines of a change."""

from __future__ import annotations

from rulesdsl.audit.formats.run import Run, end, told
from rulesdsl.diagnostics import Confidence, Diagnostic, Severity
from rulesdsl.diagnostics.visible import visible

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def text(run: Run) -> str:
    """A line for each finding."""
    return "".join(f"{_command(each)}\n" for each in run.found)


def _command(found: Diagnostic) -> str:
    fields = {}
    if found.span is not None:
        line, column = end(found.span)
        fields = {"file": found.span.source.name, "line": found.span.line, "endLine": line}
        if line == found.span.line:  # GitHub takes columns within one line alone
            fields |= {"col": found.span.column, "endColumn": column}
    likely = ", likely" if found.confidence is Confidence.LIKELY else ""
    fields["title"] = f"{found.slug}{likely}"
    shown = ",".join(f"{key}={_property(str(value))}" for key, value in fields.items())
    return f"::{_COMMANDS[found.severity]} {shown}::{_data(told(found))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")
