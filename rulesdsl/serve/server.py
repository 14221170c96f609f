"""The server of tables: a page for everybody, and a connection for each place at a table.

`docs/reference/host.md` describes the messages.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import secrets
import sys
import traceback
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from ipaddress import ip_address, ip_network
from itertools import chain
from time import monotonic
from typing import Any, Self, TypeVar, cast
from urllib.parse import urlsplit

from sqlalchemy.exc import SQLAlchemyError
from tornado.http1connection import HTTP1Connection
from tornado.httputil import HTTPServerRequest
from tornado.iostream import IOStream
from tornado.web import Application, HTTPError, RequestHandler
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from rulesdsl.base.deadline import OutOfTime
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.language.diagnostics import RulesError
from rulesdsl.language.diagnostics.report import inert, visible
from rulesdsl.play import Game
from rulesdsl.play.bots import BOTS
from rulesdsl.play.records import Header
from rulesdsl.serve.seen import Data, Seat
from rulesdsl.serve.store import ADMIN, WATCHER, Links, SeatPlace, TableStore, TableThread
from rulesdsl.serve.table import (
    HUMAN,
    GameTable,
    Known,
    MessageRefused,
    Reader,
    listed_as,
    named,
    named_in,
    new_table,
)
from rulesdsl.show.page.serve import HEADERS, MOST_CONNECTIONS, OwnServer

PROTOCOL = 1
MOST_MESSAGE = 4096
"""The largest message in bytes that a client may send."""
MOST_NAME, MOST_CHAT = 40, 500
"""The most characters of a name, and of a line that is said."""
MOST_A_SECOND, AT_ONCE = 10, 100
"""The messages that a client may send in a second on average, and at once."""
BY_ADDRESS = {"message": (200, 2000), "open": (1 / 60, 20), "sit": (1 / 10, 20)}
"""How often one address may do something at a server with a lobby: in a second, and at once."""
OPENED = 1 / 6, 1000
"""How often all addresses may open tables."""
MOST_ADDRESSES = 10_000
"""The addresses whose quotas are kept, those that did something last."""
MOST_UNREAD, MOST_UNREAD_IN_ALL = 1_000_000, 64_000_000
"""The most bytes that wait for one client that does not read them, and for all.

