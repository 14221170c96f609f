"""Grids, zones, tracks and tables."""

from __future__ import annotations

from collections.abc import Mapping as Rules
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product
from math import prod

from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.diagnostics.report import did_you_mean
from rulesdsl.language.link.box import BoxBuilder, Extension
from rulesdsl.language.link.names import DeclarationEntry
from rulesdsl.language.model import ast, nodes
from rulesdsl.language.model.game import PER_PLAYER, GridDef, KindDef, TableDef, TrackDef, ZoneDef
from rulesdsl.language.model.geometry import HEXAGONS, SQUARES, TRIANGLES
from rulesdsl.language.model.nodes import Mapping, Node, Scalar
from rulesdsl.language.model.types import INT_MAX, PIECE_CLASSES

MAX_SPACES = 10_000
"""Maximum length of a track."""


def grids(box: BoxBuilder, modules: Rules[str, ast.Module]) -> tuple[GridDef, ...]:
    """Return all grids; one whose `when` is false is noted as absent.

    Layers over one grid come as `order` lines in the rules, `modules`, say.
    """
    found = {entry.key: _grid(box, entry) for entry in box.names.of("grids")}
    made = tuple(_layer(each, found.get(each.over), box.report) for each in found.values())
    orders = {
        ("/".join(each.first.parts), "/".join(each.second.parts)): each.span
        for part in box.family.parts
        if part.ruleset in modules
        for each in ast.declared(modules[part.ruleset], part.names)
        if isinstance(each, ast.OrderDecl) and not each.independent
    }
    related = box.family.related
    rulesets = {each.key: each.ruleset for each in made}
    own = {
        (lower, upper): span
        for (lower, upper), span in orders.items()
        if lower in rulesets and upper in rulesets and related(rulesets[lower], rulesets[upper])
    }
    sorted_ = _in_order(made, own, frozenset(), box.report)
    if sorted_ is None:
        return made
    known = frozenset(
        (lower.key, upper.key)
        for lower, upper in combinations([each for each in sorted_ if each.over], 2)
        if lower.over == upper.over and related(lower.ruleset, upper.ruleset)
    )
    return _in_order(sorted_, orders, known, box.report) or made


def _in_order(
    made: tuple[GridDef, ...],
    orders: Rules[tuple[str, str], Span],
    known: frozenset[tuple[str, str]],
    report: Report,
) -> tuple[GridDef, ...] | None:
    """Return the grids, their layers in an order; None after a report of a cycle in it.

    `orders` and `known` are pairs of a lower and an upper layer, those that rules say with where.
    """
    waiting, layers = [each for each in made if each.over], list[GridDef]()
    while waiting:
        for each in waiting:
            pairs = [(other.key, each.key) for other in waiting]
            if not any(pair in orders or pair in known for pair in pairs):
                break
        else:
            message = "the layers are ordered in a cycle"
            keys = [each.key for each in waiting]
            span = next(orders[pair] for pair in product(keys, keys) if pair in orders)
            help = ["remove a line of the cycle"]
            if known:
                own = "a layer lies over earlier ones of its ruleset and over those it builds on"
                help.append(f"{own}, unless a line says the reverse")
            report.error("order-cycle", message, span, help=help)
            return None
        layers.append(each)
        waiting.remove(each)
    rest = iter(layers)
    return tuple(next(rest) if each.over else each for each in made)


def _layer(grid: GridDef, below: GridDef | None, report: Report) -> GridDef:
    """Return a grid with the size, cells and owners of the one over which it lies, if any."""
    if below is None:
        return grid
    if below.over:
        message = f"`{below.name}` lies over another grid itself"
        help = ("name the lowest grid: several can lie over it",)
        report.error("bad-value", message, grid.span, help=help)
        return replace(grid, over="")
    return replace(
        grid, per=below.per, outer=below.outer, inner=below.inner, size=below.size,
        cells=below.cells, distinct=grid.distinct or below.cells != SQUARES, touch=False,
    )  # fmt: skip


