"""Shared by the tests of lowered positions: games, and tables without a program."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from rulesdsl import load
from rulesdsl.core import declare
from rulesdsl.core import tables as core
from rulesdsl.lower.plan import Plan
from rulesdsl.lower.tables.box import make_box
from rulesdsl.lower.tables.encoding import Encoding
from rulesdsl.lower.tables.state_tables import state_tables
from rulesdsl.model import ir
from rulesdsl.model.checked import Checked
from rulesdsl.run.reference import position as reference
from rulesdsl.run.reference.position import ReferencePosition
from rulesdsl.run.rng import Rng

ROOT = Path(__file__).parents[3]
GAMES = {
    "base": ROOT / "rulesets" / "base.yaml",
    **{name: ROOT / "tests" / "games" / f"{name}.yaml" for name in ("mosaic", "stones", "vault")},
}


@cache
def game(name: str) -> Checked:
    return load(GAMES[name]).checked


@cache
def plan(name: str, players: int) -> Plan:
    """A plan in which nothing can run."""
    return plan_of(game(name), players)


def plan_of(checked: Checked, players: int) -> Plan:
    """The same for any game."""
    encoding = Encoding(checked, players)
    return Plan(
        checked=checked,
        players=players,
        encoding=encoding,
        program=ir.Program({}, {}, ()),
        states=state_tables(checked, encoding),
        points=(),
        choices=(),
        actions=(),
        sizes=(),
        depths={
            key: f"depth_{number}"
            for number, (key, action) in enumerate(checked.actions.items())
            if action.depth is not None
        },
    )


def blank(plan: Plan) -> dict[str, list[int]]:
    """Tables of the core and of the states, filled only where nothing changes."""
    box = make_box(plan.checked, plan.players, plan.encoding)
    found: dict[str, list[int]] = {}
    for name, table in vars(core).items():
        if isinstance(table, declare.Table):
            size = declare.measure(table.size, box.dims)
            found[name] = list(box.values[name]) if table.role == "const" else [0] * size
    for state in plan.states.values():
        found |= {table.name: list(table.values or [0] * table.size) for table in state.tables}
    return found | {table: [0] for table in plan.depths.values()}


def positions(checked: Checked, players: int, seed: int) -> Iterator[ReferencePosition]:
    """A random game at every decision, and at its end."""
    position = reference.start(checked, players, seed)
    drawn = Rng.seeded(seed, 1)
    while position.decision is not None:
        yield position
        position.play(drawn.below(len(position.decision.candidates)))
    yield position
