"""Strangers that give equal names to different things: every move is written so that it is one."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from rulesdsl import Game, load
from rulesdsl.base.texts import FALLBACK
from rulesdsl.cli.words import Words
from rulesdsl.engine.run import ENGINES
from rulesdsl.language.diagnostics import Source
from rulesdsl.play.moves import IllegalMove, wanted
from rulesdsl.play.records import Header, Recorder, read_record, replay
from rulesdsl.play.scenario.steps import as_step
from tests.scenarios import run_scenarios

HEAD = "ruleset: {id}\nedition: 1\nversion: 1.0.0\nrules: {id}.rules\n"
HOST = HEAD.format(id="host") + (
    "players: {min: 2, max: 2, colours: [red, blue]}\n"
    "game: {play: game, finish: finish, score: player.score}\n"
)
RULES = (
    "state player.score: int = 0\n"
    "action game():\n"
    "    for p in players: ask(p)\n"
    "    finish()\n"
    "action finish(): end_game(players)\n"
    "choice ask(p: player) by p:\n"
    "    option no: nothing\n"
)


def game(folder: Path, engine: str = "python") -> Game:
    """The host with two strangers, both of which add an option `ask.beg`."""
    (folder / "host.yaml").write_text(HOST, encoding="utf-8")
    (folder / "host.rules").write_text(RULES, encoding="utf-8")
    for id, points in (("ants", 1), ("bees", 2)):
        manifest = f"{HEAD.format(id=id)}requires: [host]\n"
        (folder / f"{id}.yaml").write_text(manifest, encoding="utf-8")
        rules = f"option ask.beg: p.score += {points}\n"
        (folder / f"{id}.rules").write_text(rules, encoding="utf-8")
    return load(folder / "host.yaml", ["ants", "bees"], None, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_moves_of_one_name_are_written_with_their_rulesets(engine: str, tmp_path: Path) -> None:
    state = game(tmp_path, engine).start(2, 1)
    names = [move.name for move in state.moves()]
    assert names == ["ask.no", "ants/ask.beg", "bees/ask.beg"]
    for move in state.moves():
        assert state.meant(wanted(as_step(move))) == [move]
        assert state.meant(wanted(str(move))) == [move]
        assert state.move(move.name, **move.args) == move
    ants, bees = state.moves()[1:]
    assert state.meant(wanted("bees.ask.beg")) == [bees]
    for short in ("beg", "ask.beg"):
        assert state.meant(wanted(short)) == [ants, bees]
        with pytest.raises(IllegalMove, match=r"could be ants/ask\.beg, bees/ask\.beg"):
            state.move(short)
    words = Words(state.game, FALLBACK)
    assert [words.move(move) for move in (ants, bees)] == ["ask.beg (ants)", "ask.beg (bees)"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_record_is_replayed_with_the_move_that_was_played(engine: str, tmp_path: Path) -> None:
    played = game(tmp_path, engine)
    state, text = played.start(2, 1), io.StringIO()
    recorder = Recorder(text, Header.of(played, 2, 1))
    for name in ("bees/ask.beg", "ants/ask.beg"):
        recorder.move(state.mover or "", move := state.move(name))
        state.play(move)
    recorder.result(state)
    record = read_record(Source("game.jsonl", text.getvalue()))
    *_, (last, _) = replay(record, played)
    assert last.scores() == {"red": 2, "blue": 1}


def test_scenarios_name_the_move_that_they_mean(tmp_path: Path) -> None:
    game(tmp_path)
    text = (
        "scenarios: host\n"
        "edition: 1\n"
        "with: [ants, bees]\n"
        "tests:\n"
        "  - name: either\n"
        "    moves: ['bees/ask.beg', 'ants/ask.beg']\n"
        "    expect: {scores: {red: 2, blue: 1}}\n"
        "  - name: one that is not said\n"
        "    moves: ['beg']\n"
        "    expect: {scores: {red: 1}}\n"
    )
    good, bad = run_scenarios(Source("host.test.yaml", text), [str(tmp_path)])
    assert good.passed
    assert [each.message for each in bad.findings] == [
        "`beg` could be 2 different moves: `ants/ask.beg`, `bees/ask.beg`"
    ]


SAME = Path(__file__).with_name("same_names")
"""Two strangers that give equal names to things of every kind."""


@pytest.mark.parametrize("engine", ENGINES)
def test_things_of_one_name_are_written_with_their_rulesets(engine: str) -> None:
    played = load(SAME / "host.yaml", ["ants", "bees"], None, engine)
    state, text = played.start(2, 1), io.StringIO()
    recorder = Recorder(text, Header.of(played, 2, 1))
    texts = [as_step(move) for move in state.moves()]
    assert texts == [text.strip() for text in (SAME / "moves.txt").read_text().splitlines()]
    words = Words(played, FALLBACK)
    assert {"ask.zone bee den", "ask.hue rose (Ants)"} <= {*map(words.move, state.moves())}
    for move in state.moves()[1:]:
        assert state.meant(wanted(as_step(move))) == [move]
        assert state.meant(wanted(str(move))) == [move]
        assert state.recorded(move.name, move.texts) == move
        recorder.move(state.mover or "", move)
        state.play(move)
    record = read_record(Source("game.jsonl", text.getvalue()))
    *_, (last, _) = replay(record, played)
    assert last.canonical() == state.canonical()


def test_a_short_name_of_several_things_is_refused_with_the_full_ones() -> None:
    path = SAME / "host.test.yaml"
    source = Source(str(path), path.read_text(encoding="utf-8"))
    good, *bad = run_scenarios(source, [str(SAME)])
    assert good.passed
    assert [each.message for outcome in bad for each in outcome.findings] == [
        "`row[red]` may be `ants/row[red]` or `bees/row[red]`",
        "`coin` may be `ants/coin` or `bees/coin`",
        "`total` may be `ants/total` or `bees/total`",
        "`zone row[red]` could be 2 different moves: `zone ants/row[red]`, `zone bees/row[red]`",
        "`pink` may be `ants/pink` or `bees/pink`",
        "`pot[pink]` may be `pot[ants/pink]` or `pot[bees/pink]`",
        "`pink` can mean 2 things here",
    ]