def _below(box: BoxBuilder, entry: DeclarationEntry) -> str:
    """Return the full name of the grid over which one lies, an empty text for none."""
    node = nodes.get(entry.node, "over")
    if node is None:
        return ""
    for key in ("size", "cells", "per", "touch"):
        if (own := nodes.get(entry.node, key)) is not None:
            message = f"a grid over another one has no `{key}` of its own"
            help = (f"leave `{key}` out",)
            box.report.error("bad-value", message, _span(entry, own), help=help)
    name = nodes.shown(node.value) if isinstance(node, Scalar) else ""
    found = box.names.find(name, entry.ruleset, _span(entry, node), "grids")
    return "" if found is None else found.key


def _grid(box: BoxBuilder, entry: DeclarationEntry) -> GridDef:
    box.present(entry)
    size = nodes.integers(nodes.get(entry.node, "size"))
    holds = set(nodes.words(nodes.get(entry.node, "holds")))
    match = nodes.text(entry.node, "match", "all")
    for extension in box.extending(entry):
        holds.update(nodes.words(nodes.get(extension.node, "holds")))
        match = max(match, _relaxed(box, entry, extension), key=MATCHES.index)
    cells = nodes.text(entry.node, "cells", SQUARES)
    turns = nodes.scalar(entry.node, "turns")
    if cells != SQUARES and turns is not None and turns.value == "all":
        message = f"a grid of {cells} offers only rotations that look different"
        box.report.error("bad-value", message, turns.span, help=("leave `turns` out",))
    return GridDef(
        entry.name,
        entry.ruleset,
        entry.span,
        frozenset(holds),
        *_per(box, entry),
        match,
        nodes.flag(entry.node, "touch", True),
        (size[0], size[1]) if len(size) == 2 else None,
        cells != SQUARES or nodes.text(entry.node, "turns", "all") == "distinct",
        cells,
        nodes.flag(entry.node, "order", False),
        _below(box, entry),
    )


def cells_of(box: BoxBuilder, grids: Sequence[GridDef]) -> str:
    """Return the form of the cells whose sides pieces have, which the root ruleset alone decides.

    It is triangles if one of its grids has them. It is hexagons if a grid of them holds its tiles
    and it has features, or if it has none and all its grids have hexagons.
    """
    root = box.roles.ruleset
    entries = {entry.key: entry for entry in box.names.of("grids")}
    own = [
        (grid.cells, "tile" in nodes.words(nodes.get(entries[grid.key].node, "holds")))
        for grid in grids
        if grid.ruleset == root
    ]
    if any(cells == TRIANGLES for cells, _ in own):
        return TRIANGLES
    if any(feature.ruleset == root for feature in box.features.values()):
        return HEXAGONS if (HEXAGONS, True) in own else SQUARES
    return HEXAGONS if own and all(cells == HEXAGONS for cells, _ in own) else SQUARES


def check_sides(
    box: BoxBuilder, grids: Sequence[GridDef], kinds: Sequence[KindDef], cells: str
) -> None:
    """Report grids that hold components whose sides are not those of their cells.

    The mistake is in what another ruleset than the root declares or adds, if it does.
    """
    entries = {entry.key: entry for entry in box.names.of("grids")}
    for grid in grids:
        if grid.cells != cells and TRIANGLES in (grid.cells, cells) and grid.cells != SQUARES:
            message = f"`{grid.name}` has {grid.cells}, and the pieces of the game are {cells}"
            help = (f"give it `cells: {cells}`" + " or squares" * (cells == TRIANGLES),)
            box.report.error("bad-value", message, grid.span, help=help)
            continue
        for kind in kinds if grid.cells != cells else ():
            outlines = (kind.outline, *(face.outline for face in kind.faces))
            sides = any(each and (each.segments or each.size != (1, 1)) for each in outlines)
            if kind.cls in grid.holds and sides:
                _report_sides(box, entries[grid.key], grid, kind, cells)
                break


