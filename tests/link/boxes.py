"""Weaves manifests written in the tests, and writes the tables of a box as lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.game import (
    AttributeDef,
    IndexedDef,
    KindDef,
    LinkedGame,
    Plain,
    Ruleset,
)
from rulesdsl.language.model.geometry import Outline, port_name
from tests.small_games import linked, parse_manifest, ruleset

HEAD = "edition: 1\nversion: 1.0.0\n"
ROOT = """\
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: play, finish: finish, score: player.score}
"""


def manifest(text: str, root: bool) -> Ruleset:
    """The ruleset of a manifest; the first lines, alike in all of them, are put before it."""
    head = HEAD + (ROOT if root and "players:" not in text else "")
    report = Report()
    whole = head + text
    name = whole.partition("ruleset: ")[2].split()[0]
    node = parse_manifest(Source(f"{name}.yaml", whole), report)
    assert node is not None, list(report)
    return ruleset(node)


def game(*texts: str, settings: Mapping[str, int | bool | str] | None = None) -> LinkedGame:
    """The box of manifests without mistakes; the first is the whole game."""
    report = Report()
    found = linked([manifest(text, i == 0) for i, text in enumerate(texts)], settings or {}, report)
    assert found is not None
    assert report.sorted() == []
    return found


def _value(value: Plain) -> str:
    return (
        str(value).lower() if isinstance(value, bool) else "none" if value is None else str(value)
    )


def _values(attributes: Mapping[str, Plain]) -> str:
    return ", ".join(f"{name}={_value(value)}" for name, value in attributes.items())


def _attribute(a: AttributeDef) -> str:
    default = "required" if a.required else _value(a.default)
    return f"{a.key} of {' '.join(sorted(a.owners))}: {a.type} = {default} {a.fold}".rstrip()


def _outline(outline: Outline | None) -> str:
    if outline is None:
        return ""
    parts = []
    for segment in outline.segments:
        ports = " ".join(port_name(port, outline.size) for port in segment.ports) or "I"
        said = f" ({_values(segment.attributes)})" if segment.attributes else ""
        parts.append(f"{segment.kind} {ports}{said}")
    return " | " + " | ".join(parts)


def _kind(kind: KindDef) -> str:
    faces = [f"{f.name}({_values(f.attributes)}){_outline(f.outline)}" for f in kind.faces]
    head = f"{kind.ruleset}/{kind.text} {kind.cls} {_values(kind.attributes)}".rstrip()
    return head + _outline(kind.outline) + "".join(f" [{face}]" for face in faces)


def _per(place: IndexedDef) -> str:
    return " ".join(place.per) or "None"


def _pieces(game: LinkedGame) -> list[str]:
    lines = []
    for piece in game.pieces:
        kind = game.kinds[piece.kind]
        seat = "" if piece.seat is None else f" of {piece.seat}"
        only = piece.numbers
        numbers = "" if only is None else f" for {' '.join(map(str, sorted(only)))} players"
        lines.append(f"{kind.ruleset}/{kind.text} {piece.copy}{seat} in {piece.start}{numbers}")
    return lines


TABLES: Mapping[str, Callable[[LinkedGame], list[str]]] = {
    "rulesets": lambda g: [ruleset.id for ruleset in g.rulesets],
    "visible": lambda g: [f"{id}: {' '.join(seen)}" for id, seen in g.visible.items()],
    "reach": lambda g: [f"{id}: {' '.join(sorted(ids))}" for id, ids in g.reach.items()],
    "settings": lambda g: [
        f"{s.key} = {_value(s.chosen)} of {' '.join(map(_value, s.values))}" for s in g.settings
    ],
    "enums": lambda g: [
        f"{e.key}: " + " ".join(f"{o}/{m}" for m, o in zip(e.members, e.origins, strict=True))
        for e in g.enums
    ],
    "attributes": lambda g: [_attribute(a) for a in g.attributes],
    "features": lambda g: [
        f"{f.key} {f.shape.shape.value} {' '.join(sorted(f.shape.borders))}".rstrip()
        for f in g.feature_kinds
    ],
    "grids": lambda g: [
        f"{x.key} {' '.join(sorted(x.holds))} {x.match} {x.touch} {x.size} {_per(x)}"
        + (" distinct" if x.distinct else "")
        for x in g.grids
    ],
    "zones": lambda g: [
        f"{z.key} {' '.join(sorted(z.holds))} {_per(z)} "
        f"{z.ordered} {z.visible} {z.initial} {z.room}"
        for z in g.zones
    ],
    "tracks": lambda g: [
        f"{t.key} {t.length} {t.loop} {' '.join(sorted(t.holds))}" for t in g.tracks
    ],
    "tables": lambda g: [f"{t.key} {t.low} {list(t.values)}" for t in g.tables],
    "kinds": lambda g: [_kind(kind) for kind in g.kinds],
    "pieces": _pieces,
    "refused": lambda g: [f"{number}: {why}" for number, why in g.refused.items()],
    "labels": lambda g: [
        f"{language} {name}: {text}"
        for language, texts in g.labels.items()
        for name, text in sorted(texts.items())
    ],
    "unresolved": lambda g: sorted(g.label_spans),
    "absent": lambda g: sorted(g.absent),
}
