"""Findings as JSON, as `schemas/findings.schema.json` describes it."""

from __future__ import annotations

from typing import Any

from rulesdsl.audit.formats.run import Run, end
from rulesdsl.diagnostics import Diagnostic, Span
from rulesdsl.diagnostics.visible import inert_json

FORMAT = 1


def text(run: Run) -> str:
    """A run as one JSON object."""
    document = {
        "format": FORMAT,
        "version": run.version,
        "checked": list(run.checked),
        "findings": [
            *map(_finding, run.found),
            *({**_finding(each), "hidden": "allowed"} for each in run.allowed),
            *({**_finding(each), "hidden": "baseline"} for each in run.known),
        ],
    }
    return inert_json(document, indent=2) + "\n"


def _finding(found: Diagnostic) -> dict[str, Any]:
    return {
        "slug": found.slug,
        "severity": found.severity.value,
        "confidence": found.confidence.value,
        "message": found.message,
        "place": None if found.span is None else _place(found.span, found.mark),
        "labels": [_place(label.span, label.text) for label in found.labels],
        "help": list(found.help),
        "picture": list(found.picture),
    }


def _place(span: Span, text: str) -> dict[str, Any]:
    line, column = end(span)
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.column,
        "end_line": line,
        "end_column": column,
        "text": text,
    }
