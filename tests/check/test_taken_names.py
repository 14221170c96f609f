"""A name in a manifest or in rules means what it names, or is reported as taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl.engine.build.stages import StageMemo, build
from rulesdsl.language.builtins import DOMAINS, EFFECTS, FORMS, FUNCTIONS, RESERVED
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.model.types import NAMED
from rulesdsl.language.parse.grammar import WORDS
from rulesdsl.play import Game

MANIFEST = """
ruleset: small
edition: 1
version: 1.0.0
rules: small.rules
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
zones:
  bag: {holds: token, initial: true}
tokens:
  - {id: ball, count: 3}
"""
RULES = """
state player.score: int 0..99 = 0

action game():
    gain()
    finish()

action finish():
    end_game(most(p in players by p.score))

"""

SORTS = {
    "zone": (
        "  '?': {holds: token}",
        "move(one(bag, ball), ?)\n    first(players).score += count(?) + 2 * count(x in ?)",
    ),
    "track": (
        "tracks: {'?': {length: 3}}",
        "move(one(bag, ball), first(?))\n    first(players).score += count(?)",
    ),
    "grid": (
        "grids: {'?': {holds: token}}",
        "let at = cell_at(?, 0, 0)\n    first(players).score += count(cells(?)) + 3",
    ),
    "table": ("tables: {'?': [3, 4]}", "first(players).score += ?[0]"),
    "enum": (
        "enums: {'?': [ma, mb, mc]}",
        "if ?.mb == mb: first(players).score += count(?)\nstate game.last: ?% = mc",
    ),
    "member": (
        "enums: {sort: [ma, '?', mc]}\nattributes: {sort: {of: token, type: sort, default: '?'}}",
        "if sort.? == ? and ma != ?: first(players).score += count(x in bag where x.sort == ?)",
    ),
    "setting": (
        "settings: {'?': {default: 3, range: [1, 4]}}",
        "first(players).score += settings.?",
    ),
    "word": (
        "settings: {way: {default: '?', values: [other, '?']}}",
        "if settings.way == ?: first(players).score += 3",
    ),
    "component": (
        "figures: [{id: '?', count: 3, in: yard}]\ntracks: {yard: {length: 1}}",
        "first(players).score += count(x in figures where x is '?')",
    ),
    "value": (
        "",
        "first(players).score += ?(1, 2, 0)\nvalue ?(a: int, b: int, c: int) -> int: a + b + c",
    ),
    "action": (
        "",
        "?(1, 2, 0, first(players))\n"
        "action ?(a: int, b: int, c: int, p: player): p.score += a + b + c",
    ),
    "state": ("", "? += 1\n    first(players).score += ?\nstate game.?: int 0..9 = 2"),
    "local": ("", "let ? = 3\n    first(players).score += ?"),
    "parameter": ("", "first(players).score += v(1)\nvalue v(?: int) -> int:\n    ? + 2"),
}
CALLED = {*FUNCTIONS, *FORMS, *EFFECTS}
SYNTAX = {*FORMS, "all", "any", "count", "first", "most", "sum", "the"}
"""Words that begin a form of their own wherever they are called."""
NAMES = sorted({*WORDS, *DOMAINS, *NAMED, *CALLED, "int", "side", "home", "count", "score", "nil"})


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("sort", SORTS)
def test_a_name_means_what_it_names_or_is_taken(
    sort: str, every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the tests that always run: each name for three sorts of things, `players` for all."""
    monkeypatch.setenv("RULESDSL_NO_CACHE", "1")
    known, taken = StageMemo(), set()
    names = {*NAMES[[*SORTS].index(sort) % every :: every], "players"}
    for name in sorted(names - SYNTAX if sort in ("value", "action") else names):
        report = Report()
        scores = _scores(tmp_path, sort, name, report, known)
        found = [each.slug for each in report]
        if name not in RESERVED or sort not in _OWN:  # the parser stops at keywords
            assert ("reserved-word" in found) != (scores == 3), (name, scores, found)
        if scores != 3:
            taken.add(name)
    assert taken >= RESERVED & names
    assert ("players" in taken) == (sort in ("zone", "track", "grid", "table", "enum", *_OWN))


_OWN = ("state", "local", "parameter")


def _scores(folder: Path, sort: str, name: str, report: Report, known: StageMemo) -> int | None:
    """The points of the first player when a thing of a sort has a name; None with errors."""
    declared, used = (text.replace("?", name).replace("%", "?") for text in SORTS[sort])
    manifest = MANIFEST
    if sort == "zone":
        manifest = manifest.replace("zones:\n", f"zones:\n{declared}\n")
    else:
        manifest += declared
    (folder / "small.yaml").write_text(manifest, encoding="utf-8")
    (folder / "small.rules").write_text(f"{RULES}action gain():\n    {used}\n", encoding="utf-8")
    checked = build(str(folder / "small.yaml"), report=report, known=known)
    if checked is None:
        return None
    return dict(Game(checked, "python", report).start(2, 1).scores())["red"]
