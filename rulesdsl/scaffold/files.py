"""Requirements of all new files: a free name, and proof that they check and play."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from rulesdsl.build.stages import expression
from rulesdsl.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.model.nodes import Mapping
from rulesdsl.model.types import FEATURE, INT, Type
from rulesdsl.model.values import Value
from rulesdsl.parse.words import RESERVED
from rulesdsl.play import Game, PlayError, State
from rulesdsl.play.scenario import read_scenarios
from rulesdsl.play.scenario.outcome import Failed
from rulesdsl.play.scenario.scene import set_scene
from rulesdsl.read import parse_yaml
from rulesdsl.read.files import DiskFolder
from rulesdsl.read.find import Search, search_folders

_ID = re.compile(r"[a-z][a-z0-9_]{0,59}")
_ENDINGS = ("yaml", "rules", "test.yaml", "md")


def check_name(name: str) -> None:
    """Raise RulesError if a name is not an id."""
    if not _ID.fullmatch(name):
        raise refused(
            f"`{name}` is no id",
            "an id begins with a letter and has small letters, digits and `_`: `my_expansion`",
        )
    if name in RESERVED:
        raise refused(f"`{name}` is a word of the language")


def check_free(name: str, folder: str, paths: Sequence[str]) -> None:
    """Raise RulesError if a ruleset has this id, or if a file to be made exists.

    Rulesets are looked up in the folder, in `paths` and in the usual places.
    """
    search = Search(search_folders([DiskFolder.at(folder)], paths, Report()))
    if taken := search.by_id(name):
        raise refused(f"there is a ruleset `{name}`", f"it is `{taken[0].shown}`")
    for ending in _ENDINGS:
        file = os.path.join(folder, f"{name}.{ending}")
        if os.path.lexists(file):
            raise refused(f"there is a file `{file}`", "name another folder with `--folder`")


def title(name: str) -> str:
    """Return an id as people write it."""
    return name.replace("_", " ").capitalize()


def refused(message: str, *help: str) -> RulesError:
    """Return the error that says why no files are made."""
    return RulesError([Diagnostic("bad-argument", message, help=help)])


_MOVES = 300
"""The number of moves to play to see that a game works."""


class Measured(NamedTuple):
    """The number that a value gives in a scene, and the name of the feature asked about, if any."""

    feature: str
    worth: int


def plays(game: Game) -> bool:
    """Say whether a random game goes on for a while without a rule failing."""
    try:
        list(game.playouts(range(1), limit=_MOVES))
    except PlayError:
        return False
    return True


def measured(game: Game, scene: str, call: str, kind: str = "") -> Measured | None:
    """Return the number that `call` gives in a scene, a mapping in YAML.

    If a kind is named, `f` is the first feature of that kind. None if there is no such number.
    """
    test = parse_yaml(Source("", scene), Report())
    try:
        state = game.start()
        if isinstance(test, Mapping):
            set_scene(state, test)
        return _asked(state, call, kind)
    except (Failed, PlayError):
        return None


def _asked(state: State, call: str, kind: str) -> Measured | None:
    types: dict[str, Type] = {}
    values: dict[str, Value] = {}
    name = ""
    if kind:
        named = ((str(state.names.full(each)), each) for each, _ in state.position.features())
        name, values["f"] = next((n, f) for n, f in named if n.startswith(f"{kind}@"))
        types["f"] = FEATURE
    asked = expression(
        Source("", call).span(0, len(call)), state.game.checked, INT, types, Report()
    )
    worth = None if asked is None else state.position.evaluate(asked, values)
    return Measured(name, worth) if isinstance(worth, int) else None


def holds(scenarios: str, folder: str, paths: Sequence[str], engine: str) -> bool:
    """Say whether all scenarios hold, in a folder with the rulesets that they are about."""
    source = Source(os.path.join(folder, "new.test.yaml"), scenarios)
    try:
        return all(each.run().passed for each in read_scenarios(source, paths, engine))
    except RulesError:
        return False
