"""Reads of the attributes of components, of entries of tables and tracks, and of states.

The functions of states that are called here are made by `lower/bodies/state_functions.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulesdsl.engine.lower import runtime
from rulesdsl.engine.lower.context import Lowering
from rulesdsl.engine.lower.emit import ZERO, as_value, either, is_plain, plus, plus_folded, times
from rulesdsl.engine.lower.expressions import facts, sets
from rulesdsl.engine.lower.expressions.operands import Operands
from rulesdsl.engine.lower.tables.box import BoxTables, Column, outlines
from rulesdsl.engine.lower.tables.encoding import none_of, without_none
from rulesdsl.engine.lower.tables.state_tables import StateTable
from rulesdsl.engine.runtime import faults, groups, heap, questions, tables
from rulesdsl.language.model import checked, ir
from rulesdsl.language.model.checked import AttributeAt, EntryAt, Expr, ReadAttribute, ReadState
from rulesdsl.language.model.game import AttributeDef, IndexedDef
from rulesdsl.language.model.types import FACE, FEATURE, KIND, PLAYER, SEGMENT

# --- attributes -----------------------------------------------------------------------------------


def read_attribute(x: Operands, node: ReadAttribute | AttributeAt) -> ir.Expr:
    """Return an attribute of an object, or its default if the object cannot have it.

    Fault NONE for `none`.
    """
    every = x.lowering.game.attributes
    members = [each for each in every if node.attribute in (each.key, each.whole)]
    owner = x.required(node.object)
    index = x.required(node.index) if isinstance(node, AttributeAt) else ZERO
    if without_none(node.object.type) == FEATURE:
        return _of_feature(x, node, members[0], owner, index)
    return as_value(_of_thing(x, node.object, members, owner, index), node.type)


def _box(lowering: Lowering) -> BoxTables:
    return BoxTables(lowering.checked, lowering.players, lowering.encoding, {}, {})


def _of_thing(
    x: Operands,
    expression: Expr,
    members: Sequence[AttributeDef],
    owner: ir.Expr,
    index: ir.Expr,
) -> ir.Expr:
    """Return one of some attributes of a piece, kind, face or segment, as a number."""
    box, type_ = _box(x.lowering), without_none(expression.type)
    if type_ == KIND:
        columns = [box.kind_attribute(each.key) for each in members]
    elif type_ == FACE:
        columns = [box.face_attribute(each.key) for each in members]
    elif type_ == SEGMENT:
        columns = [_of_segments(x.lowering, each) for each in members]
        owner = _part(x.lowering, owner)
    else:
        assert facts.is_piece(type_), type_
        columns = [_of_pieces(x.lowering, each.key) for each in members]
    name, values = columns[0]
    if len(columns) > 1:
        owner = plus_folded(times(index, len(values)), owner)
        name, values = f"{name}_each", tuple(number for _, one in columns for number in one)
    return _entry(x.lowering, (name, values), owner)


def _of_pieces(lowering: Lowering, key: str) -> Column:
    name, values = _box(lowering).kind_attribute(key)
    return f"piece_{name}", tuple(values[piece.kind] for piece in lowering.game.pieces)


def _part(lowering: Lowering, segment: ir.Expr) -> ir.Expr:
    """Return the row of a segment in the column of an attribute."""
    return runtime.call(groups.part_of, segment) if lowering.drawn_on_faces else segment


def _of_segments(lowering: Lowering, attribute: AttributeDef) -> Column:
    """Return the attribute of every part or, if pieces have no faces, of every segment.

    The parts of a kind in its first rotation are then the segments of each of its pieces.
    """
    name, parts = column = _box(lowering).part_attribute(attribute.key)
    if lowering.drawn_on_faces:
        return column
    shown = [
        len(part.segments) for kind in lowering.game.kinds for part in outlines(lowering.game, kind)
    ]
    first = [0]
    for count in shown:
        first.append(first[-1] + lowering.game.sides * count)
    face = [0]
    for kind in lowering.game.kinds:
        face.append(face[-1] + len(outlines(lowering.game, kind)))
    values = [
        parts[first[face[piece.kind]] + index]
        for piece in lowering.game.pieces
        for index in range(shown[face[piece.kind]])
    ]
    return f"segment_{name}", tuple(values)


def _entry(lowering: Lowering, column: Column, index: ir.Expr) -> ir.Expr:
    """Return an entry of a table, or the number itself if all entries are the same."""
    name, values = column
    if is_plain(index) and len(set(values)) == 1:
        return ir.Const(values[0])
    return ir.Load(lowering.const_table(name, values), index)


# --- features ------------------------------------------------------------------------------------


def _of_feature(
    x: Operands,
    node: ReadAttribute | AttributeAt,
    attribute: AttributeDef,
    feature: ir.Expr,
    index: ir.Expr,
) -> ir.Expr:
    """Return the folded attribute of a feature, or that of a later member of its index.

    If its kind does not own the attribute, its first segment has the default, which is the
    result.
    """
    if attribute.fold == "union":
        return _union(x, node, attribute, feature)
    fold = plus_folded(index, ir.Const(_box(x.lowering).fold_index[attribute.key]))
    value: ir.Expr = runtime.call(questions.value_of_group, feature, fold)
    if attribute.fold == "sum" and attribute.default and _others(x.lowering, attribute):
        feature = x.named("feature", feature, node.span)
        value = runtime.call(questions.value_of_group, feature, fold)
        assert isinstance(attribute.default, int)
        value = ir.Select(_owned(x, attribute, feature), value, ir.Const(int(attribute.default)))
    return as_value(value, node.type)


def _others(lowering: Lowering, attribute: AttributeDef) -> bool:
    """Return whether there are kinds of features that do not own the attribute."""
    return any(kind.key not in attribute.owners for kind in lowering.game.feature_kinds)


def _owned(x: Operands, attribute: AttributeDef, feature: ir.Expr) -> ir.Expr:
    """Return the condition that the kind of a feature owns the attribute.

    Fault if the feature has left the grid.
    """
    kinds = x.lowering.game.feature_kinds
    owners = tuple(int(kind.key in attribute.owners) for kind in kinds)
    name = x.lowering.const_table(x.lowering.name("owners", attribute.key), owners)
    kind = sets.kind(x, feature, False, FEATURE)
    return ir.Compare("!=", ir.Load(name, kind), ZERO)


def _union(x: Operands, node: checked.Typed, attribute: AttributeDef, feature: ir.Expr) -> ir.Expr:
    """Return the set of the attribute's values of all segments, without `none`."""
    builder, span = x.builder, node.span
    first = builder.let("first", runtime.call(groups.first_of, feature), span)
    segment = builder.let("segment", first, span)
    found = builder.let("found", runtime.call(heap.begin), span)
    more = x.boolean("more", True)
    with builder.block() as round_:
        column = _of_segments(x.lowering, attribute)
        value = _entry(x.lowering, column, _part(x.lowering, segment))
        nothing = ir.Const(none_of(attribute.type))
        value = x.named("carried", value, span)
        insert = ir.Do(runtime.call(heap.insert, found, value), span)
        builder.emit(ir.If(ir.Compare("!=", value, nothing), (insert,), (), span))
        builder.emit(ir.Assign(segment.name, runtime.load(tables.member_next, segment), span))
        builder.emit(ir.Assign(more.name, ir.Compare("!=", segment, first), span))
    builder.emit(ir.While(more, tuple(round_), span))
    return found