def _report_sides(
    box: BoxBuilder, entry: DeclarationEntry, grid: GridDef, kind: KindDef, cells: str
) -> None:
    message = f"`{kind.name}` has sides or several cells, and `{grid.name}` has hexagons"
    other = "hexagons hold tokens, figures, cards, and tiles of one cell"
    if cells != SQUARES:
        sides = "three" if cells == TRIANGLES else "six"
        message = f"`{kind.name}` has {sides} sides, and `{grid.name}` has squares"
        other = f"or give `{grid.name}` `cells: {cells}`"
    holding = grid.span
    if kind.cls not in nodes.words(nodes.get(entry.node, "holds")):
        holding = next(
            each.key.span
            for each in box.extending(entry)
            if kind.cls in nodes.words(nodes.get(each.node, "holds"))
        )
    at, label = kind.span, Label(holding, f"it holds every {kind.cls}")
    if grid.ruleset != box.roles.ruleset or holding != grid.span:
        at, label = holding, Label(kind.span, f"a {kind.cls} that `{grid.name}` would hold")
    help = (f"leave `{kind.cls}` out of its `holds`", other)
    box.report.error("bad-value", message, at, labels=(label,), help=help)


MATCHES = ("all", "any", "none")
"""What grids ask of sides, the strictest first."""


def _relaxed(box: BoxBuilder, entry: DeclarationEntry, extension: Extension) -> str:
    """Return the `match` of an extension, which can only ask for less than the grid's own."""
    own = nodes.text(entry.node, "match", "all")
    said = nodes.scalar(extension.node, "match")
    if said is None:
        return own
    if MATCHES.index(str(said.value)) <= MATCHES.index(own):
        message = f"`{entry.key}` has `match: {own}`, which an extension can only relax"
        looser = [f"`match: {word}`" for word in MATCHES[MATCHES.index(own) + 1 :]]
        help = (f"write {' or '.join(looser)}, or leave it out",) if looser else ("leave it out",)
        box.report.error("bad-value", message, said.span, help=help)
        return own
    return str(said.value)


def fill_zones(box: BoxBuilder) -> None:
    """Fill in the zones, with additions by other rulesets; one whose `when` is false is absent."""
    for entry in box.names.of("zones"):
        box.present(entry)
        holds = set(nodes.words(nodes.get(entry.node, "holds")))
        for extension in box.extending(entry):
            holds.update(nodes.words(nodes.get(extension.node, "holds")))
            if (said := nodes.get(extension.node, "match")) is not None:
                message = f"`{entry.name}` is a zone, where no sides have to match"
                box.report.error("bad-value", message, said.span, help=("leave out `match`",))
        per, outer, inner = _per(box, entry)
        _check_zone(box, entry, per)
        room = nodes.get(entry.node, "room") if all(per) else None
        box.zones[entry.key] = ZoneDef(
            entry.name,
            entry.ruleset,
            entry.span,
            frozenset(holds),
            per,
            outer,
            inner,
            nodes.flag(entry.node, "order"),
            nodes.text(entry.node, "visible", "all"),
            nodes.flag(entry.node, "initial"),
            None if room is None else tuple(_rooms(box, entry, per, room)),
        )


def _check_zone(box: BoxBuilder, entry: DeclarationEntry, per: tuple[str, ...]) -> None:
    if not all(per):
        return
    visible = nodes.text(entry.node, "visible")
    if PER_PLAYER not in per and visible in ("owner", "others"):
        node = nodes.get(entry.node, "visible")
        sees = "could see it" if visible == "owner" else "is not to see it"
        message = f"`{entry.name}` has no owner who {sees}"
        box.report.error("bad-value", message, _span(entry, node), help=("add `per: player`",))
    if visible == "top" and not nodes.flag(entry.node, "order"):
        node = nodes.get(entry.node, "visible")
        message = f"`{entry.name}` keeps no order, so nothing in it lies on top"
        box.report.error("bad-value", message, _span(entry, node), help=("add `order: true`",))
    if per not in ((), (PER_PLAYER,)) and nodes.flag(entry.node, "initial"):
        node = nodes.get(entry.node, "initial")
        message = (
            f"there are several `{entry.name}`, and components do not tell which of "
            "them they begin in"
        )
        help = ("move the components there in the rules",)
        box.report.error("bad-value", message, _span(entry, node), help=help)


