"""Findings, completion, hovers, definitions and colours, as data for the page."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from rulesdsl.author.lsp.family import Edits, Refused
from rulesdsl.author.lsp.hover import plain
from rulesdsl.author.lsp.structure import outline
from rulesdsl.author.lsp.workspace import fixes, merged, text
from rulesdsl.author.studio.project import Data, Project
from rulesdsl.language.diagnostics import Diagnostic, Source, Span

_WIDE = re.compile("[\U00010000-\U0010ffff]")


class Offsets:
    """Converts places in a text: Python counts characters, the page counts units of UTF-16."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _wide(self) -> list[int]:
        return [] if self._text.isascii() else [m.start() for m in _WIDE.finditer(self._text)]

    def to_page(self, offset: int) -> int:
        """Return the number of units before a character."""
        return offset + bisect_right(self._wide, offset - 1)

    def from_page(self, units: int) -> int:
        """Return the number of characters in the first units; places outside are moved inside."""
        low, high = 0, min(max(units, 0), len(self._text))
        while low < high:
            middle = (low + high) // 2
            if self.to_page(middle) < units:
                low = middle + 1
            else:
                high = middle
        return low


class Language:
    """Answers questions about the texts of a project.

    Places are given and returned as `Offsets` counts them for the page.
    """

    def __init__(self, project: Project) -> None:
        self.project = project

    # --- findings

    def findings(self, names: Iterable[str]) -> Data:
        """Return the findings of the rulesets that files belong to, by file.

        Files in which nothing is found have an empty list; findings elsewhere are at the ruleset.
        """
        workspace = self.project.workspace
        roots = dict.fromkeys(r for name in names for r in workspace.roots(self.project.path(name)))
        found = merged(workspace.check(root) for root in roots)
        shown: Data = {name: [] for name in names}
        for path, listed in found.items():
            name = self.project.name(path)
            if name is not None:
                shown.setdefault(name, []).extend(map(self.finding, listed))
        return shown

    def finding(self, found: Diagnostic) -> Data:
        """Return a finding with the edits that fix it; one without a place is at the start."""
        return {
            **(self.place(found.span) if found.span else {"file": None, "from": 0, "to": 0}),
            "severity": found.severity.name.lower(),
            "slug": found.slug,
            "message": text(found),
            "fixes": [
                {"title": title, "edits": [{**self.place(span), "text": written}]}
                for title, span, written in fixes(found)
            ],
        }

    def place(self, span: Span) -> Data:
        """Return a span: the name of its file, None outside of the project, and its ends."""
        offsets = Offsets(span.source.text)
        name = self.project.name(span.source.name)
        return {
            "file": name,
            "from": offsets.to_page(span.start),
            "to": offsets.to_page(span.end),
            "line": span.line,
        }

    # --- names

    def _offset(self, name: str, at: int) -> tuple[str, Source, int]:
        source = self.project.source(name)
        return self.project.path(name), source, Offsets(source.text).from_page(at)

    def complete(self, name: str, at: int) -> Data:
        """Return the items that fit at a place, and the start of the word that they replace."""
        path, source, offset = self._offset(name, at)
        start, items = self.project.workspace.complete(path, offset)
        return {
            "from": Offsets(source.text).to_page(start),
            "items": [
                {
                    "label": e.label,
                    "what": e.what,
                    "detail": e.detail,
                    "doc": e.doc,
                    "snippet": e.snippet,
                }
                for e in items
            ],
        }

    def hover(self, name: str, at: int) -> Data | None:
        """Return what is known about the name, aggregate or key at a place, as Markdown."""
        path, _, offset = self._offset(name, at)
        workspace = self.project.workspace
        found = workspace.hover(path, offset, lambda at: plain(f"{_file(at.source)}:{at.line}"))
        return None if found is None else {**self.place(found[0]), "markdown": found[1]}

    def definition(self, name: str, at: int) -> Data | None:
        """Return where the name at a place is declared.

        If that is outside of the project, `title` and `text` are the file's.
        """
        path, _, offset = self._offset(name, at)
        found = self.project.workspace.definition(path, offset)
        if found is None:
            return None
        place, source = self.place(found), found.source
        return place if place["file"] else {**place, "title": _file(source), "text": source.text}

    def rename(self, name: str, at: int, new: str) -> Data:
        """Return the edits that rename what is named at a place, by file.

        Raises Refused if it cannot be renamed, or is also in files outside of the project.
        """
        path, _, offset = self._offset(name, at)
        family, use = self.project.workspace.at(path, offset)
        if use is None:
            raise Refused("there is no name here that could be renamed")
        edits, unsure = self.project.workspace.rename(family, use.symbol, new)
        return {"edits": self._edits(edits), "also": unsure}

    def _edits(self, edits: Edits) -> Mapping[str, Sequence[Data]]:
        shown = {}
        for path, listed in edits.items():
            name = self.project.name(path)
            if name is None:
                raise Refused(
                    f"the name is also in `{os.path.basename(path)}`, outside of the project"
                )
            shown[name] = [{**self.place(span), "text": written} for span, written in listed]
        return shown

    # --- texts

    def format(self, name: str) -> Data:
        """Return the text of a file in the usual format; raises Refused if it has errors."""
        return {"text": self.project.workspace.formatted(self.project.known(name))}

    def colours(self, name: str) -> Data:
        """Return the tokens of a file: start, end, kind, and whether they declare a name."""
        path, offsets = self.project.known(name), Offsets(self.project.source(name).text)
        return {
            "tokens": [
                [offsets.to_page(t.start), offsets.to_page(t.end), t.kind, t.declares]
                for t in self.project.workspace.tokens(path)
            ]
        }

    def components(self, name: str) -> Data:
        """Return the components that a manifest declares, with their places."""
        path, source = self.project.known(name), self.project.source(name)
        if self.project.workspace.kind(path) != "ruleset":
            return {"components": []}
        ruleset = self.project.workspace.own(path).ruleset_of(path)
        return {
            "components": [
                {"kind": f"{ruleset}/{each.name}", **self.place(each.whole)}
                for section in outline(source)
                for each in section.inside
                if each.what == "component"
            ]
        }


def _file(source: Source) -> str:
    return source.name.replace("\\", "/").rpartition("/")[2]
