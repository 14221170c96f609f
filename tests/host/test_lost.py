"""Servers end, clients leave and send everything twice, at random moments of many games."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from random import Random

import pytest

from rulesdsl import Game, load
from rulesdsl.serve.server import HostServer
from rulesdsl.serve.store import WATCHER, TableStore
from rulesdsl.serve.table import GameTable, Known, Reader
from tests.host.client import Client, Message
from tests.host.test_seen import CUPS, OWN
from tests.host.test_serve import Links, check_record, game, over, record_of, serving_from

FILES = {"cups": CUPS, "oxen": OWN / "oxen.yaml", "peaks": OWN / "peaks.yaml"}
FEW = {"cups": 5, "peaks": 1}
MANY = {"cups": 150, "oxen": 10, "card_game": 20, "peaks": 20}
MOST_PARTS = 200
"""The most servers of a game, one after the other."""

Places = Mapping[tuple[int, bool], list[Message]]
"""The moves that were told to each place, in words or for the module."""


def loaded(name: str) -> Game:
    return load(FILES[name], engine="wasm") if name in FILES else game(name)


def checked(client: Client, known: dict[tuple[int, bool], list[Message]]) -> None:
    """Check that a client was told what its place was told before, and perhaps more."""
    place = client.place, client.texts
    before, now = known.get(place, []), client.plies
    some = min(len(before), len(now))
    assert now[:some] == before[:some]
    if len(now) > len(before):
        known[place] = list(now)


async def part(
    servers: Sequence[HostServer],
    links: Links,
    random: Random,
    known: dict[tuple[int, bool], list[Message]],
) -> bool:
    """Play for a while at servers of one store, and return whether the game is over."""
    async with AsyncExitStack() as stack:

        async def come(place: int) -> Client:
            texts = random.random() < 0.7
            client = Client(random.choice(servers), links[place], texts=texts, place=place)
            await stack.enter_async_context(client)
            await client.until("now")
            before = known.get((place, texts), [])
            assert len(client.plies) >= len(before)
            checked(client, known)
            return client

        clients = [await come(place) for place in (0, 1, random.choice((0, 1, WATCHER)))]
        for _ in range(random.randrange(2, 40)):
            if random.random() < 0.1:
                gone = clients.pop(random.randrange(len(clients)))
                gone.socket.close()
                clients.append(await come(gone.place))
            mover = next((each for each in clients if each.now["moves"]), None)
            if mover is None:
                return over_for(clients)
            row, length = random.randrange(len(mover.now["moves"])), len(mover.plies)
            for _ in range(random.randrange(1, 4)):
                await mover.play(row)
            if length and random.random() < 0.3:
                await random.choice(clients).send(type="play", turn=length - 1, move=0)
            if random.random() < 0.05:
                return False  # The server ends, perhaps before the answer.
            for client in clients:
                while len(client.plies) <= length or client.told[-1]["type"] != "now":
                    await client.read()
                assert len(client.plies) == length + 1
                checked(client, known)
        return False


def over_for(clients: list[Client]) -> bool:
    """Whether nobody can move; then the game is over for all."""
    assert all(over(each) for each in clients if each.texts)
    return True


def check_told(address: str, secret: str, own: Game, known: Places) -> None:
    """Check that each place was told what the table as it is kept tells it."""
    store = TableStore(address)
    try:
        found = store.find(secret)
        assert found is not None
        table = GameTable(own, store, store.load(found[0]))
        for (place, texts), plies in known.items():
            reader = Reader(place if place >= 0 else None, texts)
            told = [json.loads(text) for text in table.news(Known(), reader)[0]]
            assert [each for each in told if each["type"] == "ply"][: len(plies)] == plies
    finally:
        store.close()


def played(name: str, seed: int, address: str, at_once: int = 1) -> None:
    """Play a game whose servers end at random moments, and check it at the end."""
    own, random, known = loaded(name), Random(seed), dict[tuple[int, bool], list[Message]]()
    with serving_from(address, own) as server:
        links = server.add(seed, ["human"] * 2)
    for _ in range(MOST_PARTS):
        with ExitStack() as stack:
            servers = [stack.enter_context(serving_from(address, own)) for _ in range(at_once)]
            if asyncio.run(part(servers, links, random, known)):
                asyncio.run(ended(random.choice(servers), links, own, known))
                break
    else:
        raise AssertionError("the game does not end")
    check_told(address, links[0].partition("#")[2], own, known)


async def ended(server: HostServer, links: Links, own: Game, known: Places) -> None:
    """Check that the record is the game that everybody was told."""
    async with Client(server, links[WATCHER]) as watcher:
        await watcher.until("now")
        check_record(await record_of(server, links), own, [watcher])
        for (_, texts), plies in known.items():
            assert len(plies) <= len(watcher.plies)
            if texts:
                assert all(
                    (each["by"], each["move"]) == (other["by"], other["move"])
                    for each, other in zip(plies, watcher.plies, strict=False)
                )


@pytest.mark.parametrize("name", FEW)
def test_nothing_is_lost_doubled_or_told_to_others(name: str, tmp_path: Path) -> None:
    for seed in range(FEW[name]):
        played(name, seed, f"sqlite:///{tmp_path / f'{seed}.db'}")


@pytest.mark.long
@pytest.mark.parametrize("name", MANY)
def test_nothing_is_lost_in_two_hundred_games(name: str, tmp_path: Path) -> None:
    for seed in range(MANY[name]):
        played(name, 1000 + seed, f"sqlite:///{tmp_path / f'{seed}.db'}")