def _span(entry: DeclarationEntry, node: Node | None) -> Span:
    return entry.span if node is None else node.span


def _per(box: BoxBuilder, entry: DeclarationEntry) -> tuple[tuple[str, ...], int, int]:
    """Return the indices of a declaration, and the number of members of the first and second."""
    said = nodes.get(entry.node, "per")
    parts = nodes.scalars(said)
    found = tuple(_index(box, entry, node) for node in parts)
    wrong = ("",) * len(found), 1, 1
    if len(parts) > 2:
        message = f"`{entry.name}` has {len(parts)} indices, and a zone can have two"
        help = ("keep two, and look for the rest among the components (`where`)",)
        box.report.error("bad-value", message, _span(entry, parts[2]), help=help)
        return wrong
    if PER_PLAYER in found[1:]:
        written = f"write `per: [player, {nodes.shown(parts[0].value)}]`"
        advice = "name an enum" if PER_PLAYER in found[:1] else written
        message = "`player` can only be the first index; the second is an enum"
        box.report.error("bad-value", message, parts[1].span, help=(advice,))
        return wrong
    if "" in found:
        return wrong
    outer, inner, *_ = *(max(1, len(_members(box, each))) for each in found), 1, 1
    return found, outer, inner


def _index(box: BoxBuilder, entry: DeclarationEntry, node: Scalar) -> str:
    """Return an index by its full name; an empty text after a mistake."""
    if node.value == PER_PLAYER:
        return PER_PLAYER
    enum = box.names.find(
        nodes.shown(node.value),
        entry.ruleset,
        node.span,
        "enums",
        more=(PER_PLAYER,),
        otherwise=(f"an index is `{PER_PLAYER}`, or an enum that a manifest declares",),
    )
    return "" if enum is None else enum.key


def _members(box: BoxBuilder, index: str) -> tuple[str, ...]:
    return box.roles.colours[: box.roles.most] if index == PER_PLAYER else box.enums[index].members


def _rooms(
    box: BoxBuilder, entry: DeclarationEntry, per: tuple[str, ...], node: Node | None
) -> list[int]:
    """Return the room of each instance, from what is written for the remaining indices."""
    members = [_members(box, index) for index in per]
    if not isinstance(node, Mapping):
        room = INT_MAX
        if node is not None:
            room = box.constants.number(node, entry.ruleset, INT_MAX, 0)
        return [room] * prod(map(len, members))
    first = members[0] if members else ()
    written = dict[str, Node]()
    for key, value in node:
        name = nodes.shown(key.value)
        if per and per[0] in box.enums:
            name = box.member(per[0], name, entry.ruleset, key.span) or ""
        if name in first:
            written[name] = value
        elif name:
            message = f"`{entry.name}` has no `{name}`"
            help = did_you_mean(name, first)
            box.report.error("unknown-name", message, key.span, help=help)
    if not members:
        return [INT_MAX]
    return [room for name in first for room in _rooms(box, entry, per[1:], written.get(name))]


def fill_tracks(box: BoxBuilder) -> None:
    """Fill in the tracks."""
    for entry in box.names.of("tracks"):
        length = nodes.get(entry.node, "length")
        box.tracks[entry.key] = TrackDef(
            entry.name,
            entry.ruleset,
            entry.span,
            box.constants.number(length, entry.ruleset, 1, 1, MAX_SPACES),
            nodes.flag(entry.node, "loop"),
            frozenset(nodes.words(nodes.get(entry.node, "holds")) or PIECE_CLASSES),
        )


def tables(box: BoxBuilder) -> tuple[TableDef, ...]:
    """Return the tables of numbers."""
    found = []
    for entry in box.names.of("tables"):
        low, values = nodes.number(entry.node, "from", 0), nodes.get(entry.node, "values")
        numbers = nodes.integers(entry.node if values is None else values)
        found.append(TableDef(entry.name, entry.ruleset, entry.span, low, numbers))
    return tuple(found)
