"""Modules for other hosts: their bytes, and what has to be known to use them, as JSON."""

from __future__ import annotations

import json

from rulesdsl.engines.wasm.engine import program_of
from rulesdsl.engines.wasm.layout import SLOTS, Layout
from rulesdsl.model.checked import Checked


def exported(checked: Checked, players: int) -> tuple[bytes, str]:
    """Return the module that plays a game for so many players, and its layout as `described`."""
    program = program_of(checked, players)
    return program.content, described(program.layout, players)


def described(layout: Layout, players: int) -> str:
    """Return a layout as JSON: `players`.

    `state`, how many bytes the state takes from address 0 on; `slots`, how many copies of it have
    room after it; and `tables` by name, with the `role`, the `address`, the `size`, the smallest
    and the largest number (`low`, `high`), and how entries are held (`type`: `u8` to `u32`, `i8` to
    `i64`).
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