The past of a game, which a client is told when it joins, counts only while it is being written: it
is in memory once for all.
"""
AT_A_TIME = 64_000
"""The bytes after which no other message is written before the client has taken those."""
MOST_AT_PLACE = 8
"""The connections of one place; of too many the oldest goes, so that no link keeps others out."""
MOST_IDLE = 50
"""The tables that are kept in memory though nobody is there, so that a page that comes back finds
its game as it is."""
MOST_LISTED = 50
"""The tables that are listed at once."""
LISTED_FOR = 1.0
"""Seconds for which all people in the lobby are told one list."""
MOST_UNSEEN = 8
"""The tables of one address at which nobody from another has been; of more the oldest is no longer
listed, unless it has moves."""
TO_JOIN = 20.0
"""Seconds in which a new connection shows its secret."""

NOTHING = -1, -1
"""What is asked for where nobody asks for anything."""
_LOBBY = ("lobby", "open", "sit")
"""The messages of who has no link yet."""
_FAILURES = (PlayError, OutOfTime, SQLAlchemyError)
SAID_FOR, MOST_SAID = 10.0, 100
"""Seconds in which no line is written again, and the most lines that are remembered for that."""
_SAID: dict[str, float] = {}

_Result = TypeVar("_Result")


class Offer:
    """A game that a server offers, and its page; `path` is below the address, empty at the root."""

    def __init__(self, game: Game, page: str, path: str = "") -> None:
        self.game, self.page, self.path = game, page.encode(), path
        self.packed = gzip.compress(self.page, mtime=0)
        self.free: asyncio.Future[Data] | None = None
        """The message about free seats that is told until `free_until`."""
        self.free_until = 0.0


class HostServer(OwnServer):
    """Serves the tables of a store at which games are played, during a `with` block.

    One game and its page are at the root, each of `others` below its name (`named`).

    Tables are played one after the other in one thread, so a move is in the store before anybody is
    told of it. `origins` are the addresses under which browsers may know the server. A person who
    does not move within `turn_time` seconds, while somebody is at the table, has a bot move. With a
    `lobby`, whoever can reach the server sees its tables with free seats, takes seats, and opens
    tables.
    """

    def __init__(
        self,
        page: str,
        game: Game,
        store: TableStore,
        bind: str,
        port: int,
        address: str | None = None,
        turn_time: float | None = None,
        connections: int = MOST_CONNECTIONS,
        lobby: bool = False,
        others: Sequence[tuple[Game, str]] = (),
    ) -> None:
        """Listen on a port, 0 for any free one; raises OSError if that cannot be."""
        more = (Offer(other, text, f"{named(other)}/") for other, text in others)
        self.offers = Offer(game, page), *more
        # The first game has an address of its own as well, which stays if the others change.
        paths = (f"{named(game)}/", self.offers[0]), *((each.path, each) for each in self.offers)
        self.prefix = urlsplit(address or "").path.rstrip("/")
        """The path below which a proxy has the server; it may pass it on, or leave it out."""
        before = f"(?:{re.escape(self.prefix)})?/"
        application = Application(
            [
                (before + re.escape(path) + end, handler, {"server": self, "offer": offer})
                for path, offer in paths
                for end, handler in (("?" if path else "", _Page), ("table", _Client))
            ],
            websocket_max_message_size=MOST_MESSAGE,
            websocket_ping_interval=20,
            default_handler_class=_Nothing,
            default_handler_args={"server": self, "offer": self.offers[0]},
            log_function=lambda _: None,
        )
        super().__init__(application, bind, port, MOST_MESSAGE, lasting=True)
        self.connections.most, self.connections.shared = connections, address is None
        own = f"http://localhost:{self.port}", f"http://{self.host}", address or self.address
        self.origins = frozenset(map(origin, own))
        self.address = f"{origin(own[-1])}{self.prefix}/"
        self._store, self.name = store, store.name
        self._tables: dict[str, _Open] = {}
        self._opening: dict[tuple[Offer, str], asyncio.Future[_Open | None]] = {}
        """The tables that are being loaded."""
        self._proxy = address is not None
        self.thread = TableThread(store)
        self.turn_time, self.lobby, self.ended = turn_time, lobby, False
        self._opened = Quota(*OPENED)
        self._unseen: dict[str, str] = {}
        """The tables that were opened in the lobby with the only address that has been there."""
        self._quotas: dict[tuple[str, str], Quota] = {}
        self.clients = set[_Client]()
        self.unread = 0
        """The bytes that wait for all clients."""

    def __enter__(self) -> Self:
        """Serve, and follow what other servers of the store do."""
        super().__enter__()
        self._store.listen(self._heard)
        return self

    def _heard(self, id: str | None, message: list[Any] | None) -> None:
        if id is None or id in self._tables:  # Most are of tables at which nobody is here.
            with suppress(RuntimeError):  # The server has ended.
                self._loop.call_soon_threadsafe(self._take, id, message)

    def _take(self, id: str | None, message: list[Any] | None) -> None:
        for own in list(self._tables) if id is None else [id]:
            if each := self._tables.get(own):
                each.begin(partial(each.take, message))

    def stopped(self) -> None:
        """Finish the move that is being played, and play no other."""
        self.ended = True
        self.thread.end()
        for stream in list(self.connections.known):
            stream.close()

    def add(self, seed: int, kinds: Sequence[str], offer: Offer | None = None) -> dict[int, str]:
        """Add a table, of the first game if no other is given; return the addresses of its places.

        At each place sits `human` or the name of a bot. Raises PlayError or OutOfTime if a rule
        fails before the first move.
        """
        places = {
            place: (secrets.token_urlsafe(16), SeatPlace("", kinds[place] if place >= 0 else HUMAN))
            for place in (*range(len(kinds)), WATCHER, ADMIN)
        }
        offer = offer or self.offers[0]
        adding = self._add(secrets.token_hex(8), seed, places, offer.game)
        asyncio.run_coroutine_threadsafe(adding, self._loop).result()
        address = f"{self.address}{offer.path}"
        return {place: f"{address}#{secret}" for place, (secret, _) in places.items()}

    async def _add(self, id: str, seed: int, places: Links, game: Game) -> None:
        new = partial(new_table, game, self._store, id, seed, places, listed=self.lobby)
        await self.run(new)

    def visitor(self, request: HTTPServerRequest) -> str:
        """Return the address that a request comes from, empty if the proxy does not say it.

        Of IPv6 it is the network, as who has one address there has all of it.
        """
        said = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        own = said if self._proxy else str(request.remote_ip)
        with suppress(ValueError):
            if ip_address(own).version == 6:
                return str(ip_network(f"{own}/64", strict=False))
        return own

    def allows(self, visitor: str, what: str) -> bool:
        """Return whether an address may do something once more; an unknown one always may."""
        if not visitor or not self.lobby:
            return True
        own = self._quotas.pop((visitor, what), None) or Quota(*BY_ADDRESS[what])
        self._quotas[visitor, what] = own
        if len(self._quotas) > MOST_ADDRESSES:
            del self._quotas[next(iter(self._quotas))]
        return own.take()

    async def open(self, offer: Offer, players: int, visitor: str) -> None:
        try:
            seats = range(offer.game.seats(players))
        except ValueError as error:
            raise MessageRefused(str(error)) from None
        if not self.allows(visitor, "open"):
            raise MessageRefused("too many tables were opened from your address")
        if not self._opened.take():
            raise MessageRefused("too many tables were opened here")
        id = secrets.token_hex(8)
        places = {seat: (secrets.token_urlsafe(16), SeatPlace("", HUMAN)) for seat in seats}
        await self._add(id, secrets.randbits(63), places, offer.game)
        self._unseen[id] = visitor
        own = [each for each, by in self._unseen.items() if by == visitor]
        for oldest in own[:-MOST_UNSEEN] if visitor else ():
            del self._unseen[oldest]
            await self.run(partial(self._store.unlist, oldest))
        offer.free = None

    def _seen(self, id: str, visitor: str) -> None:
        if self._unseen.get(id, visitor) != visitor:
            del self._unseen[id]

    async def free(self, offer: Offer) -> Data:
        """Return the message about the tables with free seats, as it was a moment ago."""
        if offer.free is None or monotonic() > offer.free_until:
            offer.free = asyncio.ensure_future(self._find_free(offer.game))
            offer.free_until = monotonic() + LISTED_FOR
        return await offer.free

    async def _find_free(self, game: Game) -> Data:
        found = await self.run(partial(self._store.free, listed_as(game), MOST_LISTED))
        sizes = {"least": min(game.players), "most": max(game.players)}
        games = [
            {"path": f"{self.prefix}/{each.path}", "name": named(each.game)} for each in self.offers
        ]
        return {"type": "tables", "tables": found, **sizes, "games": games}

    async def sit(self, offer: Offer, id: str, seat: int, name: str, visitor: str) -> Data:
        """Give a person a free seat; return the message with the secret of its link."""
        if not self.allows(visitor, "sit"):
            raise MessageRefused("too many seats were taken from your address")
        secret = secrets.token_urlsafe(16)
        sits = partial(self._store.sit, listed_as(offer.game), id, seat, name, secret)
        if not await self.run(sits):
            raise MessageRefused("this seat is taken")
        self._seen(id, visitor)
        offer.free = None
        if id in self._tables:
            await self._tables[id].take(None)
        return {"type": "seat", "secret": secret}

    async def find(self, offer: Offer, secret: str, visitor: str) -> tuple[_Open, int] | None:
        """Return the table of a game and the place of a link, None if there is none.

        Raises RulesError if the table is one of other rulesets.
        """
        found = await self.run(partial(self._store.find, secret))
        if found is None:
            return None
        id, place = found
        self._seen(id, visitor)
        opened = self._tables.get(id)
        if opened is None:
            key = offer, id
            if key not in self._opening:
                self._opening[key] = asyncio.ensure_future(self._find_table(*key))
                self._opening[key].add_done_callback(lambda _: self._opening.pop(key))
            opened = await self._opening[key]
        return (opened, place) if opened and opened.table.game is offer.game else None

    async def _find_table(self, offer: Offer, id: str) -> _Open | None:
        table = await self.run(partial(self._load, offer, id))
        if table is None:
            return None
        opened = self._tables.setdefault(id, _Open(self, table))
        if self._store.shared:  # It may have changed while it was loaded.
            await opened.take(None)
        return opened

    def _load(self, offer: Offer, id: str) -> GameTable | None:
        """Return a table, None if it is of another game that is offered."""
        kept = self._store.load(id)
        own = named_in(Header.read(json.loads(kept.head)))
        others = {named(each.game) for each in self.offers if each is not offer}
        return None if own in others else GameTable(offer.game, self._store, kept)

    def close(self, table: GameTable) -> None:
        """Forget a table at which nobody is, until somebody comes; the last ones are kept."""
        self._tables[table.id] = self._tables.pop(table.id)
        idle = [id for id, each in self._tables.items() if not each.clients]
        for id in idle[:-MOST_IDLE]:
            del self._tables[id]

    async def run(self, task: Callable[[], _Result]) -> _Result:
        """Run a task in the thread in which tables are played, after all that is on the disk."""
        return await self.thread.run(lambda: None, lambda _: task())

    async def share(self, table: GameTable, message: list[Any]) -> None:
        if self._store.shared and not self.ended:
            await self.run(partial(self._store.tell, table.id, message))


class Quota:
    """A limit on how often something may be done: in a second on average, and at once."""

    def __init__(self, a_second: float, at_once: float) -> None:
        self._a_second, self._at_once = a_second, at_once
        self._left, self._since = at_once, monotonic()

    def take(self) -> bool:
        """Return whether it may be done once more, and note that it is."""
        now = monotonic()
        self._left = min(self._at_once, self._left + self._a_second * (now - self._since))
        self._since = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


def origin(address: str) -> str:
    """Return an address as browsers name it: in lower case, without the port that it has anyway.

    A dot at the end of the name says only that it is whole.
    """
    scheme, _, rest = address.lower().partition("://")
    name, colon, port = rest.partition("/")[0].partition(":")
    if port == {"http": "80", "https": "443"}.get(scheme):
        colon = port = ""
    return f"{scheme}://{name.removesuffix('.')}{colon}{port}"


class _Open:
    """A table with the clients that look at it."""

    def __init__(self, server: HostServer, table: GameTable) -> None:
        self.server, self.table = server, table
        self.clients: dict[_Client, None] = {}
        """The clients, in the order in which they came."""
        self._bots: asyncio.Task[None] | None = None
        self._tasks = set[asyncio.Task[None]]()
        self._asked = NOTHING, set[int]()
        """The turn in which something was asked for with the moves that stay, and who agrees."""
        self._elsewhere: dict[str, list[int]] = {}
        """The places of the clients of other servers."""
        self._seated = dict(table.places)
        """Who sits where, as clients were told last."""
        self._updating = asyncio.Lock()
        self._clock: asyncio.TimerHandle | None = None
        self._timed = -1
        """The turn of the clock."""

    def begin(self, task: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        """Run a task beside the messages of clients; all clients are told if it fails."""
        begun = asyncio.get_running_loop().create_task(self._tried(task))
        self._tasks.add(begun)
        begun.add_done_callback(self._tasks.discard)
        return begun

    async def _tried(self, task: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await task()
        except MessageRefused:
            pass  # Another server was first.
        except Exception as error:
            if not self.server.ended:
                # The database may be back soon.
                kind = "refused" if isinstance(error, SQLAlchemyError) else "failed"
                self.tell({"type": kind, "text": _reason(error)})

    def join(self, client: _Client) -> None:
        """Tell a client everything from now on."""
        self.clients[client] = None
        at_place = [each for each in self.clients if each.place == client.place]
        for oldest in at_place[:-MOST_AT_PLACE]:
            oldest.tell({"type": "failed", "text": "this link is open too often"})
            oldest.close()
        self.tell_people()
        self._tell_here()
        self._tell_clock(client)

    def leave(self, client: _Client) -> None:
        self.clients.pop(client, None)
        self.tell_people()
        self._tell_here()
        if not self.clients:
            self._stop_clock()
            self.server.close(self.table)

    def tell(self, message: Data) -> None:
        for client in list(self.clients):
            client.tell(message)

    def here(self) -> list[int]:
        elsewhere = chain.from_iterable(self._elsewhere.values())
        return [*(client.place for client in self.clients), *elsewhere]

    def tell_people(self) -> None:
        here, self._seated = self.here(), dict(self.table.places)
        seats = [self.table.places[seat] for seat in range(self.table.seats)]
        people = [
            {"name": name, "kind": kind, "here": kind != HUMAN or seat in here}
            for seat, (name, kind) in enumerate(seats)
        ]
        self.tell({"type": "people", "people": people, "watching": here.count(WATCHER)})

    def _tell_here(self) -> None:
        here = [client.place for client in self.clients]
        message = ["here", self.server.name, here]
        self.begin(partial(self.server.share, self.table, message))

    async def share(self, *message: Any) -> None:
        await self.take(list(message))
        await self.server.share(self.table, list(message))

    async def take(self, message: list[Any] | None) -> None:
        """Take a message of this or another server; None says that the table has changed."""
        match message:
            case None:
                await self._follow(self.table.catch_up)
            case ["moved", int(turn), int(number), str(line)]:
                await self._follow(partial(self.table.follow, turn, number, line))
            case ["said", int(place), str(text)]:
                self.tell({"type": "said", "place": place, "text": text})
            case ["asks", int(seat), int(turn), int(to), bool(end)]:
                if self._asked[0] != (turn, to):
                    self._asked = (turn, to), set()
                self._asked[1].add(seat)
                self.tell({"type": "asks", "seat": seat, "turn": turn, "moves": to, "end": end})
            case ["agrees", int(seat), int(turn), int(to), bool(agrees)]:
                await self._agree(seat, (turn, to), agrees)
            case ["here", str(name), list(here)]:
                known = self._elsewhere.pop(name, None)
                if here:
                    self._elsewhere[name] = here
                    if known is None:
                        self._tell_here()
                self.tell_people()
            case ["gone", str(name)] if self._elsewhere.pop(name, None):
                self.tell_people()
            case ["who"] if self.clients:
                self._tell_here()

    async def _follow(self, task: Callable[[], object]) -> None:
        await self.change(task)
        if self.table.places != self._seated:
            self.tell_people()
        await self.grant()

    async def change(self, task: Callable[[], object]) -> None:
        """Change the table, tell everybody what they may know, and have bots go on."""
        await self.update(task)
        self.go_on()

    async def update(self, task: Callable[[], _Result] | None = None) -> _Result | None:
        """Do something with the table, and tell everybody what they do not know yet."""
        async with self._updating:
            clients = list(self.clients)
            asked = [(client.known, client.reader) for client in clients]
            news = partial(self._news, asked)
            done, found = await self.server.thread.run(task or (lambda: None), news)
            for client, (texts, known) in zip(clients, found, strict=True):
                past, client.known = client.known.moves < 0, known
                client.send(texts, past=past)
        return done

    def _news(
        self, asked: Sequence[tuple[Known, Reader]], done: _Result | None
    ) -> tuple[_Result | None, list[tuple[list[str], Known]]]:
        self.table.kept()
        return done, [self.table.news(*each) for each in asked]

    async def undo(self, client: _Client) -> None:
        """Take back the last move of a client, or ask the others whether it may."""
        asks = await self.update(partial(self.table.take_back, client.seat))
        if asks is None:
            self.go_on()
            return
        assert client.seat is not None, "only players make moves"
        await self.share("asks", client.seat, *asks, False)

    async def end(self, client: _Client) -> None:
        if client.seat is None:
            raise MessageRefused("only players can ask for that")
        asks = await self.server.run(self.table.asks_end)
        await self.share("asks", client.seat, *asks, True)
        await self.share("agrees", client.seat, *asks, True)

    async def agree(self, client: _Client, asked: tuple[int, int], agrees: bool) -> None:
        """Note whether a player grants what another one asks for, and do it when all do.

        The turn and the moves that stay name what was asked: there may be another request now.
        """
        if client.seat is None or asked[0] != self.table.turn or asked != self._asked[0]:
            raise MessageRefused("nobody asks for that now")
        await self.share("agrees", client.seat, *asked, agrees)

    async def _agree(self, seat: int, asked: tuple[int, int], agrees: bool) -> None:
        if asked != self._asked[0]:
            return
        if agrees:
            self._asked[1].add(seat)
            await self.grant()
        else:
            self._asked = NOTHING, set()
            self.tell({"type": "declined", "seat": seat})

    async def grant(self) -> None:
        """Do what is asked for once all people agree: bots agree to everything."""
        (turn, to), agreed = self._asked
        people = {seat for seat, place in self.table.places.items() if place.kind == HUMAN}
        if turn == self.table.turn and agreed.issuperset(people - {WATCHER, ADMIN}):
            self._asked = NOTHING, set()
            await self.change(partial(self.table.grant, turn, to))

    def go_on(self) -> None:
        """Start the moves of bots, and the clock of a person, unless they run."""
        needed = self._has_bots or self.server.turn_time is not None
        if needed and (self._bots is None or self._bots.done()):
            self._bots = self.begin(self._play_bots)

    @property
    def _has_bots(self) -> bool:
        return any(kind != HUMAN for _, kind in self.table.places.values())

    async def _play_bots(self) -> None:
        plays: bool | None = True
        while self._has_bots and self.clients and plays:
            with suppress(MessageRefused):  # The same bot has played at another server.
                plays = await self.update(self.table.play_bot)
        if self.server.turn_time is not None:
            await self._start_clock(self.server.turn_time)

    async def _start_clock(self, seconds: float) -> None:
        turn, waits = await self.server.run(self.table.waits)
        if turn == self._timed or not self.clients:
            return
        self._stop_clock()
        if waits:
            self._timed, late = turn, partial(self._play_late, turn)
            self._clock = asyncio.get_running_loop().call_later(seconds, self.begin, late)
            for client in self.clients:
                self._tell_clock(client)

    async def _play_late(self, turn: int) -> None:
        self._stop_clock()
        try:
            await self.change(partial(self.table.play_late, turn))
        finally:
            self.go_on()  # The time begins again if the move cannot be kept.

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
        self._clock, self._timed = None, -1

    def _tell_clock(self, client: _Client) -> None:
        if self._clock is not None:
            left = self._clock.when() - asyncio.get_running_loop().time()
            client.tell({"type": "clock", "turn": self._timed, "seconds": round(max(left, 0), 1)})


def _reason(error: Exception) -> str:
    """Return what clients are told of an error, which may name what they must not know.

    The terminal has the error in a line, at most once in a while: of databases only the first.
    """
    kept = isinstance(error, SQLAlchemyError)
    line = f"{'the database' if kept else 'a rule'} failed: {getattr(error, 'orig', None) or error}"
    known = "" if kept else line
    if monotonic() - _SAID.get(known, -SAID_FOR) >= SAID_FOR:
        if len(_SAID) == MOST_SAID:
            _SAID.clear()
        _SAID[known] = monotonic()
        sys.stderr.write(inert(" ".join(line.split())) + "\n")
    if kept:
        return "the game cannot be kept, so nothing was changed"
    return "a rule failed, so nothing was changed; whoever runs the table sees why"


class _Own(RequestHandler):
    """Answers requests to the names of the server, errors with nothing."""

    SUPPORTED_METHODS = ("GET", "HEAD")

    def initialize(self, server: HostServer, offer: Offer) -> None:
        self._server, self._offer = server, offer

    def set_default_headers(self) -> None:
        for name, value in {**HEADERS, "Content-Security-Policy": "frame-ancestors 'none'"}.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        """Refuse requests to a name that only points here."""
        server, host = self._server, self.request.headers.get("Host", "")
        if server.origins.isdisjoint(origin(f"{each}://{host}") for each in ("http", "https")):
            raise HTTPError(404)
        stream = cast(HTTP1Connection, self.request.connection).stream
        server.connections.visitors[stream] = server.visitor(self.request)

    def write_error(self, status_code: int, **_: Any) -> None:
        if status_code == 405:
            self.set_header("Allow", ", ".join(self.SUPPORTED_METHODS))
        self.finish()


class _Nothing(_Own):
    """Answers with nothing."""

    def prepare(self) -> None:
        raise HTTPError(404)


class _Page(_Own):
    """Answers with the page, which has no secrets: they are behind the `#` of links."""

    def get(self) -> None:
        """Answer with the page, whose own policy says what it may do.

        Browsers keep it, and ask by its digest whether it is still the same.
        """
        path = self.request.path
        if not path.endswith("/"):
            self.redirect(f"{path.rpartition('/')[2]}/", permanent=True)
            return
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Cache-Control", "no-cache")
        self.set_header("Vary", "Accept-Encoding")
        if packs := "gzip" in self.request.headers.get("Accept-Encoding", ""):
            self.set_header("Content-Encoding", "gzip")
        self.finish(self._offer.packed if packs else self._offer.page)

    head = get


class _Client(_Own, WebSocketHandler):
    """A connection. Its first message joins a place with the secret of its link."""

    SUPPORTED_METHODS = ("GET",)  # type: ignore[assignment]

    def initialize(self, server: HostServer, offer: Offer) -> None:
        super().initialize(server, offer)
        self._stream: IOStream = cast(HTTP1Connection, self.request.connection).stream
        self._table: _Open | None = None
        self._chooses = False
        """Whether the client is in the lobby."""
        self.place, self.visitor = WATCHER, server.visitor(self.request)
        self.known, self._texts = Known(), False
        self._quota, self._pings = Quota(MOST_A_SECOND, AT_ONCE), 0
        self._waiting = deque[tuple[str, int]]()
        """The messages that are not written yet, each with the bytes that it counts as unread."""
        self._writing, self.unread = 0, 0
        """The bytes that are being written, and all that wait for the client."""

    @property
    def seat(self) -> Seat:
        return self.place if self.place >= 0 else None

    @property
    def reader(self) -> Reader:
        return Reader(self.seat, self._texts)

    def check_origin(self, own: str) -> bool:
        return origin(own) in self._server.origins

    def open(self, *_: str, **__: str) -> None:
        """Wait for the secret, for some time."""
        self._server.clients.add(self)
        asyncio.get_running_loop().call_later(TO_JOIN, self._joined)

    def _joined(self) -> None:
        if self._table is None and not self._chooses:
            self.close()

    def on_close(self) -> None:
        self._server.clients.discard(self)
        self._waiting.clear()
        self._count(-self.unread)
        self._writing = 0
        if self._table is not None:
            self._table.leave(self)

    def tell(self, message: Data) -> None:
        """Send a message, unless the connection is closed or its client does not read."""
        self.send([json.dumps(message, ensure_ascii=False)])

    def send(self, texts: Sequence[str], *, past: bool = False) -> None:
        """Send the texts of messages, or close the connection of a client that does not read.

        They do not count as unread if they are the `past` of a game, which is in memory anyway.
        """
        if not texts or self not in self._server.clients:
            return
        for text in texts:
            size = 0 if past else len(text) * (1 if text.isascii() else 4)
            self._waiting.append((text, size))
            self._count(size)
        if not self._writing:
            self._write()
        if self.unread > MOST_UNREAD:
            self._stream.close()
        elif self._server.unread > MOST_UNREAD_IN_ALL:
            max(self._server.clients, key=lambda each: each.unread)._stream.close()

    def _count(self, size: int) -> None:
        self.unread += size
        self._server.unread += size

    def _write(self) -> None:
        """Write messages that wait, some at once: each write takes longer than what it writes."""
        texts, counted, length = list[str](), 0, 0
        while self._waiting and length < AT_A_TIME:
            text, size = self._waiting.popleft()
            texts.append(text)
            counted, length = counted + size, length + len(text)
        frame = f"[{', '.join(texts)}]".encode()
        self._writing = len(frame)
        self._count(self._writing - counted)
        with suppress(WebSocketClosedError):
            asyncio.ensure_future(self.write_message(frame)).add_done_callback(self._written)

    def _written(self, done: asyncio.Future[None]) -> None:
        done.exception()
        self._count(-self._writing)
        self._writing = 0
        if self._waiting:
            self._write()

    def on_ping(self, data: bytes) -> None:
        """Close the connection of a client that sends pings and does not read the answers."""
        self._pings = self._pings + 1 if self._stream.writing() else 0
        if self._pings > AT_ONCE:
            self._stream.close()

    async def on_message(self, message: str | bytes) -> None:
        if not (self._quota.take() and self._server.allows(self.visitor, "message")):
            self.close(1008, "too many messages")
            return
        try:
            await self._do(_read(message))
        except MessageRefused as refused:
            self.tell({"type": "refused", "text": inert(str(refused))})
        except RulesError as error:
            reasons = [each.message for each in error.diagnostics] + [*error.diagnostics[0].help]
            self.tell({"type": "failed", "text": inert("; ".join(reasons))})
        except _FAILURES as error:
            self.tell({"type": "refused", "text": _reason(error)})
        except (Exception, asyncio.CancelledError):
            if not self._server.ended:
                sys.stderr.write(inert(traceback.format_exc()))
                self.tell({"type": "refused", "text": "internal error"})

    async def _do(self, message: Data) -> None:
        table, what = self._table, message.get("type")
        if table is None and self._server.lobby and what in _LOBBY:
            await self._choose(message)
        elif table is None:
            await self._join(message)
        elif what == "play":
            turn, row = _number(message, "turn"), _number(message, "move")
            await table.change(lambda: table.table.play(self.seat, turn, row))
        elif what == "undo":
            await table.undo(self)
        elif what == "end":
            await table.end(self)
        elif what == "agree":
            asked = _number(message, "turn"), _number(message, "moves")
            await table.agree(self, asked, message.get("agree") is True)
        elif what == "name":
            await self._rename(table, _text(message, "name", MOST_NAME, least=0))
        elif what == "kind":
            await self._replace(table, _number(message, "seat"), _text(message, "kind", MOST_NAME))
        elif what == "say":
            await table.share("said", self.place, _text(message, "text", MOST_CHAT))
        elif what == "record":
            self.tell(await self._server.run(partial(self._record, table.table)))
        else:
            raise MessageRefused("there is no such message")

    async def _join(self, message: Data) -> None:
        if message.get("type") != "join":
            raise MessageRefused("the first message joins")
        found = await self._server.find(
            self._offer, _text(message, "secret", MOST_NAME), self.visitor
        )
        if self.ws_connection is None:  # It has gone away.
            return
        if found is None:
            self.tell({"type": "failed", "text": "this link leads to no table"})
            self.close()
            return
        self._table, self.place = found
        self._texts = message.get("texts") is True
        self._server.connections.known[self._stream] = True
        about = {"protocol": PROTOCOL, "players": list(self._table.table.players)}
        mine = {"seat": self.seat, "admin": self.place == ADMIN}
        self.tell({"type": "table", **about, **mine})
        self._table.join(self)
        await self._table.update()
        self._table.go_on()

    async def _choose(self, message: Data) -> None:
        self._chooses = True
        if message["type"] == "sit":
            where = _text(message, "table", MOST_NAME), _number(message, "seat")
            name = _text(message, "name", MOST_NAME)
            self.tell(await self._server.sit(self._offer, *where, name, self.visitor))
            return
        if message["type"] == "open":
            await self._server.open(self._offer, _number(message, "players"), self.visitor)
        self.tell(await self._server.free(self._offer))

    async def _rename(self, table: _Open, name: str) -> None:
        seat = self.seat
        if seat is None:
            raise MessageRefused("only players have names")
        own = table.table
        await self._server.run(partial(own.seat, seat, name, own.places[seat].kind))
        table.tell_people()

    async def _replace(self, table: _Open, seat: int, kind: str) -> None:
        if self.place != ADMIN and self.seat != seat:
            raise MessageRefused("only the player, or who administers the table, can do that")
        if not 0 <= seat < table.table.seats:
            raise MessageRefused("there is no such seat")
        if kind != HUMAN and kind not in BOTS:
            raise MessageRefused(f"`kind` is {HUMAN} or one of {', '.join(sorted(BOTS))}")
        own = table.table
        await self._server.run(partial(own.seat, seat, own.places[seat].name, kind))
        table.tell_people()
        await table.grant()
        table.go_on()

    def _record(self, table: GameTable) -> Data:
        """Return the record: its seed reveals what is hidden, so only at the end."""
        if table.mover is not None and self.place != ADMIN:
            raise MessageRefused("the record has the seed of the game: it can be saved at the end")
        return {"type": "record", "text": table.text()}


def _read(message: str | bytes) -> Data:
    try:
        found = json.loads(message)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise MessageRefused("a message is an object of JSON")
    return found


def _text(message: Data, key: str, most: int, least: int = 1) -> str:
    found = message.get(key)
    text = visible(found.strip()) if isinstance(found, str) else None
    if text is None or not least <= len(text) <= most:
        raise MessageRefused(f"`{key}` is a text of at most {most} characters")
    return text


def _number(message: Data, key: str) -> int:
    found = message.get(key)
    if type(found) is not int or not 0 <= found < 2**31:
        raise MessageRefused(f"`{key}` is a number")
    return found
