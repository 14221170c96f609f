"""`rulesdsl page`, `host`, `export` and `studio`: games in the browser, and as data."""

from __future__ import annotations

import os
import re
import secrets
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rulesdsl.base.writing import write_all
from rulesdsl.cli import loading
from rulesdsl.cli.console import (
    CLEAN,
    PAGE,
    Console,
    bad_argument,
    check_ending,
    deliver,
    output_to,
    package_missing,
    refusing,
    save_output,
)
from rulesdsl.engine.run import DEFAULT_ENGINE, READY_ENGINE
from rulesdsl.language.diagnostics.report import inert, inert_json
from rulesdsl.play import Game
from rulesdsl.play.bots import bot_maker
from rulesdsl.play.records import made_folder
from rulesdsl.show.page import plan, write

if TYPE_CHECKING:
    from rulesdsl.serve.server import HostServer
    from rulesdsl.serve.store import TableStore
    from rulesdsl.show.page.serve import PageServer

_RECORD = ".jsonl"
_ADDRESS = re.compile(r"((?i:https?)://([A-Za-z0-9.-]++)(?::[0-9]{1,5})?)(?:/[A-Za-z0-9._~-]++)*/?")
_DATABASE = re.compile(r"postgres(?:ql)?://.")
_LONGEST_NAME = 253
"""The length of the longest name of a host."""


def page(arguments: Namespace, console: Console) -> int:
    """Open the page of a game, or of a recorded game, in the browser, or write it."""
    check_ending(arguments.to, "a page", PAGE)
    arguments.ruleset = loading.record_path(arguments.ruleset)
    record = None
    if arguments.ruleset.endswith(_RECORD):
        if arguments.expansions or arguments.set or arguments.players:
            raise bad_argument("a record names its rules and players: leave out other options")
        record, game = loading.recorded(arguments.ruleset, arguments, console, READY_ENGINE)
        if record.header.seed is None:
            raise bad_argument("the record has no seed, so a page cannot play it back")
    else:
        game = loading.load_game(arguments, console)
    counts = [record.header.players] if record else _counts(arguments, game)
    plays = record is None and arguments.to is None
    text = write.page(game, counts, record, served="served" if plays else None)
    if arguments.to is not None:
        save_output(arguments.to, text.encode(), console)
        return CLEAN
    from rulesdsl.show.page.serve import PageServer, Records

    saved = made_folder()
    root = game.checked.game.roles.ruleset
    stem = f"{root}-{date.today().isoformat()}" if saved else "game"
    paths = loading.saved_folders(arguments) if saved else ()
    records = Records(
        saved or Path(), lambda name: console.tell(f"recorded in {name}"), stem, paths
    )
    posts = {"record": records.answer} if plays else {}
    try:
        return _serve(lambda port: PageServer(text, posts, port), "the page is", arguments, console)
    finally:
        records.finish()


def host(arguments: Namespace, console: Console) -> int:
    """Serve tables at which people elsewhere play until the user stops it."""
    try:
        from rulesdsl.serve.store import ADMIN, WATCHER
        from rulesdsl.serve.table import named
    except ImportError:
        raise package_missing("`rulesdsl host`", "sqlalchemy", "host") from None
    _check_reach(arguments)
    games = _hosted(arguments, console)
    kinds = [_kinds(arguments, game) for game in games]
    with _tables(arguments) as store, _host(arguments, games, store) as server:
        console.say(f"tables at {server.address} (Ctrl-C ends)")
        if not ip_address(arguments.bind).is_loopback:
            what = "take free seats" if arguments.lobby else "play with a link"
            console.say(f"whoever reaches {arguments.bind} can {what}; nothing is encrypted")
        for offer, own in zip(server.offers, kinds, strict=True):
            if arguments.no_table:
                break
            if len(games) > 1:
                console.say(f"{named(offer.game)}:")
            links = server.add(secrets.randbits(63), own, offer)
            names = {WATCHER: "to watch", ADMIN: "to administer the table"}
            for place, link in links.items():
                console.say(f"{names.get(place) or offer.game.colours[place]}: {link}")
        server.wait()
    return CLEAN


