"""Moves of several tables that reach the disk together."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from rulesdsl.serve.store import Kept, SeatPlace, TableChange, TableStore, hashed
from rulesdsl.serve.table import HUMAN, GameTable, Known, MessageRefused, Reader, new_table
from tests.host.client import Client
from tests.host.test_serve import Links, game, serving

READERS = Reader(0, texts=True), Reader(1, texts=False)


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[tuple[TableStore, list[GameTable]]]:
    store = TableStore(f"sqlite:///{tmp_path / 't.db'}")
    own = game("card_game")
    places = [{seat: (f"{id}{seat}", SeatPlace("", HUMAN)) for seat in range(2)} for id in "abc"]
    try:
        yield store, [new_table(own, store, i, 1, p) for i, p in zip("abc", places, strict=True)]
    finally:
        store.close()


def move(table: GameTable, row: int = 0) -> None:
    table.play(table.players.index(table.state.mover or ""), table.turn, row)


def about(table: GameTable) -> tuple[object, ...]:
    """Everything of a table that a change may change."""
    news = [table.news(Known(), reader) for reader in READERS]
    return table.text(), table.turn, table.state.canonical(), list(table.plies), news


def test_no_table_changes_if_the_disk_fails(
    tables: tuple[TableStore, list[GameTable]], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, (first, second, third) = tables
    for table in (first, second):
        move(table, 1)
        move(table, 0)
    before = [about(each) for each in (first, second, third)]

    def full(*_: object) -> None:
        raise OperationalError("insert", {}, OSError("disk full"))

    with monkeypatch.context() as patched:
        patched.setattr(TableStore, "_write", full)
        with store.together():
            move(first)
            second.undo(second.turn, 0)
        for table in (first, second):
            with pytest.raises(SQLAlchemyError, match="disk full"):
                table.kept()
    assert [about(each) for each in (first, second, third)] == before
    with store.together():
        move(first, 1)
        second.undo(second.turn, 1)
    for table in (first, second):
        table.kept()
        again = GameTable(game("card_game"), store, store.load(table.id))
        assert (again.text(), again.turn) == (table.text(), table.turn)


def test_a_change_that_another_server_has_made_leaves_those_of_other_tables(
    tables: tuple[TableStore, list[GameTable]],
) -> None:
    store, (first, second, third) = tables
    own, move_before = GameTable(game("card_game"), store, store.load("b")), second.text()
    move(own, 1)
    with store.together():
        for table in (third, second, first):
            move(table)
    first.kept()
    third.kept()
    with pytest.raises(MessageRefused, match="the game has gone on"):
        second.kept()
    assert second.text() == own.text() != move_before
    assert about(second)[:3] == about(own)[:3]
    assert [len(store.load(each).lines) for each in "abc"] == [1, 1, 1]


def test_a_table_follows_what_another_server_says(
    tables: tuple[TableStore, list[GameTable]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads the store only where that does not continue its game."""
    store, (one, _, _) = tables
    two = GameTable(game("card_game"), store, store.load("a"))
    for each in (one, two):
        about(each)
    changes, loads, load, change = list[TableChange](), list[str](), store.load, store.change

    def loaded(id: str) -> Kept:
        loads.append(id)
        return load(id)

    def changed(each: TableChange) -> None:
        changes.append(each)
        change(each)

    monkeypatch.setattr(store, "load", loaded)
    monkeypatch.setattr(store, "change", changed)

    def hear(each: TableChange) -> bool:
        """Tell the second table of a change, and return whether it read the store."""
        assert each.told is not None
        before = len(loads)
        two.follow(*each.told[1:])
        return len(loads) > before

    for row in (0, 1, 0, 1):
        move(one, row)
        assert not hear(changes[-1])
        assert about(two) == about(one)
    move(one)
    move(one)
    assert hear(changes[-1])
    assert about(two) == about(one)
    assert hear(changes[-2])
    assert about(two) == about(one)
    one.undo(one.turn, 1)
    assert changes[-1].told is None
    move(one)
    assert hear(changes[-1])
    assert about(two) == about(one)
    for line in ("", "[]", "{}", '{"by": "red", "move": "resign", "args": {}}\n'):
        assert hear(TableChange("a", two.turn, 2, line))
        assert about(two) == about(one)


def test_a_move_that_was_never_made_goes_with_the_next_one(
    tables: tuple[TableStore, list[GameTable]],
) -> None:
    store, (one, _, _) = tables
    two = GameTable(game("card_game"), store, store.load("a"))
    move(two, 1)
    wrong = two.text().removeprefix(one.text())
    two.undo(two.turn, 0)
    one.catch_up()
    two.follow(two.turn, 0, wrong)
    move(one, 0)
    assert one.turn == two.turn
    assert one.text() != two.text()
    two.follow(one.turn - 1, 0, one.text().removeprefix(two.text()))
    assert about(one)[:4] == about(two)[:4]


def test_moves_are_on_the_disk_before_they_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches, write = list[int](), TableStore._write

    def counted(store: TableStore, connection: Connection, changes: Sequence[TableChange]) -> None:
        batches.append(len(changes))
        write(store, connection, changes)

    monkeypatch.setattr(TableStore, "_write", counted)

    def kept(link: str) -> int:
        own = hashed(link.partition("#")[2])
        with closing(sqlite3.connect(tmp_path / "tables.db")) as connection:
            count = 'SELECT count(*) FROM lines JOIN places USING ("table") WHERE "key" = ?'
            found: int = connection.execute(count, [own]).fetchone()[0]
            return found

    async def run(all_links: list[Links]) -> None:
        async with AsyncExitStack() as stack:
            pairs = [
                [
                    await stack.enter_async_context(Client(server, links[seat], place=seat))
                    for seat in (0, 1)
                ]
                for links in all_links
            ]
            every = zip(pairs, all_links, strict=True)
            await asyncio.gather(*(play(pair, links[0]) for pair, links in every))

    async def play(pair: list[Client], link: str) -> None:
        for client in pair:
            await client.until("now")
        for number in range(1, 16):
            mover = next(each for each in pair if each.now["moves"])
            await mover.play(0)
            for client in pair:
                await client.until("ply")
                assert len(client.plies) == number == kept(link)
                await client.until("now")

    with serving(tmp_path, game("card_game")) as server:
        asyncio.run(run([server.add(seed, [HUMAN] * 2) for seed in range(6)]))
    assert max(batches) > 1
