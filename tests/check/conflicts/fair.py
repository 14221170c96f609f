"""The game `fair` of the extension tests with rulesets that extend it, checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.small_games import Outcome, checked

FAIR = Path(__file__).parents[2] / "extension" / "fair"


def fair(rules: Mapping[str, str | tuple[str, str]]) -> Outcome:
    """`rules` by ruleset, or its manifest and its rules; an optional first line of rules is one of
    the manifest (`requires: ...`, `interaction: ...`)."""
    manifest, own = (FAIR.with_suffix(s).read_text(encoding="utf-8") for s in (".yaml", ".rules"))
    texts = {"fair": (manifest, own)}
    for name, text in rules.items():
        if not isinstance(text, str):
            texts[name] = (f"ruleset: {name}\nedition: 1\nversion: 1.0.0\n{text[0]}\n", text[1])
            continue
        head, _, rest = text.partition("\n")
        if not head.startswith(("requires:", "interaction:", "house:")):
            head, rest = "requires: [fair]", text
        elif head.startswith("house:"):
            head += "\nrequires: [fair]"
        texts[name] = (f"ruleset: {name}\nedition: 1\nversion: 1.0.0\n{head}\n", rest)
    return checked(texts)
