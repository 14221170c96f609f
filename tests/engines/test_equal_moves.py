"""Merging equal moves loses no outcome: small games are played in every way, merged and not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rulesdsl.engines.engine import Engine, Position
from rulesdsl.play.game import ENGINES, load
from rulesdsl.play.moves import IllegalMove
from tests.engines.machine_games import BOX, PRELUDE, game, on_every_engine, value

ALIKE = {
    "unused": "nothing",
    "attributes": "if x is coin and x.worth == 1 and home(x) == purse and same(x): note(1)",
}
"""Uses of a piece after a choice that do not tell it from interchangeable ones."""

TELLING = {
    "place": "if x in pit: note(1)",
    "moved": "move(x, nook)",
    "state": "if x.used: note(1)",
    "compared": "if x == chosen: note(1)",
    "kept": "chosen = x\nif any(z in pit where z == chosen): note(1)",
    "copied": "let z = x\nif z in pit: note(1)",
    "in a set": "for z in {x}: if z in pit: note(1)",
    "in a value": "if far(x): note(1)",
    "in an action": "look(x)",
    "in an option": "ask(x)",
    "in a queued call": "later look(x)",
    "in a loop": "for n in 1..2:\n    if x in pit: note(n)\n    pick()",
}
"""Uses that do."""

HEAD = """
state token.used: bool
state game.chosen: piece?

value same(y: piece) -> bool: y.worth < 5 and not owned(y)
value far(y: piece) -> bool: y.zone == pit

step action look(y: piece): if y in pit: note(1)

choice ask(y: piece) by first(players):
    option a: if y in pit: note(1)

choice pick() by first(players):
    option a(y in purse):
        y.used = true
        chosen = y
        move(y, pit)

action end():
    note(count(y in pit where y is coin))
    note(count(y in nook where y is coin))
    note(count(y in purse where y is coin))
"""


def rules() -> str:
    text = HEAD
    for number, use in enumerate([*ALIKE.values(), *TELLING.values()]):
        later = use.replace("\n", "\n    ")
        text += (
            f"step action use_{number}():\n    let x = one(purse, coin)\n    pick()\n"
            f"    {later}\n    end()\n"
        )
    options = "".join(f"    option o{n}: use_{n}()\n" for n in range(len(ALIKE) + len(TELLING)))
    return text + "action game(): begin()\nchoice begin() by first(players):\n" + options


def ends(position: Position) -> Iterator[object]:
    """All ways in which a game can end."""
    if position.decision is None:
        yield value(position, "log")
        return
    for index in range(len(position.decision.candidates)):
        after = position.clone()
        after.play(index)
        yield from ends(after)


@on_every_engine
def test_merged_moves_lose_no_end(engine: Engine) -> None:
    merged = engine.start(game(rules()), 1, 1)
    whole = merged.clone()
    whole.count_every_local()
    for number, use in enumerate([*ALIKE, *TELLING]):
        a, b = merged.clone(), whole.clone()
        a.play(number)
        b.play(number)
        some, every = list(ends(a)), list(ends(b))
        assert set(some) == set(every), use
        assert (len(some) < len(every)) == (use in ALIKE), use


@on_every_engine
def test_a_position_of_a_version_that_merged_fewer_moves_is_the_same(engine: Engine) -> None:
    checked = game(rules())
    position = engine.start(checked, 1, 1)
    position.count_every_local()
    position.play(0)
    position.play(1)
    older = position.to_bytes().replace(b'["count_every_local"],', b"").replace(b":4}", b":3}")
    assert older != position.to_bytes()
    assert engine.from_bytes(checked, older).canonical() == position.canonical()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_record_of_a_version_that_merged_fewer_moves_is_replayed(
    engine: str, tmp_path: Path
) -> None:
    (tmp_path / "t.yaml").write_text(f"{BOX}rules: t.rules\n", encoding="utf-8")
    (tmp_path / "t.rules").write_text(PRELUDE + rules(), encoding="utf-8")
    state = load(tmp_path / "t.yaml", engine=engine).start(1, 1)
    state.play(state.recorded("begin.o0"))
    with pytest.raises(IllegalMove):
        state.recorded("pick.a", y="coin#9")
    assert [str(move) for move in state.moves()] == ["pick.a(y=coin)", "pick.a(y=gem)"]
    state.play(state.recorded("pick.a", y="coin#2"))
    assert "pit: coin#2" in state.canonical()
