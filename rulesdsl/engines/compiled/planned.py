"""Plans as bytes, to be cached with the code of their programs."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from io import BytesIO

from rulesdsl.lower.plan import Plan
from rulesdsl.model.checked import Checked


def dump_plan(plan: Plan) -> bytes:
    """Return a plan as bytes, without its program and its game."""
    parts = {id(part): name for name, part in _parts(plan.checked).items()}
    parts[id(plan.program)] = "program"
    file = BytesIO()
    _Pickler(file, parts).dump(plan)
    return file.getvalue()


def restore_plan(content: bytes, checked: Checked) -> Plan:
    """Return the plan that was dumped, for an equal game.

    The content must come from a trusted source, because it is unpickled.
    """
    plan: Plan = _Unpickler(BytesIO(content), {**_parts(checked), "program": None}).load()
    return plan


def _parts(checked: Checked) -> dict[str, object]:
    """Return the objects that plans share with their games, by name."""
    states = {f"state {key}": definition for key, definition in checked.states.items()}
    return {"checked": checked, "game": checked.game, **states}


class _Pickler(pickle.Pickler):
    """A pickler that writes a name for each part that has one."""

    def __init__(self, file: BytesIO, names: Mapping[int, str]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._names = names

    def persistent_id(self, part: object) -> str | None:
        return self._names.get(id(part))


class _Unpickler(pickle.Unpickler):
    """An unpickler that replaces names by the parts they stand for."""

    def __init__(self, file: BytesIO, parts: Mapping[str, object]) -> None:
        super().__init__(file)
        self._parts = parts

    def persistent_load(self, name: str) -> object:
        return self._parts[name]
