"""Plans as bytes, and the keys under which compiled games are kept."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from io import BytesIO

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower.plan import Plan
from rulesdsl.engine.run.interface import digest
from rulesdsl.language.diagnostics import Source
from rulesdsl.language.model.checked import Checked

GAMES = 8
"""The number of compiled games, by number of players, that a process keeps."""


@dataclass(frozen=True, eq=False)
class Same:
    """A checked game that is compared by identity."""

    checked: Checked

    def __hash__(self) -> int:
        return id(self.checked)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.checked is other.checked


def sources_of(checked: Checked) -> Mapping[str, Source]:
    """Return the files of rules by name."""
    rules = (ruleset.rules for ruleset in checked.game.rulesets)
    return {source.name: source for source in rules if source is not None}


def key_of(checked: Checked, players: int, entries: Sequence[str]) -> str:
    """Return a key that identifies a lowered game.

    It depends on the game, all settings, the number of players, the entries of the program and the
    names of the files; and on how much there is of the rules, because a game in which options
    watch invariants has more of them, but the same rulesets.
    """
    options = [option for choice in checked.choices.values() for option in choice.options]
    rules = checked.values, checked.actions, checked.always, options
    numbers = str(players), *(str(len(each)) for each in rules)
    return "\0".join([digest(checked), *numbers, *entries, *sources_of(checked)])


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
