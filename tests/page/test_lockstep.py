"""Games played through the exported plan under Node are those of the engine, in the same words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rulesdsl
from rulesdsl.cli.words import OptionTexts, Words
from rulesdsl.language.model.values import Piece, Zone
from rulesdsl.play.events import Event, Step, Watch, opening
from rulesdsl.play.moves import text
from rulesdsl.play.table import pieces, said_of, zones
from rulesdsl.show.page.plan import export
from tests.page.node import printed

SCRIPT = Path(__file__).with_name("lockstep.mjs")
EVERYTHING = [
    "river", "inns_and_cathedrals", "traders_and_builders", "crop_circles", "hills_and_sheep",
    "wheel_of_fortune", "robbers",
]  # fmt: skip
PLAYED = Path(__file__).parents[1] / "games"
SAME = Path(__file__).parents[1] / "play" / "same_names"
GAMES = {
    "base": ("base", ["river", "robbers", "crop_circles"], 2),
    "cards": ("card_game", [], 4),
    "dice": ("dice_game", [], 2),
    "risk": (str(PLAYED / "risk.yaml"), [], 2),
    "tricks": (str(PLAYED / "tricks.yaml"), [], 3),
    "sets": (str(PLAYED / "sets.yaml"), [], 2),
    "partners": (str(PLAYED / "partners.yaml"), [], 4),
    "journeys": (str(PLAYED / "journeys.yaml"), [], 2),
    "fireworks": (str(PLAYED / "fireworks.yaml"), [], 3),
    "draughts": (str(PLAYED / "draughts.yaml"), [], 2),
    "piles": (str(PLAYED / "piles.yaml"), [], 2),
    "cups": (str(PLAYED.parent / "engines" / "cups" / "cups.yaml"), [], 2),
    "throws": (str(PLAYED / "throws.yaml"), [], 2),
    "deltas": (str(PLAYED / "deltas.yaml"), [], 3),
    "shards": (str(PLAYED / "shards.yaml"), [], 3),
    "hive": (str(PLAYED / "hive.yaml"), [], 2),
    "same names": (str(SAME / "host.yaml"), ["ants", "bees"], 2),
}


def _seen(state: rulesdsl.State, zone: Zone, seat: int) -> str:
    pieces = state.position.seen(zone, seat)
    return " ".join(
        str(state.names.short(each))
        if isinstance(each, Piece)
        else "".join(["?", *map(str, each or ())])
        for each in pieces
    )


Game = dict[str, Any]
"""A game to play: `players`, `seed`, and `picks`, a number for each decision."""


SOME, ALL = 120, 5_000
"""The numbers of decisions after which games are left."""
EXPLAINED = 60
"""The games of a hundred whose points are compared with their subjects and terms."""


def _games(players: int, count: int, decisions: int = ALL) -> list[Game]:
    random = Random(7)
    return [
        {
            "players": players,
            "seed": seed,
            "picks": random.choices(range(10_000), k=decisions),
        }
        for seed in range(count)
    ]


def _under_node(game: rulesdsl.Game, games: list[Game], folder: Path) -> Any:
    """Return what Node finds in these games, through the exported plan."""
    file = folder / "plan.json"
    counts = sorted({each["players"] for each in games})
    file.write_text(json.dumps(export(game, counts)), encoding="utf-8")
    return json.loads(printed(SCRIPT, file, input=json.dumps(games)))


def _here(game: rulesdsl.Game, asked: Game, *, seen: bool = True) -> Game:
    """Return what Node is to find in a game: decisions, moves, points, perhaps words, zones."""
    players, picks = asked["players"], asked["picks"]
    state = game.start(players, asked["seed"])
    watch = Watch(state) if seen else None
    begun = _events(state, opening(state)) if seen else []
    told: list[Any] = []
    while len(told) < len(picks) and (decision := state.position.decision) is not None:
        moves = state.moves()
        drawn = None
        if seen and len(told) % 8 == 0:
            drawn = _views(state.sample(state.players[len(told) % players], len(told)))
        names = list(map(str, moves))
        words = _words(state) if seen else []
        points = list(state.scores().values())
        told.append(
            [
                decision.seat,
                decision.choice,
                names,
                words,
                points,
                _views(state) if seen else [],
                _states(state) if seen else [],
                drawn,
            ]
        )
        move = moves[picks[len(told) - 1] % len(moves)]
        if watch is not None:
            watch.before(move)
        state.play(move)
        if watch is not None:
            step = watch.after(move)
            told[-1] += _happened(state, step)
    ended = {"scores": list(state.scores().values()), "winners": list(state.position.winners)}
    return {"opening": begun, "told": told, **ended}


def _views(state: rulesdsl.State) -> list[list[str]]:
    """Return the pieces in all zones, as each player sees them."""
    seats = range(len(state.players))
    return [[_seen(state, zone, seat) for seat in seats] for zone in zones(state)]


def _states(state: rulesdsl.State) -> list[list[Any]]:
    """Return the labelled states of all pieces that have a value."""
    return [
        [piece.index, key, text(state.names.short(value))]
        for piece in pieces(state)
        for key, value in said_of(state, piece)
    ]


def _words(state: rulesdsl.State) -> list[list[str]]:
    """Return the legal moves as the terminal says them, in each language."""
    spoken = [
        OptionTexts(state, Words(state.game, language), state.mover) for language in ("en", "es")
    ]
    return [[texts.text(index) for index in range(len(state.moves()))] for texts in spoken]


def _happened(state: rulesdsl.State, step: Step) -> list[Any]:
    """Return the events and the points of a move, and what is said of them in each language."""
    events = _events(state, step.events)
    gains = [
        [
            *(state.players.index(gain.player), gain.source, gain.amount, gain.subject),
            [[term.name, term.value] for term in gain.terms],
        ]
        for gain in step.gains
    ]
    spoken = [Words(state.game, language) for language in ("en", "es")]
    said = [[[*map(w.event, step.events)], [*map(w.gain, step.gains)]] for w in spoken]
    return [events, gains, said]


def _events(state: rulesdsl.State, events: Sequence[Event]) -> list[str]:
    """Return events as text, with the seats that may see them."""
    return [
        " ".join([each.event, *map(text, each.values)])
        + (
            f" to {' '.join(str(state.players.index(to)) for to in each.to)}"
            if each.to is not None
            else ""
        )
        for each in events
    ]


def _gains(game: rulesdsl.Game, asked: Game) -> list[Any]:
    """Return the points of each move with their subjects and terms, and what is said of it."""
    state = game.start(asked["players"], asked["seed"])
    watch, found = Watch(state), list[Any]()
    while state.position.decision is not None:
        moves = state.moves()
        move = moves[asked["picks"][len(found)] % len(moves)]
        watch.before(move)
        state.play(move)
        found.append(_happened(state, watch.after(move))[1:])
    return found


def _compare(here: Game, there: Game, asked: Game) -> None:
    for turn, (own, other) in enumerate(zip(here["told"], there["told"], strict=False)):
        assert own == other, f"decision {turn} of seed {asked['seed']}"
    assert here == there


@pytest.mark.parametrize("name", GAMES)
def test_moves_names_words_points_and_hidden_pieces_are_those_of_the_engine(
    name: str, tmp_path: Path
) -> None:
    ruleset, expansions, players = GAMES[name]
    game = rulesdsl.load(ruleset, expansions, engine="python")
    (asked,) = _games(players, 1, SOME)
    (there,) = _under_node(game, [asked], tmp_path)
    _compare(_here(game, asked), there, asked)


@pytest.mark.long
@pytest.mark.parametrize("name", [*GAMES, "everything"])
def test_a_hundred_games(name: str, tmp_path: Path) -> None:
    ruleset, expansions, players = GAMES.get(name, ("base", EVERYTHING, 3))
    game = rulesdsl.load(ruleset, expansions, engine="wasm")
    readable = rulesdsl.load(ruleset, expansions, engine="python")
    games = _games(players, 100)
    for asked, there in zip(games, _under_node(game, games, tmp_path), strict=True):
        if asked["seed"] < EXPLAINED:
            gains = [decision[-2:] for decision in there["told"]]
            assert gains == _gains(readable, asked), f"points of seed {asked['seed']}"
        there["opening"] = []  # compared above
        for decision in there["told"]:
            decision[-6:] = [[], [], None]
            decision[3] = []
        _compare(_here(game, asked, seen=False), there, asked)
