"""Enums, feature kinds and attributes of components."""

from __future__ import annotations

import re

from rulesdsl.builtins import report_taken
from rulesdsl.diagnostics import Label, Span
from rulesdsl.diagnostics.wording import did_you_mean, nearest
from rulesdsl.link.box import BoxBuilder
from rulesdsl.link.names import DeclarationEntry
from rulesdsl.model import nodes, types, uses
from rulesdsl.model.game import AttributeDef, EnumDef, FeatureKindDef, Plain
from rulesdsl.model.geometry import KindShape, Shape
from rulesdsl.model.nodes import Scalar

NONE = "none"
_INT_TYPE = re.compile(r"int(?:\s+(-?[0-9]{1,10})\s*\.\.\s*(-?[0-9]{1,10}))?")
_SHAPES = {shape.value: shape for shape in Shape}


def fill_enums(box: BoxBuilder) -> None:
    """Fill in the enums, with the members that other rulesets add."""
    for entry in box.names.of("enums"):
        members: dict[str, tuple[str, Span]] = {}
        _add_members(box, entry, entry.ruleset, nodes.scalars(entry.node), members)
        for extension in sorted(box.extending(entry), key=lambda e: _rank(box, e.ruleset)):
            _add_members(box, entry, extension.ruleset, nodes.scalars(extension.node), members)
        origins = tuple(origin for origin, _ in members.values())
        box.enums[entry.key] = EnumDef(
            entry.name, entry.ruleset, entry.span, tuple(members), origins
        )


def _rank(box: BoxBuilder, ruleset: str) -> int:
    return [r.id for r in box.family.rulesets].index(ruleset)


def _add_members(
    box: BoxBuilder,
    entry: DeclarationEntry,
    ruleset: str,
    written: tuple[Scalar, ...],
    members: dict[str, tuple[str, Span]],
) -> None:
    for node in written:
        name = nodes.shown(node.value)
        box.names.uses.add_last(node.span, uses.member(entry.key, name), declares=True)
        if name not in members:
            report_taken(name, "member", node.span, box.report)
            members[name] = (ruleset, node.span)
            continue
        other, span = members[name]
        strangers = not box.family.related(ruleset, other)
        box.report.error(
            "ruleset-conflict" if strangers else "duplicate-name",
            f"`{name}` is a member of `{entry.key}` already",
            node.span,
            labels=(Label(span, f"added by `{other}`"),),
            help=("choose another name",),
        )


def fill_features(box: BoxBuilder) -> None:
    """Fill in the feature kinds; their shapes name kinds in full."""
    for entry in box.names.of("features"):
        borders = [
            kind.key
            for node in nodes.scalars(nodes.get(entry.node, "borders"))
            if (
                kind := box.names.find(
                    nodes.shown(node.value), entry.ruleset, node.span, "features"
                )
            )
        ]
        shape = _SHAPES.get(nodes.text(entry.node, "shape"), Shape.AREA)
        box.features[entry.key] = FeatureKindDef(
            entry.name, entry.ruleset, entry.span, KindShape(entry.key, shape, frozenset(borders))
        )


def fill_attributes(box: BoxBuilder) -> None:
    """Fill in the attributes, once enums and feature kinds are known."""
    for entry in box.names.of("attributes"):
        owners = _owners(box, entry)
        type = _type(box, entry)
        if not owners or type is None:
            continue
        default, required = _default(box, entry, type)
        on_pieces = {owner for owner in owners if "/" not in owner}
        if on_pieces and on_pieces != owners:
            box.report.error(
                "bad-value",
                f"`{entry.name}` cannot be of components and of segments at once",
                entry.span,
                help=("declare two attributes",),
            )
            owners = on_pieces
        fold = "" if on_pieces else _fold(box, entry, type)
        box.attributes[entry.key] = AttributeDef(
            entry.name, entry.ruleset, entry.span, frozenset(owners), type, default, required, fold
        )


def _owners(box: BoxBuilder, entry: DeclarationEntry) -> set[str]:
    """Return the piece classes and feature kinds (full names) that carry an attribute.

    An unknown name is reported and replaced by the nearest known one, so that no further errors
    follow from it where the attribute is used.
    """
    owners = set()
    classes = (*types.PIECE_CLASSES, "face")
    known = [*classes, *box.names.spellings(entry.ruleset, ["features"])]
    for node in nodes.scalars(nodes.get(entry.node, "of")):
        name = nodes.shown(node.value)
        if name not in known and "/" not in name:
            box.report.error(
                "unknown-name",
                f"there is no component class or feature kind `{name}`",
                node.span,
                help=box.names.elsewhere(name, entry.ruleset, ["features"])
                or did_you_mean(name, known),
            )
            name = nearest(name, known) or ""
        if name in classes:
            box.names.uses.add_last(node.span, uses.word("type", name))
            owners.add(name)
        elif name and (kind := box.names.find(name, entry.ruleset, node.span, "features")):
            owners.add(kind.key)
    return owners


