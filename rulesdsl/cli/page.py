"""`rulesdsl page`, `play` and `export`: a game in the browser, and as data."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from rulesdsl.cli import loading
from rulesdsl.cli.console import CLEAN, Console, bad_argument, write_output
from rulesdsl.diagnostics.visible import inert_json
from rulesdsl.engines import READY_ENGINE
from rulesdsl.page import plan, write
from rulesdsl.play import Game, load
from rulesdsl.play.records import read_record
from rulesdsl.play.saved import made_folder

_RECORD = ".jsonl"


def page(arguments: Namespace, console: Console) -> int:
    """Write the page of a game, or of a recorded game."""
    arguments.ruleset = loading.record_path(arguments.ruleset)
    if arguments.ruleset.endswith(_RECORD):
        text = _recorded(arguments, console)
    else:
        game = _loaded(arguments, console)
        text = write.page(game, _counts(arguments, game))
    write_output(arguments.to, text.encode())
    console.tell(f"written to {arguments.to}")
    return CLEAN


def _recorded(arguments: Namespace, console: Console) -> str:
    """Return the page that shows the game of a record."""
    if arguments.expansions or arguments.set or arguments.players:
        raise bad_argument("a record names its rules and players: leave out other options")
    record = read_record(loading.read_source(arguments.ruleset, console.input))
    if record.header.seed is None:
        raise bad_argument("the record has no seed, so a page cannot play it back")
    game = loading.game_of(record, arguments.ruleset, arguments.path, READY_ENGINE)
    return write.page(game, [record.header.players], record)


def play(arguments: Namespace, console: Console) -> int:
    """Serve the page of a game on this machine until the user stops it."""
    from rulesdsl.page.serve import PageServer, Records, terms_of

    if not 0 <= arguments.port <= 65535:
        raise bad_argument(f"{arguments.port} is not the number of a port", "0 is any free port")
    saved = made_folder() if arguments.records is None else None
    folder = saved or Path(arguments.records or ".")
    if not folder.is_dir():
        raise bad_argument(f"`{folder}` is not a folder", f"to make it: mkdir {folder}")
    game = _loaded(arguments, console)
    text = write.page(game, _counts(arguments, game), served=True)
    root = game.checked.game.roles.ruleset
    stem = f"{root}-{date.today().isoformat()}" if saved else "game"
    paths = loading.saved_folders(arguments) if saved else ()
    records = Records(folder, lambda name: console.tell(f"recorded in {name}"), stem, paths)
    posts = {"record": records.answer, "terms": terms_of(game)}
    try:
        server = PageServer(text, posts, arguments.port)
    except OSError as error:
        reason = error.strerror or str(error)
        raise bad_argument(f"port {arguments.port} cannot be used: {reason.lower()}") from None
    with server:
        console.say(f"play at {server.address} (Ctrl-C ends)")
        if not arguments.no_browser:
            server.open_browser()
        try:
            server.serve_forever()
        finally:
            records.finish()
    return CLEAN


def export(arguments: Namespace, console: Console) -> int:
    """Write a game as data."""
    game = _loaded(arguments, console)
    data = plan.export(game, _counts(arguments, game))
    text = inert_json(data) + "\n"
    if arguments.to is None:
        console.document(text)
    else:
        write_output(arguments.to, text.encode())
        console.tell(f"written to {arguments.to}")
    return CLEAN


def _loaded(arguments: Namespace, console: Console) -> Game:
    if arguments.ruleset == loading.STDIN:
        raise bad_argument("a ruleset cannot come from standard input")
    chosen, paths = loading.settings(arguments.set), arguments.path
    expansions = loading.parts(arguments.expansions)
    game = load(arguments.ruleset, expansions, chosen, READY_ENGINE, paths=paths)
    console.show(game.report)
    return game


def _counts(arguments: Namespace, game: Game) -> Sequence[int]:
    """Return the numbers of players that are asked for, or all."""
    given = loading.parts(arguments.players)
    for each in given:
        if not each.isdecimal() or int(each) not in game.players:
            least, most = game.players.start, game.players.stop - 1
            raise bad_argument(f"this game is for {least} to {most} players, not `{each}`")
    return sorted({int(each) for each in given}) or game.players
