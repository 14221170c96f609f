"""Every ruleset can be hosted: its games begin, go back, go on elsewhere and end at a table."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest

from rulesdsl import Game, load
from rulesdsl.serve.server import HostServer
from rulesdsl.serve.store import WATCHER
from tests.games.test_games import GAMES
from tests.host.client import Client
from tests.host.test_serve import Links, check_record, over, record_of, serving
from tests.rulesets.shipped import FOUND, NAMES

FOLDER = Path(__file__).parents[2]
EXAMPLES = {
    path.stem: path
    for path in sorted((FOLDER / "examples").glob("*/*.yaml"))
    if path.stem == path.parent.name
}
IN_EACH_RUN = {"fours", "river", "stations", "throws", "towers"}
MOST = 40
"""The most moves of a game: then all agree to end it."""


def loaded(name: str) -> Game:
    if name in GAMES:
        file, settings = FOLDER / f"tests/games/{name}.yaml", GAMES[name]["settings"]
        return load(file, settings=settings, engine="wasm")
    own = {**EXAMPLES, "stations": Path(__file__).with_name("stations.yaml")}
    if name in own or not FOUND[name].requires:
        return load(own.get(name, name), engine="wasm")
    return load("base", [name], engine="wasm")


async def play(server: HostServer, links: Links, most: int) -> tuple[Client, Client]:
    """Play at the first seat, which is to move at the end unless the game is over.

    Then take back the last move or have all agree to end the game.
    """
    random = Random(most)
    async with Client(server, links[0]) as red, Client(server, links[WATCHER]) as watcher:
        while await red.until("now") and not over(red):
            if red.now["moves"] and len(red.plies) >= most:
                break
            if red.now["moves"]:
                await red.play(random.randrange(len(red.now["moves"])))
        own = sum(ply["by"] == red.about["players"][0] for ply in red.plies)
        if not over(red):
            await red.send(type="undo" if most < MOST and own else "end")
            await red.until("cut", "ended")
        while len(watcher.plies) != len(red.plies):
            await watcher.until("ply", "cut")
        return red, watcher


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in IN_EACH_RUN else [pytest.mark.long])
        for name in sorted({*NAMES, *EXAMPLES, *GAMES, "stations"})
    ],
)
def test_a_game_is_played_through_the_network(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulesdsl.serve.server.AT_ONCE", 100_000)
    own = loaded(name)
    kinds = ["human", *["random"] * (max(min(own.players), 2) - 1)]
    with serving(tmp_path, own) as server:
        links = server.add(3, kinds[: max(own.players)])
        asyncio.run(play(server, links, 7))
    with serving(tmp_path, own) as server:
        clients = asyncio.run(play(server, links, MOST))
        check_record(asyncio.run(record_of(server, links)), own, [*clients])
