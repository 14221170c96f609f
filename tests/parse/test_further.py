"""All mistakes of a declaration are found, and none that is only made by another."""

from __future__ import annotations

import re

import pytest

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model import ast
from rulesdsl.language.parse import parse

MARKED = re.compile("«(.*?)»", re.DOTALL)

TEXTS = {
    "statements": """\
action a(x: int):
    let y «==» 3
    b(x)
    let z = 3 «4»
    c(x)
    let u = 1 «=» 2
""",
    "inside of what has a mistake itself": """\
action a(x: int):
    if x «=» 3:
        b(«!»)
        c(x)
    else:
        d(«/»)
    while «:»
        e(«=»)
""",
    "below a head": """\
value v(x «int») -> int:
    let u = 3 «4»
    u
""",
    "options": """\
choice c(p: player) by p:
    option a «b»:
        x(p)
    option c «=»
    option d:
        y(p «p»)
""",
    "a ladder": """\
value v(x: int) -> int:
    let y «==» 3
    when x == 1: 2
    when x = 2: 3
    otherwise: 4
""".replace("x = 2", "x «=» 2"),
    "what goes on after a condition": """\
action a(x: int):
    if x «=» 3:
        b(x)
    else if x == 4:
        c(x)
    else:
        d(x)
    e(x)
""",
    "after a bracket that stays open nobody knows": """\
action a(x: int):
    b«(»x
    let y == 3
""",
    "options in the line of their choice": """\
choice c(p: player) by p: «option» a:
        x(p)
    option b
""",
    "several declarations": """\
action a():
    let x «==» 1
value b( «->» int:
    1 «1»
state game.c: int «==» 3
""",
    "comments and blank lines": """\
action a():
    let x «==» 1  # why

# more
        # deep
    let y «==» 2

    let z = 3
""",
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_mistake_is_found_at_its_place(name: str) -> None:
    places = [
        (len(MARKED.sub(r"\1", TEXTS[name][: mark.start()])), mark[1])
        for mark in MARKED.finditer(TEXTS[name])
    ]
    source, report = Source("a.rules", MARKED.sub(r"\1", TEXTS[name])), Report()
    module = parse(source, report)
    assert [(each.span.start, each.span.text) for each in report if each.span] == places
    assert all(isinstance(each, ast.Broken) for each in module.declarations)


def test_what_is_right_besides_is_kept() -> None:
    report = Report()
    text = "action a():\n    let x == 1\n    let y == 2\nvalue b() -> int: 1\n"
    broken, kept = parse(Source("a.rules", text), report).declarations
    assert isinstance(broken, ast.Broken)
    assert isinstance(kept, ast.ValueDecl)
    assert len(report) == 2
