"""Records: every turn of a game, the same from every engine, and a game that goes on."""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from rulesdsl.author.why.answer import fields
from rulesdsl.author.why.played import LAST, ask_record
from rulesdsl.author.why.points import PointsQuestion, Valued
from rulesdsl.author.why.refused import RefusedQuestion
from rulesdsl.engine.run import ENGINES
from rulesdsl.language.diagnostics import RulesError, Source
from rulesdsl.language.read.files import shipped
from rulesdsl.play import Game, load
from rulesdsl.play.events import Turns
from rulesdsl.play.moves import wanted
from rulesdsl.play.records import Header, Record, Recorder, read_record
from tests.why.asking import text

HAMLETS = Path(__file__).parents[1] / "cli" / "rulesets" / "hamlets.yaml"


@pytest.fixture(scope="module")
def game() -> Game:
    return load(HAMLETS)


def recorded(game: Game, moves: int | None = None) -> Record:
    """A random game, or so many moves of it."""
    file, luck = io.StringIO(), random.Random(3)
    state = game.start(2, 7)
    recorder = Recorder(file, Header.of(game, 2, 7))
    while state.mover is not None and moves != 0:
        move = luck.choice(state.moves())
        recorder.move(state.mover, move)
        state.play(move)
        moves = None if moves is None else moves - 1
    return read_record(Source("game.jsonl", file.getvalue()))


def test_the_points_of_all_turns_are_the_score(game: Game) -> None:
    record, told = recorded(game), Counter[str]()
    state = game.start(2, 7)
    turns = Turns()
    for entry in record.entries:
        turns.before(state)
        state.play(state.move(entry.move, **entry.args))
        turns.after(state)
    last = turns.number - 1
    for turn in range(1, last + 1):
        question = PointsQuestion()
        ask_record(record, game, turn, question, None)
        for answer in question.answers:
            assert answer.facts["turn"] == turn
            told[str(answer.facts["player"])] += int(str(answer.facts["amount"]))
    with pytest.raises(RulesError, match=f"the record has turns 1 to {last}, not {last + 1}"):
        ask_record(record, game, last + 1, PointsQuestion(), None)
    assert sum(told.values()) > 0
    assert {player: told[player] for player in state.players} == state.scores()


def test_programs_are_told_what_the_schema_says(game: Game) -> None:
    schema = json.loads((shipped("schemas") / "why.schema.json").read_text(encoding="utf-8"))
    validator, record = Draft202012Validator(schema), recorded(game)
    told = set()
    asked: list[tuple[int, PointsQuestion | RefusedQuestion | Valued]]
    asked = [(turn, PointsQuestion()) for turn in range(1, 12)]
    for turn, question in [*asked, (6, RefusedQuestion(wanted("put"))), (6, Valued("free"))]:
        ask_record(record, game, turn, question, None)
        for answer in question.answers:
            validator.validate(json.loads(json.dumps(fields(answer))))
            told.add(answer.facts["question"])
    assert told == {"points", "not", "value"}


def test_the_points_of_one_player(game: Game) -> None:
    record, everybody = recorded(game), PointsQuestion()
    ask_record(record, game, LAST, everybody, None, played=True)
    for colour in ("red", "blue"):
        one = PointsQuestion(colour)
        ask_record(record, game, LAST, one, None, played=True)
        assert [answer.head for answer in one.answers] == [
            answer.head for answer in everybody.answers if answer.facts["player"] == colour
        ]


def test_all_engines_tell_the_same() -> None:
    found = set()
    for engine in ENGINES:
        game = load(HAMLETS, engine=engine)
        record = recorded(game)
        for question in (
            PointsQuestion(),
            RefusedQuestion(wanted("put")),
            Valued("worth_of"),
            Valued("free"),
        ):
            ask_record(record, game, 6, question, None)
            found.add((type(question).__name__, engine, text(question.answers)))
    assert len({(name, told) for name, _, told in found}) == len(found) // len(ENGINES)


def test_a_game_that_goes_on(game: Game) -> None:
    for moves in (1, 2):
        record = recorded(game, moves)
        asked = {1: "put", 2: "at"}[moves]
        question = RefusedQuestion(wanted(asked))
        ask_record(record, game, LAST, question, None)
        assert question.answers
        assert f"after move {moves}: " in question.answers[0].when


def test_nobody_has_moved(game: Game) -> None:
    record = recorded(game, 0)
    question = RefusedQuestion(wanted("at 7,7"))
    ask_record(record, game, LAST, question, None)
    assert "it touches nothing" in question.answers[0].head
    with pytest.raises(RulesError, match="nobody has moved"):
        ask_record(record, game, LAST, PointsQuestion(), None, played=True)
