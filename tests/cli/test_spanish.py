"""A game in Spanish is told in Spanish words alone."""

from __future__ import annotations

import re

import pytest

from rulesdsl.base.texts import section
from tests.cli.conftest import Cli
from tests.rulesets.shipped import FOLDER, ROOTS, expansions, game

WORD = re.compile(r"[^\W\d_]{2,}")
PORTS = re.compile(r"@[NESWLRC.I]+|\b[NESW][LR](\.[NESW][LR])*\b")
HOLE = re.compile(r"\{\w+\}")
SEED = 3
NAMES = ("reglamentos: ", "interacciones: ", "ajustes: ", "juegas con ")
"""How the lines begin that hold ids and commands, which are to be typed."""


def words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(PORTS.sub(" ", text))}


def spanish(root: str) -> set[str]:
    """All words of Spanish that a game can be told in, and the names of bots."""
    labels = game(root, *expansions(root)).checked.game.labels["es"]
    tables = [section(name, "es") for name in ("terminal", "events", "segments")]
    texts = [HOLE.sub(" ", text) for table in tables for text in table.values()]
    return words(" ".join([*labels.values(), *texts, "random greedy"]))


@pytest.mark.parametrize("root", ROOTS)
def test_no_english_word_is_left(root: str, cli: Cli) -> None:
    more = ["--with", ",".join(expansions(root))] if expansions(root) else []
    command = ["run", str(FOLDER / f"{root}.yaml"), *more, "--lang", "es", "--seed", str(SEED)]
    told = cli(*command, "--watch").out
    asked = cli(*command, "--human", "red", typed="1\n" * 20 + "q\n").out
    asked = asked.partition("guardado en")[0]
    lines = [line for line in (told + asked).splitlines() if not line.startswith(NAMES)]
    assert sorted(words("\n".join(lines)) - spanish(root)) == []
