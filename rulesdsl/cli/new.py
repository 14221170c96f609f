"""`rulesdsl new`, `pack` and `explain`: first files, archives, pages about kinds of problems."""

from __future__ import annotations

import os
import re
from argparse import Namespace
from collections.abc import Mapping
from hashlib import sha256

from rulesdsl.author.scaffold.first_files import ENDINGS, check_free, new_expansion, packed
from rulesdsl.base.writing import create_all
from rulesdsl.cli.console import CLEAN, STYLES, Console, bad_argument, output_failed, write_output
from rulesdsl.engine.run import READY_ENGINE
from rulesdsl.language.diagnostics import SLUGS
from rulesdsl.language.diagnostics.report import did_you_mean, listed, near
from rulesdsl.language.diagnostics.slugs import page
from rulesdsl.language.read.files import SUFFIX, shipped
from rulesdsl.language.read.find import with_suffix
from rulesdsl.language.read.load import ids_of
from rulesdsl.play import load

GAMES = {"gardens": "tiles", "tricks": "cards", "dare": "a die", "lines": "stones on a board"}
"""The examples of games by their ids, with what they are played with."""


def expansion(arguments: Namespace, console: Console) -> int:
    """Write the files of a new expansion, and name the next steps."""
    folder = arguments.folder
    _write(new_expansion(arguments.name, arguments.of, folder, arguments.path), folder, console)
    return CLEAN


def game(arguments: Namespace, console: Console) -> int:
    """Copy the files of an example, and name the next steps."""
    name, folder = arguments.name, arguments.folder
    if name not in GAMES:
        there = ", ".join(f"{id} ({kind})" for id, kind in GAMES.items())
        raise bad_argument(
            f"there is no example `{name}`; there are {there}",
            *did_you_mean(name, GAMES),
            "copy one, and then change its id: rulesdsl new game gardens",
        )
    check_free(name, folder, arguments.path)
    files = [shipped("examples") / name / f"{name}.{ending}" for ending in ENDINGS]
    _write({file.name: file.read_text(encoding="utf-8") for file in files}, folder, console)
    return CLEAN


def _write(files: Mapping[str, str], folder: str, console: Console) -> None:
    """Write new files, the last of which is the page.

    Raises RulesError, and then leaves no file behind.
    """
    try:
        create_all(folder, {file: text.encode() for file, text in files.items()})
    except (OSError, ValueError) as error:
        name = getattr(error, "filename", None) or folder
        raise output_failed(f"`{name}`", error) from None
    for file in files:
        path = os.path.join(folder, file)
        console.say(("made", "gain"), f" {path}")
    console.say(f"{path} describes the next steps")


def pack(arguments: Namespace, console: Console) -> int:
    """Check a ruleset, pack it, and list the files in the archive."""
    given = with_suffix(arguments.ruleset)
    if not os.path.exists(given) or given.endswith(SUFFIX):
        raise bad_argument(
            f"`{given}` is not a folder or a manifest", "give the path of a folder or a manifest"
        )
    given = os.path.join(os.curdir, given)  # a path, even if it looks like an id
    game = load(given, engine=READY_ENGINE, paths=arguments.path)
    console.show(game.warnings)
    (id,) = ids_of([given])
    ruleset = next(each for each in game.checked.game.rulesets if each.id == id)
    images: Mapping[str, bytes] = {}
    if ruleset.images:
        from rulesdsl.show.draw.images import portable  # it takes long to import

        images = portable(game.checked.game, ruleset)
    data, names = packed(given, ruleset, images)
    path = arguments.to or f"{id}-{ruleset.version}{SUFFIX}"
    if not path.endswith(SUFFIX):
        raise bad_argument(f"`{path}` is not a name for an archive", f"it must end in `{SUFFIX}`")
    write_output(path, data)
    for name in names:
        console.say(("packed", "gain"), f" {name}")
    console.say(f"{path}: {len(data)} bytes, SHA-256 {sha256(data).hexdigest()}")
    return CLEAN


_WIDEST = 100
_BRACKETS = re.compile(r"(?:error|warning|note)?\[([^\[\]]*)\]:?")
"""A slug as findings show it."""

NOTE = (
    "The rulesets in the examples extend `hamlets`, the small game at the start of the "
    "language reference.",
    "The first keys of every manifest (ruleset, edition, version, requires) are left out.",
)
"""The lines below a page."""


def explain(arguments: Namespace, console: Console) -> int:
    """Show the page of a slug, or without one a list of all slugs.

    Raises RulesError for an unknown slug.
    """
    if arguments.slug is None:
        width = max(map(len, SLUGS))
        console.write([(slug.ljust(width), "title"), f"  {line}"] for slug, line in SLUGS.items())
        return CLEAN
    slug = _BRACKETS.sub(r"\1", arguments.slug)
    text = page(slug)
    if text is None:
        found = near(slug, SLUGS)
        helps = [f"did you mean {listed([f'`{each}`' for each in found])}?"] if found else []
        message = f"there is no kind of finding `{slug}`"
        raise bad_argument(message, *helps, "`rulesdsl explain` lists all kinds")
    _show(text, console)
    console.write([[], *([(line, "faint")] for line in NOTE)])
    return CLEAN


def _show(text: str, console: Console) -> None:
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
