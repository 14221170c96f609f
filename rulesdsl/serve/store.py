"""The storage of tables: what is written here is on disk before anybody sees it."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from itertools import groupby
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import (
    ARRAY,
    Boolean,
    Column,
    Connection,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    NullPool,
    String,
    Table,
    Text,
    bindparam,
    case,
    create_engine,
    delete,
    event,
    func,
    insert,
    inspect,
    literal,
    make_url,
    select,
    text,
    update,
)
from sqlalchemy.exc import SQLAlchemyError

from rulesdsl.base.records import dataclass

logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())  # Its errors are raised, too.

ADMIN, WATCHER = -2, -1
"""The places of the links that administer and that watch; those of players are their seats."""

_SHAPE = MetaData()
_TABLES = Table(
    "tables",
    _SHAPE,
    Column("id", String(16), primary_key=True),
    Column("head", Text, nullable=False),
    Column("marked", Integer, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("listed", String(64), nullable=False),
)
_PLACES = Table(
    "places",
    _SHAPE,
    Column("table", ForeignKey("tables.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("key", String(64), nullable=False, unique=True),
    Column("name", String(40), nullable=False),
    Column("kind", String(40), nullable=False),
    Column("joined", Boolean, nullable=False, default=False),
)
_LINES = Table(
    "lines",
    _SHAPE,
    Column("table", ForeignKey("tables.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("line", Text, nullable=False),
)
_FREE = (_PLACES.c.kind == "human") & (_PLACES.c.name == "") & ~_PLACES.c.joined
"""A seat that a person may take: nobody has joined by its link."""
_NEXT = (
    update(_TABLES)
    .where((_TABLES.c.id == bindparam("own")) & (_TABLES.c.turn == bindparam("now")))
    .values(
        turn=_TABLES.c.turn + 1,
        marked=func.coalesce(bindparam("mark", type_=Integer), _TABLES.c.marked),
        listed=case((bindparam("over", type_=Boolean), ""), else_=_TABLES.c.listed),
    )
)
"""The begin of the next turn of a table; it changes no row if the turn is past."""
_CHANNEL = "rulesdsl"
"""The channel of PostgreSQL on which servers tell each other of changes."""
_MOST_TOLD = 7_900
"""The most bytes of a notice: PostgreSQL takes fewer than 8,000."""
_AGAIN = 1.0
"""Seconds between looks whether the store is closed, and before it listens anew."""
_LINK = {
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
"""Options of connections to PostgreSQL: how long they wait where nothing answers any more."""
_PATIENCE = "SET idle_in_transaction_session_timeout = '3s'; SET lock_timeout = '10s'"
"""A server that stands still in the middle of a change keeps no other from changing the table."""
ALIVE, SILENT = 20.0, 60.0
"""Seconds after which a server says again that it is alive, and after which others give it up."""

LONGEST_BATCH = 0.02
"""Seconds after which no other task is begun before what was changed is written."""
_Result = TypeVar("_Result")
_First = TypeVar("_First")

Heard = Callable[[str | None, Any], object]
"""A function that is given the id of a table and what another server tells of it.

