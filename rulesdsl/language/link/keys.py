"""The keys of component entries: attributes, segments and the places where copies begin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Label, Span
from rulesdsl.language.diagnostics.report import did_you_mean
from rulesdsl.language.link.attributes import convert
from rulesdsl.language.link.box import BoxBuilder
from rulesdsl.language.link.names import SEGMENT_KEYS, DeclarationEntry
from rulesdsl.language.model import nodes, types
from rulesdsl.language.model.game import PER_PLAYER, AttributeDef, FeatureKindDef, Plain
from rulesdsl.language.model.geometry import Drawn
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.nodes import Node, Scalar

_SECTIONS = ("attributes", "features")
DRAWN = ("tile", "face")
"""The piece classes that have segments."""
REST = "rest"
"""The key for the value of all members that an entry does not name."""
PIECE = -1
IN = "in"

Slot = tuple[int, str]
"""A value that a copy can have.

The number of a segment or `PIECE`, and the full name of an attribute or `IN`.
"""


@dataclass(frozen=True)
class GivenValue:
    """A value with the ruleset that gives it and its position, left out of comparisons."""

    value: Plain
    ruleset: str = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True)
class Said:
    """The values of the own keys of an entry, a face, or an entry of `some` or `extend`.

    It is `there` if its `when` holds. `values` are those of the piece; `segments` are of kinds by
    full name.
    """

    ruleset: str
    node: Node
    there: bool = True
    values: dict[Slot, GivenValue] = field(default_factory=dict)
    segments: list[Drawn] = field(default_factory=list)


def read(
    box: BoxBuilder,
    ruleset: str,
    owner: str,
    node: Node,
    words: tuple[str, ...],
    there: bool = True,
) -> Said:
    """Return what an entry of a piece class, a face or a change says; it may have `words`, too."""
    found = Said(ruleset, node, there)
    for key, value in nodes.entries(node):
        meant = None
        if key.value not in words:
            meant = meaning(box, ruleset, owner, key, value, words)
        if isinstance(meant, AttributeDef):
            given = {
                (PIECE, name): GivenValue(said, ruleset, value.span)
                for name, said in attribute_values(box, meant, value, ruleset).items()
            }
            if found.values.keys() & given.keys():
                message = f"`{meant.key}` is given twice"
                box.report.error("duplicate-name", message, key.span)
            else:
                found.values.update(given)
        elif meant is not None and isinstance(value, nodes.Mapping):
            message = f"the segments of a kind are a list, not a mapping: `{meant.name}`"
            help = (f"write `{meant.name}: [{{at: N}}]`",)
            box.report.error("type-mismatch", message, value.span, help=help)
        elif meant is not None:
            found.segments.extend(_segments(box, ruleset, meant.key, value))
    return found


def _segments(box: BoxBuilder, ruleset: str, kind: str, node: Node) -> Iterator[Drawn]:
    """Yield the segment entries under the name of a feature kind (full name)."""
    for item in nodes.items(node):
        at = item if isinstance(item, Scalar) else nodes.scalar(item, "at")
        if at is None:
            continue
        attributes: dict[str, Plain] = {}
        for border in nodes.scalars(nodes.get(item, "borders")):
            meant = box.names.candidates(nodes.shown(border.value), ruleset, ["features"])
            for each in meant if len(meant) == 1 else ():
                box.names.uses.add_last(border.span, each.symbol)
        for key, value in nodes.entries(item):
            if key.value in SEGMENT_KEYS:
                continue
            found = meaning(box, ruleset, kind, key, value, SEGMENT_KEYS)
            if isinstance(found, AttributeDef):
                attributes |= attribute_values(box, found, value, ruleset)
        borders = nodes.get(item, "borders")
        yield Drawn(
            kind,
            nodes.shown(at.value),
            at.span,
            nodes.text(item, "over") or None,
            None if borders is None else nodes.words(borders),
            attributes,
            added=nodes.flag(item, "new"),
            node=item,
        )


def meaning(
    box: BoxBuilder, ruleset: str, owner: str, key: Scalar, value: Node, words: tuple[str, ...]
) -> AttributeDef | FeatureKindDef | None:
    """Return the attribute or feature kind that a key of an entry of `owner` names.

    `owner` is a piece class, `face` or the full name of a feature kind; `words` are the other keys
    the entry may have. None after reporting, or when its declaration is broken and was reported.
    A name that nothing resembles is reported once for each owner.
    """
    name = nodes.shown(key.value)
    found = box.names.candidates(name, ruleset, _SECTIONS, lambda e: _fits(box, e, owner))
    if len(found) > 1:
        box.names.report_ambiguous(name, key.span, found)
        return None
    if not found:
        _report_unknown(box, ruleset, owner, key, value, words)
        return None
    box.names.uses.add_last(key.span, found[0].symbol)
    return box.attribute(found[0].key) or box.features.get(found[0].key)


def attribute_values(
    box: BoxBuilder, attribute: AttributeDef, node: Node, ruleset: str
) -> dict[str, Plain]:
    """Return the values that a node of a ruleset gives an attribute, by full name; None if wrong.

    They are one value or, for an attribute with an index, the values of the members that it names.
    """
    name = attribute.name
    if not attribute.index:
        if isinstance(node, Scalar):
            return {attribute.key: convert(box, node, attribute.type, name, ruleset)[1]}
        message = f"attribute `{name}` has one value"
        box.report.error("type-mismatch", message, node.span)
        return {attribute.key: None}
    members = box.enums[attribute.index].members
    values: dict[str, Plain] = {}
    if not isinstance(node, nodes.Mapping):
        message = f"`{name}` has a value for each `{short_name(attribute.index)}`"
        said = nodes.shown(node.value) if isinstance(node, Scalar) else "…"
        help = (f"write `{name}: {{{members[0]}: {said}}}`",)
        box.report.error("type-mismatch", message, node.span, help=help)
        return {f"{attribute.key}.{member}": None for member in members}
    written = tuple(nodes.entries(node))
    rest = [pair for pair in written if pair[0].value == REST and REST not in members]
    for key, value in written:
        if (key, value) in rest:
            continue
        fits, member = convert(box, key, types.EnumType(attribute.index), name, ruleset)
        full = f"{attribute.key}.{member}"
        if full in values:
            message = f"`{name}` is given twice for `{member}`"
            box.report.error("duplicate-name", message, key.span)
        elif fits and isinstance(value, Scalar):
            named = f"{name}.{member}"
            values[full] = convert(box, value, attribute.type, named, ruleset)[1]
    for _, value in rest:
        if isinstance(value, Scalar):
            given = convert(box, value, attribute.type, f"{name}.{REST}", ruleset)[1]
            for each in members:
                values.setdefault(f"{attribute.key}.{each}", given)
    return values


def _fits(box: BoxBuilder, entry: DeclarationEntry, owner: str) -> bool:
    if entry.section == "features":
        return owner in DRAWN
    attribute = box.attribute(entry.key)
    return attribute is None or owner in attribute.owners


def _report_unknown(
    box: BoxBuilder, ruleset: str, owner: str, key: Scalar, value: Node, words: tuple[str, ...]
) -> None:
    name = nodes.shown(key.value)
    shown = short_name(owner)
    others = box.names.candidates(name, ruleset, _SECTIONS)
    for other in others:
        attribute = box.attribute(other.key)
        if attribute is None:
            message = f"a {shown} has no segments"
        else:
            owners = ", ".join(sorted(short_name(o) for o in attribute.owners))
            message = f"`{name}` is an attribute of {owners}, not of {shown}"
        box.report.error("unknown-key", message, key.span)
        return
    known = [
        entry.name for entry in box.names.seen(ruleset, *_SECTIONS) if _fits(box, entry, owner)
    ]
    usual = _USUAL.get(name.lower(), "")
    help = box.names.elsewhere(name, ruleset, _SECTIONS)
    help = help or ((f"write `{usual}`",) if usual.partition(":")[0] in words else ())
    help = help or did_you_mean(name, (*known, *words))
    if not help:
        if (ruleset, owner, name) in box.undeclared:
            return
        box.undeclared.add((ruleset, owner, name))
        help = (f"declare it: `{_declaration(name, owner, value)}`",)
    box.report.error("unknown-key", f"a {shown} has no `{name}`", key.span, help=help)


_USUAL = {
    **dict.fromkeys(["amount", "copies", "number", "quantity"], "count"),
    **dict.fromkeys(["location", "place", "start", "zone"], "in"),
    "name": "id",
    "owner": "per: player",
}
"""Words that authors write for the keys of components."""


def _declaration(name: str, owner: str, value: Node) -> str:
    if not isinstance(value, Scalar):
        return f"features: {{{name}: {{shape: SHAPE}}}}"
    says = {bool: "default: false", int: "default: 0"}.get(type(value.value), "type: ENUM")
    return f"attributes: {{{name}: {{of: {short_name(owner)}, {says}}}}}"


def place(
    box: BoxBuilder, ruleset: str, cls: str, owned: bool, node: Scalar, there: bool
) -> str | None:
    """Return the zone or track that `in` names, with `start` and `inner` of `PieceDef` in one text.

    It is None after reporting.

    `there` is set if the component is in the game. An absent component may name an absent place.
    """
    name = nodes.shown(node.value)
    row, _, indices = name.partition("[") if name.endswith("]") else (name, "", "")
    given = indices[:-1].split("][") if indices else []
    entry = box.names.find(row, ruleset, node.span, "zones", "tracks", "grids")
    if entry is None:
        return None
    if entry.section == "grids":
        message = f"`{name}` is a grid: components are placed on it while playing"
        box.report.error("type-mismatch", message, node.span)
        return None
    zone = box.zones.get(entry.key)
    holds = zone.holds if zone else box.tracks[entry.key].holds
    if cls not in holds:
        box.report.error(
            "type-mismatch",
            f"`{name}` does not hold a {cls}",
            node.span,
            labels=(Label(entry.span, f"holds {', '.join(sorted(holds)) or 'nothing'}"),),
            help=(f"add `{cls}` to its `holds`",),
        )
    elif entry.key in box.absent:
        if not there:
            return None
        message = f"`{name}` does not exist with these settings"
        box.report.error("setting-impossible", message, node.span)
    elif zone and zone.owned and not owned:
        help = "add `per: player` to the component"
        message = f"there is a `{row}` for each {_each(zone.per)}, and this component has no owner"
        box.report.error("type-mismatch", message, node.span, help=(help,))
    else:
        per = zone.per[zone.owned :] if zone else ()
        number = _instance(box, ruleset, node, row, per, given)
        return None if number is None else f"{entry.key}[{number}]" if per else entry.key
    return None


def _instance(
    box: BoxBuilder,
    ruleset: str,
    node: Scalar,
    row: str,
    per: Sequence[str],
    given: Sequence[str],
) -> int | None:
    """Return the number of a zone among those of its owner by its indices; None after reporting."""
    if not all(key in box.enums for key in per):
        return None  # The zone's own enum is wrong, which is reported there.
    enums = [box.enums[key] for key in per]
    if len(given) != len(per):
        message = f"there is one `{row}`, without an index"
        help = f"write `{row}`"
        if per:
            message = f"there is a `{row}` for each {_each(per)}"
            help = (
                f"write `{row}{''.join(f'[{enum.members[0]}]' for enum in enums)}` or another one"
            )
        box.report.error("type-mismatch", message, node.span, help=(help,))
        return None
    number = 0
    for enum, name in zip(enums, given, strict=True):
        member = box.member(enum.key, name, ruleset, node.span)
        if member is None:
            return None
        number = number * len(enum.members) + enum.members.index(member)
    return number


def _each(per: Sequence[str]) -> str:
    return " and ".join(index.rpartition("/")[2] for index in per)


def initial(box: BoxBuilder, ruleset: str, cls: str, owned: bool, span: Span) -> str | None:
    """Return the only zone in which components without `in` can begin; None after reporting.

    Owned components begin in a zone of their owner if there is one.
    """
    zones = [
        zone
        for entry in box.names.seen(ruleset, "zones")
        if (zone := box.zones[entry.key]).initial
        and cls in zone.holds
        and zone.key not in box.absent
    ]
    own = [zone for zone in zones if owned and zone.per == (PER_PLAYER,)]
    found = own or [zone for zone in zones if not zone.per]
    if len(found) == 1:
        return found[0].key
    owner = " of each player" if owned else ""
    if found:
        box.report.error(
            "ambiguous-name",
            f"more than one zone is the initial zone of every {cls}{owner}",
            span,
            labels=[Label(zone.span, "`initial: true`") for zone in found],
            help=("write `in:`",),
        )
    else:
        box.report.error(
            "missing-key",
            f"a {cls}{owner} has no initial zone",
            span,
            help=(f"write `in:`, or give a zone that holds a {cls} `initial: true`",),
        )
    return None
