"""The generated parts of the language page: the grammar and the builtins."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from rulesdsl.language.builtins import (
    EFFECTS,
    FORMS,
    FUNCTIONS,
    PROPERTIES,
    Builtin,
    BuiltinSignature,
)
from rulesdsl.language.model.types import ANY, UNIT, Type
from tools.docs.tables import table
from tools.environment import ROOT

GRAMMAR = ROOT / "rulesdsl" / "language" / "parse" / "grammar.lark"


def grammar() -> str:
    """Return the grammar of a declaration in EBNF, from the one of the parser."""
    text = GRAMMAR.read_text(encoding="utf-8")
    rules, words = text.split("// --- words and signs")
    named = dict(re.findall(r'^([A-Z_]+): ("[^"]*")$', words, re.M))
    lines = [line for line in rules.splitlines() if not line.startswith("//")]
    body = re.sub(r"\s+-> \w+", "", "\n".join(lines))
    body = re.sub(r"\b[A-Z][A-Z_]*\b", lambda word: named.get(word[0], word[0]), body)
    body = re.sub(r"(?m)^expression: .*\n", "", body)
    body = re.sub(r"(?<![\w\"])\?(?=[a-z])", "", body)
    inner = set(re.findall(r"(?<![\w\"])_(\w+)", body)) - set(re.findall(r"(?m)^(\w+):", body))
    body = re.sub(r"(?<![\w\"])_(\w+)", lambda n: n[1] if n[1] in inner else n[0], body)
    # The parser reads the declarations of a block one by one.
    body = re.sub(r"(?m)^(with_decl: .*)$", r"\1 INDENT declaration+ DEDENT", body)
    return "```\n" + re.sub(r"\n{3,}", "\n\n", body).strip() + "\n```\n"


def functions() -> str:
    """Return the table of functions."""
    return table(("function", ""), _rows((FUNCTIONS | FORMS).values()))


def effects() -> str:
    """Return the table of effects."""
    return table(("effect", ""), _rows(EFFECTS.values()))


def properties() -> str:
    """Return the table of properties."""
    rows = [
        (f"`x.{name}` of a {owner}: `{result}`", doc)
        for name, entries in PROPERTIES.items()
        for owner, result, doc, *_ in entries
    ]
    return table(("property", ""), rows)


def names() -> str:
    """Return all keys of manifests and all builtins by name, for the cheat sheet."""
    shape = json.loads((ROOT / "schemas" / "ruleset.schema.json").read_text(encoding="utf-8"))
    owners: dict[str, list[str]] = {}
    for name, entries in PROPERTIES.items():
        for owner, *_ in entries:
            owners.setdefault(f"`.` of a {owner}", []).append(name)
    groups = {
        "manifest": [*shape["properties"]],
        "effects": [*EFFECTS],
        "functions": [*(FUNCTIONS | FORMS)],
        **owners,
    }
    rows = [(what, " ".join(f"`{name}`" for name in found)) for what, found in groups.items()]
    return table(("", "names"), rows)


def _rows(builtins: Iterable[Builtin]) -> list[tuple[str, str]]:
    return [
        (_signatures(builtin), builtin.doc + ("; a chance move" if builtin.asks else ""))
        for builtin in builtins
    ]


def _signatures(builtin: Builtin) -> str:
    """Return all signatures; those that differ in only one parameter are combined."""
    groups: list[list[BuiltinSignature]] = []
    for signature in builtin.signatures:
        group = next((g for g in groups if _differ_in_one([*g, signature])), None)
        if group is None:
            groups.append([signature])
        else:
            group.append(signature)
    return "<br>".join(_group(builtin.name, group) for group in groups)


def _differ_in_one(group: list[BuiltinSignature]) -> bool:
    if len({(len(s.params), s.result) for s in group}) > 1:
        return False
    return sum(len(set(column)) > 1 for column in zip(*(s.params for s in group), strict=True)) == 1


def _group(name: str, group: list[BuiltinSignature]) -> str:
    columns = zip(*(signature.params for signature in group), strict=True)
    params = ", ".join(" or ".join(dict.fromkeys(map(_named, column))) for column in columns)
    result = group[0].result
    return f"`{name}({params})" + ("`" if result == UNIT else f": {_named(result)}`")


def _named(type_: Type) -> str:
    return "enum" if type_ == ANY else str(type_)
