"""`rulesdsl new` and `rulesdsl pack`: the first files of a ruleset, and archives."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from hashlib import sha256

from rulesdsl.cli.console import CLEAN, Console, bad_argument, output_failed, write_output
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.engines import READY_ENGINE
from rulesdsl.play import load
from rulesdsl.read.archive import SUFFIX
from rulesdsl.read.files import shipped
from rulesdsl.read.load import ids_of
from rulesdsl.scaffold.first_files import ENDINGS, check_free, new_expansion
from rulesdsl.scaffold.pack import packed
from rulesdsl.writing import create_all

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
    given = arguments.ruleset
    if not os.path.exists(given) or given.endswith(SUFFIX):
        raise bad_argument(
            f"`{given}` is not a folder or a manifest", "give the path of a folder or a manifest"
        )
    given = os.path.join(os.curdir, given)  # a path, even if it looks like an id
    game = load(given, engine=READY_ENGINE, paths=arguments.path)
    console.show(game.warnings)
    (id,) = ids_of([given])
    ruleset = next(each for each in game.checked.game.rulesets if each.id == id)
    data, names = packed(given, ruleset)
    path = arguments.to or f"{id}-{ruleset.version}{SUFFIX}"
    if not path.endswith(SUFFIX):
        raise bad_argument(f"`{path}` is not a name for an archive", f"it must end in `{SUFFIX}`")
    write_output(path, data)
    for name in names:
        console.say(("packed", "gain"), f" {name}")
    console.say(f"{path}: {len(data)} bytes, SHA-256 {sha256(data).hexdigest()}")
    return CLEAN
