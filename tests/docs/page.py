"""The language page as tests read it: its game, the rulesets that extend it, scenes and tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.nodes import plain
from rulesdsl.language.read.yaml import parse_yaml

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "language.md"
GAME = "hamlets"
_PART = re.compile(
    r"^```(yaml|rules)\n(.*?)^```$|^\| expression \|[^\n]*\n((?:\|[^\n]*\n)+)", re.M | re.S
)
_ROW = re.compile(r"^\| `(.+)` \| `(.+)` \|", re.M)


@dataclass
class Example:
    """A ruleset on the page and the line it begins in."""

    name: str
    line: int
    manifest: dict[str, Any]
    rules: str = ""


@dataclass
class Scenes:
    """A file of scenarios on the page; `rows` are the expressions and values of tables under it."""

    line: int
    document: dict[str, Any]
    rows: list[tuple[str, str]]


@dataclass
class Page:
    """All that is on the page, in order; `examples[0]` is the whole game."""

    examples: list[Example]
    scenes: list[Scenes]

    def write(self, folder: Path) -> None:
        """Write all rulesets into a folder."""
        for example in self.examples:
            text = json.dumps(example.manifest)
            (folder / f"{example.name}.yaml").write_text(text, encoding="utf-8")
            if example.rules:
                rules = folder / example.manifest["rules"]
                rules.write_text(example.rules, encoding="utf-8")


def read_page() -> Page:
    """The page: a rules block goes with the manifest before it if that names rules, and is
    a ruleset of its own otherwise."""
    page = Page([], [])
    open_ = False
    for language, text, line in _parts(PAGE.read_text(encoding="utf-8")):
        if language == "table":
            page.scenes[-1].rows += _ROW.findall(text)
        elif language == "rules" and open_:
            page.examples[-1].rules = text
            open_ = False
        elif language == "rules":
            page.examples.append(Example(*_completed({}, line, len(page.examples), text), text))
        elif "scenarios" in (document := _document(text)):
            page.scenes.append(Scenes(line, document, []))
        else:
            page.examples.append(Example(*_completed(document, line, len(page.examples), "")))
            open_ = "rules" in document
    return page


def _document(text: str) -> dict[str, Any]:
    report = Report()
    node = parse_yaml(Source("language.md", text), report)
    assert node is not None, [str(finding) for finding in report]
    found = plain(node)
    assert isinstance(found, dict)
    return found


def _parts(text: str) -> Iterator[tuple[str, str, int]]:
    for found in _PART.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield (found[1], found[2], line) if found[1] else ("table", found[3], line)


def _completed(
    manifest: dict[str, Any], line: int, number: int, rules: str
) -> tuple[str, int, dict[str, Any]]:
    """The manifest with what the page leaves out."""
    name = manifest.get("ruleset", f"example_{number}")
    head: dict[str, Any] = {"ruleset": name, "edition": 1, "version": "1.0.0"}
    if rules:
        head["rules"] = f"{name}.rules"
    if number and "interaction" not in manifest:
        head["requires"] = [GAME]
    return name, line, head | manifest
