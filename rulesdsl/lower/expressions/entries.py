"""`table[i]`, `track[i]`, `zone[p]`, `grid[p]`: entries and instances by number."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rulesdsl.core import faults
from rulesdsl.lower.expressions.absent import names_absent
from rulesdsl.lower.expressions.domains import plus_folded
from rulesdsl.lower.expressions.numbers import within
from rulesdsl.lower.logic import either
from rulesdsl.model import ir
from rulesdsl.model.checked import EntryAt, Expr
from rulesdsl.model.types import PLAYER, OptionalType

if TYPE_CHECKING:
    from rulesdsl.lower.expressions.expressions import Expressions

NO_PLACE = 1 << 30
"""From here on: numbers of zones and grids of players that do not play. Nothing has such an index,
so whatever is asked of them is a fault."""


def entry(x: Expressions, node: EntryAt) -> ir.Expr:
    """The entry; fault NO_ENTRY, or NONE for an index none."""
    game, encoding = x.lowering.game, x.lowering.encoding
    match node.what:
        case "table":
            table = game.tables[node.number]
            name = x.lowering.const_table(
                x.lowering.name("table", table.key), table.values, f"Table `{table.key}`."
            )
            index = _index(x, node, table.low, len(table.values))
            return ir.Load(name, plus_folded(index, ir.Const(-table.low)))
        case "track":
            first = encoding.track_first[node.number]
            index = _index(x, node, 0, game.tracks[node.number].length)
            return plus_folded(index, ir.Const(first))
        case "zone":
            return _instance(x, node, encoding.zone_first[node.number])
        case "grid":
            return _instance(x, node, encoding.grid_first[node.number])
        case _:
            raise AssertionError(f"no entries of {node.what}")


def _index(x: Expressions, node: EntryAt, low: int, size: int) -> ir.Expr:
    """The index, from `low` on; fault NO_ENTRY."""
    assert node.index is not None
    index = x.required(node.index)
    found, wanted = x.range_of(node.index), (low, low + size - 1)
    if within(found, wanted):
        return index
    index = x.named("entry", index, node.span)
    below = ir.Compare("<", index, ir.Const(wanted[0]))
    above = ir.Compare(">", index, ir.Const(wanted[1]))
    x.builder.trap_if(either(below, above), faults.NO_ENTRY, node.span)
    return index


def _instance(x: Expressions, node: EntryAt, first: int) -> ir.Expr:
    """The instance of an index, from number `first` on."""
    if node.index is None:
        return ir.Const(first)
    index = x.required(node.index)
    beyond = ir.Const(NO_PLACE + (node.number << 8))
    players = ir.Const(x.lowering.players)
    here = partial(plus_folded, index)
    if not _is_player(node.index) or not names_absent(x.lowering.checked, x.lowering.players):
        return here(ir.Const(first))
    if isinstance(index, ir.Const):
        return here(ir.Const(first) if index.value < players.value else beyond)
    index = x.named("seat", index, node.span)
    plays = ir.Compare("<", index, players)
    return ir.Select(plays, plus_folded(index, ir.Const(first)), plus_folded(index, beyond))


def _is_player(index: Expr) -> bool:
    type_ = index.type.item if isinstance(index.type, OptionalType) else index.type
    return type_ == PLAYER