# --- entries --------------------------------------------------------------------------------------

NO_PLACE = 1 << 30
"""The first number for zones and grids of players who do not play. Nothing has such an index, so
any query for them is a fault."""


def entry(x: Operands, node: EntryAt) -> ir.Expr:
    """Return the entry; fault NO_ENTRY, or NONE for an index `none`."""
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
            return _instance(x, node, game.zones, encoding.zone_first)
        case "grid":
            return _instance(x, node, game.grids, encoding.grid_first)
        case _:
            raise AssertionError(f"no entries of {node.what}")


def _index(x: Operands, node: EntryAt, low: int, size: int) -> ir.Expr:
    """Return the index, from `low` on; fault NO_ENTRY."""
    (part,) = node.index
    index = x.required(part)
    found, wanted = x.range_of(part), (low, low + size - 1)
    if facts.within(found, wanted):
        return index
    index = x.named("entry", index, node.span)
    below = ir.Compare("<", index, ir.Const(wanted[0]))
    above = ir.Compare(">", index, ir.Const(wanted[1]))
    x.builder.trap_if(either(below, above), faults.NO_ENTRY, node.span)
    return index


def _instance(
    x: Operands, node: EntryAt, places: Sequence[IndexedDef], firsts: Sequence[int]
) -> ir.Expr:
    """Return the instance for the indices; `firsts` has the first instance of each place."""
    first, place = firsts[node.number], places[node.number]
    if not node.index:
        return ir.Const(first)
    outer, *others = node.index
    beyond = NO_PLACE + (sum(each.inner for each in places[: node.number]) << 8)
    instance = _of_first(x, outer, place.inner, ir.Const(first), ir.Const(beyond))
    for other in others:
        instance = plus_folded(instance, x.required(other))
    return instance