It tells nothing (None) if the table has changed, or `["moved", turn, number, line]` if it has
changed at a turn by a line with a number; without an id, it tells that of all tables.
"""


class SeatPlace(NamedTuple):
    """A place at a table: the name of who sits there, and `human` or the name of a bot."""

    name: str
    kind: str


Links = Mapping[int, tuple[str, SeatPlace]]
"""The places of a table, each with the secret of its link."""


class Kept(NamedTuple):
    """A table as it is kept: the head of its record, its places, and the lines of its moves.

    The record marks the move after `marked` others, if not -1: moves were taken back before it.
    `turn` is the number of all changes of the lines.
    """

    id: str
    head: str
    places: Mapping[int, SeatPlace]
    lines: tuple[str, ...]
    marked: int
    turn: int


class OtherTables(Exception):
    """The error for a database whose tables have other columns."""


class GoneOn(Exception):
    """The error for a change of a table that another server has changed in the meantime."""


@dataclass
class TableChange:
    """A change of the lines of a table at a turn: a line with a number, or none from there on.

    `marked` is the number of the move that the record marks from then on, if that changes. No game
    that is `over` is listed. `error` says why the change was not made.
    """

    id: str
    turn: int
    number: int
    line: str | None = None
    marked: int | None = None
    over: bool = False
    error: Exception | None = None

    @property
    def told(self) -> list[Any] | None:
        """The message to other servers about the change."""
        return None if self.line is None else ["moved", self.turn, self.number, self.line]


def hashed(secret: str) -> str:
    """Return the hash by which the secret of a link is kept."""
    return sha256(secret.encode()).hexdigest()


class TableStore:
    """Tables in a database, at an address of SQLAlchemy. All methods raise `SQLAlchemyError`.

    Raises OtherTables if another version, or another program, has made tables of these names.

    Several servers may share a store in PostgreSQL, where each changes a table under the lock of
    its row and tells the others. Every `alive` seconds it tells them that it is there; one that
    tells nothing for `silent` seconds has gone.
    """

    def __init__(self, address: str, alive: float = ALIVE, silent: float = SILENT) -> None:
        url = make_url(address)
        if url.drivername in ("postgres", "postgresql"):
            url = url.set(drivername="postgresql+psycopg", query={**_LINK, **url.query})
        self._engine = create_engine(url, pool_pre_ping=True)
        self._lock: Connection | None = None
        self.name = secrets.token_hex(4)
        """The name of this server among those that share the store."""
        self.shared = self._engine.dialect.name == "postgresql"
        self._gathered: list[TableChange] | None = None
        """The changes that are made at the end of `together`."""
        self._unsure = False
        """Return whether a change failed, and may have been made nevertheless."""
        self._closed = Event()
        self._listening: Thread | None = None
        self._alive, self._silent = alive, silent
        self._others: dict[str, float] = {}
        """When each of the other servers told something last."""
        self._gone = set[str]()
        if self._engine.dialect.name == "sqlite":
            with self._engine.connect() as connection:
                _check(connection)  # Before anything is written to a file that others may have.
            self._engine.dispose()
            event.listen(self._engine, "connect", _durable)
            self._lock = self._locked()
        elif self.shared:
            event.listen(self._engine, "connect", _patient)
        try:
            _create(self._engine)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._closed.set()
        if self._listening is not None:
            self._listening.join()
        self._engine.dispose()
        if self._lock is not None:
            self._lock.close()

    def _locked(self) -> Connection:
        """Lock a file beside that of SQLite: two servers would tell different games of a table.

        The system frees it when the process ends, in whatever way.
        """
        address = self._engine.url
        beside = address.set(database=address.database and f"{address.database}-lock")
        engine = create_engine(beside, poolclass=NullPool, connect_args={"timeout": 1})
        connection = engine.connect()
        try:
            connection.exec_driver_sql("BEGIN EXCLUSIVE")
        except BaseException:
            connection.close()
            raise
        return connection

    def add(self, id: str, head: str, places: Links, *, listed: str = "") -> None:
        """Add a table; each place has its secret, of which only the hash is kept.

        If it is listed, under a text for its game, whoever can reach the server may take a seat.
        """
        rows = [
            {"table": id, "place": place, "key": hashed(secret), "name": name, "kind": kind}
            for place, (secret, (name, kind)) in places.items()
        ]
        row = {"id": id, "head": head, "marked": -1, "turn": 0, "listed": listed}
        with self._engine.begin() as connection:
            connection.execute(insert(_TABLES), row)
            connection.execute(insert(_PLACES), rows)

    def find(self, secret: str) -> tuple[str, int] | None:
        """Return the table and the place of the secret of a link, None for any other text.

        From then on somebody has joined the place: it is not free.
        """
        own = _PLACES.c.key == hashed(secret)
        # At first: a person in the lobby may take the seat, and change its link, at any moment.
        joins = update(_PLACES).where(own & ~_PLACES.c.joined).values(joined=True)
        with suppress(SQLAlchemyError), self._engine.begin() as connection:
            connection.execute(joins)  # Where the disk is full, links still lead to their tables.
        with self._engine.connect() as connection:
            found = connection.execute(select(_PLACES.c.table, _PLACES.c.place).where(own)).first()
        return None if found is None else (found[0], found[1])

    def load(self, id: str) -> Kept:
        with self._engine.begin() as connection:
            columns = _TABLES.c.head, _TABLES.c.marked, _TABLES.c.turn
            wanted = select(*columns).where(_TABLES.c.id == id).with_for_update(read=True)
            head, marked, turn = connection.execute(wanted).one()
            places = connection.execute(
                select(_PLACES.c.place, _PLACES.c.name, _PLACES.c.kind).where(_PLACES.c.table == id)
            )
            lines = select(_LINES.c.line).where(_LINES.c.table == id).order_by(_LINES.c.number)
            return Kept(
                id,
                head,
                {place: SeatPlace(name, kind) for place, name, kind in places},
                tuple(connection.execute(lines).scalars()),
                marked,
                turn,
            )

    # --- moves -----------------------------------------------------------------------------------

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make all changes of tables during a `with` block at its end, in one transaction."""
        self._gathered = gathered = list[TableChange]()
        try:
            yield
        finally:
            self._gathered = None
            self._make(gathered)

    @property
    def gathers(self) -> bool:
        """Return whether changes are made later, at the end of `together`."""
        return self._gathered is not None

    def change(self, change: TableChange) -> None:
        """Change the lines of a table, or say in the change why that was not possible."""
        if self._gathered is None:
            self._make([change])
        else:
            self._gathered.append(change)

    def _make(self, changes: Sequence[TableChange]) -> None:
        """Make changes of different tables; each that is not made has an error."""
        try:
            if changes:
                with self._engine.begin() as connection:
                    self._write(connection, sorted(changes, key=lambda change: change.id))
        except GoneOn as error:
            for each in changes if len(changes) > 1 else ():
                self._make([each])
            if len(changes) == 1:
                changes[0].error = error
        except Exception as error:
            for each in changes:
                each.error = error
            self._unsure = True

    def _write(self, connection: Connection, changes: Sequence[TableChange]) -> None:
        """Write changes by the order of their tables, so that no server waits for another one.

        The first statement locks the rows of these tables until the changes are made.
        """
        rows = [
            {"own": each.id, "now": each.turn, "mark": each.marked, "over": each.over}
            for each in changes
        ]
        if connection.execute(_NEXT, rows).rowcount != len(rows):
            raise GoneOn
        added = [
            {"table": each.id, "number": each.number, "line": each.line}
            for each in changes
            if each.line is not None
        ]
        for each in changes:
            if each.line is None:
                own = (_LINES.c.table == each.id) & (_LINES.c.number >= each.number)
                connection.execute(delete(_LINES).where(own))
        if added:
            connection.execute(insert(_LINES), added)
        self._notify(connection, *((each.id, each.told) for each in changes))

    def seat(self, id: str, place: int, name: str, kind: str) -> None:
        with self._engine.begin() as connection:
            own = (_PLACES.c.table == id) & (_PLACES.c.place == place)
            connection.execute(update(_PLACES).where(own).values(name=name, kind=kind))
            self._notify(connection, (id, None))

    def unlist(self, id: str) -> None:
        """List a table no longer, unless it has moves."""
        own = (_TABLES.c.id == id) & (_TABLES.c.turn == 0)
        with self._engine.begin() as connection:
            connection.execute(update(_TABLES).where(own).values(listed=""))

    def free(self, listed: str, most: int) -> list[dict[str, Any]]:
        """Return tables listed under a text at which a person can sit down, so many at most.

        They are as clients are told them: the id, the number of changes, and the seats.
        """
        free = (_PLACES.c.table == _TABLES.c.id) & (_PLACES.c.place >= 0) & _FREE
        wanted = select(_TABLES.c.id, _TABLES.c.turn).where(_TABLES.c.listed == listed)
        wanted = wanted.where(select(_PLACES.c.place).where(free).exists())
        tables = wanted.order_by(_TABLES.c.id).limit(most).subquery()
        seats = (
            select(tables.c.id, tables.c.turn, _PLACES.c.name, _PLACES.c.kind, _FREE.label("free"))
            .join(_PLACES, _PLACES.c.table == tables.c.id)
            .where(_PLACES.c.place >= 0)
            .order_by(tables.c.id, _PLACES.c.place)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(seats).mappings().all()
        return [
            {
                "table": id,
                "moves": turn,
                "people": [{key: row[key] for key in ("name", "kind", "free")} for row in found],
            }
            for (id, turn), found in groupby(rows, lambda row: (row["id"], row["turn"]))
        ]

    def sit(self, listed: str, id: str, seat: int, name: str, secret: str) -> bool:
        """Give a free seat of a listed table a name and a new secret, and return True.

        Return False if there is no such seat.
        """
        here = (_TABLES.c.id == id) & (_TABLES.c.listed == listed)
        own = (
            _PLACES.c.table.in_(select(_TABLES.c.id).where(here))
            & (_PLACES.c.place == seat)
            & _FREE
        )
        with self._engine.begin() as connection:
            taken = update(_PLACES).where(own).values(name=name, key=hashed(secret))
            if connection.execute(taken).rowcount != 1:
                return False
            self._notify(connection, (id, None))
        return True

    # --- several servers -------------------------------------------------------------------------

    def tell(self, id: str | None, message: Any) -> None:
        if self.shared:
            with self._engine.begin() as connection:
                self._notify(connection, (id, message))

    def _notify(self, connection: Connection, *messages: tuple[str | None, Any]) -> None:
        if self.shared:
            each = func.unnest(literal([self._notice(*each) for each in messages], ARRAY(Text)))
            connection.execute(select(func.pg_notify(_CHANNEL, each)))

    def _notice(self, id: str | None, message: Any) -> str:
        """Return the text of a message; one that is too long tells only that something changed."""
        notice = json.dumps([self.name, id, message], ensure_ascii=False)
        return notice if len(notice.encode()) <= _MOST_TOLD else self._notice(id, None)

    def listen(self, heard: Heard) -> None:
        """Call a function, in a thread of its own, with all that other servers tell.

        Two messages concern all tables: `["gone", name]`, as no server of this name tells anything
        any more, and `["who"]`, to which each server answers with who is at its tables.
        """
        if self.shared:
            self._listening = Thread(target=self._listen, args=(heard,), daemon=True)
            self._listening.start()

    def _listen(self, heard: Heard) -> None:
        while not self._closed.is_set():
            try:
                self._hear(heard)
            except SQLAlchemyError:
                self._closed.wait(_AGAIN)

    def _hear(self, heard: Heard) -> None:
        from psycopg import Error

        with self._engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            connection.detach()
            try:
                driver.autocommit = True
                driver.execute(f"LISTEN {_CHANNEL}")
                self._unsure = True  # What was told in the meantime is missing.
                self._gone.update(self._others)
                due = monotonic()
                while not self._closed.is_set():
                    if self._unsure:
                        self._unsure = False
                        heard(None, None)
                    if monotonic() >= due:
                        due = monotonic() + self._alive
                        self.tell(None, ["alive"])
                    for notify in driver.notifies(timeout=_AGAIN / 4, stop_after=1):
                        self._notified(notify.payload, heard)
                    self._closed.wait(LONGEST_BATCH)  # Others have more to tell at once then.
                    self._give_up(heard)
            except Error:
                self._closed.wait(_AGAIN)

    def _notified(self, text: str, heard: Heard) -> None:
        """Pass on what another server tells; other programs may use the channel, too."""
        with suppress(ValueError, RecursionError):
            match json.loads(text):
                case [str(name), (str() | None) as id, (list() | None) as message]:
                    if name != self.name:
                        self._told(name)
                        heard(id, message)

    def _told(self, name: str) -> None:
        """Note that another server has told something; ask who is where if it was gone."""
        self._others[name] = monotonic()
        if name in self._gone:
            self._gone -= self._others.keys()  # These answer.
            self.tell(None, ["who"])

    def _give_up(self, heard: Heard) -> None:
        for name, last in list(self._others.items()):
            if monotonic() - last > self._silent:
                del self._others[name]
                self._gone.add(name)
                heard(None, ["gone", name])


def _create(engine: Engine) -> None:
    """Create what is not there; raises OtherTables if something else is."""
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            # Of several servers that begin at once, one creates.
            connection.execute(select(func.pg_advisory_xact_lock(func.hashtext(_CHANNEL))))
        _check(connection)
        _SHAPE.create_all(connection)


def _check(connection: Connection) -> None:
    known = inspect(connection)
    for table in filter(lambda table: known.has_table(table.name), _SHAPE.sorted_tables):
        found = connection.execute(select(text("*")).select_from(table).limit(0))
        if [*found.keys()] != table.columns.keys():
            raise OtherTables


def _durable(connection: object, _: object) -> None:
    """Make SQLite write moves in their order, each to the disk before anybody is told of it."""
    cursor = connection.cursor()  # type: ignore[attr-defined]
    for line in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {line}")
    cursor.close()


def _patient(connection: Any, _: object) -> None:
    connection.execute(_PATIENCE)
    connection.commit()


# --- tasks in batches ----------------------------------------------------------------------------


class _Task(NamedTuple):
    """A task in two steps: what it changes is written between them."""

    first: Callable[[], Any]
    then: Callable[[Any], Any]
    done: asyncio.Future[Any]


class _Outcome(NamedTuple):
    result: Any
    error: BaseException | None


class TableThread:
    """A thread that works off tasks in their order, those that wait as one batch."""

    def __init__(self, store: TableStore) -> None:
        self._store = store
        self._tasks = SimpleQueue[_Task | None]()
        self._ended = False
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    async def run(self, first: Callable[[], _First], then: Callable[[_First], _Result]) -> _Result:
        """Run a task, and once what it changes is on the disk the next step with its result.

        Returns the result of that, and raises what either of them does.
        """
        done: asyncio.Future[_Result] = asyncio.get_running_loop().create_future()
        self._tasks.put(_Task(first, then, done))
        return await done

    def end(self) -> None:
        """Finish the task that runs, and begin no other."""
        self._ended = True
        self._tasks.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None and not self._ended:
            finished = self._batch(task)
            with suppress(RuntimeError):  # The server has ended.
                task.done.get_loop().call_soon_threadsafe(_deliver, finished)

    def _batch(self, task: _Task) -> list[tuple[_Task, _Outcome]]:
        with self._store.together():
            begun = [(each, _outcome(each.first)) for each in self._waiting(task)]
        return [
            (each, found if found.error else _outcome(partial(each.then, found.result)))
            for each, found in begun
        ]

    def _waiting(self, task: _Task) -> Iterator[_Task]:
        """Yield a task and those that wait for some time."""
        until = monotonic() + LONGEST_BATCH
        yield task
        with suppress(Empty):
            while monotonic() < until and not self._ended:
                following = self._tasks.get_nowait()
                if following is None:
                    return
                yield following


def _outcome(task: Callable[[], Any]) -> _Outcome:
    try:
        return _Outcome(task(), None)
    except BaseException as error:
        return _Outcome(None, error)


def _deliver(finished: list[tuple[_Task, _Outcome]]) -> None:
    for task, (result, error) in finished:
        if task.done.done():
            continue  # Nobody waits for it any more.
        if error is None:
            task.done.set_result(result)
        else:
            task.done.set_exception(error)
