"""The parts of the pages under `docs/` that are written from the code.

Each stands between a line `<!-- written by python3 -m tools docs: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tools.docs import language, reference, rules, walkthrough
from tools.environment import ROOT

PAGES = ROOT / "docs"
PARTS: dict[str, Callable[[], str]] = {
    "grammar": language.grammar,
    "functions": language.functions,
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
    "worth-python": walkthrough.python,
    "worth-webassembly": walkthrough.webassembly,
}
SECTION = re.compile(
    r"(<!-- written by python3 -m tools docs: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL
)


def write() -> int:
    """Bring all pages up to date; always 0."""
    for page in sorted(PAGES.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if (now := current(text)) != text:
            page.write_text(now, encoding="utf-8")
    return 0


def current(page: str) -> str:
    """`page` with its written parts as the code says now."""
    return SECTION.sub(lambda found: found[1] + PARTS[found[2]]() + found[3], page)
