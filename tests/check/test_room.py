"""The memory that the state of a game takes is known, and limited, before the game begins."""

from __future__ import annotations

from rulesdsl.language.check.room import ENTRY, MOST, parts
from rulesdsl.play import load
from tests.small_games import checked

MANIFEST = """\
ruleset: t
edition: 1
version: 1.0.0
players: {min: 1, max: 4, colours: [red, blue, green, grey]}
game: {play: game, finish: finish, score: player.score}
enums: {digit: [a, b, c, d, e, f, g, h, i, j]}
"""
RULES = """\
state player.score: int 0..9 = 0
state player.tried: STATE
action game(): first(players).score = 1
action finish(): end_game(players)
"""


def found(state: str) -> tuple[str, ...]:
    """The messages and help about a game with this state."""
    outcome = checked({"t": (MANIFEST, RULES.replace("tried: STATE", state))})
    large = [each for each in outcome.report if each.slug == "state-too-large"]
    assert all(each.span and each.span.line == 2 for each in large)
    return tuple(line for each in large for line in (each.message, *each.help))


def test_states_multiply_by_their_indices_and_owners() -> None:
    digits = "[digit]" * 6
    assert found(f"tried{digits}: bool") == ()
    assert found("tried[player][side]: bool") == ()
    assert found(f"tried{digits}[player]: bool")[0].startswith("the state of a game takes 129 MB")
    most = "`t/player.tried`"
    assert found(f"tried{digits}[digit]: bool") == (
        "the state of a game takes 321 MB, more than the limit of 64 MB",
        f"the largest parts: 320 MB for state {most}",
        "declare fewer members, copies or indices",
    )
    assert MOST == 64_000_000


def test_what_is_foreseen_is_near_what_tables_take() -> None:
    game = load("base", engine="wasm")
    position = game.start(5, 1).position
    tables = position.tables
    places = position._machine.sharing.instance.program.layout.places  # type: ignore[attr-defined]
    fixed = {"stack", "store", "queue"}
    states = {name for name, place in places.items() if place.role == "state"} - fixed
    held = sum(len(tables[name]) for name in states)
    foreseen = sum(part.bytes for part in parts(game.checked)) / ENTRY
    assert 0.5 * foreseen < held < 2 * foreseen


def test_the_number_of_a_grid_has_room_in_a_placement() -> None:
    def told(holds: str, players: int) -> list[str]:
        manifest = MANIFEST.replace("max: 4", f"max: {players}")
        grids = "".join(f"  g{n}: {{holds: {holds}, per: player}}\n" for n in range(10))
        outcome = checked({"t": (f"{manifest}grids:\n{grids}", RULES.replace("STATE", "bool"))})
        return [each.message for each in outcome.report if each.slug == "state-too-large"]

    assert told("tile", 3) == told("token", 4) == []
    assert told("tile", 4) == ["with `g8` there are 36 grids, and 32 are the most"]
