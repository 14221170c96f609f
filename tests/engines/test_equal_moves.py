"""Merging equal moves loses no outcome: small games are played in every way, merged and not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rulesdsl.engine.lower import program
from rulesdsl.engine.lower.actions.shared import Shared
from rulesdsl.engine.lower.program import live_rows
from rulesdsl.engine.run.interface import Engine, Position
from tests.engines.machine_games import game, on_every_engine, value

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


def all_ends(engine: Engine, text: str) -> list[list[object]]:
    """The ends of a game after each of its first moves."""
    position, found = engine.start(game(text), 1, 1), []
    for number in range(len(ALIKE) + len(TELLING)):
        after = position.clone()
        after.play(number)
        found.append(list(ends(after)))
    return found


@on_every_engine
def test_merged_moves_lose_no_end(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    merged = all_ends(engine, rules())
    # From now on every local in scope tells pieces apart.
    monkeypatch.setattr(program, "live_rows", every_row)
    whole = all_ends(engine, f"{rules()}\n# compiled anew, since programs are cached by the text\n")
    for use, some, every in zip([*ALIKE, *TELLING], merged, whole, strict=True):
        assert set(some) == set(every), use
        assert (len(some) < len(every)) == (use in ALIKE), use


def every_row(shared: Shared) -> tuple[list[int], list[int], list[int], list[int]]:
    first, slots, what, telling = live_rows(shared)
    return first, slots, what, [1] * len(telling)
