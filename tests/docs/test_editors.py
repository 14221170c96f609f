"""What editors colour by is what the language has, and their settings are those of the server."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import rulesdsl
from rulesdsl.author.lsp.answers import options
from rulesdsl.author.lsp.workspace import EditorOptions
from rulesdsl.language.builtins import EFFECTS, FORMS, FUNCTIONS
from rulesdsl.language.check.declarations import VERBS
from rulesdsl.language.model.types import NAMED, SIDE
from rulesdsl.language.parse.grammar import SIGNS, WORDS
from tests.page.node import printed
from tools import vsix

EDITORS = Path(__file__).parents[2] / "docs" / "how-to" / "editors"
GRAMMAR = json.loads((EDITORS / "rulesdsl.tmLanguage.json").read_text(encoding="utf-8"))
TERMINALS = Path(__file__).parents[2] / "rulesdsl" / "language" / "parse" / "grammar.lark"
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


LOADER = """
const Module = require("node:module");
const load = Module._load;
const own = (of, key) => key in of || typeof key === "symbol";
const any = () => new Proxy(class {}, { get: (of, key) => (own(of, key) ? of[key] : any()) });
Module._load = (name, ...rest) => (name === "vscode" ? any() : load(name, ...rest));
console.log(Object.keys(require(process.argv[2])).join());
"""
"""Loads an extension with an editor that has everything, and prints what the extension offers."""


def test_the_extension_can_be_installed(tmp_path: Path) -> None:
    data = vsix.build()
    assert data == vsix.build(), "the same bytes every time"
    with ZipFile(BytesIO(data)) as archive:
        names = set(archive.namelist())
        manifest = ElementTree.fromstring(archive.read("extension.vsixmanifest"))
        types = ElementTree.fromstring(archive.read("[Content_Types].xml"))
        archive.extractall(tmp_path)
    schema = "{http://schemas.microsoft.com/developer/vsx-schema/2011}"
    package = json.loads((tmp_path / "extension" / "package.json").read_text("utf-8"))
    identity = manifest.find(f"{schema}Metadata/{schema}Identity")
    assert identity is not None
    assert identity.attrib["Version"] == package["version"] == rulesdsl.__version__
    assert (identity.attrib["Id"], identity.attrib["Publisher"]) == (
        package["name"],
        package["publisher"],
    )
    assert {each.attrib["Path"] for each in manifest.iter(f"{schema}Asset")} <= names
    assert {Path(name).suffix for name in names} - {".xml"} == {
        each.attrib["Extension"] for each in types
    }
    given = package["contributes"]
    for path in (
        package["main"],
        *(each["configuration"] for each in given["languages"]),
        *(each["path"] for each in given["grammars"]),
    ):
        assert (tmp_path / "extension" / path).is_file()
    assert "dependencies" not in package, "they are in the script"
    (tmp_path / "load.cjs").write_text(LOADER, encoding="utf-8")
    told = printed(tmp_path / "load.cjs", tmp_path / "extension" / "extension.js")
    assert told == "activate,deactivate\n"


def test_settings_are_those_of_the_server() -> None:
    package = json.loads((EDITORS / "package.json").read_text(encoding="utf-8"))
    settings = package["contributes"]["configuration"]["properties"]
    told = {name.removeprefix("rulesdsl.") for name in settings} - {"command"}
    assert options({name: [name] for name in told}) == EditorOptions(("with",), ("path",))
    for found in (package["contributes"]["languages"][0]["configuration"], package["main"]):
        assert (EDITORS / found).is_file()
    json.loads((EDITORS / "language-configuration.json").read_text(encoding="utf-8"))
