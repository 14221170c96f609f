"""Plans as bytes, to be kept beside the code of their programs."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from io import BytesIO

from rulesdsl.lower.plan import Plan
from rulesdsl.model.checked import Checked


def dump_plan(plan: Plan) -> bytes:
    """Return a plan without its program, and without the game that it is a plan of."""
    parts = {id(part): name for name, part in _parts(plan.checked).items()}
    parts[id(plan.program)] = "program"
    file = BytesIO()
    _Pickler(file, parts).dump(plan)
    return file.getvalue()


def restore_plan(content: bytes, checked: Checked) -> Plan:
    """Return the plan that was dumped, for a game that is equal.

    The content has to be trusted.
    """
    plan: Plan = _Unpickler(BytesIO(content), {**_parts(checked), "program": None}).load()
    return plan


def _parts(checked: Checked) -> dict[str, object]:
    """What plans share with their games."""
    states = {f"state {key}": definition for key, definition in checked.states.items()}
    return {"checked": checked, "game": checked.game, **states}


class _Pickler(pickle.Pickler):
    """Leaves out parts that have names."""

    def __init__(self, file: BytesIO, names: Mapping[int, str]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._names = names

    def persistent_id(self, part: object) -> str | None:
        return self._names.get(id(part))


class _Unpickler(pickle.Unpickler):
    """Puts in the parts that were left out."""

    def __init__(self, file: BytesIO, parts: Mapping[str, object]) -> None:
        super().__init__(file)
        self._parts = parts

    def persistent_load(self, name: str) -> object:
        return self._parts[name]