def _hosted(arguments: Namespace, console: Console) -> list[Game]:
    """Return the games that are hosted; options for one game go with one."""
    from rulesdsl.serve.table import named

    if len(arguments.rulesets) > 1 and (arguments.expansions or arguments.set):
        raise bad_argument("`--with` and `--set` are for one game: start a server for each")
    games = dict[str, Game]()
    for ruleset in arguments.rulesets:
        arguments.ruleset = ruleset
        game = loading.load_game(arguments, console, DEFAULT_ENGINE)
        if game.engine != DEFAULT_ENGINE:
            raise bad_argument(f"tables need the engine `{DEFAULT_ENGINE}`, which cannot be loaded")
        if named(game) in games:
            raise bad_argument(f"two of these games are `{named(game)}`: leave out one")
        games[named(game)] = game
    return list(games.values())


def _check_reach(arguments: Namespace) -> None:
    """Refuse addresses under which no browser would find the server."""
    try:
        bind = ip_address(arguments.bind)
    except ValueError:
        message = f"`{arguments.bind}` is not the IP address of a network of this machine"
        raise bad_argument(message, "such as: --bind 192.168.1.5") from None
    if arguments.address is None:
        if bind.is_unspecified or bind.version == 6:
            help = f"such as: --address http://192.168.1.5:{arguments.port}"
            raise bad_argument("--bind needs --address here: how browsers reach it", help)
    elif not _is_address(arguments.address):
        message = f"`{arguments.address}` is not the address of a server"
        help = "such as: --address https://play.example.org"
        if not arguments.address.isascii():
            message += ": browsers send names of hosts in ASCII"
            help = "write the name as the address that a browser copies has it: https://xn--…"
        raise bad_argument(message, help)


def _is_address(text: str) -> bool:
    found = _ADDRESS.fullmatch(text)
    port = found[1].rpartition(":")[2] if found else ""
    return (
        found is not None
        and len(found[2]) <= _LONGEST_NAME
        and (not port.isdecimal() or 0 < int(port) <= 65535)
    )


def _kinds(arguments: Namespace, game: Game) -> list[str]:
    """Return who plays each seat: people, and the bots that are asked for."""
    from rulesdsl.serve.table import named

    bots = loading.parts([arguments.bots])
    of = f"{named(game)}: " if len(arguments.rulesets) > 1 else ""
    try:
        for bot in bots:
            bot_maker(bot)
        seats = game.seats(arguments.players)
    except ValueError as error:
        raise bad_argument(f"{of}{error}") from None
    if len(bots) >= seats:
        raise bad_argument(f"{of}{len(bots)} bots leave no seat for people", "use: --players")
    return ["human"] * (seats - len(bots)) + list(bots)


@contextmanager
def _tables(arguments: Namespace) -> Iterator[TableStore]:
    from sqlalchemy.exc import SQLAlchemyError

    from rulesdsl.serve.store import OtherTables, TableStore

    named, address = "the database", arguments.database
    if address is None:
        path = _tables_file(arguments.tables)
        named, address = f"`{path}`", f"sqlite:///{path}"
    elif not _DATABASE.match(address):
        help = "such as: --database postgresql://name@127.0.0.1/tables"
        raise bad_argument("`--database` takes the address of a PostgreSQL database", help)
    try:
        if arguments.database is None:
            path.touch(0o600)
            path.open("ab").close()  # A file that can only be read is refused here.
        store = TableStore(address)
    except ImportError:
        raise package_missing("`--database`", "psycopg", "host") from None
    except OtherTables:
        message = f"{named} has tables of another version of rulesdsl, or of another program"
        help = "an empty database" if arguments.database else "another file: --tables new.db"
        raise bad_argument(message, f"for new games use {help}") from None
    except (OSError, ValueError, SQLAlchemyError) as error:
        reason = getattr(error, "orig", None) or getattr(error, "strerror", None) or error
        reason = " ".join(str(reason).lower().split())
        if reason == "database is locked":
            reason = "another server has them open"
        raise bad_argument(f"{named} cannot keep tables: {inert(reason)}") from None
    try:
        yield store
    finally:
        store.close()


