"""The examples of the studio: projects to begin with, and the shipped rulesets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rulesdsl.read.files import shipped
from rulesdsl.studio.protocol import Data

_ENDINGS = (".yaml", ".rules", ".test.yaml")


def gallery() -> list[Data]:
    """Return the examples in order: what they are called, what to try, and their files.

    The last ones are those of the documentation.
    """
    folder = shipped("examples")
    own, pages = (json.loads(_text(folder / name)) for name in ("gallery.json", "pages.json"))
    return [*map(_example, own), *pages]


def ids() -> list[str]:
    """Return the ids of the rulesets that are shipped."""
    files = shipped("rulesets").glob("*.yaml")
    return sorted(file.stem for file in files if not file.name.endswith(".test.yaml"))


def _example(given: dict[str, Any]) -> Data:
    kind = "folder" if "folder" in given else "ruleset"
    id = given[kind]
    folder = shipped("examples") / id if kind == "folder" else shipped("rulesets")
    files = [folder / f"{id}{ending}" for ending in _ENDINGS]
    return {
        "id": id,
        "group": given["group"],
        "title": given["title"],
        "text": given["text"],
        "main": f"{id}.yaml",
        "with": given.get("with", []),
        "files": {file.name: _text(file) for file in files if file.is_file()},
    }


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
