"""`rulesdsl new`: the first files of a ruleset of one's own."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping

from rulesdsl.author.expansion import new_expansion
from rulesdsl.author.game import new_game
from rulesdsl.cli.console import Console
from rulesdsl.cli.problems import CLEAN, output_failed
from rulesdsl.writing import create_all


def expansion(arguments: Namespace, console: Console) -> int:
    """Write the files of a new expansion, and say what to do with them."""
    folder = arguments.folder
    _write(new_expansion(arguments.name, arguments.of, folder, arguments.path), folder, console)
    return CLEAN


def game(arguments: Namespace, console: Console) -> int:
    """Write the files of a new game, and say what to do with them."""
    folder = arguments.folder
    _write(new_game(arguments.name, folder, arguments.path), folder, console)
    return CLEAN


def _write(files: Mapping[str, str], folder: str, console: Console) -> None:
    """Write files that are not there yet, the last of which is the page; raises RulesError, and
    then none is left."""
    try:
        create_all(folder, {file: text.encode() for file, text in files.items()})
    except (OSError, ValueError) as error:
        name = getattr(error, "filename", None) or folder
        raise output_failed(f"`{name}`", error) from None
    for file in files:
        path = os.path.join(folder, file)
        console.say(("made", "gain"), f" {path}")
    console.say(f"{path} tells what to do next")