def _of_first(x: Operands, part: Expr, inner: int, first: ir.Const, beyond: ir.Const) -> ir.Expr:
    """Return the first of the `inner` instances for a member of the first index."""
    index = x.required(part)
    players = ir.Const(x.lowering.players)

    def here(start: ir.Const) -> ir.Expr:
        if isinstance(index, ir.Const):
            return ir.Const(index.value * inner + start.value)
        return plus_folded(times(index, inner), start)

    if without_none(part.type) != PLAYER or not x.lowering.names_absent:
        return here(first)
    if isinstance(index, ir.Const):
        return here(first if index.value < players.value else beyond)
    index = x.named("seat", index, part.span)
    return ir.Select(ir.Compare("<", index, players), here(first), here(beyond))


# --- states ---------------------------------------------------------------------------------------


def row(
    expressions: Operands,
    state: StateTable,
    owner: Expr | None,
    index: Iterable[Expr],
    *,
    write: bool = False,
) -> ir.Expr:
    """Return the row of a state's value: owner, then index are evaluated.

    Fault NONE for an owner `none`, INDEX for the index of a player who does not play. With
    `write` a cell gets a row if it has none.
    """
    place: ir.Expr = ZERO
    if owner is not None:
        holder = expressions.required(owner)
        place = _owner_place(expressions.lowering, state, holder, write)
    for size, part in zip(state.sizes, index, strict=True):
        place = plus(times(place, size), _place_in(expressions, part))
    return place


def _place_in(expressions: Operands, part: Expr) -> ir.Expr:
    lowering = expressions.lowering
    index = expressions.value(part)
    if part.type != PLAYER or not lowering.names_absent:
        return index
    # A row beyond that of the last player would belong to something else.
    seat = expressions.named("seat", index, part.span)
    beyond = ir.Compare(">=", seat, ir.Const(lowering.players))
    expressions.builder.trap_if(beyond, faults.INDEX, part.span)
    return seat


def _owner_place(lowering: Lowering, state: StateTable, holder: ir.Expr, write: bool) -> ir.Expr:
    if state.hashed:
        return ir.Call(lowering.name("make_row" if write else "find_row", state.key), (holder,))
    return plus(holder, ir.Const(-state.first))


def read_state(expressions: Operands, node: ReadState) -> ir.Expr:
    """Return the value of a state.

    It is the state's number, a bool as an IR bool, a set as a new one on the heap.
    """
    state = expressions.lowering.states[node.state]
    return read_row(expressions.lowering, state, row(expressions, state, node.owner, node.index))


def read_row(lowering: Lowering, state: StateTable, at: ir.Expr) -> ir.Expr:
    """Return the value of a state in a row."""
    if state.members is not None:
        return ir.Call(lowering.name("get", state.key), (at,))
    return as_value(ir.Load(state.data, at), state.definition.type)
