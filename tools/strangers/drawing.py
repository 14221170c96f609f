"""Small games with randomly drawn, unrelated expansions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations, product
from random import Random

HOST = """\
ruleset: host
edition: 1
version: 1.0.0
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
zones:
  bag: {holds: token}
  box: {holds: token}
  hand: {holds: token, per: player}
  home: {holds: figure, per: player}
attributes:
  worth: {of: token, default: 1}
tokens:
  - {id: coin, count: 4, in: bag}
figures:
  - {id: pawn, count: 2, per: player, in: home}
rules: host.rules
"""
RULES = """\
state player.score: int -1000000..1000000 = 0
state player.purse: int -1000000..1000000 = 3
state game.day: int 0..1000000 = 0
state game.paid: int -1000000..1000000 = 0

state player.few: int 0..9 = 3

value worth_of(x: token?) -> int: 0 if x is none else x.worth
value fee(p: player, n: int) -> int: n + 1
value rich(p: player) -> bool: p.purse > 5

action game():
    for i in 1..3:
        for p in players: turn(p)

action turn(p: player):
    gain(p, fee(p, day mod 3))
    trade(p)
    close(p)

action gain(p: player, n: int):
    p.score += n
    paid = n

action buy(p: player):
    p.purse += 1

action close(p: player):
    day += 1

action finish(): end_game(players)

choice trade(p: player) by p:
    option sell when p.purse > 0:
        p.purse -= 1
        gain(p, 2)
    option take(x in bag):
        move(x, hand[p])
        p.score += x.worth
    option pass: p.score += 0
"""

_STATEMENTS = (
    "p.score += {n}",
    "p.score += p.purse",
    "p.score = {n} * p.score",
    "p.purse += {n}",
    "p.purse = {n}",
    "day += {n}",
    "if p.purse > {n}: p.score += 1",
    "if rich(p): p.purse -= 1",
    "gain(p, {n})",
    "buy(p)",
    "p.{own} += 1",
    "p.{own} = p.purse",
    "p.score += p.{own}",
    "{own}_game = paid",
    "p.score += {own}_game",
    "for x in hand[p]: move(x, bag)",
    "for x in bag where x.worth == {n}: move(x, hand[p])",
    "if count(hand[p]) > 1: p.score += {n}",
    "p.score += sum(x.worth for x in hand[p])",
    "{own}_ask(p)",
    "for x in figures where x.owner == p: p.score += 1",
    "for x in figures: x.owner.purse += {n}",
    "for q in players where q != p: q.purse += {n}",
    "for x in hand[p]: p.{own} = x.worth",
    "for x in hand[p]: p.{own} = max(p.{own}, x.worth)",
    "for x in bag: p.score = (2 * p.score + x.worth) mod 1000",
    "p.{own} = worth_of(first(x in hand[p]))",
    "later buy(p)",
    "if p.score > 9: end_game({p})",
    "if day > 4: finish()",
    "p.few -= 1",
    "p.few += 1",
)
_CONDITIONS = (
    "p.purse > {n}",
    "rich(p)",
    "p.score mod 2 == 0",
    "day mod 2 == 1",
    "count(hand[p]) > 0",
    "p.{own} > 1",
    "any(y in hand[p] where y.worth > 1)",
    "p.purse <= {n}",
)
_HOOKED = ("turn(p)", "gain(p, n)", "buy(p)", "close(p)")
_DECLARATIONS = (
    "before {hooked}{when}: {does}",
    "before {hooked}{when}: {does}",
    "after {hooked}{when}: {does}",
    "after {hooked}{when}: {does}",
    "around {hooked}{when}:\n    {does}\n    proceed\n    {does}",
    "instead {hooked} when {holds}: {does}",
    "option trade.{own}_{at}{when}: {does}",
    "forbid trade.sell when {holds}",
    "forbid trade.take(x) when {holds}",
    "refine fee(p, n) when {holds}: previous + {n}",
    "refine fee(p, n) when {holds}: 2 * previous",
    "refine rich(p) when {holds}: not previous",
    "refine rich(p) when {holds}: p.score > {n}",
    "always for q in players where q.purse > {n} + 4: q.purse -= 4",
    "always for q in players where q.score mod 3 == 1: q.score += 1",
)
_STATES = """\
state player.{own}: int -1000000..1000000 = 0
state game.{own}_game: int -1000000..1000000 = 0
choice {own}_ask(p: player) by p:
    option yes: p.purse += 1
    option no: p.score += 1
