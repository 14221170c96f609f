"""Enums, kinds of features, attributes of components, labels and styles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace

from rulesdsl.base.records import dataclass
from rulesdsl.language.builtins import report_taken
from rulesdsl.language.diagnostics import Label, Span
from rulesdsl.language.diagnostics.report import did_you_mean, nearest
from rulesdsl.language.link.box import BoxBuilder
from rulesdsl.language.link.names import CLASSES, SECTIONS, DeclarationEntry
from rulesdsl.language.model import nodes, types, uses
from rulesdsl.language.model.game import (
    AttributeDef,
    EnumDef,
    FeatureKindDef,
    Plain,
    Ruleset,
)
from rulesdsl.language.model.geometry import KindShape, Shape
from rulesdsl.language.model.names import TEXT, short_name, words_of
from rulesdsl.language.model.nodes import Scalar
from rulesdsl.language.model.uses import Symbol, declared, word

NONE = "none"
_INT_TYPE = re.compile(r"int(?:\s+(-?[0-9]{1,10})\s*\.\.\s*(-?[0-9]{1,10}))?")
_SHAPES = {shape.value: shape for shape in Shape}


def fill_enums(box: BoxBuilder) -> None:
    """Fill in the enums, with the members that other rulesets add."""
    rank = [ruleset.id for ruleset in box.family.rulesets].index
    for entry in box.names.of("enums"):
        members: list[tuple[str, str, Span]] = []  # each with the ruleset that names it, and where
        extensions = sorted(box.extending(entry), key=lambda e: rank(e.ruleset))
        adding = [(entry.ruleset, entry.node), *((e.ruleset, e.node) for e in extensions)]
        for ruleset, node in ((id, node) for id, each in adding for node in nodes.scalars(each)):
            name = nodes.shown(node.value)
            report_taken(name, "member", node.span, box.report)
            # Strangers may add two of one name.
            known = (m for m in members if m[1] == name and box.family.related(ruleset, m[0]))
            if (first := next(known, None)) is None:
                members.append((ruleset, name, node.span))
                continue
            box.report.error(
                "duplicate-name",
                f"`{name}` is a member of `{entry.key}` already",
                node.span,
                labels=(Label(first[2], f"added by `{first[0]}`"),),
                help=("choose another name",),
            )
        givers = Counter(name for _, name, _ in members)
        names = [name if givers[name] == 1 else f"{giver}/{name}" for giver, name, _ in members]
        for name, (_, _, span) in zip(names, members, strict=True):
            box.names.uses.add_last(span, uses.member(entry.key, name), declares=True)
        origins = tuple(giver for giver, _, _ in members)
        box.enums[entry.key] = EnumDef(entry.name, entry.ruleset, entry.span, tuple(names), origins)


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

_NUMBER = r"(0|[1-9][0-9]{0,3})"
_SPACE = re.compile(rf"(.+)\[{_NUMBER}(?:, ?{_NUMBER})?\]")


def labels(
    box: BoxBuilder,
) -> tuple[Labels, dict[str, tuple[Span, ...]], dict[tuple[str, str], Span]]:
    """Return the labels of all rulesets, and the spans of labels of undeclared names.

    The last are the spans of texts with braces by language and name.
    """
    texts: Labels = {}
    braced: dict[tuple[str, str], Span] = {}
    disputes = Disputes(box)
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
                    name = nodes.shown(key.value)
                    names = (name if "/" in name else f"{ruleset.id}/{name}",)
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
    return {
        f"{entry.key}{TEXT}": (node, nodes.shown(node.value))
        for entry in box.names.of(*CLASSES)
        if entry.ruleset == ruleset and (node := nodes.scalar(entry.node, "text")) is not None
    }


def _indexed_labels(box: BoxBuilder, texts: dict[str, str]) -> dict[str, str]:
    found = {}
    for each in box.attributes.values():
        if each.index and each.whole in texts:
            member = each.name.partition(".")[2]
            words = (texts[each.whole], texts.get(f"{each.index}.{member}", member))
            found[each.key] = " ".join(word.partition("|")[0].strip() for word in words)
    return found


_Slot = tuple[str, str]
"""A language and a name, or a name and a key of its style."""


@dataclass
class Disputes:
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


def extent(box: BoxBuilder, entry: DeclarationEntry) -> tuple[int, ...]:
    """Return the number of spaces of a track, or the columns and rows of a grid with a size."""
    if entry.section == "tracks":
        return (box.tracks[entry.key].length,)
    return nodes.integers(nodes.get(entry.node, "size"))


def _owner(symbol: Symbol) -> Symbol | None:
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
    spaces of tracks, cells of grids and words of settings. They are the same in most languages, so
    they are looked up once.
    """

    def __init__(
        self, box: BoxBuilder, ruleset: Ruleset, sections: Sequence[str] = SECTIONS
    ) -> None:
        self._box, self._id, self._sections = box, ruleset.id, sections
        self._colours = nodes.words(nodes.get(ruleset.manifest.get("players"), "colours"))
        # By the names of their members; settings count only if they are in `sections`.
        self._members: dict[str, list[DeclarationEntry]] = {}
        settings = ("settings",) if "settings" in sections else ()
        for entry in box.names.seen(ruleset.id, "enums", "dice", *settings):
            for member in self._named_in(entry):
                self._members.setdefault(member, []).append(entry)
        self._known: dict[str, tuple[Symbol, ...]] = {}

    def of(self, node: Scalar) -> tuple[str, ...]:
        """Return the full names of everything that a name may be a label for."""
        name = nodes.shown(node.value)
        if name not in self._known:
            self._known[name] = tuple(self._find(name))
        for symbol in sorted(self._known[name], key=lambda s: s.what != "component")[:1]:
            key = symbol.key.partition("[")[0].removesuffix(TEXT)
            if symbol.what in ("grid", "track", "component") and key != symbol.key:
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
        """Yield the space or the cell that a name such as `track[2]` or `board[2, 3]` stands for.

        Only grids with a size have such names for their cells.
        """
        found = _SPACE.fullmatch(name)
        if found is None:
            return
        whole, *at = found.groups()
        index = [int(each) for each in at if each is not None]
        section = ("tracks", "grids")[len(index) - 1]
        for entry in self._box.names.candidates(whole, self._id, (section,)):
            room = extent(self._box, entry)
            if len(room) == len(index) and all(a < b for a, b in zip(index, room, strict=True)):
                where = ",".join(map(str, index))
                yield word(entry.symbol.what, f"{entry.key}[{where}]")

    def _find(self, name: str) -> Iterator[Symbol]:
        if name == self._id and self._sections is SECTIONS:
            yield word("ruleset", name)
        for entry in self._box.names.candidates(name, self._id, self._sections):
            yield entry.symbol
        yield from self._spaces(name)
        if name.endswith(TEXT) and self._sections is SECTIONS:
            whole = name.removesuffix(TEXT)
            for entry in self._box.names.candidates(whole, self._id, CLASSES):
                yield word("component", f"{entry.key}{TEXT}")
        if name in self._colours:
            yield declared("colour", f"{self._id}/{name}")
        owner, dot, member = name.rpartition(".")
        for entry in self._members.get(member, ()):
            if not dot or owner in (entry.name, entry.key):
                yield from self._called(entry, member)

    def _called(self, entry: DeclarationEntry, member: str) -> Iterator[Symbol]:
        """Yield what is called by the name of a member of an enum, setting or die."""
        if entry.section == "enums":
            enum = self._box.enums[entry.key]
            for number in enum.called(member, self._box.family.visible[self._id]):
                yield uses.member(entry.key, enum.members[number])
            return
        whole = words_of(entry.key) if entry.section == "settings" else entry.key
        yield declared("face" if entry.section == "dice" else "member", f"{whole}.{member}")

    def _named_in(self, entry: DeclarationEntry) -> tuple[str, ...]:
        """Return the members of an enum that are seen, words of a setting or faces of a die."""
        if entry.section == "settings":
            return nodes.words(nodes.get(entry.node, "values"))
        if entry.section == "enums":
            enum, seen = self._box.enums[entry.key], self._box.family.visible[self._id]
            pairs = zip(enum.members, enum.origins, strict=True)
            known = [member for member, origin in pairs if origin in seen]
            return tuple(dict.fromkeys((*known, *map(short_name, known))))
        faces = nodes.items(nodes.get(entry.node, "faces"))
        return tuple(nodes.shown(id.value) for face in faces if (id := nodes.scalar(face, "id")))
