"""The first files of an expansion: few lines, and they check, test and play as they are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from tempfile import TemporaryDirectory

from rulesdsl.author.draft import drafts
from rulesdsl.author.names import check_free, check_name, refused
from rulesdsl.author.pages import SETTING_ADDS, Wording, manifest, page, rules, scenarios
from rulesdsl.author.proof import Measured, holds, measured, plays
from rulesdsl.diagnostics import Report, RulesError
from rulesdsl.play import Game, load
from rulesdsl.read.files import DiskFolder
from rulesdsl.read.find import Found, Search, search_folders
from rulesdsl.run.engines import READY_ENGINE
from rulesdsl.writing import create_all


def new_expansion(
    name: str, root: str = "base", folder: str = "", paths: Sequence[str] = ()
) -> dict[str, str]:
    """The texts, by the names of their files, of an expansion called `name` of the ruleset `root`
    (an id, a folder or a manifest), to be put in `folder`: manifest, rules, scenarios, a page.

    They were checked without a finding, their scenarios hold, and a game was played with them.
    Raises RulesError if `name` is no id or is taken, if one of the files is there, if `root` is no
    game, or if nothing it declares lets a first rule be made.
    """
    check_name(name)
    game = load(root, engine=READY_ENGINE, paths=paths)
    _check_root(game, root)
    beside = os.path.dirname(game.checked.game.rulesets[0].manifest.span.source.name) or "."
    check_free(name, folder, [*paths, beside])
    id = game.checked.game.roles.ruleset
    for draft in drafts(game.checked):
        words = Wording(name, game.checked.game, folder, draft, _path(id, folder, beside))
        if files := _proved(words, root, [*paths, beside]):
            return files
    raise refused(f"`{id}` has nothing that a first rule could refine")


def _proved(words: Wording, root: str, paths: Sequence[str]) -> dict[str, str] | None:
    """The files of a draft, if there is nothing wrong with them."""
    name = words.name
    files = {f"{name}.yaml": manifest(words), f"{name}.rules": rules(words)}
    with TemporaryDirectory() as place:
        create_all(place, {file: text.encode() for file, text in files.items()})
        try:
            game = load(
                root, [os.path.join(place, f"{name}.yaml")], engine=READY_ENGINE, paths=paths
            )
        except RulesError:
            return None
        if len(game.report) or not plays(game):
            return None
        files[f"{name}.test.yaml"] = scenarios(words, *_measured(words, game))
        files[f"{name}.md"] = page(words)
        return files if holds(files[f"{name}.test.yaml"], place, paths, READY_ENGINE) else None


def _measured(words: Wording, game: Game) -> tuple[Measured | None, Measured | None]:
    """What the value gives in the two scenes, if it is a number."""
    rule = words.draft.rule
    if not rule.counts:
        return None, None
    at_work = measured(game, words.scene, rule.call, words.kind)
    if words.kind:
        other = words.other_scene
        return at_work, measured(game, other, rule.call, words.kind) if other else None
    return at_work, at_work and Measured("", at_work.worth - SETTING_ADDS)


def _check_root(game: Game, named: str) -> None:
    rulesets = game.checked.game.rulesets
    if len(rulesets) > 1:
        raise refused(
            f"`{named}` is an expansion itself", f"name the game: `--of {rulesets[0].id}`"
        )


def _path(root: str, folder: str, beside: str) -> str:
    """The folder to name with `--path` where the root is not found otherwise; else empty."""
    found: list[Found] = Search(search_folders([DiskFolder.at(folder)], [], Report())).by_id(root)
    return "" if found else os.path.relpath(beside, folder or ".").replace(os.sep, "/")
