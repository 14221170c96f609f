"""What was found before, in a file: only what is new is to be mended at once.

An entry is told by its slug, its file and the text of its line, so that it is found again when
lines move.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rulesdsl.diagnostics import Diagnostic, Report, Severity, Source, Span
from rulesdsl.model.nodes import Mapping, Sequence, plain
from rulesdsl.read import parse_yaml, validate

FORMAT = 1


class Entry(NamedTuple):
    """What is the same of a finding from one run to the next; `file` is relative to the folder of
    the baseline."""

    slug: str
    file: str
    text: str


@dataclass
class Baseline:
    """The entries of a file, and how many findings of each are not met yet."""

    folder: str
    left: Counter[Entry] = field(default_factory=Counter)
    spans: dict[Entry, Span] = field(default_factory=dict)

    def entry(self, found: Diagnostic) -> Entry:
        """The entry that stands for a finding."""
        if found.span is None:
            return Entry(found.slug, "", _plain(found.message))
        text = _plain(found.span.source.line(found.span.line))
        return Entry(found.slug, self.path(found.span.source.name), text)

    def path(self, name: str) -> str:
        """A file, as seen from the folder of the baseline."""
        try:
            return os.path.relpath(name, self.folder or os.curdir).replace(os.sep, "/")
        except ValueError:  # on another drive
            return name

    def has(self, found: Diagnostic) -> bool:
        """Whether a finding is known; each entry stands for as many as it says."""
        entry = self.entry(found)
        if self.left[entry] == 0:
            return False
        self.left[entry] -= 1
        return True

    def gone(self, files: Iterable[str], slugs: frozenset[str]) -> Iterator[Diagnostic]:
        """Entries that were not met though these files were looked at for these slugs."""
        looked = {self.path(name) for name in files} | {""}
        for entry, count in self.left.items():
            if count and entry.file in looked and entry.slug in slugs:
                yield Diagnostic(
                    "baseline-unused",
                    f"`{entry.slug}` is not found any more in `{entry.file}`: `{entry.text}`",
                    self.spans[entry],
                    help=("write the baseline again, with `--write-baseline`",),
                    severity=Severity.WARNING,
                )

    def text(self, found: Iterable[Diagnostic]) -> str:
        """The file that has these findings as its entries; errors are left out."""
        counted = Counter(self.entry(each) for each in found if each.severity is not Severity.ERROR)
        entries = [{**entry._asdict(), "count": counted[entry]} for entry in sorted(counted)]
        document = {"format": FORMAT, "findings": entries}
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _plain(line: str) -> str:
    """A line that any file can hold, whatever its blanks are."""
    return " ".join("".join(char if char.isprintable() else " " for char in line).split())


def read_baseline(source: Source) -> Baseline:
    """The baseline in a file. Raises RulesError if it is none."""
    report = Report()
    node = parse_yaml(source, report)
    if node is not None:
        validate(node, "baseline", report)
    report.check()
    assert isinstance(node, Mapping)
    listed = node.get("findings")
    assert isinstance(listed, Sequence)
    found = Baseline(os.path.dirname(source.name))
    for item in listed:
        content: Any = plain(item)
        entry = Entry(content["slug"], content["file"], content["text"])
        found.left[entry] += content["count"]
        found.spans.setdefault(entry, item.span)
    return found


def no_baseline(name: str) -> Baseline:
    """That of a file which is yet to be written."""
    return Baseline(os.path.dirname(name))
