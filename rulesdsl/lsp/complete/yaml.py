"""What can be written at a place in a manifest, or in a file of scenarios."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rulesdsl.check.draft import Draft
from rulesdsl.check.symbols import NounKind, Symbols
from rulesdsl.lsp.complete.expressions import of_qualifier
from rulesdsl.lsp.complete.items import Item, distinct
from rulesdsl.lsp.complete.schema import Schema, at, holds_mapping, is_named, keys, schema, values
from rulesdsl.lsp.complete.yaml_place import YamlPlace, place_at
from rulesdsl.model.names import short_name
from rulesdsl.model.types import BOOL, PIECE_CLASSES, EnumType, OptionalType
from rulesdsl.model.uses import What
from rulesdsl.weave.names import CLASSES

_SETTING = re.compile(r"(?:\b(\w+)\.)?\bsettings\.(\w*)\Z")
_SEGMENT = ("N", "E", "S", "W", "I")


@dataclass(frozen=True)
class Asked:
    """A place in a YAML file of the kind `kind` (a schema's name), of the ruleset `ruleset`.
    `draft` has what its game declares, if that can be told; `ids` gives those of rulesets that can
    be required."""

    text: str
    offset: int
    kind: str
    ruleset: str
    draft: Draft | None
    ids: Callable[[], Iterable[str]]


def complete(asked: Asked) -> tuple[int, list[Item]]:
    """Where the word begins that is being written, and all that it can be."""
    line = asked.text[asked.text.rfind("\n", 0, asked.offset) + 1 : asked.offset]
    if re.search(r"(?:^|\s)#", line):
        return asked.offset, []
    place = place_at(asked.text, asked.offset)
    symbols = None if asked.draft is None else asked.draft.symbols
    setting = _SETTING.search(place.text)
    if setting and symbols is not None:
        found = of_qualifier(symbols, asked.ruleset, "settings", setting[1])
        return asked.offset - len(setting[2]), distinct(found)
    return place.start, distinct(_words(asked, place, symbols))


def _words(asked: Asked, place: YamlPlace, symbols: Symbols | None) -> Iterator[Item]:
    root = schema(asked.kind)
    here = at(root, place.steps)
    known = _Known(asked, symbols) if symbols is not None and asked.kind == "ruleset" else None
    if place.key and not (place.item and place.flow):
        yield from _keys(root, here, place)
    if is_named(root, place.steps) and not (place.key and holds_mapping(here)):
        yield from (Item(value, "member", rank=1) for value in values(here))
    if known is not None:
        yield from known.keys(place) if place.key and not (place.item and place.flow) else ()
        yield from known.values(place, here)
    elif place.steps[:1] in (("requires",), ("interaction",)):
        yield from (Item(id, "ruleset", rank=1) for id in asked.ids())


def _keys(root: Schema, here: Schema, place: YamlPlace) -> Iterator[Item]:
    required = here.get("required", ())
    for name, inner in keys(root, here):
        if name not in place.keys:
            doc = str(inner.get("description", ""))
            rank = 1 if name in required else 3
            yield Item(name, "keyword", str(inner.get("title", "")), doc, f"{name}: ", rank)


@dataclass(frozen=True)
class _Known:
    """What the game of a manifest declares, where it can be named."""

    asked: Asked
    symbols: Symbols

    # --- keys

    def keys(self, place: YamlPlace) -> Iterator[Item]:
        """Keys that are names."""
        for item in self._keys(place):
            if item.label not in place.keys:
                yield item

    def _keys(self, place: YamlPlace) -> Iterator[Item]:
        match place.steps:
            case (str(section), int()) if section in CLASSES:
                yield from self._said(CLASSES[section])
            case (str(section), int(), "some", int()) if section in CLASSES:
                yield from self._said(CLASSES[section])
            case ("dice", int(), "faces", int()):
                yield from self._said("face")
            case (str(section), int(), str(kind), int()) if section in CLASSES:
                yield from self._attributes(self._kind(kind))
            case ("dice", int(), "faces", int(), str(kind), int()):
                yield from self._attributes(self._kind(kind))
            case (str(section), int(), "some", int(), str(kind), int()) if section in CLASSES:
                yield from self._attributes(self._kind(kind))
            case ("extend",):
                yield from self._extended()
            case ("extend", str(name), int()):
                yield from self._said(self._class(name))
            case ("extend", str(), int(), str(kind), int()):
                yield from self._attributes(self._kind(kind))
            case ("labels", str()):
                yield from self._labelled()

    def _said(self, cls: str) -> Iterator[Item]:
        """What a component of a class may say: its attributes, and segments."""
        yield from self._attributes(cls)
        if cls in ("tile", "face"):
            for name in self.symbols.seen(self.symbols.features, self.asked.ruleset):
                yield Item(name, "feature", "segments", snippet=f"{name}: [$1]", rank=2)

    def _attributes(self, owner: str) -> Iterator[Item]:
        symbols = self.symbols
        for name in symbols.seen(symbols.attributes, self.asked.ruleset):
            for each in symbols.find(symbols.attributes, name, self.asked.ruleset):
                if owner in each.owners:
                    yield Item(name, "attribute", str(each.type), snippet=f"{name}: ", rank=2)

    def _kind(self, name: str) -> str:
        """The full name of a kind of segments."""
        found = self.symbols.find(self.symbols.features, name, self.asked.ruleset)
        return found[0].key if len(found) == 1 else ""

    def _class(self, full: str) -> str:
        ruleset, _, name = full.partition("/")
        found = self.symbols.find(self.symbols.components, name, self.asked.ruleset, ruleset)
        return self.symbols.game.kinds[found[0][0]].cls if found else ""

    def _extended(self) -> Iterator[Item]:
        symbols = self.symbols
        for ruleset in sorted(symbols.game.reach[self.asked.ruleset] - {self.asked.ruleset}):
            for name in symbols.components.get(ruleset, {}):
                full = f"{ruleset}/{name}"
                yield Item(full, "component", self._class(full), snippet=f"{full}: ", rank=2)
            for name, each in symbols.nouns.get(ruleset, {}).items():
                if each.what in ("enum", "zone"):
                    full = f"{ruleset}/{name}"
                    yield Item(full, each.what, each.what, snippet=f"{full}: ", rank=1)

    def _labelled(self) -> Iterator[Item]:
        """What players are told of: what this ruleset declares."""
        symbols, id = self.symbols, self.asked.ruleset
        tables: tuple[tuple[What, Iterable[str]], ...] = (
            ("component", symbols.components.get(id, {})),
            ("feature", symbols.features.get(id, {})),
            ("attribute", symbols.attributes.get(id, {})),
            ("setting", symbols.settings.get(id, {})),
            ("value", symbols.routines.get(id, {})),
            ("zone", symbols.nouns.get(id, {})),
        )
        for what, names in tables:
            yield from (Item(name, what, what, snippet=f"{name}: ", rank=2) for name in names)
        draft = self.asked.draft
        for options in draft.options.values() if draft is not None else ():
            for option in options:
                if option.ruleset == id:
                    name = f"{option.choice.name}.{option.name}"
                    yield Item(name, "option", "option", snippet=f"{name}: ", rank=2)
        yield Item(id, "ruleset", "the ruleset itself", snippet=f"{id}: ", rank=2)

    # --- values

    def values(self, place: YamlPlace, here: Schema) -> Iterator[Item]:
        """Values that are names."""
        match place.steps:
            case ("requires" | "interaction", int()) | ("interaction", int(), int()):
                yield from (Item(id, "ruleset", rank=1) for id in self.asked.ids())
            case ("game", "play" | "finish"):
                yield from self._actions()
            case ("game", "score"):
                names = self.symbols.data.get(self.asked.ruleset, {})
                yield from (Item(name, "state", rank=1) for name in names if "player." in name)
            case ("attributes", str(), "of", *_):
                yield from self._owners()
            case ("attributes", str(), "type"):
                yield from (Item(name, "type", rank=2) for name in ("int", "bool"))
                yield from self._nouns("enum")
            case ("features", str(), "borders", int()):
                yield from self._features()
            case ("grids" | "zones" | "tracks", str(), "holds", *_):
                yield from (Item(name, "type", "class", rank=1) for name in PIECE_CLASSES)
            case ("zones", str(), "per"):
                yield Item("player", "type", rank=1)
                yield from self._nouns("enum")
            case (*_, "in") if not place.key:
                yield from self._nouns("zone", "track")
            case (*_, "borders", int()):
                yield from self._features()
            case (str(section), int(), str(), int()) if section in CLASSES and place.item:
                yield from (Item(port, "member", "a side", rank=3) for port in _SEGMENT)
            case (*_, str(name)) if not place.key:
                yield from self._said_value(name)
        if here.get("title") in ("a count", "a condition") and not place.key:
            yield Item("settings", "keyword", snippet="settings.", rank=4)

    def _actions(self) -> Iterator[Item]:
        for routine in self.symbols.routines.get(self.asked.ruleset, {}).values():
            if routine.what == "action" and not routine.params:
                yield Item(routine.name, "action", rank=1)

    def _owners(self) -> Iterator[Item]:
        for name in (*PIECE_CLASSES, "face"):
            yield Item(name, "type", "class", rank=2)
        yield from self._features()

    def _features(self) -> Iterator[Item]:
        for name in self.symbols.seen(self.symbols.features, self.asked.ruleset):
            yield Item(name, "feature", "kind of feature", rank=1)

    def _nouns(self, *kinds: NounKind) -> Iterator[Item]:
        symbols = self.symbols
        for name in symbols.seen(symbols.nouns, self.asked.ruleset):
            for each in symbols.find(symbols.nouns, name, self.asked.ruleset):
                if each.what in kinds:
                    yield Item(name, each.what, f"{each.what} of {_home(each.key)}", rank=1)

    def _said_value(self, name: str) -> Iterator[Item]:
        """The values that an attribute may have."""
        for each in self.symbols.find(self.symbols.attributes, name, self.asked.ruleset):
            type_ = each.type.item if isinstance(each.type, OptionalType) else each.type
            if type_ == BOOL:
                yield from (Item(word, "keyword", rank=1) for word in ("true", "false"))
            elif isinstance(type_, EnumType):
                for member in self.symbols.members(type_.name):
                    yield Item(member, "member", short_name(type_.name), rank=1)


def _home(key: str) -> str:
    return key.partition("/")[0]
