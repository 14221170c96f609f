"""Positions as bytes: canonical JSON of everything that is not in the game itself.

`{"version": 2, "game": digest, "players": n, "decided": n, "cut_short": whether the limit of
decisions has ended the game, "generator": words or null, "winners": seats, "world": ...,
"states": rows, "stack": frames, "queue": rows}`, with sorted keys and no spaces, in UTF-8.
"""

from __future__ import annotations

import json

from rulesdsl.model.checked import Checked
from rulesdsl.model.values import Value
from rulesdsl.run.engine import PlayError, digest
from rulesdsl.run.reference import framecodec, machine, storage
from rulesdsl.run.reference.context import StateKey
from rulesdsl.run.reference.fault import Fault
from rulesdsl.run.reference.fitting import exists, fits, fits_owner
from rulesdsl.run.reference.frames import Queued
from rulesdsl.run.reference.plaindata import (
    DataError,
    decode,
    decode_all,
    encode,
    fields,
    listed,
    truth,
    whole,
)
from rulesdsl.run.reference.program import Code, Program
from rulesdsl.run.reference.runtime import MAX_QUEUE, Runtime
from rulesdsl.run.rng import Rng

VERSION = 2
MAX_BYTES = 10_000_000
"""The longest saved position that is read."""


class SavedError(ValueError):
    """These bytes are no saved position of this game; the text says why in one sentence."""


def _json(data: object) -> bytes:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8")


def to_bytes(runtime: Runtime) -> bytes:
    """Everything of a position that is not in its game."""
    return _json(
        {
            "version": VERSION,
            "game": digest(runtime.checked),
            "players": runtime.world.box.players,
            "decided": runtime.decided,
            "cut_short": runtime.cut_short,
            "generator": runtime.generator and list(runtime.generator.state),
            "winners": list(runtime.winners),
            "world": storage.dump(runtime.world),
            "states": [
                [state, encode(owner), [encode(part) for part in index], encode(value)]
                for (state, owner, index), value in runtime.sorted_states()
            ],
            "stack": [framecodec.encode_frame(frame) for frame in runtime.stack],
            "queue": [[q.action, [encode(value) for value in q.arguments]] for q in runtime.queue],
        }
    )


def from_bytes(checked: Checked, data: bytes) -> Runtime:
    """The position that was saved; raises SavedError for bytes that are none of this game."""
    try:
        return _load(checked, data)
    except (DataError, Fault, PlayError) as error:
        why = error.message
    except RecursionError:
        why = "it is nested too deeply"
    raise SavedError(f"this is no saved position of this game: {why}")


def _load(checked: Checked, data: bytes) -> Runtime:
    head = ("version", "game", "players", "decided", "cut_short", "generator", "winners")
    saved = fields(_parsed(data), *head, "world", "states", "stack", "queue")
    if saved["version"] != VERSION:
        raise DataError("it is of another version")
    if saved["game"] != digest(checked):
        raise DataError("it is of other rulesets, or of other settings")
    players = whole(saved["players"])
    roles = checked.game.roles
    if not roles.least <= players <= roles.most:
        raise DataError(f"the game is not for {players} players")
    world = storage.load(checked.game, players, saved["world"])
    runtime = Runtime(Program(checked), world)
    runtime.decided = whole(saved["decided"])
    if not 0 <= runtime.decided <= 2 * roles.limit:
        raise DataError(f"players have not decided {runtime.decided} times")
    runtime.cut_short = truth(saved["cut_short"])
    runtime.generator = _generator(saved["generator"])
    runtime.winners = _winners(saved["winners"], players)
    _load_states(runtime, saved["states"])
    _load_queue(runtime, saved["queue"])
    framecodec.load_stack(runtime, saved["stack"])
    _resume(runtime)
    return runtime


def _parsed(data: bytes) -> object:
    if len(data) > MAX_BYTES:
        raise DataError(f"it has more than {MAX_BYTES} bytes")
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise DataError("it is not JSON") from None


def _generator(data: object) -> Rng | None:
    if data is None:
        return None
    try:
        return Rng(tuple(whole(word) for word in listed(data)))
    except ValueError as error:
        raise DataError(str(error)) from None


def _winners(data: object, players: int) -> tuple[int, ...]:
    seats = tuple(whole(seat) for seat in listed(data))
    if list(seats) != sorted(set(seats)) or any(seat >= players for seat in seats):
        raise DataError("the winners are no players")
    return seats


def _load_states(runtime: Runtime, data: object) -> None:
    for row in listed(data):
        match row:
            case [str(state), owner, list(index), value] if state in runtime.checked.states:
                key = (state, decode(owner), decode_all(index))
                _check_state(runtime, key, decode(value))
                runtime.states[key] = decode(value)
            case _:
                raise DataError("a state is not there")


def _check_state(runtime: Runtime, key: StateKey, value: Value) -> None:
    box, (state, owner, index) = runtime.world.box, key
    definition = runtime.checked.states[state]
    there = all(exists(part, box) for part in (owner, value, *index))
    if not there or not fits_owner(owner, definition.owner, box):
        raise DataError(f"`{state}` is not kept there")
    if len(index) != len(definition.index) or not all(
        fits(part, kind, box) for part, kind in zip(index, definition.index, strict=True)
    ):
        raise DataError(f"`{state}` has another index")
    if not fits(value, definition.type, box) or value == runtime.initial[state]:
        raise DataError(f"`{state}` cannot be that")


def _load_queue(runtime: Runtime, data: object) -> None:
    rows = listed(data)
    if len(rows) > MAX_QUEUE:
        raise DataError("too many calls wait")
    for row in rows:
        match row:
            case [str(action), arguments] if action in runtime.checked.actions:
                queued = Queued(action, decode_all(arguments))
            case _:
                raise DataError("a call waits that the rules do not know")
        wanted = [kind for _, kind in runtime.program.parameters(Code("action", action))]
        if not framecodec.suit(queued.arguments, wanted, runtime.world.box):
            raise DataError(f"`{action}` has other parameters")
        runtime.queue.append(queued)


def _resume(runtime: Runtime) -> None:
    """Work out what the position waits for."""
    if not runtime.stack:
        return
    if runtime.winners:
        raise DataError("it has winners and is not over")
    machine.advance(runtime)
    if runtime.waiting is None:
        raise DataError("it waits for nobody")
