"""Export of modules for other hosts: their bytes, and their layout as JSON."""

from __future__ import annotations

import json

from rulesdsl.engines.wasm.engine import program_of
from rulesdsl.engines.wasm.layout import SLOTS, Layout
from rulesdsl.model.checked import Checked


def exported(checked: Checked, players: int) -> tuple[bytes, str]:
    """Return the module of a game for this number of players, and its layout as `described`."""
    program = program_of(checked, players)
    return program.content, described(program.layout, players)


def described(layout: Layout, players: int) -> str:
    """Return a layout as JSON.

    It has these fields: `players`; `state`, the number of bytes that the state takes from address 0
    on; `slots`, the number of copies of it that fit after it; and `tables` by name, with the
    `role`, the `address`, the `size`, the smallest and the largest number (`low`, `high`), and the
    format of entries (`type`: `u8` to `u32`, `i8` to `i64`).
    """
    tables = {
        name: {
            "role": place.role,
            "address": place.address,
            "size": place.size,
            "type": f"{'u' if place.width.format.isupper() else 'i'}{8 << place.width.power}",
            "low": place.low,
            "high": place.high,
        }
        for name, place in layout.places.items()
    }
    return json.dumps({"players": players, "state": layout.state, "slots": SLOTS, "tables": tables})
