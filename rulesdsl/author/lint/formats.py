"""Findings as other programs read them: workflow commands of GitHub, JSON, JUnit and SARIF."""

from __future__ import annotations

import hashlib
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import SLUGS, Confidence, Diagnostic, Severity, Span
from rulesdsl.language.diagnostics.render import lines, plain
from rulesdsl.language.diagnostics.report import inert_json, visible
from rulesdsl.language.diagnostics.slugs import LIKELY, PAGES, page
from rulesdsl.language.reports import JUnitCase, junit


@dataclass(frozen=True)
class Run:
    """A run of `rulesdsl check`.

    `checked` are the names that were given, `found` the findings in order, `allowed` those that
    comments allow, and `known` those in a baseline. `played` are the random games as data.
    """

    version: str
    checked: tuple[str, ...]
    found: tuple[Diagnostic, ...]
    allowed: tuple[Diagnostic, ...] = field(default=())
    known: tuple[Diagnostic, ...] = field(default=())
    played: tuple[Mapping[str, Any], ...] = field(default=())


def end(span: Span) -> tuple[int, int]:
    """Return the 1-based line and column after a span, which counts as one character at least."""
    return span.source.position(max(span.end, span.start + 1))


def told(found: Diagnostic) -> str:
    """Return the text of a finding without its places, in lines."""
    mark = [found.mark] if found.mark else []
    return "\n".join((found.message, *mark, *found.help, *found.picture))


def rendered(found: Diagnostic) -> str:
    """Return a finding as people see it, in lines."""
    return "\n".join(map(plain, lines(found)))


_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def _github(run: Run) -> str:
    return "".join(f"{_command(each)}\n" for each in run.found)


def _command(found: Diagnostic) -> str:
    fields = {}
    if found.span is not None:
        line, column = end(found.span)
        fields = {"file": found.span.source.name, "line": found.span.line, "endLine": line}
        if line == found.span.line:  # GitHub accepts columns only within one line
            fields |= {"col": found.span.column, "endColumn": column}
    likely = ", likely" if found.confidence is Confidence.LIKELY else ""
    fields["title"] = f"{found.slug}{likely}"
    shown = ",".join(f"{key}={_property(str(value))}" for key, value in fields.items())
    return f"::{_COMMANDS[found.severity]} {shown}::{_data(told(found))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")


FORMAT = 1


def _json(run: Run) -> str:
    document = {
        "format": FORMAT,
        "version": run.version,
        "checked": list(run.checked),
        "findings": [
            *map(finding_data, run.found),
            *({**finding_data(each), "hidden": "allowed"} for each in run.allowed),
            *({**finding_data(each), "hidden": "baseline"} for each in run.known),
        ],
        "played": list(run.played),
    }
    return inert_json(document, indent=2) + "\n"


def finding_data(found: Diagnostic) -> dict[str, Any]:
    """Return a finding as data for JSON, as `schemas/findings.schema.json` describes it."""
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


def _junit(run: Run) -> str:
    """Return a suite for each file with findings, and a passed suite for each other thing checked.

    Each finding is a failed test; notes are passed tests with output.
    """
    files: dict[str, list[JUnitCase]] = defaultdict(list)
    for each in run.found:
        file, place, line = "", "", None
        if (span := each.span) is not None:
            file, place, line = span.source.name, f" {span.line}:{span.column}", span.line
        kind = f"{each.severity.value}, {each.confidence.value}"
        failed = "" if each.severity is Severity.NOTE else "failure"
        case = JUnitCase(each.slug + place, rendered(each), failed, each.message, kind, line=line)
        files[file].append(case)
    for name in run.checked:
        files.setdefault(name, [JUnitCase("check")])
    return junit("rulesdsl check", files.items())


SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_RANKS = {Confidence.CERTAIN: 90.0, Confidence.LIKELY: 50.0}
_PRECISIONS = {Confidence.CERTAIN: "very-high", Confidence.LIKELY: "medium"}


def _sarif(run: Run) -> str:
    every = [*run.found, *run.allowed, *run.known]
    slugs = sorted({each.slug for each in every})
    seen: Counter[str] = Counter()
    results = [_result(each, slugs, seen) for each in run.found]
    for kind, found in {"inSource": run.allowed, "external": run.known}.items():
        hidden = {"suppressions": [{"kind": kind}]}
        results += [_result(each, slugs, seen) | hidden for each in found]
    driver = {
        "name": "rulesdsl",
        "version": run.version,
        "informationUri": PAGES.as_uri(),
        "rules": list(map(_rule, slugs)),
    }
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
        result["relatedLocations"] = [
            {**_location(each.span), "message": {"text": each.text}} for each in found.labels
        ]
    return result


def _fingerprint(found: Diagnostic, seen: Counter[str]) -> str:
    """Return a fingerprint that stays the same if the line of a finding moves.

    A number distinguishes equal findings.
    """
    place = found.message
    if found.span is not None:
        line = found.span.source.line(found.span.line).strip()
        place = f"{found.span.source.name}\n{line}"
    key = f"{found.slug}\n{place}"
    seen[key] += 1
    return hashlib.sha256(f"{key}\n{seen[key]}".encode(errors="replace")).hexdigest()


def _location(span: Span) -> dict[str, Any]:
    line, column = end(span)
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": line,
        "endColumn": column,
    }
    name = span.source.name
    uri = PurePath(name).as_uri() if os.path.isabs(name) else quote(name.replace(os.sep, "/"))
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


FORMATS: dict[str, Callable[[Run], str]] = {
    "github": _github,
    "json": _json,
    "junit": _junit,
    "sarif": _sarif,
}
"""The writers of a run by format; texts end with a line end."""
