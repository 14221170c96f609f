"""The generated parts of the pages under `docs/`.

Each is between a line `<!-- written by python3 -m tools docs: NAME -->` and `<!-- end -->`. The
examples of pages are also written to a file, for the gallery of the studio, and so are digests of
the shipped manifests and scenarios.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rulesdsl.language.read.files import shipped
from rulesdsl.language.read.find import BALANCE_SUFFIXES, SCENARIO_SUFFIXES
from rulesdsl.language.read.schema import key_of
from tools.docs import examples, language, pictures, reference, rules, walkthrough
from tools.environment import ROOT

PAGES = ROOT / "docs"
VALID = ROOT / "schemas" / "valid.txt"
PARTS: dict[str, Callable[[], str]] = {
    "grammar": language.grammar,
    "house": reference.house,
    "functions": language.functions,
    "names": language.names,
    "properties": language.properties,
    "effects": language.effects,
    "commands": reference.commands,
    "diagnostics": reference.diagnostics,
    "manifest": reference.manifest,
    "python": reference.python,
    "base-hooks": rules.base_hooks,
    "worth-text": walkthrough.text,
    "worth-tokens": walkthrough.tokens,
    "worth-tree": walkthrough.tree,
    "worth-checked": walkthrough.checked,
    "worth-program": walkthrough.program,
    "worth-webassembly": walkthrough.webassembly,
}
SECTION = re.compile(
    r"(<!-- written by python3 -m tools docs: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL
)


def write() -> int:
    """Update all pages, and the file of their examples; always return 0."""
    for page in sorted(PAGES.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if (now := current(text)) != text:
            page.write_text(now, encoding="utf-8")
    examples.FILE.write_text(examples.listed(), encoding="utf-8")
    pictures.TERMINAL.write_text(pictures.terminal(), encoding="utf-8")
    pictures.SHEETS.write_text(pictures.sheets(), encoding="utf-8")
    VALID.write_text(valid(), encoding="ascii")
    return 0


def valid() -> str:
    """Return the digests of the shipped manifests and scenarios, which need no validation.

    `tests/read/test_schemas.py` validates them.
    """
    files = {
        file: "scenarios" if file.name.endswith(SCENARIO_SUFFIXES) else "ruleset"
        for file in shipped("rulesets").rglob("*.yaml")
        if not file.name.endswith(BALANCE_SUFFIXES)
    }
    keys = sorted(key_of(file.read_text("utf-8"), kind) for file, kind in files.items())
    return "".join(f"{key}\n" for key in keys)


def current(page: str) -> str:
    """Return `page` with its generated parts up to date."""
    return SECTION.sub(lambda found: found[1] + PARTS[found[2]]() + found[3], page)
