"""`rulesdsl new`: the first files of a ruleset of one's own."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping

from rulesdsl.author.expansion import new_expansion
from rulesdsl.author.game import new_game
from rulesdsl.cli.console import Console
from rulesdsl.cli.problems import CLEAN, output_failed


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
    paths = {os.path.join(folder, file): text for file, text in files.items()}
    written: list[str] = []
    try:
        if folder:
            os.makedirs(folder, exist_ok=True)
        for path, text in paths.items():
            with open(path, "x", encoding="utf-8", newline="\n") as file:
                written.append(path)
                file.write(text)
    except (OSError, ValueError) as error:
        for path in written:
            os.remove(path)
        raise output_failed(f"`{path if written else folder}`", error) from None
    for path in paths:
        console.say(("made", "gain"), f" {path}")
    console.say(f"{path} tells what to do next")
