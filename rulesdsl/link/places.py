"""Grids, zones, tracks and tables."""

from __future__ import annotations

from rulesdsl.diagnostics import Span
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.link.box import BoxBuilder, Extension
from rulesdsl.link.names import DeclarationEntry
from rulesdsl.model import nodes
from rulesdsl.model.game import GridDef, TableDef, TrackDef, ZoneDef
from rulesdsl.model.nodes import Mapping, Node
from rulesdsl.model.types import INT_MAX, PIECE_CLASSES

PLAYER = "player"
MAX_SPACES = 10_000
"""Maximum length of a track."""


def grids(box: BoxBuilder) -> tuple[GridDef, ...]:
    """Return all grids; one whose `when` is false is noted as absent."""
    return tuple(_grid(box, entry) for entry in box.names.of("grids"))


def _grid(box: BoxBuilder, entry: DeclarationEntry) -> GridDef:
    box.present(entry)
    size = nodes.integers(nodes.get(entry.node, "size"))
    holds = set(nodes.words(nodes.get(entry.node, "holds")))
    match = nodes.text(entry.node, "match", "all")
    for extension in box.extending(entry):
        holds.update(nodes.words(nodes.get(extension.node, "holds")))
        match = max(match, _relaxed(box, entry, extension), key=MATCHES.index)
    return GridDef(
        entry.name,
        entry.ruleset,
        entry.span,
        frozenset(holds),
        match,
        nodes.flag(entry.node, "touch", True),
        (size[0], size[1]) if len(size) == 2 else None,
        _per(box, entry),
        nodes.text(entry.node, "turns", "all") == "distinct",
    )


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
        per = _per(box, entry)
        _check_zone(box, entry, per)
        box.zones[entry.key] = ZoneDef(
            entry.name,
            entry.ruleset,
            entry.span,
            frozenset(holds),
            per,
            nodes.flag(entry.node, "order"),
            nodes.text(entry.node, "visible", "all"),
            nodes.flag(entry.node, "initial"),
            _room(box, entry, per),
        )


def _check_zone(box: BoxBuilder, entry: DeclarationEntry, per: str | None) -> None:
    """Report keys that a zone with this `per` cannot have."""
    if per != PLAYER and nodes.text(entry.node, "visible") == "owner":
        node = nodes.get(entry.node, "visible")
        message = f"`{entry.name}` has no owner who could see it"
        box.report.error("bad-value", message, _span(entry, node), help=("add `per: player`",))
    if per not in (None, PLAYER) and nodes.flag(entry.node, "initial"):
        node = nodes.get(entry.node, "initial")
        message = (
            f"there are several `{entry.name}`, and components do not tell which of "
            "them they begin in"
        )
        help = ("move the components there in the rules",)
        box.report.error("bad-value", message, _span(entry, node), help=help)


def _span(entry: DeclarationEntry, node: Node | None) -> Span:
    return entry.span if node is None else node.span


def _per(box: BoxBuilder, entry: DeclarationEntry) -> str | None:
    node = nodes.scalar(entry.node, "per")
    if node is None or node.value == PLAYER:
        return None if node is None else PLAYER
    enum = box.names.find(nodes.shown(node.value), entry.ruleset, node.span, "enums")
    return None if enum is None else enum.key


def _instances(box: BoxBuilder, per: str | None) -> tuple[str, ...]:
    """Return the index names of a declaration with `per`."""
    if per is None:
        return ("",)
    return box.roles.colours[: box.roles.most] if per == PLAYER else box.enums[per].members


def _room(box: BoxBuilder, entry: DeclarationEntry, per: str | None) -> tuple[int, ...] | None:
    node = nodes.get(entry.node, "room")
    if node is None:
        return None
    indices = _instances(box, per)
    if not isinstance(node, Mapping):
        return (box.constants.number(node, entry.ruleset, INT_MAX, 0),) * len(indices)
    rooms = dict.fromkeys(indices, INT_MAX)
    for key, value in node:
        name = nodes.shown(key.value)
        if name in rooms:
            rooms[name] = box.constants.number(value, entry.ruleset, INT_MAX, 0)
        else:
            message = f"`{entry.name}` has no `{name}`"
            help = did_you_mean(name, indices)
            box.report.error("unknown-name", message, key.span, help=help)
    return tuple(rooms.values())


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
    return tuple(
        TableDef(entry.name, entry.ruleset, entry.span, *_numbers(entry.node))
        for entry in box.names.of("tables")
    )


def _numbers(node: Node) -> tuple[int, tuple[int, ...]]:
    if isinstance(node, Mapping):
        return nodes.number(node, "from", 0), nodes.integers(node.get("values"))
    return 0, nodes.integers(node)
