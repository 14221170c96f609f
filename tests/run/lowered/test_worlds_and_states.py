"""Worlds and states go into tables and come back the same."""

from __future__ import annotations

import pytest

from rulesdsl.core import declare
from rulesdsl.core import tables as core
from rulesdsl.lower.tables.box import make_box
from rulesdsl.run.lowered.states import States
from rulesdsl.run.lowered.worlds import Worlds, listed
from rulesdsl.run.reference.position import ReferencePosition
from rulesdsl.run.reference.runtime import Runtime
from rulesdsl.run.reference.views import canonical_lines
from rulesdsl.run.reference.world import World
from tests.run.lowered.blank import GAMES, blank, game, plan, positions


def runtime(position: ReferencePosition) -> Runtime:
    return position._runtime


@pytest.mark.parametrize("name", sorted(GAMES))
@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_written_is_read(name: str, seed: int) -> None:
    checked = game(name)
    players = checked.game.roles.least + seed % 2
    plan_ = plan(name, players)
    tables = blank(plan_)
    worlds = Worlds(plan_.encoding, World(checked.game, players))
    states = None
    seen = 0
    for number, position in enumerate(positions(checked, players, seed)):
        now = runtime(position)
        states = states or States(plan_.states, now.initial)
        worlds.write(tables, now.world)
        states.write(tables, now.states)
        if number % 3 == 0 or position.decision is None:
            again = worlds.read(tables)
            assert canonical_lines(again) == canonical_lines(now.world)
            assert again.zones == now.world.zones
            assert again.pools == now.world.pools
            assert (again.links, again.unlinks) == (now.world.links, now.world.unlinks)
            assert states.read(tables) == now.states
            seen += 1
    assert seen >= 4


@pytest.mark.parametrize("name", sorted(GAMES))
def test_tables_hold_what_they_may_hold(name: str) -> None:
    plan_ = plan(name, 2)
    tables = blank(plan_)
    dims = make_box(plan_.checked, 2, plan_.encoding).dims
    *_, last = positions(plan_.checked, 2, 3)
    now = runtime(last)
    worlds, states = Worlds(plan_.encoding, now.world), States(plan_.states, now.initial)
    worlds.write(tables, now.world)
    states.write(tables, now.states)
    bounds = {
        key: (declare.measure(table.low, dims), declare.measure(table.high, dims))
        for key, table in vars(core).items()
        if isinstance(table, declare.Table)
    }
    for state in plan_.states.values():
        bounds |= {table.name: (table.low, table.high) for table in state.tables}
    for key in ("place", "spot", "face", "known", "pool", "head", "tail", "piece_next", "amount"):
        assert all(bounds[key][0] <= value <= bounds[key][1] for value in tables[key]), key
    for state in plan_.states.values():
        for table in state.tables:
            assert all(table.low <= value <= table.high for value in tables[table.name])


def test_the_pieces_at_a_place_are_linked_both_ways() -> None:
    plan_ = plan("vault", 2)
    tables = blank(plan_)
    *_, last = positions(plan_.checked, 2, 3)
    Worlds(plan_.encoding, runtime(last).world).write(tables, runtime(last).world)
    for place, first in enumerate(tables["head"]):
        pieces = listed(tables, place)
        assert len(pieces) == tables["amount"][place]
        assert tables["tail"][place] == (pieces[-1] if pieces else -1)
        assert first == (pieces[0] if pieces else -1)
        for before, after in zip([-1, *pieces], [*pieces, -1], strict=True):
            assert after < 0 or tables["piece_before"][after] == before
