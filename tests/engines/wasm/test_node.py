"""The bytes that are played here are played by another host, alike to the last byte.

The host is Node; it is given the module and the layout, and nothing to import.
"""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from rulesdsl.engine.run.interface import Playout
from rulesdsl.engine.run.machine import Stopped
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.wasm.engine import ENGINE as wasm
from rulesdsl.engine.run.wasm.engine import exported
from rulesdsl.engine.run.wasm.games import compiled_game
from rulesdsl.engine.run.wasm.machine import Instance
from rulesdsl.engine.runtime.faults import INDEX
from tests.page.node import printed
from tests.rulesets.shipped import game

SCRIPT = Path(__file__).with_name("play.mjs")
SEED, GAMES = 11, 8
WORDS = Rng.seeded(SEED).state


def told_by_node(folder: Path, module: bytes, layout: str) -> Any:
    """What the script tells."""
    (folder / "game.wasm").write_bytes(module)
    (folder / "game.json").write_text(layout)
    given = json.dumps({"seed": SEED, "games": GAMES, "words": WORDS})
    return json.loads(printed(SCRIPT, folder / "game.wasm", folder / "game.json", input=given))


def here(instance: Instance) -> dict[str, Any]:
    """The same on an instance of our own."""
    tables = instance.tables
    instance.call("playouts", SEED, 0, 0, GAMES, 1 << 40)
    numbers = tables["results"].tolist()
    width = len(numbers) // tables["BATCH"][0]
    rows = [numbers[row * width : (row + 1) * width] for row in range(GAMES)]
    tables["rng"][:] = memoryview(bytearray(b"".join(w.to_bytes(4, "little") for w in WORDS))).cast(
        "I"
    )
    tables["resolves"][0] = 1
    instance.call("start")
    counts: list[int] = []
    while tables["waiting"][0]:
        counts.append(tables["move_count"][0])
        instance.call("play", len(counts) * 7 % counts[-1])
    state = instance.memory[: instance.program.layout.state]
    kept = bytes(state)
    with pytest.raises(Stopped) as stopped:
        instance.call("play", -1)
    state[:] = kept
    return {
        "rows": rows,
        "counts": counts,
        "digest": sha256(state).hexdigest(),
        "code": stopped.value.code,
    }


def row(told: Playout) -> list[int]:
    """A row of `results`."""
    mask = sum(1 << seat for seat in told.winners)
    counted = (told.decisions, told.options, told.leads)
    return [told.moves, told.over, mask, *counted, *told.scores, *chain(*told.gains)]


def test_node_plays_the_same_games(tmp_path: Path) -> None:
    checked, players = game("base").checked, 2
    told = told_by_node(tmp_path, *exported(checked, players))
    assert told == here(Instance(compiled_game(checked, players).program))
    assert told["code"] == INDEX

    played = list(wasm.playouts(checked, players, SEED, range(GAMES), 1 << 40))
    assert told["rows"] == [row(each) for each in played]
    position = wasm.start(checked, players, SEED)
    for number, count in enumerate(told["counts"], 1):
        assert position.tables["move_count"][0] == count
        position.play(number * 7 % count)
    assert position.winners
