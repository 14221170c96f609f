"""The examples of pages as the gallery of the studio has them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from rulesdsl.author.studio.project import Data
from tools.environment import ROOT

FILE = ROOT / "examples" / "pages.json"
"""The examples of all pages, which the package ships."""
_BLOCK = re.compile(r"^```(yaml|rules)\n(.*?)^```$", re.M | re.S)


def listed() -> str:
    """Return the content of `FILE`."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    found = [task for page in pages for task in tasks(page)]
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def tasks(page: Path) -> Iterator[Data]:
    """Yield the examples of a page: its sections with a whole ruleset, as the gallery has them."""
    head, *sections = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.M)
    for section in sections:
        title, text = section.split("\n", 1)
        written = _files(_BLOCK.findall(text))
        manifests = [name for name in written if re.fullmatch(r"\w+\.yaml", name)]
        whole = all("\nedition: " in written[name] for name in manifests)
        if manifests and whole and any(name.endswith(".test.yaml") for name in written):
            sentence = re.sub(r"[`*]|\]\([^)]*\)|\[", "", text.strip().partition("\n\n")[0])
            yield {
                "id": manifests[0].removesuffix(".yaml"),
                "group": head.partition("\n")[0].removeprefix("# "),
                "title": title,
                "text": " ".join(sentence.split()),
                "main": manifests[0],
                "with": manifests[1:],
                "files": written,
            }


def _files(blocks: list[tuple[str, str]]) -> dict[str, str]:
    """Return texts by the names of their files: others belong to the manifest above them."""
    found: dict[str, str] = {}
    name = ""
    for kind, text in blocks:
        if kind == "yaml" and text.startswith("ruleset: "):
            name = text.splitlines()[0].removeprefix("ruleset: ")
            found[f"{name}.yaml"] = text
        elif name and (kind == "rules" or text.startswith("scenarios: ")):
            found[f"{name}.rules" if kind == "rules" else f"{name}.test.yaml"] = text
    return found
