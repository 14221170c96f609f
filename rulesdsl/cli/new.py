"""`rulesdsl new`, `pack` and `explain`: first files, archives, pages about kinds of problems."""

from __future__ import annotations

import os
import re
from argparse import Namespace
from collections.abc import Mapping
from hashlib import sha256

from rulesdsl.author.scaffold import first_files
from rulesdsl.author.scaffold.first_files import ENDINGS, check_free, check_name, packed, title
from rulesdsl.base.writing import create_all
from rulesdsl.cli.console import CLEAN, Console, bad_argument, output_failed, write_output
from rulesdsl.engine.run import READY_ENGINE
from rulesdsl.language.diagnostics import SLUGS
from rulesdsl.language.diagnostics.report import listed, near
from rulesdsl.language.diagnostics.slugs import page
from rulesdsl.language.read.files import SUFFIX, shipped
from rulesdsl.language.read.find import with_suffix
from rulesdsl.language.read.load import ids_of
from rulesdsl.play import load

GAMES = {"tiles": "gardens", "cards": "tricks", "dice": "dare", "board": "lines"}
"""The examples of games by what they are played with."""


def expansion(arguments: Namespace, console: Console) -> int:
    """Write the files of a new expansion, and name the next steps."""
    folder = arguments.folder
    _write(
        first_files.new_expansion(arguments.name, arguments.of, folder, arguments.path),
        folder,
        console,
    )
    return CLEAN


def game(arguments: Namespace, console: Console) -> int:
    """Write the files of an example under a new name, and name the next steps."""
    name, folder = arguments.name, arguments.folder
    kinds = {example: kind for kind, example in GAMES.items()}
    example = GAMES[arguments.of or kinds.get(name, "tiles")]
    check_name(name)
    check_free(name, folder, arguments.path)
    files = [shipped("examples") / example / f"{example}.{ending}" for ending in ENDINGS]
    texts = [_renamed(file.read_text(encoding="utf-8"), example, name) for file in files]
    named = (f"{name}.{ending}" for ending in ENDINGS)
    _write(dict(zip(named, texts, strict=True)), folder, console)
    return CLEAN


def _renamed(text: str, old: str, new: str) -> str:
    """Return the text of a file of an example with another id; its words may also be words."""
    text = re.sub(rf"\b{old}(?=\.(yaml|rules|test))|(?<=^ruleset: ){old}$", new, text, flags=re.M)
    text = re.sub(rf"(?<=^scenarios: ){old}$|(?<=^    ){old}(?=: )", new, text, flags=re.M)
    return re.sub(
        rf"(?<=# ){title(old)}\b|\b{title(old)}(?=\.|$)",
        title(new),
        text,
        flags=re.M,
    )


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
    console.markdown(text)
    console.write([[], *([(line, "faint")] for line in NOTE)])
    return CLEAN
