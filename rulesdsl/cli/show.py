"""`rulesdsl show`: pieces and boards as text."""

from __future__ import annotations

import os
from argparse import Namespace

from rulesdsl.cli.console import Console
from rulesdsl.cli.loading import game_of, painter, parts, same_place, words
from rulesdsl.cli.problems import CLEAN, bad_argument
from rulesdsl.cli.recording import read_source
from rulesdsl.cli.words import Words
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.geometry.picture import draw
from rulesdsl.model.game import KindDef
from rulesdsl.play import Game, load
from rulesdsl.play.records import read_record
from rulesdsl.play.watch import played


def tile(arguments: Namespace, console: Console) -> int:
    """Draw one piece of a ruleset, or all of them."""
    for number, name in enumerate(arguments.names):
        ruleset, piece = _split(name)
        game = load(ruleset, parts(arguments.expansions), paths=arguments.path)
        if number == 0:
            console.show(game.report)
        text = words(game, arguments.lang, console)
        for kind in _chosen(game, ruleset, piece):
            _draw(kind, game, text, console)
    return CLEAN


def _split(name: str) -> tuple[str, str | None]:
    """A ruleset and the id of a piece: `base/bend`, `games/base.yaml/bend`, or only a ruleset."""
    ruleset, slash, piece = name.rpartition("/")
    return (ruleset, piece) if slash and piece and not os.path.exists(name) else (name, None)


def _chosen(game: Game, ruleset: str, piece: str | None) -> list[KindDef]:
    """The drawn pieces meant, at least one; raises RulesError if there is none."""
    drawn = [kind for kind in game.checked.game.kinds if kind.outline is not None]
    owner = _id(game, ruleset)
    if piece is not None:
        found = [kind for kind in drawn if kind.ruleset == owner and kind.name == piece]
        if not found:
            own = [kind.name for kind in drawn if kind.ruleset == owner]
            raise bad_argument(f"`{owner}` has no tile `{piece}`", *did_you_mean(piece, own))
        return found
    found = [kind for kind in drawn if kind.ruleset == owner]
    if not found:
        raise bad_argument(f"`{owner}` has no tiles")
    return found


def _id(game: Game, name: str) -> str:
    """The id of the ruleset that was named by its id, folder or manifest."""
    for ruleset in game.checked.game.rulesets:
        manifest = ruleset.manifest.span.source.name
        if same_place(manifest, name) or same_place(os.path.dirname(manifest) or ".", name):
            return ruleset.id
    return name


def _draw(kind: KindDef, game: Game, text: Words, console: Console) -> None:
    assert kind.outline is not None, "only drawn pieces are chosen"
    index = game.checked.game.kinds.index(kind)
    count = sum(piece.kind == index for piece in game.checked.game.pieces)
    label = game.labels.find(kind.key, text.language)
    title = f"{kind.ruleset}/{kind.text}"
    console.say((title, "title"), f"  {label}  x{count}" if label else f"  x{count}")
    console.write([[f"  {line}"] for line in draw(kind.outline)])
    console.say()


def board(arguments: Namespace, console: Console) -> int:
    """Draw the board of a recorded game at the end of a turn, or where the record ends."""
    record = read_record(read_source(arguments.record, console.input))
    game = game_of(record, arguments.record, arguments.path, arguments.engine)
    text = words(game, arguments.lang, console)
    last, turn = None, 0
    for now in played(record, game):
        if now.step is not None:
            last, turn = now.step.laid or last, now.step.turn
        if turn == arguments.turn and (now.step is None or now.step.last):
            break
    if arguments.turn not in (None, turn):
        raise bad_argument(f"the record has turns 0 to {turn}, not {arguments.turn}")
    console.say((text.texts("turn", turn=turn), "title"))
    console.write(painter(text, console).board(now.state, last))
    return CLEAN
