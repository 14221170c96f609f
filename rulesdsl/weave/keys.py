"""Keys of component entries that are no words of the language: attributes and feature kinds."""

from __future__ import annotations

from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.game import AttributeDef, FeatureKindDef, Plain
from rulesdsl.model.names import short_name
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.weave import look
from rulesdsl.weave.attributes import convert
from rulesdsl.weave.box import Box
from rulesdsl.weave.names import Entry

_SECTIONS = ("attributes", "features")
DRAWN = ("tile", "face")
"""What segments lie on."""


def meaning(
    box: Box, ruleset: str, owner: str, key: Scalar, words: tuple[str, ...]
) -> AttributeDef | FeatureKindDef | None:
    """What a key of an entry of `owner` (a piece class, `face` or a feature kind's full name) is.

    `words` are the other keys the entry may have. None after reporting, or when its declaration
    is broken and was reported.
    """
    name = look.shown(key.value)
    found = box.names.candidates(name, ruleset, _SECTIONS, lambda e: _fits(box, e, owner))
    if len(found) > 1:
        box.names.report_ambiguous(name, key.span, found)
        return None
    if not found:
        _report_unknown(box, ruleset, owner, key, words)
        return None
    box.names.uses.add_last(key.span, found[0].symbol)
    return box.attributes.get(found[0].key) or box.features.get(found[0].key)


def attribute_value(box: Box, attribute: AttributeDef, node: Node) -> tuple[str, Plain] | None:
    """Full name of `attribute` and the value a node gives it; None after reporting."""
    if not isinstance(node, Scalar):
        message = f"attribute `{attribute.name}` has one value"
        box.report.error("type-mismatch", message, node.span)
        return None
    fits, value = convert(box, node, attribute.type, attribute.name)
    return (attribute.key, value) if fits else None


def _fits(box: Box, entry: Entry, owner: str) -> bool:
    if entry.section == "features":
        return owner in DRAWN
    attribute = box.attributes.get(entry.key)
    return attribute is None or owner in attribute.owners


def _report_unknown(
    box: Box, ruleset: str, owner: str, key: Scalar, words: tuple[str, ...]
) -> None:
    name = look.shown(key.value)
    shown = short_name(owner)
    others = box.names.candidates(name, ruleset, _SECTIONS, lambda _: True)
    for other in others:
        attribute = box.attributes.get(other.key)
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
    box.report.error(
        "unknown-key",
        f"a {shown} has no `{name}`",
        key.span,
        help=box.names.elsewhere(name, ruleset, _SECTIONS) or did_you_mean(name, (*known, *words)),
    )
