"""`rulesdsl explain`: explain a kind of problem and how to fix it, by its slug."""

from __future__ import annotations

import re
from argparse import Namespace

from rulesdsl.cli.console import CLEAN, STYLES, Console, bad_argument
from rulesdsl.diagnostics import SLUGS, RulesError
from rulesdsl.diagnostics.slugs import page
from rulesdsl.diagnostics.wording import listed, near

_WIDEST = 100
_BRACKETS = re.compile(r"(?:error|warning|note)?\[([^\[\]]*)\]:?")
"""A slug as findings show it."""

NOTE = (
    "The rulesets in the examples extend `hamlets`, the small game at the start of the "
    "language reference.",
    "The first keys of every manifest (ruleset, edition, version, requires) are left out.",
)
"""The lines below a page."""


def command(arguments: Namespace, console: Console) -> int:
    """Show the page of a slug, or without one a list of all slugs.

    Raises RulesError for an unknown slug.
    """
    if arguments.slug is None:
        _list(console)
        return CLEAN
    slug = _BRACKETS.sub(r"\1", arguments.slug)
    text = page(slug)
    if text is None:
        raise _unknown(slug)
    _show(text, console)
    console.write([[], *([(line, "faint")] for line in NOTE)])
    return CLEAN


def _list(console: Console) -> None:
    width = max(map(len, SLUGS))
    console.write([(slug.ljust(width), "title"), f"  {line}"] for slug, line in SLUGS.items())


def _unknown(slug: str) -> RulesError:
    found = near(slug, SLUGS)
    helps = [f"did you mean {listed([f'`{each}`' for each in found])}?"] if found else []
    return bad_argument(
        f"there is no kind of finding `{slug}`", *helps, "`rulesdsl explain` lists all kinds"
    )


def _show(text: str, console: Console) -> None:
    """Write a page, with layout if output has colours, otherwise as it is."""
    if not console.colour:
        console.write([[line] for line in text.splitlines()])
        return
    # Imported here, as output without colours starts faster without it.
    from rich.console import Console as Terminal
    from rich.markdown import Markdown
    from rich.theme import Theme

    width = min(console.width or _WIDEST, _WIDEST)
    theme = Theme({"markdown.code": STYLES["label"]})
    terminal = Terminal(file=console.out, width=width, force_terminal=True, theme=theme)
    terminal.print(Markdown(text, code_theme="ansi_dark"))
