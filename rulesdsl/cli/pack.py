"""`rulesdsl pack`: a ruleset as one file."""

from __future__ import annotations

import os
from argparse import Namespace
from hashlib import sha256

from rulesdsl.author.pack import packed
from rulesdsl.cli.console import Console
from rulesdsl.cli.output import write_output
from rulesdsl.cli.problems import CLEAN, bad_argument
from rulesdsl.play import load
from rulesdsl.read.archive import SUFFIX
from rulesdsl.read.load import ids_of
from rulesdsl.run.engines import READY_ENGINE


def command(arguments: Namespace, console: Console) -> int:
    """Check a ruleset, pack it, and say what is in the archive."""
    given = arguments.ruleset
    if not os.path.exists(given) or given.endswith(SUFFIX):
        raise bad_argument(f"`{given}` is no folder and no manifest", "give the path of one")
    given = os.path.join(os.curdir, given)  # a path, also where it looks like an id
    game = load(given, engine=READY_ENGINE, paths=arguments.path)
    console.show(game.report)
    (id,) = ids_of([given])
    ruleset = next(each for each in game.checked.game.rulesets if each.id == id)
    data, names = packed(given, ruleset)
    path = arguments.to or f"{id}-{ruleset.version}{SUFFIX}"
    _write(path, data)
    for name in names:
        console.say(("packed", "gain"), f" {name}")
    console.say(f"{path}: {len(data)} bytes, SHA-256 {sha256(data).hexdigest()}")
    return CLEAN


def _write(path: str, data: bytes) -> None:
    """Write an archive, in the place of an older one if there is one."""
    if not path.endswith(SUFFIX):
        raise bad_argument(f"`{path}` is no name of an archive", f"it must end in `{SUFFIX}`")
    write_output(path, data)
