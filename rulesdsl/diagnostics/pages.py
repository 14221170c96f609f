"""What there is to read about each slug: a page of Markdown in the folder `pages` beside this.

A page says what a finding means, why it is one and how to mend it. Its last two sections, `Wrong`
and `Right`, are examples: blocks of rules, of a manifest or of commands. A line that ends in `MARK`
is one where the finding lies. Rulesets in them extend the game that begins
`docs/reference/language.md`, and manifests leave out what they leave out there.
"""

from __future__ import annotations

from pathlib import Path

from rulesdsl.diagnostics.slugs import SLUGS

MARK = "# <-- here"
"""Ends the lines of a wrong example that the finding is about."""

_FOLDER = Path(__file__).with_name("pages")


def page(slug: str) -> str | None:
    """Return the page of a slug as Markdown, or None when there is no such slug."""
    return page_file(slug).read_text(encoding="utf-8") if slug in SLUGS else None


def page_file(slug: str) -> Path:
    """Return the file with the page of a slug."""
    return _FOLDER / f"{slug}.md"
