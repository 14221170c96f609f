"""Rulesets that take as long as possible to check, lower or compile, of any size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

Files = Mapping[str, str]

HEAD = """\
ruleset: big
edition: 1
version: 1.0.0
rules: big.rules
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
features:
  lane: {shape: line}
  meadow: {shape: fill, borders: [lane]}
grids:
  board: {holds: tile, match: none, touch: false, size: [100, 100]}
zones:
  bag: {holds: tile, initial: true}
tiles:
  - {id: cross, count: 2, lane: [N-S]}
"""
RULES = """\
state game.active: player = first(players)
state game.a: int 0..9999 = 0
state game.b: int 0..9999 = 0
state game.on: bool
state player.score: int 0..9999 = 0
action game():
    turn()
    finish()
action finish(): end_game(players)
choice turn() by active:
    option go(n in {1, 2}): act()
    option pass
choice ask() by active:
    option x: a = 2
    option y: a = 3
"""
ACT = "action act(): a = 1\n"
SUM = "value w(n: int) -> int, sum\n"
ALWAYS = "always for p in players where p.score > {0}: p.score = 0"
TILE = "  - {{id: t{}, lane: [N, E, S, W]}}"
VALUE = "action act(): a = v(b)\nvalue v(n: int) -> int: 0\n"


def game(rules: str, manifest: str = "") -> Files:
    """The small game with more in its rules and its manifest."""
    return {"big.yaml": HEAD + manifest, "big.rules": RULES + rules}


def lines(form: Callable[[int], str], count: int) -> str:
    """As many lines, each of its number."""
    return "".join(form(number) + "\n" for number in range(count))


def body(statements: Iterable[str]) -> Files:
    """An action that does this."""
    return game("action act():\n" + "".join(f"    {line}\n" for line in statements))


def refined(guard: Callable[[int], str], count: int, gives: str = "{}") -> Files:
    """A value that is refined so often."""
    return game(VALUE + lines(lambda i: f"refine v(n) when {guard(i)}: {gives.format(i)}", count))


def refined_kinds(count: int) -> Files:
    rules = "action act(): a = sum(v(t) for t in bag)\nvalue v(t: tile) -> int: 0\n"
    rules += lines(lambda i: f"refine v(t) when t is t{i}: {i}", count)
    return game(rules, lines(lambda i: f"  - {{id: t{i}, lane: [N-S]}}", count))


def refined_enum(count: int) -> Files:
    rules = "action act(): a = v(m0)\nvalue v(m: e) -> int: 0\n"
    rules += lines(lambda i: f"refine v(m) when m == m{i}: {i}", count)
    return game(rules, f"enums:\n  e: [{', '.join(f'm{i}' for i in range(count))}]\n")


def calls(form: Callable[[int], str], last: str, count: int) -> Files:
    """Values or actions in a row, each of which calls the next."""
    return game(lines(form, count) + last.format(count) + "\n")


def tree_of_conditions(count: int) -> Files:
    """Conditionals in both branches of conditionals."""

    def inside(left: int, number: int) -> str:
        if not left:
            return str(number)
        one, other = inside(left - 1, 2 * number), inside(left - 1, 2 * number + 1)
        return f"({one} if a == {number} else {other})"

    return body([f"a = {inside(count.bit_length() - 1, 1)}"])


def asked_twice(depth: int) -> Files:
    """What may be none is asked for its kind inside of what is asked for it."""
    inside = "x"
    for _ in range(depth):
        inside = f"(x if {inside} is cross else none)"
    return game(ACT + f"value w(x: tile?) -> bool: {inside} is none\n")


def blocks(head: str, depth: int, last: str = "a = 1") -> Files:
    """Statements in each other."""
    return body([*("  " * i + head.format(i) for i in range(depth)), "  " * depth + last])


def expansions(form: Callable[[int], str], count: int, base: str = ACT) -> Files:
    """The small game with expansions that know nothing of each other."""
    files = dict(game(base))
    for i in range(count):
        head = "edition: 1\nversion: 1.0.0\nrequires: [big]\n"
        files[f"x{i}.yaml"] = f"ruleset: x{i}\n{head}rules: x{i}.rules\n"
        files[f"x{i}.rules"] = form(i)
    return files


def settings(count: int) -> Files:
    rows = lines(lambda i: f"  s{i}: {{default: false}}", count)
    closed = lines(
        lambda i: f"forbid turn.go(n) when settings.s{i}\nforbid turn.pass when not settings.s{i}",
        count,
    )
    return game(ACT + closed, "settings:\n" + rows)


def many(form: str, head: str = ACT) -> Callable[[int], Files]:
    """A game with as many lines of this form, `{0}` being their number and `{1}` the next."""
    return lambda count: game(head + lines(lambda i: form.format(i, i + 1), count))


KINDS: dict[str, tuple[Callable[[int], Files], int]] = {
    "guards that overlap": (lambda n: refined(lambda i: f"n > {i}", n), 2000),
    "guards that are alike": (lambda n: refined(lambda i: f"n == {i}", n), 2000),
    "guards that clash": (lambda n: refined(lambda i: f"n > {i} and n < {i + n}", n), 1000),
    "guards of nothing known": (lambda n: refined(lambda i: f"n mod {i + 2} == 0", n), 1000),
    "guards that exclude": (lambda n: refined(lambda i: f"n != {i}", n), 1000),
    "guards with alternatives": (
        lambda n: refined(lambda i: " or ".join(f"n == {8 * i + j}" for j in range(8)), n),
        600,
    ),
    "guards that multiply": (
        lambda n: refined(
            lambda i: " and ".join(f"(n > {i + j} or n == {j})" for j in range(6)), n
        ),
        300,
    ),
    "guards with kinds": (refined_kinds, 800),
    "guards with words": (refined_enum, 1500),
    "previous": (lambda n: refined(lambda i: f"n > {i}", n, "previous + previous"), 1000),
    "contributions": (
        many("add w(n) when n > {0}: {0}", f"{ACT}value w(n: int) -> int, sum\n"),
        2000,
    ),
    "vetoes": (many("forbid turn.go(n) when n > {0}"), 2000),
    "vetoes of settings": (settings, 400),
    "preconditions": (many("require act() when a > {0}: b > {0}"), 2000),
    "hooks": (many("after act() when a > {0}: a = {0}"), 2000),
    "hooks around": (many("around act() when a > {0}:\n    proceed\n    b = {0}"), 1000),
    "hooks instead": (many("instead act() when a > {0}: b = {0}"), 1500),
    "hooks of an option": (many("after turn.go(n) when n > {0}: a = {0}"), 1500),
    "options": (many("option turn.o{0}(x in {{1, 2}}) when a >= 0: a = {0}"), 1000),
    "settling": (
        many("always for p in players where p.score > {0}: p.score = 0", f"step {ACT}"),
        1500,
    ),
    "choices": (
        lambda n: calls(
            lambda i: f"choice c{i}() by active:\n    option x: c{i + 1}()\n    option y: a = 2",
            "action c{}(): a = 1\naction act(): c0()",
            n,
        ),
        700,
    ),
    "calls twice": (
        lambda n: calls(
            lambda i: f"value f{i}(n: int) -> int: f{i + 1}(n) + f{i + 1}(n + 1)",
            "value f{}(n: int) -> int: n\naction act(): a = f0(b)",
            n,
        ),
        1000,
    ),
    "actions twice": (
        lambda n: calls(
            lambda i: f"action f{i}():\n    f{i + 1}()\n    f{i + 1}()",
            "action f{}(): a = 1\naction act(): f0()",
            n,
        ),
        1500,
    ),
    "asking twice": (
        lambda n: calls(
            lambda i: f"action f{i}():\n    f{i + 1}()\n    f{i + 1}()",
            "action f{}(): ask()\naction act(): f0()",
            n,
        ),
        1000,
    ),
    "a circle": (
        lambda n: game(ACT + lines(lambda i: f"value f{i}() -> int: f{(i + 1) % n}()", n)),
        2000,
    ),
    "values that nobody needs": (many("value f{0}(n: int) -> int: n + {0}"), 2500),
    "states": (many("state game.x{0}: int"), 4000),
    "a long action": (lambda n: body(f"a = b + {i}" for i in range(n)), 2000),
    "an action that asks on and on": (lambda n: body(["ask()"] * n), 2000),
    "mistakes in an action": (lambda n: body(f"a = = {i}" for i in range(n)), 2000),
    "unknown names": (lambda n: body(f"xq{i} = yq{i}" for i in range(n)), 2000),
    "names declared twice": (lambda n: game(ACT + "value f(n: int) -> int: n\n" * n), 2500),
    "a tree of conditions": (tree_of_conditions, 2048),
    "asked twice": (asked_twice, 15),
    "a long sum": (lambda n: body([f"a = {' + '.join(['b'] * n)}"]), 4000),
    "a long ladder": (lambda n: body(f"when a == {i}: b = {i}" for i in range(n)), 2000),
    "blocks": (lambda n: blocks("if a > {}:", n), 45),
    "loops": (lambda n: blocks("for p{} in players:", n), 20),
    "loops that ask": (lambda n: blocks("for p{} in players:", n, "ask()"), 20),
    "brackets": (lambda n: body([f"a = {'(' * n}b{')' * n}"]), 5000),
    "minuses": (lambda n: body([f"a = {'-' * n}b"]), 45),
    "tiles": (
        lambda n: game(ACT, lines(lambda i: f"  - {{id: t{i}, lane: [N, E, S, W]}}", n)),
        1500,
    ),
    "a large tile": (lambda n: game(ACT, f"  - {{id: t, size: [{n}, {n}], lane: [r0c0.N]}}\n"), 80),
    "hooks of strangers": (lambda n: expansions(lambda i: f"after act(): a = {i}\n", n), 40),
    "many hooks of strangers": (
        lambda n: expansions(lambda i: f"after act(): a = {i}\n" * n, 10),
        150,
    ),
    "refinements of strangers": (
        lambda n: expansions(lambda i: f"refine v(n) when n > {i}: {i}\n", n, VALUE),
        40,
    ),
}
"""Rulesets by what is large in them, and how large they are; twice as large they must end, too."""
