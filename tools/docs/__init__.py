"""The generated parts of the pages under `docs/`.

Each is between a line `<!-- written by python3 -m tools docs: NAME -->` and `<!-- end -->`. The
examples of pages are also written to a file, for the gallery of the studio.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tools.docs import examples, language, pictures, reference, rules, walkthrough
from tools.environment import ROOT

PAGES = ROOT / "docs"
PARTS: dict[str, Callable[[], str]] = {
    "grammar": language.grammar,
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
    return 0


def current(page: str) -> str:
    """Return `page` with its generated parts up to date."""
    return SECTION.sub(lambda found: found[1] + PARTS[found[2]]() + found[3], page)
