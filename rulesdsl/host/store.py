"""The storage of tables: what is written here is on disk before anybody sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from sqlalchemy import (
    Column,
    Connection,
    ForeignKey,
    Integer,
    MetaData,
    NullPool,
    String,
    Table,
    Text,
    create_engine,
    delete,
    event,
    insert,
    select,
    update,
)

ADMIN, WATCHER = -2, -1
"""The places of the links that administer and that watch; those of players are their seats."""

_SHAPE = MetaData()
_TABLES = Table(
    "tables",
    _SHAPE,
    Column("id", String(16), primary_key=True),
    Column("head", Text, nullable=False),
    Column("marked", Integer, nullable=False),
)
_PLACES = Table(
    "places",
    _SHAPE,
    Column("table", ForeignKey("tables.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("key", String(64), nullable=False, unique=True),
    Column("name", String(40), nullable=False),
    Column("kind", String(40), nullable=False),
)
_LINES = Table(
    "lines",
    _SHAPE,
    Column("table", ForeignKey("tables.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("line", Text, nullable=False),
)


class SeatPlace(NamedTuple):
    """A place at a table: the name of who sits there, and `human` or the name of a bot."""

    name: str
    kind: str


class Kept(NamedTuple):
    """A table as it is kept: the head of its record, its places, and the lines of its moves.

    The record marks the move after `marked` others, if not -1: moves were taken back before it.
    """

    id: str
    head: str
    places: Mapping[int, SeatPlace]
    lines: tuple[str, ...]
    marked: int


def hashed(secret: str) -> str:
    """Return the hash by which the secret of a link is kept."""
    return sha256(secret.encode()).hexdigest()


class TableStore:
    """Tables in a database, at an address of SQLAlchemy. All methods raise `SQLAlchemyError`."""

    def __init__(self, address: str) -> None:
        self._engine = create_engine(address)
        self._lock: Connection | None = None
        if self._engine.dialect.name == "sqlite":
            event.listen(self._engine, "connect", _durable)
            self._lock = self._locked()
        _SHAPE.create_all(self._engine)

    def close(self) -> None:
        """Close all connections."""
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

    def add(self, id: str, head: str, places: Mapping[int, tuple[str, SeatPlace]]) -> None:
        """Add a table; each place has its secret, of which only the hash is kept."""
        rows = [
            {"table": id, "place": place, "key": hashed(secret), "name": name, "kind": kind}
            for place, (secret, (name, kind)) in places.items()
        ]
        with self._engine.begin() as connection:
            connection.execute(insert(_TABLES), {"id": id, "head": head, "marked": -1})
            connection.execute(insert(_PLACES), rows)

    def find(self, secret: str) -> tuple[str, int] | None:
        """Return the table and the place of the secret of a link, None for any other text."""
        wanted = select(_PLACES.c.table, _PLACES.c.place).where(_PLACES.c.key == hashed(secret))
        with self._engine.connect() as connection:
            found = connection.execute(wanted).first()
        return None if found is None else (found[0], found[1])

    def load(self, id: str) -> Kept:
        """Return a table that was added."""
        with self._engine.connect() as connection:
            wanted = select(_TABLES.c.head, _TABLES.c.marked).where(_TABLES.c.id == id)
            head, marked = connection.execute(wanted).one()
            columns = _PLACES.c.place, _PLACES.c.name, _PLACES.c.kind
            places = connection.execute(select(*columns).where(_PLACES.c.table == id))
            return Kept(
                id,
                head,
                {place: SeatPlace(name, kind) for place, name, kind in places},
                tuple(_lines(connection, id)),
                marked,
            )

    def append(self, id: str, number: int, line: str) -> None:
        """Add a line; raises IntegrityError if the table has one of that number already."""
        with self._engine.begin() as connection:
            connection.execute(insert(_LINES), {"table": id, "number": number, "line": line})

    def cut(self, id: str, number: int, *, marked: bool) -> None:
        """Remove the lines from a number on; whether the record marks the next one is kept."""
        with self._engine.begin() as connection:
            mark = number if marked else -1
            connection.execute(update(_TABLES).where(_TABLES.c.id == id).values(marked=mark))
            own = (_LINES.c.table == id) & (_LINES.c.number >= number)
            connection.execute(delete(_LINES).where(own))

    def seat(self, id: str, place: int, name: str, kind: str) -> None:
        """Note who sits at a place."""
        with self._engine.begin() as connection:
            own = (_PLACES.c.table == id) & (_PLACES.c.place == place)
            connection.execute(update(_PLACES).where(own).values(name=name, kind=kind))


def _lines(connection: Connection, id: str) -> Sequence[str]:
    wanted = select(_LINES.c.line).where(_LINES.c.table == id).order_by(_LINES.c.number)
    return connection.execute(wanted).scalars().all()


def _durable(connection: object, _: object) -> None:
    """Make SQLite write moves in their order, each to the disk before anybody is told of it."""
    cursor = connection.cursor()  # type: ignore[attr-defined]
    for line in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {line}")
    cursor.close()
