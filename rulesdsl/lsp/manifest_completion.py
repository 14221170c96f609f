"""Completion in manifests and in files of scenarios."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import Any

from rulesdsl.check.declarations import DraftGame
from rulesdsl.check.symbols import NounKind, Symbols
from rulesdsl.link.names import CLASSES
from rulesdsl.lsp.completion import Item, distinct, of_qualifier
from rulesdsl.model.checked import PLAYERS
from rulesdsl.model.names import short_name
from rulesdsl.model.types import BOOL, PIECE_CLASSES, EnumType, OptionalType
from rulesdsl.model.uses import What
from rulesdsl.read.files import shipped
from rulesdsl.records import dataclass

Step = str | int
"""A key of a mapping, or the number of an item in a list."""

_KEY = re.compile(
    r"(?:\"([^\"\n]*)\"|'([^'\n]*)'"
    r"|([^\s#\[\]{},:&*!|>'\"%@`-](?:[^#\[\]{},:\n]*[^\s#\[\]{},:])?))\s*:(?=\s|\Z)"
)
_WORD = re.compile(r"(?<![^\s\[\]{},:])[^\s\[\]{},:]*\Z")


@dataclass(frozen=True)
class YamlPlace:
    """A place in a YAML text, with the steps that lead to it.

    `key`: a key of a mapping is written there, not a value. `item`: it is an item of a list.
    `flow`: it is inside of brackets. `keys` are the other keys of the mapping, `text` is the part
    of the scalar before the place, and `start` is the offset at which its last word begins.
    """

    steps: tuple[Step, ...]
    key: bool
    item: bool
    flow: bool
    keys: frozenset[str]
    text: str
    start: int


@dataclass
class _Frame:
    """An open mapping or list, with its column, or -1 inside of brackets."""

    column: int
    sequence: bool
    flow: bool = False
    step: Step | None = None
    keys: set[str] = field(default_factory=set)


def place_at(text: str, offset: int) -> YamlPlace:
    """Return the place of an offset."""
    frames: list[_Frame] = [_Frame(0, False)]
    begin = 0
    for line in text[:offset].split("\n")[:-1]:
        _line(line, frames)
        begin += len(line) + 1
    rest = text[begin:offset]
    scalar = _line(rest, frames, last=True)
    word = _WORD.search(scalar)
    start = offset - len(word[0]) if word else offset
    top = frames[-1]
    steps = tuple(frame.step for frame in frames if frame.step is not None)
    is_key = top.step is None or top.sequence
    keys = frozenset(top.keys | (_below(text, offset, top.column) if not top.flow else set()))
    keys |= _beside(text, offset) if top.flow and not top.sequence else set()
    return YamlPlace(steps, is_key, top.sequence, top.flow, keys, scalar, start)


def _line(line: str, frames: list[_Frame], last: bool = False) -> str:
    """Process a line, and return the scalar that is open at its end."""
    if not frames[-1].flow:
        body = line.lstrip(" ")
        if not body.strip() or body.startswith("#"):
            if last:
                _dedent(frames, len(line), "")
            return ""
        column = len(line) - len(body)
        _dedent(frames, column, body)
        return _block(body, column, frames)
    return _flow(line, frames)


def _dedent(frames: list[_Frame], column: int, body: str) -> None:
    """Close the frames that a line at this column does not belong to."""
    item = body.startswith("- ") or body == "-"
    while len(frames) > 1 and (
        frames[-1].column > column
        or (frames[-1].column == column and frames[-1].sequence and not item)
    ):
        frames.pop()
    top = frames[-1]
    if top.column == column and not top.sequence and not item:
        top.step = None
    elif top.column < column and not item and top.step is not None:
        frames.append(_Frame(column, False))


def _block(body: str, column: int, frames: list[_Frame]) -> str:
    """Process a line, or the part after a dash, outside of brackets; return the open scalar."""
    while body.startswith("- ") or body == "-":
        top = frames[-1]
        if not (top.sequence and top.column == column):
            top = _Frame(column, True, step=-1)
            frames.append(top)
        top.step = int(top.step or 0) + 1 if isinstance(top.step, int) else 0
        inner = body[1:].lstrip(" ")
        column += len(body) - len(inner)
        body = inner
        if not body:
            return ""
        if _KEY.match(body):
            frames.append(_Frame(column, False))
    found = _KEY.match(body)
    if found is None:
        return _flow(body, frames) if body[:1] in "[{" else body
    if frames[-1].sequence:
        frames.append(_Frame(column, False))
    name = found[1] or found[2] or found[3] or ""
    frames[-1].step = name
    frames[-1].keys.add(name)
    value = body[found.end() :]
    if not value:
        return ""
    inner = value.lstrip(" ")
    return _flow(inner, frames) if inner[:1] in ("[", "{") else inner


def _flow(text: str, frames: list[_Frame]) -> str:
    """Process text inside of brackets, and return the scalar that is open at its end."""
    at, scalar = 0, ""
    while at < len(text):
        sign = text[at]
        if sign == "#" and (at == 0 or text[at - 1] in " \t"):
            break
        if sign in "\"'" and not scalar.strip():
            end = text.find(sign, at + 1)
            if end < 0:
                return text[at:]
            scalar, at = text[at : end + 1], end + 1
            continue
        if sign in "[{":
            frames.append(_Frame(-1, sign == "[", True, 0 if sign == "[" else None))
            scalar = ""
        elif sign in "]}":
            if frames[-1].flow:
                frames.pop()
            scalar = ""
            if not frames[-1].flow:
                return ""
        elif sign == ",":
            scalar = _next(frames)
        elif sign == ":" and text[at + 1 : at + 2] in ("", " ") and not frames[-1].sequence:
            name = scalar.strip().strip("\"'")
            frames[-1].step = name
            frames[-1].keys.add(name)
            scalar = ""
        else:
            scalar += sign
        at += 1
    return scalar.lstrip()


def _next(frames: list[_Frame]) -> str:
    """Begin the next entry inside of brackets, and return its empty scalar."""
    top = frames[-1]
    if top.flow:
        top.step = int(top.step or 0) + 1 if top.sequence else None
    return ""


def _below(text: str, offset: int, column: int) -> set[str]:
    """Return the keys of the same mapping in the lines below."""
    found: set[str] = set()
    for line in text[offset:].split("\n")[1:]:
        body = line.lstrip(" ")
        depth = len(line) - len(body)
        if not body.strip() or body.startswith("#") or depth > column:
            continue
        if depth < column:
            break
        if match := _KEY.match(body):
            found.add(match[1] or match[2] or match[3] or "")
    return found


def _beside(text: str, offset: int) -> frozenset[str]:
    """Return the keys that follow in the same brackets, on the same line."""
    depth, rest = 0, text[offset:].partition("\n")[0]
    flat = []
    for sign in rest:
        depth += (sign in "[{") - (sign in "]}")
        if depth < 0:
            break
        flat.append(sign if depth == 0 else " ")
    return frozenset(re.findall(r"(?<![\w-])([\w-]+)\s*:", "".join(flat)))


# --- schemas --------------------------------------------------------------------------------------


Schema = Mapping[str, Any]

_KEY_WORD = re.compile(r"[A-Za-z_$][\w-]*")
_COLON = re.compile(r"[ \t]*:(?=\s|\Z)")


@cache
def schema(name: str) -> Schema:
    """Return the schema of a kind of file."""
    text = (shipped("schemas") / f"{name}.schema.json").read_text(encoding="utf-8")
    found: Schema = json.loads(text)
    return found


def at(root: Schema, steps: Iterable[Step]) -> Schema:
    """Return the schema of the value that steps lead to, empty if the schema has none for it."""
    found = _followed(root, root)
    for step in steps:
        if isinstance(step, int):
            inner = found.get("items", {})
        else:
            inner = found.get("properties", {}).get(step, found.get("additionalProperties", {}))
        found = _followed(root, inner if isinstance(inner, dict) else {})
    return found


def _followed(root: Schema, found: Schema) -> Schema:
    """Return a schema merged with the one that it refers to; its own entries win."""
    while "$ref" in found:
        name = str(found["$ref"]).rpartition("/")[2]
        target = root["$defs"][name]
        found = {**target, **{key: value for key, value in found.items() if key != "$ref"}}
    return found


def keys(root: Schema, found: Schema) -> Iterable[tuple[str, Schema]]:
    """Yield the keys that a schema names, with their schemas."""
    for name, inner in found.get("properties", {}).items():
        yield name, _followed(root, inner)


def values(found: Schema) -> Iterable[str]:
    """Yield the values that a schema lists, as YAML text."""
    listed = found.get("enum", [found["const"]] if "const" in found else [])
    for value in listed:
        yield json.dumps(value) if isinstance(value, bool) else str(value)
    types = found.get("type", ())
    if "boolean" in ([types] if isinstance(types, str) else types):
        yield from ("true", "false")


def is_named(root: Schema, steps: Sequence[Step]) -> bool:
    """Return whether the schema names the last key of these steps; an item counts as its list."""
    keys = (number for number in reversed(range(len(steps))) if isinstance(steps[number], str))
    last = next(keys, None)
    return last is None or steps[last] in at(root, steps[:last]).get("properties", {})


def holds_mapping(found: Schema) -> bool:
    """Return whether the schema allows a mapping."""
    types = found.get("type", ())
    return "object" in ([types] if isinstance(types, str) else types)


def told_of_key(root: Schema, text: str, offset: int) -> tuple[int, int, str] | None:
    """Return the start and end of the key at an offset, and the schema's text about it.

    Returns None if there is no key that the schema names.
    """
    word = next((w for w in _KEY_WORD.finditer(text) if w.start() <= offset <= w.end()), None)
    if word is None or not _COLON.match(text, word.end()):
        return None
    place = place_at(text, word.start())
    steps = (*place.steps, word[0])
    if not place.key or not is_named(root, steps):
        return None
    found = at(root, steps)
    told = f"**{word[0]}**: {found.get('title', '')}\n\n{found.get('description', '')}"
    return word.start(), word.end(), told


# --- items ----------------------------------------------------------------------------------------


_SETTING = re.compile(r"(?:\b(\w+)\.)?\bsettings\.(\w*)\Z")
_SEGMENT = ("N", "E", "S", "W", "I")


@dataclass(frozen=True)
class ManifestPlace:
    """A place in a YAML file of the kind `kind` (a schema's name), of the ruleset `ruleset`.

    `draft` has the declarations of the game, if they could be read; `ids` returns the ids of the
    rulesets that can be required.
    """

    text: str
    offset: int
    kind: str
    ruleset: str
    draft: DraftGame | None
    ids: Callable[[], Iterable[str]]


def complete(asked: ManifestPlace) -> tuple[int, list[Item]]:
    """Return the offset at which the word at a place begins, and all items that fit."""
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


def _words(asked: ManifestPlace, place: YamlPlace, symbols: Symbols | None) -> Iterator[Item]:
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
    """The names that the game of a manifest declares."""

    asked: ManifestPlace
    symbols: Symbols

    # --- keys

    def keys(self, place: YamlPlace) -> Iterator[Item]:
        """Yield the keys that are names."""
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
        """Yield the keys that a component of a class may have: its attributes, and segments."""
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
        """Return the full name of a kind of segment."""
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
        """Yield the names of this ruleset that players see, as keys of labels."""
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
        """Yield the values that are names."""
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
            case ("zones", str(), "per", *_):
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
            match place.steps:
                case (*_, int(), "count") | ("totals", str()) | ("refuse", int(), "when"):
                    yield Item(PLAYERS, "function", "the number of players", rank=4)

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
        """Yield the values that an attribute may have."""
        for each in self.symbols.find(self.symbols.attributes, name, self.asked.ruleset):
            type_ = each.type.item if isinstance(each.type, OptionalType) else each.type
            if type_ == BOOL:
                yield from (Item(word, "keyword", rank=1) for word in ("true", "false"))
            elif isinstance(type_, EnumType):
                for member in self.symbols.members(type_.name):
                    yield Item(member, "member", short_name(type_.name), rank=1)


def _home(key: str) -> str:
    return key.partition("/")[0]
