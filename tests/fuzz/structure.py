"""Spoiling documents that stay well formed: other values, misspelt names, missing keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from random import Random
from typing import Any

import yaml

from rulesdsl.language.read.yaml import LOADER
from tests.fuzz.mutate import WORDS

Container = dict[Any, Any] | list[Any]
Slot = tuple[Container, Any, str]
"""A container, the key or index of a value in it, and the name of the key that it is below."""

_WORD = re.compile(r"[A-Za-z_]\w*")

VALUES: Sequence[Any] = (
    *(0, 1, -1, 2, 7, 99, 100, 101, 10_000, 10_001, 65_535, 2**31 - 1, 2**31, -(2**31), 10**30),
    *(True, False, None, 1.5, "", " ", "x", "1", "none", "true", "all", "player", "int", "a/b"),
    *([], {}, [[]], [None], [0, 0], ["x", "x"], {"x": 1}, {"id": "x"}, {"at": "N"}),
    *("count(players)", "settings", "settings.", "1 div 0", "1 mod 0", "99999 * 99999 * 99999"),
    *(
        "-1",
        "2 - 3",
        "not 1",
        "first(players)",
        "not settings",
        "()",
        "settings.x == y",
        "{}",
        "{p}",
    ),
)
BUILTINS = (
    *("players", "tiles", "cards", "dice", "tokens", "figures", "tokens", "player", "face", "size"),
    *(
        "count",
        "room",
        "value",
        "rest",
        "red",
        "owner",
        "kind",
        "cells",
        "features",
        "game",
        "text",
    ),
)


def tampered(random: Random, text: str) -> str:
    """A document with one to three changes to its values; comments and layout are lost."""
    data = yaml.load(text, LOADER)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        _change(random, data)
    return written(data)


class _Dumper(yaml.SafeDumper):
    """Writes equal parts out instead of naming them."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def written(data: Any) -> str:
    return yaml.dump(
        data,
        Dumper=_Dumper,
        default_flow_style=None,
        sort_keys=False,
        width=2**31,
        allow_unicode=True,
    )


def renamed(random: Random, texts: Mapping[str, str]) -> dict[str, str]:
    """Call something by another name in all files: one that is taken, or one of the language."""
    words = sorted({word for text in texts.values() for word in _WORD.findall(text)})
    old, new = random.choice(words), random.choice((*WORDS, *BUILTINS, *BUILTINS, *words))
    return {name: re.sub(rf"\b{old}\b", new, text) for name, text in texts.items()}


def _slots(data: Any, below: str = "") -> Iterator[Slot]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield data, key, str(key)
            yield from _slots(value, str(key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield data, index, below
            yield from _slots(value, below)


def _change(random: Random, data: Any) -> None:
    slots = list(_slots(data))
    if not slots:
        return
    # Sections differ in length: first a section, so that short ones are changed as often.
    section = random.choice(list(data))
    inside = list(_slots(data[section], str(section))) or slots
    container, key, name = random.choice(random.choice((inside, inside, slots)))
    value = container[key]
    match random.randrange(11):
        case 0 | 1:
            container[key] = _same(random, slots, name, value)
        case 2:
            container[key] = _misspelt(random, value)
        case 3:
            del container[key]
        case 4:
            _doubled(random, container, key)
        case 5:
            container[key] = deepcopy(random.choice(VALUES))
        case 6:
            container[key] = _expression(random, data)
        case 7:
            container[key] = _other_type(value)
        case 8:
            _rekeyed(random, container, key, slots)
        case 9:
            _multiplied(random, data, slots)
        case _:
            other, there, _ = random.choice(slots)
            container[key] = deepcopy(other[there])


def _same(random: Random, slots: Sequence[Slot], name: str, value: Any) -> Any:
    """Another value of the same kind: one that lies below the same key, or has the same type."""
    alike = [c[k] for c, k, below in slots if below == name and c[k] != value]
    typed = [c[k] for c, k, _ in slots if type(c[k]) is type(value)]
    return deepcopy(random.choice(random.choice((alike or typed, typed))))


def _misspelt(random: Random, value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return value + random.choice((-100, -1, 1, 100))
    if isinstance(value, str) and value:
        at = random.randrange(len(value))
        return random.choice(
            (
                value[:at] + value[at + 1 :],
                value[:at] + value[at] + value[at:],
                value[:at] + random.choice("aeiou_./- 1?{}") + value[at + 1 :],
                value.upper(),
                value + random.choice(("?", "s", "[0]", "[9999]", ".x", " ")),
            )
        )
    if isinstance(value, list):
        return value[:-1] if random.random() < 0.5 else [*value, *value[:1]]
    return value


def _doubled(random: Random, container: Container, key: Any) -> None:
    if isinstance(container, list):
        container.insert(key, deepcopy(container[key]))
    else:
        container[f"{key}{random.choice(('2', 's', '-'))}"] = deepcopy(container[key])


def _other_type(value: Any) -> Any:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return value[0] if value else ""
    if isinstance(value, dict):
        return [value] if len(value) > 1 else list(value.values())
    return str(value).lower()


def _rekeyed(random: Random, container: Container, key: Any, slots: Sequence[Slot]) -> None:
    """Put a value below another key: one misspelt, one from elsewhere, or one of the language."""
    if isinstance(container, list):
        container[key] = random.choice(slots)[2]
        return
    new = random.choice((_misspelt(random, str(key)), random.choice(slots)[2], *BUILTINS[:2]))
    items = [(new if each == key else each, value) for each, value in container.items()]
    container.clear()
    container.update(items)


RANGES: Sequence[Any] = (
    *("1..3", "0..1", "-5..5", "1..13", "1..104", "1..99999", "3..1", "1..", "..", "a..b", "1..1"),
    *(
        [1, 2],
        [True, False],
        [],
        [1, "x"],
        ["x", "x"],
        "x",
        3,
        None,
        {},
        {"x": 1},
        [[1]],
        "settings.x",
    ),
)


def _multiplied(random: Random, data: Any, slots: Sequence[Slot]) -> None:
    """Give a component or a face several values of some of its attributes."""
    entries = [each for c, k, _ in slots if isinstance(each := c[k], dict) and "id" in each]
    known = [
        section for name in ("attributes", "enums") if isinstance(section := data.get(name), dict)
    ]
    words = ["x", "count", "id", "in", *(word for section in known for word in section)]
    if not entries:
        return
    values = (*RANGES, *words)
    names = random.choices(words, k=random.choice((1, 1, 2, 3)))
    random.choice(entries)["each"] = {name: deepcopy(random.choice(values)) for name in names}


def _expression(random: Random, data: Any) -> str:
    settings = data.get("settings") if isinstance(data, dict) else None
    names = [*settings, "x"] if isinstance(settings, dict) else ["x"]
    a, b = (f"settings.{random.choice(names)}" for _ in "ab")
    words = [word for _, word, _ in _slots(data) if isinstance(word, str)]
    return random.choice(
        (
            a,
            f"{a} == {b}",
            f"{a} == {random.choice(words)}",
            f"not {a}",
            f"{a} * {b} - count(players)",
            f"{a} div {b}",
            f"{a} if {b} else {random.choice(words)}",
            f"count(players) > {a} or {b}",
            random.choice(words),
        )
    )
