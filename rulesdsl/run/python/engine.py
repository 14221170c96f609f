"""The `python` engine: games lowered and printed as Python, played on lists."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rulesdsl.cache import Cache
from rulesdsl.diagnostics import Source
from rulesdsl.memory import uncollected
from rulesdsl.model.checked import Checked
from rulesdsl.run.engine import digest
from rulesdsl.run.lowered import position
from rulesdsl.run.lowered.planned import dump_plan, restore_plan
from rulesdsl.run.lowered.position import LoweredPosition
from rulesdsl.run.lowered.shared import Lowered
from rulesdsl.run.python.kept import load_or_make
from rulesdsl.run.python.machine import PythonMachine
from rulesdsl.run.python.program import CompiledProgram

GAMES = 8
"""How many games, by number of players, are kept ready at a time."""


def start(checked: Checked, players: int, seed: int | None) -> LoweredPosition:
    """A new game at its first decision. Chance is resolved from the seed, or without one asked for
    as decisions. Raises PlayError when the rules fail before the first decision."""
    lowered, blank = _ready(_Same(checked), players)
    return position.start(lowered, blank.clone(), seed)


def from_bytes(checked: Checked, data: bytes) -> LoweredPosition:
    """The position that `to_bytes` gave `data` for; raises `SavedError` for data that is not one of
    this game."""
    # What reads bytes brings all of the readable engine, which is not needed to play.
    from rulesdsl.run.lowered.pack import players_in
    from rulesdsl.run.lowered.saved import from_bytes as read

    lowered, blank = _ready(_Same(checked), players_in(checked, data))
    return read(lowered, blank.clone(), data)


def _sources(checked: Checked) -> dict[str, Source]:
    """The files of rules by name."""
    rules = (ruleset.rules for ruleset in checked.game.rulesets)
    return {source.name: source for source in rules if source is not None}


@dataclass(frozen=True, eq=False)
class _Same:
    """A checked game that is equal to itself alone."""

    checked: Checked

    def __hash__(self) -> int:
        return id(self.checked)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.checked is other.checked


@lru_cache(GAMES)
def _ready(game: _Same, players: int) -> tuple[Lowered, PythonMachine]:
    """A game that is lowered and compiled, and a machine on which nothing has happened: its copies
    share the large tables that are no part of a position. What is compiled is kept."""
    checked = game.checked
    key = "\0".join([digest(checked), str(players), *_sources(checked)])
    compiled = load_or_make(key, lambda: _compile(checked, players), Cache.of_user())
    blank = PythonMachine(compiled, _sources(checked))
    return Lowered(restore_plan(compiled.extra, checked)), blank


def _compile(checked: Checked, players: int) -> CompiledProgram:
    """Lower and compile a game."""
    with uncollected():
        # What lowers and prints is not needed where that was done before; importing it takes as
        # long as all of such a start.
        from rulesdsl.lower.program import lower
        from rulesdsl.run.python.compiling import compile_program

        plan = lower(checked, players)
        return compile_program(plan.program, extra=dump_plan(plan))
