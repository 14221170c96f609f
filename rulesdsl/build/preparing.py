"""The results that come with the package, made when it is installed."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

from rulesdsl import prepared
from rulesdsl.build.stages import KIND, StageMemo, build
from rulesdsl.diagnostics import Report
from rulesdsl.lower.program import CORE, read_core
from rulesdsl.read.files import shipped
from rulesdsl.read.manifest import HEADER, dump_header, peek


def prepare(folder: str) -> None:
    """Write the results of the first stages for the shipped rulesets, and the runtime, to a folder.

    Raises ValueError if a shipped ruleset has a mistake.
    """
    prepared.write(folder, _entries())


def _entries() -> Iterator[prepared.Entry]:
    known = StageMemo()
    for path in sorted(shipped("rulesets").glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        header = peek(text)
        if header is None:
            continue
        yield HEADER, text, dump_header(header)
        report = Report()
        build(path, report=report, known=known)
        if not report.ok:
            raise ValueError(f"{path.name} has mistakes; `rulesdsl check` shows them")
    for text, results in known.dumped():
        yield KIND, text, results
    yield CORE, "", pickle.dumps(read_core(), pickle.HIGHEST_PROTOCOL)