"""


def manifest(luck: Random, name: str) -> str:
    """Return the manifest of an expansion of the host."""
    head = f"ruleset: {name}\nedition: 1\nversion: 1.0.0\nrequires: [host]\nrules: {name}.rules\n"
    if luck.random() < 0.5:
        head += f"tokens:\n  - {{id: {name}_gem, count: 2, in: bag, worth: {luck.randint(1, 3)}}}\n"
    if luck.random() < 0.1:
        head += f"extend: {{host/coin: [{{copies: 1, worth: {luck.randint(2, 4)}}}]}}\n"
    if luck.random() < 0.05:
        head += "house: true\n"
    if luck.random() < 0.1:
        head += f"zones:\n  {name}_tower: {{holds: figure}}\n"
        head += f"figures:\n  - {{id: {name}_ghost, count: 1, in: {name}_tower}}\n"
    return head


def rules(luck: Random, name: str) -> str:
    """Return the rules of an expansion of the host: one to four declarations."""
    own = f"{name}_luck"
    made = [_STATES.replace("{own}", own)]
    for at in range(luck.randint(1, 4)):
        template, hooked = luck.choice(_DECLARATIONS), luck.choice(_HOOKED)
        # Nothing may depend on itself.
        again = f"{hooked.split('(')[0]}("
        does = [each for each in _STATEMENTS if again not in each]
        holds = [each for each in _CONDITIONS if "rich(" not in template or "rich(" not in each]
        fill: dict[str, Sequence[str]] = {
            "{when}": ("", "", " when {holds}"),
            "{hooked}": (hooked,),
            "{does}": does,
            "{holds}": holds,
            "{n}": ("0", "1", "2", "3", "4"),
            "{own}": (own,),
            "{at}": (str(at),),
        }
        for part, texts in fill.items():
            while part in template:
                template = template.replace(part, luck.choice(texts), 1)
        made.append(f"{template}\n")
    return "".join(made)


KINDS = (
    "a hook replaces what another hooks",
    "an `around`, and another hook",
    "an action runs again",
    "components without an owner",
    "refinements of one value",
    "loops and `first` over components",
    "steps, `always` rules and queued calls",
    "an early end",
    "none of these",
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
    if any(
        re.search(r"^(?:before|after|around|instead)[^\n]*:\s.*\b(gain|buy)\(", text, re.M)
        for text in rules
    ):
        found.add(KINDS[2])
    if any("_ghost" in text for text in texts.values()):
        found.add(KINDS[3])
    if any(one & other for one, other in combinations(values, 2)):
        found.add(KINDS[4])
    if any(re.search(r"first\(x|for x in (?:hand\[p\]|bag): p\.", text) for text in rules):
        found.add(KINDS[5])
    if any(re.search(r"^always|\blater ", text, re.M) for text in rules) or (
        "step action" in made["host.rules"]
    ):
        found.add(KINDS[6])
    if any(re.search(r"\bend_game|\bfinish\(", text) for text in rules):
        found.add(KINDS[7])
    return frozenset(found or {KINDS[8]})


def files(seed: int) -> dict[str, str]:
    """Return the files of the host and of two or three unrelated expansions."""
    luck = Random(seed)
    host = RULES
    if luck.random() < 0.3:
        host = host.replace("action gain(", "step action gain(")
        host = host.replace("action buy(", "step action buy(")
    made = {"host.yaml": HOST, "host.rules": host}
    for name in ("ants", "bees", "cats")[: luck.choice((2, 2, 2, 3))]:
        made[f"{name}.yaml"] = manifest(luck, name)
        made[f"{name}.rules"] = rules(luck, name)
    return made