def _tables_file(file: str | None) -> Path:
    folder = made_folder() if file is None else None
    if file is None and folder is None:
        raise bad_argument("your saved games have no folder", "use: --tables FILE")
    if file == ":memory:":
        raise bad_argument("tables are kept in a file, not in memory", "such as: --tables new.db")
    return Path(file) if file is not None else Path(folder or "") / "tables.db"


def _host(arguments: Namespace, games: Sequence[Game], store: TableStore) -> HostServer:
    from rulesdsl.serve.server import HostServer

    (game, text), *others = [
        (each, write.page(each, each.players, served="hosted")) for each in games
    ]
    try:
        reach = arguments.bind, arguments.port, arguments.address
        return HostServer(
            text,
            game,
            store,
            *reach,
            turn_time=arguments.turn_time,
            connections=arguments.connections,
            lobby=arguments.lobby,
            others=others,
        )
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        where = f"{arguments.bind}, port {arguments.port}"
        raise bad_argument(f"{where} cannot be used: {reason}") from None


def studio(arguments: Namespace, console: Console) -> int:
    """Serve the studio on this machine until the user stops it, or write one without a server."""
    if arguments.site or arguments.single:
        return _write_studio(arguments, console)
    if arguments.folder is None:
        with TemporaryDirectory() as folder:
            return _serve_studio(folder, arguments, console, saves=False)
    _check_folder(Path(arguments.folder))
    return _serve_studio(arguments.folder, arguments, console, saves=True)


def _write_studio(arguments: Namespace, console: Console) -> int:
    from rulesdsl.author.studio.site import NoPyodide, pyodide_folder, single, site

    try:
        pyodide = pyodide_folder(arguments.pyodide)
    except NoPyodide as error:
        help = "to get it: npm install pyodide, then --pyodide node_modules/pyodide"
        raise bad_argument(str(error), help) from None
    if arguments.single:
        save_output(arguments.single, single(pyodide, console.tell).encode(), console)
        return CLEAN
    with output_to(f"`{arguments.site}`"):
        write_all(arguments.site, site(pyodide, console.tell))
    console.tell(f"written to {arguments.site}, for any web server")
    return CLEAN


def _serve_studio(folder: str, arguments: Namespace, console: Console, *, saves: bool) -> int:
    from rulesdsl.author.studio.project import Project
    from rulesdsl.author.studio.session import Session
    from rulesdsl.author.studio.site import server

    session = Session(Project(folder, tuple(arguments.path)), saves=saves)
    make = partial(server, session, pyodide=arguments.pyodide)
    return _serve(make, "the studio is", arguments, console)


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise bad_argument(f"`{folder}` is not a folder", f"to make it: mkdir {folder}")
    if not os.access(folder, os.W_OK):
        raise bad_argument(f"nothing can be written to `{folder.absolute()}`")


def _serve(
    make: Callable[[int], PageServer], what: str, arguments: Namespace, console: Console
) -> int:
    try:
        server = make(arguments.port)
    except OSError as error:
        reason = error.strerror or str(error)
        raise bad_argument(f"port {arguments.port} cannot be used: {reason.lower()}") from None
    with server:
        console.say(f"{what} at {server.address} (Ctrl-C ends)")
        if not arguments.no_browser:
            server.open_browser()
        server.wait()
    return CLEAN


def export(arguments: Namespace, console: Console) -> int:
    """Write a game as data."""
    check_ending(arguments.to, "a game as data", ("", ".json"), console)
    game = loading.load_game(arguments, console)
    data = plan.export(game, _counts(arguments, game))
    text = inert_json(data) + "\n"
    deliver(text, arguments.to, console)
    return CLEAN


def _counts(arguments: Namespace, game: Game) -> Sequence[int]:
    given = loading.parts(arguments.players)
    for each in given:
        if not each.isdecimal():
            raise bad_argument(f"`{each}` is not a number of players")
    with refusing():
        return sorted({game.seats(int(each)) for each in given}) or game.players
