"""Whatever tiles lie in the box and however a game goes: nothing is lost, every point is told."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rulesdsl import Game, State, load
from rulesdsl.engine.run import ENGINES
from rulesdsl.language.diagnostics import Source
from rulesdsl.language.model.values import Cell, Piece, Placement, Segment, Space, Zone
from rulesdsl.play.bots import RandomBot
from rulesdsl.play.events import GainLog
from rulesdsl.play.records import Header, Recorder, read_record, replay
from tests.play.boxes import played, write_box

SIDES = "NESW"


@st.composite
def tiles(draw: st.DrawFn) -> dict[str, Any]:
    """A tile whose sides are shared out at random among cities, roads and the field."""
    kinds = draw(st.lists(st.sampled_from(["city", "road", "field"]), min_size=4, max_size=4))
    tile: dict[str, Any] = {"count": draw(st.integers(1, 2))}
    cities = [side for side, kind in zip(SIDES, kinds, strict=True) if kind == "city"]
    roads = [side for side, kind in zip(SIDES, kinds, strict=True) if kind == "road"]
    if cities:
        whole = draw(st.booleans()) and not separate(cities, roads)
        drawn = ["-".join(cities)] if whole else cities
        shield = draw(st.integers(0, 1))
        tile["city"] = [{"at": at, "shield": shield} for at in drawn]
    if roads:
        joined = len(roads) == 2 and draw(st.booleans()) and not separate(roads, cities)
        tile["road"] = ["-".join(roads)] if joined else roads
    if not cities and draw(st.booleans()):
        tile["monastery"] = ["I"]
        tile["road"] = [f"{side}>C" for side in roads]
    return {name: value for name, value in tile.items() if value != []}


def separate(own: list[str], others: list[str]) -> bool:
    """Would joining these sides part the other ones?"""
    return len(own) == 2 and SIDES.index(own[1]) - SIDES.index(own[0]) == 2 and bool(others)


BOXES = st.lists(tiles(), min_size=3, max_size=6)
ANY_ENGINE = st.sampled_from(sorted(ENGINES))


def box(folder: Path, drawn: list[dict[str, Any]], followers: int, engine: str) -> Game:
    named = [{"id": f"tile{number}", **tile} for number, tile in enumerate(drawn)]
    return load(write_box(folder, named, followers=followers), engine=engine)


@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
@given(
    drawn=BOXES,
    players=st.integers(2, 3),
    followers=st.integers(1, 4),
    seed=st.integers(0, 99),
    engine=ANY_ENGINE,
)
def test_a_random_game_in_a_random_box(
    drawn: list[dict[str, Any]], players: int, followers: int, seed: int, engine: str
) -> None:
    with TemporaryDirectory() as folder:
        game = box(Path(folder), drawn, followers, engine)
    state = game.start(players, seed)
    log = GainLog(state)
    state.listen(log.hear)
    totals: Counter[str] = Counter()
    for _ in played(state, seed):
        for gain in log.take():
            assert gain.amount > 0
            totals[gain.player] += gain.amount
        assert state.scores() == {colour: totals[colour] for colour in state.players}
        nothing_is_lost(state)
        goes_on_alike(game, state)
    assert state.winners


def nothing_is_lost(state: State) -> None:
    """Every component in play is in exactly one place; only the tile that is being laid is in
    nobody's: it has been drawn and lies nowhere yet."""
    position, pieces = state.position, state.game.checked.game.pieces
    laid = {item.piece: Placement(item.cell, item.rotation) for item in position.laid()}
    held = 0
    for index, piece in enumerate(pieces):
        assert position.placement_of(Piece(index)) == laid.get(Piece(index))
        if piece.seat is not None and piece.seat >= position.players:
            continue
        place = position.place_of(Piece(index))
        assert isinstance(place, Cell) == (Piece(index) in laid)
        if place is None:
            held += 1
        else:
            assert isinstance(place, Cell | Segment | Space | Zone)
        if isinstance(place, Segment):
            assert Piece(place.piece) in laid
    assert held == (state.asked == "place_tile")
    assert len(laid) == len({at.cell for at in laid.values()})


def goes_on_alike(game: Game, state: State) -> None:
    """A saved state and a copy are the same state; so is what comes of their first move."""
    saved, copy = game.from_bytes(state.to_bytes()), state.clone()
    assert saved.canonical() == copy.canonical() == state.canonical()
    assert saved.moves() == copy.moves() == state.moves()
    if state.moves():
        saved.play(state.moves()[0])
        copy.play(state.moves()[0])
        assert saved.canonical() == copy.canonical()


@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])
@given(
    drawn=BOXES,
    seed=st.none() | st.integers(0, 99),
    choices=st.integers(0, 99),
    engine=ANY_ENGINE,
)
def test_a_game_played_back_is_the_game(
    drawn: list[dict[str, Any]], seed: int | None, choices: int, engine: str
) -> None:
    with TemporaryDirectory() as folder:
        game = box(Path(folder), drawn, 3, engine)
    state = game.start(2, seed)
    text = io.StringIO()
    recorder = Recorder(text, Header.of(game, 2, seed))
    seen = [state.canonical()]
    bot = RandomBot(choices, 0)
    while state.mover is not None:
        move = bot.choose(state)
        recorder.move(state.mover, move)
        state.play(move)
        seen.append(state.canonical())
    recorder.result(state)
    record = read_record(Source("game.jsonl", text.getvalue()))
    assert [again.canonical() for again, _ in replay(record, game)] == seen
