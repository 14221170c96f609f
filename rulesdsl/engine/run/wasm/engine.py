"""The `wasm` engine: games are lowered to WebAssembly and run in the memory of a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulesdsl.engine.run.playing import LoweredEngine
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.wasm.games import compiled_game, marked_game
from rulesdsl.engine.run.wasm.layout import described
from rulesdsl.engine.run.wasm.machine import WasmMachine
from rulesdsl.language.model.checked import Checked

ENGINE = LoweredEngine(compiled_game, marked_game)


def image(position: LoweredPosition, changed: Mapping[str, Sequence[int]]) -> bytes:
    """Return the state of a position of this engine, as `WasmMachine.image` does."""
    assert isinstance(position.machine, WasmMachine), "tables are played by `wasm`"
    return position.machine.image(changed)


def exported(checked: Checked, players: int) -> tuple[bytes, str]:
    """Return the module of a game for this number of players, and its layout as `described`."""
    program = compiled_game(checked, players).program
    return program.content, described(program.layout, players)
