"""Findings as SARIF 2.1.0, the format of OASIS for results of static analysis."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from rulesdsl.audit.formats.run import Run, end, told
from rulesdsl.diagnostics import SLUGS, Confidence, Diagnostic, Label, Span
from rulesdsl.diagnostics.pages import page
from rulesdsl.diagnostics.slugs import LIKELY
from rulesdsl.diagnostics.visible import inert_json

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_RANKS = {Confidence.CERTAIN: 90.0, Confidence.LIKELY: 50.0}
_PRECISIONS = {Confidence.CERTAIN: "very-high", Confidence.LIKELY: "medium"}


def text(run: Run) -> str:
    """A log with one run; the pages of the slugs that were found are its rules."""
    hidden = {"allowed": run.allowed, "baseline": run.known}
    every = [*run.found, *run.allowed, *run.known]
    slugs = sorted({each.slug for each in every})
    seen: Counter[str] = Counter()
    results = [_result(each, slugs, seen) for each in run.found]
    for why, found in hidden.items():
        kind = "inSource" if why == "allowed" else "external"
        results += [
            {**_result(each, slugs, seen), "suppressions": [{"kind": kind}]} for each in found
        ]
    driver = {"name": "rulesdsl", "version": run.version, "rules": list(map(_rule, slugs))}
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }
    return inert_json(log, indent=2) + "\n"


def _rule(slug: str) -> dict[str, Any]:
    found = page(slug)
    assert found is not None, "every slug has a page"
    sure = Confidence.LIKELY if slug in LIKELY else Confidence.CERTAIN
    return {
        "id": slug,
        "shortDescription": {"text": SLUGS[slug]},
        "help": {"text": found, "markdown": found},
        "properties": {"precision": _PRECISIONS[sure]},
    }


def _result(found: Diagnostic, slugs: list[str], seen: Counter[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": found.slug,
        "ruleIndex": slugs.index(found.slug),
        "level": found.severity.value,
        "rank": _RANKS[found.confidence],
        "message": {"text": told(found)},
        "partialFingerprints": {"rulesdsl/v1": _fingerprint(found, seen)},
        "properties": {"confidence": found.confidence.value},
    }
    if found.span is not None:
        result["locations"] = [_location(found.span)]
    if found.labels:
        result["relatedLocations"] = [_label(label) for label in found.labels]
    return result


def _fingerprint(found: Diagnostic, seen: Counter[str]) -> str:
    """The same for a finding whose line has moved; a number tells equal ones apart."""
    place = found.message
    if found.span is not None:
        line = found.span.source.line(found.span.line).strip()
        place = f"{found.span.source.name}\n{line}"
    key = f"{found.slug}\n{place}"
    seen[key] += 1
    return hashlib.sha256(f"{key}\n{seen[key]}".encode(errors="replace")).hexdigest()


def _label(label: Label) -> dict[str, Any]:
    return {**_location(label.span), "message": {"text": label.text}}


def _location(span: Span) -> dict[str, Any]:
    line, column = end(span)
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": line,
        "endColumn": column,
    }
    file = {"uri": _uri(span.source.name)}
    return {"physicalLocation": {"artifactLocation": file, "region": region}}


def _uri(name: str) -> str:
    """A path as a reference: relative ones stay so."""
    if os.path.isabs(name):
        return PurePath(name).as_uri()
    return quote(name.replace(os.sep, "/"))
