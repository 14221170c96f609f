"""How things are drawn, by full name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rulesdsl.diagnostics import Label
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.game import Style
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.weave import look
from rulesdsl.weave.box import Box
from rulesdsl.weave.labels import Meanings
from rulesdsl.weave.names import CLASSES

_DRAWN = ("features", "attributes", *CLASSES)
"""The sections whose names can be drawn."""

_Origins = dict[tuple[str, str], tuple[str, Scalar]]
"""Which ruleset said a key of a style, and where."""


def styles(box: Box) -> dict[str, Style]:
    """What the manifests say under `draw`, key by key; names that nothing has are reported."""
    found: dict[str, Style] = {}
    origins: _Origins = {}
    for ruleset in box.family.rulesets:
        meanings = Meanings(box, ruleset, _DRAWN)
        said = look.entries(ruleset.manifest.get("draw"))
        # A dotted name says more than a bare one and comes after it.
        for name, node in sorted(said, key=lambda entry: "." in str(entry[0].value)):
            names = meanings.of(name)
            if not names:
                _report_unknown(box, ruleset.id, name, meanings)
            for full in names:
                style = _merged(box, ruleset.id, full, node, found.get(full, Style()), origins)
                found[full] = style
    return dict(sorted(found.items()))


def _merged(
    box: Box, ruleset: str, name: str, node: Node, style: Style, origins: _Origins
) -> Style:
    """`style` with what one ruleset says; of what strangers say the first is used."""
    for key, value in look.entries(node):
        slot = (name, str(key.value))
        said: Any = value.value if isinstance(value, Scalar) else None
        said = str(said) if key.value == "text" else said
        if slot in origins:
            other, first = origins[slot]
            if getattr(style, slot[1]) != said and not box.family.related(ruleset, other):
                box.report.warning(
                    "ruleset-conflict",
                    f"`{name}` is drawn with two different `{key.value}`, and this is not used",
                    key.span,
                    labels=(Label(first.span, f"that of `{other}` is used"),),
                )
                continue
        origins[slot] = (ruleset, key)
        style = replace(style, **{slot[1]: said})
    return style


def _report_unknown(box: Box, ruleset: str, name: Scalar, meanings: Meanings) -> None:
    shown = look.shown(name.value)
    box.report.error(
        "unknown-name",
        f"nothing that is drawn is called `{shown}`",
        name.span,
        help=box.names.elsewhere(shown, ruleset, _DRAWN)
        or did_you_mean(shown, meanings.spellings())
        or ("here stand kinds of segments, attributes, components, members, faces and players",),
    )