def _type(box: BoxBuilder, entry: DeclarationEntry) -> types.Type | None:
    """Return the declared type of an attribute, or that of its default; None after reporting."""
    written = nodes.scalar(entry.node, "type")
    default = nodes.scalar(entry.node, "default")
    if written is not None:
        return _written_type(box, entry, written)
    match default and default.value:
        case bool():
            return types.BOOL
        case int():
            return types.INT
        case str(word) if word != NONE:
            enums = [
                e
                for e in box.names.seen(entry.ruleset, "enums")
                if word in box.enums[e.key].members
            ]
            if len(enums) == 1:
                return types.EnumType(enums[0].key)
    box.report.error(
        "missing-key",
        f"attribute `{entry.name}` does not say its type",
        entry.span,
        help=("add `type:`, or a `default` of that type",),
    )
    return None


def _written_type(box: BoxBuilder, entry: DeclarationEntry, node: Scalar) -> types.Type | None:
    name = nodes.shown(node.value)
    if name == "bool":
        box.names.uses.add_last(node.span, uses.word("type", name))
        return types.BOOL
    if match := _INT_TYPE.fullmatch(name):
        start = node.span.start + node.quoted
        box.names.uses.add(node.span.source.span(start, start + 3), uses.word("type", "int"))
        low, high = (int(bound) if bound else None for bound in match.groups())
        if low is None or high is None:
            return types.INT
        if types.INT_MIN <= low <= high <= types.INT_MAX:
            return types.IntType(low, high)
        box.report.error(
            "range", f"`{name}` holds a number that does not fit in 32 bits", node.span
        )
        return None
    span = node.span if not name.endswith("?") else node.span.head(-1)
    enum = box.names.find(name.removesuffix("?"), entry.ruleset, span, "enums")
    if enum is None:
        return None
    return (
        types.OptionalType(types.EnumType(enum.key))
        if name.endswith("?")
        else types.EnumType(enum.key)
    )


def _default(box: BoxBuilder, entry: DeclarationEntry, type: types.Type) -> tuple[Plain, bool]:
    """Return the default, and whether every component must give a value itself."""
    node = nodes.scalar(entry.node, "default")
    if node is not None:
        fits, value = convert(box, node, type, entry.name)
        return (value, False) if fits else (None, True)
    match type:
        case types.IntType(low=low, high=high):
            return (0, False) if low <= 0 <= high else (None, True)
        case types.OptionalType():
            return None, False
        case types.EnumType():
            return None, True
        case _:
            return False, False


def _folds(type: types.Type) -> tuple[str, ...]:
    """Return the ways to combine segments' values into a feature's; the first is the default."""
    match type:
        case types.IntType():
            return ("sum", "max", "min")
        case types.EnumType() | types.OptionalType():
            return ("union",)
        case _:
            return ("any", "all")


def _fold(box: BoxBuilder, entry: DeclarationEntry, type: types.Type) -> str:
    folds = _folds(type)
    node = nodes.scalar(entry.node, "fold")
    if node is None or node.value in folds:
        return folds[0] if node is None else str(node.value)
    box.report.error(
        "type-mismatch",
        f"`{entry.name}` is {type} and cannot be folded by `{nodes.shown(node.value)}`",
        node.span,
        help=(f"it may be {', '.join(folds)}",),
    )
    return folds[0]


def convert(box: BoxBuilder, node: Scalar, type: types.Type, name: str) -> tuple[bool, Plain]:
    """Return whether a scalar fits the type of attribute `name`, and its value.

    A value that does not fit is reported.
    """
    value = node.value
    match type:
        case types.OptionalType() if value == NONE:
            return True, None
        case types.OptionalType(item=item):
            return convert(box, node, item, name)
        case types.IntType(low=low, high=high) if not isinstance(value, bool | str):
            if low <= value <= high:
                return True, value
            box.report.error("range", f"`{name}` is outside {low}..{high}", node.span)
            return False, None
        case types.EnumType(name=enum) if isinstance(value, str):
            members = box.enums[enum].members
            if value in members:
                box.names.uses.add_last(node.span, uses.member(enum, value))
                return True, value
            help = did_you_mean(value, members) or (f"it may be {', '.join(members)}",)
            message = f"`{value}` is not a member of `{enum}`"
            box.report.error("unknown-name", message, node.span, help=help)
            return False, None
        case _ if type == types.BOOL and isinstance(value, bool):
            return True, value
    message = f"`{name}` is {type}, not `{nodes.shown(value)}`"
    help = ("write `true` or `false`",) if type == types.BOOL else ()
    box.report.error("type-mismatch", message, node.span, help=help)
    return False, None
