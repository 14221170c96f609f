"""What editors colour by is what the language has, and their settings are those of the server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from rulesdsl.builtins import EFFECTS, FORMS, FUNCTIONS
from rulesdsl.check.declarations import VERBS
from rulesdsl.lsp.answers import options
from rulesdsl.lsp.workspace import EditorOptions
from rulesdsl.model.types import NAMED, SIDE
from rulesdsl.parse.words import SIGNS, WORDS

EDITORS = Path(__file__).parents[2] / "docs" / "how-to" / "editors"
GRAMMAR = json.loads((EDITORS / "rulesdsl.tmLanguage.json").read_text(encoding="utf-8"))
TERMINALS = Path(__file__).parents[2] / "rulesdsl" / "parse" / "grammar.lark"
ALTERNATIVES = re.compile(r"\\b\(\?:([a-z_|]+)\)\\b")


def patterns(node: Any) -> list[tuple[str, str]]:
    """All patterns of the grammar, with the names of their scopes."""
    if isinstance(node, list):
        return [found for each in node for found in patterns(each)]
    if not isinstance(node, dict):
        return []
    own = [(str(node.get("name", "")), str(node["match"]))] if "match" in node else []
    return own + [found for each in node.values() for found in patterns(each)]


PATTERNS = patterns(GRAMMAR)


def words(*scopes: str) -> set[str]:
    """The words that patterns of these scopes list."""
    return {
        word
        for scope, pattern in PATTERNS
        if scope.startswith(scopes)
        for listed in ALTERNATIVES.findall(pattern)
        for word in listed.split("|")
    }


def test_every_word_of_the_grammar_is_coloured() -> None:
    written = set(re.findall(r'"([a-z]+)"', TERMINALS.read_text(encoding="utf-8")))
    scopes = ("keyword", "constant.language", "storage", "variable.language")
    coloured = words(*scopes, "support.function.aggregate")
    assert coloured == WORDS
    assert written <= coloured


def test_types_functions_and_policies_are_coloured() -> None:
    assert words("support.type") == {*NAMED, "int", SIDE.name} - WORDS
    assert words("support.function.builtin") == {*FUNCTIONS, *FORMS, *EFFECTS} - WORDS
    assert words("keyword.other.policy") == VERBS.keys() - {"unique"}


def test_every_pattern_is_one_and_every_sign_is_known() -> None:
    for _, pattern in PATTERNS:
        re.compile(pattern)
    (signs,) = (
        re.compile(pattern) for scope, pattern in PATTERNS if scope == "keyword.operator.rulesdsl"
    )
    brackets = set("()[]{}:,.")
    assert all(signs.fullmatch(sign) for sign in set(SIGNS.values()) - brackets)


def test_settings_are_those_of_the_server() -> None:
    package = json.loads((EDITORS / "package.json").read_text(encoding="utf-8"))
    settings = package["contributes"]["configuration"]["properties"]
    told = {name.removeprefix("rulesdsl.") for name in settings} - {"command"}
    assert options({name: [name] for name in told}) == EditorOptions(("with",), ("path",))
    for found in (package["contributes"]["languages"][0]["configuration"], package["main"]):
        assert (EDITORS / found).is_file()
    json.loads((EDITORS / "language-configuration.json").read_text(encoding="utf-8"))
