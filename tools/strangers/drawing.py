"""Small games with randomly drawn, unrelated expansions.

The games and what expansions of them are drawn from are files in the folder `hosts`. In them
`{own}` is the name of the expansion and `{n}` a number. Templates of declarations have further
gaps: `{does}` is a statement, `{holds}` a condition, `{when}` a guard or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, permutations, product
from pathlib import Path
from random import Random
from textwrap import indent
from typing import Any

import yaml

HOSTS = tuple(sorted(path.stem for path in (Path(__file__).parent / "hosts").glob("*.yaml")))
"""The names of the games."""

_HOOKS = (
    "before {hooked}{when}: {does}",
    "after {hooked}{when}: {does}",
    "around {hooked}{when}:\n    {does}\n    proceed\n    {does}",
    "instead {hooked} when {holds}: {does}",
)
_WITH_RESULT = re.compile(r"^action (\w+)\([^)]*\) ->", re.M)


@cache
def host(name: str) -> Mapping[str, Any]:
    """Return the manifest and the rules of a game, and what its expansions are drawn from."""
    text = (Path(__file__).parent / "hosts" / f"{name}.yaml").read_text(encoding="utf-8")
    found: Mapping[str, Any] = yaml.safe_load(text)
    return found


def filled(game: Mapping[str, Any], luck: Random, name: str, template: str, at: int = 0) -> str:
    """Return a declaration of an expansion from a template."""
    results = set(_WITH_RESULT.findall(game["rules"]))
    calls = [
        each for each in game["calls"] if "around" not in template or not _calls(each, results)
    ]
    hooked = luck.choice(calls) if "{hooked}" in template else ""
    template = template.replace("{hooked}", hooked)
    does = [each for each in game["statements"] if fits(game, template, each)]
    holds = [each for each in game["conditions"] if fits(game, template, each)]
    while "{when}" in template:
        template = template.replace("{when}", luck.choice(("", "", " when {holds}")), 1)
    while "{holds}" in template:
        template = template.replace("{holds}", luck.choice(holds), 1)
    while "{does}" in template:
        template = _with_statement(template, luck.choice(does))
    return _numbered(luck, template).replace("{own}", name).replace("{at}", str(at)) + "\n"


def fits(game: Mapping[str, Any], template: str, text: str) -> bool:
    """Return whether a statement or condition can stand in a declaration."""
    verb, target, head = re.match(r"(\w+) ([\w.]*)([^:]*)", template, re.S).groups()  # type: ignore[union-attr]
    inside = set(re.findall(r"\b[a-z]\b", head.partition(" when ")[0]))
    # Nothing may depend on itself.
    return not (
        (verb != "option" and _calls(text, {target}))
        or any(_free(text, each) for each in game.get("locals", ()) if each not in inside)
        or any(_binds(text, each) for each in inside)
    )


def _with_statement(template: str, statement: str) -> str:
    """Return a template with a statement in its first gap."""
    at = template.index("{does}")
    margin = re.search(r" *$", template[:at])
    assert margin is not None
    own_line = template[: margin.start()].endswith("\n")
    before = template[: margin.start()] if own_line else template[: margin.start()] + "\n"
    spaces = margin.group() if own_line else "    "
    return before + indent(statement, spaces) + template[at + len("{does}") :]


def _numbered(luck: Random, text: str) -> str:
    return re.sub(r"\{n\}", lambda _: str(luck.randrange(5)), text)


def _calls(text: str, names: set[str]) -> bool:
    return any(re.search(rf"\b{name}\(", text) for name in names)


def _free(text: str, local: str) -> bool:
    """Return whether a text uses a local that it does not bind."""
    return re.search(rf"\b{local}\b", text) is not None and not _binds(text, local)


def _binds(text: str, local: str) -> bool:
    bound = rf"\bfor {local} in|[({{ ]{local} in|\blet {local}\b|\{{{local}, |, {local}\}} in"
    return re.search(bound, text) is not None


def rules(game: Mapping[str, Any], luck: Random, name: str) -> str:
    """Return the rules of an expansion: one to four declarations."""
    made = [game["own"].replace("{own}", name)]
    templates = (*_HOOKS, *_HOOKS, *game["declarations"])
    hooks = len(game["declarations"]) // len(_HOOKS)
    for at in range(luck.randint(1, 4)):
        template = luck.choice((*_HOOKS * hooks, *templates))
        made.append(filled(game, luck, name, template, at))
    return "".join(made)


def manifest(game: Mapping[str, Any], luck: Random, name: str, rules: str) -> str:
    """Return the manifest of an expansion with these rules, and what they name."""
    made = [f"ruleset: {name}\nedition: 1\nversion: 1.0.0\nrequires: [host]\nrules: {name}.rules\n"]
    if luck.random() < 0.05:
        made.append("house: true\n")
    entries = [
        (key, _numbered(luck, item).replace("{own}", name), luck.random() < 0.3)
        for key, items in game["entries"].items()
        for item in items
    ]
    drawn = list[tuple[str, str]]()
    text, before = rules, ""
    while text != before:
        before = text
        drawn = [
            (key, item)
            for key, item, chosen in entries
            if chosen or any(re.search(rf"\b{id}\b", text) for id in _ids(key, item, name))
        ]
        text = rules + "".join(item for _, item in drawn if not item.startswith("host/"))
    for key in dict.fromkeys(key for key, _ in drawn):
        listed = [item for other, item in drawn if other == key]
        dash = "- " if listed[0].startswith("{") else ""
        made += [f"{key}:\n", *(f"  {dash}{item}\n" for item in listed)]
    return "".join(made)


def _ids(key: str, item: str, name: str) -> Iterator[str]:
    """Yield the names of the expansion that an entry declares."""
    found = re.findall(rf"\b{name}_\w+", item)
    yield from found if key == "extend" else found[:1]


_PARTS = {
    "results of `around`": r"^around [^\n]*\n(?: +[^\n]*\n)*? +let m = proceed",
    "an action runs again": r"^(?:before|after|around|instead)[^\n]*\n(?: +[^\n]*\n)*? *\w+\(p\b",
    "queued calls and `always`": r"^always|\blater ",
    "an early end": r"\bend_game|\bfinish\(",
    "vetoes": r"^forbid",
    "requirements": r"^require |allowed\(",
    "contributions and ranges": r"^(?:add|allow|include)|few|\blife\b",
    "loops over components": r"\bfor [xycd] in ",
    "zones and rooms": r"room\(|\bmove\(\w, (?:seat|stool|bin)|_tower|_shelf|_heap|_side",
    "spaces and tracks": r"\.space|ring\[|path\[|_loop",
    "cells and grids": r"\bcells?\(|all_cells|cell_at|\.dry|plot\[|_plan|_garden",
    "pairs": r"\{[a-z], [a-z]\} in",
    "dice": r"\broll\(|turn_to|\.face",
    "placing": r"\bplace\(|placements|_build\(p\)\n",
    "features and segments": r"\b(?:features|segments)\(|\.trod|_mark = |link\(",
    "ordered and hidden zones": r"\b(?:pile|back|vault|crypt)\b|conceal|reveal|shuffle",
    "enums that several extend": r"(?:suit|crop): \[",
    "`each` in manifests": r"each:",
    "chance": r"\btake\(|\broll\(|shuffle|draw\(p",
    "choices of their own": r"^ +\w+_ask\(p\)",
}
KINDS = (
    "a hook replaces what another hooks",
    "an `around`, and another hook",
    "refinements of one value",
    *_PARTS,
)
"""The ways to conflict that are counted."""


def kinds(made: Mapping[str, str]) -> frozenset[str]:
    """Return the ways in which drawn expansions may conflict; a combination may have several."""
    texts = {name: text for name, text in made.items() if not name.startswith("host")}
    rules = [text for name, text in texts.items() if name.endswith(".rules")]
    hooks = [set(re.findall(r"^(before|after|around|instead) (\w+)", text, re.M)) for text in rules]
    values = [set(re.findall(r"^refine (\w+)", text, re.M)) for text in rules]
    found = set[str]()
    for one, other in permutations(hooks, 2):
        for (verb, target), (_, second) in product(one, other):
            if target == second and verb == "instead":
                found.add(KINDS[0])
            elif target == second and verb == "around":
                found.add(KINDS[1])
    if any(one & other for one, other in combinations(values, 2)):
        found.add(KINDS[2])
    # Every expansion declares the choice and the states, so only what follows counts.
    own = [
        re.sub(r"\A(?:state|choice|action| ).*\n(?:(?:state|choice|action| ).*\n)*", "", text)
        for text in rules
    ]
    drawn = "\n".join([*own, *(texts[name] for name in texts if name.endswith(".yaml"))])
    found |= {kind for kind, part in _PARTS.items() if re.search(part, drawn, re.M)}
    return frozenset(found)


def files(seed: int) -> dict[str, str]:
    """Return the files of a host and of two or three unrelated expansions."""
    luck = Random(seed)
    game = host(HOSTS[seed % len(HOSTS)])
    rules_of_host = game["rules"]
    if luck.random() < 0.3:
        for name in game.get("steps", ()):
            rules_of_host = rules_of_host.replace(f"\naction {name}(", f"\nstep action {name}(")
    made = {"host.yaml": game["manifest"], "host.rules": rules_of_host}
    names: Sequence[str] = ("ants", "bees", "cats")[: luck.choice((2, 2, 2, 3))]
    for name in names:
        made[f"{name}.rules"] = rules(game, luck, name)
        made[f"{name}.yaml"] = manifest(game, luck, name, made[f"{name}.rules"])
    return made
