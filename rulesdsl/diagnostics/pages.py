"""The documentation of each slug: a page of Markdown in the folder `pages` beside this module.

A page explains a finding, its reason and how to fix it. Its last two sections, `Wrong` and `Right`,
are examples: blocks of rules, of a manifest or of commands. A line that ends in `MARK` is one that
has the finding. Rulesets in them extend the game at the beginning of `docs/reference/language.md`,
and manifests omit the same keys as there.
"""

from __future__ import annotations

from pathlib import Path

from rulesdsl.diagnostics.slugs import SLUGS

MARK = "# <-- here"
"""The ending of the lines of a wrong example that have the finding."""

_FOLDER = Path(__file__).with_name("pages")


def page(slug: str) -> str | None:
    """Return the page of a slug as Markdown, or None when there is no such slug."""
    return page_file(slug).read_text(encoding="utf-8") if slug in SLUGS else None


def page_file(slug: str) -> Path:
    """Return the file with the page of a slug."""
    return _FOLDER / f"{slug}.md"
