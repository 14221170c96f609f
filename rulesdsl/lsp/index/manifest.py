"""The names in the manifest of one ruleset."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rulesdsl.check.draft import Draft
from rulesdsl.check.symbols import Symbols
from rulesdsl.diagnostics import Span
from rulesdsl.lsp.index.meanings import a_ruleset, declared, member, noun, word
from rulesdsl.lsp.index.symbols import Symbol, Use, What
from rulesdsl.model.names import words_of
from rulesdsl.model.nodes import Mapping, Node, Scalar, Sequence
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.model.types import NAMED, SIDE, EnumType, OptionalType
from rulesdsl.weave.names import CHANGE_KEYS, CLASSES, OWN_KEYS, SEGMENT_KEYS

_SETTING = re.compile(r"(?:\b(\w+)\.)?\bsettings\.(\w+)(?:\s*[!=]=\s*(\w+))?")
_WORD = re.compile(r"[A-Za-z_]\w*")
_DECLARED: dict[str, What] = {
    "settings": "setting",
    "attributes": "attribute",
    "features": "feature",
    "grids": "grid",
    "zones": "zone",
    "tracks": "track",
    "tables": "table",
    "enums": "enum",
}


def entries(node: Node | None) -> tuple[tuple[Scalar, Node], ...]:
    """The entries of a mapping; none of anything else."""
    return node.entries if isinstance(node, Mapping) else ()


def items(node: Node | None) -> tuple[Node, ...]:
    """The items of a list; what stands alone is one."""
    if isinstance(node, Sequence):
        return node.items
    return () if node is None else (node,)


@dataclass
class Manifest:
    """Finds the names in the manifest of `ruleset`, in a game with these declarations."""

    ruleset: Ruleset
    draft: Draft

    @property
    def symbols(self) -> Symbols:
        """What the game declares."""
        return self.draft.symbols

    def uses(self) -> Iterator[Use]:
        """Every name in the manifest."""
        id = self.ruleset.id
        for key, node in self.ruleset.manifest:
            match str(key.value):
                case "ruleset":
                    yield from self._use(node, a_ruleset(id), True)
                case "requires" | "interaction":
                    for item in items(node):
                        for each in items(item) if isinstance(item, Sequence) else (item,):
                            yield from self._use(each, a_ruleset(str(_value(each))))
                case "game":
                    yield from self._game(node)
                case "players":
                    for colour in items(node.get("colours") if isinstance(node, Mapping) else None):
                        symbol = Symbol("colour", f"{id}/{_value(colour)}", str(_value(colour)))
                        yield from self._use(colour, symbol, True)
                case "extend":
                    yield from self._extend(node)
                case "labels":
                    for _, texts in entries(node):
                        for name, _ in entries(texts):
                            yield from self._use(name, self._labelled(str(name.value)))
                case section if section in CLASSES:
                    for item in items(node):
                        yield from self._component(item, CLASSES[section])
                case section if section in _DECLARED:
                    yield from self._section(section, node)
                case _:
                    yield from self._constants(node)

    def _use(self, node: Node, symbol: Symbol | None, declares: bool = False) -> Iterator[Use]:
        if isinstance(node, Scalar) and symbol is not None:
            span, quoted = node.span, node.span.text[:1] in ("'", '"')
            inner = span.source.span(span.start + quoted, span.end - quoted)
            start = inner.end - len(symbol.name)
            last = inner.source.span(start, inner.end)
            if last.text == symbol.name and start >= inner.start:
                yield Use(last, symbol, declares)

    # --- what is declared

    def _game(self, node: Node) -> Iterator[Use]:
        for key, value in entries(node):
            name = str(_value(value))
            if key.value in ("play", "finish"):
                yield from self._use(value, declared("action", f"{self.ruleset.id}/{name}"))
            elif key.value == "score":
                yield from self._use(value, declared("state", f"{self.ruleset.id}/{name}"))

    def _section(self, section: str, node: Node) -> Iterator[Use]:
        for key, value in entries(node):
            full = f"{self.ruleset.id}/{key.value}"
            yield from self._use(key, declared(_DECLARED[section], full), True)
            match section:
                case "enums":
                    yield from self._members(full, value)
                case "features":
                    yield from self._kinds(_get(value, "borders"))
                case "attributes":
                    yield from self._attribute(full, value)
                case "settings":
                    yield from self._words(words_of(full), value)
                case _:
                    per = _get(value, "per")
                    if isinstance(per, Scalar):
                        yield from self._use(per, self._noun(str(per.value)))
                    yield from self._constants(value)

    def _members(self, enum: str, node: Node) -> Iterator[Use]:
        for item in items(node):
            name = str(_value(item))
            yield from self._use(item, Symbol("member", f"{enum}.{name}", name), True)

    def _words(self, enum: str, node: Node) -> Iterator[Use]:
        """The words of a setting, of which one is its default."""
        if isinstance(node, Mapping) and node.get("values") is not None:
            yield from self._members(enum, _get(node, "values") or node)
            default = _get(node, "default")
            if default is not None:
                yield from self._use(default, member(enum, str(_value(default))))

    def _kinds(self, node: Node | None) -> Iterator[Use]:
        for item in items(node):
            yield from self._use(item, self._key(str(_value(item)), "feature"))

    def _attribute(self, full: str, node: Node) -> Iterator[Use]:
        yield from self._kinds(_get(node, "of"))
        written = _get(node, "type")
        if isinstance(written, Scalar) and (name := _WORD.match(str(written.value))):
            start = written.span.start + written.span.text.index(name[0])
            symbol = self._noun(name[0])
            if name[0] in NAMED or name[0] in ("int", SIDE.name):
                symbol = word("type", name[0])
            if symbol is not None:
                span = written.span.source.span(start, start + len(name[0]))
                yield Use(span, symbol)
        if (default := _get(node, "default")) is not None:
            yield from self._member(full, default)

    # --- components

    def _component(self, node: Node, cls: str) -> Iterator[Use]:
        for key, value in entries(node):
            name = str(key.value)
            if name == "id":
                full = f"{self.ruleset.id}/{_value(value)}"
                yield from self._use(value, Symbol("component", full, str(_value(value))), True)
            elif name == "some":
                for some in items(value):
                    yield from self._said(some, (*CHANGE_KEYS,))
            elif name == "faces":
                yield from self._faces(node, value)
            else:
                yield from self._entry(key, value, OWN_KEYS[cls])

    def _faces(self, die: Node, node: Node) -> Iterator[Use]:
        id = _value(_get(die, "id"))
        for face in items(node):
            for key, value in entries(face):
                if key.value == "id":
                    name = str(_value(value))
                    symbol = Symbol("face", f"{self.ruleset.id}/{id}.{name}", name)
                    yield from self._use(value, symbol, True)
                else:
                    yield from self._entry(key, value, OWN_KEYS["face"])

    def _said(self, node: Node, own: tuple[str, ...]) -> Iterator[Use]:
        for key, value in entries(node):
            yield from self._entry(key, value, own)

    def _entry(self, key: Scalar, value: Node, own: tuple[str, ...]) -> Iterator[Use]:
        """One key of a component: a word of the language, an attribute, or a kind of segments."""
        name = str(key.value)
        if name == "in" and isinstance(value, Scalar):
            yield from self._use(value, self._noun(str(value.value)))
        elif name in own:
            yield from self._constants(value)
        elif isinstance(value, Sequence):
            yield from self._use(key, self._key(name, "feature"))
            for segment in value:
                for inner, said in entries(segment):
                    if inner.value == "borders":
                        yield from self._kinds(said)
                    elif inner.value not in SEGMENT_KEYS:
                        yield from self._entry(inner, said, ())
        else:
            symbol = self._key(name, "attribute")
            yield from self._use(key, symbol)
            if symbol is not None:
                yield from self._member(symbol.key, value)

    def _extend(self, node: Node) -> Iterator[Use]:
        for key, value in entries(node):
            ruleset, _, name = str(key.value).rpartition("/")
            symbol = self._extended(ruleset, name)
            if ruleset and key.span.text.startswith(ruleset):
                head = key.span.source.span(key.span.start, key.span.start + len(ruleset))
                yield Use(head, a_ruleset(ruleset))
            yield from self._use(key, symbol)
            if symbol is not None and symbol.what == "enum":
                yield from self._members(symbol.key, value)
            elif isinstance(value, Sequence):
                for item in value:
                    yield from self._said(item, CHANGE_KEYS)

    def _extended(self, ruleset: str, name: str) -> Symbol | None:
        qualifier = ruleset or None
        found = self.symbols.find(self.symbols.components, name, self.ruleset.id, qualifier)
        if len(found) == 1:
            return Symbol("component", self.symbols.game.kinds[found[0][0]].key, name)
        return self._noun(name, qualifier)

    # --- what is named

    def _noun(self, name: str, qualifier: str | None = None) -> Symbol | None:
        found = self.symbols.find(self.symbols.nouns, name, self.ruleset.id, qualifier)
        return noun(found[0]) if len(found) == 1 else None

    def _key(self, name: str, what: What) -> Symbol | None:
        """A key of a component that is a kind of segments, or an attribute."""
        owner, _, short = name.rpartition("/")
        symbols, id, qualifier = self.symbols, self.ruleset.id, owner or None
        if what == "feature":
            keys = [each.key for each in symbols.find(symbols.features, short, id, qualifier)]
        else:
            keys = [each.key for each in symbols.find(symbols.attributes, short, id, qualifier)]
        if len(keys) == 1:
            return declared(what, keys[0])
        return word("type", short) if short in NAMED else None

    def _member(self, attribute: str, node: Node) -> Iterator[Use]:
        """The member of an enum that an attribute has."""
        ruleset, _, name = attribute.partition("/")
        found = self.symbols.attributes.get(ruleset, {}).get(name)
        type_ = None if found is None else found.type
        type_ = type_.item if isinstance(type_, OptionalType) else type_
        if isinstance(type_, EnumType) and isinstance(node, Scalar) and type_.name != SIDE.name:
            member = str(node.value)
            if member in self.symbols.members(type_.name):
                symbol = Symbol("member", f"{type_.name}.{member}", member)
                yield from self._use(node, symbol)

    def _labelled(self, name: str) -> Symbol | None:
        """What a label is for."""
        owner, dot, short = name.rpartition(".")
        symbols, id = self.symbols, self.ruleset.id
        if name == id:
            return a_ruleset(id)
        if dot:
            return self._part(owner, short)
        components = symbols.find(symbols.components, name, id)
        if len(components) == 1:
            return Symbol("component", symbols.game.kinds[components[0][0]].key, name)
        routines = symbols.find(symbols.routines, name, id)
        if len(routines) == 1:
            return declared(routines[0].what, routines[0].key)
        if name in symbols.game.roles.colours and id == symbols.game.roles.ruleset:
            return Symbol("colour", f"{id}/{name}", name)
        settings = symbols.find(symbols.settings, name, id)
        if len(settings) == 1:
            return declared("setting", settings[0].key)
        return self._noun(name) or self._key(name, "feature") or self._key(name, "attribute")

    def _part(self, owner: str, name: str) -> Symbol | None:
        """A word of a setting, a member of an enum, an option of a choice, or state."""
        symbols, id = self.symbols, self.ruleset.id
        for setting in symbols.find(symbols.settings, owner, id):
            if name in setting.values:
                return member(words_of(setting.key), name)
        enum = self._noun(owner)
        if enum is not None and enum.what == "enum":
            return Symbol("member", f"{enum.key}.{name}", name)
        for choice in symbols.find(symbols.routines, owner, id):
            for option in self.draft.options.get(choice.key, []):
                if option.name == name:
                    return declared("option", option.key)
        states = symbols.find(symbols.data, f"{owner}.{name}", id)
        return declared("state", states[0].key) if len(states) == 1 else None

    def _constants(self, node: Node) -> Iterator[Use]:
        """The settings that expressions inside name."""
        match node:
            case Scalar(value=str()):
                for found in _SETTING.finditer(node.span.text):
                    yield from self._setting(node.span, found)
            case Sequence():
                for item in node:
                    yield from self._constants(item)
            case Mapping():
                for _, value in node:
                    yield from self._constants(value)

    def _setting(self, where: Span, found: re.Match[str]) -> Iterator[Use]:
        """A setting that an expression names, and the word that it is compared with."""
        table, id = self.symbols.settings, self.ruleset.id
        settings = self.symbols.find(table, found[2], id, found[1])
        if len(settings) != 1:
            return
        (setting,) = settings
        start, source = where.start, where.source
        span = source.span(start + found.start(2), start + found.end(2))
        yield Use(span, declared("setting", setting.key))
        if found[3] in setting.values:
            span = source.span(start + found.start(3), start + found.end(3))
            yield Use(span, member(words_of(setting.key), found[3]))


def _get(node: Node | None, key: str) -> Node | None:
    return node.get(key) if isinstance(node, Mapping) else None


def _value(node: Node | None) -> object:
    return node.value if isinstance(node, Scalar) else None
