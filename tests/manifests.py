"""Manifests for tests."""

from __future__ import annotations

from rulesdsl.diagnostics import Report, Source
from rulesdsl.model.nodes import Mapping
from rulesdsl.read.manifest import read_manifest


def parse_manifest(source: Source, report: Report) -> Mapping | None:
    """The manifest in `source`, which satisfies its schema, or None with the reasons reported."""
    own = Report()
    read = read_manifest(source, own)
    report.extend(own)
    return read.manifest if read is not None and own.ok else None
