"""Enums, kinds of features, attributes of components, labels and styles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any

from rulesdsl.builtins import report_taken
from rulesdsl.diagnostics import Label, Span
from rulesdsl.diagnostics.report import did_you_mean, nearest
from rulesdsl.link.box import BoxBuilder
from rulesdsl.link.names import CLASSES, SECTIONS, DeclarationEntry
from rulesdsl.model import nodes, types, uses
from rulesdsl.model.game import (
    IMAGE_KEYS,
    Artwork,
    AttributeDef,
    EnumDef,
    FeatureKindDef,
    KindDef,
    Picture,
    Plain,
    Ruleset,
    Style,
)
from rulesdsl.model.geometry import KindShape, Shape
from rulesdsl.model.names import TEXT, short_name, words_of
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.model.uses import Symbol, declared, word
from rulesdsl.records import dataclass

NONE = "none"
_INT_TYPE = re.compile(r"int(?:\s+(-?[0-9]{1,10})\s*\.\.\s*(-?[0-9]{1,10}))?")
_SHAPES = {shape.value: shape for shape in Shape}


def fill_enums(box: BoxBuilder) -> None:
    """Fill in the enums, with the members that other rulesets add."""
    for entry in box.names.of("enums"):
        members: list[_Member] = []
        _add_members(box, entry, entry.ruleset, nodes.scalars(entry.node), members)
        for extension in sorted(box.extending(entry), key=lambda e: _rank(box, e.ruleset)):
            _add_members(box, entry, extension.ruleset, nodes.scalars(extension.node), members)
        givers = Counter(name for _, name, _ in members)
        names = [name if givers[name] == 1 else f"{giver}/{name}" for giver, name, _ in members]
        for name, (_, _, span) in zip(names, members, strict=True):
            box.names.uses.add_last(span, uses.member(entry.key, name), declares=True)
        origins = tuple(giver for giver, _, _ in members)
        box.enums[entry.key] = EnumDef(entry.name, entry.ruleset, entry.span, tuple(names), origins)


_Member = tuple[str, str, Span]
"""The ruleset of a member of an enum, the name that it gives it, and its place there."""


def _rank(box: BoxBuilder, ruleset: str) -> int:
    return [r.id for r in box.family.rulesets].index(ruleset)


def _add_members(
    box: BoxBuilder,
    entry: DeclarationEntry,
    ruleset: str,
    written: tuple[Scalar, ...],
    members: list[_Member],
) -> None:
    """Add the members that a ruleset gives an enum; strangers may give it two of one name."""
    for node in written:
        name = nodes.shown(node.value)
        report_taken(name, "member", node.span, box.report)
        for other, given, span in members:
            if given == name and box.family.related(ruleset, other):
                box.report.error(
                    "duplicate-name",
                    f"`{name}` is a member of `{entry.key}` already",
                    node.span,
                    labels=(Label(span, f"added by `{other}`"),),
                    help=("choose another name",),
                )
                break
        else:
            members.append((ruleset, name, node.span))


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
        crosses = nodes.flag(entry.node, "crosses")
        if crosses and shape is not Shape.LINE:
            box.report.error(
                "bad-value",
                f"`{entry.name}` is not of lines, and only lines cross everything",
                entry.span,
                help=("write `shape: line`, or leave out `crosses`",),
            )
        drawn = KindShape(entry.key, shape, frozenset(borders), crosses and shape is Shape.LINE)
        box.features[entry.key] = FeatureKindDef(entry.name, entry.ruleset, entry.span, drawn)


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
        found = AttributeDef(
            entry.name, entry.ruleset, entry.span, frozenset(owners), type, default, required, fold
        )
        index = nodes.scalar(entry.node, "per")
        if index is None:
            box.attributes[entry.key] = found
        else:
            _fill_indexed(box, found, index)


def _fill_indexed(box: BoxBuilder, attribute: AttributeDef, index: Scalar) -> None:
    """Fill in an attribute for each member of the enum that `index` names."""
    help = ("the index of an attribute is an enum that a manifest declares",)
    name = nodes.shown(index.value)
    enum = box.names.find(name, attribute.ruleset, index.span, "enums", otherwise=help)
    if attribute.fold == "union":
        message = f"`{attribute.name}` of segments cannot have an index"
        lines = ("an attribute of segments with an index is `int` or `bool`",)
        box.report.error("bad-value", message, index.span, help=lines)
    if enum is None or attribute.fold == "union":
        return
    box.indexed[attribute.key] = attribute = replace(attribute, index=enum.key)
    for member in box.enums[enum.key].members:
        found = replace(attribute, name=f"{attribute.name}.{member}")
        box.attributes[found.key] = found


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
                if box.enums[e.key].called(word, box.family.visible[entry.ruleset])
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
    short = name.removesuffix("?")
    help = (
        "an attribute is `int`, `int 0..9`, `bool` or an enum that a manifest declares",
        "texts for players are `labels`",
    )
    enum = box.names.find(short, entry.ruleset, span, "enums", more=("bool", "int"), otherwise=help)
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
        fits, value = convert(box, node, type, entry.name, entry.ruleset)
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


def convert(
    box: BoxBuilder, node: Scalar, type: types.Type, name: str, ruleset: str
) -> tuple[bool, Plain]:
    """Return whether a scalar of a ruleset fits the type of attribute `name`, and its value.

    A value that does not fit is reported.
    """
    value = node.value
    match type:
        case types.OptionalType() if value == NONE:
            return True, None
        case types.OptionalType(item=item):
            return convert(box, node, item, name, ruleset)
        case types.IntType(low=low, high=high) if not isinstance(value, bool | str):
            if low <= value <= high:
                return True, value
            box.report.error("range", f"`{name}` is outside {low}..{high}", node.span)
            return False, None
        case types.EnumType(name=enum) if isinstance(value, str):
            member = box.member(enum, value, ruleset, node.span)
            if member is not None:
                box.names.uses.add_last(node.span, uses.member(enum, member))
            return member is not None, member
        case _ if type == types.BOOL and isinstance(value, bool):
            return True, value
    message = f"`{name}` is {type}, not `{nodes.shown(value)}`"
    help = ("write `true` or `false`",) if type == types.BOOL else ()
    box.report.error("type-mismatch", message, node.span, help=help)
    return False, None


Labels = dict[str, dict[str, str]]

_SPACE = re.compile(r"(.+)\[(0|[1-9][0-9]{0,3})\]")


def labels(
    box: BoxBuilder,
) -> tuple[Labels, dict[str, tuple[Span, ...]], dict[tuple[str, str], Span]]:
    """Return the labels of all rulesets, and the spans of labels of undeclared names.

    The last are the spans of texts with braces by language and name.
    """
    texts: Labels = {}
    braced: dict[tuple[str, str], Span] = {}
    disputes = _Disputes(box)
    unresolved: dict[str, tuple[Span, ...]] = {}
    for ruleset in box.family.rulesets:
        meanings = Meanings(box, ruleset)
        written = _texts(box, ruleset.id)
        labelled = nodes.entries(ruleset.manifest.get("labels"))
        given = {nodes.shown(key.value): node for key, node in labelled}
        for spoken, node in ((dict.fromkeys(["en"]) if written else {}) | given).items():
            said: dict[str, tuple[Scalar, str]] = dict(written) if spoken == "en" else {}
            # A dotted name is more specific than a bare one and comes after it.
            for key, text in sorted(nodes.entries(node), key=lambda e: "." in str(e[0].value)):
                names = meanings.of(key)
                if not names:
                    names = (_own(ruleset, nodes.shown(key.value)),)
                    unresolved[names[0]] = (*unresolved.get(names[0], ()), key.span)
                value = nodes.shown(text.value) if isinstance(text, Scalar) else ""
                said |= dict.fromkeys(names, (key, value))
            there = texts.setdefault(spoken, {})
            for name, (key, value) in said.items():
                slot = (spoken, name)
                if disputes.counts(slot, ruleset.id, key, value):
                    there[name] = value
                    if "{" in value:
                        braced[slot] = key.span
    disputes.report(lambda slot: f"`{slot[1]}` has two labels in `{slot[0]}`")
    for there in texts.values():
        there |= _indexed_labels(box, there)
    ordered = {language: texts[language] for language in sorted(texts)}
    return ordered, unresolved, braced


def _texts(box: BoxBuilder, ruleset: str) -> dict[str, tuple[Scalar, str]]:
    """Return what the components of a ruleset say in English, by full name, with its place."""
    return {
        f"{entry.key}{TEXT}": (node, nodes.shown(node.value))
        for entry in box.names.of(*CLASSES)
        if entry.ruleset == ruleset and (node := nodes.scalar(entry.node, "text")) is not None
    }


def _indexed_labels(box: BoxBuilder, texts: dict[str, str]) -> dict[str, str]:
    """Return the labels of attributes at members, from those of the attribute and the member."""
    found = {}
    for each in box.attributes.values():
        if each.index and each.whole in texts:
            member = each.name.partition(".")[2]
            words = (texts[each.whole], texts.get(f"{each.index}.{member}", member))
            found[each.key] = " ".join(word.partition("|")[0].strip() for word in words)
    return found


def _own(ruleset: Ruleset, name: str) -> str:
    return name if "/" in name else f"{ruleset.id}/{name}"


_Slot = tuple[str, str]
"""A language and a name, or a name and a key of its style."""


@dataclass
class _Disputes:
    """Texts and styles that strangers give the same thing: the first counts.

    A ruleset that builds on both of them decides.
    """

    box: BoxBuilder
    givers: dict[_Slot, list[str]] = field(default_factory=dict)
    used: dict[_Slot, tuple[str, Scalar, object]] = field(default_factory=dict)
    found: list[tuple[_Slot, tuple[str, Scalar], tuple[str, Scalar]]] = field(default_factory=list)

    def counts(self, slot: _Slot, ruleset: str, key: Scalar, value: object) -> bool:
        """Note what a ruleset says, in canonical order, and return whether it counts so far."""
        self.givers.setdefault(slot, []).append(ruleset)
        if slot in self.used:
            other, first, said = self.used[slot]
            if said != value and not self.box.family.related(ruleset, other):
                self.found.append((slot, (other, first), (ruleset, key)))
                return False
        self.used[slot] = (ruleset, key, value)
        return True

    def report(self, message: Callable[[_Slot], str]) -> None:
        """Report, as warnings, the texts that are not used because of those of strangers."""
        builds_on = self.box.family.builds_on
        for slot, (other, first), (ruleset, key) in self.found:
            givers = self.givers[slot]
            if not any(builds_on(each, ruleset) and builds_on(each, other) for each in givers):
                self.box.report.warning(
                    "ruleset-conflict",
                    f"{message(slot)}, and this one is not used",
                    key.span,
                    labels=(Label(first.span, f"that of `{other}` is used"),),
                    help=(f"an interaction of `{other}` and `{ruleset}` can give another one",),
                )


def _owner(symbol: Symbol) -> Symbol | None:
    """Return the enum, setting or die of a member, a word or a face."""
    key = symbol.key.rpartition(".")[0]
    if not key or symbol.what not in ("member", "face"):
        return None
    if symbol.what == "face":
        return declared("component", key)
    if "/settings." in key:
        return declared("setting", key.replace("/settings.", "/"))
    return declared("enum", key)


class Meanings:
    """Resolver of the names that one ruleset labels or draws.

    These are its own id, colours of players, declarations in `sections`, members of enums, faces,
    spaces of tracks and words of settings. They are the same in most languages, so they are looked
    up once.
    """

    def __init__(
        self, box: BoxBuilder, ruleset: Ruleset, sections: Sequence[str] = SECTIONS
    ) -> None:
        self._box, self._id, self._sections = box, ruleset.id, sections
        self._colours = nodes.words(nodes.get(ruleset.manifest.get("players"), "colours"))
        self._members = _members_by_name(box, ruleset.id, sections)
        self._known: dict[str, tuple[Symbol, ...]] = {}

    def of(self, node: Scalar) -> tuple[str, ...]:
        """Return the full names of everything that a name may be a label for."""
        name = nodes.shown(node.value)
        if name not in self._known:
            self._known[name] = tuple(self._find(name))
        for symbol in sorted(self._known[name], key=lambda s: s.what != "component")[:1]:
            key = symbol.key.partition("[")[0].removesuffix(TEXT)
            if symbol.what in ("track", "component") and key != symbol.key:
                named = declared(symbol.what, key)
                start = node.span.start + (node.span.text[:1] in ("'", '"'))
                self._box.names.uses.add_last(
                    node.span.source.span(start, start + len(named.name)), named
                )
            else:
                self._box.names.uses.add_dotted(node.span, symbol, _owner(symbol))
        return tuple(symbol.key for symbol in self._known[name])

    def spellings(self) -> list[str]:
        """Return every bare name that has a meaning."""
        declared = self._box.names.spellings(self._id, self._sections)
        return [*declared, *self._colours, *self._members]

    def _spaces(self, name: str) -> Iterator[Symbol]:
        """Yield the space of a track that a name such as `track[2]` stands for."""
        found = _SPACE.fullmatch(name)
        if found is None or self._sections is not SECTIONS:
            return
        track, index = found.groups()
        for entry in self._box.names.candidates(track, self._id, ("tracks",), lambda _: True):
            if int(index) < self._box.tracks[entry.key].length:
                yield word("track", f"{entry.key}[{index}]")

    def _find(self, name: str) -> Iterator[Symbol]:
        if name == self._id and self._sections is SECTIONS:
            yield word("ruleset", name)
        for entry in self._box.names.candidates(name, self._id, self._sections, lambda _: True):
            yield entry.symbol
        yield from self._spaces(name)
        if name.endswith(TEXT) and self._sections is SECTIONS:
            whole = name.removesuffix(TEXT)
            for entry in self._box.names.candidates(whole, self._id, CLASSES, lambda _: True):
                yield word("component", f"{entry.key}{TEXT}")
        if name in self._colours:
            yield declared("colour", f"{self._id}/{name}")
        owner, dot, member = name.rpartition(".")
        for entry in self._members.get(member, ()):
            if not dot or owner in (entry.name, entry.key):
                yield from _labelled(self._box, entry, member, self._id)


def _labelled(
    box: BoxBuilder, entry: DeclarationEntry, member: str, ruleset: str
) -> Iterator[Symbol]:
    """Yield what a ruleset calls by the name of a member of an enum, setting or die."""
    if entry.section == "enums":
        enum = box.enums[entry.key]
        for number in enum.called(member, box.family.visible[ruleset]):
            yield uses.member(entry.key, enum.members[number])
        return
    whole = words_of(entry.key) if entry.section == "settings" else entry.key
    yield declared("face" if entry.section == "dice" else "member", f"{whole}.{member}")


def _members_by_name(
    box: BoxBuilder, ruleset: str, sections: Sequence[str]
) -> dict[str, list[DeclarationEntry]]:
    """Return the enums, dice and settings that `ruleset` sees, by the names of their members.

    The names are members of enums, faces of dice and words of settings. Settings count only if they
    are among the `sections`.
    """
    found: dict[str, list[DeclarationEntry]] = {}
    settings = ("settings",) if "settings" in sections else ()
    for entry in box.names.seen(ruleset, "enums", "dice", *settings):
        for member in _members(box, entry, ruleset):
            found.setdefault(member, []).append(entry)
    return found


def _members(box: BoxBuilder, entry: DeclarationEntry, ruleset: str) -> tuple[str, ...]:
    """Return the members of an enum that `ruleset` sees, words of a setting or faces of a die."""
    if entry.section == "settings":
        return nodes.words(nodes.get(entry.node, "values"))
    if entry.section == "enums":
        enum, seen = box.enums[entry.key], box.family.visible[ruleset]
        pairs = zip(enum.members, enum.origins, strict=True)
        known = [member for member, origin in pairs if origin in seen]
        return tuple(dict.fromkeys((*known, *map(short_name, known))))
    faces = nodes.items(nodes.get(entry.node, "faces"))
    return tuple(nodes.shown(id.value) for face in faces if (id := nodes.scalar(face, "id")))


_PLACES = ("grids", "zones")
_DRAWN = ("features", "attributes", *CLASSES, *_PLACES)
"""The sections whose names can be drawn."""


def styles(box: BoxBuilder, kinds: Sequence[KindDef]) -> dict[str, Style]:
    """Return the styles under `draw` of the manifests, key by key; report unknown names."""
    found: dict[str, Style] = {}
    disputes = _Disputes(box)
    for ruleset in box.family.rulesets:
        meanings = Meanings(box, ruleset, _DRAWN)
        said = nodes.entries(ruleset.manifest.get("draw"))
        # A dotted name is more specific than a bare one and comes after it.
        for name, node in sorted(said, key=lambda entry: "." in str(entry[0].value)):
            names = meanings.of(name)
            if not names:
                _report_unknown(box, ruleset.id, name, meanings)
            keys = list(_style(box, ruleset, node)) if names else []
            if names and nodes.get(node, "stands"):
                _check_stands(box, ruleset, node, [kind for kind in kinds if kind.key in names])
            for full in names:
                _check_place(box, full, name, node)
                found[full] = _merged(ruleset.id, full, keys, found.get(full, Style()), disputes)
    disputes.report(lambda slot: f"`{slot[0]}` is drawn with two different `{slot[1]}`")
    return dict(sorted(found.items()))


_Key = tuple[Scalar, str, object]
"""A key of a style, the field that it sets, and its value."""


def _merged(
    ruleset: str, name: str, said: Sequence[_Key], style: Style, disputes: _Disputes
) -> Style:
    """Return `style` with the keys of one ruleset."""
    for key, slot, value in said:
        if disputes.counts((name, slot), ruleset, key, value):
            changed: Any = {slot: value}
            style = replace(style, **changed)
    return style


def _style(box: BoxBuilder, ruleset: Ruleset, node: Node) -> Iterator[_Key]:
    """Yield the keys of a style; images that cannot be used are left out, and reported."""
    for key, value in nodes.entries(node):
        said = value.value if isinstance(value, Scalar) else None
        if key.value in IMAGE_KEYS:
            artwork = ruleset.images.get(str(said))
            picture = None if artwork is None else _picture(box, node, key, artwork)
            if picture is not None:
                yield key, "back" if key.value == "back" else "image", picture
        elif key.value == "stands":
            points = _stands(box, ruleset, node)
            yield (
                key,
                "stands",
                tuple((kind, str(place.value), at) for kind, place, at, _ in points),
            )
        elif key.value == "bleed":
            if not any(nodes.get(node, each) for each in IMAGE_KEYS):
                help = "name the image: `image: FILE`"
                box.report.error(
                    "bad-value", "there is no image with a bleed", key.span, help=(help,)
                )
        elif key.value not in ("cell", "size"):
            yield key, str(key.value), str(said) if key.value == "text" else said


def _stands(
    box: BoxBuilder, ruleset: Ruleset, node: Node
) -> Iterator[tuple[str, Scalar, tuple[int, int], Node]]:
    """Yield the full names of kinds of segments, their places, and the points of figures."""
    for kind, places in nodes.entries(nodes.get(node, "stands")):
        name = nodes.shown(kind.value)
        meant = box.names.candidates(name, ruleset.id, ["features"], lambda _: True)
        for each in meant:
            box.names.uses.add_last(kind.span, each.symbol)
        for place, point in nodes.entries(places):
            x, y = nodes.integers(point)
            yield meant[0].key if meant else name, place, (x, y), point


def _check_stands(box: BoxBuilder, ruleset: Ruleset, node: Node, kinds: Sequence[KindDef]) -> None:
    """Report places for figures on segments that these tiles do not have, or outside of them."""
    for kind, place, (x, y), point in _stands(box, ruleset, node):
        outlines = [each.outline for each in kinds if each.outline is not None]
        if not outlines:
            message = "only tiles with segments have places for figures"
            box.report.error("bad-value", message, place.span, help=("leave out `stands`",))
            return
        if all(outline.called(kind, str(place.value)) is None for outline in outlines):
            there = dict.fromkeys(
                f"`{short_name(segment.kind)}: {{{outline.place(index)}: …}}`"
                for outline in outlines
                for index, segment in enumerate(outline.segments)
            )
            message = f"`{kinds[0].name}` has no single `{short_name(kind)}` at `{place.value}`"
            help = f"it has {', '.join(there)}"
            box.report.error("segment-target", message, place.span, help=(help,))
        if not all(outline.holds(x, y) for outline in outlines):
            across, down = (100 * cells for cells in outlines[0].size)
            message = f"[{x}, {y}] is outside of `{kinds[0].name}`"
            help = f"its middle is [{across // 2}, {down // 2}], in hundredths of a cell"
            box.report.error("bad-value", message, point.span, help=(help,))


def _picture(box: BoxBuilder, node: Node, key: Scalar, artwork: Artwork) -> Picture | None:
    """Return a whole image, or a cell of a sheet; None, reported, for one outside of it."""
    if key.value != "sheet":
        return _trimmed(box, node, Picture(artwork, (0, 0, artwork.width, artwork.height)))
    cell, sizes = nodes.get(node, "cell"), nodes.get(node, "size")
    assert cell is not None, "the schema asks for it"
    column, row = nodes.integers(cell)
    width, height = (2 * nodes.integers(sizes))[:2]
    columns, rows = artwork.width // width, artwork.height // height
    if column < columns and row < rows:
        whole = Picture(artwork, (column * width, row * height, width, height))
        return _trimmed(box, node, whole)
    there = f"columns 0 to {columns - 1} and rows 0 to {rows - 1}" if columns and rows else "none"
    box.report.error(
        "bad-image",
        f"the sheet has no cell [{column}, {row}]",
        cell.span,
        help=(
            f"`{artwork.name}` has {artwork.width} x {artwork.height} pixels",
            f"cells of {width} x {height} pixels: {there}",
        ),
    )
    return None


def _trimmed(box: BoxBuilder, node: Node, picture: Picture) -> Picture | None:
    """Return a picture without its bleed; None, reported, if nothing is left of it."""
    said, bleed = nodes.scalar(node, "bleed"), nodes.number(node, "bleed", 0)
    x, y, width, height = picture.box
    if said is not None and 2 * bleed >= min(width, height):
        message = f"a bleed of {bleed} leaves nothing of {width} x {height} pixels"
        box.report.error("bad-image", message, said.span)
        return None
    inner = (x + bleed, y + bleed, width - 2 * bleed, height - 2 * bleed)
    return Picture(picture.artwork, inner, bleed)


def _check_place(box: BoxBuilder, full: str, name: Scalar, node: Node) -> None:
    """Report a style of a zone or grid that cannot be drawn."""
    places = [each for each in box.names.named.get(short_name(full), ()) if each.key == full]
    if not places or any(each.section not in _PLACES for each in places):
        return
    for key, _ in nodes.entries(node):
        if key.value not in ("image", "sheet", "cell", "size", "bleed"):
            message = f"a {places[0].noun} is drawn with an `image` only, not with `{key.value}`"
            box.report.error("bad-value", message, key.span)
    if places[0].section == "grids" and not nodes.get(places[0].node, "size"):
        message = f"the grid `{name.value}` has no size, so no image fits it"
        box.report.error("bad-value", message, name.span, help=("give it a `size`",))


def _report_unknown(box: BoxBuilder, ruleset: str, name: Scalar, meanings: Meanings) -> None:
    shown = nodes.shown(name.value)
    box.report.error(
        "unknown-name",
        f"nothing that can be drawn is called `{shown}`",
        name.span,
        help=box.names.elsewhere(shown, ruleset, _DRAWN)
        or did_you_mean(shown, meanings.spellings())
        or (
            "names are those of kinds of segments, attributes, components, members, faces, "
            "players, zones and grids",
        ),
    )
