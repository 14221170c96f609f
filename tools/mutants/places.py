"""Classification of words: keys, names and texts of a manifest, and names of rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from rulesdsl.language.diagnostics import Source
from rulesdsl.language.model.nodes import Scalar
from tools.environment import ROOT
from tools.mutants.shipped import Keys, Ruleset, rulesets, section

CLASSES = ("tiles", "cards", "dice", "tokens", "figures")
_ENTRY = frozenset(("id", "count", "in", "when", "per", "some", "size", "faces", "copies"))
_SEGMENT = frozenset(("at", "over", "borders"))
_TABLES = ("settings", "attributes", "features", "grids", "zones", "tracks", "tables")
_TOKEN = re.compile(r"#[^\n]*|'[^'\n]*'|[A-Za-z_]\w*")


@dataclass(frozen=True)
class Word:
    """A name in rules, and the text before it on its line."""

    text: str
    start: int
    end: int
    before: str
    after: str

    @property
    def attribute(self) -> bool:
        """True if it follows a dot."""
        return self.before.endswith(".")


@cache
def language() -> frozenset[str]:
    """Return the words of the language."""
    grammar = (ROOT / "rulesdsl" / "language" / "parse" / "grammar.lark").read_text(
        encoding="utf-8"
    )
    return frozenset(re.findall(r'"([a-z]+)"', grammar))


def words(source: Source) -> Iterator[Word]:
    """Yield all names of a rules text, those of components without their quotes."""
    for match in _TOKEN.finditer(source.text):
        if match[0][0] == "#" or match[0] in language():
            continue
        start, end = match.span()
        if match[0][0] == "'":
            start, end = start + 1, end - 1
        line = source.text.rfind("\n", 0, start) + 1
        stop = source.text.find("\n", end)
        yield Word(
            source.text[start:end],
            start,
            end,
            source.text[line:start],
            source.text[end:stop],
        )


def declares(word: Word) -> bool:
    """Return whether a word of rules declares its name."""
    head = re.search(r"(^|\s)(value|action|choice|let|var|option|state \w+\.)\s*$", word.before)
    ranges = re.search(r"([({,]|\bfor)\s*$", word.before) and re.match(r" in\b|: ", word.after)
    hooked = re.match(r"\s*(before|after|around|refine|add|require|allow|forbid) ", word.before)
    return bool(head or ranges or (hooked and "(" in word.before and "when" not in word.before))


@cache
def attributes() -> frozenset[str]:
    """Return the attributes of all rulesets."""
    return frozenset(name for each in rulesets().values() for name in section(each, "attributes"))


def is_key(keys: Keys) -> bool:
    """Return whether the last of these keys is defined by the schema."""
    match keys:
        case (_,):
            return True
        case ("players" | "game" | "totals", _):
            return True
        case (table, _, _) if table in _TABLES:
            return True
        case (section, "*", *inner, key) if section in CLASSES:
            return key in (_SEGMENT if len(inner) == 2 and inner[0] != "some" else _ENTRY)
        case ("refuse", "*", _):
            return True
        case ("extend", _, *_, key) if len(keys) > 2:
            return key in (*_ENTRY, *_SEGMENT, "holds")
    return False


def is_attribute(keys: Keys) -> bool:
    """Return whether the last of these keys is an attribute of a component or a segment."""
    inside = keys[0] in CLASSES or (keys[0] == "extend" and len(keys) > 2)
    return inside and keys[-1] in attributes() and not is_key(keys)


def is_drawing(keys: Keys) -> bool:
    """Return whether a value is the position of a segment."""
    inside = keys[0] in CLASSES or keys[0] == "extend"
    return inside and (
        keys[-1] in ("at", "over")
        or (
            len(keys) > 3
            and keys[-2:] == (keys[-2], "*")
            and keys[-2] not in (*_ENTRY, *_SEGMENT)
            and keys[-2] not in attributes()
            and keys[0] != "extend"
        )
    )


def is_text(keys: Keys) -> bool:
    """Return whether a value is a text for people, or has no effect on the game."""
    return keys[0] in ("labels", "version", "edition") or keys[-1] == "because"


def declared(ruleset: Ruleset, keys: Keys, scalar: Scalar, key: bool) -> bool:
    """Return whether a word of a manifest declares its name."""
    if key:
        return len(keys) == 2 and keys[0] in (*_TABLES, "enums")
    return (
        keys[0] in ("ruleset", "enums")
        or keys[-1] == "id"
        or keys[:2] == ("players", "colours")
        or (keys[0] == "settings" and "values" in keys)
        or (keys[0] == "extend" and len(keys) == 3 and keys[-1] == "*")
    )
