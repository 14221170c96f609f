"""Histories of positions: the operations since the start of the game.

Starting, playing, arranging and sampling are deterministic, so a position is restored by repeating
its operations. All engines save positions in this form, with the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rulesdsl.engine.run.interface import PlayError, Position, digest
from rulesdsl.engine.run.playouts import play_out
from rulesdsl.engine.run.rng import Rng
from rulesdsl.language.model.checked import Checked

if TYPE_CHECKING:
    from rulesdsl.engine.run.words.plain import PlainValues

Operation = int | tuple[Any, ...]
"""The index of a candidate that was played, or the name and the arguments of a method call.

The methods are those of positions, see `redo`.
"""

History = tuple["History | None", Operation]
"""A linked list of operations: the history before the last operation, and the last operation.

The first operation is the start, with the number of players and the seed; the history before it is
None. Copies of a position share their history.
"""

VERSION = 5
MAX_BYTES = 1_000_000
"""The maximal size of a saved position."""


class SavedError(ValueError):
    """An error for bytes that are not a saved position of this game; the text gives the reason."""


def operations(history: History) -> list[Operation]:
    """Return all operations of a history, the start first."""
    found = list[Operation]()
    node: History | None = history
    while node is not None:
        node, operation = node
        found.append(operation)
    return found[::-1]


def redo(position: Position, operation: Operation) -> Position:
    """Apply an operation to a position and return the resulting position.

    The result is another position for a sample, and one that `python` plays for `rewind`. Raises
    PlayError, and IndexError for a candidate that does not exist.
    """
    match operation:
        case int():
            position.play(operation)
        case ("sample", seat, seed, free):
            return position.sample(seat, seed, free=free)
        case ("playout", limit, seed):
            play_out(position, limit, Rng.seeded(seed))
        case (name, *arguments):
            if name == "rewind":
                position = position.readable()
            getattr(position, name)(*arguments)
    return position


# --- bytes ---------------------------------------------------------------------------------------


def to_bytes(checked: Checked, history: History) -> bytes:
    """Return a history as bytes.

    Raises ValueError for a sample, as the operations before it are secret from its player.
    """
    start, *rest = operations(history)
    assert isinstance(start, tuple), "a history begins with the start"
    _, players, seed = start
    if any(isinstance(each, tuple) and each[0] == "sample" for each in rest):
        raise ValueError("a sample is not saved: its moves would reveal what it hides")
    done = _plain(checked, players, rest)
    saved = {"version": VERSION, "game": digest(checked), "players": players}
    return _json({**saved, "seed": seed, "done": done})


def from_bytes(
    checked: Checked, data: bytes, start: Callable[[int, int | None], Position]
) -> Position:
    """Return the saved position, restored by repeating its operations.

    `start` returns a new game for a number of players and a seed. It takes as long as playing the
    game did, until a deadline passes. Raises SavedError for bytes that are not a position of this
    game.
    """
    try:
        return _load(checked, data, start)
    except SavedError as error:
        why = str(error)
    except PlayError as error:
        why = error.message
    raise SavedError(f"this is not a saved position of this game: {why}")


def _load(checked: Checked, data: bytes, start: Callable[[int, int | None], Position]) -> Position:
    saved = _fields(_parsed(data), "version", "game", "players")
    if saved["version"] != VERSION:
        raise SavedError("it is of another version")
    if saved["game"] != digest(checked):
        raise SavedError("it is of other rulesets, or of other settings")
    players = saved["players"]
    if type(players) is not int or players not in checked.game.numbers:
        raise SavedError(f"the game is not for {str(players)[:20]} players")
    seed, done = saved.get("seed"), saved.get("done")
    if not (seed is None or type(seed) is int) or not isinstance(done, list):
        raise SavedError("its seed or its operations are missing")
    position, reader, arranging = start(players, seed), None, False
    for each in done:
        operation: Operation = each
        if type(each) is not int:
            if reader is None:
                # Playing does not need it.
                from rulesdsl.engine.run.words.plain import PlainValues

                reader = PlainValues(checked, players)
            operation = _operation(each, reader, arranging)
            arranging = operation[0] == "arrange" or (arranging and operation[0] != "arranged")
        elif arranging:
            raise SavedError("a move is played in an arrangement")
        try:
            position = redo(position, operation)
        except IndexError as error:
            raise SavedError(str(error)) from None
    if arranging:
        raise SavedError("an arrangement does not end")
    return position


def _plain(checked: Checked, players: int, done: list[Operation]) -> list[object]:
    """Return operations as plain data."""
    values: PlainValues | None = None
    if any(isinstance(each, tuple) and each[0] in ("apply", "assign") for each in done):
        from rulesdsl.engine.run.words.plain import PlainValues

        values = PlainValues(checked, players)
    found: list[object] = []
    for operation in done:
        match operation:
            case ("apply", effect, arguments) if values is not None:
                found.append(["apply", effect, *map(values.typed, arguments)])
            case ("assign", state, *datum) if values is not None:
                found.append(["assign", state, *map(values.plain, datum)])
            case _:
                found.append(operation)
    return found


def _operation(data: object, reader: PlainValues, arranging: bool) -> tuple[Any, ...]:
    """Return the operation that was saved; raises SavedError for an invalid one."""
    match data:
        case ["apply", str(effect), *arguments]:
            return "apply", effect, reader.arguments(effect, arguments)
        case ["assign", str(state), owner, index, value]:
            return "assign", state, *reader.datum(state, owner, index, value)
        case ["arranged"] if arranging:
            return ("arranged",)
        case _ if arranging:
            pass
        case [("finish" | "offer_chance" | "arrange") as name]:
            return (name,)
        case ["playout", int(limit), int(seed)] if limit >= 0:
            return "playout", limit, seed
        case ["rewind", str(action), int(times), seed] if action in reader.checked.actions:
            if times > 0 and (seed is None or type(seed) is int):
                return "rewind", action, times, seed
    raise SavedError("it contains an operation that does not exist")


def _json(data: object) -> bytes:
    return json.dumps(data, sort_keys=True, separators=(",", ":")).encode()


def _parsed(data: bytes) -> object:
    if len(data) > MAX_BYTES:
        raise SavedError(f"it has more than {MAX_BYTES} bytes")
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise SavedError("it is not JSON") from None


def _fields(data: object, *names: str) -> dict[str, Any]:
    if not isinstance(data, dict) or not data.keys() >= set(names):
        raise SavedError(f"a mapping with {', '.join(names)} is missing")
    return data
